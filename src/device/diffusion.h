/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file diffusion.h
 * Loops over the nodes of a pore space for steady diffusion (diffusion/solve.c), on processors or on a GPU:
 * one source for both, and the same bits. The finite volumes are those of the voxels, whose neighbours are
 * found by rank in the bitmap of the nodes.
 *
 * What is solved for is the deviation c of the concentration from a mean gradient that falls by 1 per voxel
 * along an axis, A c = b. From a node i to its neighbour j flows g (c_i - c_j + e), where e is 1 for a
 * neighbour in front of it along the axis, -1 behind it, else 0.
 */
#ifndef RILL_DEVICE_DIFFUSION_H
#define RILL_DEVICE_DIFFUSION_H

#include "device/balance.h"

/** Of the conductance between chambers that of their faces. Joined as they are (Galerkin), what is two voxels
 * apart would conduct twice as much. A power of 2: the conductances are exact. */
#define RILL_DIFFUSION_BETWEEN 0.5

#define RILL_DIFFUSION_NONE UINT32_MAX /**< row of a node that is on no coarser level */

/** Of a sweep of Jacobi, as RILL_FLOW_DAMPING. */
#define RILL_DIFFUSION_DAMPING 0.9

/** Faces of a voxel (-x, +x, -y, +y, -z, +z); kinds of voxels, at most. */
enum { RILL_DIFFUSION_FACES = 6, RILL_DIFFUSION_KINDS = 32 };

/** Sums that the nodes of a word are added to, one after the other: on a GPU each is a thread of a warp. */
enum { RILL_DIFFUSION_LANES = 32 };

/** What holds the values at both ends of the axis. */
typedef enum rill_diffusion_ends {
    RILL_ENDS_NONE,  /**< nothing: it is periodic */
    RILL_ENDS_FACES, /**< c = 0 on the faces, half a voxel outside */
    RILL_ENDS_NODES  /**< c = 0 in the first and the last slice */
} rill_diffusion_ends;

/** The nodes, and what is between them. Plain data; arrays belong to others. */
typedef struct rill_diffusion_grid {
    uint32_t n[3];            /**< cells of the bitmap: a solid layer behind those that are not periodic */
    uint32_t last[3];         /**< last voxel along each axis */
    uint32_t words;           /**< of a row */
    const uint64_t *occupied; /**< [n z][n y][words], as rill_numbering, as the next */
    const uint32_t *base;
    const uint8_t *kind;   /**< [nodes], of each; NULL: all conduct 1 */
    const double *between; /**< [KINDS][KINDS], conductance of a face between two kinds */
    int axis;
    rill_diffusion_ends ends;
} rill_diffusion_grid;

/** What is done to every node. */
typedef enum rill_diffusion_work {
    RILL_DIFFUSION_BEGIN,    /**< found and direction 0, residual b; first smoothing step into `step` */
    RILL_DIFFUSION_GO,       /**< found and residual along the direction; first smoothing step into `step` */
    RILL_DIFFUSION_RESTRICT, /**< what the first smoothing step leaves, summed up in chambers */
    RILL_DIFFUSION_PILE,     /**< the residual, and what conducts to the ends, summed up in chambers */
    RILL_DIFFUSION_SHARE,  /**< flows between chambers shared out, the rest along trees; sums up their energy
                            */
    RILL_DIFFUSION_FINISH, /**< second smoothing step of `step` into `outcome`; sums residual outcome */
    RILL_DIFFUSION_MULTIPLY, /**< A direction into `step`; sums up direction step */
    RILL_DIFFUSION_RESIDUAL, /**< residual of what is in `found`; first smoothing step into `step` */
    RILL_DIFFUSION_ENERGY,   /**< sums up what flows in `found` times what does in `other` / conductance */
    RILL_DIFFUSION_TURN,     /**< outcome + factor direction, the next direction */
    RILL_DIFFUSION_PROLONG,  /**< values of chambers added to `step` of their nodes */
    RILL_DIFFUSION_COUNT,    /**< counts the chambers of rows of blocks, see device/diffusion_blocks.h */
    RILL_DIFFUSION_LABEL,    /**< numbers them */
    RILL_DIFFUSION_LINKS,    /**< counts their links */
    RILL_DIFFUSION_LIST,     /**< lists these */
    RILL_DIFFUSION_WORKS
} rill_diffusion_work;

/** What is counted, and what the next ones are. */
typedef struct rill_block_sums {
    uint32_t large, small; /**< chambers; of links `large` alone */
} rill_block_sums;

/** What a loop works with: arrays of all nodes. */
typedef struct rill_diffusion {
    rill_diffusion_grid grid;
    double *found, *residual, *direction, *step, *outcome;
    const double *other; /**< of RILL_DIFFUSION_ENERGY: a field for a gradient along `other_axis` */
    int other_axis;
    uint32_t *coarse;      /**< row of each node on the level of the chambers */
    rill_flow_level level; /**< that level */
    bool small;            /**< while chambers are made: those of blocks of 2^3 voxels, else of 4^3 */
    rill_block_sums
        *before;        /**< [rows of blocks + 1], what is counted in each; then what is in those before */
    uint32_t *small_of; /**< [large chambers + 1], first small chamber of each */
    double *outlet;     /**< [large chambers], conductances to what is held */
    const double *flow; /**< of its links, see rill_balance_level */
    double *partial;    /**< [rows of voxels, z y], or of pairs of them, sums */
    double factor;
} rill_diffusion;

/** 64 cells of a row, and what is beside them. */
typedef struct rill_diffusion_word {
    uint64_t here, side[RILL_DIFFUSION_FACES]; /**< bits: a node is there, and on that side of it */
    uint32_t from[RILL_DIFFUSION_FACES];       /**< node of the first bit there; of x: that across the end */
    uint32_t first;                            /**< node of the first bit here */
} rill_diffusion_word;

/** Return the number of bits set. */
RILL_FN uint32_t rill_diffusion_count(const uint64_t bits)
{
#if defined(__CUDA_ARCH__)
    return (uint32_t)__popcll((long long)bits);
#else
    return (uint32_t)__builtin_popcountll(bits);
#endif
}

/** See word w of a row. */
RILL_FN rill_diffusion_word rill_diffusion_look(const rill_diffusion_grid *g, const uint32_t w,
                                                const uint32_t y, const uint32_t z)
{
    const uint32_t ys[2] = {y > 0 ? y - 1 : g->n[1] - 1, y + 1 < g->n[1] ? y + 1 : 0};
    const uint32_t zs[2] = {z > 0 ? z - 1 : g->n[2] - 1, z + 1 < g->n[2] ? z + 1 : 0};
    const size_t row = ((size_t)z * g->n[1] + y) * g->words, at = row + w, end = row + g->words - 1;
    const uint32_t top = (g->n[0] - 1) % 64; /* bit of the last cell of the row */
    rill_diffusion_word o;
    o.here = g->occupied[at];
    o.first = g->base[at];
    const uint64_t before = w > 0 ? g->occupied[at - 1] >> 63 : g->occupied[end] >> top & 1;
    o.side[0] = o.here << 1 | before;
    o.side[1] = o.here >> 1;
    if (at == end)
        o.side[1] |= (g->occupied[row] & 1) << top;
    else
        o.side[1] |= g->occupied[at + 1] << 63;
    o.from[0] = g->base[end] + rill_diffusion_count(g->occupied[end]) - 1;
    o.from[1] = g->base[row];
    for (int k = 0; k < 2; k++) {
        const size_t aty = ((size_t)z * g->n[1] + ys[k]) * g->words + w;
        const size_t atz = ((size_t)zs[k] * g->n[1] + y) * g->words + w;
        o.side[2 + k] = g->occupied[aty], o.from[2 + k] = g->base[aty];
        o.side[4 + k] = g->occupied[atz], o.from[4 + k] = g->base[atz];
    }
    return o;
}

/** Return the node on a side of node i, at bit b of a word at cell x; i itself where there is none. */
RILL_FN uint32_t rill_diffusion_beside(const rill_diffusion_grid *g, const rill_diffusion_word *o,
                                       const int side, const uint32_t b, const uint32_t x, const uint32_t i)
{
    uint32_t rank = o->from[side];
    if (side == 0)
        rank = x > 0 ? i - 1 : rank;
    else if (side == 1)
        rank = x + 1 < g->n[0] ? i + 1 : rank;
    else
        rank += rill_diffusion_count(o->side[side] & (((uint64_t)1 << b) - 1));
    return o->side[side] >> b & 1 ? rank : i;
}

/** Return 1 where a bit is set, else 0: without a branch, which processors would guess wrongly at walls. */
RILL_FN double rill_diffusion_one(const uint64_t bits, const uint32_t b)
{
    return (double)(int)(bits >> b & 1);
}

/** A node with what it exchanges with others. */
typedef struct rill_diffusion_node {
    uint32_t i, beside[RILL_DIFFUSION_FACES]; /**< itself where there is none */
    double to[RILL_DIFFUSION_FACES];          /**< conductance; 0: none */
    double own;                               /**< of its kind */
    double all;                               /**< sum of the conductances, those to the ends, too */
    double end[2];                            /**< to the faces at the ends */
    bool held;                                /**< it is in a slice whose values are given */
} rill_diffusion_node;

/** See node i at bit b of a word. @param many  there are several kinds */
RILL_FN rill_diffusion_node rill_diffusion_see(const bool many, const rill_diffusion_grid *g,
                                               const rill_diffusion_word *o, const uint32_t b,
                                               const uint32_t w, const uint32_t y, const uint32_t z,
                                               const uint32_t i)
{
    rill_diffusion_node node;
    const uint32_t x = w * 64 + b, place = g->axis == 0 ? x : g->axis == 1 ? y : z;
    const bool low = place == 0, high = place == g->last[g->axis];
    node.i = i;
    node.own = many ? g->between[g->kind[i] * (RILL_DIFFUSION_KINDS + 1)] : 1;
    node.held = g->ends == RILL_ENDS_NODES && (low || high);
    node.end[0] = g->ends == RILL_ENDS_FACES && low ? 2 * node.own : 0;
    node.end[1] = g->ends == RILL_ENDS_FACES && high ? 2 * node.own : 0;
    node.all = node.end[0] + node.end[1];
    RILL_UNROLL
    for (int s = 0; s < RILL_DIFFUSION_FACES; s++) {
        const uint32_t j = node.beside[s] = rill_diffusion_beside(g, o, s, b, x, i);
        node.to[s] = rill_diffusion_one(o->side[s], b);
        if (many) node.to[s] *= g->between[g->kind[i] * RILL_DIFFUSION_KINDS + g->kind[j]];
        node.all += node.to[s];
    }
    return node;
}

/** Return what comes in from the neighbours of a node. */
RILL_FN double rill_diffusion_inflow(const rill_diffusion_node *node, const double *x)
{
    double sum = 0;
    RILL_UNROLL
    for (int s = 0; s < RILL_DIFFUSION_FACES; s++) sum += node->to[s] * x[node->beside[s]];
    return sum;
}

/** Return e of a face: what the mean gradient adds to the difference across it. */
RILL_FN double rill_diffusion_drop(const rill_diffusion_grid *g, const int side)
{
    return side / 2 != g->axis ? 0 : side % 2 ? -1 : 1;
}

/** Return b of a node: what the mean gradient lets pile up there. */
RILL_FN double rill_diffusion_piled(const rill_diffusion_grid *g, const rill_diffusion_node *node)
{
    double sum = 0; /* of all faces: an index that is not a constant would put the node into memory */
    RILL_UNROLL
    for (int s = 0; s < RILL_DIFFUSION_FACES; s++) sum += node->to[s] * rill_diffusion_drop(g, s);
    return sum + 0.5 * (node->end[0] - node->end[1]);
}

/** Return what piles up at a node in a field: a sum of flows, each of a difference. The products with its
 * values would round by more than flows between poor conductors beside good ones. */
RILL_FN double rill_diffusion_left(const rill_diffusion_grid *g, const rill_diffusion_node *node,
                                   const double *x)
{
    const double own = x[node->i];
    double sum = node->end[0] * (0.5 - own) - node->end[1] * (0.5 + own);
    RILL_UNROLL
    for (int s = 0; s < RILL_DIFFUSION_FACES; s++)
        sum += node->to[s] * (x[node->beside[s]] - own + rill_diffusion_drop(g, s));
    return sum;
}

/** Return the products of two flows from a node to those in front of it, over the conductances, and to the
 * ends. */
RILL_FN double rill_diffusion_energy(const rill_diffusion *f, const rill_diffusion_node *node)
{
    const double *c = f->found, *d = f->other;
    const uint32_t i = node->i;
    double sum = 0;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        const uint32_t j = node->beside[2 * a + 1];
        sum +=
            node->to[2 * a + 1] * (c[i] - c[j] + (a == f->grid.axis)) * (d[i] - d[j] + (a == f->other_axis));
    }
    return sum + node->end[0] * (0.5 - c[i]) * (0.5 - d[i]) + node->end[1] * (0.5 + c[i]) * (0.5 + d[i]);
}

/** First smoothing step of a node, from 0. */
RILL_FN double rill_diffusion_forward(const double all, const double residual)
{
    return all > 0 ? RILL_DIFFUSION_DAMPING * residual / all : 0;
}

/** Second smoothing step of a node, into which `in` comes. */
RILL_FN double rill_diffusion_back(const double all, const double old, const double in)
{
    return old + RILL_DIFFUSION_DAMPING * (in / all - old);
}

/** Add a node to what piles up in its chamber, and to what that conducts to the ends. */
RILL_FN void rill_diffusion_pile(const rill_diffusion *f, const rill_diffusion_node *node)
{
    const uint32_t own = f->coarse[node->i];
    double ends = node->end[0] + node->end[1];
    if (own == RILL_DIFFUSION_NONE) return;
    if (f->grid.ends == RILL_ENDS_NODES)
        for (int s = 0; s < RILL_DIFFUSION_FACES; s++)
            ends += f->coarse[node->beside[s]] == RILL_DIFFUSION_NONE ? node->to[s] : 0;
    f->level.given[own] += f->residual[node->i];
    f->level.old[own] += RILL_DIFFUSION_BETWEEN * ends;
}

/** Do some work to a node. @return what is summed up, if anything */
RILL_FN double rill_diffusion_do(const rill_diffusion_work work, const rill_diffusion *f,
                                 const rill_diffusion_node *node)
{
    const uint32_t i = node->i;
    switch (work) {
    case RILL_DIFFUSION_BEGIN:
        f->found[i] = f->direction[i] = 0;
        f->residual[i] = node->held ? 0 : rill_diffusion_piled(&f->grid, node);
        f->step[i] = rill_diffusion_forward(node->all, f->residual[i]);
        break;
    case RILL_DIFFUSION_GO:
        f->found[i] += f->factor * f->direction[i];
        f->residual[i] -= f->factor * f->step[i];
        f->step[i] = rill_diffusion_forward(node->all, f->residual[i]);
        break;
    case RILL_DIFFUSION_RESTRICT:
        if (f->coarse[i] != RILL_DIFFUSION_NONE)
            f->level.given[f->coarse[i]] +=
                f->residual[i] - node->all * f->step[i] + rill_diffusion_inflow(node, f->step);
        break;
    case RILL_DIFFUSION_PILE:
        rill_diffusion_pile(f, node);
        break;
    case RILL_DIFFUSION_FINISH: {
        const double in = f->residual[i] + rill_diffusion_inflow(node, f->step);
        f->outcome[i] = node->held || node->all == 0 ? 0 : rill_diffusion_back(node->all, f->step[i], in);
        return f->residual[i] * f->outcome[i];
    }
    case RILL_DIFFUSION_MULTIPLY:
        f->step[i] = node->held ? 0 : node->all * f->direction[i] - rill_diffusion_inflow(node, f->direction);
        return f->direction[i] * f->step[i];
    case RILL_DIFFUSION_RESIDUAL:
        f->residual[i] = node->held ? 0 : rill_diffusion_left(&f->grid, node, f->found);
        f->step[i] = rill_diffusion_forward(node->all, f->residual[i]);
        break;
    case RILL_DIFFUSION_ENERGY:
        return rill_diffusion_energy(f, node);
    case RILL_DIFFUSION_SHARE:
    case RILL_DIFFUSION_TURN:
    case RILL_DIFFUSION_PROLONG:
    case RILL_DIFFUSION_COUNT:
    case RILL_DIFFUSION_LABEL:
    case RILL_DIFFUSION_LINKS:
    case RILL_DIFFUSION_LIST:
    case RILL_DIFFUSION_WORKS:
        break;
    }
    return 0;
}

/** Do a work that sees no neighbours to node i. */
RILL_FN void rill_diffusion_alone(const rill_diffusion_work work, const rill_diffusion *f, const uint64_t i)
{
    if (work == RILL_DIFFUSION_TURN)
        f->direction[i] = f->outcome[i] + f->factor * f->direction[i];
    else if (f->coarse[i] != RILL_DIFFUSION_NONE)
        f->step[i] += f->level.value[f->coarse[i]];
}

/** Set what is summed up in chambers to 0. */
RILL_FN void rill_diffusion_clear(const rill_diffusion_work work, const rill_diffusion *f, const uint32_t i)
{
    if (f->coarse[i] == RILL_DIFFUSION_NONE) return;
    f->level.given[f->coarse[i]] = 0;
    if (work == RILL_DIFFUSION_PILE) f->level.old[f->coarse[i]] = 0;
}

/** Set what is summed up in chambers to 0, or add two nodes, at bits b and b + 1 of word w of a row. A block
 * of 2^3 voxels has all nodes of its chambers: it adds up its four rows in their order. */
RILL_FN void rill_diffusion_restrict(const rill_diffusion_work work, const bool clear, const bool many,
                                     const rill_diffusion *f, const rill_diffusion_word *word,
                                     const uint32_t b, const uint32_t w, const uint32_t y, const uint32_t z)
{
    uint32_t i = word->first + rill_diffusion_count(word->here & (((uint64_t)1 << b) - 1));
    for (uint32_t at = b; at < b + 2; at++) {
        if (!(word->here >> at & 1)) continue;
        if (!clear) {
            const rill_diffusion_node node = rill_diffusion_see(many, &f->grid, word, at, w, y, z, i);
            rill_diffusion_do(work, f, &node);
        } else
            rill_diffusion_clear(work, f, i);
        i++;
    }
}

/** Return the pairs of rows, in y and z. */
RILL_FN uint32_t rill_diffusion_pairs(const rill_diffusion_grid *g)
{
    return ((g->n[1] + 1) / 2) * ((g->n[2] + 1) / 2);
}

/** Return y (axis 1) or z (2) of the first row of pair k. */
RILL_FN uint32_t rill_diffusion_pair(const rill_diffusion_grid *g, const uint64_t k, const int axis)
{
    const uint32_t along = (g->n[1] + 1) / 2;
    return 2 * (uint32_t)(axis == 1 ? k % along : k / along);
}

/** See word w of row m, 0 ... 3, of a pair; it is empty where there is no such row. */
RILL_FN rill_diffusion_word rill_diffusion_look_at(const rill_diffusion_grid *g, const uint32_t w,
                                                   const uint32_t y, const uint32_t z, const uint32_t m)
{
    rill_diffusion_word word = {0};
    return y + m % 2 < g->n[1] && z + m / 2 < g->n[2] ? rill_diffusion_look(g, w, y + m % 2, z + m / 2)
                                                      : word;
}

/** Share out the flows of a node's chamber. @param[in,out] energy  of them @return what then is left in it */
RILL_FN double rill_diffusion_rest(const rill_diffusion *f, const rill_diffusion_node *node, double *energy)
{
    const rill_flow_level *l = &f->level;
    const uint32_t own = f->coarse[node->i];
    const double ends = node->end[0] + node->end[1];
    const double leaves = l->old[own] > 0 ? RILL_DIFFUSION_BETWEEN * l->value[own] / l->old[own] : 0;
    double left = f->residual[node->i] - leaves * ends, sum = leaves * leaves * ends;
    RILL_UNROLL
    for (int s = 0; s < RILL_DIFFUSION_FACES; s++) {
        const uint32_t other = f->coarse[node->beside[s]];
        if (node->to[s] == 0 || other == own) continue;
        double per = leaves; /* flow per conductance */
        if (other != RILL_DIFFUSION_NONE) {
            const uint32_t k = rill_balance_link(l, own, other);
            per = RILL_DIFFUSION_BETWEEN * f->flow[k] / l->link[k].conductance;
        }
        left -= per * node->to[s];
        /* The other side of a face between chambers counts it, too. */
        sum += (other == RILL_DIFFUSION_NONE ? 1 : 0.5) * per * per * node->to[s];
    }
    *energy += sum;
    return left;
}

/** The nodes of a block of 2^3 voxels, x + 2 y + 4 z. */
typedef struct rill_diffusion_octet {
    double left[8], own[8]; /**< what is left in each, and the conductance of its kind */
    uint32_t chamber[8];    /**< RILL_DIFFUSION_NONE: there is none */
} rill_diffusion_octet;

/** Let what is left in the nodes of a block flow along trees, one for each chamber, towards its first node.
 * @return energy */
RILL_FN double rill_diffusion_trees(rill_diffusion_octet *block)
{
    uint32_t beside[3] = {0, 0, 0}, roots = 0, depth = 0; /* bits: the one in front is of the same chamber */
    double sum = 0;
    RILL_UNROLL
    for (uint32_t q = 0; q < 8; q++) {
        bool root = block->chamber[q] != RILL_DIFFUSION_NONE;
        RILL_UNROLL
        for (uint32_t p = 0; p < 8; p++) root = root && (p >= q || block->chamber[p] != block->chamber[q]);
        roots |= (uint32_t)root << q;
        RILL_UNROLL
        for (uint32_t a = 0; a < 3; a++)
            if (!(q >> a & 1) && block->chamber[q] != RILL_DIFFUSION_NONE)
                beside[a] |= (uint32_t)(block->chamber[q] == block->chamber[q | 1u << a]) << q;
    }
    uint64_t layers = roots; /* 8 bits each, of nodes that are so many faces away */
    for (uint32_t seen = roots, front = roots; front; seen |= front) {
        uint32_t next = 0;
        RILL_UNROLL
        for (uint32_t a = 0; a < 3; a++)
            next |= (front & beside[a]) << (1u << a) | (front >> (1u << a) & beside[a]);
        front = next & ~seen;
        if (front) layers |= (uint64_t)front << 8 * ++depth;
    }
    for (; depth > 0; depth--) {
        const uint32_t here = (uint32_t)(layers >> 8 * depth), before = (uint32_t)(layers >> 8 * (depth - 1));
        RILL_UNROLL
        for (uint32_t q = 0; q < 8; q++) {
            if (!(here >> q & 1)) continue;
            bool gone = false;
            sum += block->left[q] * block->left[q] / block->own[q];
            RILL_UNROLL
            for (uint32_t a = 0; a < 3; a++) {
                const uint32_t p = q ^ 1u << a;
                if (gone || !(before >> p & 1) || !(beside[a] >> (q & p) & 1)) continue;
                block->left[p] += block->left[q];
                gone = true;
            }
        }
    }
    return sum;
}

/** Find flows between the nodes of a block, at bits b and b + 1 of word w of the rows of a pair. @return
 * their energy */
RILL_FN double rill_diffusion_share(const bool many, const rill_diffusion *f, const uint32_t b,
                                    const uint32_t w, const uint32_t y, const uint32_t z)
{
    rill_diffusion_octet block;
    double sum = 0;
    RILL_UNROLL
    for (uint32_t m = 0; m < 4; m++) {
        const rill_diffusion_word word = rill_diffusion_look_at(&f->grid, w, y, z, m);
        uint32_t i = word.first + rill_diffusion_count(word.here & (((uint64_t)1 << b) - 1));
        RILL_UNROLL
        for (uint32_t e = 0; e < 2; e++) {
            const bool has = word.here >> (b + e) & 1;
            const uint32_t q = 2 * m + e;
            block.chamber[q] = has ? f->coarse[i] : RILL_DIFFUSION_NONE;
            block.left[q] = 0;
            block.own[q] = 1;
            if (block.chamber[q] != RILL_DIFFUSION_NONE) {
                const rill_diffusion_node node =
                    rill_diffusion_see(many, &f->grid, &word, b + e, w, y + m % 2, z + m / 2, i);
                block.left[q] = rill_diffusion_rest(f, &node, &sum);
                block.own[q] = node.own;
            }
            i += has;
        }
    }
    return sum + rill_diffusion_trees(&block);
}

/** Return whether a work is done to pairs of rows. */
RILL_CONSTANT_FN bool rill_diffusion_is_paired(const rill_diffusion_work work)
{
    return work == RILL_DIFFUSION_RESTRICT || work == RILL_DIFFUSION_PILE || work == RILL_DIFFUSION_SHARE;
}

/** Return whether a work sums up products. */
RILL_CONSTANT_FN bool rill_diffusion_sums(const rill_diffusion_work work)
{
    return work == RILL_DIFFUSION_FINISH || work == RILL_DIFFUSION_MULTIPLY ||
           work == RILL_DIFFUSION_ENERGY || work == RILL_DIFFUSION_SHARE;
}

/** Return whether a work sees no neighbours. */
RILL_CONSTANT_FN bool rill_diffusion_is_alone(const rill_diffusion_work work)
{
    return work == RILL_DIFFUSION_TURN || work == RILL_DIFFUSION_PROLONG;
}

/** Return whether a work is done to rows of blocks. */
RILL_CONSTANT_FN bool rill_diffusion_is_blocked(const rill_diffusion_work work)
{
    return work == RILL_DIFFUSION_COUNT || work == RILL_DIFFUSION_LABEL || work == RILL_DIFFUSION_LINKS ||
           work == RILL_DIFFUSION_LIST;
}

/** Edge of a large block in voxels, which has so many rows of them. */
enum { RILL_BLOCK_EDGE = 4, RILL_BLOCK_ROWS = 16 };

/** Return the rows of blocks. */
RILL_FN uint32_t rill_block_rows(const rill_diffusion_grid *g)
{
    return ((g->n[1] + RILL_BLOCK_EDGE - 1) / RILL_BLOCK_EDGE) *
           ((g->n[2] + RILL_BLOCK_EDGE - 1) / RILL_BLOCK_EDGE);
}

/** Return the rows of voxels. */
RILL_FN uint32_t rill_diffusion_rows(const rill_diffusion_grid *g) { return g->n[1] * g->n[2]; }

/** Do some work to all nodes. @param device  whose memory the arrays are in; NULL: the host's */
rill_status rill_diffusion_nodes(const rill_device *device, rill_diffusion_work work, const rill_diffusion *f,
                                 uint64_t nodes);

/** What sums of rows are summed up to, so that little is copied from a GPU: number k is that of rows k,
 * k + RILL_DIFFUSION_SUMS, and so on. */
enum { RILL_DIFFUSION_SUMS = 4096 };

/** Sum up. @param partial  [rows] @param[out] sums  [RILL_DIFFUSION_SUMS] where `partial` is */
rill_status rill_diffusion_sum(const rill_device *device, const double *partial, uint32_t rows, double *sums);

/** Do some work on nodes, rows, pairs of rows or rows of blocks first ... end - 1, see
 * rill_diffusion_is_alone(), rill_diffusion_is_paired() and rill_diffusion_is_blocked(). What has neighbours
 * is read up to RILL_DIFFUSION_BEHIND values behind its end.
 */
typedef void rill_diffusion_level(rill_diffusion_work work, const rill_diffusion *f, uint64_t first,
                                  uint64_t end);

enum { RILL_DIFFUSION_BEHIND = 8 };

/* One for each x86-64 level that the build has. */
#define RILL_DIFFUSION_LEVEL(level) RILL_DIFFUSION_LEVEL_(level)
#define RILL_DIFFUSION_LEVEL_(level) rill_diffusion_level_##level
extern rill_diffusion_level RILL_DIFFUSION_LEVEL(v2), RILL_DIFFUSION_LEVEL(v3), RILL_DIFFUSION_LEVEL(v4);

#ifdef RILL_HAVE_CUDA
/** Start to do some work to all nodes, on a GPU. */
rill_status rill_cuda_diffusion_nodes(const rill_device *device, rill_diffusion_work work,
                                      const rill_diffusion *f, uint64_t nodes);

/** Start to sum up, on a GPU. */
rill_status rill_cuda_diffusion_sum(const rill_device *device, const double *partial, uint32_t rows,
                                    double *sums);
#endif

#endif
