/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file grids.h
 * A case on three grids, see rill/grids.h.
 */
#ifndef RILL_VESSEL_GRIDS_H
#define RILL_VESSEL_GRIDS_H

#include "rill/grids.h"
#include "vessel/case.h"

/** The spacing of a grid over that of the next finer one. */
#define RILL_GRIDS_RATIO (4.0 / 3)

#endif
