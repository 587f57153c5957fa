/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/domain.h
 * A domain: the fluid nodes of a geometry, and their neighbours.
 */
#ifndef RILL_PUBLIC_DOMAIN_H
#define RILL_PUBLIC_DOMAIN_H

#include "rill/geometry.h"
#include "rill/progress.h"
#include "rill/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Fluid nodes in lexicographic order, their neighbours, and the links that cross mirrored boundaries. */
typedef struct rill_domain rill_domain;

/** How a domain is built. */
typedef struct rill_domain_options {
    rill_lattice lattice; /**< velocity set */
    int flow_axis; /**< axis of the driving force; a mirrored boundary normal to it reflects the flow with
                        its sign changed (see docs/method.md); -1: no such axis */
    rill_progress progress; /**< of the numbering; all 0: none */
} rill_domain_options;

/**
 * Number the fluid nodes of a geometry and find their neighbours.
 * @param[in] geom borrowed: it must outlive the domain
 * @param[in] options lattice and axis of the flow; copied
 * @param[out] out the domain; the caller destroys it
 * @return RILL_USAGE without fluid nodes or with more than 2^32 - 2 of them, RILL_SYSTEM without memory,
 * RILL_CANCELLED
 */
rill_status rill_domain_create(const rill_geom *geom, const rill_domain_options *options, rill_domain **out);

/**
 * Destroy a domain.
 * @param[in] domain NULL is allowed
 */
void rill_domain_destroy(rill_domain *domain);

/**
 * Return the number of fluid nodes.
 * @param[in] domain the domain
 * @return the number of fluid nodes
 */
rill_global_node rill_domain_nodes(const rill_domain *domain);

#ifdef __cplusplus
}
#endif

#endif
