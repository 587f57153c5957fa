/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations of the parts of a domain, and what they exchange. */
#include "sim/several.h"
#include "sim/sim_priv.h"

#include "domain/parts.h"
#include "kernel/storage.h"

#include <stdlib.h>

/* What one part sends and receives, in the memory of its device. */
typedef struct mail {
    const rill_cut_link *sends, *receives;
    void *sent[2];  /* of even and odd exchanges: the other part may still copy the last */
    void *received; /* NULL on a host, where parts read what was sent */
    const void *turns;
} mail;

struct rill_several {
    rill_parts parts;
    rill_sim **sims; /* [parts.count] */
    mail *mail;      /* [parts.count] */
    bool one_queue;  /* all parts are on one device, whose queue keeps the order */
    unsigned exchanges;
};

int rill_sim_parts(const rill_sim *sim) { return sim->several ? sim->several->parts.count : 1; }

rill_sim *rill_sim_part(rill_sim *sim, int k) { return sim->several ? sim->several->sims[k] : sim; }

rill_node rill_sim_part_first(const rill_sim *sim, int k)
{
    return sim->several ? sim->several->parts.part[k].first : 0;
}

rill_status rill_sim_alone(const rill_sim *sim, const char *what)
{
    if (!sim->several) return RILL_OK;
    return rill_fail(RILL_USAGE, "%s cannot be had on %d devices yet: use one device", what,
                     sim->several->parts.count);
}

static rill_status check(const rill_sim *sim)
{
    const rill_variant v = sim->options.variant;
    const int count = sim->options.device_count;
    if (v.addressing == RILL_DENSE || rill_stream_ring(v.stream) || v.bounce == RILL_FULL_WAY)
        return rill_fail(
            RILL_USAGE,
            "%s cannot be had on %d devices: choose pull, push, AA or an Esoteric scheme, a list, "
            "chase or a bitmap, and half-way bounce-back",
            v.addressing == RILL_DENSE   ? "direct addressing"
            : rill_stream_ring(v.stream) ? "the ring buffer"
                                         : "full-way bounce-back",
            count);
    for (int k = 0; k < count; k++)
        if (!sim->options.devices[k] || sim->options.devices[k]->backend != sim->options.devices[0]->backend)
            return rill_fail(RILL_USAGE,
                             "device %d of %d is of another backend than the first: choose %s ones", k, count,
                             sim->options.devices[0] ? sim->options.devices[0]->backend->name : "open");
    return RILL_OK;
}

static rill_status mail_create(rill_sim *part, const rill_part *cut, mail *m)
{
    rill_status status = RILL_OK;
    rill_device *device = part->device;
    const uint64_t size = rill_storage_size((int)part->options.variant.storage);
    RILL_TRY(rill_device_share(device, cut->sends.links, (cut->sends.count + 1) * sizeof *m->sends,
                               "links between parts", (const void **)&m->sends));
    RILL_TRY(rill_device_share(device, cut->receives.links, (cut->receives.count + 1) * sizeof *m->receives,
                               "links between parts", (const void **)&m->receives));
    for (int k = 0; k < 2; k++)
        RILL_TRY(rill_device_alloc(device, (cut->sends.count + 1) * size, "populations between parts",
                                   &m->sent[k]));
    if (!device->backend->host)
        RILL_TRY(rill_device_alloc(device, (cut->receives.count + 1) * size, "populations between parts",
                                   &m->received));
    if (cut->turn_count)
        RILL_TRY(rill_device_share(device, cut->turns, cut->turn_count * sizeof(rill_swap), "mirrored links",
                                   &m->turns));
done:
    return status;
}

static void mail_destroy(rill_sim *part, mail *m)
{
    rill_device_release(part->device, m->sends);
    rill_device_release(part->device, m->receives);
    for (int k = 0; k < 2; k++) rill_device_free(part->device, m->sent[k]);
    rill_device_free(part->device, m->received);
    rill_device_release(part->device, m->turns);
}

rill_status rill_several_create(rill_sim *sim)
{
    rill_status status = RILL_OK;
    rill_sim_options own = sim->options;
    const int count = sim->options.device_count;
    rill_several *several = calloc(1, sizeof *several);
    if (!several) return rill_fail(RILL_SYSTEM, "out of memory for %d devices", count);
    RILL_TRY(check(sim));
    RILL_TRY(rill_parts_create(sim->domain, count, &several->parts));
    several->sims = calloc((size_t)count, sizeof *several->sims);
    several->mail = calloc((size_t)count, sizeof *several->mail);
    if (!several->sims || !several->mail) {
        status = rill_fail(RILL_SYSTEM, "out of memory for %d devices", count);
        goto done;
    }
    several->one_queue = true;
    own.device_count = 0;
    for (int p = 0; p < count; p++) {
        own.device = sim->options.devices[p];
        several->one_queue = several->one_queue && own.device == sim->options.devices[0];
        RILL_TRY(rill_sim_create(several->parts.part[p].domain, &own, &several->sims[p]));
        RILL_TRY(mail_create(several->sims[p], &several->parts.part[p], &several->mail[p]));
    }
    sim->device = several->sims[0]->device;
    sim->several = several;
    several = NULL;
done:
    rill_several_destroy(several);
    return status;
}

void rill_several_destroy(rill_several *several)
{
    if (!several) return;
    for (int p = 0; p < several->parts.count && several->sims && several->mail; p++) {
        if (several->sims[p]) mail_destroy(several->sims[p], &several->mail[p]);
        rill_sim_destroy(several->sims[p]);
    }
    free(several->sims);
    free(several->mail);
    rill_parts_destroy(&several->parts);
    free(several);
}

/* Wait for the devices, where their queues do not keep the order themselves. */
static rill_status all_wait(const rill_several *several)
{
    rill_status status = RILL_OK;
    for (int p = 0; p < several->parts.count && !several->one_queue; p++)
        RILL_TRY(rill_device_wait(several->sims[p]->device));
done:
    return status;
}

/* Bring to part p what the others sent. */
static rill_status receive(rill_several *several, int p)
{
    rill_status status = RILL_OK;
    rill_sim *to = several->sims[p];
    const rill_cut_links *all = &several->parts.part[p].receives;
    const mail *m = &several->mail[p];
    const size_t size = rill_storage_size((int)to->options.variant.storage);
    const rill_launch launch = rill_sim_launch(to);
    for (int q = 0; q < several->parts.count; q++) {
        const uint64_t first = all->first[q], count = all->first[q + 1] - first;
        if (count == 0) continue;
        const char *words = (const char *)several->mail[q].sent[several->exchanges & 1] +
                            several->parts.part[q].sends.first[p] * size;
        if (m->received) {
            char *here = (char *)m->received + first * size;
            RILL_TRY(rill_device_pass(to->device, here, several->sims[q]->device, words, count * size));
            words = here;
        }
        to->kernels->unpack(&launch, m->receives + first, count, words);
    }
    if (several->parts.part[p].turn_count)
        to->kernels->swap(&launch, m->turns, several->parts.part[p].turn_count);
done:
    return status;
}

/* Bring what crosses between parts to where the next step reads it. */
static rill_status exchange(rill_sim *sim)
{
    rill_status status = RILL_OK;
    rill_several *several = sim->several;
    several->exchanges++;
    for (int p = 0; p < several->parts.count; p++) {
        const rill_launch launch = rill_sim_launch(several->sims[p]);
        several->sims[p]->kernels->pack(&launch, several->mail[p].sends, several->parts.part[p].sends.count,
                                        several->mail[p].sent[several->exchanges & 1]);
    }
    RILL_TRY(all_wait(several));
    for (int p = 0; p < several->parts.count; p++) RILL_TRY(receive(several, p));
done:
    return status;
}

rill_status rill_several_begin(rill_sim *sim, uint64_t steps)
{
    rill_status status = RILL_OK;
    for (uint64_t k = 0; k < steps; k++) {
        for (int p = 0; p < sim->several->parts.count; p++)
            RILL_TRY(rill_sim_begin(sim->several->sims[p], 1));
        RILL_TRY(exchange(sim));
        sim->steps++;
    }
done:
    return status;
}
