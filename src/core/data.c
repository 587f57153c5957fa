/* SPDX-License-Identifier: Apache-2.0 */
/* Where rill's data lie. */
#include "core/data.h"

#include "core/place.h"
#include "core/status.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder data/ of the sources; the Makefile knows it. */
static const char sources[] = RILL_DATA_SOURCES;

/* Whether a file of this name can be read in a folder; its path. Sets errno if it cannot. */
static bool found(const char *folder, const char *name, char *path, size_t size)
{
    errno = ENAMETOOLONG;
    return folder[0] && snprintf(path, size, "%s/%s", folder, name) < (int)size && access(path, R_OK) == 0;
}

/* Look in the share/rill of the prefix whose bin/, lib/ or lib/ARCHITECTURE a name of this code's file is in.
 */
static bool found_beside(rill_place place, const char *name, char *path, size_t size)
{
    char prefix[PATH_MAX], folder[PATH_MAX + 16];
    if (!rill_place_directory(place, prefix, sizeof prefix)) return false;
    for (int level = 0; level < 2; level++) {
        char *slash = strrchr(prefix, '/');
        if (!slash) return false;
        *slash = '\0';
        snprintf(folder, sizeof folder, "%s/share/rill", prefix);
        if (found(folder, name, path, size)) return true;
    }
    return false;
}

rill_status rill_data_path(const char *name, char *path, size_t size)
{
    const char *given = getenv("RILL_DATA");
    if (given && *given) {
        if (found(given, name, path, size)) return RILL_OK;
        return rill_fail(RILL_USAGE,
                         "cannot read %s in %s, the folder that RILL_DATA names (%s): " RILL_DATA_REMEDY,
                         name, given, strerror(errno));
    }
    for (rill_place place = 0; place < RILL_PLACES; place++)
        if (found_beside(place, name, path, size)) return RILL_OK;
    if (found(sources, name, path, size)) return RILL_OK;
    return rill_fail(RILL_USAGE, "%s not found in share/rill beside the program, or in %s: " RILL_DATA_REMEDY,
                     name, sources);
}
