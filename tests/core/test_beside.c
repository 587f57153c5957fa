/* SPDX-License-Identifier: Apache-2.0 */
/* Files that other files name: nothing outside the directory of the file that names it is read unless it is
 * permitted, no device or FIFO ever, and no message quotes what is in it. */
#include "image_expect.h"
#include "message.h"
#include "vessel_case.h"

#include "core/beside.h"
#include "io/hdf5.h"

#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTSIDE "outside its directory"
#define NO_FILE "not a regular file"

static void start(void)
{
    files_start();
    cr_assert_eq(mkdir("in", 0700), 0);
    cr_assert_eq(mkdir("in/deep", 0700), 0);
    cr_assert_eq(mkfifo("in/fifo", 0600), 0);
    vessel_write("secret", "root:x:0:0\nnever shown\n");
    vessel_write("in/data", "%64s", "");
    vessel_write("in/deep/data", "%64s", "");
    cr_assert_eq(symlink("../secret", "in/link"), 0);
    cr_assert_eq(symlink("deep/data", "in/near"), 0);
    cr_assert_eq(symlink("..", "in/up"), 0);
}

TestSuite(beside, .init = start, .fini = files_end);

static rill_file_outside outside_of(bool allowed)
{
    return allowed ? RILL_OUTSIDE_ALLOWED : RILL_OUTSIDE_ASKED;
}

static void expect_beside(const char *of, const char *name, bool outside, const char *wanted)
{
    char *path = NULL;
    cr_assert_eq(rill_file_beside(of, name, outside_of(outside), &path), RILL_OK, "%s", rill_error_message());
    cr_expect_str_eq(path, wanted);
    free(path);
}

static void refuse_beside(const char *name, bool outside, const char *part)
{
    char *path = NULL;
    cr_expect_eq(rill_file_beside("in/a.mhd", name, outside_of(outside), &path), RILL_USAGE, "%s", name);
    cr_expect_null(path);
    expect_message(part);
}

Test(beside, names_are_found_in_the_directory_and_below)
{
    char absolute[PATH_MAX];
    cr_assert_not_null(realpath("in/data", absolute));
    expect_beside("in/a.mhd", "data", false, "in/data");
    expect_beside("in/a.mhd", "deep/data", false, "in/deep/data");
    expect_beside("in/a.mhd", "deep/../data", false, "in/deep/../data");
    expect_beside("in/a.mhd", "near", false, "in/near");
    expect_beside("in/a.mhd", absolute, false, absolute);
    expect_beside("in/a.mhd", "missing", false, "in/missing");
    expect_beside("in/a.mhd", "deep/none/missing", false, "in/deep/none/missing");
    expect_beside("./in/a.mhd", "missing", false, "./in/missing");
    expect_beside("a.mhd", "in/data", false, "in/data");
    static const char *const names[] = {"../secret",         "/etc/passwd", "link",
                                        "up/secret",         "../missing",  "/none",
                                        "deep/../../secret", "up/missing",  "up/none/missing"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) refuse_beside(names[k], false, OUTSIDE);
    expect_beside("in/a.mhd", "../secret", true, "in/../secret");
    expect_beside("in/a.mhd", "link", true, "in/link");
    for (int outside = 0; outside < 2; outside++) {
        refuse_beside("fifo", outside, NO_FILE);
        refuse_beside("deep", outside, NO_FILE);
    }
    refuse_beside("/dev/zero", true, NO_FILE);
}

/* Where no option permits files outside, the message names none. */
Test(beside, the_option_is_named_where_there_is_one)
{
    char *path = NULL;
    refuse_beside("../secret", false, "--allow-outside");
    cr_expect_eq(rill_file_beside("in/a.mhd", "../secret", RILL_OUTSIDE_NEVER, &path), RILL_USAGE);
    expect_message(OUTSIDE);
    cr_expect_null(strstr(rill_error_message(), "allow"), "%s", rill_error_message());
}

Test(beside, headers_name_data)
{
    static const char *const names[] = {"../data-64", "/etc/passwd", "link"};
    rill_image_options options = rill_image_options_default();
    vessel_write("data-64", "%64s", "");
    for (int k = 0; k < 3; k++) {
        vessel_write("in/a.mhd",
                     "NDims = 3\nDimSize = 4 4 4\nElementType = MET_UCHAR\nElementDataFile = %s\n", names[k]);
        refuse("in/a.mhd", names[k], OUTSIDE);
        vessel_write("in/a.nrrd",
                     "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 4 4 4\nencoding: raw\ndata file: %s\n",
                     names[k]);
        refuse("in/a.nrrd", names[k], OUTSIDE);
    }
    vessel_write("in/a.mhd", "NDims = 3\nDimSize = 4 4 4\nElementType = MET_UCHAR\nElementDataFile = fifo\n");
    refuse("in/a.mhd", "fifo", NO_FILE);
    vessel_write("in/a.mhd",
                 "NDims = 3\nDimSize = 4 4 4\nElementType = MET_UCHAR\nElementDataFile = ../data-64\n");
    options.allow_outside = true;
    rill_image *image = NULL;
    cr_assert_eq(rill_image_open("in/a.mhd", &options, &image), RILL_OK, "%s", rill_error_message());
    rill_image_close(image);
}

/* Make an HDF5 file with "image", whose data are in another file: its bytes, or those of its "image". */
static void write_elsewhere(const char *path, const char *other, bool is_virtual)
{
    const hsize_t n[3] = {4, 4, 4};
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                space = H5Screate_simple(3, n, NULL), create = H5Pcreate(H5P_DATASET_CREATE);
    cr_assert_geq(is_virtual ? H5Pset_virtual(create, space, other, "image", space)
                             : H5Pset_external(create, other, 0, 64),
                  0);
    const hid_t set = H5Dcreate2(file, "image", H5T_STD_U8LE, space, H5P_DEFAULT, create, H5P_DEFAULT);
    cr_assert_geq(set, 0);
    H5Dclose(set);
    H5Pclose(create);
    H5Sclose(space);
    H5Fclose(file);
}

static void write_external(const char *path, const char *other) { write_elsewhere(path, other, false); }
static void write_virtual(const char *path, const char *other) { write_elsewhere(path, other, true); }

/* Make an HDF5 file with "image", which is that of another file. */
static void write_link(const char *path, const char *other)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    cr_assert_geq(H5Lcreate_external(other, "image", file, "image", H5P_DEFAULT, H5P_DEFAULT), 0);
    H5Fclose(file);
}

static void expect_open(const char *path, bool outside)
{
    rill_image_options options = rill_image_options_default();
    rill_image *image = NULL;
    unsigned char grey[16];
    options.allow_outside = outside;
    cr_assert_eq(rill_image_open(path, &options, &image), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_image_read(image, 0, grey), RILL_OK, "%s", rill_error_message());
    cr_expect_eq(grey[0], ' ');
    rill_image_close(image);
}

Test(beside, hdf5_names_files)
{
    rill_h5_file *file = NULL;
    uint64_t n[3] = {4, 4, 4};
    unsigned char voxels[64];
    vessel_write("data-64", "%64s", "");
    write_external("in/a.h5", "/etc/passwd");
    refuse("in/a.h5", "/etc/passwd", OUTSIDE);
    refuse("in/a.h5:/image", "/etc/passwd", OUTSIDE);
    cr_assert_eq(rill_h5_open("in/a.h5", &file), RILL_OK);
    cr_expect_eq(rill_h5_read(file, "/image", RILL_H5_U8, 3, NULL, n, voxels), RILL_USAGE);
    expect_message("its data are in the file /etc/passwd");
    rill_h5_close(file);
    write_external("in/a.h5", "fifo");
    refuse("in/a.h5", "fifo", NO_FILE);
    write_external("in/a.h5", "data-64"); /* of the working directory, where HDF5 would look */
    refuse("in/a.h5", "data-64", "not in its directory");
    write_external("in/b.h5", "data");
    expect_open("in/b.h5", false);
    write_external("far.h5", "data-64");
    write_link("in/c.h5", "../far.h5");
    refuse("in/c.h5:/image", "../far.h5", OUTSIDE);
    expect_open("in/c.h5:/image", true);
    cr_assert_eq(rill_h5_open("in/c.h5", &file), RILL_OK);
    cr_expect_not(rill_h5_exists(file, "/image"));
    cr_expect_eq(rill_h5_read(file, "/image", RILL_H5_U8, 3, NULL, n, voxels), RILL_USAGE);
    rill_h5_close(file);
    write_link("in/c.h5", "b.h5");
    expect_open("in/c.h5:/image", false);
    write_virtual("in/d.h5", "../far.h5");
    refuse("in/d.h5", "../far.h5", OUTSIDE);
    write_virtual("in/d.h5", "b.h5");
    rill_image *image = NULL;
    const rill_image_options options = rill_image_options_default();
    cr_expect_eq(rill_image_open("in/d.h5", &options, &image), RILL_OK, "%s", rill_error_message());
    rill_image_close(image);
}

static void refuse_case(const char *geometry, const char *wave, const char *part)
{
    rill_case *c = NULL;
    vessel_write("in/v.yaml",
                 "geometry: %s\nfluid: {density: 1060 kg/m3, viscosity: 3.5 mPa.s}\nopenings:\n"
                 "  in: {kind: inlet, waveform: %s}\n  out: {kind: pressure, pressure: 0 Pa}\n",
                 geometry, wave);
    cr_expect_eq(rill_case_read("in/v.yaml", &c), RILL_USAGE);
    cr_expect_null(c);
    expect_message(part);
    cr_expect_null(strstr(rill_error_message(), "root"), "%s", rill_error_message());
}

Test(beside, cases_name_geometries_and_waveforms)
{
    rill_case *c = NULL;
    refuse_case("fifo", "w.csv", NO_FILE);
    refuse_case("v.geom.h5", "../secret", OUTSIDE);
    refuse_case("v.geom.h5", "/etc/passwd", OUTSIDE);
    refuse_case("v.geom.h5", "link", OUTSIDE);
    refuse_case("v.geom.h5", "fifo", NO_FILE);
    cr_assert_eq(rill_case_read_outside(NULL, "in/v.yaml", &c), RILL_USAGE);
    expect_message(NO_FILE);
    static const char *const texts[] = {"root:x:0:0:root:/root:/bin/sh\nroot\n", "root,x\n1,2\n",
                                        "time [s], root\n1, 2\n", "time [s], flow [mL/s]\nroot\n",
                                        "time [s], flow [mL/s]\n0, root\n"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        vessel_write("in/w.csv", "%s", texts[k]);
        refuse_case("v.geom.h5", "w.csv", "w.csv:");
    }
    vessel_write("w.csv", "time [s], flow [mL/s]\n0, 1\n0.2, 2\n0.5, 2\n0.8, 1\n");
    refuse_case("../v.geom.h5", "../w.csv", OUTSIDE);
    cr_assert_eq(rill_case_read_outside(NULL, "in/v.yaml", &c), RILL_OK, "%s", rill_error_message());
    cr_expect_str_eq(rill_case_geometry(c), "in/../v.geom.h5");
    rill_case_destroy(c);
}
