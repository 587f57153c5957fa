/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file backend.h
 * A backend is memory and kernels on a device; it knows no numerics. The simulation (run/sim.c) is
 * written once on top of it.
 */
#ifndef RILL_BACKEND_H
#define RILL_BACKEND_H

#include "core/status.h"
#include "domain/build.h"
#include "kernel/launch.h"

/** Of deviations of the density: a hundred thousand nodes per label may be off by 1 each. */
#define RILL_SUM_UNIT 0x1p46

/** Return a value in units of 1 / RILL_SUM_UNIT: what integers cannot hold, after a flow has diverged, is cut
 * to what they can, and no number counts as 0. The totals of the same nodes tell of both. */
RILL_FN int64_t rill_sum_units(const double value)
{
    const double units = value * RILL_SUM_UNIT, most = 0x1p62;
    if (units != units) return 0;
    return (int64_t)(units > most ? most : units < -most ? -most : units);
}

typedef struct rill_backend {
    const char *name; /**< "cpu" */
    bool host;        /**< its memory is the host's */

    /** Find the device and write its name. @return RILL_SYSTEM with the reason when there is none */
    rill_status (*probe)(char *device, size_t size);

    /** Write how many threads of the host step so many nodes, and why; NULL on a device. */
    void (*threads)(uint64_t nodes, char *text, size_t size);

    /** Return the bytes that can still be allocated. */
    rill_status (*available)(uint64_t *bytes);

    /** Refuse when less than `bytes` can be allocated. */
    rill_status (*require)(uint64_t bytes, const char *what);

    /** Allocate and clear. */
    rill_status (*alloc)(uint64_t bytes, const char *what, void **out);
    void (*free)(void *array);

    /** Make a host array readable by kernels, without a copy where the host is the device; undone by release.
     */
    rill_status (*share)(const void *host, uint64_t bytes, const char *what, const void **out);
    void (*release)(const void *array);

    /** Build entries of arrays, all pointers being the backend's; may return before the work is done. */
    void (*build)(const rill_builder *builder, rill_build_task task);

    /** Add to the built arrays of a variant what this backend's kernels want besides; undone by unlink. */
    rill_status (*link)(rill_variant variant, rill_arrays *arrays);
    void (*unlink)(rill_arrays *arrays);

    /** Return the bytes that link() took; NULL where it takes none. */
    uint64_t (*linked)(const rill_arrays *arrays);

    rill_status (*upload)(void *to, const void *host, uint64_t bytes);
    rill_status (*download)(void *host, const void *from, uint64_t bytes);

    /** Add values[k], in units of 1 / RILL_SUM_UNIT so that no order changes the result, to sums[labels[k]].
     */
    void (*gather)(const double *values, const uint32_t *labels, uint64_t count, int64_t *sums);

    /** Set values[k] to given[labels[k]]. */
    void (*spread)(const double *given, const uint32_t *labels, uint64_t count, double *values);

    /** Wait for all kernels. @return RILL_SYSTEM when one failed */
    rill_status (*wait)(void);

    /**
     * Find the kernels of a variant that rill_variant_check() accepts, or make them; they stay for the rest
     * of the process. @return RILL_SYSTEM with the remedy when they cannot be had here
     */
    rill_status (*kernels)(rill_variant variant, const rill_kernels **out);

    /**
     * Measure the memory bandwidth that kernels are compared with, in bytes per second (read + written):
     * a device copy on a GPU, in-place updates a[i] = s a[i] + b on a CPU.
     */
    rill_status (*bandwidth)(double *bytes_per_second);

    /** Write the versions of driver and runtime; NULL where there are none. */
    void (*versions)(char *driver, size_t driver_size, char *runtime, size_t runtime_size);

    /** Whether all of a ring's step is one launch, whose parts wait for each other (kernel/turn.h). */
    bool turns;

    /** Whether steps see to interpolated walls where rill_walls_in_step(). */
    bool walls_in_step;

    /** One clause that names the measure, "device copy". */
    const char *yardstick;
} rill_backend;

/**
 * Begin to make a device ready, which takes a fifth of a second, in a thread of its own. The same thread that
 * calls this must ask for a backend next, or call rill_backend_prepared(); both wait until it is ready.
 * @return a failure that is known at once
 */
rill_status rill_backend_prepare(rill_backend_kind kind);

/** Wait for what rill_backend_prepare() began, if it did. */
void rill_backend_prepared(void);

/** Find a backend that can run here; RILL_BACKEND_AUTO prefers a device. */
rill_status rill_backend_find(rill_backend_kind kind, const rill_backend **out);

/** Return whether this library was built with CUDA. */
bool rill_backend_has_cuda(void);

extern const rill_backend rill_backend_cpu;
#ifdef RILL_HAVE_CUDA
extern const rill_backend rill_backend_cuda;
#endif

#endif
