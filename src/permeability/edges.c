/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What crosses a plane by a link is known at its end: the population that arrives there. So nodes are gone
 * through once, in the order of the state, and each adds what arrives by links through edges alone to the
 * planes that these cross.
 */
#include "permeability/edges.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/axes.h"
#include "kernel/rounding.h"
#include "kernel/storage.h"
#include "sim/several.h"

#include <math.h>
#include <stdio.h>

/* A larger share is noted. */
#define NOTED 0.01

/* The chunk of the state that is being read. */
typedef struct reader {
    rill_sim *sim;
    uint64_t front, each, all; /* bytes before the populations, of a node, of the state */
    uint64_t chunk;            /* the number of the one in `words`, UINT64_MAX: none */
    rill_storage storage;
    char *words;
} reader;

static rill_status reader_begin(rill_sim *sim, uint64_t nodes, reader *r)
{
    const rill_variant v = rill_sim_variant(sim);
    *r = (reader){.sim = sim, .chunk = UINT64_MAX, .storage = v.storage};
    r->each = (uint64_t)rill_q((int)v.lattice) * (v.bounce == RILL_FULL_WAY ? 2 : 1) *
              rill_storage_size((int)v.storage);
    r->all = rill_sim_state_bytes(sim);
    r->front = r->all - nodes * r->each;
    return rill_array_create(RILL_CHUNK * r->each, 1, "populations at edges", (void **)&r->words);
}

/* Read what comes in to a node along link i. */
static rill_status reader_take(reader *r, uint64_t node, int i, double *value)
{
    rill_status status = RILL_OK;
    const uint64_t chunk = node / RILL_CHUNK, from = r->front + chunk * RILL_CHUNK * r->each;
    const uint64_t left = r->all - from, whole = RILL_CHUNK * r->each, bytes = left < whole ? left : whole;
    if (chunk != r->chunk) RILL_TRY(rill_sim_state_save(r->sim, from, bytes, r->words));
    r->chunk = chunk;
    *value = rill_stored_value(r->storage, r->words, (size_t)i * (bytes / r->each) + node % RILL_CHUNK);
done:
    return status;
}

/* Return the voxel at `at`, which may be one beyond the box. */
static bool is_fluid(const rill_geom *geom, const int64_t at[3])
{
    uint64_t v = 0;
    for (int a = 2; a >= 0; a--) {
        const int64_t n = geom->n[a];
        int64_t x = at[a];
        if (x < 0 || x >= n) {
            if (geom->sides[a] == RILL_WALL) return false;
            if (geom->sides[a] == RILL_PERIODIC)
                x = (x + n) % n;
            else
                x = x < 0 ? 0 : n - 1;
        }
        v = v * (uint64_t)n + (uint64_t)x;
    }
    return geom->voxels[v] != RILL_SOLID;
}

/* Return whether a chain of voxels that share faces joins `at` and at - c within the block around them. */
static bool joined(const rill_geom *geom, const int64_t at[3], const int c[3])
{
    for (int a = 0; a < 3; a++) {
        int64_t first[3] = {at[0], at[1], at[2]};
        first[a] -= c[a];
        if (!c[a] || !is_fluid(geom, first)) continue;
        if (c[0] * c[0] + c[1] * c[1] + c[2] * c[2] == 2) return true;
        for (int b = 0; b < 3; b++) {
            int64_t second[3] = {first[0], first[1], first[2]};
            second[b] -= c[b];
            if (b != a && is_fluid(geom, second)) return true;
        }
    }
    return false;
}

/* Flows by links through edges alone: cuts[a][x] that between layers x - 1 and x. */
typedef struct flows {
    const rill_geom *geom;
    int lattice;
    double *cuts[3];
} flows;

static rill_status node_add(const flows *f, reader *r, const int64_t at[3], uint64_t node)
{
    rill_status status = RILL_OK;
    for (int i = 1; i < rill_q(f->lattice); i++) {
        const int c[3] = {rill_c(f->lattice, i, 0), rill_c(f->lattice, i, 1), rill_c(f->lattice, i, 2)};
        if (c[0] * c[0] + c[1] * c[1] + c[2] * c[2] < 2) continue;
        const int64_t from[3] = {at[0] - c[0], at[1] - c[1], at[2] - c[2]};
        double value;
        if (joined(f->geom, at, c) || !is_fluid(f->geom, from)) continue;
        RILL_TRY(reader_take(r, node, i, &value));
        for (int a = 0; a < 3; a++) {
            if (c[a] == 0) continue;
            const uint32_t n = f->geom->n[a];
            f->cuts[a][c[a] > 0 ? (uint32_t)at[a] : ((uint32_t)at[a] + 1) % n] += c[a] * value;
        }
    }
done:
    return status;
}

/* Return whether all six neighbours are fluid, so that no link of this voxel is through an edge alone. */
static bool is_inner(const rill_geom *geom, const int64_t at[3], uint64_t v)
{
    const uint64_t steps[3] = {1, geom->n[0], (uint64_t)geom->n[0] * geom->n[1]};
    for (int a = 0; a < 3; a++) {
        if (at[a] == 0 || at[a] + 1 == geom->n[a]) return false;
        if (geom->voxels[v - steps[a]] == RILL_SOLID || geom->voxels[v + steps[a]] == RILL_SOLID)
            return false;
    }
    return true;
}

static rill_status nodes_add(const flows *f, reader *r)
{
    rill_status status = RILL_OK;
    const uint32_t *n = f->geom->n;
    uint64_t node = 0, v = 0;
    for (int64_t z = 0; z < n[2]; z++)
        for (int64_t y = 0; y < n[1]; y++)
            for (int64_t x = 0; x < n[0]; x++, v++) {
                if (f->geom->voxels[v] == RILL_SOLID) continue;
                const int64_t at[3] = {x, y, z};
                if (!is_inner(f->geom, at, v)) RILL_TRY(node_add(f, r, at, node));
                node++;
            }
done:
    return status;
}

/* Take the share; NAN where several processes hold the voxels. */
static rill_status share_take(const rill_follower *f, double *share)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = f->between.geom ? f->between.geom : f->geom;
    const int axis = f->between.geom ? 2 : f->run->axis;
    flows found = {.geom = geom, .lattice = (int)f->options->variant.lattice};
    reader r = {.words = NULL};
    rill_totals totals;
    double largest = 0;
    *share = NAN;
    if (!geom->voxels) return RILL_OK;
    RILL_TRY(reader_begin(f->sim, f->plan->nodes + f->plan->reservoirs, &r));
    for (int a = 0; a < 3; a++)
        RILL_TRY(rill_array_create_zero(geom->n[a], sizeof **found.cuts, "flows through edges",
                                        (void **)&found.cuts[a]));
    RILL_TRY(nodes_add(&found, &r));
    RILL_TRY(rill_sim_totals(f->sim, &totals));
    for (int a = 0; a < 3; a++)
        for (uint32_t x = 0; x < geom->n[a]; x++) largest = fmax(largest, fabs(found.cuts[a][x]));
    *share = largest > 0 ? fmin(1, largest / (fabs(totals.momentum[axis]) / geom->n[axis])) : 0;
done:
    for (int a = 0; a < 3; a++) rill_array_destroy(found.cuts[a]);
    rill_array_destroy(r.words);
    return status;
}

rill_status rill_edges_find(const rill_follower *f) { return share_take(f, &f->run->edge_share); }

rill_status rill_edges_note(const rill_permeability_run *run, char **notes)
{
    char text[256];
    if (!(run->edge_share > NOTED)) return RILL_OK;
    snprintf(
        text, sizeof text,
        "along %c up to %.3g %% of the flow passes links between voxels that touch at an edge or corner "
        "alone: "
        "whether pores are open there, the image's resolution decides, so compare k at another voxel size",
        rill_axis(run->axis), 100 * run->edge_share);
    return rill_notes_add(notes, text);
}
