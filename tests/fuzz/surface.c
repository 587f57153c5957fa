/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer: hostile surfaces of every format.
 *
 *     tests/fuzz/run surface CORPUS -max_total_time=300
 */
#include "geometry/surface/surface_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rill_surface_file what;
    rill_mesh *mesh = NULL;
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/rill-fuzz-%d", (int)getpid());
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
    setenv("RILL_MEMORY", "1GB", 1);
    if (rill_surface_read(path, 1e-3, &what, &mesh) != RILL_OK) mesh = NULL;
    rill_mesh_destroy(mesh);
    unlink(path);
    return 0;
}
