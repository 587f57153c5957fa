/* SPDX-License-Identifier: Apache-2.0 */
/* Every format read back from bytes that the test puts together by itself; damaged and hostile files. */
#include "image_expect.h"

#include <math.h>
#include <sys/stat.h>
#include <xxhash.h>
#include <zlib.h>

TestSuite(image, .init = files_start, .fini = files_end);

static void write_raw(const char *path, rill_grey type, bool big, size_t skip)
{
    static file_bytes b;
    b.size = 0;
    for (size_t i = 0; i < skip; i++) bytes_add(&b, "#", 1);
    bytes_image(&b, type, big, size, forward);
    files_write(path, b.data, b.size);
}

Test(image, raw_says_itself_by_name)
{
    static const struct {
        const char *name;
        rill_grey type;
        bool big;
        double spacing;
    } names[] = {{"rock-5x6x4-u8-5.7um.raw", RILL_GREY_U8, false, 5.7e-6},
                 {"5x6x4.raw", RILL_GREY_U8, false, 0},
                 {"berea_5x6x4_16bit_be.raw", RILL_GREY_U16, true, 0},
                 {"berea_5X6X4_16bit_le_2d25um.raw", RILL_GREY_U16, false, 2.25e-6},
                 {"s_5x6x4.raw", RILL_GREY_U16, false, 0},
                 {"sub 5x6x4 of 900x900x900 int16be 0.74 mm.bin", RILL_GREY_I16, true, 0.74e-3},
                 {"900x900x900-cut-5x6x4.f32-big-endian_740nm", RILL_GREY_F32, true, 740e-9},
                 {"a_5x6x4_uint32.raw", RILL_GREY_U32, false, 0},
                 {"a_5x6x4_double_12_\xc2\xb5m.raw", RILL_GREY_F64, false, 12e-6},
                 {"voxel2um_i8_5x6x4x7_5x6x4.raw", RILL_GREY_I8, false, 0}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        write_raw(names[i].name, names[i].type, names[i].big, 0);
        const rill_image seen = expect(names[i].name, names[i].type);
        for (int a = 0; a < 3; a++)
            cr_assert_float_eq(seen.spacing[a], names[i].spacing, 1e-15, "%s: %g", names[i].name,
                               seen.spacing[a]);
        const bool guessed = strncmp(names[i].name, "s_", 2) == 0 || strncmp(names[i].name, "a_", 2) == 0;
        cr_assert_eq(strstr(seen.remarks, "little-endian") != NULL, guessed, "%s: %s", names[i].name,
                     seen.remarks);
        cr_assert_eq(seen.file_count, 1u);
    }
    refuse_truncated("berea_5x6x4_16bit_be.raw");
}

Test(image, raw_by_options)
{
    rill_image_options o = rill_image_options_default();
    write_raw("data", RILL_GREY_I16, true, 100);
    refuse("data", "--size", "340 bytes");
    memcpy(o.n, size, sizeof size);
    o.type = RILL_GREY_I16;
    o.big_endian = 1;
    refuse_with("data", &o, "340 bytes", "make 240");
    o.skip = 100;
    expect_with("data", &o, RILL_GREY_I16);
    o.skip = 340;
    refuse_with("data", &o, "--skip 340", "340 bytes");
    o.skip = UINT64_MAX;
    refuse_with("data", &o, "--skip", "340 bytes");
    o.skip = 100;
    o.n[2] = INT32_MAX;
    refuse_with("data", &o, "340 bytes", "128849018920");
    o.n[0] = o.n[1] = INT32_MAX;
    refuse_with("data", &o, "voxels", "1e15");

    write_raw("5x6x4.img", RILL_GREY_F32, false, 0);
    refuse("5x6x4.img", "4 bytes per voxel", "--type");
    files_write("cube.raw", "12345678", 8);
    refuse("cube.raw", "--size", "2x2x2");
    files_write("empty-5x6x4.raw", "", 0);
    refuse("empty-5x6x4.raw", "empty", "");
    refuse("missing-5x6x4.raw", "No such file", "missing");
    cr_assert_eq(mkfifo("5x6x4.fifo", 0600), 0);
    refuse("5x6x4.fifo", "regular file", "");
    files_write("5x6x4.raw.xz",
                "\xfd"
                "7zXZ\0abc",
                9);
    refuse("5x6x4.raw.xz", "xz -dk", "");
    files_write("rock.h5", "\x89HDF\r\n\x1a\n", 8);
    refuse("rock.h5", "HDF5", "damaged");
}

static void write_npy(const char *path, int version, const char *descr, rill_grey type, bool big,
                      bool fortran)
{
    static file_bytes b;
    b.size = 0;
    bytes_add(&b, "\x93NUMPY", 6);
    bytes_add(&b, (const unsigned char[]){(unsigned char)version, 0, version == 1 ? 118 : 116, 0}, 4);
    if (version > 1) bytes_add(&b, "\0", 2);
    const size_t start = b.size;
    bytes_print(&b, "{'descr': '%s', 'fortran_order': %s, 'shape': (5, 6, 4), }", descr,
                fortran ? "True" : "False");
    while (b.size < 127) bytes_add(&b, " ", 1);
    bytes_add(&b, "\n", 1);
    cr_assert_eq(b.size - start, version == 1 ? 118u : 116u);
    bytes_image(&b, type, big, size, fortran ? forward : backward);
    files_write(path, b.data, b.size);
}

Test(image, npy)
{
    static const struct {
        const char *descr;
        rill_grey type;
        bool big;
    } types[] = {{"|u1", RILL_GREY_U8, false},  {"|b1", RILL_GREY_BOOL, false}, {"|i1", RILL_GREY_I8, false},
                 {"<u2", RILL_GREY_U16, false}, {">u2", RILL_GREY_U16, true},   {"<i2", RILL_GREY_I16, false},
                 {">i4", RILL_GREY_I32, true},  {"<u4", RILL_GREY_U32, false},  {"<i8", RILL_GREY_I64, false},
                 {">u8", RILL_GREY_U64, true},  {"<f4", RILL_GREY_F32, false},  {">f8", RILL_GREY_F64, true},
                 {"<f2", RILL_GREY_F16, false}, {">f2", RILL_GREY_F16, true}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int version = 1; version <= 3; version++)
            for (int fortran = 0; fortran < 2; fortran++) {
                write_npy("a.npy", version, types[i].descr, types[i].type, types[i].big, fortran);
                const rill_image seen = expect("a.npy", types[i].type);
                cr_assert_eq(seen.axes[0], 2, "index 0 goes to z in either order");
                cr_assert_eq(seen.axes[2], 0);
                cr_assert(types[i].type == RILL_GREY_BOOL ? seen.pore == 1 : isnan(seen.pore),
                          "True is pore, numbers say nothing");
            }
    refuse_truncated("a.npy");
    survive_damage("a.npy", 140);
    write_npy("a.npy", 1, "<c8", RILL_GREY_F64, false, false);
    refuse("a.npy", "<c8", "integers");
    write_npy("a.npy", 4, "<u2", RILL_GREY_U16, false, false);
    refuse("a.npy", "version 4", "3.0");

    static const char *const headers[] = {
        "{'descr': [('a', '<u2')], 'fortran_order': False, 'shape': (2, 2, 2)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 2, 1)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (8,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (18446744073709551615, 99999999999999999999, 2)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2147483647, 2147483647, 2147483647)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (0, 2, 4)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-2, 2, 2)}",
        "{'descr': '|u1', 'fortran_order': Maybe, 'shape': (2, 2, 2)}",
        "{'descr': '|u1', 'shape': (2, 2, 2)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 2), 'more': exec('x')}",
        "{'descr': '|u1'",
        "",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        static file_bytes b;
        b.size = 0;
        bytes_add(&b, "\x93NUMPY\1\0", 8);
        bytes_add(&b, (const unsigned char[]){(unsigned char)strlen(headers[i]), 0}, 2);
        bytes_print(&b, "%s12345678", headers[i]);
        files_write("b.npy", b.data, b.size);
        refuse("b.npy", "b.npy", "");
    }
}

Test(image, nrrd)
{
    static file_bytes b, plain;
    bytes_image(&plain, RILL_GREY_U16, true, size, forward);

    bytes_print(&b,
                "NRRD0004\n# made by hand\ntype: unsigned short\ndimension: 3\nsizes: 5 6 4\nencoding: raw\n"
                "endian: big\nspacings: 2.5 2.5 5\nspace units: \"um\" \"um\" \"um\"\nkey:=value: x\n\n");
    bytes_add(&b, plain.data, plain.size);
    files_write("a.nrrd", b.data, b.size);
    rill_image seen = expect("a.nrrd", RILL_GREY_U16);
    cr_assert(seen.metric);
    cr_assert_float_eq(seen.spacing[0], 2.5e-6, 1e-18);
    cr_assert_float_eq(seen.spacing[2], 5e-6, 1e-18);
    refuse_truncated("a.nrrd");
    survive_damage("a.nrrd", b.size - plain.size);

    /* gzip, oblique directions without a unit, CR LF lines */
    b.size = 0;
    bytes_print(
        &b,
        "NRRD0005\r\ntype: uint16\r\ndimension: 3\r\nspace: left-posterior-superior\r\nsizes: 5 6 4\r\n"
        "space directions: (0, 3,4) (5,0,0) (0,0,-5)\r\nspace origin: (10,20,30)\r\nkinds: domain domain domain\r\nendian: big\r\nencoding: gzip\r\n\r\n");
    bytes_deflate(&b, &plain, true);
    files_write("b.nrrd", b.data, b.size);
    seen = expect("b.nrrd", RILL_GREY_U16);
    cr_assert(!seen.metric);
    cr_assert_eq(seen.spacing[0], 5.);
    cr_assert_eq(seen.origin[2], 27.5, "%g: the corner, not the centre", seen.origin[2]);
    cr_assert(strstr(seen.spacing_note, "--voxel-size"));
    refuse_truncated("b.nrrd");

    /* detached: lines and bytes before the data, or the data at the end */
    cr_assert_eq(mkdir("sub", 0700), 0);
    b.size = 0;
    bytes_print(&b, "one\ntwo\nxyz");
    bytes_add(&b, plain.data, plain.size);
    files_write("sub/c.raw", b.data, b.size);
    for (int from_end = 0; from_end < 2; from_end++) {
        b.size = 0;
        bytes_print(
            &b,
            "NRRD0001\ndata file: c.raw\n%s\ntype: ushort\ndimension: 3\nsizes: 5 6 4\nendian: big\nencoding: raw",
            from_end ? "byteskip: -1" : "line skip: 2\nbyte skip: 3");
        files_write("sub/c.nhdr", b.data, b.size);
        seen = expect("sub/c.nhdr", RILL_GREY_U16);
        cr_assert_eq(seen.file_count, 2u);
    }
    static const char *const lines[][2] = {
        {"type: block", "block"},
        {"dimension: 4", "dimension"},
        {"sizes: 5 6", "sizes"},
        {"sizes: 5 6 4 1", "sizes"},
        {"sizes: 5 6 -4", "sizes"},
        {"sizes: 5 6 0", "axis 2"},
        {"encoding: bzip2", "bzip2"},
        {"encoding: hex", "ascii"},
        {"endian: middle", "middle"},
        {"data file: LIST", "several"},
        {"data file: c%03d.raw 1 4 1", "several"},
        {"data file: none.raw", "No such file"},
        {"sizes: 5 6 5", "311"},
        {"spacings: 1 2", "spacings"},
        {"space directions: (1,0,0) none (0,0,1)", "directions"},
        {"line skip: 99", "line skip"},
        {"byte skip: x", "byte skip"},
        {"sizes: 99999999999999999999 6 4", "sizes"},
        {"sizes: 2147483647 2147483647 2147483647", "1e15"},
        {"no field here", "no field"},
        {"kinds: RGB-color domain domain", "an axis of color"},
        {"kinds: domain domain 4-vector", "an axis of vector"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        b.size = 0;
        bytes_print(
            &b,
            "NRRD0001\ndata file: c.raw\ntype: ushort\ndimension: 3\nsizes: 5 6 4\nendian: big\nencoding: raw\nbyte skip: 11\n%s\n",
            lines[i][0]);
        files_write("sub/c.nhdr", b.data, b.size);
        refuse("sub/c.nhdr", lines[i][1], "c.nhdr");
    }
}

/* Units of axes and of the space, as programs spell them; the note of a spacing without one. */
Test(image, nrrd_units)
{
    static const struct {
        const char *fields;
        double x, z;
        bool metric;
    } cases[] = {
        {"spacings: 2.5 2.5 5\nunits: \"um\" \"um\" \"um\"\n", 2.5e-6, 5e-6, true},
        {"spacings: 2.5 2.5 5\nunits: \"\xc2\xb5m\" \"microns\" \"nm\"\n", 2.5e-6, 5e-9, true},
        {"spacings: 2.5 2.5 5\nunits: \"\xb5m\" \"Microns\" \"micrometre\"\n", 2.5e-6, 5e-6, true},
        {"spacings: 0.0025 0.0025 0.005\nspace units: \"mm\" \"mm\" \"mm\"\n", 2.5e-6, 5e-6, true},
        {"space dimension: 3\nspace directions: (2.5e-6,0,0) (0,2.5e-6,0) (0,0,5e-6)\nspace units: \"m\" \"m\" \"m\"\n",
         2.5e-6, 5e-6, true},
        {"spacings: 2.5 2.5 5\nunits: \"um\" \"um\" \"s\"\n", 2.5, 5, false},
        {"spacings: 2.5 2.5 5\nunits: \"um\" \"um\"\n", 2.5, 5, false},
        {"spacings: 2.5 2.5 5\nspace units: \"um\" \"um\" \"mm\"\n", 2.5, 5, false},
        {"spacings: 2.5 2.5 5\nspace units: \"um since 2000\" \"um since 2000\" \"um since 2000\"\n", 2.5, 5,
         false},
        {"spacings: 2.5 2.5 5\nunits: \"\" \"\" \"\"\n", 2.5, 5, false}};
    static file_bytes b, plain;
    bytes_image(&plain, RILL_GREY_U16, true, size, forward);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        b.size = 0;
        bytes_print(&b,
                    "NRRD0005\ntype: uint16\ndimension: 3\nsizes: 5 6 4\nencoding: raw\nendian: big\n%s\n",
                    cases[k].fields);
        bytes_add(&b, plain.data, plain.size);
        files_write("a.nrrd", b.data, b.size);
        const rill_image seen = expect("a.nrrd", RILL_GREY_U16);
        cr_expect_eq(seen.metric, cases[k].metric, "%s", cases[k].fields);
        cr_expect(fabs(seen.spacing[0] / cases[k].x - 1) < 1e-12 &&
                      fabs(seen.spacing[2] / cases[k].z - 1) < 1e-12,
                  "%s: %g, %g", cases[k].fields, seen.spacing[0], seen.spacing[2]);
        cr_expect_eq(strstr(seen.spacing_note, "--voxel-size") == NULL, cases[k].metric, "%s",
                     cases[k].fields);
    }
}

Test(image, metaimage)
{
    static file_bytes b, plain;
    static const char common[] =
        "ObjectType = Image\nNDims = 3\nBinaryData = True\nDimSize = 5 6 4\nElementType = MET_SHORT\n";
    bytes_image(&plain, RILL_GREY_I16, false, size, forward);

    bytes_print(&b, "%sElementSpacing = 0.0057 0.0057 0.0057\nOffset = 1 2 3\nElementDataFile = LOCAL\n",
                common);
    bytes_add(&b, plain.data, plain.size);
    files_write("a.mha", b.data, b.size);
    rill_image seen = expect("a.mha", RILL_GREY_I16);
    cr_assert(seen.metric && seen.assumed && strstr(seen.spacing_note, "millimetres"));
    cr_assert_float_eq(seen.spacing[1], 5.7e-6, 1e-18);
    cr_assert_float_eq(seen.origin[1], 2e-3 - 5.7e-6 / 2, 1e-12);
    refuse_truncated("a.mha");
    survive_damage("a.mha", b.size - plain.size);

    b.size = 0;
    bytes_print(&b, "%sCompressedData = True\nElementSpacing = 1 1 1\nElementDataFile = LOCAL\n", common);
    bytes_deflate(&b, &plain, false);
    files_write("b.mha", b.data, b.size);
    seen = expect("b.mha", RILL_GREY_I16);
    cr_assert_eq(seen.spacing[0], 0., "1 1 1 means that nothing is known");
    refuse_truncated("b.mha");
    bytes_add(&plain, "more", 4);
    b.size = 0;
    bytes_print(&b, "%sCompressedData = True\nElementDataFile = LOCAL\n", common);
    bytes_deflate(&b, &plain, false);
    files_write("b.mha", b.data, b.size);
    refuse("b.mha", "goes on after", "240");

    /* detached, big-endian, behind a header of 7 bytes that is given or found from the end */
    b.size = 0;
    bytes_add(&b, "1234567", 7);
    bytes_image(&b, RILL_GREY_I16, true, size, forward);
    files_write("c.raw", b.data, b.size);
    for (int from_end = 0; from_end < 2; from_end++) {
        b.size = 0;
        bytes_print(
            &b,
            "%sHeaderSize = %d\nElementByteOrderMSB = %s\nElementSpacing = 2 2 4\nDistanceUnits = um\n"
            "ElementDataFile = c.raw",
            common, from_end ? -1 : 7, from_end ? "T" : "True");
        files_write("c.mhd", b.data, b.size);
        seen = expect("c.mhd", RILL_GREY_I16);
        cr_assert_float_eq(seen.spacing[2], 4e-6, 1e-18);
        cr_assert_eq(seen.file_count, 2u);
    }
    static const char *const lines[][2] = {
        {"NDims = 4", "NDims"},
        {"DimSize = 5 6", "DimSize"},
        {"ElementType = MET_LONG", "MET_LONG"},
        {"ElementNumberOfChannels = 3", "Channels"},
        {"HeaderSize = -2", "-2"},
        {"DistanceUnits = apples\nElementSpacing = 1 1 2", "apples"},
        {"ElementSpacing = 1 x 1", "ElementSpacing"},
        {"ElementDataFile = LIST", "several"},
        {"ElementDataFile = c%03d.raw 1 4 1", "several"},
        {"ElementDataFile = no.raw", "No such file"},
        {"HeaderSize = 6", "247"},
        {"no equals sign", "no equals"},
        {"DimSize = 0 6 4", "axis 0"},
        {"BinaryDataByteOrderMSB = perhaps", "True or False"},
        {"CompressedData = maybe", "CompressedData is \"maybe\""},
        {"BinaryData = no", "BinaryData is \"no\""},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        b.size = 0;
        bytes_print(&b, "%s%s\nHeaderSize = 7\nElementDataFile = c.raw\n", common, lines[i][0]);
        if (strncmp(lines[i][0], "HeaderSize", 10) == 0) {
            b.size = 0;
            bytes_print(&b, "%s%s\nElementDataFile = c.raw\n", common, lines[i][0]);
        }
        files_write("c.mhd", b.data, b.size);
        refuse("c.mhd", lines[i][1], "c.mhd");
    }
    files_write("d.mhd", common, strlen(common));
    refuse("d.mhd", "ElementDataFile", "");
}

/* Two axes are one slice; the hash is that of all files, one after the other. */
Test(image, flat_images_and_hash)
{
    static file_bytes b;
    bytes_print(
        &b,
        "NRRD0001\ntype: uchar\ndimension: 2\nsizes: 3 2\nspacings: 2 2\nencoding: raw\ndata file: f.raw\n");
    files_write("f.nhdr", b.data, b.size);
    files_write("f.raw", "abcdef", 6);
    const rill_image_options options = rill_image_options_default();
    rill_image *image = NULL;
    cr_assert_eq(rill_image_open("f.nhdr", &options, &image), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(image->n[2], 1u);
    cr_assert_eq(image->spacing[2], 2.);
    char text[17], wanted[17];
    cr_assert_eq(rill_image_hash(image, text), RILL_OK);
    bytes_add(&b, "abcdef", 6);
    snprintf(wanted, sizeof wanted, "%016llx", (unsigned long long)XXH3_64bits(b.data, b.size));
    cr_assert_str_eq(text, wanted);
    rill_image_close(image);

    rill_image_options told = options;
    told.skip = 1;
    refuse_with("f.nhdr", &told, "--skip", "--format raw");
    told.format = RILL_IMAGE_NPY;
    refuse_with(".", &told, "one file per slice", "npy");
}
