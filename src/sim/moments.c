/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moments of nodes between steps, slice by slice: read, set, summed and raised by label. A caller's nodes are
 * those of the whole; each part takes its own of them.
 */
#include "sim/sim_priv.h"

#include "core/memory.h"
#include "core/threads.h"
#include "kernel/sums.h"
#include "kernel/variant.h"

#include <string.h>

static rill_status range_check(const rill_sim *sim, rill_global_node first, uint64_t count)
{
    if (first > sim->domain->nodes || count > sim->domain->nodes - first)
        return rill_fail(RILL_USAGE, "nodes %llu to %llu are not all among the %llu of the domain",
                         (unsigned long long)first, (unsigned long long)first + count,
                         (unsigned long long)sim->domain->nodes);
    return RILL_OK;
}

/* Nodes of the largest slice of so many. */
static uint64_t slice_of(uint64_t nodes) { return nodes < RILL_SIM_SLICE ? nodes : RILL_SIM_SLICE; }

uint64_t rill_sim_slice_bytes(uint64_t nodes) { return 4 * slice_of(nodes) * sizeof(double); }

rill_status rill_sim_slice_make(rill_sim *sim)
{
    rill_status status = RILL_OK;
    const uint64_t nodes = slice_of(sim->domain->nodes);
    if (sim->slice) return RILL_OK;
    RILL_TRY(rill_device_alloc(sim->device, rill_sim_slice_bytes(nodes), "moments", (void **)&sim->slice));
    if (sim->flow->options.variant.addressing == RILL_DENSE)
        RILL_TRY(
            rill_device_alloc(sim->device, nodes * sizeof(rill_node), "voxel numbers", (void **)&sim->order));
done:
    return status;
}

rill_status rill_sim_order(rill_sim *sim, rill_node first, rill_node count, rill_launch *launch)
{
    rill_status status = RILL_OK;
    rill_node *cells = NULL;
    if (sim->flow->options.variant.addressing != RILL_DENSE) return RILL_OK;
    RILL_TRY(rill_sim_slice_make(sim));
    RILL_TRY(rill_array_create(count, sizeof(rill_node), "voxel numbers", (void **)&cells));
    rill_numbering_cells(&sim->domain->numbering, first, count, cells);
    RILL_TRY(rill_device_upload(sim->device, sim->order, cells, (uint64_t)count * sizeof(rill_node)));
    launch->order = sim->order;
done:
    rill_array_destroy(cells);
    return status;
}

/* Make room on the host for the moments of a slice, or of fewer nodes. */
static rill_status host_slice(uint64_t count, double **out)
{
    return rill_array_create(4 * slice_of(count), sizeof(double), "moments", (void **)out);
}

/* Nodes of one part, and arrays that hold more than these: u [3][stride]. */
typedef struct range {
    rill_node first, count;
    size_t stride;
} range;

/* Return the nodes of part k that are among count nodes from `first` on, and where they lie among them. */
static range range_of(rill_sim *sim, int k, rill_global_node first, uint64_t count, size_t *at)
{
    const rill_global_node begins = rill_sim_part_first(sim, k),
                           ends = begins + rill_sim_part(sim, k)->domain->nodes, end = first + count;
    const rill_global_node low = first > begins ? first : begins, high = end < ends ? end : ends;
    *at = low < high ? (size_t)(low - first) : 0;
    return (range){low < high ? (rill_node)(low - begins) : 0, low < high ? (rill_node)(high - low) : 0,
                   count};
}

/* Return whether the caller's arrays are a slice as it lies on the device. */
static bool in_order(range r, const double *rho, const double *u)
{
    return r.count <= RILL_SIM_SLICE && r.stride == r.count && u == rho + r.count;
}

static rill_status moments_of(rill_sim *sim, int set, range r, double *rho, double *u)
{
    rill_status status = RILL_OK;
    const bool direct = rho && in_order(r, rho, u);
    double *host = NULL;
    RILL_TRY(rill_sim_slice_make(sim));
    if (!direct) RILL_TRY(host_slice(r.count, &host));
    rill_launch launch = rill_set_launch(sim, &sim->flow[set]);
    for (uint64_t done_nodes = 0; done_nodes < r.count; done_nodes += RILL_SIM_SLICE) {
        const rill_node part = (rill_node)slice_of(r.count - done_nodes),
                        first = r.first + (rill_node)done_nodes;
        RILL_TRY(rill_sim_order(sim, first, part, &launch));
        launch.kernels->moments(&launch, sim->domain->first + first, part, sim->slice);
        RILL_TRY(rill_device_wait(sim->device));
        RILL_TRY(rill_device_download(sim->device, direct ? rho : host, sim->slice,
                                      4 * (uint64_t)part * sizeof(double)));
        if (direct) break;
        if (rho) memcpy(rho + done_nodes, host, part * sizeof(double));
        for (size_t a = 0; a < 3 && u; a++)
            memcpy(u + a * r.stride + done_nodes, host + (a + 1) * part, part * sizeof(double));
    }
done:
    rill_array_destroy(host);
    return status;
}

rill_status rill_sim_moments(rill_sim *sim, rill_global_node first, uint64_t count, double *rho, double *u)
{
    rill_status status = RILL_OK;
    RILL_TRY(range_check(sim, first, count));
    for (int k = 0; k < rill_sim_parts(sim); k++) {
        size_t at;
        const range r = range_of(sim, k, first, count, &at);
        if (r.count)
            RILL_TRY(moments_of(rill_sim_part(sim, k), 0, r, rho ? rho + at : NULL, u ? u + at : NULL));
    }
done:
    return status;
}

static rill_status set_moments_of(rill_sim *sim, int set, range r, const double *rho, const double *u)
{
    rill_status status = RILL_OK;
    const bool direct = in_order(r, rho, u);
    double *host = NULL;
    sim->fresh = sim->given = sim->steps;
    RILL_TRY(rill_sim_slice_make(sim));
    if (!direct) RILL_TRY(host_slice(r.count, &host));
    rill_launch launch = rill_set_launch(sim, &sim->flow[set]);
    for (uint64_t done_nodes = 0; done_nodes < r.count; done_nodes += RILL_SIM_SLICE) {
        const rill_node part = (rill_node)slice_of(r.count - done_nodes),
                        first = r.first + (rill_node)done_nodes;
        if (!direct) memcpy(host, rho + done_nodes, part * sizeof(double));
        for (size_t a = 0; a < 3 && !direct; a++)
            memcpy(host + (a + 1) * part, u + a * r.stride + done_nodes, part * sizeof(double));
        RILL_TRY(rill_device_upload(sim->device, sim->slice, direct ? rho : host,
                                    4 * (uint64_t)part * sizeof(double)));
        RILL_TRY(rill_sim_order(sim, first, part, &launch));
        launch.kernels->set(&launch, sim->domain->first + first, part, sim->slice);
        RILL_TRY(rill_device_wait(sim->device));
    }
done:
    rill_array_destroy(host);
    return status;
}

rill_status rill_sim_set_moments_of(rill_sim *sim, rill_global_node first, uint64_t count, const double *rho,
                                    const double *u)
{
    rill_status status = RILL_OK;
    RILL_TRY(range_check(sim, first, count));
    sim->fresh = sim->steps;
    for (int k = 0; k < rill_sim_parts(sim); k++) {
        size_t at;
        const range r = range_of(sim, k, first, count, &at);
        if (r.count) RILL_TRY(set_moments_of(rill_sim_part(sim, k), 0, r, rho + at, u + at));
    }
done:
    return status;
}

rill_status rill_sim_set_moments(rill_sim *sim, const double *rho, const double *u)
{
    return rill_sim_set_moments_of(sim, 0, sim->domain->nodes, rho, u);
}

rill_status rill_sim_scalar_check(const rill_sim *sim, int set)
{
    if (set < 0 || set >= sim->set_count || !rill_variant_scalar(sim->flow[set].options.variant))
        return rill_fail(RILL_USAGE, "set %d of the %d of the simulation is not a scalar", set,
                         sim->set_count);
    return RILL_OK;
}

rill_status rill_sim_scalar(rill_sim *sim, int set, rill_global_node first, uint64_t count, double *phi)
{
    rill_status status = RILL_OK;
    RILL_TRY(range_check(sim, first, count));
    RILL_TRY(rill_sim_scalar_check(sim, set));
    for (int k = 0; k < rill_sim_parts(sim); k++) {
        size_t at;
        const range r = range_of(sim, k, first, count, &at);
        if (r.count) RILL_TRY(moments_of(rill_sim_part(sim, k), set, r, phi + at, NULL));
    }
done:
    return status;
}

rill_status rill_sim_scalar_set(rill_sim *sim, int set, rill_global_node first, uint64_t count,
                                const double *phi)
{
    rill_status status = RILL_OK;
    double *flux = NULL;
    RILL_TRY(range_check(sim, first, count));
    RILL_TRY(rill_sim_scalar_check(sim, set));
    RILL_TRY(rill_array_create(3 * (size_t)count, sizeof *flux, "fluxes of a scalar", (void **)&flux));
    for (size_t a = 0; a < 3; a++)
        for (size_t k = 0; k < count; k++) flux[a * count + k] = phi[k] * sim->flow[set].options.velocity[a];
    for (int k = 0; k < rill_sim_parts(sim); k++) {
        size_t at;
        const range r = range_of(sim, k, first, count, &at);
        if (r.count) RILL_TRY(set_moments_of(rill_sim_part(sim, k), set, r, phi + at, flux + at));
    }
done:
    rill_array_destroy(flux);
    return status;
}

/* Make what a part needs to sum up labels. @param labels  of its nodes, to be shared; NULL: room for them */
static rill_status label_begin(rill_sim *sim, uint32_t count, const uint32_t *labels)
{
    rill_status status = RILL_OK;
    const uint64_t bytes = sim->domain->nodes * sizeof *sim->labels.nodes;
    RILL_TRY(rill_sim_slice_make(sim));
    if (labels)
        RILL_TRY(rill_device_share(sim->device, labels, bytes, "labels", (const void **)&sim->labels.nodes));
    else
        RILL_TRY(rill_device_alloc(sim->device, bytes, "labels", (void **)&sim->labels.own));
    if (!labels) sim->labels.nodes = sim->labels.own;
    RILL_TRY(
        rill_device_alloc(sim->device, count * sizeof(int64_t), "sums by label", (void **)&sim->labels.sums));
    RILL_TRY(rill_device_alloc(sim->device, count * sizeof(double), "values by label",
                               (void **)&sim->labels.values));
    sim->labels.count = count;
done:
    return status;
}

/* Make room for sums on the host, which stays: a device copies slowly from and to memory that was never used,
 * or is not kept in place. */
static rill_status host_begin(rill_sim *sim, uint32_t count)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < 2; k++) {
        RILL_TRY(rill_array_create(count, sizeof *sim->labels.host[k], "sums by label",
                                   (void **)&sim->labels.host[k]));
        memset(sim->labels.host[k], 0, count * sizeof *sim->labels.host[k]);
        rill_device_pin(sim->device, sim->labels.host[k], count * sizeof *sim->labels.host[k]);
    }
    sim->labels.count = count;
done:
    return status;
}

rill_status rill_sim_label_begin(rill_sim *sim, uint32_t count)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < rill_sim_parts(sim); k++) RILL_TRY(label_begin(rill_sim_part(sim, k), count, NULL));
    RILL_TRY(host_begin(sim, count));
done:
    return status;
}

rill_status rill_sim_label_share(rill_sim *sim, uint32_t count, const uint32_t *labels)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < rill_sim_parts(sim); k++)
        RILL_TRY(label_begin(rill_sim_part(sim, k), count, labels + rill_sim_part_first(sim, k)));
    RILL_TRY(host_begin(sim, count));
done:
    return status;
}

bool rill_sim_label_borrows(rill_sim *sim)
{
    bool host = false;
    for (int k = 0; k < rill_sim_parts(sim); k++) host = host || rill_sim_part(sim, k)->device->backend->host;
    return host;
}

rill_status rill_sim_label_put(rill_sim *sim, rill_global_node first, uint64_t count, const uint32_t *labels)
{
    rill_status status = RILL_OK;
    RILL_TRY(range_check(sim, first, count));
    for (int k = 0; k < rill_sim_parts(sim); k++) {
        rill_sim *part = rill_sim_part(sim, k);
        size_t at;
        const range r = range_of(sim, k, first, count, &at);
        if (r.count)
            RILL_TRY(rill_device_upload(part->device, part->labels.own + r.first, labels + at,
                                        (uint64_t)r.count * sizeof *labels));
    }
done:
    return status;
}

/* Let a function see all nodes of a part, slice after slice; the device may go on with it. */
static rill_status by_slices(rill_sim *sim, void (*see)(rill_sim *sim, const rill_launch *launch,
                                                        rill_node first, rill_node count))
{
    rill_status status = RILL_OK;
    const uint64_t nodes = sim->domain->nodes;
    rill_launch launch = rill_sim_launch(sim);
    for (uint64_t first = 0; first < nodes; first += RILL_SIM_SLICE) {
        const rill_node count = (rill_node)slice_of(nodes - first);
        RILL_TRY(rill_sim_order(sim, (rill_node)first, count, &launch));
        see(sim, &launch, (rill_node)first, count); /* nodes of the part */
    }
done:
    return status;
}

static void slice_gather(rill_sim *sim, const rill_launch *launch, rill_node first, rill_node count)
{
    sim->flow->kernels->moments(launch, sim->domain->first + first, count, sim->slice);
    rill_device_gather(sim->device, sim->slice, sim->labels.nodes + first, count, sim->labels.sums);
}

static void slice_add(rill_sim *sim, const rill_launch *launch, rill_node first, rill_node count)
{
    rill_launch adding = *launch;
    adding.add = true;
    rill_device_spread(sim->device, sim->labels.values, sim->labels.nodes + first, count, sim->slice);
    sim->flow->kernels->set(&adding, sim->domain->first + first, count, sim->slice);
    if (!rill_stream_macroscopic((int)adding.variant.stream) || sim->steps == sim->given) return;
    adding.from = launch->to; /* what is remembered of the step before moves along */
    sim->flow->kernels->set(&adding, sim->domain->first + first, count, sim->slice);
}

/* What loops over sums by label work with. */
typedef struct label_parts {
    int64_t *sums, *of_part;
    double *out;
} label_parts;

enum { LABELS_PIECE = 4096 };

static void add_part(const void *shared, uint64_t first, uint64_t end)
{
    const label_parts *s = shared;
    for (uint64_t k = first; k < end; k++) s->sums[k] += s->of_part[k];
}

static void to_units(const void *shared, uint64_t first, uint64_t end)
{
    const label_parts *s = shared;
    for (uint64_t k = first; k < end; k++) s->out[k] = (double)s->sums[k] / RILL_SUM_UNIT;
}

rill_status rill_sim_label_begin_sums(rill_sim *sim)
{
    rill_status status = RILL_OK;
    const uint64_t bytes = sim->labels.count * sizeof(int64_t);
    memset(sim->labels.host[0], 0, bytes);
    for (int k = 0; k < rill_sim_parts(sim); k++) {
        rill_sim *part = rill_sim_part(sim, k);
        RILL_TRY(rill_device_upload(part->device, part->labels.sums, sim->labels.host[0], bytes));
    }
done:
    return status;
}

rill_status rill_sim_label_end_sums(rill_sim *sim, double *sums)
{
    rill_status status = RILL_OK;
    const uint64_t bytes = sim->labels.count * sizeof(int64_t);
    const label_parts s = {sim->labels.host[0], sim->labels.host[1], sums};
    for (int k = 0; k < rill_sim_parts(sim); k++) { /* integers: any order gives the same */
        rill_sim *part = rill_sim_part(sim, k);
        RILL_TRY(rill_device_wait(part->device));
        RILL_TRY(rill_device_download(part->device, s.of_part, part->labels.sums, bytes));
        rill_threads_for(sim->labels.count, LABELS_PIECE, add_part, &s);
    }
    rill_threads_for(sim->labels.count, LABELS_PIECE, to_units, &s);
done:
    return status;
}

rill_status rill_sim_label_sums(rill_sim *sim, double *sums)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_sim_label_begin_sums(sim));
    for (int k = 0; k < rill_sim_parts(sim); k++) /* devices work side by side */
        RILL_TRY(by_slices(rill_sim_part(sim, k), slice_gather));
    RILL_TRY(rill_sim_label_end_sums(sim, sums));
done:
    return status;
}

/* What a loop that copies works with. */
typedef struct copying {
    double *to;
    const double *from;
} copying;

static void copy(const void *shared, uint64_t first, uint64_t end)
{
    const copying *c = shared;
    memcpy(c->to + first, c->from + first, (end - first) * sizeof *c->to);
}

rill_status rill_sim_label_add(rill_sim *sim, const double *density)
{
    rill_status status = RILL_OK;
    double *given = (double *)sim->labels.host[0];
    sim->fresh = sim->steps;
    rill_threads_for(sim->labels.count, LABELS_PIECE, copy, &(copying){given, density});
    for (int k = 0; k < rill_sim_parts(sim); k++) {
        rill_sim *part = rill_sim_part(sim, k);
        part->fresh = part->steps;
        RILL_TRY(
            rill_device_upload(part->device, part->labels.values, given, sim->labels.count * sizeof *given));
        RILL_TRY(by_slices(part, slice_add));
    }
    for (int k = 0; k < rill_sim_parts(sim); k++) RILL_TRY(rill_device_wait(rill_sim_part(sim, k)->device));
done:
    return status;
}
