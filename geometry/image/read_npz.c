/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NumPy's .npz: a zip archive of .npy arrays, stored or deflated, by libzip. The array is the only one with
 * two or three axes, or the one that is named ("scan.npz:/image"). An array goes through memory slice by
 * slice.
 */
#include "geometry/image/image_priv.h"
#include "geometry/image/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

enum { ARRAYS = 1024, NAME = 256 }; /* members of an archive, bytes of a name that is listed */

/* An array that is read: the archive goes with it. */
typedef struct {
    rill_byte_stream stream;
    zip_t *archive;
    zip_file_t *member;
} unzipper;

static rill_status read_member(rill_byte_stream *stream, void *data, uint64_t count, uint64_t *got)
{
    unzipper *u = (unzipper *)stream;
    *got = 0;
    while (*got < count && !stream->ended) {
        const uint64_t left = count - *got, room = left < 1u << 30 ? left : 1u << 30;
        const zip_int64_t n = zip_fread(u->member, (char *)data + *got, room);
        if (n < 0)
            return rill_fail(RILL_USAGE, "the archive is damaged: %s",
                             zip_error_strerror(zip_file_get_error(u->member)));
        stream->ended = n == 0;
        *got += (uint64_t)n;
    }
    return RILL_OK;
}

static void close_member(rill_byte_stream *stream)
{
    unzipper *u = (unzipper *)stream;
    if (u->member) zip_fclose(u->member);
    if (u->archive) zip_discard(u->archive);
    free(u);
}

static rill_status open_archive(const char *path, zip_t **out)
{
    int fd, code = 0;
    uint64_t length;
    rill_status status = rill_input_open(path, &fd, &length);
    if (status != RILL_OK) return status;
    if ((*out = zip_fdopen(fd, 0, &code))) return RILL_OK;
    close(fd);
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    status = code == ZIP_ER_MEMORY ? rill_fail(RILL_SYSTEM, "out of memory for a zip archive")
                                   : rill_fail(RILL_USAGE, "it is not a zip archive, or it is cut: %s",
                                               zip_error_strerror(&error));
    zip_error_fini(&error);
    return status;
}

/* Open a member, and read what its header says into an image. */
static rill_status open_member(unzipper *u, zip_uint64_t index, rill_image *image)
{
    rill_status status = RILL_OK;
    char *head = NULL;
    uint64_t length = 0, end = 0;
    if (u->member) zip_fclose(u->member);
    u->stream.ended = false;
    u->member = zip_fopen_index(u->archive, index, 0);
    if (!u->member)
        return rill_fail(RILL_USAGE, "the archive is damaged, encrypted or packed in an unknown way: %s",
                         zip_error_strerror(zip_get_error(u->archive)));
    if (!(head = calloc(RILL_NPY_HEADER + 1, 1)))
        return rill_fail(RILL_SYSTEM, "out of memory for the header of an array");
    RILL_TRY(read_member(&u->stream, head, 12, &length)); /* every header is longer */
    const unsigned char *b = (const unsigned char *)head;
    const uint64_t size =
        length < 12 ? 0
        : b[6] == 1 ? 10 + (b[8] | (uint64_t)b[9] << 8)
                    : 12 + (b[8] | (uint64_t)b[9] << 8 | (uint64_t)b[10] << 16 | (uint64_t)b[11] << 24);
    if (size > 12 && size <= RILL_NPY_HEADER) {
        uint64_t more = 0;
        RILL_TRY(read_member(&u->stream, head + 12, size - 12, &more));
        length += more;
    }
    RILL_TRY(rill_npy_header(head, length, image, &end));
done:
    free(head);
    return status;
}

/* The name of the array of a member, without ".npy"; false for other files. */
static bool array_name(zip_t *archive, zip_uint64_t index, char name[NAME])
{
    const char *full = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
    const size_t length = full ? strlen(full) : 0;
    if (length < 5 || strcmp(full + length - 4, ".npy") != 0) return false;
    snprintf(name, NAME, "%.*s", (int)(length - 4 < NAME ? length - 4 : NAME - 1), full);
    return true;
}

/* Return whether a member is an array that could be an image. */
static bool is_image(unzipper *u, zip_uint64_t index)
{
    rill_image trial = {0};
    return open_member(u, index, &trial) == RILL_OK && (uint64_t)trial.n[0] * trial.n[1] > 1;
}

/* Find the array: the one that is named, else the only one that is an image. */
static rill_status array_find(unzipper *u, const char *wanted, zip_uint64_t *index)
{
    char name[NAME], list[400] = "";
    size_t used = 0;
    int arrays = 0, images = 0;
    const zip_int64_t count = zip_get_num_entries(u->archive, 0);
    if (count > ARRAYS)
        return rill_fail(RILL_USAGE, "the archive has %lld members, more than %d: it is not an npz",
                         (long long)count, ARRAYS);
    for (zip_int64_t k = 0; k < count; k++) {
        if (!array_name(u->archive, (zip_uint64_t)k, name)) continue;
        arrays++;
        if (wanted && strcmp(name, wanted) == 0) {
            *index = (zip_uint64_t)k;
            return RILL_OK;
        }
        if (!wanted && !is_image(u, (zip_uint64_t)k)) continue;
        if (images++ == 0) *index = (zip_uint64_t)k;
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", name);
    }
    if (arrays == 0) return rill_fail(RILL_USAGE, "it is a zip archive without .npy arrays: unpack it first");
    if (wanted)
        return rill_fail(RILL_USAGE, "it has no array \"%s\": it has %s", wanted,
                         *list ? list : "none with a name");
    if (images == 1) return RILL_OK;
    if (images == 0)
        return rill_fail(RILL_USAGE, "none of its %d arrays is an image of 2 or 3 axes with a known type",
                         arrays);
    return rill_fail(RILL_USAGE,
                     "it has %d arrays that may be the image: name one, such as FILE.npz:/%.*s (%s)", images,
                     (int)strcspn(list, ","), list, list);
}

rill_status rill_image_open_npz(const char *path, const char *name, rill_image *image)
{
    rill_status status = RILL_OK;
    zip_uint64_t index = 0;
    char kind[sizeof image->kind];
    unzipper *u = calloc(1, sizeof *u);
    if (!u) return rill_fail(RILL_SYSTEM, "out of memory for a zip archive");
    u->stream = (rill_byte_stream){read_member, close_member, "array", false};
    RILL_TRY(open_archive(path, &u->archive));
    RILL_TRY(array_find(u, name ? name + 1 : NULL, &index));
    RILL_TRY(open_member(u, index, image));
    snprintf(kind, sizeof kind, "%s", image->kind);
    snprintf(image->kind, sizeof image->kind, "npz, %.*s", (int)sizeof kind - 8, kind + strlen("npy, "));
    RILL_TRY(rill_image_add_file(image, path));
    rill_byte_stream *stream = &u->stream;
    u = NULL;
    RILL_TRY(rill_image_read_stream(image, stream, 0, false));
done:
    if (u) rill_stream_close(&u->stream);
    return status;
}
