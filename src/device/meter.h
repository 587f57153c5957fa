/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file meter.h
 * How long a device was in use: the time during which at least one of the simulations that share it was
 * stepping. A device object that has a meter reports its steps to it; several objects for one GPU may have
 * the same.
 */
#ifndef RILL_DEVICE_METER_H
#define RILL_DEVICE_METER_H

#include <pthread.h>

/** A meter. */
typedef struct rill_meter {
    pthread_mutex_t lock;
    int stepping; /**< simulations */
    double since; /**< when the first of them began */
    double total; /**< seconds of the periods that have ended */
} rill_meter;

/** Set a meter to 0. */
void rill_meter_init(rill_meter *meter);

/** Free it. */
void rill_meter_close(rill_meter *meter);

/** A simulation begins to step; NULL is allowed, here and below. */
void rill_meter_begin(rill_meter *meter);

/** A simulation has made its steps. @param meter  a rill_meter, as rill_device_then() passes it */
void rill_meter_end(void *meter);

/** Return the seconds until now. */
double rill_meter_seconds(rill_meter *meter);

#endif
