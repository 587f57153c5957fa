/* SPDX-License-Identifier: Apache-2.0 */
/* Starts rill-inspect by posix_spawn(): a fork of a process that has OpenMP or CUDA may not compute, and this
 * one may have both. What it says comes through a pipe: "K", or a status and a sentence; nothing: a crash. */
#include "core/inspect.h"

#include "core/decimal.h"
#include "core/place.h"
#include "core/status.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    WHICH = 128,      /* bytes of the identity of a file */
    KNOWN = 64,       /* files that are remembered */
    SECONDS = 10,     /* of a processor, within which a small file is read */
    PATIENCE = 6,     /* times as long by the clock: other programs use the processor, and disks are slow */
    RATE = 20000000,  /* bytes of a larger one in a further second */
    SHARED = 4 << 20, /* bytes from which several processes share the values of a file */
    SHARES = 4,       /* processes at most: 64 MiB of values are few chunks */
    ANSWER = 1024     /* bytes of what rill-inspect says */
};

/* ---- which file ------------------------------------------------------------------------------ */

static void which_of(const struct stat *s, char text[WHICH])
{
    snprintf(text, WHICH, "%lld:%lld:%lld:%lld.%09ld:%lld.%09ld", (long long)s->st_dev, (long long)s->st_ino,
             (long long)s->st_size, (long long)s->st_mtim.tv_sec, s->st_mtim.tv_nsec,
             (long long)s->st_ctim.tv_sec, s->st_ctim.tv_nsec);
}

/* Files that were written or inspected here, with what they were inspected for and what came of it. The
 * oldest gives way. */
static struct {
    char which[WHICH];
    const char *kind; /* NULL: written here */
    char *name;
    bool outside;
    char *refusal;  /* NULL: none */
    double seconds; /* that were not enough; infinity: the refusal has another reason */
} known[KNOWN];
static unsigned next;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

/* Whether an entry says what comes of a file within `seconds`. */
static bool tells(int k, const char *which, const rill_inspection *how, double seconds)
{
    if (strcmp(known[k].which, which) != 0) return false;
    if (!known[k].kind) return true;
    return is_same_text(known[k].kind, how->kind) && is_same_text(known[k].name, how->name) &&
           known[k].outside == how->outside && (!known[k].refusal || seconds <= known[k].seconds);
}

/* Return whether a file is known. @param[out] status  what came of it, with its message */
static bool is_known(const char *which, const rill_inspection *how, double seconds, rill_status *status)
{
    bool found = false;
    *status = RILL_OK;
    pthread_mutex_lock(&lock);
    for (int k = 0; k < KNOWN && !found; k++) {
        found = tells(k, which, how, seconds);
        if (found && known[k].refusal) *status = rill_fail(RILL_USAGE, "%s", known[k].refusal);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static char *copied(const char *text) { return text ? strdup(text) : NULL; }

/* @param kind  a literal; @param refusal  NULL: none */
static void remember(const char *which, const char *kind, const rill_inspection *how, const char *refusal,
                     double seconds)
{
    char *name = copied(how ? how->name : NULL), *kept = copied(refusal);
    if ((how && how->name && !name) || (refusal && !kept)) { /* it is inspected again */
        free(name);
        free(kept);
        return;
    }
    pthread_mutex_lock(&lock);
    const unsigned k = next++ % KNOWN;
    free(known[k].name);
    free(known[k].refusal);
    snprintf(known[k].which, WHICH, "%s", which);
    known[k].kind = kind;
    known[k].name = name;
    known[k].outside = how && how->outside;
    known[k].refusal = kept;
    known[k].seconds = seconds;
    pthread_mutex_unlock(&lock);
}

void rill_inspect_written(const char *path, const struct stat *before)
{
    struct stat now;
    char which[WHICH];
    if (stat(path, &now) != 0 || now.st_dev != before->st_dev || now.st_ino != before->st_ino ||
        now.st_size != before->st_size || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
        now.st_mtim.tv_nsec != before->st_mtim.tv_nsec)
        return;
    which_of(&now, which);
    remember(which, NULL, NULL, NULL, INFINITY);
}

/* ---- in rill-inspect ------------------------------------------------------------------------- */

static bool here, missed;
static char expected[WHICH]; /* "": any file */

void rill_inspect_here(const char *which)
{
    here = true;
    snprintf(expected, sizeof expected, "%s", which ? which : "");
}

bool rill_inspect_is_here(void) { return here; }

bool rill_inspect_missed(void) { return missed; }

static rill_status fail_changed(void)
{
    missed = true;
    return rill_fail(RILL_USAGE, "another program changes it: wait until it has finished");
}

rill_status rill_inspect_same(hid_t file, const struct stat *inspected)
{
    struct stat now;
    char a[WHICH], b[WHICH];
    int *descriptor = NULL;
    if (H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&descriptor) < 0 || !descriptor ||
        fstat(*descriptor, &now) != 0)
        return rill_fail(RILL_SYSTEM, "the HDF5 library does not state which file it opened");
    which_of(&now, a);
    which_of(inspected, b);
    return strcmp(a, b) == 0 ? RILL_OK : fail_changed();
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Find rill-inspect: what RILL_INSPECT names; beside the program or the library, as in a build tree; where
 * `make install` puts it, seen from the library, and from the program by the names that LIBDIR has. */
static rill_status program_find(char path[PATH_MAX])
{
    static const char *const places[] = {"rill-inspect", "rill/rill-inspect", "../lib/rill/rill-inspect",
                                         "../lib64/rill/rill-inspect",
                                         "../lib/x86_64-linux-gnu/rill/rill-inspect"};
    char own[PATH_MAX] = "";
    const char *named = getenv("RILL_INSPECT");
    if (named && *named) {
        if (snprintf(path, PATH_MAX, "%s", named) < PATH_MAX && access(path, X_OK) == 0) return RILL_OK;
        return rill_fail(RILL_SYSTEM, "RILL_INSPECT names %s, which cannot be run: %s", named,
                         strerror(errno));
    }
    for (rill_place place = RILL_PLACE_NAMED; place <= RILL_PLACE_MAPPED; place++)
        for (size_t k = 0; k < sizeof places / sizeof *places; k++)
            if (rill_place_directory(place, own, sizeof own) &&
                snprintf(path, PATH_MAX, "%s/%s", own, places[k]) < PATH_MAX && access(path, X_OK) == 0)
                return RILL_OK;
    return rill_fail(
        RILL_SYSTEM,
        "the program rill-inspect, which reads HDF5 files first, is not where rill is installed (%s, or rill/ in its library directory): "
        "install rill anew, or name it in RILL_INSPECT",
        own);
}

/* The environment without what is preloaded into this process. The caller frees the list. */
static char **environment_make(void)
{
    size_t count = 0, kept = 0;
    while (environ[count]) count++;
    char **list = malloc((count + 1) * sizeof *list);
    for (size_t k = 0; list && k < count; k++)
        if (strncmp(environ[k], "LD_PRELOAD=", 11) != 0) list[kept++] = environ[k];
    if (list) list[kept] = NULL;
    return list;
}

/* Start a program whose standard output is `out`, and that prints nothing. @return 0, or an error number */
static int start(const char *path, char *const arguments[], int out, pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    char **environment = environment_make();
    if (!environment) return ENOMEM;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    int error = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    if (!error) error = posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
    /* Control-C is for this process, with which that one ends: a group of its own does not get it. */
    if (!error) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    if (!error) error = posix_spawn(child, path, &files, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    free(environment);
    return error;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A process of rill-inspect, and the end of the pipe that it answers through. */
typedef struct inspector {
    pid_t child;
    int in;
} inspector;

/* Read what it says until it ends or its time is over. @return false when it is */
static bool hear(int in, double end, char answer[ANSWER])
{
    size_t length = 0;
    for (;;) {
        struct pollfd p = {.fd = in, .events = POLLIN};
        const double left = end - now();
        answer[length] = '\0';
        if (left <= 0) return false;
        if (poll(&p, 1, left < 1e6 ? (int)(1e3 * left) + 1 : INT_MAX) <= 0)
            continue; /* a signal, or the end */
        const ssize_t got = read(in, answer + length, ANSWER - 1 - length);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        length += (size_t)got;
    }
}

/* Start rill-inspect. @return RILL_SYSTEM when it cannot be run */
static rill_status begin(const char *const arguments[], inspector *i)
{
    char path[PATH_MAX];
    int ends[2];
    const rill_status found = program_find(path);
    if (found != RILL_OK) return found;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return rill_fail(RILL_SYSTEM, "rill-inspect cannot be started: %s", strerror(errno));
    const int error = start(path, (char *const *)arguments, ends[1], &i->child);
    close(ends[1]);
    i->in = ends[0];
    if (!error) return RILL_OK;
    close(ends[0]);
    return rill_fail(
        RILL_SYSTEM, "%s cannot be started: %s", path,
        error == ENOMEM
            ? "memory is lacking: free some, or raise the limit of this process (ulimit -v, ulimit -d)"
            : strerror(error));
}

/* Wait for the end of the process. @return how it ended */
static int await(const inspector *i)
{
    int state = 0;
    while (waitpid(i->child, &state, 0) < 0 && errno == EINTR) {}
    close(i->in);
    return state;
}

static void drop(const inspector *i)
{
    kill(i->child, SIGKILL);
    await(i);
}

/* Hear what rill-inspect answers. @param end  when its time is over by the clock
 * @param[in,out] answer  what it says, "" after a crash. @return RILL_CANCELLED when its time was over, by
 * the clock or of the processor; RILL_SYSTEM when it was killed */
static rill_status finish(const inspector *i, double end, char answer[ANSWER])
{
    const bool heard = hear(i->in, end, answer);
    if (!heard) kill(i->child, SIGKILL);
    const int state = await(i);
    rill_status status = heard ? RILL_OK : RILL_CANCELLED;
    if (WIFSIGNALED(state) && WTERMSIG(state) == SIGXCPU) status = RILL_CANCELLED;
    if (status == RILL_OK && WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL)
        status = rill_fail(
            RILL_SYSTEM,
            "rill-inspect was killed, by a lack of memory or by another program: free memory and read the file again");
    return status;
}

/* ---- inspecting ------------------------------------------------------------------------------ */

/* How long the program may take for a file, in seconds of a processor. */
static rill_status seconds_for(uint64_t bytes, double *out)
{
    const char *text = getenv("RILL_INSPECT_SECONDS");
    *out = SECONDS + (double)bytes / RATE;
    if (!text || !*text) return RILL_OK;
    if (rill_decimal(text, out) && *out > 0 && *out < 1e9) return RILL_OK;
    return rill_fail(RILL_USAGE, "RILL_INSPECT_SECONDS is \"%s\": give seconds, such as 60", text);
}

static rill_status fail_late(double seconds)
{
    return rill_fail(
        RILL_USAGE,
        "the HDF5 library takes longer than %.0f s to read it: save it again, or set RILL_INSPECT_SECONDS to more",
        seconds);
}

/* The answer in what rill-inspect printed: libraries, such as tools of OpenMP, print lines of their own
 * before. */
static const char *answer_in(const char *text)
{
    while (*text != 'K' && (*text < '1' || *text > '4')) {
        const char *end = strchr(text, '\n');
        if (!end) return "";
        text = end + 1;
    }
    return text;
}

/* The status that an answer states: a digit and a sentence, or "K". */
static rill_status status_of(const char *text)
{
    const char *answer = answer_in(text);
    if (*answer == 'K') return RILL_OK;
    if (*answer >= '1' && *answer <= '4') return rill_fail((rill_status)(*answer - '0'), "%s", answer + 1);
    return rill_fail(RILL_USAGE,
                     "it is a damaged HDF5 file, on which the HDF5 library crashes: save it again");
}

/* Let the program read a file, a large one by several processes, each of which reads a share of the values.
 * @param[out] late  whether the time of one was over */
static rill_status ask(const char *path, const char *which, const rill_inspection *how, double seconds,
                       int shares, bool *late)
{
    rill_status status = RILL_OK;
    char limit[32], share[SHARES][32];
    inspector begun[SHARES];
    int count = 0;
    const double end = now() + PATIENCE * seconds;
    *late = false;
    snprintf(limit, sizeof limit, "%.0f", seconds + 1);
    while (count < shares && status == RILL_OK) {
        snprintf(share[count], sizeof share[count], "%d/%d", count, shares);
        const char *const arguments[] = {"rill-inspect",
                                         rill_version(),
                                         how->kind,
                                         limit,
                                         which,
                                         path,
                                         how->outside ? "outside" : "inside",
                                         shares > 1 ? share[count] : how->name,
                                         NULL};
        status = begin(arguments, &begun[count]);
        count += status == RILL_OK;
    }
    const bool few = status != RILL_OK && count > 0; /* of processes or files, that the system grants */
    for (int k = 0; k < count; k++) {
        char answer[ANSWER] = "";
        if (status != RILL_OK) { /* refused by what another has read */
            drop(&begun[k]);
            continue;
        }
        status = finish(&begun[k], end, answer);
        *late = status == RILL_CANCELLED;
        if (*late) status = fail_late(seconds);
        if (status == RILL_OK) status = status_of(answer);
    }
    return few ? ask(path, which, how, seconds, 1, late) : status;
}

/* How many processes read a file. An image is read slice by slice, by one. */
static int shares_of(const rill_inspection *how, uint64_t bytes)
{
    const int threads = omp_get_max_threads();
    return how->name || bytes < SHARED || strcmp(how->kind, "file") != 0 ? 1
           : threads < SHARES                                            ? threads
                                                                         : SHARES;
}

bool rill_inspect_is_replaced(const char *path, int descriptor)
{
    struct stat held, named;
    if (here && *expected) return false; /* which file it is to be, the caller of this program decides */
    if (descriptor < 0 || fstat(descriptor, &held) != 0 || stat(path, &named) != 0) return false;
    return held.st_dev != named.st_dev || held.st_ino != named.st_ino;
}

rill_status rill_inspect(const char *path, int descriptor, const rill_inspection *how, struct stat *inspected)
{
    rill_status status = RILL_OK;
    struct stat now;
    char which[WHICH], then[WHICH] = "";
    double seconds;
    bool late;
    if (fstat(descriptor, inspected) != 0)
        return rill_fail(rill_status_of_reading(errno), "%s", strerror(errno));
    which_of(inspected, which);
    if (here) return !*expected || strcmp(which, expected) == 0 ? RILL_OK : fail_changed();
    RILL_TRY(seconds_for((uint64_t)inspected->st_size, &seconds));
    if (is_known(which, how, seconds, &status)) return status;
    status = ask(path, which, how, seconds, shares_of(how, (uint64_t)inspected->st_size), &late);
    if (stat(path, &now) == 0) which_of(&now, then);
    if (status == RILL_OK)
        remember(which, how->kind, how, NULL, INFINITY);
    else if (status == RILL_USAGE && strcmp(which, then) == 0) /* not what is being written */
        remember(which, how->kind, how, rill_error_message(), late ? seconds : INFINITY);
done:
    return status;
}

rill_status rill_inspect_copy(const char *from, const char *to)
{
    /* The links of a field file lead to a file of any size, and disks are slow. */
    enum { LONG = 3600 };
    rill_status status = RILL_OK;
    char limit[32], answer[ANSWER] = "", *final = realpath(to, NULL), *left = NULL;
    inspector copying = {.child = 0};
    snprintf(limit, sizeof limit, "%d", LONG);
    const char *const arguments[] = {"rill-inspect", rill_version(), "copy", limit, "", from, to, NULL};
    status = begin(arguments, &copying);
    if (status == RILL_OK) status = finish(&copying, now() + LONG, answer);
    if (status == RILL_CANCELLED) status = fail_late(LONG);
    if (status == RILL_OK) status = status_of(answer);
    /* What a crash leaves, as rill_output_create() names it. */
    if (status != RILL_OK && copying.child > 0 &&
        asprintf(&left, "%s.%ld-0.tmp", final ? final : to, (long)copying.child) > 0)
        unlink(left);
    free(left);
    free(final);
    return status;
}
