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

/** The option --case of a table; the command reads it by cli_case_run(). */
#define CLI_CASE(text)                                                                                       \
    {                                                                                                        \
        "case", 0, CLI_TEXT, &(text), "FILE.yaml",                                                           \
            "take options from a file: keys are their names without dashes, and input; options behind it "   \
            "count more",                                                                                    \
            .fallback = "none"                                                                               \
    }

/** Run a command with the words that its case files stand for. @return its exit code */
int cli_case_run(const cli_command *command, int argc, char **argv, int (*run)(int argc, char **argv));

#endif
