/* SPDX-License-Identifier: Apache-2.0 */
/* Which HDF5 files are of rill, and which are images. */
#include "io/ours.h"

#include "io/hdf5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Return whether a file begins like HDF5. */
static bool is_hdf5(const char *path)
{
    static const char signature[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
    char first[8];
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return false; /* a FIFO would have to be waited for */
    FILE *file = fopen(path, "rb");
    const bool is = file && fread(first, 1, sizeof first, file) == sizeof first &&
                    memcmp(first, signature, sizeof first) == 0;
    if (file) fclose(file);
    return is;
}

bool rill_file_is_ours(const char *path)
{
    rill_h5_file *file = NULL;
    char *format = NULL;
    const char *dot = strrchr(path, '.');
    if (!is_hdf5(path)) /* only our own files have these names */
        return dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".vtkhdf") == 0) && access(path, F_OK) == 0;
    if (rill_h5_open_part(path, &file) != RILL_OK) return true; /* reading it as ours says what is wrong */
    const bool ours =                                           /* also where the attribute cannot be read */
        rill_h5_has_attribute(file, "/", "format") &&
        (rill_h5_get_text(file, "/", "format", &format) != RILL_OK || strncmp(format, "rill", 4) == 0);
    free(format);
    rill_h5_close(file);
    return ours;
}
