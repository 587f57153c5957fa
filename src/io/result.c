/* SPDX-License-Identifier: Apache-2.0 */
/* Result files. Series are gathered in memory and written in chunks. */
#include "io/result.h"

#include "core/status.h"
#include "io/hdf5.h"
#include "io/ours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS = 1024 /* of a chunk of a series, and gathered before they are written */,
    PATH = 256,
    DEFLATE = 4
};

struct rill_series {
    rill_series *next;
    rill_h5_file *file; /* borrowed */
    char *group;
    char **names; /* [count] */
    int count;
    uint64_t written;    /* rows in the file */
    int gathered;        /* rows not yet there */
    uint64_t step[ROWS]; /* of the gathered rows */
    double *values;      /* [count][ROWS] */
};

struct rill_result {
    rill_h5_file *file;
    rill_series *series; /* list */
};

/* ---- life ------------------------------------------------------------------------------------ */

static rill_status run_write(rill_result *result, const rill_run *run)
{
    rill_status status = RILL_OK;
    const struct {
        const char *name, *text;
    } texts[] = {{"command", run->command},
                 {"geometry", run->geometry},
                 {"source", run->source},
                 {"source_xxh3_64", run->source_hash},
                 {"source_options", run->source_options},
                 {"notes", run->notes},
                 {"backend", run->backend},
                 {"device", run->device},
                 {"variant", run->variant}};
    RILL_TRY(rill_result_set_text(result, "/run", "software", "rill"));
    RILL_TRY(rill_result_set_text(result, "/run", "software_version", rill_version()));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text) RILL_TRY(rill_result_set_text(result, "/run", texts[i].name, texts[i].text));
    if (run->unit_si > 0) RILL_TRY(rill_result_set_real(result, "/run", "unitSI", run->unit_si));
    if (run->time_unit_si > 0)
        RILL_TRY(rill_result_set_real(result, "/run", "timeUnitSI", run->time_unit_si));
    if (run->seed >= 0) RILL_TRY(rill_result_set_integer(result, "/run", "seed", run->seed));
done:
    return status;
}

rill_status rill_result_create(const char *path, const rill_run *run, rill_result **out)
{
    rill_status status = RILL_OK;
    rill_result *result = calloc(1, sizeof *result);
    if (!result) return rill_fail(RILL_SYSTEM, "out of memory for a result file");
    RILL_TRY(rill_h5_create(path, &result->file));
    RILL_TRY(rill_result_set_text(result, "/", "format", RILL_RESULT_FORMAT));
    RILL_TRY(rill_result_set_integer(result, "/", "format_version", RILL_FORMAT_VERSION));
    RILL_TRY(run_write(result, run));
    *out = result;
    result = NULL;
done:
    rill_result_destroy(result);
    return status;
}

static void series_destroy(rill_series *series)
{
    for (int c = 0; series->names && c < series->count; c++) free(series->names[c]);
    free(series->names);
    free(series->values);
    free(series->group);
    free(series);
}

void rill_result_destroy(rill_result *result)
{
    if (!result) return;
    while (result->series) {
        rill_series *series = result->series;
        result->series = series->next;
        series_destroy(series);
    }
    rill_h5_close(result->file);
    free(result);
}

/* ---- attributes and values ------------------------------------------------------------------- */

static rill_status group_ensure(rill_result *result, const char *group)
{
    return rill_h5_exists(result->file, group) ? RILL_OK : rill_h5_group_create(result->file, group);
}

rill_status rill_result_set_text(rill_result *result, const char *group, const char *name, const char *text)
{
    const rill_status status = group_ensure(result, group);
    return status != RILL_OK ? status : rill_h5_set_text(result->file, group, name, text);
}

rill_status rill_result_set_real(rill_result *result, const char *group, const char *name, double value)
{
    const rill_status status = group_ensure(result, group);
    return status != RILL_OK ? status : rill_h5_set_reals(result->file, group, name, &value, 1);
}

rill_status rill_result_set_integer(rill_result *result, const char *group, const char *name, int64_t value)
{
    const rill_status status = group_ensure(result, group);
    return status != RILL_OK ? status : rill_h5_set_integers(result->file, group, name, &value, 1);
}

/* Writes "GROUP/NAME"; names are ours, so that too long a one is a mistake of the caller. */
static rill_status path_join(char path[PATH], const char *group, const char *name)
{
    const int length = snprintf(path, PATH, "%s/%s", group, name);
    if (length < 0 || length >= PATH)
        return rill_fail(RILL_USAGE, "the dataset name %.40s/%.40s is longer than %d bytes", group, name,
                         PATH - 1);
    return RILL_OK;
}

/* Creates a dataset with the attributes that say what it holds. */
static rill_status quantity_create(rill_h5_file *file, const char *group, const rill_quantity *quantity,
                                   const rill_h5_layout *layout)
{
    rill_status status = RILL_OK;
    char path[PATH];
    RILL_TRY(path_join(path, group, quantity->name));
    RILL_TRY(rill_h5_dataset_create(file, path, layout));
    /* "units" and "long_name" are the names that xarray shows. */
    if (quantity->unit) RILL_TRY(rill_h5_set_text(file, path, "units", quantity->unit));
    if (quantity->meaning) RILL_TRY(rill_h5_set_text(file, path, "long_name", quantity->meaning));
    if (quantity->unit_si > 0) RILL_TRY(rill_h5_set_reals(file, path, "unitSI", &quantity->unit_si, 1));
done:
    return status;
}

/*
 * Gives an axis the dimension scale "axis0_LENGTH" (or axis1_…) of its group, which counts 0, 1, …: xarray
 * needs one for every axis, and two of one name for no array.
 */
static rill_status axis_attach(rill_result *result, const char *group, const char *path, int axis,
                               uint64_t length)
{
    rill_status status = RILL_OK;
    char name[32], scale[PATH];
    const rill_h5_layout layout = {.type = RILL_H5_U64, .rank = 1, .dims = {length}, .chunk = {length}};
    snprintf(name, sizeof name, "axis%d_%llu", axis, (unsigned long long)length);
    RILL_TRY(path_join(scale, group, name));
    if (!rill_h5_exists(result->file, scale)) {
        RILL_TRY(rill_h5_dataset_create(result->file, scale, &layout));
        for (uint64_t i = 0, one = 1; i < length; i++)
            RILL_TRY(rill_h5_write(result->file, scale, RILL_H5_U64, &i, &one, &i));
        RILL_TRY(rill_h5_scale_create(result->file, scale, name));
    }
    RILL_TRY(rill_h5_scale_attach(result->file, path, scale, axis));
done:
    return status;
}

rill_status rill_result_values(rill_result *result, const char *group, const rill_quantity *quantity,
                               int rank, const uint64_t *dims, const double *values)
{
    rill_status status = RILL_OK;
    char path[PATH];
    rill_h5_layout layout = {.type = RILL_H5_F64, .rank = rank};
    if (rank < 0 || rank > RILL_H5_RANK)
        return rill_fail(RILL_USAGE, "a value with %d axes has more than %d", rank, RILL_H5_RANK);
    for (int a = 0; a < rank; a++) layout.dims[a] = layout.chunk[a] = dims[a];
    RILL_TRY(path_join(path, group, quantity->name));
    RILL_TRY(quantity_create(result->file, group, quantity, &layout));
    RILL_TRY(rill_h5_write(result->file, path, RILL_H5_F64, NULL, NULL, values));
    for (int a = 0; a < rank; a++) RILL_TRY(axis_attach(result, group, path, a, dims[a]));
done:
    return status;
}

/* ---- series ---------------------------------------------------------------------------------- */

static rill_status series_allocate(rill_result *result, const char *group, const rill_quantity *columns,
                                   int count, rill_series **out)
{
    rill_series *series = calloc(1, sizeof *series);
    if (!series) return rill_fail(RILL_SYSTEM, "out of memory for a series");
    series->file = result->file;
    series->count = count;
    series->group = strdup(group);
    series->names = calloc((size_t)count, sizeof *series->names);
    series->values = malloc((size_t)count * ROWS * sizeof *series->values);
    bool whole = series->group && series->names && series->values;
    for (int c = 0; whole && c < count; c++) whole = (series->names[c] = strdup(columns[c].name)) != NULL;
    if (!whole) {
        series_destroy(series);
        return rill_fail(RILL_SYSTEM, "out of memory for a series of %d columns", count);
    }
    *out = series;
    return RILL_OK;
}

rill_status rill_series_create(rill_result *result, const char *group, const rill_quantity *columns,
                               int count, rill_series **out)
{
    rill_status status = RILL_OK;
    rill_series *series = NULL;
    char path[PATH], scale[PATH];
    const rill_quantity step = {.name = "step", .unit = "1", .meaning = "time steps made"};
    rill_h5_layout layout = {
        .type = RILL_H5_U64, .rank = 1, .chunk = {ROWS}, .deflate = DEFLATE, .extendable = true};
    if (count < 1) return rill_fail(RILL_USAGE, "a series of %d columns has none", count);
    RILL_TRY(series_allocate(result, group, columns, count, &series));
    RILL_TRY(quantity_create(result->file, group, &step, &layout));
    RILL_TRY(path_join(scale, group, "step"));
    RILL_TRY(rill_h5_scale_create(result->file, scale, "step"));
    layout.type = RILL_H5_F64;
    for (int c = 0; c < count; c++) {
        RILL_TRY(quantity_create(result->file, group, &columns[c], &layout));
        RILL_TRY(path_join(path, group, columns[c].name));
        RILL_TRY(rill_h5_scale_attach(result->file, path, scale, 0));
    }
    series->next = result->series;
    *out = result->series = series;
    series = NULL;
done:
    if (series) series_destroy(series);
    return status;
}

/* Appends the gathered rows to one dataset. */
static rill_status column_write(rill_series *series, const char *name, rill_h5_type type, const void *rows)
{
    rill_status status = RILL_OK;
    char path[PATH];
    const uint64_t count = (uint64_t)series->gathered;
    RILL_TRY(path_join(path, series->group, name));
    RILL_TRY(rill_h5_extend(series->file, path, series->written + count));
    RILL_TRY(rill_h5_write(series->file, path, type, &series->written, &count, rows));
done:
    return status;
}

static rill_status series_flush(rill_series *series)
{
    rill_status status = RILL_OK;
    if (series->gathered == 0) return RILL_OK;
    RILL_TRY(column_write(series, "step", RILL_H5_U64, series->step));
    for (int c = 0; c < series->count; c++)
        RILL_TRY(column_write(series, series->names[c], RILL_H5_F64, series->values + (size_t)c * ROWS));
    series->written += (uint64_t)series->gathered;
    series->gathered = 0;
done:
    return status;
}

rill_status rill_series_append(rill_series *series, uint64_t step, const double *values)
{
    series->step[series->gathered] = step;
    for (int c = 0; c < series->count; c++)
        series->values[(size_t)c * ROWS + (size_t)series->gathered] = values[c];
    return ++series->gathered == ROWS ? series_flush(series) : RILL_OK;
}

rill_status rill_result_commit(rill_result *result)
{
    rill_status status = RILL_OK;
    for (rill_series *series = result->series; series; series = series->next) RILL_TRY(series_flush(series));
    RILL_TRY(rill_h5_commit(result->file));
done:
    return status;
}
