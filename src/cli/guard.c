/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ends the program without our doing. What libraries do when an allocation of theirs fails: the OpenMP
 * runtime and UDUNITS-2 end the program with exit codes of their own, HDF5 1.10 reads through NULL. Here both
 * become exit code 3 with a sentence. A crash counts as lack of memory only if the last failed call of its
 * thread was one for memory, HDF5 lacked memory before, or UDUNITS-2 reads its own database; every other
 * crash stays what it is.
 */
#include "cli/cli.h"
#include "core/h5.h"
#include "core/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t ended, code_at_end;

static void tell(void)
{
    static const char sentence[] = "rill: out of memory: free memory, or use a smaller case\n";
    if (write(STDERR_FILENO, sentence, sizeof sentence - 1) < 0) _exit(RILL_SYSTEM);
}

/* Called last of what exit() calls, also where a library calls exit(). */
static void on_end(int code, void *context)
{
    (void)context;
    (void)code;
    if (ended) return;
    tell();
    _exit(RILL_SYSTEM);
}

static void on_crash(int number)
{
    /* After main() has reported a failure or written its results, a library that cleans up has the last word
     * no more. */
    if (ended && (code_at_end != RILL_OK || errno == ENOMEM)) _exit(code_at_end);
    if (errno != ENOMEM && !rill_h5_lacked_memory() &&
        !rill_units_database_is_read()) { /* the default action is in place again: the same
           happens once more, and ends us */
        raise(number);
        return;
    }
    tell();
    _exit(RILL_SYSTEM);
}

void cli_guard_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT};
    static char stack[1 << 14]; /* HDF5 that cannot begin for lack of memory calls itself without end */
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction action = {.sa_handler = on_crash, .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK)};
    if (sigaltstack(&other, NULL) != 0) return;
    struct sigaction found;
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
        if (sigaction(signals[k], NULL, &found) == 0 && found.sa_handler == SIG_DFL) /* no sanitizer's */
            sigaction(signals[k], &action, NULL);
}

void cli_guard_begin(void)
{
    on_exit(on_end, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file beyond `ulimit -f` becomes a failed write, with a message */
    cli_guard_crashes();
}

int cli_guard_end(int code)
{
    code_at_end = code;
    ended = 1;
    return code;
}
