/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of compiled kernels, of RILL_CACHE: `cache put NAME KEY` keeps standard input, `cache get NAME
 * KEY` writes what is kept to standard output, with exit code 1 where there is nothing. */
#include "cuda/image_cache.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 };

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    const uint64_t key = strtoull(argv[3], NULL, 10);
    void *bytes = NULL;
    size_t size = 0;
    if (strcmp(argv[1], "get") == 0) {
        if (!rill_cache_read(argv[2], key, &bytes, &size)) return 1;
        fwrite(bytes, 1, size, stdout);
    } else {
        bytes = malloc(MOST);
        if (!bytes) return 2;
        size = fread(bytes, 1, MOST, stdin);
        rill_cache_write(argv[2], key, bytes, size);
    }
    free(bytes);
    return fflush(stdout) == 0 ? 0 : 2;
}
