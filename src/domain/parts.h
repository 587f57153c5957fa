/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file parts.h
 * A domain cut into parts, each for one device: successive ranges of its nodes (ranges.h), with the planes
 * beside them.
 *
 * Cuts lie at multiples of RILL_CHUNK nodes, so that sums are taken of the same nodes in the same order
 * however many parts there are. A part may lie within one plane, and have links with parts beyond the next
 * one. It numbers the planes that its nodes lie in and one plane before and behind, which hold none of its
 * nodes: these neighbours are not stepped; before each step they are given what comes from them. Links are
 * followed in the periodic box of these planes as in that of the whole domain.
 */
#ifndef RILL_DOMAIN_PARTS_H
#define RILL_DOMAIN_PARTS_H

#include "domain/ranges.h"

/** Links whose populations go to other parts, or come from there: by part, then by direction and receiving
 * node in the whole, then pairs across mirrored boundaries. Both parts list them in the same order.
 *
 * Where nodes go instead, of which density and momentum are stored: by part, then by the number of the node
 * in the whole, each with RILL_PART_ROWS "directions", which are the rows of what is stored. */
typedef struct rill_cut_links {
    rill_cut_link *links; /**< [count] */
    uint64_t *first;      /**< [parts + 1], by the other part */
    uint64_t count;
} rill_cut_links;

/** One part. */
typedef struct rill_part {
    rill_global_node first, end; /**< its nodes are these of the whole */
    rill_node low, high; /**< of its nodes, as kernels number them, those before `low` and from `high` on may
                            send to other parts; those between do not. Multiples of
                            RILL_SEGMENT_BLOCK, or the end of its nodes */
    rill_geom *geom;     /**< its planes, without voxels */
    rill_domain *domain; /**< of them; its mirrored links are those within the part */
    rill_cut_links sends, receives;
    rill_swap *turns; /**< [turn_count], links that change sign once they were received */
    size_t turn_count;
} rill_part;

/** Rows that are stored of a node in three dimensions: density and momentum. */
enum { RILL_PART_ROWS = 4 };

/** All parts of a domain. */
typedef struct rill_parts {
    rill_part *part; /**< [count] */
    int count;
    bool stored; /**< what is stored of nodes crosses between parts, not populations: set before parts are
                    made; mirrored links of a part then lead from nodes of others, too */
} rill_parts;

/** Cut a domain into parts: each is known by the range of its nodes. */
rill_status rill_parts_create(const rill_ranges *ranges, rill_parts *out);

/** Make one of them. @param[in] whole  three-dimensional; borrowed while the part is made */
rill_status rill_parts_make(const rill_domain *whole, int number, rill_parts *parts);

/** Let the edges of a part have a node, too, whose populations another part needs. */
void rill_part_edge_add(rill_part *part, rill_node node);

/** Free what is known of each node of a part, once its index lists are built. */
void rill_part_release(rill_part *part);

/** Return the nodes of the planes that part `number` is cut at, at most its own nodes at each cut: a measure
 * of what it exchanges. */
uint64_t rill_parts_cut(const rill_domain *whole, const rill_ranges *ranges, int number);

/** What a part takes, before it is made. */
typedef struct rill_part_size {
    uint64_t crossing; /**< links by which it sends to the others, at most */
    double share;      /**< nodes that it numbers, over those of the whole */
    double box;        /**< planes, likewise */
} rill_part_size;

/** Estimate it. */
rill_part_size rill_part_measure(const rill_domain *whole, const rill_ranges *ranges, int number);

/** Free what parts own; zeroed ones are allowed. */
void rill_parts_destroy(rill_parts *parts);

/** Return the part that a node of the whole is in. */
int rill_parts_of(const rill_parts *parts, rill_global_node node);

/** Return the number by which the kernels of a part know one of its nodes. */
rill_node rill_part_number(const rill_part *part, rill_global_node node);

/** Return that of a node of another part, in a plane with nodes of the part or beside one. */
rill_node rill_part_number_beside(const rill_domain *whole, const rill_part *part, rill_global_node node);

#endif
