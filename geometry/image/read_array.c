/* SPDX-License-Identifier: Apache-2.0 */
/* Images in memory: x fastest, in the byte order of the processor. */
#include "geometry/image/image_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rill_status copy_slice(rill_image *image, uint32_t slice, void *grey)
{
    const uint64_t size = rill_image_slice_voxels(image) * rill_grey_size(image->type);
    memcpy(grey, (const char *)image->memory + slice * size, size);
    return RILL_OK;
}

static rill_status describe(const void *grey, const rill_image_options *options, rill_image *image)
{
    const uint64_t n[3] = {options->n[0], options->n[1], options->n[2]};
    if (!grey) return rill_fail(RILL_USAGE, "there is no array");
    if (options->type < 0 || options->type >= RILL_GREY_COUNT)
        return rill_fail(RILL_USAGE, "a number type of %d is none of the %d: state that of the array",
                         options->type, RILL_GREY_COUNT);
    image->type = (rill_grey)options->type;
    image->memory = grey;
    image->read = copy_slice;
    image->threaded = true;
    snprintf(image->kind, sizeof image->kind, "array of %s", rill_grey_name(image->type));
    return rill_image_set_size(image, n, 3);
}

rill_status rill_image_open_array(const void *grey, const rill_image_options *options, rill_image **out)
{
    rill_image *image = calloc(1, sizeof *image);
    if (!image) return rill_fail(RILL_SYSTEM, "out of memory for an image");
    for (int a = 0; a < 3; a++) image->order[a] = image->axes[a] = a;
    const rill_status status = describe(grey, options, image);
    if (status != RILL_OK) {
        rill_image_close(image);
        return status;
    }
    rill_image_settle_pore(image);
    *out = image;
    return RILL_OK;
}
