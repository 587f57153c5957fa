/* SPDX-License-Identifier: Apache-2.0 */
/* Image data, XML and legacy, that VTK 9.1 (package python3-vtk9, which must be there) wrote, compared voxel
 * for voxel. */
#include "image_expect.h"

#include <limits.h>

static char script[PATH_MAX];

static void start(void)
{
    cr_assert_not_null(realpath("tests/vtk_write_image.py", script),
                       "run the test in the root of the sources");
    files_start();
}

TestSuite(vtk_images, .init = start, .fini = files_end);

Test(vtk_images, every_coding)
{
    static const char *const modes[] = {"ascii", "binary", "appended", "raw"};
    char command[PATH_MAX + 32];
    snprintf(command, sizeof command, "/usr/bin/python3 '%s'", script);
    cr_assert_eq(system(command), 0, "%s failed: is python3-vtk9 installed?", command);
    for (int m = 0; m < 4; m++)
        for (int compressor = 0; compressor < 2; compressor++)
            for (int bits = 0; bits < 8; bits++) {
                char path[64];
                snprintf(path, sizeof path, "%s-%d-%d-u8.vti", modes[m], compressor, bits);
                const rill_image seen = expect(path, RILL_GREY_U8);
                cr_assert(!seen.metric && seen.spacing[0] == 2 && seen.spacing[2] == 3);
                cr_assert_eq(strstr(seen.kind, "zlib") != NULL, compressor == 1 && m > 0, "%s: %s", path,
                             seen.kind);
                snprintf(path, sizeof path, "%s-%d-%d-u16.vti", modes[m], compressor, bits);
                expect(path, RILL_GREY_U16);
            }
    refuse("lz4.vti", "vtkLZ4DataCompressor", "zlib");
    for (int bits = 0; bits < 8; bits++) {
        char path[32];
        snprintf(path, sizeof path, "%d-u8.vtk", bits);
        const rill_image seen = expect(path, RILL_GREY_U8);
        cr_assert(!seen.metric && seen.spacing[0] == 2 && seen.spacing[2] == 3);
        cr_assert(strstr(seen.kind, bits & 1 ? "cells" : "points") &&
                      strstr(seen.kind, bits & 2 ? "binary" : "ASCII"),
                  "%s: %s", path, seen.kind);
        snprintf(path, sizeof path, "%d-u16.vtk", bits);
        expect(path, RILL_GREY_U16);
    }
}

/* expat takes time by the square of a tag's length, and memory by depth. */
Test(vtk_images, large_tags_and_depths_are_refused)
{
    enum { LONG = 1 << 21, DEEP = 65 };
    static const char begin[] = "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\"";
    FILE *file = fopen("long.vti", "w");
    cr_assert(file);
    fprintf(file, "%s a=\"%*s\"></VTKFile>", begin, LONG, "");
    cr_assert_eq(fclose(file), 0);
    refuse("long.vti", "a tag of more than 1048576 bytes", "");
    file = fopen("deep.vti", "w");
    cr_assert(file);
    fprintf(file, "%s>", begin);
    for (int k = 0; k < DEEP; k++) fputs("<a>", file);
    cr_assert_eq(fclose(file), 0);
    refuse("deep.vti", "more than 64 elements within each other", "");
}
