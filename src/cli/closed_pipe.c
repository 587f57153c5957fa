/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of what the program prints ends first, as in `rill … | head`. Nobody reads what follows, so
 * there is no sentence, and the exit code is that of SIGPIPE, 141 in a shell, as for other programs. A
 * program that has files to write ends behind them: a result of hours is not lost with a table that nobody
 * reads.
 */
#include "cli/cli.h"

#include <signal.h>

enum { CLOSED = 128 + SIGPIPE };

static volatile sig_atomic_t closed;

static void on_pipe(int number)
{
    (void)number;
    closed = 1;
}

/* A function rather than SIG_IGN: programs that this one starts get the usual action. */
void cli_pipe_keep(void)
{
    const struct sigaction action = {.sa_handler = on_pipe, .sa_flags = SA_RESTART};
    sigaction(SIGPIPE, &action, NULL);
}

void cli_pipe_begin(void)
{
    struct sigaction before;
    if (sigaction(SIGPIPE, NULL, &before) == 0 && before.sa_handler == SIG_IGN) cli_pipe_keep();
}

bool cli_pipe_closed(void) { return closed; }

int cli_pipe_end(int code) { return closed && code == RILL_OK ? CLOSED : code; }
