/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantities: the number is read here, the unit by UDUNITS-2, whose parser and status are process-wide
 * and not thread-safe; one mutex guards them. Knows no option and no file.
 */
#include "core/units.h"
#include "core/data.h"
#include "core/decimal.h"
#include "core/status.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <udunits2.h>

/* Units of this field that UDUNITS-2 does not know. Prefixes apply to each: mD, cP. */
static const struct {
    const char *symbol, *definition;
} extra_units[] = {
    {"D", "9.869233e-13 m^2"}, {"P", "0.1 Pa.s"}, {"dyn", "1e-5 N"}, {"L", "1e-3 m^3"}, {"cc", "1e-6 m^3"}};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ut_system *units; /* created once, under the lock */

/* Read the database that the library knows or UDUNITS2_XML_PATH names, else the one among rill's data:
 * packages that carry their own UDUNITS-2 have it there. */
static ut_system *database_read(void)
{
    char path[PATH_MAX];
    ut_system *system = ut_read_xml(NULL);
    if (system != NULL || errno == ENOMEM || getenv("UDUNITS2_XML_PATH") != NULL) return system;
    return rill_data_path("udunits/udunits2.xml", path, sizeof path) == RILL_OK ? ut_read_xml(path) : NULL;
}

/* Create the unit system with the units of this field. The caller holds the lock. */
static rill_status units_init(void)
{
    if (units != NULL) return RILL_OK;
    ut_set_error_message_handler(ut_ignore); /* by default it prints */
    ut_system *system = database_read();
    if (system == NULL && errno == ENOMEM)
        return rill_fail(RILL_SYSTEM, "out of memory for the unit database of UDUNITS-2");
    if (system == NULL) {
        const char *path = getenv("UDUNITS2_XML_PATH");
        return rill_fail(
            RILL_SYSTEM,
            "the unit database of UDUNITS-2 cannot be read (%s): install the package libudunits2-data or set UDUNITS2_XML_PATH to its udunits2.xml",
            path != NULL ? path : "no file at its default place");
    }
    for (size_t i = 0; i < sizeof extra_units / sizeof extra_units[0]; i++) {
        ut_unit *unit = ut_parse(system, extra_units[i].definition, UT_UTF8);
        if (unit == NULL) {
            const bool full = errno == ENOMEM;
            ut_free_system(system);
            if (full) return rill_fail(RILL_SYSTEM, "out of memory for the units of UDUNITS-2");
            return rill_fail(RILL_SYSTEM, "UDUNITS-2 does not understand \"%s\": its database is damaged",
                             extra_units[i].definition);
        }
        ut_map_symbol_to_unit(extra_units[i].symbol, UT_ASCII, unit); /* refused when known already */
        ut_free(unit);
    }
    units = system;
    return RILL_OK;
}

/* An example for messages, in the dimension of `unit`; another call of the thread may replace it. */
static const char *example(const char *unit)
{
    static _Thread_local char one[64];
    static const char *const known[][2] = {{"m", "5.7 um"},         {"m2", "250 mD"},
                                           {"s", "2 ms"},           {"Pa.s", "3.5 mPa.s"},
                                           {"m3/s", "120 mL/min"},  {"Pa", "80 mmHg"},
                                           {"m/s", "0.3 m/s"},      {"kg/m3", "1056 kg/m3"},
                                           {"1", "0.25"},           {"Pa.s/m3", "1.2 mmHg.s/mL"},
                                           {"m3/Pa", "1.5 mL/mmHg"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(unit, known[i][0]) == 0) return known[i][1];
    snprintf(one, sizeof one, "1 %s", unit);
    return one;
}

/* Bytes of a superscript of UTF-8 at `c`: a digit or a sign; 0: there is none. */
static int superscript(const char *c)
{
    const unsigned char *u = (const unsigned char *)c;
    if (u[0] == 0xc2 && (u[1] == 0xb2 || u[1] == 0xb3 || u[1] == 0xb9)) return 2; /* ² ³ ¹ */
    return u[0] == 0xe2 && u[1] == 0x81 && u[2] >= 0xb0 && u[2] <= 0xbb ? 3 : 0;  /* ⁰ ⁴…⁹ ⁺ ⁻ */
}

/* Go over an exponent: "2", "-1", "^2", "**-2", "⁻¹". @return false for one of more than two digits */
static bool exponent_pass(const char **at)
{
    const char *c = *at;
    int digits = 0, signs = 0;
    for (int bytes; (bytes = superscript(c)) > 0; c += bytes) digits++;
    if (digits > 0) return *at = c, digits <= 3; /* with a sign */
    const bool marked = *c == '^' || (c[0] == '*' && c[1] == '*');
    if (marked) c += *c == '^' ? 1 : 2;
    for (; *c == '-' || *c == '+'; c++) signs++;
    for (; isdigit((unsigned char)*c); c++) digits++;
    if (digits == 0 && !marked && signs == 0) return true; /* there is none */
    *at = c;
    return digits > 0 && digits <= 2 && signs <= 1;
}

/* Bytes of a letter of a name at `c`: of ASCII, a percent sign, or a sign of units beyond ASCII; 0: there is
 * none. */
static int letter(const char *c)
{
    static const char *const signs[] = {"\xc2\xb5", "\xce\xbc",     "\xc2\xb0",
                                        "\xc3\x85", "\xe2\x84\xab",  /* µ twice, °, Å twice */
                                        "\xce\xa9", "\xe2\x84\xa6"}; /* Ω twice */
    if (isalpha((unsigned char)*c) || *c == '_' || *c == '%') return 1;
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
        if (strncmp(c, signs[k], strlen(signs[k])) == 0) return (int)strlen(signs[k]);
    return 0;
}

/*
 * Whether a text is a product of powers of names, "mmHg.s/mL", "kg/(m s2)". The parser of UDUNITS-2 takes
 * much more, which is no unit of a quantity: numbers ("um 2"), offsets ("um since 2000", "m @ 5"), logarithms
 * ("lg(re 1 m)"), dates, and exponents that overflow.
 */
static bool is_product(const char *c)
{
    int depth = 0;
    for (;;) {
        c += strspn(c, " ");
        for (; *c == '('; depth++) c += 1 + strspn(c + 1, " ");
        if (letter(c) == 0) return false;
        const char *digits = c; /* that end the name are its exponent: cm2, but not cmH2O */
        for (int bytes; (bytes = letter(c)) > 0 || isdigit((unsigned char)*c);)
            if (bytes > 0)
                digits = c += bytes;
            else
                c++;
        c = digits;
        if (!exponent_pass(&c)) return false;
        for (; c[strspn(c, " ")] == ')'; depth--) {
            c += strspn(c, " ") + 1;
            if (depth == 0 || !exponent_pass(&c)) return false;
        }
        const size_t blanks = strspn(c, " ");
        if (c[blanks] == '\0') return depth == 0;
        c += blanks;
        if (*c == '.' || *c == '*' || *c == '/')
            c++;
        else if ((unsigned char)c[0] == 0xc2 && (unsigned char)c[1] == 0xb7) /* raised dot */
            c += 2;
        else if (blanks == 0)
            return false;
    }
}

/* Whether a conversion is a factor: those of temperatures have an offset, and those of levels are logarithms.
 */
static bool is_factor(const cv_converter *converter)
{
    const double one = cv_convert_double(converter, 1), two = cv_convert_double(converter, 2);
    return cv_convert_double(converter, 0) == 0 && fabs(two - 2 * one) <= 1e-12 * fabs(two);
}

/* Convert `number` from unit text `from` to `unit`. The caller holds the lock. */
static rill_status convert(const char *text, double number, const char *from, const char *unit, double *value)
{
    rill_status status = RILL_OK;
    ut_unit *given = NULL, *wanted = NULL;
    cv_converter *converter = NULL;

    errno = 0;
    RILL_TRY(units_init());
    given = ut_parse(units, from, UT_UTF8);
    wanted = ut_parse(units, unit, UT_UTF8);
    /* UDUNITS-2 has one answer for a text that it does not understand, and for lack of memory. */
    if ((given == NULL || wanted == NULL) && errno == ENOMEM)
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory to convert \"%s\"", text));
    if (given == NULL)
        RILL_TRY(rill_fail(RILL_USAGE, "unknown unit \"%s\" in \"%s\": give a value such as %s", from, text,
                           example(unit)));
    if (wanted == NULL) RILL_TRY(rill_fail(RILL_USAGE, "\"%s\" is not a unit to convert to", unit));
    if (!ut_are_convertible(given, wanted) && errno == ENOMEM)
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory to convert \"%s\"", text));
    if (!ut_are_convertible(given, wanted))
        RILL_TRY(rill_fail(RILL_USAGE, "\"%s\" is not a quantity in %s: give a value such as %s", text, unit,
                           example(unit)));
    converter = ut_get_converter(given, wanted);
    if (converter == NULL) RILL_TRY(rill_fail(RILL_SYSTEM, "no memory to convert \"%s\"", text));
    if (!is_factor(converter))
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "\"%s\" has a unit with an offset or a logarithm, which is not a factor of %s: give a value such as %s",
            text, unit, example(unit)));
    const double result = cv_convert_double(converter, number);
    if (!isfinite(result) || (number != 0 && result == 0))
        RILL_TRY(rill_fail(RILL_USAGE, "\"%s\" is too %s: give a value such as %s", text,
                           isfinite(result) ? "small" : "large", example(unit)));
    *value = result;
done:
    cv_free(converter);
    ut_free(wanted);
    ut_free(given);
    return status;
}

/* Read the leading number; *rest is what follows it without blanks. No control characters. */
static bool leading_number(const char *text, double *number, const char **rest)
{
    if (!text) return false;
    for (const char *c = text; *c; c++)
        if (iscntrl((unsigned char)*c) && *c != '\t') return false;
    text += strspn(text, " \t");
    const char *end = rill_decimal_at(text, number);
    if (!end) return false;
    *rest = end + strspn(end, " \t");
    return true;
}

/* Copy a text for a message, which is one line. */
static const char *line_of(const char *text, char line[64])
{
    snprintf(line, 64, "%s", text ? text : "");
    for (char *c = line; *c; c++)
        if (iscntrl((unsigned char)*c)) *c = '?';
    return line;
}

rill_status rill_units_parse(const char *text, const char *unit, double *value)
{
    double number;
    const char *rest;
    char line[64];
    if (!unit || (strcmp(unit, "1") != 0 && !is_product(unit)))
        return rill_fail(RILL_USAGE, "\"%s\" is not a unit to convert to", line_of(unit, line));
    if (!leading_number(text, &number, &rest))
        return rill_fail(RILL_USAGE, "\"%s\" is not a finite number with a unit: give a value such as %s",
                         line_of(text, line), example(unit));

    char from[64];
    size_t length = strlen(rest);
    while (length > 0 && strchr(" \t", rest[length - 1])) length--;
    if (length >= sizeof from)
        return rill_fail(RILL_USAGE,
                         "the unit of \"%.32s...\" is longer than %zu characters: give a value such as %s",
                         text, sizeof from - 1, example(unit));
    memcpy(from, rest, length);
    from[length] = '\0';

    if (length == 0) {
        if (strcmp(unit, "1") != 0)
            return rill_fail(RILL_USAGE, "\"%s\" has no unit: give a value in %s, such as %s", text, unit,
                             example(unit));
        *value = number;
        return RILL_OK;
    }
    if (!is_product(from))
        return rill_fail(
            RILL_USAGE,
            "unknown unit \"%s\" in \"%.60s\", which is not a product of names and powers: give a value such as %s",
            from, text, example(unit));
    pthread_mutex_lock(&lock);
    const locale_t before = rill_c_locale_begin(); /* UDUNITS-2 calls strtod() */
    rill_status status = convert(text, number, from, unit, value);
    /* UDUNITS-2 loses most failed allocations inside its parser: what it does not understand once it may the
     * next time. */
    if (status == RILL_USAGE) status = convert(text, number, from, unit, value);
    rill_c_locale_end(before);
    pthread_mutex_unlock(&lock);
    return status;
}

/* Write value in the largest of `count` units that leaves at least 1. */
static void format_scaled(double value, const double *scale, const char *const *name, int count, char *text,
                          size_t size)
{
    int i = 0;
    while (i + 1 < count && fabs(value) < scale[i] * (1 - 1e-9)) i++;
    snprintf(text, size, "%.4g %s", value / scale[i], name[i]);
}

void rill_units_format_length(double metres, char *text, size_t size)
{
    static const double scale[] = {1, 1e-3, 1e-6, 1e-9};
    static const char *const name[] = {"m", "mm", "um", "nm"};
    if (metres == 0)
        snprintf(text, size, "0 m");
    else
        format_scaled(metres, scale, name, 4, text, size);
}

void rill_units_format_bytes(double bytes, char *text, size_t size)
{
    static const double scale[] = {0x1p40, 0x1p30, 0x1p20, 0x1p10, 1};
    static const char *const name[] = {"TiB", "GiB", "MiB", "KiB", "B"};
    format_scaled(bytes, scale, name, 5, text, size);
}

rill_status rill_units_parse_bytes(const char *text, uint64_t *bytes)
{
    static const struct {
        const char *name;
        double scale;
    } sizes[] = {{"", 1},       {"B", 1},        {"k", 0x1p10},   {"M", 0x1p20},   {"G", 0x1p30},
                 {"T", 0x1p40}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
                 {"kB", 1e3},   {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12}};
    double number;
    const char *rest;
    if (leading_number(text, &number, &rest))
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            if (strcasecmp(rest, sizes[i].name) != 0) continue;
            const double value = number * sizes[i].scale;
            if (!(value >= 0 && value < 0x1p63)) break;
            *bytes = (uint64_t)value;
            return RILL_OK;
        }
    return rill_fail(
        RILL_USAGE, "\"%s\" is not a size in bytes from 0 to 2^63: give a value such as 512MiB or 4GB", text);
}
