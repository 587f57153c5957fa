/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/notes.h
 * Notes: sentences that change or qualify a value, such as "the file says voxels of 3 um; the voxel size
 * given counts". rill_geom has those of its voxels, rill_permeability those of its runs, a row of a batch
 * both. A geometry file keeps them, and every output has them: docs/files.md.
 */
#ifndef RILL_PUBLIC_NOTES_H
#define RILL_PUBLIC_NOTES_H

#include "rill/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Add sentences to notes, each once: one that is there already is not added again.
 * @param[in,out] notes  e.g. &geom->notes: NULL for none, else sentences with a newline between them,
 * allocated by malloc() and freed by the owner of the structure
 * @param[in] text  UTF-8, one sentence a line without a full stop; NULL and "" add nothing. Other control
 * characters become "?"
 * @return RILL_SYSTEM without memory
 */
rill_status rill_notes_add(char **notes, const char *text);

#ifdef __cplusplus
}
#endif

#endif
