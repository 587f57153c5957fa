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

/** A command line in which the keys of case files stand for --case. */
typedef struct cli_case_text {
    char *word[CLI_WORDS + 1]; /**< owned; NULL behind the last */
    int count;
} cli_case_text;

/**
 * Put the keys of a YAML file in place of each --case FILE of a command line, as words. Inputs on the command
 * line replace those of the file.
 * @param[out] out  zero before; cli_case_text_free() frees it
 * @return RILL_USAGE with file and line for a key that is no option or a permission, and for a wrong value
 */
rill_status cli_case_expand(const cli_command *command, int argc, char **argv, cli_case_text *out);

/** Run a command with the words that its case files stand for. @return its exit code */
int cli_case_run(const cli_command *command, int argc, char **argv, int (*run)(int argc, char **argv));

/** Free the words. */
void cli_case_text_free(cli_case_text *text);

#endif
