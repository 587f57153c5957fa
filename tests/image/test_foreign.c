/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed raw voxels, HDF5 behind a block of MATLAB, and files that are no images that rill reads: the
 * sentence names the format and what converts it. */
#include "image_expect.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <sys/stat.h>

TestSuite(foreign, .init = files_start, .fini = files_end);

static const char pointer[] =
    "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22\nsize 12345\n";

/* Write the test image compressed, in `parts` members, behind `skip` bytes. */
static void write_packed(const char *path, rill_grey type, bool big, size_t skip, int parts)
{
    static file_bytes plain, part, packed;
    memset(plain.data, 7, plain.size = skip);
    packed.size = 0;
    bytes_image(&plain, type, big, size, forward);
    for (int p = 0; p < parts; p++) {
        const size_t from = plain.size * (size_t)p / (size_t)parts,
                     to = plain.size * (size_t)(p + 1) / (size_t)parts;
        memcpy(part.data, plain.data + from, part.size = to - from);
        bytes_deflate(&packed, &part, true);
    }
    files_write(path, packed.data, packed.size);
}

Test(foreign, raw_gz)
{
    write_packed("a-5x6x4-2um.raw.gz", RILL_GREY_U8, false, 0, 1);
    const rill_image seen = expect("a-5x6x4-2um.raw.gz", RILL_GREY_U8);
    cr_assert(seen.metric && fabs(seen.spacing[0] - 2e-6) < 1e-15 && strcmp(seen.kind, "raw, gzip") == 0,
              "%s", seen.kind);
    refuse_truncated("a-5x6x4-2um.raw.gz");
    write_packed("a-5x6x4.raw.gz", RILL_GREY_U16, false, 0, 3); /* the length decides */
    expect("a-5x6x4.raw.gz", RILL_GREY_U16);
    refuse_truncated("a-5x6x4.raw.gz");
    write_packed("a-5x6x4-i16be.raw.gz", RILL_GREY_I16, true, 0, 1);
    expect("a-5x6x4-i16be.raw.gz", RILL_GREY_I16);
    write_packed("b.gz", RILL_GREY_F32, false, 9, 2);
    const rill_image_options given = {.n = {5, 6, 4}, .type = RILL_GREY_F32, .big_endian = -1, .skip = 9};
    expect_with("b.gz", &given, RILL_GREY_F32);
    refuse("b.gz", "compressed with gzip", "gunzip");
    rename("b.gz", "b.raw.gz");
    refuse("b.raw.gz", "no size", "--size");
    refuse_with("b.raw.gz", &(rill_image_options){.n = {5, 6, 4}, .type = -1, .big_endian = -1, .skip = 9},
                "4 bytes per voxel", "f32");
    refuse_with("b.raw.gz",
                &(rill_image_options){.n = {5, 6, 3}, .type = RILL_GREY_F32, .big_endian = -1, .skip = 9},
                "goes on", "");
    refuse_with("b.raw.gz",
                &(rill_image_options){.n = {5, 6, 5}, .type = RILL_GREY_F32, .big_endian = -1, .skip = 9},
                "is cut", "");
    refuse_with("b.raw.gz",
                &(rill_image_options){.n = {5, 6, 4}, .type = RILL_GREY_F32, .big_endian = -1, .skip = 999},
                "too early", "");
    files_write("c_5x6x4.raw.gz", "plain", 5);
    refuse("c_5x6x4.raw.gz", "not compressed with gzip", "");
    write_packed("d_5x6x4.npy.gz", RILL_GREY_U8, false, 0, 1);
    refuse("d_5x6x4.npy.gz", "compressed with gzip", "gunzip");
}

/* A file that inflates to far more than its size: memory is that of a slice. */
Test(foreign, raw_gz_that_inflates_to_much)
{
    static file_bytes zeros, packed;
    zeros.size = sizeof zeros.data;
    packed.size = 0;
    for (int k = 0; k < 64; k++) bytes_deflate(&packed, &zeros, true);
    files_write("a_2x2x2.raw.gz", packed.data, packed.size);
    files_write("b_2000x2000x16_u8.raw.gz", packed.data, packed.size);
    setenv("RILL_MEMORY", "1MB", 1);
    refuse("a_2x2x2.raw.gz", "goes on", "8 bytes");
    rill_voxelize_options options = rill_voxelize_options_default();
    options.pore_count = 1; /* 0 */
    rill_geom *geom = NULL;
    cr_assert_eq(rill_image_voxelize("b_2000x2000x16_u8.raw.gz", &options, (rill_progress){0}, &geom, NULL),
                 RILL_SYSTEM);
    unsetenv("RILL_MEMORY");
}

Test(foreign, meta_image_with_gz)
{
    char text[256];
    write_packed("a.raw.gz", RILL_GREY_U16, true, 0, 2);
    static const char mhd[] =
        "NDims = 3\nDimSize = 5 6 4\nElementType = MET_USHORT\nElementByteOrderMSB = True\n%sElementDataFile = a.raw.gz\n";
    for (int told = 0; told < 2; told++) { /* with and without CompressedData */
        snprintf(text, sizeof text, mhd, told ? "CompressedData = True\n" : "");
        files_write("a.mhd", text, strlen(text));
        const rill_image seen = expect("a.mhd", RILL_GREY_U16);
        cr_assert(strstr(seen.kind, "MHD, gzip") && seen.file_count == 2, "%s", seen.kind);
    }
    write_packed("a.raw.gz", RILL_GREY_U16, true, 11, 1);
    snprintf(text, sizeof text, mhd, "HeaderSize = 11\n");
    files_write("b.mhd", text, strlen(text));
    expect("b.mhd", RILL_GREY_U16);
    snprintf(text, sizeof text, mhd, "HeaderSize = -1\n");
    files_write("b.mhd", text, strlen(text));
    refuse("b.mhd", "HeaderSize -1", "");
    files_write("a.raw.gz", pointer, sizeof pointer - 1);
    refuse("a.mhd", "a.raw.gz: it is a Git LFS pointer", "git lfs pull");
}

Test(foreign, hdf5_behind_a_block_of_matlab)
{
    static file_bytes b;
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    cr_assert_geq(H5Pset_userblock(creation, 512), 0);
    const hid_t file = H5Fcreate("a.mat", H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    b.size = 0;
    bytes_image(&b, RILL_GREY_U8, false, size, backward);
    cr_assert_geq(H5LTmake_dataset(file, "/im", 3, (const hsize_t[]){5, 6, 4}, H5T_NATIVE_UINT8, b.data), 0);
    H5Fclose(file);
    H5Pclose(creation);
    static const char title[] = "MATLAB 7.3 MAT-file, Platform: GLNXA64";
    for (size_t k = 0; k < sizeof title - 1; k++) files_poke("a.mat", k, (unsigned char)title[k]);
    expect("a.mat", RILL_GREY_U8);
    expect("a.mat:/im", RILL_GREY_U8);
}

Test(foreign, formats_are_named)
{
    static const struct {
        const char *path, *bytes;
        size_t length, at; /* at: of the bytes in the file */
        const char *word, *other;
    } files[] = {
        {"a.am", "# AmiraMesh 3D BINARY 2.0\n", 26, 0, "AmiraMesh", "TIFF"},
        {"b.am", "# Avizo BINARY-LITTLE-ENDIAN 2.1\n", 33, 0, "AmiraMesh", "TIFF"},
        {"a.mat", "MATLAB 5.0 MAT-file, Platform: GLNXA64\0\1IM", 42, 0, "MATLAB", "scipy.io.loadmat"},
        {"b.mat", "\1\2\3\4", 4, 0, "MATLAB", "-v7.3"},
        {"a.bmp", "BM\x7a\0\0\0\0\0\0\0\x1a\0\0\0\x28\0\0\0\5\0\0\0\6\0\0\0", 26, 0, "BMP",
         "mogrify -format png *.bmp"},
        {"a.gif", "GIF89a", 6, 0, "GIF", "mogrify"},
        {"a.pgm", "P5\n5 6\n255\n", 11, 0, "PNM", "mogrify"},
        {"a.jpg", "\xff\xd8\xff\xe0", 4, 0, "JPEG", ""},
        {"a.czi", "ZISRAWFILE", 10, 0, "CZI", "bfconvert"},
        {"a.txm", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8, 0, "OLE", "TIFF"},
        {"a.tar", "ustar", 5, 257, "tar archive", "tar -xf"},
        {"a.xz",
         "\xfd"
         "7zXZ\0",
         6, 0, "xz", "xz -dk"},
        {"a.dat", "<!DOCTYPE html><html></html>", 28, 0, "HTML", "download"},
        {"a.tif", "\n<html>", 7, 0, "HTML", "download"},
        {"a.vtu", "<?xml version=\"1.0\"?><VTKFile type=\"UnstructuredGrid\">", 55, 0, "UnstructuredGrid",
         "VTI"},
        {"a.obj", "v 0 0 0\n", 8, 0, "surface (.obj)", "voxelize"},
        {"a.unknown", "\1\2\3\4\5\6\7\x08", 8, 0, "no format", "2x2x2"},
    };
    static file_bytes b;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        memset(b.data, 0, b.size = files[k].at);
        bytes_add(&b, files[k].bytes, files[k].length);
        files_write(files[k].path, b.data, b.size);
        refuse(files[k].path, files[k].word, files[k].other);
    }
    static const char *const named[] = {"p.tif", "p.npy", "p_5x6x4.raw", "p.stl", "p_5x6x4.raw.gz",
                                        "p.h5",  "p"};
    for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
        files_write(named[k], pointer, sizeof pointer - 1);
        refuse(named[k], "Git LFS pointer", "git lfs pull");
    }
    refuse("p*.tif", "Git LFS pointer", "p.tif");
    /* One slice of several. */
    static const char *const endings[] = {"tif", "png"};
    for (size_t k = 0; k < 2; k++) {
        char path[16];
        snprintf(path, sizeof path, "s1.%s", endings[k]);
        files_write(path, pointer, sizeof pointer - 1);
        const rill_image_options given = {
            .format = k ? RILL_IMAGE_PNG : RILL_IMAGE_TIFF, .type = -1, .big_endian = -1};
        refuse_with(k ? "s*.png" : "s*.tif", &given, path, "it is a Git LFS pointer");
    }
}

Test(foreign, directories_are_named)
{
    static const struct {
        const char *path, *file, *bytes;
        size_t length;
        const char *word, *other;
    } cases[] = {
        {"a.zarr", ".zarray", "{}", 2, "Zarr", "zarr.open"},
        {"b.zarr", "zarr.json", "{}", 2, "Zarr", "numpy.save"},
        {"c.zarr", ".zgroup", "{}", 2, "Zarr", ""},
        {"bmp", "a.bmp", "BM\x7a\0\0\0\0\0\0\0\x1a\0\0\0\x28\0\0\0\5\0\0\0\6\0\0\0", 26, "BMP", "mogrify"},
        {"pgm", "a.pgm", "P5 5 6 255 ", 11, "PNM", "mogrify"},
        {"jpg", "a.jpg", "\xff\xd8\xff\xe0 ", 5, "JPEG", "TIFF or PNG"},
        {"text", "a.txt", "hello", 5, "no TIFF files", "no PNG files"}};
    char path[64];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cr_assert_eq(mkdir(cases[k].path, 0700), 0);
        snprintf(path, sizeof path, "%s/%s", cases[k].path, cases[k].file);
        files_write(path, cases[k].bytes, cases[k].length);
        refuse(cases[k].path, cases[k].word, cases[k].other);
    }
}
