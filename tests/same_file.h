/* SPDX-License-Identifier: Apache-2.0 */
/* Expect two files of less than 4 MiB to have the same bytes. */
#ifndef SAME_FILE_H
#define SAME_FILE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static inline void expect_same_file(const char *left, const char *right)
{
    static char a[1 << 22], b[1 << 22];
    FILE *files[2] = {fopen(left, "rb"), fopen(right, "rb")};
    cr_assert(files[0] && files[1], "%s, %s", left, right);
    const size_t size = fread(a, 1, sizeof a, files[0]);
    cr_assert(size > 0 && size < sizeof a);
    cr_assert_eq(fread(b, 1, sizeof b, files[1]), size);
    cr_expect(memcmp(a, b, size) == 0, "%s and %s differ", left, right);
    for (int k = 0; k < 2; k++) fclose(files[k]);
}

#endif
