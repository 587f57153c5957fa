/* SPDX-License-Identifier: Apache-2.0 */
/* Reads --devices and --ranks, and opens what they name. */
#include "cli/devices.h"
#include "cli/cli.h"
#include "cli/team.h"
#include "core/units.h"
#include "device/remote.h"
#include "io/json_file.h"
#include "sim/several.h"

#include <math.h>
#include <stdio.h>
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

bool cli_devices_several(const cli_devices *d) { return d->list || d->ranks > 1 || cli_team(); }

rill_status cli_devices_parse(cli_devices *d)
{
    rill_status status = RILL_OK;
    d->count = 0;
    if (cli_team() && (d->list || d->ranks > 1))
        return rill_fail(RILL_USAGE,
                         "%d processes were started, each with one device: leave out --devices and "
                         "--ranks",
                         cli_team()->size);
    if (cli_team() && cli_team()->size > CLI_DEVICES_MAX)
        return rill_fail(RILL_USAGE, "%d processes are more than %d", cli_team()->size, CLI_DEVICES_MAX);
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

rill_status cli_devices_list(cli_devices *d, rill_backend_kind kind, int ordinals[CLI_DEVICES_MAX])
{
    rill_status status = RILL_OK;
    RILL_TRY(cli_devices_parse(d));
    if (kind == RILL_BACKEND_AUTO)
        kind = rill_backend_available(RILL_BACKEND_CUDA) ? RILL_BACKEND_CUDA : RILL_BACKEND_CPU;
    if (d->list && d->count == 0) RILL_TRY(all_list(d, kind));
    for (int k = 0; k < d->count; k++) ordinals[k] = d->ordinals[k];
done:
    return status;
}

rill_status cli_devices_open(cli_devices *d, rill_device *first)
{
    rill_status status = RILL_OK;
    d->opened[0] = first;
    if (cli_team()) {
        RILL_TRY(rill_remotes_create(cli_team(), first, &d->remotes));
        d->part_count = cli_team()->size;
        for (int k = 0; k < d->part_count; k++) d->parts[k] = rill_remotes_device(d->remotes, k);
        return RILL_OK;
    }
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

/* Return the share of the speed of so many devices that is left, NaN where parts share a device or its speed
 * is not known. */
static double efficiency(const cli_devices_plan *p)
{
    if (p->mlups <= 0 || rill_devices_alike(p->devices, p->count) > 1) return NAN;
    return rill_several_efficiency(p->nodes, p->largest, p->count, p->mlups);
}

static double balance(const cli_devices_plan *p) { return (double)p->largest * p->count / (double)p->nodes; }

void cli_devices_rows(const cli_devices_plan *p)
{
    if (p->count < 2) return;
    const double expected = efficiency(p);
    cli_row("parts", "%d of up to %llu nodes: the largest has %.3f times the mean", p->count,
            (unsigned long long)p->largest, balance(p));
    cli_row("  exchange", "each sends up to %.3g MB per step: %s", (double)p->bytes * 1e-6,
            rill_devices_transport(p->devices, p->count));
    if (isfinite(expected))
        cli_row("  expected efficiency", "%.0f %% of %d times one device", 100 * expected, p->count);
    for (int k = 0; k < p->count && p->memory; k++) {
        char need[32], there[32], label[32];
        uint64_t available = 0;
        bool before = false;
        for (int j = 0; j < k; j++) before |= p->devices[j]->ordinal == p->devices[k]->ordinal;
        if (before || rill_device_available(p->devices[k], &available) != RILL_OK) continue;
        snprintf(label, sizeof label, "  memory, device %d", p->devices[k]->ordinal);
        rill_units_format_bytes((double)p->memory, need, sizeof need);
        rill_units_format_bytes((double)available, there, sizeof there);
        cli_row(label, "%s of %s free, %s", need, there, rill_device_name(p->devices[k]));
    }
}

json_t *cli_devices_json(const cli_devices_plan *p)
{
    if (p->count < 2) return json_null();
    json_t *names = json_array();
    for (int k = 0; k < p->count; k++)
        json_array_append_new(names, json_string(rill_device_name(p->devices[k])));
    return json_pack("{s:i, s:I, s:f, s:I, s:s, s:o, s:I, s:o}", "count", p->count, "nodes_largest",
                     (json_int_t)p->largest, "balance", balance(p), "bytes_per_step", (json_int_t)p->bytes,
                     "transport", rill_devices_transport(p->devices, p->count), "expected_efficiency",
                     rill_json_real(efficiency(p)), "device_bytes", (json_int_t)p->memory, "devices", names);
}

void cli_devices_close(cli_devices *d)
{
    rill_remotes_destroy(d->remotes);
    d->remotes = NULL;
    for (int k = 0; k < CLI_DEVICES_MAX; k++) rill_device_destroy(d->opened[k]);
    memset(d->opened, 0, sizeof d->opened);
}
