/* SPDX-License-Identifier: Apache-2.0 */
/* Files of single steps: names, and where a run stops for them. */
#include "io/step_run.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(step_files, names)
{
    static const char *const cases[][3] = {{"drop.h5", "", "drop.500.vtkhdf"},
                                           {"a.h5/c.h5", ".membrane", "a.h5/c.500.membrane.vtkhdf"},
                                           {"drop", "", "drop.500.vtkhdf"},
                                           {".h5", "", ".h5.500.vtkhdf"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *name = rill_step_file_name(cases[k][0], 500, cases[k][1]);
        cr_expect_str_eq(name, cases[k][2]);
        free(name);
    }
}

/* Rows every 10 and files every 4 steps of 23. */
Test(step_files, stops)
{
    static const uint64_t wanted[] = {4, 8, 10, 12, 16, 20, 23};
    const rill_step_plan plan = {.steps = 23, .row = 10, .every = 4};
    uint64_t made = 0;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        made += rill_step_plan_next(&plan, made);
        cr_expect_eq(made, wanted[k]);
        cr_expect_eq(rill_step_plan_writes(&plan, made), made % 4 == 0);
    }
    cr_expect_eq(rill_step_plan_next(&plan, made), 0);
    const rill_step_plan none = {.steps = 23, .row = 10};
    cr_expect_eq(rill_step_plan_next(&none, 0), 10);
    cr_expect_not(rill_step_plan_writes(&none, 0));
}
