/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/vessel.h
 * Flow through a vessel: a case is read (rill_case_read()), with its geometry it is planned
 * (rill_case_plan_make()), set up (rill_vessel_create()) and run (rill_case_run()).
 *
 * All is in SI unless a comment names another unit. Arrays of openings are in the order of those of the
 * geometry's surface, which has their names. docs/vessels.md describes the case file and the results.
 */
#ifndef RILL_PUBLIC_VESSEL_H
#define RILL_PUBLIC_VESSEL_H

#include "rill/geometry.h"
#include "rill/progress.h"
#include "rill/sim.h"

#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A case: what its file says of fluid, openings, run and output. */
typedef struct rill_case rill_case;

/**
 * Read and check a case file: YAML with a schema, every quantity with its unit. Waveforms are read, too, but
 * not the geometry.
 * @param[in] path the file; paths in it are relative to its directory, and the files in it or below
 * @param[out] out the case; the caller destroys it
 * @return RILL_USAGE with "file:line: " and one sentence: unknown, doubled or missing keys, wrong types,
 * missing or wrong units, values out of range; RILL_SYSTEM without memory
 * @see docs/vessels.md
 */
rill_status rill_case_read(const char *path, rill_case **out);

/**
 * Read and check a case in memory, as rill_case_read() does with a file.
 * @param[in] text YAML, at most 1 MiB; copied
 * @param[in] path name of the case in messages; paths in the text are relative to its directory. It need not
 * exist.
 * @param[out] out the case; the caller destroys it
 * @return as rill_case_read()
 */
rill_status rill_case_read_text(const char *text, const char *path, rill_case **out);

/**
 * Read and check a case that may name files outside its directory, which rill_case_read() and
 * rill_case_read_text() refuse.
 * @param[in] text as rill_case_read_text(); NULL: the file of this path
 * @param[in] path the file, or the name of the case in messages
 * @param[out] out the case; the caller destroys it
 * @return as rill_case_read()
 */
rill_status rill_case_read_outside(const char *text, const char *path, rill_case **out);

/**
 * Permit that a run starts the program that a case names for outlets of kind model, with the rights of this
 * process. Without it rill_case_plan_accept() and rill_case_run() refuse such a case.
 * @param[in,out] given the case
 * @see docs/coupled-models.md
 */
void rill_case_allow_program(rill_case *given);

/**
 * Destroy a case.
 * @param[in] given NULL is allowed
 */
void rill_case_destroy(rill_case *given);

/**
 * Return the path of the geometry of a case, for rill_geom_read().
 * @param[in] given the case
 * @return the path; it lives as long as the case
 */
const char *rill_case_geometry(const rill_case *given);

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
typedef struct rill_case_plan_opening {
    int end;               /**< number of the opening in the case file, from 0 */
    double cells;          /**< across: hydraulic diameter / spacing */
    double narrow;         /**< across where the opening is narrowest, at most as many */
    double flow_mean;      /**< m3/s, expected mean, into the vessel counted positive */
    double flow_peak;      /**< m3/s, expected peak of |Q| */
    double velocity_peak;  /**< m/s, mean over the section, at the peak; the profile's if higher */
    double pressure_mean;  /**< Pa, expected mean */
    double pressure_peak;  /**< Pa, expected peak */
    double pressure_start; /**< Pa: Windkessel: p_c of the periodic state at time 0 */
    double share;          /**< outlets: of the mean flow, expected */
    double reynolds;       /**< at the peak, by hydraulic diameter */
    double womersley;      /**< by half of the hydraulic diameter; 0 when steady */
    double kept;           /**< inlets: least part of the own profile that is kept; the rest is flat */
    double kept_when;      /**< inlets: when that is, s */
    double outward;        /**< inlets: m/s, largest velocity out of the vessel, of the whole profile */
    double reversed;       /**< the same of the mean over the section */
    uint32_t points;     /**< inlets: measured points of the profile, at the time with the fewest; 0: none */
    uint32_t times;      /**< inlets: times of these points */
    double points_apart; /**< inlets: m, between these points */
    double coverage;     /**< inlets: part of the opening that they cover */
    double file_flow;    /**< inlets: m3/s, mean flow of the velocities of the file */
    double extension;    /**< m, between the surface and the plane of the opening */
    double sponge;       /**< m, length of the sponge layer at the end of the extension; 0: none */
    double sponge_nu;    /**< m2/s, viscosity of the layer at the opening */
    double extension_resistance; /**< outlets: Pa s/m3, expected of the extension, with its layer */
} rill_case_plan_opening;

/** One remark of a plan; a refusal says what would do. */
typedef struct rill_case_plan_verdict {
    bool refuses;   /**< the run is refused; else the text is a remark */
    char text[480]; /**< one or more sentences; a refusal names a remedy */
} rill_case_plan_verdict;

enum { RILL_CASE_PLAN_VERDICTS = 16 /**< of a plan, at most */ };

/** Shapes that err more than a pipe along (1, 2, 2). */
typedef enum rill_case_plan_shape {
    RILL_CASE_PLAN_STRAIGHT, /**< a pipe along an axis of the lattice, wherever nodes lie */
    RILL_CASE_PLAN_TRIANGLE, /**< flat walls oblique to the lattice: the equilateral duct, across its incircle
                              */
    RILL_CASE_PLAN_STENOSIS, /**< a pipe that narrows to half of its width over 4.5 radii */
    RILL_CASE_PLAN_SHAPES
} rill_case_plan_shape;

/** Errors to expect of a shape; NaN: not known. */
typedef struct rill_shape_errors {
    double pressure; /**< of the pressure drop */
    double mean;     /**< of the mean wall shear */
    double local;    /**< of the wall shear on triangles, L2 */
    bool at_least;   /**< as rill_case_plan_errors.at_least, of the flows of this shape */
} rill_shape_errors;

/**
 * Errors to expect where the vessel has the fewest cells across, relative: those of straight pipes as many
 * cells across, at the same relaxation time and Womersley number (data/wall-shear-errors.csv), and of a bend
 * of five radii (data/bend-errors.csv) and of other shapes (data/shape-errors.csv), and the change of a
 * pulsatile flow along the vessel. They are larger where flow separates. NaN: not known, as with half-way
 * bounce-back.
 */
typedef struct rill_case_plan_errors {
    double cells;         /**< across the opening with the fewest */
    double tau;           /**< relaxation time */
    double layer;         /**< cells in the boundary layer R / Womersley number; 0 when steady */
    double pressure;      /**< of the pressure drop */
    double mean;          /**< of the mean wall shear */
    double local;         /**< of the wall shear on triangles, L2 */
    double dean;          /**< Dean number at the peak in such a bend, Re sqrt(R / radius of the bend) */
    double bend;          /**< as `local`, there */
    double cell_reynolds; /**< of the case at its peak */
    double measured;      /**< cell Reynolds number up to which such flows were measured */
    bool at_least;        /**< the case is beyond it: its errors are at least these */
    bool bend_at_least;   /**< the same of `bend`, also of its Dean number */
    double sound; /**< part of these that the compressible fluid adds: rill_case_plan_compliance.mean_sound */
    rill_shape_errors shape[RILL_CASE_PLAN_SHAPES]; /**< with as many cells across where they are widest */
} rill_case_plan_errors;

/** What the compressible fluid of the lattice stores, beside the circuit. */
typedef struct rill_case_plan_compliance {
    double volume;  /**< m3, of the fluid */
    double lattice; /**< m3/Pa: volume / (density c_s^2) */
    double circuit; /**< m3/Pa, of all Windkessels */
    double share;   /**< lattice / circuit; 0 where a pressure is held or there is no Windkessel */
    double stroke;  /**< m3, volume that comes in over a cycle; 0 when steady */
    double swing;   /**< Pa, range of the pressures */
    double stored;  /**< lattice x pressure range / stroke */
    double inertia; /**< Pa/m3: rate at which the vessel's own drop changes, the largest of a cycle, over
                       twice the largest inflow */
    double sound;   /**< inertia x lattice: change of the flow along the vessel, over the largest inflow */
    double mean_inertia; /**< Pa/m3: as `inertia`, of the means over a cycle of both magnitudes */
    double mean_sound;   /**< mean_inertia x lattice: what it changes of time-averaged wall shear */
    double resistance;   /**< Pa s/m3, of all outlets; 0 where a pressure is held */
    double constant;     /**< s, the longest R_d C of a Windkessel */
    double settling;     /**< s: resistance x lattice */
    double peak;         /**< Pa, highest pressure of the circuit alone */
    double peak_stored;  /**< Pa, highest pressure of the circuit with the lattice */
    double change;       /**< largest difference of these pressures, over their range */
    double bearable; /**< part of the lattice's compliance that makes it RILL_COMPLIANCE_CHANGE; 1: all does
                        not */
} rill_case_plan_compliance;

/** What a run that goes on from a checkpoint keeps of the plan it began with. */
typedef struct rill_case_plan_resume {
    bool given;           /**< the run goes on from a checkpoint; else the rest is 0 */
    double time_step;     /**< s */
    uint64_t cycle_steps; /**< as in rill_case_plan */
    uint64_t soft_steps;  /**< as in rill_case_plan */
    uint64_t lead_steps;  /**< as in rill_case_plan */
    uint64_t span;        /**< steps of a cycle, or of the span of a steady run */
    uint64_t phases;      /**< snapshots of a cycle */
    double diffusivity;   /**< m2/s, as in rill_case_plan; 0: not in it */
    bool probes;          /**< the probes are unchanged: their series continue */
    bool planes;          /**< the same of planes */
    bool surface;         /**< the same of the surface */
    bool line;            /**< the same of the centre line */
    char software[64];    /**< rill_version() of the build that wrote it; a verdict says when it is another */
} rill_case_plan_resume;

/** Viscosity in a plan. */
typedef struct rill_case_plan_viscosity {
    rill_rheology law; /**< of the case */
    double nu;         /**< m2/s, of the tau that the plan is made with */
    double tau_low;    /**< of the law: smallest relaxation time */
    double tau_high;   /**< largest relaxation time; tau_low when Newtonian */
} rill_case_plan_viscosity;

/** The fastest flow that a plan expects. */
typedef struct rill_case_plan_peak {
    double velocity;   /**< m/s, largest expected in the vessel */
    double narrowest;  /**< m2, of the section where that is */
    double mach;       /**< largest Mach number, of `velocity` */
    double mach_limit; /**< a run stops above this Mach number */
    double reynolds;   /**< of `velocity`; of the opening where it is largest */
    double womersley;  /**< of the inlet; 0 when steady */
} rill_case_plan_peak;

/** Pressures that a plan expects, Pa. */
typedef struct rill_case_plan_pressure {
    double low;     /**< lowest of all openings over a cycle, and of the start */
    double high;    /**< highest of the same */
    double allowed; /**< what circuit, Bernoulli, viscosity and inertia make */
    double limit;   /**< a run stops above: difference from scales.base */
    double start;   /**< above that limit while the start decays: what sound may carry */
} rill_case_plan_pressure;

/** How a planned run starts, in steps. */
typedef struct rill_case_plan_start {
    uint64_t steps; /**< in which the soft start and its echoes decay */
    uint64_t soft;  /**< over which flow and pressure come up */
    uint64_t lead;  /**< before the first cycle, which begins at time 0; the soft start is within them; 0: it
                       is within the first cycle */
    double sound;   /**< in which sound runs along the vessel once */
} rill_case_plan_start;

/** What the flow of a plan carries. */
typedef struct rill_case_plan_transport {
    int scalars;        /**< concentration, residence time; 0: none */
    double diffusivity; /**< m2/s, of these */
    double cell_peclet; /**< peak.velocity spacing / diffusivity */
} rill_case_plan_transport;

/** How fast a planned run is. */
typedef struct rill_case_plan_speed {
    double mlups;         /**< million node updates per second */
    bool measured;        /**< here, just now */
    double mlups_one;     /**< of one of several devices; 0: not known */
    double seconds_cycle; /**< s, estimated for a cycle; 0 when steady */
    double seconds;       /**< s, estimated for the whole run */
} rill_case_plan_speed;

/** The plan of a case, known before anything is allocated for it. */
typedef struct rill_case_plan {
    rill_scales scales;                 /**< SI per lattice unit */
    rill_sim_options options;           /**< variant, tau, viscosity law, lu */
    rill_case_plan_viscosity viscosity; /**< of the fluid */

    uint64_t voxels;                      /**< voxels of the box */
    uint64_t nodes;                       /**< fluid nodes */
    uint64_t wall_links;                  /**< links to walls */
    uint64_t opening_links;               /**< links through openings */
    rill_case_plan_peak peak;             /**< the fastest flow that is expected */
    rill_case_plan_pressure pressure;     /**< that are expected */
    rill_case_plan_start start;           /**< how the run starts */
    uint64_t cycle_steps;                 /**< steps of a cycle; 0 when steady */
    uint64_t steps;                       /**< at most */
    int weights;                          /**< of all modes of velocities and pressures, each moment */
    rill_case_plan_compliance compliance; /**< what the fluid of the lattice stores */
    rill_case_plan_errors errors;         /**< to expect */
    rill_case_plan_resume resume;         /**< of the checkpoint that the run goes on from */
    rill_case_plan_transport transport;   /**< what the flow carries */
    rill_resources resources;             /**< memory, and the parts that devices step */
    uint64_t host_peak;         /**< memory of the process when it needs most: what it has already, with the
                                   geometry and the program, and resources.host_bytes */
    uint64_t checkpoint_bytes;  /**< size of one checkpoint */
    uint64_t output_bytes;      /**< size of all results, before compression */
    rill_case_plan_speed speed; /**< how fast it is */
    const char *variant_reason; /**< why this variant; not owned */

    rill_case_plan_opening openings[RILL_OPENINGS]; /**< [opening_count], in the order of the geometry */
    int opening_count;                              /**< number of openings */
    rill_case_plan_verdict verdicts[RILL_CASE_PLAN_VERDICTS]; /**< [verdict_count], remarks and refusals */
    int verdict_count;                                        /**< number of verdicts */
    rill_domain *domain;    /**< the fluid nodes, numbered for the run; owned */
    rill_progress progress; /**< of the options, for rill_vessel_create() */
} rill_case_plan;

/** What a plan needs beside the case; all zero: a new run wherever there is a device, its speed not measured.
 */
typedef struct rill_case_plan_options {
    rill_devices on;    /**< where it will run */
    bool measure;       /**< measure the speed, else it is left out */
    const char *resume; /**< directory of the checkpoint that the run goes on from; NULL: a new run */
    rill_progress
        progress; /**< of planning, and of rill_vessel_create(), until which it must live; all 0: none */
} rill_case_plan_options;

/**
 * Return whether a case closes openings of its geometry (kind: wall).
 * @param[in] given the case
 * @return true when rill_case_close() would change both
 */
bool rill_case_closes(const rill_case *given);

/**
 * Close the openings that a case calls walls, and forget them in both: before a plan is made.
 * @param[in,out] given the case
 * @param[in,out] geom its geometry
 * @return RILL_SYSTEM without memory
 */
rill_status rill_case_close(rill_case *given, rill_geom *geom);

/**
 * Plan a case on its geometry. The fluid nodes are numbered, and nothing else is allocated for the run; where
 * the speed is to be measured, a small vessel is set up for a moment.
 * @param[in] given the case
 * @param[in] geom the geometry of a vessel, with its surface
 * @param[in] options device, and what to measure
 * @param[out] plan the plan; what speaks against the run is among its verdicts: see rill_case_plan_accept();
 * see rill_case_plan_free(), too
 * @return RILL_USAGE when openings of case and geometry do not match, or the geometry is none of a vessel;
 * RILL_SYSTEM without memory or device
 */
rill_status rill_case_plan_make(const rill_case *given, const rill_geom *geom,
                                const rill_case_plan_options *options, rill_case_plan *plan);

/** Free what a plan owns, after the vessel that was set up with it. @param[in,out] plan all 0 is allowed */
void rill_case_plan_free(rill_case_plan *plan);

/**
 * Check a plan for refusals.
 * @param[in] plan the plan
 * @return RILL_USAGE with the first refusal among the verdicts, RILL_SYSTEM when there is not enough memory
 */
rill_status rill_case_plan_accept(const rill_case_plan *plan);

/** A case on a simulation. */
typedef struct rill_vessel rill_vessel;

/**
 * Set up the simulation of a case: domain, walls, openings, and the initial state.
 * @param[in] given borrowed: it must outlive the vessel
 * @param[in] geom borrowed: it must outlive the vessel
 * @param[in] plan accepted; copied
 * @param[out] out the vessel; the caller destroys it
 * @return RILL_SYSTEM without memory or device, RILL_USAGE for values out of range
 */
rill_status rill_vessel_create(const rill_case *given, const rill_geom *geom, const rill_case_plan *plan,
                               rill_vessel **out);

/**
 * Destroy a vessel.
 * @param[in] vessel NULL is allowed
 */
void rill_vessel_destroy(rill_vessel *vessel);

/** How velocity, pressure and shear rate are written where the case requests them: not, on all voxels, on
 * those of the fluid. */
typedef enum rill_fields_kind { RILL_FIELDS_NONE, RILL_FIELDS_IMAGE, RILL_FIELDS_SPARSE } rill_fields_kind;

/** How a run came to its end. */
typedef enum rill_run_end {
    RILL_RUN_REPEATS,   /**< the last two cycles are the same within the tolerance */
    RILL_RUN_LIMIT,     /**< it made all the cycles or steps that it was allowed */
    RILL_RUN_CANCELLED, /**< by the progress callback; a checkpoint was written */
    RILL_RUN_DIVERGED
} rill_run_end;

/** A moment of a run, for progress callbacks. */
typedef struct rill_run_moment {
    double cycles;     /**< cycles made */
    double cycles_max; /**< cycles at most */
    double time;       /**< s, physical */
    double mach;       /**< largest speed / speed of sound of the lattice; NaN at first */
    double balance;    /**< what comes in too much, of the largest flow through the vessel */
    double change;     /**< from the last cycle but one to the last; NaN before there are two */
    double mlups;      /**< million node updates per second */
    bool recording;    /**< this cycle is the one that results are written of */
} rill_run_moment;

/** How a vessel is run. */
typedef struct rill_run_options {
    const char *directory;       /**< where everything goes; it must exist; NULL: no file is written */
    rill_fields_kind fields;     /**< how fields are written */
    bool resume;                 /**< go on from the checkpoint in the directory; else it is removed */
    double checkpoint_every;     /**< s of wall clock; 0: none but on request and when the run is cancelled */
    volatile sig_atomic_t *save; /**< 1, set by a handler of a signal: a checkpoint is written at the next row
                                    of the series, and it becomes 0; NULL: none */
    const char *command;         /**< provenance; may be NULL */
    rill_progress progress;      /**< of the run and of its files; all 0: none */
} rill_run_options;

enum { RILL_DROPS = 32 /**< of a case, at most */ };

/** The pressure drop between two cross-sections, over the last cycle. */
typedef struct rill_run_drop {
    double from;  /**< Pa, mean over the upper cross-section and the cycle */
    double to;    /**< Pa, the same of the lower one */
    double low;   /**< Pa, smallest drop of a moment */
    double high;  /**< Pa, largest drop of a moment */
    double ratio; /**< of the means, both less the venous pressure: in hyperaemia the fractional flow reserve;
                     NaN where the upper one is not above the venous pressure */
    const char *name;      /**< in the case, which owns all three names */
    const char *from_name; /**< of the upper cross-section: a plane or an opening */
    const char *to_name;   /**< of the lower one */
} rill_run_drop;

/** How far the last cycle may be from the periodic state, relative, at least its difference from the cycle
 * before; NaN: unknown, as where the estimate is above 1. */
typedef struct rill_run_change {
    double flow;       /**< of the flows */
    double pressure;   /**< of the pressures */
    double wall;       /**< of the wall shear */
    double transport;  /**< of concentration and residence time; 0 without */
    double most;       /**< the largest of these; NaN where one is */
    double difference; /**< largest relative difference between the last two cycles, of flows, pressures and
                            wall shear; NaN: unknown */
} rill_run_change;

/** Wall shear over the last cycle, where it was requested. */
typedef struct rill_run_shear {
    uint64_t triangles; /**< of the surface */
    uint64_t missing;   /**< without a value: no wall, or no fluid nearby */
    uint64_t within;    /**< of those missing, within the lumen of overlapping shells */
    uint64_t flat;      /**< where a mean of nodes stands instead of an extrapolation */
    double mean;        /**< mean of TAWSS over the surface, Pa; NaN without wall shear */
    double max;         /**< largest TAWSS, Pa; NaN without wall shear */
    double osi_mean;    /**< mean oscillatory shear index over the surface, 0 to 0.5; NaN without */
} rill_run_shear;

/** Helicity density over the snapshots of the last cycle, m/s2; NaN unless the case requests it. h3 = h1 /
 * h2, h4 = |h1| / h2. */
typedef struct rill_helicity_means {
    double mean; /**< h1, mean over the volume */
    double size; /**< h2, the same of its absolute value */
} rill_helicity_means;

/** What the flow carried. */
typedef struct rill_run_transport {
    double concentration[RILL_OPENINGS]; /**< of what leaves through an outlet, mean over the last cycle; NaN
                                              of inlets, where nothing leaves, and without concentrations */
    double residence[RILL_OPENINGS];     /**< s, the same of the time since it came in through an inlet */
    double concentration_mean;           /**< over the volume, at the end; NaN without concentrations */
    double residence_mean;               /**< s, the same */
} rill_run_transport;

/** What came of a run, SI. */
typedef struct rill_run_result {
    rill_run_end end;               /**< how the run ended */
    bool compared;                  /**< there were two cycles to compare */
    uint64_t steps;                 /**< steps made in all */
    uint64_t resumed;               /**< steps that a checkpoint brought along */
    uint64_t cycle_steps;           /**< of a cycle, or of the span of a steady run */
    uint64_t watch_steps;           /**< divergence is found within so many */
    uint32_t cycles;                /**< completed */
    uint64_t corrections;           /**< cycles after which Windkessels were put into their periodic state */
    double time;                    /**< s, physical, from the beginning of the first cycle */
    rill_run_change changes;        /**< from the periodic state */
    bool soft;                      /**< the last two cycles are not both after the soft start */
    double balance;                 /**< what came in too much over the last cycle, of what came in */
    double mach_max;                /**< largest Mach number seen */
    double flow[RILL_OPENINGS];     /**< m3/s, mean over the last cycle */
    double pressure[RILL_OPENINGS]; /**< Pa, mean over the last cycle */
    double pressure_low[RILL_OPENINGS];  /**< Pa, lowest in the last cycle */
    double pressure_high[RILL_OPENINGS]; /**< Pa, highest in the last cycle */
    rill_run_shear shear;                /**< on the wall */
    double seconds;                      /**< s, wall clock of this process, stepping and observing */
    double mlups;                        /**< million node updates per second over that time */
    char why[512];                       /**< of a divergence: where and why */
    int phases;                          /**< snapshots written */
    int drop_count;                      /**< number of pressure drops that the case names */
    rill_run_drop drops[RILL_DROPS];     /**< [drop_count], in the order of the case */
    rill_helicity_means helicity;        /**< where the case requests it */
    rill_run_transport transport;        /**< what the flow carried */
} rill_run_result;

/**
 * Run a vessel until its cycles repeat, or until a steady flow is steady, and write the results. A steady run
 * has cycles, too: spans of time in which a disturbance of the flow decays to 1/e, so that a change over one
 * of them is about what is still missing.
 * @param[in,out] vessel the vessel
 * @param[in] options where results go, and what is written
 * @param[out] result filled in also when RILL_NUMERICS is returned
 * @return RILL_NUMERICS when it diverged (nothing is written but the checkpoint that there was); RILL_USAGE
 * for a checkpoint that is not its own or positions outside of the fluid; RILL_SYSTEM for disk, memory or
 * device, or where rill-inspect, which is started to read a checkpoint first, is missing (see rill/file.h)
 */
rill_status rill_case_run(rill_vessel *vessel, const rill_run_options *options, rill_run_result *result);

/**
 * Copy pressure and velocity of a vessel at the time that it has come to, e.g. the end of a run.
 * @param[in,out] vessel the vessel
 * @param[out] pressure [nz][ny][nx], Pa; 0 in solid voxels; may be NULL
 * @param[out] velocity [3][nz][ny][nx], m/s; 0 in solid voxels; may be NULL
 * @return RILL_SYSTEM for memory or device
 */
rill_status rill_vessel_fields(rill_vessel *vessel, float *pressure, float *velocity);

/**
 * Copy the wall shear stress of the last cycle of the run that ended last.
 * @param[in] vessel the vessel
 * @param[out] tawss [triangle_count of the geometry's surface], mean magnitude, Pa; NaN where there is no
 * wall or no fluid nearby; may be NULL
 * @param[out] osi [triangle_count], oscillatory shear index, 0 to 0.5; NaN likewise; may be NULL
 * @return RILL_USAGE when no run ended, or the case requests no wall shear
 */
rill_status rill_vessel_wall_shear(const rill_vessel *vessel, float *tawss, float *osi);

#ifdef __cplusplus
}
#endif

#endif
