/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer: hostile descriptions of raw voxels: options, names, and headers of MHD and NRRD that name a file
 * of voxels beside them. The first byte chooses.
 *
 *     tests/fuzz/run raw tests/fuzz/corpus/raw -max_total_time=300
 */
#include "scratch.h"
#include "slices.h"

#include <string.h>
#include <sys/stat.h>

enum { VOXELS = 4096, OPTIONS = 19, NAME_MOST = 100 };

static void put(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
}

static void read_image(const char *path, const rill_image_options *options)
{
    rill_image *image = NULL;
    if (rill_image_open(path, options, &image) == RILL_OK) read_slices(image);
    rill_image_close(image);
}

/* Size, type, order of bytes and header as somebody may give them, of a plain or a compressed file. */
static void with_options(const uint8_t *data, size_t size, const char *directory)
{
    char path[SCRATCH_SIZE + 16];
    rill_image_options options = rill_image_options_default();
    if (size < OPTIONS) return;
    options.format = RILL_IMAGE_RAW;
    memcpy(options.n, data, sizeof options.n);
    options.type = data[12] % 16 - 1;
    options.big_endian = data[13] % 3 - 1;
    options.skip = (uint64_t)data[14] << (data[15] % 64);
    snprintf(path, sizeof path, "%s/voxels.raw%s", directory, data[13] & 0x80 ? ".gz" : "");
    put(path, data + OPTIONS, size - OPTIONS);
    read_image(path, &options);
    unlink(path);
}

/* A name such as rock-480x480x480-u8.raw, from which all is taken. */
static void with_name(const uint8_t *data, size_t size, const char *directory)
{
    const rill_image_options options = rill_image_options_default();
    static const char voxels[VOXELS];
    char path[SCRATCH_SIZE + NAME_MOST + 16];
    const int length = snprintf(path, sizeof path, "%s/", directory);
    size_t k = 0;
    for (; k < size && k < NAME_MOST; k++)
        path[(size_t)length + k] = data[k] == '/' || !data[k] ? '-' : (char)data[k];
    strcpy(path + length + k, ".raw");
    put(path, voxels, sizeof voxels);
    read_image(path, &options);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"voxels.raw", "a.mhd", "a.nhdr"};
    static const char voxels[VOXELS];
    const rill_image_options options = rill_image_options_default();
    char directory[SCRATCH_SIZE], voxel_path[SCRATCH_SIZE + 16], path[SCRATCH_SIZE + 16];
    if (size < 2) return 0;
    setenv("RILL_MEMORY", "1GB", 1);
    snprintf(directory, sizeof directory, "/dev/shm/rill-fuzz-%d-raw", (int)getpid());
    mkdir(directory, 0700);
    snprintf(voxel_path, sizeof voxel_path, "%s/%s", directory, names[0]);
    snprintf(path, sizeof path, "%s/%s", directory, names[1 + data[0] % 2]);
    switch (data[0] % 4) {
    case 0:
    case 1: /* a header beside its voxels */
        put(voxel_path, voxels, sizeof voxels);
        put(path, data + 1, size - 1);
        read_image(path, &options);
        break;
    case 2:
        with_options(data + 1, size - 1, directory);
        break;
    default:
        with_name(data + 1, size - 1, directory);
    }
    unlink(path);
    unlink(voxel_path);
    rmdir(directory);
    return 0;
}
