/* SPDX-License-Identifier: Apache-2.0 */
/* Files that other files name. Links that change between the check and the opening are not met here. */
#include "core/beside.h"

#include "core/status.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Return the directory of a path, which the caller frees; NULL: no memory. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Return whether a name could lead out of a directory, whatever exists. */
static bool may_leave(const char *name)
{
    if (*name == '/') return true;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += strspn(part, "/");
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return true;
    }
    return false;
}

/* Follow all links of a path; of one that does not exist, those of the directory that it would be in, or of
 * that above. @param[out] file  [PATH_MAX] @return whether any exists */
static bool resolve(const char *path, char *file)
{
    char *rest = strdup(path);
    bool found = rest && realpath(rest, file);
    for (char *slash; rest && !found && (slash = strrchr(rest, '/')); found = realpath(rest, file))
        *slash = '\0';
    free(rest);
    return found;
}

/* Return whether a file lies below a directory once all links are followed. */
static bool is_below(const char *directory, const char *path, const char *name)
{
    char whole[PATH_MAX], file[PATH_MAX];
    const bool exists = realpath(path, file);
    if (!exists && may_leave(name)) return false;
    if (!realpath(directory, whole) || !(exists || resolve(path, file))) return !may_leave(name);
    const size_t length = strlen(whole);
    return strcmp(whole, "/") == 0 ||
           (strncmp(file, whole, length) == 0 && (file[length] == '/' || (!exists && file[length] == '\0')));
}

rill_status rill_file_beside(const char *of, const char *name, rill_file_outside outside, char **out)
{
    rill_status status = RILL_OK;
    struct stat info;
    char *path = NULL, *directory = directory_of(of);
    if (!directory) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the name of a file"));
    if (name[0] == '/' || !strchr(of, '/'))
        path = strdup(name);
    else if (asprintf(&path, "%s/%s", strcmp(directory, "/") ? directory : "", name) < 0)
        path = NULL;
    if (!path) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the name of a file"));
    if (outside != RILL_OUTSIDE_ALLOWED && !is_below(directory, path, name))
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "it names the file %.200s, which is outside its directory: copy that file into the directory%s",
            name,
            outside == RILL_OUTSIDE_ASKED
                ? ", or permit files outside with --allow-outside (C and Python: allow_outside)"
                : ""));
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        RILL_TRY(rill_fail(RILL_USAGE, "it names the file %.200s, which is not a regular file", name));
    *out = path;
    path = NULL;
done:
    free(directory);
    free(path);
    return status;
}
