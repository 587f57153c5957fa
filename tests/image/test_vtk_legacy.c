/* SPDX-License-Identifier: Apache-2.0 */
/* Legacy VTK images from bytes that the test puts together by itself, damaged and hostile ones too. What VTK
 * writes itself: test_vtk_images.c. */
#include "image_expect.h"

#include "geometry/image/file_names.h"

TestSuite(vtk_legacy, .init = files_start, .fini = files_end);

static const char head[] = "# vtk DataFile Version 3.0\na title\n%s\nDATASET STRUCTURED_POINTS\n"
                           "DIMENSIONS %s\nORIGIN 0 0 0\nSPACING 2 2 3\n%s\n";

static const struct {
    const char *name;
    rill_grey type;
} types[] = {{"unsigned_char", RILL_GREY_U8},   {"char", RILL_GREY_I8},
             {"unsigned_short", RILL_GREY_U16}, {"short", RILL_GREY_I16},
             {"unsigned_int", RILL_GREY_U32},   {"int", RILL_GREY_I32},
             {"unsigned_long", RILL_GREY_U64},  {"vtktypeint64", RILL_GREY_I64},
             {"float", RILL_GREY_F32},          {"double", RILL_GREY_F64}};

static void bytes_values(file_bytes *b, rill_grey type, bool ascii)
{
    if (!ascii) {
        bytes_image(b, type, true, size, forward);
        return;
    }
    for (uint32_t v = 0; v < 120; v++)
        bytes_print(b, "%.17g%c", files_value(type, v % 5, v / 5 % 6, v / 30), v % 7 == 6 ? '\n' : ' ');
    bytes_print(b, "\n");
}

static void write_scalars(const char *path, const char *name, rill_grey type, bool ascii, bool cells)
{
    static file_bytes b;
    b.size = 0;
    bytes_print(&b, head, ascii ? "ASCII" : "BINARY", cells ? "6 7 5" : "5 6 4",
                cells ? "CELL_DATA 120" : "POINT_DATA 120");
    bytes_print(&b, "SCALARS seg %s 1\nLOOKUP_TABLE default\n", name);
    bytes_values(&b, type, ascii);
    files_write(path, b.data, b.size);
}

Test(vtk_legacy, every_type)
{
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        for (int ascii = 0; ascii < 2; ascii++)
            for (int cells = 0; cells < 2; cells++) {
                write_scalars("a", types[k].name, types[k].type, ascii, cells); /* known by content alone */
                const rill_image seen = expect("a", types[k].type);
                cr_assert(!seen.metric && seen.spacing[0] == 2 && seen.spacing[2] == 3, "%g",
                          seen.spacing[0]);
                cr_assert(strstr(seen.kind, "legacy VTK") && strstr(seen.spacing_note, "no unit"), "%s",
                          seen.kind);
                cr_assert(strstr(seen.kind, ascii ? "ASCII" : "binary") &&
                          strstr(seen.kind, cells ? "cells" : "points"));
            }
}

Test(vtk_legacy, image_and_surface_are_told_apart)
{
    write_scalars("a.vtk", "short", RILL_GREY_I16, false, false);
    cr_assert(!rill_surface_named("a.vtk"));
    expect("a.vtk", RILL_GREY_I16);
    expect("a.vtk:/seg", RILL_GREY_I16);
    expect("a.vtk:/PointData/seg", RILL_GREY_I16);
    refuse("a.vtk:/CellData/seg", "no array \"CellData/seg\"", "PointData/seg");
    static const char *const others[] = {"RECTILINEAR_GRID", "STRUCTURED_GRID", "UNSTRUCTURED_GRID"};
    char text[128];
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        snprintf(text, sizeof text, "# vtk DataFile Version 3.0\nt\nASCII\nDATASET %s\nDIMENSIONS 2 2 2\n",
                 others[k]);
        files_write("b.vtk", text, strlen(text));
        cr_assert(!rill_surface_named("b.vtk"));
        refuse("b.vtk", others[k], "Resample To Image");
    }
    strcpy(text, "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 0 float\n");
    files_write("c.vtk", text, strlen(text));
    cr_assert(rill_surface_named("c.vtk") && rill_surface_named("none.vtk"));
    refuse("c.vtk", "surface (.vtk)", "");
    files_write("c", text, strlen(text));
    refuse("c", "POLYDATA", "surface");
}

/* The image stands between everything else that a file may hold. */
static void write_many(const char *path, bool ascii)
{
    static file_bytes b;
    const float reals[12] = {0};
    b.size = 0;
    bytes_print(&b, head, ascii ? "ascii" : "binary", "5 6 4", "FIELD FieldData 1\nTimeValue 1 1 double");
    ascii ? bytes_print(&b, "0.5\n") : bytes_add(&b, "\0\0\0\0\0\0\0\0\n", 9);
    bytes_print(&b, "METADATA\nINFORMATION 0\n\nPOINT_DATA 120\nVECTORS v float\n");
    for (int k = 0; k < 360; k++) ascii ? bytes_print(&b, "0 ") : bytes_add(&b, reals, 4);
    bytes_print(&b, "\nLOOKUP_TABLE colours 2\n");
    for (int k = 0; k < 8; k++) ascii ? bytes_print(&b, "0 ") : bytes_add(&b, "\n", 1);
    bytes_print(&b, "\nFIELD f 2\nthree%%20numbers 1 3 float\n");
    ascii ? bytes_print(&b, "1 2 3 ") : bytes_add(&b, reals, 12);
    bytes_print(&b, "\nMETADATA\nCOMPONENT_NAMES\nx\n\nmy%%20seg 1 120 unsigned_short\n");
    bytes_values(&b, RILL_GREY_U16, ascii);
    bytes_print(&b, "\nCOLOR_SCALARS rgb 3\n");
    for (int k = 0; k < 360; k++) ascii ? bytes_print(&b, "0.1 ") : bytes_add(&b, "\n", 1);
    bytes_print(&b, "\n");
    files_write(path, b.data, b.size);
}

Test(vtk_legacy, image_among_other_arrays)
{
    for (int ascii = 0; ascii < 2; ascii++) {
        write_many("a.vtk", ascii);
        expect("a.vtk", RILL_GREY_U16);
        expect("a.vtk:/my seg", RILL_GREY_U16);
        refuse("a.vtk:/v", "no array \"v\"", "my seg");
        survive_damage("a.vtk", 700);
    }
}

/* VTK writes bytes as colours, in a text as fractions of 255. */
Test(vtk_legacy, bytes_as_colours)
{
    static file_bytes b;
    for (int ascii = 0; ascii < 2; ascii++) {
        b.size = 0;
        bytes_print(&b, head, ascii ? "ASCII" : "BINARY", "5 6 4", "POINT_DATA 120\nCOLOR_SCALARS seg 1");
        for (int k = 1; k <= 120 && ascii; k++) bytes_print(&b, "%.6g ", k / 255.);
        if (!ascii) bytes_image(&b, RILL_GREY_U8, true, size, forward);
        files_write("a.vtk", b.data, b.size);
        expect("a.vtk", RILL_GREY_U8);
        if (!ascii) refuse_truncated("a.vtk");
    }
    b.size = 0;
    bytes_print(&b, head, "ASCII", "2 1 1", "POINT_DATA 2\nCOLOR_SCALARS seg 1\n0 1.5\n");
    files_write("a.vtk", b.data, b.size);
    refuse("a.vtk", "1.5", "not a number");
}

Test(vtk_legacy, damaged)
{
    for (int cells = 0; cells < 2; cells++) {
        write_scalars("a.vtk", "short", RILL_GREY_I16, false, cells);
        refuse_truncated("a.vtk");
        survive_damage("a.vtk", 1 << 16);
    }
    write_scalars("t.vtk", "int", RILL_GREY_I32, true, false);
    survive_damage("t.vtk", 400);
    static file_bytes whole;
    files_read("t.vtk", &whole);
    for (size_t length = whole.size - 10; length-- > 0;) { /* without the last number */
        cr_assert_eq(truncate("t.vtk", (off_t)length), 0);
        refuse("t.vtk", "", "");
    }
}

Test(vtk_legacy, refused)
{
    static const struct {
        const char *dimensions, *data, *word;
    } cases[] = {
        {"5 6", "POINT_DATA 30", "3 positive numbers"},
        {"5 6 0", "POINT_DATA 0", "5 6 0"},
        {"2000000000 2000000000 2", "POINT_DATA 8000000000000000000", "1e15"},
        {"99999999999 1 1", "POINT_DATA 99999999999", "2147483647"},
        {"5 6 4", "POINT_DATA 119", "make 120"},
        {"5 6 4", "CELL_DATA 120", "make 60"},
        {"5 6 4", "SCALARS a char 1", "not part"},
        {"5 6 4", "\033[31mforged", "?[31mforged"},
        {"5 6 4", "POINT_DATA 120\nSCALARS a char 1\nx", "no LOOKUP_TABLE"},
        {"5 6 4", "POINT_DATA 120\nSCALARS a string 1\nLOOKUP_TABLE default", "\"string\""},
        {"5 6 4", "POINT_DATA 120\nSCALARS a bit 1\nLOOKUP_TABLE default\n0123456789abcde",
         "no array of single numbers"},
        {"5 6 4", "POINT_DATA 120\nSCALARS a char 99999999999999999\nLOOKUP_TABLE default", "damaged"},
        {"5 6 4", "POINT_DATA 120\nFIELD f 18446744073709551615\na 1 18446744073709551615 char", "damaged"},
        {"5 6 4", "POINT_DATA 120\nFIELD f 1\na 1000000000 1000000000 double", "cut"},
        {"5 6 4", "POINT_DATA 120\nLOOKUP_TABLE a 18446744073709551615", "colours"},
        {"5 6 4", "POINT_DATA 120\nVECTORS a double\n0", "cut"},
        {"5 6 4", "POINT_DATA 120", "no array of single numbers"},
        {"1000 1000 1000000", "POINT_DATA 1000000000000\nSCALARS a double\nLOOKUP_TABLE default\n", "cut"},
    };
    static file_bytes b;
    setenv("RILL_MEMORY", "1MB", 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        b.size = 0;
        bytes_print(&b, head, "BINARY", cases[k].dimensions, cases[k].data);
        files_write("a.vtk", b.data, b.size);
        refuse("a.vtk", cases[k].word, "a.vtk");
    }
    unsetenv("RILL_MEMORY");
    files_write("a.vtk", head, 30);
    refuse("a.vtk", "surface", ""); /* without a dataset its name decides */
    b.size = 0;
    bytes_print(&b, "# vtk DataFile Version 3.0\nt\nTEXT\nDATASET STRUCTURED_POINTS\n");
    files_write("a.vtk", b.data, b.size);
    refuse("a.vtk", "ASCII or BINARY", "text");
}
