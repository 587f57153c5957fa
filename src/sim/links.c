/* SPDX-License-Identifier: Apache-2.0 */
#define RILL_ARITHMETIC double
#define RILL_VECTOR_BYTES 16
#include "sim/links.h"

#include "kernel/storage/address.h"
#include "kernel/collision/equilibrium.h"
#include "kernel/storage/storage.h"

static size_t slot_of(const rill_launch *launch, rill_node node, int i)
{
    const rill_variant v = launch->variant;
    return rill_incoming((int)v.lattice, (int)v.stream, (int)v.addressing, (int)v.bounce, launch->parity,
                         &launch->from, node, i);
}

static double rest_of(rill_variant v, int i) { return rill_population_rest((int)v.lattice, (int)v.shift, i); }

double rill_link_load(const rill_launch *launch, rill_node node, int i)
{
    const rill_variant v = launch->variant;
    return rill_storage_load((int)v.storage, launch->from.populations, slot_of(launch, node, i)) -
           rest_of(v, i);
}

void rill_link_store(const rill_launch *launch, rill_node node, int i, double value)
{
    const rill_variant v = launch->variant;
    rill_storage_store((int)v.storage, launch->from.populations, slot_of(launch, node, i),
                       value + rest_of(v, i));
}

void rill_link_sent_add(const rill_launch *launch, rill_node node, int i, double value)
{
    const rill_variant v = launch->variant;
    const int before = rill_stream_parities((int)v.stream) == 2 ? 1 - launch->parity : 0;
    const size_t slot = rill_outgoing((int)v.lattice, (int)v.stream, (int)v.addressing, (int)v.bounce, before,
                                      &launch->from, node, rill_opposite(i));
    rill_storage_store((int)v.storage, launch->from.populations, slot,
                       rill_storage_load((int)v.storage, launch->from.populations, slot) + value);
}

void rill_link_equilibrium(rill_lattice lattice, double density, const double momentum[3],
                           double f[RILL_Q_MAX])
{
    const rill_rates none = {0};
    rill_real values[RILL_Q_MAX];
    rill_moments m = {.density = rill_splat(density)};
    for (int a = 0; a < 3; a++) m.momentum[a] = rill_splat(momentum[a]);
    if (lattice == RILL_D3Q19) /* constants, so that loops unroll; callers admit these two alone */
        rill_equilibrium_set(RILL_D3Q19, RILL_SECOND_ORDER, &none, m, values);
    else
        rill_equilibrium_set(RILL_D3Q27, RILL_SECOND_ORDER, &none, m, values);
    for (int i = 0; i < rill_q((int)lattice); i++) f[i] = values[i][0];
}
