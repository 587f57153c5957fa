/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of failures: prefixes, length, threads; the version. */
#include "core/status.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

Test(status, message_and_prefix)
{
    cr_assert_str_eq(rill_error_message(), "");
    cr_assert_eq(rill_fail(RILL_USAGE, "expected %d bytes", 8), RILL_USAGE);
    rill_fail_prefix("%s", "rock.raw");
    cr_assert_str_eq(rill_error_message(), "rock.raw: expected 8 bytes");
    rill_fail(RILL_SYSTEM, "again: %s", rill_error_message()); /* an argument inside the message */
    cr_assert_str_eq(rill_error_message(), "again: rock.raw: expected 8 bytes");
}

static void listen(void *context, rill_log_level level, const char *line)
{
    cr_assert_eq(level, RILL_LOG_DEBUG);
    snprintf(context, 256, "%s", line);
}

Test(status, where_a_failure_was_is_a_remark)
{
    char seen[256] = "", expected[256];
    rill_log_to(listen, seen);
    snprintf(expected, sizeof expected, "%s:%d: expected 8 bytes", __FILE__, __LINE__ + 1);
    cr_assert_eq(rill_fail(RILL_SYSTEM, "expected %d bytes", 8), RILL_SYSTEM);
    cr_assert_str_eq(seen, expected);
    cr_assert_str_eq(rill_error_message(), "expected 8 bytes");
    rill_log_to(NULL, NULL);
}

/* What names the file already is not told twice. */
Test(status, prefix_that_is_there)
{
    rill_fail(RILL_USAGE, "rock.raw has 8 bytes");
    rill_fail_prefix("%s", "rock.raw");
    cr_assert_str_eq(rill_error_message(), "rock.raw has 8 bytes");
    rill_fail_prefix("%s", "rock");
    cr_assert_str_eq(rill_error_message(), "rock: rock.raw has 8 bytes");
}

Test(status, long_messages_are_cut)
{
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    rill_fail(RILL_USAGE, "%s", text);
    cr_assert_eq(strlen(rill_error_message()), 1023);
    rill_fail_prefix("%s", "name");
    cr_assert_eq(strlen(rill_error_message()), 1023);
    cr_assert_eq(strncmp(rill_error_message(), "name: xxx", 9), 0);
    rill_fail_prefix("%s", text);
    cr_assert_eq(strlen(rill_error_message()), 1023);
}

static void *other_thread(void *seen)
{
    strcpy(seen, rill_error_message());
    rill_fail(RILL_USAGE, "of the other");
    return NULL;
}

Test(status, one_message_per_thread)
{
    pthread_t thread;
    char seen[1024] = "unset";
    rill_fail(RILL_USAGE, "of the first");
    cr_assert_eq(pthread_create(&thread, NULL, other_thread, seen), 0);
    pthread_join(thread, NULL);
    cr_assert_str_eq(seen, "");
    cr_assert_str_eq(rill_error_message(), "of the first");
}

Test(status, version)
{
    int major, minor, patch;
    cr_assert_eq(sscanf(rill_version(), "%d.%d.%d", &major, &minor, &patch), 3);
}
