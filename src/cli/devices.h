/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file devices.h
 * The devices that a command shares one simulation among: --devices and --ranks.
 */
#ifndef RILL_CLI_DEVICES_H
#define RILL_CLI_DEVICES_H

#include "device/device.h"
#include "geometry/voxels/planes.h"
#include "sim/several.h"

#include <jansson.h>

enum { CLI_DEVICES_MAX = 64 };

/** Devices, and which of them each part of a simulation is stepped by. */
typedef struct cli_devices {
    const char *list; /**< --devices: "0,1", "all"; NULL: one device */
    uint64_t ranks;   /**< --ranks: parts that one device steps; 0 or 1: one */
    int ordinals[CLI_DEVICES_MAX];
    int count; /**< of the ordinals; 0 for "all" before they are counted */
    rill_device *opened[CLI_DEVICES_MAX];
    rill_device *parts[CLI_DEVICES_MAX]; /**< [part_count], some of the opened ones */
    int part_count;
    struct rill_remotes *remotes; /**< where there are several processes */
} cli_devices;

/** The options, for a table of a command. */
#define CLI_DEVICES(devices)                                                                                 \
    {"devices",       0,      CLI_TEXT,                                                                      \
     &(devices).list, "LIST", "GPUs that step a part of the nodes each: 0,1 or all",                         \
     .fallback = "0"},                                                                                       \
    {                                                                                                        \
        "ranks", 0, CLI_COUNT, &(devices).ranks, "COUNT",                                                    \
            "parts that one device steps, to compare with several devices", .fallback = "1", .min = 1,       \
                                                                            .max = 64                        \
    }

/** Return whether several devices are requested, or there are several processes. */
bool cli_devices_several(const cli_devices *devices);

/** Read the options. @return RILL_USAGE for what is no list, names a device twice, or does not go together */
rill_status cli_devices_parse(cli_devices *devices);

/** Return the number of the first device. */
int cli_devices_first(const cli_devices *devices);

/** Read the options, and list the numbers that they name without opening them. */
rill_status cli_devices_list(cli_devices *devices, rill_backend_kind kind, int ordinals[CLI_DEVICES_MAX]);

/** Find what keeps planes of voxels in the memory of all processes, until the devices are closed.
 * @param[out] keeper  left as it is where there is one process; may be NULL */
rill_status cli_devices_keeper(cli_devices *devices, rill_keeper *keeper);

/** Open the others, and hand out parts. @param first  opened, and closed by cli_devices_close() from now on
 */
rill_status cli_devices_open(cli_devices *devices, rill_device *first);

/** What a plan says of several parts. */
typedef struct cli_devices_plan {
    int given; /**< devices; 0 or 1: not given */
    rill_several_parts parts;
} cli_devices_plan;

/** Print it. @param[in] n  voxels along x, y, z */
void cli_devices_rows(const cli_devices_plan *plan, const uint32_t n[3]);

/** Return it as JSON, null for one device. */
json_t *cli_devices_json(const cli_devices_plan *plan);

/** Close all; those that were not opened are allowed. */
void cli_devices_close(cli_devices *devices);

#endif
