/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file resume.h
 * What a checkpoint says of its case: a text with a line for each key, so that a run that goes on with
 * another case is refused with the key that differs, and what the run derived from its case, which stays as
 * it is when the run is given more time.
 */
#ifndef RILL_VESSEL_RESUME_H
#define RILL_VESSEL_RESUME_H

#include "vessel/case/case.h"

/** The part of a checkpoint that holds the text. */
#define RILL_RESUME_PART "case"

/**
 * Write the text of a case and its plan. @param[in] span  steps of a cycle, or of the span of a steady run
 * @param[out] out  to be freed
 */
rill_status rill_resume_text(const rill_case *given, const rill_case_plan *plan, uint64_t span,
                             uint64_t phases, char **out);

/** Return a hash of the lines that the bits of a run depend on, whatever their order. */
uint64_t rill_resume_hash(const char *text);

/**
 * Read what a checkpoint derived from its case; one that has no text gives nothing.
 * @param[in]  directory  of the results
 * @return RILL_USAGE, with the key that differs, when it belongs to another case
 * @see tests/cli/test_cli_run.c
 */
rill_status rill_resume_find(const char *directory, const rill_case *given, rill_case_plan_resume *out);

#endif
