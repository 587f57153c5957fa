/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file end_kinds.h
 * The kinds of openings in one table: keys in the case file, and the properties by which the circuit
 * (ends.h), the plan, the simulation and the checkpoint treat a kind. A kind whose pressure depends on the
 * flow as that of a three-element Windkessel, or of a special case of it, is a name in case.h and a line of
 * the table.
 */
#ifndef RILL_VESSEL_END_KINDS_H
#define RILL_VESSEL_END_KINDS_H

#include "vessel/case/case.h"
#include "vessel/case/yaml.h"

typedef struct rill_end_type {
    const rill_key *keys; /**< of the case file: offsets in a rill_end_reader; "kind" is the first */
    bool outlet;          /**< listed where a case lacks an outlet */
    bool given;           /**< has a number or a waveform, see rill_end_given() */
    bool holds;           /**< sets the pressure; kinds that do not are driven by a flow */
    bool circuit; /**< p = p_c + proximal Q with compliance dp_c/dt = Q - (p_c - beyond)/distal; members
                       of rill_end that the kind has no key for are 0 */
} rill_end_type;

/** What the keys fill in; `end` is first, so that the offsets are those in a rill_end, too. */
typedef struct rill_end_reader {
    rill_end end;
    const char *wave_path;       /**< as the case gives it; NULL: no waveform */
    const char *velocities_path; /**< the same; NULL: no file of velocities */
} rill_end_reader;

/** By kind. */
extern const rill_end_type rill_end_types[RILL_END_KINDS];

/** By kind, NULL-terminated. */
extern const char *const rill_end_kind_names[];

/** By profile, NULL-terminated. */
extern const char *const rill_profile_names[];

/** Bytes that rill_end_names() needs. */
enum { RILL_END_NAMES = 256 };

/** Return how many keys behind "kind" give an amount, of a kind with `given`: at most one of them is set. */
int rill_end_amounts(rill_end_kind kind);

/** Return what an opening of the case file may be, as JSON Schema; the caller owns it. NULL: out of memory.
 */
struct json_t *rill_end_schema(void);

/**
 * Read the pressure in the heart muscle of a coronary outlet.
 * @param[in] line  of the case file, for messages
 * @return RILL_USAGE for a file that cannot be read, or gives none
 */
rill_status rill_end_read_muscle(const rill_case *given, int line, rill_end_reader *reader);

/**
 * Refuse a waveform of more than the keys of a case may say.
 * @param[in] path  as the case gives it, for messages
 * @param[in] kind    what it is of; of factors what they multiply
 * @param[in] amount  that is multiplied, SI; 1 of others
 */
rill_status rill_end_check_wave(const char *path, const rill_waveform *wave, rill_wave_kind kind,
                                double amount);

/** Return the type of an end. */
const rill_end_type *rill_end_type_of(const rill_end *end);

/** Return whether an end has a compliance, whose pressure is a state of the simulation. */
bool rill_end_stores(const rill_end *end);

/** Return the time in which an end that stores drains, s: that of all its compliances through what is behind
 * them. */
double rill_end_constant(const rill_end *end);

/** Write the names of all kinds, or of outlets alone: "a, b or c". @return text */
const char *rill_end_names(bool outlets, char *text, size_t size);

#endif
