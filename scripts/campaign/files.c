/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: what rill does to files. CAMPAIGN_RECORD names a file that receives every call that changes a
 * file or a directory, in order, with the bytes written. CAMPAIGN_KILL_AT ends the process by SIGKILL at one
 * of these calls: 2 n + 1 before call n, 2 n + 2 after half of it (a write) or all of it.
 * CAMPAIGN_FILES_COUNT names a file that receives the number of calls, and a letter for each: o open, w
 * write, t truncate, y synchronise, r rename, l link, u unlink, m make a directory. Calls for other
 * descriptors than regular files and directories that were opened here, such as standard output, are passed
 * on. */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { DESCRIPTORS = 1024, LETTERS = 1 << 20 };

static atomic_long calls;
static long kill_at = -1;
static int record = -1;
static double sync_seconds;
static bool watched[DESCRIPTORS];
static char letters[LETTERS + 1];

static void put(const void *data, size_t size)
{
    for (const char *next = data; size > 0;) {
        const long done = syscall(SYS_write, record, next, size);
        if (done <= 0) abort();
        next += done, size -= (size_t)done;
    }
}

/* Write a line of a record, and the bytes that belong to it. */
static void note(const void *data, size_t size, const char *format, ...)
{
    char line[2 * PATH_MAX + 64];
    va_list arguments;
    if (record < 0) return;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line) abort();
    put(line, (size_t)length);
    if (size) put(data, size);
}

static void end_here(long point)
{
    if (point == kill_at) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
}

/* Count a call. @return its number */
static long before(char letter)
{
    const long number = atomic_fetch_add(&calls, 1);
    if (number < LETTERS) letters[number] = letter;
    end_here(2 * number + 1);
    return number;
}

static void after(long number) { end_here(2 * number + 2); }

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("CAMPAIGN_KILL_AT"), *path = getenv("CAMPAIGN_RECORD");
    const char *seconds = getenv("CAMPAIGN_SYNC_SECONDS");
    if (at) kill_at = atol(at);
    if (seconds) sync_seconds = atof(seconds);
    if (path)
        record = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

__attribute__((destructor)) static void end(void)
{
    char text[32];
    const size_t most = strlen(letters);
    const char *path = getenv("CAMPAIGN_FILES_COUNT");
    if (!path) return;
    const int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
    if (file < 0 || syscall(SYS_write, file, text, length) != length ||
        syscall(SYS_write, file, letters, most) != (long)most)
        abort();
    syscall(SYS_close, file);
}

static bool is_watched(int fd) { return fd >= 0 && fd < DESCRIPTORS && watched[fd]; }

/* ---- opening and closing --------------------------------------------------------------------- */

static int open_at(int directory, const char *path, int flags, mode_t mode)
{
    const bool writes = (flags & O_ACCMODE) != O_RDONLY;
    if ((!writes && !(flags & O_DIRECTORY)) || strncmp(path, "/dev/", 5) == 0 ||
        strncmp(path, "/proc/", 6) == 0)
        return openat(directory, path, flags, mode);
    const long number = writes ? before('o') : 0;
    const int fd = (int)syscall(SYS_openat, directory, path, flags, mode);
    if (fd >= 0 && fd < DESCRIPTORS) {
        watched[fd] = true;
        note(NULL, 0, "open\t%d\t%d\t%s\n", fd, flags & (O_CREAT | O_TRUNC | O_DIRECTORY), path);
    }
    if (writes) after(number);
    return fd;
}

#define MODE                                                                                                 \
    mode_t mode = 0;                                                                                         \
    va_list arguments;                                                                                       \
    va_start(arguments, flags);                                                                              \
    if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(arguments, mode_t);                                     \
    va_end(arguments)

int open(const char *path, int flags, ...)
{
    MODE;
    return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE;
    return open_at(AT_FDCWD, path, flags, mode);
}

int close(int fd)
{
    if (is_watched(fd)) {
        watched[fd] = false;
        note(NULL, 0, "close\t%d\n", fd);
    }
    return (int)syscall(SYS_close, fd);
}

/* ---- writing --------------------------------------------------------------------------------- */

static ssize_t put_at(int fd, const void *data, size_t size, off_t offset)
{
    const long number = before('w');
    if (2 * number + 2 == kill_at) {
        syscall(SYS_pwrite64, fd, data, size / 2, offset);
        after(number);
    }
    const ssize_t done = syscall(SYS_pwrite64, fd, data, size, offset);
    if (done > 0) note(data, (size_t)done, "write\t%d\t%lld\t%zd\n", fd, (long long)offset, done);
    return done;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    return is_watched(fd) ? put_at(fd, data, size, offset) : syscall(SYS_pwrite64, fd, data, size, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    return pwrite(fd, data, size, offset);
}

ssize_t write(int fd, const void *data, size_t size)
{
    if (!is_watched(fd)) return syscall(SYS_write, fd, data, size);
    const off_t offset = lseek(fd, 0, SEEK_CUR);
    const ssize_t done = put_at(fd, data, size, offset);
    if (done > 0) lseek(fd, offset + done, SEEK_SET);
    return done;
}

int ftruncate(int fd, off_t size)
{
    if (!is_watched(fd)) return (int)syscall(SYS_ftruncate, fd, size);
    const long number = before('t');
    const int code = (int)syscall(SYS_ftruncate, fd, size);
    if (code == 0) note(NULL, 0, "truncate\t%d\t%lld\n", fd, (long long)size);
    after(number);
    return code;
}

int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }

int fsync(int fd)
{
    const long number = before('y');
    struct timespec left = {(time_t)sync_seconds,
                            (long)(1e9 * (sync_seconds - (double)(time_t)sync_seconds))};
    while (nanosleep(&left, &left) != 0) continue;
    const int code = (int)syscall(SYS_fsync, fd);
    if (code == 0) note(NULL, 0, "sync\t%d\n", fd);
    after(number);
    return code;
}

int fdatasync(int fd) { return fsync(fd); }

/* ---- directories ----------------------------------------------------------------------------- */

int rename(const char *from, const char *to)
{
    const long number = before('r');
    const int code = (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
    if (code == 0) note(NULL, 0, "rename\t%s\t%s\n", from, to);
    after(number);
    return code;
}

int link(const char *from, const char *to)
{
    const long number = before('l');
    const int code = (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (code == 0) note(NULL, 0, "link\t%s\t%s\n", from, to);
    after(number);
    return code;
}

int unlink(const char *path)
{
    const long number = before('u');
    const int code = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (code == 0) note(NULL, 0, "unlink\t%s\n", path);
    after(number);
    return code;
}

int remove(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode) ? rmdir(path) : unlink(path);
}

int mkdir(const char *path, mode_t mode)
{
    const long number = before('m');
    const int code = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    if (code == 0) note(NULL, 0, "mkdir\t%s\n", path);
    after(number);
    return code;
}
