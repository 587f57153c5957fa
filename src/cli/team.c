/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the processes of a launcher, and serves in all but the first. */
#include "cli/team.h"

#include "device/remote.h"

#include <signal.h>
#include <stdio.h>

static rill_team *team;

rill_team *cli_team(void) { return team; }

bool cli_team_begin(int *code)
{
    const rill_status status = rill_team_join(&team);
    if (status != RILL_OK) {
        if (rill_team_first()) fprintf(stderr, "rill: %s\n", rill_error_message());
        *code = (int)status;
        return false;
    }
    if (!team || team->rank == 0) return true;
    signal(SIGINT, SIG_IGN); /* the first process decides */
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    *code = rill_remote_serve(team);
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
