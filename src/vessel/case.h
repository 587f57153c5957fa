/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file case.h
 * A case: the content of case.yaml (rill_case, SI), its values on a lattice (rill_case_plan), and
 * the simulation that is set up from both (rill_vessel). Nothing here steps or writes results.
 */
#ifndef RILL_VESSEL_CASE_H
#define RILL_VESSEL_CASE_H

#include "vessel/waveform.h"
#include "rill.h"

/** What stands at an opening. */
typedef enum rill_end_kind {
    RILL_END_INLET,      /**< a flow comes in */
    RILL_END_PRESSURE,   /**< a pressure is held */
    RILL_END_RESISTANCE, /**< p = beyond + distal Q */
    RILL_END_WINDKESSEL, /**< p = p_c + proximal Q, compliance dp_c/dt = Q - (p_c - beyond)/distal */
    RILL_END_SPLIT,      /**< a share of what the inlets bring leaves */
    RILL_END_KINDS
} rill_end_kind;

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
    RILL_WALLS_HALF_WAY      /**< half-way */
} rill_case_walls;

/** What the case says of one opening. */
typedef struct rill_end {
    char name[RILL_OPENING_NAME];
    rill_end_kind kind;
    int line; /**< of the case file */

    rill_inflow inflow; /**< inlets: what `amount` and the waveform are */
    double amount;      /**< inlets: steady value, or what multiplies the waveform (1 if it has units) */
    rill_profile_kind profile;
    rill_waveform *wave; /**< inlets, pressures: over the cycle; NULL: steady. Owned */

    double pressure;   /**< pressure outlets, Pa; what multiplies the waveform if there is one */
    double beyond;     /**< resistance, Windkessel: what lies behind it, Pa */
    double proximal;   /**< Windkessel, Pa s/m3 */
    double distal;     /**< Windkessel, resistance, Pa s/m3 */
    double compliance; /**< Windkessel, m3/Pa */
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
    double centre[3], normal[3]; /**< m; of length 1 */
} rill_case_plane;

/** A case as read, SI throughout. Everything is owned. */
typedef struct rill_case {
    char *path;     /**< of the case file */
    char *text;     /**< the file itself, for the results' provenance */
    char *geometry; /**< path of the geometry, relative ones made so from the case file's directory */
    double density; /**< kg/m3 */
    rill_law law;
    int walls; /**< a rill_case_walls */

    rill_end *ends; /**< [end_count], in the order of the file */
    int end_count;

    struct {
        bool pulsatile;    /**< some opening has a waveform; then `period` is theirs */
        double period;     /**< s; 0 when steady */
        int cycles;        /**< at most, pulsatile */
        double duration;   /**< s at most, steady; 0: chosen */
        double tolerance;  /**< relative change from cycle to cycle, or in a steady run */
        double time_step;  /**< s; 0: from `mach` */
        double mach;       /**< largest Mach number, at the peak; 0: chosen */
        double soft_start; /**< s over which flow and pressure come up; negative: chosen */
        int lattice, collision, storage, stream, addressing; /**< rill_lattice ...; -1: chosen */
    } run;

    struct {
        int snapshots;           /**< per cycle; steady: at the end */
        bool fields;             /**< velocity, pressure and shear rate on the voxels */
        bool slices;             /**< pictures of the speed on three planes */
        bool surface;            /**< wall shear on the triangles */
        bool centreline;         /**< series along the centre line */
        double checkpoint_every; /**< s of wall clock; 0: none but on signals */
        rill_case_probe *probes; /**< [probe_count] */
        int probe_count;
        rill_case_plane *planes; /**< [plane_count] */
        int plane_count;
    } output;
} rill_case;

/**
 * Read and check a case file: YAML with a schema, every quantity with its unit. Reads waveforms, too, but not
 * the geometry.
 * @return RILL_USAGE with "file:line: " and one sentence: unknown, doubled or missing keys, wrong types,
 *         missing or wrong units, values out of range; RILL_SYSTEM without memory
 * @see docs/vessels.md, tests/test_case.c
 */
rill_status rill_case_read(const char *path, rill_case **out);

/** Destroy a case; NULL is allowed. */
void rill_case_destroy(rill_case *given);

/** SI per lattice unit. */
typedef struct rill_scales {
    double length;   /**< m: the spacing */
    double time;     /**< s: the time step */
    double velocity; /**< m/s */
    double pressure; /**< Pa per unit of pressure, p = (rho - 1)/3 in lu; stresses likewise */
    double flow;     /**< m3/s */
    double base;     /**< Pa: pressure of density 1; p = base + pressure (rho - 1)/3 */
} rill_scales;

/** What comes of an opening. */
typedef struct rill_plan_opening {
    int end;                     /**< number of its rill_end */
    double cells;                /**< across: hydraulic diameter / spacing */
    double flow_mean, flow_peak; /**< m3/s, expected, into the vessel counted positive; peak of |Q| */
    double velocity_peak;        /**< m/s, mean over the section, at the peak; the profile's if higher */
    double pressure_mean, pressure_peak; /**< Pa, expected */
    double pressure_start;               /**< Pa: Windkessel: p_c of the periodic state at time 0 */
    double share;                        /**< outlets: of the mean flow, expected */
    double reynolds, womersley;          /**< at the peak, by hydraulic diameter; by its half */
    double kept, kept_when;   /**< inlets: least part of the own profile, s; the rest is flat, see kept.h */
    double outward;           /**< inlets: m/s, largest velocity out of the vessel, of the whole profile */
    double reversed;          /**< the same of the mean over the section */
    double extension;         /**< m, between the surface and the plane of the opening */
    double sponge;            /**< outlets: m, length of the sponge layer in the extension; 0: none */
    double sponge_nu;         /**< m2/s, viscosity of the layer at the opening */
    double sponge_resistance; /**< Pa s/m3, expected of the layer */
} rill_plan_opening;

/** One remark of a plan; a refusal says what would do. */
typedef struct rill_plan_verdict {
    bool refuses;
    char text[480];
} rill_plan_verdict;

enum { RILL_PLAN_VERDICTS = 16 };

/** What the compressible fluid of the lattice stores, beside the circuit; see compliance.c. SI. */
typedef struct rill_plan_compliance {
    double volume;            /**< m3, of the fluid */
    double lattice;           /**< m3/Pa: volume / (density c_s^2) */
    double circuit;           /**< m3/Pa, of all Windkessels */
    double share;             /**< lattice / circuit; 0 where a pressure is held or there is no Windkessel */
    double stroke, swing;     /**< m3 that come in over a cycle, 0 when steady; Pa, of the pressures */
    double stored;            /**< lattice x pressure range / stroke */
    double resistance;        /**< Pa s/m3, of all outlets; 0 where a pressure is held */
    double constant;          /**< s, the longest R_d C of a Windkessel */
    double settling;          /**< s: resistance x lattice */
    double peak, peak_stored; /**< Pa: of the circuit alone, and of the circuit with the lattice */
    double change;            /**< largest difference of these pressures, over their range */
} rill_plan_compliance;

/** What a run that goes on from a checkpoint keeps of the plan it began with. */
typedef struct rill_plan_resume {
    bool given;
    double time_step;                   /**< s */
    uint64_t cycle_steps, soft_steps;   /**< as in rill_case_plan */
    uint64_t span;                      /**< steps of a cycle, or of the span of a steady run */
    uint64_t phases;                    /**< snapshots of a cycle */
    bool probes, planes, surface, line; /**< are unchanged: their series continue */
} rill_plan_resume;

/** The plan of a case, known before anything is allocated for it. */
typedef struct rill_case_plan {
    rill_scales scales;
    rill_sim_options options; /**< variant, tau, viscosity law: lu */
    rill_rheology rheology;

    uint64_t voxels, nodes, wall_links, opening_links;
    double nu;                          /**< m2/s, of the tau that the plan is made with */
    double tau_low, tau_high;           /**< of the viscosity law; the same twice when Newtonian */
    double velocity_peak;               /**< m/s, largest expected in the vessel */
    double narrowest;                   /**< m2, of the section where that is; see passage.h */
    double mach, reynolds;              /**< of that; of the opening where it is largest */
    double womersley;                   /**< of the inlet; 0 when steady */
    double pressure_low, pressure_high; /**< Pa: of all openings over a cycle, and of the start */
    double pressure_allowed; /**< Pa: what circuit, Bernoulli, viscosity and inertia make; see guard.c */
    double mach_limit, pressure_limit; /**< a run stops above: Mach number; Pa from scales.base */
    uint64_t cycle_steps;              /**< steps of a cycle; 0 when steady */
    uint64_t steps;                    /**< at most */
    int weights;                       /**< of all modes of velocities and pressures, each moment */
    rill_plan_compliance compliance;
    rill_plan_resume resume; /**< of the checkpoint that the run goes on from */
    uint64_t soft_steps;     /**< over which flow and pressure come up */
    uint64_t host_bytes, device_bytes, host_free, device_free;
    uint64_t checkpoint_bytes, output_bytes; /**< of one checkpoint; of all results, before compression */
    double mlups;                            /**< million node updates per second */
    bool mlups_measured;                     /**< here, just now */
    double seconds_cycle, seconds;           /**< estimated: a cycle (0 when steady), all */
    const char *variant_reason;

    rill_plan_opening openings[RILL_OPENINGS]; /**< [opening_count], in the order of the geometry */
    int opening_count;
    rill_plan_verdict verdicts[RILL_PLAN_VERDICTS];
    int verdict_count;
} rill_case_plan;

/** What a plan needs beside the case. */
typedef struct rill_plan_options {
    rill_device *device;       /**< not owned; NULL: opened whenever it is needed */
    rill_backend_kind backend; /**< of that */
    bool measure;              /**< measure the speed, else it is left out */
    const char *resume;        /**< directory of the checkpoint that the run goes on from; NULL: a new run */
} rill_plan_options;

/**
 * Plan a case on its geometry; nothing is allocated for the run, but a small vessel is set
 * up for a moment where its speed is to be measured.
 * @return RILL_USAGE when openings of case and geometry do not match, or the geometry is none of a vessel.
 * What speaks against the run is among the verdicts: see rill_case_plan_accept()
 */
rill_status rill_case_plan_make(const rill_case *given, const rill_geom *geom,
                                const rill_plan_options *options, rill_case_plan *plan);

/** Return RILL_USAGE with the first refusal among the verdicts (RILL_SYSTEM when memory is what lacks). */
rill_status rill_case_plan_accept(const rill_case_plan *plan);

/** A case on a simulation. */
typedef struct rill_vessel {
    const rill_case *given;     /**< borrowed */
    const rill_geom *geom;      /**< borrowed */
    rill_case_plan plan;        /**< its own copy */
    rill_domain *domain;        /**< owned */
    rill_sim *sim;              /**< owned */
    int walls;                  /**< patch of the walls; -1: half-way, and no patch */
    int patches[RILL_OPENINGS]; /**< [plan.opening_count], patch of each opening, in the order of the geometry
                                 */
    struct rill_vessel_ends *ends; /**< what the schedules need, owned */
} rill_vessel;

/**
 * Set up the simulation of a case: domain, walls, openings, and the state that it starts from.
 * @param[in] given, geom  borrowed: they must outlive the vessel
 * @param[in] plan         accepted; copied
 */
rill_status rill_vessel_create(const rill_case *given, const rill_geom *geom, const rill_case_plan *plan,
                               rill_vessel **out);

/** Destroy a vessel; NULL is allowed. */
void rill_vessel_destroy(rill_vessel *vessel);

#endif
