/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A periodic Gaussian random field: white noise, filtered by extended boxes along every axis in O(1) per
 * voxel and pass. Sums of many independent draws are Gaussian, so the noise need not be: four 16-bit
 * uniform numbers make a voxel's draw.
 */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/generate/generate_priv.h"
#include "geometry/generate/generate_random.h"

#include <omp.h>
#include <string.h>

enum { passes = 4 };

rill_grf_options rill_grf_options_default(void)
{
    return (rill_grf_options){.n = {128, 128, 128}, .correlation = 8, .porosity = 0.3, .seed = 1};
}

/** A box of 2 r + 1 voxels with weight 1 and one voxel on each side with weight edge, 0 ... 1. */
typedef struct box {
    int64_t r;
    double edge, scale;
} box;

/** Return the extended box of a variance (voxels squared). */
static box box_of_variance(double variance)
{
    box b = {0};
    while ((double)((b.r + 1) * (b.r + 2)) / 3 <= variance) b.r++; /* a box of r has variance r (r + 1) / 3 */
    const double r = (double)b.r, width = 2 * r + 1;
    b.edge = width * (r * (r + 1) - 3 * variance) / (6 * (variance - (r + 1) * (r + 1)));
    b.scale = 1 / (width + 2 * b.edge);
    return b;
}

/** Filter a periodic line of rows: line[i] is a row of `width` numbers, and rows are filtered alike. */
static void filter(const box *b, int64_t n, int64_t width, const double *from, double *to, double *sum)
{
    memset(sum, 0, (size_t)width * sizeof *sum);
    for (int64_t i = -b->r; i <= b->r; i++) {
        const double *in = from + (i + n) % n * width;
        for (int64_t k = 0; k < width; k++) sum[k] += in[k];
    }
    for (int64_t i = 0; i < n; i++) {
        const double *before = from + (i - b->r - 1 + n) % n * width,
                     *after = from + (i + b->r + 1) % n * width;
        const double *leaving = from + (i - b->r + n) % n * width;
        double *out = to + i * width;
        for (int64_t k = 0; k < width; k++) {
            out[k] = (sum[k] + b->edge * (before[k] + after[k])) * b->scale;
            sum[k] += after[k] - leaving[k];
        }
    }
}

/** Lines that are filtered together: x-rows one by one would keep the vector units idle. */
enum { block = 16 };

/**
 * Filter the field along an axis.
 * @param[in]     n     voxels along x, y, z
 * @param[in,out] work  [threads][(2 n[axis] + 1) block]
 */
static void filter_axis(const box *b, const uint32_t n[3], int axis, float *field, double *work)
{
    const uint64_t stride[3] = {1, n[0], (uint64_t)n[0] * n[1]};
    const int across = axis == 0 ? 1 : 0, outer = axis == 2 ? 1 : 2; /* a block lies along `across` */
    const uint64_t length = n[axis], blocks = (n[across] + block - 1) / block;
#pragma omp parallel for schedule(static)
    for (uint64_t line = 0; line < blocks * n[outer]; line++) {
        double *a = work + (uint64_t)omp_get_thread_num() * (2 * length + 1) * block, *c = a + length * block;
        const uint64_t first = line % blocks * block, left = n[across] - first,
                       width = left < block ? left : block;
        float *origin = field + line / blocks * stride[outer] + first * stride[across];
        for (uint64_t i = 0; i < length; i++)
            for (uint64_t k = 0; k < width; k++)
                a[i * width + k] = origin[i * stride[axis] + k * stride[across]];
        for (int pass = 0; pass < passes; pass += 2) {
            filter(b, (int64_t)length, (int64_t)width, a, c, c + length * block);
            filter(b, (int64_t)length, (int64_t)width, c, a, c + length * block);
        }
        for (uint64_t i = 0; i < length; i++)
            for (uint64_t k = 0; k < width; k++)
                origin[i * stride[axis] + k * stride[across]] = (float)a[i * width + k];
    }
}

static void fill_with_noise(const uint32_t n[3], uint64_t seed, float *field)
{
    const uint64_t stream = rill_random_stream(seed, 0), slice = (uint64_t)n[0] * n[1];
#pragma omp parallel for schedule(static)
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint64_t v = z * slice; v < (z + 1) * slice; v++) {
            const uint64_t bits = rill_random_bits(stream, v);
            const int64_t sum =
                (int64_t)((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48)) -
                2 * 0xffff;
            field[v] = (float)sum;
        }
}

/** A field and its box. */
typedef struct rows {
    const uint32_t *n;
    const float *field;
} rows;

/** Map floats to keys of the same order: flip the sign bit of positive ones, every bit of negative ones.
 */
static void keys_of_row(const void *context, uint32_t y, uint32_t z, uint32_t *keys)
{
    const rows *r = context;
    memcpy(keys, r->field + ((uint64_t)z * r->n[1] + y) * r->n[0], r->n[0] * sizeof *keys);
    for (uint32_t x = 0; x < r->n[0]; x++) keys[x] ^= keys[x] >> 31 ? 0xffffffffu : 0x80000000u;
}

static rill_status check(const rill_grf_options *o)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_generate_check_porosity(o->porosity));
    uint32_t shortest = UINT32_MAX;
    for (int a = 0; a < 3; a++)
        if (o->n[a] > 1 && o->n[a] < shortest) shortest = o->n[a];
    if (!(o->correlation >= 1 && o->correlation <= shortest / 4.0))
        return rill_fail(
            RILL_USAGE,
            "a correlation length of %g voxels is not within 1 ... %g, a quarter of the shortest axis: change --correlation or raise --size",
            o->correlation, shortest / 4.0);
done:
    return status;
}

rill_status rill_generate_grf(const rill_grf_options *options, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    float *field = NULL;
    double *work = NULL;
    const uint32_t *n = options->n;
    RILL_TRY(rill_geom_create(n, &geom));
    RILL_TRY(check(options));
    const uint64_t longest = n[0] > n[1] ? (n[0] > n[2] ? n[0] : n[2]) : (n[1] > n[2] ? n[1] : n[2]);
    RILL_TRY(rill_array_create(rill_geom_voxels(geom), sizeof *field, "the Gaussian random field",
                               (void **)&field));
    RILL_TRY(rill_array_create((uint64_t)omp_get_max_threads() * (2 * longest + 1) * block, sizeof *work,
                               "filtered lines", (void **)&work));
    fill_with_noise(n, options->seed, field);
    /* a Gaussian filter of variance s^2 leaves the autocorrelation exp(-r^2 / 4 s^2) */
    const box b = box_of_variance(options->correlation * options->correlation / 4 / passes);
    for (int a = 0; a < 3; a++)
        if (n[a] > 1) filter_axis(&b, n, a, field, work);
    RILL_TRY(rill_generate_threshold(geom, options->porosity, true, keys_of_row, &(rows){n, field}));
    RILL_TRY(rill_generate_finish(geom, "grf"));
    *out = geom;
    geom = NULL;
done:
    rill_array_destroy(work);
    rill_array_destroy(field);
    rill_geom_destroy(geom);
    return status;
}
