/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out how many processes a launcher started, and loads MPI where there are several. */
#include "core/team.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Load the library: from beside the program or the library that this function is in, or ../lib, else from
 * where the system looks. */
static void *library_load(void)
{
    static const char *const places[] = {"/librill-mpi.so", "/../lib/librill-mpi.so"};
    Dl_info info;
    void *library = NULL;
    if (dladdr(RILL_TEAM_SYMBOL, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        for (size_t k = 0; k < 2 && slash && !library; k++) {
            char path[4096];
            snprintf(path, sizeof path, "%.*s%s", (int)(slash - info.dli_fname), info.dli_fname, places[k]);
            library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        }
    }
    return library ? library : dlopen("librill-mpi.so", RTLD_NOW | RTLD_GLOBAL);
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
        RILL_TRY(rill_fail(RILL_SYSTEM,
                           "%d processes were started, but librill-mpi.so cannot be loaded (%s): build rill "
                           "where Open MPI is installed, or start one process",
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
