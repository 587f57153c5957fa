/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the periods in which at least one simulation steps. */
#include "device/meter.h"

#include "core/clock.h"

#include <stddef.h>

void rill_meter_init(rill_meter *m)
{
    *m = (rill_meter){.stepping = 0};
    pthread_mutex_init(&m->lock, NULL);
}

void rill_meter_close(rill_meter *m) { pthread_mutex_destroy(&m->lock); }

void rill_meter_begin(rill_meter *m)
{
    if (!m) return;
    pthread_mutex_lock(&m->lock);
    if (m->stepping++ == 0) m->since = rill_now();
    pthread_mutex_unlock(&m->lock);
}

void rill_meter_end(void *meter)
{
    rill_meter *m = meter;
    if (!m) return;
    pthread_mutex_lock(&m->lock);
    if (--m->stepping == 0) m->total += rill_now() - m->since;
    pthread_mutex_unlock(&m->lock);
}

double rill_meter_seconds(rill_meter *m)
{
    pthread_mutex_lock(&m->lock);
    const double seconds = m->total + (m->stepping ? rill_now() - m->since : 0);
    pthread_mutex_unlock(&m->lock);
    return seconds;
}
