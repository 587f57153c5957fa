/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file run.h
 * A permeability with all that is requested beside it, of a geometry that is prepared already: items of a
 * batch count what percolates in between.
 */
#ifndef RILL_BATCH_RUN_H
#define RILL_BATCH_RUN_H

#include "rill/permeability_run.h"

/**
 * Plan, compute, and bound the error, as rill_permeability_run() does after it has prepared the geometry.
 * @param[in] geom   as rill_permeability_prepare() left it
 * @param[in] whole  as it was before; NULL: no error bar
 * @param[in] options  with a device
 */
rill_status rill_permeability_run_prepared(const rill_geom *geom, const rill_geom *whole,
                                           const rill_permeability_options *options,
                                           const rill_permeability_request *request,
                                           rill_permeability_answer *out);

#endif
