/* SPDX-License-Identifier: Apache-2.0 */
/* Series in memory. */
#include "io/record.h"

#include "core/csv.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rill_status rill_record_create(const char *name, uint64_t more, bool named, rill_record *out)
{
    *out = (rill_record){.name = name, .width = 2 + more};
    if (!named) return RILL_OK;
    out->columns = calloc(out->width, sizeof *out->columns);
    if (!out->columns) return rill_fail(RILL_SYSTEM, "out of memory for a series");
    rill_record_name(out, 0, NULL, "step", "1", "time steps made");
    rill_record_name(out, 1, NULL, "time", "s", "time");
    return RILL_OK;
}

void rill_record_free(rill_record *record)
{
    free(record->columns);
    free(record->rows);
    *record = (rill_record){0};
}

void rill_record_name(rill_record *record, uint64_t column, const char *place, const char *name,
                      const char *unit, const char *meaning)
{
    rill_column *c = &record->columns[column];
    snprintf(c->name, sizeof c->name, "%s%s%s", place ? place : "", place ? "." : "", name);
    snprintf(c->meaning, sizeof c->meaning, "%s", meaning);
    c->unit = unit;
    c->unit_si = 1;
}

rill_status rill_record_create_of(const char *name, const rill_quantity *columns, int count, rill_record *out)
{
    const rill_status status = rill_record_create(name, (uint64_t)count - 1, true, out);
    for (uint64_t c = 1; c < out->width && status == RILL_OK; c++) {
        const rill_quantity *q = &columns[c - 1];
        rill_record_name(out, c, NULL, q->name, q->unit, q->meaning ? q->meaning : "");
        out->columns[c].unit_si = q->unit_si;
    }
    return status;
}

static rill_status room_make(rill_record *record, uint64_t rows)
{
    if (rows <= record->room) return RILL_OK;
    const uint64_t room = 2 * rows + 64;
    uint64_t bytes;
    if (__builtin_mul_overflow(room, record->width * sizeof *record->rows, &bytes))
        return rill_fail(RILL_SYSTEM, "out of memory for a series");
    double *grown = realloc(record->rows, bytes);
    if (!grown) return rill_fail(RILL_SYSTEM, "out of memory for a series");
    record->rows = grown;
    record->room = room;
    return RILL_OK;
}

double *rill_record_append(rill_record *record, uint64_t step, double time)
{
    if (room_make(record, record->count + 1) != RILL_OK) return NULL;
    double *row = record->rows + record->width * record->count++;
    row[0] = (double)step;
    row[1] = time;
    for (uint64_t c = 2; c < record->width; c++) row[c] = NAN;
    return row;
}

const double *rill_record_row(const rill_record *record, uint64_t row)
{
    return record->rows + record->width * row;
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

static rill_status rows_save(void *context, uint64_t offset, uint64_t bytes, void *to)
{
    memcpy(to, (const char *)((rill_record *)context)->rows + offset, bytes);
    return RILL_OK;
}

static rill_status rows_load(void *context, uint64_t offset, uint64_t bytes, const void *from)
{
    memcpy((char *)((rill_record *)context)->rows + offset, from, bytes);
    return RILL_OK;
}

static rill_status rows_resize(void *context, uint64_t bytes)
{
    rill_status status = RILL_OK;
    rill_record *record = context;
    const uint64_t row = record->width * sizeof *record->rows;
    if (bytes % row != 0)
        return rill_fail(RILL_USAGE,
                         "cannot go on: the rows of series %s in the checkpoint have another length",
                         record->name);
    RILL_TRY(rill_memory_require(bytes, "the series of a checkpoint"));
    RILL_TRY(room_make(record, bytes / row));
    record->count = bytes / row;
done:
    return status;
}

rill_checkpoint_part rill_record_part(rill_record *record)
{
    const uint64_t bytes = record->count * record->width * sizeof *record->rows;
    return (rill_checkpoint_part){record->name, bytes, rows_save, rows_load, record, rows_resize};
}

/* ---- files ----------------------------------------------------------------------------------- */

static rill_status csv_print(FILE *out, const void *context)
{
    const rill_record *record = context;
    for (uint64_t c = 0; c < record->width; c++) {
        char title[sizeof record->columns->name + 32];
        snprintf(title, sizeof title, "%s [%s]", record->columns[c].name, record->columns[c].unit);
        if (c) fputc(',', out);
        rill_csv_text(out, title); /* names of openings and planes are those of the case */
    }
    fputc('\n', out);
    for (uint64_t r = 0; r < record->count; r++) {
        const double *row = rill_record_row(record, r);
        for (uint64_t c = 0; c < record->width; c++) fprintf(out, c ? ",%.9g" : "%.0f", row[c]);
        fputc('\n', out);
    }
    return RILL_OK;
}

rill_status rill_record_write(const rill_record *record, rill_result *result, const char *csv)
{
    rill_status status = RILL_OK;
    rill_series *series = NULL;
    const uint64_t more = record->width - 1; /* the step is the series' own */
    char group[64];
    rill_quantity *quantities = calloc(more, sizeof *quantities);
    if (!quantities) return rill_fail(RILL_SYSTEM, "out of memory for a series");
    for (uint64_t c = 0; c < more; c++) {
        const rill_column *column = &record->columns[c + 1];
        quantities[c] = (rill_quantity){column->name, column->unit,
                                        column->meaning[0] ? column->meaning : NULL, column->unit_si};
    }
    snprintf(group, sizeof group, "/series/%s", record->name);
    RILL_TRY(rill_series_create(result, group, quantities, (int)more, &series));
    for (uint64_t r = 0; r < record->count; r++) {
        const double *row = rill_record_row(record, r);
        RILL_TRY(rill_series_append(series, (uint64_t)row[0], row + 1));
    }
    if (csv) RILL_TRY(rill_output_print(csv, csv_print, record));
done:
    free(quantities);
    return status;
}
