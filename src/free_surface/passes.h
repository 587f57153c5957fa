/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file passes.h
 * The passes of a free surface.
 */
#ifndef RILL_FREE_SURFACE_PASSES_H
#define RILL_FREE_SURFACE_PASSES_H

#include "free_surface/free_surface.h"

/** Return the passes of a step. */
rill_passes rill_free_surface_passes(rill_free_surface *surface);

#endif
