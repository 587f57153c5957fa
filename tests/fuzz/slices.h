/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what slices an opened image of a fuzzer has. */
#ifndef RILL_FUZZ_SLICES_H
#define RILL_FUZZ_SLICES_H

#include "geometry/image/image.h"

#include <stdlib.h>

enum { SLICE_MOST = 1 << 20, SLICES_MOST = 64 };

static inline void read_slices(rill_image *image)
{
    const uint64_t bytes = rill_image_slice_voxels(image) * rill_grey_size(image->type);
    const uint32_t slices = image->n[image->order[2]];
    void *grey = bytes <= SLICE_MOST ? malloc(bytes) : NULL;
    for (uint32_t k = 0; grey && k < slices && k < SLICES_MOST; k++)
        if (rill_image_read(image, k, grey) != RILL_OK) break;
    free(grey);
}

#endif
