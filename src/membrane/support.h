/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file support.h
 * The nodes that the vertices of membranes act on, and those vertices are moved by: interpolation between
 * vertices and nodes with a kernel of 2, 3 or 4 nodes along each axis (Peskin 2002,
 * doi:10.1017/S0962492902000077; Roma, Peskin & Berger 1999, doi:10.1006/jcph.1999.6293).
 *
 * Forces of vertices are added up as integers, so that sums are the same bits in any order, and for any
 * number of threads.
 */
#ifndef RILL_MEMBRANE_SUPPORT_H
#define RILL_MEMBRANE_SUPPORT_H

#include "domain/numbering.h"

/** Widths of kernels, along an axis. */
enum { RILL_KERNEL_LEAST = 2, RILL_KERNEL_MOST = 4 };

/** Forces are multiples of this, lu: 1e-15; sums are below 8,192 in size. */
#define RILL_SUPPORT_UNIT 0x1p-50

/** The nodes within reach of any vertex, in ascending order. */
typedef struct rill_support {
    const rill_numbering *numbering; /**< not owned */
    int width;                       /**< of the kernel */
    bool open[3];                    /**< the box is periodic along the axis */
    uint64_t *marks;                 /**< [words], a bit for each node of the domain */
    rill_node *before;               /**< [words], nodes within reach before those of the word */
    uint64_t words;
    rill_node count; /**< nodes within reach */
    uint64_t room;
    rill_node *node;       /**< [room] */
    int64_t (*force)[3];   /**< [room], in RILL_SUPPORT_UNIT */
    double (*velocity)[3]; /**< [room], lu */
} rill_support;

/** Where a vertex has its nodes. */
typedef struct rill_stencil {
    int32_t first[3]; /**< cell of the first node along each axis, which may lie outside of a periodic box */
    double weight[3][RILL_KERNEL_MOST];
} rill_stencil;

/** Return the stencil of a place, in voxels from the corner of the box: nodes are in the middle of voxels. */
rill_stencil rill_stencil_of(int width, const double x[3]);

/** Begin with no node. @param open  see rill_support @return RILL_USAGE for another width, RILL_SYSTEM */
rill_status rill_support_create(const rill_numbering *numbering, const bool open[3], int width,
                                rill_support *out);

/** Free it; zeroed ones are allowed. */
void rill_support_destroy(rill_support *support);

/** Find the nodes within reach of vertices, with no force and no velocity. */
rill_status rill_support_find(rill_support *support, const double (*x)[3], uint64_t count);

/** Add the forces of these vertices to those of nodes. What would act on a wall is left out. */
void rill_support_spread(const rill_support *support, const double (*x)[3], const double (*force)[3],
                         uint64_t count);

/**
 * Interpolate velocities of nodes at these vertices; walls count as at rest.
 * @param[out] force  [count], forces of nodes as well; may be NULL
 */
void rill_support_interpolate(const rill_support *support, const double (*x)[3], uint64_t count,
                              double (*velocity)[3], double (*force)[3]);

/** Return the place of a node in the list, RILL_UPSTREAM_WALL where it is not within reach. */
static inline rill_node rill_support_at(const rill_support *support, rill_node node)
{
    const uint64_t marks = support->marks[node / 64], bit = (uint64_t)1 << (node % 64);
    return marks & bit ? support->before[node / 64] + (rill_node)__builtin_popcountll(marks & (bit - 1))
                       : RILL_UPSTREAM_WALL;
}

/** Return the force on place k of the list. */
static inline double rill_support_force(const rill_support *support, rill_node k, int axis)
{
    return RILL_SUPPORT_UNIT * (double)support->force[k][axis];
}

#endif
