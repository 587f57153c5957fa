/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of `rill generate`: options, bound to what the generator takes; the shapes are geometry/generate's.
 */
#include "cli/generate_kinds.h"

#include "core/decimal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const arrays[] = {"sc", "bcc", "fcc", NULL};
static const char *const axis_names[] = {"x", "y", "z"};
_Static_assert(sizeof arrays / sizeof *arrays == RILL_ARRAY_COUNT + 1, "names and enum differ");

/* Keep a table beyond the function that binds it. */
static const cli_option *keep(const cli_option *table, size_t size)
{
    static _Thread_local cli_option kept[16];
    memcpy(kept, table, size);
    return kept;
}

static const char *const walls[] = {"half-way", "exact", NULL};

/* ---- options that several kinds have ---- */

#define NUMBER(name_, target_, help_)                                                                        \
    {                                                                                                        \
        name_, 0, CLI_UINT32, target_, "N", help_, .min = 1, .max = INT_MAX                                  \
    }
#define LENGTH(name_, target_, help_)                                                                        \
    {                                                                                                        \
        name_, 0, CLI_REAL, target_, "VOXELS", help_, .min = 0, .max = INT_MAX                               \
    }

/* --size, into n, whose default stands there. */
static cli_option size_option(cli_generated *g, uint32_t n[3])
{
    if (n[0] == n[1] && n[1] == n[2])
        snprintf(g->size_default, sizeof g->size_default, "%u", n[0]);
    else
        snprintf(g->size_default, sizeof g->size_default, "%u,%u,%u", n[0], n[1], n[2]);
    g->size = g->size_default;
    g->n = n;
    return (cli_option){
        "size", 0, CLI_TEXT, &g->size, "N|NX,NY,NZ", "voxels along all axes, or along x, y and z"};
}

static cli_option axis_option(cli_generated *g, int *axis, const char *help)
{
    g->along = axis_names[*axis];
    g->axis = axis;
    return (cli_option){"axis", 0, CLI_TEXT, &g->along, "x|y|z", help};
}

static cli_option seed_option(cli_generated *g, uint64_t *seed)
{
    g->seed = seed;
    return (cli_option){"seed", 0, CLI_COUNT, seed, "N", "number of the random geometry"};
}

static cli_option porosity_option(cli_generated *g, double *porosity, const char *help)
{
    g->porosity = porosity;
    return (cli_option){"porosity", 0, CLI_REAL, porosity, "FRACTION", help, .min = 0, .max = 1};
}

static cli_option radius_option(cli_generated *g, double *radius, const char *help)
{
    g->radius = radius;
    return (cli_option)LENGTH("radius", radius, help);
}

static cli_option spread_option(double *spread)
{
    return (cli_option){"spread", 0,          CLI_REAL,
                        spread,   "FRACTION", "standard deviation of the radii over their mean, up to 0.5",
                        .min = 0, .max = 0.5};
}

/* The function of a kind whose options its generator takes as they are. */
#define PLAIN(noun)                                                                                          \
    static rill_status noun##_generate(cli_generated *g, rill_geom **out)                                    \
    {                                                                                                        \
        return rill_generate_##noun(&g->shape.noun, out);                                                    \
    }

/* ---- spheres ---- */

static const cli_option *spheres_options(cli_generated *g)
{
    rill_spheres_options *o = &g->shape.spheres;
    *o = rill_spheres_options_default();
    const cli_option table[] = {
        {"lattice", 0, CLI_CHOICE, &o->array, .help = "where the spheres lie", .choices = arrays},
        {"solid-fraction", 0, CLI_REAL, &o->solid_fraction, "FRACTION",
         "volume of the spheres over that of the cell", .given = &g->solid_fraction_given},
        {"touching", 0, CLI_FLAG, &g->touching, .help = "the solid fraction at which the spheres touch"},
        {"radius", 0, CLI_REAL, &o->radius, "VOXELS",
         "radius in place of the solid fraction; spheres may overlap", .fallback = "",
         .given = &g->radius_given},
        NUMBER("cells", &o->cells, "voxels along an edge of the cubic cell"),
        {"walls", 0, CLI_CHOICE, &g->exact, .help = "half-way between voxels, or where the spheres are",
         .choices = walls},
        {0},
    };
    return keep(table, sizeof table);
}

static rill_status spheres_generate(cli_generated *g, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_spheres_options *o = &g->shape.spheres;
    if (g->solid_fraction_given + g->radius_given + g->touching > 1)
        return rill_fail(RILL_USAGE,
                         "--solid-fraction, --touching and --radius exclude each other: give one");
    if (g->radius_given && o->radius == 0)
        return rill_fail(RILL_USAGE, "--radius 0 is not above 0: raise it");
    if (g->radius_given) o->solid_fraction = 0;
    if (g->touching) o->solid_fraction = rill_spheres_touching(o->array);
    if (!g->radius_given && o->solid_fraction == 0)
        return rill_fail(RILL_USAGE, "--solid-fraction 0 is not above 0: raise it, or use the kind box");
    o->exact = g->exact;
    RILL_TRY(rill_generate_spheres(o, out));
    g->sphere_radius = rill_spheres_radius(o);
    g->radius = &g->sphere_radius;
    g->spheres = (uint64_t[]){1, 2, 4}[o->array];
    const double edge = o->cells,
                 volume = 4 * M_PI / 3 * g->sphere_radius * g->sphere_radius * g->sphere_radius;
    g->sphere_porosity = 1 - (double)g->spheres * volume / (edge * edge * edge);
    /* spheres that overlap have no simple volume */
    if (!g->radius_given || 1 - g->sphere_porosity <= rill_spheres_touching(o->array))
        g->porosity = &g->sphere_porosity;
done:
    return status;
}

/* ---- packs ---- */

static const cli_option *pack_options(cli_generated *g)
{
    rill_pack_options *o = &g->shape.pack;
    *o = rill_pack_options_default();
    const cli_option table[] = {
        size_option(g, o->n),
        radius_option(g, &o->radius, "mean radius of the spheres"),
        spread_option(&o->spread),
        porosity_option(g, &o->porosity,
                        "pore fraction; without overlap at least 0.38 - 0.0658 times the spread"),
        {"overlap", 0, CLI_FLAG, &o->overlap, .help = "spheres lie anywhere and overlap (Boolean model)"},
        seed_option(g, &o->seed),
        {0},
    };
    return keep(table, sizeof table);
}

static rill_status pack_generate(cli_generated *g, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_pack pack = {0};
    RILL_TRY(rill_pack_create(&g->shape.pack, &pack));
    RILL_TRY(rill_generate_pack(&g->shape.pack, &pack, &(rill_keeper){.count = 1}, out)); /* as bits */
    g->spheres = pack.count;
done:
    rill_pack_destroy(&pack);
    return status;
}

/* ---- river beds ---- */

static const cli_option *riverbed_options(cli_generated *g)
{
    rill_riverbed_options *o = &g->shape.riverbed;
    *o = rill_riverbed_options_default();
    o->height = 0;
    const cli_option table[] = {
        size_option(g, o->n),
        {"height", 0, CLI_UINT32, &o->height, "N", "mean height of the bed over the solid layer",
         .fallback = "half of the voxels along z", .min = 1, .max = INT_MAX},
        radius_option(g, &o->radius, "mean radius of the spheres"),
        spread_option(&o->spread),
        porosity_option(g, &o->porosity, "pore fraction of the bed; at least 0.38 - 0.0658 times the spread"),
        seed_option(g, &o->seed),
        {0},
    };
    return keep(table, sizeof table);
}

static rill_status riverbed_generate(cli_generated *g, rill_geom **out)
{
    rill_riverbed bed = {0};
    const rill_status status = rill_generate_riverbed(&g->shape.riverbed, out, &bed);
    g->spheres = bed.spheres;
    g->bed = bed.porosity;
    return status;
}

/* ---- tubes ---- */

static const cli_option *tubes_options(cli_generated *g)
{
    rill_tubes_options *o = &g->shape.tubes;
    *o = rill_tubes_options_default();
    const cli_option table[] = {
        size_option(g, o->n),
        NUMBER("count", &o->count, "number of tubes"),
        radius_option(g, &o->radius, "radius of the tubes"),
        axis_option(g, &o->axis, "axis that they run along, periodically"),
        LENGTH("waviness", &o->waviness,
               "how far control points of a centre line stray from its axis, 0: straight"),
        NUMBER("knots", &o->knots, "control points per tube, 4 to 64: more of them bend it more often"),
        seed_option(g, &o->seed),
        {0},
    };
    return keep(table, sizeof table);
}

PLAIN(tubes)

/* ---- arteries ---- */

static const cli_option *arteries_options(cli_generated *g)
{
    rill_arteries_options *o = &g->shape.arteries;
    *o = rill_arteries_options_default();
    g->voxel_size = o->spacing;
    g->sides = "wall";
    const cli_option table[] = {
        {"outlets", 0, CLI_UINT32, &o->outlets, "N", "number of outlets, 2 to 252", .min = 2,
         .max = RILL_OPENINGS - 1},
        radius_option(g, &o->radius, "radius of the inlet"),
        {"length", 0, CLI_REAL, &o->length, "RADII", "length of every artery over its radius, 4 to 50",
         .min = 4, .max = 50},
        {"ratio", 0, CLI_REAL, &o->ratio, "RATIO",
         "least ratio of the radii of two branches; ratios are drawn from it to 1", .min = 0.3, .max = 1},
        seed_option(g, &o->seed),
        {0},
    };
    return keep(table, sizeof table);
}

static rill_status arteries_generate(cli_generated *g, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_arteries arteries = {0};
    g->shape.arteries.spacing = g->voxel_size;
    RILL_TRY(rill_arteries_create(&g->shape.arteries, &arteries));
    RILL_TRY(rill_generate_arteries(&g->shape.arteries, &arteries, out));
done:
    rill_arteries_destroy(&arteries);
    return status;
}

/* ---- level sets and noise ---- */

static const cli_option *grf_options(cli_generated *g)
{
    rill_grf_options *o = &g->shape.grf;
    *o = rill_grf_options_default();
    const cli_option table[] = {
        size_option(g, o->n),
        LENGTH("correlation", &o->correlation, "distance at which the autocorrelation of the field is 1/e"),
        porosity_option(g, &o->porosity, "pore fraction, met to the voxel"),
        seed_option(g, &o->seed),
        {0},
    };
    return keep(table, sizeof table);
}

PLAIN(grf)

static const cli_option *gyroid_options(cli_generated *g)
{
    rill_gyroid_options *o = &g->shape.gyroid;
    *o = rill_gyroid_options_default();
    const cli_option table[] = {
        NUMBER("cells", &o->cells, "voxels along each axis"),
        NUMBER("periods", &o->periods, "periods of the surface along each axis"),
        porosity_option(g, &o->porosity, "pore fraction, met as nearly as the symmetry allows"),
        {0},
    };
    return keep(table, sizeof table);
}

PLAIN(gyroid)

static const cli_option *noise_options(cli_generated *g)
{
    rill_noise_options *o = &g->shape.noise;
    *o = rill_noise_options_default();
    const cli_option table[] = {size_option(g, o->n),
                                porosity_option(g, &o->porosity, "probability that a voxel is pore"),
                                seed_option(g, &o->seed),
                                {0}};
    return keep(table, sizeof table);
}

PLAIN(noise)

/* ---- channels ---- */

static const cli_option *plates_options(cli_generated *g)
{
    rill_plates_options *o = &g->shape.plates;
    *o = rill_plates_options_default();
    const cli_option table[] = {
        NUMBER("gap", &o->gap, "voxels between the plates"),
        axis_option(g, &o->normal, "axis across the gap, normal to the plates"),
        NUMBER("length", &o->length, "voxels along the two other axes"),
        {0},
    };
    return keep(table, sizeof table);
}

PLAIN(plates)

static const cli_option *duct_options(cli_generated *g)
{
    rill_duct_options *o = &g->shape.duct;
    *o = rill_duct_options_default();
    o->height = 0;
    const cli_option table[] = {
        NUMBER("width", &o->width, "voxels along the axis after --axis in the cycle x y z x"),
        {"height", 0, CLI_UINT32, &o->height, "N", "voxels along the axis after that",
         .fallback = "as --width", .min = 1, .max = INT_MAX},
        axis_option(g, &o->axis, "flow axis"),
        NUMBER("length", &o->length, "voxels along the flow axis"),
        {0},
    };
    return keep(table, sizeof table);
}

PLAIN(duct)

static const cli_option *pipe_options(cli_generated *g)
{
    rill_pipe_options *o = &g->shape.pipe;
    *o = rill_pipe_options_default();
    g->offset = "0,0";
    const cli_option table[] = {
        radius_option(g, &o->radius, "radius of the pipe: fluid where r < R"),
        axis_option(g, &o->axis, "flow axis"),
        {"centre-offset", 0, CLI_TEXT, &g->offset, "DX,DY",
         .help =
             "shift of the centre line from a voxel corner, along the two axes after --axis in the cycle x y z x, -1 to 1"},
        NUMBER("length", &o->length, "voxels along the flow axis"),
        {0},
    };
    return keep(table, sizeof table);
}

static rill_status pipe_generate(cli_generated *g, rill_geom **out)
{
    rill_pipe_options *o = &g->shape.pipe;
    const char *middle = rill_decimal_at(g->offset, &o->offset[0]);
    if (!middle || *middle != ',' || !rill_decimal(middle + 1, &o->offset[1]))
        return rill_fail(RILL_USAGE, "--centre-offset \"%s\" is not an offset: give one such as 0.25,-0.5",
                         g->offset);
    return rill_generate_pipe(o, out);
}

static const cli_option *box_options(cli_generated *g)
{
    for (int a = 0; a < 3; a++) g->shape.box[a] = 64;
    const cli_option table[] = {size_option(g, g->shape.box), {0}};
    return keep(table, sizeof table);
}

static rill_status box_generate(cli_generated *g, rill_geom **out)
{
    return rill_generate_box(g->shape.box, out);
}

#define KIND(noun) noun##_options, noun##_generate

static const char channel[] =
    "The channel lies in a layer of solid voxels; half-way bounce-back gives it its exact width. The permeability of\n"
    "the box is that of the channel times the porosity of the box.";

const cli_generate_kind cli_generate_kinds[] = {
    {"spheres", "a cell of a periodic sphere array: sc, bcc or fcc",
     "The first sphere lies on the corner of the cell; a voxel is solid when its centre is within the exact radius.",
     KIND(spheres)},
    {"pack", "a random sphere pack, overlapping or not",
     "The number of spheres follows from the porosity. Without overlap, spheres push each other apart until none\n"
     "do (force-biased packing), periodically.",
     KIND(pack)},
    {"riverbed", "a bed of spheres below a free channel, z vertical",
     "The bed is a random pack without overlap on a solid layer (z = 0). Spheres with their centre below the\n"
     "height are there as a whole, so that the surface of the bed is rough. The solid layer also separates\n"
     "the channel from its periodic image; --sides periodic,periodic,mirror makes the top a plane of symmetry.",
     KIND(riverbed)},
    {"tubes", "curved tubes through a solid box",
     "Centre lines are closed B-splines; tubes may cross and join.", KIND(tubes)},
    {"arteries", "a tree of arteries with an inlet and up to 252 outlets, for rill run",
     "Radii and angles follow Murray's laws. Openings are named inlet, outlet-1, outlet-2, ... (widest first).\n"
     "Walls are where the arteries are. The box fits the arteries: --radius sets the resolution.",
     KIND(arteries)},
    {"grf", "a thresholded Gaussian random field", NULL, KIND(grf)},
    {"gyroid", "a gyroid at a porosity", NULL, KIND(gyroid)},
    {"plates", "two parallel plates", channel, KIND(plates)},
    {"duct", "a square or rectangular duct", channel, KIND(duct)},
    {"pipe", "a circular pipe", channel, KIND(pipe)},
    {"box", "a box of fluid", NULL, KIND(box)},
    {"noise", "voxels that are pore or solid at random", NULL, KIND(noise)},
    {0},
};
