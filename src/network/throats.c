/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the throats of a network: where voxels of two chambers share faces, or links of the lattice alone. */
#include "core/memory.h"
#include "core/status.h"
#include "kernel/lattice.h"
#include "network/network.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* What a link between voxels that share no face lets pass, times viscosity. Rocks end alike with 0.1. */
#define EDGE_CONDUCTANCE 0.03

/* Throats found by one thread. */
typedef struct list {
    rill_throat *throat;
    uint64_t count, capacity;
    bool failed;
} list;

static void add(list *l, uint64_t since, uint32_t from, uint32_t to, double conductance)
{
    for (uint64_t k = since; k < l->count; k++)
        if (l->throat[k].chamber[0] == from && l->throat[k].chamber[1] == to) {
            l->throat[k].conductance += conductance;
            return;
        }
    if (l->count == l->capacity) {
        const uint64_t capacity = l->capacity ? 2 * l->capacity : 1024;
        rill_throat *grown = realloc(l->throat, capacity * sizeof *grown);
        l->failed = l->failed || !grown;
        if (!grown) return;
        l->throat = grown;
        l->capacity = capacity;
    }
    l->throat[l->count++] = (rill_throat){{from, to}, conductance};
}

/*
 * What a face of two voxels, or of one, lets pass per gradient, times viscosity: with the smaller of their
 * distances d from a wall, 3/4 d^2, whose mean over a tube is R^2/8, and three quarters of the right one over
 * a slit.
 */
static double face_conductance(uint8_t steps, uint8_t others)
{
    const double d = (steps < others ? steps : others) - 0.5;
    return 0.75 * d * d;
}

/* The planes in which throats are looked for, and beside them. */
typedef struct sight {
    const rill_domain *domain;
    const rill_network *network;
    const rill_network_part *part;
    uint8_t *walls; /* of planes from `first` on in the periodic box of voxels */
    uint32_t first;
} sight;

/* Return how far a voxel is from a wall. */
static uint8_t wall_of(const sight *s, const uint32_t at[3])
{
    const uint32_t *n = s->domain->geom->n;
    const uint32_t k = at[2] >= s->first ? at[2] - s->first : at[2] + n[2] - s->first;
    return s->walls[at[0] + n[0] * (at[1] + (uint64_t)n[1] * k)];
}

/* A part of a plane of voxels: from `low` to `high`, which is not included. */
typedef struct face {
    int axis; /* normal */
    uint32_t low[3], high[3];
} face;

static face face_of(const uint32_t first[3], const uint32_t last[3], int axis, bool upper)
{
    face f = {.axis = axis};
    for (int a = 0; a < 3; a++) f.low[a] = first[a], f.high[a] = last[a];
    if (upper)
        f.low[axis] = last[axis] - 1;
    else
        f.high[axis] = first[axis] + 1;
    return f;
}

/* Go from a voxel along a velocity. @return false beyond a side that is not periodic */
static bool go(const rill_geom *geom, const uint32_t at[3], const int c[3], uint32_t to[3])
{
    for (int a = 0; a < 3; a++) {
        const int64_t n = geom->n[a], x = (int64_t)at[a] + c[a];
        if ((x < 0 || x >= n) && geom->sides[a] != RILL_PERIODIC) return false;
        to[a] = (uint32_t)(x < 0 ? x + n : x < n ? x : x - n);
    }
    return true;
}

/* Return whether two voxels that share an edge or a corner alone have no third between them that is pore. */
static bool touch(const sight *s, const uint32_t at[3], const int c[3])
{
    for (int part = 1; part < 7; part++) {
        int step[3];
        uint32_t to[3];
        bool none = true, all = true;
        for (int a = 0; a < 3; a++) {
            step[a] = part >> a & 1 ? c[a] : 0;
            none = none && !step[a];
            all = all && step[a] == c[a];
        }
        if (!none && !all && go(s->domain->geom, at, step, to) &&
            rill_layers_has(&s->part->layers, to[0], to[1], to[2]))
            return false;
    }
    return true;
}

/* Return whether a link leads to a voxel of the same block, and so of the same chamber. */
static bool stays(const uint32_t first[3], const uint32_t last[3], const uint32_t at[3], const int c[3])
{
    bool inside = true;
    for (int a = 0; a < 3; a++) /* below 0: a large number */
        inside = inside && at[a] + (uint32_t)c[a] - first[a] < last[a] - first[a];
    return inside;
}

/* Find the throats that begin at a voxel, along the first of every pair of opposite velocities. */
static void look(const sight *s, const uint32_t first[3], const uint32_t last[3], const uint32_t at[3],
                 uint64_t since, list *found)
{
    const rill_geom *geom = s->domain->geom;
    const int lattice = (int)s->domain->lattice;
    const uint32_t from = rill_network_at(s->part, at[0], at[1], at[2]);
    for (int i = 1; i < rill_q(lattice); i += 2) {
        const int c[3] = {rill_c(lattice, i, 0), rill_c(lattice, i, 1), rill_c(lattice, i, 2)};
        const int axes = abs(c[0]) + abs(c[1]) + abs(c[2]);
        uint32_t to[3];
        if (stays(first, last, at, c) || !go(geom, at, c, to)) continue;
        const uint32_t other = rill_network_at(s->part, to[0], to[1], to[2]);
        if (other == RILL_UPSTREAM_WALL || other == from) continue;
        double conductance = EDGE_CONDUCTANCE;
        if (axes == 1) {
            const int a = c[0] ? 0 : c[1] ? 1 : 2;
            double length = c[a] * (s->network->centre[other][a] - s->network->centre[from][a]);
            if (length < 0) length += geom->n[a];
            conductance = face_conductance(wall_of(s, at), wall_of(s, to)) / fmax(length, 1);
        } else if (!touch(s, at, c)) {
            continue; /* faces have it */
        }
        add(found, since, from, other, conductance);
    }
}

/* Return which of `width` voxels of a row, 64 at most, are nodes. */
static uint64_t row_of(const rill_numbering *numbering, uint32_t x, uint32_t width, uint32_t y, uint32_t z)
{
    const uint64_t *row =
        numbering->occupied + ((size_t)z * numbering->n[1] + y) * numbering->row_words + x / 64;
    const uint32_t shift = x % 64;
    const uint64_t bits = row[0] >> shift | (shift + width > 64 ? row[1] << (64 - shift) : 0);
    return bits & ~(uint64_t)0 >> (64 - width);
}

/* Find the throats of the voxels of a block that have neighbours in others. */
static void look_around(const sight *s, const uint32_t first[3], const uint32_t last[3], list *found)
{
    const uint64_t since = found->count;
    uint32_t at[3];
    for (at[2] = first[2]; at[2] < last[2]; at[2]++)
        for (at[1] = first[1]; at[1] < last[1]; at[1]++) {
            const bool rim =
                at[2] == first[2] || at[2] + 1 == last[2] || at[1] == first[1] || at[1] + 1 == last[1];
            const uint32_t width = last[0] - first[0];
            const uint64_t ends = (uint64_t)1 << (width - 1) | 1;
            uint64_t bits = row_of(&s->part->layers.numbering, first[0], width, at[1],
                                   rill_layers_plane(&s->part->layers, at[2]));
            for (bits &= rim ? ~(uint64_t)0 : ends; bits; bits &= bits - 1) {
                at[0] = first[0] + (uint32_t)__builtin_ctzll(bits);
                look(s, first, last, at, since, found);
            }
        }
}

/* Find what flows out through a face of the box, a mirror behind which the pressure has the other sign. */
static void leave(const sight *s, const face *f, double *outlet)
{
    const int axis = f->axis;
    const double wall = f->low[axis] == 0 ? 0 : s->domain->geom->n[axis];
    uint32_t at[3];
    for (at[2] = f->low[2]; at[2] < f->high[2]; at[2]++)
        for (at[1] = f->low[1]; at[1] < f->high[1]; at[1]++)
            for (at[0] = f->low[0]; at[0] < f->high[0]; at[0]++) {
                const uint32_t c = rill_network_at(s->part, at[0], at[1], at[2]);
                if (c == RILL_UPSTREAM_WALL) continue;
                const uint8_t steps = wall_of(s, at);
                outlet[c] +=
                    face_conductance(steps, steps) / fmax(fabs(wall - s->network->centre[c][axis]), 0.5);
            }
}

/* Find the throats of a block, and its outlets. */
static void block_look(const sight *s, uint64_t number, double *outlet, list *found)
{
    const rill_network *network = s->network;
    const rill_geom *geom = s->domain->geom;
    const int axis = s->domain->flow_axis;
    uint32_t first[3], last[3];
    for (int a = 0; a < 3; a++) {
        first[a] = (uint32_t)(number % network->blocks[a]) * network->edge;
        last[a] = geom->n[a] - first[a] < network->edge ? geom->n[a] : first[a] + network->edge;
        number /= network->blocks[a];
    }
    look_around(s, first, last, found);
    if (axis < 0 || geom->sides[axis] != RILL_MIRROR) return;
    for (int upper = 0; upper < 2; upper++)
        if (upper ? last[axis] == geom->n[axis] : first[axis] == 0) {
            const face f = face_of(first, last, axis, upper);
            leave(s, &f, outlet);
        }
}

/* Put what threads have found behind what was found before: static schedules keep the order of the blocks. */
static rill_status gather(list *lists, int threads, rill_network *network, uint64_t *room)
{
    uint64_t more = 0;
    bool failed = false;
    for (int t = 0; t < threads; t++) more += lists[t].count, failed = failed || lists[t].failed;
    if (network->throats + more > *room) {
        *room = network->throats + more + (network->throats ? network->throats / 2 : 0);
        rill_throat *grown = NULL;
        const rill_status status =
            rill_array_create(*room, sizeof *grown, "the throats of a pore network", (void **)&grown);
        if (status != RILL_OK) return status;
        if (network->throats) memcpy(grown, network->throat, network->throats * sizeof *grown);
        rill_array_destroy(network->throat);
        network->throat = grown;
    }
    for (int t = 0; t < threads; t++) {
        if (lists[t].count)
            memcpy(network->throat + network->throats, lists[t].throat, lists[t].count * sizeof(rill_throat));
        network->throats += lists[t].count;
        lists[t].count = 0;
    }
    return failed ? rill_fail(RILL_SYSTEM, "out of memory for the throats of a pore network") : RILL_OK;
}

/* See some layers of blocks, those beside them, and the walls of their planes and one on either side. */
static rill_status sight_take(sight *s, rill_network_part *part, uint32_t first, uint32_t count)
{
    rill_status status = RILL_OK;
    const uint32_t nz = s->domain->geom->n[2], edge = s->network->edge;
    const bool all = count == s->network->blocks[2];
    const uint32_t z = first * edge, end = nz - z < count * edge ? nz : z + count * edge;
    rill_array_destroy(s->walls);
    s->walls = NULL;
    s->part = part;
    s->first = all ? 0 : (z + nz - 1) % nz;
    RILL_TRY(rill_network_take(s->domain, s->network, (int64_t)first - 1, count + 2, part));
    RILL_TRY(all ? rill_network_walls(s->domain->geom, 0, nz, &s->walls)
                 : rill_network_walls(s->domain->geom, (int64_t)z - 1, end - z + 2, &s->walls));
done:
    return status;
}

rill_status rill_network_find_throats(const rill_domain *domain, rill_network *network,
                                      rill_network_part *part)
{
    rill_status status = RILL_OK;
    const int64_t layer = (int64_t)network->blocks[0] * network->blocks[1];
    const uint32_t layers = network->blocks[2], most = rill_network_layers(domain, network);
    const int threads = omp_get_max_threads();
    list *lists = calloc((size_t)threads, sizeof *lists);
    sight s = {.domain = domain, .network = network};
    uint64_t room = 0;
    if (!lists) return rill_fail(RILL_SYSTEM, "out of memory for the throats of a pore network");
    RILL_TRY(rill_array_create_zero(network->chambers, sizeof(double), "a pore network",
                                    (void **)&network->outlet));
    RILL_TRY(rill_array_create(1, sizeof *network->throat, "the throats of a pore network",
                               (void **)&network->throat));
    for (uint32_t first = 0, count; first < layers; first += count) {
        count = layers - first < most ? layers - first : most;
        RILL_TRY(sight_take(&s, part, first, count));
#pragma omp parallel num_threads(threads)
        {
            list *mine = &lists[omp_get_thread_num()];
#pragma omp for schedule(static)
            for (int64_t k = layer * first; k < layer * (first + count); k++)
                if (!network->abandoned) block_look(&s, (uint64_t)k, network->outlet, mine);
        }
        RILL_TRY(rill_network_check(network));
        RILL_TRY(gather(lists, threads, network, &room));
    }
done:
    for (int t = 0; t < threads; t++) free(lists[t].throat);
    free(lists);
    rill_array_destroy(s.walls);
    return status;
}
