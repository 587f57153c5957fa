/* SPDX-License-Identifier: Apache-2.0 */
/* How fast a box of fluid, or the middle of a sample, is stepped here. */
#include "core/clock.h"
#include "core/status.h"
#include "domain/layers.h"
#include "sim/sim_priv.h"

#include <math.h>
#include <string.h>

/* Parts of the time. A GPU steps evenly, but its host may be held up: the fastest part counts. Processors
 * that are held up now will be, so there the mean counts. */
enum { GPU_PARTS = 4 };

/* Step for so long, but 300 times at most, and two times at least. @param[out] each  seconds of a step */
static rill_status steps_time(rill_sim *sim, double seconds, double *each)
{
    rill_status status = RILL_OK;
    const double start = rill_now();
    uint64_t steps = 0;
    do { /* once at least, even where this thread is held up */
        RILL_TRY(rill_sim_step(sim, 2));
        steps += 2;
    } while (steps < 300 && rill_now() - start < seconds);
    *each = (rill_now() - start) / (double)steps;
done:
    return status;
}

/* Time the steps of a geometry. */
static rill_status geom_time(const rill_geom *geom, const rill_sim_options *o, double seconds,
                             rill_speed *out)
{
    rill_status status = RILL_OK;
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    rill_totals totals;
    rill_sim_options options = *o;
    for (int a = 0; a < 3; a++) options.force[a] = 0;
    RILL_TRY(rill_domain_create(geom, &(rill_domain_options){o->variant.lattice, -1}, &domain));
    RILL_TRY(rill_sim_create(domain, &options, &sim));
    RILL_TRY(rill_sim_step(sim, 2));
    const int parts = sim->device->backend->traits.processor ? 1 : GPU_PARTS;
    double each = INFINITY;
    for (int k = 0; k < parts; k++) {
        double one;
        RILL_TRY(steps_time(sim, seconds / parts, &one));
        each = fmin(each, one);
    }
    out->nodes = rill_domain_nodes(domain);
    out->mlups = (double)out->nodes / each * 1e-6;
    for (int k = 0; k < 2; k++) { /* the first makes room */
        const double looking = rill_now();
        RILL_TRY(rill_sim_totals_of(sim, RILL_SPEEDS_KEEP, &totals));
        RILL_TRY(rill_sim_totals_of(sim, RILL_SPEEDS_MEAN, &totals));
        out->sight = (rill_now() - looking) / each;
    }
done:
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    return status;
}

rill_status rill_sim_speed(const rill_sim_options *options, uint32_t edge, double seconds, rill_speed *out)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    RILL_TRY(rill_geom_create((const uint32_t[3]){edge, edge, edge}, &geom));
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    RILL_TRY(geom_time(geom, options, seconds, out));
    out->edge = edge;
done:
    rill_geom_destroy(geom);
    return status;
}

/* Choose the edges of a box of so many voxels, at most, that fits into a larger one and is nearly a cube. */
static void box_fit(const uint32_t whole[3], double voxels, uint32_t box[3])
{
    bool chosen[3] = {false, false, false};
    for (int left = 3; left > 0; left--) {
        int a = -1; /* the shortest axis that is left */
        for (int b = 0; b < 3; b++)
            if (!chosen[b] && (a < 0 || whole[b] < whole[a])) a = b;
        box[a] = (uint32_t)fmin(whole[a], fmax(1, floor(pow(voxels, 1.0 / left) + 1e-9)));
        voxels /= box[a];
        chosen[a] = true;
    }
}

/* Copy the middle of a sample. @return nodes in it */
static rill_status middle_copy(const rill_domain *sample, rill_geom *box, uint64_t *nodes)
{
    rill_status status = RILL_OK;
    rill_layers layers = {.first = 0};
    const uint32_t *n = box->n, *whole = sample->geom->n;
    const uint32_t x0 = (whole[0] - n[0]) / 2, y0 = (whole[1] - n[1]) / 2, z0 = (whole[2] - n[2]) / 2;
    *nodes = 0;
    RILL_TRY(rill_layers_take(sample, z0, n[2], &layers));
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++) {
                const bool pore = rill_layers_has(&layers, x0 + x, y0 + y, z0 + z);
                box->voxels[((size_t)z * n[1] + y) * n[0] + x] = pore ? RILL_FLUID : RILL_SOLID;
                *nodes += pore;
            }
done:
    rill_layers_free(&layers);
    return status;
}

rill_status rill_sim_speed_within(const rill_domain *sample, const rill_sim_options *options, uint64_t most,
                                  double seconds, rill_speed *out)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    uint32_t n[3];
    uint64_t nodes = 0;
    const double porosity = (double)sample->nodes / (double)rill_geom_voxels(sample->geom);
    box_fit(sample->geom->n, (double)most / porosity, n);
    RILL_TRY(rill_geom_create(n, &geom));
    RILL_TRY(middle_copy(sample, geom, &nodes));
    *out = (rill_speed){.mlups = 0};
    if (nodes) RILL_TRY(geom_time(geom, options, seconds, out));
done:
    rill_geom_destroy(geom);
    return status;
}
