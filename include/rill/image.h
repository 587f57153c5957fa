/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/image.h
 * From an image, in a file or in memory, to a geometry: which grey values are pore, axes, crop, resampling,
 * mirrored copies, and removal of pores that cannot conduct. In this order.
 */
#ifndef RILL_PUBLIC_IMAGE_H
#define RILL_PUBLIC_IMAGE_H

#include "rill/geometry.h"
#include "rill/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Number types of grey values. One-bit TIFF is read as RILL_GREY_U8 with 0 and 1. */
typedef enum rill_grey {
    RILL_GREY_U8,   /**< uint8_t */
    RILL_GREY_I8,   /**< int8_t */
    RILL_GREY_U16,  /**< uint16_t */
    RILL_GREY_I16,  /**< int16_t */
    RILL_GREY_U32,  /**< uint32_t */
    RILL_GREY_I32,  /**< int32_t */
    RILL_GREY_U64,  /**< uint64_t */
    RILL_GREY_I64,  /**< int64_t */
    RILL_GREY_F16,  /**< IEEE 754 binary16 */
    RILL_GREY_F32,  /**< float */
    RILL_GREY_F64,  /**< double */
    RILL_GREY_BOOL, /**< one byte: 0 is False, every other value is True; True is pore */
    RILL_GREY_COUNT /**< number of types */
} rill_grey;

/** Formats of image files. */
typedef enum rill_image_format {
    RILL_IMAGE_AUTO,   /**< by the first bytes, else the name */
    RILL_IMAGE_RAW,    /**< voxels without header, plain or gzip (".raw.gz") */
    RILL_IMAGE_TIFF,   /**< multi-page, or one file per slice */
    RILL_IMAGE_NPY,    /**< NumPy */
    RILL_IMAGE_NRRD,   /**< NRRD */
    RILL_IMAGE_MHD,    /**< MetaImage */
    RILL_IMAGE_NIFTI,  /**< NIfTI-1 and NIfTI-2, plain or gzip */
    RILL_IMAGE_NPZ,    /**< archive of NumPy arrays */
    RILL_IMAGE_VTI,    /**< VTK XML image data */
    RILL_IMAGE_NETCDF, /**< NetCDF classic (CDF-1, CDF-2, CDF-5); NetCDF-4 is HDF5 */
    RILL_IMAGE_HDF5,   /**< dataset of an HDF5 file, MATLAB 7.3 among them */
    RILL_IMAGE_VTK,    /**< legacy VTK file of STRUCTURED_POINTS */
    RILL_IMAGE_PNG,    /**< one slice, or one file per slice */
    RILL_IMAGE_TEXT,   /**< decimal numbers */
    RILL_IMAGE_FORMATS /**< number of formats */
} rill_image_format;

/** What an array or a raw file does not say itself; a text takes n and type. Other formats refuse it. */
typedef struct rill_image_options {
    rill_image_format format; /**< of the file */
    uint32_t n[3];            /**< voxels, fastest axis first: x, y, z; raw files: 0: from the name,
                                 "rock-480x480x480-u8.raw" */
    int type;                 /**< a rill_grey; raw files: -1: from the name, else u8 or u16 by the length */
    int big_endian;           /**< raw files: 1 or 0; -1: from the name ("16bit_be"), else little-endian */
    uint64_t skip;            /**< raw files: bytes before the first voxel */
    bool allow_outside;       /**< read data files outside the directory of the file that names them, too */
} rill_image_options;

/** Which components of the pore space stay. */
typedef enum rill_keep_kind {
    RILL_KEEP_ALL,        /**< all */
    RILL_KEEP_CONNECTED,  /**< those that reach an outer face */
    RILL_KEEP_PERCOLATING /**< those that conduct along the requested axis */
} rill_keep_kind;

/** The components of a pore space. */
typedef struct rill_components {
    uint64_t components;    /**< number of components */
    uint64_t kept;          /**< of these, the ones that stayed */
    rill_porosity porosity; /**< total, connected, percolating, before anything was dropped */
    double spanning[3];     /**< pore fraction that reaches both faces of x, y, z inside the box, whatever its
                               domain boundaries */
    uint64_t dropped;       /**< voxels that became solid */
} rill_components;

enum {
    RILL_PORE_RANGES = 32,   /**< ranges of grey values, at most */
    RILL_OUTSIDE_RANGES = 8, /**< ranges of grey values outside of the sample, at most */
    RILL_GREYS_SHOWN = 8     /**< grey values of a report, at most */
};

/** Resample to cubes of the smallest spacing. */
#define RILL_RESAMPLE_ISOTROPIC (-1.0)

/** The smallest edge of a voxel, in metres, that is no mistake of the unit. */
#define RILL_VOXEL_SIZE_LEAST 1e-9
/** The largest one. */
#define RILL_VOXEL_SIZE_MOST 1e-3

/** A cylindrical core in a picture, in voxels of the geometry before mirrored copies are added. */
typedef struct rill_core {
    bool given;       /**< what is not in the cylinder is outside of the sample */
    int axis;         /**< 0, 1, 2: along x, y, z */
    double centre[3]; /**< from the corner of the first voxel, that along the axis is not used; NaN: the
                         middle */
    double diameter;  /**< 0: the largest that fits into the picture */
} rill_core;

/** How an image becomes a geometry. */
typedef struct rill_voxelize_options {
    rill_image_options image;         /**< size and type of arrays and raw files */
    double pore[RILL_PORE_RANGES][2]; /**< [pore_count], grey values low … high that are pore, inclusive */
    int pore_count; /**< number of ranges; 0: True of bool is pore, and an image of numbers is refused */
    bool threshold_given;   /**< instead of `pore`: grey values below the threshold are pore */
    bool threshold_above;   /**< values above it are pore, not those below; the threshold itself is solid */
    double threshold;       /**< the threshold, a grey value */
    double threshold_width; /**< how far it is uncertain, in grey values: the geometry keeps a byte for each
                                 voxel, see rill_permeability_walls; 0: not at all */
    int axes[3];         /**< where file axes 0, 1, 2 go (0 x, 1 y, 2 z); {-1, -1, -1}: the format's custom */
    uint32_t crop[3][2]; /**< first voxel and the one after the last, along x, y, z; UINT32_MAX: the end */
    double resample;     /**< new spacing in metres, RILL_RESAMPLE_ISOTROPIC, or 0 for none */
    bool mirror[3];      /**< put a mirrored copy behind the box along x, y, z */
    double voxel_size;   /**< edge of the cubic voxels of the image in metres; 0: what the file says */
    bool allow_voxel_size; /**< take voxels outside of RILL_VOXEL_SIZE_LEAST to RILL_VOXEL_SIZE_MOST, too */
    rill_side sides[3];    /**< domain boundaries normal to x, y, z */
    rill_keep_kind keep;   /**< which components of the pore space stay */
    int axis; /**< for RILL_KEEP_PERCOLATING: 0, 1, 2, or along at least one of several, see rill/types.h */
    unsigned contacts; /**< through what pores are connected, flags of rill_contact with that of faces; 0:
                            porosities are those of D3Q19, and pores stay that any lattice connects */
    double outside[RILL_OUTSIDE_RANGES][2]; /**< [outside_count], grey values low … high that are outside of
                                               the sample, inclusive; none of them is pore */
    int outside_count;                      /**< number of ranges; 0: no grey value is outside */
    rill_core core;                         /**< the sample is a core */
    const char *mask;      /**< image file of the size of the image, in which the sample is True (bool) or has
                                values of `mask_inside`; borrowed; NULL: none */
    double mask_inside[2]; /**< grey values low … high of the mask that are inside, inclusive */
    bool mask_inside_given;    /**< else the mask must be of bool */
    const uint8_t *mask_array; /**< a mask for rill_array_voxelize(), an array of the shape of the image, not
                                  0 inside; borrowed; NULL: none */
    const char *command;       /**< provenance, borrowed, may be NULL */
} rill_voxelize_options;

/** A grey value that occurs. */
typedef struct rill_grey_value {
    double value;    /**< the value */
    double fraction; /**< of the voxels */
    bool pore;       /**< it is pore */
    bool outside;    /**< it is outside of the sample */
} rill_grey_value;

/** What was found on the way. */
typedef struct rill_voxelize_report {
    char kind[64];      /**< "raw, little-endian" */
    rill_grey type;     /**< of the grey values */
    uint32_t file_n[3]; /**< voxels along the file axes */
    int axes[3];        /**< where file axes 0, 1, 2 went */
    uint64_t greys;     /**< different grey values in the part used; 0: more than were counted */
    rill_grey_value grey[RILL_GREYS_SHOWN]; /**< the most frequent ones, by value; none when greys is 0 */
    double grey_min;                        /**< smallest grey value */
    double grey_max;                        /**< largest grey value */
    rill_components components;             /**< of the pore space */
    uint64_t fluid;                         /**< fluid voxels that stay */
    uint64_t outside;                       /**< voxels outside of the sample */
    char remarks[1024];                     /**< sentences separated by newlines, may be empty */
    bool pore_unknown; /**< it was refused because neither it nor the options say which values are pore; greys
                          are those of the whole image */
} rill_voxelize_report;

/**
 * Return the default options.
 * @return True of bool is pore and numbers are refused, nothing cropped, mirrored or resampled, periodic,
 * pores that percolate along any axis; the type of raw files by their names
 */
rill_voxelize_options rill_voxelize_options_default(void);

/**
 * Make a geometry of an image file, with source, hash, command and porosities.
 * @param[in] path     a file of a known format; for one TIFF or PNG file per slice a directory, a glob
 * ("s*.tif") or a printf pattern ("s%04d.tif"); for an array of an HDF5, NetCDF, npz, VTI or VTK file the
 * file, a colon and its path ("scan.h5:/group/data"), which may be left out if it holds one image alone; "-":
 * standard input, which must be a file
 * @param[in] options  how
 * @param[in] progress reports and cancels; all 0: none
 * @param[out] out     the geometry; the caller destroys it
 * @param[out] report  may be NULL; filled in as far as the work came, also on failure
 * @return RILL_USAGE for a wrong image or option, numbers without options->pore, all solid, all pore (unless
 * everything is kept) and voxels that are no cubes; RILL_NUMERICS when percolating pores are to be kept and
 * there are none; RILL_SYSTEM without memory; RILL_CANCELLED. For an HDF5 file rill-inspect is started to
 * read it first: RILL_USAGE where it crashes or takes too long, RILL_SYSTEM where it is missing (see
 * rill/file.h)
 */
rill_status rill_image_voxelize(const char *path, const rill_voxelize_options *options,
                                rill_progress progress, rill_geom **out, rill_voxelize_report *report);

/**
 * Make a geometry of an image in memory, as rill_image_voxelize() does with a file.
 *
 * rill_geom_create() makes a geometry whose voxels a program fills in itself, without any of this.
 * @param[in] grey     [nz][ny][nx] with nx, ny, nz = options->image.n, of type options->image.type in the
 * byte order of the processor; borrowed during the call. By default True of RILL_GREY_BOOL is pore; for the
 * other types set options->pore and pore_count.
 * @param[in] options  how; image.n and image.type must be given
 * @param[in] progress reports and cancels; all 0: none
 * @param[out] out     the geometry; the caller destroys it
 * @param[out] report  may be NULL; filled in as far as the work came, also on failure
 * @return as rill_image_voxelize()
 */
rill_status rill_array_voxelize(const void *grey, const rill_voxelize_options *options,
                                rill_progress progress, rill_geom **out, rill_voxelize_report *report);

#ifdef __cplusplus
}
#endif

#endif
