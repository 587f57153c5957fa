/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints: the same bits come back, damage is found, the generation before is there, others' are refused.
 */
#include "core/status.h"
#include "io_test.h"
#include "io/checkpoint.h"
#include "io/hdf5.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than a piece, and no whole number of chunks. */
enum { BIG = (9 << 20) + 77 };

static const rill_checkpoint_key key = {"0123456789abcdef", "fedcba9876543210", "d3q19-trt-fp32 cpu"};
static unsigned char *big, small[24];

static void begin(void)
{
    io_test_start();
    big = malloc(BIG);
    cr_assert(big);
}

static void end(void)
{
    free(big);
    io_test_end();
}

TestSuite(checkpoint, .init = begin, .fini = end);

/* What the run holds at a step. */
static void fill(unsigned step)
{
    for (unsigned k = 0; k < BIG; k++) big[k] = (unsigned char)(k * 2654435761u >> 24 ^ step);
    for (unsigned k = 0; k < sizeof small; k++) small[k] = (unsigned char)(k + step);
}

static void expect(unsigned step)
{
    for (unsigned k = 0; k < BIG; k++)
        cr_assert_eq(big[k], (unsigned char)(k * 2654435761u >> 24 ^ step), "byte %u", k);
    for (unsigned k = 0; k < sizeof small; k++) cr_assert_eq(small[k], (unsigned char)(k + step));
}

static void parts_of(rill_checkpoint_part parts[2])
{
    parts[0] = rill_checkpoint_memory("populations", big, BIG);
    parts[1] = rill_checkpoint_memory("sums", small, sizeof small);
}

static void save(const char *path, unsigned step)
{
    rill_checkpoint_part parts[2];
    parts_of(parts);
    fill(step);
    cr_assert_eq(rill_checkpoint_write(path, &key, step, parts, 2), RILL_OK, "%s", rill_error_message());
    memset(big, 0, BIG);
    memset(small, 0, sizeof small);
}

static rill_status load(const char *path, const rill_checkpoint_key *k, uint64_t *steps)
{
    rill_checkpoint_part parts[2];
    parts_of(parts);
    return rill_checkpoint_read(path, k, parts, 2, steps);
}

/* A file that holds all that a checkpoint does but one attribute, or the same with another's text. */
static void forge(const char *path, const char *without, const char *text)
{
    const char *const texts[][2] = {{"format", "rill-checkpoint"},        {"software", "rill"},
                                    {"software_version", rill_version()}, {"run", key.run},
                                    {"geometry", key.geometry},           {"variant", key.variant}};
    const char *const integers[] = {"format_version", "steps"};
    const int64_t one = 1;
    rill_h5_file *file = NULL;
    cr_assert_eq(rill_h5_create(path, &file), RILL_OK);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const bool forged = strcmp(texts[k][0], without) == 0;
        if (!forged || text) rill_h5_set_text(file, "/", texts[k][0], forged ? text : texts[k][1]);
    }
    for (size_t k = 0; k < sizeof integers / sizeof *integers; k++) {
        if (strcmp(integers[k], without) != 0)
            rill_h5_set_integers(file, "/", integers[k], &one, 1);
        else if (text)
            rill_h5_set_text(file, "/", integers[k], text);
    }
    cr_assert_eq(rill_h5_commit(file), RILL_OK, "%s", rill_error_message());
    rill_h5_close(file);
}

/* No attribute is taken as given. */
Test(checkpoint, lacks_nothing_that_it_states)
{
    static const char *const names[] = {"format", "format_version", "software", "software_version",
                                        "run",    "geometry",       "variant",  "steps"};
    const char *path = io_test_path("a.checkpoint.h5");
    uint64_t steps = 0;
    forge(path, "", NULL); /* whole: its arrays are missing */
    cr_assert_eq(rill_checkpoint_read(path, &key, NULL, 0, &steps), RILL_OK, "%s", rill_error_message());
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        forge(path, names[k], NULL);
        cr_expect_eq(rill_checkpoint_read(path, &key, NULL, 0, &steps), RILL_USAGE, "%s", names[k]);
        cr_expect_not_null(strstr(rill_error_message(), k ? names[k] : "not a checkpoint"), "%s: %s",
                           names[k], rill_error_message());
        forge(path, names[k], "");
        if (strcmp(names[k], "software_version") != 0) /* any build's name will do */
            cr_expect_eq(rill_checkpoint_read(path, &key, NULL, 0, &steps), RILL_USAGE, "%s", names[k]);
    }
}

Test(checkpoint, gives_back_the_bits_and_keeps_two_generations)
{
    const char *path = io_test_path("a.checkpoint.h5");
    uint64_t steps = 0;
    for (unsigned step = 100; step <= 300; step += 100) save(path, step);
    io_test_expect_files(2);
    cr_assert_eq(load(path, &key, &steps), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(steps, 300);
    expect(300);
    cr_assert_eq(load(io_test_path("a.checkpoint.h5.previous"), &key, &steps), RILL_OK);
    cr_assert_eq(steps, 200);
    expect(200);
}

/* The text of a file that does not say its version is not read. */
Test(checkpoint, texts_need_the_version_of_their_file)
{
    const char *path = io_test_path("a.checkpoint.h5");
    char *text = NULL, *software = NULL;
    save(path, 100);
    cr_assert_eq(rill_checkpoint_text(path, "sums", &text, &software), RILL_OK, "%s", rill_error_message());
    cr_assert(text && software);
    free(text), free(software);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    cr_assert(file >= 0 && H5Adelete(file, "format_version") >= 0);
    H5Fclose(file);
    cr_assert_eq(rill_checkpoint_text(path, "sums", &text, &software), RILL_OK, "%s", rill_error_message());
    cr_expect(!text && !software);
}

/* Change a byte in the middle of a file. */
static void damage(const char *path)
{
    unsigned char byte;
    const int file = open(path, O_RDWR);
    cr_assert(file >= 0);
    const off_t where = lseek(file, 0, SEEK_END) / 2;
    cr_assert_eq(pread(file, &byte, 1, where), 1);
    byte ^= 0x10;
    cr_assert_eq(pwrite(file, &byte, 1, where), 1);
    close(file);
}

Test(checkpoint, goes_back_a_generation_where_the_last_is_damaged)
{
    char path[IO_TEST_PATH], previous[IO_TEST_PATH];
    uint64_t steps = 0;
    strcpy(path, io_test_path("a.h5"));
    strcpy(previous, io_test_path("a.h5.previous"));
    save(path, 1);
    save(path, 2);
    damage(path);
    cr_assert_eq(load(path, &key, &steps), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(steps, 1);
    expect(1);
    cr_assert_eq(truncate(path, 1000), 0);
    cr_assert_eq(load(path, &key, &steps), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(load(path, &key, &steps), RILL_OK, "%s", rill_error_message());
    expect(1);
    damage(previous);
    cr_assert_eq(load(path, &key, &steps), RILL_USAGE);
    cr_assert_eq(unlink(previous), 0);
    cr_assert_eq(load(path, &key, &steps), RILL_USAGE);
    cr_assert(strstr(rill_error_message(), path), "%s", rill_error_message());
}

Test(checkpoint, refuses_what_belongs_to_another_run)
{
    const char *path = io_test_path("a.h5");
    uint64_t steps = 0;
    const rill_checkpoint_key others[] = {{"another", key.geometry, key.variant},
                                          {key.run, "another", key.variant},
                                          {key.run, key.geometry, "another"}};
    const char *const words[] = {"another case", "another geometry", "another variant"};
    save(path, 1);
    save(path, 2);
    for (int k = 0; k < 3; k++) {
        cr_assert_eq(load(path, &others[k], &steps), RILL_USAGE);
        cr_assert(strstr(rill_error_message(), words[k]), "%s", rill_error_message());
    }
    /* The case of a permeability includes the build. */
    char command[1024];
    snprintf(command, sizeof command,
             "/usr/bin/python3 -c \"import h5py; h5py.File('%s', 'r+').attrs['software_version'] = '0.0.9'\"",
             path);
    cr_assert_eq(system(command), 0);
    cr_assert_eq(load(path, &others[0], &steps), RILL_USAGE);
    cr_assert(strstr(rill_error_message(), "written by rill 0.0.9, this is rill "), "%s",
              rill_error_message());
    cr_assert_eq(load(path, &key, &steps), RILL_OK);
    rill_checkpoint_part parts[2];
    parts_of(parts);
    parts[1].bytes--;
    cr_assert_eq(rill_checkpoint_read(path, &key, parts, 2, &steps), RILL_USAGE);
    cr_assert(strstr(rill_error_message(), "24 bytes"), "%s", rill_error_message());
}

static rill_status broken(void *context, uint64_t offset, uint64_t bytes, void *to)
{
    (void)context;
    memset(to, 0, bytes);
    return offset > 0 ? rill_fail(RILL_SYSTEM, "the device is gone") : RILL_OK;
}

Test(checkpoint, a_failure_loses_nothing)
{
    const char *path = io_test_path("a.h5");
    rill_checkpoint_part parts[2];
    uint64_t steps = 0;
    save(path, 1);
    parts_of(parts);
    parts[0].save = broken;
    cr_assert_eq(rill_checkpoint_write(path, &key, 2, parts, 2), RILL_SYSTEM);
    io_test_expect_files(1);
    cr_assert_eq(load(path, &key, &steps), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(steps, 1);
    expect(1);
}
