/* SPDX-License-Identifier: Apache-2.0 */
/* Where a flow diverged, and why. */
#include "case/run_priv.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <stdio.h>

enum { BATCH = 1 << 16 };

/* The node where it is worst. */
typedef struct worst {
    rill_node node;
    double speed; /* infinite where it is not finite */
} worst;

static rill_status worst_find(rill_sim *sim, rill_node nodes, worst *out)
{
    rill_status status = RILL_OK;
    double *rho = NULL;
    *out = (worst){.speed = -1};
    RILL_TRY(rill_array_create(4 * BATCH, sizeof *rho, "moments", (void **)&rho));
    for (rill_node first = 0; first < nodes && !isinf(out->speed); first += BATCH) {
        const rill_node count = nodes - first < BATCH ? nodes - first : BATCH;
        const double *u = rho + count;
        RILL_TRY(rill_sim_moments(sim, first, count, rho, rho + count));
        for (rill_node k = 0; k < count; k++) {
            const double size = sqrt(u[k] * u[k] + u[count + k] * u[count + k] +
                                     u[2 * (size_t)count + k] * u[2 * (size_t)count + k]);
            const double speed = isfinite(size) && isfinite(rho[k]) ? size : INFINITY;
            if (speed > out->speed) *out = (worst){first + k, speed};
        }
        if (nodes - first <= BATCH) break; /* the next one may not be a number of a node */
    }
done:
    rill_array_destroy(rho);
    return status;
}

/* The place of a node, m. */
static void place_of(const rill_geom *geom, rill_node node, double place[3])
{
    uint64_t seen = 0, v = 0;
    for (const uint64_t all = rill_geom_voxels(geom); v < all; v++)
        if (geom->voxels[v] >= RILL_FLUID && seen++ == node) break;
    const uint64_t at[3] = {v % geom->n[0], v / geom->n[0] % geom->n[1], v / geom->n[0] / geom->n[1]};
    for (int a = 0; a < 3; a++) place[a] = geom->origin[a] + geom->spacing * ((double)at[a] + 0.5);
}

static const rill_opening *nearest(const rill_surface *s, const double place[3], double *distance)
{
    const rill_opening *found = NULL;
    *distance = INFINITY;
    for (int k = 0; k < s->opening_count; k++) {
        const double *c = s->openings[k].centre;
        const double gap = hypot(hypot(c[0] - place[0], c[1] - place[1]), c[2] - place[2]);
        if (gap < *distance) *distance = gap, found = &s->openings[k];
    }
    return found;
}

rill_status rill_run_diverged(rill_run_loop *loop, const rill_totals *totals)
{
    rill_status status = RILL_OK;
    rill_vessel *v = loop->vessel;
    worst w;
    double place[3], distance;
    char speed[64] = "is no number any more", mach[96] = "", remedy[160];
    RILL_TRY(worst_find(v->sim, rill_domain_nodes(v->domain), &w));
    place_of(v->geom, w.node, place);
    const rill_opening *o = nearest(v->geom->surface, place, &distance);
    if (isfinite(w.speed))
        snprintf(speed, sizeof speed, "has a speed of %.3g m/s, Mach %.2g", w.speed * v->plan.scales.velocity,
                 sqrt(3) * w.speed);
    if (isfinite(loop->mach)) snprintf(mach, sizeof mach, "Mach was %.2g when last looked at, ", loop->mach);
    const double tau = v->plan.tau_low > 0 ? v->plan.tau_low : v->plan.options.tau;
    if (tau < 0.51)
        snprintf(remedy, sizeof remedy, "tau is too near to 0.5: refine the geometry, or shorten time_step");
    else
        snprintf(remedy, sizeof remedy, "lower run.mach or time_step, lengthen soft_start, or refine");
    status = rill_fail(
        RILL_NUMERICS,
        "the flow diverged before step %llu, at %.4g s: the fluid at (%.4g mm, %.4g mm, %.4g mm), %.3g mm "
        "from %s, %s (%llu nodes are no numbers); %stau is %.4g: %s",
        (unsigned long long)loop->state.steps, rill_observers_time(&loop->observers), 1e3 * place[0],
        1e3 * place[1], 1e3 * place[2], 1e3 * distance, o ? o->name : "nowhere", speed,
        (unsigned long long)totals->not_finite, mach, tau, remedy);
done:
    return status;
}
