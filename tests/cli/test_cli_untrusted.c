/* SPDX-License-Identifier: Apache-2.0 */
/* Files that were made to harm: what they hold is refused, or printed so that it does nothing. */
#include "cli_test.h"
#include "core/csv.h"
#include "core/output.h"
#include "core/printable.h"
#include "io/xmf.h"

#include <hdf5_hl.h>
#include <jansson.h>
#include <math.h>
#include <sys/stat.h>

TestSuite(untrusted, .init = cli_test_start, .fini = cli_test_end);

/* An HDF5 file that says which format of rill it has, in which version; 0: it does not say. */
static hid_t begin_version(const char *path, const char *format, int version)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    cr_assert(file >= 0 && H5LTset_attribute_string(file, "/", "format", format) >= 0);
    if (version) cr_assert_geq(H5LTset_attribute_int(file, "/", "format_version", &version, 1), 0);
    return file;
}

static hid_t begin(const char *path, const char *format) { return begin_version(path, format, 1); }

static hid_t group(hid_t file, const char *name)
{
    const hid_t id = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    cr_assert_geq(id, 0);
    return id;
}

/* A wall file whose number of cells is `count` numbers; 0: none. */
static void wall(const char *path, const char *format, hsize_t count)
{
    uint64_t cells[4096];
    memset(cells, 'A', sizeof cells);
    const hid_t file = begin(path, format), vtk = group(file, "VTKHDF"), data = group(vtk, "CellData"),
                space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_NULL),
                set = H5Dcreate2(vtk, "NumberOfCells", H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT,
                                 H5P_DEFAULT);
    if (count) cr_assert_geq(H5Dwrite(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells), 0);
    H5Dclose(set), H5Sclose(space), H5Gclose(data), H5Gclose(vtk);
    H5Gclose(group(file, "provenance")), H5Fclose(file);
}

/* Every reader asks for the version before anything else. */
Test(untrusted, formats_without_their_version)
{
    static const char *const formats[] = {"geometry", "cells", "fields", "wall", "result", "checkpoint"};
    for (int version = 0; version < 3; version += 2)
        for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
            char path[64], format[64];
            snprintf(path, sizeof path, "%s%d.h5", formats[k], version);
            snprintf(format, sizeof format, "rill-%s", formats[k]);
            H5Fclose(begin_version(path, format, version));
            const char *says = version ? "format version is 2, this rill reads 1: update rill"
                                       : "/ has no attribute format_version: it is damaged";
            cli_test_fails(1, says, "info", path);
            rill_file *file = NULL;
            cr_expect_eq(rill_file_open(path, &file), RILL_USAGE, "%s", path);
            cr_expect(!file && strstr(rill_error_message(), says), "%s", rill_error_message());
            if (strcmp(formats[k], "geometry") == 0) {
                cli_test_fails(1, says, "permeability", path);
                cli_test_fails(1, says, "export", path, "-o", "a.png");
            }
            if (strcmp(formats[k], "fields") == 0) {
                cli_test_fails(1, says, "export", path, "-o", "a.png");
                cli_test_fails(1, says, "dispersion", path, "--peclet", "1");
                cli_test_fails(1, says, "export", path, "-o", "a.vtkhdf");
                cr_expect_eq(rill_xmf_write(&(rill_xmf_moment){.path = path}, 1, "a.xmf"), RILL_USAGE);
                cr_expect_not_null(strstr(rill_error_message(), says), "%s", rill_error_message());
            }
            if (strcmp(formats[k], "wall") == 0) cli_test_fails(1, says, "export", path, "-o", "a.png");
        }
}

/* A field file of one node, or one voxel, whose box is said to be large: what a picture or a flow of it takes
 * is compared with what the file holds. */
Test(untrusted, boxes_larger_than_their_fields)
{
    const hsize_t one[4] = {1, 1, 1, 3}, row[2] = {1, 3};
    const float u[3] = {0, 0, 1};
    const uint64_t cell = 0;
    const unsigned char voxel = 1;
    const double origin[3] = {0, 0, 0};
    for (int sparse = 0; sparse < 2; sparse++) {
        const long size[3] = {60000, 60000, 60000};
        const hid_t file = begin("a.vtkhdf", "rill-fields"), vtk = group(file, "VTKHDF");
        cr_assert_geq(H5LTset_attribute_long(file, "/", "size", size, 3), 0);
        cr_assert_geq(H5LTset_attribute_double(file, "/", "origin", origin, 3), 0);
        cr_assert_geq(H5LTset_attribute_string(file, "/", "sides", "wall wall wall"), 0);
        if (sparse) {
            const hid_t nodes = group(file, "nodes"), data = group(vtk, "CellData");
            cr_assert_geq(H5LTmake_dataset(nodes, "cell", 1, one, H5T_NATIVE_UINT64, &cell), 0);
            cr_assert_geq(H5LTmake_dataset(data, "velocity", 2, row, H5T_NATIVE_FLOAT, u), 0);
            H5Gclose(nodes), H5Gclose(data);
        } else {
            const hid_t data = group(vtk, "PointData");
            cr_assert_geq(H5LTmake_dataset(data, "voxels", 3, one, H5T_NATIVE_UCHAR, &voxel), 0);
            cr_assert_geq(H5LTmake_dataset(data, "velocity", 4, one, H5T_NATIVE_FLOAT, u), 0);
            H5Gclose(data);
        }
        H5Gclose(vtk), H5Fclose(file);
        cli_test_fails(1,
                       sparse ? "its box of 60000 x 60000 x 60000 voxels has 1 nodes"
                              : "velocity has another shape than the file says",
                       "export", "a.vtkhdf", "-o", "a.png");
        if (!sparse)
            cli_test_fails(1, "voxels has another shape than the file says", "dispersion", "a.vtkhdf",
                           "--peclet", "1");
    }
}

/* One number is expected: more would be written over the stack, none would leave what is on it. */
Test(untrusted, numbers_of_cells)
{
    wall("many.h5", "rill-wall", 4096);
    cli_test_fails(1, "4096 elements along axis 0, not 1", "info", "many.h5");
    wall("none.h5", "rill-wall", 0);
    cli_test_fails(1, "/VTKHDF/NumberOfCells holds no values", "info", "none.h5");
    for (int k = 0; k < 2; k++) {
        wall("a.vtkhdf", k ? "rill-fields" : "rill-wall", k ? 4096 : 0);
        cr_expect_eq(rill_xmf_write(&(rill_xmf_moment){.path = "a.vtkhdf"}, 1, "a.xmf"), RILL_USAGE);
        cr_expect_not_null(strstr(rill_error_message(), "NumberOfCells"), "%s", rill_error_message());
        cr_expect_neq(access("a.xmf", F_OK), 0);
    }
}

/* "format" of images is one text: more would be written over the stack. */
Test(untrusted, formats_of_images)
{
    static unsigned char im[8 * 8 * 8];
    static char texts[4096 * 7];
    const hsize_t n[3] = {8, 8, 8}, count = 4096;
    memset(texts, 'A', sizeof texts);
    const hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1),
                space = H5Screate_simple(1, &count, NULL);
    H5Tset_size(type, 7);
    const hid_t attribute = H5Acreate2(file, "format", type, space, H5P_DEFAULT, H5P_DEFAULT);
    cr_assert_geq(H5Awrite(attribute, type, texts), 0);
    for (int k = 0; k < 512; k++) im[k] = k % 2;
    cr_assert_geq(H5LTmake_dataset(file, "im", 3, n, H5T_STD_U8LE, im), 0);
    H5Aclose(attribute), H5Sclose(space), H5Tclose(type), H5Fclose(file);
    cli_test_fails(1, "format of / is not one text", "info", "a.h5");
    const cli_result r =
        cli_test_run("voxelize", "a.h5", "--pore", "1", "--voxel-size", "1um", "-o", "a.geom.h5");
    cr_assert_eq(r.code, 0, "%d, %s", r.code, r.err);
}

Test(untrusted, names_and_units_that_are_no_text)
{
    hid_t file = begin("name.h5", "rill-result");
    H5Gclose(group(file, "\xff")), H5Fclose(file);
    cli_result r = cli_test_run("info", "name.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "\n  \\xff "), "%s", r.out);
    file = begin("unit.h5", "rill-result");
    H5Gclose(group(file, "g"));
    cr_assert(H5LTset_attribute_double(file, "g", "value", (const double[]){1}, 1) >= 0 &&
              H5LTset_attribute_int(file, "g", "unit", (const int[]){2}, 1) >= 0);
    H5Fclose(file);
    r = cli_test_run("info", "unit.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "  g                           1\n"), "%s", r.out);
}

/* No byte of a text may move the cursor, begin a row or change the direction of writing. */
static void expect_plain(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        cr_expect(*c >= ' ' || *c == '\n', "byte %u", *c);
        cr_expect_neq(*c, 0x7f);
        cr_expect_not(*c == 0xc2 && c[1] < 0xa0, "a C1 control character");
        cr_expect_not(*c == 0xe2 && c[1] == 0x80 && c[2] == 0xae, "a bidirectional override");
    }
}

#define EVIL "x\n  checksum                    good\r\x1b[31m\x7f\xc2\x9b\xe2\x80\xae"

Test(untrusted, control_characters_are_spelled_out)
{
    const hid_t file = begin("a\x1b[2J.h5", "rill-result");
    H5Gclose(group(file, "n\n  checksum                    good"));
    H5Gclose(group(file, "g"));
    cr_assert(H5LTset_attribute_string(file, "g", "source", EVIL) >= 0);
    H5Fclose(file);
    cli_result r = cli_test_run("info", "a\x1b[2J.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    expect_plain(r.out);
    cr_expect_null(strstr(r.out, "\n  checksum"), "%s", r.out);
    cr_expect_not_null(strstr(r.out, "a\\u{1b}[2J.h5"), "%s", r.out);
    cr_expect_not_null(strstr(r.out, "good\\u{d}\\u{1b}[31m\\u{7f}\\u{9b}\\u{202e}\n"), "%s", r.out);
    r = cli_test_run("info", "a\x1b[2J.h5", "--json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    expect_plain(r.out);
    json_t *json = json_loads(r.out, 0, NULL);
    cr_assert(json, "%s", r.out);
    cr_expect_str_eq(json_string_value(json_object_get(json_object_get(json, "g"), "source")), EVIL);
    json_decref(json);
    r = cli_test_run("info", "no\x1b[2J\nrill: all is well.h5");
    cr_expect_eq(r.code, 1);
    expect_plain(r.err);
    cr_expect_eq(strchr(r.err, '\n'), r.err + strlen(r.err) - 1, "%s", r.err);
    r = cli_test_run("n\x1b[2J");
    expect_plain(r.err);
}

/* Letters of all languages stay; what is not UTF-8, also by its length or as half of a pair, is escaped.
 */
Test(untrusted, other_characters_stay)
{
    static const char *const pairs[][2] = {{"1.5 µm² · φ → 𝑘, Größe, 北京", "1.5 µm² · φ → 𝑘, Größe, 北京"},
                                           {"\xc0\xaf \xed\xa0\x80 \xf5\x80\x80\x80 \xe2\x82",
                                            "\\xc0\\xaf \\xed\\xa0\\x80 \\xf5\\x80\\x80\\x80 \\xe2\\x82"},
                                           {"\t\xe2\x81\xa6\xd8\x9c", "\\u{9}\\u{2066}\\u{61c}"}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        char *plain = rill_printable(pairs[k][0]), cut[6];
        cr_expect_str_eq(plain, pairs[k][1]);
        free(plain);
        rill_printable_into(cut, sizeof cut, "abc\x1b");
        cr_expect_str_eq(cut, "abc", "nothing is cut in the middle");
    }
}

/* A note has any length: in a buffer of a fixed one, more was lost, and its end was not there. */
Test(untrusted, long_notes)
{
    char note[2000] = "a note ";
    memset(note + 7, 'x', sizeof note - 10);
    strcpy(note + sizeof note - 4, "end");
    const hid_t file = begin("a.h5", "rill-result");
    H5Gclose(group(file, "g"));
    cr_assert_geq(H5LTset_attribute_string(file, "g", "notes", note), 0);
    H5Fclose(file);
    const cli_result r = cli_test_run("info", "a.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, note), "%s", r.out);
}

/* Spreadsheets compute what begins with these characters. Numbers stay numbers, and every text reads back. */
Test(untrusted, cells_are_no_formulas)
{
    static const char *const pairs[][2] = {{"=1+1", "'=1+1"},
                                           {"-x.raw", "'-x.raw"},
                                           {"@SUM(A1)", "'@SUM(A1)"},
                                           {"+a,b", "\"'+a,b\""},
                                           {"\t=1", "'\t=1"},
                                           {"\r=1", "\"'\r=1\""},
                                           {"'=1", "''=1"},
                                           {"-1.5e-12", "-1.5e-12"},
                                           {"+4", "+4"},
                                           {"-inf", "-inf"},
                                           {"'-4", "'-4"},
                                           {"'a'", "'a'"},
                                           {"a=b", "a=b"},
                                           {"-1+cmd|' /C x'!A0", "'-1+cmd|' /C x'!A0"},
                                           {"", ""}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        rill_csv_text(out, pairs[k][0]);
        fclose(out);
        cr_expect_str_eq(text, pairs[k][1]);
        if (text[0] == '"') text[size - 1] = '\0';
        cr_expect_str_eq(rill_csv_plain(text + (text[0] == '"')), pairs[k][0]);
        free(text);
    }
}

/* What --resume reads is the name that was given, and the row is not computed again. */
Test(untrusted, a_table_of_a_file_that_is_named_as_a_formula)
{
    static unsigned char im[4096];
    for (int k = 0; k < 4096; k++) im[k] = k % 16 < 4;
    FILE *file = fopen("=1+1-16x16x16-u8.raw", "wb");
    cr_assert(file && fwrite(im, 1, sizeof im, file) == sizeof im && fclose(file) == 0);
    for (int k = 0; k < 2; k++) {
        const cli_result r =
            cli_test_run("permeability", "=1+1-16x16x16-u8.raw", "--pore", "0", "--voxel-size", "1um",
                         "--axis", "y", "--backend", "cpu", "--csv", "k.csv", k ? "--resume" : "--quiet");
        cr_assert_eq(r.code, 0, "%s", r.err);
        if (k) cr_expect_not_null(strstr(r.out, "from the table              1\n"), "%s", r.out);
        char text[4096];
        file = fopen("k.csv", "r");
        cr_assert(file && fgets(text, sizeof text, file) && fgets(text, sizeof text, file));
        cr_expect_eq(strncmp(text, "'=1+1-16x16x16-u8.raw,whole,", 28), 0, "%s", text);
        cr_expect_null(fgets(text, sizeof text, file), "one row: %s", text);
        fclose(file);
    }
}

/* A file that only its owner may read stays so when it is written again, and while it is. */
Test(untrusted, the_mode_of_a_file_stays)
{
    static const mode_t modes[] = {0600, 0640, 0666, 0400};
    struct stat info;
    umask(022);
    cr_assert_eq(rill_output_write("a.json", "1", 1), RILL_OK);
    cr_assert(stat("a.json", &info) == 0 && (info.st_mode & 07777) == 0644);
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
        rill_output *output = NULL;
        cr_assert_eq(chmod("a.json", modes[k]), 0);
        cr_assert_eq(rill_output_create("a.json", &output), RILL_OK);
        cr_expect(fstat(rill_output_descriptor(output), &info) == 0 && (info.st_mode & 07777) == 0600);
        cr_assert_eq(rill_output_commit(output), RILL_OK, "%s", rill_error_message());
        rill_output_destroy(output);
        cr_expect(stat("a.json", &info) == 0 && (info.st_mode & 07777) == modes[k], "%o", info.st_mode);
    }
}

/* Put a value where a dataset has the first one that is not zero: in a pore. */
static void spoil(const char *path, const char *dataset, float value)
{
    static float values[1 << 16];
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, dataset, H5P_DEFAULT),
                space = H5Dget_space(set);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    hssize_t k = 0;
    cr_assert(count > 0 && count <= 1 << 16);
    cr_assert_geq(H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    while (k < count - 1 && values[k] == 0) k++;
    values[k] = value;
    cr_assert_geq(H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    H5Sclose(space), H5Dclose(set), H5Fclose(file);
}

/* A number that is none is neither drawn, as if it were solid, nor written, nor computed with. */
Test(untrusted, fields_that_are_not_finite)
{
    static const float wrong[] = {NAN, INFINITY, -INFINITY};
    cli_result r = cli_test_run("generate", "spheres", "--cells", "8", "-o", "s.geom.h5", "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    for (size_t k = 0; k < 3; k++) {
        for (int sparse = 0; sparse < 2; sparse++) {
            const char *data = sparse ? "/VTKHDF/CellData/" : "/VTKHDF/PointData/";
            char name[80];
            r = cli_test_run("permeability", "s.geom.h5", "--fields", sparse ? "sparse" : "image", "-o",
                             "k.h5", "-q", "--overwrite");
            cr_assert_eq(r.code, 0, "%s", r.err);
            snprintf(name, sizeof name, "%spressure", data);
            spoil("k.vtkhdf", name, wrong[k]);
            cli_test_fails(1, "pressure is", "export", "k.vtkhdf", "--slice", "z=0", "--field", "pressure",
                           "-o", "k.png");
            snprintf(name, sizeof name, "%svelocity", data);
            spoil("k.vtkhdf", name, wrong[k]);
            cli_test_fails(1, "velocity is", "export", "k.vtkhdf", "--slice", "z=0", "-o", "k.png");
            cr_expect_neq(access("k.png", F_OK), 0);
        }
        r = cli_test_run("permeability", "s.geom.h5", "--fields", "image", "-o", "k.h5", "-q", "--overwrite");
        cr_assert_eq(r.code, 0, "%s", r.err);
        spoil("k.vtkhdf", "/VTKHDF/PointData/velocity", wrong[k]);
        cli_test_fails(1, "/VTKHDF/PointData/velocity is", "dispersion", "k.vtkhdf", "--peclet", "1");
    }
}
