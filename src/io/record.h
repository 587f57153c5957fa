/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file record.h
 * Series over time that are held in memory until a run ends, so that a checkpoint has all of them and result
 * files can be written anew after a restart.
 */
#ifndef RILL_IO_RECORD_H
#define RILL_IO_RECORD_H

#include "io/result.h"
#include "io/checkpoint.h"

/** A column. */
typedef struct rill_column {
    char name[96];    /**< "inlet.flow" */
    const char *unit; /**< "m3/s" */
    char meaning[96];
    double unit_si; /**< as that of a rill_quantity */
} rill_column;

/** Rows of numbers. Arrays are owned. */
typedef struct rill_record {
    const char *name;     /**< of the series: "openings" */
    rill_column *columns; /**< [width]; NULL: not written as columns */
    uint64_t width;
    double *rows; /**< [count][width]; column 0 is the step, column 1 the time in s, or what is named there */
    uint64_t count, room;
} rill_record;

/** Begin a series of two columns, "step" and "time", and `more` that follow. */
rill_status rill_record_create(const char *name, uint64_t more, bool named, rill_record *out);

/** Begin a series of the column "step" and those that are given. */
rill_status rill_record_create_of(const char *name, const rill_quantity *columns, int count,
                                  rill_record *out);

/** Free the arrays; a cleared one is allowed. */
void rill_record_free(rill_record *record);

/** Name a column, from 2 on. @param place  before a dot, or NULL */
void rill_record_name(rill_record *record, uint64_t column, const char *place, const char *name,
                      const char *unit, const char *meaning);

/** Append a row and return it, to be filled in from column 2 on; NULL without memory. */
double *rill_record_append(rill_record *record, uint64_t step, double time);

/** Return a row. */
const double *rill_record_row(const rill_record *record, uint64_t row);

/** Make a part of a checkpoint of the rows. */
rill_checkpoint_part rill_record_part(rill_record *record);

/** Write it as "/series/NAME" of a result, and as a file of comma-separated values unless `csv` is NULL. */
rill_status rill_record_write(const rill_record *record, rill_result *result, const char *csv);

#endif
