/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file team.h
 * The processes that mpirun or srun started this command in: one has the command, the others its devices.
 */
#ifndef RILL_CLI_TEAM_H
#define RILL_CLI_TEAM_H

#include "core/team.h"

/** Join them. @return whether this process goes on with the command; else `code` is its exit code */
bool cli_team_begin(int *code);

/** Return them; NULL where there is one process. */
rill_team *cli_team(void);

/** Let the other processes go. @param code  exit code of the command */
void cli_team_end(int code);

#endif
