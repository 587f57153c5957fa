/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file lines.h
 * Lines of the text files that a case names, without blank ones.
 */
#ifndef RILL_VESSEL_LINES_H
#define RILL_VESSEL_LINES_H

#include "rill.h"

#include <stdio.h>

enum { RILL_LINE_MOST = 1024 };

/** A text file that is read line by line. */
typedef struct rill_lines {
    const char *path; /**< borrowed, for messages */
    FILE *file;       /**< owned by the caller */
    int line;         /**< number of the line in `text`, from 1 on */
    char text[RILL_LINE_MOST];
} rill_lines;

/** Open a file for reading, which is no FIFO that would have to be waited for. @param[in] what  it is, for
 * messages: "the waveform" */
rill_status rill_lines_open(const char *path, const char *what, rill_lines *out);

/**
 * Take the next line that is not blank, without blanks around it and a byte order mark in front of the first.
 * @param[in] what  that a line is, for messages: "a waveform"
 * @param[out] more  false at the end
 * @return RILL_USAGE for a line of more than RILL_LINE_MOST - 2 characters, RILL_SYSTEM if it cannot be read
 */
rill_status rill_lines_next(rill_lines *lines, const char *what, bool *more);

/** Take the next line that is neither blank nor a comment, which # begins. As rill_lines_next(). */
rill_status rill_lines_row(rill_lines *lines, const char *what, bool *more);

/** Divide the title of a column, "x [mm]" or "x (mm)", into its name, without blanks, and its unit, "" if it
 * has none; in place. */
void rill_lines_title(char *title, char **name, char **unit);

/**
 * Read the unit of a column of the current line.
 * @param[in] name    of the column, and `header` an example of one, for messages
 * @param[in] wanted  unit that `*scale` converts to; "1": the column may have none
 * @return RILL_USAGE if the unit is missing or another one
 */
rill_status rill_lines_unit(const rill_lines *lines, const char *name, const char *unit, const char *wanted,
                            const char *header, double *scale);

#endif
