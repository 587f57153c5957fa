/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of `rill generate`: options and defaults only, the shapes are geometry/generate_*.c's. */
#include "cli/generate_kinds.h"

#include "geometry/generate/generate.h"

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
        name_, 0, CLI_COUNT, target_, "N", help_, .min = 1, .max = INT_MAX                                   \
    }
#define LENGTH(name_, target_, help_)                                                                        \
    {                                                                                                        \
        name_, 0, CLI_REAL, target_, "VOXELS", help_, .min = 0, .max = INT_MAX                               \
    }
#define SIZE(g)                                                                                              \
    {                                                                                                        \
        "size", 0, CLI_TEXT, &(g)->size, "N|NX,NY,NZ", .help = "voxels along all axes, or along x, y and z"  \
    }
#define AXIS(g, help_)                                                                                       \
    {                                                                                                        \
        "axis", 0, CLI_TEXT, &(g)->along, "x|y|z", help_                                                     \
    }
#define SEED(g)                                                                                              \
    {                                                                                                        \
        "seed", 0, CLI_COUNT, &(g)->seed, "N", .help = "number of the random geometry"                       \
    }
#define POROSITY(g, help_)                                                                                   \
    {                                                                                                        \
        "porosity", 0, CLI_REAL, &(g)->porosity, "FRACTION", help_, .min = 0, .max = 1                       \
    }
#define SPREAD(g)                                                                                            \
    {                                                                                                        \
        "spread", 0, CLI_REAL, &(g)->spread, "FRACTION",                                                     \
            "standard deviation of the radii over their mean, up to 0.5", .min = 0, .max = 0.5               \
    }

static void set_size(cli_generated *g, const uint32_t n[3])
{
    if (n[0] == n[1] && n[1] == n[2])
        snprintf(g->size_default, sizeof g->size_default, "%u", n[0]);
    else
        snprintf(g->size_default, sizeof g->size_default, "%u,%u,%u", n[0], n[1], n[2]);
    g->size = g->size_default;
}

/* Read "64", "64,32,16" or "64x32x16". */
static rill_status read_size(const char *text, uint32_t n[3])
{
    const char *at = text;
    int count = 0;
    while (count < 3) {
        char *end;
        if (*at < '0' || *at > '9') break;
        const unsigned long value = strtoul(at, &end, 10);
        if (value < 1 || value > INT_MAX)
            return rill_fail(RILL_USAGE,
                             "--size %s has an axis that is not within 1 ... %d voxels: change it", text,
                             INT_MAX);
        n[count++] = (uint32_t)value;
        at = end;
        if (*at == '\0') break;
        if (*at != ',' && *at != 'x') break;
        at++;
    }
    if (*at != '\0' || (count != 1 && count != 3) || text[strlen(text) - 1] < '0' ||
        text[strlen(text) - 1] > '9')
        return rill_fail(RILL_USAGE, "--size \"%s\" is no size: give one such as 64 or 64,32,16", text);
    if (count == 1) n[1] = n[2] = n[0];
    return RILL_OK;
}

/* ---- spheres ---- */

static void spheres_defaults(cli_generated *g)
{
    const rill_spheres_options o = rill_spheres_options_default();
    g->array = o.array;
    g->cells = o.cells;
    g->solid_fraction = o.solid_fraction;
}

static const cli_option *spheres_options(cli_generated *g)
{
    const cli_option table[] = {
        {"lattice", 0, CLI_CHOICE, &g->array, .help = "where the spheres lie", .choices = arrays},
        {"solid-fraction", 0, CLI_REAL, &g->solid_fraction, "FRACTION",
         "volume of the spheres over that of the cell", .given = &g->solid_fraction_given},
        {"touching", 0, CLI_FLAG, &g->touching, .help = "the solid fraction at which the spheres touch"},
        {"radius", 0, CLI_REAL, &g->radius, "VOXELS",
         "radius in place of the solid fraction; spheres may overlap", .fallback = "",
         .given = &g->radius_given},
        NUMBER("cells", &g->cells, "voxels along an edge of the cubic cell"),
        {"walls", 0, CLI_CHOICE, &g->exact, .help = "half-way between voxels, or where the spheres are",
         .choices = walls},
        {0},
    };
    return keep(table, sizeof table);
}

static rill_status spheres_generate(cli_generated *g, rill_geom **out)
{
    rill_status status = RILL_OK;
    if (g->solid_fraction_given + g->radius_given + g->touching > 1)
        return rill_fail(RILL_USAGE,
                         "--solid-fraction, --touching and --radius exclude each other: give one");
    rill_spheres_options o = {.array = (rill_array)g->array, .cells = (uint32_t)g->cells, .exact = g->exact};
    if (g->radius_given) {
        if (g->radius == 0) return rill_fail(RILL_USAGE, "--radius 0 is not above 0: raise it");
        o.radius = g->radius;
    } else {
        o.solid_fraction = g->touching ? rill_spheres_touching(o.array) : g->solid_fraction;
        if (o.solid_fraction == 0)
            return rill_fail(RILL_USAGE, "--solid-fraction 0 is not above 0: raise it, or use the kind box");
    }
    RILL_TRY(rill_generate_spheres(&o, out));
    g->has_radius = g->has_porosity = true;
    g->radius = rill_spheres_radius(&o);
    g->spheres = (uint64_t[]){1, 2, 4}[o.array];
    const double edge = (double)g->cells, volume = 4 * M_PI / 3 * g->radius * g->radius * g->radius;
    g->porosity = 1 - (double)g->spheres * volume / (edge * edge * edge);
    /* spheres that overlap have no simple volume */
    if (g->radius_given && 1 - g->porosity > rill_spheres_touching(o.array)) g->has_porosity = false;
done:
    return status;
}

/* ---- packs ---- */

static void pack_defaults(cli_generated *g)
{
    const rill_pack_options o = rill_pack_options_default();
    set_size(g, o.n);
    g->radius = o.radius;
    g->spread = o.spread;
    g->porosity = o.porosity;
    g->seed = o.seed;
}

static const cli_option *pack_options(cli_generated *g)
{
    const cli_option table[] = {
        SIZE(g),
        LENGTH("radius", &g->radius, "mean radius of the spheres"),
        SPREAD(g),
        POROSITY(g, "pore fraction; without overlap at least 0.38 - 0.0658 times the spread"),
        {"overlap", 0, CLI_FLAG, &g->overlap, .help = "spheres lie anywhere and overlap (Boolean model)"},
        SEED(g),
        {0},
    };
    return keep(table, sizeof table);
}

static rill_status pack_generate(cli_generated *g, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_pack pack = {0};
    rill_pack_options o = {.radius = g->radius,
                           .spread = g->spread,
                           .porosity = g->porosity,
                           .overlap = g->overlap,
                           .seed = g->seed};
    RILL_TRY(read_size(g->size, o.n));
    RILL_TRY(rill_pack_create(&o, &pack));
    RILL_TRY(rill_generate_pack(&o, &pack, &(rill_keeper){.count = 1}, out)); /* as bits */
    g->has_radius = g->has_porosity = g->has_seed = true;
    g->spheres = pack.count;
done:
    rill_pack_destroy(&pack);
    return status;
}

/* ---- river beds ---- */

static void riverbed_defaults(cli_generated *g)
{
    const rill_riverbed_options o = rill_riverbed_options_default();
    set_size(g, o.n);
    g->radius = o.radius;
    g->spread = o.spread;
    g->porosity = o.porosity;
    g->seed = o.seed;
}

static const cli_option *riverbed_options(cli_generated *g)
{
    const cli_option table[] = {
        SIZE(g),
        {"height", 0, CLI_COUNT, &g->height, "N", "mean height of the bed over the solid layer",
         .fallback = "half of the voxels along z", .min = 1, .max = INT_MAX},
        LENGTH("radius", &g->radius, "mean radius of the spheres"),
        SPREAD(g),
        POROSITY(g, "pore fraction of the bed; at least 0.38 - 0.0658 times the spread"),
        SEED(g),
        {0},
    };
    return keep(table, sizeof table);
}

static rill_status riverbed_generate(cli_generated *g, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_riverbed bed;
    rill_riverbed_options o = {.height = (uint32_t)g->height,
                               .radius = g->radius,
                               .spread = g->spread,
                               .porosity = g->porosity,
                               .seed = g->seed};
    RILL_TRY(read_size(g->size, o.n));
    RILL_TRY(rill_generate_riverbed(&o, out, &bed));
    g->has_radius = g->has_porosity = g->has_seed = true;
    g->spheres = bed.spheres;
    g->bed = bed.porosity;
done:
    return status;
}

/* ---- tubes ---- */

static void tubes_defaults(cli_generated *g)
{
    const rill_tubes_options o = rill_tubes_options_default();
    set_size(g, o.n);
    g->count = o.count;
    g->radius = o.radius;
    g->along = axis_names[o.axis];
    g->waviness = o.waviness;
    g->knots = o.knots;
    g->seed = o.seed;
}

static const cli_option *tubes_options(cli_generated *g)
{
    const cli_option table[] = {
        SIZE(g),
        NUMBER("count", &g->count, "number of tubes"),
        LENGTH("radius", &g->radius, "radius of the tubes"),
        AXIS(g, "axis that they run along, periodically"),
        LENGTH("waviness", &g->waviness,
               "how far control points of a centre line stray from its axis, 0: straight"),
        NUMBER("knots", &g->knots, "control points per tube, 4 to 64: more of them bend it more often"),
        SEED(g),
        {0},
    };
    return keep(table, sizeof table);
}

static rill_status tubes_generate(cli_generated *g, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_tubes_options o = {.count = (uint32_t)g->count,
                            .radius = g->radius,
                            .axis = g->axis,
                            .waviness = g->waviness,
                            .knots = (uint32_t)g->knots,
                            .seed = g->seed};
    RILL_TRY(read_size(g->size, o.n));
    RILL_TRY(rill_generate_tubes(&o, out));
    g->has_radius = g->has_seed = true;
done:
    return status;
}

/* ---- arteries ---- */

static void arteries_defaults(cli_generated *g)
{
    const rill_arteries_options o = rill_arteries_options_default();
    g->outlets = o.outlets;
    g->radius = o.radius;
    g->lengths = o.length;
    g->ratio = o.ratio;
    g->voxel_size = o.spacing;
    g->seed = o.seed;
    g->sides = "wall";
}

static const cli_option *arteries_options(cli_generated *g)
{
    const cli_option table[] = {
        {"outlets", 0, CLI_COUNT, &g->outlets, "N", "number of outlets, 2 to 252", .min = 2,
         .max = RILL_OPENINGS - 1},
        LENGTH("radius", &g->radius, "radius of the inlet"),
        {"length", 0, CLI_REAL, &g->lengths, "RADII", "length of every artery over its radius, 4 to 50",
         .min = 4, .max = 50},
        {"ratio", 0, CLI_REAL, &g->ratio, "RATIO",
         "least ratio of the radii of two branches; ratios are drawn from it to 1", .min = 0.3, .max = 1},
        SEED(g),
        {0},
    };
    return keep(table, sizeof table);
}

static rill_status arteries_generate(cli_generated *g, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_arteries arteries = {0};
    const rill_arteries_options o = {.outlets = (uint32_t)g->outlets,
                                     .radius = g->radius,
                                     .length = g->lengths,
                                     .ratio = g->ratio,
                                     .spacing = g->voxel_size,
                                     .seed = g->seed};
    RILL_TRY(rill_arteries_create(&o, &arteries));
    RILL_TRY(rill_generate_arteries(&o, &arteries, out));
    g->has_radius = g->has_seed = true;
done:
    rill_arteries_destroy(&arteries);
    return status;
}

/* ---- level sets and noise ---- */

static void grf_defaults(cli_generated *g)
{
    const rill_grf_options o = rill_grf_options_default();
    set_size(g, o.n);
    g->correlation = o.correlation;
    g->porosity = o.porosity;
    g->seed = o.seed;
}

static const cli_option *grf_options(cli_generated *g)
{
    const cli_option table[] = {
        SIZE(g),
        LENGTH("correlation", &g->correlation, "distance at which the autocorrelation of the field is 1/e"),
        POROSITY(g, "pore fraction, met to the voxel"),
        SEED(g),
        {0},
    };
    return keep(table, sizeof table);
}

static rill_status grf_generate(cli_generated *g, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_grf_options o = {.correlation = g->correlation, .porosity = g->porosity, .seed = g->seed};
    RILL_TRY(read_size(g->size, o.n));
    RILL_TRY(rill_generate_grf(&o, out));
    g->has_porosity = g->has_seed = true;
done:
    return status;
}

static void gyroid_defaults(cli_generated *g)
{
    const rill_gyroid_options o = rill_gyroid_options_default();
    g->cells = o.cells;
    g->periods = o.periods;
    g->porosity = o.porosity;
}

static const cli_option *gyroid_options(cli_generated *g)
{
    const cli_option table[] = {
        NUMBER("cells", &g->cells, "voxels along each axis"),
        NUMBER("periods", &g->periods, "periods of the surface along each axis"),
        POROSITY(g, "pore fraction, met as nearly as the symmetry allows"),
        {0},
    };
    return keep(table, sizeof table);
}

static rill_status gyroid_generate(cli_generated *g, rill_geom **out)
{
    const rill_gyroid_options o = {
        .cells = (uint32_t)g->cells, .periods = (uint32_t)g->periods, .porosity = g->porosity};
    g->has_porosity = true;
    return rill_generate_gyroid(&o, out);
}

static void noise_defaults(cli_generated *g)
{
    const rill_noise_options o = rill_noise_options_default();
    set_size(g, o.n);
    g->porosity = o.porosity;
    g->seed = o.seed;
}

static const cli_option *noise_options(cli_generated *g)
{
    const cli_option table[] = {SIZE(g), POROSITY(g, "probability that a voxel is pore"), SEED(g), {0}};
    return keep(table, sizeof table);
}

static rill_status noise_generate(cli_generated *g, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_noise_options o = {.porosity = g->porosity, .seed = g->seed};
    RILL_TRY(read_size(g->size, o.n));
    RILL_TRY(rill_generate_noise(&o, out));
    g->has_porosity = g->has_seed = true;
done:
    return status;
}

/* ---- channels ---- */

static void plates_defaults(cli_generated *g)
{
    const rill_plates_options o = rill_plates_options_default();
    g->gap = o.gap;
    g->along = axis_names[o.normal];
    g->length = o.length;
}

static const cli_option *plates_options(cli_generated *g)
{
    const cli_option table[] = {
        NUMBER("gap", &g->gap, "voxels between the plates"),
        AXIS(g, "axis across the gap, normal to the plates"),
        NUMBER("length", &g->length, "voxels along the two other axes"),
        {0},
    };
    return keep(table, sizeof table);
}

static rill_status plates_generate(cli_generated *g, rill_geom **out)
{
    const rill_plates_options o = {.gap = (uint32_t)g->gap, .normal = g->axis, .length = (uint32_t)g->length};
    return rill_generate_plates(&o, out);
}

static void duct_defaults(cli_generated *g)
{
    const rill_duct_options o = rill_duct_options_default();
    g->width = o.width;
    g->along = axis_names[o.axis];
    g->length = o.length;
}

static const cli_option *duct_options(cli_generated *g)
{
    const cli_option table[] = {
        NUMBER("width", &g->width, "voxels along the axis after --axis in the cycle x y z x"),
        {"height", 0, CLI_COUNT, &g->height, "N", "voxels along the axis after that",
         .fallback = "as --width", .min = 1, .max = INT_MAX},
        AXIS(g, "flow axis"),
        NUMBER("length", &g->length, "voxels along the flow axis"),
        {0},
    };
    return keep(table, sizeof table);
}

static rill_status duct_generate(cli_generated *g, rill_geom **out)
{
    const rill_duct_options o = {.width = (uint32_t)g->width,
                                 .height = (uint32_t)g->height,
                                 .axis = g->axis,
                                 .length = (uint32_t)g->length};
    return rill_generate_duct(&o, out);
}

static void pipe_defaults(cli_generated *g)
{
    const rill_pipe_options o = rill_pipe_options_default();
    g->radius = o.radius;
    g->along = axis_names[o.axis];
    g->length = o.length;
    g->offset = "0,0";
}

static const cli_option *pipe_options(cli_generated *g)
{
    const cli_option table[] = {
        LENGTH("radius", &g->radius, "radius of the pipe: fluid where r < R"),
        AXIS(g, "flow axis"),
        {"centre-offset", 0, CLI_TEXT, &g->offset, "DX,DY",
         .help = "shift of the centre line from a voxel corner, along the two axes after --axis in the cycle "
                 "x y z "
                 "x, "
                 "-1 to 1"},
        NUMBER("length", &g->length, "voxels along the flow axis"),
        {0},
    };
    return keep(table, sizeof table);
}

static rill_status pipe_generate(cli_generated *g, rill_geom **out)
{
    rill_pipe_options o = {.radius = g->radius, .axis = g->axis, .length = (uint32_t)g->length};
    char *middle, *end = NULL;
    o.offset[0] = strtod(g->offset, &middle);
    if (middle != g->offset && *middle == ',') o.offset[1] = strtod(middle + 1, &end);
    if (!end || end == middle + 1 || *end != '\0')
        return rill_fail(RILL_USAGE, "--centre-offset \"%s\" is no offset: give one such as 0.25,-0.5",
                         g->offset);
    g->has_radius = true;
    return rill_generate_pipe(&o, out);
}

static void box_defaults(cli_generated *g) { set_size(g, (const uint32_t[3]){64, 64, 64}); }

static const cli_option *box_options(cli_generated *g)
{
    const cli_option table[] = {SIZE(g), {0}};
    return keep(table, sizeof table);
}

static rill_status box_generate(cli_generated *g, rill_geom **out)
{
    uint32_t n[3];
    const rill_status status = read_size(g->size, n);
    return status != RILL_OK ? status : rill_generate_box(n, out);
}

#define KIND(noun) noun##_defaults, noun##_options, noun##_generate

static const char channel[] = "The channel lies in a layer of solid voxels; half-way walls give it its exact "
                              "width. The permeability of\n"
                              "the box is that of the channel times the porosity of the box.";

const cli_generate_kind cli_generate_kinds[] = {
    {"spheres", "a cell of a periodic sphere array: sc, bcc or fcc",
     "The first sphere lies on the corner of the cell; a voxel is solid when its centre is within the exact "
     "radius.",
     KIND(spheres)},
    {"pack", "a random sphere pack, overlapping or not",
     "The number of spheres follows from the porosity. Without overlap, spheres push each other apart until "
     "none\n"
     "do (force-biased packing), periodically.",
     KIND(pack)},
    {"riverbed", "a bed of spheres below a free channel, z vertical",
     "The bed is a random pack without overlap on a solid layer (z = 0). Spheres with their centre below "
     "the\n"
     "height are there as a whole, so that the surface of the bed is rough. The solid layer also separates\n"
     "the channel from its periodic image; --sides periodic,periodic,mirror makes the top a plane of "
     "symmetry.",
     KIND(riverbed)},
    {"tubes", "curved tubes through a solid box",
     "Centre lines are closed B-splines; tubes may cross and join.", KIND(tubes)},
    {"arteries", "a tree of arteries with an inlet and up to 252 outlets, for rill run",
     "Radii and angles follow Murray's laws. Openings are named inlet, outlet-1, outlet-2, ... (widest "
     "first).\n"
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
