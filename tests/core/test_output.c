/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are printed into memory. */
#include "core/output.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* A stream that failed once and can be closed, as one of open_memstream() that could not grow. */
Test(output, a_text_that_is_cut_is_no_whole_text)
{
    FILE *full = fopen("/dev/full", "w");
    cr_assert(full);
    setvbuf(full, NULL, _IONBF, 0);
    cr_assert_lt(fputs("text", full), 0);
    char some[] = "te", *text = some;
    cr_assert(!rill_output_text_end(full, &text));
}

/* glibc closes such a stream without a failure where there is no memory for the text, and leaves none. */
Test(output, a_text_that_is_not_there_is_no_whole_text)
{
    FILE *out = fopen("/dev/null", "w");
    cr_assert(out);
    char *text = NULL;
    cr_assert(!rill_output_text_end(out, &text));
}

Test(output, a_whole_text_is_one)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    cr_assert(out && fputs("text", out) >= 0);
    cr_assert(rill_output_text_end(out, &text));
    cr_assert_str_eq(text, "text");
    free(text);
}
