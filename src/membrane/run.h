/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file run.h
 * A capsule in a shear flow between plates, from its numbers to files.
 */
#ifndef RILL_MEMBRANE_RUN_H
#define RILL_MEMBRANE_RUN_H

#include "io/step_run.h"
#include "membrane/elastic.h"

/** Shapes at rest. */
typedef enum rill_capsule_shape { RILL_CAPSULE_SPHERE, RILL_CAPSULE_RED_CELL } rill_capsule_shape;

/** Shape of a capsule at one time; of several, its mean. */
typedef struct rill_capsule_row {
    double strain;      /**< gamma t */
    double deformation; /**< Taylor's D = (L - B) / (L + B) of the ellipsoid with the same moments of inertia,
                           L and B in the plane of shear */
    double inclination; /**< of L to the flow, degrees */
    double axes[3];     /**< semi-axes, voxels, longest first */
    double area, volume; /**< over those at rest */
    double centre[3];    /**< voxels from the corner of the box */
    double stress;       /**< shear stress that a capsule adds, over mu rate, per share of the volume */
} rill_capsule_row;

/** What to compute: lengths in voxels, the rest without dimensions. */
typedef struct rill_capsule_case {
    rill_capsule_shape shape;
    uint32_t n[3];  /**< cells; periodic along x and y, plates along z */
    uint32_t count; /**< capsules, in rows, columns and layers; 0: one */
    double radius;  /**< a, voxels */
    int level;      /**< subdivisions of the icosahedron */
    rill_membrane_law law;
    double dilatation; /**< C of Skalak's law */
    double capillary;  /**< mu gamma a / G */
    double reynolds;   /**< gamma a^2 / nu */
    double bending;    /**< kappa / (G a^2) */
    double volume;     /**< k_V a / G */
    double area;       /**< k_A / G */
    double tau;
    double strain; /**< gamma t at the end */
    int width;     /**< of the kernel */
    rill_stream stream;
    rill_storage storage;
    rill_shift shift;
    rill_backend_kind backend; /**< cuda, or processors */
    double every;              /**< files of fields and membrane after this strain each; 0: none */
    const char *output;        /**< "capsule.h5"; NULL: no files */
    const char *command;       /**< provenance; may be NULL */
    rill_step_keep keep;       /**< its checkpoint */
    rill_progress progress;
    void (*row)(void *context,
                const rill_capsule_row *row); /**< called with each row of the series; NULL: none */
    void *context;                            /**< for `row` */
} rill_capsule_case;

/** Numbers of it in lattice units. */
typedef struct rill_capsule_scales {
    double rate;  /**< gamma */
    double speed; /**< of the plates, ± */
    double shear; /**< G */
    rill_step_plan plan;
    double edge;                  /**< mean, of the triangles, voxels */
    uint32_t vertices, triangles; /**< of each */
    uint32_t rows[3];             /**< positions for capsules along each axis */
} rill_capsule_scales;

/** What came of it. */
typedef struct rill_capsule_outcome {
    rill_capsule_row last;
    double drift; /**< change of D over the last unit of strain, NaN where there is none */
    uint64_t steps;
    double mlups;         /**< million node updates a second, the membrane included */
    bool checkpoint_left; /**< the checkpoint is of this run, and was left */
} rill_capsule_outcome;

/** Mean edge that rill_capsule_level() allows, voxels. */
#define RILL_CAPSULE_EDGE 1.3

/** Return the least subdivisions whose edges are short enough. */
int rill_capsule_level(double radius);

/** Return by what part small deformations are too large, about; NaN: not known. docs/capsules.md */
double rill_capsule_excess(const rill_capsule_case *given);

/** Find the scales. @return RILL_USAGE for values out of range */
rill_status rill_capsule_scale(const rill_capsule_case *given, rill_capsule_scales *out);

/**
 * Compute a case, and write its files.
 * @return RILL_USAGE for values out of range, RILL_NUMERICS when it diverged, RILL_SYSTEM, RILL_CANCELLED
 */
rill_status rill_capsule_run(const rill_capsule_case *given, rill_capsule_outcome *out);

#endif
