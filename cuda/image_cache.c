/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of compiled kernels: a file per entry, a header with two hashes before the bytes. */
#include "cuda/image_cache.h"

#include "core/log.h"
#include "core/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

typedef struct header {
    char magic[8];
    uint64_t key, size, hash; /* hash of the bytes */
} header;

static const char magic[8] = "rillimg1";

bool rill_cache_directory(char *path, size_t size)
{
    static const struct {
        const char *variable, *below;
    } places[] = {{"RILL_CACHE", ""}, {"XDG_CACHE_HOME", "/rill"}, {"HOME", "/.cache/rill"}};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        const char *base = getenv(places[k].variable);
        if (base && *base) return (size_t)snprintf(path, size, "%s%s", base, places[k].below) < size;
    }
    return false;
}

static bool path_of(const char *name, char *path, size_t size)
{
    char directory[3072];
    return rill_cache_directory(directory, sizeof directory) &&
           (size_t)snprintf(path, size, "%s/%s", directory, name) < size;
}

/* Open an entry that this user wrote and nobody else can have changed: the device runs what is in it. */
static FILE *entry_open(const char *path)
{
    struct stat info;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) return NULL;
    FILE *file = NULL;
    if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
        (info.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        file = fdopen(descriptor, "rb");
    else
        rill_log(RILL_LOG_DEBUG, "%s is not of this user alone: it will be made again", path);
    if (!file) close(descriptor);
    return file;
}

bool rill_cache_read(const char *name, uint64_t key, void **bytes, size_t *size)
{
    char path[4096];
    header h;
    void *found = NULL;
    FILE *file = path_of(name, path, sizeof path) ? entry_open(path) : NULL;
    if (!file) return false;
    struct stat info;
    bool good = fread(&h, sizeof h, 1, file) == 1 && memcmp(h.magic, magic, sizeof magic) == 0 &&
                h.key == key && fstat(fileno(file), &info) == 0 &&
                (uint64_t)info.st_size == sizeof h + h.size;
    if (good) {
        found = malloc(h.size);
        good = found && fread(found, 1, h.size, file) == h.size && XXH3_64bits(found, h.size) == h.hash;
    }
    fclose(file);
    if (!good) {
        rill_log(RILL_LOG_DEBUG, "%s is damaged: it will be made again", path);
        free(found);
        return false;
    }
    *bytes = found;
    *size = h.size;
    return true;
}

/* Makes a directory and those above it. */
static bool directory_make(const char *path)
{
    char part[4096];
    for (size_t k = 1; path[k - 1] && k < sizeof part; k++) {
        if (path[k] && path[k] != '/') continue;
        snprintf(part, sizeof part, "%.*s", (int)k, path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST) return false;
    }
    return true;
}

void rill_cache_write(const char *name, uint64_t key, const void *bytes, size_t size)
{
    char directory[3072], path[4096];
    if (!rill_cache_directory(directory, sizeof directory) || !path_of(name, path, sizeof path)) {
        rill_log(RILL_LOG_DEBUG,
                 "compiled kernels are not kept: none of RILL_CACHE, XDG_CACHE_HOME and HOME is set");
        return;
    }
    header h = {.key = key, .size = size, .hash = XXH3_64bits(bytes, size)};
    memcpy(h.magic, magic, sizeof magic);
    rill_output *output = NULL;
    struct stat info;
    /* Outputs are written through links and into pipes, and keep the mode of what they replace. */
    if (lstat(path, &info) == 0 && !S_ISDIR(info.st_mode) &&
        (!S_ISREG(info.st_mode) || (info.st_mode & (S_IRWXG | S_IRWXO)) != 0))
        unlink(path);
    if (!directory_make(directory))
        rill_log(RILL_LOG_DEBUG, "compiled kernels are not kept: %s cannot be made: %s", directory,
                 strerror(errno));
    else if (rill_output_create(path, &output) != RILL_OK ||
             fchmod(rill_output_descriptor(output), S_IRUSR | S_IWUSR) != 0 ||
             rill_output_append(output, &h, sizeof h) != RILL_OK ||
             rill_output_append(output, bytes, size) != RILL_OK || rill_output_commit(output) != RILL_OK)
        rill_log(RILL_LOG_DEBUG, "compiled kernels are not kept: %s", rill_error_message());
    rill_output_destroy(output);
}
