/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer: hostile results, fields and walls, as `rill info` and `rill export` read them. rill-inspect
 * reads files before rill does, because HDF5 itself crashes on some: look for frames of rill.
 *
 *     tests/fuzz/run result tests/fuzz/corpus/result -max_total_time=300
 */
#include "io/info.h"
#include "io/slice.h"
#include "io/pictures.h"

#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const rill_slice_field fields[] = {RILL_SLICE_SPEED, RILL_SLICE_PRESSURE, RILL_SLICE_CONCENTRATION,
                                              RILL_SLICE_FILL};
    char path[SCRATCH_SIZE], picture[SCRATCH_SIZE + 8];
    json_t *json = NULL;
    rill_slice_field usual;
    bool is = false;
    scratch_write(data, size, path);
    snprintf(picture, sizeof picture, "%s.png", path);
    if (rill_info_read(path, &json) == RILL_OK) json_decref(json);
    if (rill_slice_usual(path, &usual) == RILL_OK && usual != RILL_SLICE_VOXELS)
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
            rill_slice *slice = NULL;
            if (rill_slice_read(path, fields[k], (int)(k % 3), 0.5, true, &slice) == RILL_OK)
                rill_slice_destroy(slice);
        }
    if (rill_wall_picture_is(path, &is) == RILL_OK && is)
        rill_wall_picture_write(path, NULL, (rill_picture_scale){0}, picture);
    unlink(picture);
    unlink(path);
    return 0;
}
