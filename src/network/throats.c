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

static rill_voxel voxel_of(const rill_geom *geom, const uint32_t at[3])
{
    return at[0] + geom->n[0] * (at[1] + (rill_voxel)geom->n[1] * at[2]);
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
static bool touch(const rill_domain *domain, const uint32_t at[3], const int c[3])
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
        if (!none && !all && go(domain->geom, at, step, to) &&
            rill_numbering_has(&domain->numbering, to[0], to[1], to[2]))
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
static void look(const rill_domain *domain, const uint8_t *walls, const uint32_t first[3],
                 const uint32_t last[3], const uint32_t at[3], const rill_network *network, uint64_t since,
                 list *found)
{
    const rill_geom *geom = domain->geom;
    const int lattice = (int)domain->lattice;
    const uint32_t from = network->chamber_of[rill_numbering_rank(&domain->numbering, at[0], at[1], at[2])];
    for (int i = 1; i < rill_q(lattice); i += 2) {
        const int c[3] = {rill_c(lattice, i, 0), rill_c(lattice, i, 1), rill_c(lattice, i, 2)};
        const int axes = abs(c[0]) + abs(c[1]) + abs(c[2]);
        uint32_t to[3];
        if (stays(first, last, at, c) || !go(geom, at, c, to)) continue;
        const rill_node other = rill_numbering_node(&domain->numbering, to[0], to[1], to[2]);
        if (other == RILL_UPSTREAM_WALL || network->chamber_of[other] == from) continue;
        double conductance = EDGE_CONDUCTANCE;
        if (axes == 1) {
            const int a = c[0] ? 0 : c[1] ? 1 : 2;
            double length =
                c[a] * (network->centre[network->chamber_of[other]][a] - network->centre[from][a]);
            if (length < 0) length += geom->n[a];
            conductance =
                face_conductance(walls[voxel_of(geom, at)], walls[voxel_of(geom, to)]) / fmax(length, 1);
        } else if (!touch(domain, at, c)) {
            continue; /* faces have it */
        }
        add(found, since, from, network->chamber_of[other], conductance);
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
static void look_around(const rill_domain *domain, const uint8_t *walls, const uint32_t first[3],
                        const uint32_t last[3], const rill_network *network, list *found)
{
    const uint64_t since = found->count;
    uint32_t at[3];
    for (at[2] = first[2]; at[2] < last[2]; at[2]++)
        for (at[1] = first[1]; at[1] < last[1]; at[1]++) {
            const bool rim =
                at[2] == first[2] || at[2] + 1 == last[2] || at[1] == first[1] || at[1] + 1 == last[1];
            const uint32_t width = last[0] - first[0];
            const uint64_t ends = (uint64_t)1 << (width - 1) | 1;
            uint64_t bits = row_of(&domain->numbering, first[0], width, at[1], at[2]);
            for (bits &= rim ? ~(uint64_t)0 : ends; bits; bits &= bits - 1) {
                at[0] = first[0] + (uint32_t)__builtin_ctzll(bits);
                look(domain, walls, first, last, at, network, since, found);
            }
        }
}

/* Find what flows out through a face of the box, a mirror behind which the pressure has the other sign. */
static void leave(const rill_domain *domain, const uint8_t *walls, const face *f, rill_network *network)
{
    const int axis = f->axis;
    const double wall = f->low[axis] == 0 ? 0 : domain->geom->n[axis];
    uint32_t at[3];
    for (at[2] = f->low[2]; at[2] < f->high[2]; at[2]++)
        for (at[1] = f->low[1]; at[1] < f->high[1]; at[1]++)
            for (at[0] = f->low[0]; at[0] < f->high[0]; at[0]++) {
                const rill_node node = rill_numbering_node(&domain->numbering, at[0], at[1], at[2]);
                if (node == RILL_UPSTREAM_WALL) continue;
                const uint32_t c = network->chamber_of[node];
                const uint8_t steps = walls[voxel_of(domain->geom, at)];
                network->level[0].outlet[c] +=
                    face_conductance(steps, steps) / fmax(fabs(wall - network->centre[c][axis]), 0.5);
            }
}

rill_status rill_network_find_throats(const rill_domain *domain, rill_network *network)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = domain->geom;
    const int64_t blocks = (int64_t)network->blocks[0] * network->blocks[1] * network->blocks[2];
    const int threads = omp_get_max_threads(), axis = domain->flow_axis;
    const bool mirrored = axis >= 0 && geom->sides[axis] == RILL_MIRROR;
    list *lists = calloc((size_t)threads, sizeof *lists);
    bool failed = !lists;
    uint8_t *walls = NULL;
    if (failed) goto done;
    RILL_TRY(rill_network_walls(geom, &walls));
    RILL_TRY(rill_array_create_zero(network->chambers, sizeof(double), "a pore network",
                                    (void **)&network->level[0].outlet));
#pragma omp parallel num_threads(threads)
    {
        list *mine = &lists[omp_get_thread_num()];
        /* Static: what threads find, one behind the other, is in the order of the blocks. */
#pragma omp for schedule(static)
        for (int64_t k = 0; k < blocks; k++) {
            if (network->abandoned) continue;
            uint64_t number = (uint64_t)k;
            uint32_t first[3], last[3];
            for (int a = 0; a < 3; a++) {
                first[a] = (uint32_t)(number % network->blocks[a]) * network->edge;
                last[a] = geom->n[a] - first[a] < network->edge ? geom->n[a] : first[a] + network->edge;
                number /= network->blocks[a];
            }
            look_around(domain, walls, first, last, network, mine);
            for (int upper = 0; upper < 2 && mirrored; upper++)
                if (upper ? last[axis] == geom->n[axis] : first[axis] == 0) {
                    const face f = face_of(first, last, axis, upper);
                    leave(domain, walls, &f, network);
                }
        }
    }
    RILL_TRY(rill_network_check(network));
    for (int t = 0; t < threads; t++) {
        network->throats += lists[t].count;
        failed = failed || lists[t].failed;
    }
    RILL_TRY(rill_array_create(network->throats, sizeof *network->throat, "the throats of a pore network",
                               (void **)&network->throat));
    uint64_t first = 0;
    for (int t = 0; t < threads; t++) {
        if (lists[t].count)
            memcpy(network->throat + first, lists[t].throat, lists[t].count * sizeof *network->throat);
        first += lists[t].count;
    }
done:
    for (int t = 0; lists && t < threads; t++) free(lists[t].throat);
    free(lists);
    rill_array_destroy(walls);
    return failed ? rill_fail(RILL_SYSTEM, "out of memory for the throats of a pore network") : status;
}
