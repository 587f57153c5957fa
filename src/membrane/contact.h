/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file contact.h
 * Membranes that come near each other: vertices of different ones that are closer than a range push each
 * other apart along the line between them, by strength (1 - distance / range). Fluid between membranes is
 * not resolved there.
 */
#ifndef RILL_MEMBRANE_CONTACT_H
#define RILL_MEMBRANE_CONTACT_H

#include "rill.h"

/** Contact between membranes in a box. */
typedef struct rill_membrane_contact {
    uint32_t n[3]; /**< voxels of the box */
    bool open[3];  /**< it is periodic along the axis */
    uint32_t cells[3];
    double range;            /**< voxels */
    double strength;         /**< force, lu */
    uint64_t room;           /**< vertices */
    uint32_t *first;         /**< [cells + 1], place of the first vertex of a cell */
    uint32_t *cell, *vertex; /**< [room]: of a vertex; vertices by cells, in ascending order */
} rill_membrane_contact;

/** Range of contact between capsules, voxels. */
#define RILL_CONTACT_RANGE 1.5

/**
 * Begin without vertices. @param range  above 0; @param vertices  of all membranes, at most
 * @return RILL_USAGE for a box that is not 3 ranges wide along a periodic axis, RILL_SYSTEM
 */
rill_status rill_membrane_contact_create(const uint32_t n[3], const bool open[3], double range,
                                         double strength, uint64_t vertices, rill_membrane_contact *out);

/** Free it; zeroed ones are allowed. */
void rill_membrane_contact_destroy(rill_membrane_contact *contact);

/**
 * Add the forces of contact to those of vertices, in an order that positions alone decide on: the same bits
 * for any number of threads, and as much momentum for one as for the other.
 * @param x         [count], voxels, not wrapped
 * @param of_each   vertices of each membrane, one after the other
 */
void rill_membrane_contact_add(rill_membrane_contact *contact, const double (*x)[3], uint32_t count,
                               uint32_t of_each, double (*force)[3]);

#endif
