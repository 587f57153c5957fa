/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file choose.h
 * The streaming and addressing that are fastest on a device.
 */
#ifndef RILL_SIM_CHOOSE_H
#define RILL_SIM_CHOOSE_H

#include "device/device.h"

/**
 * Change a variant to the streaming and addressing that are fastest on a backend, with two arrays of
 * populations where they take less than half of a device's free memory.
 * @param nodes       fluid nodes of the domain
 * @param stream      leave the streaming as it is
 * @param addressing  leave the addressing as it is
 * @return why, a clause
 */
const char *rill_variant_choose(rill_variant *variant, rill_device *device, uint64_t nodes, bool stream,
                                bool addressing);

/** As rill_variant_choose(), for the fluid nodes of a geometry. */
const char *rill_variant_choose_for(rill_variant *variant, rill_device *device, const rill_geom *geom,
                                    bool stream, bool addressing);

#endif
