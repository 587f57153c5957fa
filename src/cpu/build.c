/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the arrays of a domain with the threads of a CPU: rows of cells each, in any order. */
#include "core/progress.h"
#include "cpu/rows.h"

enum { POLLED = 64 }; /* rows that a thread builds before it is asked whether to go on */

/* Go through the occupied cells of the planes to build. */
RILL_FN void build_cells(const rill_builder *b, const int task)
{
    const rill_build_cells *cells = rill_build_cells_of(b, task);
    const int64_t lines = (int64_t)(b->end - b->first) * b->n[1];
    rill_progress_watch *watch = rill_progress_here();
    bool goes_on = true;
#pragma omp parallel for schedule(static) firstprivate(goes_on)
    for (int64_t line = 0; line < lines; line++) {
        if (line % POLLED == 0) goes_on = rill_progress_goes_on(watch);
        if (!goes_on) continue;
        uint32_t x[3] = {0, (uint32_t)(line % b->n[1]), b->first + (uint32_t)(line / b->n[1])};
        const size_t first = rill_build_line(b, x[1], x[2]);
        for (size_t w = 0; w < b->row_words; w++) {
            rill_node rank = cells->base[first + w];
            for (uint64_t left = cells->occupied[first + w]; left; left &= left - 1, rank++) {
                x[0] = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(left);
                rill_build_cell(b, task, x, rank);
            }
        }
    }
}

RILL_FN void build_words(const rill_builder *b, const int task)
{
    const int64_t words = (int64_t)rill_build_words(b, task);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < words; k++) rill_build_word(b, task, (uint64_t)k);
}

void RILL_CPU_BUILD(RILL_PART_LEVEL)(const rill_builder *b, rill_build_task task)
{
    switch (task) { /* constants, so that a task has a loop of its own */
    case RILL_BUILD_LIST:
        build_cells(b, RILL_BUILD_LIST);
        break;
    case RILL_BUILD_GHOST_LIST:
        build_cells(b, RILL_BUILD_GHOST_LIST);
        break;
    case RILL_BUILD_FLAGS:
        build_cells(b, RILL_BUILD_FLAGS);
        break;
    case RILL_BUILD_STARTS:
        build_cells(b, RILL_BUILD_STARTS);
        break;
    case RILL_BUILD_PLACES:
        build_cells(b, RILL_BUILD_PLACES);
        break;
    case RILL_BUILD_WORDS:
        build_words(b, RILL_BUILD_WORDS);
        break;
    case RILL_BUILD_GHOST_WORDS:
        build_words(b, RILL_BUILD_GHOST_WORDS);
        break;
    case RILL_BUILD_PADDING:
        for (uint64_t k = 0; k < rill_build_padding(b) * (uint64_t)b->rows; k++) rill_build_pad(b, k);
        break;
    }
}
