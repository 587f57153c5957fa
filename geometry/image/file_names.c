/* SPDX-License-Identifier: Apache-2.0 */
#include "geometry/image/file_names.h"

#include "core/status.h"
#include "geometry/image/image_priv.h"
#include "geometry/image/vtk_xml.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

bool rill_name_ends(const char *path, const char *suffix)
{
    const size_t length = strlen(path), wanted = strlen(suffix);
    return length >= wanted && strcasecmp(path + length - wanted, suffix) == 0;
}

static const char *surface_ending(const char *path)
{
    static const char *const names[] = {
        ".stl", ".obj", ".ply", ".vtp", /* read; others: the message names the remedy */
        ".vtk", ".off", ".glb", ".gltf", ".3mf"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (rill_name_ends(path, names[k])) return names[k];
    return NULL;
}

/* Return whether a file named .vtk holds an image, or something that a surface cannot be made of either. */
static bool is_vtk_image(const char *path)
{
    enum { LOOK = 4096 };
    char head[LOOK + 1] = "", dataset[RILL_VTK_NAME];
    struct stat info;
    size_t got = 0;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || rill_input_read(fd, 0, head, LOOK, &got) != RILL_OK) got = 0;
    if (fd >= 0) close(fd);
    if (rill_vtk_legacy_dataset(head, got, dataset)) return *dataset && strcmp(dataset, "POLYDATA") != 0;
    const char *root = strstr(head, "<VTKFile");
    return root && strstr(root, "ImageData");
}

static bool is_surface(const char *path)
{
    const char *ending = surface_ending(path);
    return ending && !(strcmp(ending, ".vtk") == 0 && is_vtk_image(path));
}

const char *rill_surface_kind(const char *path)
{
    const char *ending = surface_ending(path);
    return ending ? ending : "folder";
}

bool rill_surface_named(const char *path)
{
    DIR *folder = surface_ending(path) ? NULL : opendir(path);
    bool surfaces = false, slices = false;
    if (!folder) return is_surface(path);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        const char *name = entry->d_name;
        surfaces = surfaces || surface_ending(name);
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
