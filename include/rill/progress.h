/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/progress.h
 * How far long work has come, and how it is cancelled: one callback for all long functions of the library.
 */
#ifndef RILL_PUBLIC_PROGRESS_H
#define RILL_PUBLIC_PROGRESS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rill_permeability_moment;
struct rill_run_moment;

/** How far long work has come. It and what it points to live as long as the call of the callback. */
typedef struct rill_progress_moment {
    const char *what;    /**< what is being done: "reading", "flow along x" */
    const char *detail;  /**< further text; "" without */
    double fraction;     /**< 0 to 1, how much of it is done; negative when unknown */
    double seconds_left; /**< s of wall clock until the work ends, estimated; negative when unknown */
    int part;            /**< of an error bar: number of the further run, from 0; -1 elsewhere */
    const struct rill_permeability_moment *permeability; /**< while a permeability is computed; else NULL */
    const struct rill_run_moment *run;                   /**< while a vessel is run; else NULL */
} rill_progress_moment;

/**
 * Called by long work: at its beginning, and a few times a second while it goes on. Calls come from the
 * thread that called the library, one after the other. The callback must not call functions on the objects in
 * use.
 * @param[in] context that of the rill_progress
 * @param[in] moment  how far the work has come
 * @return true to go on; false to cancel: the function then frees what it allocated, leaves no unfinished
 * file, and returns RILL_CANCELLED. Steps, stages and files that were begun are completed first.
 */
typedef bool (*rill_progress_fn)(void *context, const rill_progress_moment *moment);

/** A progress callback with its context. */
typedef struct rill_progress {
    rill_progress_fn fn; /**< the function; NULL: none, the work cannot be cancelled */
    void *context;       /**< passed to `fn` */
} rill_progress;

#ifdef __cplusplus
}
#endif

#endif
