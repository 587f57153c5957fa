/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer: hostile images of every format. RILL_FUZZ_FORMAT=5 (a rill_image_format) leaves the recognition
 * out.
 *
 *     tests/fuzz/run image CORPUS -max_total_time=300
 */
#include "core/inspect.h"
#include "slices.h"

#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    rill_inspect_here(NULL); /* crashes are what is looked for */
    if (rill_image_open(path, &options, &image) == RILL_OK) read_slices(image);
    rill_image_close(image);
    unlink(path);
    return 0;
}
