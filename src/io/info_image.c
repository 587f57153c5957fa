/* SPDX-License-Identifier: Apache-2.0 */
/* Describes images: what their files say, the grey values that occur, and what would be taken as pore. */
#include "core/status.h"
#include "geometry/image/pore_choice.h"
#include "geometry/image/scan.h"
#include "io/info.h"
#include "io/json_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static json_t *spacing_json(const rill_image_account *a)
{
    const double *s = a->spacing;
    const char *unit = a->metric ? "m" : "ratio";
    if (!(s[0] > 0)) return json_null();
    if (s[0] == s[1] && s[1] == s[2]) return json_pack("{s:f, s:s}", "value", s[0], "unit", unit);
    return json_pack("{s:[f,f,f], s:s}", "value", s[0], s[1], s[2], "unit", unit);
}

/* The most frequent values; as in voxelize, others are counted but not listed. */
static json_t *greys_json(const rill_voxelize_report *r)
{
    json_t *list = json_array();
    for (uint64_t i = 0; i < r->greys && i < RILL_GREYS_SHOWN; i++)
        json_array_append_new(list, json_pack("{s:o, s:f, s:o}", "value", rill_json_real(r->grey[i].value),
                                              "fraction", r->grey[i].fraction, "pore",
                                              r->pore_unknown ? json_null() : json_boolean(r->grey[i].pore)));
    return list;
}

/* "0-99,255", as --pore takes it; null where neither the options nor the image say it. */
static json_t *pore_json(const rill_voxelize_options *o, double custom)
{
    char text[RILL_PORE_RANGES * 48] = "";
    size_t used = 0;
    if (o->pore_count == 0 && isnan(custom)) return json_null();
    if (o->pore_count == 0) snprintf(text, sizeof text, "%.15g", custom);
    for (int i = 0; i < o->pore_count; i++) {
        const double low = o->pore[i][0], high = o->pore[i][1];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.15g", i ? "," : "", low);
        if (high > low) used += (size_t)snprintf(text + used, sizeof text - used, ":%.15g", high);
    }
    return json_string(text);
}

static json_t *notes_json(const rill_voxelize_report *r)
{
    char note[2 * RILL_PORE_TEXT + 128], first[RILL_PORE_TEXT], second[RILL_PORE_TEXT];
    if (!r->pore_unknown)
        return rill_json_notes(r->greys ? NULL : "more than 1000 different values: it is not segmented",
                               r->remarks);
    rill_pore_choices(r, first, second);
    snprintf(note, sizeof note, "the image does not say which values are pore: choose --pore %s%s%s", first,
             *second ? " or --pore " : "", second);
    return rill_json_notes(note, r->remarks);
}

rill_status rill_info_image(const char *path, const rill_voxelize_options *options, rill_progress progress,
                            json_t **out)
{
    rill_status status = RILL_OK;
    rill_image_account a;
    RILL_TRY(rill_image_scan(path, options, progress, &a));
    const rill_voxelize_report *r = &a.report;
    const char *const axes[] = {"x", "y", "z"};
    const double voxels = (double)a.n[0] * a.n[1] * a.n[2];
    json_t *name = json_string(path);
    *out = json_pack("{s:o, s:s, s:s, s:s, s:[i,i,i], s:[s,s,s], s:o, s:o*, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "file", name ? name : json_string("(not UTF-8)"), "kind", "image", "format", r->kind,
                     "type", rill_grey_name(r->type), "size", (int)a.n[0], (int)a.n[1], (int)a.n[2], "axes",
                     axes[r->axes[0]], axes[r->axes[1]], axes[r->axes[2]], "voxel_size", spacing_json(&a),
                     "distinct_values", r->greys ? json_integer((json_int_t)r->greys) : NULL, "smallest",
                     rill_json_real(r->grey_min), "largest", rill_json_real(r->grey_max), "grey_values",
                     greys_json(r), "pore_values", pore_json(options, a.pore), "pore_fraction",
                     r->pore_unknown ? json_null() : json_real((double)r->fluid / voxels), "notes",
                     notes_json(r));
    if (!*out) status = rill_fail(RILL_SYSTEM, "out of memory for a description");
done:
    return status;
}
