/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rill-inspect: reads an HDF5 file before rill does, with the same functions, so that the HDF5 library
 * crashes here. core/inspect.c starts it. It prints "K" when it has read all that it will: what is wrong in a
 * way that the library reports, rill itself meets and reports.
 *
 *     rill-inspect VERSION file SECONDS WHICH FILE inside|outside [SHARE/SHARES]
 *     rill-inspect VERSION image SECONDS WHICH FILE inside|outside [DATASET]
 *     rill-inspect VERSION copy SECONDS "" FROM TO
 */
#include "core/inspect.h"
#include "core/sanitized.h"
#include "geometry/image/image.h"
#include "io/fields.h"
#include "io/hdf5_priv.h"
#include "io/info.h"

#include <malloc.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    OBJECTS = 100000,  /* of a file */
    DEPTH = 64,        /* of groups */
    PATH = 4096,       /* bytes of the path of an object */
    NUMBERS = 1 << 16, /* of an attribute that is read */
    VALUES = 64 << 20, /* bytes of values that are read of a file; the rest is not */
    WHOLE = 32 << 20,  /* bytes of a dataset that are read at once */
    SMALL = 1 << 16,   /* a dataset is read as a whole, a larger one by rows */
    TWICE = 1 << 22    /* or in both ways */
};

/* Print the answer and end. @return never */
static void answer(rill_status status, const char *sentence)
{
    if (status == RILL_OK)
        fputs("K", stdout);
    else
        printf("%d%s", (int)status, sentence);
    fflush(stdout);
    omp_pause_resource_all(omp_pause_hard); /* removes that file */
    _exit(0);                               /* what HDF5 does at exit, it may not survive either */
}

static bool narrow; /* who started this process allows it less memory than the limit here */

static void answer_lack(void)
{
    answer(
        RILL_SYSTEM,
        narrow
            ? "the limit of this process (ulimit -v, ulimit -d) leaves the HDF5 library too little memory to read it: raise the limit"
            : "the HDF5 library needs more than 1 GiB, and 8 times the size of the file, to read it: save it again in smaller chunks");
}

/* ---- files of rill --------------------------------------------------------------------------- */

typedef struct walk {
    rill_h5_file *file;
    haddr_t *groups; /* that were entered: one of them may be a member of another, or of itself */
    size_t group_count, group_room, objects;
    uint64_t values;                /* bytes that may still be read */
    unsigned share, shares, pieces; /* of the values every one of `shares` pieces is read here */
} walk;

typedef struct place {
    walk *w;
    const char *path;
    int depth;
} place;

static herr_t on_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    walk *w = context;
    (void)info;
    if (++w->objects > OBJECTS) return -1;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT),
                type = attribute < 0 ? H5I_INVALID_HID : H5Aget_type(attribute),
                space = attribute < 0 ? H5I_INVALID_HID : H5Aget_space(attribute);
    const hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    const bool whole = type >= 0 && H5Tget_class(type) == H5T_INTEGER;
    double *values = count > 0 && count <= NUMBERS ? malloc((size_t)count * sizeof *values) : NULL;
    if (type >= 0) free(rill_h5_attribute_text(attribute, NUMBERS));
    if (values)
        rill_h5_attribute_numbers(attribute, whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, (uint64_t)count,
                                  values);
    free(values);
    rill_h5_release(space);
    rill_h5_release(type);
    rill_h5_release(attribute);
    return 0;
}

/* Return whether the next piece of the values is of this process. */
static bool is_own(walk *w) { return w->pieces++ % w->shares == w->share; }

/* Read rows of a dataset, as many as may still be read, and the last one. */
static void read_rows(walk *w, const char *path, rill_h5_type type, const rill_h5_layout *l, uint64_t row)
{
    uint64_t start[RILL_H5_RANK] = {0}, count[RILL_H5_RANK];
    memcpy(count, l->dims, sizeof count);
    const uint64_t most = row > 0 ? WHOLE / row : 0, deep = l->chunk[0] > 1 ? l->chunk[0] : 1;
    const uint64_t part = most / w->shares, fit = part > deep ? part : most < deep ? most : deep;
    uint64_t rows = fit > deep ? fit - fit % deep : fit;
    if (rows == 0) return; /* a row is larger than what is read at once */
    if (rows > l->dims[0]) rows = l->dims[0];
    void *data = malloc(rows * row);
    if (!data) answer_lack();
    for (uint64_t left = l->dims[0]; left > 0; left -= rows, start[0] += rows) {
        if (rows > left) rows = left;
        if (w->values < rows * row) { /* the last row, and no more */
            start[0] = l->dims[0] - 1;
            left = rows = 1;
        }
        count[0] = rows;
        w->values -= w->values < rows * row ? w->values : rows * row;
        if (is_own(w) && rill_h5_read(w->file, path, type, l->rank, start, count, data) != RILL_OK) {
            w->share = 0, w->shares = 1; /* the others do not know: from here on all is read here, too */
            break;
        }
    }
    free(data);
}

static void read_dataset(walk *w, const char *path)
{
    rill_h5_layout l;
    if (rill_h5_dataset_layout(w->file, path, &l) != RILL_OK) return;
    const rill_h5_type type = l.type == RILL_H5_OTHER ? RILL_H5_F64 : l.type;
    uint64_t row = rill_h5_size(type), bytes;
    for (int a = 1; a < l.rank; a++)
        if (__builtin_mul_overflow(row, l.dims[a], &row)) return;
    if (__builtin_mul_overflow(row, l.rank > 0 ? l.dims[0] : 1, &bytes)) return;
    if (bytes <= TWICE && is_own(w)) {
        void *data = malloc(bytes + 1);
        if (data) rill_h5_read(w->file, path, type, l.rank, NULL, l.dims, data);
        free(data);
    }
    if (l.rank > 0 && bytes > SMALL) read_rows(w, path, type, &l, row);
}

static rill_status on_member(void *context, const char *name);

/* Return whether a group was not entered before. */
static bool is_new(walk *w, hid_t group)
{
    H5O_info_t info;
    if (H5Oget_info2(group, &info, H5O_INFO_BASIC) < 0) return false;
    for (size_t k = 0; k < w->group_count; k++)
        if (w->groups[k] == info.addr) return false;
    if (w->group_count == w->group_room) {
        const size_t room = w->group_room > 0 ? 2 * w->group_room : 64;
        haddr_t *groups = realloc(w->groups, room * sizeof *groups);
        if (!groups) return false;
        w->groups = groups;
        w->group_room = room;
    }
    w->groups[w->group_count++] = info.addr;
    return true;
}

static rill_status enter(walk *w, const char *path, int depth)
{
    hsize_t at = 0;
    place p = {w, path, depth};
    if (++w->objects > OBJECTS) return RILL_CANCELLED;
    const hid_t object = rill_h5_object(w->file, path);
    const H5I_type_t type = object < 0 ? H5I_BADID : H5Iget_type(object);
    const bool group = type == H5I_GROUP && is_new(w, object), dataset = type == H5I_DATASET;
    if (group || dataset) H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, on_attribute, w);
    rill_h5_release(object);
    if (dataset) read_dataset(w, path);
    if (group && depth < DEPTH) rill_h5_members(w->file, path, on_member, &p);
    return w->objects > OBJECTS ? RILL_CANCELLED : RILL_OK;
}

static rill_status on_member(void *context, const char *name)
{
    const place *p = context;
    char path[PATH];
    const char *above = strcmp(p->path, "/") == 0 ? "" : p->path;
    if (snprintf(path, sizeof path, "%s/%s", above, name) >= PATH) return RILL_OK;
    return enter(p->w, path, p->depth + 1);
}

static void inspect_file(const char *path, const char *share)
{
    json_t *json = NULL;
    RILL_H5_QUIET;
    walk w = {.values = VALUES, .shares = 1};
    if (share && (sscanf(share, "%u/%u", &w.share, &w.shares) != 2 || w.shares == 0)) return;
    if (rill_h5_open_part(path, &w.file) != RILL_OK) return;
    if (enter(&w, "/", 0) == RILL_CANCELLED)
        answer(RILL_USAGE, "it has more than 100000 groups, datasets and attributes: no file of rill has");
    rill_h5_close(w.file);
    free(w.groups);
    if (w.share == 0 && rill_info_read(path, &json) == RILL_OK) json_decref(json);
}

/* ---- images ---------------------------------------------------------------------------------- */

static void inspect_image(const char *path, const char *name, bool outside)
{
    rill_image *image = NULL;
    char *whole = NULL;
    rill_image_options options = rill_image_options_default();
    options.format = RILL_IMAGE_HDF5;
    options.allow_outside = outside;
    if (name && asprintf(&whole, "%s:%s", path, name) < 0) return;
    if (rill_image_open(whole ? whole : path, &options, &image) != RILL_OK) return;
    const uint64_t bytes = rill_image_slice_voxels(image) * rill_grey_size(image->type);
    const uint32_t count = image->n[image->order[2]];
    void *grey = malloc(bytes + 1);
    for (uint32_t k = 0; grey && k < count; k++) {
        if (k * bytes > VALUES) k = count - 1;
        if (rill_image_read(image, k, grey) != RILL_OK) break;
    }
    rill_image_close(image);
    free(grey);
    free(whole);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void limit(int what, uint64_t most)
{
    struct rlimit now;
    if (getrlimit(what, &now) != 0) return;
    /* Beyond its hard limit of time a process gets SIGKILL, as where memory lacks; SIGXCPU differs from that.
     */
    const uint64_t last = most + (what == RLIMIT_CPU);
    if (now.rlim_max == RLIM_INFINITY || now.rlim_max > last) now.rlim_max = last;
    if (now.rlim_cur == RLIM_INFINITY || now.rlim_cur > most) now.rlim_cur = most;
    if (now.rlim_cur > now.rlim_max) now.rlim_cur = now.rlim_max;
    setrlimit(what, &now);
}

static void set_limits(uint64_t seconds, uint64_t file_bytes, bool writes)
{
    omp_set_num_threads(1); /* before the limits: the OpenMP of LLVM begins with a file in /dev/shm */
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, seconds);
    if (!writes) limit(RLIMIT_FSIZE, 0);
    const uint64_t most = ((uint64_t)1 << 30) + 8 * file_bytes;
    const int kinds[] = {RLIMIT_AS, RLIMIT_DATA};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct rlimit now;
        narrow |= getrlimit(kinds[k], &now) == 0 && now.rlim_cur != RLIM_INFINITY && now.rlim_cur < most;
    }
    if (!SANITIZED) limit(RLIMIT_AS, most);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Where the HDF5 library reads or frees what it has not set, crash here, whatever the memory held before. */
static void spoil_memory(void)
{
    mallopt(M_PERTURB, 0x5a);
    H5set_free_list_limits(0, 0, 0, 0, 0, 0); /* which would give memory again as it was */
}

int main(int argc, char **argv)
{
    struct stat info;
    if (argc < 7) {
        fputs("rill-inspect is started by rill, to read HDF5 files first\n", stderr);
        return RILL_USAGE;
    }
    const char *kind = argv[2], *path = argv[5];
    if (strcmp(argv[1], rill_version()) != 0)
        answer(RILL_SYSTEM, "rill-inspect is of another version than rill: install both anew");
    const bool copies = strcmp(kind, "copy") == 0;
    set_limits(strtoull(argv[3], NULL, 10), stat(path, &info) == 0 ? (uint64_t)info.st_size : 0, copies);
    spoil_memory();
    rill_inspect_here(argv[4]);
    if (copies) {
        const rill_status status = rill_fields_copy(path, argv[6]);
        answer(status, status == RILL_OK ? "" : rill_error_message());
    }
    if (strcmp(kind, "image") == 0)
        inspect_image(path, argv[7], strcmp(argv[6], "outside") == 0);
    else
        inspect_file(path, argv[7]);
    if (rill_inspect_missed()) answer(RILL_USAGE, "another program changes it: wait until it has finished");
    if (rill_h5_lacked_memory()) answer_lack();
    answer(RILL_OK, NULL);
}
