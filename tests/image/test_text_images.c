/* SPDX-License-Identifier: Apache-2.0 */
/* Images as texts of numbers: layouts, separators, types, what is refused. */
#include "image_expect.h"

TestSuite(text_images, .init = files_start, .fini = files_end);

/* Write the test image. @param between  of numbers, of rows, of slices */
static void write_text(const char *path, rill_grey type, const char *format, const char *const between[3])
{
    static file_bytes b;
    b.size = 0;
    for (uint32_t v = 0; v < 120; v++) {
        bytes_print(&b, format, files_value(type, v % 5, v / 5 % 6, v / 30));
        bytes_print(&b, "%s", v % 30 == 29 ? between[2] : v % 5 == 4 ? between[1] : between[0]);
    }
    files_write(path, b.data, b.size);
}

Test(text_images, layouts)
{
    static const char *const layouts[][3] = {
        {" ", "\n", "\n\n"},       {"\t", "\t\n", "\n\n\n"},
        {",", "\n", "\n\n"},       {", ", ",\n", "\n\n"},
        {";", "\r\n", "\r\n\r\n"}, {"  ", " \n  ", "\n# a slice\n"},
        {" ", "\r", "\r\r"},       {" ", " # end of a row\n", "\n \t\n"}};
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
        write_text("a", RILL_GREY_U8, "%g", layouts[k]); /* known by content alone */
        const rill_image seen = expect("a", RILL_GREY_U8);
        cr_assert(strstr(seen.kind, "text, 120 numbers"), "%s", seen.kind);
    }
    write_text("a.txt", RILL_GREY_U8, "%.18e", layouts[0]); /* as numpy.savetxt writes integers */
    expect("a.txt", RILL_GREY_U8);
    write_text("a.txt", RILL_GREY_U8, "%+03.0f", layouts[0]);
    expect("a.txt", RILL_GREY_U8);
}

Test(text_images, types)
{
    static const char *const layout[3] = {" ", "\n", "\n\n"};
    static const struct {
        rill_grey written, read;
        const char *format;
    } types[] = {{RILL_GREY_U16, RILL_GREY_U16, "%.0f"}, {RILL_GREY_I16, RILL_GREY_I16, "%.0f"},
                 {RILL_GREY_I32, RILL_GREY_I32, "%.0f"}, {RILL_GREY_I64, RILL_GREY_I64, "%.0f"},
                 {RILL_GREY_U64, RILL_GREY_I64, NULL},   {RILL_GREY_F64, RILL_GREY_F64, "%.17g"}};
    rill_image_options options = rill_image_options_default();
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        if (!types[k].format) continue;
        write_text("a.txt", types[k].written, types[k].format, layout);
        expect("a.txt", types[k].read);
    }
    write_text("a.txt", RILL_GREY_U8, "%g", layout);
    options.type = RILL_GREY_U8;
    expect_with("a.txt", &options, RILL_GREY_U8);
    write_text("a.txt", RILL_GREY_F32, "%g", layout);
    options.type = RILL_GREY_F32;
    expect_with("a.txt", &options, RILL_GREY_F32);
    refuse_with("a.txt", &(rill_image_options){.type = RILL_GREY_U8, .big_endian = -1},
                "not a value of type u8", "line 1");
    refuse_with("a.txt", &(rill_image_options){.type = RILL_GREY_F16, .big_endian = -1}, "--type", "");
    refuse_with("a.txt", &(rill_image_options){.type = -1, .big_endian = 1}, "leave out", "text");
    /* Exact up to the last digit of 64 bits, which a double does not hold. */
    files_write("b.txt", "18446744073709551615 1\n-9223372036854775808 9223372036854775807\n", 64);
    refuse_with("b.txt", &(rill_image_options){.type = RILL_GREY_I64, .big_endian = -1},
                "18446744073709551615", "i64");
    files_write("b.txt", "-9223372036854775808 1\n2 9223372036854775807\n", 45);
    rill_image *image = NULL;
    int64_t grey[4];
    options.type = RILL_GREY_I64;
    cr_assert_eq(rill_image_open("b.txt", &options, &image), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_image_read(image, 0, grey), RILL_OK, "%s", rill_error_message());
    cr_assert(grey[0] == INT64_MIN && grey[3] == INT64_MAX);
    rill_image_close(image);
}

Test(text_images, sizes)
{
    static const char *const list[3] = {"\n", "\n", "\n"}, *const line[3] = {" ", " ", " "},
                             *const wrapped[3] = {" ", " ", "\n"};
    const rill_image_options given = {.n = {5, 6, 4}, .type = -1, .big_endian = -1};
    const char *const *const layouts[] = {list, line, wrapped};
    for (size_t k = 0; k < 3; k++) {
        write_text("a.txt", RILL_GREY_U8, "%g", layouts[k]);
        expect_with("a.txt", &given, RILL_GREY_U8);
        write_text("rock_5x6x4_2um.dat", RILL_GREY_U8, "%g", layouts[k]);
        const rill_image seen = expect("rock_5x6x4_2um.dat", RILL_GREY_U8);
        cr_assert(seen.metric && fabs(seen.spacing[0] - 2e-6) < 1e-15);
        if (k < 2) refuse("a.txt", "list of 120 numbers", "--size");
    }
    refuse_with("a.txt", &(rill_image_options){.n = {5, 6, 5}, .type = -1, .big_endian = -1}, "120 numbers",
                "150");
    refuse("rock_5x6x4_2um.dat:/a", "no arrays", "text");
    files_write("rock_5x6x5.dat", "1 2\n3 4\n", 8);
    refuse("rock_5x6x5.dat", "4 numbers", "5 x 6 x 5");
    files_write("c.txt", "1 2 3\n4 5\n", 10);
    refuse("c.txt", "row 2 has another length", "--size");
    files_write("c.txt", "1 2\n3 4\n\n5 6\n", 13);
    refuse("c.txt", "slice 2 has another length", "--size");
    /* One slice. */
    rill_image *image = NULL;
    files_write("d.csv", "1,2,3\n4,5,6\n", 12);
    const rill_image_options options = rill_image_options_default();
    cr_assert_eq(rill_image_open("d.csv", &options, &image), RILL_OK, "%s", rill_error_message());
    cr_assert(image->n[0] == 3 && image->n[1] == 2 && image->n[2] == 1);
    rill_image_close(image);
}

Test(text_images, refused)
{
    static const struct {
        const char *text, *word, *other;
    } cases[] = {{"1 2\n3 x\n", "more than numbers", "text"},
                 {"1 2\n3 nan\n", "more than numbers", "text"},
                 {"0,5 0,7\n1,5 2,5\n", "separators", "line 1"}, /* decimal commas */
                 {"1,5;2,5\n1,5;2,5\n", "separators", ""},
                 {"1,,2\n3,4,5\n", "separators", ""},
                 {",1,2\n3,4\n", "separators", ""},
                 {"1 2\n3 4-5\n", "4-5", "line 2"},
                 {"1 2\n3 1e999\n", "1e999", "line 2"},
                 {"1 2\n3 --4\n", "--4", ""},
                 {"1 2\n3 e\n", "\"e\"", ""},
                 {"1 2\n3 .\n", "\".\"", ""},
                 {"{\"a\": 1}\n", "more than numbers", ""},
                 {"<?xml version=\"1.0\"?>\n<Xdmf/>\n", "XML", ""},
                 {"# nothing\n", "more than numbers", ""}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        files_write("a.txt", cases[k].text, strlen(cases[k].text));
        refuse("a.txt", cases[k].word, cases[k].other);
    }
    char longest[100];
    memset(longest, '1', sizeof longest);
    memcpy(longest, "1 2\n", 4);
    files_write("a.txt", longest, sizeof longest);
    refuse("a.txt", "more than 63 letters", "line 2");
    files_write("a.txt", "1 2\n3 4\n", 8);
    files_poke("a.txt", 6, 0x1b);
    rill_image_options text = rill_image_options_default();
    text.format = RILL_IMAGE_TEXT;
    refuse_with("a.txt", &text, "byte 0x1b", "line 2");
    /* A raw file may hold the codes of digits and blanks. */
    files_write("a_2x2x2.raw", "1 2\n3 4\n", 8);
    rill_image *image = NULL;
    const rill_image_options options = rill_image_options_default();
    cr_assert_eq(rill_image_open("a_2x2x2.raw", &options, &image), RILL_OK, "%s", rill_error_message());
    cr_assert(image->format == RILL_IMAGE_RAW && image->type == RILL_GREY_U8);
    rill_image_close(image);
}

Test(text_images, damaged)
{
    static const char *const layout[3] = {" ", "\n", "\n\n"};
    write_text("a.txt", RILL_GREY_U16, "%g", layout);
    survive_damage("a.txt", 200);
    static file_bytes whole;
    files_read("a.txt", &whole);
    for (size_t length = whole.size - 8; length-- > 500;) { /* without the last row, it has fewer rows */
        cr_assert_eq(truncate("a.txt", (off_t)length), 0);
        rill_image *image = NULL;
        const rill_image_options options = {.n = {5, 6, 4}, .type = -1, .big_endian = -1};
        cr_assert_eq(rill_image_open("a.txt", &options, &image), RILL_USAGE);
        cr_assert(strstr(rill_error_message(), "numbers"), "%s", rill_error_message());
    }
}

/* NRRD and MetaImage with ASCII data, in their own file and in another. */
Test(text_images, behind_headers)
{
    static const char *const layout[3] = {" ", "\n", "\n"};
    static file_bytes b, values;
    for (int detached = 0; detached < 2; detached++) {
        write_text("data.txt", RILL_GREY_U16, "%g", layout);
        files_read("data.txt", &values);
        b.size = 0;
        bytes_print(&b, "NRRD0004\ntype: uint16\ndimension: 3\nsizes: 5 6 4\nencoding: ASCII\n%s\n",
                    detached ? "data file: data.txt\n" : "");
        if (!detached) bytes_add(&b, values.data, values.size);
        files_write("a.nrrd", b.data, b.size);
        rill_image seen = expect("a.nrrd", RILL_GREY_U16);
        cr_assert(strstr(seen.kind, "NRRD, ASCII") && !strstr(seen.kind, "endian"), "%s", seen.kind);
        b.size = 0;
        bytes_print(
            &b,
            "NDims = 3\nDimSize = 5 6 4\nElementType = MET_USHORT\nBinaryData = False\nElementDataFile = %s\n",
            detached ? "data.txt" : "LOCAL");
        if (!detached) bytes_add(&b, values.data, values.size);
        files_write("a.mhd", b.data, b.size);
        seen = expect("a.mhd", RILL_GREY_U16);
        cr_assert(strstr(seen.kind, "ASCII"), "%s", seen.kind);
        survive_damage("a.mhd", 150);
        if (detached)
            files_write("data.txt", values.data, values.size - 7);
        else
            files_write("a.mhd", b.data, b.size - 7);
        refuse("a.mhd", "is cut", "ends after");
    }
    files_write("data.txt", "1 2 70000 ", 10);
    refuse("a.mhd", "70000", "u16");
}
