/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/permeability_run.h
 * A permeability from a geometry to its error bar in one call, as `rill permeability` computes it.
 */
#ifndef RILL_PUBLIC_PERMEABILITY_RUN_H
#define RILL_PUBLIC_PERMEABILITY_RUN_H

#include "rill/batch.h"
#include "rill/error_bar.h"
#include "rill/flow.h"
#include "rill/permeability.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The further runs of an error bar. */
typedef enum rill_error_bar_kind {
    RILL_ERROR_BAR_NONE,  /**< no further run: what the run itself says of its error */
    RILL_ERROR_BAR_QUICK, /**< other domain boundaries */
    RILL_ERROR_BAR_FINE   /**< split voxels, fp64 and a smooth surface, too */
} rill_error_bar_kind;

/** What was found. */
typedef struct rill_permeability_answer {
    rill_permeability_options options;   /**< as they were used: with axes, variant and devices */
    const char *variant_reason;          /**< why this streaming scheme and addressing */
    rill_permeability_plan plan;         /**< of the runs */
    rill_permeability_forecast forecast; /**< NaN: not requested, or not known */
    rill_error_bar_plan error_bar_plan;  /**< of further runs */
    size_t sample_blocks;                /**< number of blocks for the row "sample" */
    uint64_t host_peak;           /**< bytes of the process at its peak, foreseen, in the runs of the plan */
    uint64_t host_peak_error_bar; /**< the same in further runs */
    bool computed;                /**< `result` and `error_bar` have something to show */
    bool stopped;                 /**< the run was cancelled; its checkpoint has what there is */
    rill_permeability result;     /**< read where it is computed */
    rill_error_bar error_bar;     /**< of further runs, and without them what the run itself says */
    double seconds_plan;          /**< s, preparing and planning */
    double seconds_error_bar;     /**< s, further runs */
} rill_permeability_answer;

/** What is requested beside a permeability. All 0: nothing. */
typedef struct rill_permeability_request {
    bool keep_stream; /**< step with the streaming scheme of the options; false: the fastest on the device */
    bool keep_addressing;          /**< the same of the addressing */
    rill_error_bar_kind error_bar; /**< further runs */
    uint32_t sample_edge; /**< voxels along an edge of the blocks that the row "sample" of the error bar is
                               estimated from, see rill_error_bar_sample(); 0: that row is not required */
    bool forecast;        /**< measure the speed, and estimate how long the runs take */
    bool plan_only;       /**< stop when the plan is made */
    rill_fluid fluid;     /**< that is to flow; read where there is a pressure drop */
    double pressure_drop; /**< Pa over the length of the sample: a note says where Darcy's law does not hold
                             for it; needs the voxel size; 0: none */
    /**
     * Called when voxels are prepared and a device is needed first; may be NULL.
     * @param[in,out] options  set `on`, whose devices stay open until rill_permeability_run() has returned
     */
    rill_status (*open)(void *context, rill_permeability_options *options);
    /**
     * Called when the plan is made, before the runs: what it shows is known, memory is not needed yet. May be
     * NULL.
     * @return a failure, such as RILL_CANCELLED, to stop
     */
    rill_status (*planned)(void *context, const rill_permeability_answer *answer);
    void *context; /**< passed to `open` and `planned` */
} rill_permeability_request;

/**
 * Compute the permeability of a geometry: drop what cannot conduct, choose the fastest variant, plan, run,
 * and bound the error. `rill permeability` prints and writes what comes out, Python returns it: both have the
 * same numbers, notes and refusals. Where voxels have grey values of a threshold with a width
 * (rill_geom.greys) the sensitivity to walls is found; where `finished` is set, the mean momentum is settled,
 * too.
 * @param[in,out] geom  its pores that conduct along no axis become solid, see rill_permeability_prepare()
 * @param[in] options   of the run; without `on.device` one of the backend is opened while voxels are prepared
 * @param[in] request   what is requested besides
 * @param[out] out      always to be freed by rill_permeability_answer_free()
 * @return as rill_permeability_prepare(), rill_permeability_plan_make(), rill_permeability_compute(),
 * rill_error_bar_compute() and rill_error_bar_sample(); RILL_USAGE for a checkpoint with further runs; where
 * a further run failed, `computed` is true all the same
 */
rill_status rill_permeability_run(rill_geom *geom, const rill_permeability_options *options,
                                  const rill_permeability_request *request, rill_permeability_answer *out);

/**
 * Free what an answer owns. The structure itself is the caller's.
 * @param[in,out] answer the answer; all zero afterwards
 */
void rill_permeability_answer_free(rill_permeability_answer *answer);

#ifdef __cplusplus
}
#endif

#endif
