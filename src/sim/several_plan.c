/* SPDX-License-Identifier: Apache-2.0 */
/* What parts cost and take, before they are made. */
#include "sim/several_plan.h"

#include "core/memory.h"
#include "domain/links.h"
#include "domain/parts.h"
#include "kernel/lattice.h"
#include "kernel/storage/storage.h"
#include "kernel/variant.h"

#include <math.h>
#include <stdlib.h>

/* Bytes of a wall link on a GPU, estimated: its cut, and three words in sectors of 32 bytes. */
enum { WALL_BYTES = 8 + 3 * 32 };

/* A link between parts while it is sorted, in arrays that double as they grow. */
enum { SORTED_BYTES = 2 * 2 * 24 };

/* Openings take launches of their own, whatever their size: about 8 us, in which an H200 updates so many
 * nodes. */
#define OPENING_NODES 2e5

/* An opening in two parts takes a second exchange, which nothing else of the step is beside: 40 us. */
#define SPLIT_NODES 1e6

/* On CPU cores a wall link takes as long as 1.9 nodes of a box, a link through an opening as 11, and a node
 * of a vessel as 0.93: see vessel/plan/pace.c. */
static const rill_part_costs cpu = {1.9 / 0.93, 11 / 0.93, 0, 0};

rill_part_costs rill_several_costs(rill_variant variant, const rill_device *device, rill_load load)
{
    const double node = 2.0 * rill_q((int)variant.lattice) * rill_storage_size((int)variant.storage);
    rill_part_costs costs =
        device->backend->traits.processor
            ? cpu
            : (rill_part_costs){.wall = WALL_BYTES / node, .opening = OPENING_NODES, .split = SPLIT_NODES};
    if (!(load & RILL_LOAD_WALLS)) costs.wall = 0;
    if (!(load & RILL_LOAD_OPENINGS)) costs.opening_link = costs.opening = costs.split = 0;
    return costs;
}

rill_status rill_several_variant_check(rill_variant v, int count)
{
    if (v.addressing == RILL_DENSE || rill_stream_ring(v.stream) || v.bounce == RILL_FULL_WAY)
        return rill_fail(
            RILL_USAGE,
            "%s does not work on several devices, and %d are given: "
            "choose pull, push, AA, an Esoteric scheme or macroscopic, a list, chase or a bitmap, and half-way bounce-back",
            v.addressing == RILL_DENSE   ? "direct addressing"
            : rill_stream_ring(v.stream) ? "the ring buffer"
                                         : "full-way bounce-back",
            count);
    return RILL_OK;
}

/* Sum up what the device of part k needs for all its parts. */
static uint64_t device_needs(const rill_part_plan *part, int count, rill_device *const *devices, int k)
{
    uint64_t bytes = 0;
    for (int p = 0; p < count; p++)
        if (devices[p]->ordinal == devices[k]->ordinal) bytes += part[p].device_bytes;
    return bytes;
}

/* Find what each device has to spare: the bytes needed and free where least is left. */
static rill_status devices_compare(const rill_several_given *given, rill_several_plan *out)
{
    rill_status status = RILL_OK;
    double least = INFINITY;
    for (int p = 0; p < out->count; p++) {
        bool before = false;
        uint64_t available;
        for (int k = 0; k < p; k++) before |= given->on.list[k]->ordinal == given->on.list[p]->ordinal;
        if (before) continue;
        const uint64_t need = device_needs(out->part, out->count, given->on.list, p);
        RILL_TRY(rill_device_available(given->on.list[p], &available));
        for (int k = p; k < out->count; k++)
            if (given->on.list[k]->ordinal == given->on.list[p]->ordinal)
                out->part[k].device_free = available;
        if (given->device_bytes == 0 || (double)available - (double)need >= least) continue;
        least = (double)available - (double)need;
        out->device_bytes = need, out->device_free = available;
    }
done:
    return status;
}

rill_status rill_several_plan_make(const rill_domain *domain, const rill_several_given *given,
                                   rill_several_plan *out)
{
    rill_status status = RILL_OK;
    const uint64_t word = rill_storage_size((int)given->variant.storage);
    const double slots = 2.0 * rill_stream_parities((int)given->variant.stream); /* of a link on its device */
    rill_ranges ranges = {.count = 0};
    double held = 0, box = 0, links = 0, longest = 0, whole = 0;
    *out = (rill_several_plan){
        .count = 1, .device_bytes = given->device_bytes, .device_free = given->device_free};
    if (given->on.count > 1) {
        RILL_TRY(rill_several_variant_check(given->variant, given->on.count));
        const rill_part_costs costs = rill_several_costs(given->variant, given->on.list[0], given->load);
        RILL_TRY(rill_ranges_create(domain, given->on.count, &costs, &ranges));
        out->count = ranges.count;
        out->split = ranges.split > 0;
    }
    out->part = calloc((size_t)out->count, sizeof *out->part);
    if (!out->part) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the plan of %d parts", out->count));
    if (out->count == 1) {
        out->part[0] = (rill_part_plan){domain->nodes, 0, given->held, given->device_free, 1};
        goto done;
    }
    for (int p = 0; p < out->count; p++) whole += ranges.range[p].cost;
    for (int p = 0; p < out->count; p++) {
        const rill_range *r = &ranges.range[p];
        const rill_part_size size = rill_part_measure(domain, &ranges, p);
        const double own = (double)size.crossing * (slots * sizeof(rill_cut_link) + 3.0 * (double)word);
        links += own;
        box = fmax(box, size.box);
        longest = fmax(longest, (double)size.crossing);
        if (!given->on.list[p]->elsewhere) held += size.share * (double)given->held;
        out->part[p] = (rill_part_plan){.nodes = r->end - r->first,
                                        .bytes = size.crossing * word,
                                        .device_bytes = (uint64_t)(size.share * (double)given->held + own),
                                        .cost = r->cost * out->count / whole};
    }
    /* The host has the links of all parts, and on a CPU what those of this machine hold. While a part is
     * made, its nodes are numbered, and its links are sorted in both directions. */
    const double making = box * (double)rill_numbering_bytes(domain->geom) + SORTED_BYTES * longest;
    out->host_making = (uint64_t)making;
    out->host_more = (uint64_t)(making + links + (given->device_bytes ? 0 : held));
    out->host_less = given->device_bytes ? 0 : given->held;
    RILL_TRY(devices_compare(given, out));
done:
    rill_ranges_destroy(&ranges);
    if (status != RILL_OK) free(out->part), out->part = NULL;
    return status;
}

rill_status rill_resources_divide(const rill_domain *domain, rill_several_given given,
                                  rill_resources *resources)
{
    rill_several_plan plan;
    given.device_bytes = resources->device_bytes;
    given.device_free = resources->device_free;
    const rill_status status = rill_several_plan_make(domain, &given, &plan);
    if (status != RILL_OK) return status;
    free(resources->part); /* of a plan that did not fit */
    *resources = (rill_resources){.host_bytes = resources->host_bytes + plan.host_more - plan.host_less,
                                  .host_free = resources->host_free,
                                  .device_bytes = plan.device_bytes,
                                  .device_free = plan.device_free,
                                  .parts = plan.count,
                                  .part = plan.part,
                                  .split = plan.split};
    return RILL_OK;
}
