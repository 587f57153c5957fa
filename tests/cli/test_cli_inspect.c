/* SPDX-License-Identifier: Apache-2.0 */
/* HDF5 files that rill did not write are read by rill-inspect first, where they may crash or take for ever.
 */
#include "cli_test.h"
#include "core/sanitized.h"
#include "rill.h"

#include <hdf5_hl.h>
#include <stdint.h>
#include <sys/stat.h>

TestSuite(inspect, .init = cli_test_start, .fini = cli_test_end);

/* Put a shell script in the place of rill-inspect; it is given VERSION KIND SECONDS WHICH FILE OUTSIDE. */
static void replace(const char *script)
{
    char path[DIRECTORY_SIZE + 16];
    snprintf(path, sizeof path, "%s/inspector", cli_test_directory);
    FILE *file = fopen(path, "w");
    cr_assert(file && fprintf(file, "#!/bin/sh\n%s\n", script) > 0 && fclose(file) == 0);
    cr_assert_eq(chmod(path, 0755), 0);
    setenv("RILL_INSPECT", path, 1);
}

static void image_write(const char *path, int deflate)
{
    static unsigned char im[16 * 16 * 16];
    const hsize_t n[3] = {16, 16, 16}, chunk[3] = {8, 8, 8};
    for (int k = 0; k < 4096; k++) im[k] = k * 7 % 11 < 5;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_DATASET_CREATE);
    if (deflate) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_chunk(creation, 3, chunk);
    H5Pset_deflate(creation, 5);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access),
                space = H5Screate_simple(3, n, NULL),
                set = H5Dcreate2(file, "im", H5T_STD_U8LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    cr_assert(set >= 0 && H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, im) >= 0);
    for (int k = 0; k < 12; k++) {
        char name[16];
        snprintf(name, sizeof name, "a%d", k);
        cr_assert_geq(H5LTset_attribute_string(file, "im", name, "a text"), 0);
    }
    H5Dclose(set), H5Sclose(space), H5Pclose(creation), H5Pclose(access), H5Fclose(file);
}

static void generate(const char *path)
{
    const cli_result r = cli_test_run("generate", "spheres", "--cells", "12", "-q", "-o", path);
    cr_assert_eq(r.code, 0, "%s", r.err);
}

/* Every command that reads HDF5 tells a crash there in a sentence with the name of the file. */
Test(inspect, crashes_are_sentences)
{
    generate("a.geom.h5");
    cli_result r = cli_test_run("permeability", "a.geom.h5", "--axis", "z", "--backend", "cpu", "-q", "-o",
                                "a.h5", "--fields", "sparse");
    cr_assert_eq(r.code, 0, "%s", r.err);
    image_write("im.h5", 0);
    replace("kill -SEGV $$");
#define CRASH(file, ...) cli_test_fails(1, file ": it is a damaged HDF5 file, on which", __VA_ARGS__)
    CRASH("a.geom.h5", "info", "a.geom.h5");
    CRASH("a.h5", "info", "a.h5");
    CRASH("a.geom.h5", "permeability", "a.geom.h5", "--axis", "z", "-q");
    CRASH("a.geom.h5", "export", "a.geom.h5", "-o", "a.png");
    CRASH("im.h5", "voxelize", "im.h5", "--pore", "1", "--voxel-size", "1um", "-q", "-o", "b.geom.h5");
    CRASH("im.h5:/im", "permeability", "im.h5:/im", "--pore", "1", "--voxel-size", "1um", "-q");
    cli_test_fails(1, "it is a damaged HDF5 file", "export", "a.vtkhdf", "-o", "b.vtkhdf");
    cr_expect_not(cli_test_exists("b.vtkhdf"));
}

/* So does the library. What a process wrote itself it reads without. */
Test(inspect, library)
{
    rill_geom *geom = NULL, *read = NULL;
    rill_file *file = NULL;
    generate("a.geom.h5");
    cr_assert_eq(rill_geom_read("a.geom.h5", &geom), RILL_OK, "%s", rill_error_message());
    replace("kill -SEGV $$");
    cr_assert_eq(rill_geom_read("a.geom.h5", &read), RILL_OK, "a file that has not changed: %s",
                 rill_error_message());
    rill_geom_destroy(read);
    cr_assert_eq(rill_geom_write(geom, "b.geom.h5", NULL), RILL_OK);
    cr_assert_eq(rill_geom_read("b.geom.h5", &read), RILL_OK, "its own file: %s", rill_error_message());
    rill_geom_destroy(read);
    cr_assert_eq(chmod("b.geom.h5", 0600), 0); /* the file has changed */
    cr_assert_eq(rill_geom_read("b.geom.h5", &read), RILL_USAGE);
    cr_assert_eq(rill_file_open("b.geom.h5", &file), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "cannot read b.geom.h5: it is a damaged HDF5 file"), "%s",
                       rill_error_message());
    rill_geom_destroy(geom);
}

/* Return how often the program in place of rill-inspect has begun. */
static int calls(void)
{
    int count = 0;
    FILE *file = fopen("calls", "r");
    for (int c; file && (c = fgetc(file)) != EOF;) count += c == 'x';
    if (file) fclose(file);
    return count;
}

/* Give the program in place of rill-inspect another time. @return false: after the longest */
static bool next_time(double *seconds)
{
    char text[32];
    *seconds *= 4;
    snprintf(text, sizeof text, "%g", *seconds);
    setenv("RILL_INSPECT_SECONDS", text, 1);
    return *seconds < 50;
}

/* On a busy machine the time of a program may be over before it has begun: it is given more then. */
Test(inspect, time_is_limited)
{
    generate("a.geom.h5");
    replace("echo x >>calls; exec sleep 600");
    for (double s = 0.1; calls() == 0 && next_time(&s);)
        cli_test_fails(1, "a.geom.h5: the HDF5 library takes longer than", "info", "a.geom.h5");
    cr_expect_eq(calls(), 1, "a file that takes too long is read once");
    for (double s = 0.1; calls() == 1 && next_time(&s);)
        cli_test_fails(1, "a.geom.h5: the HDF5 library takes longer than", "permeability", "a.geom.h5", "-q");
    cr_expect_eq(calls(), 2, "also by permeability");
    setenv("RILL_INSPECT_SECONDS", "soon", 1);
    cli_test_fails(1, "RILL_INSPECT_SECONDS is \"soon\"", "info", "a.geom.h5");
}

/* Other programs and slow disks do not count: a file is read that takes longer by the clock alone. */
Test(inspect, time_is_that_of_a_processor)
{
    generate("a.geom.h5");
    setenv("RILL_INSPECT_SECONDS", "5", 1);
    replace("sleep 6; printf K");
    const cli_result r = cli_test_run("info", "a.geom.h5");
    cr_expect_eq(r.code, 0, "%s", r.err);
    generate("b.geom.h5");
    replace("kill -XCPU $$");
    cli_test_fails(1, "b.geom.h5: the HDF5 library takes longer than 5 s", "info", "b.geom.h5");
}

/* In the library too, until more time is given. */
Test(inspect, refusals_are_remembered)
{
    rill_geom *geom = NULL;
    generate("a.geom.h5");
    replace("echo x >>calls; exec sleep 600");
    for (double s = 0.1; calls() == 0 && next_time(&s);)
        cr_expect_eq(rill_geom_read("a.geom.h5", &geom), RILL_USAGE);
    cr_expect_eq(rill_geom_read("a.geom.h5", &geom), RILL_USAGE);
    cr_expect(strstr(rill_error_message(), "longer than"), "%s", rill_error_message());
    cr_expect_eq(calls(), 1);
    replace("printf K");
    setenv("RILL_INSPECT_SECONDS", "100", 1);
    cr_expect_eq(rill_geom_read("a.geom.h5", &geom), RILL_OK, "%s", rill_error_message());
    rill_geom_destroy(geom);
}

/* Tools of OpenMP print lines of their own. */
Test(inspect, other_lines_are_no_answer)
{
    generate("a.geom.h5");
    replace("echo Archer watches; printf K");
    const cli_result r = cli_test_run("info", "a.geom.h5");
    cr_expect_eq(r.code, 0, "%s", r.err);
    replace("echo Archer watches; echo 1it is so");
    cli_test_fails(1, "a.geom.h5: it is so", "info", "a.geom.h5");
}

/* It is never left out in silence. */
Test(inspect, program_is_there)
{
    char command[1024];
    generate("a.geom.h5");
    setenv("RILL_INSPECT", "/no/where", 1);
    cli_test_fails(3, "RILL_INSPECT names /no/where, which cannot be run", "info", "a.geom.h5");
    unsetenv("RILL_INSPECT");
    snprintf(
        command, sizeof command,
        "mkdir -p 'a b/bin' 'a b/lib64/rill' && cp '%s' 'a b/bin' && ! 'a b/bin/rill' info a.geom.h5 2>err && grep -q 'rill-inspect, "
        "which reads HDF5 files first, is not' err",
        getenv("RILL"));
    cr_assert_eq(system(command), 0);
    snprintf(
        command, sizeof command,
        "cp \"$(dirname '%s')/rill-inspect\" 'a b/lib64/rill' && 'a b/bin/rill' info a.geom.h5 >/dev/null && cd 'a b/bin' && PATH=. "
        "&& rill info ../../a.geom.h5 >/dev/null",
        getenv("RILL"));
    cr_assert_eq(system(command), 0);
    replace("kill -KILL $$");
    cli_test_fails(3, "rill-inspect was killed", "info", "a.geom.h5");
    replace("echo 3rill-inspect is of another version");
    cli_test_fails(3, "is of another version", "info", "a.geom.h5");
}

/* The file that is opened is the one that was inspected. */
Test(inspect, changes_between_are_found)
{
    generate("a.geom.h5");
    replace("cp \"$5\" other; mv other \"$5\"; printf K");
    cli_test_fails(1, "a.geom.h5: another program changes it", "info", "a.geom.h5");
    image_write("im.h5", 0);
    replace("chmod 600 \"$5\"; printf K");
    cli_test_fails(1, "im.h5: another program changes it", "voxelize", "im.h5", "--pore", "1", "--voxel-size",
                   "1um", "-q", "-o", "b.geom.h5");
}

/* Shell commands that a first call makes, and no other, before the answer K. */
#define ONCE(commands) "[ -e once ] || { : >once; " commands "; }; printf K"
#define ANOTHER "cp \"$5\" other; mv other \"$5\""

/* A file that another one replaces, as programs do that write under a temporary name, is inspected anew. */
Test(inspect, replaced_files_are_read)
{
    static const char *const scripts[] = {
        ONCE(ANOTHER), ONCE(ANOTHER "; " ANOTHER), /* twice: file systems give the number of an inode again */
        ONCE(ANOTHER "; printf '1another program changes it'; exit")};
    rill_geom *geom = NULL;
    generate("a.geom.h5");
    image_write("im.h5", 0);
    for (size_t k = 0; k < sizeof scripts / sizeof *scripts; k++) {
        replace(scripts[k]);
        cli_result r = cli_test_run("info", "a.geom.h5");
        cr_expect_eq(r.code, 0, "%s", r.err);
        cr_assert_eq(remove("once"), 0);
        r = cli_test_run("voxelize", "im.h5", "--pore", "1", "--voxel-size", "1um", "-q", "-o", "b.geom.h5");
        cr_expect_eq(r.code, 0, "%s", r.err);
        cr_assert_eq(remove("once"), 0);
        cr_expect_eq(rill_geom_read("a.geom.h5", &geom), RILL_OK, "%s", rill_error_message());
        cr_assert_eq(remove("once"), 0);
        rill_geom_destroy(geom);
        geom = NULL;
    }
}

/* The checksum is that of the file that is read: one that replaces it while it is inspected is compared, too.
 */
Test(inspect, replacing_files_are_compared)
{
    generate("a.geom.h5");
    cr_assert_eq(system("cp a.geom.h5 b && printf x | dd of=b bs=1 seek=1200 conv=notrunc 2>/dev/null"), 0);
    replace(ONCE("mv b \"$5\""));
    cli_test_fails(1, "damaged", "permeability", "a.geom.h5", "--axis", "z", "-q");
    cr_expect(cli_test_exists("once"));
}

/* One whose bytes change under the reader is refused. */
Test(inspect, changed_files_are_refused)
{
    rill_geom *geom = NULL;
    generate("a.geom.h5");
    replace(ONCE("printf x | dd of=\"$5\" bs=1 seek=600 conv=notrunc 2>/dev/null"));
    cr_expect_eq(rill_geom_read("a.geom.h5", &geom), RILL_USAGE);
    cr_expect(strstr(rill_error_message(), "a.geom.h5: another program changes it"), "%s",
              rill_error_message());
    cr_assert_eq(remove("once"), 0);
    cli_test_fails(1, "a.geom.h5: it is damaged", "info", "a.geom.h5");
    image_write("im.h5", 0);
    replace(ONCE("printf x >>\"$5\""));
    cli_test_fails(1, "im.h5: another program changes it", "voxelize", "im.h5", "--pore", "1", "--voxel-size",
                   "1um", "-q", "-o", "b.geom.h5");
}

/* Processes share the values of a large file, and each of them can refuse it. */
Test(inspect, large_files_are_shared)
{
    static const char *const crash = "case $7 in 2/4) kill -SEGV $$;; 3/4) sleep 600;; esac; printf K";
    generate("a.geom.h5");
    cr_assert_eq(truncate("a.geom.h5", 5 << 20), 0); /* HDF5 reads no further than it wrote */
    setenv("OMP_NUM_THREADS", "16", 1);
    cli_result r = cli_test_run("info", "a.geom.h5");
    cr_expect_eq(r.code, 0, "%s", r.err);
    replace("echo \"$7\" >>told; printf K");
    r = cli_test_run("info", "a.geom.h5");
    cr_expect_eq(r.code, 0, "%s", r.err);
    cr_expect_eq(system("printf '0/4\\n1/4\\n2/4\\n3/4\\n' >all; sort told | cmp - all"), 0);
    replace(crash);
    cli_test_fails(1, "a.geom.h5: it is a damaged HDF5 file, on which", "info", "a.geom.h5");
    setenv("OMP_NUM_THREADS", "1", 1); /* one process reads all */
    replace("[ $# = 6 ] && printf K");
    r = cli_test_run("info", "a.geom.h5");
    cr_expect_eq(r.code, 0, "%s", r.err);
}

/* Where the system grants files, or processes, for one alone, one reads the file. */
Test(inspect, one_suffices)
{
    char line[1024];
    int alone = 0;
    generate("a.geom.h5");
    cr_assert_eq(truncate("a.geom.h5", 5 << 20), 0);
    for (int files = 4; files < 16; files++) {
        int code[2];
        for (int k = 0; k < 2; k++) {
            snprintf(line, sizeof line,
                     "exec >/dev/null 2>&1; ulimit -n %d; OMP_NUM_THREADS=%d exec '%s' info a.geom.h5", files,
                     k ? 16 : 1, getenv("RILL"));
            code[k] = system(line);
        }
        cr_expect_eq(code[0] == 0, code[1] == 0, "%d files: exit codes %d and %d", files, code[0], code[1]);
        alone += code[0] == 0;
    }
    cr_expect(alone > 0 && alone < 12, "%d of 12", alone);
}

/* Return the bytes that rill-inspect reads as one share, with those of its libraries; 0: the system does not
 * count them. */
static double bytes_read(const char *share)
{
    char line[4096];
    double bytes = 0;
    snprintf(
        line, sizeof line,
        "v=$('%s' --version | head -n 1); \"$(dirname '%s')/rill-inspect\" \"${v#rill }\" file 100 '' a.geom.h5 inside %s | "
        "grep -q K && sed -n 's/rchar: //p' /proc/$$/io",
        getenv("RILL"), getenv("RILL"), share);
    FILE *out = popen(line, "r");
    cr_assert_not_null(out);
    if (fscanf(out, "%lf", &bytes) != 1) bytes = 0;
    cr_assert_eq(pclose(out), 0, "%s", line);
    return bytes;
}

/* All values are read by one of the processes, and by one alone. */
Test(inspect, shares_are_the_whole)
{
    static const char *const shares[] = {"0/4", "1/4", "2/4", "3/4"};
    const cli_result r =
        cli_test_run("generate", "noise", "--size", "256", "--porosity", "0.5", "-q", "-o", "a.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    const double none = bytes_read("899/900"), all = bytes_read("0/1") - none;
    double sum = 0;
    if (none == 0) cr_skip_test("the system does not count bytes");
    for (int k = 0; k < 4; k++) {
        const double own = bytes_read(shares[k]) - none;
        cr_expect_gt(own, 0.05 * all, "%s reads %g of %g bytes", shares[k], own, all);
        sum += own;
    }
    cr_expect_float_eq(sum, all, 0.003 * all, "%g, not %g bytes", sum, all);
}

Test(inspect, options_reach_it)
{
    image_write("im.h5", 0);
    replace("echo \"$2 $6 $7\" >>told; printf K");
    cli_result r = cli_test_run("permeability", "im.h5:/im", "--allow-outside", "--pore", "1", "--voxel-size",
                                "1um", "-q", "--dry-run");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("info", "im.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_eq(system("printf 'image outside /im\\nfile inside \\nimage inside \\n' | cmp - told"), 0);
}

/* Where the process may have less memory than reading takes, its limit is named, not the file. */
Test(inspect, limits_of_the_process_are_named, .disabled = SANITIZED)
{
    static const int limits[] = {6000, 10000, 10500, 20000}; /* KiB: of several places that want memory */
    char line[4096], said[4096];
    const cli_result r = cli_test_run("generate", "gyroid", "--cells", "64", "-q", "-o", "a.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    for (int k = 0; k < 4; k++) {
        snprintf(line, sizeof line,
                 "ulimit -d %d; OMP_NUM_THREADS=1 exec '%s' permeability a.geom.h5 -q 2>&1", limits[k],
                 getenv("RILL"));
        FILE *out = popen(line, "r");
        cr_assert_not_null(out);
        const size_t size = fread(said, 1, sizeof said - 1, out);
        said[size] = '\0';
        cr_expect_eq(WEXITSTATUS(pclose(out)), 3, "%d: %s", limits[k], said);
        cr_expect(strstr(said, "a.geom.h5") && strstr(said, "(ulimit -v, ulimit -d)"), "%d: %s", limits[k],
                  said);
    }
}

/* A group that holds itself under 40 names has 40^6 paths. */
Test(inspect, groups_of_several_names)
{
    const hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const int version = 1;
    cr_assert_geq(H5LTset_attribute_string(file, "/", "format", "rill-result"), 0);
    cr_assert_geq(H5LTset_attribute_int(file, "/", "format_version", &version, 1), 0);
    for (int k = 0; k < 40; k++) {
        char name[16];
        snprintf(name, sizeof name, "a%d", k);
        cr_assert_geq(H5Lcreate_hard(file, "/", file, name, H5P_DEFAULT, H5P_DEFAULT), 0);
    }
    H5Fclose(file);
    cli_test_fails(1, "its group /a0 has several names", "info", "a.h5");
}

/* A dataset of `n`^3 bytes in chunks of `chunk`^3 that are not written. */
static void declare(const char *path, hsize_t n, hsize_t chunk)
{
    const hsize_t sizes[3] = {n, n, n}, most[3] = {H5S_UNLIMITED, n, n}, chunks[3] = {chunk, chunk, chunk};
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                space = H5Screate_simple(3, sizes, chunk > n ? NULL : most),
                creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 3, chunks);
    const hid_t set = H5Dcreate2(file, "im", H5T_STD_U8LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    cr_assert_geq(set, 0);
    H5Dclose(set), H5Pclose(creation), H5Sclose(space), H5Fclose(file);
}

Test(inspect, extents_are_compared_with_the_bytes)
{
    declare("a.h5", 20000, 100);
    cli_test_fails(1, "declares 8e+12 bytes, and the file has", "voxelize", "a.h5", "--pore", "0",
                   "--voxel-size", "1um", "-q", "-o", "a.geom.h5");
    cli_test_fails(1, "declares 8e+12 bytes, and the file has", "info", "a.h5");
    declare("b.h5", 300, 100);
    const cli_result r = cli_test_run("info", "b.h5");
    cr_assert_eq(r.code, 0, "27 MB that are not written: %s", r.err);
}

/* Mutations in which HDF5 1.10 is known to crash: rill ends as on any damaged file. */
Test(inspect, mutations)
{
    static unsigned char bytes[1 << 16];
    uint64_t random = 1;
    for (int k = 0; k < 80; k++) {
        image_write("m.h5", 1);
        FILE *file = fopen("m.h5", "r+b");
        const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
        cr_assert_gt(size, 0);
        for (int m = 0; m < 4; m++) {
            static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xfe, 0xff};
            random = random * 6364136223846793005u + 1442695040888963407u;
            bytes[(random >> 33) % size] = values[(random >> 20) % 6];
        }
        rewind(file);
        cr_assert(fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
        const cli_result r = cli_test_run("info", "m.h5");
        cr_expect(r.code == 0 || r.code == 1 || r.code == 3, "mutation %d: %d: %s", k, r.code, r.err);
    }
}
