/* SPDX-License-Identifier: Apache-2.0 */
/* Hands out the pore network of a geometry, with what it conducts between opposite faces of the box. */
#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "domain/domain.h"
#include "network/network.h"
#include "network/distances.h"
#include "permeability/plan.h"

#include <math.h>
#include <string.h>

enum { EDGE_MOST = 64, BLOCKS_LEAST = 2 };
#define PROGRESS_SECONDS 0.2

static rill_status check(const rill_geom *geom, const rill_pore_network_options *options)
{
    if (options->edge > EDGE_MOST)
        return rill_fail(RILL_USAGE,
                         "blocks of %u voxels are too large for a pore network: give an edge of 1 to %d",
                         options->edge, EDGE_MOST);
    if (rill_geom_fluid(geom) == 0)
        return rill_fail(RILL_USAGE, "the image has no pores: there is no pore network");
    for (int a = 0; a < 3; a++)
        if (geom->sides[a] == RILL_PERIODIC)
            return rill_fail(
                RILL_USAGE,
                "a pore network ends at the faces of the box, and the boundaries normal to %c are periodic: give --sides mirror, or wall",
                rill_axis(a));
    return RILL_OK;
}

/* Find chambers and throats. @param[out] part  the chambers of all nodes */
static rill_status network_find(const rill_domain *domain, uint32_t edge, rill_network *network,
                                rill_network_part *part)
{
    rill_status status = RILL_OK;
    rill_pore_measure measure;
    if (edge) {
        network->edge = edge;
        RILL_TRY(rill_network_count(domain->geom, domain->lattice, network));
    } else {
        RILL_TRY(rill_pore_measure_take(domain->geom, domain->lattice, -1, network, &measure));
    }
    RILL_TRY(rill_network_find_chambers(domain, NULL, NULL, network, part));
    RILL_TRY(rill_network_find_throats(domain, network, part));
done:
    return status;
}

static rill_status create(uint64_t count, size_t size, void **out)
{
    return rill_array_create_zero(count ? count : 1, size, "a pore network", out);
}

static rill_status copy(const rill_network *network, rill_pore_network *out)
{
    rill_status status = RILL_OK;
    out->edge = network->edge;
    out->pores = network->chambers;
    out->throats = network->throats;
    RILL_TRY(create(3 * (uint64_t)out->pores, sizeof(double), (void **)&out->centre));
    RILL_TRY(create(out->pores, sizeof(double), (void **)&out->volume));
    RILL_TRY(create(out->pores, sizeof(double), (void **)&out->diameter));
    RILL_TRY(create(2 * out->throats, sizeof(uint32_t), (void **)&out->ends));
    RILL_TRY(create(out->throats, sizeof(double), (void **)&out->conductance));
    RILL_TRY(create(RILL_FACES * (uint64_t)out->pores, sizeof(double), (void **)&out->face));
    memcpy(out->centre, network->centre, 3 * (size_t)out->pores * sizeof(double));
    memcpy(out->volume, network->volume, out->pores * sizeof(double));
    for (uint64_t k = 0; k < out->throats; k++) {
        memcpy(out->ends + 2 * k, network->throat[k].chamber, 2 * sizeof(uint32_t));
        out->conductance[k] = network->throat[k].conductance;
    }
done:
    return status;
}

/* Find the largest spheres around voxels of the chambers. */
static rill_status diameters(const rill_geom *geom, const rill_network_part *part, double *diameter)
{
    rill_status status = RILL_OK;
    float *square = NULL;
    uint64_t v = 0;
    RILL_TRY(rill_pore_distances(geom, &square));
    for (uint32_t z = 0; z < geom->n[2]; z++)
        for (uint32_t y = 0; y < geom->n[1]; y++)
            for (uint32_t x = 0; x < geom->n[0]; x++, v++) {
                const uint32_t c = geom->voxels[v] ? rill_network_at(part, x, y, z) : RILL_UPSTREAM_WALL;
                if (c == RILL_UPSTREAM_WALL) continue;
                diameter[c] = fmax(diameter[c], 2 * sqrt(square[v]) - 1);
            }
done:
    rill_array_destroy(square);
    return status;
}

/* Solve for the flow between the faces normal to an axis. @param work  [3 pores], working memory */
static rill_status solve(const rill_geom *geom, int axis, rill_network *network, double *work,
                         rill_pore_network *out)
{
    rill_status status = RILL_OK;
    const uint32_t n = out->pores;
    const double *low = out->face + 2 * (size_t)axis * n, *high = low + n;
    bool ends[2] = {false, false};
    for (uint32_t c = 0; c < n; c++) {
        network->outlet[c] = low[c] + high[c];
        ends[0] = ends[0] || low[c] > 0, ends[1] = ends[1] || high[c] > 0;
    }
    if (!ends[0] || !ends[1] || network->blocks[axis] < BLOCKS_LEAST) return RILL_OK;
    RILL_TRY(rill_network_prepare_again(network));
    memset(work, 0, 3 * (size_t)n * sizeof *work);
    const double k = rill_plan_flow_pressures(geom, axis, network, work, work + n, work + 2 * (size_t)n);
    out->k[axis] = k / (double)rill_geom_sample(geom);
done:
    return status;
}

static rill_status make(const rill_geom *geom, const rill_pore_network_options *options,
                        rill_pore_network *out)
{
    rill_status status = RILL_OK;
    rill_domain *domain = NULL;
    rill_network network = {.edge = 0};
    rill_network_part part = {.before = NULL};
    double *work = NULL;
    RILL_TRY(
        rill_domain_create(geom, &(rill_domain_options){.lattice = RILL_D3Q19, .flow_axis = -1}, &domain));
    RILL_TRY(network_find(domain, options->edge, &network, &part));
    RILL_TRY(copy(&network, out));
    RILL_TRY(diameters(geom, &part, out->diameter));
    for (int f = 0; f < RILL_FACES; f++)
        if (geom->sides[f / 2] == RILL_MIRROR)
            RILL_TRY(rill_network_find_outlets(domain, &network, f / 2, f % 2, &part,
                                               out->face + (size_t)f * out->pores));
    rill_network_part_free(&part);
    RILL_TRY(create(3 * (uint64_t)out->pores, sizeof *work, (void **)&work));
    for (int a = 0; a < 3; a++) {
        RILL_TRY(rill_progress_poll());
        RILL_TRY(solve(geom, a, &network, work, out));
    }
done:
    rill_array_destroy(work);
    rill_network_part_free(&part);
    rill_network_destroy(&network);
    rill_domain_destroy(domain);
    return status;
}

rill_status rill_pore_network_make(const rill_geom *geom, const rill_pore_network_options *options,
                                   rill_pore_network *out)
{
    rill_status status = RILL_OK;
    rill_progress_watch watch;
    *out = (rill_pore_network){.k = {NAN, NAN, NAN}};
    rill_progress_watch_begin(&watch, options->progress, PROGRESS_SECONDS, "pore network");
    RILL_TRY(check(geom, options));
    RILL_TRY(rill_progress_report(options->progress, watch.what, 0)); /* also where it takes no time */
    RILL_TRY(make(geom, options, out));
    if (watch.cancelled) RILL_TRY(rill_progress_poll());
done:
    rill_progress_watch_end(&watch);
    if (status != RILL_OK) rill_pore_network_free(out);
    return status;
}

void rill_pore_network_free(rill_pore_network *network)
{
    void *arrays[] = {network->centre, network->volume,      network->diameter,
                      network->ends,   network->conductance, network->face};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) rill_array_destroy(arrays[k]);
    memset(network, 0, sizeof *network);
}
