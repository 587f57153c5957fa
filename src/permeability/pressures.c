/* SPDX-License-Identifier: Apache-2.0 */
#include "permeability/pressures.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "geometry/voxels/planes.h"
#include "permeability/numbered.h"
#include "permeability/plan.h"

#include <math.h>

static rill_status find_throats(void *of)
{
    rill_status status = RILL_OK;
    rill_pressures *p = of;
    rill_permit_wait(p->started);
    RILL_TRY(rill_network_find_throats(p->domain, &p->network, &p->part));
    RILL_TRY(rill_network_prepare(&p->network));
done:
    return status;
}

static rill_status find_chambers(void *of)
{
    rill_pressures *p = of;
    if (p->leaves_one) (void)rill_threads_leave_one(); /* this thread's, and that which finds the throats */
    const rill_status status = rill_network_find_chambers(p->domain, NULL, NULL, &p->network, &p->part);
    if (status == RILL_OK) rill_aside_begin(&p->throats, find_throats, p);
    return status;
}

/* The simulation sums up the mass of chambers. */
static rill_status label(void *context, const rill_network *network, rill_global_node first, uint64_t count,
                         const uint32_t *chamber_of)
{
    rill_status status = RILL_OK;
    if (first == 0) RILL_TRY(rill_sim_label_begin(context, network->chambers));
    RILL_TRY(rill_sim_label_put(context, first, count, chamber_of));
done:
    return status;
}

/* Find all of the network, and label layer by layer: this thread alone sees the voxels that other processes
 * keep. */
static rill_status find_here(rill_sim *sim, rill_pressures *p)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_network_find_chambers(p->domain, label, sim, &p->network, &p->part));
    RILL_TRY(find_throats(p));
done:
    rill_network_part_free(&p->part);
    return status;
}

/* Whether the network is found beside what this thread does. */
static bool builds_concurrently(const rill_pressures *p) { return p->copy || !p->domain->geom->planes; }

/* Take the chambers that the plan found, or the counts alone: the chambers serve one run, the counts all. */
static rill_status take_found(const rill_permeability_plan *plan, rill_pressures *p)
{
    rill_status status = RILL_OK;
    rill_numbered *n = plan->numbered;
    const rill_network own = p->network; /* its permits */
    p->network.edge = plan->pores.edge;
    if (!n || !n->counted.base || n->counted.edge != plan->pores.edge) return RILL_OK;
    if (!n->part.whole) return rill_network_counted(&n->counted, &p->network);
    rill_network counted = {.edge = 0};
    RILL_TRY(rill_network_counted(&n->counted, &counted));
    p->network = n->counted;
    p->network.permit = own.permit;
    p->network.next = own.next;
    p->part = n->part;
    n->counted = counted;
    n->part = (rill_network_part){.before = NULL};
done:
    return status;
}

rill_status rill_pressures_begin(const rill_follower *f, const rill_domain *domain, rill_pressures *p)
{
    rill_status status = RILL_OK;
    RILL_TRY(take_found(f->plan, p));
    p->network.magic = rill_plan_magic(f->options, f->plan);
    p->network.wide = f->plan->nested;
    if (rill_network_copies(domain->geom)) {
        RILL_TRY(rill_geom_gather(domain->geom, &p->copy));
        p->copied = *domain;
        p->copied.geom = p->copy;
        domain = &p->copied;
    }
    p->domain = domain;
    p->leaves_one = rill_plan_steps_apart(f->options);
    if (builds_concurrently(p)) rill_aside_begin(&p->chambers, find_chambers, p);
done:
    return status;
}

rill_status rill_pressures_create(rill_follower *f, const rill_domain *domain, rill_pressures *out)
{
    rill_status status = RILL_OK;
    if (!out->domain) RILL_TRY(rill_pressures_begin(f, domain, out));
    if (!builds_concurrently(out)) RILL_TRY(find_here(f->sim, out));
    RILL_TRY(rill_aside_end(&out->chambers));
    double **const arrays[] = {&out->sums[0], &out->sums[1], &out->gain, &out->correction};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        RILL_TRY(rill_array_create_zero(out->network.chambers, sizeof(double),
                                        "the pressures of a pore network", (void **)arrays[k]));
    if (out->copy) /* its planes are read one after the other: the labels of most are gone */
        RILL_TRY(rill_network_see_nodes(out->domain, &out->network, label, f->sim));
    else if (builds_concurrently(out))
        RILL_TRY(rill_sim_label_share(f->sim, out->network.chambers, out->part.chamber_of));
done:
    return status;
}

void rill_pressures_destroy(rill_pressures *pressures)
{
    double *const arrays[] = {pressures->sums[0], pressures->sums[1], pressures->gain, pressures->correction};
    pressures->network.abandoned = true;
    rill_aside_drop(&pressures->chambers);
    rill_aside_drop(&pressures->throats);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) rill_array_destroy(arrays[k]);
    rill_network_part_free(&pressures->part);
    rill_geom_destroy(pressures->copy);
    rill_network_destroy(&pressures->network);
    *pressures = (rill_pressures){.domain = NULL};
}

rill_status rill_pressures_see(rill_follower *f, rill_pressures *pressures, int which,
                               const rill_sight *sight)
{
    *(which ? &pressures->after : &pressures->before) = *sight;
    return rill_follow_label_sums(f, pressures->network.chambers, pressures->sums[which]);
}

static void gain(const void *of, uint64_t first, uint64_t end)
{
    const rill_pressures *p = of;
    const double width = (double)(p->after.step - p->before.step) * p->after.density;
    for (uint64_t c = first; c < end; c++) p->gain[c] = (p->sums[1][c] - p->sums[0][c]) / width;
}

/*
 * k = nu / (F^2 V) (F sum(u) + d/dt sum(u^2/2 - c_s^2 (rho - 1)^2 / 2)), and the work of the missing
 * pressures on what flows too much: docs/method.md derives both.
 */
rill_status rill_pressures_estimate(const rill_follower *f, rill_pressures *p)
{
    rill_status status = RILL_OK;
    const rill_permeability_plan *plan = f->plan;
    const int axis = f->run->axis;
    const double width = (double)(p->after.step - p->before.step);
    const double scale = plan->nu / (plan->force * plan->force * (double)rill_geom_sample(f->geom));
    p->k = rill_sight_k(&p->before, &p->after, axis) + scale * (p->after.energy - p->before.energy) / width;
    RILL_TRY(rill_aside_end(&p->throats));
    if (p->iterations == 0) {
        rill_memory_note("when the pore network was found");
        rill_device *device = rill_sim_device_of(f->sim);
        if (!device->backend->host && rill_network_put(&p->network, device) != RILL_OK)
            rill_log(RILL_LOG_DEBUG, "pore network: %s", rill_error_message());
    }
    if (p->copy || !rill_sim_label_borrows(f->sim)) /* else the simulation reads the chambers there */
        rill_network_part_free(&p->part);
    rill_geom_destroy(p->copy);
    p->copy = NULL;
    rill_threads_for(p->network.chambers, RILL_NETWORK_CHUNK, gain, p);
    p->iterations = rill_network_solve(&p->network, p->gain, plan->nu, p->correction);
    p->expected = fabs(scale * rill_network_dot(&p->network, NULL, p->gain, p->correction));
done:
    return status;
}
