/* SPDX-License-Identifier: Apache-2.0 */
/* Opens regular files. */
#include "core/regular.h"

#include "core/status.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

rill_status rill_regular_open(const char *path, const char *what, FILE **out)
{
    struct stat info;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *stream = file >= 0 ? fdopen(file, "r") : NULL;
    if (!stream) {
        const int error = errno;
        if (file >= 0) close(file);
        return rill_fail(rill_status_of_reading(error), "cannot read %s %s: %s", what, path, strerror(error));
    }
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        fclose(stream);
        return rill_fail(RILL_USAGE, "%s %s is not a regular file", what, path);
    }
    *out = stream;
    return RILL_OK;
}
