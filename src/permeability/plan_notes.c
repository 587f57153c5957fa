/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan notes of a sample: faces that do not match, and a cross-section that changes along the flow. */
#include "permeability/plan.h"

#include "core/notes.h"
#include "core/status.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/faces.h"
#include "kernel/storage/stream.h"
#include "geometry/voxels/outside.h"

#include <stdio.h>
#include <string.h>

/* Cross-sections of a sample that differ by less than this part of the box are those of a cylinder. */
#define SECTIONS 0.02

/* "z (flow): 31 % of the pore voxels meet pores, 30 % by chance, 89 % inside" */
static void face_describe(const rill_faces *f, int axis, bool flow, char *text, size_t size)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%c%s %.0f %% (by chance %.0f %%, inside %.0f %%)", used ? ", " : "",
             rill_axis(axis), flow ? ", the flow," : "", 100 * f->meeting, 100 * f->chance, 100 * f->inside);
}

static rill_status faces_note(const rill_geom *geom, const rill_permeability_options *o, char **notes)
{
    rill_status status = RILL_OK;
    rill_faces faces[3];
    char list[256] = "";
    bool along = false;
    RILL_TRY(rill_faces_measure(geom, faces));
    for (int flow = 1; flow >= 0; flow--)
        for (int a = 0; a < 3; a++) {
            const bool is = rill_axes_has(o->axis, a);
            if (!faces[a].differ || is != (bool)flow) continue;
            face_describe(&faces[a], a, is, list, sizeof list);
            along = along || is;
        }
    if (list[0])
        RILL_TRY(rill_note(
            notes,
            "opposite faces do not match, and the boundaries there are periodic: of the pore voxels there meet pores along %s: "
            "%s, which is right for periodic media alone: mirror the image with --sides mirror, which takes about a fifth more steps, "
            "and gives no entries off the diagonal",
            list, along ? "pores end at the faces" : "pores end beside the flow"));
done:
    return status;
}

static rill_status sections_note(const rill_geom *geom, const rill_permeability_options *o, char **notes)
{
    rill_status status = RILL_OK;
    for (int a = 0; a < 3 && geom->outside; a++) {
        double least, most;
        if (!rill_axes_has(o->axis, a)) continue;
        RILL_TRY(rill_outside_sections(geom, a, &least, &most));
        if (most - least <= SECTIONS) continue;
        RILL_TRY(rill_note(
            notes,
            "the sample takes %.3g %% to %.3g %% of the planes across %c: "
            "k along %c is the mean flow through its voxels as if solid surrounded them, not a property of the material; drive the flow along the axis of the core",
            100 * least, 100 * most, rill_axis(a), rill_axis(a)));
    }
done:
    return status;
}

rill_status rill_plan_notes(const rill_geom *geom, const rill_permeability_options *o, char **notes)
{
    rill_status status = RILL_OK;
    RILL_TRY(faces_note(geom, o, notes));
    RILL_TRY(sections_note(geom, o, notes));
    if (rill_stream_macroscopic((int)o->variant.stream))
        RILL_TRY(rill_note(
            notes,
            "k is that of the magic parameter 1/4, which macroscopic streaming needs: a slit of H voxels has H^2/12 + 1/12 instead of H^2/12 + 1/24; "
            "another streaming scheme has 3/16 by default"));
done:
    return status;
}
