/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a pore network says of a threshold with a width: how much more, or less, it conducts where the
 * threshold has moved. The derivative of k to its walls cannot see throats that open or close there.
 */
#include "core/memory.h"
#include "core/notes.h"
#include "core/progress.h"
#include "core/status.h"
#include "domain/domain.h"
#include "geometry/voxels/components.h"
#include "geometry/voxels/derive.h"
#include "geometry/voxels/greys.h"
#include "geometry/voxels/outside.h"
#include "permeability/finish.h"
#include "permeability/plan.h"

#include <math.h>
#include <string.h>

/* Pressures are found until k moves by less than this part. */
#define MOVED_LEAST 1e-3
enum { ROUNDS_MOST = 20 };
/* Less, lu, is what rounding leaves where links that the network has not are all that conducts. */
#define CONDUCTS_LEAST 1e-20
/* Chambers of one block have no throats that lead round the box. */
enum { BLOCKS_LEAST = 2 };
/* Links of a voxel that a mirrored boundary joins. */
enum { JOINED = 5 };

/* The thresholds: that with fewer pores, that of the run, that with more. */
enum { FEWER, SAME, MORE, THRESHOLDS };

typedef struct looking {
    const rill_geom *geom;
    const rill_permeability_options *options; /* resolved */
    const rill_permeability_plan *plan;       /* of the run */
} looking;

/* Make voxels of a plane pore or solid as a moved threshold has them. @param outside  [ny][nx] */
static void plane_move(const rill_geom *geom, int threshold, uint32_t z, const uint8_t *outside, uint8_t *to)
{
    const rill_greys *greys = geom->greys;
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    const uint8_t *code = greys->code + plane * z;
    for (uint64_t v = 0; v < plane; v++) {
        const double distance = greys->distance[code[v]];
        if (threshold == FEWER && distance >= -greys->width) to[v] = RILL_SOLID;
        if (threshold == MORE && distance < greys->width && !outside[v] && !to[v]) to[v] = RILL_FLUID;
    }
}

/* Copy a geometry with the pores of a threshold that conduct. */
static rill_status moved_make(const looking *l, int threshold, rill_geom **out)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = l->geom;
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    rill_geom *made = NULL;
    uint8_t *outside = NULL;
    rill_components found;
    RILL_TRY(rill_geom_crop(geom, (const uint32_t[3]){0}, geom->n, &made));
    RILL_TRY(rill_array_create_zero(plane, 1, "a plane of voxels", (void **)&outside));
    for (uint32_t z = 0; z < geom->n[2] && threshold != SAME; z++) {
        if (geom->outside) rill_outside_show(geom->outside, z, outside);
        plane_move(geom, threshold, z, outside, made->voxels + plane * z);
    }
    RILL_TRY(rill_components_clean(made, RILL_KEEP_PERCOLATING, l->options->axis,
                                   rill_contacts_of(l->options->variant.lattice), (rill_progress){0},
                                   &found));
    made->porosity = found.porosity;
    *out = made;
    made = NULL;
done:
    rill_array_destroy(outside);
    rill_geom_destroy(made);
    return status;
}

/* Find the pressures of a network. @return k times the voxels of the sample */
static double pressures_find(const rill_geom *geom, int axis, rill_network *network, double *work)
{
    double *pressure = work, *more = work + network->chambers, *gain = more + network->chambers;
    double before, k = rill_plan_flow_pressures(geom, axis, network, pressure, more, gain);
    for (int round = 0; round < ROUNDS_MOST; round++) {
        before = k;
        k = rill_plan_flow_pressures(geom, axis, network, pressure, more, gain);
        if (!(k < (1 - MOVED_LEAST) * before)) break;
    }
    return k;
}

/* Nothing resists a flow without solid between boundaries that are no walls. */
static bool unbounded(const rill_geom *geom)
{
    for (int a = 0; a < 3; a++)
        if (geom->sides[a] == RILL_WALL) return false;
    return rill_geom_fluid(geom) == rill_geom_voxels(geom);
}

/* Find what the pore network of a geometry conducts along an axis; NaN where the box has too few blocks. */
static rill_status conducts_find(const looking *l, const rill_geom *geom, int axis, double *k)
{
    rill_status status = RILL_OK;
    const rill_lattice lattice = l->options->variant.lattice;
    rill_domain *domain = NULL;
    rill_network network = {.edge = l->plan->pores.edge, .magic = rill_plan_magic(l->options, l->plan)};
    double *work = NULL;
    *k = geom->porosity.percolating[axis] > 0 ? NAN : 0;
    if (*k == 0 || unbounded(geom)) return RILL_OK;
    RILL_TRY(rill_network_count(geom, lattice, &network));
    if (network.blocks[axis] < BLOCKS_LEAST) goto done;
    RILL_TRY(
        rill_domain_create(geom, &(rill_domain_options){.lattice = lattice, .flow_axis = axis}, &domain));
    RILL_TRY(rill_plan_flow_network(domain, &network));
    RILL_TRY(rill_array_create_zero(3 * (uint64_t)network.chambers, sizeof *work,
                                    "the pressures of a pore network", (void **)&work));
    *k = pressures_find(geom, axis, &network, work) / (double)rill_geom_sample(geom);
done:
    rill_array_destroy(work);
    rill_network_destroy(&network);
    rill_domain_destroy(domain);
    return status;
}

uint64_t rill_threshold_networks_bytes(const rill_geom *geom, uint64_t nodes, uint32_t chambers)
{
    if (!geom->greys || geom->surface || !geom->voxels) return 0;
    const uint64_t voxels = rill_geom_voxels(geom);
    uint64_t codes[256] = {0}, pores = 0;
    for (uint64_t v = 0; v < voxels; v++) codes[geom->greys->code[v]]++;
    for (int c = 0; c < 256; c++) pores += geom->greys->distance[c] < geom->greys->width ? codes[c] : 0;
    pores = pores > nodes ? pores : nodes;
    const uint32_t *n = geom->n;
    const double part = (double)pores / (double)voxels,
                 faces = 2 * ((double)n[0] * n[1] + (double)n[1] * n[2] + (double)n[2] * n[0]);
    const uint64_t all = (uint64_t)((double)chambers * (double)pores / (double)nodes),
                   swaps = (uint64_t)(JOINED * part * faces) * sizeof(rill_swap),
                   runs =
                       pores * sizeof(uint32_t); /* of components, before the pores that conduct are left */
    const uint64_t finding = rill_network_label_bytes(geom, pores) + rill_network_distance_bytes(geom) +
                             rill_network_found_bytes(all),
                   solving = rill_network_bytes(all) + 3 * all * sizeof(double),
                   network = rill_numbering_held(geom) + swaps + (finding > solving ? finding : solving);
    return voxels + (network > runs ? network : runs);
}

rill_status rill_threshold_networks(const rill_geom *geom, const rill_permeability_options *options,
                                    rill_permeability *out)
{
    rill_status status = RILL_OK;
    const rill_permeability_options resolved = rill_plan_resolve(geom, options);
    const looking l = {geom, &resolved, &out->plan};
    double k[THRESHOLDS][3];
    rill_geom *made = NULL;
    if (!resolved.sensitivity || !geom->greys || geom->surface || !geom->voxels || out->plan.pores.edge == 0)
        return RILL_OK;
    for (int t = 0; t < THRESHOLDS; t++) {
        RILL_TRY(moved_make(&l, t, &made));
        for (int i = 0; i < out->run_count; i++) {
            RILL_TRY(rill_progress_poll());
            RILL_TRY(conducts_find(&l, made, out->runs[i].axis, &k[t][out->runs[i].axis]));
        }
        if (t == MORE && unbounded(made))
            RILL_TRY(rill_note(
                &out->notes,
                "no solid is left where the threshold moves by its width: k has no bound there, and the row of the segmentation knows the walls alone"));
        rill_geom_destroy(made);
        made = NULL;
    }
    for (int i = 0; i < out->run_count; i++) {
        const int a = out->runs[i].axis;
        for (int end = 0; end < 2; end++)
            if (k[SAME][a] > CONDUCTS_LEAST)
                out->runs[i].walls.threshold_network[end] = k[end ? MORE : FEWER][a] / k[SAME][a];
    }
done:
    rill_geom_destroy(made);
    return status;
}
