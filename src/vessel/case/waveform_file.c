/* SPDX-License-Identifier: Apache-2.0 */
/* Waveforms from CSV: a header with units, two columns of numbers. Reading trusts nothing. Messages quote no
 * text of the file, which a case may name to have it printed. */
#include "vessel/case/waveform.h"

#include "core/decimal.h"
#include "core/nearest.h"
#include "core/status.h"
#include "vessel/observe/lines.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 1000000 };

/* An example for messages. */
#define HEADER "time [s], flow [mL/s]"

/* How far the last value may be from the first, as a part of the range, to be the same. */
#define CLOSED 1e-3

static const char *const units[RILL_WAVE_KINDS] = {"m3/s", "m/s", "m/s", "Pa", "1"};

#define PERIOD_MOST 1e6 /* s */

typedef struct reader {
    rill_lines in;
    rill_wave_kind kind;
    double scale[2]; /* to SI */
    double *time, *value;
    uint32_t count, room;
} reader;

/* Part a line at its one comma or semicolon; where it has none, at tabs or blanks, which a unit in brackets
 * may contain. */
static bool halves(char *text, char **second)
{
    char *at = strpbrk(text, ",;");
    if (!at) {
        char *open = strpbrk(text, "[("), *blank = text + strcspn(text, " \t");
        at = open && open < blank + strspn(blank, " \t") + 1 ? strpbrk(open, "])") : blank;
        if (!at || !*at) return false;
        if (at != blank && *++at == '\0') return false;
        if (!isspace((unsigned char)*at)) return false;
    }
    *at = '\0';
    *second = at + 1 + strspn(at + 1, " \t");
    return **second != '\0' && !strpbrk(*second, ",;");
}

/* Whether a comment is the header, as SimVascular writes it: "time", its unit, and a kind of waveform. */
static bool is_header(const char *text)
{
    const size_t word = strlen("time");
    if (strncasecmp(text, "time", word) != 0) return false;
    const char *second = text + word + strspn(text + word, " \t");
    if (*second == '[' || *second == '(') {
        const char *end = strpbrk(second, "])");
        if (!end) return false;
        second = end + 1;
    } else if (second == text + word && !strchr(",;", *second)) {
        return false;
    }
    second += strspn(second, " \t,;");
    for (int k = 0; k < RILL_WAVE_KINDS; k++) {
        const size_t length = strlen(rill_wave_names[k]);
        if (strncasecmp(second, rill_wave_names[k], length) == 0 && strchr(" \t[(", second[length]))
            return true;
    }
    return false;
}

/* Take the header: the first line that is no comment, or the comment that is one. */
static rill_status header_line(reader *r, bool *more)
{
    for (;;) {
        const rill_status status = rill_lines_next(&r->in, "a waveform", more);
        if (status != RILL_OK || !*more || r->in.text[0] != '#') return status;
        const char *text = r->in.text + strspn(r->in.text, "# \t");
        if (!is_header(text)) continue;
        memmove(r->in.text, text, strlen(text) + 1);
        return RILL_OK;
    }
}

static rill_status read_header(reader *r)
{
    rill_status status = RILL_OK;
    char *second = NULL, *name, *unit;
    bool more;
    RILL_TRY(header_line(r, &more));
    if (!more)
        RILL_TRY(rill_fail(RILL_USAGE, "%s is empty: a waveform has a header and rows of two numbers",
                           r->in.path));
    if (!halves(r->in.text, &second))
        RILL_TRY(rill_fail(RILL_USAGE,
                           "%s:%d: the line is not a header of two columns: write one such as \"" HEADER "\"",
                           r->in.path, r->in.line));
    rill_lines_title(r->in.text, &name, &unit);
    if (strcasecmp(name, "time") != 0)
        RILL_TRY(rill_fail(
            RILL_USAGE, "%s:%d: the first column is not called time: write a header such as \"" HEADER "\"",
            r->in.path, r->in.line));
    RILL_TRY(rill_lines_unit(&r->in, name, unit, "s", HEADER, &r->scale[0]));
    rill_lines_title(second, &name, &unit);
    rill_nearest match = {0};
    for (int k = 0; k < RILL_WAVE_KINDS; k++) {
        rill_nearest_try(&match, name, rill_wave_names[k]);
        if (strcasecmp(name, rill_wave_names[k]) != 0) continue;
        r->kind = (rill_wave_kind)k;
        return rill_lines_unit(&r->in, name, unit, units[k], HEADER, &r->scale[1]);
    }
    status = rill_fail(
        RILL_USAGE,
        "%s:%d: the second column has another name than flow, mean-velocity, peak-velocity, pressure or factor%s%s%s",
        r->in.path, r->in.line, rill_nearest_is_meant(&match, name) ? "; did you mean " : "",
        rill_nearest_is_meant(&match, name) ? match.name : "",
        rill_nearest_is_meant(&match, name) ? "?" : "");
done:
    return status;
}

static rill_status read_number(const reader *r, const char *text, double *out)
{
    while (isspace((unsigned char)*text)) text++;
    const char *end = rill_decimal_at(text, out);
    while (end && isspace((unsigned char)*end)) end++;
    if (!end || *end != '\0')
        return rill_fail(RILL_USAGE,
                         "%s:%d: the row has something that is not a finite number: rows are two numbers",
                         r->in.path, r->in.line);
    return RILL_OK;
}

static rill_status grow(reader *r)
{
    if (r->count < r->room) return RILL_OK;
    if (r->count == SAMPLES)
        return rill_fail(RILL_USAGE, "%s has more than %d rows: thin it out", r->in.path, SAMPLES);
    const uint32_t room = r->room ? 2 * r->room : 1024;
    double *time = realloc(r->time, room * sizeof *time);
    if (time) r->time = time;
    double *value = realloc(r->value, room * sizeof *value);
    if (value) r->value = value;
    if (!time || !value) return rill_fail(RILL_SYSTEM, "out of memory for the waveform %s", r->in.path);
    r->room = room;
    return RILL_OK;
}

static rill_status read_rows(reader *r)
{
    rill_status status = RILL_OK;
    for (bool more;;) {
        char *second = NULL;
        RILL_TRY(rill_lines_row(&r->in, "a waveform", &more));
        if (!more) return RILL_OK;
        if (!halves(r->in.text, &second))
            RILL_TRY(
                rill_fail(RILL_USAGE, "%s:%d: the line is not a row of two numbers", r->in.path, r->in.line));
        RILL_TRY(grow(r));
        const uint32_t k = r->count;
        RILL_TRY(read_number(r, r->in.text, &r->time[k]));
        RILL_TRY(read_number(r, second, &r->value[k]));
        if (k > 0 && !(r->time[k] > r->time[k - 1]))
            RILL_TRY(rill_fail(
                RILL_USAGE, "%s:%d: time %g is not after %g, that of the row before: sort the rows by time",
                r->in.path, r->in.line, r->time[k], r->time[k - 1]));
        r->count++;
    }
done:
    return status;
}

/* Count times from the first, in SI; find the cycle, and leave out a row that only closes it. */
static rill_status close_cycle(reader *r, double *period)
{
    double low = INFINITY, high = -INFINITY;
    if (r->count < 4)
        return rill_fail(RILL_USAGE, "%s has %u rows: a waveform takes at least 4", r->in.path, r->count);
    for (uint32_t k = 0; k < r->count; k++) {
        low = fmin(low, r->value[k]);
        high = fmax(high, r->value[k]);
    }
    const double first = r->time[0], span = (r->time[r->count - 1] - first) * r->scale[0];
    const double apart = fabs(r->value[r->count - 1] - r->value[0]);
    for (uint32_t k = 0; k < r->count; k++) {
        r->time[k] = (r->time[k] - first) * r->scale[0];
        r->value[k] *= r->scale[1];
    }
    if (*period == 0) {
        if (apart > CLOSED * (high - low))
            return rill_fail(
                RILL_USAGE,
                "%s:%d: the last value is not the first, so the cycle is not closed: add a row that repeats the first value where it ends, or give run: period",
                r->in.path, r->in.line);
        if (!(span <= PERIOD_MOST)) /* as run: period */
            return rill_fail(RILL_USAGE, "%s spans %g s, and at most %g s are computed: is its unit right?",
                             r->in.path, span, PERIOD_MOST);
        *period = span;
        r->count--;
        return RILL_OK;
    }
    const double past = span / *period - 1;
    if (past > 1e-9)
        return rill_fail(RILL_USAGE,
                         "%s spans %g s, more than run: period, %g s: cut it, or leave the period out",
                         r->in.path, span, *period);
    if (past > -1e-9) r->count--; /* it closes the cycle */
    return RILL_OK;
}

rill_status rill_waveform_read(const char *path, double period, rill_waveform **out)
{
    rill_status status = RILL_OK;
    reader r = {.in.path = path};
    RILL_TRY(rill_lines_open(path, "the waveform", &r.in));
    RILL_TRY(read_header(&r));
    RILL_TRY(read_rows(&r));
    RILL_TRY(close_cycle(&r, &period));
    status = rill_waveform_create(r.kind, period, r.time, r.value, r.count, out);
    if (status != RILL_OK) rill_fail_prefix("%s", path);
done:
    if (r.in.file) fclose(r.in.file);
    free(r.time);
    free(r.value);
    return status;
}
