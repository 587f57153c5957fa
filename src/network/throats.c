/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the throats of a network: where voxels of two chambers share faces. */
#include "core/memory.h"
#include "core/status.h"
#include "network/network.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

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

/* Find the throats from the voxels of a face to those behind it. */
static void look(const rill_domain *domain, const uint8_t *walls, const face *f, const rill_network *network,
                 list *found)
{
    const rill_geom *geom = domain->geom;
    const uint64_t since = found->count;
    const int axis = f->axis;
    const uint32_t n = geom->n[axis];
    uint32_t at[3];
    if (f->high[axis] == n && geom->sides[axis] != RILL_PERIODIC) return;
    for (at[2] = f->low[2]; at[2] < f->high[2]; at[2]++)
        for (at[1] = f->low[1]; at[1] < f->high[1]; at[1]++)
            for (at[0] = f->low[0]; at[0] < f->high[0]; at[0]++) {
                uint32_t behind[3] = {at[0], at[1], at[2]};
                behind[axis] = at[axis] + 1 < n ? at[axis] + 1 : 0;
                const rill_node node = rill_numbering_node(&domain->numbering, at[0], at[1], at[2]);
                const rill_node other =
                    rill_numbering_node(&domain->numbering, behind[0], behind[1], behind[2]);
                if (node == RILL_UPSTREAM_WALL || other == RILL_UPSTREAM_WALL) continue;
                const uint32_t from = network->chamber_of[node], to = network->chamber_of[other];
                if (from == to) continue;
                double length = network->centre[to][axis] - network->centre[from][axis];
                if (length < 0) length += n;
                add(found, since, from, to,
                    face_conductance(walls[voxel_of(geom, at)], walls[voxel_of(geom, behind)]) /
                        fmax(length, 1));
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
                network->outlet[c] +=
                    face_conductance(steps, steps) / fmax(fabs(wall - network->centre[c][axis]), 0.5);
            }
}

rill_status rill_network_find_throats(const rill_domain *domain, rill_network *network)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = domain->geom;
    const int64_t blocks = (int64_t)network->blocks[0] * network->blocks[1] * network->blocks[2];
    const int threads = omp_get_max_threads();
    list *lists = calloc((size_t)threads, sizeof *lists);
    bool failed = !lists;
    uint8_t *walls = NULL;
    if (failed) goto done;
    RILL_TRY(rill_network_walls(geom, &walls));
    RILL_TRY(rill_array_create_zero(network->chambers, sizeof *network->outlet, "a pore network",
                                    (void **)&network->outlet));
#pragma omp parallel num_threads(threads)
    {
        list *mine = &lists[omp_get_thread_num()];
        /* Static: what threads find, one behind the other, is in the order of the blocks. */
#pragma omp for schedule(static)
        for (int64_t k = 0; k < blocks; k++) {
            uint64_t number = (uint64_t)k;
            uint32_t first[3], last[3];
            for (int a = 0; a < 3; a++) {
                first[a] = (uint32_t)(number % network->blocks[a]) * network->edge;
                last[a] = geom->n[a] - first[a] < network->edge ? geom->n[a] : first[a] + network->edge;
                number /= network->blocks[a];
            }
            for (int a = 0; a < 3; a++)
                for (int upper = 0; upper < 2; upper++) {
                    const face f = face_of(first, last, a, upper);
                    if (upper) look(domain, walls, &f, network, mine);
                    if (a == domain->flow_axis && geom->sides[a] == RILL_MIRROR &&
                        (upper ? last[a] == geom->n[a] : first[a] == 0))
                        leave(domain, walls, &f, network);
                }
        }
    }
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
