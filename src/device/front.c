/* SPDX-License-Identifier: Apache-2.0 */
#define RILL_ARITHMETIC double
#define RILL_VECTOR_BYTES 16
#include "device/front_node.h"

#include "core/threads.h"

/* Nodes that a thread takes at a time: of work that looks at populations, of work that finds little to do,
 * and tiles. */
enum { PIECE = 16, MANY = 1024, TILES = 4 };

typedef struct loop {
    const rill_front *f;
    const rill_launch *launch;
    const rill_front_list *out;
} loop;

static void planes_here(const rill_front *f, const rill_launch *launch, uint64_t k)
{
    double fill[RILL_AROUND];
    rill_plic_cells cells = {fill, 1, 0};
    rill_front_planes(f, launch, k, &cells);
}
#define rill_front_planes planes_here

#define LOOP(name, function, nodes)                                                                          \
    static void function##_some(const void *shared, uint64_t first, uint64_t end)                            \
    {                                                                                                        \
        const loop *w = shared;                                                                              \
        for (uint64_t k = first; k < end; k++) rill_front_##function(w->f, w->launch, k);                    \
    }
RILL_FRONT_WORKS(LOOP)

/* Works that write to neighbours what others may write, too: one thread does them. */
static bool is_alone(rill_front_work work)
{
    return work == RILL_FRONT_SURROUND || work == RILL_FRONT_OPEN || work == RILL_FRONT_SHARE;
}

static uint64_t piece_of(rill_front_work work)
{
    switch (work) {
    case RILL_FRONT_PLANES:
    case RILL_FRONT_FACES_FIND:
    case RILL_FRONT_FACES_APPLY:
    case RILL_FRONT_LINKS:
    case RILL_FRONT_GAIN:
    case RILL_FRONT_CHANGE:
    case RILL_FRONT_WEIGH:
    case RILL_FRONT_MEASURE:
    case RILL_FRONT_BEGIN:
        return PIECE;
    default:
        return MANY;
    }
}

rill_status rill_front_nodes(const rill_device *device, rill_front_work work, const rill_front *f,
                             const rill_launch *launch)
{
#define WORK(name, function, nodes) {function##_some, offsetof(rill_front, nodes)},
    static const struct {
        rill_threads_work *some;
        size_t list;
    } works[] = {RILL_FRONT_WORKS(WORK)};
    const loop w = {f, launch, NULL};
    const uint64_t count =
        ((const rill_front_list *)(const void *)((const char *)f + works[work].list))->count;
#ifdef RILL_HAVE_CUDA
    if (device) return rill_cuda_front_nodes(device, work, f, launch);
#endif
    (void)device;
    if (is_alone(work))
        works[work].some(&w, 0, count);
    else
        rill_threads_for(count, piece_of(work), works[work].some, &w);
    return RILL_OK;
}

rill_status rill_front_hold(const rill_device *device, const rill_front *f)
{
#ifdef RILL_HAVE_CUDA
    if (device) return rill_cuda_front_hold(device, f);
#endif
    (void)device;
    for (uint64_t k = 0; k < f->before.count && *f->holds; k++)
        if (f->found[k].change == RILL_FRONT_HELD) *f->held += f->found[k].density;
    return RILL_OK;
}

rill_status rill_front_release(const rill_device *device, const rill_front *f)
{
#ifdef RILL_HAVE_CUDA
    if (device) return rill_cuda_front_release(device, f);
#endif
    (void)device;
    *f->holds = 0;
    if (f->list.count) *f->held = 0;
    return RILL_OK;
}

static void count_some(const void *shared, uint64_t first, uint64_t end)
{
    const rill_front *f = ((const loop *)shared)->f;
    for (uint64_t tile = first; tile < end; tile++) {
        uint32_t count = 0;
        uint64_t stepped = 0;
        for (uint64_t b = 0; b < RILL_FRONT_TILE / RILL_SEGMENT_BLOCK; b++) {
            const uint8_t *state = f->state + tile * RILL_FRONT_TILE + b * RILL_SEGMENT_BLOCK;
            uint8_t any = 0, listed = 0;
            for (int k = 0; k < RILL_SEGMENT_BLOCK; k++) {
                any |= state[k];
                listed = (uint8_t)(listed + (state[k] == f->listed));
            }
            stepped |= (uint64_t)(any != RILL_FRONT_GAS) << b;
            count += listed;
        }
        f->number[tile] = count;
        f->stepped[tile] = stepped;
    }
}

rill_status rill_front_count(const rill_device *device, const rill_front *f)
{
#ifdef RILL_HAVE_CUDA
    if (device) return rill_cuda_front_count(device, f);
#endif
    (void)device;
    rill_threads_for(rill_front_tiles(f->nodes), TILES, count_some, &(loop){f, NULL, NULL});
    return RILL_OK;
}

static void collect_some(const void *shared, uint64_t first, uint64_t end)
{
    const loop *w = shared;
    const rill_front *f = w->f;
    for (uint64_t tile = first; tile < end; tile++) {
        const uint64_t last = tile + 1 < rill_front_tiles(f->nodes) ? f->number[tile + 1] : w->out->count;
        uint64_t at = f->number[tile];
        for (uint64_t n = tile * RILL_FRONT_TILE; at < last; n++)
            if (f->state[n] == f->listed) w->out->node[at++] = (rill_node)n;
    }
}

rill_status rill_front_collect(const rill_device *device, const rill_front *f, const rill_front_list *out)
{
#ifdef RILL_HAVE_CUDA
    if (device) return rill_cuda_front_collect(device, f, out);
#endif
    (void)device;
    rill_threads_for(rill_front_tiles(f->nodes), TILES, collect_some, &(loop){f, NULL, out});
    return RILL_OK;
}
