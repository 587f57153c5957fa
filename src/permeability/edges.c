/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What crosses a plane by a link is known at its end: the population that arrives there. The links through
 * edges alone are found in rows of bits, 64 voxels at a time, some layers of the box at once, and what
 * arrives along them is added to the planes that they cross.
 */
#include "permeability/finish.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "geometry/voxels/planes.h"
#include "sim/arrivals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A larger share is noted. */
#define NOTED 0.01

/* Voxels of the layers that are searched at once, but a layer for each thread: their links are held in
 * memory. */
#define SEARCHED (UINT64_C(1) << 22)

/* A link through an edge or a corner alone, by its end. */
typedef struct edge_link {
    rill_arrival incoming;
    uint32_t at[3];
} edge_link;

/* Links of a layer. */
typedef struct edge_links {
    edge_link *all;
    uint64_t count, room;
} edge_links;

/* ---- rows of bits ---------------------------------------------------------------------------- */

/* Return the layer or row `at`, which may be one beyond the box; -1: it is solid. */
static int64_t within(const rill_geom *geom, int a, int64_t at)
{
    const int64_t n = geom->n[a];
    if (at >= 0 && at < n) return at;
    if (geom->sides[a] == RILL_WALL) return -1;
    if (geom->sides[a] == RILL_PERIODIC) return (at + n) % n;
    return at < 0 ? 0 : n - 1;
}

/* Write the bits of a row, of which bit x is voxel x. */
static void row_bits(const rill_geom *geom, int64_t y, int64_t z, uint64_t *out)
{
    const uint32_t nx = geom->n[0];
    const size_t words = rill_planes_row(geom->n);
    y = within(geom, 1, y);
    z = within(geom, 2, z);
    if (y < 0 || z < 0) {
        memset(out, 0, words * sizeof *out);
        return;
    }
    const uint8_t *voxels = geom->voxels + ((uint64_t)z * geom->n[1] + (uint64_t)y) * nx;
    for (size_t w = 0; w < words; w++) {
        const uint32_t left = nx - 64 * (uint32_t)w;
        out[w] = rill_voxels_word(voxels + 64 * w, left < 64 ? left : 64);
    }
}

static bool bit(const uint64_t *row, int64_t x) { return row[x / 64] >> x % 64 & 1; }

/* Return word w of a row moved by c: bit x is voxel x - c. */
static uint64_t moved(const rill_geom *geom, const uint64_t *row, size_t w, int c)
{
    const int64_t n = geom->n[0], first = 64 * (int64_t)w, last = first + 63 < n ? first + 63 : n - 1;
    if (c == 0) return row[w];
    const int64_t beyond = c > 0 ? first - 1 : last + 1, x = within(geom, 0, beyond);
    const uint64_t added = x >= 0 && bit(row, x);
    return c > 0 ? row[w] << 1 | added : row[w] >> 1 | added << (last - first);
}

/* ---- links ----------------------------------------------------------------------------------- */

/* The rows around one, rows[y + 1][z + 1]. */
typedef const uint64_t *rows[3][3];

/*
 * Return the voxels of word w whose link along c comes in through an edge or a corner alone: no chain of
 * voxels that share faces joins both ends within the block around them.
 */
static uint64_t alone(const rill_geom *geom, rows r, size_t w, const int c[3])
{
    uint64_t corners[8], joined = 0; /* of the block: bit a of the index: moved along axis a */
    const unsigned end = (c[0] != 0) | (c[1] != 0) << 1 | (c[2] != 0) << 2;
    for (unsigned k = 0; k < 8; k++) {
        if (k & ~end) continue;
        const int y = k & 2 ? -c[1] : 0, z = k & 4 ? -c[2] : 0;
        corners[k] = moved(geom, r[y + 1][z + 1], w, k & 1 ? c[0] : 0);
    }
    for (unsigned a = 1; a < 8; a <<= 1) {
        if (!(end & a)) continue;
        const unsigned others = end & ~a;
        const unsigned b = others & (~others + 1); /* its lowest bit */
        /* From an edge the next voxel is the other end, from a corner one of two leads there. */
        const uint64_t on = b == others ? UINT64_MAX : corners[a | b] | corners[a | (others & ~b)];
        joined |= corners[a] & on;
    }
    return corners[0] & corners[end] & ~joined;
}

static rill_status link_add(edge_links *to, const edge_link *l)
{
    const rill_status status = RILL_LIST_GROW(to->all, to->count, to->room, "links through edges");
    if (status == RILL_OK) to->all[to->count++] = *l;
    return status;
}

/* Add the links of a row. @param[in] node  its first node */
static rill_status row_search(const rill_geom *geom, int lattice, rows r, const uint32_t at[2],
                              rill_global_node node, edge_links *to)
{
    rill_status status = RILL_OK;
    for (size_t w = 0; w < rill_planes_row(geom->n); w++) {
        const uint64_t fluid = r[1][1][w];
        for (int i = 1; i < rill_q(lattice) && fluid; i++) {
            const int c[3] = {rill_c(lattice, i, 0), rill_c(lattice, i, 1), rill_c(lattice, i, 2)};
            if (c[0] * c[0] + c[1] * c[1] + c[2] * c[2] < 2) continue;
            for (uint64_t found = alone(geom, r, w, c); found; found &= found - 1) {
                const int x = __builtin_ctzll(found);
                const rill_node before = (rill_node)__builtin_popcountll(fluid & ((UINT64_C(1) << x) - 1));
                const edge_link l = {{node + before, (uint32_t)i},
                                     {(uint32_t)(64 * w) + (uint32_t)x, at[0], at[1]}};
                RILL_TRY(link_add(to, &l));
            }
        }
        node += (rill_node)__builtin_popcountll(fluid);
    }
done:
    return status;
}

static rill_node layer_fluid(const rill_geom *geom, uint32_t z)
{
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    const uint8_t *voxels = geom->voxels + z * plane;
    rill_node fluid = 0;
    for (uint64_t v = 0; v < plane; v += 64)
        fluid += (rill_node)__builtin_popcountll(
            rill_voxels_word(voxels + v, plane - v < 64 ? (uint32_t)(plane - v) : 64));
    return fluid;
}

/* List the links of a layer. @param[in] node  its first node */
static rill_status layer_search(const rill_geom *geom, int lattice, uint32_t z, rill_global_node node,
                                edge_links *to)
{
    rill_status status = RILL_OK;
    const size_t words = rill_planes_row(geom->n);
    uint64_t *bits = NULL; /* [3 rows][3 layers][words]; rows follow each other around */
    RILL_TRY(rill_array_create(9 * words, sizeof *bits, "links through edges", (void **)&bits));
    for (int64_t y = -1; y <= geom->n[1]; y++) {
        rows r;
        for (int k = -1; k <= 1; k++)
            row_bits(geom, y, (int64_t)z + k, bits + (size_t)(3 * ((y + 3) % 3) + k + 1) * words);
        if (y < 1) continue;
        for (int j = -1; j <= 1; j++) /* around row y - 1 */
            for (int k = -1; k <= 1; k++)
                r[j + 1][k + 1] = bits + (size_t)(3 * ((y - 1 + j + 3) % 3) + k + 1) * words;
        RILL_TRY(row_search(geom, lattice, r, (uint32_t[]){(uint32_t)y - 1, z}, node, to));
        for (size_t w = 0; w < words; w++) node += (rill_node)__builtin_popcountll(r[1][1][w]);
    }
done:
    rill_array_destroy(bits);
    return status;
}

/* ---- flows ----------------------------------------------------------------------------------- */

enum { WAITING = 1 << 15 /* links that are read at a time */ };

/* Flows by links through edges alone: cuts[a][x] that between layers x - 1 and x. */
typedef struct flows {
    const rill_geom *geom;
    int lattice;
    double *cuts[3];
    rill_arrivals *incoming;
    rill_arrival links[WAITING]; /* [count], that wait to be read */
    uint32_t at[WAITING][3];
    double values[WAITING];
    uint64_t count;
} flows;

/* Add what arrives along the links that wait. */
static rill_status flows_flush(flows *f)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_arrivals_read(f->incoming, f->links, f->count, f->values));
    for (uint64_t k = 0; k < f->count; k++)
        for (int a = 0; a < 3; a++) {
            const int c = rill_c(f->lattice, (int)f->links[k].direction, a);
            if (c == 0) continue;
            f->cuts[a][c > 0 ? f->at[k][a] : (f->at[k][a] + 1) % f->geom->n[a]] += c * f->values[k];
        }
    f->count = 0;
done:
    return status;
}

static rill_status links_add(flows *f, const edge_links *found)
{
    rill_status status = RILL_OK;
    for (uint64_t k = 0; k < found->count; k++) {
        f->links[f->count] = found->all[k].incoming;
        memcpy(f->at[f->count++], found->all[k].at, sizeof f->at[0]);
        if (f->count == WAITING) RILL_TRY(flows_flush(f));
    }
done:
    return status;
}

/* Search layers first … end - 1 at once. @param[in,out] node  the first of their nodes; behind them */
static rill_status layers_add(flows *f, uint32_t first, uint32_t end, edge_links *layers,
                              rill_global_node *node)
{
    rill_status status = RILL_OK;
    const int count = (int)(end - first);
    rill_global_node *nodes = NULL;
    RILL_TRY(rill_array_create((uint64_t)count, sizeof *nodes, "links through edges", (void **)&nodes));
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < count; k++) nodes[k] = layer_fluid(f->geom, first + (uint32_t)k);
    for (int k = 0; k < count; k++) {
        const rill_global_node own = nodes[k];
        nodes[k] = *node;
        *node += own;
        layers[k].count = 0;
    }
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < count; k++) {
        const rill_status own = layer_search(f->geom, f->lattice, first + (uint32_t)k, nodes[k], &layers[k]);
#pragma omp critical(rill_edges)
        if (own != RILL_OK) status = own;
    }
    if (status != RILL_OK) RILL_TRY(rill_fail(status, "out of memory for links through edges"));
    for (int k = 0; k < count; k++) RILL_TRY(links_add(f, &layers[k]));
done:
    rill_array_destroy(nodes);
    return status;
}

static rill_status flows_add(flows *f)
{
    rill_status status = RILL_OK;
    const uint32_t *n = f->geom->n;
    const uint64_t fit = SEARCHED / ((uint64_t)n[0] * n[1]), threads = (uint64_t)rill_threads(),
                   most = fit < threads ? threads : fit;
    const uint32_t step = most < n[2] ? (uint32_t)most : n[2];
    rill_global_node node = 0;
    edge_links *layers = calloc(step, sizeof *layers);
    if (!layers) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for links through edges"));
    for (uint32_t first = 0; first < n[2]; first += step)
        RILL_TRY(layers_add(f, first, n[2] - first < step ? n[2] : first + step, layers, &node));
    RILL_TRY(flows_flush(f));
done:
    for (uint32_t k = 0; layers && k < step; k++) free(layers[k].all);
    free(layers);
    return status;
}

static void flows_destroy(flows *f)
{
    if (!f) return;
    for (int a = 0; a < 3; a++) rill_array_destroy(f->cuts[a]);
    rill_arrivals_destroy(f->incoming);
    free(f);
}

static rill_status flows_create(const rill_geom *geom, int lattice, rill_sim *sim, flows **out)
{
    rill_status status = RILL_OK;
    flows *f = calloc(1, sizeof *f);
    if (!f) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for flows through edges"));
    f->geom = geom;
    f->lattice = lattice;
    for (int a = 0; a < 3; a++)
        RILL_TRY(rill_array_create_zero(geom->n[a], sizeof *f->cuts[a], "flows through edges",
                                        (void **)&f->cuts[a]));
    RILL_TRY(rill_arrivals_create(sim, &f->incoming));
    *out = f;
    f = NULL;
done:
    flows_destroy(f);
    return status;
}

/* Find the share; NAN where several processes hold the voxels. */
static rill_status share_find(const rill_follower *f, double *share)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = f->between.geom ? f->between.geom : f->geom;
    const int axis = f->between.geom ? 2 : f->run->axis;
    flows *found = NULL;
    rill_totals totals;
    double largest = 0;
    *share = NAN;
    if (!geom->voxels) return RILL_OK;
    RILL_TRY(flows_create(geom, (int)f->options->variant.lattice, f->sim, &found));
    RILL_TRY(flows_add(found));
    RILL_TRY(rill_sim_totals(f->sim, &totals));
    for (int a = 0; a < 3; a++)
        for (uint32_t x = 0; x < geom->n[a]; x++) largest = fmax(largest, fabs(found->cuts[a][x]));
    *share = largest > 0 ? fmin(1, largest / (fabs(totals.momentum[axis]) / geom->n[axis])) : 0;
done:
    flows_destroy(found);
    return status;
}

rill_status rill_edges_find(const rill_follower *f) { return share_find(f, &f->run->edge_share); }

rill_status rill_edges_note(const rill_permeability_flow *run, char **notes)
{
    char text[256];
    if (!(run->edge_share > NOTED)) return RILL_OK;
    snprintf(
        text, sizeof text,
        "along %c up to %.3g %% of the flow passes links between voxels that touch at an edge or corner alone: "
        "whether pores are open there, the image's resolution decides, so compare k at another voxel size",
        rill_axis(run->axis), 100 * run->edge_share);
    return rill_notes_add(notes, text);
}
