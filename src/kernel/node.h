/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file node.h
 * The node update: gather, collide, scatter. Lattice, collision, equilibrium, scheme, parity and storage
 * are compile-time constants; kernels for CUDA and CPU are thin wrappers around rill_node_update().
 *
 * A call works on the RILL_LANES nodes that start at n. On a CPU the slots of a direction are one vector
 * access when they lie in a row, and single accesses where a wall or the end of a row breaks it.
 */
#ifndef RILL_KERNEL_NODE_H
#define RILL_KERNEL_NODE_H

#include "kernel/arrays.h"
#include "kernel/collide.h"
#include "kernel/storage.h"
#include "kernel/stream.h"

#if defined(__CUDACC__)

/** Where the populations of a node are: 32 bits each, the slots are computed again when they are written. */
typedef struct rill_place {
    rill_node upstream[RILL_Q_MAX];
} rill_place;

/** Find the in slot of direction i. */
RILL_FN void rill_place_find(const int stream, const int parity, const rill_arrays *arrays, const int i,
                             const rill_node n, rill_place *place)
{
    const bool looks = i > 0 && rill_slot_in_looks(stream, parity);
    place->upstream[i] = looks ? rill_upstream_row(arrays->list, arrays->stride, i)[n] : n;
}

/** Read incoming population i. */
RILL_FN rill_real rill_place_get(const int stream, const int parity, const int storage,
                                 const rill_arrays *arrays, const int i, const rill_node n,
                                 const rill_place *place)
{
    return rill_storage_load(storage, arrays->populations,
                             rill_slot_in(stream, parity, arrays->stride, i, n, place->upstream[i]));
}

/** Write into the in slot of direction i. */
RILL_FN void rill_place_put(const int stream, const int parity, const int storage, const rill_arrays *arrays,
                            const int i, const rill_node n, const rill_place *place, const rill_real value)
{
    rill_storage_store(storage, arrays->populations,
                       rill_slot_in(stream, parity, arrays->stride, i, n, place->upstream[i]), value);
}

/** Write into the out slot of direction i, for schemes whose out slots are their own. */
RILL_FN void rill_place_move(const int stream, const int storage, const rill_arrays *arrays, const int i,
                             const rill_node n, const rill_real value)
{
    rill_storage_store(storage, arrays->populations, rill_slot_out(stream, arrays->stride, i, n), value);
}

#else

typedef uint32_t rill_lane_nodes __attribute__((vector_size(4 * RILL_LANES)));

/** Where the populations of RILL_LANES nodes are: a row that starts at a slot, or one slot each. */
typedef struct rill_place {
    bool row[RILL_Q_MAX];
    size_t first[RILL_Q_MAX];
    const rill_node *upstream[RILL_Q_MAX]; /**< the slots of single accesses follow from these */
} rill_place;

/** Return whether all lanes are zero. */
RILL_FN bool rill_lanes_zero(const rill_lane_nodes v)
{
    uint64_t words[sizeof v / 8], any = 0;
    memcpy(words, &v, sizeof v);
    RILL_UNROLL
    for (size_t k = 0; k < sizeof v / 8; k++) any |= words[k];
    return any == 0;
}

/** Find the in slots of direction i. */
RILL_FN void rill_place_find(const int stream, const int parity, const rill_arrays *arrays, const int i,
                             const rill_node n, rill_place *place)
{
    place->row[i] = true;
    place->upstream[i] = NULL;
    if (i == 0 || !rill_slot_in_looks(stream, parity)) {
        place->first[i] = rill_slot_in(stream, parity, arrays->stride, i, n, n);
        return;
    }
    const rill_node *upstream = place->upstream[i] = rill_upstream_row(arrays->list, arrays->stride, i) + n;
    rill_lane_nodes nodes, rising = {0};
    memcpy(&nodes, upstream, sizeof nodes);
    if (upstream[0] !=
        RILL_UPSTREAM_WALL) /* a row of walls counts as one too: its slots are the node's own */
        for (int l = 0; l < RILL_LANES; l++) rising[l] = (uint32_t)l;
    place->first[i] = rill_slot_in(stream, parity, arrays->stride, i, n, upstream[0]);
    place->row[i] = rill_lanes_zero(nodes - rising - upstream[0]);
}

/** Read incoming populations i. */
RILL_FN rill_real rill_place_get(const int stream, const int parity, const int storage,
                                 const rill_arrays *arrays, const int i, const rill_node n,
                                 const rill_place *place)
{
    if (place->row[i]) return rill_storage_load_row(storage, arrays->populations, place->first[i]);
    rill_scalar lane[RILL_LANES];
    RILL_NO_UNROLL
    for (int l = 0; l < RILL_LANES; l++)
        lane[l] = rill_storage_load(
            storage, arrays->populations,
            rill_slot_in(stream, parity, arrays->stride, i, n + (rill_node)l, place->upstream[i][l]));
    rill_real value;
    memcpy(&value, lane, sizeof value);
    return value;
}

/** Write into the in slots of direction i. */
RILL_FN void rill_place_put(const int stream, const int parity, const int storage, const rill_arrays *arrays,
                            const int i, const rill_node n, const rill_place *place, const rill_real value)
{
    if (place->row[i]) {
        rill_storage_store_row(storage, arrays->populations, place->first[i], value);
        return;
    }
    rill_scalar lane[RILL_LANES];
    memcpy(lane, &value, sizeof value);
    RILL_NO_UNROLL
    for (int l = 0; l < RILL_LANES; l++)
        rill_storage_store(
            storage, arrays->populations,
            rill_slot_in(stream, parity, arrays->stride, i, n + (rill_node)l, place->upstream[i][l]),
            lane[l]);
}

/** Write into the out slots of direction i, for schemes whose out slots are their own. */
RILL_FN void rill_place_move(const int stream, const int storage, const rill_arrays *arrays, const int i,
                             const rill_node n, const rill_real value)
{
    rill_storage_store_row(storage, arrays->populations, rill_slot_out(stream, arrays->stride, i, n), value);
}

#endif

/** Read all incoming populations, and remember where they were. */
RILL_FN void rill_gather(const int lattice, const int stream, const int storage, const int parity,
                         const rill_arrays *arrays, const rill_node n, rill_place *place, rill_real *f)
{
    RILL_UNROLL
    for (int i = 0; i < rill_q(lattice); i++) {
        rill_place_find(stream, parity, arrays, i, n, place);
        f[i] = rill_place_get(stream, parity, storage, arrays, i, n, place);
    }
}

/**
 * Make one time step of the nodes n … n + RILL_LANES - 1.
 * In-place schemes get the same arrays twice; through two copies of their description the compiler computes
 * slots again for writing instead of holding every address in a register.
 */
RILL_FN void rill_node_update(const int lattice, const int collision, const int equilibrium, const int stream,
                              const int storage, const int parity, const rill_arrays *from,
                              const rill_arrays *to, const rill_rates *rates, const rill_node n)
{
    rill_real f[RILL_Q_MAX];
    rill_place place;
    rill_gather(lattice, stream, storage, parity, from, n, &place, f);
    rill_collide(lattice, collision, equilibrium, rates, f);
    RILL_UNROLL
    for (int i = 0; i < rill_q(lattice); i++) { /* what leaves along the link that i came in by */
        if (rill_stream_two_arrays(stream))
            rill_place_move(stream, storage, to, i, n, f[rill_opposite(i)]);
        else
            rill_place_put(stream, parity, storage, to, i, n, &place, f[rill_opposite(i)]);
    }
}

/** Take the moments of the nodes n … n + RILL_LANES - 1 between two steps; momentum includes half the force.
 */
RILL_FN rill_moments rill_node_moments(const int lattice, const int stream, const int storage,
                                       const int parity, const rill_arrays *arrays, const rill_rates *rates,
                                       const rill_node n)
{
    rill_real f[RILL_Q_MAX];
    rill_place place;
    rill_gather(lattice, stream, storage, parity, arrays, n, &place, f);
    return rill_moments_of(lattice, rates, f);
}

/**
 * Set the nodes n … n + RILL_LANES - 1 to equilibrium at density deviation and velocity, as incoming
 * populations of the next step. The populations carry momentum rho u - F/2: with the half force that
 * rill_moments_of() adds this is rho u, and no mode that alternates from step to step is started.
 */
RILL_FN void rill_node_set(const int lattice, const int equilibrium, const int stream, const int storage,
                           const int parity, const rill_arrays *arrays, const rill_rates *rates,
                           const rill_node n, const rill_real density, const rill_real *velocity)
{
    rill_real f[RILL_Q_MAX];
    rill_place place;
    rill_moments m;
    m.density = density;
    for (int a = 0; a < 3; a++) {
        m.momentum[a] = equilibrium == RILL_SECOND_ORDER ? velocity[a] + density * velocity[a] : velocity[a];
        m.momentum[a] = m.momentum[a] - (rill_scalar)0.5 * rates->force[a];
    }
    rill_equilibrium_set(lattice, equilibrium, rates, m, f);
    RILL_UNROLL
    for (int i = 0; i < rill_q(lattice); i++) {
        rill_place_find(stream, parity, arrays, i, n, &place);
        rill_place_put(stream, parity, storage, arrays, i, n, &place, f[i]);
    }
}

#endif
