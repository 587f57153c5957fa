/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars that the flow of a simulation carries. */
#include "sim/carrier.h"

#include "core/memory.h"
#include "kernel/lattice.h"
#include "kernel/variant.h"
#include "sim/several.h"

#include <math.h>
#include <string.h>

rill_status rill_carrier_check(const rill_sim_options *options, int count)
{
    if (options->carried)
        return rill_fail(RILL_USAGE,
                         "the first set is the flow, which nothing carries: list the scalar behind it");
    for (int k = 1; k < count; k++) {
        const rill_sim_options *o = &options[k];
        if (!isfinite(o->source))
            return rill_fail(RILL_USAGE, "source = %g of a scalar is not a finite number", o->source);
        if (o->source != 0 && !o->carried)
            return rill_fail(RILL_USAGE, "source = %g is that of a scalar that the flow carries: set it to 0",
                             o->source);
        if (!o->carried) continue;
        if (!rill_variant_scalar(o->variant) || o->variant.lattice != RILL_D3Q7)
            return rill_fail(
                RILL_USAGE,
                "set %d, on lattice %s with collision %s, is not carried by a flow: choose d3q7 and advection-diffusion",
                k, rill_lattice_names[o->variant.lattice], rill_collision_names[o->variant.collision]);
        if (o->variant.addressing == RILL_DENSE)
            return rill_fail(RILL_USAGE,
                             "a scalar that a flow carries does not go with addressing dense: choose list");
    }
    return RILL_OK;
}

static int carried_count(const rill_sim *sim)
{
    int count = 0;
    for (int k = 0; k < sim->set_count; k++) count += sim->flow[k].options.carried;
    return count;
}

/* Take moments of all nodes, the bits of their openings, and phi outside of those. */
static void arrays_take(rill_sim *sim, const rill_links_size *size, uint64_t openings, int scalars,
                        rill_room *room)
{
    RILL_ROOM_ALLOC(room, 4 * (uint64_t)size->nodes, sim->carried);
    RILL_ROOM_ALLOC(room, size->stride, sim->open);
    RILL_ROOM_ALLOC(room, openings * (uint64_t)scalars, sim->outside);
}

void rill_carrier_count(const rill_links_size *size, uint64_t openings, int scalars, rill_room *room)
{
    rill_sim sim = {.domain = NULL};
    if (scalars) arrays_take(&sim, size, openings, scalars, room);
}

rill_status rill_carrier_create(rill_sim *sim)
{
    rill_status status = RILL_OK;
    uint32_t *none = NULL;
    const int scalars = carried_count(sim);
    const rill_links_size size = sim->flow->links->size;
    if (scalars == 0) return RILL_OK;
    sim->room.what = "what carries scalars";
    arrays_take(sim, &size, RILL_OPENINGS, sim->set_count, &sim->room);
    RILL_TRY(sim->room.status);
    RILL_TRY(rill_array_create_zero(size.stride, sizeof *none, "openings of scalars", (void **)&none));
    RILL_TRY(rill_device_upload(sim->device, sim->open, none, size.stride * sizeof *none));
done:
    rill_array_destroy(none);
    return status;
}

void rill_carrier_free(rill_sim *sim)
{
    rill_device_free(sim->device, sim->carried);
    rill_device_free(sim->device, sim->open);
    rill_device_free(sim->device, sim->outside);
}

/* Return where the moments of the nodes from `first` on are. */
static double *moments_at(const rill_sim *sim, rill_node first)
{
    return sim->carried + 4 * (size_t)(first - sim->domain->first);
}

void rill_carrier_take(const rill_sim *sim, void *queue, rill_node first, rill_node end)
{
    if (!sim->carried || first >= end) return;
    rill_launch launch = rill_sim_launch(sim);
    launch.queue = queue;
    launch.kernels->moments(&launch, first, end - first, moments_at(sim, first));
}

rill_carrier rill_carrier_of(const rill_sim *sim, const rill_set *set, rill_node first, rill_node end)
{
    if (!set->options.carried) return (rill_carrier){.moments = NULL};
    return (rill_carrier){.moments = moments_at(sim, first),
                          .first = first,
                          .count = end - first,
                          .over_density = sim->flow->options.variant.equilibrium == RILL_SECOND_ORDER,
                          .open = sim->open,
                          .outside = sim->outside + (size_t)(set - sim->flow) * RILL_OPENINGS};
}

/* ---- openings -------------------------------------------------------------------------------- */

/* Mark the links along axes of the nodes of part p that lead through openings. A node has one opening. */
static rill_status part_open(rill_sim *sim, int p, const rill_opening *openings, int count,
                             const double *outside)
{
    rill_status status = RILL_OK;
    rill_sim *part = rill_sim_part(sim, p);
    const rill_global_node begins = rill_sim_part_first(sim, p), ends = begins + part->domain->nodes;
    const size_t stride = part->flow->links->size.stride;
    uint32_t *open = NULL;
    RILL_TRY(rill_array_create_zero(stride, sizeof *open, "openings of scalars", (void **)&open));
    for (int k = 0; k < count; k++)
        for (uint64_t c = 0; c < openings[k].cut_count; c++) {
            const rill_cut *cut = &openings[k].cuts[c];
            if (cut->direction > RILL_AXIS_LINKS || cut->node < begins || cut->node >= ends) continue;
            uint32_t *at = &open[rill_sim_number(part, (rill_node)(cut->node - begins))];
            if (*at && memcmp(&outside[*at >> RILL_OPENING_SHIFT], &outside[k], sizeof *outside) != 0)
                RILL_TRY(rill_fail(
                    RILL_USAGE,
                    "a node lies between the openings %s and %s, and can have the scalar of one alone: choose a smaller --dx",
                    openings[*at >> RILL_OPENING_SHIFT].name, openings[k].name));
            *at = (*at & ((1u << RILL_OPENING_SHIFT) - 1)) | 1u << rill_opposite(cut->direction) |
                  (uint32_t)k << RILL_OPENING_SHIFT;
        }
    RILL_TRY(rill_device_upload(part->device, part->open, open, stride * sizeof *open));
done:
    rill_array_destroy(open);
    return status;
}

rill_status rill_sim_scalar_open(rill_sim *sim, int set, const rill_opening *openings, int count,
                                 const double *outside)
{
    rill_status status = RILL_OK;
    if (set <= 0 || set >= sim->set_count || !sim->flow[set].options.carried)
        return rill_fail(RILL_USAGE, "set %d of the %d of the simulation is not carried by the flow", set,
                         sim->set_count);
    if (count > RILL_OPENINGS)
        return rill_fail(RILL_USAGE, "%d openings are more than the %d that there can be", count,
                         RILL_OPENINGS);
    for (int p = 0; p < rill_sim_parts(sim) && count > 0; p++) {
        rill_sim *part = rill_sim_part(sim, p);
        RILL_TRY(part_open(sim, p, openings, count, outside));
        RILL_TRY(rill_device_upload(part->device, part->outside + (size_t)set * RILL_OPENINGS, outside,
                                    (uint64_t)count * sizeof *outside));
    }
done:
    return status;
}
