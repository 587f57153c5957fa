/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes many items at the same time: each worker is a thread with a device object, and thus a queue, of
 * its own; it reads, prepares and computes one item after the other. The calling thread reports progress and
 * writes the table. What an item is made of is compute.c's.
 */
#include "batch/compute.h"
#include "batch/csv.h"
#include "batch/input.h"
#include "batch/part.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "core/threads.h"
#include "device/device.h"
#include "permeability/plan.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Items of more voxels than this are large: few of them fit beside each other, and each fills a device. */
#define LARGE ((uint64_t)1 << 25)
/* Items at the same time: small ones on a GPU, whose processors of the host prepare them; large ones, so that
 * one is prepared while another is computed. */
enum { SMALL_CUDA = 32, LARGE_CUDA = 4, LARGE_CPU = 2, AT_ONCE_MOST = 1024 };
/* Part of the free memory of a device that items share: allocations are rounded up. */
#define DEVICE_PART 0.95
/* The table is written at most so often, and takes at most this part of the time of the calling thread. */
#define TABLE_SECONDS 1.0
#define TABLE_PART 0.05

typedef struct batch batch;

typedef struct worker {
    batch *batch;
    pthread_t thread;
    int number; /* of the device */
    bool started;
    /* The item that it computes, under the lock: its name, "" for none; its part that is done. */
    char now[160];
    size_t item;
    rill_batch_part part;
} worker;

struct batch {
    const rill_batch_item *items;
    const rill_batch_options *options;
    rill_batch *out;
    double *weights; /* [count], about proportional to the time that an item takes */
    rill_batch_csv *csv;
    rill_backend_kind kind;
    rill_gate gate;
    rill_meter meters[RILL_GATE_DEVICES];
    int devices, processors;
    bool gated;    /* gate and meters are there */
    bool *settled; /* [count], items whose row was handed out; of the calling thread alone */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    size_t next;   /* item */
    size_t *ended; /* [count], items in the order in which they ended */
    size_t ended_count, running;
    bool cancelled;
    rill_status broken; /* a device that no longer answers ends the batch */
    char why[1024];
};

rill_batch_options rill_batch_options_default(void)
{
    return (rill_batch_options){.permeability = rill_permeability_options_default(),
                                .image = rill_voxelize_options_default(),
                                .progress_seconds = 0.2};
}

void rill_batch_free(rill_batch *b)
{
    rill_array_destroy(b->rows);
    memset(b, 0, sizeof *b);
}

/* ---- one worker ---- */

static bool cancelled(batch *b)
{
    pthread_mutex_lock(&b->lock);
    const bool is = b->cancelled;
    pthread_mutex_unlock(&b->lock);
    return is;
}

/* Whether an item is more than its flows along the axes: how many runs an error bar needs is planned with
 * each. */
static bool has_further_runs(const rill_batch_options *o) { return o->error_bar || o->sample_edge; }

/* Note how far an item has come, and hand on whether the batch goes on. */
static bool go_on(void *context, const rill_progress_moment *moment)
{
    worker *w = context;
    batch *b = w->batch;
    pthread_mutex_lock(&b->lock);
    if (moment->permeability && !has_further_runs(b->options))
        rill_batch_part_note(&w->part, b->options->permeability.axis, moment->permeability->axis, rill_now(),
                             moment->seconds_left);
    const bool goes_on = !b->cancelled;
    pthread_mutex_unlock(&b->lock);
    return goes_on;
}

/* Take the next item. @return false when there is none */
static bool item_take(worker *w, size_t *item, int *threads)
{
    batch *b = w->batch;
    pthread_mutex_lock(&b->lock);
    const bool taken = !b->cancelled && b->next < b->out->count;
    if (taken) {
        *item = b->next++;
        b->running++;
        const size_t left = b->out->count - *item + b->running - 1;
        const int busy = left < (size_t)b->out->at_once ? (int)left : b->out->at_once;
        *threads = b->processors > busy ? b->processors / busy : 1;
        snprintf(w->now, sizeof w->now, "%s", b->items[*item].name);
        w->item = *item;
        w->part = rill_batch_part_begin();
    }
    pthread_mutex_unlock(&b->lock);
    return taken;
}

static void item_end(worker *w, size_t item, const rill_batch_row *row, double updates)
{
    batch *b = w->batch;
    pthread_mutex_lock(&b->lock);
    b->out->rows[item] = *row;
    rill_batch_row_flow(b->options, &b->out->rows[item]);
    b->out->updates += updates;
    b->out->resumed += row->resumed;
    b->running--;
    b->ended[b->ended_count++] = item;
    w->now[0] = '\0';
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

/* Take the row of an item from the table. @return whether it is there, of the same input and options */
static bool item_resume(const worker *w, size_t item, rill_batch_row *row)
{
    const batch *b = w->batch;
    rill_batch_row found = *row;
    if (!b->csv || !rill_batch_csv_find(b->csv, &b->items[item], &found) || !rill_batch_row_is_result(&found))
        return false;
    if (rill_batch_input_hash(&b->items[item], b->options, row->made.input_hash) != RILL_OK) {
        row->made.input_hash[0] = '\0';
        return false; /* computing it says why */
    }
    if (strcmp(row->made.input_hash, found.made.input_hash) != 0) return false;
    *row = found;
    row->resumed = true;
    return true;
}

static void item_compute(worker *w, rill_device *device, size_t item)
{
    batch *b = w->batch;
    rill_batch_row row = b->out->rows[item]; /* as it was initialized */
    double updates = 0;
    const rill_batch_worker by = {.options = b->options,
                                  .gate = &b->gate,
                                  .device = device,
                                  .number = w->number,
                                  .progress = {go_on, w}};
    if (!item_resume(w, item, &row)) {
        const rill_batch_row fresh = row;
        const bool again = rill_batch_compute_item(&by, &b->items[item], false, &row, &updates);
        if (again && !cancelled(b)) {
            row = fresh;
            (void)rill_batch_compute_item(&by, &b->items[item], true, &row, &updates);
        }
    }
    item_end(w, item, &row, updates);
}

static void *work(void *of)
{
    worker *w = of;
    batch *b = w->batch;
    rill_device *device = NULL;
    size_t item;
    int threads;
    const int ordinal = b->options->ordinal_count ? b->options->ordinals[w->number] : 0;
    const rill_status status = rill_device_create(b->kind, ordinal, &device);
    if (status != RILL_OK) {
        pthread_mutex_lock(&b->lock);
        b->broken = status;
        b->cancelled = true;
        snprintf(b->why, sizeof b->why, "%s", rill_error_message());
        pthread_cond_broadcast(&b->changed);
        pthread_mutex_unlock(&b->lock);
        rill_gate_cancel(&b->gate);
        return NULL;
    }
    device->meter = &b->meters[w->number];
    while (item_take(w, &item, &threads)) {
        omp_set_num_threads(threads);
        item_compute(w, device, item);
    }
    rill_device_destroy(device);
    return NULL;
}

/* ---- the calling thread ---- */

static double weigh(const rill_batch_item *item)
{
    struct stat info;
    if (item->geom)
        return item->n[0] ? (double)item->n[0] * item->n[1] * item->n[2]
                          : (double)rill_geom_voxels(item->geom);
    return stat(item->name, &info) == 0 ? fmax((double)info.st_size, 1) : 1;
}

static int at_once_choose(const batch *b)
{
    const rill_batch_options *o = b->options;
    double largest = 0;
    for (size_t i = 0; i < b->out->count; i++) largest = fmax(largest, b->weights[i]);
    const bool large = largest > (double)LARGE, cuda = b->kind == RILL_BACKEND_CUDA;
    const int most = 2 * (b->processors > b->devices ? b->processors : b->devices);
    int chosen = o->at_once;
    if (!chosen && cuda) chosen = b->devices * (large ? LARGE_CUDA : SMALL_CUDA);
    if (!o->at_once && cuda && chosen > most) chosen = most; /* most of them wait for a device */
    if (!chosen) chosen = large ? LARGE_CPU : b->processors;
    if (chosen < b->devices) chosen = b->devices;
    return (size_t)chosen < b->out->count ? chosen : (int)b->out->count;
}

static rill_status check(const rill_batch_item *items, size_t count, const rill_batch_options *o)
{
    rill_status status = RILL_OK;
    if (count == 0) return rill_fail(RILL_USAGE, "a batch of no items: name at least one image");
    for (size_t i = 0; i < count; i++)
        if (!items[i].name) return rill_fail(RILL_USAGE, "item %zu has no name", i);
    if (o->at_once < 0 || o->at_once > AT_ONCE_MOST)
        return rill_fail(RILL_USAGE, "%d items at the same time are not 0 (chosen) to %d", o->at_once,
                         AT_ONCE_MOST);
    if (o->ordinal_count < 0 || o->ordinal_count > RILL_GATE_DEVICES || (o->ordinal_count && !o->ordinals))
        return rill_fail(RILL_USAGE, "%d devices are not 0 to %d", o->ordinal_count, RILL_GATE_DEVICES);
    RILL_TRY(rill_plan_check(&o->permeability));
done:
    return status;
}

/* Open each device once: to know its kind, its name, and its memory. */
static rill_status devices_look(batch *b)
{
    rill_status status = RILL_OK;
    rill_device *device = NULL;
    uint64_t host = 0, room[RILL_GATE_DEVICES] = {0};
    b->devices = b->options->ordinal_count ? b->options->ordinal_count : 1;
    b->kind = b->options->permeability.on.backend;
    for (int d = 0; d < b->devices; d++) {
        RILL_TRY(
            rill_device_create(b->kind, b->options->ordinal_count ? b->options->ordinals[d] : 0, &device));
        b->kind = device->kind; /* of all, once the first is known */
        if (d == 0) snprintf(b->out->device, sizeof b->out->device, "%s", rill_device_name(device));
        RILL_TRY(rill_device_available(device, &room[d]));
        rill_device_destroy(device);
        device = NULL;
    }
    for (int d = 0; d < b->devices; d++) room[d] = (uint64_t)(DEVICE_PART * (double)room[d]);
    RILL_TRY(rill_memory_available(&host));
    rill_gate_init(&b->gate, host, room, b->devices);
    for (int d = 0; d < b->devices; d++) rill_meter_init(&b->meters[d]);
    b->gated = true;
done:
    rill_device_destroy(device);
    return status;
}

static rill_status prepare(batch *b)
{
    rill_status status = RILL_OK;
    rill_batch *out = b->out;
    const rill_batch_options *o = b->options;
    RILL_TRY(rill_array_create_zero(out->count, sizeof *out->rows, "rows of a batch", (void **)&out->rows));
    RILL_TRY(rill_array_create_zero(out->count, sizeof *b->ended, "rows of a batch", (void **)&b->ended));
    RILL_TRY(rill_array_create_zero(out->count, sizeof *b->weights, "rows of a batch", (void **)&b->weights));
    RILL_TRY(rill_array_create_zero(out->count, sizeof *b->settled, "rows of a batch", (void **)&b->settled));
    for (size_t i = 0; i < out->count; i++) {
        rill_batch_row_init(&b->items[i], &out->rows[i]);
        out->rows[i].diffusion = o->diffusivity;
        RILL_TRY(rill_batch_options_hash(&b->items[i], o, out->rows[i].made.options_hash));
        b->weights[i] = weigh(&b->items[i]);
    }
    if (o->table && o->resume) {
        RILL_TRY(rill_batch_csv_read(o->table, o->diffusivity, &b->csv));
        rill_batch_csv_replace(b->csv, b->items, out->count);
    }
    b->processors = rill_threads();
    RILL_TRY(devices_look(b));
    out->at_once = at_once_choose(b);
    out->threads = b->processors > out->at_once ? b->processors / out->at_once : 1;
done:
    return status;
}

/* How far the batch has come. @param[out] now  name of an item that is computed; "" for none */
static rill_batch_standing stand(batch *b, const worker *workers, char now[160])
{
    rill_batch_standing s = {.ended = 0};
    now[0] = '\0';
    pthread_mutex_lock(&b->lock);
    for (size_t i = 0; i < b->out->count; i++) s.all += b->weights[i];
    for (size_t k = 0; k < b->ended_count; k++)
        rill_batch_standing_add(&s, &b->out->rows[b->ended[k]], b->weights[b->ended[k]]);
    for (int w = 0; w < b->out->at_once; w++) {
        if (!workers[w].now[0]) continue;
        const double computing = workers[w].part.done * b->weights[workers[w].item];
        s.done += computing;
        s.fresh += computing;
        if (!now[0]) memcpy(now, workers[w].now, sizeof workers[w].now);
    }
    pthread_mutex_unlock(&b->lock);
    return s;
}

static double device_use(batch *b, double seconds)
{
    double use = 0;
    for (int d = 0; d < b->devices; d++) use += rill_meter_seconds(&b->meters[d]) / seconds / b->devices;
    return use;
}

/* @return false when the callback cancels the batch */
static bool report(batch *b, const worker *workers, double begun)
{
    const rill_progress progress = b->options->progress;
    if (!progress.fn) return true;
    char now[160];
    const rill_batch_standing s = stand(b, workers, now);
    const double seconds = rill_now() - begun;
    char what[96], failed[64] = "", detail[320];
    snprintf(what, sizeof what, "%zu of %zu items", s.ended, b->out->count);
    if (s.failed) snprintf(failed, sizeof failed, ", %zu without a result", s.failed);
    snprintf(detail, sizeof detail, "device use %.0f %%%s, now %s", 100 * device_use(b, seconds), failed,
             now);
    const bool known = s.ended || s.done > 0;
    rill_progress_moment moment = rill_progress_moment_of(what, known ? s.done / s.all : -1, detail);
    moment.seconds_left = rill_batch_standing_left(&s, seconds);
    return progress.fn(progress.context, &moment);
}

/* What the calling thread has done with the items that have ended. */
typedef struct desk {
    size_t seen;          /* of batch.ended */
    bool changed;         /* rows since the table was written */
    double written, took; /* when, and how long it took */
} desk;

/* Hand out the rows of the items that have ended since. */
static rill_status hand_out(batch *b, desk *d)
{
    rill_status status = RILL_OK;
    pthread_mutex_lock(&b->lock);
    const size_t count = b->ended_count;
    pthread_mutex_unlock(&b->lock);
    for (; d->seen < count; d->seen++) {
        const size_t item = b->ended[d->seen];
        d->changed = b->settled[item] = true;
        if (b->options->ended && b->out->rows[item].reason != RILL_BATCH_OPEN)
            RILL_TRY(b->options->ended(b->options->context, item, &b->out->rows[item]));
    }
done:
    return status;
}

static rill_status table_write(batch *b, desk *d, bool last)
{
    const double now = rill_now(), pause = fmax(TABLE_SECONDS, d->took / TABLE_PART);
    if (!b->options->table || !d->changed || (!last && now - d->written < pause)) return RILL_OK;
    const rill_status status =
        rill_batch_csv_write(b->options->table, b->csv, b->items, b->out->rows, b->settled, b->out->count);
    d->changed = status != RILL_OK;
    d->written = rill_now();
    d->took = d->written - now;
    return status;
}

static void wait_for_change(batch *b, size_t seen, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(1e9 * seconds);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&b->lock);
    while (b->ended_count == seen && !b->cancelled)
        if (pthread_cond_timedwait(&b->changed, &b->lock, &until) == ETIMEDOUT) break;
    pthread_mutex_unlock(&b->lock);
}

static void cancel(batch *b)
{
    pthread_mutex_lock(&b->lock);
    b->cancelled = true;
    pthread_mutex_unlock(&b->lock);
    rill_gate_cancel(&b->gate);
}

/* Until every item has ended, or the batch. */
static rill_status attend(batch *b, const worker *workers, desk *d, double begun)
{
    rill_status status = RILL_OK;
    double reported = 0;
    while (d->seen < b->out->count && !cancelled(b)) {
        wait_for_change(b, d->seen, fmin(b->options->progress_seconds, 0.2));
        RILL_TRY(hand_out(b, d));
        RILL_TRY(table_write(b, d, false));
        if (rill_now() - reported < b->options->progress_seconds) continue;
        reported = rill_now();
        if (!report(b, workers, begun)) {
            cancel(b);
            RILL_TRY(rill_fail(RILL_CANCELLED, "cancelled: %zu of %zu items have ended%s", d->seen,
                               b->out->count, b->options->table && d->seen ? " and are in the table" : ""));
        }
    }
done:
    return status;
}

/* Keep the first failure, whose message what follows may overwrite. */
typedef struct outcome {
    rill_status status;
    char why[1024];
} outcome;

static void outcome_add(outcome *o, rill_status status)
{
    if (o->status != RILL_OK || status == RILL_OK) return;
    o->status = status;
    snprintf(o->why, sizeof o->why, "%s", rill_error_message());
}

static rill_status run(batch *b)
{
    outcome came = {RILL_OK, ""};
    desk d = {.seen = 0};
    const double begun = rill_now();
    worker *workers = calloc((size_t)b->out->at_once, sizeof *workers);
    if (!workers)
        return rill_fail(RILL_SYSTEM, "out of memory for %d items at the same time", b->out->at_once);
    int started = 0;
    for (int w = 0; w < b->out->at_once; w++) {
        workers[w] = (worker){.batch = b, .number = w % b->devices};
        workers[w].started = pthread_create(&workers[w].thread, NULL, work, &workers[w]) == 0;
        started += workers[w].started;
    }
    if (started == 0) outcome_add(&came, rill_fail(RILL_SYSTEM, "the system grants no thread for a batch"));
    if (started > 0) outcome_add(&came, attend(b, workers, &d, begun));
    if (came.status != RILL_OK) cancel(b);
    for (int w = 0; w < b->out->at_once; w++)
        if (workers[w].started) pthread_join(workers[w].thread, NULL);
    b->out->seconds = rill_now() - begun;
    b->out->device_use = device_use(b, b->out->seconds);
    outcome_add(&came, hand_out(b, &d));
    outcome_add(&came, table_write(b, &d, true));
    if (b->broken != RILL_OK) outcome_add(&came, rill_fail(b->broken, "%s", b->why));
    free(workers);
    return came.status == RILL_OK ? RILL_OK : rill_fail(came.status, "%s", came.why);
}

static void destroy(batch *b)
{
    if (b->gated) rill_gate_close(&b->gate);
    for (int d = 0; d < b->devices && b->gated; d++) rill_meter_close(&b->meters[d]);
    rill_batch_csv_destroy(b->csv);
    rill_array_destroy(b->ended);
    rill_array_destroy(b->weights);
    rill_array_destroy(b->settled);
}

rill_status rill_batch_compute(const rill_batch_item *items, size_t count, const rill_batch_options *options,
                               rill_batch *out)
{
    rill_status status = RILL_OK;
    batch *b = NULL;
    memset(out, 0, sizeof *out);
    RILL_TRY(check(items, count, options));
    b = calloc(1, sizeof *b);
    if (!b) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a batch"));
    *b = (batch){.items = items, .options = options, .out = out};
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    out->count = count;
    RILL_TRY(prepare(b));
    RILL_TRY(run(b));
done:
    if (b) {
        for (size_t i = 0; out->rows && i < count; i++) out->ended[out->rows[i].reason]++;
        destroy(b);
        pthread_cond_destroy(&b->changed);
        pthread_mutex_destroy(&b->lock);
        free(b);
    }
    return status;
}
