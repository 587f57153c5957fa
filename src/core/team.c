/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out how many processes a launcher started, and loads MPI where there are several. */
#include "core/team.h"

#include "core/place.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Return the first of some environment variables that is a number, else `otherwise`. */
static int number_of(const char *const *names, int otherwise)
{
    for (; *names; names++) {
        const char *value = getenv(*names);
        char *end;
        if (!value || !*value) continue;
        const long number = strtol(value, &end, 10);
        if (*end == '\0' && number >= 0 && number < 1 << 24) return (int)number;
    }
    return otherwise;
}

static int size_now(void)
{
    return number_of((const char *const[]){"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", NULL},
                     1);
}

static int rank_now(void)
{
    return number_of(
        (const char *const[]){"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", NULL}, 0);
}

static int local_rank_now(int otherwise)
{
    return number_of(
        (const char *const[]){"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID", NULL},
        otherwise);
}

bool rill_team_first(void) { return size_now() < 2 || rank_now() == 0; }

bool rill_team_speaks(void) { return size_now() < 2 || local_rank_now(rank_now()) == 0; }

/* Load the library: from beside the program or the library that this function is in, or from the lib of the
 * same prefix, else from where the system looks. */
static void *library_load(void)
{
    static const char *const places[] = {"", "/../lib", "/../lib64", "/../lib/x86_64-linux-gnu"};
    char folder[PATH_MAX], path[PATH_MAX + 64];
    for (rill_place place = 0; place < RILL_PLACES; place++) {
        if (!rill_place_directory(place, folder, sizeof folder)) continue;
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            snprintf(path, sizeof path, "%s%s/librill-mpi.so", folder, places[k]);
            /* One that is there says by dlerror() why it cannot be loaded. */
            if (access(path, F_OK) == 0) return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        }
    }
    return dlopen("librill-mpi.so", RTLD_NOW | RTLD_GLOBAL);
}

rill_status rill_team_join(rill_team **out)
{
    rill_status status = RILL_OK;
    const int expected = size_now();
    *out = NULL;
    if (expected < 2) return RILL_OK;
    rill_team *team = calloc(1, sizeof *team);
    if (!team) return rill_fail(RILL_SYSTEM, "out of memory for %d processes", expected);
    team->library = library_load();
    team->transport = team->library ? dlsym(team->library, RILL_TEAM_SYMBOL) : NULL;
    if (!team->transport)
        RILL_TRY(rill_fail(
            RILL_SYSTEM,
            "%d processes were started, but librill-mpi.so, which is installed in the lib beside the program, cannot be loaded (%s): "
            "build and install rill where Open MPI is installed, let LD_LIBRARY_PATH name its directory, or start one process",
            expected, dlerror()));
    if (team->transport->start(&team->rank, &team->size) != 0)
        RILL_TRY(rill_fail(RILL_SYSTEM, "%s does not start", team->transport->name));
    if (team->size != expected)
        RILL_TRY(rill_fail(RILL_SYSTEM,
                           "%d processes were started, but %s sees %d: use the launcher of the same MPI",
                           expected, team->transport->name, team->size));
    team->local = local_rank_now(team->rank);
    *out = team;
    team = NULL;
done:
    free(team); /* the library stays: what it started cannot be undone */
    return status;
}

void rill_team_leave(rill_team *team)
{
    if (!team) return;
    team->transport->stop();
    free(team);
}

static rill_status check(const rill_team *team, int error, const char *doing, int other)
{
    if (error == 0) return RILL_OK;
    return rill_fail(RILL_SYSTEM, "%s failed while %s process %d: error %d", team->transport->name, doing,
                     other, error);
}

/* Counts of MPI are of 31 bits. */
enum { PIECE = 1 << 30 };

rill_status rill_team_send(rill_team *team, int to, rill_team_kind kind, const void *data, uint64_t bytes)
{
    rill_status status = RILL_OK;
    for (uint64_t at = 0; at < bytes && status == RILL_OK; at += PIECE)
        status = check(
            team,
            team->transport->send(to, kind, (const char *)data + at, bytes - at < PIECE ? bytes - at : PIECE),
            "sending to", to);
    return status;
}

rill_status rill_team_receive(rill_team *team, int from, rill_team_kind kind, void *data, uint64_t bytes)
{
    rill_status status = RILL_OK;
    for (uint64_t at = 0; at < bytes && status == RILL_OK; at += PIECE)
        status = check(
            team,
            team->transport->receive(from, kind, (char *)data + at, bytes - at < PIECE ? bytes - at : PIECE),
            "receiving from", from);
    return status;
}

rill_status rill_team_begin(rill_team *team, int to, rill_team_kind kind, const void *data, uint64_t bytes,
                            void **request)
{
    rill_status status = RILL_OK;
    *request = NULL;
    uint64_t at = 0;
    for (; bytes - at > PIECE && status == RILL_OK; at += PIECE)
        status =
            check(team, team->transport->send(to, kind, (const char *)data + at, PIECE), "sending to", to);
    if (status != RILL_OK) return status;
    return check(team, team->transport->begin(to, kind, (const char *)data + at, bytes - at, request),
                 "sending to", to);
}

rill_status rill_team_end(rill_team *team, void **request)
{
    return check(team, team->transport->end(request), "sending to", -1);
}
