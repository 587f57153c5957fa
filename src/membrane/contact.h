/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file contact.h
 * Membranes that come near each other: vertices of different ones that are closer than a range push each
 * other apart along the line between them, by strength (1 - distance / range). Fluid between membranes is
 * not resolved there.
 */
#ifndef RILL_MEMBRANE_CONTACT_H
#define RILL_MEMBRANE_CONTACT_H

#include "device/membranes.h"
#include "rill.h"

/** Range of contact between capsules, voxels. */
#define RILL_CONTACT_RANGE 1.5

/**
 * Begin without vertices. @param device  whose memory it takes; NULL: the host's
 * @param range  above 0; @param vertices  of all membranes, at most
 * @return RILL_USAGE for a box that is not 3 ranges wide along a periodic axis, RILL_SYSTEM
 */
rill_status rill_membrane_contact_create(rill_device *device, const uint32_t n[3], const bool open[3],
                                         double range, double strength, uint64_t vertices,
                                         rill_membrane_contact *out);

/** Free it; zeroed ones are allowed. */
void rill_membrane_contact_destroy(rill_membrane_contact *contact);

/**
 * Add the forces of contact to those of vertices, in an order that positions alone decide on: the same bits
 * for any number of threads, and as much momentum for one as for the other.
 * @param s  vertices, and the contact
 */
rill_status rill_membrane_contact_add(const rill_membrane_set *s);

/** Return the bytes that it takes. */
uint64_t rill_membrane_contact_bytes(const uint32_t n[3], double range, uint64_t vertices);

#endif
