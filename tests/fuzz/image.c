/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer: hostile images of every format. RILL_FUZZ_FORMAT=5 (a rill_image_format) leaves the recognition
 * out.
 *
 *     tests/fuzz/run image CORPUS -max_total_time=300
 */
#include "geometry/image/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SLICE_MOST = 1 << 20, SLICES_MOST = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_slices(rill_image *image)
{
    const uint64_t bytes = rill_image_slice_voxels(image) * rill_grey_size(image->type);
    const uint32_t slices = image->n[image->order[2]];
    void *grey = bytes <= SLICE_MOST ? malloc(bytes) : NULL;
    for (uint32_t k = 0; grey && k < slices && k < SLICES_MOST; k++)
        if (rill_image_read(image, k, grey) != RILL_OK) break;
    free(grey);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *format = getenv("RILL_FUZZ_FORMAT");
    rill_image_options options = rill_image_options_default();
    rill_image *image = NULL;
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/rill-fuzz-%d", (int)getpid());
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
    if (format) options.format = (rill_image_format)atoi(format);
    setenv("RILL_MEMORY", "1GB", 1);
    if (rill_image_open(path, &options, &image) == RILL_OK) read_slices(image);
    rill_image_close(image);
    unlink(path);
    return 0;
}
