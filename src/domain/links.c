/* SPDX-License-Identifier: Apache-2.0 */
/* Lays out the arrays of a variant on a numbered box, and has a backend build them there. */
#include "domain/links.h"

#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "kernel/storage/groups.h"
#include "domain/layers.h"
#include "kernel/storage/counters.h"

#include <stdlib.h>
#include <string.h>

enum { offsets_max = 3 * RILL_Q_MAX };

static void add_offset(int8_t (*offsets)[3], int *count, const int d[3])
{
    if (!d[0] && !d[1] && !d[2]) return;
    for (int k = 0; k < *count; k++)
        if (offsets[k][0] == d[0] && offsets[k][1] == d[1] && offsets[k][2] == d[2]) return;
    for (int a = 0; a < 3; a++) offsets[*count][a] = (int8_t)d[a];
    ++*count;
}

/*
 * Return the offsets from fluid nodes at which a solid voxel needs a number: storage nodes of the Esoteric
 * schemes, and the voxels that chased diagonals pass by.
 */
static int ghost_offsets(rill_variant v, int8_t (*offsets)[3])
{
    int count = 0;
    for (int i = 1; i < rill_q(v.lattice); i++) {
        const int d[3] = {rill_meeting(v.lattice, v.stream, i, 0), rill_meeting(v.lattice, v.stream, i, 1),
                          rill_meeting(v.lattice, v.stream, i, 2)};
        if (rill_stream_esoteric(v.stream)) add_offset(offsets, &count, d);
        if (v.addressing != RILL_CHASE) continue;
        const int first[3] = {d[0], 0, 0}, second[3] = {d[0], d[1], 0};
        if (d[1] || d[2]) add_offset(offsets, &count, first);
        if (d[2]) add_offset(offsets, &count, second);
    }
    return count;
}

static bool needs_ghosts(rill_variant v)
{
    return v.addressing != RILL_DENSE && (rill_stream_esoteric(v.stream) || v.addressing == RILL_CHASE);
}

static uint64_t whole_blocks(uint64_t nodes)
{
    return (nodes + RILL_SEGMENT_BLOCK - 1) / RILL_SEGMENT_BLOCK * RILL_SEGMENT_BLOCK;
}

/* Return the largest distance of the numbers of neighbours, links through the z side not counted. */
static uint64_t reach_of(const rill_numbering *fluid, bool dense)
{
    const uint64_t plane = (uint64_t)fluid->n[0] * fluid->n[1];
    if (dense) return 2 * plane;
    uint64_t reach = 0;
    for (uint32_t z = 0; z < fluid->n[2]; z++) {
        const uint64_t end = rill_numbering_before_plane(fluid, z + 2 < fluid->n[2] ? z + 2 : fluid->n[2]);
        const uint64_t both = end - rill_numbering_before_plane(fluid, z);
        if (both > reach) reach = both;
    }
    return reach;
}

static size_t row_of(const rill_numbering *fluid)
{
    return ((size_t)fluid->n[0] + RILL_WORD_CELLS - 1) / RILL_WORD_CELLS;
}

static void add_part(rill_links_size *size, size_t field, uint64_t bytes, const char *what)
{
    size->parts[size->part_count++] = (rill_links_part){field, bytes, what};
    size->bytes += bytes;
}

/* Return the words of an occupancy bitmap. */
static uint64_t words_of(const rill_numbering *fluid)
{
    return (uint64_t)row_of(fluid) * (fluid->n[1] + 2) * (fluid->n[2] + 2);
}

/* Refuse links that kernels cannot number: they do so in 32 bits. */
static rill_status numbers_check(const rill_numbering *fluid, rill_variant v, const rill_links_size *size)
{
    if (size->first_ghost + size->ghosts > RILL_UPSTREAM_WALL - 1u)
        return rill_fail(
            RILL_USAGE,
            "%llu nodes%s and %llu ghosts are more than the 4294967294 that kernels can number: crop, or choose --stream aa --addressing bitmap",
            (unsigned long long)size->nodes, v.addressing == RILL_DENSE ? " (all voxels)" : "",
            (unsigned long long)size->ghosts);
    if (rill_stream_ring(v.stream) && size->stride > UINT32_MAX)
        return rill_fail(
            RILL_USAGE,
            "a ring buffer of %llu nodes has more than the 4294967295 entries that kernels can number: crop, or choose --stream aa",
            (unsigned long long)size->nodes);
    if (v.addressing == RILL_BITMAP && words_of(fluid) > UINT32_MAX)
        return rill_fail(
            RILL_USAGE,
            "a bitmap of %llu words is larger than the 4294967295 that kernels can number: crop, or choose --addressing list",
            (unsigned long long)words_of(fluid));
    return RILL_OK;
}

static rill_links_size layout(const rill_numbering *fluid, rill_variant v, uint64_t ghosts)
{
    rill_links_size size = {.nodes = fluid->nodes, .ghosts = ghosts};
    const bool dense = v.addressing == RILL_DENSE;
    if (dense) size.nodes = (uint64_t)fluid->n[0] * fluid->n[1] * fluid->n[2];
    size.first_ghost = rill_stream_ring(v.stream) ? size.nodes : whole_blocks(size.nodes);
    size.chunk = size.nodes;
    uint64_t slots =
        needs_ghosts(v) && rill_stream_esoteric(v.stream) ? size.first_ghost + ghosts : size.nodes;
    if (rill_stream_macroscopic(v.stream)) slots++; /* groups of nodes read it behind a last solid cell */
    if (rill_stream_ring(v.stream)) {
        /* Copies of the first plane stand behind the last; a chunk may write where no later one reads. */
        enum { chunks = 24, chunk_least = 1 << 16, chunk_most = 1 << 18 };
        size.ghosts = dense ? (uint64_t)fluid->n[0] * fluid->n[1] : rill_numbering_before_plane(fluid, 1);
        size.reach = reach_of(fluid, dense);
        size.chunk = whole_blocks(size.nodes / chunks);
        if (size.chunk < chunk_least) size.chunk = chunk_least;
        if (size.chunk > chunk_most) size.chunk = chunk_most;
        if (size.chunk >> rill_counters_bits(size.reach) == 0)
            size.chunk = (uint64_t)1 << rill_counters_bits(size.reach); /* no node waits for its own group */
        if (size.chunk > size.nodes) size.chunk = whole_blocks(size.nodes);
        size.shift = (size_t)whole_blocks(size.chunk + size.reach + RILL_COUNTERS_UNIT);
        slots = size.nodes + size.ghosts + size.shift;
    }
    size.stride = rill_domain_stride_of(slots);
    size.list_stride =
        rill_domain_stride_of(v.addressing == RILL_CHASE ? size.first_ghost + ghosts : size.nodes);
    const uint64_t rows = (uint64_t)rill_list_rows(v.lattice, v.stream, v.addressing);
    if (rows)
        add_part(&size, offsetof(rill_arrays, list), rows * size.list_stride * sizeof(rill_node),
                 "the index list");
    if (rill_wall_words(v.stream, v.addressing))
        add_part(&size, offsetof(rill_arrays, walls), whole_blocks(size.nodes) * sizeof(uint32_t),
                 "the wall bits");
    if (dense) add_part(&size, offsetof(rill_arrays, flags), whole_blocks(size.nodes), "the voxel flags");
    if (v.addressing == RILL_BITMAP) {
        const uint64_t words = words_of(fluid);
        add_part(&size, offsetof(rill_arrays, places), whole_blocks(size.nodes) * sizeof(uint32_t),
                 "the positions of nodes");
        add_part(&size, offsetof(rill_arrays, starts),
                 whole_blocks(size.nodes) / RILL_PLACE_BLOCK * sizeof(rill_start), "the positions of nodes");
        add_part(&size, offsetof(rill_arrays, words), words * sizeof(rill_word), "the occupancy bitmap");
        if (rill_stream_esoteric(v.stream))
            add_part(&size, offsetof(rill_arrays, ghost_words), words * sizeof(rill_word),
                     "the bitmap of ghosts");
    }
    return size;
}

static rill_status ghosts_create(const rill_numbering *fluid, rill_variant v, rill_numbering *out)
{
    int8_t offsets[offsets_max][3];
    if (!needs_ghosts(v)) return RILL_OK;
    return rill_numbering_ghosts(fluid, (const int8_t(*)[3])offsets, ghost_offsets(v, offsets), out);
}

/* Count the ghosts of all planes. Those of some planes are right but for the first and the last of them,
 * beside which others lie than in the whole. */
static rill_status ghosts_count(const rill_domain *domain, rill_variant variant, uint64_t *out)
{
    rill_status status = RILL_OK;
    *out = 0;
    if (!needs_ghosts(variant)) return RILL_OK;
    const uint32_t nz = domain->numbering.n[2], planes = rill_layers_planes(domain);
    rill_layers layers = {.first = 0};
    for (uint32_t z = 0; z < nz; z += planes) {
        const uint32_t count = nz - z < planes ? nz - z : planes;
        rill_numbering ghosts = {.occupied = NULL};
        RILL_TRY(rill_layers_take(domain, (int64_t)z - 1, count + 2, &layers));
        RILL_TRY(ghosts_create(&layers.numbering, variant, &ghosts));
        for (uint32_t k = z; k < z + count; k++) {
            const uint32_t at = rill_layers_plane(&layers, k);
            *out += ghosts.before[at + 1] - ghosts.before[at];
        }
        rill_numbering_destroy(&ghosts);
    }
done:
    rill_layers_free(&layers);
    return status;
}

rill_status rill_links_measure(const rill_domain *domain, rill_variant variant, rill_links_size *out)
{
    rill_status status = RILL_OK;
    uint64_t ghosts;
    RILL_TRY(ghosts_count(domain, variant, &ghosts));
    *out = layout(&domain->numbering, variant, ghosts);
    if (rill_domain_is_one(domain)) RILL_TRY(numbers_check(&domain->numbering, variant, out));
done:
    return status;
}

/* Return whether but few blocks of nodes are no runs: three quarters of the nodes are in words that are full.
 */
static bool most_in_runs(const rill_numbering *fluid)
{
    const int64_t words = (int64_t)(fluid->row_words * fluid->n[1] * fluid->n[2]);
    uint64_t full = 0;
#pragma omp parallel for schedule(static) reduction(+ : full)
    for (int64_t w = 0; w < words; w++) full += fluid->occupied[w] == UINT64_MAX;
    return 64 * full >= fluid->nodes / 4 * 3;
}

rill_status rill_links_create(const rill_numbering *fluid, rill_variant variant, rill_links **out)
{
    rill_status status = RILL_OK;
    rill_links *links = calloc(1, sizeof *links);
    if (!links) return rill_fail(RILL_SYSTEM, "out of memory for links");
    rill_arrays *arrays = &links->arrays;
    links->fluid = fluid;
    links->variant = variant;
    links->users = 1;
    RILL_TRY(ghosts_create(fluid, variant, &links->ghosts));
    links->size = layout(fluid, variant, links->ghosts.nodes);
    RILL_TRY(numbers_check(fluid, variant, &links->size));
    arrays->nodes = (rill_node)links->size.nodes;
    arrays->ghosts = (rill_node)links->size.ghosts;
    arrays->first_ghost = (rill_node)links->size.first_ghost;
    arrays->stride = links->size.stride;
    arrays->list_stride = links->size.list_stride;
    arrays->shift = links->size.shift;
    arrays->reach = (size_t)links->size.reach;
    arrays->counter_bits = rill_counters_bits(links->size.reach);
    memcpy(arrays->box, fluid->n, sizeof arrays->box);
    arrays->row = (uint32_t)row_of(fluid);
    arrays->plane = arrays->row * (fluid->n[1] + 2);
    arrays->runs = most_in_runs(fluid);
    arrays->last_bit = (fluid->n[0] - 1) % RILL_WORD_CELLS + 1;
    *out = links;
    links = NULL;
done:
    rill_links_destroy(links);
    return status;
}

/* Say which way the rows of a list lead, and where walls are looked for. */
static void directions_set(rill_builder *b, rill_variant v)
{
    b->rows = rill_list_rows(v.lattice, v.stream, v.addressing);
    b->links = rill_q(v.lattice) - 1;
    const bool both = rill_stream_chased(v.stream) == 6;
    for (int i = 1; i < rill_q(v.lattice); i++)
        for (int a = 0; a < 3; a++) b->link[i - 1][a] = (int8_t)-rill_c(v.lattice, i, a);
    for (int row = 0; row < b->rows && v.addressing == RILL_CHASE; row++)
        b->row[row][both ? row / 2 : row] = both && row % 2 ? -1 : 1;
    for (int i = 1; i < rill_q(v.lattice) && v.addressing == RILL_LIST; i++) {
        const int d[3] = {rill_meeting(v.lattice, v.stream, i, 0), rill_meeting(v.lattice, v.stream, i, 1),
                          rill_meeting(v.lattice, v.stream, i, 2)};
        const int row = rill_list_row(v.lattice, v.stream, i);
        for (int a = 0; a < 3 && row >= 0 && (d[0] || d[1] || d[2]); a++) b->row[row][a] = (int8_t)d[a];
    }
}

/* ---- what a processor makes of a list ---- */

enum { SAMPLE_BLOCKS = 256 }; /* whose segments are counted: the mean is then known to about 3 % */

/* Return the first node of block k of a sample: of every so many blocks one at random, as those of a periodic
 * structure may be alike. */
static rill_global_node sampled(uint64_t nodes, uint64_t some, uint64_t k)
{
    const uint64_t blocks = nodes / RILL_SEGMENT_BLOCK, first = k * blocks / some,
                   width = (k + 1) * blocks / some - first;
    const uint64_t random = (k + 1) * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    return (first + random % width) * RILL_SEGMENT_BLOCK;
}

/* Build the list of a sample. Numbers of neighbours are those in the whole. */
static void sample_build(const rill_builder *b, const rill_numbering *fluid, uint64_t some)
{
#pragma omp parallel for schedule(static)
    for (uint64_t k = 0; k < some; k++) {
        uint32_t places[RILL_SEGMENT_BLOCK][3];
        const rill_node at = (rill_node)(k * RILL_SEGMENT_BLOCK), left = b->arrays.nodes - at,
                        count = left < RILL_SEGMENT_BLOCK ? left : RILL_SEGMENT_BLOCK;
        rill_numbering_places(fluid, fluid->nodes == b->arrays.nodes ? at : sampled(fluid->nodes, some, k),
                              count, places);
        for (rill_node n = 0; n < count; n++) rill_build_cell(b, RILL_BUILD_LIST, places[n], at + n);
    }
}

/* Return the bytes of lanes for groups of nodes, see rill_arrays. */
static uint64_t groups_linked(const rill_numbering *fluid, rill_variant v)
{
    const rill_builder b = {.row_words = fluid->row_words,
                            .n = {fluid->n[0], fluid->n[1], fluid->n[2]},
                            .fluid = {fluid->occupied, fluid->base}};
    const rill_groups groups = {.numbering = &b,
                                .n = {fluid->n[0], fluid->n[1], fluid->n[2]},
                                .row = (uint32_t)row_of(fluid),
                                .last_bit = (fluid->n[0] - 1) % RILL_WORD_CELLS + 1,
                                .corners = rill_corners(v.lattice) != 0};
    if (!rill_groups_possible(v.lattice, groups.n, groups.row)) return 0;
    const uint64_t strips = rill_strips(groups.n), some = strips > SAMPLE_BLOCKS ? SAMPLE_BLOCKS : strips;
    uint64_t warps = 0;
#pragma omp parallel for schedule(static) reduction(+ : warps)
    for (uint64_t k = 0; k < some; k++)
        warps += rill_lanes_of_strip(&groups, (uint32_t)((2 * k + 1) * strips / (2 * some)), NULL, NULL);
    warps = (uint64_t)((double)warps * (double)strips / (double)some);
    return rill_groups_worth(warps, fluid->nodes) ? rill_groups_bytes(warps) : 0;
}

rill_status rill_links_linked(const rill_numbering *fluid, rill_variant variant, rill_device *device,
                              uint64_t *bytes)
{
    rill_status status = RILL_OK;
    rill_numbering ghosts = {.occupied = NULL};
    rill_links_size size;
    rill_node *list = NULL;
    uint32_t *walls = NULL;
    const uint64_t blocks = whole_blocks(fluid->nodes) / RILL_SEGMENT_BLOCK,
                   some = blocks > SAMPLE_BLOCKS ? SAMPLE_BLOCKS : blocks;
    *bytes = 0;
    if (rill_stream_macroscopic(variant.stream) && variant.addressing == RILL_BITMAP &&
        !device->backend->traits.processor && fluid->occupied)
        *bytes = groups_linked(fluid, variant);
    if (variant.addressing != RILL_LIST || !device->backend->host || !fluid->occupied) return RILL_OK;
    RILL_TRY(ghosts_create(fluid, variant, &ghosts));
    size = layout(fluid, variant, ghosts.nodes);
    rill_builder b = {.row_words = fluid->row_words,
                      .n = {fluid->n[0], fluid->n[1], fluid->n[2]},
                      .fluid = {fluid->occupied, fluid->base},
                      .ghosts = {ghosts.occupied, ghosts.base},
                      .first_ghost = (rill_node)size.first_ghost};
    directions_set(&b, variant);
    RILL_TRY(rill_array_create(some * RILL_SEGMENT_BLOCK * (uint64_t)b.rows, sizeof *list,
                               "a sample of links", (void **)&list));
    if (rill_wall_words(variant.stream, variant.addressing))
        RILL_TRY(rill_array_create(some * RILL_SEGMENT_BLOCK, sizeof *walls, "a sample of links",
                                   (void **)&walls));
    b.arrays = (rill_arrays){.list = list,
                             .walls = walls,
                             .list_stride = some * RILL_SEGMENT_BLOCK,
                             .stride = size.stride,
                             .nodes = (rill_node)(some == blocks ? fluid->nodes : some * RILL_SEGMENT_BLOCK)};
    sample_build(&b, fluid, some);
    RILL_TRY(rill_device_link(device, variant, &b.arrays));
    *bytes = (uint64_t)((double)rill_device_linked(device, &b.arrays) * (double)fluid->nodes /
                        (double)b.arrays.nodes);
    rill_device_unlink(device, &b.arrays);
done:
    rill_array_destroy(walls);
    rill_array_destroy(list);
    rill_numbering_destroy(&ghosts);
    return status;
}

/* Memory of a backend for some planes of a numbering. */
typedef struct slab {
    uint64_t *occupied;
    rill_node *base;
} slab;

static rill_status slab_create(rill_device *device, uint64_t words, slab *out)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_device_alloc(device, words * sizeof *out->occupied, "numbers of nodes",
                               (void **)&out->occupied));
    RILL_TRY(rill_device_alloc(device, words * sizeof *out->base, "numbers of nodes", (void **)&out->base));
done:
    return status;
}

/* Copy planes first … first + count - 1 of a periodic box. */
static rill_status slab_upload(rill_device *device, const rill_numbering *numbering, uint32_t first,
                               uint32_t count, const slab *to)
{
    rill_status status = RILL_OK;
    const size_t plane = numbering->row_words * numbering->n[1];
    for (uint32_t done_planes = 0, part; done_planes < count; done_planes += part) {
        const uint32_t z = (first + done_planes) % numbering->n[2], left = numbering->n[2] - z;
        part = count - done_planes < left ? count - done_planes : left;
        const size_t words = part * plane, at = done_planes * plane, from = z * plane;
        RILL_TRY(rill_device_upload(device, to->occupied + at, numbering->occupied + from,
                                    words * sizeof *to->occupied));
        RILL_TRY(rill_device_upload(device, to->base + at, numbering->base + from, words * sizeof *to->base));
    }
done:
    return status;
}

/*
 * Return how many planes of the numbering a device holds at a time: all, or what a quarter of the links
 * takes, so that building needs little more than what is built.
 */
static uint32_t planes_held(const rill_links *links, rill_device *device)
{
    enum { quarter = 4, least = 1 << 20, most = 1 << 28, planes_least = 3 };
    const rill_numbering *fluid = links->fluid;
    uint64_t bytes = links->size.bytes / quarter;
    if (device->backend->host) return fluid->n[2];
    if (bytes < least) bytes = least;
    if (bytes > most) bytes = most;
    uint64_t planes = bytes / (fluid->row_words * fluid->n[1] * (sizeof(uint64_t) + sizeof(rill_node)) *
                               (links->ghosts.occupied ? 2 : 1));
    if (planes < planes_least) planes = planes_least;
    return planes < fluid->n[2] ? (uint32_t)planes : fluid->n[2];
}

/* Build what there is to build in some planes. */
static void slab_build(rill_device *device, const rill_builder *b)
{
    const rill_arrays *arrays = &b->arrays;
    if (arrays->list) rill_device_build(device, b, RILL_BUILD_LIST);
    if (b->ghosts_listed) rill_device_build(device, b, RILL_BUILD_GHOST_LIST);
    if (arrays->flags) rill_device_build(device, b, RILL_BUILD_FLAGS);
    if (arrays->ghost_words) rill_device_build(device, b, RILL_BUILD_GHOST_WORDS);
    if (!arrays->words) return;
    rill_device_build(device, b, RILL_BUILD_WORDS);
    rill_device_build(device, b, RILL_BUILD_STARTS);
    rill_device_build(device, b, RILL_BUILD_PLACES);
}

/* Build everything, as many planes at a time as are held. */
static rill_status slabs_build(const rill_links *links, rill_device *device, rill_builder *b)
{
    rill_status status = RILL_OK;
    const rill_numbering *fluid = links->fluid, *ghosts = &links->ghosts;
    const uint32_t nz = fluid->n[2], planes = planes_held(links, device);
    const uint64_t words = (uint64_t)planes * fluid->n[1] * fluid->row_words;
    slab slabs[2] = {{NULL, NULL}, {NULL, NULL}};
    if (device->backend->host) {
        b->fluid = (rill_build_cells){fluid->occupied, fluid->base};
        b->ghosts = (rill_build_cells){ghosts->occupied, ghosts->base};
    } else {
        RILL_TRY(slab_create(device, words, &slabs[0]));
        if (ghosts->occupied) RILL_TRY(slab_create(device, words, &slabs[1]));
        b->fluid = (rill_build_cells){slabs[0].occupied, slabs[0].base};
        b->ghosts = (rill_build_cells){slabs[1].occupied, slabs[1].base};
    }
    for (b->first = 0; b->first < nz; b->first = b->end) {
        b->end = planes < nz && nz - b->first > planes - 2 ? b->first + planes - 2 : nz;
        b->held = planes < nz ? (b->first + nz - 1) % nz : 0;
        const uint32_t count = planes < nz ? b->end - b->first + 2 : nz;
        if (!device->backend->host) RILL_TRY(slab_upload(device, fluid, b->held, count, &slabs[0]));
        if (slabs[1].occupied) RILL_TRY(slab_upload(device, ghosts, b->held, count, &slabs[1]));
        slab_build(device, b);
        RILL_TRY(rill_device_wait(device));
        RILL_TRY(rill_progress_poll());
    }
    if (b->arrays.list) rill_device_build(device, b, RILL_BUILD_PADDING);
    RILL_TRY(rill_device_wait(device));
done:
    for (int k = 0; k < 2; k++) {
        rill_device_free(device, slabs[k].occupied);
        rill_device_free(device, slabs[k].base);
    }
    return status;
}

/* Return where arrays have the pointer to a part. */
static void **pointer_of(rill_arrays *arrays, const rill_links_part *part)
{
    return (void **)((char *)arrays + part->field);
}

/* Allocate the parts. @param[out] own  the arrays that are to be built
 * @param[out] count  of these */
static rill_status parts_allocate(rill_links *links, rill_device *device, rill_arrays *own, int *count)
{
    rill_status status = RILL_OK;
    *count = 0;
    *own = links->arrays;
    for (int k = 0; k < links->size.part_count; k++) {
        const rill_links_part *part = &links->size.parts[k];
        void **array = pointer_of(&links->arrays, part);
        if (rill_links_borrow(links, part)) {
            *array = *pointer_of(&links->bitmap->arrays, part);
            continue;
        }
        RILL_TRY(rill_device_alloc(device, part->bytes, part->what, array));
        *pointer_of(own, part) = *array;
        ++*count;
    }
done:
    return status;
}

rill_status rill_links_build(rill_links *links, rill_device *device)
{
    rill_status status = RILL_OK;
    uint32_t far = 0;
    int count;
    const rill_variant v = links->variant;
    rill_builder b = {.row_words = links->fluid->row_words};
    links->device = device;
    RILL_TRY(parts_allocate(links, device, &b.arrays, &count));
    if (count == 0) goto done;
    RILL_TRY(rill_device_alloc(device, sizeof far, "a flag", (void **)&b.far));
    memcpy(b.n, links->fluid->n, sizeof b.n);
    b.first_ghost = (rill_node)links->size.first_ghost;
    b.ghosts_end = (rill_node)(links->size.first_ghost + links->ghosts.nodes);
    b.ring = rill_stream_ring(v.stream);
    b.ghosts_listed = v.addressing == RILL_CHASE;
    directions_set(&b, v);
    RILL_TRY(slabs_build(links, device, &b));
    RILL_TRY(rill_device_download(device, &far, b.far, sizeof far));
    if (far)
        status = rill_fail(
            RILL_USAGE,
            "%d successive fluid nodes lie more than 2^%d bitmap words apart: crop, or choose --addressing list",
            RILL_PLACE_BLOCK, RILL_PLACE_BITS);
done:
    rill_device_free(device, b.far);
    rill_numbering_destroy(&links->ghosts);
    return status;
}

void rill_links_destroy(rill_links *links)
{
    if (!links || !rill_links_leave(links)) return;
    if (links->linked) rill_device_unlink(links->device, &links->arrays);
    for (int k = 0; k < links->size.part_count && links->device; k++)
        if (!rill_links_borrow(links, &links->size.parts[k]))
            rill_device_free(links->device, *pointer_of(&links->arrays, &links->size.parts[k]));
    rill_links_destroy(links->bitmap);
    rill_numbering_destroy(&links->ghosts);
    rill_numbering_destroy(&links->own);
    free(links);
}
