/* SPDX-License-Identifier: Apache-2.0 */
/* The options that say how an image becomes a geometry, and the rows that show what came of them. */
#include "cli/image_options.h"
#include "cli/axis_option.h"

#include "core/status.h"
#include "io/ours.h"

#include <string.h>

/* In the order of the enumerations of image.h; types behind "auto". */
static const char *const formats[] = {"auto", "raw",    "tiff", "npy", "nrrd", "mhd",  "nifti", "npz",
                                      "vti",  "netcdf", "hdf5", "vtk", "png",  "text", NULL};
static const char *const types[] = {"auto", "u8",  "i8",  "u16", "i16", "u32",  "i32",
                                    "u64",  "i64", "f16", "f32", "f64", "bool", NULL};
static const char *const endians[] = {"auto", "little", "big", NULL};

_Static_assert(sizeof formats / sizeof *formats == RILL_IMAGE_FORMATS + 1, "names and enum differ");
_Static_assert(sizeof types / sizeof *types == RILL_GREY_COUNT + 2, "names and enum differ");

bool cli_image_given(const cli_image *image) { return image->given || image->axes_given; }

void cli_image_defaults(cli_image *image) { *image = (cli_image){.sides = "periodic"}; }

const cli_option *cli_image_options(cli_image *i)
{
    static _Thread_local cli_option table[24];
    bool *given = &i->given;
    const cli_option options[] = {
        {.help = "Image"},
        {"pore", 0, CLI_TEXT, &i->pore, "VALUES", "grey values that are pore, such as 0 or 0-99,255",
         .fallback = "True where the file holds bool; needed for other images", .given = given},
        {"threshold", 0, CLI_TEXT, &i->threshold, "VALUE",
         "in place of --pore: grey values below it are pore, behind \">\" those above; 112+-4 or 112±4 of `rill permeability` gives k for both thresholds, too",
         .fallback = "none", .given = given},
        {"voxel-size", 0, CLI_LENGTH, &i->voxel_size, "LENGTH",
         "edge of a voxel, such as 5.7um; counts more than what the file says",
         .fallback = "as the file says", .min = 0, .max = 1, .above = true, .given = &i->voxel_size_given},
        {"allow-voxel-size", 0, CLI_FLAG, &i->allow_voxel_size,
         .help = "take voxels above 1 mm or below 1 nm, too, which are refused as mistakes of the unit"},
        {"axes", 0, CLI_TEXT, &i->axes, "XYZ",
         "where the axes of the file go: zyx sends the first one to z, the last one to x",
         .fallback = "zyx for arrays (npy, npz, HDF5, NetCDF), else xyz", .given = &i->axes_given},
        {"crop", 0, CLI_TEXT, &i->crop, "X0:X1,Y0:Y1,Z0:Z1",
         "part to use, in voxels, the upper bounds not included", .fallback = "everything", .given = given},
        {"resample", 0, CLI_TEXT, &i->resample, "LENGTH",
         "make cubic voxels of this edge, or of the smallest spacing (isotropic), by nearest neighbour",
         .fallback = "no resampling", .given = given},
        {"mirror", 0, CLI_TEXT, &i->mirror, "AXES",
         "double the box by a mirrored copy along x, y, z or several (xy)", .fallback = "none",
         .given = given},
        {"sides", 0, CLI_TEXT, &i->sides, "KIND",
         "what lies beyond the box: periodic, mirror or wall, or three of them for x,y,z",
         .given = &i->sides_given},
        {"outside", 0, CLI_TEXT, &i->outside, "VALUES",
         "grey values outside of the sample, such as those around a core in a picture: solid for the flow, and counted neither in porosity nor in k",
         .fallback = "none", .given = given},
        {"core", 0, CLI_TEXT, &i->core, "PLACE",
         "the sample is a cylinder along z: inscribed, or x=X,y=Y,d=D in voxels of the part that is used; axis=x or y for another axis; "
         "what is not given is in the middle, or as large as fits",
         .fallback = "the whole box", .given = given},
        {"mask", 0, CLI_TEXT, &i->mask, "FILE",
         "image of the same size and order of axes that says where the sample is: True (bool), or --mask-inside",
         .fallback = "none", .given = given},
        {"mask-inside", 0, CLI_TEXT, &i->mask_inside, "VALUES",
         "grey value of the mask, or a range (1-255), that is inside of the sample",
         .fallback = "True of bool", .given = given},
        {"format", 0, CLI_CHOICE, &i->format, .help = "file format; auto: by content and name",
         .choices = formats, .given = given},
        {"size", 0, CLI_TEXT, &i->size, "NXxNYxNZ",
         "raw and text: voxels along the axes of the file, fastest first", .fallback = "from the file name",
         .given = given},
        {"type", 0, CLI_CHOICE, &i->type,
         .help = "raw and text: type of the grey values; auto: from name or length, or by the numbers",
         .choices = types, .given = given},
        {"endian", 0, CLI_CHOICE, &i->endian, .help = "raw: byte order; auto: from the name, else little",
         .choices = endians, .given = given},
        {"skip", 0, CLI_BYTES, &i->skip, "BYTES", "raw: header before the first voxel, in bytes",
         .fallback = "0", .given = given},
        {"allow-outside", 0, CLI_FLAG, &i->allow_outside,
         .help =
             "read data that an MHD, NRRD or HDF5 file has outside its own directory, too, or the surface that the command of a geometry names"},
        {0},
    };
    _Static_assert(sizeof options <= sizeof table, "the table is too short");
    memcpy(table, options, sizeof options);
    return table;
}

void cli_image_file_options(cli_image *image, cli_option *table, int room)
{
    static const char *const names[] = {"pore", "axes",   "format", "size",
                                        "type", "endian", "skip",   "allow-outside"};
    int count = 0;
    for (const cli_option *o = cli_image_options(image); o->name || o->help; o++)
        for (size_t k = 0; o->name && k < sizeof names / sizeof *names && count < room - 1; k++)
            if (strcmp(o->name, names[k]) == 0) table[count++] = *o;
    table[count] = (cli_option){0};
}

rill_status cli_sides_parse(const char *text, rill_voxelize_options *out)
{
    const rill_status status = rill_voxelize_parse_sides(text, out);
    if (status != RILL_OK) rill_fail_prefix("--sides");
    return status;
}

rill_status cli_image_resolve(const cli_image *image, rill_voxelize_options *out)
{
    rill_status status = RILL_OK;
    rill_voxelize_options o = rill_voxelize_options_default();
    o.image.format = (rill_image_format)image->format;
    o.image.type = image->type - 1;
    o.image.big_endian = image->endian - 1;
    o.image.skip = image->skip;
    o.image.allow_outside = image->allow_outside;
    o.voxel_size = image->voxel_size;
    o.allow_voxel_size = image->allow_voxel_size;
    const struct {
        const char *option, *text;
        rill_status (*read)(const char *text, rill_voxelize_options *out);
    } texts[] = {{"--pore", image->pore, rill_voxelize_parse_pore},
                 {"--threshold", image->threshold, rill_voxelize_parse_threshold},
                 {"--sides", image->sides, rill_voxelize_parse_sides},
                 {"--axes", image->axes, rill_voxelize_parse_axes},
                 {"--outside", image->outside, rill_voxelize_parse_outside},
                 {"--core", image->core, rill_voxelize_parse_core},
                 {"--mask-inside", image->mask_inside, rill_voxelize_parse_mask_inside},
                 {"--crop", image->crop, rill_voxelize_parse_crop},
                 {"--mirror", image->mirror, rill_voxelize_parse_mirror},
                 {"--resample", image->resample, rill_voxelize_parse_resample},
                 {"--size", image->size, rill_voxelize_parse_size}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        if (texts[k].text) status = texts[k].read(texts[k].text, &o);
        if (status == RILL_OK) continue;
        rill_fail_prefix("%s", texts[k].option);
        return status;
    }
    if (image->pore && image->threshold)
        return rill_fail(RILL_USAGE, "--pore and --threshold both say what is pore: leave one of them out");
    o.mask = image->mask;
    if (image->mask_inside && !image->mask)
        return rill_fail(RILL_USAGE, "--mask-inside belongs to --mask: add it, or leave both out");
    *out = o;
    return status;
}

rill_status cli_image_threshold_wide(const cli_image *image, bool *wide)
{
    rill_voxelize_options o = rill_voxelize_options_default();
    const rill_status status =
        image->threshold ? rill_voxelize_parse_threshold(image->threshold, &o) : RILL_OK;
    *wide = o.threshold_width > 0;
    if (status != RILL_OK) rill_fail_prefix("--threshold");
    return status;
}

void cli_image_rows(const rill_voxelize_report *report)
{
    char axes[64];
    cli_row("image", "%s, %s, %u x %u x %u", report->kind, rill_grey_name(report->type), report->file_n[0],
            report->file_n[1], report->file_n[2]);
    cli_axes_of_file(report->axes, (const int[3]){0, 1, 2}, 3, axes, sizeof axes);
    cli_row("axes", "%s", axes);
    for (uint64_t i = 0; i < report->greys && i < RILL_GREYS_SHOWN; i++)
        cli_row(i ? "" : "grey values", "%-8g %7.3f %%  %s", report->grey[i].value,
                100 * report->grey[i].fraction,
                report->grey[i].outside ? "outside of the sample"
                : report->grey[i].pore  ? "pore"
                                        : "solid");
    if (report->greys > RILL_GREYS_SHOWN)
        cli_row("", "and %llu others from %g to %g", (unsigned long long)(report->greys - RILL_GREYS_SHOWN),
                report->grey_min, report->grey_max);
}

rill_status cli_image_geometry_read(const cli_image *image, const char *path, const rill_keeper *keeper,
                                    rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_voxelize_options sides = rill_voxelize_options_default();
    if (cli_image_given(image))
        return rill_fail(
            RILL_USAGE,
            "%s is a geometry, no image: of the options for images only --voxel-size and --sides apply to it; give the others to `rill voxelize`",
            path);
    RILL_TRY(cli_sides_parse(image->sides, &sides));
    RILL_TRY(rill_voxel_size_check(image->voxel_size, image->allow_voxel_size));
    RILL_TRY(rill_geom_read_kept(path, keeper, out));
    rill_geom *geom = *out;
    if (image->voxel_size_given) geom->spacing = image->voxel_size;
    for (int a = 0; a < 3 && image->sides_given; a++) {
        if (geom->sides[a] == sides.sides[a]) continue;
        geom->sides[a] = sides.sides[a];
        for (int b = 0; b < 3; b++) geom->porosity.percolating[b] = -1; /* to be found anew */
    }
done:
    return status;
}

rill_status cli_read_geometry(const char *path, const char *pore, rill_keep_kind keep, rill_progress progress,
                              rill_geom **out)
{
    if (rill_file_is_ours(path)) return rill_geom_read(path, out);
    rill_voxelize_options options = rill_voxelize_options_default();
    rill_voxelize_report report;
    rill_status status = RILL_OK;
    if (pore) status = rill_voxelize_parse_pore(pore, &options);
    if (status != RILL_OK) {
        rill_fail_prefix("--pore");
        return status;
    }
    options.keep = keep;
    return rill_image_voxelize(path, &options, progress, out, &report);
}
