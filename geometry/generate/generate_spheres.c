/* SPDX-License-Identifier: Apache-2.0 */
/* One cell of a periodic sphere array. Random packs are in generate_pack.c. */
#include "core/status.h"
#include "geometry/voxels/exact_walls.h"
#include "geometry/generate/generate_priv.h"

#include <math.h>

/** The spheres of a cell, in half edges of the cell. */
static const struct {
    const char *name;
    int count;
    int half[4][3];
} arrays[RILL_ARRAY_COUNT] = {
    [RILL_SC] = {"sc", 1, {{0, 0, 0}}},
    [RILL_BCC] = {"bcc", 2, {{0, 0, 0}, {1, 1, 1}}},
    [RILL_FCC] = {"fcc", 4, {{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}}},
};

rill_spheres_options rill_spheres_options_default(void)
{
    return (rill_spheres_options){.array = RILL_SC, .solid_fraction = 0.216, .cells = 32};
}

double rill_spheres_touching(rill_array array)
{
    switch (array) {
    case RILL_BCC:
        return M_PI * sqrt(3) / 8;
    case RILL_FCC:
        return M_PI / sqrt(18);
    default:
        return M_PI / 6;
    }
}

double rill_spheres_radius(const rill_spheres_options *options)
{
    if (options->radius > 0) return options->radius;
    return options->cells *
           rill_generate_cube_root(3 * options->solid_fraction / (4 * M_PI * arrays[options->array].count));
}

static rill_status check(const rill_spheres_options *o)
{
    if ((unsigned)o->array >= RILL_ARRAY_COUNT)
        return rill_fail(RILL_USAGE, "there is no sphere array number %d: use sc, bcc or fcc", (int)o->array);
    if ((o->solid_fraction != 0) == (o->radius != 0))
        return rill_fail(RILL_USAGE,
                         "spheres need a solid fraction or a radius: give exactly one of the two");
    if (o->radius != 0 && !(o->radius > 0 && o->radius <= o->cells))
        return rill_fail(
            RILL_USAGE,
            "a radius of %g voxels is not above 0 and at most the %u voxels of the cell: change --radius or --cells",
            o->radius, o->cells);
    const double limit = rill_spheres_touching(o->array);
    if (o->solid_fraction != 0 && !(o->solid_fraction > 0 && o->solid_fraction <= limit * (1 + 1e-12)))
        return rill_fail(
            RILL_USAGE,
            "a solid fraction of %.9g is not above 0 and at most %.9f, where %s spheres touch: lower --solid-fraction, or give a --radius for spheres that overlap",
            o->solid_fraction, floor(limit * 1e9) / 1e9, arrays[o->array].name);
    return RILL_OK;
}

/* The spheres of a cell, which repeats. */
typedef struct packing {
    const rill_sphere *spheres;
    int count;
    double cells;
} packing;

/* The first sphere on the way, of a cell and those around it. */
static double sphere_cut(void *context, const double x[3], const int c[3])
{
    const packing *p = context;
    double first = INFINITY;
    for (int k = 0; k < 27 * p->count; k++) {
        const rill_sphere *s = &p->spheres[k / 27];
        const int image[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 % 3 - 1};
        rill_round_wall wall = {.radius = s->radius};
        for (int a = 0; a < 3; a++) wall.centre[a] = s->centre[a] + image[a] * p->cells;
        const double q = rill_round_wall_cut(&wall, x, c, false);
        if (q >= 0 && q < first) first = q;
    }
    return first;
}

rill_status rill_generate_spheres(const rill_spheres_options *options, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    rill_sphere spheres[4];
    RILL_TRY(check(options));
    RILL_TRY(rill_geom_create((const uint32_t[3]){options->cells, options->cells, options->cells}, &geom));
    const double radius = rill_spheres_radius(options);
    const int count = arrays[options->array].count;
    for (int s = 0; s < count; s++) {
        spheres[s].radius = radius;
        for (int a = 0; a < 3; a++)
            spheres[s].centre[a] = 0.5 * options->cells * arrays[options->array].half[s][a];
    }
    RILL_TRY(rill_generate_fill(geom, RILL_FLUID));
    RILL_TRY(rill_generate_paint(geom, geom->n[2], spheres, (uint64_t)count, RILL_SOLID));
    RILL_TRY(rill_generate_finish(geom, "spheres"));
    const uint64_t fluid = rill_geom_fluid(geom);
    if (fluid == 0)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "spheres of radius %g leave no pore voxel in a cell of %u: lower --radius", radius,
                           options->cells));
    if (fluid == rill_geom_voxels(geom))
        RILL_TRY(rill_fail(RILL_USAGE,
                           "spheres of radius %g hold no voxel centre in a cell of %u: raise --cells", radius,
                           options->cells));
    if (options->exact) {
        packing p = {spheres, count, options->cells};
        RILL_TRY(rill_exact_walls(geom, sphere_cut, &p));
    }
    *out = geom;
    geom = NULL;
done:
    rill_geom_destroy(geom);
    return status;
}
