/* SPDX-License-Identifier: Apache-2.0 */
/* Generates the geometries of suites. */
#include "bench/bench_plan.h"
#include "geometry/generate/generate.h"

#include <math.h>

/* Of the spheres, in voxels; smaller boxes get smaller ones: beds as dense as possible need more of them. */
static double radius_of(const rill_bench_shape *shape, double share)
{
    return fmin(16, shape->cells / share);
}

/* Overlapping spheres with radii of 40 voxels, whose pores are 20 wide or so. */
static rill_pack_options overlap_of(const rill_bench_shape *shape)
{
    rill_pack_options options = rill_pack_options_default();
    for (int a = 0; a < 3; a++) options.n[a] = shape->cells;
    options.radius = fmin(40, shape->cells / 8.0);
    options.porosity = shape->porosity;
    options.overlap = true;
    return options;
}

bool rill_bench_shape_is_drawn(const rill_bench_shape *shape)
{
    return shape->suite == RILL_SUITE_SCALING && shape->scaling == RILL_SCALING_OVERLAP;
}

rill_status rill_bench_shape_draw(const rill_bench_shape *shape, uint32_t window, rill_drawn **out)
{
    const rill_pack_options options = overlap_of(shape);
    return rill_generate_pack_drawn(&options, window, out);
}

static rill_status make_overlap(const rill_bench_shape *shape, rill_geom **out)
{
    const rill_pack_options options = overlap_of(shape);
    rill_pack pack = {0};
    rill_status status = rill_pack_create(&options, &pack);
    if (status == RILL_OK) status = rill_generate_pack(&options, &pack, NULL, out);
    rill_pack_destroy(&pack);
    return status;
}

static rill_status make_pack(const rill_bench_shape *shape, double spread, bool overlap, rill_geom **out)
{
    rill_pack_options options = rill_pack_options_default();
    rill_pack pack = {0};
    for (int a = 0; a < 3; a++) options.n[a] = shape->cells;
    options.radius = radius_of(shape, spread > 0 ? 16 : 4);
    options.spread = spread;
    options.porosity = shape->porosity;
    options.overlap = overlap;
    rill_status status = rill_pack_create(&options, &pack);
    if (status == RILL_OK) status = rill_generate_pack(&options, &pack, NULL, out);
    rill_pack_destroy(&pack);
    return status;
}

/* The tubes that `rill generate tubes` makes, drawn to scale. */
static rill_status make_tubes(const rill_bench_shape *shape, rill_geom **out)
{
    rill_tubes_options options = rill_tubes_options_default();
    const double scale = (double)shape->cells / options.n[0];
    for (int a = 0; a < 3; a++) options.n[a] = shape->cells;
    options.radius = fmax(options.radius * scale, 1);
    options.waviness *= scale;
    return rill_generate_tubes(&options, out);
}

/* A tree of arteries by Murray's law: 200 outlets and an inlet 80 voxels wide where there is room. */
static rill_status make_tree(const rill_bench_shape *shape, rill_geom **out)
{
    rill_arteries_options options = rill_arteries_options_default();
    rill_arteries arteries = {0};
    options.outlets = shape->cells < 256 ? 20 : 200;
    options.radius = fmax(shape->cells / 12.8, 8);
    rill_status status = rill_arteries_create(&options, &arteries);
    if (status == RILL_OK) status = rill_generate_arteries(&options, &arteries, out);
    rill_arteries_destroy(&arteries);
    return status;
}

/*
 * Rotate a river bed: the stream, which is along x, to z, so that copies along z continue it and each has as
 * much of the bed as of the free channel; the vertical to y.
 */
static rill_status rotate(const rill_geom *bed, rill_geom **out)
{
    const uint64_t nx = bed->n[0], ny = bed->n[1], nz = bed->n[2];
    const rill_status status = rill_geom_create((const uint32_t[3]){bed->n[1], bed->n[2], bed->n[0]}, out);
    if (status != RILL_OK) return status;
    uint8_t *to = (*out)->voxels;
    const uint8_t *from = bed->voxels;
#pragma omp parallel for schedule(static)
    for (uint64_t x = 0; x < nx; x++)
        for (uint64_t z = 0; z < nz; z++)
            for (uint64_t y = 0; y < ny; y++) to[(x * nz + z) * ny + y] = from[(z * ny + y) * nx + x];
    for (int a = 0; a < 3; a++) (*out)->sides[a] = bed->sides[(a + 1) % 3];
    return RILL_OK;
}

static rill_status make_riverbed(const rill_bench_shape *shape, rill_geom **out)
{
    rill_riverbed_options options = rill_riverbed_options_default();
    rill_geom *bed = NULL;
    for (int a = 0; a < 3; a++) options.n[a] = shape->cells;
    options.radius = radius_of(shape, 16);
    options.height = shape->cells / 2;
    rill_status status = rill_generate_riverbed(&options, &bed, NULL);
    if (status == RILL_OK) status = rotate(bed, out);
    rill_geom_destroy(bed);
    return status;
}

static rill_status make_scaling(const rill_bench_shape *shape, rill_geom **out)
{
    switch (shape->scaling) {
    case RILL_SCALING_ARTERIES:
        return make_tubes(shape, out);
    case RILL_SCALING_TREE:
    case RILL_SCALING_CORONARY:
        return make_tree(shape, out);
    case RILL_SCALING_RIVERBED:
        return make_riverbed(shape, out);
    case RILL_SCALING_OVERLAP:
        return make_overlap(shape, out);
    case RILL_SCALING_BED: /* equal spheres have no random pack as dense as that */
        return make_pack(shape, 0.35, false, out);
    default:
        return make_pack(shape, 0, false, out);
    }
}

/* Eight times as long as its radius, so that a direction costs what the numbering of nodes makes it cost. */
static rill_status make_pipe(const rill_bench_shape *shape, rill_geom **out)
{
    rill_pipe_options options = rill_pipe_options_default();
    options.axis = shape->axis;
    options.length = shape->cells;
    options.radius = shape->cells / 8.0;
    return rill_generate_pipe(&options, out);
}

rill_status rill_bench_shape_make(const rill_bench_shape *shape, rill_geom **out)
{
    const uint32_t n[3] = {shape->cells, shape->cells, shape->cells};
    switch (shape->suite) {
    case RILL_SUITE_ARTERIES:
        return make_tubes(shape, out);
    case RILL_SUITE_ISOTROPY:
        return make_pipe(shape, out);
    case RILL_SUITE_SCALING:
        return make_scaling(shape, out);
    case RILL_SUITE_HYBRID:
        return shape->porosity < 1 ? make_riverbed(shape, out) : rill_generate_box(n, out);
    case RILL_SUITE_BOX:
    case RILL_SUITE_SIZES:
        return rill_generate_box(n, out);
    case RILL_SUITE_POROSITY:
        return shape->porosity < 1 ? make_pack(shape, 0, true, out) : rill_generate_box(n, out);
    default:
        return make_pack(shape, 0, false, out);
    }
}
