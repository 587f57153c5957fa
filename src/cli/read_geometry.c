/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a geometry or an image by its name. */
#include "cli/read_geometry.h"

#include "core/status.h"
#include "io/ours.h"

rill_status cli_read_geometry(const char *path, const char *pore, rill_keep_kind keep, rill_progress progress,
                              rill_geom **out)
{
    if (rill_file_is_ours(path)) return rill_geom_read(path, out);
    rill_voxelize_options options = rill_voxelize_options_default();
    rill_voxelize_report report;
    rill_status status = RILL_OK;
    if (pore) status = rill_voxelize_parse_pore(pore, &options);
    if (status != RILL_OK) {
        rill_fail_prefix("--pore");
        return status;
    }
    options.keep = keep;
    return rill_image_voxelize(path, &options, progress, out, &report);
}
