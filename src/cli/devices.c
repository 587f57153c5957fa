/* SPDX-License-Identifier: Apache-2.0 */
/* Reads --devices and --ranks, and opens what they name. */
#include "cli/devices.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* Objects that are opened for one GPU: no more simulations than these look at openings at the same time, as
 * RILL_CUDA_PATCH_RESIDENT allows. */
enum { PER_GPU = 2 };

static rill_status ordinal_add(cli_devices *d, long ordinal)
{
    for (int k = 0; k < d->count; k++)
        if (d->ordinals[k] == ordinal)
            return rill_fail(RILL_USAGE, "--devices %s names device %ld twice: name each once", d->list,
                             ordinal);
    if (d->count == CLI_DEVICES_MAX)
        return rill_fail(RILL_USAGE, "--devices %s names more than %d devices", d->list, CLI_DEVICES_MAX);
    d->ordinals[d->count++] = (int)ordinal;
    return RILL_OK;
}

rill_status cli_devices_parse(cli_devices *d)
{
    rill_status status = RILL_OK;
    d->count = 0;
    if (d->list && d->ranks > 1)
        return rill_fail(RILL_USAGE, "--devices and --ranks do not go together: --ranks cuts for one device");
    if (d->ranks > CLI_DEVICES_MAX)
        return rill_fail(RILL_USAGE, "--ranks %llu is more than %d", (unsigned long long)d->ranks,
                         CLI_DEVICES_MAX);
    if (!d->list || strcmp(d->list, "all") == 0) return RILL_OK;
    for (const char *at = d->list;; at++) {
        char *end;
        const long ordinal = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : -1;
        if (ordinal < 0 || ordinal > 999 || (*end != ',' && *end != '\0'))
            return rill_fail(RILL_USAGE, "--devices %s is no list of device numbers: write 0,1 or all",
                             d->list);
        RILL_TRY(ordinal_add(d, ordinal));
        at = end;
        if (*at == '\0') break;
    }
done:
    return status;
}

int cli_devices_first(const cli_devices *d) { return d->count ? d->ordinals[0] : 0; }

static rill_status all_list(cli_devices *d, rill_backend_kind kind)
{
    rill_status status = RILL_OK;
    int count = 1;
    RILL_TRY(rill_device_count(kind, &count));
    for (int k = 0; k < count; k++) RILL_TRY(ordinal_add(d, k));
done:
    return status;
}

rill_status cli_devices_open(cli_devices *d, rill_device *first)
{
    rill_status status = RILL_OK;
    d->opened[0] = first;
    if (d->list && d->count == 0) RILL_TRY(all_list(d, first->kind));
    for (int k = 1; k < d->count; k++)
        RILL_TRY(rill_device_create(first->kind, d->ordinals[k], &d->opened[k]));
    const int count = d->count > 1 ? d->count : d->ranks > 1 ? (int)d->ranks : 1;
    int opened = d->count > 1 ? count : 1;
    if (d->ranks > 1 && first->queue) /* queues of their own, as on several GPUs */
        for (; opened < PER_GPU; opened++)
            RILL_TRY(rill_device_create(first->kind, first->ordinal, &d->opened[opened]));
    for (int k = 0; k < count; k++) d->parts[k] = d->opened[k % opened];
    d->part_count = count;
done:
    return status;
}

void cli_devices_row(int parts, uint64_t nodes, uint64_t bytes)
{
    if (parts > 1)
        cli_row("devices", "%d parts of up to %llu nodes; each sends up to %.3g MB per step", parts,
                (unsigned long long)nodes, (double)bytes * 1e-6);
}

void cli_devices_close(cli_devices *d)
{
    for (int k = 0; k < CLI_DEVICES_MAX; k++) rill_device_destroy(d->opened[k]);
    memset(d->opened, 0, sizeof d->opened);
}
