/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HDF5 library (1.10.8) crashes on some damaged files. A child process opens an HDF5 file of another
 * program and reads its first slice before this process does, so that a crash becomes a sentence. What is
 * damaged further behind is not met there. Fields are copied in a child: H5Ocopy() crashes on many damages.
 */
#include "cli/cli.h"
#include "core/h5.h"
#include "core/status.h"
#include "geometry/image/file_names.h"
#include "geometry/image/image.h"
#include "io/fields.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: whatever this says, it must come to an end. */
static void read_first(const char *path)
{
    enum { MOST = 1 << 26 };
    rill_image *image = NULL;
    const rill_image_options options = rill_image_options_default();
    if (rill_image_open(path, &options, &image) == RILL_OK) {
        const uint64_t bytes = rill_image_slice_voxels(image) * rill_grey_size(image->type);
        void *grey = bytes <= MOST ? malloc(bytes) : NULL;
        if (grey) rill_image_read(image, 0, grey);
        free(grey);
    }
    rill_image_close(image);
}

/* In the child: a crash ends it, without a core and without the handler of a sanitizer, which reports what is
 * expected. */
static void child_begin(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    signal(SIGFPE, SIG_DFL);
    signal(SIGABRT, SIG_DFL);
    cli_guard_crashes();
}

static rill_status fail_crash(const char *path)
{
    return rill_fail(RILL_USAGE,
                     "%s: it is a damaged HDF5 file, on which the HDF5 library crashes: save it again", path);
}

/* Wait for a child. @param[out] code  its exit code. @return RILL_USAGE when it crashed */
static rill_status child_end(pid_t child, const char *path, int *code)
{
    int state = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {}
    *code = WIFEXITED(state) ? WEXITSTATUS(state) : 0;
    return WIFSIGNALED(state) ? fail_crash(path) : RILL_OK;
}

int cli_copy_fields(const cli_command *command, const char *from, const char *to)
{
    int code = RILL_OK;
    char *final = realpath(to, NULL), *left = NULL;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        child_begin();
        _exit(cli_report(command, rill_fields_copy(from, to)));
    }
    rill_status status = child < 0 ? rill_fields_copy(from, to) : child_end(child, from, &code);
    /* What a crash leaves, as rill_output_create() names it. */
    if (child > 0 && status != RILL_OK &&
        asprintf(&left, "%s.%ld-0.tmp", final ? final : to, (long)child) > 0)
        unlink(left);
    free(left);
    free(final);
    return status == RILL_OK ? code : cli_report(command, status);
}

rill_status cli_probe_hdf5(const char *path)
{
    char *file = NULL;
    const char *name;
    int code = 0;
    rill_status status = rill_container_split(path, &file, &name);
    if (status != RILL_OK || !rill_h5_begins(file)) goto done;
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        child_begin();
        if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
        read_first(path);
        _exit(0);
    }
    if (child > 0) status = child_end(child, path, &code);
    if (child > 0 && status == RILL_OK && code == RILL_SYSTEM)
        status = rill_fail(RILL_SYSTEM, "out of memory for %s: free memory", path);
    else if (child > 0 && status == RILL_OK && code != 0)
        status = fail_crash(path);
done:
    free(file);
    return status;
}
