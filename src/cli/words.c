/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a command line apart that a file keeps. */
#include "cli/words.h"

#include <string.h>

rill_status cli_words_read(const char *line, cli_words *w)
{
    w->count = 0;
    if (!(w->text = strdup(line))) return rill_fail(RILL_SYSTEM, "out of memory for a command line");
    char *to = w->text;
    const char *at = line;
    while (*at) {
        bool quoted = false;
        while (*at == ' ') at++;
        if (!*at) break;
        if (w->count == CLI_WORDS)
            return rill_fail(RILL_USAGE, "its command has more than %d words: give the command itself",
                             CLI_WORDS);
        w->word[w->count++] = to;
        for (; *at && (quoted || *at != ' '); at++) {
            if (*at == '\'')
                quoted = !quoted;
            else if (*at == '\\' && !quoted && at[1])
                *to++ = *++at;
            else
                *to++ = *at;
        }
        *at ? (void)at++ : (void)0;
        *to++ = '\0';
    }
    return RILL_OK;
}
