/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file case.h
 * The content of case.yaml (rill_case, SI), and the simulation that is set up from it and its plan
 * (rill_vessel). What is done with them is in rill/vessel.h.
 */
#ifndef RILL_VESSEL_CASE_H
#define RILL_VESSEL_CASE_H

#include "vessel/inlet/velocities.h"
#include "vessel/case/waveform.h"
#include "rill.h"

/**
 * What stands at an opening: X(kind, name in the case file). A flow comes in; a pressure is held;
 * p = beyond + distal Q; p = p_c + proximal Q with compliance dp_c/dt = Q - (p_c - beyond)/distal; the same
 * with a second compartment in the heart muscle, p = p_a + proximal Q, compliance dp_a/dt = Q - (p_a -
 * p_m)/micro, myocardial d(p_m - p_im)/dt = (p_a - p_m)/micro - (p_m - beyond)/distal; another program
 * gives the pressure (model.h); a share of what the inlets bring leaves; nothing passes. What else belongs to
 * a kind is in end_kinds.c.
 */
#define RILL_END_LIST(X)                                                                                     \
    X(INLET, "inlet")                                                                                        \
    X(PRESSURE, "pressure")                                                                                  \
    X(RESISTANCE, "resistance")                                                                              \
    X(WINDKESSEL, "windkessel")                                                                              \
    X(CORONARY, "coronary")                                                                                  \
    X(MODEL, "model")                                                                                        \
    X(SPLIT, "flow-split")                                                                                   \
    X(WALL, "wall")

#define RILL_END_ENUMERATOR(kind, name) RILL_END_##kind,
typedef enum rill_end_kind { RILL_END_LIST(RILL_END_ENUMERATOR) RILL_END_KINDS } rill_end_kind;

/** What an inlet's number, or its waveform, is. */
typedef enum rill_inflow {
    RILL_INFLOW_FLOW,          /**< m3/s */
    RILL_INFLOW_MEAN_VELOCITY, /**< m/s, over the area of the opening */
    RILL_INFLOW_PEAK_VELOCITY, /**< m/s, the largest of the section */
    RILL_INFLOW_COUNT
} rill_inflow;

/** How the velocity of an inlet is spread over its section; see profile.h. */
typedef enum rill_profile_kind {
    RILL_PROFILE_FLAT,      /**< the same everywhere */
    RILL_PROFILE_PARABOLIC, /**< Poiseuille's, in the circle of the same area */
    RILL_PROFILE_WOMERSLEY, /**< Womersley's, in the circle of the same area */
    RILL_PROFILE_FITTED,    /**< developed flow through the opening's own outline, each harmonic its own */
    RILL_PROFILE_COUNT
} rill_profile_kind;

/** Viscosity laws, SI. */
typedef enum rill_law_kind {
    RILL_LAW_NEWTONIAN,
    RILL_LAW_CARREAU_YASUDA,
    RILL_LAW_CASSON,
    RILL_LAW_COUNT
} rill_law_kind;

typedef struct rill_law {
    rill_law_kind kind;
    double viscosity;        /**< Pa s: Newtonian; at infinite shear otherwise */
    double at_rest;          /**< Pa s: Carreau-Yasuda */
    double time;             /**< s: Carreau-Yasuda's lambda */
    double index, sharpness; /**< Carreau-Yasuda's n and a */
    double yield_stress;     /**< Pa: Casson */
} rill_law;

/** Where walls are between a node and what lies beyond. */
typedef enum rill_case_walls {
    RILL_WALLS_INTERPOLATED, /**< where the surface is */
    RILL_WALLS_HALF_WAY,     /**< half-way */
    RILL_WALLS_QUADRATIC     /**< where the surface is, see rill_boundary_set_quadratic() */
} rill_case_walls;

/** What a pulsatile run starts from. */
typedef enum rill_case_start {
    RILL_CASE_PERIODIC, /**< the soft start comes before the first cycle, and Windkessels are corrected */
    RILL_CASE_REST      /**< the soft start is the beginning of the first cycle */
} rill_case_start;

/** What the case says of one opening. */
typedef struct rill_end {
    char name[RILL_OPENING_NAME];
    rill_end_kind kind;
    int line; /**< of the case file */

    rill_inflow inflow; /**< inlets: what `amount` and the waveform are */
    double amount;      /**< inlets: steady value, or what multiplies the waveform (1 if it has units) */
    rill_profile_kind profile;
    rill_waveform *wave; /**< inlets, pressures, coronary outlets (the pressure in the heart muscle, Pa): over
                            the cycle; NULL: steady. Owned */
    rill_velocities *velocities; /**< inlets: points that the profile is made from; NULL: none. Owned */
    double concentration;        /**< inlets: of what comes in; negative: not given */
    bool from_file;              /**< inlets: the flow is that of these points; the amount is not looked at */

    double pressure;   /**< pressure outlets, Pa; what multiplies the waveform if there is one; models: the
                          mean that is expected */
    double swing;      /**< models: the range that is expected, Pa */
    double beyond;     /**< resistance, Windkessel: what lies behind it, Pa */
    double proximal;   /**< Windkessel, model, Pa s/m3 */
    double distal;     /**< Windkessel, resistance, Pa s/m3 */
    double compliance; /**< Windkessel, m3/Pa; coronary: before the resistance `micro` */
    double micro;      /**< coronary, Pa s/m3: between both compartments; 0 for other kinds */
    double myocardial; /**< coronary, m3/Pa: compliance in the heart muscle */
    double fraction;   /**< splits: of the inlets' flow; NAN: by Murray's law */
    double backflow;   /**< outlets: coefficient of the stabilisation, >= 0 */
} rill_end;

/** A place where velocity and pressure are followed. */
typedef struct rill_case_probe {
    char name[RILL_OPENING_NAME];
    double at[3]; /**< m, as the surface counts */
} rill_case_probe;

/** A plane through the vessel for which results are written. */
typedef struct rill_case_plane {
    char name[RILL_OPENING_NAME];
    double centre[3], normal[3]; /**< m; of length 1, or 0: across the vessel, see rill_plane_normal() */
} rill_case_plane;

/** Two cross-sections between which the pressure drop is computed. */
typedef struct rill_case_drop {
    char name[RILL_OPENING_NAME];
    char from[RILL_OPENING_NAME], to[RILL_OPENING_NAME]; /**< planes or openings */
    double venous;                                       /**< Pa, where the flow goes in the end */
} rill_case_drop;

enum { RILL_MODEL_ARGUMENTS = 32 /**< of the program of a model, at most */ };

/** The program that gives the pressures of outlets; see model.h. */
typedef struct rill_case_model {
    char *arguments[RILL_MODEL_ARGUMENTS + 2]; /**< path and arguments, NULL-terminated; owned */
    int every;                                 /**< steps between exchanges */
    double timeout;                            /**< s, for an answer */
    double constant;                           /**< s, in which its disturbances decay to 1/e */
    bool permitted;                            /**< the user permits that it runs */
} rill_case_model;

/** A case as read, SI throughout. Everything is owned. */
struct rill_case {
    char *path;     /**< of the case file */
    char *text;     /**< the file itself, for the results' provenance */
    bool outside;   /**< files outside the directory of the case are permitted */
    char *geometry; /**< path of the geometry, relative ones made so from the case file's directory */
    double density; /**< kg/m3 */
    rill_law law;
    int walls;       /**< a rill_case_walls */
    double coarsest; /**< m: the largest spacing of several grids that the case is to run on with the same
                        inlet profiles; 0: the geometry's alone */

    rill_end *ends; /**< [end_count], in the order of the file */
    int end_count;
    struct {
        bool residence;     /**< the time since the fluid came in is followed */
        double diffusivity; /**< m2/s, of what is carried; 0: chosen */
    } transport;
    rill_case_model model; /**< without arguments: no outlet needs one */

    struct {
        bool pulsatile;    /**< some opening has a waveform; then `period` is theirs */
        double period;     /**< s; 0 when steady */
        int cycles;        /**< at most, pulsatile */
        double duration;   /**< s at most, steady; 0: chosen */
        double tolerance;  /**< relative change from cycle to cycle, or in a steady run */
        double time_step;  /**< s; 0: from `mach` */
        double mach;       /**< largest Mach number, at the peak; 0: chosen */
        double soft_start; /**< s over which flow and pressure come up; negative: chosen */
        int start;         /**< a rill_case_start; -1: not given */
        int lattice, collision, storage, stream, addressing; /**< rill_lattice ...; -1: chosen */
    } run;

    struct {
        int snapshots;           /**< per cycle; steady: at the end */
        bool fields;             /**< velocity, pressure and shear rate on the voxels */
        bool helicity;           /**< of the snapshots */
        bool slices;             /**< pictures of the speed on three planes */
        bool surface;            /**< wall shear on the triangles */
        bool centreline;         /**< series along the centre line */
        double checkpoint_every; /**< s of wall clock; 0: none but on signals */
        rill_case_probe *probes; /**< [probe_count] */
        int probe_count;
        rill_case_plane *planes; /**< [plane_count] */
        int plane_count;
        rill_case_drop *drops; /**< [drop_count] */
        int drop_count;
    } output;
};

/** A case on a simulation. */
struct rill_vessel {
    const rill_case *given;     /**< borrowed */
    const rill_geom *geom;      /**< borrowed */
    rill_case_plan plan;        /**< its own copy */
    rill_domain *domain;        /**< owned */
    rill_sim *sim;              /**< owned */
    int walls;                  /**< patch of the walls; -1: half-way, and no patch */
    int patches[RILL_OPENINGS]; /**< [plan.opening_count], patch of each opening, in the order of the geometry
                                 */
    float *shear;               /**< [2][triangles], TAWSS and OSI of the last run, owned; NULL: none */
    struct rill_vessel_ends *ends; /**< what the schedules need, owned */
    struct rill_losses *losses;    /**< of extensions, owned; see loss.h */
    struct rill_model *model;      /**< while it runs; NULL: none; see model.h */
};

/** Return the schema, which the caller owns. NULL: out of memory. */
struct json_t *rill_case_schema(void);

#endif
