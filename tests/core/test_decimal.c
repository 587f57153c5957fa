/* SPDX-License-Identifier: Apache-2.0 */
/* The one reader of real numbers: what it takes, where it stops, what it leaves to no double. */
#include "core/decimal.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(decimal, numbers)
{
    static const struct {
        const char *text;
        double value;
        const char *rest;
    } good[] = {{"0", 0, ""},
                {"-0.0e5", 0, ""},
                {"12", 12, ""},
                {"+1.5", 1.5, ""},
                {".5", 0.5, ""},
                {"5.", 5, ""},
                {"1e-3", 1e-3, ""},
                {"2E+2 mm", 200, " mm"},
                {"1,5", 1, ",5"},
                {"3/16", 3, "/16"},
                {"7em", 7, "em"},
                {"1e", 1, "e"},
                {"00x1", 0, "x1"},
                {"4.9e-324", 4.9e-324, ""},
                {"1.7976931348623157e308", 1.7976931348623157e308, ""},
                {"0.000 1", 0, " 1"},
                {"0.0.5", 0, ".5"},
                {"0e99999", 0, ""}};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        double value = NAN, whole = NAN;
        const char *rest = rill_decimal_at(good[k].text, &value);
        cr_assert_not_null(rest, "%s", good[k].text);
        cr_expect(value == good[k].value, "%s is %g", good[k].text, value);
        cr_expect_str_eq(rest, good[k].rest);
        cr_expect_eq(rill_decimal(good[k].text, &whole), *good[k].rest == '\0', "%s", good[k].text);
        cr_expect(*good[k].rest ? isnan(whole) : whole == good[k].value);
    }
}

Test(decimal, what_strtod_takes_besides)
{
    static const char *const bad[] = {"",    " 1",     "\t1",   "0x10",   "-0X1p3", "inf",  "-inf",
                                      "nan", "NAN(1)", "1e999", "-1e400", "1e-400", "0.0e", "infinity",
                                      "+",   "-",      ".",     "e5",     "--1",    "+-1",  "\xd9\xa3"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        double value = 7;
        const bool begins = strcmp(bad[k], "0.0e") == 0; /* begins with one, and is none */
        cr_expect_eq(rill_decimal_at(bad[k], &value) != NULL, begins, "\"%s\" is %g", bad[k], value);
        value = 7;
        cr_expect_not(rill_decimal(bad[k], &value), "\"%s\"", bad[k]);
        cr_expect_eq(value, 7, "\"%s\" left %g", bad[k], value);
    }
}

Test(decimal, specials_are_asked_for)
{
    double value = 7;
    cr_assert(rill_decimal_special("NaN", &value) && isnan(value));
    cr_assert(rill_decimal_special("-inf", &value) && value == -INFINITY);
    cr_assert(rill_decimal_special("+Infinity", &value) && value == INFINITY);
    for (size_t k = 0; k < 4; k++) {
        value = 7;
        cr_expect_not(rill_decimal_special(((const char *const[]){"", "nano", " inf", "1"})[k], &value));
        cr_expect_eq(value, 7);
    }
}
