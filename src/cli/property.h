/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file property.h
 * What the commands share that compute a property of the pores of a sample: `rill permeability`, `rill
 * diffusivity`, `rill dispersion`. A command adds its own options, the computation, and what it prints.
 */
#ifndef RILL_CLI_PROPERTY_H
#define RILL_CLI_PROPERTY_H

#include "cli/devices.h"
#include "cli/image_options.h"
#include "io/fields.h"
#include "io/result.h"

#include <jansson.h>

/** Names of rill_fields_kind; of rill_keep_kind without "connected". */
extern const char *const cli_fields_kinds[], *const cli_keeps[];

/** What such a command knows of its sample. */
typedef struct cli_property {
    const cli_command *command;
    const char *lacking; /**< the sentence where no input is given */
    cli_compute compute;
    cli_image image;
    cli_devices devices;
    const char *input, *const *inputs; /**< the first, and [input_count] */
    int input_count;
    const char *axes; /**< as given */
    bool axis_given;
    int file_axes[3]; /**< where axes 0, 1, 2 of the input go, 0 x, 1 y, 2 z */
    const char *checkpoint;
    char checkpoint_name[4096];
    const char *csv, *blocks;
    int fields, at_once; /**< a rill_fields_kind; 0: chosen */
    bool resume, dry_run;
    char *line; /**< the command, owned */
    rill_progress progress;
    rill_geom *geom;
    double start, reading; /**< when the work began, and the seconds of reading */
} cli_property;

/** The options of a batch, for an option table. */
#define CLI_BATCH(p)                                                                                         \
    {.help = "Batch"},                                                                                       \
        {"csv",                                                                                              \
         0,                                                                                                  \
         CLI_TEXT,                                                                                           \
         &(p).csv,                                                                                           \
         "FILE",                                                                                             \
         "table with a row for each input or block",                                                         \
         .fallback = "none",                                                                                 \
         .apply = cli_csv_apply},                                                                            \
        {"blocks",                                                                                           \
         0,                                                                                                  \
         CLI_TEXT,                                                                                           \
         &(p).blocks,                                                                                        \
         "SIZES",                                                                                            \
         "cut the image into cubes of this edge, in voxels or as a length; several sizes with commas "       \
         "between: 50,100,200um",                                                                            \
         .fallback = "none"},                                                                                \
        {"at-once",                                                                                          \
         0,                                                                                                  \
         CLI_INT,                                                                                            \
         &(p).at_once,                                                                                       \
         "COUNT",                                                                                            \
         "items that are computed at the same time",                                                         \
         .fallback = "chosen, by device and size",                                                           \
         .min = 1,                                                                                           \
         .max = 1024,                                                                                        \
         .rare = true},                                                                                      \
    {                                                                                                        \
        "dry-run", 0, CLI_FLAG, &(p).dry_run, .help = "print what would be done, and stop"                   \
    }

/** Set the defaults. */
void cli_property_defaults(cli_property *p);

/**
 * Read the command line, and work.
 * @param tables  as for cli_parse()
 * @param many    several inputs may be given
 * @param work    called when all is read
 * @return the exit code
 */
int cli_property_run(cli_property *p, const cli_option *const *tables, bool many, int argc, char **argv,
                     rill_status (*work)(void *context), void *context);

/** Whether the items of a batch are computed. */
bool cli_property_is_batch(const cli_property *p);

/** Refuse options in a batch that belong to one sample. @param others  [count], beside -o, --fields and
 * --checkpoint; path NULL: not given */
rill_status cli_property_batch_check(const cli_property *p, const cli_output *others, int count);

/** Settle the axis, which may be counted as in the files. @param[out] axis  see rill/types.h */
rill_status cli_property_axis(const cli_property *p, int *axis);

/** Name the checkpoint, and fail before the work when something could not be written after it.
 * @param error_bar  makes runs that have no checkpoint */
rill_status cli_property_outputs(cli_property *p, bool error_bar);

/** Convert the options of the image; all pores are kept. */
rill_status cli_property_image(const cli_property *p, rill_voxelize_options *out);

/** Keep and show what was read. */
void cli_property_read(cli_property *p, const rill_voxelize_report *report);

/** Fields of a solute: a number and a vector in the place of pressure and velocity. */
typedef struct cli_solute_fields {
    rill_moments_fn moments; /**< hands out three times the number as rho, and the vector as u */
    const void *context;     /**< of that, which does not write to it */
    const char *vector, *number;
    rill_field_unit unit; /**< of the vector */
} cli_solute_fields;

/** Write a file of them. */
rill_status cli_property_fields(const cli_property *p, const cli_solute_fields *f, const char *path);

/** Print voxels and boundaries. @param unknown  stands for the edge of a voxel that is not known */
void cli_geom_rows(const rill_geom *geom, const char *unknown);

/** What a command makes of its result. */
typedef struct cli_property_result {
    const void *result; /**< for the functions */
    const char *notes;  /**< of it */
    const char *output; /**< HDF5 file; NULL: none */
    const char *backend, *device, *variant;
    json_t *(*json)(const void *result); /**< what no other command has */
    rill_status (*write)(rill_result *file, const void *result);
    void (*print)(const void *result), (*print_line)(const void *result);
    bool shows_notes; /**< of the geometry and of the result; the caller has not */
} cli_property_result;

/** Write the result, with what holds for every sample, and print it. */
rill_status cli_property_report(const cli_property *p, const cli_property_result *r);

/** End a computation: remove the checkpoint of a result that is written, or say that it is there.
 * @param left  it is there @param report  called for what came, also when that is not all */
rill_status cli_property_finish(const cli_property *p, rill_status came, bool left,
                                rill_status (*report)(void *context), void *context);

/** Shape of values in a result file. */
typedef enum cli_shape {
    CLI_NUMBER,
    CLI_AXES,
    CLI_PAIRS,
    CLI_TENSOR
} cli_shape; /* [], [3], [3][2], [3][3] */

/** Values of a summary. */
typedef struct cli_values {
    rill_quantity quantity;
    cli_shape shape;
    const double *values;
} cli_values;

/** Write them to a group. */
rill_status cli_values_write(rill_result *file, const char *group, const cli_values *list, size_t count);

/** Return {"xx": …, "zz": …}: the first letter is the direction of the flow, the second that of the driving
 * force. */
json_t *cli_json_tensor(const double k[3][3], double factor);

/** Return {"x": …, "y": …, "z": …}. */
json_t *cli_json_axes(const double value[3]);

/** Return a number that is above 0, else null. */
json_t *cli_json_known(double value);

/** Return the vectors of a tensor's axes. @param values  [3], NaN from the first that there is not */
json_t *cli_json_directions(const double values[3], const double axes[3][3]);

#endif
