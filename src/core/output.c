/* SPDX-License-Identifier: Apache-2.0 */
/* Whole-or-nothing files. Knows nothing of what is in them. */
#include "core/output.h"

#include "core/status.h"
#include "core/units.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct rill_output {
    char *path;      /* final name, links resolved, so that a link keeps pointing at the file */
    char *temporary; /* name while it is written */
    int descriptor;
    bool created;  /* the temporary file exists */
    bool replaces; /* there is a file, whose mode stays */
    mode_t mode;
    bool streams; /* no file: bytes go to a descriptor */
};

static int stream = -1; /* what "-" stands for; there is one standard output */

void rill_output_stream(int descriptor) { stream = descriptor; }

static bool is_lack_of_space(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

rill_status rill_output_fail(const char *path, int error)
{
    const char *remedy = "see whether the disk is in order";
    if (is_lack_of_space(error))
        remedy = "free space there or choose another directory";
    else if (error == EACCES || error == EPERM || error == EROFS)
        remedy = "choose a directory that you may write to";
    else if (error == ENOENT || error == ENOTDIR)
        remedy = "create its directory first";
    return rill_fail(RILL_SYSTEM, "cannot write %s: %s: %s", path, strerror(error), remedy);
}

rill_status rill_output_fail_on(const char *path, int descriptor, int error)
{
    struct stat info;
    char size[32];
    if (!is_lack_of_space(error) || fstat(descriptor, &info) != 0) return rill_output_fail(path, error);
    rill_units_format_bytes((double)info.st_size, size, sizeof size);
    return rill_fail(
        RILL_SYSTEM,
        "cannot write %s: %s: it needs more than %s: free space there or choose another directory", path,
        strerror(error), size);
}

/* Opens PATH.PID.tmp, or PATH.PID-1.tmp and so on where that exists. */
static rill_status open_temporary(rill_output *output)
{
    const size_t size = strlen(output->path) + 64;
    const mode_t mode = output->replaces ? 0600 : 0666;
    output->temporary = malloc(size);
    if (!output->temporary) return rill_fail(RILL_SYSTEM, "out of memory for a file name");
    for (int attempt = 0; attempt < 1000; attempt++) {
        snprintf(output->temporary, size, "%s.%ld-%d.tmp", output->path, (long)getpid(), attempt);
        output->descriptor = open(output->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (output->descriptor >= 0) {
            output->created = true;
            return RILL_OK;
        }
        if (errno != EEXIST) break;
    }
    return rill_output_fail(output->path, errno);
}

rill_status rill_output_create(const char *path, rill_output **out)
{
    rill_status status = RILL_OK;
    struct stat info;
    if (!path || !*path) return rill_fail(RILL_USAGE, "the name of the output file is empty");
    rill_output *output = calloc(1, sizeof *output);
    if (!output) return rill_fail(RILL_SYSTEM, "out of memory for an output file");
    output->descriptor = -1;
    if (stream >= 0 && strcmp(path, "-") == 0) {
        output->streams = true;
        output->path = strdup("standard output");
        output->descriptor = dup(stream);
        if (!output->path || output->descriptor < 0) RILL_TRY(rill_output_fail("standard output", errno));
        *out = output;
        return RILL_OK;
    }
    const bool exists = stat(path, &info) == 0;
    if (exists && !S_ISREG(info.st_mode))
        RILL_TRY(rill_fail(RILL_USAGE, "cannot write %s: it is %s: give the name of a file", path,
                           S_ISDIR(info.st_mode) ? "a directory" : "not a regular file"));
    output->path = exists ? realpath(path, NULL) : strdup(path);
    if (!output->path) RILL_TRY(rill_output_fail(path, errno));
    output->replaces = exists;
    output->mode = exists ? info.st_mode & 0777 : 0;
    RILL_TRY(open_temporary(output));
    *out = output;
    output = NULL;
done:
    rill_output_destroy(output);
    return status;
}

rill_status rill_output_try(const char *path)
{
    rill_output *output = NULL;
    const rill_status status = path ? rill_output_create(path, &output) : RILL_OK;
    rill_output_destroy(output);
    return status;
}

static bool is_same(const char *a, const char *b)
{
    struct stat s, t;
    return stat(a, &s) == 0 && stat(b, &t) == 0 && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

bool rill_output_replaces(const char *output, const char *input)
{
    if (strcmp(output, input) == 0 || is_same(output, input)) return true;
    char a[PATH_MAX], b[PATH_MAX], c[PATH_MAX], d[PATH_MAX]; /* taking names apart may change them */
    if (strlen(output) >= PATH_MAX || strlen(input) >= PATH_MAX) return false;
    strcpy(a, output);
    strcpy(b, input);
    strcpy(c, output);
    strcpy(d, input);
    return strcmp(basename(a), basename(b)) == 0 && is_same(dirname(c), dirname(d));
}

void rill_output_destroy(rill_output *output)
{
    if (!output) return;
    if (output->descriptor >= 0) close(output->descriptor);
    if (output->created) unlink(output->temporary);
    free(output->temporary);
    free(output->path);
    free(output);
}

rill_status rill_output_append(rill_output *output, const void *data, size_t size)
{
    const char *next = data;
    while (size > 0) {
        const ssize_t written = write(output->descriptor, next, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return rill_output_fail_on(output->path, output->descriptor, errno);
        next += written;
        size -= (size_t)written;
    }
    return RILL_OK;
}

rill_status rill_output_sync_name(const char *path)
{
    rill_status status = RILL_OK;
    char *copy = strdup(path);
    if (!copy) return rill_fail(RILL_SYSTEM, "out of memory for a file name");
    /* Some file systems cannot synchronise a directory: that is no failure. */
    const int directory = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0 && fsync(directory) != 0 && errno != EINVAL && errno != ENOTSUP)
        status = rill_output_fail(path, errno);
    if (directory >= 0) close(directory);
    free(copy);
    return status;
}

rill_status rill_output_commit(rill_output *output)
{
    /* Where a file system knows no modes, the file keeps that of its owner alone. */
    if (output->replaces && fchmod(output->descriptor, output->mode) != 0 && errno != EPERM &&
        errno != ENOTSUP && errno != ENOSYS)
        return rill_output_fail(output->path, errno);
    if (!output->streams && fsync(output->descriptor) != 0)
        return rill_output_fail_on(output->path, output->descriptor, errno);
    const int descriptor = output->descriptor;
    output->descriptor = -1;
    if (close(descriptor) != 0) return rill_output_fail(output->path, errno);
    if (output->streams) return RILL_OK;
    if (rename(output->temporary, output->path) != 0) return rill_output_fail(output->path, errno);
    output->created = false;
    return rill_output_sync_name(output->path);
}

int rill_output_descriptor(const rill_output *output) { return output->descriptor; }

const char *rill_output_temporary(const rill_output *output) { return output->temporary; }

const char *rill_output_path(const rill_output *output) { return output->path; }

rill_status rill_output_write(const char *path, const void *data, size_t size)
{
    rill_status status = RILL_OK;
    rill_output *output = NULL;
    RILL_TRY(rill_output_create(path, &output));
    RILL_TRY(rill_output_append(output, data, size));
    RILL_TRY(rill_output_commit(output));
done:
    rill_output_destroy(output);
    return status;
}

bool rill_output_text_end(FILE *out, char *const *text)
{
    const bool failed = ferror(out); /* the text could not grow */
    return fclose(out) == 0 && !failed && *text;
}

rill_status rill_output_print(const char *path, rill_status (*print)(FILE *out, const void *context),
                              const void *context)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return rill_fail(RILL_SYSTEM, "cannot write %s: out of memory", path);
    rill_status status = print(out, context);
    if (!rill_output_text_end(out, &text) && status == RILL_OK)
        status = rill_fail(RILL_SYSTEM, "cannot write %s: out of memory", path);
    if (status == RILL_OK) status = rill_output_write(path, text, size);
    free(text);
    return status;
}
