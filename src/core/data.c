/* SPDX-License-Identifier: Apache-2.0 */
/* Where rill's data lie. */
#include "core/data.h"

#include "core/status.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder data/ of the sources; the Makefile knows it. */
static const char sources[] = RILL_DATA_SOURCES;

/* The share/rill beside the folder of a program or a library, bin/ or lib/; "" if there is none. */
static void beside(char *binary, char *folder, size_t size)
{
    folder[0] = '\0';
    for (int k = 0; k < 2; k++) {
        char *slash = strrchr(binary, '/');
        if (!slash) return;
        *slash = '\0';
    }
    if (snprintf(folder, size, "%s/share/rill", binary) >= (int)size) folder[0] = '\0';
}

/* The share/rill that was installed with the program; "" if the program is not known. */
static void of_program(char *folder, size_t size)
{
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    beside(program, folder, size);
}

/* The share/rill that was installed with the library: the program may be another one, such as an interpreter.
 */
static void of_library(char *folder, size_t size)
{
    char library[PATH_MAX] = "";
    Dl_info info;
    if (dladdr(sources, &info) != 0 && info.dli_fname && strlen(info.dli_fname) < sizeof library)
        strcpy(library, info.dli_fname);
    beside(library, folder, size);
}

/* Whether a file of this name can be read in a folder; its path. Sets errno if it cannot. */
static bool found(const char *folder, const char *name, char *path, size_t size)
{
    errno = ENAMETOOLONG;
    return folder[0] && snprintf(path, size, "%s/%s", folder, name) < (int)size && access(path, R_OK) == 0;
}

rill_status rill_data_path(const char *name, char *path, size_t size)
{
    const char *given = getenv("RILL_DATA");
    char folder[PATH_MAX];
    if (given && *given) {
        if (found(given, name, path, size)) return RILL_OK;
        return rill_fail(RILL_USAGE,
                         "cannot read %s in %s, the folder that RILL_DATA names (%s): " RILL_DATA_REMEDY,
                         name, given, strerror(errno));
    }
    of_library(folder, sizeof folder);
    if (found(folder, name, path, size)) return RILL_OK;
    of_program(folder, sizeof folder);
    if (found(folder, name, path, size) || found(sources, name, path, size)) return RILL_OK;
    return rill_fail(RILL_USAGE, "there is no %s in %s or %s: " RILL_DATA_REMEDY, name, folder, sources);
}
