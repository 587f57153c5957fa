/* SPDX-License-Identifier: Apache-2.0 */
/* Where this code was loaded from, by what the loader, the kernel's table of mappings and /proc/self/exe say.
 */
#include "core/place.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An address in the file. */
static const char here[] = "rill";

/* A name without a slash was found on PATH; any other is of the working directory at that time. */
static bool named(char *path)
{
    Dl_info info;
    if (dladdr(here, &info) == 0 || !info.dli_fname || info.dli_fname[0] != '/') return false;
    if (strlen(info.dli_fname) >= PATH_MAX) return false;
    strcpy(path, info.dli_fname);
    return true;
}

/* "55d0-55d1 r-xp 00000000 08:01 12345   /usr/bin/rill": the mapping that has the address. */
static bool mapped(char *path)
{
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !found && getline(&line, &size, maps) > 0) {
        uintptr_t begin, end;
        const char *file = strchr(line, '/');
        if (!file || sscanf(line, "%zx-%zx", &begin, &end) != 2) continue;
        if ((uintptr_t)here < begin || (uintptr_t)here >= end) continue;
        line[strcspn(line, "\n")] = '\0';
        found = strlen(file) < PATH_MAX;
        if (found) strcpy(path, file);
    }
    if (maps) fclose(maps);
    free(line);
    return found;
}

static bool program(char *path)
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = '\0';
    return length > 0;
}

bool rill_place_directory(rill_place place, char *path, size_t size)
{
    static bool (*const names[RILL_PLACES])(char *) = {named, mapped, program};
    char file[PATH_MAX];
    if (!names[place](file)) return false;
    char *slash = strrchr(file, '/');
    if (!slash) return false;
    *slash = '\0';
    return snprintf(path, size, "%s", file) < (int)size;
}
