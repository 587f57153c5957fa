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
