/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file result.h
 * Result files: what was run (/run), series over the steps (/series/…), and what came out (/summary/…), in
 * one HDF5 file that xarray opens group by group. It appears when it is committed, whole or not at all;
 * docs/files.md describes it. Fields go to files of their own (fields.h).
 */
#ifndef RILL_IO_RESULT_H
#define RILL_IO_RESULT_H

#include "rill.h"

#define RILL_RESULT_FORMAT "rill-result"

/** A result file that is being written. */
typedef struct rill_result rill_result;

/** A table of one row per recorded step; owned by its result. */
typedef struct rill_series rill_series;

/** What was run; NULL, 0 and negative values are "not known" and left out. Texts are borrowed for the call.
 */
typedef struct rill_run {
    const char *command;  /**< complete command line or case */
    const char *geometry; /**< file that was read */
    const char *source;   /**< what the geometry was made from, with hash and options, as in rill_geom */
    const char *source_hash;
    const char *source_options;
    const char *notes;   /**< what changes or qualifies a value, see rill_notes_add() */
    const char *backend; /**< "cpu", "cuda" */
    const char *device;
    const char *variant; /**< as rill_variant_name() writes it */
    double unit_si;      /**< metres per lattice unit of length */
    double time_unit_si; /**< seconds per step */
    int64_t seed;
} rill_run;

/**
 * Begin a result file and write /run.
 * @param[in] run  copied into the file
 * @return errors as rill_output_create()
 */
rill_status rill_result_create(const char *path, const rill_run *run, rill_result **out);

/** Write what the series still hold, verify the file and give it its name. rill_result_destroy() must still
 * follow. */
rill_status rill_result_commit(rill_result *result);

/** Free a result; a file that was not committed vanishes. NULL is allowed. */
void rill_result_destroy(rill_result *result);

/** Set an attribute of a group, which is created when needed: ("/run", "lattice", "d3q19"). */
rill_status rill_result_set_text(rill_result *result, const char *group, const char *name, const char *text);
rill_status rill_result_set_real(rill_result *result, const char *group, const char *name, double value);
rill_status rill_result_set_integer(rill_result *result, const char *group, const char *name, int64_t value);

/** A column of a series, or a value: what its numbers are. */
typedef struct rill_quantity {
    const char *name;    /**< of the dataset: "permeability" */
    const char *unit;    /**< "lu", "1", "m2" */
    const char *meaning; /**< one phrase; may be NULL */
    double unit_si;      /**< factor to SI; 0 when unknown or meaningless */
} rill_quantity;

/**
 * Begin a series in a group of its own, e.g. "/series/z". The group gets a dataset "step" (u64), which is the
 * dimension scale of the others, and one f64 dataset for each column.
 */
rill_status rill_series_create(rill_result *result, const char *group, const rill_quantity *columns,
                               int count, rill_series **out);

/** Append a row. @param[in] values  [count], NaN where there is none */
rill_status rill_series_append(rill_series *series, uint64_t step, const double *values);

/**
 * Write values that came out to `group` ("/summary"), f64.
 * @param[in] rank  0 for one value, else the number of axes of `dims`, at most 4
 */
rill_status rill_result_values(rill_result *result, const char *group, const rill_quantity *quantity,
                               int rank, const uint64_t *dims, const double *values);

#endif
