/* SPDX-License-Identifier: Apache-2.0 */
#include "geometry/image/file_names.h"

#include "core/status.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

bool rill_name_ends(const char *path, const char *suffix)
{
    const size_t length = strlen(path), wanted = strlen(suffix);
    return length >= wanted && strcasecmp(path + length - wanted, suffix) == 0;
}

static bool is_surface(const char *path)
{
    static const char *const names[] = {
        ".stl", ".obj", ".ply", ".vtp", /* read; others: told what to do with */
        ".vtk", ".off", ".glb", ".gltf", ".3mf"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (rill_name_ends(path, names[k])) return true;
    return false;
}

bool rill_surface_named(const char *path)
{
    DIR *folder = is_surface(path) ? NULL : opendir(path);
    bool surfaces = false, slices = false;
    if (!folder) return is_surface(path);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        const char *name = entry->d_name;
        surfaces = surfaces || is_surface(name);
        slices = slices || rill_name_ends(name, ".tif") || rill_name_ends(name, ".tiff");
    }
    closedir(folder);
    return surfaces && !slices;
}

rill_status rill_container_split(const char *path, char **file, const char **name)
{
    struct stat info;
    *name = NULL;
    if (!(*file = strdup(path))) return rill_fail(RILL_SYSTEM, "out of memory for the name of a file");
    if (stat(path, &info) == 0) return RILL_OK;
    for (const char *colon = path; (colon = strstr(colon, ":/")); colon++) {
        (*file)[colon - path] = '\0';
        if (strcmp(*file, "-") == 0 || (stat(*file, &info) == 0 && !S_ISDIR(info.st_mode))) {
            *name = colon + 1;
            return RILL_OK;
        }
        (*file)[colon - path] = ':';
    }
    return RILL_OK;
}
