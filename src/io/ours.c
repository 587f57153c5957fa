/* SPDX-License-Identifier: Apache-2.0 */
/* How the files of rill begin, and which HDF5 files are of rill, which images. */
#include "io/ours.h"

#include "core/h5.h"
#include "core/status.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char own[] = "rill-";

rill_status rill_format_write(rill_h5_file *file, const char *format)
{
    rill_status status = RILL_OK;
    const int64_t version = RILL_FORMAT_VERSION;
    RILL_TRY(rill_h5_set_text(file, "/", "format", format));
    RILL_TRY(rill_h5_set_integers(file, "/", "format_version", &version, 1));
    RILL_TRY(rill_h5_set_text(file, "/", "software", "rill"));
    RILL_TRY(rill_h5_set_text(file, "/", "software_version", rill_version()));
done:
    return status;
}

rill_status rill_format_read(rill_h5_file *file, char **format)
{
    rill_status status = RILL_OK;
    char *found = NULL;
    int64_t version = 0;
    *format = NULL;
    if (!rill_h5_has_attribute(file, "/", "format")) return RILL_OK;
    RILL_TRY(rill_h5_get_text(file, "/", "format", &found));
    if (strncmp(found, own, strlen(own)) == 0) {
        if (!rill_h5_has_attribute(file, "/", "format_version"))
            RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: / has no attribute format_version: it is damaged",
                               rill_h5_path(file)));
        RILL_TRY(rill_h5_get_integers(file, "/", "format_version", &version, 1));
        if (version != RILL_FORMAT_VERSION)
            RILL_TRY(rill_fail(RILL_USAGE,
                               "cannot read %s: its format version is %lld, this rill reads %d: %s",
                               rill_h5_path(file), (long long)version, RILL_FORMAT_VERSION,
                               version > RILL_FORMAT_VERSION ? "update rill" : "it is damaged"));
    }
    *format = found;
    found = NULL;
done:
    free(found);
    return status;
}

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
