/* SPDX-License-Identifier: Apache-2.0 */
#include "core/reading.h"

#include "core/c_locale.h"
#include "core/nearest.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names of a directory that are looked at, and the length of a path whose parts are. */
enum { LOOKED_AT = 10000, PATH = 1024 };

/* Split a path into its directory, "" for that of the process, and the name in it. */
static void split(char *path, const char **directory, const char **name)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') path[--end] = '\0';
    char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    *directory = !slash ? "" : slash == path ? "/" : path;
    if (slash && slash != path) *slash = '\0';
}

/* Say where a name is missing: the first part of the path that is not there. */
static void missing(const char *path, char *text, size_t size)
{
    char parts[PATH], whole[PATH], nearest[256] = "", here[PATH / 2];
    const char *directory, *name;
    rill_nearest match = {0};
    struct stat info;
    if (strlen(path) >= sizeof parts || path[0] == '\0') return;
    strcpy(parts, path);
    split(parts, &directory, &name);
    while (directory[0] != '\0' && stat(directory, &info) != 0 && errno == ENOENT)
        split(parts, &directory, &name);
    snprintf(whole, sizeof whole, "%s%s%s", directory, directory[0] && strcmp(directory, "/") != 0 ? "/" : "",
             name);
    if (lstat(whole, &info) == 0) { /* there; or it has appeared since */
        if (S_ISLNK(info.st_mode)) snprintf(text, size, ": it is a link to what is not there");
        return;
    }
    DIR *listed = opendir(directory[0] ? directory : ".");
    const struct dirent *entry;
    for (int k = 0; listed && k < LOOKED_AT && (entry = readdir(listed)); k++) {
        if (entry->d_name[0] == '.' && name[0] != '.') continue;
        const size_t before = match.distance;
        const bool none = !match.name;
        rill_nearest_try(&match, name, entry->d_name);
        if (none || match.distance < before) snprintf(nearest, sizeof nearest, "%s", entry->d_name);
        match.name = nearest;
    }
    if (listed) closedir(listed);
    const bool meant = nearest[0] && rill_nearest_is_meant(&match, name),
               own = directory[0] == '\0' || strcmp(directory, ".") == 0;
    if (own) directory = getcwd(here, sizeof here) ? here : "its directory";
    if (meant)
        snprintf(text, size, ": %s has no %s: did you mean %s?", directory, name, nearest);
    else
        snprintf(text, size, ": %s has no %s: check its name, or put its directory before it", directory,
                 name);
}

rill_status rill_fail_reading(int error, const char *path, const char *format, ...)
{
    char sentence[2 * PATH], remedy[2 * PATH] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (error == ENOENT)
        missing(path, remedy, sizeof remedy);
    else if (error == ENOTDIR)
        snprintf(remedy, sizeof remedy, ": a part of its path is a file: see the path");
    else if (error == EACCES || error == EPERM)
        snprintf(remedy, sizeof remedy, ": see who may read it and its directories (ls -ld)");
    else if (error == EMFILE || error == ENFILE)
        snprintf(remedy, sizeof remedy, ": raise the limit of open files (ulimit -n)");
    return rill_fail(rill_status_of_reading(error), "%s: %s%s", sentence, strerror(error), remedy);
}
