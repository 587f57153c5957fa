/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file membrane_nodes.h
 * What vertices of membranes, nodes around them, walls and other membranes do to each other. Forces on nodes
 * are added up as integers, lists are in ascending order: the same bits for any order of threads. The
 * including file defines RILL_ARITHMETIC as double.
 */
#ifndef RILL_DEVICE_MEMBRANE_NODES_H
#define RILL_DEVICE_MEMBRANE_NODES_H

#include "device/membrane_elastic.h"
#include "kernel/links.h"
#include "kernel/sums.h"

/* ---- voxels ----------------------------------------------------------------------------------- */

/** Return the cell along an axis, -1 outside of a box that is not periodic. */
RILL_FN int64_t rill_cell_along(const rill_membrane_box *b, const int axis, const int64_t x)
{
    const int64_t n = b->n[axis];
    if (x >= 0 && x < n) return x;
    if (!b->open[axis]) return -1;
    const int64_t at = x % n;
    return at < 0 ? at + n : at;
}

/** Return the cell `step` behind one. */
RILL_FN int64_t rill_cell_behind(const rill_membrane_box *b, const int axis, const int64_t first,
                                 const int step)
{
    if (first + step < b->n[axis]) return first + step;
    return rill_cell_along(b, axis, first + step);
}

RILL_FN uint32_t rill_popcount_64(const uint64_t bits)
{
    return rill_popcount((uint32_t)bits) + rill_popcount((uint32_t)(bits >> 32));
}

/** Return the node in a cell, RILL_UPSTREAM_WALL in and behind walls. */
RILL_FN rill_node rill_node_in(const rill_membrane_box *b, const int64_t x, const int64_t y, const int64_t z)
{
    if (x < 0 || y < 0 || z < 0) return RILL_UPSTREAM_WALL;
    const size_t word = ((size_t)z * b->n[1] + (size_t)y) * b->row_words + (size_t)x / 64;
    const uint64_t bits = b->occupied[word], bit = (uint64_t)1 << (x % 64);
    return bits & bit ? b->base[word] + rill_popcount_64(bits & (bit - 1)) : RILL_UPSTREAM_WALL;
}

/* ---- kernels ---------------------------------------------------------------------------------- */

/** Return the weight at a distance of r voxels along an axis. */
RILL_FN double rill_kernel_weight(const int width, const double distance)
{
    const double r = fabs(distance);
    if (width == 2) return r < 1 ? 1 - r : 0;
    if (width == 3) {
        if (r <= 0.5) return (1 + sqrt(1 - 3 * r * r)) / 3;
        return r < 1.5 ? (5 - 3 * r - sqrt(fmax(1 - 3 * (1 - r) * (1 - r), 0.0))) / 6 : 0;
    }
    if (r <= 1) return (3 - 2 * r + sqrt(1 + 4 * r - 4 * r * r)) / 8;
    return r < 2 ? (5 - 2 * r - sqrt(fmax(-7 + 12 * r - 4 * r * r, 0.0))) / 8 : 0;
}

/** Return the cell of the first node of a place along an axis, which may lie outside of a periodic box: nodes
 * are in the middle of voxels. */
RILL_FN int32_t rill_kernel_first(const int width, const double x)
{
    const double node = x - 0.5; /* 0 at the first node */
    return (int32_t)(width == 3 ? floor(node + 0.5) - 1 : floor(node) - (width / 2 - 1));
}

/** Return the place of a node in the list of those within reach, of which it is. */
RILL_FN rill_node rill_support_place(const rill_support *r, const rill_node node)
{
    const uint64_t below = ((uint64_t)1 << (node % 64)) - 1;
    return r->before[node / 64] + rill_popcount_64(r->marks[node / 64] & below);
}

/** Return the force on place k of the list. */
RILL_FN double rill_support_force(const rill_support *r, const rill_node k, const int axis)
{
    return RILL_SUPPORT_UNIT * (double)r->force[k][axis];
}

/** What is done at the nodes of a vertex. */
typedef enum rill_visit { RILL_VISIT_MARK, RILL_VISIT_ADD, RILL_VISIT_READ, RILL_VISIT_READ_BOTH } rill_visit;

/** Mark a node, which other threads may be about to mark, too. */
RILL_FN void rill_support_mark(const rill_support *r, const rill_node node)
{
    uint64_t *word = &r->marks[node / 64];
    const uint64_t bit = (uint64_t)1 << (node % 64);
#ifdef __CUDA_ARCH__
    if (!(*(volatile uint64_t *)word & bit)) atomicOr((unsigned long long *)word, (unsigned long long)bit);
#else
    if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit)) __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
#endif
}

/** Return a number as the nearest integer. */
RILL_FN int64_t rill_nearest(const double value)
{
#ifdef __CUDA_ARCH__
    return __double2ll_rn(value);
#else
    return (int64_t)llrint(value);
#endif
}

/** Do something at one node. */
RILL_FN void rill_visit_node(const rill_support *r, const rill_visit visit, const rill_node node,
                             const double weight, const double force[3], double velocity[3], double felt[3])
{
    if (visit == RILL_VISIT_MARK) {
        rill_support_mark(r, node);
        return;
    }
    const rill_node at = rill_support_place(r, node);
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        if (visit == RILL_VISIT_ADD) {
            rill_sum_add(&r->force[at][a], rill_nearest(weight * force[a] / RILL_SUPPORT_UNIT));
            continue;
        }
        velocity[a] += weight * r->velocity[at][a];
        if (visit == RILL_VISIT_READ_BOTH) felt[a] += weight * rill_support_force(r, at, a);
    }
}

/** Do it at all nodes that a vertex has any weight at, x first. What would act on a wall is left out. */
RILL_FN void rill_visit_nodes(const rill_support *r, const rill_visit visit, const double x[3],
                              const double force[3], double velocity[3], double felt[3])
{
    const rill_membrane_box *b = &r->box;
    const int w = r->width;
    int64_t first[3], along[RILL_KERNEL_MOST];
    double at[3], weight[RILL_KERNEL_MOST]; /* distance from the first node; along x */
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        const int32_t cell = rill_kernel_first(w, x[a]);
        at[a] = x[a] - 0.5 - cell;
        first[a] = b->open[a] ? rill_cell_along(b, a, cell) : cell;
    }
    RILL_UNROLL
    for (int k = 0; k < RILL_KERNEL_MOST; k++) {
        weight[k] = k < w ? rill_kernel_weight(w, at[0] - k) : 0;
        along[k] = rill_cell_behind(b, 0, first[0], k);
    }
    RILL_NO_UNROLL
    for (int row = 0; row < w * w; row++) {
        const int j = row % w, i = row / w;
        const double wy = rill_kernel_weight(w, at[1] - j), wz = rill_kernel_weight(w, at[2] - i);
        const int64_t y = rill_cell_behind(b, 1, first[1], j), z = rill_cell_behind(b, 2, first[2], i);
        RILL_UNROLL
        for (int k = 0; k < RILL_KERNEL_MOST; k++) {
            const double here = weight[k] * wy * wz;
            if (!(here > 0)) continue;
            const rill_node node = rill_node_in(b, along[k], y, z);
            if (node != RILL_UPSTREAM_WALL) rill_visit_node(r, visit, node, here, force, velocity, felt);
        }
    }
}

/* ---- sums, and lists of nodes ------------------------------------------------------------------ */

RILL_FN void rill_membrane_sum(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    const uint64_t first = k * RILL_MEMBRANE_CHUNK, end = first + RILL_MEMBRANE_CHUNK;
    uint32_t sum = 0;
    (void)l;
    for (uint64_t n = first; n < end && n < s->scan.count; n++) sum += s->scan.values[n];
    s->scan.sums[k] = sum;
}

RILL_FN void rill_membrane_put(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    const uint64_t first = k * RILL_MEMBRANE_CHUNK, end = first + RILL_MEMBRANE_CHUNK;
    uint32_t sum = s->scan.sums ? s->scan.sums[k] : 0;
    (void)l;
    for (uint64_t n = first; n < end && n < s->scan.count; n++) {
        const uint32_t own = s->scan.values[n];
        s->scan.values[n] = sum;
        sum += own;
    }
    if (s->scan.total && end >= s->scan.count) *s->scan.total = sum;
}

RILL_FN void rill_membrane_unmark(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    (void)l;
    s->support.marks[k] = 0;
}

/** Return whether what follows a failure is left out: positions are no numbers then. */
RILL_FN bool rill_membrane_failed(const rill_membrane_set *s)
{
#ifdef __CUDA_ARCH__
    return s->support.tally && *(volatile uint32_t *)&s->support.tally->failed;
#else
    return s->support.tally && __atomic_load_n(&s->support.tally->failed, __ATOMIC_RELAXED);
#endif
}

RILL_FN void rill_membrane_mark(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    (void)l;
    for (int a = 0; a < 3 && s->force; a++)
        if (!(fabs(s->force[k][a]) < RILL_MEMBRANE_FORCE_MOST)) rill_membrane_fail(s);
    if (!rill_membrane_failed(s)) rill_visit_nodes(&s->support, RILL_VISIT_MARK, s->x[k], NULL, NULL, NULL);
}

RILL_FN void rill_membrane_count(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    (void)l;
    s->support.before[k] = rill_popcount_64(s->support.marks[k]);
}

RILL_FN void rill_membrane_list(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    const rill_support *r = &s->support;
    uint32_t at = r->before[k];
    (void)l;
    for (uint64_t left = r->marks[k]; left; left &= left - 1, at++)
        r->node[at] = (rill_node)(64 * k) + rill_popcount_64((left & (0 - left)) - 1);
}

RILL_FN void rill_membrane_empty(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    (void)l;
    for (int a = 0; a < 3; a++) s->support.force[k][a] = 0;
}

RILL_FN void rill_membrane_spread(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    (void)l;
    rill_visit_nodes(&s->support, RILL_VISIT_ADD, s->x[k], s->force[k], NULL, NULL);
}

/* ---- contact ----------------------------------------------------------------------------------- */

/** Return the cell of a place along an axis, which is wrapped where the box is periodic. */
RILL_FN uint32_t rill_contact_along(const rill_membrane_contact *c, const int axis, const double x)
{
    const double n = c->n[axis], at = c->open[axis] ? x - n * floor(x / n) : x;
    const double cell = floor(at / n * c->cells[axis]);
    return (uint32_t)fmin(fmax(cell, 0.0), c->cells[axis] - 1.0);
}

RILL_FN uint64_t rill_contact_cell(const rill_membrane_contact *c, const double x[3])
{
    return rill_contact_along(c, 0, x[0]) +
           (uint64_t)c->cells[0] *
               (rill_contact_along(c, 1, x[1]) + (uint64_t)c->cells[1] * rill_contact_along(c, 2, x[2]));
}

/** Return the place of the first vertex of a cell, once they are sorted. */
RILL_FN uint32_t rill_contact_first(const rill_membrane_contact *c, const uint64_t cell)
{
    return cell ? c->first[cell - 1] : 0;
}

/** Add 1 to what other threads add to, too. @return what it was */
RILL_FN uint32_t rill_count_add(uint32_t *count)
{
#ifdef __CUDA_ARCH__
    return atomicAdd(count, 1u);
#else
    return __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
#endif
}

RILL_FN void rill_membrane_clear(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    (void)l;
    s->contact.first[k] = 0;
}

RILL_FN void rill_membrane_enter(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    (void)l;
    if (!rill_membrane_failed(s)) rill_count_add(&s->contact.first[rill_contact_cell(&s->contact, s->x[k])]);
}

RILL_FN void rill_membrane_sort(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    const rill_membrane_contact *c = &s->contact;
    (void)l;
    if (!rill_membrane_failed(s))
        c->vertex[rill_count_add(&c->first[rill_contact_cell(c, s->x[k])])] = (uint32_t)k;
}

RILL_FN void rill_membrane_order(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    const rill_membrane_contact *c = &s->contact;
    const uint32_t first = rill_contact_first(c, k), end = c->first[k];
    (void)l;
    for (uint32_t next = first + 1; next < end; next++) {
        const uint32_t own = c->vertex[next];
        uint32_t at = next;
        for (; at > first && c->vertex[at - 1] > own; at--) c->vertex[at] = c->vertex[at - 1];
        c->vertex[at] = own;
    }
}

/** Add the push of one vertex on another. */
RILL_FN void rill_contact_push(const rill_membrane_contact *c, const double x[3], const double other[3],
                               double force[3])
{
    double between[3], square = 0;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        const double n = c->n[a];
        between[a] = x[a] - other[a];
        if (c->open[a]) between[a] -= n * rint(between[a] / n);
        square += between[a] * between[a];
    }
    const double distance = sqrt(square);
    if (distance >= c->range || distance == 0) return;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) force[a] += c->strength * (1 / distance - 1 / c->range) * between[a];
}

/** Return the cell beside one along an axis, -1 where there is none. */
RILL_FN int64_t rill_contact_beside(const rill_membrane_contact *c, const int axis, const uint32_t cell,
                                    const int step)
{
    const int64_t n = c->cells[axis], at = (int64_t)cell + step;
    return at >= 0 && at < n ? at : c->open[axis] ? (at < 0 ? at + n : at - n) : -1;
}

RILL_FN void rill_membrane_touch(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    const rill_membrane_contact *c = &s->contact;
    const uint32_t each = s->elastic.vertex_count, own = (uint32_t)k / each;
    const double x[3] = {s->x[k][0], s->x[k][1], s->x[k][2]};
    double force[3] = {s->force[k][0], s->force[k][1], s->force[k][2]};
    (void)l;
    if (rill_membrane_failed(s)) return;
    const uint32_t cell[3] = {rill_contact_along(c, 0, x[0]), rill_contact_along(c, 1, x[1]),
                              rill_contact_along(c, 2, x[2])};
    RILL_NO_UNROLL
    for (int step = 0; step < 27; step++) {
        const int64_t at[3] = {rill_contact_beside(c, 0, cell[0], step % 3 - 1),
                               rill_contact_beside(c, 1, cell[1], step / 3 % 3 - 1),
                               rill_contact_beside(c, 2, cell[2], step / 9 - 1)};
        if (at[0] < 0 || at[1] < 0 || at[2] < 0) continue;
        const uint64_t there =
            (uint64_t)at[0] + c->cells[0] * ((uint64_t)at[1] + c->cells[1] * (uint64_t)at[2]);
        for (uint32_t n = rill_contact_first(c, there); n < c->first[there]; n++)
            if (c->vertex[n] / each != own) rill_contact_push(c, x, s->x[c->vertex[n]], force);
    }
    for (int a = 0; a < 3; a++) s->force[k][a] = force[a];
}

/* ---- walls ------------------------------------------------------------------------------------- */

/** Where a place is in its voxel. */
typedef struct rill_wall_place {
    int64_t voxel[3];
    int side[3]; /**< of the nearest face along each axis */
    double gap[3];
} rill_wall_place;

RILL_FN rill_wall_place rill_wall_place_of(const double x[3])
{
    rill_wall_place p;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        p.voxel[a] = (int64_t)floor(x[a]);
        const double within = x[a] - (double)p.voxel[a];
        p.side[a] = within < 0.5 ? -1 : 1;
        p.gap[a] = within < 0.5 ? within : 1 - within;
    }
    return p;
}

/** Set voxel k of the eight nearest ones: bits of k say along which axes it is beyond a face. */
RILL_FN void rill_wall_voxel(const rill_wall_place *p, const int k, int64_t voxel[3])
{
    RILL_UNROLL
    for (int a = 0; a < 3; a++) voxel[a] = p->voxel[a] + (k >> a & 1 ? p->side[a] : 0);
}

/** Return the distance to it, where it is not the own one. */
RILL_FN double rill_wall_gap(const rill_wall_place *p, const int k)
{
    double square = 0;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) square += k >> a & 1 ? p->gap[a] * p->gap[a] : 0;
    return sqrt(square);
}

/** Return the direction away from it along an axis. @param distance  to it, above 0 */
RILL_FN double rill_wall_away(const rill_wall_place *p, const int k, const double distance, const int axis)
{
    return k >> axis & 1 ? -p->side[axis] * p->gap[axis] / distance : 0;
}

/** Return whether a voxel is solid, or outside of the box. */
RILL_FN bool rill_wall_solid(const rill_membrane_box *b, const int64_t voxel[3])
{
    return rill_node_in(b, rill_cell_along(b, 0, voxel[0]), rill_cell_along(b, 1, voxel[1]),
                        rill_cell_along(b, 2, voxel[2])) == RILL_UPSTREAM_WALL;
}

RILL_FN void rill_membrane_wall(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    const rill_membrane_box *b = &s->support.box;
    double nearest = RILL_MEMBRANE_WALL_RANGE, away[3] = {0, 0, 0};
    (void)l;
    if (rill_membrane_failed(s)) return;
    const rill_wall_place p = rill_wall_place_of(s->x[k]);
    if (rill_wall_solid(b, p.voxel)) return; /* inside there is no way to push */
    RILL_UNROLL
    for (int n = 1; n < 8; n++) { /* the voxels beyond the nearest face, edges and corner */
        const double distance = rill_wall_gap(&p, n);
        int64_t voxel[3];
        if (distance >= nearest) continue;
        rill_wall_voxel(&p, n, voxel);
        if (!rill_wall_solid(b, voxel)) continue;
        nearest = distance;
        RILL_UNROLL
        for (int a = 0; a < 3; a++) away[a] = distance > 0 ? rill_wall_away(&p, n, distance, a) : away[a];
    }
    RILL_UNROLL
    for (int a = 0; a < 3; a++)
        s->force[k][a] += s->wall * (1 - nearest / RILL_MEMBRANE_WALL_RANGE) * away[a];
}

/* ---- the force on the fluid, and the motion of vertices ------------------------------------------ */

/** Return half of Guo's source term S_i, see membrane/push.h. */
RILL_FN double rill_half_source(const rill_variant v, const int i, const double force[3], const double u[3])
{
    const int lattice = (int)v.lattice, c = rill_inverse_cs2(lattice);
    double cf = 0, cu = 0, uf = 0;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        cf += rill_c(lattice, i, a) * force[a];
        cu += rill_c(lattice, i, a) * u[a];
        uf += u[a] * force[a];
    }
    const double second = v.equilibrium == RILL_STOKES ? 0 : c * (c * cu * cf - uf);
    return rill_w(lattice, i) / 2 * (c * cf + second);
}

/** Give a node its velocity, half of the force included, and the first half of the force. */
RILL_FN void rill_membrane_before(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    const rill_support *r = &s->support;
    const rill_variant v = l->variant;
    const int lattice = (int)v.lattice, q = rill_q(lattice);
    const rill_node node = r->node[k];
    double force[3], u[3], rho = 1;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        force[a] = rill_support_force(r, (rill_node)k, a);
        u[a] = (force[a] + l->force[a]) / 2;
    }
    RILL_NO_UNROLL
    for (int i = 0; i < q; i++) {
        const double in = rill_population_load(l, node, i);
        rho += in;
        RILL_UNROLL
        for (int a = 0; a < 3; a++) u[a] += rill_c(lattice, i, a) * in;
    }
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        if (v.equilibrium != RILL_STOKES) u[a] /= rho;
        r->velocity[k][a] = u[a];
    }
    RILL_NO_UNROLL
    for (int i = 0; i < q; i++)
        rill_population_store(l, node, i,
                              rill_population_load(l, node, i) + rill_half_source(v, i, force, u));
}

/** Give it the second half: add to what it has sent in the step before, where no other pass has replaced it;
 * at a wall to what bounced back. */
RILL_FN void rill_membrane_after(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    const rill_support *r = &s->support;
    const rill_variant v = l->variant;
    const int q = rill_q((int)v.lattice);
    double force[3], u[3];
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        force[a] = rill_support_force(r, (rill_node)k, a);
        u[a] = r->velocity[k][a];
    }
    RILL_NO_UNROLL
    for (int i = 0; i < q; i++) rill_population_sent_add(l, r->node[k], i, rill_half_source(v, i, force, u));
}

RILL_FN void rill_membrane_interpolate(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    double velocity[3] = {0, 0, 0};
    (void)l;
    rill_visit_nodes(&s->support, RILL_VISIT_READ, s->x[k], NULL, velocity, NULL);
    for (int a = 0; a < 3; a++) s->velocity[k][a] = velocity[a];
}

/** Move a vertex by a time step, with a part of the force along the surface. */
RILL_FN void rill_membrane_move(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    double velocity[3] = {0, 0, 0}, felt[3] = {0, 0, 0};
    (void)l;
    rill_visit_nodes(&s->support, RILL_VISIT_READ_BOTH, s->x[k], NULL, velocity, felt);
    const double area[3] = {s->area[k][0], s->area[k][1], s->area[k][2]}, square = rill_dot(area, area),
                 across = rill_dot(area, felt);
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        if (s->slip > 0 && square > 0) velocity[a] += s->slip * (felt[a] - across / square * area[a]);
        s->velocity[k][a] = velocity[a];
        s->x[k][a] += velocity[a];
    }
}

#endif
