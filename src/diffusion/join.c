/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coarser grids: chambers of blocks of 2^3 and of 4^3 voxels, made where the nodes are
 * (device/diffusion_blocks.h), and the levels of a network of the latter, which processors make: they are an
 * eighth and less of the former, so that little is left to be made by processors, and to be copied. A GPU
 * makes the chambers of 2^3 voxels beside them. While it is being opened, processors make both.
 */
#include "core/aside.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "diffusion/diffusion.h"

#include <string.h>

/* Of what a level conducts, for each that is before it. A corner of Fontainebleau takes 20 iterations with 1,
 * 13 with 0.8 and 13 with 0.7. */
#define COARSER 0.8

static const char *const name = "the coarser grids of a diffusion";

rill_status rill_diffusor_lend(const rill_diffusor *d, uint64_t count, size_t size, const char *what,
                               void *out)
{
    if (count == 0) return RILL_OK;
    return d->device ? rill_device_alloc(d->device, count * size, what, out)
                     : rill_array_create(count, size, what, (void **)out);
}

void rill_diffusor_give_back(const rill_diffusor *d, void *array)
{
    if (d->device && array)
        rill_device_free(d->device, array);
    else
        rill_array_destroy(array);
}

static rill_status send(const rill_diffusor *d, void *to, const void *from, uint64_t bytes)
{
    if (d->device) return rill_device_upload(d->device, to, from, bytes);
    if (to != from) memcpy(to, from, bytes);
    return RILL_OK;
}

/* Count what rows of blocks have, and sum up what those before them have. @param[out] before  [rows + 1] */
static rill_status count(rill_diffusor *d, rill_diffusion_work work, const char *what,
                         rill_block_sums *before)
{
    rill_status status = RILL_OK;
    const uint64_t rows = rill_block_rows(&d->all.grid), bytes = (rows + 1) * sizeof *before;
    uint64_t large = 0, small = 0;
    RILL_TRY(rill_diffusor_do(d, work, NULL));
    if (d->device)
        RILL_TRY(rill_device_download(d->device, before, d->work.before, bytes));
    else
        memcpy(before, d->work.before, bytes);
    before[0] = (rill_block_sums){0, 0};
    for (uint64_t k = 1; k <= rows; k++) {
        large += before[k].large;
        small += before[k].small;
        before[k] = (rill_block_sums){(uint32_t)large, (uint32_t)small};
    }
    if (large > UINT32_MAX || small > UINT32_MAX)
        RILL_TRY(rill_fail(RILL_SYSTEM,
                           "the coarser grids of a diffusion have more than %u %s: crop the image",
                           UINT32_MAX, what));
    RILL_TRY(send(d, d->work.before, before, bytes));
done:
    return status;
}

/* Number the chambers of blocks of one size, and list their links. @param of  where numbers begin
 * @param[in,out] level  its count is given; `begin` and `link` are made */
static rill_status chambers_make(rill_diffusor *d, bool small, const rill_block_sums *of,
                                 rill_block_sums *links, rill_flow_level *level, uint32_t *link_count)
{
    rill_status status = RILL_OK;
    const uint64_t rows = rill_block_rows(&d->all.grid);
    d->work.small = small;
    RILL_TRY(send(d, d->work.before, of, (rows + 1) * sizeof *of));
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_LABEL, NULL));
    RILL_TRY(rill_diffusor_lend(d, (uint64_t)level->count + 1, sizeof *level->begin, name, &level->begin));
    d->work.level = *level;
    RILL_TRY(count(d, RILL_DIFFUSION_LINKS, "links", links));
    *link_count = links[rows].large;
    RILL_TRY(rill_diffusor_lend(d, *link_count, sizeof *level->link, name, &level->link));
    d->work.level.link = level->link;
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_LIST, NULL));
    RILL_TRY(send(d, level->begin + level->count, link_count, sizeof *link_count));
done:
    return status;
}

/* Let coarser levels conduct less, for the same reason as chambers. */
static void coarser_scale(rill_network *network)
{
    double factor = 1;
    for (int k = 1; k < network->levels; k++) {
        const rill_flow_level *level = &network->level[k];
        factor *= COARSER;
        for (uint32_t l = 0; l < level->begin[level->count]; l++) level->link[l].conductance *= (float)factor;
        for (uint32_t r = 0; r < level->count; r++) level->inverse[r] /= factor;
    }
}

/* What a loop over rows of large chambers works with. */
typedef struct members {
    const rill_network *network;
    const uint32_t *small_of;
} members;

static void members_find(const void *shared, uint64_t first, uint64_t end)
{
    const members *m = shared;
    const rill_flow_level *level = m->network->level;
    for (uint64_t r = first; r < end; r++) {
        level->first[r] = m->small_of[m->network->chamber[r]];
        level->end[r] = m->small_of[m->network->chamber[r] + 1];
    }
}

/* What large chambers are made of. */
enum { BEGIN, LINK, OUTLET, SMALL, ARRAYS };

/* Move arrays that loops have made to the host. */
static rill_status home(const rill_diffusor *d, const uint64_t bytes[ARRAYS], void *array[ARRAYS])
{
    rill_status status = RILL_OK;
    void *here[ARRAYS] = {NULL};
    for (int k = 0; k < ARRAYS; k++) {
        RILL_TRY(rill_array_create(bytes[k], 1, name, &here[k]));
        if (bytes[k] > 0) RILL_TRY(rill_device_download(d->device, here[k], array[k], bytes[k]));
    }
    for (int k = 0; k < ARRAYS; k++) rill_diffusor_give_back(d, array[k]);
    memcpy(array, here, sizeof here);
    return RILL_OK;
done:
    for (int k = 0; k < ARRAYS; k++) rill_array_destroy(here[k]);
    return status;
}

/* What is made on the way. */
typedef struct making {
    rill_diffusor *d;
    rill_block_sums *of, *links; /* [rows of blocks + 1] */
    rill_flow_level large;       /* chambers, but for its arrays */
    void *array[ARRAYS];         /* of these, owned, first where loops make them, then of the host */
    bool here;
} making;

/* Number large chambers, and list their links. */
static rill_status large_make(making *m)
{
    rill_status status = RILL_OK;
    rill_diffusor *d = m->d;
    m->large.count = d->chambers.chambers = m->of[rill_block_rows(&d->all.grid)].large;
    const uint64_t n = m->large.count;
    uint32_t link_count = 0;
    m->here = !d->device;
    RILL_TRY(rill_diffusor_lend(d, n + 1, sizeof *d->work.small_of, name, &m->array[SMALL]));
    RILL_TRY(rill_diffusor_lend(d, n, sizeof *d->work.outlet, name, &m->array[OUTLET]));
    d->work.small_of = m->array[SMALL];
    d->work.outlet = m->array[OUTLET];
    status = chambers_make(d, false, m->of, m->links, &m->large, &link_count);
    m->array[BEGIN] = m->large.begin;
    m->array[LINK] = m->large.link;
    RILL_TRY(status);
    RILL_TRY(send(d, d->work.small_of + n, &d->fine.count, sizeof d->fine.count));
    if (m->here) return RILL_OK;
    RILL_TRY(home(d,
                  (uint64_t[]){(n + 1) * sizeof *m->large.begin, link_count * sizeof *m->large.link,
                               n * sizeof *d->work.outlet, (n + 1) * sizeof *d->work.small_of},
                  m->array));
    m->here = true;
done:
    return status;
}

/* Make the levels of large chambers, whose rows are in another order than their numbers. */
static rill_status network_make(making *m)
{
    rill_status status = RILL_OK;
    rill_diffusor *d = m->d;
    rill_network *network = &d->chambers;
    const uint64_t n = m->large.count;
    rill_flow_link *link = m->array[LINK];
    network->outlet = m->array[OUTLET]; /* its own from now on */
    m->array[OUTLET] = m->array[LINK] = NULL;
    status = rill_network_prepare_links(network, m->array[BEGIN], &link);
    rill_array_destroy(link); /* NULL where the network has it */
    RILL_TRY(status);
    coarser_scale(network);
    RILL_TRY(rill_array_create(2 * n, sizeof *d->first, name, (void **)&d->first));
    network->level->first = d->first;
    network->level->end = d->first + n;
    rill_threads_for(n, 4096, members_find, &(members){network, m->array[SMALL]});
done:
    return status;
}

/* Make the level of small chambers, with its vectors. @param context  a `making` */
static rill_status fine_make(void *context)
{
    rill_status status = RILL_OK;
    making *m = context;
    rill_diffusor *d = m->d;
    rill_flow_level *fine = &d->fine;
    const uint64_t n = fine->count;
    double **const vectors[] = {&fine->inverse, &fine->given, &fine->value, &fine->old};
    for (int k = 0; k < 4; k++) RILL_TRY(rill_diffusor_lend(d, n, sizeof(double), name, vectors[k]));
    RILL_TRY(rill_diffusor_lend(d, rill_flow_chunks(fine->count), sizeof(double), name, &d->partial_fine));
    fine->joined = fine->count;
    RILL_TRY(chambers_make(d, true, m->of, m->links, fine, &d->fine_links));
done:
    return status;
}

/* Begin to make, with what both blocks need. */
static rill_status making_begin(making *m)
{
    rill_status status = RILL_OK;
    rill_diffusor *d = m->d;
    const uint64_t rows = rill_block_rows(&d->all.grid);
    m->of = d->early; /* with which the large ones were made */
    d->early = NULL;
    if (!m->of) RILL_TRY(rill_array_create(rows + 1, sizeof *m->of, name, (void **)&m->of));
    RILL_TRY(rill_array_create(rows + 1, sizeof *m->links, name, (void **)&m->links));
    RILL_TRY(rill_diffusor_lend(d, rows + 1, sizeof *m->of, name, &d->work.before));
    if (!d->work.coarse)
        RILL_TRY(rill_diffusor_lend(d, d->numbering.nodes, sizeof *d->work.coarse, name, &d->work.coarse));
done:
    return status;
}

static void making_end(making *m)
{
    rill_diffusor *d = m->d;
    rill_diffusor_give_back(d, d->work.before);
    d->work.before = NULL;
    for (int k = 0; k < ARRAYS; k++)
        if (m->here)
            rill_array_destroy(m->array[k]);
        else
            rill_diffusor_give_back(d, m->array[k]);
    rill_array_destroy(m->of);
    rill_array_destroy(m->links);
}

/* Count the chambers of both blocks, and make the large ones. */
static rill_status count_and_make(making *m)
{
    rill_status status = RILL_OK;
    rill_diffusor *d = m->d;
    RILL_TRY(count(d, RILL_DIFFUSION_COUNT, "chambers", m->of));
    d->fine.count = m->of[rill_block_rows(&d->all.grid)].small;
    RILL_TRY(large_make(m));
done:
    return status;
}

rill_status rill_diffusor_join_early(rill_diffusor *d, int axis, rill_diffusion_ends ends)
{
    rill_status status = RILL_OK;
    making m = {.d = d};
    d->all.grid.between = d->between;
    d->all.grid.axis = axis;
    d->all.grid.ends = ends;
    d->work = d->all;
    RILL_TRY(making_begin(&m));
    RILL_TRY(count_and_make(&m));
    RILL_TRY(network_make(&m));
    d->early = m.of;
    m.of = NULL;
done:
    making_end(&m);
    rill_diffusor_give_back(d, d->work.coarse);
    d->work.coarse = NULL;
    if (status != RILL_OK) rill_diffusor_unjoin(d);
    return status;
}

rill_status rill_diffusor_join(rill_diffusor *d)
{
    rill_status status = RILL_OK;
    making m = {.d = d};
    rill_aside aside = {.work = NULL};
    const bool early = d->early;
    RILL_TRY(making_begin(&m));
    if (!early) RILL_TRY(count_and_make(&m));
    if (d->device) rill_aside_begin(&aside, fine_make, &m); /* processors make the levels meanwhile */
    if (!early) RILL_TRY(network_make(&m));
    if (!d->device) RILL_TRY(fine_make(&m));
    do { /* a run that is cancelled ends between two iterations, where a checkpoint is written */
        status = rill_aside_end(&aside);
    } while (status == RILL_CANCELLED && aside.threaded);
done:
    rill_aside_drop(&aside);
    making_end(&m);
    return status;
}

void rill_diffusor_unjoin(rill_diffusor *d)
{
    rill_flow_level *fine = &d->fine;
    void *const lent[] = {fine->inverse, fine->given, fine->value,    fine->old,
                          fine->begin,   fine->link,  d->partial_fine};
    for (size_t k = 0; k < sizeof lent / sizeof *lent; k++) rill_diffusor_give_back(d, lent[k]);
    d->fine = (rill_flow_level){.count = 0};
    d->partial_fine = NULL;
    rill_network_destroy(&d->chambers);
    rill_array_destroy(d->first);
    rill_array_destroy(d->early);
    d->first = NULL;
    d->early = NULL;
}

const rill_flow_level *rill_diffusor_level(const rill_diffusor *d, int k)
{
    if (k == 0) return &d->fine;
    return (d->device ? d->chambers.copy.level : d->chambers.level) + k - 1;
}
