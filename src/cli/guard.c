/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ends the program without our doing: the OpenMP runtime and UDUNITS-2 call exit(), with exit codes of
 * their own, when an allocation of theirs fails. That becomes exit code 3 with a sentence. A crash stays a
 * crash.
 */
#include "cli/cli.h"
#include "core/h5.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

/* Called last of what exit() calls, also where a library calls exit(). */
static void on_end(int code, void *context)
{
    static const char sentence[] =
        "rill: a library ended the program, as OpenMP and UDUNITS-2 do for lack of memory: free memory, or use a smaller case\n";
    (void)context;
    (void)code;
    if (ended) return;
    if (write(STDERR_FILENO, sentence, sizeof sentence - 1) < 0) _exit(RILL_SYSTEM);
    _exit(RILL_SYSTEM);
}

void cli_guard_begin(void)
{
    on_exit(on_end, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file beyond `ulimit -f` becomes a failed write, with a message */
}

int cli_guard_end(int code)
{
    ended = 1;
    /* After a failed allocation HDF5 has objects left that it cannot close: it is not asked to. All is
     * written. */
    if (rill_h5_lacked_memory()) _exit(code);
    return code;
}
