/* SPDX-License-Identifier: Apache-2.0 */
/* Messages by MPI: the whole of librill-mpi.so. Errors of MPI end all processes, with its own message. */
#include "core/team.h"

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdlib.h>

static int start(int *rank, int *size)
{
    int provided;
    int error = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    if (!error) error = MPI_Comm_rank(MPI_COMM_WORLD, rank);
    return error ? error : MPI_Comm_size(MPI_COMM_WORLD, size);
}

static void stop(void) { MPI_Finalize(); }

static void end_all(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

static int send(int to, int kind, const void *data, uint64_t bytes)
{
    return MPI_Send(data, (int)bytes, MPI_BYTE, to, kind, MPI_COMM_WORLD);
}

static int receive(int from, int kind, void *data, uint64_t bytes)
{
    return MPI_Recv(data, (int)bytes, MPI_BYTE, from, kind, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int begin(int to, int kind, const void *data, uint64_t bytes, void **request)
{
    MPI_Request *made = malloc(sizeof *made);
    if (!made) return MPI_ERR_NO_MEM;
    const int error = MPI_Isend(data, (int)bytes, MPI_BYTE, to, kind, MPI_COMM_WORLD, made);
    if (error)
        free(made);
    else
        *request = made;
    return error;
}

static int end(void **request)
{
    const int error = MPI_Wait(*request, MPI_STATUS_IGNORE);
    free(*request);
    *request = NULL;
    return error;
}

/* Open MPI says so when it runs: it may be another build than that of the header. */
static bool takes_cuda(void)
{
#if defined(OPEN_MPI) && defined(OMPI_HAVE_MPI_EXT_CUDA)
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}

extern const rill_team_transport rill_team_mpi;
const rill_team_transport rill_team_mpi = {"MPI",   start, stop, end_all,   send,
                                           receive, begin, end,  takes_cuda};
