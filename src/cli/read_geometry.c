/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a geometry or an image by its name. */
#include "cli/read_geometry.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool cli_is_hdf5(const char *path)
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

rill_status cli_read_geometry(const char *path, rill_keep_kind keep, rill_progress progress, rill_geom **out)
{
    const size_t length = strlen(path);
    if (length > 3 && strcmp(path + length - 3, ".h5") == 0) return rill_geom_read(path, out);
    rill_voxelize_options options = rill_voxelize_options_default();
    rill_voxelize_report report;
    options.keep = keep;
    return rill_image_voxelize(path, &options, progress, out, &report);
}
