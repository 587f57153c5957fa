/* SPDX-License-Identifier: Apache-2.0 */
/* Names and bytes of variants, and the list of those that are built. */
#include "run/variant.h"

#include "kernel/lattice.h"
#include "kernel/storage.h"
#include "kernel/stream.h"

#include <stdio.h>

const char *const rill_lattice_names[] = {"d3q19", "d3q27", NULL};
const char *const rill_collision_names[] = {"srt", "trt", NULL};
const char *const rill_equilibrium_names[] = {"second-order", "stokes", NULL};
const char *const rill_stream_names[] = {"pull", "aa", NULL};
const char *const rill_addressing_names[] = {"list", NULL};
const char *const rill_storage_names[] = {"fp32", "fp64", NULL};

static const rill_variant built[] = {
#define RILL_VARIANT(L, C, E, S, A, T) {RILL_##L, RILL_##C, RILL_##E, RILL_##S, RILL_##A, RILL_##T},
#include "kernel/variants.def"
};

int rill_variant_count(void) { return (int)(sizeof built / sizeof *built); }

rill_variant rill_variant_at(int k) { return built[k]; }

rill_variant rill_variant_default(void)
{
    return (rill_variant){RILL_D3Q19, RILL_TRT, RILL_STOKES, RILL_AA, RILL_LIST, RILL_FP32};
}

void rill_variant_name(rill_variant v, char *text, size_t size)
{
    snprintf(text, size, "%s-%s-%s-%s-%s-%s", rill_lattice_names[v.lattice],
             rill_collision_names[v.collision], rill_equilibrium_names[v.equilibrium],
             rill_stream_names[v.stream], rill_addressing_names[v.addressing], rill_storage_names[v.storage]);
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

double rill_variant_bytes_per_node(rill_variant v)
{
    const double arrays = rill_stream_two_arrays(v.stream) ? 2 : 1;
    return arrays * rill_q(v.lattice) * (double)rill_storage_size(v.storage) +
           (rill_q(v.lattice) - 1) * (double)sizeof(rill_node);
}
