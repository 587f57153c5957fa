/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the processes of a launcher, and works for the first in all others. */
#include "cli/team.h"

#include "device/remote.h"

#include <signal.h>
#include <stdio.h>

static rill_team *team;

rill_team *cli_team(void) { return team; }

/* Launchers pass signals on to all processes: the first one decides. */
static void signals_ignore(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) signal(numbers[k], SIG_IGN);
}

bool cli_team_begin(int *code)
{
    if (!rill_team_first()) signals_ignore(); /* joining takes a while */
    const rill_status status = rill_team_join(&team);
    if (status != RILL_OK) {
        if (rill_team_speaks()) fprintf(stderr, "rill: %s\n", rill_error_message());
        *code = (int)status;
        return false;
    }
    if (!team || team->rank == 0) return true;
    *code = rill_remote_serve(team, NULL);
    rill_team_leave(team);
    team = NULL;
    return false;
}

void cli_team_end(int code)
{
    if (!team) return;
    rill_remote_release(team, code);
    rill_team_leave(team);
    team = NULL;
}
