/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the parts of a model of the suite scaling. */
#include "cli/bench.h"

#include "core/units.h"

#include <inttypes.h>
#include <stdio.h>

enum { TEXT = 32 };

static void print_timed(const rill_scaling_part *part)
{
    char held[TEXT], taken[TEXT];
    if (!(part->alone > 0)) return;
    rill_units_format_bytes((double)part->held, held, sizeof held);
    rill_units_format_bytes((double)part->taken, taken, sizeof taken);
    printf(" %10s %10s %11.1f %11.1f %7.1f", held, part->taken ? taken : "-", 1e6 * part->looped,
           1e6 * part->alone, part->making);
}

void bench_parts_print(const rill_scaling_part *each, int parts, uint64_t host)
{
    char text[TEXT];
    bool timed = false;
    for (int p = 0; p < parts; p++) timed |= each[p].alone > 0;
    printf("  %5s %11s %9s %10s", "part", "nodes", "sends MB", "planned");
    if (timed) printf(" %10s %10s %11s %11s %7s", "held", "taken", "looped us", "alone us", "made s");
    printf("\n");
    for (int p = 0; p < parts; p++) {
        rill_units_format_bytes((double)each[p].planned, text, sizeof text);
        printf("  %5d %11" PRIu64 " %9.3f %10s", p, each[p].nodes, 1e-6 * (double)each[p].bytes, text);
        print_timed(&each[p]);
        printf("\n");
    }
    if (host) {
        rill_units_format_bytes((double)host, text, sizeof text);
        printf("  the host needs %s while it makes a part\n", text);
    }
}

json_t *bench_parts_json(const rill_scaling_part *each, int parts)
{
    json_t *list = json_array();
    for (int p = 0; p < parts && list; p++) {
        const rill_scaling_part *part = &each[p];
        json_t *one = json_pack(
            "{s:i, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "part", p, "nodes", (json_int_t)part->nodes,
            "bytes_per_step", (json_int_t)part->bytes, "bytes_device_planned", (json_int_t)part->planned,
            "bytes_device_held", (json_int_t)part->held, "bytes_device_taken", (json_int_t)part->taken,
            "looped_us", 1e6 * part->looped, "alone_us", 1e6 * part->alone, "seconds_made", part->making);
        if (!one || json_array_append_new(list, one)) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}
