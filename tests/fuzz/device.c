/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers' objects refer to and no reader calls: with these, harnesses need neither backend nor node
 * update. */
#include "rill.h"

#include "device/device.h"
#include "sim/sim.h"
#include "vessel/plan/plan.h"

#include <stdlib.h>

const rill_backend rill_backend_cpu;

rill_status rill_device_create(rill_backend_kind kind, int ordinal, rill_device **out)
{
    (void)kind;
    (void)ordinal;
    (void)out;
    abort();
}

void rill_device_destroy(rill_device *device)
{
    if (device) abort();
}

uint64_t rill_sim_state_bytes(rill_sim *sim)
{
    (void)sim;
    abort();
}

rill_status rill_sim_state_save(rill_sim *sim, uint64_t offset, uint64_t bytes, void *to)
{
    (void)sim;
    (void)offset;
    (void)bytes;
    (void)to;
    abort();
}

rill_status rill_sim_state_load(rill_sim *sim, uint64_t offset, uint64_t bytes, const void *from)
{
    (void)sim;
    (void)offset;
    (void)bytes;
    (void)from;
    abort();
}

/* What a coupled model asks of a run, and of its plan. */

double rill_case_plan_time(const rill_case_plan *plan, double steps)
{
    (void)plan;
    (void)steps;
    abort();
}

void rill_case_plan_guard_widen(rill_case_plan *plan, double pressure)
{
    (void)plan;
    (void)pressure;
    abort();
}

void rill_case_say(rill_case_plan *plan, bool refuses, const char *format, ...)
{
    (void)plan;
    (void)refuses;
    (void)format;
    abort();
}

uint64_t rill_sim_steps(const rill_sim *sim)
{
    (void)sim;
    abort();
}

rill_status rill_sim_patch_series(rill_sim *sim, int patch, uint64_t first_step, uint32_t count, double *flow,
                                  double *pressure)
{
    (void)sim;
    (void)patch;
    (void)first_step;
    (void)count;
    (void)flow;
    (void)pressure;
    abort();
}
