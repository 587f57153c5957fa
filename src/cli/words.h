/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file words.h
 * The words of a command line that a file keeps.
 */
#ifndef RILL_CLI_WORDS_H
#define RILL_CLI_WORDS_H

#include "cli/cli.h"

enum { CLI_WORDS = 512 };

/** A command line that was taken apart. */
typedef struct cli_words {
    char *text; /**< owned; the words point into it */
    char *word[CLI_WORDS];
    int count;
} cli_words;

/** Take a line of cli_command_line() apart: plain words, and '...' with '\'' for a quote. @param[out] w  its
 * text is the caller's to free */
rill_status cli_words_read(const char *line, cli_words *w);

#endif
