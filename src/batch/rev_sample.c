/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the permeability of an image is good for as that of its material, from the scatter of its blocks. The
 * permeability of a volume of an isotropic medium is close to the mean of k^(1/3) of its parts, cubed
 * (Noetinger 1994, Transport in Porous Media 15, 99), which also takes parts that do not conduct. Blocks are
 * taken as independent, so that the variance of the mean falls with the volume (Kanit et al. 2003,
 * doi:10.1016/S0020-7683(03)00143-4).
 */
#include "batch/rev.h"

#include <math.h>

/* The exponent of the mean in three dimensions, 1 - 2/d. */
#define POWER (1.0 / 3)

/* The standard deviation is uncertain by itself, and the distribution wider than the normal one where it is
 * large: the interval is so many times the relative one of k^(1/3) wider (scripts/sample-coverage). */
#define WIDER 0.2

/* The quantile of the normal distribution of a two-tailed interval of 95 %. */
#define NORMAL 1.959963984540054

double rill_rev_student(size_t freedom)
{
    const double z = NORMAL, y = z * z, n = (double)freedom;
    /* Abramowitz & Stegun 26.7.5; within 3e-4 from 5 degrees of freedom on. */
    const double g1 = (y + 1) / 4, g2 = ((5 * y + 16) * y + 3) / 96,
                 g3 = (((3 * y + 19) * y + 17) * y - 15) / 384,
                 g4 = ((((79 * y + 776) * y + 1482) * y - 1920) * y - 945) / 92160;
    return z * (1 + (g1 + (g2 + (g3 + g4 / n) / n) / n) / n);
}

bool rill_rev_sample_error(const rill_block_grid *grid, const rill_batch_row *rows,
                           rill_rev_quantity quantity, double voxels, rill_sample_error *out)
{
    double mean = 0, squares = 0;
    size_t n = 0;
    *out = (rill_sample_error){.edge = grid->edge, .deviation = NAN, .half_width = NAN, .edge_tenth = NAN};
    for (size_t i = 0; i < grid->count; i++) {
        const double k = rill_rev_value(&rows[grid->first + i], quantity);
        if (!isfinite(k) || k < 0) continue;
        const double more = pow(k, POWER) - mean;
        mean += more / (double)++n;
        squares += more * (pow(k, POWER) - mean);
    }
    out->blocks = n;
    if (n < RILL_SAMPLE_BLOCKS || !(mean > 0)) return false;
    const double volume = (double)grid->edge * grid->edge * grid->edge;
    out->deviation = sqrt(squares / (double)(n - 1)) / mean / POWER;
    const double block = rill_rev_student(n - 1) * out->deviation * (1 + WIDER * POWER * out->deviation);
    out->half_width = block * sqrt(volume / voxels);
    out->edge_tenth = cbrt(volume * pow(block / 0.1, 2));
    return true;
}

void rill_rev_sample_range(const rill_sample_error *error, double range[2])
{
    range[0] = pow(fmax(0, 1 - POWER * error->half_width), 1 / POWER);
    range[1] = 1 / range[0];
}

int rill_rev_sample_choose(const rill_block_grid *grids, int count, const rill_batch_row *rows)
{
    rill_sample_error error;
    int chosen = -1;
    for (int g = 0; g < count; g++)
        if (rill_rev_sample_error(&grids[g], rows, RILL_REV_K, 1, &error) &&
            (chosen < 0 || grids[g].edge > grids[chosen].edge))
            chosen = g;
    return chosen;
}
