/* SPDX-License-Identifier: Apache-2.0 */
#define RILL_ARITHMETIC double
#define RILL_VECTOR_BYTES 16
#include "sim/links.h"

#include "kernel/links.h"

double rill_link_load(const rill_launch *launch, rill_node node, int i)
{
    return rill_population_load(launch, node, i);
}

void rill_link_store(const rill_launch *launch, rill_node node, int i, double value)
{
    rill_population_store(launch, node, i, value);
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
