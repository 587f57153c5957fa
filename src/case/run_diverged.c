/* SPDX-License-Identifier: Apache-2.0 */
/* Where a flow diverged, and why. */
#include "case/run_priv.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 1 << 16 };

/* The nodes where it is worst. */
typedef struct worst {
    bool finite;     /* all of them */
    double speed;    /* the largest one, of the finite */
    double place[3]; /* of it; of numbers that are none any more: the one in their middle, for they spread */
} worst;

/* Called for every node; `place` in voxels. */
typedef void (*seen_fn)(worst *w, bool finite, double speed, const double place[3], double sums[4]);

/* The largest speed, and where those that are not finite are in the mean. */
static void first_look(worst *w, bool finite, double speed, const double place[3], double sums[4])
{
    if (!finite) {
        for (int a = 0; a < 3; a++) sums[a] += place[a];
        sums[3]++;
        w->finite = false;
    } else if (w->finite && speed > w->speed) {
        w->speed = speed;
        memcpy(w->place, place, sizeof w->place);
    }
}

/* The node that is not finite and nearest to the mean; w->speed holds the square of its distance. */
static void second_look(worst *w, bool finite, double speed, const double place[3], double sums[4])
{
    double gap = 0;
    (void)speed;
    if (finite) return;
    for (int a = 0; a < 3; a++) gap += pow(place[a] - sums[a] / sums[3], 2);
    if (gap >= w->speed) return;
    w->speed = gap;
    memcpy(w->place, place, sizeof w->place);
}

static rill_status look(rill_sim *sim, const rill_geom *geom, rill_node nodes, seen_fn see, worst *w,
                        double sums[4])
{
    rill_status status = RILL_OK;
    double *rho = NULL;
    uint64_t v = 0;
    RILL_TRY(rill_array_create(4 * BATCH, sizeof *rho, "moments", (void **)&rho));
    for (uint64_t first = 0; first < nodes; first += BATCH) {
        const rill_node count = (rill_node)(nodes - first < BATCH ? nodes - first : BATCH);
        RILL_TRY(rill_sim_moments(sim, (rill_node)first, count, rho, rho + count));
        for (rill_node k = 0; k < count; k++, v++) {
            const double *u = rho + count + k;
            while (geom->voxels[v] < RILL_FLUID) v++; /* nodes are in the order of the voxels */
            const double place[3] = {(double)(v % geom->n[0]), (double)(v / geom->n[0] % geom->n[1]),
                                     (double)(v / geom->n[0] / geom->n[1])};
            const double speed =
                sqrt(u[0] * u[0] + u[count] * u[count] + u[2 * (size_t)count] * u[2 * (size_t)count]);
            see(w, isfinite(speed) && isfinite(rho[k]), speed, place, sums);
        }
    }
done:
    rill_array_destroy(rho);
    return status;
}

/* @param[out] out  its place in m */
static rill_status worst_find(rill_sim *sim, const rill_geom *geom, rill_node nodes, worst *out)
{
    rill_status status = RILL_OK;
    double sums[4] = {0};
    *out = (worst){.finite = true, .speed = -1};
    RILL_TRY(look(sim, geom, nodes, first_look, out, sums));
    if (!out->finite) {
        out->speed = INFINITY;
        RILL_TRY(look(sim, geom, nodes, second_look, out, sums));
    }
    for (int a = 0; a < 3; a++) out->place[a] = geom->origin[a] + geom->spacing * (out->place[a] + 0.5);
done:
    return status;
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
    double distance;
    char speed[64] = "is no number any more", mach[96] = "", remedy[160];
    RILL_TRY(worst_find(v->sim, v->geom, rill_domain_nodes(v->domain), &w));
    const double *place = w.place;
    const rill_opening *o = nearest(v->geom->surface, place, &distance);
    if (w.finite)
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
