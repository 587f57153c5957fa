/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file permeability.h
 * What the files of `rill permeability` share.
 */
#ifndef RILL_CLI_PERMEABILITY_H
#define RILL_CLI_PERMEABILITY_H

#include "cli/property.h"
#include "permeability/plan.h"
#include "rill.h"
#include "sim/sim.h"

#include <stdbool.h>

/* ---- what `rill permeability` leaves: rows on standard output, JSON, an HDF5 file ---- */

/** Wall seconds of the parts of a computation that the result does not hold. */
typedef struct cli_permeability_times {
    double plan;  /**< labelling of a geometry, measuring the pores */
    double write; /**< fields */
    double bar;   /**< runs of the error bar, and what splits or cuts the sample for them */
    double total; /**< from the start to the moment of writing */
} cli_permeability_times;

/** All that is known at the end. */
typedef struct cli_permeability_result {
    const cli_property *p;
    const rill_permeability_options *options;
    const rill_permeability *result;
    cli_permeability_times times;
    const char *output;          /**< HDF5 file, NULL for none */
    const char *fields[3];       /**< of the runs, NULL for none */
    const rill_error_bar *bar;   /**< without further runs that of the run itself */
    const struct cli_flow *flow; /**< that is shown; NULL for none */
    double mlups;                /**< of one device, measured for the plan; NaN: not measured */
} cli_permeability_result;

/** Print what is going to be done. @param[in] answer  when the plan is made */
void cli_permeability_print_plan(const rill_geom *geom, const rill_permeability_answer *answer);

/** Print k alone, on one line; of a tensor its diagonal. @param result  a cli_permeability_result */
void cli_permeability_print_line(const void *result);

/** Write and print it: the JSON twin of the summary, and summary and series as a result file (io/result.h).
 */
rill_status cli_permeability_report(const cli_permeability_result *r);

/* ---- its fields, and what its walls decide ---- */

/** Fields of a run. */
typedef struct cli_permeability_fields {
    const rill_geom *geom;
    const char *command, *path; /**< path: the file */
    rill_fields_kind kind;
    rill_progress progress;
} cli_permeability_fields;

/** Write them as VTKHDF. */
rill_status cli_permeability_fields_write(const cli_permeability_fields *fields,
                                          const rill_permeability_flow *run, const rill_node_moments *all);

/** Print what the walls of each run decide, where it is known. */
void cli_permeability_print_walls(const cli_permeability_result *r);

/** Return the same of a run as JSON; null where it is not known. */
json_t *cli_permeability_walls_json(const rill_geom *geom, const rill_permeability_flow *run);

/** Write the same to a result file. */
rill_status cli_permeability_write_walls(rill_result *file, const cli_permeability_result *r);

/* ---- rows of the permeability itself: a value or a tensor, principal values, uncertainty ---- */

/** Return the factor from lu to m2; NaN when the voxel size is unknown. */
double cli_square_metres(const rill_geom *geom);

/** Write "1.046 ± 0.006": a value with as many decimals as it is worth; "not known yet". */
void cli_with_uncertainty(double value, double uncertainty, char *text, size_t size);

/** Print the permeability in all units that are known, and its uncertainty. */
void cli_permeability_print_values(const cli_permeability_result *r);

/* ---- a permeability as the flow of a fluid in SI units: its options, rows and JSON ---- */

/** A requested flow. Start with zeros. */
typedef struct cli_flow {
    const char *fluid, *viscosity, *density, *drop; /**< as given; NULL: not given */
    rill_fluid of;
    double pressure; /**< drop over the length of the sample, Pa; 0: no flow is shown */
} cli_flow;

/** The options of a flow, for an option table. */
#define CLI_FLOW(flow)                                                                                       \
    {.help = "Flow in SI units, by Darcy's law"},                                                            \
        {"pressure-drop",                                                                                    \
         0,                                                                                                  \
         CLI_TEXT,                                                                                           \
         &(flow).drop,                                                                                       \
         "PRESSURE",                                                                                         \
         "show flow rate and Darcy velocity for this drop over the length of the sample: 1bar",              \
         .fallback = "no flow"},                                                                             \
        {"fluid",       0,      CLI_TEXT,                                                                    \
         &(flow).fluid, "NAME", "water, brine (1 mol NaCl per kg) or air, at 20 C",                          \
         .fallback = ""},                                                                                    \
        {"viscosity",   0, CLI_TEXT, &(flow).viscosity, "VISCOSITY", "that of another fluid: \"1.2 mPa.s\"", \
         .fallback = ""},                                                                                    \
    {                                                                                                        \
        "density", 0, CLI_TEXT, &(flow).density, "DENSITY",                                                  \
            "for the Reynolds number with --viscosity: \"1030 kg/m3\"", .fallback = ""                       \
    }

/** Read the options. */
rill_status cli_flow_settle(cli_flow *flow);

/** Return a flow of one axis as JSON. */
json_t *cli_flow_json(const rill_darcy_flow *flow);

/** Refuse a flow of a geometry whose voxel size is not known. */
rill_status cli_flow_check(const cli_flow *flow, const rill_geom *geom);

/** Print the flow along each axis. */
void cli_permeability_print_flow(const cli_permeability_result *r);

/** Return the same as JSON: null without a flow. */
json_t *cli_permeability_flow_json(const cli_permeability_result *r);

/* ---- the checkpoint of a permeability, as the command line names it ---- */

/** What its name is made of. */
typedef struct cli_checkpoint {
    const char *given;  /**< --checkpoint; NULL: not given */
    const char *output; /**< -o; NULL: not given */
    const char *input;
    const char *command; /**< part of a name after the input; NULL: the permeability, whose it is without */
    bool resume;         /**< there must be one */
    bool error_bar;      /**< makes runs of many kinds, which have no place in one file: there must be none */
} cli_checkpoint;

/**
 * Name a checkpoint, and check that it exists where a run is to continue from it.
 * @param[out] name [size]
 */
rill_status cli_checkpoint_settle(const cli_checkpoint *checkpoint, char *name, size_t size);

/** How a computation and its report came out. */
typedef struct cli_checkpoint_end {
    const char *name;    /**< of the checkpoint */
    bool left;           /**< it is of the computation, and is there */
    rill_status status;  /**< of the computation */
    const char *why;     /**< rill_error_message() of it */
    rill_status written; /**< of the report, whose message is the last one */
} cli_checkpoint_end;

/** Remove the checkpoint of a result that is written, and say of one that is not that it is there.
 * @return what the command ends with */
rill_status cli_checkpoint_finish(const cli_checkpoint_end *end);

/* ---- rill permeability of several inputs, or of the blocks of one image ---- */

/** What the command line says. */
typedef struct cli_batch {
    const cli_compute *compute;
    cli_devices *devices;
    const cli_image *image;
    const cli_command *command;
    rill_permeability_options options;           /**< of every item */
    const rill_diffusivity_options *diffusivity; /**< compute that instead; NULL: permeability */
    const rill_phase *phases;                    /**< of that; NULL: none */
    const cli_flow *flow;                        /**< that each row shows beside k */
    const char *const *inputs;
    int count;
    const char *csv;    /**< table; NULL: none */
    const char *blocks; /**< sizes of blocks, "50,100um"; NULL: whole images */
    int at_once;        /**< 0: chosen */
    int error_bar;      /**< further runs of each item, see rill_batch_options */
    uint32_t sample;    /**< edge of the blocks of its row "sample"; 0: none */
    bool resume, dry_run;
    const char *line; /**< the command */
    rill_progress progress;
} cli_batch;

/** The apply function of --csv: the table is written again and again, which a stream cannot be. */
rill_status cli_csv_apply(const char *text);

/** Return what the options of a sample say of a batch; `options` and `flow` are left to the caller. */
cli_batch cli_batch_of(cli_property *p);

/** Compute, print and write all of it. @return the status of the worst item */
rill_status cli_batch_run(const cli_batch *batch);

#endif
