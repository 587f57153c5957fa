/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds the gain of a hybrid from the speeds of its halves. */
#include "bench/hybrid.h"

#include <math.h>

double rill_hybrid_gain(const rill_hybrid *speeds)
{
    const double whole = 1 / speeds->sparse, free_sparse = speeds->free / speeds->sparse_free,
                 free_dense = speeds->free / speeds->dense_free;
    if (free_sparse >= whole) return NAN;
    return free_dense < free_sparse ? whole / (whole - free_sparse + free_dense) : 1;
}

double rill_hybrid_gain_all(const rill_hybrid *speeds)
{
    return fmax(speeds->dense_free / speeds->sparse, 1);
}
