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

/* What UDUNITS-2 takes and what is no unit of a quantity: offsets, numbers, logarithms, dates, exponents that
 * overflow, and texts that a number or a unit only begins. */
Test(units, what_is_no_plain_unit)
{
    static const char *const texts[] = {"5 um since 2000",
                                        "5 um after 2000",
                                        "5 um from 2000",
                                        "5 um ref 2000",
                                        "5 um SINCE 2000",
                                        "5 um @ 5",
                                        "5 um@5",
                                        "5 um since 2000-01-01 00:00",
                                        "5 m since 1",
                                        "5 m^99999999999999999999",
                                        "5 m^4294967297",
                                        "5 m4294967297",
                                        "5 m^-4294967295",
                                        "5 m\xe2\x81\xb9\xe2\x81\xb9\xe2\x81\xb9\xe2\x81\xb9",
                                        "5 m**18446744073709551617",
                                        "5 m^1.0",
                                        "5 m^1^1",
                                        "5 lg(re 1 m)",
                                        "5 ln(re m)",
                                        "5 lb(re: 1 um)",
                                        "5 um 2",
                                        "5 um*2",
                                        "5 2um",
                                        "5 1000 m",
                                        "5 m/1000",
                                        "5 (m",
                                        "5 m)",
                                        "5 ()",
                                        "5 m.",
                                        "5 .m",
                                        "5 m/",
                                        "5 /m",
                                        "5 m//s",
                                        "5 +m",
                                        "5 -m",
                                        "5 m-m",
                                        "5 m'",
                                        "5 m\"",
                                        "5 um\n",
                                        "5\num",
                                        "5 u\nm",
                                        "5\x01um",
                                        "5 um\x7f",
                                        "\n5 um",
                                        "5 um;",
                                        "5 um, 3",
                                        "1e-400 m",
                                        "1e400 m",
                                        "0x5 m",
                                        "+0x5 m",
                                        "0x1p3 m",
                                        "NaN m",
                                        "-inf m",
                                        "infinity m",
                                        "1e-320 nm^1",
                                        "5e m",
                                        "5 ^2",
                                        "5 \xff",
                                        "5 m\xff",
                                        ". m",
                                        "- m",
                                        "",
                                        " ",
                                        "m",
                                        "5 metre since",
                                        "5 m^",
                                        "5 m^-",
                                        "5 m**"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) refuse(texts[k], "m", "such as 5.7 um");
    refuse("20 degC", "K", "not a factor");
    refuse("5 dBZ", "m3", "such as 1 m3");
    refuse("5", "N/m2", "such as 1 N/m2");
    refuse("5 s", "s since 2000", "not a unit to convert to");
    refuse("5 s", "", "not a unit to convert to");
    refuse(NULL, "m", "not a finite number");
    double value = -7;
    cr_assert_eq(rill_units_parse("5 m", NULL, &value), RILL_USAGE);
    cr_assert_eq(value, -7);
}

Test(units, plain_units_of_all_forms)
{
    expect("5 cmH2O", "Pa", 5 * 98.0665);
    expect("5 m2.s-1", "m2/s", 5);
    expect("5 m^2 s^-1", "m2/s", 5);
    expect("5 m**2/s", "m2/s", 5);
    expect("5 m\xc2\xb2/s", "m2/s", 5);
    expect("5 Pa\xc2\xb7s", "Pa.s", 5);
    expect("5 kg/(m s)", "Pa.s", 5);
    expect("5 kg / (m s)", "Pa.s", 5);
    expect("5 (mm)2", "m2", 5e-6);
    expect("5 mmHg.s/mL", "Pa.s/m3", 5 * 133.322387415e6);
    expect("5 g/cm3", "kg/m3", 5000);
    expect("0 um", "m", 0);
    expect("0e5 um", "m", 0);
    expect(".5 um", "m", 5e-7);
    expect("5. um", "m", 5e-6);
    expect("\t5\tum\t", "m", 5e-6);
    expect("5 percent", "1", 0.05);
    expect("5 meters per second", "m/s", 5);
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
