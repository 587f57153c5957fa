/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/liquid.h"

#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "free_surface/passes.h"
#include "free_surface/plic.h"
#include "geometry/generate/generate.h"
#include "verify/steady.h"

#include <math.h>
#include <omp.h>
#include <string.h>

rill_verify_liquid rill_verify_liquid_of(const rill_verify_setup *setup)
{
    return (rill_verify_liquid){
        .variant = setup->variant, .on = setup->on, .magic = setup->magic, .progress = setup->progress};
}

const char *rill_verify_liquid_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    (void)of;
    const rill_variant *v = &setup->variant;
    if (v->stream != RILL_PULL && v->stream != RILL_AA && v->stream != RILL_ESOTWIST &&
        v->stream != RILL_ESOPULL)
        return "free surfaces go with pull, aa, esotwist and esopull";
    if (v->lattice != RILL_D3Q19 || v->collision != RILL_TRT || v->bounce != RILL_HALF_WAY)
        return "free surfaces are verified on D3Q19, with trt and half-way bounce-back";
    if (v->addressing != RILL_LIST && v->addressing != RILL_BITMAP)
        return "free surfaces go with --addressing list and bitmap";
    return setup->on.count > 1 ? "free surfaces are computed in one part" : NULL;
}

/* What `inside` changes by in a cell at most: half of the diagonal of a cell is shorter than a cell. */
static const double STEEPEST = 2;

/* Make the box, with its solid. */
static rill_status geom_begin(rill_verify_liquid *l)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_generate_box(l->n, &l->geom));
    memcpy(l->geom->sides, l->sides, sizeof l->sides);
    for (size_t k = 0; l->solid && k < rill_geom_voxels(l->geom); k++) {
        const size_t row = k / l->n[0];
        const double x[3] = {(double)(k % l->n[0]) + 0.5, (double)(row % l->n[1]) + 0.5,
                             (double)(row / l->n[1]) + 0.5};
        if (l->solid(l->context, x) > 0) l->geom->voxels[k] = RILL_SOLID;
    }
done:
    return status;
}

static double inside(const void *context, const double x[3])
{
    const rill_verify_liquid *l = context;
    return l->inside(l->context, x);
}

/* Set the liquid, and put the surface on. */
static rill_status surface_begin(rill_verify_liquid *l)
{
    rill_status status = RILL_OK;
    const rill_numbering *numbering = &l->domain->numbering;
    double *values = NULL;
    rill_node *cells = NULL;
    RILL_TRY(rill_array_create_zero(5 * l->nodes, sizeof *values, "the liquid", (void **)&values));
    RILL_TRY(rill_array_create(l->nodes, sizeof *cells, "the liquid", (void **)&cells));
    rill_numbering_cells(numbering, 0, (rill_node)l->nodes, cells);
    double *fill = values + 4 * l->nodes;
    for (uint64_t k = 0; k < l->nodes; k++) {
        const uint32_t row = cells[k] / numbering->n[0];
        const uint32_t cell[3] = {cells[k] % numbering->n[0], row % numbering->n[1], row / numbering->n[1]};
        const double x[3] = {cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5};
        const double depth = l->inside(l->context, x);
        fill[k] = fabs(depth) > STEEPEST ? depth > 0 : rill_plic_fill(inside, l, cell);
        if (fill[k] > 0 && l->density) values[k] = l->density(l->context, x);
        for (uint64_t a = 0; a < 3 && fill[k] > 0; a++) values[(a + 1) * l->nodes + k] = l->velocity[a];
    }
    RILL_TRY(rill_sim_set_moments(l->sim, values, values + l->nodes));
    const rill_free_surface_options options = {.tension = l->tension,
                                               .contact_angle = l->angle > 0 ? l->angle : RILL_RIGHT_ANGLE,
                                               .gas_pressure = l->gas,
                                               .atmosphere = l->atmosphere,
                                               .inflow = l->inflow,
                                               .outflow = l->outflow};
    status = rill_free_surface_create(l->sim, &options, fill, &l->surface);
done:
    rill_array_destroy(cells);
    rill_array_destroy(values);
    return status;
}

rill_status rill_verify_liquid_begin(rill_verify_liquid *l)
{
    rill_status status = RILL_OK;
    rill_sim_options o = rill_sim_options_default();
    l->geom = NULL;
    l->domain = NULL;
    l->sim = NULL;
    l->surface = NULL;
    l->threads = omp_get_max_threads();
    RILL_TRY(geom_begin(l));
    RILL_TRY(rill_domain_create(l->geom, &(rill_domain_options){l->variant.lattice, -1}, &l->domain));
    o.variant = l->variant;
    o.variant.equilibrium = RILL_SECOND_ORDER;
    o.on = l->on;
    o.tau = l->tau;
    if (l->magic > 0) o.magic = l->magic;
    o.force[2] = -l->force;
    RILL_TRY(rill_sim_create(l->domain, &o, &l->sim));
    l->nodes = rill_domain_nodes(l->domain);
    if (l->fit) rill_verify_threads_fit(l->nodes);
    status = surface_begin(l);
done:
    return status;
}

rill_status rill_verify_liquid_step(rill_verify_liquid *l, uint64_t steps)
{
    const rill_status status = rill_sim_step(l->sim, steps);
    return status == RILL_OK ? rill_free_surface_fetch(l->surface) : status;
}

rill_status rill_verify_liquid_totals(rill_verify_liquid *l, rill_free_surface_totals *totals)
{
    const rill_status status = rill_free_surface_totals_take(l->surface, totals);
    if (status == RILL_OK && !totals->finite)
        return rill_fail(RILL_NUMERICS, "the flow diverged by step %llu: raise tau, or lower its speeds",
                         (unsigned long long)rill_sim_steps(l->sim));
    return status;
}

void rill_verify_liquid_end(rill_verify_liquid *l)
{
    omp_set_num_threads(l->threads);
    rill_free_surface_destroy(l->surface);
    rill_sim_destroy(l->sim);
    rill_domain_destroy(l->domain);
    rill_geom_destroy(l->geom);
}

rill_status rill_verify_liquid_report(const rill_verify_liquid *l, double fraction)
{
    return rill_progress_report(l->progress, "free surface", fraction);
}
