/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file comma_locale.h
 * A locale with another decimal point than ".", compiled for the test: machines may have none.
 */
#ifndef RILL_TESTS_COMMA_LOCALE_H
#define RILL_TESTS_COMMA_LOCALE_H

#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/** Set the locale "de_DE", "tr_TR" (another case of i, too) or "ps_AF" (a decimal point of two bytes) for the
 * process. @param directory  where it is compiled */
static inline void comma_locale_set(const char *name, const char *directory)
{
    char command[512], full[64], shown[16];
    snprintf(full, sizeof full, "%s.UTF-8", name);
    snprintf(command, sizeof command, "localedef -i %s -f UTF-8 '%s/%s' >'%s/localedef.log' 2>&1", name,
             directory, full, directory);
    (void)!system(command); /* its exit code is 1 after warnings */
    setenv("LOCPATH", directory, 1);
    cr_assert_not_null(setlocale(LC_ALL, full), "there is no locale %s: install the package locales", full);
    snprintf(shown, sizeof shown, "%.1f", 0.5);
    cr_assert_str_neq(shown, "0.5", "the locale %s has a decimal point", full);
}

#endif
