/* SPDX-License-Identifier: Apache-2.0 */
#include "geometry/image/file_names.h"

#include <string.h>
#include <strings.h>

bool rill_name_ends(const char *path, const char *suffix)
{
    const size_t length = strlen(path), wanted = strlen(suffix);
    return length >= wanted && strcasecmp(path + length - wanted, suffix) == 0;
}

bool rill_surface_named(const char *path)
{
    static const char *const names[] = {".stl", ".obj", ".ply",  ".vtp",
                                        ".vtk", /* read; told what to do with */
                                        ".off", ".glb", ".gltf", ".3mf"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (rill_name_ends(path, names[k])) return true;
    return false;
}
