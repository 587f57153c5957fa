/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file permeability_output.h
 * What `rill permeability` leaves: rows on standard output, JSON, an HDF5 file.
 */
#ifndef RILL_CLI_PERMEABILITY_OUTPUT_H
#define RILL_CLI_PERMEABILITY_OUTPUT_H

#include "rill.h"
#include "sim/sim.h"

/** Wall seconds of the parts of a computation that the result does not hold. */
typedef struct cli_permeability_times {
    double read;  /**< image or geometry file, labelling of an image included */
    double plan;  /**< labelling of a geometry, measuring the pores */
    double write; /**< fields */
    double bar;   /**< runs of the error bar, and what splits or cuts the sample for them */
    double total; /**< from the start to the moment of writing */
} cli_permeability_times;

/** All that is known at the end. */
typedef struct cli_permeability_result {
    const rill_geom *geom;
    const rill_permeability_options *options;
    const rill_permeability *result;
    cli_permeability_times times;
    const char *input, *command;
    const int *file_axes;        /**< [3], where axes 0, 1, 2 of the input go, 0 x, 1 y, 2 z */
    const char *json, *output;   /**< file names, NULL for none */
    const char *fields[3];       /**< of the runs, NULL for none */
    const rill_error_bar *bar;   /**< NULL for none */
    const struct cli_flow *flow; /**< that is shown, see permeability_flow.h; NULL for none */
    double mlups;                /**< of one device, measured for the plan; 0: not measured */
} cli_permeability_result;

/** Return the seconds that a run is expected to take on all its devices. @param[in] speed  of one of them */
double cli_permeability_seconds(const rill_geom *geom, const rill_permeability_options *options,
                                const rill_permeability_plan *plan, rill_speed speed);

/**
 * Print what is going to be done.
 * @param host_peak       memory of the process at its peak, bytes
 * @param variant_reason  why this variant
 */
void cli_permeability_print_plan(const rill_geom *geom, const rill_permeability_options *options,
                                 const rill_permeability_plan *plan, uint64_t host_peak,
                                 const char *variant_reason, rill_speed speed);

/** Print k alone, on one line; of a tensor its diagonal. */
void cli_permeability_print_line(const cli_permeability_result *r);

/** Print what came out. */
void cli_permeability_print(const cli_permeability_result *r);

/** Write the JSON twin of the summary. */
rill_status cli_permeability_write_json(const cli_permeability_result *r);

/** Write summary and series as a result file (io/result.h). */
rill_status cli_permeability_write_hdf5(const cli_permeability_result *r);

#endif
