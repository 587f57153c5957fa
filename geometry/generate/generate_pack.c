/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random sphere packs: how many spheres, how large, and where they start. How those that must not
 * overlap are separated is generate_relax.c's.
 */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/generate/generate_priv.h"
#include "geometry/voxels/planes.h"
#include "geometry/generate/generate_random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { stream_radius, stream_centre };

/* Most spheres: more would not be a pack that a simulation resolves, and their count alone takes seconds. */
static const double most_spheres = 1e8;

/*
 * Least porosity without overlap. Random packings of equal spheres jam near 0.366, those of unequal ones
 * lower, by 0.0658 times the spread of the radii (Desmond & Weeks 2014, doi:10.1103/PhysRevE.90.022204).
 * The closer to it, the more sweeps.
 */
static double least_porosity(double spread) { return 0.38 - 0.0658 * spread; }

rill_pack_options rill_pack_options_default(void)
{
    return (rill_pack_options){.n = {128, 128, 128}, .radius = 8, .porosity = 0.39, .seed = 1};
}

static rill_status check(const rill_pack_options *o)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_generate_check_porosity(o->porosity));
    if (!(o->spread >= 0 && o->spread <= 0.5))
        return rill_fail(RILL_USAGE, "a spread of radii of %g is not within 0 ... 0.5: change it", o->spread);
    if (!(o->radius >= 0.5))
        return rill_fail(RILL_USAGE, "a radius of %g voxels is below 0.5: raise --radius", o->radius);
    uint32_t shortest = o->n[0] < o->n[1] ? o->n[0] : o->n[1];
    shortest = o->n[2] < shortest ? o->n[2] : shortest;
    const double widest = 2 * o->radius * (1 + sqrt(3) * o->spread);
    if (widest > shortest)
        return rill_fail(
            RILL_USAGE,
            "spheres up to %g voxels wide overlap their own images in a box of %u x %u x %u: lower --radius or raise --size",
            widest, o->n[0], o->n[1], o->n[2]);
    if (!o->overlap && o->porosity < least_porosity(o->spread))
        return rill_fail(
            RILL_USAGE,
            "a porosity of %g is below %.4g, about the least of a random pack of spheres with a spread of %g that do not overlap: raise --porosity or --spread",
            o->porosity, least_porosity(o->spread), o->spread);
    const double box = (double)o->n[0] * o->n[1] * o->n[2], r = o->radius;
    const double estimate =
        (o->overlap ? -log(o->porosity) : 1 - o->porosity) * box / (4 * M_PI / 3 * r * r * r);
    if (estimate > most_spheres)
        return rill_fail(RILL_USAGE,
                         "about %.2g spheres of radius %g are more than %g: raise --radius or lower --size",
                         estimate, r, most_spheres);
done:
    return status;
}

static double radius_of(const rill_pack_options *o, uint64_t stream, uint64_t i)
{
    if (o->spread == 0) return o->radius;
    return o->radius * (1 + sqrt(3) * o->spread * (2 * rill_random_unit(stream, i) - 1));
}

/** Return the number of spheres whose porosity is nearest to the required one. */
static uint64_t count_spheres(const rill_pack_options *o, uint64_t stream)
{
    const double box = (double)o->n[0] * o->n[1] * o->n[2];
    double porosity = 1;
    for (uint64_t i = 0;; i++) {
        const double r = radius_of(o, stream, i), fraction = 4 * M_PI / 3 * r * r * r / box;
        const double next = o->overlap ? porosity * (1 - fraction) : porosity - fraction;
        if (next < o->porosity) return o->porosity - next < porosity - o->porosity ? i + 1 : i;
        porosity = next;
    }
}

static rill_status place_spheres(const rill_pack_options *options, rill_pack *out)
{
    rill_status status = RILL_OK;
    rill_pack pack = {0};
    RILL_TRY(check(options));
    const uint64_t radii = rill_random_stream(options->seed, stream_radius);
    const uint64_t centres = rill_random_stream(options->seed, stream_centre);
    pack.count = count_spheres(options, radii);
    if (pack.count == 0)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "one sphere of radius %g takes more volume than a porosity of %g leaves to solids: lower --radius or raise --size",
            options->radius, options->porosity));
    RILL_TRY(rill_array_create(pack.count, sizeof *pack.spheres, "spheres", (void **)&pack.spheres));
    for (uint64_t i = 0; i < pack.count; i++) {
        pack.spheres[i].radius = radius_of(options, radii, i);
        for (int a = 0; a < 3; a++)
            pack.spheres[i].centre[a] = options->n[a] * rill_random_unit(centres, 3 * i + (uint64_t)a);
    }
    if (!options->overlap) RILL_TRY(rill_generate_relax(options->n, pack.spheres, pack.count));
    *out = pack;
    pack = (rill_pack){0};
done:
    rill_pack_destroy(&pack);
    return status;
}

rill_status rill_pack_create(const rill_pack_options *options, rill_pack *out)
{
    rill_status status = RILL_OK;
    const double box = (double)options->n[0] * options->n[1] * options->n[2];
    RILL_TRY(check(options));
    RILL_TRY(rill_memory_require((uint64_t)box, "the voxels of the pack"));
    RILL_TRY(place_spheres(options, out));
done:
    return status;
}

void rill_pack_destroy(rill_pack *pack) { rill_array_destroy(pack->spheres); }

rill_status rill_generate_pack(const rill_pack_options *options, const rill_pack *pack,
                               const rill_keeper *keeper, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    RILL_TRY(rill_geom_create_kept(options->n, keeper, &geom));
    RILL_TRY(rill_generate_fill(geom, RILL_FLUID));
    RILL_TRY(rill_generate_paint(geom, geom->n[2], pack->spheres, pack->count, RILL_SOLID));
    RILL_TRY(rill_generate_finish(geom, "pack"));
    *out = geom;
    geom = NULL;
done:
    rill_geom_destroy(geom);
    return status;
}

/* A pack that is drawn when its voxels are read. */
typedef struct picture {
    rill_pack pack;
    rill_painter painter;
} picture;

static void picture_draw(const void *context, uint32_t z, uint8_t *voxels)
{
    const picture *p = context;
    memset(voxels, RILL_FLUID, (size_t)p->painter.n[0] * p->painter.n[1]);
    rill_painter_slice(&p->painter, z, RILL_SOLID, voxels);
}

static void picture_destroy(void *context)
{
    picture *p = context;
    rill_painter_destroy(&p->painter);
    rill_pack_destroy(&p->pack);
    free(p);
}

rill_status rill_generate_pack_drawn(const rill_pack_options *options, uint32_t window, rill_drawn **out)
{
    rill_status status = RILL_OK;
    rill_drawn *drawn = NULL;
    picture *p = calloc(1, sizeof *p);
    if (!p) return rill_fail(RILL_SYSTEM, "out of memory for a pack");
    RILL_TRY(place_spheres(options, &p->pack));
    RILL_TRY(rill_painter_create(options->n, options->n[2], p->pack.spheres, p->pack.count, &p->painter));
    const rill_drawing drawing = {p, picture_draw, picture_destroy};
    p = NULL; /* the geometry's */
    RILL_TRY(rill_drawn_create(options->n, &drawing, window, &drawn));
    RILL_TRY(rill_generate_finish(rill_drawn_geom(drawn), "pack"));
    *out = drawn;
    drawn = NULL;
done:
    rill_drawn_destroy(drawn);
    if (p) picture_destroy(p);
    return status;
}
