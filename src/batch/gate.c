/* SPDX-License-Identifier: Apache-2.0 */
/* Shares memory among items. It counts what they state: it allocates nothing. */
#include "batch/gate.h"

#include <string.h>

void rill_gate_init(rill_gate *g, uint64_t host_limit, const uint64_t *device_limit, int devices)
{
    memset(g, 0, sizeof *g);
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->changed, NULL);
    g->host_limit = host_limit;
    memcpy(g->device_limit, device_limit, (size_t)devices * sizeof *device_limit);
}

void rill_gate_close(rill_gate *g)
{
    pthread_cond_destroy(&g->changed);
    pthread_mutex_destroy(&g->lock);
}

/* Whether so much more is left. */
static bool fits(uint64_t used, uint64_t more, uint64_t limit)
{
    return more <= limit && used <= limit - more;
}

bool rill_gate_enter(rill_gate *g, rill_gate_pass *p, int device, uint64_t host, bool alone)
{
    *p = (rill_gate_pass){.device = device, .alone = alone};
    pthread_mutex_lock(&g->lock);
    g->waiting += alone;
    while (!g->cancelled && g->inside > 0) {
        if (!alone && !g->alone && g->waiting == 0 && fits(g->host_used, host, g->host_limit)) break;
        pthread_cond_wait(&g->changed, &g->lock);
    }
    g->waiting -= alone;
    p->inside = !g->cancelled;
    if (p->inside) {
        p->host_bytes = host;
        g->host_used += host;
        g->alone = alone;
        g->inside++;
    }
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
    return p->inside;
}

bool rill_gate_compute(rill_gate *g, rill_gate_pass *p, uint64_t host, uint64_t device)
{
    pthread_mutex_lock(&g->lock);
    if (p->computing) { /* for another axis */
        g->computing--;
        g->device_used[p->device] -= p->device_bytes;
        p->device_bytes = 0;
        p->computing = false;
        pthread_cond_broadcast(&g->changed);
    }
    while (!g->cancelled && g->computing > 0 &&
           !(fits(g->host_used - p->host_bytes, host, g->host_limit) &&
             fits(g->device_used[p->device], device, g->device_limit[p->device])))
        pthread_cond_wait(&g->changed, &g->lock);
    const bool goes_on = !g->cancelled;
    if (goes_on) {
        g->host_used += host - p->host_bytes;
        g->device_used[p->device] += device;
        p->host_bytes = host;
        p->device_bytes = device;
        p->computing = true;
        g->computing++;
    }
    pthread_mutex_unlock(&g->lock);
    return goes_on;
}

void rill_gate_leave(rill_gate *g, rill_gate_pass *p)
{
    if (!p->inside) return;
    pthread_mutex_lock(&g->lock);
    g->host_used -= p->host_bytes;
    g->device_used[p->device] -= p->device_bytes;
    g->computing -= p->computing;
    g->inside--;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
    memset(p, 0, sizeof *p);
}

void rill_gate_cancel(rill_gate *g)
{
    pthread_mutex_lock(&g->lock);
    g->cancelled = true;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}
