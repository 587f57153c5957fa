/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers' objects refer to and no reader calls: with these, harnesses need neither backend nor node
 * update. */
#include "rill.h"

#include "device/device.h"
#include "sim/sim.h"

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
