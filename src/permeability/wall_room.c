/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up what the walls of a flow are worth: the slack of each first, then its sensitivity, plane by plane.
 */
#include "permeability/finish.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/shape.h"
#include "permeability/wall_sensitivity.h"

#include <math.h>

/* A pore voxel at a wall. */
typedef struct place {
    uint32_t x, y;
    float slack[2];
} place;

/* Those of a plane, by y, then x. */
typedef struct places {
    place *all;
    uint64_t count;
} places;

typedef struct sums {
    const rill_geom *geom;
    places *planes; /* [nz] */
    uint64_t next;  /* place of a plane that is looked at */
    uint32_t z;     /* that plane */
    rill_permeability_flow *run;
} sums;

bool rill_wall_room_known(const rill_geom *geom, const rill_permeability_options *o)
{
    return !geom->surface && o->variant.lattice != RILL_D2Q9 && o->drive == RILL_DRIVE_FORCE &&
           o->variant.equilibrium == RILL_STOKES;
}

uint64_t rill_wall_room_bytes(const rill_geom *geom, uint64_t faces)
{
    const uint64_t field = rill_shape_bytes(geom->n), flow = rill_wall_sensitivity_bytes(geom);
    return (field > flow ? field : flow) + faces * sizeof(place) + geom->n[2] * sizeof(places);
}

static rill_status plane_keep(void *context, const rill_shape_plane *plane)
{
    rill_status status = RILL_OK;
    sums *s = context;
    places *to = &s->planes[plane->z];
    for (int keeping = 0; keeping < 2; keeping++) {
        uint64_t count = 0;
        for (uint32_t y = 0; y < s->geom->n[1]; y++)
            for (uint32_t x = 0; x < s->geom->n[0]; x++) {
                const ptrdiff_t at = (ptrdiff_t)y * plane->row + x;
                const float *const slack[2] = {plane->slack[0] + at, plane->slack[1] + at};
                if (!(*slack[0] > 0)) continue;
                if (keeping) to->all[count] = (place){x, y, {*slack[0], *slack[1]}};
                count++;
            }
        if (keeping) break;
        RILL_TRY(rill_array_create(count + 1, sizeof *to->all, "walls", (void **)&to->all));
        to->count = count;
    }
done:
    return status;
}

static bool before(const place *p, const uint32_t at[3])
{
    return p->y != at[1] ? p->y < at[1] : p->x < at[0];
}

static rill_status wall_add(void *context, const rill_wall_voxel *voxel)
{
    sums *s = context;
    double shift = 0;
    if (voxel->at[2] != s->z) s->next = 0;
    s->z = voxel->at[2];
    const places *here = &s->planes[s->z];
    while (s->next < here->count && before(&here->all[s->next], voxel->at)) s->next++;
    for (int i = 0; i < 6; i++) shift += voxel->face[i];
    s->run->wall_shift += shift;
    if (s->next == here->count || here->all[s->next].x != voxel->at[0] ||
        here->all[s->next].y != voxel->at[1])
        return RILL_OK;
    for (int kind = 0; kind < 2; kind++)
        s->run->wall_room[kind] += shift * (double)here->all[s->next].slack[kind];
    return RILL_OK;
}

rill_status rill_wall_room(const rill_geom *geom, const rill_node_moments *moments,
                           rill_permeability_flow *run)
{
    rill_status status = RILL_OK;
    sums s = {.geom = geom, .run = run};
    RILL_TRY(rill_array_create_zero(geom->n[2], sizeof *s.planes, "walls", (void **)&s.planes));
    RILL_TRY(rill_shape_planes(geom, RILL_SHAPE_SIGMA, true, plane_keep, &s));
    run->wall_shift = run->wall_room[0] = run->wall_room[1] = 0;
    RILL_TRY(rill_wall_sensitivity(&(rill_wall_flow){geom, moments}, wall_add, &s));
done:
    if (status != RILL_OK) run->wall_shift = run->wall_room[0] = run->wall_room[1] = NAN;
    for (uint32_t z = 0; s.planes && z < geom->n[2]; z++) rill_array_destroy(s.planes[z].all);
    rill_array_destroy(s.planes);
    return status;
}
