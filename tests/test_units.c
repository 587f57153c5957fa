/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities with units, sizes in bytes, and the sentences that wrong ones get. */
#include "core/units.h"
#include "message.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect(const char *text, const char *unit, double value)
{
    double result = NAN;
    cr_assert_eq(rill_units_parse(text, unit, &result), RILL_OK, "%s: %s", text, rill_error_message());
    cr_assert(fabs(result - value) <= 1e-12 * fabs(value), "%s is %.17g %s, not %.17g", text, result, unit,
              value);
}

static void refuse(const char *text, const char *unit, const char *part)
{
    double result = -7;
    cr_assert_eq(rill_units_parse(text, unit, &result), RILL_USAGE, "\"%s\" was taken as %g %s", text, result,
                 unit);
    cr_assert_eq(result, -7);
    expect_message(part);
}

Test(units, lengths)
{
    expect("5.7um", "m", 5.7e-6);
    expect(" 5.7 um ", "m", 5.7e-6);
    expect("5.7 \xc2\xb5m", "m", 5.7e-6); /* MICRO SIGN */
    expect("5.7\xce\xbcm", "m", 5.7e-6);  /* GREEK SMALL LETTER MU */
    expect("5.7e0micrometers", "m", 5.7e-6);
    expect("1e-3 mm", "m", 1e-6);
    expect("-2 nm", "m", -2e-9);
}

Test(units, units_of_the_field)
{
    expect("3.5 mPa.s", "Pa.s", 3.5e-3);
    expect("3.5 cP", "Pa.s", 3.5e-3);
    expect("120 mL/min", "m3/s", 2e-6);
    expect("2 darcy", "m2", 2 * RILL_DARCY);
    expect("250 mD", "m2", 0.25 * RILL_DARCY);
    expect("250 millidarcy", "m2", 0.25 * RILL_DARCY);
    expect("12 dyn/cm2", "Pa", 1.2);
    expect("1 mmHg", "Pa", 133.322387415);
    expect("25 %", "1", 0.25);
    expect("0.25", "1", 0.25);
}

Test(units, wrong_quantities)
{
    refuse("5.7", "m", "has no unit");
    refuse("5.7 furlogns", "m", "unknown unit \"furlogns\"");
    refuse("5.7 s", "m", "is not a quantity in m");
    refuse("um", "m", "not a finite number");
    refuse("", "m", "such as 5.7 um");
    refuse("nan m", "m", "not a finite number");
    refuse("inf m", "m", "not a finite number");
    refuse("1e999 m", "m", "not a finite number");
    refuse("0x10 m", "m", "not a finite number");
    refuse("1e308 km", "m", "too large");
    refuse("5 3 m", "m", "unknown unit");
    refuse("5,7 um", "m", "unknown unit");
    refuse("5 m @ 3", "m", "unknown unit");
    refuse("5 mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm", "m",
           "longer than");
}

Test(units, missing_database, .init = cr_redirect_stderr)
{
    setenv("UDUNITS2_XML_PATH", "/nonexistent.xml", 1);
    double value;
    cr_assert_eq(rill_units_parse("1 m", "m", &value), RILL_SYSTEM);
    cr_assert_not_null(strstr(rill_error_message(), "libudunits2"));
    fflush(stderr);
    cr_assert_stderr_eq_str(""); /* UDUNITS-2 prints by itself unless it is told not to */
    unsetenv("UDUNITS2_XML_PATH");
    expect("1 mm", "m", 1e-3); /* the failure is not remembered */
}

Test(units, bytes)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"3000000", 3000000},
                {"4GiB", 4ull << 30},
                {"512 MiB", 512ull << 20},
                {"2 GB", 2000000000},
                {"1.5k", 1536},
                {"64g", 64ull << 30},
                {"1e3", 1000},
                {"0", 0}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t bytes = 1;
        cr_assert_eq(rill_units_parse_bytes(good[i].text, &bytes), RILL_OK, "%s", good[i].text);
        cr_assert_eq(bytes, good[i].bytes, "%s", good[i].text);
    }
    static const char *const bad[] = {"", "GiB", "-1", "4 parsecs", "1e30", "nan", "9TiBs", "8388608TiB"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t bytes;
        cr_assert_eq(rill_units_parse_bytes(bad[i], &bytes), RILL_USAGE, "%s", bad[i]);
    }
}

Test(units, formats)
{
    char text[32];
    rill_units_format_length(5.7e-6, text, sizeof text);
    cr_assert_str_eq(text, "5.7 um");
    rill_units_format_length(1e-3, text, sizeof text);
    cr_assert_str_eq(text, "1 mm");
    rill_units_format_length(0, text, sizeof text);
    cr_assert_str_eq(text, "0 m");
    rill_units_format_bytes(3.2 * 0x1p30, text, sizeof text);
    cr_assert_str_eq(text, "3.2 GiB");
    rill_units_format_bytes(17, text, sizeof text);
    cr_assert_str_eq(text, "17 B");
}
