/* SPDX-License-Identifier: Apache-2.0 */
/* Curved tubes: spheres along the centre lines, so close together that they make a smooth tube. */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/generate/generate_priv.h"
#include "geometry/generate/generate_random.h"

#include <math.h>

enum { stream_place, stream_bend, most_knots = 64 };

/* Distance of the spheres along a tube in voxels. Between two of them the surface dents by
   spacing^2 / (8 R), a few thousandths of a voxel for any radius that resolves a flow. */
static const double spacing = 0.25;

rill_tubes_options rill_tubes_options_default(void)
{
    return (rill_tubes_options){
        .n = {512, 512, 512}, .count = 24, .radius = 14, .axis = 2, .waviness = 64, .knots = 4, .seed = 1};
}

static rill_status check(const rill_tubes_options *o)
{
    if (o->axis < 0 || o->axis > 2)
        return rill_fail(RILL_USAGE, "%d is not an axis: use 0, 1 or 2 for x, y, z", o->axis);
    if (o->count < 1 || o->count > 100000)
        return rill_fail(RILL_USAGE, "%u tubes are not within 1 ... 100000: change --count", o->count);
    if (o->knots < 4 || o->knots > most_knots)
        return rill_fail(RILL_USAGE, "%u knots a tube are not within 4 ... %d: change --knots", o->knots,
                         most_knots);
    const uint32_t first = o->n[(o->axis + 1) % 3], second = o->n[(o->axis + 2) % 3];
    const uint32_t narrow = first < second ? first : second;
    if (!(o->radius >= 0.5 && 2 * o->radius <= narrow))
        return rill_fail(
            RILL_USAGE,
            "a tube radius of %g voxels is not within 0.5 ... %g, half the width of the box: change --radius or --size",
            o->radius, 0.5 * narrow);
    if (!(o->waviness >= 0 && o->waviness <= narrow))
        return rill_fail(
            RILL_USAGE,
            "a waviness of %g voxels is not within 0 ... %u, the width of the box: lower --waviness",
            o->waviness, narrow);
    return RILL_OK;
}

/** Return the point of a closed uniform cubic B-spline at u = 0 ... knots. @param[in] p  [knots] */
static double spline(const double *p, uint32_t knots, double u)
{
    const uint32_t i = (uint32_t)u % knots;
    const double t = u - floor(u), s = 1 - t;
    const double b0 = s * s * s, b1 = 3 * t * t * t - 6 * t * t + 4, b2 = 3 * s * s * s - 6 * s * s + 4,
                 b3 = t * t * t;
    return (b0 * p[i] + b1 * p[(i + 1) % knots] + b2 * p[(i + 2) % knots] + b3 * p[(i + 3) % knots]) / 6;
}

/** Lay spheres along one tube. @param[out] spheres  [count] */
static void lay(const rill_tubes_options *o, uint32_t tube, rill_sphere *spheres, uint64_t count)
{
    const uint64_t place = rill_random_stream(o->seed, stream_place),
                   bend = rill_random_stream(o->seed, stream_bend);
    const int lateral[2] = {(o->axis + 1) % 3, (o->axis + 2) % 3};
    double p[2][most_knots];
    for (int a = 0; a < 2; a++)
        for (uint32_t k = 0; k < o->knots; k++) {
            const uint64_t draw = ((uint64_t)tube * most_knots + k) * 2 + (uint64_t)a;
            p[a][k] = o->n[lateral[a]] * rill_random_unit(place, 2 * (uint64_t)tube + (uint64_t)a) +
                      o->waviness * (2 * rill_random_unit(bend, draw) - 1);
        }
    for (uint64_t i = 0; i < count; i++) {
        const double along = (double)i / (double)count;
        spheres[i].radius = o->radius;
        spheres[i].centre[o->axis] = along * o->n[o->axis];
        for (int a = 0; a < 2; a++) spheres[i].centre[lateral[a]] = spline(p[a], o->knots, along * o->knots);
    }
}

rill_status rill_generate_tubes(const rill_tubes_options *options, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    rill_sphere *spheres = NULL;
    RILL_TRY(rill_geom_create(options->n, &geom));
    RILL_TRY(check(options));
    /* the slope of a centre line is at most the way between two knots, 2 waviness per lateral axis, over
       the length of a span */
    const double length = options->n[options->axis], slope = 2 * options->waviness * options->knots / length;
    const uint64_t count = (uint64_t)ceil(length * sqrt(1 + 2 * slope * slope) / spacing);
    RILL_TRY(rill_array_create(count * options->count, sizeof *spheres, "the spheres along tubes",
                               (void **)&spheres));
#pragma omp parallel for schedule(static)
    for (uint32_t tube = 0; tube < options->count; tube++) lay(options, tube, spheres + tube * count, count);
    RILL_TRY(rill_generate_paint(geom, geom->n[2], spheres, count * options->count, RILL_FLUID));
    RILL_TRY(rill_generate_finish(geom, "tubes"));
    *out = geom;
    geom = NULL;
done:
    rill_array_destroy(spheres);
    rill_geom_destroy(geom);
    return status;
}
