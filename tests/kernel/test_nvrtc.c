/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling kernels at run time, which needs no device: one in four of a sample in which every value of every
 * choice occurs (RILL_TEST_ALL=1: all of it) compiles, has all its kernels, and keeps everything in
 * registers; the cache returns what was put in and nothing else. Skipped only where libnvrtc is not
 * installed.
 */
#include "backends.h"
#include "core/log.h"
#include "cuda/device.h"
#include "cuda/image_cache.h"
#include "cuda/nvrtc.h"
#include "directory.h"
#include "kernel/variant.h"
#include "core/sanitized.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { arch = 90 };

static void need_nvrtc(void)
{
    int major, minor;
    if (rill_nvrtc_version(&major, &minor) != RILL_OK) cr_skip_test("%s", rill_error_message());
}

/* Reads ptxas' report: each kernel by its symbol, then its stack and spills, then its registers. */
static void check_report(const char *name, const rill_cubin *cubin, const char *log)
{
    for (int k = cubin->first; k < cubin->end; k++) {
        char entry[512];
        int stack = -1, stores = -1, loads = -1, registers = -1;
        snprintf(entry, sizeof entry, "Compiling entry function '%s'", cubin->names[k]);
        const char *report = strstr(log, entry);
        cr_assert_not_null(report, "%s: no report on %s", name, cubin->names[k]);
        const char *line = strstr(report, "Function properties");
        cr_assert_not_null(line);
        line = strchr(line, '\n');
        while (line && (line[0] < '0' || line[0] > '9')) line++;
        cr_assert_eq(sscanf(line, "%d bytes stack frame, %d bytes spill stores, %d bytes spill loads", &stack,
                            &stores, &loads),
                     3, "%s: %.200s", name, line);
        cr_assert_eq(sscanf(strstr(line, "Used "), "Used %d registers", &registers), 1);
        cr_expect_eq(stores + loads, 0, "%s: %s spills %d and %d bytes at %d registers", name,
                     cubin->names[k], stores, loads, registers);
        cr_expect_eq(stack, 0, "%s: %s has %d bytes of local memory", name, cubin->names[k], stack);
        if (getenv("RILL_TEST_REPORT"))
            printf("%-60s %3d %.20s %d %d\n", name, registers, cubin->names[k], stores, stack);
    }
}

static void check_part(const char *name, rill_variant variant, rill_cuda_part part)
{
    char *log = NULL;
    rill_cubin cubin;
    const rill_status status = rill_nvrtc_compile(variant, part, arch, &cubin, &log);
    cr_assert_eq(status, RILL_OK, "%s: %s", name, rill_error_message());
    cr_expect_eq(memcmp(cubin.code, "\177ELF", 4), 0, "%s: not a cubin", name);
    check_report(name, &cubin, log);
    rill_cubin_free(&cubin);
    free(log);
}

/* Return of how many variants one is compiled: all takes five minutes, on request. What sanitizers see of a
 * compilation is the same for every variant: the first of each test. */
static int every(void) { return getenv("RILL_TEST_ALL") ? 1 : 4; }

/* Checks the steps of a variant, and what its layout shares when no variant before had it. */
static void check_variant(rill_variant variant)
{
    static char layouts[64][96];
    static int layout_count, variants;
    char name[96];
    if (variants++ % every() != 0) return;
    rill_variant_name(variant, name, sizeof name);
    check_part(name, variant, RILL_CUDA_PART_STEPS);
    rill_variant_layout_name(variant, name, sizeof name);
    for (int k = 0; k < layout_count; k++)
        if (!strcmp(layouts[k], name)) return;
    cr_assert_lt(layout_count, 64);
    strcpy(layouts[layout_count++], name);
    check_part(name, variant, RILL_CUDA_PART_OTHERS);
}

static rill_variant usual(void)
{
    rill_variant v = rill_variant_default();
    v.addressing = RILL_BITMAP;
    return v;
}

static bool valid(rill_variant v) { return rill_variant_check(v) == RILL_OK; }

/* Every scheme with every addressing. */
static void check_streams(rill_stream from, rill_stream to)
{
    need_nvrtc();
    for (int s = from; s <= (int)to; s++)
        for (int a = 0; a < RILL_ADDRESSING_COUNT; a++) {
            rill_variant v = usual();
            v.stream = (rill_stream)s;
            v.addressing = (rill_addressing)a;
            if (valid(v)) check_variant(v);
            v.bounce = RILL_FULL_WAY;
            if (valid(v)) check_variant(v);
        }
}
Test(nvrtc, streams_without_pairs, .disabled = SANITIZED) { check_streams(RILL_PULL, RILL_AA); }
Test(nvrtc, esoteric_streams, .disabled = SANITIZED) { check_streams(RILL_ESOTWIST, RILL_RING); }

/* Every collision and law on every lattice, in both arithmetics; the simpler equilibrium in single alone. */
static void check_lattice(rill_lattice lattice)
{
    need_nvrtc();
    for (int c = 0; c < RILL_COLLISION_COUNT; c++)
        for (int e = 0; e < RILL_EQUILIBRIUM_COUNT; e++)
            for (int r = 0; r < RILL_RHEOLOGY_COUNT; r++)
                for (int p = 0; p < RILL_ARITHMETIC_COUNT; p++) {
                    rill_variant v = usual();
                    v.lattice = lattice;
                    v.collision = (rill_collision)c;
                    v.equilibrium = (rill_equilibrium)e;
                    v.rheology = (rill_rheology)r;
                    v.arithmetic = (rill_arithmetic)p;
                    v.storage = p == RILL_DOUBLE ? RILL_FP64 : RILL_FP32;
                    if (p == RILL_DOUBLE && e == RILL_STOKES) continue;
                    if (valid(v)) check_variant(v);
                }
}
Test(nvrtc, collisions_d3q19, .disabled = SANITIZED) { check_lattice(RILL_D3Q19); }
Test(nvrtc, collisions_d3q27, .disabled = SANITIZED) { check_lattice(RILL_D3Q27); }
Test(nvrtc, collisions_small, .disabled = SANITIZED)
{
    check_lattice(RILL_D3Q15);
    check_lattice(RILL_D2Q9);
    check_lattice(RILL_D3Q7);
}

/* Every number format, shifted and plain, with either arithmetic. */
Test(nvrtc, storages, .disabled = SANITIZED)
{
    need_nvrtc();
    for (int t = 0; t < RILL_STORAGE_COUNT; t++)
        for (int k = 0; k < 3; k++) {
            rill_variant v = usual();
            v.storage = (rill_storage)t;
            v.shift = k == 1 ? RILL_PLAIN : RILL_SHIFTED;
            v.arithmetic = k == 2 ? RILL_DOUBLE : RILL_SINGLE;
            check_variant(v);
        }
}

/* What the library remarks, line after line. */
static char remarks[65536];
static void listen(void *context, rill_log_level level, const char *line)
{
    (void)context;
    const size_t used = strlen(remarks);
    if (level == RILL_LOG_NOTE || strstr(line, "kept") || strstr(line, "damaged"))
        snprintf(remarks + used, sizeof remarks - used, "%s\n", line);
}

/* Makes an empty cache below the temporary directory. */
static void cache_make(char path[DIRECTORY_SIZE])
{
    directory_make(path);
    setenv("RILL_CACHE", path, 1);
    rill_log_to(listen, NULL);
}

Test(nvrtc, cache_keeps_what_is_whole)
{
    char path[DIRECTORY_SIZE], file[512], bytes[1000];
    void *found = NULL;
    size_t size = 0;
    cache_make(path);
    for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = (char)(k * k);
    cr_expect_not(rill_cache_read("entry", 7, &found, &size));
    rill_cache_write("entry", 7, bytes, sizeof bytes);
    cr_assert(rill_cache_read("entry", 7, &found, &size), "%s", remarks);
    cr_expect_eq(size, sizeof bytes);
    cr_expect_eq(memcmp(found, bytes, sizeof bytes), 0);
    free(found);
    cr_expect_not(rill_cache_read("entry", 8, &found, &size), "another key");

    snprintf(file, sizeof file, "%s/entry", path);
    for (int damage = 0; damage < 3; damage++) { /* a byte of the contents, of the header, and the end */
        FILE *f = fopen(file, "r+b");
        cr_assert_not_null(f);
        cr_assert_eq(fseek(f, damage == 0 ? 500 : 9, SEEK_SET), 0);
        if (damage < 2) cr_assert_eq(fputc(0x55, f), 0x55);
        if (damage == 2) cr_assert_eq(ftruncate(fileno(f), 900), 0);
        fclose(f);
        remarks[0] = 0;
        cr_expect_not(rill_cache_read("entry", 7, &found, &size), "damage %d", damage);
        cr_expect(strstr(remarks, "damaged") != NULL, "%s", remarks);
        rill_cache_write("entry", 7, bytes, sizeof bytes);
        cr_assert(rill_cache_read("entry", 7, &found, &size));
        free(found);
    }
    directory_remove(path);

    setenv("RILL_CACHE", "/proc/nowhere", 1); /* nothing can be written there */
    remarks[0] = 0;
    rill_cache_write("entry", 7, bytes, sizeof bytes);
    cr_expect(strstr(remarks, "not kept") != NULL, "%s", remarks);
}

/* Nobody else decides what runs on the device: entries of other users, links, pipes, and what others may
 * write are not read, and are made again. */
Test(nvrtc, cache_is_of_one_user)
{
    char path[DIRECTORY_SIZE], file[512], other[512];
    const char bytes[] = "kernels";
    void *found = NULL;
    size_t size = 0;
    struct stat info;
    cache_make(path);
    snprintf(file, sizeof file, "%s/entry", path);
    snprintf(other, sizeof other, "%s/other", path);
    umask(0);
    for (int k = 0; k < 6; k++) {
        rill_cache_write("entry", 7, bytes, sizeof bytes);
        cr_assert(rill_cache_read("entry", 7, &found, &size), "case %d: %s", k, remarks);
        free(found);
        cr_assert(stat(file, &info) == 0 && (info.st_mode & 0777) == 0600, "%o", info.st_mode);
        if (k == 0) cr_assert_eq(chmod(file, 0620), 0);
        if (k == 1) cr_assert_eq(chmod(file, 0602), 0);
        if (k == 2) cr_assert(rename(file, other) == 0 && symlink(other, file) == 0);
        if (k == 3) cr_assert(unlink(file) == 0 && mkfifo(file, 0600) == 0);
        if (k == 4 && (geteuid() != 0 || chown(file, 1, 1) != 0)) continue; /* needs a privilege */
        if (k == 5) break;
        cr_expect_not(rill_cache_read("entry", 7, &found, &size), "case %d", k);
    }
    directory_remove(path);
}

Test(nvrtc, compiles_once)
{
    need_nvrtc();
    char path[DIRECTORY_SIZE];
    rill_cubin first, again;
    cache_make(path);
    ASSERT_OK(rill_nvrtc_get(usual(), RILL_CUDA_PART_STEPS, arch, &first));
    cr_expect(strstr(remarks, "compiling variant d3q19-trt-stokes-aa-bitmap-fp32 for sm_90") != NULL, "%s",
              remarks);
    cr_expect(strstr(remarks, path) != NULL, "where it is kept: %s", remarks);
    remarks[0] = 0;
    ASSERT_OK(rill_nvrtc_get(usual(), RILL_CUDA_PART_STEPS, arch, &again));
    cr_expect_str_eq(remarks, "", "from the cache, nothing to say");
    cr_assert_eq(first.size, again.size);
    cr_expect_eq(memcmp(first.memory, again.memory, first.size), 0);
    for (int k = first.first; k < first.end; k++) cr_expect_str_eq(first.names[k], again.names[k]);
    rill_cubin_free(&first);
    rill_cubin_free(&again);

    rill_variant other = usual(); /* another variant or architecture is not what the cache holds */
    other.equilibrium = RILL_SECOND_ORDER;
    ASSERT_OK(rill_nvrtc_get(other, RILL_CUDA_PART_STEPS, arch, &first));
    cr_expect(strstr(remarks, "second-order") != NULL, "%s", remarks);
    ASSERT_OK(rill_nvrtc_get(usual(), RILL_CUDA_PART_STEPS, 80, &again));
    cr_expect(strstr(remarks, "for sm_80") != NULL, "%s", remarks);
    rill_cubin_free(&first);
    rill_cubin_free(&again);

    remarks[0] = 0; /* what is no step is shared by the variants of a layout */
    ASSERT_OK(rill_nvrtc_get(usual(), RILL_CUDA_PART_OTHERS, arch, &first));
    cr_expect(strstr(remarks, "compiling layout d3q19-aa-bitmap-fp32 for sm_90") != NULL, "%s", remarks);
    remarks[0] = 0;
    ASSERT_OK(rill_nvrtc_get(other, RILL_CUDA_PART_OTHERS, arch, &again));
    cr_expect_str_eq(remarks, "");
    cr_expect_eq(memcmp(first.memory, again.memory, first.size), 0);
    rill_cubin_free(&first);
    rill_cubin_free(&again);
    directory_remove(path);
}

Test(nvrtc, refuses_what_it_cannot_make)
{
    need_nvrtc();
    char *log;
    rill_cubin cubin;
    rill_variant v = usual();
    cr_expect_eq(rill_nvrtc_compile(v, RILL_CUDA_PART_STEPS, 10, &cubin, &log), RILL_SYSTEM);
    cr_expect(strstr(rill_error_message(), "compute capability 1.0") != NULL, "%s", rill_error_message());
    v.collision = RILL_CUMULANT;
    cr_expect_eq(rill_nvrtc_compile(v, RILL_CUDA_PART_STEPS, arch, &cubin, &log), RILL_USAGE);
}

Test(nvrtc, says_what_is_missing)
{
    rill_cubin cubin;
    setenv("RILL_NVRTC", "/nowhere/libnvrtc.so", 1);
    cr_expect_eq(rill_nvrtc_get(usual(), RILL_CUDA_PART_STEPS, arch, &cubin), RILL_SYSTEM);
    cr_expect(strstr(rill_error_message(), "/nowhere/libnvrtc.so") != NULL, "%s", rill_error_message());
    cr_expect(strstr(rill_error_message(), "cuda-nvrtc") != NULL, "%s", rill_error_message());
}

static int reported[RILL_CUDA_ATTRIBUTE_COUNT];

/* A runtime that reports these, and fails where that is below 0. */
static rill_status ask(int device, rill_cuda_attribute attribute, int *value)
{
    *value = reported[attribute];
    if (*value >= 0) return RILL_OK;
    return rill_fail(RILL_SYSTEM, "CUDA failed while reading the properties of device %d", device);
}

/* A device whose properties cannot be read is refused, or openings would be started with no blocks. */
Test(nvrtc, a_device_without_properties_is_refused)
{
    const int usual[RILL_CUDA_ATTRIBUTE_COUNT] = {9, 132, 50 << 20};
    rill_cuda_device device = {0};
    memcpy(reported, usual, sizeof reported);
    ASSERT_OK(rill_cuda_device_read(ask, 0, &device));
    cr_expect(device.major == 9 && device.multiprocessors == 132 && device.cache == 50 << 20);
    for (int k = 0; k < RILL_CUDA_ATTRIBUTE_COUNT; k++) {
        memcpy(reported, usual, sizeof reported);
        reported[k] = -1;
        cr_expect_eq(rill_cuda_device_read(ask, 0, &device), RILL_SYSTEM, "attribute %d", k);
    }
    memcpy(reported, usual, sizeof reported);
    reported[RILL_CUDA_MULTIPROCESSORS] = 0;
    cr_expect_eq(rill_cuda_device_read(ask, 3, &device), RILL_SYSTEM);
    cr_expect(strstr(rill_error_message(), "CUDA device 3 reports a number of multiprocessors of 0"), "%s",
              rill_error_message());
}
