/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the memory of boundaries that are made of cuts. */
#include "sim/attached_size.h"

#include "kernel/launch.h"
#include "kernel/variant.h"
#include "kernel/walls.h"
#include "sim/boundary.h"

rill_attached_load rill_attached_load_of(const rill_cut *cuts, uint64_t count, rill_lattice lattice)
{
    rill_attached_load load = {.cuts = count};
    bool has[RILL_Q_MAX] = {false};
    for (int i = 1; i < RILL_Q_MAX; i++) has[i] = rill_boundary_direction(lattice, i) > 0;
    for (uint64_t k = 0; k < count; k++) {
        load.links += cuts[k].direction < RILL_Q_MAX && has[cuts[k].direction];
        load.axes += cuts[k].direction <= rill_wall_fluxes((int)lattice);
        load.nodes += k == 0 || cuts[k].node != cuts[k - 1].node;
    }
    load.pairs = load.links;
    return load;
}

/* An array that the host keeps and a device has a copy of. */
static void share(uint64_t bytes, const rill_device *device, rill_attached_size *size, rill_room *room)
{
    size->host += bytes;
    if (!device->backend->host) rill_room_add(room, bytes);
}

static void walls_measure(const rill_attached_load *load, const rill_device *device, rill_attached_size *size,
                          rill_room *room)
{
    const uint64_t links = load->links, nodes = load->nodes;
    share(links * sizeof(rill_wall_cut), device, size, room);
    share((nodes + 1) * sizeof(rill_wall_node), device, size, room);
    share(links * sizeof(uint32_t), device, size, room);
    share(nodes * sizeof(float[RILL_WALL_FLUXES]), device, size, room);
    if (load->bundles) {
        share(load->bundles * sizeof(rill_wall_bundle), device, size, room);
        share((links + RILL_WALL_FLUXES * nodes - load->axes) * sizeof(float), device, size, room);
    }
    rill_room_add(room, links * sizeof(double));
    rill_room_add(room, links * sizeof(rill_node));
    size->making += nodes * sizeof(float[RILL_WALL_FLUXES]);
    size->making += nodes * (2 * sizeof(uint64_t) + sizeof(bool)) + links * sizeof(uint32_t);
}

static void openings_measure(const rill_attached_load *load, const rill_device *device,
                             rill_attached_size *size, rill_room *room)
{
    const uint64_t values = 2 * (uint64_t)load->modes * load->links * sizeof(double); /* with slopes */
    share(load->pairs * sizeof(rill_patch_pair), device, size, room);
    share(values, device, size, room);
    rill_room_add(room, 2 * load->pairs * sizeof(double));
    rill_room_add(room, device->backend->processor ? 4 * load->nodes * sizeof(double)
                                                   : load->nodes * sizeof(rill_node));
    rill_room_add(room, load->pairs / RILL_PATCH_BLOCK * sizeof(rill_patch_sums));
    size->making += values; /* those of the boundary beside those of the simulation, or two of its own */
}

rill_attached_size rill_attached_measure(const rill_attached_load *load, const rill_device *device,
                                         rill_room *room)
{
    rill_attached_size size = {.host = load->nodes * (2 * sizeof(rill_node) + sizeof(uint32_t)),
                               .making =
                                   load->nodes * sizeof(rill_boundary_node) + load->cuts * sizeof(float)};
    if (load->links == 0) return (rill_attached_size){0, 0};
    if (load->interpolated)
        walls_measure(load, device, &size, room);
    else
        openings_measure(load, device, &size, room);
    return size;
}
