/* SPDX-License-Identifier: Apache-2.0 */
/* Stores values and looks at what became of them. */
#include "kernel/storage/rounding.h"

#define RILL_ARITHMETIC double
#define RILL_VECTOR_BYTES 16
#include "kernel/storage/storage.h"

#include <float.h>
#include <math.h>

double rill_resolved(rill_storage storage)
{
    if (storage == RILL_FP64) return ldexp(DBL_MIN, rill_storage_digits(RILL_FP64));
    if (storage == RILL_FP32) return ldexp(FLT_MIN, rill_storage_digits(RILL_FP32));
    double low = 0, high = 1; /* stored as 0, and as more */
    for (int k = 0; k < 200; k++) {
        double stored;
        const double x = low > 0 ? sqrt(low * high) : high / 2;
        rill_storage_store((int)storage, &stored, 0, x);
        *(rill_storage_load((int)storage, &stored, 0) > 0 ? &high : &low) = x;
        if (low > 0 && high < low * (1 + 1e-9)) break;
    }
    return high;
}

double rill_rounding(rill_storage storage, double low, double high)
{
    enum { samples = 2048 };
    const double golden = 0.6180339887498949; /* multiples of it, modulo 1, fill the interval evenly */
    double worst = 0;
    if (storage == RILL_FP64) return fmax(fabs(low), fabs(high)) * DBL_EPSILON / 2;
    for (int k = 0; k < samples; k++) {
        double stored, whole;
        const double x = low + (high - low) * modf((k + 1) * golden, &whole);
        rill_storage_store((int)storage, &stored, 0, x);
        worst = fmax(worst, fabs(x - rill_storage_load((int)storage, &stored, 0)));
    }
    return worst;
}

double rill_stored_value(rill_storage storage, const void *populations, size_t offset)
{
    return rill_storage_load((int)storage, populations, offset);
}
