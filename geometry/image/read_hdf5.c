/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Datasets of HDF5 files, NetCDF-4 among them: the only one with three axes (or two), or the one that is
 * named
 * ("scan.h5:/group/data"). Axes of one element at the end (components) and at the beginning (times) are
 * passed over. Voxel sizes are hdf5_spacing.c's. A chunked dataset is read by layers of chunks, so that each
 * chunk is unpacked once.
 */
#include "core/inspect.h"
#include "core/memory.h"
#include "geometry/image/hdf5_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VISITED = 100000 /* objects of a file */, SLAB_MOST = 1 << 30 /* bytes of a layer that is held */ };

/* ---- types ----------------------------------------------------------------------------------- */

static bool is_half(hid_t type)
{
    size_t sign, exponent, exponent_size, mantissa, mantissa_size;
    return H5Tget_size(type) == 2 &&
           H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size) >= 0 &&
           sign == 15 && exponent == 10 && exponent_size == 5 && mantissa == 0 && mantissa_size == 10 &&
           H5Tget_ebias(type) == 15;
}

static bool real_of(hid_t type, rill_grey *out)
{
    const bool single = H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0,
               twice = H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F64BE) > 0;
    *out = single ? RILL_GREY_F32 : twice ? RILL_GREY_F64 : RILL_GREY_F16;
    return single || twice || is_half(type);
}

static bool integer_of(hid_t type, rill_grey *out)
{
    static const rill_grey types[2][4] = {{RILL_GREY_U8, RILL_GREY_U16, RILL_GREY_U32, RILL_GREY_U64},
                                          {RILL_GREY_I8, RILL_GREY_I16, RILL_GREY_I32, RILL_GREY_I64}};
    const size_t size = H5Tget_size(type);
    const int power = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
    if (power < 0 || H5Tget_precision(type) != 8 * size || H5Tget_offset(type) != 0) return false;
    *out = types[H5Tget_sign(type) == H5T_SGN_2][power];
    return true;
}

/* Return whether an enumeration is h5py's bool: FALSE = 0, TRUE = 1 in one byte. */
static bool is_bool(hid_t type)
{
    unsigned char no = 1, yes = 0;
    return H5Tget_class(type) == H5T_ENUM && H5Tget_size(type) == 1 && H5Tget_nmembers(type) == 2 &&
           H5Tenum_valueof(type, "FALSE", &no) >= 0 && H5Tenum_valueof(type, "TRUE", &yes) >= 0 && no == 0 &&
           yes == 1;
}

/* The type of a dataset's elements; false for what is no number. */
static bool type_of(hid_t dataset, rill_grey *out, bool *swap)
{
    const hid_t type = H5Dget_type(dataset);
    const H5T_class_t class = H5Tget_class(type);
    const hid_t base = class == H5T_ENUM ? H5Tget_super(type) : H5I_INVALID_HID,
                number = base >= 0 ? base : type;
    bool known = class == H5T_FLOAT ? real_of(type, out)
                                    : (class == H5T_INTEGER || class == H5T_ENUM) && integer_of(number, out);
    const H5T_order_t order = H5Tget_order(number);
    if (known && is_bool(type)) *out = RILL_GREY_BOOL;
    if (known && rill_grey_size(*out) > 1) known = order == H5T_ORDER_LE || order == H5T_ORDER_BE;
    *swap = known && rill_grey_size(*out) > 1 &&
            (order == H5T_ORDER_BE) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    rill_h5_release(base);
    rill_h5_release(type);
    return known;
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* Find the axes of an image among those of a dataset. */
static bool settle_axes(rill_hdf5_set *set)
{
    hsize_t n[RILL_HDF5_RANK];
    const hid_t space = H5Dget_space(set->dataset);
    const int rank = H5Sget_simple_extent_ndims(space);
    bool good = rank >= 2 && rank <= RILL_HDF5_RANK && H5Sget_simple_extent_dims(space, n, NULL) == rank;
    rill_h5_release(space);
    int first = 0, end = rank;
    if (!good) return false;
    while (end - first > 3 && n[end - 1] == 1) end--;
    while (end - first > 3 && n[first] == 1) first++;
    set->all = rank;
    set->rank = end - first;
    for (int k = 0; k < rank; k++) set->n[k] = n[k];
    for (int k = first; k < end && k - first < 3; k++) set->axis[k - first] = k;
    return set->rank <= 3;
}

/* The datasets that may be the image. */
typedef struct {
    int visited, found[2]; /* with two and with three axes */
    char path[2][RILL_HDF5_PATH], list[400];
    size_t used;
    rill_h5_outside *outside;
} search;

static herr_t on_object(hid_t root, const char *name, const H5O_info_t *info, void *context)
{
    search *s = context;
    rill_hdf5_set set = {0};
    rill_grey type;
    bool swap;
    if (++s->visited > VISITED) return 1;
    if (info->type != H5O_TYPE_DATASET || strlen(name) + 2 > RILL_HDF5_PATH) return 0;
    set.dataset = rill_h5_open_object(root, name, s->outside);
    if (s->outside->status != RILL_OK) return -1;
    if (set.dataset < 0) return 0;
    if (type_of(set.dataset, &type, &swap) && settle_axes(&set)) {
        const int k = set.rank == 3;
        if (s->found[k]++ == 0) snprintf(s->path[k], RILL_HDF5_PATH, "/%s", name);
        if (s->used < sizeof s->list)
            s->used += (size_t)snprintf(s->list + s->used, sizeof s->list - s->used, "%s/%s",
                                        s->used ? ", " : "", name);
    }
    rill_h5_release(set.dataset);
    return 0;
}

/* Find the dataset that is the image where none is named. */
static rill_status image_find(const rill_hdf5_set *set, char path[RILL_HDF5_PATH])
{
    search s = {.outside = set->outside};
    if (H5Ovisit2(set->file, H5_INDEX_NAME, H5_ITER_INC, on_object, &s, H5O_INFO_BASIC) < 0)
        return s.outside->status != RILL_OK
                   ? s.outside->status
                   : rill_fail(RILL_USAGE, "its groups cannot be read: the HDF5 file is damaged");
    const int k = s.found[1] ? 1 : 0;
    strcpy(path, s.path[k]);
    if (s.found[k] == 1) return RILL_OK;
    if (!*s.list)
        return rill_fail(RILL_USAGE, "it is an HDF5 file without a dataset of numbers with 3 (or 2) axes");
    return rill_fail(RILL_USAGE,
                     "it has %d datasets that may be the image: name one, such as FILE.h5:%.*s (%s)",
                     s.found[k], (int)strlen(s.path[k]), s.path[k], s.list);
}

static rill_status open_named(rill_hdf5_set *set)
{
    search s = {.outside = set->outside};
    const hid_t object = rill_h5_open_object(set->file, set->path, set->outside);
    if (set->outside->status != RILL_OK) return set->outside->status;
    if (object >= 0 && H5Iget_type(object) == H5I_DATASET) {
        set->dataset = object;
        return RILL_OK;
    }
    rill_h5_release(object);
    H5Ovisit2(set->file, H5_INDEX_NAME, H5_ITER_INC, on_object, &s, H5O_INFO_BASIC);
    if (s.outside->status != RILL_OK) return s.outside->status;
    return rill_fail(RILL_USAGE, "it has no dataset \"%s\": %s%s", set->path,
                     *s.list ? "it has " : "none may be an image", s.list);
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct {
    rill_hdf5_set set;
    rill_h5_outside outside;
    hid_t type;
    uint32_t layers; /* slices that are read at once */
    uint32_t held;   /* the first slice in `slab`; UINT32_MAX: none */
    unsigned char *slab;
    bool damaged; /* reading failed */
} reader;

static void close_hdf5(rill_image *image)
{
    RILL_H5_QUIET;
    reader *r = image->reader;
    /* HDF5 leaks inside when it meets damage, and at exit prints that it did, unless printing is off. */
    if (r->damaged) quiet_guard = (rill_h5_quiet){NULL, NULL};
    rill_h5_release(r->type);
    rill_h5_release(r->set.dataset);
    rill_h5_release(r->set.file);
    rill_array_destroy(r->slab);
    free(r);
}

/* Read slices first … first + count - 1. */
static rill_status read_slices(reader *r, uint32_t first, uint32_t count, void *grey)
{
    hsize_t start[RILL_HDF5_RANK] = {0}, size[RILL_HDF5_RANK];
    char reason[RILL_H5_REASON];
    const rill_hdf5_set *s = &r->set;
    for (int k = 0; k < s->all; k++) size[k] = s->n[k];
    if (s->rank == 3) {
        start[s->axis[0]] = first;
        size[s->axis[0]] = count;
    }
    const hid_t space = H5Dget_space(s->dataset), memory = H5Screate_simple(s->all, size, NULL);
    const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                      H5Dread(s->dataset, r->type, memory, space, H5P_DEFAULT, grey) >= 0;
    rill_h5_release(memory);
    rill_h5_release(space);
    if (good) return RILL_OK;
    rill_h5_reason(reason);
    r->damaged = true;
    return rill_fail(RILL_USAGE, "slice %u of \"%s\" cannot be read: %s", first, s->path,
                     *reason ? reason : "the HDF5 file is damaged");
}

static rill_status read_hdf5(rill_image *image, uint32_t slice, void *grey)
{
    RILL_H5_QUIET;
    rill_status status = RILL_OK;
    reader *r = image->reader;
    const uint64_t size = rill_image_slice_voxels(image) * rill_grey_size(image->type);
    const uint32_t first = slice - slice % r->layers, left = image->n[image->order[2]] - first;
    if (r->layers == 1) return read_slices(r, slice, 1, grey);
    if (!r->slab) RILL_TRY(rill_array_create(size, r->layers, "a layer of chunks", (void **)&r->slab));
    if (first != r->held) RILL_TRY(read_slices(r, first, left < r->layers ? left : r->layers, r->slab));
    r->held = first;
    memcpy(grey, r->slab + (slice - first) * size, size);
done:
    return status;
}

/* How many slices a layer of chunks has; refuses chunks that do not fit into memory, which HDF5 would
 * allocate. */
static rill_status settle_layers(reader *r, const rill_image *image)
{
    rill_status status = RILL_OK;
    hsize_t chunk[RILL_HDF5_RANK];
    const uint64_t size = rill_image_slice_voxels(image) * rill_grey_size(image->type);
    const hid_t properties = H5Dget_create_plist(r->set.dataset);
    const bool chunked = H5Pget_layout(properties) == H5D_CHUNKED &&
                         H5Pget_chunk(properties, RILL_HDF5_RANK, chunk) == r->set.all;
    rill_h5_release(properties);
    r->layers = 1;
    if (!chunked) return RILL_OK;
    double bytes = (double)rill_grey_size(image->type);
    for (int k = 0; k < r->set.all; k++) bytes *= (double)chunk[k];
    RILL_TRY(rill_memory_require(bytes < 1e18 ? (uint64_t)bytes : UINT64_MAX, "a chunk of the image"));
    const uint64_t most = SLAB_MOST / size, deep = r->set.rank == 3 ? chunk[r->set.axis[0]] : 1;
    if (deep > 1) r->layers = (uint32_t)(deep < most ? deep : most > 1 ? most : 1);
done:
    return status;
}

static rill_status settle(reader *r, rill_image *image)
{
    rill_status status = RILL_OK;
    uint64_t n[3] = {0};
    if (!type_of(r->set.dataset, &image->type, &image->swap))
        return rill_fail(RILL_USAGE, "the dataset \"%s\" holds no integers or floats of 1 to 8 bytes",
                         r->set.path);
    if (!settle_axes(&r->set))
        return rill_fail(RILL_USAGE, "the dataset \"%s\" has not 3 (or 2) axes: save the image by itself",
                         r->set.path);
    for (int k = 0; k < r->set.rank; k++) n[k] = r->set.n[r->set.axis[k]];
    RILL_TRY(rill_image_set_size(image, n, r->set.rank));
    rill_image_set_array_order(image, r->set.rank, false);
    rill_hdf5_set_spacing(&r->set, image);
    RILL_TRY(r->outside.status);
    RILL_TRY(settle_layers(r, image));
    r->type = H5Dget_type(r->set.dataset);
    snprintf(image->kind, sizeof image->kind, "HDF5, %.50s", r->set.path);
done:
    return status;
}

static rill_status open_once(const char *path, int held, const rill_inspection *how, hid_t *file)
{
    rill_status status = RILL_OK;
    struct stat inspected;
    RILL_TRY(rill_inspect(rill_input_path(path), held, how, &inspected));
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    *file = H5Fopen(rill_input_path(path), H5F_ACC_RDONLY, access);
    rill_h5_release(access);
    if (*file >= 0) return rill_inspect_same(*file, &inspected);
    return rill_fail(RILL_USAGE,
                     strcmp(path, "-") == 0
                         ? "it is not an HDF5 file, it is damaged, or it comes through a pipe: give a file"
                         : "it is not an HDF5 file, or it is damaged");
done:
    return status;
}

static rill_status open_file(const char *path, const rill_inspection *how, hid_t *file)
{
    rill_status status = RILL_OK;
    bool again = true;
    for (int tries = 1; again; tries++) {
        int held;
        uint64_t length;
        RILL_TRY(rill_input_open(path, &held, &length));
        status = open_once(path, held, how, file);
        again = status != RILL_OK && tries < RILL_INSPECT_TRIES &&
                rill_inspect_is_replaced(rill_input_path(path), held);
        close(held);
        if (again) rill_h5_release(*file);
        if (again) *file = H5I_INVALID_HID;
    }
done:
    return status;
}

/* Refuse the files that rill writes, unless a dataset is named: their voxels are no grey values. */
static rill_status refuse_ours(hid_t file)
{
    enum { FORMAT_MOST = 256 };
    const hid_t attribute =
        H5Aexists(file, "format") > 0 ? H5Aopen(file, "format", H5P_DEFAULT) : H5I_INVALID_HID;
    if (attribute < 0) return RILL_OK;
    char *format = rill_h5_attribute_text(attribute, FORMAT_MOST);
    const bool ours = format && strncmp(format, "rill", 4) == 0;
    free(format);
    rill_h5_release(attribute);
    if (!ours) return RILL_OK;
    return rill_fail(RILL_USAGE, "it is a file that rill wrote, and no image: rill info shows what it holds");
}

rill_status rill_image_open_hdf5(const char *path, const char *name, rill_image *image)
{
    RILL_H5_QUIET;
    rill_status status = RILL_OK;
    const rill_inspection how = {.kind = "image", .name = name, .outside = image->allow_outside};
    reader *r = malloc(sizeof *r);
    if (!r) return rill_fail(RILL_SYSTEM, "out of memory for reading the image");
    *r = (reader){.set = {.file = H5I_INVALID_HID, .dataset = H5I_INVALID_HID},
                  .outside = {.allowed = image->allow_outside},
                  .type = H5I_INVALID_HID,
                  .held = UINT32_MAX};
    r->set.outside = &r->outside;
    image->reader = r;
    image->close = close_hdf5;
    image->read = read_hdf5;
    RILL_TRY(rill_image_add_file(image, path));
    RILL_TRY(open_file(path, &how, &r->set.file));
    if (name && snprintf(r->set.path, RILL_HDF5_PATH, "%s", name) >= RILL_HDF5_PATH)
        RILL_TRY(
            rill_fail(RILL_USAGE, "the path of the dataset has more than %d letters", RILL_HDF5_PATH - 1));
    if (!name) RILL_TRY(refuse_ours(r->set.file));
    if (!name) RILL_TRY(image_find(&r->set, r->set.path));
    RILL_TRY(open_named(&r->set));
    RILL_TRY(settle(r, image));
done:
    r->damaged = status != RILL_OK && H5Eget_num(H5E_DEFAULT) > 0;
    if (r->damaged) quiet_guard = (rill_h5_quiet){NULL, NULL};
    return status;
}
