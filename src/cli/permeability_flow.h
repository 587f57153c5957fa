/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file permeability_flow.h
 * A permeability as the flow of a fluid in SI units: its options, rows and JSON.
 */
#ifndef RILL_CLI_PERMEABILITY_FLOW_H
#define RILL_CLI_PERMEABILITY_FLOW_H

#include "cli/permeability_output.h"

#include <jansson.h>

/** A requested flow. Start with zeros. */
typedef struct cli_flow {
    const char *fluid, *viscosity, *density, *drop; /**< as given; NULL: not given */
    rill_fluid of;
    double pressure; /**< drop over the length of the sample, Pa; 0: no flow is shown */
} cli_flow;

/** The options of a flow, for an option table. */
#define CLI_FLOW(flow)                                                                                       \
    {.help = "Flow in SI units, by Darcy's law"},                                                            \
        {"pressure-drop",                                                                                    \
         0,                                                                                                  \
         CLI_TEXT,                                                                                           \
         &(flow).drop,                                                                                       \
         "PRESSURE",                                                                                         \
         "show flow rate and Darcy velocity for this drop over the length of the sample: 1bar",              \
         .fallback = "no flow"},                                                                             \
        {"fluid",       0,      CLI_TEXT,                                                                    \
         &(flow).fluid, "NAME", "water, brine (1 mol NaCl per kg) or air, at 20 C",                          \
         .fallback = ""},                                                                                    \
        {"viscosity",   0, CLI_TEXT, &(flow).viscosity, "VISCOSITY", "that of another fluid: \"1.2 mPa.s\"", \
         .fallback = ""},                                                                                    \
    {                                                                                                        \
        "density", 0, CLI_TEXT, &(flow).density, "DENSITY",                                                  \
            "for the Reynolds number with --viscosity: \"1030 kg/m3\"", .fallback = ""                       \
    }

/** A flow of a larger Reynolds number loses a part of its pressure drop to inertia. */
#define CLI_FLOW_STOKES 1.0

/** Read the options. */
rill_status cli_flow_settle(cli_flow *flow);

/** Return a flow of one axis as JSON. */
json_t *cli_flow_json(const rill_darcy_flow *flow);

/** Refuse a flow of a geometry whose voxel size is not known. */
rill_status cli_flow_check(const cli_flow *flow, const rill_geom *geom);

/** Add a note to a result whose flow would be no Stokes flow. */
rill_status cli_flow_note(const cli_flow *flow, const rill_geom *geom, rill_permeability *p);

/** Print the flow along each axis. */
void cli_permeability_print_flow(const cli_permeability_result *r);

/** Return the same as JSON: null without a flow. */
json_t *cli_permeability_flow_json(const cli_permeability_result *r);

#endif
