/* SPDX-License-Identifier: Apache-2.0 */
/* Points with velocities from CSV. Reading trusts nothing. Messages quote no text of the file, which a case
 * may name to have it printed. */
#include "vessel/inlet/velocities.h"

#include "core/decimal.h"
#include "core/status.h"
#include "vessel/observe/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a line; beyond these a coordinate, m, a velocity, m/s, and a time, s, are no vessel's. */
enum { FARTHEST = 1000, FASTEST = 1000, LATEST = 1000000 };

/* An example for messages. */
#define HEADER "x [mm], y [mm], z [mm], u [m/s], v [m/s], w [m/s]"

/* Times that differ by less than this part of their range are one; spacings that do are even. */
#define SAME 1e-6
#define EVEN 1e-2

enum { X, Y, Z, U, V, W, TIME, COLUMNS };

static const struct {
    const char *name, *other, *unit;
    double most;
} columns[COLUMNS] = {{"x", "x", "m", FARTHEST},   {"y", "y", "m", FARTHEST},   {"z", "z", "m", FARTHEST},
                      {"u", "vx", "m/s", FASTEST}, {"v", "vy", "m/s", FASTEST}, {"w", "vz", "m/s", FASTEST},
                      {"time", "t", "s", LATEST}};

/* A row before its time has a number. */
typedef struct row {
    rill_velocity point;
    double time;
} row;

typedef struct reader {
    rill_lines in;
    int at[COLUMNS]; /* place in a row; -1: none */
    int width;
    double scale[COLUMNS]; /* to SI */
    row *rows;
    uint32_t count, room;
} reader;

static rill_status read_title(reader *r, char *title, int place)
{
    char *name, *unit;
    rill_lines_title(title, &name, &unit);
    int k = 0;
    while (k < COLUMNS && strcasecmp(name, columns[k].name) != 0 && strcasecmp(name, columns[k].other) != 0)
        k++;
    if (k == COLUMNS)
        return rill_fail(RILL_USAGE, "%s:%d: column %d has another name than x, y, z, u, v, w or time",
                         r->in.path, r->in.line, place + 1);
    if (r->at[k] >= 0)
        return rill_fail(RILL_USAGE, "%s:%d: columns %d and %d are both called %s", r->in.path, r->in.line,
                         r->at[k] + 1, place + 1, columns[k].name);
    r->at[k] = place;
    return rill_lines_unit(&r->in, columns[k].name, unit, columns[k].unit, HEADER, &r->scale[k]);
}

static rill_status read_header(reader *r)
{
    rill_status status = RILL_OK;
    bool more;
    RILL_TRY(rill_lines_row(&r->in, "velocities", &more));
    if (!more)
        RILL_TRY(rill_fail(
            RILL_USAGE, "%s is empty: points with velocities have a header and rows of numbers", r->in.path));
    for (int k = 0; k < COLUMNS; k++) r->at[k] = -1;
    for (char *rest = r->in.text, *title; (title = strsep(&rest, ",;\t"));) {
        if (r->width == COLUMNS)
            RILL_TRY(rill_fail(RILL_USAGE, "%s:%d: more than %d columns: x, y, z, u, v, w and time are read",
                               r->in.path, r->in.line, COLUMNS));
        RILL_TRY(read_title(r, title, r->width++));
    }
    for (int k = 0; k < TIME; k++)
        if (r->at[k] < 0)
            RILL_TRY(rill_fail(RILL_USAGE,
                               "%s:%d: column %s is missing: write a header such as \"" HEADER "\"",
                               r->in.path, r->in.line, columns[k].name));
done:
    return status;
}

static rill_status grow(reader *r)
{
    if (r->count < r->room) return RILL_OK;
    if (r->count == RILL_VELOCITY_POINTS)
        return rill_fail(RILL_USAGE, "%s has more than %d rows: keep the points near the inlet alone",
                         r->in.path, RILL_VELOCITY_POINTS);
    const uint32_t twice = r->room ? 2 * r->room : 1024,
                   room = twice < RILL_VELOCITY_POINTS ? twice : RILL_VELOCITY_POINTS;
    row *rows = realloc(r->rows, room * sizeof *rows);
    if (!rows) return rill_fail(RILL_SYSTEM, "out of memory for %u points of %s", room, r->in.path);
    r->rows = rows;
    r->room = room;
    return RILL_OK;
}

/* Read the numbers of a row into SI. */
static rill_status read_row(const reader *r, double *values)
{
    const char *text = r->in.text + strspn(r->in.text, " \t");
    double numbers[COLUMNS] = {0};
    int count = 0;
    for (; count < r->width; count++) {
        text += strspn(text, " ");
        const char *end = rill_decimal_at(text, &numbers[count]);
        if (!end) break;
        while (*end == ' ') end++;
        if (*end != '\0' && !strchr(",;\t", *end)) break;
        text = *end ? end + 1 : end;
        if (*end == '\0' && count + 1 < r->width) {
            count++;
            break;
        }
    }
    if (count != r->width || *text != '\0')
        return rill_fail(RILL_USAGE, "%s:%d: the line is not a row of %d finite numbers", r->in.path,
                         r->in.line, r->width);
    for (int k = 0; k < COLUMNS; k++) {
        values[k] = r->at[k] < 0 ? 0 : numbers[r->at[k]] * r->scale[k];
        if (!(fabs(values[k]) <= columns[k].most))
            return rill_fail(RILL_USAGE, "%s:%d: %s is %g %s, and at most %g %s are read: is its unit right?",
                             r->in.path, r->in.line, columns[k].name, values[k], columns[k].unit,
                             columns[k].most, columns[k].unit);
    }
    return RILL_OK;
}

static rill_status read_rows(reader *r)
{
    rill_status status = RILL_OK;
    for (bool more;;) {
        double values[COLUMNS] = {0};
        RILL_TRY(rill_lines_row(&r->in, "velocities", &more));
        if (!more) return RILL_OK;
        RILL_TRY(read_row(r, values));
        RILL_TRY(grow(r));
        row *new = &r->rows[r->count++];
        *new = (row){.time = values[TIME]};
        for (int a = 0; a < 3; a++) {
            new->point.x[a] = (float)values[X + a];
            new->point.u[a] = (float)values[U + a];
        }
    }
done:
    return status;
}

static int by_time(const void *a, const void *b)
{
    const double s = ((const row *)a)->time, t = ((const row *)b)->time;
    return (s > t) - (s < t);
}

/* Find the times, and number them. */
static rill_status find_frames(reader *r, rill_velocities *v)
{
    if (r->count == 0)
        return rill_fail(RILL_USAGE, "%s has no rows: give points with their velocities", r->in.path);
    if (r->at[TIME] >= 0) qsort(r->rows, r->count, sizeof *r->rows, by_time);
    const double first = r->rows[0].time, range = r->rows[r->count - 1].time - first;
    v->times = calloc(RILL_VELOCITY_FRAMES, sizeof *v->times);
    v->points = calloc(r->count, sizeof *v->points);
    if (!v->times || !v->points)
        return rill_fail(RILL_SYSTEM, "out of memory for %u points of %s", r->count, r->in.path);
    for (uint32_t k = 0; k < r->count; k++) {
        const double time = r->rows[k].time - first;
        if (k == 0 || time - v->times[v->frames - 1] > SAME * range) {
            if (v->frames == RILL_VELOCITY_FRAMES)
                return rill_fail(RILL_USAGE, "%s has more than %d times: leave some out", r->in.path,
                                 RILL_VELOCITY_FRAMES);
            v->times[v->frames++] = time;
        }
        v->points[v->count] = r->rows[k].point;
        v->points[v->count++].frame = v->frames - 1;
    }
    return RILL_OK;
}

/* The cycle: as it is given, or the times evenly spaced over it. */
static rill_status find_period(double period, rill_velocities *v)
{
    if (v->frames == 1) return RILL_OK;
    if (v->frames < RILL_VELOCITY_FRAMES_LEAST)
        return rill_fail(RILL_USAGE, "%s has %u times: give one, or at least %d over the cycle", v->path,
                         v->frames, RILL_VELOCITY_FRAMES_LEAST);
    const double last = v->times[v->frames - 1], spacing = last / (v->frames - 1);
    v->period = period > 0 ? period : last + spacing;
    if (!(last < v->period))
        return rill_fail(RILL_USAGE,
                         "%s spans %g s, and the period is %g s: leave out the time that repeats the first",
                         v->path, last, v->period);
    for (uint32_t k = 1; k < v->frames && period == 0; k++)
        if (fabs(v->times[k] - v->times[k - 1] - spacing) > EVEN * spacing)
            return rill_fail(RILL_USAGE,
                             "%s has times of uneven spacing, %g s and %g s on average: give run: period",
                             v->path, v->times[k] - v->times[k - 1], spacing);
    return RILL_OK;
}

rill_status rill_velocities_read(const char *path, double period, rill_velocities **out)
{
    rill_status status = RILL_OK;
    reader r = {.in.path = path};
    rill_velocities *v = calloc(1, sizeof *v);
    if (!v) return rill_fail(RILL_SYSTEM, "out of memory for %s", path);
    v->path = strdup(path);
    if (!v->path) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for %s", path));
    RILL_TRY(rill_lines_open(path, "the velocities", &r.in));
    RILL_TRY(read_header(&r));
    RILL_TRY(read_rows(&r));
    RILL_TRY(find_frames(&r, v));
    RILL_TRY(find_period(period, v));
    *out = v;
    v = NULL;
done:
    if (r.in.file) fclose(r.in.file);
    free(r.rows);
    rill_velocities_destroy(v);
    return status;
}

void rill_velocities_destroy(rill_velocities *v)
{
    if (!v) return;
    free(v->path);
    free(v->points);
    free(v->times);
    free(v);
}
