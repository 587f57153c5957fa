/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_notes.c
 * Notes: sentences are kept once each, in order, without control characters, and travel with geometries.
 */
#include "core/notes.h"
#include "io/geom_file.h"
#include "io_test.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Numbers do not count, words do. */
Test(notes, alike_but_for_numbers)
{
    const char *const note = "along x up to 1.45 % of 2e-05";
    static const char *const others[] = {"along x up to 12 % of 0.3", "along x up to 1.45 % of 2e-05",
                                         "along z up to 1.45 % of 2e-05", "along x up to 1.45 % of 2e-05 m",
                                         "along x up to % of 2e-05"};
    for (int i = 0; i < 5; i++)
        cr_assert_eq(rill_notes_have_alike(note, others[i], strlen(others[i])), i < 2, "%s", others[i]);
}

Test(notes, are_added_once_each_in_order)
{
    char *notes = NULL;
    cr_assert_eq(rill_notes_add(&notes, NULL), RILL_OK);
    cr_assert_eq(rill_notes_add(&notes, ""), RILL_OK);
    cr_assert_null(notes);
    cr_assert_eq(rill_notes_add(&notes, "one\ntwo\n\none\n"), RILL_OK);
    cr_assert_eq(rill_note(&notes, "the value %d\nof %s", 3, "three"), RILL_OK);
    cr_assert_eq(rill_notes_add(&notes, "two"), RILL_OK);
    cr_assert_str_eq(notes, "one\ntwo\nthe value 3 of three");
    free(notes);
}

Test(notes, have_no_control_characters)
{
    char *notes = NULL;
    cr_assert_eq(rill_notes_add(&notes, "red \x1b[31m\ttext\r\x7f µm"), RILL_OK);
    cr_assert_str_eq(notes, "red ?[31m text?? µm");
    free(notes);
}

Test(notes, are_read_one_by_one)
{
    const char *rest = "\none\n\ntwo";
    size_t length;
    const char *at = rill_notes_next(&rest, &length);
    cr_assert(at && length == 3 && strncmp(at, "one", 3) == 0);
    at = rill_notes_next(&rest, &length);
    cr_assert(at && length == 3 && strncmp(at, "two", 3) == 0);
    cr_assert_null(rill_notes_next(&rest, &length));
    rest = NULL;
    cr_assert_null(rill_notes_next(&rest, &length));
}

Test(notes, that_do_not_fit_are_counted)
{
    char text[64];
    rill_notes_copy("a short note\nanother note of more than these bytes\nthe third", text, sizeof text);
    cr_assert_str_eq(text, "a short note\n2 more notes");
    rill_notes_copy("a short note", text, sizeof text);
    cr_assert_str_eq(text, "a short note");
    rill_notes_copy(NULL, text, sizeof text);
    cr_assert_str_eq(text, "");
}

Test(notes, travel_with_a_geometry, .init = io_test_start, .fini = io_test_end)
{
    rill_geom *geom, *copy, *read;
    cr_assert_eq(rill_geom_create((const uint32_t[3]){4, 4, 4}, &geom), RILL_OK);
    cr_assert_eq(rill_notes_add(&geom->notes, "one\ntwo"), RILL_OK);
    cr_assert_eq(rill_geom_copy(geom, &copy), RILL_OK);
    cr_assert_str_eq(copy->notes, "one\ntwo");
    cr_assert_eq(rill_geom_write(geom, io_test_path("a.geom.h5"), NULL), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_geom_read(io_test_path("a.geom.h5"), &read), RILL_OK, "%s", rill_error_message());
    cr_assert_str_eq(read->notes, "one\ntwo");
    rill_geom_destroy(geom);
    rill_geom_destroy(copy);
    rill_geom_destroy(read);
}
