/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of HDF5 objects: texts, reals, integers. */
#include "io/hdf5_priv.h"

#include <math.h>
#include <string.h>

enum { TEXT_MAX = 1 << 24 /* bytes of a text attribute that we read */ };

/* Replaces an attribute: HDF5 has no "create or overwrite". */
static rill_status set(rill_h5_file *file, const char *object, const char *name, hid_t stored, hid_t memory,
                       hid_t space, const void *data)
{
    if (H5Aexists_by_name(file->id, object, name, H5P_DEFAULT) > 0)
        H5Adelete_by_name(file->id, object, name, H5P_DEFAULT);
    const hid_t attribute =
        H5Acreate_by_name(file->id, object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool written = attribute >= 0 && H5Awrite(attribute, memory, data) >= 0;
    const rill_status status =
        written ? rill_h5_check(file) : rill_h5_fail(file, "attribute %s of %s", name, object);
    rill_h5_release(attribute);
    return status;
}

rill_status rill_h5_set_text(rill_h5_file *file, const char *object, const char *name, const char *text)
{
    RILL_H5_QUIET;
    const size_t length = strlen(text);
    bool ascii = true;
    for (size_t i = 0; i < length; i++) ascii = ascii && (unsigned char)text[i] < 0x80;
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    /* Padded, not terminated: VTK 9.1 compares all bytes of VTKHDF's Type. */
    H5Tset_size(type, length > 0 ? length : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8);
    const rill_status status = set(file, object, name, type, type, space, text);
    rill_h5_release(space);
    rill_h5_release(type);
    return status;
}

static rill_status set_numbers(rill_h5_file *file, const char *object, const char *name, hid_t stored,
                               hid_t memory, const void *values, size_t count)
{
    const hsize_t dims[1] = {count};
    const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, dims, NULL);
    const rill_status status = set(file, object, name, stored, memory, space, values);
    rill_h5_release(space);
    return status;
}

rill_status rill_h5_set_reals(rill_h5_file *file, const char *object, const char *name, const double *values,
                              size_t count)
{
    RILL_H5_QUIET;
    return set_numbers(file, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, count);
}

rill_status rill_h5_set_integers(rill_h5_file *file, const char *object, const char *name,
                                 const int64_t *values, size_t count)
{
    RILL_H5_QUIET;
    return set_numbers(file, object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, values, count);
}

bool rill_h5_has_attribute(rill_h5_file *file, const char *object, const char *name)
{
    RILL_H5_QUIET;
    /* Where the object cannot be read the answer is yes, so that getting the attribute says why. */
    const hid_t links = rill_h5_links(file);
    const bool is = H5Aexists_by_name(file->id, object, name, links) != 0;
    rill_h5_release(links);
    return is;
}

/* Opens an attribute with its type and number of values; all handles are the caller's. */
static rill_status open_attribute(rill_h5_file *file, const char *object, const char *name, hid_t *attribute,
                                  hid_t *type, hssize_t *count)
{
    *type = H5I_INVALID_HID;
    const hid_t of = rill_h5_object(file, object);
    *attribute = of < 0 ? of : H5Aopen(of, name, H5P_DEFAULT);
    rill_h5_release(of);
    if (*attribute < 0) return rill_h5_fail(file, "%s has no attribute %s", object, name);
    *type = H5Aget_type(*attribute);
    const hid_t space = H5Aget_space(*attribute);
    *count = H5Sget_simple_extent_npoints(space);
    rill_h5_release(space);
    if (*type < 0 || *count < 0) return rill_h5_fail(file, "attribute %s of %s has no type", name, object);
    return RILL_OK;
}

rill_status rill_h5_get_text(rill_h5_file *file, const char *object, const char *name, char **out)
{
    RILL_H5_QUIET;
    rill_status status = RILL_OK;
    hid_t attribute, type;
    hssize_t count = 0;
    RILL_TRY(open_attribute(file, object, name, &attribute, &type, &count));
    char *text = rill_h5_attribute_text(attribute, TEXT_MAX);
    if (!text) RILL_TRY(rill_h5_fail(file, "attribute %s of %s is not one text", name, object));
    *out = text;
done:
    rill_h5_release(type);
    rill_h5_release(attribute);
    return status;
}

static rill_status get_numbers(rill_h5_file *file, const char *object, const char *name, hid_t memory,
                               void *values, size_t wanted)
{
    rill_status status = RILL_OK;
    hid_t attribute, type;
    hssize_t count = 0;
    RILL_TRY(open_attribute(file, object, name, &attribute, &type, &count));
    if (!rill_h5_attribute_numbers(attribute, memory, wanted, values))
        RILL_TRY(rill_h5_fail(file, "attribute %s of %s is not %zu number%s", name, object, wanted,
                              wanted == 1 ? "" : "s"));
done:
    rill_h5_release(type);
    rill_h5_release(attribute);
    return status;
}

rill_status rill_h5_get_reals(rill_h5_file *file, const char *object, const char *name, double *values,
                              size_t count)
{
    RILL_H5_QUIET;
    return get_numbers(file, object, name, H5T_NATIVE_DOUBLE, values, count);
}

rill_status rill_h5_get_finite(rill_h5_file *file, const char *object, const char *name, double *values,
                               size_t count)
{
    const rill_status status = rill_h5_get_reals(file, object, name, values, count);
    for (size_t k = 0; status == RILL_OK && k < count; k++)
        if (!isfinite(values[k]))
            return rill_fail(RILL_USAGE, "cannot read %s: the attribute %s is %g: it is damaged",
                             rill_h5_path(file), name, values[k]);
    return status;
}

rill_status rill_h5_get_integers(rill_h5_file *file, const char *object, const char *name, int64_t *values,
                                 size_t count)
{
    RILL_H5_QUIET;
    return get_numbers(file, object, name, H5T_NATIVE_INT64, values, count);
}

rill_h5_class rill_h5_attribute_class(rill_h5_file *file, const char *object, const char *name, size_t *count)
{
    RILL_H5_QUIET;
    hid_t attribute, type;
    hssize_t points = 0;
    rill_h5_class class = RILL_H5_STRANGE;
    if (open_attribute(file, object, name, &attribute, &type, &points) == RILL_OK) {
        const H5T_class_t found = H5Tget_class(type);
        if (found == H5T_FLOAT) class = RILL_H5_REAL;
        if (found == H5T_INTEGER) class = RILL_H5_INTEGER;
        if (found == H5T_STRING && points == 1) class = RILL_H5_TEXT;
    }
    *count = (size_t)points;
    rill_h5_release(type);
    rill_h5_release(attribute);
    return class;
}
