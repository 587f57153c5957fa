/* SPDX-License-Identifier: Apache-2.0 */
#include "io/pictures.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/view.h"

#include <math.h>
#include <string.h>

typedef struct picture {
    rill_surface shown; /* the wall, and fans that fill the openings; arrays owned */
    float *values;      /* [shown.triangle_count], number of the opening; NaN of the wall */
    rill_view_mark marks[RILL_OPENINGS + RILL_RIMS_TOLD];
    int mark_count;
} picture;

static rill_status arrays_create(picture *p, const rill_surface *s)
{
    rill_status status = RILL_OK;
    uint64_t fans = 0;
    for (int k = 0; k < s->opening_count; k++) fans += s->openings[k].outline_count;
    const uint64_t vertices = s->vertex_count + fans + (uint64_t)s->opening_count;
    RILL_TRY(
        rill_array_create(vertices, sizeof *p->shown.vertices, "a picture", (void **)&p->shown.vertices));
    RILL_TRY(rill_array_create(s->triangle_count + fans, sizeof *p->shown.triangles, "a picture",
                               (void **)&p->shown.triangles));
    RILL_TRY(
        rill_array_create(s->triangle_count + fans, sizeof *p->values, "a picture", (void **)&p->values));
    memcpy(p->shown.vertices, s->vertices, s->vertex_count * sizeof *s->vertices);
    p->shown.vertex_count = s->vertex_count;
done:
    return status;
}

static void wall_add(picture *p, const rill_surface *s)
{
    for (uint64_t t = 0; t < s->triangle_count; t++) {
        if (s->removed && s->removed[t] == RILL_WALL_REMOVED) continue;
        p->values[p->shown.triangle_count] = NAN;
        memcpy(p->shown.triangles[p->shown.triangle_count++], s->triangles[t], sizeof s->triangles[t]);
    }
}

/* Fill an opening by triangles around its centre. */
static void fan_add(picture *p, const rill_opening *o, double value)
{
    const uint32_t centre = (uint32_t)p->shown.vertex_count, count = (uint32_t)o->outline_count;
    memcpy(p->shown.vertices[p->shown.vertex_count++], o->centre, sizeof o->centre);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t corners[3] = {centre, centre + 1 + k, centre + 1 + (k + 1) % count};
        memcpy(p->shown.vertices[p->shown.vertex_count++], o->outline[k], sizeof o->outline[k]);
        p->values[p->shown.triangle_count] = (float)value;
        memcpy(p->shown.triangles[p->shown.triangle_count++], corners, sizeof corners);
    }
}

static void mark_add(picture *p, const double at[3], const char *name)
{
    rill_view_mark *mark = &p->marks[p->mark_count++];
    memcpy(mark->at, at, sizeof mark->at);
    mark->value = p->mark_count;
    mark->name = name;
}

rill_status rill_surface_picture_write(const rill_survey *survey, const char *path)
{
    rill_status status = RILL_OK;
    const rill_surface *s = survey->surface;
    picture p = {0};
    RILL_TRY(arrays_create(&p, s));
    wall_add(&p, s);
    for (int k = 0; k < s->opening_count; k++) {
        fan_add(&p, &s->openings[k], k + 1);
        mark_add(&p, s->openings[k].centre, s->openings[k].name);
    }
    for (int k = 0; k < survey->rim_count; k++) mark_add(&p, survey->rims[k].centre, "closed");
    const rill_view view = {.surface = &p.shown,
                            .values = p.values,
                            .marks = p.marks,
                            .mark_count = p.mark_count,
                            .range = {0, p.mark_count}};
    RILL_TRY(rill_view_write(&view, path));
done:
    rill_array_destroy(p.shown.vertices);
    rill_array_destroy(p.shown.triangles);
    rill_array_destroy(p.values);
    return status;
}
