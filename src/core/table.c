/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of rill's data. */
#include "core/table.h"

#include "core/csv.h"
#include "core/data.h"
#include "core/decimal.h"
#include "core/memory.h"
#include "core/status.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Largest file, in bytes. */
enum { LARGEST = 1 << 20 };

static rill_status damaged(const rill_table *t, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* @param line  0: none */
static rill_status damaged(const rill_table *t, int line, const char *format, ...)
{
    char what[256], where[16] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (line) snprintf(where, sizeof where, ":%d", line);
    return rill_fail(RILL_USAGE, "%s%s: %s: " RILL_DATA_REMEDY, t->path, where, what);
}

/* ---- reading --------------------------------------------------------------------------------- */

static rill_status read_text(rill_table *t)
{
    rill_status status = RILL_OK;
    struct stat about;
    size_t length = 0;
    if (stat(t->path, &about) != 0 || !S_ISREG(about.st_mode)) return damaged(t, 0, "it is not a file");
    if (about.st_size > LARGEST) return damaged(t, 0, "it has more than %d bytes", LARGEST);
    FILE *file = fopen(t->path, "rb");
    if (!file) return rill_fail(RILL_SYSTEM, "cannot read %s: %s", t->path, strerror(errno));
    RILL_TRY(rill_array_create_zero((uint64_t)about.st_size + 1, 1, "a table", (void **)&t->text));
    length = fread(t->text, 1, (size_t)about.st_size, file);
    if (ferror(file)) RILL_TRY(rill_fail(RILL_SYSTEM, "cannot read %s: %s", t->path, strerror(errno)));
    if (strlen(t->text) != (size_t)about.st_size) RILL_TRY(damaged(t, 0, "it is not text"));
    if (length == 0 || t->text[length - 1] != '\n') RILL_TRY(damaged(t, 0, "its last line is not complete"));
done:
    fclose(file);
    return status;
}

/* Cut blanks off both ends. */
static char *trim(char *text)
{
    while (isspace((unsigned char)*text)) text++;
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);) *--end = '\0';
    return text;
}

static int count(const char *text, char c)
{
    int n = 0;
    for (; *text; text++) n += *text == c;
    return n;
}

/* Part a line into its cells. @param line  number in the file */
static rill_status part(const rill_table *t, char *text, int line, const char **cells)
{
    const int found = count(text, ',') + 1;
    if (found != t->columns) return damaged(t, line, "it has %d cells, not %d", found, t->columns);
    for (int k = 0; k < t->columns; k++) {
        char mark;
        cells[k] = trim(rill_csv_cell(&text, &mark));
        if (!cells[k][0]) return damaged(t, line, "cell %d is empty", k + 1);
        if (mark != ',' && mark != '\0') return damaged(t, line, "cell %d has text behind a quote", k + 1);
    }
    return RILL_OK;
}

static rill_status allocate(rill_table *t, int lines)
{
    rill_status status = RILL_OK;
    const uint64_t columns = (uint64_t)t->columns, rows = (uint64_t)lines;
    RILL_TRY(rill_array_create(columns, sizeof *t->names, "a table", (void **)&t->names));
    RILL_TRY(rill_array_create(columns * rows, sizeof *t->cells, "a table", (void **)&t->cells));
    RILL_TRY(rill_array_create(rows, sizeof *t->lines, "a table", (void **)&t->lines));
done:
    return status;
}

/* Read a line that is no comment: the names of the columns, or a row. */
static rill_status read_line(rill_table *t, char *text, int line, int lines)
{
    rill_status status = RILL_OK;
    if (!t->names) {
        t->columns = count(text, ',') + 1;
        RILL_TRY(allocate(t, lines));
        return part(t, text, line, t->names);
    }
    t->lines[t->rows] = line;
    RILL_TRY(part(t, text, line, t->cells + (size_t)t->rows * (size_t)t->columns));
    t->rows++;
done:
    return status;
}

rill_status rill_table_read(const char *name, rill_table *t)
{
    rill_status status = RILL_OK;
    char file[NAME_MAX + 1];
    int announced = -1, line = 0;
    *t = (rill_table){.rows = 0};
    snprintf(file, sizeof file, "%s.csv", name);
    RILL_TRY(rill_data_path(file, t->path, sizeof t->path));
    RILL_TRY(read_text(t));
    const int lines = count(t->text, '\n');
    for (char *rest = t->text, *next; (next = strsep(&rest, "\n")) && rest;) {
        char *text = trim(next);
        line++;
        sscanf(text, "# rows: %d", &announced);
        if (text[0] && text[0] != '#') RILL_TRY(read_line(t, text, line, lines));
    }
    if (t->rows == 0 || t->rows != announced)
        RILL_TRY(damaged(t, 0, "it has %d rows, and its line \"# rows:\" says %d", t->rows, announced));
done:
    return status;
}

void rill_table_free(rill_table *t)
{
    rill_array_destroy(t->text);
    rill_array_destroy(t->names);
    rill_array_destroy(t->cells);
    rill_array_destroy(t->lines);
    *t = (rill_table){.rows = 0};
}

/* ---- looking up ------------------------------------------------------------------------------ */

/* Whether a column has this name, followed by nothing or its unit in brackets. */
static bool is_named(const char *column, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(column, name, length) == 0 && (!column[length] || strncmp(column + length, " [", 2) == 0);
}

rill_status rill_table_column(const rill_table *t, const char *name, int *column)
{
    for (*column = 0; *column < t->columns; ++*column)
        if (is_named(t->names[*column], name)) return RILL_OK;
    return damaged(t, 0, "it has no column \"%s\"", name);
}

/* Whether the first cells of a row, joined by blanks, are these. */
static bool begins_with(const rill_table *t, int row, const char *cells)
{
    for (int k = 0; k < t->columns; k++) {
        const char *cell = t->cells[(size_t)row * (size_t)t->columns + (size_t)k];
        const size_t length = strlen(cell);
        if (strncmp(cells, cell, length) != 0) return false;
        if (!cells[length]) return true;
        if (cells[length] != ' ') return false;
        cells += length + 1;
    }
    return false;
}

rill_status rill_table_row(const rill_table *t, const char *cells, int *row)
{
    int found = 0;
    for (int k = 0; k < t->rows; k++) {
        if (!begins_with(t, k, cells)) continue;
        *row = k;
        found++;
    }
    return found == 1 ? RILL_OK : damaged(t, 0, "%d rows begin with \"%s\", not one", found, cells);
}

rill_status rill_table_number(const rill_table *t, int row, int column, double *value)
{
    const char *cell = t->cells[(size_t)row * (size_t)t->columns + (size_t)column];
    if (!rill_decimal(cell, value))
        return damaged(t, t->lines[row], "\"%.60s\" is not a finite number", cell);
    return RILL_OK;
}
