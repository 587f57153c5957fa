/* SPDX-License-Identifier: Apache-2.0 */
/* Signals: SIGINT, SIGTERM and SIGUSR2 cancel the work through its progress callback, SIGUSR1 requests a
 * checkpoint. mpirun kills all processes a second after it got SIGTERM, but only passes SIGUSR2 on. */
#include "cli/cli.h"

static volatile sig_atomic_t cancelled, saving;

static void on_signal(int number)
{
    if (number == SIGUSR1)
        saving = 1;
    else
        cancelled = 1;
}

void cli_signals_catch(bool once)
{
    const struct sigaction action = {.sa_handler = on_signal,
                                     .sa_flags = once ? (int)SA_RESETHAND : SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
}

bool cli_signals_cancelled(void) { return cancelled; }

volatile sig_atomic_t *cli_signals_save(void)
{
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    return &saving;
}
