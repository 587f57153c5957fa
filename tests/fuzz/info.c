/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer: hostile files of every kind, as `rill info` describes them: what is read, and the rows that are
 * printed of it. The reading of HDF5 files is not in a program of its own here: look for frames of rill.
 *
 *     tests/fuzz/run info tests/fuzz/corpus/info -max_total_time=300
 */
#include "cli/cmd_info.c" /* what it calls has no header */

#include "scratch.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return freopen("/dev/null", "w", stdout) ? 0 : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[SCRATCH_SIZE];
    cli_image image;
    cli_surface surface;
    cli_option files[16];
    json_t *json = NULL;
    scratch_write(data, size, path);
    cli_image_defaults(&image);
    cli_surface_defaults(&surface);
    cli_image_file_options(&image, files, sizeof files / sizeof *files);
    if (describe(path, &image, &surface, &json) == RILL_OK) print_rows(json, 0);
    json_decref(json);
    unlink(path);
    return 0;
}
