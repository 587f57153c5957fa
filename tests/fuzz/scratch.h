/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file scratch.h
 * The file that a harness writes its input to, for readers that take a path.
 */
#ifndef RILL_TESTS_FUZZ_SCRATCH_H
#define RILL_TESTS_FUZZ_SCRATCH_H

#include "core/inspect.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SCRATCH_SIZE = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Write the input to a file in memory. @param[out] path  of it; the harness removes it */
static inline void scratch_write(const uint8_t *data, size_t size, char path[SCRATCH_SIZE])
{
    snprintf(path, SCRATCH_SIZE, "/dev/shm/rill-fuzz-%d", (int)getpid());
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
    setenv("RILL_MEMORY", "1GB", 1);
    rill_inspect_here(NULL); /* crashes are what is looked for */
}

#endif
