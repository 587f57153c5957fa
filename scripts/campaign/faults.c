/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: the CAMPAIGN_FAULT_AT-th call that changes a file fails with the error CAMPAIGN_FAULT_ERROR (a
 * number), and with CAMPAIGN_FAULT_STAYS all later ones, as on a full disk. Error 0: a write stores half of
 * its bytes and says so. Where fsync, fdatasync or close fails, half of the file is lost, as what a disk or a
 * server did not take is. Calls are write, pwrite, fsync, fdatasync, ftruncate and close of regular files
 * that were opened for writing, open for writing, rename, link, unlink and mkdir. CAMPAIGN_FAULT_PATH: only
 * files with this text in their path count. CAMPAIGN_FAULT_COUNT names a file that receives their number. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long made;
static long at;
static int stays, error;
static const char *within;

#define NEXT(type, name, arguments)                                                                          \
    static type(*name##_next) arguments;                                                                     \
    if (!name##_next) *(void **)&name##_next = dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("CAMPAIGN_FAULT_AT"), *number = getenv("CAMPAIGN_FAULT_ERROR");
    at = text ? atol(text) : 0;
    error = number ? atoi(number) : EIO;
    stays = getenv("CAMPAIGN_FAULT_STAYS") != NULL;
    within = getenv("CAMPAIGN_FAULT_PATH");
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("CAMPAIGN_FAULT_COUNT");
    const long number = atomic_load(&made);
    at = 0;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", number);
    fclose(file);
}

/* Count a call for a file. Return whether it fails. */
static int fails(const char *path)
{
    if (within && (!path || !strstr(path, within))) return 0;
    const long number = atomic_fetch_add(&made, 1) + 1;
    const int is = at > 0 && (number == at || (stays && number > at));
    if (is && error) errno = error;
    return is;
}

static int fails_on(int descriptor)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = within ? readlink(link, path, sizeof path - 1) : 0;
    path[length > 0 ? length : 0] = '\0';
    return fails(path);
}

/* Whether a descriptor is of a regular file that is open for writing. */
static int is_file(int descriptor)
{
    struct stat info;
    const int mode = fcntl(descriptor, F_GETFL);
    return mode >= 0 && (mode & O_ACCMODE) != O_RDONLY && fstat(descriptor, &info) == 0 &&
           S_ISREG(info.st_mode);
}

/* Whether a size is to be halved. */
static size_t cut(int descriptor, size_t size, int *failed)
{
    *failed = fails_on(descriptor);
    if (!*failed || error) return size;
    *failed = 0;
    return size > 1 ? size / 2 : size;
}

ssize_t write(int descriptor, const void *data, size_t size)
{
    NEXT(ssize_t, write, (int, const void *, size_t));
    int failed = 0;
    if (is_file(descriptor)) size = cut(descriptor, size, &failed);
    return failed ? -1 : write_next(descriptor, data, size);
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset)
{
    NEXT(ssize_t, pwrite, (int, const void *, size_t, off_t));
    int failed = 0;
    if (is_file(descriptor)) size = cut(descriptor, size, &failed);
    return failed ? -1 : pwrite_next(descriptor, data, size, offset);
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off_t offset)
{
    return pwrite(descriptor, data, size, offset);
}

/* Whether what was written of a file cannot be stored: half of it is lost then. */
static int lost(int descriptor)
{
    struct stat info;
    if (!fails_on(descriptor) || !error) return 0;
    if (is_file(descriptor) && fstat(descriptor, &info) == 0 &&
        syscall(SYS_ftruncate, descriptor, info.st_size / 2) != 0)
        abort();
    errno = error;
    return 1;
}

#define FILE_CALL(name, parameters, descriptor, values)                                                      \
    int name parameters                                                                                      \
    {                                                                                                        \
        NEXT(int, name, parameters);                                                                         \
        return is_file(descriptor) && fails_on(descriptor) && error ? -1 : name##_next values;               \
    }

FILE_CALL(ftruncate, (int descriptor, off_t size), descriptor, (descriptor, size))
FILE_CALL(ftruncate64, (int descriptor, off_t size), descriptor, (descriptor, size))

int fsync(int descriptor) /* of directories, too */
{
    NEXT(int, fsync, (int));
    return lost(descriptor) ? -1 : fsync_next(descriptor);
}

int fdatasync(int descriptor)
{
    NEXT(int, fdatasync, (int));
    return is_file(descriptor) && lost(descriptor) ? -1 : fdatasync_next(descriptor);
}

int close(int descriptor) /* closes, whatever it returns, as Linux does */
{
    NEXT(int, close, (int));
    const int failed = is_file(descriptor) && lost(descriptor);
    const int code = close_next(descriptor);
    if (failed) errno = error;
    return failed ? -1 : code;
}

#define PATH_CALL(name, parameters, file, values)                                                            \
    int name parameters                                                                                      \
    {                                                                                                        \
        NEXT(int, name, parameters);                                                                         \
        return fails(file) && error ? -1 : name##_next values;                                               \
    }

PATH_CALL(rename, (const char *from, const char *to), to, (from, to))
PATH_CALL(link, (const char *from, const char *to), to, (from, to))
PATH_CALL(unlink, (const char *path), path, (path))
PATH_CALL(mkdir, (const char *path, mode_t mode), path, (path, mode))

static int opens(const char *path, int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY && strncmp(path, "/dev/", 5) != 0 && fails(path) && error;
}

int open(const char *path, int flags, ...)
{
    NEXT(int, open, (const char *, int, ...));
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return opens(path, flags) ? -1 : open_next(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    NEXT(int, open64, (const char *, int, ...));
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return opens(path, flags) ? -1 : open64_next(path, flags, mode);
}
