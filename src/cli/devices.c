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
        return rill_fail(RILL_USAGE, "--devices %s names more than %d devices: name fewer", d->list,
                         CLI_DEVICES_MAX);
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
                         "%d processes were started, each with one device: leave out --devices and --ranks",
                         cli_team()->size);
    if (cli_team() && cli_team()->size > CLI_DEVICES_MAX)
        return rill_fail(RILL_USAGE, "%d processes are more than %d: start fewer", cli_team()->size,
                         CLI_DEVICES_MAX);
    if (d->list && d->ranks > 1)
        return rill_fail(RILL_USAGE, "--devices and --ranks do not go together: --ranks cuts for one device");
    if (d->ranks > CLI_DEVICES_MAX)
        return rill_fail(RILL_USAGE, "--ranks %llu is more than %d: use fewer", (unsigned long long)d->ranks,
                         CLI_DEVICES_MAX);
    if (!d->list || strcmp(d->list, "all") == 0) return RILL_OK;
    for (const char *at = d->list;; at++) {
        char *end;
        const long ordinal = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : -1;
        if (ordinal < 0 || ordinal > 999 || (*end != ',' && *end != '\0'))
            return rill_fail(RILL_USAGE, "--devices %s is not a list of device numbers: write 0,1 or all",
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

rill_status cli_devices_keeper(cli_devices *d, rill_keeper *keeper)
{
    rill_status status = RILL_OK;
    if (!cli_team()) return RILL_OK;
    if (!d->remotes) RILL_TRY(rill_remotes_create(cli_team(), &d->remotes));
    if (keeper) *keeper = rill_remotes_keeper(d->remotes);
done:
    return status;
}

rill_status cli_devices_open(cli_devices *d, rill_device *first)
{
    rill_status status = RILL_OK;
    d->opened[0] = first;
    if (cli_team()) {
        RILL_TRY(cli_devices_keeper(d, NULL));
        RILL_TRY(rill_remotes_open(d->remotes, first));
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

/* Return the microseconds of a step of part k alone, 0 if the speed is not known. */
static double step_of(const cli_devices_plan *p, int k)
{
    return p->parts.mlups > 0
               ? p->parts.part[k].cost * (double)p->parts.nodes / p->parts.count / p->parts.mlups
               : 0;
}

static uint64_t nodes_largest(const cli_devices_plan *p)
{
    uint64_t most = 0;
    for (int k = 0; k < p->parts.count; k++)
        most = p->parts.part[k].nodes > most ? p->parts.part[k].nodes : most;
    return most;
}

/* Sum up the parts of the device of part k. @return false if a part before it is on the same device */
static bool device_sum(const cli_devices_plan *p, int k, int *parts, rill_part_plan *sum, double *step)
{
    *parts = 0;
    *sum = (rill_part_plan){.device_free = p->parts.part[k].device_free};
    *step = 0;
    for (int j = 0; j < p->parts.count; j++) {
        if (p->parts.devices[j]->ordinal != p->parts.devices[k]->ordinal) continue;
        if (j < k) return false;
        ++*parts;
        sum->nodes += p->parts.part[j].nodes;
        sum->bytes += p->parts.part[j].bytes;
        sum->device_bytes += p->parts.part[j].device_bytes;
        *step += step_of(p, j);
    }
    return true;
}

static void device_row(const cli_devices_plan *p, int k)
{
    char label[32], memory[96] = "", time[48] = "", need[32], there[32];
    int parts;
    rill_part_plan sum;
    double step;
    if (!device_sum(p, k, &parts, &sum, &step)) return;
    snprintf(label, sizeof label, "  device %d", p->parts.devices[k]->ordinal);
    rill_units_format_bytes((double)sum.device_bytes, need, sizeof need);
    rill_units_format_bytes((double)sum.device_free, there, sizeof there);
    if (sum.device_bytes) snprintf(memory, sizeof memory, ", memory %s of %s free", need, there);
    if (step > 0) snprintf(time, sizeof time, ", %.3g ms per step", 1e-3 * step);
    cli_row(label, "%d part%s, %llu nodes%s%s, %s", parts, parts == 1 ? "" : "s",
            (unsigned long long)sum.nodes, memory, time, rill_device_name(p->parts.devices[k]));
}

/* Say that another axis than z, across which parts are cut, is longer by far. */
static void longest_row(const uint32_t n[3])
{
    static const double far = 1.5;
    const int longest = n[0] > n[1] ? 0 : 1;
    if (n[longest] > far * n[2])
        cli_row("",
                "parts are cut across z, but the box is longest along %c: rotate it (--axes) to send less",
                rill_axis(longest));
}

void cli_devices_rows(const cli_devices_plan *p, const uint32_t n[3])
{
    if (p->given < 2) return;
    const double expected = rill_several_expected(&p->parts);
    if (p->parts.count < p->given)
        cli_row("parts", "%d, not %d: a part has 4,096 nodes or more%s", p->parts.count, p->given,
                p->parts.count == 1 ? ", and lies in at most nz - 2 planes if z is periodic" : "");
    if (p->parts.count < 2) return;
    cli_row(p->parts.count < p->given ? "" : "parts",
            "%d of up to %llu nodes: the slowest takes %.3f times the mean", p->parts.count,
            (unsigned long long)nodes_largest(p), rill_several_balance(&p->parts));
    cli_row("  exchange", "each sends up to %.3g MB per step: %s",
            (double)rill_several_bytes(&p->parts) * 1e-6,
            rill_devices_transport(p->parts.devices, p->parts.count));
    longest_row(n);
    if (p->parts.split) cli_row("", "an opening lies in several parts, which costs another exchange");
    if (isfinite(expected))
        cli_row("  expected efficiency", "%.0f %% of %d times one device", 100 * expected, p->parts.count);
    for (int k = 0; k < p->parts.count; k++) device_row(p, k);
}

static json_t *device_json(const cli_devices_plan *p, int k)
{
    int parts;
    rill_part_plan sum;
    double step;
    if (!device_sum(p, k, &parts, &sum, &step)) return NULL;
    return json_pack("{s:i, s:s, s:i, s:I, s:I, s:I, s:I, s:o}", "number", p->parts.devices[k]->ordinal,
                     "name", rill_device_name(p->parts.devices[k]), "parts", parts, "nodes",
                     (json_int_t)sum.nodes, "bytes_per_step", (json_int_t)sum.bytes, "device_bytes",
                     (json_int_t)sum.device_bytes, "device_bytes_free", (json_int_t)sum.device_free,
                     "step_us", rill_json_real(step > 0 ? step : NAN));
}

json_t *cli_devices_json(const cli_devices_plan *p)
{
    if (p->given < 2 || !p->parts.part) return json_null();
    json_t *devices = json_array();
    for (int k = 0; k < p->parts.count; k++) {
        json_t *one = device_json(p, k);
        if (one) json_array_append_new(devices, one);
    }
    return json_pack(
        "{s:i, s:i, s:I, s:f, s:I, s:s, s:o, s:o}", "count", p->parts.count, "devices_given", p->given,
        "nodes_largest", (json_int_t)nodes_largest(p), "balance", rill_several_balance(&p->parts),
        "bytes_per_step", (json_int_t)rill_several_bytes(&p->parts), "transport",
        p->parts.count > 1 ? rill_devices_transport(p->parts.devices, p->parts.count) : "none",
        "expected_efficiency", rill_json_real(rill_several_expected(&p->parts)), "devices", devices);
}

void cli_devices_close(cli_devices *d)
{
    rill_remotes_destroy(d->remotes);
    d->remotes = NULL;
    for (int k = 0; k < CLI_DEVICES_MAX; k++) rill_device_destroy(d->opened[k]);
    memset(d->opened, 0, sizeof d->opened);
}
