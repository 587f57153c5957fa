/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a summary table and the command line as text. */
#include "cli/cli.h"
#include "core/notes.h"
#include "core/printable.h"
#include "core/units.h"
#include "device/device.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDTH = 26 };

static bool lacked; /* memory, for a row */

bool cli_rows_lack(void) { return lacked; }

/* Columns that UTF-8 text takes, one for each code point. */
static int columns(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void cli_row(const char *label, const char *format, ...)
{
    char *text = NULL;
    cli_progress_end();
    va_list args;
    va_start(args, format);
    const bool made = vasprintf(&text, format, args) >= 0;
    va_end(args);
    char *name = rill_printable(label), *value = made ? rill_printable(text) : NULL;
    lacked = lacked || !name || !value;
    const int pad = name ? LABEL_WIDTH - columns(name) : 0;
    printf("  %s%*s  %s\n", name ? name : "?", pad > 0 ? pad : 0, "", value ? value : "(out of memory)");
    free(value);
    free(name);
    if (made) free(text);
}

void cli_notes(const cli_command *command, const char *notes, bool quiet)
{
    size_t length;
    for (const char *at; (at = rill_notes_next(&notes, &length)) != NULL;) {
        cli_progress_end();
        if (!quiet) {
            cli_row("note", "%.*s", (int)length, at);
            continue;
        }
        char *note = strndup(at, length), *plain = note ? rill_printable(note) : NULL;
        lacked = lacked || !plain;
        fprintf(stderr, "rill %s: note: %s\n", command->name, plain ? plain : "(out of memory)");
        free(plain);
        free(note);
    }
}

void cli_threads_row(uint64_t nodes, uint64_t device)
{
    char text[160];
    if (device) return;
    rill_backend_cpu.threads(nodes, text, sizeof text);
    cli_row("threads", "%s", text);
}

void cli_memory_rows(uint64_t peak, uint64_t host, uint64_t host_free, uint64_t device, uint64_t device_free)
{
    char all[32], need[32], there[32];
    rill_units_format_bytes((double)peak, all, sizeof all);
    rill_units_format_bytes((double)host, need, sizeof need);
    rill_units_format_bytes((double)host_free, there, sizeof there);
    cli_row("memory, host", "%s at the peak, with the sample and the program: %s more, of %s free", all, need,
            there);
    if (device == 0) return;
    rill_units_format_bytes((double)device, need, sizeof need);
    rill_units_format_bytes((double)device_free, there, sizeof there);
    cli_row("memory, device", "%s of %s free", need, there);
}

static bool is_plain(const char *word)
{
    return word[0] != '\0' &&
           word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%")] ==
               '\0';
}

char *cli_command_line(int argc, char **argv)
{
    size_t size = sizeof "rill";
    for (int i = 0; i < argc; i++) size += 3 + 4 * strlen(argv[i]);
    char *line = malloc(size), *to = line;
    if (line == NULL) return NULL;
    to = stpcpy(to, "rill");
    for (int i = 0; i < argc; i++) {
        *to++ = ' ';
        if (is_plain(argv[i])) {
            to = stpcpy(to, argv[i]);
            continue;
        }
        *to++ = '\'';
        for (const char *c = argv[i]; *c != '\0'; c++) {
            if (*c == '\'')
                to = stpcpy(to, "'\\''");
            else
                *to++ = *c;
        }
        *to++ = '\'';
    }
    *to = '\0';
    return line;
}
