/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files are the slices of an image. Their names may differ in one number alone, which must go up in
 * equal steps: a slice that is missing would shorten the rock without a word. Contents are not looked at.
 */
#include "core/memory.h"
#include "core/reading.h"
#include "core/status.h"
#include "geometry/image/image_priv.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Compare with runs of digits as numbers of any length: s9 before s10. */
static int compare(const char *a, const char *b)
{
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            a += strspn(a, "0");
            b += strspn(b, "0");
            const size_t na = strspn(a, "0123456789"), nb = strspn(b, "0123456789");
            if (na != nb) return na < nb ? -1 : 1;
            const int order = strncmp(a, b, na);
            if (order) return order;
            a += na;
            b += nb;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return (*a != 0) - (*b != 0);
}

static int compare_paths(const void *a, const void *b)
{
    const int order = compare(*(char *const *)a, *(char *const *)b);
    return order ? order : strcmp(*(char *const *)a, *(char *const *)b);
}

static rill_status add(rill_slice_files *files, char *path)
{
    rill_status status = RILL_LIST_GROW(files->paths, files->count, files->room, "names of slices");
    if (!path) status = rill_fail(RILL_SYSTEM, "out of memory for the names of slices");
    if (status == RILL_OK)
        files->paths[files->count++] = path;
    else
        free(path);
    return status;
}

static void files_free(rill_slice_files *files)
{
    for (uint64_t i = 0; i < files->count; i++) free(files->paths[i]);
    free(files->paths);
    *files = (rill_slice_files){0};
}

static bool has_ending(const char *name, const char *const endings[2])
{
    const char *dot = strrchr(name, '.');
    return name[0] != '.' && dot && (strcasecmp(dot, endings[0]) == 0 || strcasecmp(dot, endings[1]) == 0);
}

/* One %d or %0Nd in the name, and nothing else that printf would take. */
typedef struct {
    char before[256], after[256];
    size_t width; /* digits at least */
} pattern;

static bool read_pattern(const char *name, pattern *p)
{
    const char *percent = strchr(name, '%');
    if (!percent || strchr(percent + 1, '%') || strlen(name) >= sizeof p->before) return false;
    char *end;
    p->width =
        isdigit((unsigned char)percent[1]) ? strtoul(percent + 1, &end, 10) : (end = (char *)percent + 1, 1);
    if (p->width > 64 || (*end != 'd' && *end != 'i' && *end != 'u')) return false;
    snprintf(p->before, sizeof p->before, "%.*s", (int)(percent - name), name);
    snprintf(p->after, sizeof p->after, "%s", end + 1);
    return true;
}

static bool matches(const char *name, const pattern *p)
{
    const size_t before = strlen(p->before), after = strlen(p->after), length = strlen(name);
    if (length <= before + after || strncmp(name, p->before, before) != 0) return false;
    const size_t digits = strspn(name + before, "0123456789");
    if (digits < p->width || (digits > p->width && name[before] == '0' && digits > 1)) return false;
    return before + digits + after == length && strcmp(name + before + digits, p->after) == 0;
}

/* Add the files of a directory that match a pattern, or that have one of two endings when there is none. */
static rill_status find_in_directory(const char *path, const pattern *p, const char *const endings[2],
                                     rill_slice_files *files)
{
    rill_status status = RILL_OK;
    DIR *directory = opendir(path);
    if (!directory) return rill_fail_reading(errno, path, "cannot open directory %s", path);
    const size_t length = strlen(path);
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (p ? !matches(entry->d_name, p) : !has_ending(entry->d_name, endings)) continue;
        char *file = NULL;
        if (asprintf(&file, "%s%s%s", path, path[length - 1] == '/' ? "" : "/", entry->d_name) < 0)
            file = NULL;
        RILL_TRY(add(files, file));
    }
done:
    closedir(directory);
    return status;
}

static rill_status find_pattern(const char *path, rill_slice_files *files)
{
    pattern p;
    if (!read_pattern(name_of(path), &p))
        return rill_fail(RILL_USAGE,
                         "it is not a pattern of slices: one %%d or %%04d in the name, or * and ?, are");
    const char *name = name_of(path);
    char *directory = name == path ? strdup(".") : strndup(path, (size_t)(name - path));
    if (!directory) return rill_fail(RILL_SYSTEM, "out of memory for the name of a directory");
    const rill_status status = find_in_directory(directory, &p, NULL, files);
    free(directory);
    return status;
}

static rill_status find_glob(const char *path, rill_slice_files *files)
{
    rill_status status = RILL_OK;
    glob_t found = {0};
    const int code = glob(path, 0, NULL, &found);
    if (code != 0 && code != GLOB_NOMATCH)
        status = rill_fail(RILL_SYSTEM, "cannot look for its files: %s",
                           code == GLOB_NOSPACE ? "out of memory" : "reading a directory failed");
    for (size_t i = 0; i < found.gl_pathc && status == RILL_OK; i++)
        status = add(files, strdup(found.gl_pathv[i]));
    globfree(&found);
    return status;
}

/* Return the place in `a` where the first number starts in which two names differ; NULL when they differ
 * otherwise. */
static const char *varying(const char *a, const char *b)
{
    const char *number = NULL;
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            const size_t na = strspn(a, "0123456789"), nb = strspn(b, "0123456789");
            if (na != nb || strncmp(a, b, na) != 0) {
                if (number) return NULL;
                number = a;
            }
            a += na;
            b += nb;
        } else if (*a++ != *b++) {
            return NULL;
        }
    }
    return *a == *b ? number : NULL;
}

/* Check that the names differ in the same number alone, and that it goes up in equal steps. */
static rill_status check_series(const rill_slice_files *files)
{
    unsigned long long step = 0, last = 0;
    size_t place = 0;
    for (uint64_t i = 1; i < files->count; i++) {
        const char *before = name_of(files->paths[i - 1]), *here = name_of(files->paths[i]);
        const char *number = varying(before, here);
        if (!number || (i > 1 && (size_t)(number - before) != place))
            return rill_fail(
                RILL_USAGE,
                "%s and %s are not slices of one series: names may differ in one number alone, give a pattern such as \"slice*.tif\"",
                before, here);
        place = (size_t)(number - before);
        const unsigned long long from = strtoull(number, NULL, 10), to = strtoull(here + place, NULL, 10);
        if (to <= from || (i > 1 && from != last))
            return rill_fail(RILL_USAGE,
                             "%s and %s have the same number: give a pattern that fits one of them", before,
                             here);
        if (i == 1) step = to - from;
        if (to - from != step)
            return rill_fail(RILL_USAGE,
                             "slices are missing: %s is followed by %s, a step of %llu after steps of %llu",
                             before, here, to - from, step);
        last = to;
    }
    return RILL_OK;
}

rill_status rill_slice_files_find(const char *path, rill_slice_files *out)
{
    rill_status status = RILL_OK;
    rill_slice_files files = {0};
    struct stat info;
    const bool directory = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    static const char *const endings[][2] = {{".tif", ".tiff"}, {".png", ".png"}};
    for (size_t k = 0; directory && files.count == 0 && k < sizeof endings / sizeof *endings; k++)
        RILL_TRY(find_in_directory(path, NULL, endings[k], &files));
    if (directory) {
        if (files.count == 0) RILL_TRY(rill_image_refuse_directory(path));
    } else if (strchr(path, '%'))
        RILL_TRY(find_pattern(path, &files));
    else
        RILL_TRY(find_glob(path, &files));
    if (files.count == 0) RILL_TRY(rill_fail(RILL_USAGE, "no file matches this pattern"));
    qsort(files.paths, files.count, sizeof *files.paths, compare_paths);
    RILL_TRY(check_series(&files));
    *out = files;
    files = (rill_slice_files){0};
done:
    files_free(&files);
    return status;
}
