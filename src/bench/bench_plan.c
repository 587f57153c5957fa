/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the cases of suites and estimates what they take. */
#include "bench/bench_plan.h"

#include "core/memory.h"
#include "core/status.h"
#include "kernel/variant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const rill_scaling_names[RILL_SCALING_COUNT + 1] = {
    "weak-spheres", "spheres",  "arteries", "tree", "bed",
    "riverbed",     "coronary", "overlap",  "rock", "vessel"};

const char *const rill_bench_suite_names[RILL_SUITE_COUNT + 4] = {
    [RILL_SUITE_BOX] = "box",
    [RILL_SUITE_SPHERES] = "spheres",
    [RILL_SUITE_ARTERIES] = "arteries",
    [RILL_SUITE_ROCK] = "rock",
    [RILL_SUITE_ISOTROPY] = "isotropy",
    [RILL_SUITE_SCHEMES] = "schemes",
    [RILL_SUITE_FORMATS] = "formats",
    [RILL_SUITE_COLLISIONS] = "collisions",
    [RILL_SUITE_POROSITY] = "porosity",
    [RILL_SUITE_SIZES] = "sizes",
    [RILL_SUITE_VESSEL] = "vessel",
    [RILL_SUITE_HYBRID] = "hybrid",
    [RILL_SUITE_SCALING] = "scaling",
    [RILL_SUITE_ANSWER] = "time-to-answer",
    [RILL_SUITE_SPLASH] = "free-surface",
    [RILL_SUITE_CELLS] = "cells",
};

static const double porosities[] = {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
enum { porosity_count = sizeof porosities / sizeof *porosities };

/* ---- variants -------------------------------------------------------------------------------- */

enum { choices = 9, most_values = 16 };

/* Values of every choice, in the order of the members of rill_variant. */
typedef struct values {
    int items[choices][most_values], count[choices];
    bool open[choices]; /* neither named nor varied by the suite: what suits the collision is taken */
} values;

enum { lattice, collision, equilibrium, stream, addressing, storage, arithmetic, bounce, shift };

static void set(values *v, int choice, int count, const int *items)
{
    v->count[choice] = count;
    memcpy(v->items[choice], items, (size_t)count * sizeof *items);
}

static void set_all(values *v, int choice, int count)
{
    v->count[choice] = count;
    for (int k = 0; k < count; k++) v->items[choice][k] = k;
}

#define SET(v, choice, ...)                                                                                  \
    set(v, choice, sizeof((int[]){__VA_ARGS__}) / sizeof(int), (const int[]){__VA_ARGS__})

/* What a suite times by default. */
static values values_of(rill_bench_suite suite, bool device)
{
    const rill_variant usual = rill_variant_default();
    values v = {0};
    SET(&v, lattice, (int)usual.lattice);
    SET(&v, collision, (int)usual.collision);
    SET(&v, equilibrium, (int)usual.equilibrium);
    SET(&v, stream, RILL_PULL, RILL_AA);
    SET(&v, addressing, RILL_LIST);
    SET(&v, storage, (int)usual.storage);
    SET(&v, arithmetic, RILL_SINGLE);
    SET(&v, bounce, RILL_HALF_WAY);
    SET(&v, shift, RILL_SHIFTED);
    if (device) {
        SET(&v, stream, RILL_PULL, RILL_AA, RILL_RING);
        SET(&v, addressing, RILL_LIST, RILL_BITMAP);
    }
    if (suite == RILL_SUITE_SCHEMES) {
        set_all(&v, stream, RILL_MACROSCOPIC); /* which takes another magic parameter */
        set_all(&v, addressing, RILL_ADDRESSING_COUNT);
        SET(&v, storage, RILL_FP32, RILL_FP16S);
    }
    if (suite == RILL_SUITE_VESSEL) SET(&v, equilibrium, RILL_SECOND_ORDER);
    if (suite == RILL_SUITE_FORMATS || suite == RILL_SUITE_COLLISIONS || suite == RILL_SUITE_SIZES) {
        SET(&v, stream, RILL_AA);
        if (device) SET(&v, addressing, RILL_BITMAP);
    }
    if (suite == RILL_SUITE_SCALING && device) {
        SET(&v, stream, RILL_PULL, RILL_AA);
        SET(&v, addressing, RILL_BITMAP);
        SET(&v, storage, RILL_FP32, RILL_FP16S);
    }
    if (suite == RILL_SUITE_HYBRID) {
        SET(&v, addressing, RILL_LIST, RILL_DENSE);
        if (device) SET(&v, addressing, RILL_LIST, RILL_BITMAP, RILL_DENSE);
    }
    if (suite == RILL_SUITE_FORMATS) set_all(&v, storage, RILL_STORAGE_COUNT);
    if (suite == RILL_SUITE_COLLISIONS) {
        SET(&v, lattice, RILL_D3Q19, RILL_D3Q27);
        set_all(&v, collision, RILL_ADVECTION_DIFFUSION); /* which is no flow's */
        set_all(&v, equilibrium, RILL_EQUILIBRIUM_COUNT);
        SET(&v, storage, RILL_FP32, RILL_FP16S);
    }
    if (suite == RILL_SUITE_POROSITY) {
        SET(&v, stream, RILL_AA, RILL_ESOPULL);
        SET(&v, addressing, RILL_LIST, RILL_DENSE);
        if (device) {
            SET(&v, stream, RILL_AA, RILL_RING);
            SET(&v, addressing, RILL_LIST, RILL_BITMAP, RILL_DENSE);
        }
    }
    return v;
}

/* Take what the user named in place of the suite's own. */
static void override(values *v, const rill_bench_wants *wants)
{
    const rill_bench_values named[choices] = {[lattice] = wants->lattice,
                                              [collision] = wants->collision,
                                              [equilibrium] = wants->equilibrium,
                                              [stream] = wants->stream,
                                              [addressing] = wants->addressing,
                                              [storage] = wants->storage,
                                              [arithmetic] = wants->arithmetic,
                                              [bounce] = wants->bounce,
                                              [shift] = wants->shift};
    for (int c = 0; c < choices; c++) {
        v->open[c] = named[c].count == 0 && v->count[c] == 1;
        if (named[c].count) set(v, c, named[c].count, named[c].items);
    }
}

static rill_variant variant_at(const values *v, uint64_t number)
{
    int at[choices];
    for (int c = choices - 1; c >= 0; c--) { /* the last choice counts fastest */
        at[c] = v->items[c][number % (uint64_t)v->count[c]];
        number /= (uint64_t)v->count[c];
    }
    const rill_variant variant = {.lattice = (rill_lattice)at[lattice],
                                  .collision = (rill_collision)at[collision],
                                  .equilibrium = (rill_equilibrium)at[equilibrium],
                                  .stream = (rill_stream)at[stream],
                                  .addressing = (rill_addressing)at[addressing],
                                  .storage = (rill_storage)at[storage],
                                  .arithmetic = at[storage] == RILL_FP64 ? RILL_DOUBLE
                                                                         : (rill_arithmetic)at[arithmetic],
                                  .bounce = (rill_bounce)at[bounce],
                                  .shift = (rill_shift)at[shift]};
    return rill_variant_suit(variant, !v->open[lattice], !v->open[equilibrium]);
}

/* ---- estimates ------------------------------------------------------------------------------- */

/*
 * Seconds of one core and bytes of bandwidth, measured on processors of 2021 and an H200: accurate enough
 * to decide whether to wait.
 */
static double voxels_of(const rill_bench_shape *shape)
{
    const bool tree = shape->suite == RILL_SUITE_SCALING &&
                      (shape->scaling == RILL_SCALING_TREE || shape->scaling == RILL_SCALING_CORONARY);
    return pow(shape->cells, 3) * (shape->suite == RILL_SUITE_ISOTROPY ? 1.0 / 16 : tree ? 5.8 : 1);
}

static double shape_seconds(const rill_bench_shape *shape, const rill_bench_wants *wants)
{
    const double voxels = voxels_of(shape);
    const bool box = shape->suite == RILL_SUITE_BOX || shape->suite == RILL_SUITE_SIZES;
    const double each = box                                   ? 5e-9
                        : rill_bench_shape_is_drawn(shape)    ? 3e-9
                        : shape->suite == RILL_SUITE_ARTERIES ? 90e-9
                                                              : 25e-9;
    return voxels * each / wants->threads + 0.02;
}

/* Return whether the CUDA kernels of a variant are part of the library; others are compiled when first used.
 */
static bool is_built(rill_variant v)
{
    for (int k = 0; k < rill_variant_count(); k++)
        if (rill_variant_equal(rill_variant_at(k), v)) return true;
    return false;
}

static double case_seconds(const rill_bench_shape *shape, rill_variant v, const rill_bench_wants *wants)
{
    const double fluid = shape->porosity > 0 ? shape->porosity : 0.1, nodes = voxels_of(shape) * fluid;
    const rill_bytes bytes = rill_variant_bytes(v, fluid);
    const double step = nodes * bytes.moved / (wants->bandwidth * (wants->device ? 0.7 : 0.3)) + 5e-6,
                 rounds = fmax(wants->seconds * (wants->device ? 1 : 2), 18 * step), warm_up = 16 * step,
                 links = nodes * (v.addressing == RILL_LIST ? 200e-9 : 40e-9) / wants->threads,
                 check = wants->device ? 0.4 : 0.2, compiling = wants->device && !is_built(v) ? 1.5 : 0;
    return rounds + warm_up + links + check + compiling;
}

/* ---- plans ----------------------------------------------------------------------------------- */

static rill_status add_shape(rill_bench_plan *plan, const rill_bench_wants *wants, rill_bench_shape shape)
{
    const rill_status status =
        RILL_LIST_GROW(plan->shapes, (uint64_t)plan->shape_count, plan->shape_room, "boxes to time");
    if (status != RILL_OK) return status;
    shape.seconds = shape_seconds(&shape, wants);
    plan->shapes[plan->shape_count++] = shape;
    plan->seconds += shape.seconds;
    return RILL_OK;
}

/* Add a case on the last shape. */
static rill_status add_case(rill_bench_plan *plan, const rill_bench_wants *wants, rill_variant v)
{
    const rill_status status =
        RILL_LIST_GROW(plan->cases, (uint64_t)plan->case_count, plan->case_room, "cases to time");
    if (status != RILL_OK) return status;
    const int shape = plan->shape_count - 1;
    const rill_bench_case c = {shape, v, case_seconds(&plan->shapes[shape], v, wants)};
    plan->cases[plan->case_count++] = c;
    plan->seconds += c.seconds;
    return RILL_OK;
}

/* Add all variants that exist on the last shape. */
static rill_status add_variants(rill_bench_plan *plan, const rill_bench_wants *wants, const values *v)
{
    uint64_t all = 1;
    const int before = plan->case_count;
    for (int c = 0; c < choices; c++) all *= (uint64_t)v->count[c];
    for (uint64_t k = 0; k < all; k++) {
        const rill_variant variant = variant_at(v, k);
        if (rill_variant_check(variant) != RILL_OK) continue;
        const rill_status status = add_case(plan, wants, variant);
        if (status != RILL_OK) return status;
    }
    /* The message is that of the last combination, which is the only one if one was requested. */
    return plan->case_count > before ? RILL_OK : RILL_USAGE;
}

static rill_bench_shape shape_of(rill_bench_suite suite, const rill_bench_wants *wants)
{
    static const uint32_t edges[RILL_SUITE_COUNT][2] = {
        [RILL_SUITE_BOX] = {160, 384},        [RILL_SUITE_SPHERES] = {224, 512},
        [RILL_SUITE_ARTERIES] = {256, 512},   [RILL_SUITE_ISOTROPY] = {256, 1024},
        [RILL_SUITE_SCHEMES] = {128, 320},    [RILL_SUITE_FORMATS] = {128, 320},
        [RILL_SUITE_COLLISIONS] = {128, 320}, [RILL_SUITE_POROSITY] = {128, 320},
        [RILL_SUITE_SCALING] = {128, 512},    [RILL_SUITE_HYBRID] = {160, 512},
    };
    rill_bench_shape shape = {.suite = suite, .cells = edges[suite][wants->device], .porosity = 0.39};
    const bool file = suite == RILL_SUITE_ROCK || suite == RILL_SUITE_VESSEL;
    if (wants->cells && !file) shape.cells = wants->cells;
    if (suite == RILL_SUITE_BOX || suite == RILL_SUITE_SIZES) shape.porosity = 1;
    if (suite == RILL_SUITE_ARTERIES) shape.porosity = 0.06;
    if (suite == RILL_SUITE_ISOTROPY) shape.porosity = 0.78;
    if (file) shape.porosity = 0;
    const bool on_spheres =
        suite == RILL_SUITE_SCHEMES || suite == RILL_SUITE_FORMATS || suite == RILL_SUITE_COLLISIONS;
    snprintf(shape.name, sizeof shape.name, "%s",
             rill_bench_suite_names[on_spheres ? RILL_SUITE_SPHERES : suite]);
    return shape;
}

/* The edge of the largest cube that fits, of the variant alone. */
static uint32_t largest_edge(const rill_bench_wants *wants, rill_variant v)
{
    const rill_bytes bytes = rill_variant_bytes(v, 1);
    const double both = bytes.populations + bytes.index, there = 0.97 * (double)wants->memory / (both + 0.02),
                 here = 0.9 * (double)wants->host_memory /
                        ((wants->device ? 0 : both) + 1.4); /* voxels, numbers of nodes and of ghosts */
    const double nodes = fmin(fmin(there, here), 0xfffffffe);
    return (uint32_t)cbrt(nodes) & ~1u;
}

static rill_status add_size(rill_bench_plan *plan, const rill_bench_wants *wants, uint32_t edge)
{
    rill_bench_shape shape = shape_of(RILL_SUITE_SIZES, wants);
    shape.cells = edge;
    snprintf(shape.name, sizeof shape.name, "box-%.1e", pow(edge, 3));
    return add_shape(plan, wants, shape);
}

/* Half decades from 1e5 nodes on, and on a GPU the largest cube of each variant. */
static rill_status add_sizes(rill_bench_plan *plan, const rill_bench_wants *wants, const values *v)
{
    rill_status status = RILL_OK;
    const double most = wants->most_nodes ? (double)wants->most_nodes : wants->device ? 3e8 : 1e7;
    for (int k = 0; 1e5 * pow(10, 0.5 * k) <= 1.5 * most; k++) {
        RILL_TRY(add_size(plan, wants, (uint32_t)lround(cbrt(fmin(1e5 * pow(10, 0.5 * k), most)))));
        RILL_TRY(add_variants(plan, wants, v));
    }
    if (plan->shape_count == 0 || plan->shapes[plan->shape_count - 1].suite != RILL_SUITE_SIZES) {
        RILL_TRY(add_size(plan, wants, (uint32_t)lround(cbrt(most))));
        RILL_TRY(add_variants(plan, wants, v));
    }
    if (!wants->device || wants->most_nodes) return RILL_OK;
    const int first = plan->case_count, last_shape = plan->shape_count - 1;
    for (int k = 0; k < first; k++) {
        if (plan->cases[k].shape != last_shape) continue;
        const rill_variant variant = plan->cases[k].variant;
        RILL_TRY(add_size(plan, wants, largest_edge(wants, variant)));
        RILL_TRY(add_case(plan, wants, variant));
    }
done:
    return status;
}

bool rill_scaling_weak(rill_scaling_shape shape)
{
    return shape == RILL_SCALING_WEAK || shape == RILL_SCALING_BED || shape == RILL_SCALING_RIVERBED;
}

static bool scaling_wanted(const rill_bench_wants *wants, rill_scaling_shape shape)
{
    /* those of the literature, and one that may be larger than a device, run by name */
    const bool large = shape == RILL_SCALING_BED || shape == RILL_SCALING_RIVERBED ||
                       shape == RILL_SCALING_CORONARY || shape == RILL_SCALING_OVERLAP;
    bool named = wants->scaling.count == 0 && !large;
    if ((shape == RILL_SCALING_ROCK && !wants->rock) || (shape == RILL_SCALING_VESSEL && !wants->vessel))
        return false;
    for (int k = 0; k < wants->scaling.count; k++) named |= wants->scaling.items[k] == (int)shape;
    return named;
}

static rill_status add_suite(rill_bench_plan *plan, const rill_bench_wants *wants, rill_bench_suite suite)
{
    rill_status status = RILL_OK;
    values v = values_of(suite, wants->device);
    const int shapes = suite == RILL_SUITE_POROSITY   ? porosity_count
                       : suite == RILL_SUITE_ISOTROPY ? 3
                       : suite == RILL_SUITE_VESSEL   ? RILL_BENCH_BOUNDARIES_COUNT
                       : suite == RILL_SUITE_SCALING  ? RILL_SCALING_COUNT
                       : suite == RILL_SUITE_HYBRID   ? 2
                                                      : 1;
    override(&v, wants);
    if (suite == RILL_SUITE_ROCK && !wants->rock)
        return rill_fail(RILL_USAGE, "the suite rock needs an image or a geometry: name it with --rock FILE");
    if (suite == RILL_SUITE_VESSEL && !wants->vessel)
        return rill_fail(
            RILL_USAGE,
            "the suite vessel needs a geometry that was cut from a surface: name it with --vessel FILE");
    if (suite == RILL_SUITE_SIZES) return add_sizes(plan, wants, &v);
    for (int k = 0; k < shapes; k++) {
        rill_bench_shape shape = shape_of(suite, wants);
        if (suite == RILL_SUITE_POROSITY) {
            shape.porosity = porosities[k];
            snprintf(shape.name, sizeof shape.name, "porosity-%.2f", shape.porosity);
        }
        if (suite == RILL_SUITE_ISOTROPY) {
            shape.axis = k;
            snprintf(shape.name, sizeof shape.name, "pipe-%c", rill_axis(k));
        }
        if (suite == RILL_SUITE_VESSEL) {
            static const char *const with[] = {"", "-walls", "-openings", "-all", "-quadratic-walls"};
            shape.boundaries = (rill_bench_boundaries)k;
            snprintf(shape.name, sizeof shape.name, "vessel%s", with[k]);
        }
        if (suite == RILL_SUITE_HYBRID) {
            shape.porosity = k ? 1 : 0.68;
            snprintf(shape.name, sizeof shape.name, "%s", k ? "free" : "riverbed");
        }
        if (suite == RILL_SUITE_SCALING) {
            static const double porosity[] = {0.39, 0.39, 0.06, 0.02, 0.36, 0.68, 0.011, 0.06, 0, 0};
            if (!scaling_wanted(wants, (rill_scaling_shape)k)) continue;
            shape.scaling = (rill_scaling_shape)k;
            shape.porosity = porosity[k];
            if (k == RILL_SCALING_CORONARY && !wants->cells) shape.cells = wants->device ? 1234 : 192;
            if (k == RILL_SCALING_OVERLAP && !wants->cells && wants->device) shape.cells = 1024;
            if (k == RILL_SCALING_OVERLAP && wants->porosity > 0) shape.porosity = wants->porosity;
            if (k == RILL_SCALING_ROCK || k == RILL_SCALING_VESSEL) shape.cells = 0;
            if (k == RILL_SCALING_VESSEL) {
                shape.boundaries = RILL_BENCH_ALL;
                if (v.open[equilibrium]) SET(&v, equilibrium, RILL_SECOND_ORDER);
            }
            snprintf(shape.name, sizeof shape.name, "%s", rill_scaling_names[k]);
        }
        RILL_TRY(add_shape(plan, wants, shape));
        RILL_TRY(add_variants(plan, wants, &v));
    }
done:
    return status;
}

rill_status rill_bench_plan_make(const rill_bench_wants *wants, rill_bench_plan *out)
{
    rill_status status = RILL_OK;
    rill_bench_plan plan = {0};
    for (int k = 0; k < wants->suite_count; k++)
        RILL_TRY(add_suite(&plan, wants, (rill_bench_suite)wants->suites[k]));
    *out = plan;
    plan = (rill_bench_plan){0};
done:
    rill_bench_plan_free(&plan);
    return status;
}

void rill_bench_plan_free(rill_bench_plan *plan)
{
    free(plan->shapes);
    free(plan->cases);
    *plan = (rill_bench_plan){0};
}
