/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/tweezers.h"

#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "membrane/limit.h"
#include "membrane/membrane.h"
#include "membrane/run.h"

#include <math.h>
#include <string.h>

/* Steps for each force: half of them raise it, and the last quarter shows whether the shape still changes. */
enum { STEPS = 12000, PIECE = 50 };

/* Stiffness at rest over the limit of the time step: the membrane becomes stiffer under tension. */
#define STIFFNESS_SHARE 0.1

typedef struct tweezers {
    const rill_verify_tweezers_case *given;
    rill_geom *geom;
    rill_domain *domain;
    rill_sim *sim;
    rill_membrane_mesh mesh;
    rill_membranes *membranes;
    double (*share)[3]; /* [vertices], of the force along x: 1 / N on one side, -1 / N on the other */
    double (*load)[3];
    double unit; /* N in a force of 1, lu */
} tweezers;

static double dx_of(const rill_verify_tweezers_case *c) { return c->radius / c->voxels; }

/* Share the forces among the vertices near the ends of the cell along x, by the area around them. */
static rill_status shares_find(tweezers *t)
{
    rill_status status = RILL_OK;
    const double reach = t->given->contact / 2 / dx_of(t->given);
    const double(*x)[3] = (const double(*)[3])t->mesh.vertices;
    double(*area)[3] = NULL, sum[2] = {0};
    RILL_TRY(rill_array_create(t->mesh.vertex_count, sizeof *area, "a cell", (void **)&area));
    rill_membrane_areas(&t->mesh, x, area);
    for (int side = 0; side < 2; side++)
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t v = 0; v < t->mesh.vertex_count; v++) {
                const double end = side ? t->given->voxels : -t->given->voxels;
                if (hypot(hypot(x[v][0] - end, x[v][1]), x[v][2]) > reach) continue;
                const double own = hypot(hypot(area[v][0], area[v][1]), area[v][2]);
                if (pass == 0)
                    sum[side] += own;
                else
                    t->share[v][0] = (side ? own : -own) / sum[side];
            }
    if (!(sum[0] > 0 && sum[1] > 0))
        RILL_TRY(rill_fail(RILL_USAGE, "no vertex lies within %g m of the ends of the cell",
                           t->given->contact / 2));
done:
    rill_array_destroy(area);
    return status;
}

static rill_status begin(tweezers *t, const rill_verify_setup *setup)
{
    rill_status status = RILL_OK;
    const rill_verify_tweezers_case *c = t->given;
    const double dx = dx_of(c), a = c->voxels;
    const uint32_t n[3] = {(uint32_t)ceil(5.5 * a), (uint32_t)ceil(3 * a), (uint32_t)ceil(2.5 * a)};
    const double centre[3] = {n[0] / 2.0, n[1] / 2.0, n[2] / 2.0};
    const double trial = 1e-4; /* G of which the stiffness is found */
    rill_sim_options o = rill_sim_options_default();
    rill_elastic_options elastic = {.law = RILL_SKALAK, .dilatation = c->dilatation};
    double stiffness;
    RILL_TRY(rill_membrane_mesh_red_cell(a, rill_capsule_level(a), &t->mesh));
    RILL_TRY(rill_array_create_zero(t->mesh.vertex_count, sizeof *t->share, "a cell", (void **)&t->share));
    RILL_TRY(rill_array_create_zero(t->mesh.vertex_count, sizeof *t->load, "a cell", (void **)&t->load));
    RILL_TRY(shares_find(t));
    RILL_TRY(rill_geom_create(n, &t->geom));
    memset(t->geom->voxels, RILL_FLUID, rill_geom_voxels(t->geom));
    RILL_TRY(
        rill_domain_create(t->geom, &(rill_domain_options){RILL_D3Q19, -1, setup->progress}, &t->domain));
    o.variant.equilibrium = RILL_SECOND_ORDER;
    o.variant.collision = RILL_TRT;
    o.variant.stream = setup->variant.stream;
    o.variant.storage = setup->variant.storage;
    o.variant.shift = setup->variant.shift;
    o.on.backend = RILL_BACKEND_CPU;
    RILL_TRY(rill_sim_create(t->domain, &o, &t->sim));
    elastic.shear = trial;
    elastic.bending = c->bending / (c->shear * dx * dx) * trial;
    elastic.volume = c->volume / c->shear * dx * trial;
    const rill_membranes_options membranes = {.mesh = &t->mesh,
                                              .elastic = elastic,
                                              .width = 2,
                                              .slip = rill_membrane_slip(2),
                                              .count = 1,
                                              .centres = &centre};
    RILL_TRY(rill_membranes_create(t->sim, &membranes, &t->membranes));
    RILL_TRY(rill_membranes_stiffness(t->membranes, setup->progress, &stiffness));
    /* forces are proportional to moduli: all of them are what the time step allows */
    const double factor = STIFFNESS_SHARE * rill_membrane_stiffness_most(o.tau) / stiffness;
    t->membranes->elastic.options.shear *= factor;
    t->membranes->elastic.options.bending *= factor;
    t->membranes->elastic.options.volume *= factor;
    t->membranes->load = (const double(*)[3])t->load;
    t->unit = c->shear * dx / (trial * factor);
done:
    return status;
}

/* Set the largest distances along an axis. */
static double extent(const tweezers *t, int axis)
{
    double least = INFINITY, most = -INFINITY;
    for (uint32_t v = 0; v < t->mesh.vertex_count; v++) {
        least = fmin(least, t->membranes->x[v][axis]);
        most = fmax(most, t->membranes->x[v][axis]);
    }
    return (most - least) * dx_of(t->given);
}

/* Raise the force from one value to the next, and wait. */
static rill_status stretch(tweezers *t, const rill_verify_setup *setup, int k,
                           rill_verify_tweezers_outcome *out)
{
    rill_status status = RILL_OK;
    const double from = k ? t->given->force[k - 1] : 0, to = t->given->force[k];
    double before[2] = {0};
    for (int step = 0; step < STEPS; step += PIECE) {
        const double force = from + (to - from) * fmin(1, 2.0 * (step + PIECE) / STEPS);
        for (uint32_t v = 0; v < t->mesh.vertex_count; v++) t->load[v][0] = t->share[v][0] * force / t->unit;
        RILL_TRY(rill_progress_report(setup->progress, "stretching",
                                      (k + (double)step / STEPS) / t->given->count));
        RILL_TRY(rill_sim_step(t->sim, PIECE));
        if (step + PIECE == STEPS / 4 * 3)
            for (int a = 0; a < 2; a++) before[a] = extent(t, a);
    }
    out->axial[k] = extent(t, 0);
    out->transverse[k] = extent(t, 1);
    out->drift = fmax(out->drift, fabs(out->axial[k] / before[0] - 1));
    out->drift = fmax(out->drift, fabs(out->transverse[k] / before[1] - 1));
    const rill_membrane_shape now = rill_membrane_shape_of(&t->mesh, (const double(*)[3])t->membranes->x);
    out->area = fmax(out->area, fabs(now.area / t->membranes->elastic.area - 1));
    out->volume = fmax(out->volume, fabs(now.volume / t->membranes->elastic.volume - 1));
done:
    return status;
}

rill_status rill_verify_tweezers(const rill_verify_tweezers_case *given, const rill_verify_setup *setup,
                                 rill_verify_tweezers_outcome *out)
{
    rill_status status = RILL_OK;
    tweezers t = {.given = given};
    *out = (rill_verify_tweezers_outcome){.drift = 0};
    RILL_TRY(begin(&t, setup));
    for (int k = 0; k < given->count; k++) RILL_TRY(stretch(&t, setup, k, out));
done:
    rill_membranes_destroy(t.membranes);
    rill_membrane_mesh_destroy(&t.mesh);
    rill_array_destroy(t.share);
    rill_array_destroy(t.load);
    rill_sim_destroy(t.sim);
    rill_domain_destroy(t.domain);
    rill_geom_destroy(t.geom);
    return status;
}
