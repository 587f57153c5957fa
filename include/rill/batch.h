/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/batch.h
 * The permeabilities of many images, or of many blocks of one image, in one process; or their diffusivities.
 *
 * Several items are computed at the same time, each by a thread with a queue of its own on the device, so
 * that the device steps one item while the geometry of the others is read and prepared. Every row has the
 * same bits as rill_permeability_compute() of that item alone.
 */
#ifndef RILL_PUBLIC_BATCH_H
#define RILL_PUBLIC_BATCH_H

#include "rill/diffusivity.h"
#include "rill/error_bar.h"
#include "rill/flow.h"
#include "rill/image.h"
#include "rill/permeability.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How an item of a batch ended. */
typedef enum rill_batch_reason {
    RILL_BATCH_OPEN,            /**< it was not computed: the batch was cancelled before */
    RILL_BATCH_CONVERGED,       /**< k is known within the tolerance along every axis that conducts */
    RILL_BATCH_NOT_PERCOLATING, /**< no pore conducts along a requested axis: k = 0, a result */
    RILL_BATCH_NO_SOLID,        /**< every voxel is pore: nothing limits k, which is NaN, a result */
    RILL_BATCH_NOT_CONVERGED,   /**< RILL_NUMERICS: a run has no result */
    RILL_BATCH_REFUSED,         /**< RILL_USAGE: the input cannot be read, or does not fit the options */
    RILL_BATCH_FAILED,          /**< RILL_SYSTEM: memory, disk or device */
    RILL_BATCH_OUTSIDE,         /**< a block of which a part is outside of the sample: it is not computed */
    RILL_BATCH_REASONS          /**< number of reasons */
} rill_batch_reason;

/** What a permeability is computed of. */
typedef struct rill_batch_item {
    const char *name;      /**< of the row; without `geom` also the file: an image or a geometry; not owned */
    const rill_geom *geom; /**< a geometry in memory, not owned and not changed; NULL: the file is read */
    uint32_t first[3];     /**< first voxel of a block of `geom` */
    uint32_t n[3];         /**< voxels of the block along x, y, z; 0, 0, 0: all of `geom` */
} rill_batch_item;

/** What a result was computed of, and by what. */
typedef struct rill_batch_provenance {
    char input_hash[17];   /**< XXH3-64 of the file, or of the voxels of a geometry in memory, hexadecimal */
    char options_hash[17]; /**< XXH3-64 of all options that the result depends on, hexadecimal */
    char variant[96];      /**< name of the kernel, see rill_variant_name() */
    char backend[16];      /**< "cpu" or "cuda" */
    char software[64];     /**< version of rill that computed it */
} rill_batch_provenance;

/** What came of an item. */
typedef struct rill_batch_row {
    rill_batch_reason reason; /**< how it ended */
    rill_status status;       /**< RILL_OK for results */
    char message[1024];       /**< one sentence: why there is no result, or why k is 0; "" elsewhere */
    bool diffusion;           /**< k is D over D0, without a unit: see rill_batch_options.diffusivity */
    uint32_t first[3];        /**< of the block */
    uint32_t n[3];            /**< voxels along x, y, z; 0 where the input could not be read */
    double spacing;           /**< edge of a voxel in metres; 0 when unknown */
    rill_porosity porosity;   /**< before anything was dropped; negative when unknown */
    uint64_t sample;          /**< voxels of the sample, those outside left out; 0 when unknown */
    uint64_t nodes;           /**< fluid nodes that took part; of several runs, the most */
    double k[3][3]; /**< k_ab, lu: flow along a, force along b; NaN where it was not computed, 0 in the column
                         of an axis along which nothing percolates */
    double uncertainty; /**< of k, see rill_permeability; NaN without a result, 0 where k is 0 */
    /** Half-widths of the rows of its error bar along x, y, z, relative; NaN: not known. */
    double error[RILL_ERROR_ROWS][3];
    double error_total[3]; /**< half-width of the interval around `best`, see rill_error_bar */
    double best[3];        /**< best estimate of k_aa of the shape, lu; k without one; NaN without a run */
    double off_axis[3][3]; /**< see rill_error_bar; NaN: no such entry, or not known */
    double edge_share[3]; /**< of the runs along x, y, z, as in rill_permeability_flow; NaN: there was none */
    double flowing;       /**< fraction of the sample that took part in the flow; NaN without a run */
    double diameter;      /**< hydraulic, of these pores, lu; NaN without a run */
    rill_fluid fluid;     /**< of `flow`; viscosity 0: no flow is requested */
    double pressure_drop; /**< over the length of the sample along each axis, Pa */
    rill_darcy_flow flow[3]; /**< along x, y, z for that drop; NaN where there is none */
    uint64_t steps;          /**< time steps, of all axes; iterations of a diffusion */
    double seconds; /**< s of wall clock from reading to the result, while others were computed, too */
    double seconds_prepare;     /**< s of it before the first step */
    rill_batch_provenance made; /**< of what, and by what */
    bool resumed;               /**< taken from the table, and not computed again */
    char notes[1024]; /**< those of the geometry and of the result, see rill_notes_add(); "" for none */
} rill_batch_row;

/** How a batch is computed. */
typedef struct rill_batch_options {
    rill_permeability_options
        permeability; /**< of every item; `on.device`, `on.list`, `checkpoint`, `resume`,
                           `finished`, `finished_pieces` and `progress` are not used */
    const rill_diffusivity_options *diffusivity; /**< compute diffusivities in place of permeabilities:
                                                      `on`, `finished` and `progress` are not used;
                                                      NULL: permeabilities */
    uint32_t sample_edge;     /**< voxels along an edge of the blocks that the row "sample" of each item comes
                                 from, see rill_error_bar_sample(); 0: that row is not required */
    int error_bar;            /**< further runs of each item, for the rows of its error bar: 1: as
                                 rill_error_bar_compute() makes them, 2: with `fine`; 0: none */
    const rill_phase *phases; /**< [diffusivity->phase_count], of image files; NULL: `image` says what is pore
                               */
    rill_fluid fluid;         /**< whose flow the rows have; k does not depend on it */
    double pressure_drop;     /**< over the length of each sample, Pa; 0: the rows have no flow */
    rill_voxelize_options image; /**< how files become geometries; `keep` and `axis` are not used */
    bool sides_given;  /**< the domain boundaries of `image` replace those of geometry files, too; its voxel
                                   size does if it is above 0 */
    bool stream_given; /**< the streaming scheme is that of permeability.variant; else the fastest */
    bool addressing_given;   /**< the same for the addressing */
    const int *ordinals;     /**< [ordinal_count], numbers of the devices that share the items; NULL: 0 */
    int ordinal_count;       /**< number of devices */
    int at_once;             /**< items that are computed at the same time; 0: chosen */
    const char *table;       /**< CSV file of the rows, see docs/files.md; NULL: none */
    bool resume;             /**< keep the rows of the table that have the same input and options */
    rill_progress progress;  /**< of the whole batch, from the calling thread; all 0: none */
    double progress_seconds; /**< s between two calls of it */
    /**
     * Called by the calling thread when an item has ended, in the order in which they end. May be NULL.
     * @return not RILL_OK: ends the batch with this status
     */
    rill_status (*ended)(void *context, size_t item, const rill_batch_row *row);
    void *context; /**< passed to `ended` */
} rill_batch_options;

/** What came of a batch. */
typedef struct rill_batch {
    rill_batch_row *rows;             /**< [count], one for each item, in their order; owned */
    size_t count;                     /**< number of items */
    size_t ended[RILL_BATCH_REASONS]; /**< items by how they ended */
    size_t resumed;                   /**< items whose row was taken from the table */
    int at_once;                      /**< items that were computed at the same time */
    int threads;                      /**< processor threads of each at the start */
    double seconds;                   /**< s of wall clock */
    double device_use; /**< part of them in which at least one simulation was stepping; of several devices,
                            the mean */
    double updates;    /**< node updates made */
    char device[256];  /**< name of the first device */
} rill_batch;

/**
 * Return the default options.
 * @return the defaults of rill_permeability_options_default() and rill_voxelize_options_default(), the
 * fastest streaming and addressing, device 0, no table, progress five times a second
 */
rill_batch_options rill_batch_options_default(void);

/**
 * Compute the permeabilities of many items. An item without a result does not end the batch.
 *
 * With an axis of -1 an item that conducts along one or two axes alone has the k of these axes, each from a
 * run along it as rill_permeability_compute() makes it, and k = 0 along the others.
 *
 * An item for which there is no memory beside the others is computed again, alone. The table is replaced as a
 * whole, at most once a second and at the end, so that a reader or a crash never meets half of it. Rows that
 * the table holds of inputs that are not among the items stay in it with `resume`.
 * @param[in] items    [count], borrowed
 * @param[in] count    at least 1
 * @param[in] options  how
 * @param[out] out     filled in also when the status is not RILL_OK; see rill_batch_free()
 * @return RILL_OK also when items failed, see rill_batch_status(); RILL_USAGE for options out of range or a
 * table that is none; RILL_SYSTEM for the table, or when no device answers; RILL_CANCELLED. An item that is
 * an HDF5 file fails where rill-inspect, which is started to read it first, crashes or is missing: see
 * rill/file.h
 */
rill_status rill_batch_compute(const rill_batch_item *items, size_t count, const rill_batch_options *options,
                               rill_batch *out);

/**
 * Return the status of the worst item.
 * @param[in] batch the batch
 * @return RILL_OK when every item has a result, else the largest status of a row
 */
rill_status rill_batch_status(const rill_batch *batch);

/**
 * Free what a batch owns.
 * @param[in,out] batch all zero afterwards
 */
void rill_batch_free(rill_batch *batch);

/**
 * Return the name of a reason, as tables have it.
 * @param[in] reason the reason
 * @return "converged", "not percolating", …
 */
const char *rill_batch_reason_name(rill_batch_reason reason);

/**
 * Return the mean of k along the axes that were computed: one axis, or a third of the trace.
 * @param[in] row the row
 * @return lu; NaN without a result
 */
double rill_batch_row_mean(const rill_batch_row *row);

/**
 * Return the anisotropy.
 * @param[in] row the row
 * @return largest diagonal entry of k over the smallest; infinity where the smallest is 0 and the largest is
 * not; NaN unless all three were computed
 */
double rill_batch_row_anisotropy(const rill_batch_row *row);

/** Blocks of one size, on a regular grid from the first voxel of an image on. */
typedef struct rill_block_grid {
    uint32_t edge;    /**< voxels along an edge of a block */
    uint32_t n[3];    /**< blocks along x, y, z */
    uint32_t left[3]; /**< voxels behind the last block, in none */
    size_t first;     /**< its first item; blocks are counted along x first, then y, z */
    size_t count;     /**< number of blocks */
} rill_block_grid;

/**
 * Cut a geometry into blocks.
 *
 * The domain boundaries of a block are those of the geometry. Opposite faces of a block of a rock do not fit
 * together, so that its boundaries should be mirrored: docs/guide.md describes the consequence.
 * @param[in] geom   the geometry, to be kept while the items are used
 * @param[in] name   of the rows, to be kept too
 * @param[in] edges  [count], voxels, each at least 4 and at most the shortest edge of the geometry
 * @param[in] count  number of edges
 * @param[out] grids [count]
 * @param[out] items all blocks of all grids; the caller frees them with rill_blocks_free()
 * @param[out] item_count number of items
 * @return RILL_USAGE for an edge out of range or one that is listed twice, RILL_SYSTEM without memory
 */
rill_status rill_blocks_create(const rill_geom *geom, const char *name, const uint32_t *edges, int count,
                               rill_block_grid *grids, rill_batch_item **items, size_t *item_count);

/**
 * Free the items of rill_blocks_create().
 * @param[in] items NULL is allowed
 */
void rill_blocks_free(rill_batch_item *items);

/** Quantities of blocks. */
typedef enum rill_rev_quantity {
    RILL_REV_POROSITY,   /**< all pores */
    RILL_REV_K,          /**< mean of k along the axes that were computed, lu */
    RILL_REV_K_X,        /**< k_xx, lu */
    RILL_REV_K_Y,        /**< k_yy, lu */
    RILL_REV_K_Z,        /**< k_zz, lu */
    RILL_REV_ANISOTROPY, /**< see rill_batch_row_anisotropy() */
    RILL_REV_QUANTITIES  /**< number of quantities */
} rill_rev_quantity;

/** A quantity over all blocks of one size. */
typedef struct rill_rev_numbers {
    size_t blocks;      /**< that have the quantity; the others have no result */
    size_t positive;    /**< that have it above 0: they conduct */
    double mean;        /**< arithmetic, with blocks of k = 0; infinite where one is */
    double deviation;   /**< standard deviation of the blocks, with n - 1; NaN of one block */
    double geometric;   /**< geometric mean of those above 0 */
    double quantile[5]; /**< least, lower quartile, median, upper quartile, most; between two values linear */
} rill_rev_numbers;

/**
 * Describe the blocks of one size.
 * @param[in] grid  the blocks
 * @param[in] rows  of all items
 * @param[in] quantity what of them
 * @param[out] out  all NaN where no block has it
 * @return RILL_SYSTEM without memory
 * @see Bear (1972), Dynamics of Fluids in Porous Media, chapter 1: representative elementary volume
 */
rill_status rill_rev_describe(const rill_block_grid *grid, const rill_batch_row *rows,
                              rill_rev_quantity quantity, rill_rev_numbers *out);

enum { RILL_SAMPLE_BLOCKS = 8 /**< fewest blocks of one size for an estimate of the sample */ };

/** What the permeability of an image is good for as that of its material, from blocks of one size. */
typedef struct rill_sample_error {
    uint32_t edge;     /**< voxels along an edge of a block */
    size_t blocks;     /**< that have k, 0 included */
    double deviation;  /**< standard deviation of k of a block, relative: three times that of k^(1/3) */
    double half_width; /**< w, relative: 95 % of materials lie within k (1 - w/3)^3 and k / (1 - w/3)^3;
                            Student's t with blocks - 1 degrees of freedom; NaN: too few blocks */
    double edge_tenth; /**< voxels along the edge of a cube whose k would be good to 10 % */
} rill_sample_error;

/**
 * Estimate how far k of an image may be from that of the material that it is a sample of.
 *
 * k of a volume is taken as the mean of k^(1/3) of its blocks, cubed, and blocks as independent. Blocks
 * smaller than what the medium is correlated over give too small an interval, mirrored boundaries of blocks
 * one that is too wide: compare sizes. docs/method.md has the coverage in random media.
 * @param[in] grid     blocks of one size
 * @param[in] rows     of all items
 * @param[in] quantity RILL_REV_K, or k along one axis
 * @param[in] voxels   of the image, those outside of the sample left out
 * @param[out] out     the estimate
 * @return false with fewer than RILL_SAMPLE_BLOCKS blocks, or where none conducts
 * @see Kanit et al. (2003), doi:10.1016/S0020-7683(03)00143-4, and Noetinger (1994), Transport in
 * Porous Media 15, 99; tests/batch/test_sample_error.c
 */
bool rill_rev_sample_error(const rill_block_grid *grid, const rill_batch_row *rows,
                           rill_rev_quantity quantity, double voxels, rill_sample_error *out);

/**
 * Put the row "sample" into an error bar: how far k of the image may be from that of its material along each
 * axis, from mirrored blocks of the image, computed one after the other with the options of the plain run.
 * @param[in] geom     with all its pores: a block may conduct where the image does not
 * @param[in] options  those of the plain run, with its device
 * @param[in] edge     voxels along an edge of a block, see rill_blocks_create()
 * @param[in] progress of all blocks; all 0: none
 * @param[in,out] bar  of the plain run; the row is unknown where there is no estimate, and the note says why
 * @return RILL_USAGE for an edge that does not fit or a geometry with exact walls, RILL_SYSTEM for memory or
 * device, RILL_CANCELLED
 * @see rill_rev_sample_error()
 */
rill_status rill_error_bar_sample(const rill_geom *geom, const rill_permeability_options *options,
                                  uint32_t edge, rill_progress progress, rill_error_bar *bar);

/**
 * Choose the blocks that the estimate is taken from: the largest of which there are enough.
 * @param[in] grids [count]
 * @param[in] count number of block sizes
 * @param[in] rows  of all items
 * @return number of the grid; -1: none
 */
int rill_rev_sample_choose(const rill_block_grid *grids, int count, const rill_batch_row *rows);

/**
 * Return the name of a quantity, as files have it.
 * @param[in] quantity the quantity
 * @return "porosity", "k", "k_xx", …
 */
const char *rill_rev_quantity_name(rill_rev_quantity quantity);

/**
 * Write porosity and permeability against block size as CSV, see docs/files.md: whole or not at all.
 * @param[in] grids [count]
 * @param[in] count number of block sizes
 * @param[in] rows  of all items
 * @param[in] spacing m; 0: unknown, and k in lu
 * @param[in] voxels of the image, see rill_rev_sample_error()
 * @param[in] path  the file
 * @return RILL_USAGE for a file that cannot be created, RILL_SYSTEM for memory or disk
 */
rill_status rill_rev_write(const rill_block_grid *grids, int count, const rill_batch_row *rows,
                           double spacing, double voxels, const char *path);

/**
 * Draw the same as an SVG picture: every block, mean, and quartiles.
 * @param[in] grids [count]
 * @param[in] count number of block sizes
 * @param[in] rows  of all items
 * @param[in] spacing m; 0: unknown, and k in lu
 * @param[in] path  the file, whose name ends in .svg
 * @return as rill_rev_write(); RILL_USAGE for another ending
 */
rill_status rill_rev_draw(const rill_block_grid *grids, int count, const rill_batch_row *rows, double spacing,
                          const char *path);

/**
 * Write the blocks of one size as VTK ImageData (*.vti), a cell for each block: permeability tensor, its
 * diagonal, porosity, exit reason. See docs/files.md.
 * @param[in] grid   the blocks
 * @param[in] rows   of all items
 * @param[in] geom   that the blocks are cut from: spacing and origin
 * @param[in] path   the file
 * @return as rill_rev_write()
 */
rill_status rill_block_map_write(const rill_block_grid *grid, const rill_batch_row *rows,
                                 const rill_geom *geom, const char *path);

#ifdef __cplusplus
}
#endif

#endif
