/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a permeability's run: velocity, pressure and, where it is known, what walls decide. */
#include "cli/permeability.h"
#include "core/status.h"

#include <stdlib.h>

/* Moments of the run that just ended, in node order. */
typedef struct moments {
    const rill_node_moments *all;
    float *some; /* [4][room] */
    size_t room;
} moments;

/* Have room for the moments of nodes. */
static rill_status room_make(moments *m, size_t count)
{
    if (count <= m->room) return RILL_OK;
    free(m->some);
    m->some = malloc(4 * count * sizeof *m->some);
    m->room = m->some ? count : 0;
    return m->some ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for a batch of moments");
}

static rill_status hand_out(void *context, rill_node first, rill_node count, double *rho, double *u)
{
    rill_status status = RILL_OK;
    moments *m = context;
    RILL_TRY(room_make(m, count));
    RILL_TRY(m->all->read(m->all->from, first, count, m->some, m->some + count));
    for (size_t i = 0; i < count; i++) {
        rho[i] = m->some[i];
        for (size_t a = 0; a < 3; a++) u[a * count + i] = m->some[(a + 1) * count + i];
    }
done:
    return status;
}

static rill_status walls_hand_out(void *context, rill_node first, rill_node count, double *values)
{
    rill_status status = RILL_OK;
    moments *m = context;
    RILL_TRY(room_make(m, count));
    RILL_TRY(m->all->read_walls(m->all->walls, first, count, m->some));
    for (size_t i = 0; i < count; i++) values[i] = m->some[i];
done:
    return status;
}

rill_status cli_permeability_fields_write(const cli_permeability_fields *f, const rill_permeability_flow *run,
                                          const rill_node_moments *all)
{
    moments m = {.all = all};
    rill_fields fields = rill_fields_default();
    fields.geom = f->geom;
    fields.moments = hand_out;
    fields.context = &m;
    fields.step = run->steps;
    fields.command = f->command;
    fields.progress = f->progress;
    if (all->read_walls)
        fields.scalars[fields.scalar_count++] =
            (rill_field_scalar){.name = RILL_FIELD_WALLS,
                                .unit = {1, "1/voxel", 0, 0},
                                .meaning = "relative change of k for each voxel that the walls here move",
                                .values = walls_hand_out};
    const rill_status status = rill_fields_write(&fields, f->kind, f->path);
    free(m.some);
    return status;
}
