/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill.h
 * The public interface of librill: includes all headers of rill/.
 */
/**
 * @mainpage The public interface of librill
 *
 * librill is a sparse, indirect-addressing lattice Boltzmann solver for flow in porous and vascular geometry.
 *
 * Data flow: a rill_geom (voxels) becomes a rill_domain (fluid nodes and their neighbours),
 * a rill_sim steps populations on it. rill_permeability_run() and rill_case_run() do all of that. Each
 * subject has a header in rill/, and rill.h includes all of them.
 *
 * Conventions. Axes are x, y, z = 0, 1, 2; arrays are x fastest. "lu" is lattice units (voxel, time
 * step, reference density 1). Functions that can fail return a rill_status; the message of the last
 * failure in this thread is rill_error_message(). Pointers are borrowed unless a comment names a
 * transfer; a create or read function hands its result to the caller, who destroys it. Text is read and
 * written in the C locale, whatever setlocale() has set.
 *
 * Functions that read an HDF5 file start the program rill-inspect, which reads it first, so that the HDF5
 * library crashes or hangs there: see rill/file.h.
 */
#ifndef RILL_H
#define RILL_H

#include "rill/batch.h"
#include "rill/boundary.h"
#include "rill/device.h"
#include "rill/diffusivity.h"
#include "rill/dispersion.h"
#include "rill/domain.h"
#include "rill/error_bar.h"
#include "rill/file.h"
#include "rill/flow.h"
#include "rill/geometry.h"
#include "rill/grids.h"
#include "rill/image.h"
#include "rill/log.h"
#include "rill/notes.h"
#include "rill/permeability.h"
#include "rill/permeability_run.h"
#include "rill/pore_network.h"
#include "rill/progress.h"
#include "rill/rheology.h"
#include "rill/sim.h"
#include "rill/status.h"
#include "rill/surface.h"
#include "rill/types.h"
#include "rill/units.h"
#include "rill/variant.h"
#include "rill/version.h"
#include "rill/vessel.h"

#endif
