/* SPDX-License-Identifier: Apache-2.0 */
/* A free surface on a GPU: the same bits as on processors in all that passes do, and the same flow. Without a
 * GPU, processors with a bitmap take its place. */
#include "free_surface/bubbles.h"
#include "free_surface/passes.h"
#include "kernel/storage/storage.h"
#include "liquid.h"
#include "sim/sim_priv.h"

#include <math.h>

static rill_backend_kind other_backend(void)
{
    return rill_backend_available(RILL_BACKEND_CUDA) ? RILL_BACKEND_CUDA : RILL_BACKEND_CPU;
}

static double drop(const double x[3])
{
    return fmax(5.3 - x[2], 5 - sqrt(pow(x[0] - 9.1, 2) + pow(x[1] - 8.8, 2) + pow(x[2] - 11.3, 2)));
}

/* Boxes: some tiles with some hundred interface nodes; one tile with few; many tiles, with more interface
 * nodes than a block of threads has that adds up what is held. */
static const uint32_t box[3] = {18, 17, 20}, small_box[3] = {6, 6, 20}, large_box[3] = {40, 38, 20};

/* Beside it a bubble in the pool, as flat as the pool. */
static double bubble(const double x[3])
{
    return fmin(drop(x), sqrt(pow(x[0] - 4.1, 2) + pow(x[1] - 4.4, 2) + pow(1.5 * (x[2] - 2.6), 2)) - 2.6);
}

/* What there is beside a drop, a pool and a contact angle. */
typedef enum beside { NOTHING, BUBBLES, RIVER } beside;

static liquid liquid_of(const uint32_t n[3], rill_backend_kind backend, rill_addressing addressing,
                        rill_stream stream, rill_storage storage, beside what)
{
    liquid l = {.n = {n[0], n[1], n[2]},
                .tau = 0.6,
                .tension = 2e-3,
                .force = 1e-5,
                .angle = 70,
                .stream = stream,
                .storage = storage,
                .backend = backend,
                .addressing = addressing,
                .floor = true,
                .inside = what == BUBBLES ? bubble : drop,
                .gas = what == BUBBLES ? 0.05 : 0,
                .river = what == RIVER,
                .velocity = {0, 0.01, -0.03}};
    begin(&l);
    return l;
}

/* All that a checkpoint has. */
static int parts_of(liquid *l, rill_checkpoint_part parts[RILL_FREE_SURFACE_PARTS + 1])
{
    const int count = rill_free_surface_parts(l->surface, parts);
    parts[count] = rill_checkpoint_sim(l->sim);
    return count + 1;
}

/* Return where populations begin: a state says before them where it was computed. */
static uint64_t front_of(const liquid *l, const rill_checkpoint_part *part, int k, int count)
{
    if (k + 1 < count) return 0;
    return part->bytes - l->nodes * 19 * rill_storage_size((int)l->storage);
}

/* Let a liquid be in the state of another one. @param alike  computed by the same kernels: what says where a
   state was computed is taken over, too, as by a run that is resumed */
static void take_over(liquid *to, liquid *from, bool alike)
{
    rill_checkpoint_part have[RILL_FREE_SURFACE_PARTS + 1], want[RILL_FREE_SURFACE_PARTS + 1];
    const int count = parts_of(from, have);
    cr_assert_eq(parts_of(to, want), count);
    for (int k = 0; k < count; k++) {
        char *bytes = malloc(have[k].bytes);
        if (want[k].resize) { /* as many regions of gas */
            ASSERT_OK(want[k].resize(want[k].context, have[k].bytes));
            want[k].bytes = have[k].bytes;
        }
        const uint64_t front = alike ? 0 : front_of(to, &want[k], k, count);
        cr_assert_eq(have[k].bytes, want[k].bytes);
        ASSERT_OK(want[k].save(want[k].context, 0, front, bytes));
        ASSERT_OK(have[k].save(have[k].context, front, have[k].bytes - front, bytes + front));
        ASSERT_OK(want[k].load(want[k].context, 0, want[k].bytes, bytes));
        free(bytes);
    }
    ASSERT_OK(rill_sim_state_resume(to->sim, rill_sim_steps(from->sim)));
    ASSERT_OK(rill_free_surface_resume(to->surface));
}

static void expect_same(liquid *a, liquid *b, const char *when)
{
    rill_checkpoint_part one[RILL_FREE_SURFACE_PARTS + 1], other[RILL_FREE_SURFACE_PARTS + 1];
    const int count = parts_of(a, one);
    parts_of(b, other);
    for (int k = 0; k < count; k++) {
        unsigned char *x = malloc(one[k].bytes), *y = malloc(one[k].bytes);
        uint64_t differ = 0;
        ASSERT_OK(one[k].save(one[k].context, 0, one[k].bytes, x));
        ASSERT_OK(other[k].save(other[k].context, 0, one[k].bytes, y));
        for (uint64_t i = front_of(a, &one[k], k, count); i < one[k].bytes; i++) differ += x[i] != y[i];
        cr_expect_eq(differ, 0, "%s, %s: %lu of %lu bytes differ", when, one[k].name, (unsigned long)differ,
                     (unsigned long)one[k].bytes);
        free(x);
        free(y);
    }
    cr_expect_eq(a->surface->front.list.count, b->surface->front.list.count, "%s", when);
}

/* Make nodes too full and too empty, in a pattern, and some nearly without mass; below the ceiling two that
 * no interface is beside, so that what they leave is held, and goes to all others. */
static void disturb(liquid *l)
{
    rill_free_surface *s = l->surface;
    const rill_node lone[] = {s->nodes - 1, s->nodes - 1 - 8 * l->n[0]};
    ASSERT_OK(rill_free_surface_fetch(s));
    for (rill_node n = 0; n < s->nodes; n++)
        if (s->state[n] == RILL_INTERFACE)
            s->mass[n] = n % 7 == 0 ? 1.2 : n % 5 == 0 ? -0.1 : n % 11 == 0 ? 1e-9 : s->mass[n];
    for (int k = 0; k < 2; k++) {
        cr_assert_eq(s->state[lone[k]], RILL_GAS);
        s->state[lone[k]] = RILL_INTERFACE;
        s->fill[lone[k]] = 0;
        s->mass[lone[k]] = k ? 1e-9 : -0.05;
    }
    ASSERT_OK(rill_free_surface_resume(s));
}

static void compare(const uint32_t n[3], rill_addressing addressing, rill_stream stream, rill_storage storage,
                    beside what)
{
    liquid cpu = liquid_of(n, RILL_BACKEND_CPU, RILL_LIST, stream, storage, what),
           gpu = liquid_of(n, other_backend(), addressing, stream, storage, what);
    for (int round = 0; round < 2; round++) {
        ASSERT_OK(rill_sim_step(gpu.sim, 7));
        ASSERT_OK(rill_sim_step(cpu.sim, 7)); /* as many: a state says how many there were */
        take_over(&cpu, &gpu, false);
        expect_same(&cpu, &gpu, "as taken over");
        liquid *both[2] = {&cpu, &gpu};
        for (int k = 0; k < 2; k++) {
            const rill_launch launch = rill_sim_launch(both[k]->sim);
            const rill_passes *passes = &both[k]->sim->passes;
            ASSERT_OK(passes->before(passes->context, &launch));
        }
        expect_same(&cpu, &gpu, "before a step");
        for (int k = 0; k < 2; k++) {
            const rill_launch launch = rill_sim_launch(both[k]->sim);
            const rill_passes *passes = &both[k]->sim->passes;
            disturb(both[k]);
            ASSERT_OK(passes->after(passes->context, &launch));
        }
        expect_same(&cpu, &gpu, "after a step");
    }
    if (what == BUBBLES) cr_expect_gt(gpu.surface->bubbles->gas.searches, 1);
    if (what == RIVER) cr_expect_gt(fmin(gpu.surface->through.came, gpu.surface->through.went), 0);
    end(&cpu);
    end(&gpu);
}

static const rill_stream streams[] = {RILL_PULL, RILL_AA, RILL_ESOTWIST, RILL_ESOPULL};

Test(free_surface_gpu, passes_have_the_same_bits, .timeout = 600)
{
    for (int k = 0; k < 4; k++) compare(box, RILL_BITMAP, streams[k], RILL_FP64, NOTHING);
    for (int storage = 0; storage < RILL_STORAGE_COUNT; storage++)
        if (storage != RILL_FP64) compare(box, RILL_LIST, RILL_ESOPULL, (rill_storage)storage, NOTHING);
}

/* The host follows bubbles by what the GPU tells it, and adds up what crosses faces. */
Test(free_surface_gpu, bubbles_have_the_same_bits, .timeout = 600)
{
    for (int k = 0; k < 4; k++) compare(box, RILL_BITMAP, streams[k], k % 2 ? RILL_FP32 : RILL_FP64, BUBBLES);
}

Test(free_surface_gpu, open_faces_have_the_same_bits, .timeout = 600)
{
    for (int k = 0; k < 4; k++) compare(box, RILL_BITMAP, streams[k], k % 2 ? RILL_FP16S : RILL_FP64, RIVER);
}

/* One tile and a list shorter than a block of threads; several runs of tiles and a list of several blocks. */
Test(free_surface_gpu, short_and_long_lists_have_the_same_bits, .timeout = 600)
{
    compare(small_box, RILL_BITMAP, RILL_ESOPULL, RILL_FP32, NOTHING);
    liquid l = liquid_of(large_box, RILL_BACKEND_CPU, RILL_LIST, RILL_PULL, RILL_FP32, NOTHING);
    cr_expect_gt(l.surface->front.list.count, 1024);
    cr_expect_gt(rill_front_tiles(l.nodes), 4);
    end(&l);
    compare(large_box, RILL_BITMAP, RILL_ESOPULL, RILL_FP32, NOTHING);
    compare(large_box, RILL_BITMAP, RILL_ESOPULL, RILL_FP32, BUBBLES);
}

/* A run that another one goes on with, from all that a checkpoint has. */
static void resume(beside what)
{
    liquid first = liquid_of(box, other_backend(), RILL_BITMAP, RILL_ESOPULL, RILL_FP32, what),
           second = liquid_of(box, other_backend(), RILL_BITMAP, RILL_ESOPULL, RILL_FP32, what);
    ASSERT_OK(rill_sim_step(first.sim, 31));
    take_over(&second, &first, true);
    ASSERT_OK(rill_sim_step(first.sim, 40));
    ASSERT_OK(rill_sim_step(second.sim, 40));
    expect_same(&second, &first, "40 steps after a state was taken over");
    end(&first);
    end(&second);
}

Test(free_surface_gpu, a_run_is_resumed, .timeout = 600)
{
    resume(NOTHING);
    resume(BUBBLES);
    resume(RIVER);
}

/* Steps round in another order on a GPU, and no more. */
static void same_flow(beside what)
{
    liquid cpu = liquid_of(box, RILL_BACKEND_CPU, RILL_LIST, RILL_ESOPULL, RILL_FP64, what),
           gpu = liquid_of(box, other_backend(), RILL_BITMAP, RILL_ESOPULL, RILL_FP64, what);
    const rill_free_surface_totals first = totals_of(&gpu);
    ASSERT_OK(rill_sim_step(cpu.sim, 60));
    ASSERT_OK(rill_sim_step(gpu.sim, 60));
    const rill_free_surface_totals a = totals_of(&cpu), b = totals_of(&gpu);
    const double mass = first.mass + b.through.came - b.through.went;
    cr_expect_float_eq(b.mass / mass, 1, 1e-12, "%g", b.mass / mass - 1);
    cr_expect_float_eq(a.volume / b.volume, 1, 1e-9, "%g", a.volume / b.volume - 1);
    cr_expect_float_eq(a.speed_max / b.speed_max, 1, 1e-6, "%g", a.speed_max / b.speed_max - 1);
    cr_expect_float_eq(a.through.came, b.through.came, 1e-9 * (what == RIVER));
    cr_expect_float_eq(a.gas.content, b.gas.content, 1e-9 * (what == BUBBLES));
    cr_expect_eq(a.gas.bubbles, b.gas.bubbles);
    for (int k = 0; k < 3; k++) cr_expect_eq(a.nodes[k], b.nodes[k]);
    end(&cpu);
    end(&gpu);
}

Test(free_surface_gpu, the_flow_is_that_of_processors, .timeout = 600)
{
    same_flow(NOTHING);
    same_flow(BUBBLES);
    same_flow(RIVER);
}
