/* SPDX-License-Identifier: Apache-2.0 */
/* What all users of the HDF5 library share. */
#include "core/h5.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* HDF5 may be built without protection from threads, though Debian's is not. A function may call others that
 * lock, too. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int depth;                    /* functions that hold the lock */
static volatile sig_atomic_t lacked; /* an allocation has failed in one of them */
static bool noticed;                 /* HDF5 has reported it since the outermost of them began */

/* What HDF5 calls after errno may be another failure's by the time that its caller looks. */
static herr_t notice(unsigned n, const H5E_error2_t *error, void *context)
{
    (void)n;
    (void)context;
    noticed = noticed || (error->desc && strstr(error->desc, "memory allocation failed"));
    return 0;
}

static herr_t on_failure(hid_t stack, void *context)
{
    return H5Ewalk2(stack, H5E_WALK_UPWARD, notice, context);
}

rill_h5_quiet rill_h5_quiet_begin(void)
{
    rill_h5_quiet quiet = {NULL, NULL, errno};
    pthread_mutex_lock(&lock);
    if (depth++ == 0) {
        errno = 0;
        noticed = false;
    }
    H5Eget_auto2(H5E_DEFAULT, &quiet.fn, &quiet.data);
    H5Eset_auto2(H5E_DEFAULT, on_failure, NULL);
    return quiet;
}

void rill_h5_quiet_end(rill_h5_quiet *quiet)
{
    /* After a failed allocation HDF5 has objects left that it cannot close, and would print so at exit. */
    const bool lacks = rill_h5_lacks_memory();
    lacked = lacked || lacks;
    H5Eset_auto2(H5E_DEFAULT, lacks ? NULL : quiet->fn, lacks ? NULL : quiet->data);
    if (--depth == 0 && !lacks) errno = quiet->error;
    pthread_mutex_unlock(&lock);
}

bool rill_h5_lacks_memory(void) { return errno == ENOMEM || noticed; }

bool rill_h5_lacked_memory(void) { return lacked; }

/* Keeps the innermost description; of a failed system call only its reason. */
static herr_t keep_innermost(unsigned n, const H5E_error2_t *error, void *context)
{
    char *kept = context;
    if (n > 0 || !error->desc) return 0;
    const char *reason = strstr(error->desc, "error message = '");
    const char *begin = reason ? reason + strlen("error message = '") : error->desc;
    const size_t length = reason ? strcspn(begin, "'") : strlen(begin), most = RILL_H5_REASON - 1;
    snprintf(kept, RILL_H5_REASON, "%.*s", (int)(length < most ? length : most), begin);
    return 0;
}

void rill_h5_reason(char text[RILL_H5_REASON])
{
    text[0] = '\0';
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, text);
}

bool rill_h5_release(hid_t id)
{
    if (id < 0) return true;
    switch (H5Iget_type(id)) {
    case H5I_FILE:
        return H5Fclose(id) >= 0;
    case H5I_GROUP:
    case H5I_DATASET:
        return H5Oclose(id) >= 0;
    case H5I_DATATYPE:
        return H5Tclose(id) >= 0;
    case H5I_DATASPACE:
        return H5Sclose(id) >= 0;
    case H5I_ATTR:
        return H5Aclose(id) >= 0;
    case H5I_GENPROP_LST:
        return H5Pclose(id) >= 0;
    default:
        return false;
    }
}

/* Return whether an attribute is `count` values of a class. */
static bool attribute_is(hid_t attribute, H5T_class_t class, uint64_t count)
{
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const H5T_class_t found = H5Tget_class(type);
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    const bool same = found == class || (class == H5T_FLOAT && found == H5T_INTEGER);
    rill_h5_release(space);
    rill_h5_release(type);
    return same && points >= 0 && (uint64_t)points == count;
}

bool rill_h5_attribute_numbers(hid_t attribute, hid_t memory, uint64_t count, void *values)
{
    return attribute_is(attribute, H5Tget_class(memory), count) && H5Aread(attribute, memory, values) >= 0;
}

char *rill_h5_attribute_text(hid_t attribute, size_t most)
{
    char *text = NULL, *theirs = NULL;
    if (!attribute_is(attribute, H5T_STRING, 1)) return NULL;
    const hid_t type = H5Aget_type(attribute);
    const size_t size = H5Tget_size(type);
    if (H5Tis_variable_str(type) > 0) {
        if (H5Aread(attribute, type, &theirs) >= 0 && theirs) text = strndup(theirs, most);
        H5free_memory(theirs);
    } else if (size <= most && (text = calloc(1, size + 1)) != NULL && H5Aread(attribute, type, text) < 0) {
        free(text);
        text = NULL;
    }
    rill_h5_release(type);
    return text;
}

bool rill_h5_begins(const char *path)
{
    enum { LOOK = 2048 /* the last place that is looked at; each is twice the one before */ };
    static const char signature[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
    char bytes[sizeof signature];
    struct stat info;
    bool is = false;
    /* A FIFO would have to be waited for. */
    const int file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    for (off_t at = 0; file >= 0 && !is && at <= LOOK; at = at ? 2 * at : 512)
        is = pread(file, bytes, sizeof bytes, at) == sizeof bytes &&
             memcmp(bytes, signature, sizeof bytes) == 0;
    if (file >= 0) close(file);
    return is;
}
