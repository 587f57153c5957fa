/* SPDX-License-Identifier: Apache-2.0 */
/* Goes once through the slices of an image and counts its grey values. */
#include "geometry/image/scan.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "geometry/image/image_priv.h"
#include "geometry/image/pore_choice.h"

#include <stdio.h>
#include <string.h>

static void describe(const rill_image *image, const rill_voxelize_options *options, rill_image_account *out)
{
    rill_voxelize_report *r = &out->report;
    r->type = image->type;
    memcpy(r->kind, image->kind, sizeof r->kind);
    snprintf(r->remarks, sizeof r->remarks, "%s%s", image->remarks, image->spacing_note);
    out->metric = image->metric;
    out->pore = image->pore;
    r->pore_unknown = rill_pore_unknown(image, options);
    for (int f = 0; f < 3; f++) {
        const int a = options->axes[0] >= 0 ? options->axes[f] : image->axes[f];
        r->axes[f] = a;
        r->file_n[f] = out->n[a] = image->n[f];
        out->spacing[a] = image->spacing[f];
    }
}

rill_status rill_image_count(rill_image *image, rill_pore_map *map, rill_progress progress, uint64_t *pores)
{
    rill_status status = RILL_OK;
    const uint64_t voxels = rill_image_slice_voxels(image);
    const uint32_t slices = image->n[image->order[2]];
    void *grey = NULL;
    uint8_t *pore = NULL;
    RILL_TRY(rill_array_create(voxels, rill_grey_size(image->type), "a slice of the image", &grey));
    RILL_TRY(rill_array_create(voxels, 1, "a slice of pores", (void **)&pore));
    for (uint32_t k = 0; k < slices; k++) {
        RILL_TRY(rill_progress_report(progress, "reading", (double)k / slices));
        RILL_TRY(rill_image_read(image, k, grey));
        RILL_TRY(rill_pore_map_apply(map, grey, voxels, pore));
        for (uint64_t i = 0; i < voxels; i++) *pores += pore[i] == RILL_FLUID;
    }
done:
    rill_array_destroy(grey);
    rill_array_destroy(pore);
    return status;
}

rill_status rill_image_scan(const char *path, const rill_voxelize_options *options, rill_progress progress,
                            rill_image_account *out)
{
    rill_status status = RILL_OK;
    rill_image *image = NULL;
    rill_pore_map *map = NULL;
    *out = (rill_image_account){0};
    RILL_TRY(rill_image_open(path, &options->image, &image));
    describe(image, options, out);
    status = rill_pore_map_create(image, options, &map);
    if (status == RILL_OK) status = rill_image_count(image, map, progress, &out->report.fluid);
    if (status != RILL_OK) {
        rill_fail_prefix("%s", rill_input_title(path));
        goto done;
    }
    rill_pore_map_report(map, &out->report);
done:
    rill_pore_map_destroy(map);
    rill_image_close(image);
    return status;
}
