/* SPDX-License-Identifier: Apache-2.0 */
/* Which opening of the geometry is which of the case. */
#include "vessel/plan/plan.h"

#include "core/nearest.h"
#include "core/status.h"

#include <stdio.h>
#include <string.h>

/* Write the names of the geometry's openings. */
static const char *list(const rill_surface *s, char *text, size_t size)
{
    text[0] = '\0';
    for (int k = 0; k < s->opening_count; k++) {
        const size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s", k ? ", " : "", s->openings[k].name);
    }
    return text;
}

bool rill_case_closes(const rill_case *given)
{
    for (int e = 0; e < given->end_count; e++)
        if (given->ends[e].kind == RILL_END_WALL) return true;
    return false;
}

/* Whether the geometry has the opening; where it has not, rill_case_match() says so. */
static bool is_opening(const rill_geom *geom, const char *name)
{
    for (int k = 0; geom->surface && k < geom->surface->opening_count; k++)
        if (strcmp(geom->surface->openings[k].name, name) == 0) return true;
    return false;
}

rill_status rill_case_close(rill_case *given, rill_geom *geom)
{
    rill_status status = RILL_OK;
    int kept = 0;
    for (int e = 0; e < given->end_count; e++) {
        const rill_end end = given->ends[e];
        const bool closes = status == RILL_OK && end.kind == RILL_END_WALL && is_opening(geom, end.name);
        if (closes) status = rill_geom_close_opening(geom, end.name);
        if (!closes || status != RILL_OK) given->ends[kept++] = end;
    }
    given->end_count = kept;
    return status;
}

rill_status rill_case_match(const rill_case *c, const rill_geom *geom, int *ends)
{
    const rill_surface *s = geom->surface;
    char names[512];
    if (!s || s->opening_count == 0)
        return rill_fail(
            RILL_USAGE,
            "%s has no openings that a case could be about: make it from a surface with `rill voxelize`",
            c->geometry);
    if (!(geom->spacing > 0))
        return rill_fail(RILL_USAGE, "%s has no size of voxels: make it again with one", c->geometry);
    for (int k = 0; k < s->opening_count; k++) ends[k] = -1;
    for (int e = 0; e < c->end_count; e++) {
        rill_nearest match = {0};
        bool found = false;
        for (int k = 0; k < s->opening_count; k++) {
            rill_nearest_try(&match, c->ends[e].name, s->openings[k].name);
            if (strcmp(c->ends[e].name, s->openings[k].name) != 0) continue;
            if (c->ends[e].kind == RILL_END_WALL)
                return rill_fail(RILL_USAGE,
                                 "%s:%d: opening %s is a wall: rill_case_close() closes it before a plan",
                                 c->path, c->ends[e].line, c->ends[e].name);
            ends[k] = e;
            found = true;
        }
        if (!found && rill_nearest_is_meant(&match, c->ends[e].name))
            return rill_fail(RILL_USAGE, "%s:%d: %s has no opening \"%s\": did you mean \"%s\"? It has %s",
                             c->path, c->ends[e].line, c->geometry, c->ends[e].name, match.name,
                             list(s, names, sizeof names));
        if (!found)
            return rill_fail(RILL_USAGE, "%s:%d: %s has no opening \"%s\": it has %s", c->path,
                             c->ends[e].line, c->geometry, c->ends[e].name, list(s, names, sizeof names));
    }
    for (int k = 0; k < s->opening_count; k++)
        if (ends[k] < 0)
            return rill_fail(
                RILL_USAGE,
                "%s: openings says nothing of \"%s\": say what stands at each opening of %s, which are %s",
                c->path, s->openings[k].name, c->geometry, list(s, names, sizeof names));
    return RILL_OK;
}
