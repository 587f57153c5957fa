/* SPDX-License-Identifier: Apache-2.0 */
/* Names and bytes of variants. */
#include "kernel/lattice.h"
#include "kernel/storage.h"
#include "kernel/stream.h"
#include "rill.h"

#include <stdio.h>

rill_variant rill_variant_default(void)
{
    return (rill_variant){RILL_D3Q19, RILL_TRT, RILL_STOKES, RILL_AA, RILL_LIST, RILL_FP32};
}

void rill_variant_name(rill_variant v, char *text, size_t size)
{
    static const char *const lattices[] = {"d3q19", "d3q27"}, *const collisions[] = {"srt", "trt"},
                             *const equilibria[] = {"second-order", "stokes"},
                             *const streams[] = {"pull", "aa"}, *const addressings[] = {"list"},
                             *const storages[] = {"fp32", "fp64"};
    snprintf(text, size, "%s-%s-%s-%s-%s-%s", lattices[v.lattice], collisions[v.collision],
             equilibria[v.equilibrium], streams[v.stream], addressings[v.addressing], storages[v.storage]);
}

int rill_lattice_q(rill_lattice lattice) { return rill_q(lattice); }

double rill_variant_bytes_per_update(rill_variant v)
{
    double list_reads = 0; /* of a step, mean over the parities */
    const int parities = rill_stream_parities(v.stream);
    for (int parity = 0; parity < parities; parity++)
        if (rill_slot_in_looks(v.stream, parity)) list_reads += (double)(rill_q(v.lattice) - 1) / parities;
    return 2.0 * rill_q(v.lattice) * (double)rill_storage_size(v.storage) + list_reads * sizeof(rill_node);
}
