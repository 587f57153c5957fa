/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file message.h
 * What refusals say.
 */
#ifndef RILL_TESTS_MESSAGE_H
#define RILL_TESTS_MESSAGE_H

#include "rill.h"

#include <criterion/criterion.h>
#include <string.h>

/** Expect that the last message is one line and says something. */
static inline void expect_message(const char *part)
{
    const char *message = rill_error_message();
    cr_expect_not_null(strstr(message, part), "\"%s\" does not say \"%s\"", message, part);
    cr_expect_null(strchr(message, '\n'), "more than one line: %s", message);
}

#endif
