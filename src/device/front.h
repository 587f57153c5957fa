/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file front.h
 * Loops over the nodes of a free surface (free_surface/passes.c), on processors or on a GPU: one source for
 * both, and the same bits. docs/free-surface.md says what happens in a step, and its sources.
 */
#ifndef RILL_DEVICE_FRONT_H
#define RILL_DEVICE_FRONT_H

#include "core/status.h"
#include "kernel/lattice.h"
#include "kernel/launch.h"

/** What a node is between two steps; within a pass it may be more. */
enum {
    RILL_FRONT_GAS,
    RILL_FRONT_INTERFACE,
    RILL_FRONT_LIQUID,
    RILL_FRONT_FILLS,   /**< interface that becomes liquid */
    RILL_FRONT_EMPTIES, /**< interface that becomes gas */
    RILL_FRONT_FRESH,   /**< gas that becomes interface */
    RILL_FRONT_TAKES,   /**< interface that takes mass which is left over */
    RILL_FRONT_WALL     /**< there is no node */
};

/** Nodes that are looked at together when nodes of a state are listed; words of 64 blocks of them. */
enum { RILL_FRONT_TILE = 4096 };

/** Numbers of nodes, ascending. */
typedef struct rill_front_list {
    rill_node *node; /**< [room] */
    uint64_t count, room;
} rill_front_list;

/** A node that a step looks at: what passes hand on to each other. */
typedef struct rill_front_found {
    double density; /**< rho of the last collision; of a node whose mass is held: that mass; for bubbles: see
                       REPORT and PRESS */
    int change;     /**< a rill_front_change; for bubbles a state */
} rill_front_found;

enum { RILL_FRONT_STAYS, RILL_FRONT_FILLED, RILL_FRONT_EMPTIED, RILL_FRONT_HELD };

/** The surface in a cell; for sums over a liquid, what an interface node adds to them. */
typedef struct rill_front_plane {
    double normal[3]; /**< 0 where it is not known; or velocity */
    double offset;    /**< or the mass that it gets in the step to come */
    double pressure;  /**< of the liquid at the surface: 2 sigma kappa, and that of the gas */
} rill_front_plane;

/** A face of the box that liquid crosses. */
typedef struct rill_front_face {
    int axis, end; /**< -1: the low, 1: the high end of the axis; 0: there is none */
    uint32_t last; /**< cell along the axis */
    double speed;  /**< of an inflow, into the box */
    double level;  /**< liquid comes in below it; it goes out to the pressure of a liquid at rest below it */
} rill_front_face;

/** What comes back along the links of a node at such a face, and what was sent along them. */
typedef struct rill_front_answer {
    double value[RILL_Q_MAX], sent[RILL_Q_MAX];
} rill_front_answer;

/** Mass that has crossed faces. */
typedef struct rill_front_through {
    double came, went;
} rill_front_through;

/** What a loop works with. Plain data; arrays belong to others, and are the device's. */
typedef struct rill_front {
    uint32_t n[3]; /**< cells of the bitmap, as rill_numbering, as the next */
    size_t row_words;
    const uint64_t *occupied;
    const rill_node *base;
    rill_node nodes;
    double tension;      /**< sigma, lu */
    bool bent;           /**< the contact angle is no right angle */
    double sine, cosine; /**< of the contact angle */
    rill_front_face inflow, outflow;
    rill_front_list faces;       /**< nodes with links that cross these */
    rill_front_answer *answer;   /**< [faces.count] */
    rill_front_through *through; /**< [faces.count], in the last step */
    uint8_t *state;              /**< [tiles * RILL_FRONT_TILE], gas behind the last node */
    float *fill;                 /**< [nodes], part of a cell that is liquid */
    double *mass;             /**< [nodes], of interface nodes; within a pass what is left over of others */
    const rill_node *cell;    /**< [nodes], x + nx (y + ny z) */
    rill_front_list list;     /**< interface nodes */
    rill_front_list before;   /**< those before their states have changed */
    rill_front_list fresh;    /**< that became interface in this step */
    rill_front_found *found;  /**< [found_room], of `before` */
    rill_front_plane *planes; /**< [found_room], of `list` */
    uint64_t found_room;
    double *held;      /**< mass that no interface node was there to take */
    uint32_t *holds;   /**< not 0: there is more of it */
    uint32_t *number;  /**< [tiles], nodes of a state in a tile; then how many are in those before */
    uint64_t *stepped; /**< [tiles], bit b: block b of the tile has nodes that are not gas */
    uint8_t listed;    /**< the state of nodes that are listed */
} rill_front;

/** What is done, and to the nodes of which list. */
#define RILL_FRONT_WORKS(X)                                                                                  \
    X(PLANES, planes, list)          /* find the plane of each cell, and its pressure by surface tension */  \
    X(FACES_FIND, faces_find, faces) /* find what comes back along links that cross faces */                 \
    X(FACES_APPLY, faces_apply, faces) /* put it in, with the mass that interface gets by it */              \
    X(PRESS, press, list)              /* add the pressure of gas that was found */                          \
    X(LINKS, links, list)              /* set the populations that cross the surface */                      \
    X(GAIN, gain, list)                /* add the mass that crosses links in the step to come */             \
    X(CHANGE, change, list)            /* find the density, and what is filled and emptied */                \
    X(WEIGH, weigh, list)              /* set masses by fill levels */                                       \
    X(MEASURE, measure, list)          /* find velocities and masses on their way */                         \
    X(MARK, mark, list)                /* name what fills up and empties */                                  \
    X(SPARE, spare, list)              /* keep what would empty beside what fills up */                      \
    X(SURROUND, surround, list)        /* make interface of gas beside what fills up */                      \
    X(BEGIN, begin, fresh)             /* let it send the equilibrium of the mean of its neighbours */       \
    X(OPEN, open, list)                /* make interface of liquid beside what empties */                    \
    X(FINISH, finish, list) /* give states and fill levels, and find the mass that is left over */           \
    X(REPORT, report, list) /* say states, with fill levels or the mass that is left over */                 \
    X(JOIN, join, fresh)    /* give them to new interface */                                                 \
    X(SHARE, share, before) /* share that mass out among interface neighbours, or hold it */                 \
    X(TAKE, take, list)     /* take it */                                                                    \
    X(CLEAR, clear, before) /* forget it */                                                                  \
    X(SPREAD, spread, list) /* take mass that is held, in equal parts */

typedef enum rill_front_work {
#define RILL_FRONT_NAME(name, function, nodes) RILL_FRONT_##name,
    RILL_FRONT_WORKS(RILL_FRONT_NAME)
#undef RILL_FRONT_NAME
        RILL_FRONT_WORK_COUNT
} rill_front_work;

/** Do some work to all nodes of its list. @param device  whose memory the arrays are in; NULL: the host's */
rill_status rill_front_nodes(const rill_device *device, rill_front_work work, const rill_front *f,
                             const rill_launch *launch);

/** Add up the mass that is held, in the order of nodes; or take it as handed on, where it was. */
rill_status rill_front_hold(const rill_device *device, const rill_front *f);
rill_status rill_front_release(const rill_device *device, const rill_front *f);

/** Count nodes of state `listed` by tiles, and see what is not gas. */
rill_status rill_front_count(const rill_device *device, const rill_front *f);

/** List them in `out`, whose count and room are those of all. */
rill_status rill_front_collect(const rill_device *device, const rill_front *f, const rill_front_list *out);

/** Return how many tiles there are. */
static inline uint64_t rill_front_tiles(uint64_t nodes)
{
    return (nodes + RILL_FRONT_TILE - 1) / RILL_FRONT_TILE;
}

#ifdef RILL_HAVE_CUDA
rill_status rill_cuda_front_nodes(const rill_device *device, rill_front_work work, const rill_front *f,
                                  const rill_launch *launch);
rill_status rill_cuda_front_hold(const rill_device *device, const rill_front *f);
rill_status rill_cuda_front_release(const rill_device *device, const rill_front *f);
rill_status rill_cuda_front_count(const rill_device *device, const rill_front *f);
rill_status rill_cuda_front_collect(const rill_device *device, const rill_front *f,
                                    const rill_front_list *out);
#endif

#endif
