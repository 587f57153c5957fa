/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sides.h
 * What the boundaries of a domain are called.
 */
#ifndef RILL_GEOMETRY_SIDES_H
#define RILL_GEOMETRY_SIDES_H

#include "rill/geometry.h"

/** Return "periodic", "mirror" or "wall". */
const char *rill_side_name(rill_side side);

#endif
