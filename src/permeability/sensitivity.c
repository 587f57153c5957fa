/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over the walls of a flow, and the boxes of voxels that decide most of them. */
#include "permeability/finish.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/greys.h"
#include "permeability/wall_sensitivity.h"

#include <math.h>
#include <string.h>

enum {
    HALF = 4,       /* voxels of a cell along each axis: boxes are two cells long */
    BATCH = 1 << 14 /* values that are written at once */
};

/* A cell of voxels. */
typedef struct cell {
    double sum;     /* of what its walls decide; below 0: a box has it */
    float most;     /* of a voxel */
    uint32_t at[3]; /* that voxel */
} cell;

typedef struct finding {
    const rill_geom *geom;
    double k;
    double
        all; /* of what boxes share: the relative change of k for the width of the threshold, or per_voxel */
    double narrow; /* part of that in pores of one or two voxels */
    rill_permeability_walls *out;
    uint32_t n[3]; /* cells */
    cell *cells;
    rill_kept *field;
    float *values; /* [BATCH], of nodes from `first` on */
    uint64_t first, nodes;
} finding;

static void cells_of(const rill_geom *geom, uint32_t n[3])
{
    for (int a = 0; a < 3; a++) n[a] = (geom->n[a] + HALF - 1) / HALF;
}

uint64_t rill_sensitivity_bytes(const rill_geom *geom, uint64_t nodes)
{
    uint32_t n[3];
    cells_of(geom, n);
    return (uint64_t)n[0] * n[1] * n[2] * sizeof(cell) + (nodes + BATCH) * sizeof(float) +
           rill_wall_sensitivity_bytes(geom);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Write the values that are held, and begin again at a node. */
static rill_status flush(finding *f, uint64_t node)
{
    rill_status status = RILL_OK;
    const uint64_t count = f->nodes - f->first < BATCH ? f->nodes - f->first : BATCH;
    if (count > 0) RILL_TRY(rill_kept_put(f->field, 0, f->first, count, f->values));
    f->first = node;
    memset(f->values, 0, BATCH * sizeof *f->values);
done:
    return status;
}

/* Return the voxel that is seen at a position along an axis, behind a solid boundary the last one. */
static uint32_t seen_at(const rill_geom *geom, int a, int64_t at)
{
    const int64_t n = geom->n[a];
    if (at >= 0 && at < n) return (uint32_t)at;
    if (geom->sides[a] == RILL_PERIODIC) return (uint32_t)((at % n + n) % n);
    if (geom->sides[a] == RILL_WALL) return (uint32_t)(at < 0 ? 0 : n - 1);
    const int64_t place = (at % (2 * n) + 2 * n) % (2 * n);
    return (uint32_t)(place < n ? place : 2 * n - 1 - place);
}

/* Return the relative change of k for the width of the threshold at a voxel. */
static double threshold_moves(finding *f, const rill_wall_voxel *voxel)
{
    const uint32_t *n = f->geom->n;
    double sum = 0;
    for (int i = 0; i < 6; i++) {
        const int a = i / 2, sign = i % 2 ? -1 : 1;
        rill_voxel row[4];
        if (!(voxel->faces >> i & 1)) continue;
        for (int k = 0; k < 4; k++) {
            uint32_t at[3] = {voxel->at[0], voxel->at[1], voxel->at[2]};
            at[a] = seen_at(f->geom, a, (int64_t)at[a] + sign * (k - 1));
            row[k] = at[0] + (rill_voxel)n[0] * (at[1] + (rill_voxel)n[1] * at[2]);
        }
        const double change = voxel->face[i] * rill_greys_shift(f->geom->greys, row) / f->k;
        if (voxel->narrow >> i & 1) f->narrow += change;
        sum += change;
    }
    return sum;
}

static rill_status add(void *context, const rill_wall_voxel *voxel)
{
    rill_status status = RILL_OK;
    finding *f = context;
    const double decides = voxel->per_normal / f->k,
                 weight = f->geom->greys ? threshold_moves(f, voxel) : decides;
    uint32_t at[3];
    for (int a = 0; a < 3; a++) at[a] = voxel->at[a] / HALF;
    cell *c = &f->cells[((uint64_t)at[2] * f->n[1] + at[1]) * f->n[0] + at[0]];
    c->sum += weight;
    f->all += weight;
    if ((float)weight > c->most) {
        c->most = (float)weight;
        memcpy(c->at, voxel->at, sizeof c->at);
    }
    f->out->per_voxel += decides;
    f->out->voxels++;
    if (voxel->node - f->first >= BATCH) RILL_TRY(flush(f, voxel->node));
    f->values[voxel->node - f->first] = (float)decides;
done:
    return status;
}

/* ---- the boxes that decide most -------------------------------------------------------------- */

/* Return the sum of the box that begins with a cell; below 0: another box has a part of it. @param[out] most
 * its cell with the most decisive voxel
 */
static double box_sum(const finding *f, const uint32_t from[3], const cell **most)
{
    double sum = 0;
    *most = NULL;
    for (uint32_t z = from[2]; z < from[2] + 2 && z < f->n[2]; z++)
        for (uint32_t y = from[1]; y < from[1] + 2 && y < f->n[1]; y++)
            for (uint32_t x = from[0]; x < from[0] + 2 && x < f->n[0]; x++) {
                const cell *c = &f->cells[((uint64_t)z * f->n[1] + y) * f->n[0] + x];
                if (c->sum < 0) return -1;
                sum += c->sum;
                if (!*most || c->most > (*most)->most) *most = c;
            }
    return sum;
}

/* Find the box that decides most of what no former one has. @return false: nothing is left */
static bool box_take(finding *f, const rill_geom *geom, rill_decisive_box *box)
{
    uint32_t best[3] = {0, 0, 0};
    double sum = 0;
    const cell *most;
    for (uint32_t z = 0; z < f->n[2]; z++)
        for (uint32_t y = 0; y < f->n[1]; y++)
            for (uint32_t x = 0; x < f->n[0]; x++) {
                const uint32_t from[3] = {x, y, z};
                const double here = box_sum(f, from, &most);
                if (here <= sum) continue;
                sum = here;
                memcpy(best, from, sizeof best);
            }
    if (!(sum > 0)) return false;
    box_sum(f, best, &most);
    memcpy(box->voxel, most->at, sizeof box->voxel);
    for (int a = 0; a < 3; a++) {
        const uint32_t end = HALF * (best[a] + 2);
        box->first[a] = HALF * best[a];
        box->n[a] = (end < geom->n[a] ? end : geom->n[a]) - box->first[a];
    }
    box->share = sum / f->all;
    for (uint32_t z = best[2]; z < best[2] + 2 && z < f->n[2]; z++)
        for (uint32_t y = best[1]; y < best[1] + 2 && y < f->n[1]; y++)
            for (uint32_t x = best[0]; x < best[0] + 2 && x < f->n[0]; x++)
                f->cells[((uint64_t)z * f->n[1] + y) * f->n[0] + x] = (cell){.sum = -1};
    return true;
}

/* k of plates is in proportion to the third power of their distance: the first derivative is continued so. */
static void threshold_take(const finding *f, const rill_greys *greys)
{
    const double third = f->all / 3, narrow = third < 1 ? 1 - third : 0, wide = 1 + third;
    f->out->threshold = greys->threshold;
    f->out->threshold_width = greys->width;
    f->out->threshold_narrow = f->all > 0 ? f->narrow / f->all : 0;
    f->out->k_narrow = f->k * narrow * narrow * narrow;
    f->out->k_wide = f->k * wide * wide * wide;
}

rill_status rill_sensitivity_find(const rill_geom *geom, const rill_node_moments *moments, double k,
                                  rill_kept *field, rill_permeability_walls *out)
{
    rill_status status = RILL_OK;
    finding f = {.geom = geom, .k = k, .out = out, .field = field, .nodes = moments->nodes};
    cells_of(geom, f.n);
    *out = (rill_permeability_walls){.threshold = NAN,
                                     .threshold_width = NAN,
                                     .k_narrow = NAN,
                                     .k_wide = NAN,
                                     .threshold_narrow = NAN,
                                     .threshold_network = {NAN, NAN}};
    RILL_TRY(rill_array_create_zero((uint64_t)f.n[0] * f.n[1] * f.n[2], sizeof *f.cells, "cells of walls",
                                    (void **)&f.cells));
    RILL_TRY(rill_array_create_zero(BATCH, sizeof *f.values, "values of walls", (void **)&f.values));
    RILL_TRY(rill_wall_sensitivity(&(rill_wall_flow){geom, moments}, add, &f));
    RILL_TRY(flush(&f, f.nodes));
    while (out->box_count < RILL_DECISIVE_BOXES && box_take(&f, geom, &out->boxes[out->box_count]))
        out->box_count++;
    if (geom->greys) threshold_take(&f, geom->greys);
    out->known = true;
done:
    rill_array_destroy(f.values);
    rill_array_destroy(f.cells);
    return status;
}
