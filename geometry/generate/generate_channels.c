/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Straight channels with analytic solutions: plates, ducts, pipes and the empty box. The channel runs
 * periodically along its axis and is surrounded by solid voxels.
 */
#include "core/status.h"
#include "geometry/generate/generate_priv.h"

#include <math.h>
#include <string.h>

/** The cross-section of a channel: which of its voxels are fluid. */
typedef bool (*section_fn)(const void *context, uint32_t i, uint32_t j);

/** Refuse what is no axis, no length, or a width that leaves no room for the solid layers. */
static rill_status check(int axis, uint32_t length, double width, double height)
{
    if (axis < 0 || axis > 2)
        return rill_fail(RILL_USAGE, "%d is not an axis: use 0, 1 or 2 for x, y, z", axis);
    if (length == 0) return rill_fail(RILL_USAGE, "a channel of length 0 is empty: give at least 1 voxel");
    if (!(width >= 1 && height >= 1))
        return rill_fail(RILL_USAGE, "a channel %g x %g voxels wide is empty: give at least 1 voxel", width,
                         height);
    const double widest = width > height ? width : height;
    if (widest > 1e9)
        return rill_fail(RILL_USAGE, "a channel %g voxels wide is more than 1e9 voxels wide: coarsen it",
                         widest);
    return RILL_OK;
}

/**
 * Generate a channel along `axis` from its cross-section.
 * @param[in] across  voxels along the two axes that follow `axis` in the cycle x y z x
 */
static rill_status generate(const char *name, int axis, uint32_t length, const uint32_t across[2],
                            section_fn inside, const void *context, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    const int first = (axis + 1) % 3, second = (axis + 2) % 3;
    uint32_t n[3];
    n[axis] = length;
    n[first] = across[0];
    n[second] = across[1];
    RILL_TRY(rill_geom_create(n, &geom));
#pragma omp parallel for schedule(static)
    for (uint32_t z = 0; z < n[2]; z++) {
        uint8_t *voxel = geom->voxels + (uint64_t)z * n[0] * n[1];
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++) {
                const uint32_t at[3] = {x, y, z};
                *voxel++ = inside(context, at[first], at[second]) ? RILL_FLUID : RILL_SOLID;
            }
    }
    RILL_TRY(rill_generate_finish(geom, name));
    if (!(geom->porosity.total > 0))
        RILL_TRY(rill_fail(RILL_USAGE,
                           "the %s holds no voxel centre: raise --radius or change --centre-offset", name));
    *out = geom;
    geom = NULL;
done:
    rill_geom_destroy(geom);
    return status;
}

/** Rectangle: fluid from 1 to size, or everywhere along an axis with size 0. */
typedef struct rectangle {
    uint32_t size[2];
} rectangle;

static bool in_rectangle(const void *context, uint32_t i, uint32_t j)
{
    const rectangle *r = context;
    return (r->size[0] == 0 || (i >= 1 && i <= r->size[0])) &&
           (r->size[1] == 0 || (j >= 1 && j <= r->size[1]));
}

rill_plates_options rill_plates_options_default(void)
{
    return (rill_plates_options){.gap = 16, .normal = 1, .length = 8};
}

rill_status rill_generate_plates(const rill_plates_options *options, rill_geom **out)
{
    rill_status status = RILL_OK;
    RILL_TRY(check(options->normal, options->length, options->gap, options->gap));
    const rectangle section = {{0, options->gap}};
    const uint32_t across[2] = {options->length, options->gap + 2};
    RILL_TRY(
        generate("plates", (options->normal + 1) % 3, options->length, across, in_rectangle, &section, out));
done:
    return status;
}

rill_duct_options rill_duct_options_default(void)
{
    return (rill_duct_options){.width = 16, .height = 0, .axis = 2, .length = 8};
}

rill_status rill_generate_duct(const rill_duct_options *options, rill_geom **out)
{
    rill_status status = RILL_OK;
    const uint32_t height = options->height ? options->height : options->width;
    RILL_TRY(check(options->axis, options->length, options->width, height));
    const rectangle section = {{options->width, height}};
    const uint32_t across[2] = {options->width + 2, height + 2};
    RILL_TRY(generate("duct", options->axis, options->length, across, in_rectangle, &section, out));
done:
    return status;
}

/** Circle: fluid where a voxel centre is nearer to the centre than the radius. */
typedef struct circle {
    double centre[2], radius;
} circle;

static bool in_circle(const void *context, uint32_t i, uint32_t j)
{
    const circle *c = context;
    const double dx = i + 0.5 - c->centre[0], dy = j + 0.5 - c->centre[1];
    return dx * dx + dy * dy < c->radius * c->radius;
}

rill_pipe_options rill_pipe_options_default(void)
{
    return (rill_pipe_options){.radius = 8, .axis = 2, .length = 8};
}

rill_status rill_generate_pipe(const rill_pipe_options *options, rill_geom **out)
{
    rill_status status = RILL_OK;
    const double *offset = options->offset;
    if (!(options->radius >= 0.5))
        RILL_TRY(rill_fail(RILL_USAGE, "a pipe of radius %g voxels is empty: raise --radius to 0.5 or more",
                           options->radius));
    RILL_TRY(check(options->axis, options->length, 2 * options->radius, 2 * options->radius));
    for (int a = 0; a < 2; a++)
        if (!(fabs(offset[a]) <= 1))
            RILL_TRY(rill_fail(
                RILL_USAGE,
                "a --centre-offset of %g voxels is outside -1 ... 1: leave out whole voxels, which change nothing",
                offset[a]));
    uint32_t half[2];
    for (int a = 0; a < 2; a++) half[a] = (uint32_t)ceil(options->radius + fabs(offset[a])) + 1;
    const circle section = {{half[0] + offset[0], half[1] + offset[1]}, options->radius};
    const uint32_t across[2] = {2 * half[0], 2 * half[1]};
    RILL_TRY(generate("pipe", options->axis, options->length, across, in_circle, &section, out));
done:
    return status;
}

rill_status rill_generate_box(const uint32_t n[3], rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    RILL_TRY(rill_geom_create(n, &geom));
    RILL_TRY(rill_generate_fill(geom, RILL_FLUID));
    RILL_TRY(rill_generate_finish(geom, "box"));
    *out = geom;
    geom = NULL;
done:
    rill_geom_destroy(geom);
    return status;
}
