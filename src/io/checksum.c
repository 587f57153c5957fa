/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums of whole files: a trailer of magic, bytes before it (little endian), and XXH3-128 of these bytes
 * in its canonical form, as xxhsum -H2 prints it. */
#include "io/checksum.h"

#include "core/output.h"
#include "core/reading.h"
#include "core/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { PIECE = 1 << 20, MAGIC = 8, TRAILER = 32 };

static const char magic[MAGIC + 1] = "rillsum1";

/* Read `size` bytes. @return 0, or errno; EIO where the file is shorter */
static int read_all(int descriptor, void *to, size_t size, uint64_t offset)
{
    char *next = to;
    while (size > 0) {
        const ssize_t got = pread(descriptor, next, size, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 ? errno : EIO;
        next += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return 0;
}

static int write_all(int descriptor, const void *from, size_t size, uint64_t offset)
{
    const char *next = from;
    while (size > 0) {
        const ssize_t done = pwrite(descriptor, next, size, (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        next += done;
        offset += (uint64_t)done;
        size -= (size_t)done;
    }
    return 0;
}

/* Make the trailer of the first `bytes` bytes of a file. @return 0, or errno */
static int trailer_make(int descriptor, uint64_t bytes, unsigned char trailer[TRAILER])
{
    int error = 0;
    XXH3_state_t *state = XXH3_createState();
    unsigned char *piece = malloc(PIECE);
    if (!state || !piece) error = ENOMEM;
    if (!error) XXH3_128bits_reset(state);
    for (uint64_t offset = 0; offset < bytes && !error; offset += PIECE) {
        const size_t size = bytes - offset < PIECE ? (size_t)(bytes - offset) : PIECE;
        error = read_all(descriptor, piece, size, offset);
        if (!error) XXH3_128bits_update(state, piece, size);
    }
    if (!error) {
        XXH128_canonical_t hash;
        XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(state));
        memcpy(trailer, magic, MAGIC);
        for (int k = 0; k < 8; k++) trailer[MAGIC + k] = (unsigned char)(bytes >> 8 * k);
        memcpy(trailer + MAGIC + 8, hash.digest, sizeof hash.digest);
    }
    free(piece);
    XXH3_freeState(state);
    return error;
}

rill_status rill_checksum_append(int descriptor, const char *path)
{
    unsigned char trailer[TRAILER];
    struct stat info;
    int error = fstat(descriptor, &info) == 0 ? 0 : errno;
    if (!error) error = trailer_make(descriptor, (uint64_t)info.st_size, trailer);
    if (!error) error = write_all(descriptor, trailer, TRAILER, (uint64_t)info.st_size);
    return error ? rill_output_fail_on(path, descriptor, error) : RILL_OK;
}

/* Whether the HDF5 part of a file ends a few bytes before the file: what follows is the rest of a trailer.
 * The superblocks of versions 2 and 3 have the end at byte 28 (HDF5 File Format Specification 3.0, II.A). */
static bool has_remains(int descriptor, uint64_t bytes)
{
    unsigned char head[36];
    uint64_t end = 0;
    if (bytes < sizeof head || read_all(descriptor, head, sizeof head, 0) != 0) return false;
    if (memcmp(head, "\x89HDF\r\n\x1a\n", 8) != 0 || head[8] < 2 || head[8] > 3 || head[9] != 8) return false;
    for (int k = 0; k < 8; k++) end |= (uint64_t)head[28 + k] << 8 * k;
    return end < bytes && bytes - end <= TRAILER;
}

static rill_status fail_read(const char *path, int error)
{
    if (error != ENOMEM) return rill_fail_reading(error, path, "cannot read %s", path);
    return rill_fail(
        RILL_SYSTEM,
        "cannot read %s: memory is lacking: free some, or raise the limit of this process (ulimit -v, ulimit -d)",
        path);
}

rill_status rill_checksum_compare(int descriptor, const char *path, rill_checksum *out)
{
    unsigned char found[TRAILER], computed[TRAILER];
    struct stat info;
    *out = RILL_CHECKSUM_ABSENT;
    if (fstat(descriptor, &info) != 0) return fail_read(path, errno);
    if (info.st_size < TRAILER) return RILL_OK;
    const uint64_t bytes = (uint64_t)info.st_size - TRAILER;
    int error = read_all(descriptor, found, TRAILER, bytes);
    if (error) return fail_read(path, error);
    if (memcmp(found, magic, MAGIC) != 0) {
        if (has_remains(descriptor, bytes + TRAILER)) *out = RILL_CHECKSUM_WRONG;
        return RILL_OK;
    }
    error = trailer_make(descriptor, bytes, computed);
    if (error) return fail_read(path, error);
    *out = memcmp(found, computed, TRAILER) == 0 ? RILL_CHECKSUM_GOOD : RILL_CHECKSUM_WRONG;
    return RILL_OK;
}

rill_status rill_checksum_fail(const char *path)
{
    return rill_fail(
        RILL_USAGE,
        "cannot read %s: it is damaged: its checksum is not that of its bytes; restore it from a copy, or make it again",
        path);
}

rill_status rill_checksum_verify(const char *path)
{
    rill_checksum found = RILL_CHECKSUM_ABSENT;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* nobody may write to a FIFO */
    if (descriptor < 0) return fail_read(path, errno);
    const rill_status status = rill_checksum_compare(descriptor, path, &found);
    close(descriptor);
    if (status != RILL_OK || found == RILL_CHECKSUM_GOOD) return status;
    if (found == RILL_CHECKSUM_WRONG) return rill_checksum_fail(path);
    return rill_fail(
        RILL_USAGE,
        "cannot verify %s: it has no checksum: only HDF5 files of rill have one, unless an older version wrote them or another program changed them",
        path);
}
