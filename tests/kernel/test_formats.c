/* SPDX-License-Identifier: Apache-2.0 */
/* NIfTI, npz, VTI, NetCDF and HDF5 from bytes that the test puts together by itself; damaged and hostile
 * files. Files that other programs wrote: test_vtk_images.c and python/tests/test_formats.py. */
#include "image_expect.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <unistd.h>
#include <zip.h>

TestSuite(formats, .init = files_start, .fini = files_end);

static void put(file_bytes *b, size_t at, rill_grey type, bool big, double value)
{
    static file_bytes one;
    one.size = 0;
    bytes_value(&one, type, big, value);
    memcpy(b->data + at, one.data, one.size);
}

/* ---- NIfTI ----------------------------------------------------------------------------------- */

/* The header of a NIfTI file and nothing else. */
static void nifti_header(file_bytes *b, int version, rill_grey type, int code, bool big, bool pair, int unit)
{
    const size_t length = version == 1 ? 348 : 540, offset = pair ? 0 : version == 1 ? 352 : 544;
    const rill_grey whole = version == 1 ? RILL_GREY_I16 : RILL_GREY_I64,
                    real = version == 1 ? RILL_GREY_F32 : RILL_GREY_F64;
    const size_t dim = version == 1 ? 40 : 16, pixdim = version == 1 ? 76 : 104;
    const double n[8] = {3, 5, 6, 4, 1, 1, 1, 1}, s[8] = {1, 0.5, 0.5, 2, 0, 0, 0, 0};
    memset(b->data, 0, b->size = pair ? length : offset);
    put(b, 0, RILL_GREY_I32, big, (double)length);
    for (size_t k = 0; k < 8; k++) {
        put(b, dim + k * rill_grey_size(whole), whole, big, n[k]);
        put(b, pixdim + k * rill_grey_size(real), real, big, s[k]);
    }
    put(b, version == 1 ? 70 : 12, RILL_GREY_I16, big, code);
    put(b, version == 1 ? 72 : 14, RILL_GREY_I16, big, 8. * (double)rill_grey_size(type));
    put(b, version == 1 ? 108 : 168, version == 1 ? RILL_GREY_F32 : RILL_GREY_I64, big, (double)offset);
    if (version == 1)
        b->data[123] = (unsigned char)unit;
    else
        put(b, 500, RILL_GREY_I32, big, unit);
    memcpy(b->data + (version == 1 ? 344 : 4), pair ? "ni" : "n+", 2);
    b->data[(version == 1 ? 344 : 4) + 2] = (unsigned char)('0' + version);
    if (version == 2) memcpy(b->data + 8, "\r\n\032\n", 4);
}

static void write_nifti(const char *path, int version, rill_grey type, int code, bool big)
{
    static file_bytes b;
    nifti_header(&b, version, type, code, big, false, 2);
    bytes_image(&b, type, big, size, forward);
    files_write(path, b.data, b.size);
}

Test(formats, nifti)
{
    static const struct {
        rill_grey type;
        int code;
    } types[] = {{RILL_GREY_U8, 2},     {RILL_GREY_I16, 4},   {RILL_GREY_I32, 8},   {RILL_GREY_F32, 16},
                 {RILL_GREY_F64, 64},   {RILL_GREY_I8, 256},  {RILL_GREY_U16, 512}, {RILL_GREY_U32, 768},
                 {RILL_GREY_I64, 1024}, {RILL_GREY_U64, 1280}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int version = 1; version <= 2; version++)
            for (int big = 0; big < 2; big++) {
                write_nifti("a", version, types[i].type, types[i].code, big); /* known by content alone */
                const rill_image seen = expect("a", types[i].type);
                cr_assert(seen.metric);
                cr_assert_float_eq(seen.spacing[0], 5e-4, 1e-12);
                cr_assert_float_eq(seen.spacing[2], 2e-3, 1e-12);
                cr_assert_eq(seen.axes[0], 0, "file axis 0 is x");
            }
    refuse_truncated("a");
    survive_damage("a", 540);
    write_nifti("b.nii", 1, RILL_GREY_U16, 512, true);
    refuse_truncated("b.nii");
    survive_damage("b.nii", 348);
}

Test(formats, nifti_deflated_and_in_pairs)
{
    static file_bytes b, plain, packed;
    for (int version = 1; version <= 2; version++) {
        nifti_header(&plain, version, RILL_GREY_I16, 4, false, false, 3);
        bytes_image(&plain, RILL_GREY_I16, false, size, forward);
        packed.size = 0;
        bytes_deflate(&packed, &plain, true);
        files_write("a.nii.gz", packed.data, packed.size);
        const rill_image seen = expect("a.nii.gz", RILL_GREY_I16);
        cr_assert_float_eq(seen.spacing[0], 5e-7, 1e-15);
        cr_assert(strstr(seen.kind, "gzip"), "%s", seen.kind);
        if (version == 1) refuse_truncated("a.nii.gz");

        nifti_header(&b, version, RILL_GREY_I16, 4, false, true, 0);
        files_write("p.hdr", b.data, b.size);
        b.size = 0;
        bytes_image(&b, RILL_GREY_I16, false, size, forward);
        files_write("p.img", b.data, b.size);
        const rill_image pair = expect("p.hdr", RILL_GREY_I16);
        cr_assert(!pair.metric && strstr(pair.spacing_note, "unit"), "%s", pair.spacing_note);
        cr_assert_eq(pair.file_count, 2u);
        cr_assert_eq(unlink("p.img"), 0);
        refuse("p.hdr", "p.img.gz", "");
        packed.size = 0;
        bytes_deflate(&packed, &b, true);
        files_write("p.img.gz", packed.data, packed.size);
        expect("p.hdr", RILL_GREY_I16);
        cr_assert_eq(mkdir("sub", 0700), 0);
        cr_assert_eq(rename("p.hdr", "sub/p.hdr"), 0);
        cr_assert_eq(symlink("../p.img.gz", "sub/p.img.gz"), 0);
        refuse("sub/p.hdr", "outside its directory", "--allow-outside");
        rill_image_options allowed = rill_image_options_default();
        allowed.allow_outside = true;
        expect_with("sub/p.hdr", &allowed, RILL_GREY_I16);
        cr_assert(unlink("sub/p.img.gz") == 0 && unlink("p.img.gz") == 0);
        cr_assert(unlink("sub/p.hdr") == 0 && rmdir("sub") == 0);
    }
    /* It inflates to more than its header says. */
    bytes_add(&plain, "more", 4);
    packed.size = 0;
    bytes_deflate(&packed, &plain, true);
    files_write("more.nii.gz", packed.data, packed.size);
    refuse("more.nii.gz", "goes on", "240 bytes");
}

Test(formats, nifti_refused)
{
    static const struct {
        size_t at;
        rill_grey type;
        double value;
        const char *word;
    } wrong[] = {{40, RILL_GREY_I16, 0, "dim[0] is 0"},
                 {40, RILL_GREY_I16, 8, "dim[0] is 8"},
                 {42, RILL_GREY_I16, 0, "dim[1] is 0"},
                 {44, RILL_GREY_I16, -3, "dim[2] is -3"},
                 {46, RILL_GREY_I16, 32000, "352 bytes of header"},
                 {70, RILL_GREY_I16, 32, "datatype is 32"},
                 {70, RILL_GREY_I16, 128, "datatype is 128"},
                 {108, RILL_GREY_F32, 10, "vox_offset is 10"},
                 {108, RILL_GREY_F32, 352.5, "352.5"},
                 {108, RILL_GREY_F32, 1e20, "vox_offset"},
                 {108, RILL_GREY_F32, NAN, "vox_offset"}};
    static file_bytes b;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        nifti_header(&b, 1, RILL_GREY_U8, 2, false, false, 2);
        put(&b, wrong[i].at, wrong[i].type, false, wrong[i].value);
        bytes_image(&b, RILL_GREY_U8, false, size, forward);
        files_write("a.nii", b.data, b.size);
        refuse("a.nii", wrong[i].word, "a.nii");
    }
    nifti_header(&b, 1, RILL_GREY_U8, 2, false, false, 2);
    put(&b, 40, RILL_GREY_I16, false, 4);
    put(&b, 48, RILL_GREY_I16, false, 2);
    files_write("four.nii", b.data, b.size);
    refuse("four.nii", "2 volumes", "");
    files_write("text.nii", "no NIfTI", 8);
    refuse("text.nii", "does not begin", "NIfTI-1");
    nifti_header(&b, 1, RILL_GREY_U8, 2, false, false, 2);
    put(&b, 112, RILL_GREY_F32, false, 2);
    bytes_image(&b, RILL_GREY_U8, false, size, forward);
    files_write("scaled.nii", b.data, b.size);
    cr_assert(strstr(expect("scaled.nii", RILL_GREY_U8).remarks, "stored values"));
}

/* ---- npz ------------------------------------------------------------------------------------- */

/* An npy of the image in the order of C. */
static void bytes_npy(file_bytes *b, const char *descr, const char *shape, rill_grey type)
{
    b->size = 0;
    bytes_add(b, "\x93NUMPY\1\0", 8);
    bytes_add(b, (const unsigned char[]){118, 0}, 2);
    bytes_print(b, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape);
    while (b->size < 127) bytes_add(b, " ", 1);
    bytes_add(b, "\n", 1);
    bytes_image(b, type, false, size, backward);
}

static void add_member(zip_t *archive, const char *name, file_bytes *b, bool deflate)
{
    const zip_int64_t index = zip_file_add(archive, name, zip_source_buffer(archive, b->data, b->size, 0), 0);
    cr_assert_geq(index, 0);
    cr_assert_eq(
        zip_set_file_compression(archive, (zip_uint64_t)index, deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0),
        0);
}

static zip_t *new_archive(const char *path)
{
    zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
    cr_assert_not_null(archive);
    return archive;
}

Test(formats, npz)
{
    static file_bytes image, other, list;
    static const unsigned char hostile[] = {0x00, 0xff, 0x80, 0x01};
    bytes_npy(&image, "<u2", "(5, 6, 4)", RILL_GREY_U16);
    bytes_npy(&other, "|u1", "(5, 6, 4)", RILL_GREY_U8);
    bytes_npy(&list, "|u1", "(120,)", RILL_GREY_U8);
    for (int deflate = 0; deflate < 2; deflate++) {
        zip_t *archive = new_archive("one.npz");
        add_member(archive, "steps.npy", &list, deflate);
        add_member(archive, "im.npy", &image, deflate);
        cr_assert_eq(zip_close(archive), 0);
        const rill_image seen = expect("one.npz", RILL_GREY_U16);
        cr_assert_eq(seen.axes[0], 2, "index 0 goes to z");
        expect("one.npz:/im", RILL_GREY_U16);
        refuse("one.npz:/seg", "no array \"seg\"", "im");
        refuse("one.npz:/steps", "1 axes", "");
        refuse_truncated("one.npz");
        survive_damage("one.npz", 200);
        static file_bytes whole;
        files_read("one.npz", &whole); /* the directory is at the end */
        for (size_t at = whole.size - 160; at < whole.size; at++)
            for (size_t h = 0; h < sizeof hostile; h++) {
                rill_image *open = NULL;
                char grey[60];
                const rill_image_options options = rill_image_options_default();
                files_poke("one.npz", at, hostile[h]);
                if (rill_image_open("one.npz", &options, &open) == RILL_OK) rill_image_read(open, 0, grey);
                rill_image_close(open);
                files_poke("one.npz", at, whole.data[at]);
            }
    }
    zip_t *archive = new_archive("two.npz");
    add_member(archive, "im.npy", &image, true);
    add_member(archive, "seg.npy", &other, true);
    cr_assert_eq(zip_close(archive), 0);
    refuse("two.npz", "2 arrays", "im, seg");
    expect("two.npz:/seg", RILL_GREY_U8);
    archive = new_archive("text.zip");
    add_member(archive, "a.txt", &list, false);
    cr_assert_eq(zip_close(archive), 0);
    refuse("text.zip", "without .npy", "unpack");
    archive = new_archive("list.npz");
    add_member(archive, "list.npy", &list, false);
    cr_assert_eq(zip_close(archive), 0);
    refuse("list.npz", "none of its 1 arrays", "");
}

/* A member whose header states a petabyte takes no memory, and one that inflates without end is left. */
Test(formats, npz_that_inflates_to_much)
{
    static file_bytes huge;
    bytes_npy(&huge, "<f8", "(2000000000, 20, 2)", RILL_GREY_U8);
    zip_t *archive = new_archive("huge.npz");
    add_member(archive, "im.npy", &huge, true);
    cr_assert_eq(zip_close(archive), 0);
    setenv("RILL_MEMORY", "1MB", 1);
    refuse("huge.npz", "6.4e+11 bytes", "1032 times");
    bytes_npy(&huge, "<f8", "(2000000, 2, 2)", RILL_GREY_U8);
    archive = new_archive("large.npz");
    add_member(archive, "im.npy", &huge, true);
    cr_assert_eq(zip_close(archive), 0);
    refuse("large.npz", "ends after 120 bytes", "cut");
    bytes_npy(&huge, "|u1", "(2, 2, 2)", RILL_GREY_U8);
    archive = new_archive("more.npz");
    add_member(archive, "im.npy", &huge, true);
    cr_assert_eq(zip_close(archive), 0);
    refuse("more.npz", "goes on", "8 bytes");
}

/* ---- VTI ------------------------------------------------------------------------------------- */

static const char vti_head[] =
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt32\"%s>\n"
    "<ImageData WholeExtent=\"0 5 0 6 0 4\" Origin=\"0 0 0\" Spacing=\"2 2 3\">\n"
    "<Piece Extent=\"0 5 0 6 0 4\"><PointData></PointData><CellData Scalars=\"a\">\n";
static const char vti_end[] = "</CellData></Piece></ImageData>\n";

static void write_ascii_vti(const char *path, const char *head, const char *values)
{
    static file_bytes b;
    b.size = 0;
    bytes_print(&b, head, "");
    bytes_print(&b, "<DataArray type=\"UInt8\" Name=\"a\" format=\"ascii\">\n");
    for (int k = 0; k < 120 && !values; k++) bytes_print(&b, "%d%c", k + 1, k % 9 ? ' ' : '\n');
    if (values) bytes_print(&b, "%s", values);
    bytes_print(&b, "\n<InformationKey name=\"x\">y</InformationKey></DataArray>%s</VTKFile>\n", vti_end);
    files_write(path, b.data, b.size);
}

/* Raw appended data: an array of other things, then the image. */
static void write_raw_vti(const char *path, bool deflate)
{
    static file_bytes b, image, packed;
    const uint32_t length = 240;
    b.size = image.size = packed.size = 0;
    bytes_image(&image, RILL_GREY_U16, false, size, forward);
    bytes_print(&b, vti_head, deflate ? " compressor=\"vtkZLibDataCompressor\"" : "");
    bytes_print(
        &b,
        "<DataArray type=\"UInt16\" Name=\"a\" format=\"appended\" offset=\"7\"/><DataArray type=\"Float32\" Name=\"v\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>%s<AppendedData encoding=\"raw\">\n _<no<XML",
        vti_end);
    if (deflate) { /* two blocks of 128 and 112 bytes */
        static file_bytes part;
        uint32_t sizes[2];
        for (int k = 0; k < 2; k++) {
            memcpy(part.data, image.data + 128 * k, part.size = k ? 112 : 128);
            const size_t before = packed.size;
            bytes_deflate(&packed, &part, false);
            sizes[k] = (uint32_t)(packed.size - before);
        }
        bytes_add(&b, (const uint32_t[]){2, 128, 112, sizes[0], sizes[1]}, 20);
        bytes_add(&b, packed.data, packed.size);
    } else {
        bytes_add(&b, &length, 4);
        bytes_add(&b, image.data, image.size);
    }
    bytes_print(&b, "\n</AppendedData></VTKFile>\n");
    files_write(path, b.data, b.size);
}

Test(formats, vti)
{
    write_ascii_vti("a.vti", vti_head, NULL);
    const rill_image seen = expect("a.vti", RILL_GREY_U8);
    cr_assert(!seen.metric && fabs(seen.spacing[2] - 3) < 1e-12, "%g", seen.spacing[2]);
    expect("a.vti:/a", RILL_GREY_U8);
    expect("a.vti:/CellData/a", RILL_GREY_U8);
    refuse("a.vti:/PointData/a", "no array \"PointData/a\"", "CellData/a");
    survive_damage("a.vti", 420);
    for (int deflate = 0; deflate < 2; deflate++) {
        static file_bytes whole;
        write_raw_vti("r.vti", deflate);
        expect("r.vti", RILL_GREY_U16);
        survive_damage("r.vti", 1 << 16);
        files_read("r.vti", &whole);
        for (size_t length = whole.size - 29; length-- > 0;) { /* what is behind the image is not needed */
            cr_assert_eq(truncate("r.vti", (off_t)length), 0);
            refuse("r.vti", "", "");
        }
    }
}

Test(formats, vti_refused)
{
    static const struct {
        const char *from, *to, *word;
    } changes[] = {{"ImageData\" version", "UnstructuredGrid\" version", "ParaView"},
                   {"\"LittleEndian\"", "\"Middle\"", "byte_order"},
                   {"\"UInt32\"", "\"Int8\"", "header_type"},
                   {"<Piece Extent", "<Piece/><Piece Extent", "several pieces"},
                   {"Extent=\"0 5 0 6 0 4\"><P", "Extent=\"0 5 0 6 0 2\"><P", "part of it"},
                   {"WholeExtent=\"0 5", "WholeExtent=\"0 x", "extent"},
                   {"WholeExtent=\"0 5", "WholeExtent=\"0 99999999999999", "2^40"},
                   {"WholeExtent=\"0 5 0 6 0 4\"", "WholeExtent=\"5 0 0 6 0 4\"", "part of it"},
                   {"Spacing=\"2 2 3\"", "Spacing=\"2 2\"", "Spacing"},
                   {"<ImageData", "<!-- ", "line"}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char head[1024];
        const char *found = strstr(vti_head, changes[i].from);
        cr_assert_not_null(found, "%s", changes[i].from);
        snprintf(head, sizeof head, "%.*s%s%s", (int)(found - vti_head), vti_head, changes[i].to,
                 found + strlen(changes[i].from));
        write_ascii_vti("b.vti", head, NULL);
        refuse("b.vti", changes[i].word, "b.vti");
    }
    write_ascii_vti("c.vti", vti_head, "1 2 3");
    refuse("c.vti", "ends after 3 bytes", "");
    write_ascii_vti("c.vti", vti_head, "1 2 300");
    refuse("c.vti", "\"300\" is not a number of type u8", "");
    write_ascii_vti("c.vti", vti_head, "1 2 &lt;");
    refuse("c.vti", "not a number", "");
    static file_bytes b;
    b.size = 0;
    bytes_print(&b, "<!DOCTYPE a [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>");
    bytes_print(&b, vti_head, "");
    files_write("doctype.vti", b.data, b.size);
    refuse("doctype.vti", "DOCTYPE", "");
    b.size = 0;
    bytes_print(&b, vti_head, " compressor=\"vtkLZ4DataCompressor\"");
    files_write("lz4.vti", b.data, b.size);
    refuse("lz4.vti", "vtkLZ4DataCompressor", "zlib");
    files_write("old.vtk", "# vtk DataFile Version 3.0\n", 27);
    refuse("old.vtk", "surface", "");
    files_write("old.data", "# vtk DataFile Version 3.0\n", 27);
    refuse("old.data", "legacy VTK", "ParaView");
}

/* ---- NetCDF ---------------------------------------------------------------------------------- */

static void nc_word(file_bytes *b, int bytes, uint64_t value)
{
    for (int k = bytes; k-- > 0;) bytes_add(b, &(unsigned char){(unsigned char)(value >> 8 * k)}, 1);
}

static void nc_name(file_bytes *b, int count, const char *name)
{
    nc_word(b, count, strlen(name));
    bytes_print(b, "%s", name);
    while (b->size % 4) bytes_add(b, "", 1);
}

/* z, y, x with coordinates of z in um; `records`: z is the record dimension, `many`: with a second record
 * variable */
static void write_netcdf(const char *path, int version, int code, rill_grey type, bool records, bool many)
{
    static file_bytes b;
    const int c = version == 5 ? 8 : 4, o = version == 1 ? 4 : 8;
    const size_t each = rill_grey_size(type), slice = 24 * each; /* 6 x 4 */
    const uint64_t record = slice + (many ? 4 : 0);
    b.size = 0;
    bytes_print(&b, "CDF%c", version);
    nc_word(&b, c, records ? 5 : 0);
    nc_word(&b, 4, 10), nc_word(&b, c, 3);
    nc_name(&b, c, "z"), nc_word(&b, c, records ? 0 : 5);
    nc_name(&b, c, "y"), nc_word(&b, c, 6);
    nc_name(&b, c, "x"), nc_word(&b, c, 4);
    nc_word(&b, 4, 12), nc_word(&b, c, 1); /* of the file */
    nc_name(&b, c, "title"), nc_word(&b, 4, 2), nc_name(&b, c, "a test");
    nc_word(&b, 4, 11), nc_word(&b, c, many ? 2 : 1);
    nc_name(&b, c, "im"), nc_word(&b, c, 3);
    for (uint64_t k = 0; k < 3; k++) nc_word(&b, c, k);
    nc_word(&b, 4, 0), nc_word(&b, c, 0), nc_word(&b, 4, (uint64_t)code);
    nc_word(&b, c, slice * (records ? 1 : 5));
    const size_t begin = b.size;
    nc_word(&b, o, 0);
    size_t begin_z = 0;
    if (many) {
        nc_name(&b, c, "z"), nc_word(&b, c, 1), nc_word(&b, c, 0);
        nc_word(&b, 4, 12), nc_word(&b, c, 1), nc_name(&b, c, "units"), nc_word(&b, 4, 2),
            nc_name(&b, c, "um");
        nc_word(&b, 4, 5), nc_word(&b, c, records ? 4 : 20);
        begin_z = b.size;
        nc_word(&b, o, 0);
    }
    const uint64_t data = b.size, data_z = records ? data + slice : data + 5 * slice;
    for (int k = 0; k < o; k++) {
        b.data[begin + (size_t)k] = (unsigned char)(data >> 8 * (o - 1 - k));
        if (many) b.data[begin_z + (size_t)k] = (unsigned char)(data_z >> 8 * (o - 1 - k));
    }
    static file_bytes image;
    image.size = 0;
    bytes_image(&image, type, true, size, backward);
    for (size_t z = 0; z < 5; z++) {
        bytes_add(&b, image.data + z * slice, slice);
        if (many && records) bytes_value(&b, RILL_GREY_F32, true, 2.5 * (double)z);
    }
    for (size_t z = 0; z < 5 && many && !records; z++) bytes_value(&b, RILL_GREY_F32, true, 2.5 * (double)z);
    cr_assert_eq(b.size, data + 5 * record);
    files_write(path, b.data, b.size);
}

Test(formats, netcdf)
{
    static const struct {
        int code;
        rill_grey type;
    } types[] = {{1, RILL_GREY_I8},   {3, RILL_GREY_I16}, {4, RILL_GREY_I32}, {5, RILL_GREY_F32},
                 {6, RILL_GREY_F64},  {7, RILL_GREY_U8},  {8, RILL_GREY_U16}, {9, RILL_GREY_U32},
                 {10, RILL_GREY_I64}, {11, RILL_GREY_U64}};
    static const int versions[] = {1, 2, 5};
    for (size_t v = 0; v < 3; v++)
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            for (int records = 0; records < 2; records++)
                for (int many = 0; many < 2; many++) {
                    write_netcdf("a.nc", versions[v], types[i].code, types[i].type, records, many);
                    if (versions[v] < 5 && types[i].code > 6) {
                        refuse("a.nc", "type", "damaged");
                        continue;
                    }
                    const rill_image seen = expect("a.nc", types[i].type);
                    cr_assert_eq(seen.axes[0], 2, "axis 0 is called z");
                    expect("a.nc:/im", types[i].type);
                }
    refuse("a.nc:/no", "no variable \"no\"", "im");
    for (size_t v = 0; v < 3; v++)
        for (int records = 0; records < 2; records++) {
            write_netcdf("a.nc", versions[v], 1, RILL_GREY_I8, records, false);
            refuse_truncated("a.nc");
            write_netcdf("a.nc", versions[v], 1, RILL_GREY_I8, records, true);
            survive_damage("a.nc", 400);
        }
    files_write("b.nc", "CDF\3abcdefgh", 12);
    refuse("b.nc", "does not begin like a NetCDF", "");
}

/* The records of a single variable are not padded to four bytes, those of several are. */
Test(formats, netcdf_records_of_nine_bytes)
{
    static file_bytes b;
    for (int several = 0; several < 2; several++) {
        b.size = 0;
        bytes_print(&b, "CDF%c", 1);
        nc_word(&b, 4, 3);
        nc_word(&b, 4, 10), nc_word(&b, 4, 2);
        nc_name(&b, 4, "t"), nc_word(&b, 4, 0);
        nc_name(&b, 4, "n"), nc_word(&b, 4, 3);
        nc_word(&b, 4, 0), nc_word(&b, 4, 0);
        nc_word(&b, 4, 11), nc_word(&b, 4, (uint64_t)several + 1);
        const size_t length = b.size + (several ? 80 : 44);
        nc_name(&b, 4, "im"), nc_word(&b, 4, 3), nc_word(&b, 4, 0), nc_word(&b, 4, 1), nc_word(&b, 4, 1);
        nc_word(&b, 4, 0), nc_word(&b, 4, 0), nc_word(&b, 4, 1), nc_word(&b, 4, 12), nc_word(&b, 4, length);
        if (several) {
            nc_name(&b, 4, "s"), nc_word(&b, 4, 1), nc_word(&b, 4, 0), nc_word(&b, 4, 0), nc_word(&b, 4, 0);
            nc_word(&b, 4, 1), nc_word(&b, 4, 4), nc_word(&b, 4, length + 12);
        }
        cr_assert_eq(b.size, length, "%zu", b.size);
        for (int r = 0; r < 3; r++) {
            for (int k = 0; k < 9; k++) nc_word(&b, 1, (uint64_t)(1 + 9 * r + k));
            if (several) nc_word(&b, 3, 0), nc_word(&b, 4, 0);
        }
        files_write("r.nc", b.data, b.size);
        rill_image *image = NULL;
        const rill_image_options options = rill_image_options_default();
        cr_assert_eq(rill_image_open("r.nc:/im", &options, &image), RILL_OK, "%s", rill_error_message());
        for (uint32_t r = 0; r < 3; r++) {
            unsigned char grey[9];
            cr_assert_eq(rill_image_read(image, r, grey), RILL_OK, "%s", rill_error_message());
            for (unsigned k = 0; k < 9; k++) cr_assert_eq(grey[k], 1 + 9 * r + k, "%d: %u", several, grey[k]);
        }
        rill_image_close(image);
    }
}

/* ---- HDF5 ------------------------------------------------------------------------------------ */

/* Write the image as a dataset. @param axes  3; 4: with one component */
static void write_set(hid_t file, const char *path, hid_t type, rill_grey grey, int axes,
                      const hsize_t *chunk)
{
    static file_bytes b;
    b.size = 0;
    bytes_image(&b, grey, H5Tget_order(type) == H5T_ORDER_BE, size, backward);
    const hsize_t n[4] = {5, 6, 4, 1};
    const hid_t space = H5Screate_simple(axes, n, NULL), p = H5Pcreate(H5P_DATASET_CREATE),
                links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    if (chunk) H5Pset_chunk(p, axes, chunk), H5Pset_shuffle(p), H5Pset_deflate(p, 1);
    const hid_t set = H5Dcreate2(file, path, type, space, links, p, H5P_DEFAULT);
    cr_assert_geq(set, 0);
    cr_assert_geq(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, b.data), 0);
    H5Dclose(set), H5Sclose(space), H5Pclose(p), H5Pclose(links);
}

static hid_t new_hdf5(const char *path)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    cr_assert_geq(file, 0);
    return file;
}

Test(formats, hdf5_types_and_storage)
{
    const struct {
        hid_t type;
        rill_grey grey;
    } types[] = {{H5T_STD_U8LE, RILL_GREY_U8},    {H5T_STD_I8BE, RILL_GREY_I8},
                 {H5T_STD_U16BE, RILL_GREY_U16},  {H5T_STD_I16LE, RILL_GREY_I16},
                 {H5T_STD_U32LE, RILL_GREY_U32},  {H5T_STD_I32BE, RILL_GREY_I32},
                 {H5T_STD_U64BE, RILL_GREY_U64},  {H5T_STD_I64LE, RILL_GREY_I64},
                 {H5T_IEEE_F32BE, RILL_GREY_F32}, {H5T_IEEE_F64LE, RILL_GREY_F64}};
    const hsize_t chunks[] = {2, 4, 3, 1}, whole[] = {5, 6, 4, 1};
    const hsize_t *const chunk[] = {NULL, chunks, whole};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int c = 0; c < 3; c++)
            for (int axes = 3; axes <= 4; axes++) {
                const hid_t file = new_hdf5("a.bin"); /* known by content alone */
                write_set(file, "/g/im", types[i].type, types[i].grey, axes, chunk[c]);
                H5Fclose(file);
                const rill_image seen = expect("a.bin", types[i].grey);
                cr_assert_eq(seen.axes[0], 2, "axis 0 goes to z");
                expect("a.bin:/g/im", types[i].grey);
            }
    refuse("a.bin:/g/no", "no dataset \"/g/no\"", "/g/im");
    refuse("a.bin:/g", "no dataset \"/g\"", "/g/im");
    refuse_truncated_by("a.bin", 29);
}

static void set_reals(hid_t file, const char *object, const char *name, const double *values, hsize_t count)
{
    const hid_t o = H5Oopen(file, object, H5P_DEFAULT), space = H5Screate_simple(1, &count, NULL),
                a = H5Acreate2(o, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    cr_assert_geq(H5Awrite(a, H5T_NATIVE_DOUBLE, values), 0);
    H5Aclose(a), H5Sclose(space), H5Oclose(o);
}

static void set_text(hid_t file, const char *object, const char *name, const char *text)
{
    cr_assert_geq(H5LTset_attribute_string(file, object, name, text), 0);
}

static void write_list(hid_t file, const char *path, hid_t type, hsize_t count, const void *values)
{
    const hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(1, &count, NULL);
    H5Pset_create_intermediate_group(links, 1);
    const hid_t set = H5Dcreate2(file, path, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    cr_assert_geq(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    H5Dclose(set), H5Sclose(space), H5Pclose(links);
}

static void expect_spacing(const char *path, bool metric, double z, double y, double x)
{
    const rill_image seen = expect(path, RILL_GREY_U8);
    cr_assert_eq(seen.metric, metric, "%s", path);
    cr_assert_float_eq(seen.spacing[0] / z, 1, 1e-6, "%s: %g", path, seen.spacing[0]);
    cr_assert_float_eq(seen.spacing[1] / y, 1, 1e-6, "%s: %g", path, seen.spacing[1]);
    cr_assert_float_eq(seen.spacing[2] / x, 1, 1e-6, "%s: %g", path, seen.spacing[2]);
}

/* The layouts of hdf5_spacing.c. */
Test(formats, hdf5_voxel_sizes)
{
    hid_t file = new_hdf5("fiji.h5");
    write_set(file, "/t0/channel0", H5T_STD_U8LE, RILL_GREY_U8, 3, NULL);
    set_reals(file, "/t0/channel0", "element_size_um", (const double[]){4, 3, 2}, 3);
    H5Fclose(file);
    expect_spacing("fiji.h5", true, 4e-6, 3e-6, 2e-6);

    file = new_hdf5("tomviz.emd");
    write_set(file, "/data/tomography/data", H5T_STD_U8LE, RILL_GREY_U8, 3, NULL);
    for (int k = 0; k < 3; k++) {
        char path[64];
        const float at[2] = {0, 1.5f * (float)(k + 1)};
        snprintf(path, sizeof path, "/data/tomography/dim%d", k + 1);
        write_list(file, path, H5T_NATIVE_FLOAT, 2, at);
        set_text(file, path, "name", (const char *const[]){"x", "y", "z"}[k]);
        set_text(file, path, "units", "[n_m]");
    }
    H5Fclose(file);
    expect_spacing("tomviz.emd", true, 1.5e-9, 3e-9, 4.5e-9);
    cr_assert_eq(expect("tomviz.emd", RILL_GREY_U8).axes[0], 0, "dim1 is called x");

    file = new_hdf5("a.dream3d");
    write_set(file, "/DataContainers/D/CellData/FeatureIds", H5T_STD_U8LE, RILL_GREY_U8, 4, NULL);
    write_list(file, "/DataContainers/D/_SIMPL_GEOMETRY/SPACING", H5T_NATIVE_FLOAT, 3,
               (const float[]){2, 3, 4});
    H5Fclose(file);
    expect_spacing("a.dream3d", false, 4, 3, 2);

    file = new_hdf5("scales.h5");
    write_set(file, "/im", H5T_STD_U8LE, RILL_GREY_U8, 3, NULL);
    const hid_t set = H5Dopen2(file, "/im", H5P_DEFAULT);
    for (unsigned k = 0; k < 3; k++) {
        const char *name = (const char *const[]){"/z", "/y", "/x"}[k];
        double at[6];
        for (int i = 0; i < 6; i++) at[i] = 10 + 0.5 * i;
        write_list(file, name, H5T_NATIVE_DOUBLE, (const hsize_t[]){5, 6, 4}[k], at);
        set_text(file, name, "units", "mm");
        const hid_t scale = H5Dopen2(file, name, H5P_DEFAULT);
        cr_assert_geq(H5DSset_scale(scale, name + 1), 0);
        cr_assert_geq(H5DSattach_scale(set, scale, k), 0);
        H5Dclose(scale);
    }
    H5Dclose(set), H5Fclose(file);
    expect_spacing("scales.h5", true, 5e-4, 5e-4, 5e-4);
}

Test(formats, hdf5_refused)
{
    hid_t file = new_hdf5("two.h5");
    write_set(file, "/a", H5T_STD_U8LE, RILL_GREY_U8, 3, NULL);
    write_set(file, "/b", H5T_STD_U8LE, RILL_GREY_U8, 3, NULL);
    write_list(file, "/list", H5T_STD_U8LE, 4, "abcd");
    H5Fclose(file);
    refuse("two.h5", "2 datasets", "/a, /b");
    refuse("two.h5:/list", "not 3 (or 2) axes", "/list");
    file = new_hdf5("none.h5");
    write_list(file, "/list", H5T_STD_U8LE, 4, "abcd");
    H5Fclose(file);
    refuse("none.h5", "without a dataset", "");
    file = new_hdf5("ours.h5");
    write_set(file, "/voxels", H5T_STD_U8LE, RILL_GREY_U8, 3, NULL);
    set_text(file, "/", "format", "rill-geometry");
    H5Fclose(file);
    refuse("ours.h5", "rill wrote", "rill info");
    expect("ours.h5:/voxels", RILL_GREY_U8);

    /* A dataset of 10^15 voxels that was never written */
    file = new_hdf5("huge.h5");
    const hsize_t n[3] = {100000, 100000, 100000}, chunk[3] = {1000, 1000, 1000};
    const hid_t space = H5Screate_simple(3, n, NULL), p = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(p, 3, chunk);
    H5Dclose(H5Dcreate2(file, "/im", H5T_STD_U8LE, space, H5P_DEFAULT, p, H5P_DEFAULT));
    H5Sclose(space), H5Pclose(p), H5Fclose(file);
    refuse("huge.h5", "declares", "bytes");
}

/* ---- what the content distinguishes -------------------------------------------------------------- */

Test(formats, others_are_refused_with_a_remedy)
{
    static file_bytes b;
    b.size = 0;
    while (b.size < 128) bytes_add(&b, "", 1);
    bytes_print(&b, "DICM and more");
    files_write("IM0001", b.data, b.size);
    refuse("IM0001", "DICOM", "dcm2niix");
    cr_assert_eq(mkdir("series", 0700), 0);
    files_write("series/IM0001.dcm", b.data, b.size);
    refuse("series", "DICOM", "dcm2niix");
    write_nifti("a.nii", 1, RILL_GREY_U8, 2, false);
    refuse("a.nii:/im", "nifti", "leave out");
}
