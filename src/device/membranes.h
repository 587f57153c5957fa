/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file membranes.h
 * Loops over the vertices of membranes and over the nodes around them (membrane/membrane.c), on processors or
 * on a GPU: one source for both, and the same bits. docs/capsules.md says what happens in a step, and its
 * sources.
 */
#ifndef RILL_DEVICE_MEMBRANES_H
#define RILL_DEVICE_MEMBRANES_H

#include "core/status.h"
#include "kernel/launch.h"

/** What stretches in the plane. */
typedef enum rill_membrane_law { RILL_NEO_HOOKEAN, RILL_SKALAK } rill_membrane_law;

/** Properties of a membrane, lu; 0: none. */
typedef struct rill_elastic_options {
    rill_membrane_law law;
    double shear;      /**< G, force per length */
    double dilatation; /**< C of Skalak's law */
    double bending;    /**< kappa, energy */
    double area;       /**< k_A, force per length */
    double volume;     /**< k_V, force per area */
    bool flat;         /**< no curvature at rest: H_i = 0, not that of the mesh */
} rill_elastic_options;

/** What is around each vertex of a mesh, in ascending order. */
typedef struct rill_membrane_ring {
    uint32_t *first; /**< [vertices + 1] */
    uint32_t *entry;
} rill_membrane_ring;

/** A mesh at rest. Arrays are the device's that works on it. */
typedef struct rill_elastic {
    uint32_t vertex_count, triangle_count, edge_count;
    const uint32_t (*triangles)[3]; /**< not owned, as the next: see membrane/mesh.h */
    const uint32_t (*edges)[4];
    rill_membrane_ring corners; /**< 3 t + k: it is corner k of triangle t */
    rill_membrane_ring hinges;  /**< 4 e + k: it is vertex k of edge e */
    double (*inverse)[3];       /**< [triangles], inverse metric: 11, 12, 22 */
    double *rest;               /**< [triangles], area at rest */
    double *curvature;          /**< [vertices], H_i */
    double area, volume;        /**< at rest */
    rill_elastic_options options;
} rill_elastic;

/** The voxels of a domain, as rill_numbering has them. */
typedef struct rill_membrane_box {
    uint32_t n[3];
    bool open[3]; /**< it is periodic along the axis */
    size_t row_words;
    const uint64_t *occupied;
    const rill_node *base;
} rill_membrane_box;

/** Widths of kernels, along an axis. */
enum { RILL_KERNEL_LEAST = 2, RILL_KERNEL_MOST = 4 };

/** Forces are multiples of this, lu: 1e-15; sums are below 8,192 in size. */
#define RILL_SUPPORT_UNIT 0x1p-50

/** Positions, voxels, and forces of a vertex beyond which a membrane has diverged: cells have 32 bits, and
 * sums of forces hold 2^13. */
#define RILL_MEMBRANE_POSITION_MOST 1e8
#define RILL_MEMBRANE_FORCE_MOST 64.0

/** What loops say to their caller. */
typedef struct rill_membrane_tally {
    uint32_t count;  /**< nodes within reach */
    uint32_t failed; /**< not 0: a position or a force is beyond the limits, once and for all */
} rill_membrane_tally;

/** The nodes within reach of any vertex, in ascending order. */
typedef struct rill_support {
    rill_device *device; /**< NULL: the host. Not owned */
    rill_membrane_box box;
    int width;        /**< of the kernel */
    uint64_t *marks;  /**< [words], a bit for each node of the domain */
    uint32_t *before; /**< [words], nodes within reach before those of the word */
    uint32_t *sums;   /**< see rill_membrane_sums() */
    uint64_t words;
    rill_node count; /**< nodes within reach */
    uint64_t room;
    rill_node *node;            /**< [room] */
    int64_t (*force)[3];        /**< [room], in RILL_SUPPORT_UNIT */
    double (*velocity)[3];      /**< [room], lu */
    rill_membrane_tally *tally; /**< of the device */
    rill_membrane_tally seen;   /**< as last read */
} rill_support;

/** Contact between membranes in a box. */
typedef struct rill_membrane_contact {
    rill_device *device; /**< NULL: the host. Not owned */
    uint32_t n[3];       /**< voxels of the box */
    bool open[3];        /**< it is periodic along the axis */
    uint32_t cells[3];
    double range;     /**< voxels */
    double strength;  /**< force, lu */
    uint64_t room;    /**< vertices; 0: there is no contact */
    uint32_t *first;  /**< [cells + 1], place behind the last vertex of a cell */
    uint32_t *vertex; /**< [room], by cells, in ascending order */
    uint32_t *sums;   /**< see rill_membrane_sums() */
} rill_membrane_contact;

/** Numbers that are added up. */
typedef struct rill_membrane_scan {
    uint32_t *values; /**< [count], to be replaced by the sums of those before */
    uint64_t count;
    uint32_t *sums;  /**< of chunks; NULL: there is one */
    uint32_t *total; /**< set to the sum of all; NULL: it is not */
} rill_membrane_scan;

/** What a loop works with. Plain data; arrays belong to others, and are the device's. Only what the work
 * needs is set. */
typedef struct rill_membrane_set {
    rill_elastic elastic;
    rill_support support;
    rill_membrane_contact contact;
    rill_membrane_scan scan;
    uint64_t count, vertices; /**< membranes; vertices of all, below 2^32 */
    double wall;              /**< strength of the push of walls */
    double slip; /**< by this times the force of nodes along the surface a vertex is faster than they are */
    double (*x)[3];          /**< [vertices], voxels from the corner of the box, not wrapped */
    double (*force)[3];      /**< [vertices], lu */
    double (*velocity)[3];   /**< [vertices], lu */
    double (*area)[3];       /**< [vertices], a third of the triangles around it, outwards */
    double *angle;           /**< [count][edges], between triangles; of stiffness against bending, as next */
    double (*curved)[2];     /**< [vertices], derivatives of the energy by M_i and A_i */
    double (*held)[2];       /**< [count], area and volume, where they are held */
    double (*kept)[2];       /**< [count], the volume to be kept, and how far vertices move for it */
    const double (*load)[3]; /**< [vertices], forces from outside, lu; NULL: none */
} rill_membrane_set;

/** Numbers of a chunk, lanes that share the sums over a membrane, and range of the push of walls, voxels: at
 * most that of the voxels around a vertex, half a voxel. */
enum { RILL_MEMBRANE_CHUNK = 256, RILL_MEMBRANE_LANES = 32 };
#define RILL_MEMBRANE_WALL_RANGE 0.5

/** What is done, to how many items, and how many of them a thread of a processor takes at a time. */
#define RILL_MEMBRANE_WORKS(X)                                                                               \
    X(ANGLE, angle, s->count * s->elastic.edge_count, 256)       /* find the angles at edges */              \
    X(BEND, bend, s->vertices, 256)                              /* find what bends it */                    \
    X(PULL, pull, s->vertices, 64)                               /* set elastic forces, and areas */         \
    X(SUM, sum, rill_membrane_chunks(s->scan.count), 8)          /* add up numbers of chunks */              \
    X(PUT, put, rill_membrane_chunks(s->scan.count), 8)          /* put sums in their place */               \
    X(CLEAR, clear, rill_membrane_cells(&s->contact) + 1, 16384) /* empty the cells of contact */            \
    X(ENTER, enter, s->vertices, 256)                            /* count the vertices of cells */           \
    X(SORT, sort, s->vertices, 256)                              /* put them in */                           \
    X(ORDER, order, rill_membrane_cells(&s->contact), 1024)      /* in ascending order */                    \
    X(TOUCH, touch, s->vertices, 64)                             /* add what vertices close by push */       \
    X(WALL, wall, s->vertices, 64)                               /* add what walls push */                   \
    X(UNMARK, unmark, s->support.words, 16384)                   /* forget nodes within reach */             \
    X(MARK, mark, s->vertices, 64)                               /* mark them */                             \
    X(COUNT, count, s->support.words, 16384)                     /* count them */                            \
    X(LIST, list, s->support.words, 4096)                        /* list them */                             \
    X(EMPTY, empty, s->support.count, 4096)                      /* with no force */                         \
    X(SPREAD, spread, s->vertices, 64)                           /* add forces of vertices */                \
    X(BEFORE, before, s->support.count, 64)                      /* give nodes the first half, see below */  \
    X(INTERPOLATE, interpolate, s->vertices, 64)                 /* set velocities of vertices */            \
    X(MOVE, move, s->vertices, 64)                               /* and positions after a step */            \
    X(FACE, face, s->vertices, 64)                               /* find the areas of vertices anew */       \
    X(KEEP, keep, s->vertices, 256)                              /* move along normals */                    \
    X(AFTER, after, s->support.count, 64)                        /* give nodes the second half */

typedef enum rill_membrane_work {
#define RILL_MEMBRANE_NAME(name, function, items, piece) RILL_MEMBRANE_##name,
    RILL_MEMBRANE_WORKS(RILL_MEMBRANE_NAME)
#undef RILL_MEMBRANE_NAME
        RILL_MEMBRANE_WORK_COUNT
} rill_membrane_work;

/** Return the chunks of so many numbers. */
RILL_FN uint64_t rill_membrane_chunks(const uint64_t count)
{
    return (count + RILL_MEMBRANE_CHUNK - 1) / RILL_MEMBRANE_CHUNK;
}

/** Return the cells of contact. */
RILL_FN uint64_t rill_membrane_cells(const rill_membrane_contact *c)
{
    return (uint64_t)c->cells[0] * c->cells[1] * c->cells[2];
}

/**
 * Do some work to all items.
 * @param device  whose memory the arrays are in; NULL: the host's
 * @param launch  of the next step, for what looks at populations; else NULL
 */
rill_status rill_membrane_do(const rill_device *device, rill_membrane_work work, const rill_membrane_set *s,
                             const rill_launch *launch);

/** Two sums over each membrane, and what becomes of them. */
typedef enum rill_membrane_whole {
    RILL_MEMBRANE_HELD,     /**< over triangles: area and volume, as `held` */
    RILL_MEMBRANE_ENCLOSED, /**< over vertices: the volume, which is to be kept */
    RILL_MEMBRANE_LOST,     /**< the same: how far vertices move along their normals to keep it */
    RILL_MEMBRANE_WHOLES
} rill_membrane_whole;

/** Sum over each membrane, lane by lane. */
rill_status rill_membrane_sum_up(const rill_device *device, rill_membrane_whole whole,
                                 const rill_membrane_set *s);

/** Replace numbers by the sums of those before. @param sums  [rill_membrane_sums(count)] */
rill_status rill_membrane_scan_up(const rill_device *device, uint32_t *values, uint64_t count, uint32_t *sums,
                                  uint32_t *total);

/** Return how many sums of chunks, of chunks of these and so on there are. */
uint64_t rill_membrane_sums(uint64_t count);

#ifdef RILL_HAVE_CUDA
rill_status rill_cuda_membrane_do(const rill_device *device, rill_membrane_work work,
                                  const rill_membrane_set *s, const rill_launch *launch);
rill_status rill_cuda_membrane_sum_up(const rill_device *device, rill_membrane_whole whole,
                                      const rill_membrane_set *s);
#endif

#endif
