/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry files: what is written reads back, what is damaged is refused, what is not whole does not appear.
 */
#include "io/geom_file.h"
#include "core/inspect.h"
#include "io/hdf5.h"
#include "io_test.h"
#include "rill.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char path[IO_TEST_PATH];

static void begin(void)
{
    io_test_start();
    strcpy(path, io_test_path("a.geom.h5"));
}

TestSuite(geom_file, .init = begin, .fini = io_test_end);

/* A box larger than a chunk along x, with fluid and patch voxels in one corner only. */
static rill_geom *sample(void)
{
    const uint32_t n[3] = {150, 70, 40};
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create(n, &geom), RILL_OK);
    for (unsigned v = 0; v < 60; v++) geom->voxels[v] = (uint8_t)(v % 4);
    geom->voxels[150 * 70 * 40 - 1] = RILL_FLUID;
    geom->spacing = 5.7e-6;
    geom->origin[1] = -0.25;
    geom->sides[1] = RILL_MIRROR;
    geom->sides[2] = RILL_WALL;
    geom->porosity.total = 0.25;
    geom->porosity.percolating[2] = 0.125;
    geom->source = strdup("rock-ü.raw");
    geom->source_hash = strdup("0123456789abcdef");
    geom->options = strdup("rill voxelize 'a b.raw'");
    return geom;
}

Test(geom_file, reads_back_what_was_written)
{
    rill_geom *geom = sample(), *back = NULL;
    cr_assert_eq(rill_geom_write(geom, path, NULL), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_geom_read(path, &back), RILL_OK, "%s", rill_error_message());
    cr_assert_arr_eq(back->n, geom->n, sizeof geom->n);
    cr_assert_arr_eq(back->voxels, geom->voxels, rill_geom_voxels(geom));
    cr_assert_eq(back->spacing, 5.7e-6);
    cr_assert_arr_eq(back->origin, geom->origin, sizeof geom->origin);
    cr_assert_arr_eq(back->sides, geom->sides, sizeof geom->sides);
    cr_assert_eq(back->porosity.total, geom->porosity.total);
    cr_assert_eq(back->porosity.connected, geom->porosity.connected);
    cr_assert_arr_eq(back->porosity.percolating, geom->porosity.percolating,
                     sizeof geom->porosity.percolating);
    cr_assert_eq(back->porosity.contacts, geom->porosity.contacts);
    cr_assert_str_eq(back->source, geom->source);
    cr_assert_str_eq(back->source_hash, geom->source_hash);
    cr_assert_str_eq(back->options, geom->options);
    rill_geom_destroy(back);
    rill_geom_destroy(geom);
    io_test_expect_files(1);
}

/* Write and read a file of its own, again and again. @return NULL, or a message that stays */
static void *write_and_read(void *of)
{
    const int number = *(const int *)of;
    char own[IO_TEST_PATH + 8];
    snprintf(own, sizeof own, "%s.%d", path, number);
    rill_geom *geom = sample(), *back = NULL;
    geom->voxels[70 + number] = RILL_FLUID;
    for (int round = 0; round < 20; round++) {
        rill_status status = rill_geom_write(geom, own, NULL);
        if (status == RILL_OK) status = rill_geom_read(own, &back);
        const bool same =
            status == RILL_OK && memcmp(back->voxels, geom->voxels, rill_geom_voxels(geom)) == 0;
        rill_geom_destroy(back);
        back = NULL;
        if (!same) {
            rill_geom_destroy(geom);
            return strdup(status == RILL_OK ? "other voxels" : rill_error_message());
        }
    }
    rill_geom_destroy(geom);
    return NULL;
}

/* HDF5 itself may be built without protection from threads. */
Test(geom_file, threads_write_and_read_side_by_side)
{
    enum { count = 4 };
    pthread_t threads[count];
    int numbers[count];
    for (int k = 0; k < count; k++) {
        numbers[k] = k;
        cr_assert_eq(pthread_create(&threads[k], NULL, write_and_read, &numbers[k]), 0);
    }
    for (int k = 0; k < count; k++) {
        void *message = NULL;
        pthread_join(threads[k], &message);
        cr_expect_null(message, "thread %d: %s", k, (const char *)message);
        free(message);
    }
}

/* Every link of the index leads to the neighbour that the voxels show, or is a wall. */
Test(geom_file, index_names_the_upstream_neighbours)
{
    rill_geom *geom = NULL;
    const unsigned n[3] = {5, 4, 3};
    cr_assert_eq(rill_geom_create((uint32_t[]){5, 4, 3}, &geom), RILL_OK);
    for (unsigned v = 0; v < 60; v++) geom->voxels[v] = v % 7 < 4;
    geom->sides[1] = RILL_WALL;
    const rill_geom_write_options options = {.index_pull = true, .lattice = RILL_D3Q27};
    cr_assert_eq(rill_geom_write(geom, path, &options), RILL_OK, "%s", rill_error_message());
    rill_h5_file *file = NULL;
    rill_h5_layout layout;
    uint32_t pull[26 * 60];
    int64_t c[27][3], wall = 0;
    uint64_t cell[60];
    cr_assert_eq(rill_h5_open(path, &file), RILL_OK);
    cr_assert_eq(rill_h5_dataset_layout(file, "/index/pull", &layout), RILL_OK);
    const uint64_t nodes = rill_geom_fluid(geom);
    cr_assert(layout.type == RILL_H5_U32 && layout.dims[0] == 26 && layout.dims[1] == nodes);
    cr_assert_eq(rill_h5_read(file, "/index/pull", RILL_H5_U32, 2, NULL, layout.dims, pull), RILL_OK);
    cr_assert_eq(rill_h5_read(file, "/index/velocity", RILL_H5_I64, 2, NULL, (uint64_t[]){27, 3}, c),
                 RILL_OK);
    cr_assert_eq(rill_h5_read(file, "/nodes/cell", RILL_H5_U64, 1, NULL, &nodes, cell), RILL_OK);
    cr_assert_eq(rill_h5_get_integers(file, "/index/pull", "wall", &wall, 1), RILL_OK);
    for (unsigned i = 1; i < 27; i++)
        for (uint64_t k = 0; k < nodes; k++) {
            const int64_t y = (int64_t)(cell[k] / n[0] % n[1]) - c[i][1];
            const uint64_t x = (uint64_t)((int64_t)(cell[k] % n[0]) - c[i][0] + n[0]) % n[0];
            const uint64_t z = (uint64_t)((int64_t)(cell[k] / 20) - c[i][2] + n[2]) % n[2];
            const uint32_t found = pull[(i - 1) * nodes + k];
            const bool fluid = y >= 0 && y < n[1] && geom->voxels[x + n[0] * ((uint64_t)y + n[1] * z)];
            if (fluid)
                cr_assert(found < nodes && cell[found] == x + n[0] * ((uint64_t)y + n[1] * z));
            else
                cr_assert_eq(found, wall);
        }
    rill_h5_close(file);
    rill_geom_destroy(geom);
    io_test_expect_files(1);
}

/* Chunks without fluid are not in the file. */
Test(geom_file, empty_chunks_cost_nothing)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create((uint32_t[]){640, 640, 64}, &geom), RILL_OK);
    rill_h5_file *file = NULL;
    cr_assert_eq(rill_geom_write(geom, path, NULL), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_h5_open(path, &file), RILL_OK);
    cr_assert_eq(rill_h5_dataset_storage(file, "/voxels"), 0);
    rill_h5_close(file);
    geom->voxels[0] = geom->voxels[640 * 640 * 64 - 1] = RILL_FLUID;
    cr_assert_eq(rill_geom_write(geom, path, NULL), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_h5_open(path, &file), RILL_OK);
    const uint64_t two = rill_h5_dataset_storage(file, "/voxels");
    cr_assert(two > 0 && two < 2048, "%llu bytes for two voxels", (unsigned long long)two);
    rill_h5_close(file);
    rill_geom *back = NULL;
    cr_assert_eq(rill_geom_read(path, &back), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_geom_fluid(back), 2);
    cr_assert_eq(back->voxels[640 * 640 * 64 - 1], RILL_FLUID);
    rill_geom_destroy(back);
    rill_geom_destroy(geom);
    io_test_expect_files(1);
}

static char *load(size_t *size)
{
    FILE *file = fopen(path, "rb");
    cr_assert(file && fseek(file, 0, SEEK_END) == 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    cr_assert(bytes && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

static void store(const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* No cut and no flipped byte gives a crash or other voxels, also without the checksum of the whole file. */
Test(geom_file, damage_is_found)
{
    rill_geom *geom = sample(), *back = NULL;
    size_t size, refused = 0, sums = 0;
    rill_inspect_here(NULL); /* this process reads them, too: thousands of programs would take minutes */
    cr_assert_eq(rill_geom_write(geom, path, NULL), RILL_OK);
    io_test_drop_checksum(path);
    char *bytes = load(&size);
    for (size_t cut = 0; cut < size; cut += 1 + size / 200) {
        store(bytes, cut);
        cr_assert_eq(rill_geom_read(path, &back), RILL_USAGE, "cut at %zu of %zu", cut, size);
        cr_assert(strstr(rill_error_message(), path) && !strchr(rill_error_message(), '\n'));
    }
    for (size_t at = 0; at < size; at += 7) {
        bytes[at] ^= (char)(1 << at % 8);
        store(bytes, size);
        bytes[at] ^= (char)(1 << at % 8);
        if (rill_geom_read(path, &back) != RILL_OK) {
            refused++;
            sums += strstr(rill_error_message(), "Fletcher32") != NULL;
            continue;
        }
        cr_assert_arr_eq(back->voxels, geom->voxels, rill_geom_voxels(geom), "byte %zu", at);
        cr_assert_arr_eq(back->origin, geom->origin, sizeof geom->origin, "byte %zu", at);
        rill_geom_destroy(back);
    }
    cr_assert_gt(sums, 5, "voxels have no checksums");
    cr_assert_gt(refused, 20, "only %zu damages were found", refused);
    free(bytes);
    rill_geom_destroy(geom);
    io_test_expect_files(1);
}

/* Makes a file that is ours but for one thing. */
static void refuse(const char *part, rill_status expected)
{
    rill_geom *back = NULL;
    cr_assert_eq(rill_geom_read(path, &back), expected, "%s", rill_error_message());
    cr_assert(strstr(rill_error_message(), part), "\"%s\" does not say \"%s\"", rill_error_message(), part);
}

typedef struct forgery {
    const char *format, *sides;
    int64_t version;
    double spacing, origin;
    rill_h5_layout voxels;
    uint64_t nodes;
} forgery;

static const forgery honest = {"rill-geometry",
                               "periodic mirror wall",
                               1,
                               1e-6,
                               0,
                               {.type = RILL_H5_U8, .rank = 3, .dims = {2, 2, 2}, .chunk = {2, 2, 2}},
                               0};

static void forge(forgery f)
{
    rill_h5_file *file = NULL;
    const double origin[3] = {0, f.origin, 0};
    const rill_h5_layout cells = {.type = RILL_H5_U64, .rank = 1, .dims = {f.nodes}, .chunk = {16}};
    cr_assert_eq(rill_h5_create(path, &file), RILL_OK);
    if (f.format) rill_h5_set_text(file, "/", "format", f.format);
    rill_h5_set_integers(file, "/", "format_version", &f.version, 1);
    rill_h5_set_text(file, "/", "sides", f.sides);
    rill_h5_set_reals(file, "/", "spacing", &f.spacing, 1);
    rill_h5_set_reals(file, "/", "origin", origin, 3);
    cr_assert_eq(rill_h5_dataset_create(file, "/voxels", &f.voxels), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_h5_dataset_create(file, "/nodes/cell", &cells), RILL_OK);
    cr_assert_eq(rill_h5_commit(file), RILL_OK, "%s", rill_error_message());
    rill_h5_close(file);
}

Test(geom_file, hostile_files_get_one_sentence)
{
    rill_geom *back = NULL;
    forgery f = honest;
    forge(f);
    cr_assert_eq(rill_geom_read(path, &back), RILL_OK, "%s", rill_error_message());
    rill_geom_destroy(back);
    f.format = NULL, forge(f), refuse("no geometry written by rill", RILL_USAGE);
    f.format = "rill-result", forge(f), refuse("rill-result", RILL_USAGE);
    f = honest, f.version = 2, forge(f), refuse("format version is 2", RILL_USAGE);
    f = honest, f.sides = "periodic open wall", forge(f), refuse("\"open\"", RILL_USAGE);
    f = honest, f.sides = "wall wall", forge(f), refuse("side \"\"", RILL_USAGE);
    f = honest, f.spacing = -1, forge(f), refuse("spacing of -1 m", RILL_USAGE);
    f = honest, f.spacing = NAN, forge(f), refuse("spacing of nan", RILL_USAGE);
    f = honest, f.origin = INFINITY, forge(f), refuse("origin inf along y", RILL_USAGE);
    f = honest, f.nodes = 7, forge(f), refuse("0 fluid voxels but 7 nodes", RILL_USAGE);
    f = honest, f.voxels.rank = 2, forge(f), refuse("/voxels is not a u8 array with 3 axes", RILL_USAGE);
    f = honest, f.voxels.type = RILL_H5_F32, forge(f), refuse("/voxels is not a u8 array", RILL_USAGE);
    f = honest, f.voxels.dims[1] = 1ull << 33, f.voxels.chunk[1] = 1024, forge(f),
    refuse("a dataset declares", RILL_USAGE);
    f = honest, f.voxels.dims[0] = f.voxels.dims[1] = 1u << 31, f.voxels.chunk[0] = f.voxels.chunk[1] = 1024;
    forge(f), refuse("a dataset declares", RILL_USAGE);
    f = honest, f.voxels.dims[0] = f.voxels.dims[1] = 1u << 12, f.voxels.chunk[0] = f.voxels.chunk[1] = 1024;
    setenv("RILL_MEMORY", "1kB", 1);
    forge(f), refuse("memory", RILL_SYSTEM);
    unsetenv("RILL_MEMORY");
    store("P5 1 1", 6), refuse("not an HDF5 file", RILL_USAGE);
    store("", 0), refuse("is empty", RILL_USAGE);
    unlink(path), refuse("No such file", RILL_USAGE);
    cr_assert_eq(rill_geom_read(io_test_directory, &back), RILL_USAGE);
    io_test_expect_files(0);
}

/* A disk that fills up at any point leaves nothing behind, not even the program in a bad state. */
Test(geom_file, a_full_disk_leaves_nothing)
{
    rill_geom *geom = sample();
    size_t size;
    cr_assert_eq(rill_geom_write(geom, path, NULL), RILL_OK);
    char *before = load(&size);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t limit = 0; limit < size; limit += 1 + size / 60) {
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, RLIM_INFINITY}), 0);
        const rill_status status = rill_geom_write(geom, path, NULL);
        cr_assert_eq(status, RILL_SYSTEM, "%zu of %zu bytes suffice", limit, size);
        io_test_expect_files(1);
        cr_assert(strstr(rill_error_message(), "cannot write") &&
                  strstr(rill_error_message(), "File too large"));
    }
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}), 0);
    size_t after_size;
    char *after = load(&after_size); /* the old file is still there, and the same bytes are written again */
    cr_assert(after_size == size && memcmp(before, after, size) == 0);
    cr_assert_eq(rill_geom_write(geom, path, NULL), RILL_OK, "%s", rill_error_message());
    free(after);
    after = load(&after_size);
    cr_assert(after_size == size && memcmp(before, after, size) == 0);
    free(after);
    free(before);
    rill_geom_destroy(geom);
    io_test_expect_files(1);
}

Test(geom_file, unwritable_places_are_named)
{
    rill_geom *geom = sample();
    cr_assert_eq(rill_geom_write(geom, io_test_path("none/a.h5"), NULL), RILL_SYSTEM);
    cr_assert(strstr(rill_error_message(), "/none/a.h5: No such file or directory"));
    cr_assert_eq(rill_geom_write(geom, io_test_directory, NULL), RILL_USAGE);
    cr_assert(strstr(rill_error_message(), "is a directory"));
    cr_assert_eq(rill_geom_write(geom, "/dev/null", NULL), RILL_USAGE);
    cr_assert_eq(rill_geom_write(geom, "", NULL), RILL_USAGE);
    cr_assert_eq(rill_geom_write(geom, "/proc/self/a.h5", NULL), RILL_SYSTEM);
    /* A link keeps pointing at the file that it names. */
    const char *link = io_test_path("link.h5");
    cr_assert_eq(rill_geom_write(geom, path, NULL), RILL_OK);
    cr_assert_eq(symlink("a.geom.h5", link), 0);
    cr_assert_eq(rill_geom_write(geom, link, NULL), RILL_OK, "%s", rill_error_message());
    cr_assert_gt(readlink(link, (char[8]){0}, 8), 0);
    rill_geom_destroy(geom);
    io_test_expect_files(2);
}
