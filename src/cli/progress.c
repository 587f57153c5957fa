/* SPDX-License-Identifier: Apache-2.0 */
/* How far long work has come: one line that overwrites itself on a terminal, plain lines elsewhere. */
#include "cli/cli.h"
#include "core/clock.h"
#include "core/printable.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double TERMINAL_SECONDS = 0.2, PLAIN_SECONDS = 10;

/* There is one standard error stream, hence one state. */
static struct {
    bool terminal, shown, quiet;
    double last;
} state;

static void show(const char *what, double fraction, const char *detail)
{
    const double time = rill_now();
    if (time - state.last < (state.terminal ? TERMINAL_SECONDS : PLAIN_SECONDS)) return;
    state.last = time;

    char line[512], text[sizeof line], percent[16] = "";
    if (fraction >= 0) snprintf(percent, sizeof percent, "  %3.0f %%", 100 * (fraction < 1 ? fraction : 1));
    const bool more = detail[0] != '\0';
    snprintf(text, sizeof text, "%s%s%s%s", what, percent, more ? "  " : "", more ? detail : "");
    rill_printable_into(line, sizeof line, text);
    if (!state.terminal) {
        fprintf(stderr, "%s\n", line);
        return;
    }
    struct winsize window;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 && strlen(line) >= window.ws_col)
        line[window.ws_col - 1] = '\0'; /* a wrapped line could not be overwritten */
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    state.shown = true;
}

static bool progress(void *context, const rill_progress_moment *m)
{
    (void)context;
    if (!state.quiet) show(m->what, m->fraction, m->detail);
    return !cli_signals_cancelled();
}

static void remark(void *context, rill_log_level level, const char *text)
{
    (void)context;
    const char *wanted = getenv("RILL_LOG");
    if (level == RILL_LOG_DEBUG && (wanted == NULL || strcmp(wanted, "debug") != 0)) return;
    cli_progress_end();
    fprintf(stderr, "rill: %s\n", text);
}

void cli_remarks(bool quiet) { rill_log_to(quiet ? NULL : remark, NULL); }

rill_progress cli_progress(bool quiet)
{
    cli_remarks(quiet);
    const char *term = getenv("TERM");
    state.quiet = quiet;
    state.terminal = isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
    state.last = state.terminal ? 0 : rill_now();
    return (rill_progress){progress, NULL};
}

void cli_progress_end(void)
{
    if (!state.shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    state.shown = false;
}
