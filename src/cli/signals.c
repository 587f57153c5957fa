/* SPDX-License-Identifier: Apache-2.0 */
/* Signals: SIGINT, SIGTERM and SIGHUP cancel the work through its progress callback, SIGUSR1 requests a
 * checkpoint.
 */
#include "cli/cli.h"

#include <time.h>

/* s: launchers and batch systems send the same signal to a process twice in a row, which counts as one. */
static const double AGAIN = 0.1;

static volatile sig_atomic_t cancelled, saving;
static struct timespec first; /* time of the signal that cancelled; written before `cancelled` */

static void on_signal(int number)
{
    struct timespec now;
    if (number == SIGUSR1) {
        saving = 1;
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!cancelled) {
        first = now;
        cancelled = 1;
        return;
    }
    const double since = (double)(now.tv_sec - first.tv_sec) + 1e-9 * (double)(now.tv_nsec - first.tv_nsec);
    if (since < AGAIN) return;
    signal(number, SIG_DFL); /* ends the program when this handler returns */
    raise(number);
}

void cli_signals_catch(bool interrupt)
{
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = interrupt ? 0 : SA_RESTART};
    struct sigaction before;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup ignores it */
        sigaction(SIGHUP, &action, NULL);
}

bool cli_signals_cancelled(void) { return cancelled; }

volatile sig_atomic_t *cli_signals_save(void)
{
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    return &saving;
}
