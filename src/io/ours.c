/* SPDX-License-Identifier: Apache-2.0 */
/* Which HDF5 files are of rill, and which are images. */
#include "io/ours.h"

#include "core/h5.h"
#include "io/hdf5.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool rill_file_is_ours(const char *path)
{
    rill_h5_file *file = NULL;
    char *format = NULL;
    const char *dot = strrchr(path, '.');
    if (!rill_h5_begins(path)) /* only our own files have these names */
        return dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".vtkhdf") == 0) && access(path, F_OK) == 0;
    if (rill_h5_open_part(path, &file) != RILL_OK) return true; /* reading it as ours says what is wrong */
    const bool ours =                                           /* also where the attribute cannot be read */
        rill_h5_has_attribute(file, "/", "format") &&
        (rill_h5_get_text(file, "/", "format", &format) != RILL_OK || strncmp(format, "rill", 4) == 0);
    free(format);
    rill_h5_close(file);
    return ours;
}
