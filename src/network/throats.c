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

/* What a link between voxels that share no face lets pass, times viscosity, with the magic parameter 3/16, to
 * which it is proportional. Rocks end alike with 0.1. */
#define EDGE_CONDUCTANCE 0.03

enum { WAYS_MOST = 13, BETWEEN_MOST = 6 };

/* Throats found by one thread. */
typedef struct list {
    rill_throat *throat;
    uint64_t count, capacity;
    uint64_t begin; /* where they are put among those of all */
    bool failed;
} list;

/* Return the throat between two chambers among those behind the first `since`; a new one lets nothing pass.
 * NULL: there is no memory */
static rill_throat *throat_between(list *l, uint64_t since, uint32_t from, uint32_t to)
{
    for (uint64_t k = since; k < l->count; k++)
        if (l->throat[k].chamber[0] == from && l->throat[k].chamber[1] == to) return &l->throat[k];
    if (RILL_LIST_GROW(l->throat, l->count, l->capacity, "throats") != RILL_OK) l->failed = true;
    if (l->failed) return NULL;
    l->throat[l->count] = (rill_throat){{from, to}, 0};
    return &l->throat[l->count++];
}

double rill_network_row(rill_lattice lattice)
{
    return lattice == RILL_D3Q15 ? 2.0 / 3 : lattice == RILL_D3Q27 ? 4.0 / 15 : 1.0 / 6;
}

/*
 * What a face of two voxels, or of one, lets pass per gradient, times viscosity: with the smaller of their
 * distances d from a wall, 3/4 d^2, whose mean over a tube is R^2/8, and three quarters of the right one over
 * a slit. The magic parameter moves the walls: between plates of h = 2 d nodes, and of 2 at least, the mean
 * velocity is h^2/12 + 1/24 + (16/3 magic - 1)/8 (Ginzburg & d'Humieres 2003,
 * doi:10.1103/PhysRevE.68.066614), and the last term is 0 for 3/16. Where walls are on both sides of both
 * voxels, h is 1 there: 2/3 magic between plates, and, by the steady state of a single row of nodes,
 * magic times rill_network_row() in a duct. In wide pores such rows are chinks where grains touch: little
 * flow passes, but their pressures follow those beside them a cycle later with that, so that there they
 * conduct as any other face (a pack of overlapping spheres of radius 25, 400 x 400 x 400: 324 steps instead
 * of 432).
 */
#define SLIP_MOST 8.0
enum { SHUT_MOST = 2 };
static double face_conductance(uint8_t steps, int shut, double magic, double row)
{
    const double d = steps - 0.5, h = fmax(2 * d, 2), moved = (16.0 / 3 * magic - 1) / 8;
    if (shut) return (shut == SHUT_MOST ? 1.5 * row : 1) / 8 * fmin(16.0 / 3 * magic, SLIP_MOST);
    return 0.75 * d * d * fmin(1 + moved / (h * h / 12 + 1.0 / 24), SLIP_MOST);
}

/* A velocity that throats are looked for along: the first of every pair of opposite ones. */
typedef struct way {
    int c[3];
    int axis;                     /* along which it leads; -1: voxels share an edge or a corner alone */
    int between[BETWEEN_MOST][3]; /* steps to the voxels between */
    int between_count;
} way;

/* The planes in which throats are looked for, and beside them. */
typedef struct sight {
    const rill_domain *domain;
    const rill_network *network;
    const rill_network_part *part;
    uint8_t *walls; /* of planes from `first` on in the periodic box of voxels */
    uint32_t first;
    way ways[WAYS_MOST];
    int way_count;
    double face[SHUT_MOST + 1][UINT8_MAX + 1]; /* face_conductance() */
    double edge;                               /* that of links between voxels that share no face */
} sight;

/* Row (y, z) of the walls. */
static const uint8_t *walls_of(const sight *s, uint32_t y, uint32_t z)
{
    const uint32_t *n = s->domain->geom->n;
    const uint32_t k = z >= s->first ? z - s->first : z + n[2] - s->first;
    return s->walls + n[0] * (y + (uint64_t)n[1] * k);
}

/* Return how far a voxel is from a wall. */
static uint8_t wall_of(const sight *s, const uint32_t at[3]) { return walls_of(s, at[1], at[2])[at[0]]; }

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

/* Two voxels that share an edge or a corner alone touch where no third between them is pore. */
static way way_of(int lattice, int i)
{
    way w = {.axis = -1};
    for (int a = 0; a < 3; a++) w.c[a] = rill_c(lattice, i, a);
    const int axes = abs(w.c[0]) + abs(w.c[1]) + abs(w.c[2]);
    if (axes == 1) w.axis = w.c[0] ? 0 : w.c[1] ? 1 : 2;
    for (int part = 1; part < 7; part++) {
        int *step = w.between[w.between_count];
        bool none = true, all = true, other = false;
        for (int a = 0; a < 3; a++) {
            step[a] = part >> a & 1 ? w.c[a] : 0;
            none = none && !step[a];
            all = all && step[a] == w.c[a];
            other = other || (part >> a & 1 && !w.c[a]); /* leads to a voxel that another part leads to */
        }
        if (!none && !all && !other) w.between_count++;
    }
    return w;
}

static void ways_take(sight *s)
{
    const int lattice = (int)s->domain->lattice;
    const double magic = s->network->magic > 0 ? s->network->magic : 3.0 / 16;
    const double row = rill_network_row(s->domain->lattice);
    s->way_count = 0;
    s->edge = EDGE_CONDUCTANCE * fmin(16.0 / 3 * magic, SLIP_MOST);
    for (int shut = 0; shut <= SHUT_MOST; shut++)
        for (int k = 0; k <= UINT8_MAX; k++)
            s->face[shut][k] = face_conductance((uint8_t)k, shut, magic, row);
    for (int i = 1; i < rill_q(lattice); i += 2) s->ways[s->way_count++] = way_of(lattice, i);
}

/* A row of the voxels of a block, or of those around it: bit x of its first 64 at most is voxel first + x. */
typedef struct strip {
    uint64_t bits;           /* which are nodes */
    uint64_t low, high;      /* whether the voxels before and behind are, 0 or 1 */
    const uint32_t *chamber; /* of its first node, those of its others behind it */
    const uint8_t *walls;    /* of the row of the box */
    uint32_t y, z;           /* of that row */
} strip;

/* Where a row lies in its block: first or last along y, first or last along z, one bit each. */
enum { PLACES = 16 };

/* Where velocities lead out of blocks of one size. */
typedef struct exits {
    uint32_t size[3];
    int count[PLACES]; /* of the ways that lead out of rows at a place */
    struct {
        int way;
        uint64_t bits; /* voxels of the row that it leads out from */
    } of[PLACES][WAYS_MOST];
    /* Strips that steps lead to, counted from that of the row. */
    int to[WAYS_MOST], between[WAYS_MOST][BETWEEN_MOST];
} exits;

/* A block whose throats are looked for, with the strips of its rows and of those around it. */
typedef struct surroundings {
    uint32_t first[3], size[3];
    strip *strips; /* [size z + 2][size y + 2] */
    exits exits;   /* of a block of its size, or of no size yet */
} surroundings;

/* Find a coordinate, from one before the first to one behind the last. @return false beyond a side that is
 * not periodic */
static bool coordinate_step(const rill_geom *geom, int axis, uint32_t first, uint32_t step, uint32_t *at)
{
    const int64_t n = geom->n[axis], x = (int64_t)first + step - 1;
    *at = (uint32_t)(x < 0 ? x + n : x < n ? x : x - n);
    return (x >= 0 && x < n) || geom->sides[axis] == RILL_PERIODIC;
}

static uint64_t bit_at(const uint64_t *row, uint32_t x) { return row[x / 64] >> x % 64 & 1; }

/* Take the strips of a plane. */
static void plane_take(const sight *s, const surroundings *b, uint32_t z, strip *to)
{
    const rill_geom *geom = s->domain->geom;
    const rill_numbering *numbering = &s->part->layers.numbering;
    const uint32_t k = rill_layers_plane(&s->part->layers, z), x = b->first[0], width = b->size[0];
    const uint32_t *chamber_of = s->part->chamber_of + s->part->before[k];
    const rill_node before = numbering->base[(size_t)k * numbering->n[1] * numbering->row_words];
    const uint32_t shift = x % 64;
    uint32_t low, high;
    const bool has_low = coordinate_step(geom, 0, x, 0, &low),
               has_high = coordinate_step(geom, 0, x, width + 1, &high);
    for (uint32_t j = 0; j < b->size[1] + 2; j++, to++) {
        uint32_t y;
        *to = (strip){.bits = 0};
        if (!coordinate_step(geom, 1, b->first[1], j, &y)) continue;
        const size_t first = ((size_t)k * numbering->n[1] + y) * numbering->row_words, word = first + x / 64;
        const uint64_t *row = numbering->occupied + first;
        const uint64_t bits =
            row[x / 64] >> shift | (shift + width > 64 ? row[x / 64 + 1] << (64 - shift) : 0);
        to->bits = bits & ~(uint64_t)0 >> (64 - width);
        to->low = has_low ? bit_at(row, low) : 0;
        to->high = has_high ? bit_at(row, high) : 0;
        if (!(to->bits | to->low | to->high)) continue;
        to->y = y, to->z = z;
        to->walls = walls_of(s, y, z);
        const uint64_t below = row[x / 64] & (((uint64_t)1 << shift) - 1);
        to->chamber = chamber_of + (numbering->base[word] - before) + __builtin_popcountll(below);
    }
}

/* Take the strips of a block and around it. @return false where it has no node: then not all are taken */
static bool surroundings_take(const sight *s, surroundings *b)
{
    const rill_geom *geom = s->domain->geom;
    const uint32_t rows = b->size[1] + 2, planes = b->size[2] + 2;
    uint64_t any = 0;
    for (uint32_t k = 1; k + 1 < planes; k++) {
        plane_take(s, b, b->first[2] + k - 1, b->strips + (size_t)k * rows);
        for (uint32_t j = 1; j + 1 < rows; j++) any |= b->strips[(size_t)k * rows + j].bits;
    }
    for (uint32_t k = 0; k < planes && any; k += planes - 1) {
        uint32_t z;
        if (coordinate_step(geom, 2, b->first[2], k, &z))
            plane_take(s, b, z, b->strips + (size_t)k * rows);
        else
            memset(b->strips + (size_t)k * rows, 0, rows * sizeof *b->strips);
    }
    return any != 0;
}

static int place_of(const surroundings *b, uint32_t y, uint32_t z)
{
    return (y == 0) | (y + 1 == b->size[1]) << 1 | (z == 0) << 2 | (z + 1 == b->size[2]) << 3;
}

/* Find where velocities lead out of blocks of a size. */
static void exits_take(const sight *s, const uint32_t size[3], exits *out)
{
    const int rows = (int)size[1] + 2;
    *out = (exits){.size = {size[0], size[1], size[2]}};
    for (int k = 0; k < s->way_count; k++) {
        const way *w = &s->ways[k];
        out->to[k] = w->c[2] * rows + w->c[1];
        for (int i = 0; i < w->between_count; i++)
            out->between[k][i] = w->between[i][2] * rows + w->between[i][1];
        for (int place = 0; place < PLACES; place++) {
            bool leaves = false;
            for (int a = 1; a < 3; a++) {
                const int ends = place >> (2 * (a - 1));
                leaves = leaves || (w->c[a] < 0 && (ends & 1)) || (w->c[a] > 0 && (ends & 2));
            }
            const uint64_t all = ~(uint64_t)0 >> (64 - size[0]), last = (uint64_t)1 << (size[0] - 1);
            const uint64_t bits = leaves ? all : w->c[0] > 0 ? last : w->c[0] < 0;
            if (!bits) continue;
            out->of[place][out->count[place]].way = k;
            out->of[place][out->count[place]++].bits = bits;
        }
    }
}

/* Return which voxels of a row have a node in a strip beside it, `step` farther along x. */
static uint64_t reached(const strip *t, int step, uint32_t width)
{
    const uint64_t after = t->bits >> 1 | t->high << (width - 1), before = t->bits << 1 | t->low;
    return step > 0 ? after : step < 0 ? before : t->bits;
}

/* Return at which of the given voxels of a row throats begin along a velocity: there is a node at its end,
 * and none between. */
static uint64_t begins(const sight *s, const surroundings *b, const strip *here, int number, uint64_t bits)
{
    const way *w = &s->ways[number];
    bits &= here->bits & reached(here + b->exits.to[number], w->c[0], b->size[0]);
    for (int k = 0; k < w->between_count; k++)
        bits &= ~reached(here + b->exits.between[number][k], w->between[k][0], b->size[0]);
    return bits;
}

/* Return which of two strips' voxels, `step` farther along x, have nodes on neither side. */
static uint64_t between_walls(const strip *below, const strip *above, int step, uint32_t width)
{
    return ~(reached(below, step, width) | reached(above, step, width));
}

/* Return which voxels of a row lie at a mirrored boundary along an axis: their images are their neighbours.
 */
static uint64_t mirrored(const sight *s, const surroundings *b, int axis, const uint32_t row[3])
{
    const rill_geom *geom = s->domain->geom;
    const bool low = b->first[axis] == 0, high = b->first[axis] + b->size[axis] == geom->n[axis];
    if (geom->sides[axis] != RILL_MIRROR) return 0;
    if (axis == 0) return (uint64_t)low | (uint64_t)high << (b->size[0] - 1);
    return (low && row[axis] == 0) || (high && row[axis] + 1 == b->size[axis]) ? ~(uint64_t)0 : 0;
}

/* Find along how many axes across a velocity neither voxels of a row nor those that it leads to have
 * neighbours.
 * @param[out] shut  bits of the voxels with one such axis at least, and with two */
static void shut_find(const sight *s, const surroundings *b, const strip *here, int number,
                      const uint32_t row[3], uint64_t shut[SHUT_MOST])
{
    const way *w = &s->ways[number];
    const strip *there = here + b->exits.to[number];
    const int rows = (int)b->size[1] + 2, width = (int)b->size[0];
    shut[0] = shut[1] = 0;
    if (w->axis < 0 || s->network->wide) return;
    for (int a = 0; a < 3; a++) {
        uint64_t bits = ~mirrored(s, b, a, row);
        if (a == w->axis) continue;
        for (int end = 0; end < 2; end++) {
            const strip *t = end ? there : here;
            const int step = end ? w->c[0] : 0, off = a == 1 ? 1 : rows;
            bits &= a == 0 ? ~(reached(t, 1, (uint32_t)width) | reached(t, -1, (uint32_t)width))
                           : between_walls(t - off, t + off, step, (uint32_t)width);
        }
        shut[1] |= shut[0] & bits;
        shut[0] |= bits;
    }
}

/* Return the chamber of voxel x of a strip, which is a node. */
static uint32_t chamber_at(const strip *t, int x)
{
    return t->chamber[__builtin_popcountll(t->bits & (((uint64_t)1 << x) - 1))];
}

/* The throat that was found last along a velocity: most voxels that follow belong to the same. */
typedef struct latest {
    uint32_t from, to; /* chambers; RILL_UPSTREAM_WALL: none yet */
    uint64_t throat;   /* its number among those that are found */
    double length;     /* between the centres along the axis of the velocity, 1 at least */
} latest;

static void latest_take(const sight *s, const way *w, uint32_t from, uint32_t to, uint64_t since, latest *l,
                        list *found)
{
    const rill_throat *t = throat_between(found, since, from, to);
    *l = (latest){.from = RILL_UPSTREAM_WALL};
    if (!t) return;
    *l = (latest){.from = from, .to = to, .throat = (uint64_t)(t - found->throat), .length = 1};
    if (w->axis < 0) return;
    const int a = w->axis;
    double length = w->c[a] * (s->network->centre[to][a] - s->network->centre[from][a]);
    if (length < 0) length += s->domain->geom->n[a];
    l->length = fmax(length, 1);
}

/* Add what passes from voxel x of a row along a velocity. @param shut  see face_conductance() */
static void look(const sight *s, const surroundings *b, const strip *here, uint32_t from, const strip *there,
                 int x, const way *w, int shut, uint64_t since, latest *l, list *found)
{
    const int step = x + w->c[0];
    uint32_t at = b->first[0] + (uint32_t)step, to;
    if (step >= 0 && step < (int)b->size[0]) {
        to = chamber_at(there, step);
    } else { /* a voxel of another block, or round the box */
        (void)coordinate_step(s->domain->geom, 0, b->first[0], (uint32_t)(step + 1), &at);
        to = rill_network_at(s->part, at, there->y, there->z);
    }
    if (to == from) return;
    if (from != l->from || to != l->to) latest_take(s, w, from, to, since, l, found);
    if (l->from == RILL_UPSTREAM_WALL) return;
    const uint8_t steps = here->walls[b->first[0] + (uint32_t)x], others = there->walls[at];
    found->throat[l->throat].conductance +=
        w->axis < 0 ? s->edge : s->face[shut][steps < others ? steps : others] / l->length;
}

/* Find the throats of a row of a block, voxel by voxel. */
static void row_look(const sight *s, const surroundings *b, uint32_t y, uint32_t z, uint64_t since,
                     latest lasts[WAYS_MOST], list *found)
{
    const strip *here = b->strips + (size_t)(z + 1) * (b->size[1] + 2) + y + 1;
    const int place = place_of(b, y, z);
    int ways[WAYS_MOST], count = 0; /* along which there is any */
    uint64_t some[WAYS_MOST], shut[WAYS_MOST][SHUT_MOST], any = 0;
    if (!here->bits) return;
    for (int k = 0; k < b->exits.count[place]; k++) {
        const int number = b->exits.of[place][k].way;
        some[count] = begins(s, b, here, number, b->exits.of[place][k].bits);
        any |= some[count];
        ways[count] = number;
        if (some[count]) shut_find(s, b, here, number, (uint32_t[3]){0, y, z}, shut[count]);
        count += some[count] != 0;
    }
    for (; any; any &= any - 1) {
        const int x = __builtin_ctzll(any);
        const uint32_t from = chamber_at(here, x);
        for (int k = 0; k < count; k++) {
            const way *w = &s->ways[ways[k]];
            const int walls = (int)(shut[k][0] >> x & 1) + (int)(shut[k][1] >> x & 1);
            if (some[k] >> x & 1)
                look(s, b, here, from, here + b->exits.to[ways[k]], x, w, walls, since, &lasts[ways[k]],
                     found);
        }
    }
}

/* Return along how many axes but one a voxel has no neighbours. */
static int shut_at(const sight *s, const uint32_t at[3], int axis)
{
    int shut = 0;
    for (int a = 0; a < 3; a++) {
        bool alone = a != axis;
        for (uint32_t step = 0; step <= 2 && alone; step += 2) {
            uint32_t beside[3] = {at[0], at[1], at[2]};
            alone = coordinate_step(s->domain->geom, a, at[a], step, &beside[a])
                        ? rill_network_at(s->part, beside[0], beside[1], beside[2]) == RILL_UPSTREAM_WALL
                        : s->domain->geom->sides[a] == RILL_WALL;
        }
        shut += alone;
    }
    return shut;
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
                outlet[c] += s->face[shut_at(s, at, axis)][wall_of(s, at)] /
                             fmax(fabs(wall - s->network->centre[c][axis]), 0.5);
            }
}

/* Find the throats of a block, and its outlets. */
static void block_look(const sight *s, uint64_t number, double *outlet, surroundings *b, list *found)
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
    for (int a = 0; a < 3; a++) b->first[a] = first[a], b->size[a] = last[a] - first[a];
    const uint64_t since = found->count;
    latest lasts[WAYS_MOST];
    for (int k = 0; k < WAYS_MOST; k++) lasts[k] = (latest){.from = RILL_UPSTREAM_WALL};
    if (!surroundings_take(s, b)) return;
    if (memcmp(b->exits.size, b->size, sizeof b->size) != 0) exits_take(s, b->size, &b->exits);
    for (uint32_t z = 0; z < b->size[2]; z++)
        for (uint32_t y = 0; y < b->size[1]; y++) row_look(s, b, y, z, since, lasts, found);
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
        lists[t].begin = network->throats;
        network->throats += lists[t].count;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 0; t < threads; t++) {
        list *l = &lists[t];
        if (l->count) memcpy(network->throat + l->begin, l->throat, l->count * sizeof *l->throat);
        l->count = 0;
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
    if (!lists) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the throats of a pore network"));
    ways_take(&s);
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
            surroundings around = {.strips = NULL};
            around.strips = malloc((size_t)(network->edge + 2) * (network->edge + 2) * sizeof *around.strips);
            mine->failed = mine->failed || !around.strips;
#pragma omp for schedule(static)
            for (int64_t k = layer * first; k < layer * (first + count); k++)
                if (around.strips && !network->abandoned)
                    block_look(&s, (uint64_t)k, network->outlet, &around, mine);
            free(around.strips);
        }
        RILL_TRY(rill_network_check(network));
        RILL_TRY(gather(lists, threads, network, &room));
    }
done:
    for (int t = 0; lists && t < threads; t++) free(lists[t].throat);
    free(lists);
    rill_array_destroy(s.walls);
    rill_permit_give(network->next);
    return status;
}

rill_status rill_network_find_outlets(const rill_domain *domain, const rill_network *network, int axis,
                                      bool upper, rill_network_part *part, double *outlet)
{
    rill_status status = RILL_OK;
    sight s = {.domain = domain, .network = network};
    const face f = face_of((uint32_t[3]){0, 0, 0}, domain->geom->n, axis, upper);
    ways_take(&s);
    RILL_TRY(sight_take(&s, part, 0, network->blocks[2]));
    leave(&s, &f, outlet);
done:
    rill_array_destroy(s.walls);
    return status;
}
