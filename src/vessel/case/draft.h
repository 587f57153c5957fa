/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file draft.h
 * A case file for a surface of which nothing but its shape is known: it runs as it is, and says what it
 * assumes.
 */
#ifndef RILL_VESSEL_DRAFT_H
#define RILL_VESSEL_DRAFT_H

#include "vessel/case/waveform.h"

#include <stdio.h>

/** What a draft is made of. Texts are borrowed. */
typedef struct rill_draft {
    const char *name;     /**< of the case file, as its comments name it */
    const char *source;   /**< of the surface, likewise */
    const char *geometry; /**< path of the geometry as the case names it */
    const char *waveform; /**< path of the waveform of the inlet, likewise; NULL: a steady flow is assumed */
    const rill_waveform *wave; /**< that waveform, a flow or a velocity */
    int inlet;                 /**< number of the opening that is the inlet */
    const char *inlet_reason;  /**< why, for a comment */
} rill_draft;

/**
 * Return the opening that is the inlet: the one whose name begins with "in", else the largest.
 * @param[out] reason  which of both, for a comment
 */
int rill_draft_inlet(const rill_surface *surface, const char **reason);

/**
 * Print the case. Outlets get resistances, with a waveform Windkessels, of which all conductances together
 * let the mean flow through at the mean arterial pressure; each is proportional to the cube of the outlet's
 * hydraulic diameter (Murray 1926, doi:10.1073/pnas.12.3.207).
 * @return RILL_USAGE for a surface with fewer than two openings, RILL_SYSTEM without memory
 */
rill_status rill_draft_print(FILE *out, const rill_geom *geom, const rill_draft *draft);

#endif
