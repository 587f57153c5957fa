/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One table look-up per voxel for types of 8 and 16 bits; comparisons for the others. Values are counted
 * exactly in the tables, otherwise in a hash of at most 1024 values, which is far more than a segmentation
 * has.
 */
#include "geometry/image/pore_map.h"
#include "core/status.h"
#include "core/threads.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double HALF_MAX = 65504; /* of binary16 */

enum { TABLE = 1 << 16, HASHED = 1024, SLOTS = 4 * HASHED };

struct rill_pore_map {
    rill_grey type;
    int ranges;
    double range[RILL_PORE_RANGES][2];
    bool tabled;
    bool codes;        /* values become codes of distances from the threshold */
    bool given, above; /* by a threshold */
    double threshold, width;
    double min, max;
    uint8_t pore[TABLE];   /* by the bits of the value */
    uint64_t count[TABLE]; /* by the bits of the value; by slot when hashed */
    double value[SLOTS];
    uint64_t distinct; /* hashed: values met, HASHED + 1 when more */
};

static void limits(rill_grey type, double *low, double *high)
{
    const double bits = 8. * (double)rill_grey_size(type);
    const bool is_signed =
        type == RILL_GREY_I8 || type == RILL_GREY_I16 || type == RILL_GREY_I32 || type == RILL_GREY_I64;
    if (type == RILL_GREY_BOOL) {
        *low = 0;
        *high = 1;
    } else if (type >= RILL_GREY_F16) {
        *high = type == RILL_GREY_F16 ? HALF_MAX : type == RILL_GREY_F32 ? (double)FLT_MAX : DBL_MAX;
        *low = -*high;
    } else {
        *low = is_signed ? -exp2(bits - 1) : 0;
        *high = exp2(is_signed ? bits - 1 : bits) - 1;
    }
}

static bool in_ranges(const rill_pore_map *map, double value)
{
    bool in = map->given && (map->above ? value > map->threshold : value < map->threshold);
    for (int i = 0; i < map->ranges; i++) in |= value >= map->range[i][0] && value <= map->range[i][1];
    return in;
}

/* The value of a binary16 number: sign, 5 bits of exponent, 10 of fraction, gradual underflow. */
static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                        : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                       : ldexp(fraction, -24);
    return bits >> 15 ? -size : size;
}

/* The value that has these bits, for tabled types. */
static double tabled_value(rill_grey type, uint32_t bits)
{
    switch (type) {
    case RILL_GREY_I8:
        return (int8_t)bits;
    case RILL_GREY_I16:
        return (int16_t)bits;
    default:
        return bits;
    }
}

static rill_status check_ranges(rill_grey type, const rill_voxelize_options *options)
{
    double low, high;
    limits(type, &low, &high);
    if (options->pore_count < 0 || options->pore_count > RILL_PORE_RANGES)
        return rill_fail(RILL_USAGE, "%d ranges of pore values are given: at most %d are possible",
                         options->pore_count, RILL_PORE_RANGES);
    for (int i = 0; i < options->pore_count; i++) {
        const double *r = options->pore[i];
        if (!(r[0] <= r[1]) || r[1] < low || r[0] > high)
            return rill_fail(
                RILL_USAGE,
                "pore values %g to %g cannot occur in an image of %s (%g to %g): give others with --pore",
                r[0], r[1], rill_grey_name(type), low, high);
    }
    return RILL_OK;
}

/* 0.1 means the float that an image has. volatile, because gcc 12.2 omits the last range of an odd number in
 * the loop that it makes of this one with -O3, and all of them with -O2. */
static void round_ranges(rill_pore_map *map)
{
    for (int i = 0; i < map->ranges; i++)
        for (int k = 0; k < 2; k++) {
            const volatile float rounded = (float)map->range[i][k];
            map->range[i][k] = (double)rounded;
        }
}

rill_status rill_pore_map_create(const rill_image *image, const rill_voxelize_options *options,
                                 rill_pore_map **out)
{
    const rill_grey type = image->type;
    const rill_status status = check_ranges(type, options);
    if (status != RILL_OK) return status;
    rill_pore_map *map = calloc(1, sizeof *map);
    if (!map) return rill_fail(RILL_SYSTEM, "out of memory for the table of grey values");
    map->type = type;
    map->ranges = options->pore_count;
    memcpy(map->range, options->pore, sizeof map->range);
    if (type == RILL_GREY_F32) round_ranges(map);
    map->given = options->threshold_given;
    map->above = options->threshold_above;
    map->threshold = options->threshold;
    map->width = options->threshold_width;
    if (!options->pore_count && !map->given && !isnan(image->pore)) {
        map->range[0][0] = map->range[0][1] = image->pore;
        map->ranges = 1;
    }
    map->tabled = rill_grey_size(type) <= 2 && type != RILL_GREY_F16; /* which has NaN, and 0 twice */
    map->min = INFINITY;
    map->max = -INFINITY;
    const uint32_t values = rill_grey_size(type) == 1 ? 256 : TABLE;
    for (uint32_t b = 0; map->tabled && b < values; b++)
        map->pore[b] = in_ranges(map, tabled_value(type, b)) ? RILL_FLUID : RILL_SOLID;
    *out = map;
    return RILL_OK;
}

/* Codes of distances that are not 8 bits: steps of a fourteenth of the distance beyond the width, and finer
 * ones within; the longest is 2000 widths. */
static const double CODE_LEAST = 0.25, CODE_SCALE = 14;
enum { CODE_ZERO = 128, CODE_MOST = 127 };

static double distance_of(const rill_pore_map *map, double value)
{
    return map->above ? map->threshold - value : value - map->threshold;
}

/* A fluid voxel has a code below the middle, a solid one the middle or more. */
static uint8_t code_of(const rill_pore_map *map, double value)
{
    const double distance = distance_of(map, value), unit = CODE_LEAST * map->width;
    const double steps = floor(CODE_SCALE * asinh(fabs(distance) / unit));
    const double size = steps < CODE_MOST ? steps : CODE_MOST;
    return (uint8_t)(distance < 0 ? CODE_ZERO - 1 - size : CODE_ZERO + size);
}

rill_status rill_grey_codes_create(const rill_image *image, const rill_voxelize_options *options,
                                   double distance[256], rill_pore_map **out)
{
    rill_pore_map *map = NULL;
    const rill_status status = rill_pore_map_create(image, options, &map);
    if (status != RILL_OK) return status;
    const bool bytes = rill_grey_size(map->type) == 1;
    map->codes = true;
    for (uint32_t b = 0; map->tabled && b < TABLE; b++)
        map->pore[b] = bytes ? (uint8_t)b : code_of(map, tabled_value(map->type, b));
    for (int b = 0; b < 256; b++) {
        const int steps = b < CODE_ZERO ? CODE_ZERO - 1 - b : b - CODE_ZERO;
        const double size = CODE_LEAST * map->width * sinh((steps + 0.5) / CODE_SCALE);
        distance[b] = bytes           ? distance_of(map, tabled_value(map->type, (uint32_t)b))
                      : b < CODE_ZERO ? -size
                                      : size;
    }
    *out = map;
    return RILL_OK;
}

void rill_pore_map_destroy(rill_pore_map *map) { free(map); }

/* What a loop over bytes works with. */
typedef struct bytes {
    rill_pore_map *map;
    const uint8_t *grey;
    uint8_t *voxels;
} bytes;

/* Four counts side by side: equal neighbours, the rule in a segmentation, would wait for each other. */
static void bytes_apply(const void *shared, uint64_t first, uint64_t end)
{
    const bytes *o = shared;
    uint64_t counts[4][256] = {{0}};
    for (uint64_t i = first; i < end; i++) {
        counts[i % 4][o->grey[i]]++;
        o->voxels[i] = o->map->pore[o->grey[i]];
    }
    for (int b = 0; b < 256; b++) {
        const uint64_t all = counts[0][b] + counts[1][b] + counts[2][b] + counts[3][b];
#pragma omp atomic
        o->map->count[b] += all;
    }
}

/* Not with OpenMP, whose loops end only when each thread has run: beside other programs that is the time of
 * a slice. */
static void apply_bytes(rill_pore_map *map, const uint8_t *grey, uint64_t count, uint8_t *voxels)
{
    rill_threads_for(count, 1 << 16, bytes_apply, &(bytes){map, grey, voxels});
}

static void apply_words(rill_pore_map *map, const uint16_t *grey, uint64_t count, uint8_t *voxels)
{
    for (uint64_t i = 0; i < count; i++) {
        map->count[grey[i]]++;
        voxels[i] = map->pore[grey[i]];
    }
}

static double value_of(rill_grey type, const void *grey, uint64_t i)
{
    switch (type) {
    case RILL_GREY_U32:
        return ((const uint32_t *)grey)[i];
    case RILL_GREY_I32:
        return ((const int32_t *)grey)[i];
    case RILL_GREY_U64:
        return (double)((const uint64_t *)grey)[i];
    case RILL_GREY_I64:
        return (double)((const int64_t *)grey)[i];
    case RILL_GREY_F16:
        return half_value(((const uint16_t *)grey)[i]);
    case RILL_GREY_F32:
        return (double)((const float *)grey)[i];
    default:
        return ((const double *)grey)[i];
    }
}

double rill_grey_real(rill_grey type, const void *grey, uint64_t i)
{
    if (rill_grey_size(type) == 1) return tabled_value(type, ((const uint8_t *)grey)[i]);
    if (rill_grey_size(type) == 2 && type != RILL_GREY_F16)
        return tabled_value(type, ((const uint16_t *)grey)[i]);
    return value_of(type, grey, i);
}

static void count_value(rill_pore_map *map, double value)
{
    if (value < map->min) map->min = value;
    if (value > map->max) map->max = value;
    if (map->distinct > HASHED) return;
    uint64_t bits;
    value += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &value, sizeof bits);
    uint32_t slot = (uint32_t)(bits * 0x9e3779b97f4a7c15u >> 52) % SLOTS;
    while (map->count[slot] && map->value[slot] != value) slot = (slot + 1) % SLOTS;
    if (!map->count[slot] && ++map->distinct > HASHED) return;
    map->value[slot] = value;
    map->count[slot]++;
}

static rill_status apply_wide(rill_pore_map *map, const void *grey, uint64_t count, uint8_t *voxels)
{
    double last = NAN;
    uint8_t pore = RILL_SOLID;
    for (uint64_t i = 0; i < count; i++) {
        const double value = value_of(map->type, grey, i);
        if (isnan(value))
            return rill_fail(
                RILL_USAGE,
                "the image holds values that are not numbers (NaN): segment it, so that every voxel is pore or solid");
        if (value != last)
            pore = map->codes ? code_of(map, value) : in_ranges(map, value) ? RILL_FLUID : RILL_SOLID;
        last = value;
        count_value(map, value);
        voxels[i] = pore;
    }
    return RILL_OK;
}

rill_status rill_pore_map_apply(rill_pore_map *map, const void *grey, uint64_t count, uint8_t *voxels)
{
    if (!map->tabled) return apply_wide(map, grey, count, voxels);
    if (rill_grey_size(map->type) == 1)
        apply_bytes(map, grey, count, voxels);
    else
        apply_words(map, grey, count, voxels);
    return RILL_OK;
}

/* Keep the RILL_GREYS_SHOWN most frequent values seen so far, sorted by value. */
static void show(rill_grey_value *shown, int *used, rill_grey_value v)
{
    int at = *used;
    if (*used == RILL_GREYS_SHOWN) {
        at = 0;
        for (int i = 1; i < *used; i++)
            if (shown[i].fraction < shown[at].fraction) at = i;
        if (shown[at].fraction >= v.fraction) return;
    } else {
        (*used)++;
    }
    shown[at] = v;
}

static int by_value(const void *a, const void *b)
{
    const double x = ((const rill_grey_value *)a)->value, y = ((const rill_grey_value *)b)->value;
    return (x > y) - (x < y);
}

void rill_pore_map_report(const rill_pore_map *map, rill_voxelize_report *report)
{
    const uint32_t entries = map->tabled ? TABLE : SLOTS;
    double total = 0;
    int used = 0;
    for (uint32_t b = 0; b < entries; b++) total += (double)map->count[b];
    report->greys = 0;
    report->grey_min = map->min;
    report->grey_max = map->max;
    memset(report->grey, 0, sizeof report->grey);
    if (!map->tabled && map->distinct > HASHED) return;
    for (uint32_t b = 0; b < entries; b++) {
        if (!map->count[b]) continue;
        const double value = map->tabled ? tabled_value(map->type, b) : map->value[b];
        report->greys++;
        report->grey_min = fmin(report->grey_min, value);
        report->grey_max = fmax(report->grey_max, value);
        show(report->grey, &used,
             (rill_grey_value){value, (double)map->count[b] / total, in_ranges(map, value), false});
    }
    qsort(report->grey, (size_t)used, sizeof *report->grey, by_value);
}
