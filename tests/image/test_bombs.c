/* SPDX-License-Identifier: Apache-2.0 */
/* Small files that declare, or inflate to, far more than they hold are refused in one sentence before memory
 * is taken for it: compressed data of every format. */
#include "image_expect.h"
#include "peak.h"

#include <hdf5.h>

static const double MOST = 48 << 20; /* bytes of memory that a refusal may take beyond what the process has */

TestSuite(bombs, .init = files_start, .fini = files_end);

/* Open an image and read its slices: it is refused, and takes little memory. */
static void refuse_small(const char *path, const rill_image_options *options, const char *why)
{
    rill_image *image = NULL;
    peak_restart();
    const double before = status_of("RssAnon");
    rill_status status = rill_image_open(path, options, &image);
    if (status == RILL_OK) {
        char *grey = malloc(rill_image_slice_voxels(image) * rill_grey_size(image->type));
        for (uint32_t k = 0; status == RILL_OK && k < image->n[image->order[2]]; k++)
            status = rill_image_read(image, k, grey);
        free(grey);
        rill_image_close(image);
    }
    cr_assert_eq(status, RILL_USAGE, "%s: status %d", path, status);
    cr_assert(strstr(rill_error_message(), why), "%s: %s", path, rill_error_message());
    cr_assert_null(strchr(rill_error_message(), '\n'), "%s", rill_error_message());
    cr_assert_lt(peak_of_memory() - before, MOST, "%s", path);
}

/* Append zeros that are compressed: 1 MiB in about 1 kB. @param bits  of zlib's window: 31 gzip, 15 zlib */
static void add_zeros(file_bytes *b, size_t count, int bits)
{
    static unsigned char zeros[1 << 16];
    z_stream z = {.next_out = b->data + b->size, .avail_out = (uInt)(sizeof b->data - b->size)};
    cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, bits, 9, Z_DEFAULT_STRATEGY), Z_OK);
    for (size_t left = count; left > 0; left -= z.avail_in) {
        z.next_in = zeros;
        z.avail_in = (uInt)(left < sizeof zeros ? left : sizeof zeros);
        const uInt given = z.avail_in;
        cr_assert_eq(deflate(&z, left == given ? Z_FINISH : Z_NO_FLUSH), left == given ? Z_STREAM_END : Z_OK);
        cr_assert_eq(z.avail_in, 0);
        z.avail_in = given;
    }
    b->size += z.total_out;
    deflateEnd(&z);
}

static const char nrrd[] = "NRRD0004\ntype: uint8\ndimension: 3\nsizes: %s\nencoding: gzip\n\n";
static const char mhd[] = "ObjectType = Image\nNDims = 3\nDimSize = %s\nElementType = MET_UCHAR\n"
                          "CompressedData = True\nElementDataFile = LOCAL\n";

/* What no deflate can hold is refused by the header alone; 1 kB of deflate holds 1 MiB at most. */
Test(bombs, declared_in_headers)
{
    static file_bytes b;
    static const char *const sizes[] = {"4000 4000 4000", "1000 1000 150"}; /* 64 GB; 150 MB */
    const rill_image_options automatic = rill_image_options_default();
    for (int k = 0; k < 2; k++) {
        b.size = 0;
        bytes_print(&b, nrrd, sizes[k]);
        add_zeros(&b, 1 << 20, 31);
        files_write("a.nrrd", b.data, b.size);
        refuse_small("a.nrrd", &automatic, "1032 times");
        b.size = 0;
        bytes_print(&b, mhd, sizes[k]);
        add_zeros(&b, 1 << 20, 15);
        files_write("a.mhd", b.data, b.size);
        refuse_small("a.mhd", &automatic, "1032 times");
    }
}

Test(bombs, declared_by_options)
{
    static file_bytes b;
    rill_image_options options = rill_image_options_default();
    add_zeros(&b, 1 << 20, 31);
    files_write("a.raw.gz", b.data, b.size);
    for (int a = 0; a < 3; a++) options.n[a] = 4000;
    refuse_small("a.raw.gz", &options, "1032 times");
}

/* Data that goes on behind the image ends the reading there. */
Test(bombs, data_without_end)
{
    static file_bytes b;
    const rill_image_options automatic = rill_image_options_default();
    rill_image_options options = automatic;
    b.size = 0;
    add_zeros(&b, 40 << 20, 31);
    files_write("a.raw.gz", b.data, b.size);
    for (int a = 0; a < 3; a++) options.n[a] = 8;
    refuse_small("a.raw.gz", &options, "goes on");
    b.size = 0;
    bytes_print(&b, nrrd, "8 8 8");
    add_zeros(&b, 40 << 20, 31);
    files_write("a.nrrd", b.data, b.size);
    refuse_small("a.nrrd", &automatic, "goes on");
}

/* A VTI states the sizes of its blocks itself. */
Test(bombs, blocks_of_vti)
{
    static file_bytes b;
    static const uint32_t blocks[][3] = {{4096, 1 << 20, 0}, {UINT32_MAX, 1u << 31, 0}, {1, 1u << 31, 0}};
    const rill_image_options automatic = rill_image_options_default();
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        b.size = 0;
        bytes_print(
            &b,
            "<?xml version=\"1.0\"?><VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt32\" compressor=\"vtkZLibDataCompressor\"><ImageData WholeExtent=\"0 1024 0 1024 0 4096\" Origin=\"0 0 0\" Spacing=\"1 1 1\"><Piece Extent=\"0 1024 0 1024 0 4096\"><CellData><DataArray type=\"UInt8\" Name=\"a\" format=\"appended\" offset=\"0\"/></CellData></Piece></ImageData><AppendedData encoding=\"raw\">_");
        bytes_add(&b, blocks[k], sizeof blocks[k]);
        for (int m = 0; m < 4096; m++) bytes_value(&b, RILL_GREY_U32, false, 1000);
        add_zeros(&b, 1 << 20, 15);
        bytes_print(&b, "</AppendedData></VTKFile>");
        files_write("a.vti", b.data, b.size);
        refuse_small("a.vti", &automatic, k == 0 ? "1032 times" : "bytes, but");
    }
}

/* ---- links that only another program knows ---------------------------------------------------- */

static hid_t follow(const char *name, hid_t group, const void *data, size_t bytes, hid_t link, hid_t access)
{
    (void)name, (void)data, (void)bytes, (void)link, (void)access;
    return H5Oopen(group, "/", H5P_DEFAULT);
}

/* A user-defined link is no image, and none is read through it. */
Test(bombs, links_of_users)
{
    const H5L_class_t class = {H5L_LINK_CLASS_T_VERS, 70, "mine", NULL, NULL, NULL, follow, NULL, NULL};
    const hsize_t n[] = {4, 4, 4};
    const rill_image_options automatic = rill_image_options_default();
    rill_image *image = NULL;
    cr_assert_geq(H5Lregister(&class), 0);
    const hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(3, n, NULL);
    cr_assert_geq(H5Lcreate_ud(file, "again", 70, "", 0, H5P_DEFAULT, H5P_DEFAULT), 0);
    H5Dclose(H5Dcreate2(group, "im", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Gclose(group);
    H5Fclose(file);
    H5Lunregister(70);
    cr_assert_eq(rill_image_open("a.h5", &automatic, &image), RILL_OK, "%s", rill_error_message());
    rill_image_close(image);
    cr_assert_eq(rill_image_open("a.h5:/again/g/im", &automatic, &image), RILL_USAGE);
    cr_assert_null(strchr(rill_error_message(), '\n'), "%s", rill_error_message());
}
