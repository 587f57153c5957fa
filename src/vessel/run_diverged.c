/* SPDX-License-Identifier: Apache-2.0 */
/* Where a flow diverged or left its plan, and why. */
#include "vessel/run_priv.h"

#include "vessel/plan.h"
#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 1 << 16 };

#define MMHG 133.322387415 /* Pa */

/* The nodes where it is worst. */
typedef struct worst {
    bool finite;     /* all of them */
    double size;     /* the largest speed, or change of density, of the finite; lu */
    double rho;      /* there, less 1; lu */
    double place[3]; /* of it; of numbers that are none any more: the one in their middle, for they spread */
} worst;

/* A node; `place` in voxels. */
typedef struct seen {
    bool finite;
    double speed, rho, place[3];
} seen;

/* Called for every node. */
typedef void (*seen_fn)(worst *w, const seen *node, double sums[4]);

static void take(worst *w, const seen *node, double size)
{
    w->size = size;
    w->rho = node->rho;
    memcpy(w->place, node->place, sizeof w->place);
}

/* The largest speed, and where those that are not finite are in the mean. */
static void first_look(worst *w, const seen *node, double sums[4])
{
    if (!node->finite) {
        for (int a = 0; a < 3; a++) sums[a] += node->place[a];
        sums[3]++;
        w->finite = false;
    } else if (w->finite && node->speed > w->size)
        take(w, node, node->speed);
}

/* The largest change of density. */
static void dense_look(worst *w, const seen *node, double sums[4])
{
    (void)sums;
    if (node->finite && fabs(node->rho) > w->size) take(w, node, fabs(node->rho));
}

/* The node that is not finite and nearest to the mean; w->size holds the square of its distance. */
static void second_look(worst *w, const seen *node, double sums[4])
{
    double gap = 0;
    if (node->finite) return;
    for (int a = 0; a < 3; a++) gap += pow(node->place[a] - sums[a] / sums[3], 2);
    if (gap < w->size) take(w, node, gap);
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
            const double speed =
                sqrt(u[0] * u[0] + u[count] * u[count] + u[2 * (size_t)count] * u[2 * (size_t)count]);
            const seen node = {isfinite(speed) && isfinite(rho[k]),
                               speed,
                               rho[k],
                               {(double)(v % geom->n[0]), (double)(v / geom->n[0] % geom->n[1]),
                                (double)(v / geom->n[0] / geom->n[1])}};
            see(w, &node, sums);
        }
    }
done:
    rill_array_destroy(rho);
    return status;
}

/* Find where it is worst by `see`, first_look or dense_look. @param[out] out  its place in m */
static rill_status worst_find(const rill_vessel *v, seen_fn see, worst *out)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = v->geom;
    const rill_node nodes = rill_domain_nodes(v->domain);
    double sums[4] = {0};
    *out = (worst){.finite = true, .size = -1};
    RILL_TRY(look(v->sim, geom, nodes, see, out, sums));
    if (!out->finite) {
        out->size = INFINITY;
        RILL_TRY(look(v->sim, geom, nodes, second_look, out, sums));
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

/* Write "(1 mm, 2 mm, 3 mm), 0.4 mm from NAME". */
static const char *where(const rill_vessel *v, const worst *w, char *text, size_t size)
{
    double distance;
    const double *place = w->place;
    const rill_opening *o = nearest(v->geom->surface, place, &distance);
    snprintf(text, size, "(%.4g mm, %.4g mm, %.4g mm), %.3g mm from %s", 1e3 * place[0], 1e3 * place[1],
             1e3 * place[2], 1e3 * distance, o ? o->name : "nowhere");
    return text;
}

static double least_tau(const rill_case_plan *plan)
{
    return plan->tau_low > 0 ? plan->tau_low : plan->options.tau;
}

rill_status rill_run_diverged(rill_run_loop *loop, const rill_totals *totals)
{
    rill_status status = RILL_OK;
    rill_vessel *v = loop->vessel;
    worst w;
    char speed[64] = "is no number any more", mach[96] = "", remedy[160], at[224];
    RILL_TRY(worst_find(v, first_look, &w));
    if (w.finite)
        snprintf(speed, sizeof speed, "has a speed of %.3g m/s, Mach %.2g", w.size * v->plan.scales.velocity,
                 sqrt(3) * w.size);
    if (isfinite(loop->mach)) snprintf(mach, sizeof mach, "Mach was %.2g when last looked at, ", loop->mach);
    const double tau = least_tau(&v->plan);
    if (tau < 0.51)
        snprintf(remedy, sizeof remedy, "tau is too near to 0.5: refine the geometry, or shorten time_step");
    else
        snprintf(remedy, sizeof remedy,
                 "lower run.mach or run.time-step, lengthen run.soft-start, or refine");
    status = rill_fail(
        RILL_NUMERICS,
        "the flow diverged before step %llu, at %.4g s: the fluid at %s, %s (%llu nodes are no numbers); "
        "%stau is %.4g: %s",
        (unsigned long long)loop->state.steps, rill_observers_time(&loop->observers),
        where(v, &w, at, sizeof at), speed, (unsigned long long)totals->not_finite, mach, tau, remedy);
done:
    return status;
}

rill_status rill_run_too_fast(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    const rill_vessel *v = loop->vessel;
    worst w;
    char at[224];
    RILL_TRY(worst_find(v, first_look, &w));
    status = rill_fail(
        RILL_NUMERICS,
        "the flow diverged from its plan before step %llu, at %.4g s: the fluid at %s, has a speed of %.3g "
        "m/s, Mach %.3g, and the limit is %.3g, %g times the planned Mach number; tau is %.5g: voxelize with "
        "a smaller --dx, or correct the flows and pressures of the case",
        (unsigned long long)loop->state.steps, rill_observers_time(&loop->observers),
        where(v, &w, at, sizeof at), w.size * v->plan.scales.velocity, sqrt(3) * w.size, v->plan.mach_limit,
        RILL_GUARD_MACH, least_tau(&v->plan));
done:
    return status;
}

rill_status rill_run_too_dense(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    const rill_vessel *v = loop->vessel;
    const rill_case_plan *plan = &v->plan;
    const double base = plan->scales.base, limit = plan->pressure_limit;
    worst w;
    char at[224];
    RILL_TRY(worst_find(v, dense_look, &w));
    status = rill_fail(RILL_NUMERICS,
                       "the flow diverged from its plan before step %llu, at %.4g s: the fluid at %s, has a "
                       "pressure of %.4g "
                       "mmHg, and the limits are %.4g and %.4g, %g times what the openings, Bernoulli, "
                       "viscosity and inertia "
                       "allow; tau is %.5g: voxelize with a smaller --dx, or lengthen soft-start",
                       (unsigned long long)loop->state.steps, rill_observers_time(&loop->observers),
                       where(v, &w, at, sizeof at), (base + w.rho / 3 * plan->scales.pressure) / MMHG,
                       (base - limit) / MMHG, (base + limit) / MMHG, RILL_GUARD_PRESSURE, least_tau(plan));
done:
    return status;
}
