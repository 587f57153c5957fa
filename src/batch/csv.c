/* SPDX-License-Identifier: Apache-2.0 */
/* Writes rows of a batch as CSV, and reads them back. */
#include "batch/csv.h"

#include "core/csv.h"
#include "core/decimal.h"
#include "core/memory.h"
#include "core/notes.h"
#include "core/output.h"
#include "core/reading.h"
#include "core/status.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

/* What a column holds; the last five are made of others, and not read back. */
typedef enum kind {
    FILE_NAME,
    PART,
    TEXT,
    NOTES,
    U32,
    U64,
    REAL,
    REASON,
    STATUS,
    K_M2,
    K_DARCY,
    FLOW,
    ANISOTROPY,
    ROW_HASH
} kind;

typedef struct column {
    const char *name;
    kind kind;
    size_t offset, size;
} column;

#define AT(kind, name, member)                                                                               \
    {                                                                                                        \
        name, kind, offsetof(rill_batch_row, member), sizeof((rill_batch_row *)0)->member                    \
    }
#define TENSOR(kind, name, unit)                                                                             \
    AT(kind, name "_xx" unit, k[0][0]), AT(kind, name "_xy" unit, k[0][1]),                                  \
        AT(kind, name "_xz" unit, k[0][2]), AT(kind, name "_yx" unit, k[1][0]),                              \
        AT(kind, name "_yy" unit, k[1][1]), AT(kind, name "_yz" unit, k[1][2]),                              \
        AT(kind, name "_zx" unit, k[2][0]), AT(kind, name "_zy" unit, k[2][1]),                              \
        AT(kind, name "_zz" unit, k[2][2])

#define AXES(name, unit, member)                                                                             \
    AT(REAL, name "_x" unit, member[0]), AT(REAL, name "_y" unit, member[1]),                                \
        AT(REAL, name "_z" unit, member[2])

/* What every table begins and ends with. */
#define ITEM                                                                                                 \
    {"file", FILE_NAME, 0, 0}, {"part", PART, 0, 0}, AT(U32, "x0", first[0]), AT(U32, "y0", first[1]),       \
        AT(U32, "z0", first[2]), AT(U32, "nx", n[0]), AT(U32, "ny", n[1]), AT(U32, "nz", n[2]),              \
        AT(REAL, "voxel_size_m", spacing), AT(REASON, "exit_reason", reason),                                \
        AT(STATUS, "exit_code", status), AT(REAL, "porosity", porosity.total),                               \
        AT(REAL, "porosity_connected", porosity.connected),                                                  \
        AT(REAL, "porosity_percolating_x", porosity.percolating[0]),                                         \
        AT(REAL, "porosity_percolating_y", porosity.percolating[1]),                                         \
        AT(REAL, "porosity_percolating_z", porosity.percolating[2])
#define ORIGIN                                                                                               \
    AT(TEXT, "input_xxh3_64", made.input_hash), AT(TEXT, "options_xxh3_64", made.options_hash),              \
        AT(TEXT, "software", made.software), AT(TEXT, "message", message), AT(NOTES, "notes", notes),        \
    {                                                                                                        \
        "row_xxh3_64", ROW_HASH, 0, 0                                                                        \
    }

static const column flow_columns[] = {
    ITEM,
    TENSOR(REAL, "k", "_lu"),
    TENSOR(K_M2, "k", "_m2"),
    TENSOR(K_DARCY, "k", "_darcy"),
    AT(REAL, "uncertainty", uncertainty),
    AXES("convergence", "", error[RILL_ERROR_CONVERGENCE]),
    AXES("number_format", "", error[RILL_ERROR_FORMAT]),
    AXES("shape_and_voxels", "", error[RILL_ERROR_SHAPE]),
    AXES("domain_boundaries", "", error[RILL_ERROR_BOUNDARIES]),
    AXES("segmentation", "", error[RILL_ERROR_SEGMENTATION]),
    AXES("sample", "", error[RILL_ERROR_SAMPLE]),
    AXES("total", "", error_total),
    AXES("best_estimate", "_lu", best),
    AT(REAL, "off_axis_bound_xy_lu", off_axis[0][1]),
    AT(REAL, "off_axis_bound_xz_lu", off_axis[0][2]),
    AT(REAL, "off_axis_bound_yx_lu", off_axis[1][0]),
    AT(REAL, "off_axis_bound_yz_lu", off_axis[1][2]),
    AT(REAL, "off_axis_bound_zx_lu", off_axis[2][0]),
    AT(REAL, "off_axis_bound_zy_lu", off_axis[2][1]),
    {"anisotropy", ANISOTROPY, 0, 0},
    AXES("edge_share", "", edge_share),
    AT(FLOW, "pressure_drop_Pa", pressure_drop),
    AT(FLOW, "viscosity_Pa_s", fluid.viscosity),
    AT(FLOW, "density_kg_m3", fluid.density),
    AT(FLOW, "flow_rate_x_m3_s", flow[0].rate),
    AT(FLOW, "flow_rate_y_m3_s", flow[1].rate),
    AT(FLOW, "flow_rate_z_m3_s", flow[2].rate),
    AT(FLOW, "darcy_velocity_x_m_s", flow[0].velocity),
    AT(FLOW, "darcy_velocity_y_m_s", flow[1].velocity),
    AT(FLOW, "darcy_velocity_z_m_s", flow[2].velocity),
    AT(FLOW, "reynolds_x", flow[0].reynolds),
    AT(FLOW, "reynolds_y", flow[1].reynolds),
    AT(FLOW, "reynolds_z", flow[2].reynolds),
    AT(U64, "sample_voxels", sample),
    AT(REAL, "flowing_porosity", flowing),
    AT(REAL, "hydraulic_diameter_lu", diameter),
    AT(U64, "fluid_nodes", nodes),
    AT(U64, "steps", steps),
    AT(REAL, "seconds", seconds),
    AT(REAL, "seconds_preparing", seconds_prepare),
    AT(TEXT, "backend", made.backend),
    AT(TEXT, "variant", made.variant),
    ORIGIN,
};
static const column diffusion_columns[] = {
    ITEM,
    TENSOR(REAL, "d", ""),
    AT(REAL, "uncertainty", uncertainty),
    {"anisotropy", ANISOTROPY, 0, 0},
    AT(U64, "sample_voxels", sample),
    AT(U64, "nodes", nodes),
    AT(U64, "iterations", steps),
    AT(REAL, "seconds", seconds),
    AT(TEXT, "backend", made.backend),
    ORIGIN,
};
enum { COLUMNS = sizeof flow_columns / sizeof *flow_columns, HASH_TEXT = 17, SIZE_MOST = 1 << 30 };
#define NOBODY SIZE_MAX

/* The columns of a table. The last has the hash of the others. */
typedef struct layout {
    const char *command;
    const column *columns;
    int count;
} layout;
static const layout layouts[2] = {
    {"rill permeability", flow_columns, COLUMNS},
    {"rill diffusivity", diffusion_columns, sizeof diffusion_columns / sizeof *diffusion_columns}};

/* A line: where its cells are in the text, which they end in NUL there. */
typedef struct record {
    const char *cells[COLUMNS];
    size_t item; /* that replaces it when it has ended; NOBODY: none does */
} record;

struct rill_batch_csv {
    const layout *layout;
    char *text; /* cells without quotes */
    record *records;
    uint64_t count, capacity;
    size_t *order; /* [count], by file, part and block: for finding */
};

/* ---- lines ---- */

/* Take the cells of a line. @return how many there were */
static int record_take(char **at, record *r)
{
    char mark = ',';
    int count = 0;
    *r = (record){.item = NOBODY};
    while (mark == ',') {
        char *cell = rill_csv_plain(rill_csv_cell(at, &mark));
        if (count < COLUMNS) r->cells[count] = cell;
        count++;
    }
    if (mark == '\r' && **at == '\n') ++*at;
    return mark == '\r' || mark == '\n' || mark == '\0' ? count : -1;
}

/* The hash of the other cells, each with the NUL behind it and that of the cells before as its seed. */
static void row_hash(const layout *l, const record *r, char text[HASH_TEXT])
{
    uint64_t hash = 0;
    for (int k = 0; k < l->count - 1; k++)
        hash = XXH3_64bits_withSeed(r->cells[k], strlen(r->cells[k]) + 1, hash);
    snprintf(text, HASH_TEXT, "%016llx", (unsigned long long)hash);
}

/* ---- writing ---- */

void rill_batch_csv_real(FILE *out, double value)
{
    char text[40];
    if (isnan(value)) return;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, out);
}

static bool is_block(const rill_batch_item *item) { return item->n[0] || item->n[1] || item->n[2]; }

static const char *part_of(const rill_batch_item *item) { return is_block(item) ? "block" : "whole"; }

/* An unknown porosity is negative, an unknown voxel size or density 0: the cell is empty then. */
static double real_of(const column *c, const rill_batch_row *row)
{
    const double value = *(const double *)((const char *)row + c->offset);
    const bool porosity = strncmp(c->name, "porosity", 8) == 0;
    const bool positive = c->offset == offsetof(rill_batch_row, spacing) ||
                          c->offset == offsetof(rill_batch_row, fluid.density);
    const bool unknown = porosity ? value < 0 : positive && !(value > 0);
    return unknown ? NAN : value;
}

/* A line of the table is a row, so that another mark stands between the sentences of a cell. */
static const char BETWEEN[] = " | ";

/* @return false when there is no memory for them */
static bool notes_write(FILE *out, const char *notes)
{
    char *text = NULL;
    size_t size = 0, length;
    FILE *cell = open_memstream(&text, &size);
    if (!cell) return false;
    for (const char *at, *rest = notes; (at = rill_notes_next(&rest, &length)) != NULL;)
        fprintf(cell, "%s%.*s", at == notes ? "" : BETWEEN, (int)length, at);
    const bool whole = rill_output_text_end(cell, &text);
    if (whole) rill_csv_text(out, text);
    free(text);
    return whole;
}

static bool notes_read(const char *text, char *notes, size_t size)
{
    if (strlen(text) >= size) return false;
    strcpy(notes, text);
    for (char *at = notes; (at = strstr(at, BETWEEN)) != NULL;) {
        *at++ = '\n';
        memmove(at, at + strlen(BETWEEN) - 1, strlen(at + strlen(BETWEEN) - 1) + 1);
    }
    return true;
}

/* @return false when there is no memory for it */
static bool cell_write(FILE *out, const column *c, const rill_batch_item *item, const rill_batch_row *row)
{
    const char *at = (const char *)row + c->offset;
    const double m2 = row->spacing > 0 ? row->spacing * row->spacing : NAN;
    switch (c->kind) {
    case FILE_NAME:
        rill_csv_text(out, item->name);
        break;
    case PART:
        fputs(part_of(item), out);
        break;
    case TEXT:
        rill_csv_text(out, at);
        break;
    case NOTES:
        return notes_write(out, at);
    case U32:
        fprintf(out, "%u", *(const uint32_t *)at);
        break;
    case U64:
        fprintf(out, "%llu", (unsigned long long)*(const uint64_t *)at);
        break;
    case REAL:
        rill_batch_csv_real(out, real_of(c, row));
        break;
    case REASON:
        fputs(rill_batch_reason_name(row->reason), out);
        break;
    case STATUS:
        fprintf(out, "%d", (int)row->status);
        break;
    case K_M2:
        rill_batch_csv_real(out, *(const double *)at * m2);
        break;
    case K_DARCY:
        rill_batch_csv_real(out, *(const double *)at * (m2 / RILL_DARCY));
        break;
    case FLOW:
        if (row->pressure_drop > 0) rill_batch_csv_real(out, real_of(c, row));
        break;
    case ANISOTROPY:
        rill_batch_csv_real(out, rill_batch_row_anisotropy(row));
        break;
    case ROW_HASH: /* known when the others are written */
        break;
    }
    return true;
}

static rill_status row_write(FILE *out, const layout *l, const rill_batch_item *item,
                             const rill_batch_row *row)
{
    char *text = NULL, *at, hash[HASH_TEXT];
    size_t size = 0;
    record r;
    FILE *line = open_memstream(&text, &size);
    bool whole = line != NULL;
    if (line) {
        for (int k = 0; k < l->count - 1; k++) {
            if (k) fputc(',', line);
            whole = cell_write(line, &l->columns[k], item, row) && whole;
        }
    }
    if (line) whole = rill_output_text_end(line, &text) && whole;
    if (!whole) {
        free(text);
        return rill_fail(RILL_SYSTEM, "out of memory for a row of a table");
    }
    fputs(text, out);
    at = text;
    record_take(&at, &r);
    row_hash(l, &r, hash);
    fprintf(out, ",%s\n", hash);
    free(text);
    return RILL_OK;
}

static void header_write(FILE *out, const layout *l)
{
    for (int k = 0; k < l->count; k++) fprintf(out, "%s%s", k ? "," : "", l->columns[k].name);
    fputc('\n', out);
}

/* What is written. */
typedef struct content {
    const layout *layout;
    const rill_batch_csv *csv;
    const rill_batch_item *items;
    const rill_batch_row *rows;
    const bool *settled;
    size_t count;
} content;

/* Whether an item has a row. */
static bool written(const content *c, size_t item)
{
    return c->settled[item] && c->rows[item].reason != RILL_BATCH_OPEN;
}

static rill_status print(FILE *out, const void *context)
{
    rill_status status = RILL_OK;
    const content *c = context;
    header_write(out, c->layout);
    for (size_t i = 0; c->csv && i < c->csv->count; i++) {
        const record *r = &c->csv->records[i];
        if (r->item != NOBODY && written(c, r->item)) continue;
        for (int k = 0; k < c->layout->count; k++) {
            if (k) fputc(',', out);
            rill_csv_text(out, r->cells[k]);
        }
        fputc('\n', out);
    }
    for (size_t i = 0; i < c->count; i++)
        if (written(c, i)) RILL_TRY(row_write(out, c->layout, &c->items[i], &c->rows[i]));
done:
    return status;
}

rill_status rill_batch_csv_write(const char *path, const rill_batch_csv *csv, const rill_batch_item *items,
                                 const rill_batch_row *rows, const bool *settled, size_t count)
{
    const content c = {&layouts[rows->diffusion], csv, items, rows, settled, count};
    return rill_output_print(path, print, &c);
}

/* ---- reading ---- */

static rill_status text_read(const char *path, const layout *l, char **out)
{
    rill_status status = RILL_OK;
    struct stat info;
    char *text = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) return rill_fail_reading(errno, path, "%s: cannot open it", path);
    if (fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode))
        RILL_TRY(rill_fail(RILL_USAGE, "%s is not a regular file: name a table", path));
    if (info.st_size > SIZE_MOST)
        RILL_TRY(rill_fail(RILL_USAGE, "%s has %lld bytes, more than the %d of a table: name another file",
                           path, (long long)info.st_size, SIZE_MOST));
    text = malloc((size_t)info.st_size + 1);
    if (!text) RILL_TRY(rill_fail(RILL_SYSTEM, "%s: out of memory for the table", path));
    if (fread(text, 1, (size_t)info.st_size, file) != (size_t)info.st_size)
        RILL_TRY(rill_fail(RILL_SYSTEM, "%s: cannot read it: it became shorter meanwhile", path));
    if (memchr(text, 0, (size_t)info.st_size))
        RILL_TRY(rill_fail(RILL_USAGE, "%s is not a table of %s: it has bytes that are no text", path,
                           l->command));
    text[info.st_size] = '\0';
    *out = text;
    text = NULL;
done:
    free(text);
    fclose(file);
    return status;
}

static rill_status record_add(rill_batch_csv *csv, const record *r)
{
    const rill_status status = RILL_LIST_GROW(csv->records, csv->count, csv->capacity, "the rows of a table");
    if (status == RILL_OK) csv->records[csv->count++] = *r;
    return status;
}

/* By file, part, and block. */
static int records_compare(const record *a, const record *b)
{
    int order = 0;
    for (int k = 0; k < 8 && order == 0; k++)
        if (k < 2 || a->cells[1][0] == 'b') order = strcmp(a->cells[k], b->cells[k]);
    return order;
}

static int order_compare(const void *a, const void *b, void *of)
{
    const rill_batch_csv *csv = of;
    return records_compare(&csv->records[*(const size_t *)a], &csv->records[*(const size_t *)b]);
}

static rill_status parse(const char *path, rill_batch_csv *csv)
{
    rill_status status = RILL_OK;
    const layout *l = csv->layout;
    char *at = csv->text;
    record r;
    bool same = record_take(&at, &r) == l->count;
    for (int k = 0; k < l->count && same; k++) same = strcmp(r.cells[k], l->columns[k].name) == 0;
    if (!same)
        return rill_fail(
            RILL_USAGE,
            "%s is not a table of this version of %s: its first line has other columns; name another file",
            path, l->command);
    for (size_t line = 2; *at; line++) {
        const int count = record_take(&at, &r);
        if (count < 0)
            return rill_fail(RILL_USAGE,
                             "%s: row %zu has text behind a quote: correct it, or name another file", path,
                             line);
        if (count != l->count)
            return rill_fail(RILL_USAGE,
                             "%s: row %zu has %d cells and not %d: correct it, or name another file", path,
                             line, count, l->count);
        RILL_TRY(record_add(csv, &r));
    }
    csv->order = malloc((csv->count + 1) * sizeof *csv->order);
    if (!csv->order) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the rows of a table"));
    for (size_t i = 0; i < csv->count; i++) csv->order[i] = i;
    qsort_r(csv->order, csv->count, sizeof *csv->order, order_compare, csv);
    for (size_t i = 0; i < csv->count; i++) {
        char hash[HASH_TEXT];
        row_hash(l, &csv->records[i], hash);
        if (strcmp(hash, csv->records[i].cells[l->count - 1]) != 0)
            RILL_TRY(rill_fail(
                RILL_USAGE,
                "%s: row %zu is damaged or was changed: its row_xxh3_64 is not that of its other cells; delete the row, which is computed again, or name another file",
                path, i + 2));
    }
done:
    return status;
}

rill_status rill_batch_csv_read(const char *path, bool diffusion, rill_batch_csv **out)
{
    rill_status status = RILL_OK;
    struct stat info;
    rill_batch_csv *csv = calloc(1, sizeof *csv);
    if (!csv) return rill_fail(RILL_SYSTEM, "out of memory for a table");
    csv->layout = &layouts[diffusion];
    if (stat(path, &info) == 0) {
        RILL_TRY(text_read(path, csv->layout, &csv->text));
        RILL_TRY(parse(path, csv));
    }
    *out = csv;
    csv = NULL;
done:
    rill_batch_csv_destroy(csv);
    return status;
}

void rill_batch_csv_destroy(rill_batch_csv *csv)
{
    if (!csv) return;
    free(csv->text);
    free(csv->records);
    free(csv->order);
    free(csv);
}

/* The cells by which a row of an item is found; `cells` holds the numbers. */
static record key_of(const rill_batch_item *item, char cells[6][16])
{
    record key = {.cells = {item->name, part_of(item)}};
    for (int a = 0; a < 3; a++) {
        snprintf(cells[a], sizeof cells[a], "%u", item->first[a]);
        snprintf(cells[3 + a], sizeof cells[a], "%u", item->n[a]);
    }
    for (int k = 0; k < 6; k++) key.cells[2 + k] = cells[k];
    return key;
}

/* Return the first row that is not before a key. */
static size_t lower_bound(const rill_batch_csv *csv, const record *key)
{
    size_t low = 0, high = csv->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (records_compare(&csv->records[csv->order[middle]], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Read a cell back. @return whether it is what the column holds */
static bool cell_read(const column *c, const char *text, rill_batch_row *row)
{
    char *at = (char *)row + c->offset, *end = NULL;
    const bool given = *text != '\0';
    switch (c->kind) {
    case TEXT:
        if (strlen(text) >= c->size) return false;
        strcpy(at, text);
        return true;
    case NOTES:
        return notes_read(text, at, c->size);
    case U32:
    case U64: {
        const unsigned long long value = strtoull(text, &end, 10);
        if (!given || *end || text[0] == '-' || (c->kind == U32 && value > UINT32_MAX)) return false;
        if (c->kind == U32)
            *(uint32_t *)at = (uint32_t)value;
        else
            *(uint64_t *)at = value;
        return true;
    }
    case REAL:
        return !given || rill_decimal(text, (double *)at) || rill_decimal_special(text, (double *)at);
    case REASON:
        for (int k = 0; k < RILL_BATCH_REASONS; k++)
            if (strcmp(text, rill_batch_reason_name((rill_batch_reason)k)) == 0) {
                row->reason = (rill_batch_reason)k;
                return true;
            }
        return false;
    case STATUS:
        row->status = (rill_status)strtol(text, &end, 10);
        return given && *end == '\0' && row->status >= RILL_OK && row->status <= RILL_CANCELLED;
    default:
        return true;
    }
}

static bool row_read(const layout *l, const record *r, rill_batch_row *row)
{
    rill_batch_row found = *row;
    for (int k = 0; k < l->count; k++)
        if (!cell_read(&l->columns[k], r->cells[k], &found)) return false;
    *row = found;
    return true;
}

static const char *cell_of(const layout *l, const record *r, const char *name)
{
    for (int k = 0; k < l->count; k++)
        if (strcmp(l->columns[k].name, name) == 0) return r->cells[k];
    return "";
}

bool rill_batch_csv_find(const rill_batch_csv *csv, const rill_batch_item *item, rill_batch_row *row)
{
    char numbers[6][16];
    const record key = key_of(item, numbers);
    for (size_t k = lower_bound(csv, &key); k < csv->count; k++) {
        const record *r = &csv->records[csv->order[k]];
        if (records_compare(r, &key) != 0) break;
        if (strcmp(cell_of(csv->layout, r, "options_xxh3_64"), row->made.options_hash) == 0 &&
            row_read(csv->layout, r, row))
            return true;
    }
    return false;
}

void rill_batch_csv_replace(rill_batch_csv *csv, const rill_batch_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char numbers[6][16];
        const record key = key_of(&items[i], numbers);
        for (size_t k = lower_bound(csv, &key); k < csv->count; k++) {
            record *r = &csv->records[csv->order[k]];
            if (records_compare(r, &key) != 0) break;
            r->item = i;
        }
    }
}
