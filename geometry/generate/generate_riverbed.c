/* SPDX-License-Identifier: Apache-2.0 */
/*
 * River beds: a pack that repeats along x and y, cut by the floor, with whole spheres at its surface. The
 * pack itself is generate_pack.c's; no sphere rolls to a stable place, as in a deposit under gravity.
 */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/generate/generate_priv.h"

#include <math.h>
#include <string.h>

rill_riverbed_options rill_riverbed_options_default(void)
{
    return (rill_riverbed_options){
        .n = {128, 128, 128}, .radius = 8, .spread = 0.35, .porosity = 0.37, .seed = 1};
}

static double largest_radius(const rill_pack *pack)
{
    double radius = 0;
    for (uint64_t s = 0; s < pack->count; s++) radius = fmax(radius, pack->spheres[s].radius);
    return radius;
}

/* Refuse a height that leaves no free channel; the pack refuses what no pack can be made of. */
static rill_status check(const rill_riverbed_options *o, uint32_t height)
{
    const double widest = o->radius * (1 + sqrt(3) * o->spread), most = o->n[2] - 1 - widest;
    if (height >= 1 && height <= most) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "a bed of height %u with spheres of radius up to %g needs more than the %u voxels along z: lower --height or --radius, or raise --size",
        height, widest, o->n[2]);
}

/**
 * Lift a pack of a bed onto the solid layer, and add images of spheres that reach through the floor.
 * @param[out] out  [returned], freed by rill_pack_destroy(); centres below the floor are those of images
 */
static rill_status lift(const rill_pack *pack, uint32_t height, rill_pack *out)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_array_create(2 * pack->count, sizeof *out->spheres, "spheres", (void **)&out->spheres));
    for (uint64_t s = 0; s < pack->count; s++) {
        rill_sphere sphere = pack->spheres[s];
        sphere.centre[2] += 1;
        out->spheres[out->count++] = sphere;
        sphere.centre[2] -= height;
        if (sphere.centre[2] + sphere.radius > 1) out->spheres[out->count++] = sphere;
    }
done:
    return status;
}

/* Count the pores of slices. */
static double porosity_of(const rill_geom *geom, uint64_t first, uint64_t end)
{
    const uint64_t slice = (uint64_t)geom->n[0] * geom->n[1];
    uint64_t pores = 0;
    for (uint64_t v = first * slice; v < end * slice; v++) pores += geom->voxels[v] >= RILL_FLUID;
    return (double)pores / (double)((end - first) * slice);
}

static void measure(const rill_geom *geom, const rill_pack *pack, uint32_t height, rill_riverbed *bed)
{
    const double inside = height - largest_radius(pack);
    const uint64_t end = inside > 1 ? (uint64_t)inside : 1;
    *bed = (rill_riverbed){pack->count, height, porosity_of(geom, 1, 1 + end)};
}

rill_status rill_generate_riverbed(const rill_riverbed_options *options, rill_geom **out, rill_riverbed *bed)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    rill_pack pack = {0}, lifted = {0};
    const uint32_t *n = options->n, height = options->height ? options->height : n[2] / 2;
    const rill_pack_options periodic = {.n = {n[0], n[1], height},
                                        .radius = options->radius,
                                        .spread = options->spread,
                                        .porosity = options->porosity,
                                        .seed = options->seed};
    RILL_TRY(rill_geom_create(n, &geom));
    RILL_TRY(check(options, height));
    RILL_TRY(rill_pack_create(&periodic, &pack));
    RILL_TRY(lift(&pack, height, &lifted));
    RILL_TRY(rill_generate_fill(geom, RILL_FLUID));
    const uint64_t beyond = 2 * (uint64_t)ceil(2 * largest_radius(&pack)) + 4; /* what is below the floor */
    RILL_TRY(rill_generate_paint(geom, n[2] + beyond, lifted.spheres, lifted.count, RILL_SOLID));
    memset(geom->voxels, RILL_SOLID, (size_t)n[0] * n[1]);
    RILL_TRY(rill_generate_finish(geom, "riverbed"));
    if (bed) measure(geom, &pack, height, bed);
    *out = geom;
    geom = NULL;
done:
    rill_pack_destroy(&lifted);
    rill_pack_destroy(&pack);
    rill_geom_destroy(geom);
    return status;
}
