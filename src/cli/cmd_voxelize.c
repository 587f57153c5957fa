/* SPDX-License-Identifier: Apache-2.0 */
/* rill voxelize: an image or a surface becomes a geometry file. The work is geometry/image/voxelize.c's and
 * geometry/surface/surface.c's. */
#include "cli/axis_option.h"
#include "cli/cli.h"
#include "geometry/image/file_names.h"
#include "core/clock.h"
#include "kernel/variant.h"
#include "cli/image_options.h"
#include "cli/surface_again.h"
#include "cli/surface_options.h"
#include "core/units.h"
#include "io/json_file.h"
#include "geometry/voxels/components.h"
#include "geometry/voxels/sides.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* In the order of rill_keep_kind and rill_lattice; axes behind "any". */
static const char *const keeps[] = {"all", "connected", "percolating", NULL};
static const char *const axes[] = {"any", "x", "y", "z", NULL};
static const char *const indices[] = {"none", "pull", NULL};

typedef struct {
    cli_image image;
    cli_surface surface;
    const char *input, *output, *json, *along; /* along: --axis as given */
    int keep, axis /* 0: any */, index, lattice;
    bool quiet, cleaning; /* cleaning: --keep or --axis was given */
    char *line;           /* the command, owned */
} choices;

/* Whether the input is a geometry whose surface gets other voxels. */
static bool is_geometry(const choices *c)
{
    static const char end[] = ".geom.h5";
    const size_t length = strlen(c->input), own = sizeof end - 1;
    return c->surface.spacing > 0 && length > own && strcmp(c->input + length - own, end) == 0;
}

static bool is_surface(const choices *c)
{
    return c->surface.units_given || rill_surface_named(c->input) || is_geometry(c);
}

static rill_status from_geometry(const choices *c, rill_geom **geom, rill_surface_report *report)
{
    rill_geom *given = NULL;
    rill_status status = rill_geom_read(c->input, &given);
    if (status == RILL_OK)
        status = cli_surface_again(given, c->input, c->image.allow_outside, c->surface.spacing,
                                   cli_progress(c->quiet), geom, report);
    rill_geom_destroy(given);
    return status;
}

static rill_status from_surface(const choices *c, rill_geom **geom, rill_surface_report *report)
{
    rill_surface_options options;
    cli_surface_openings openings;
    if (is_geometry(c)) return from_geometry(c, geom, report);
    rill_status status = cli_surface_resolve(&c->surface, &openings, &options);
    if (status != RILL_OK) return status;
    options.command = c->line;
    if (c->image.axes) {
        status = cli_surface_axes(c->image.axes, &options);
        if (status != RILL_OK) return status;
    }
    return rill_surface_voxelize(c->input, &options, cli_progress(c->quiet), geom, report);
}

static rill_status from_image(const choices *c, rill_geom **geom, rill_voxelize_report *report)
{
    rill_voxelize_options options;
    const rill_status status = cli_image_resolve(&c->image, &options);
    if (status != RILL_OK) return status;
    if (options.threshold_width > 0)
        return rill_fail(
            RILL_USAGE,
            "--threshold has a width of %g, and a geometry file keeps no grey values: give the threshold alone, or the width to `rill permeability`",
            options.threshold_width);
    options.keep = (rill_keep_kind)c->keep;
    options.axis = c->axis - 1;
    options.command = c->line;
    return rill_image_voxelize(c->input, &options, cli_progress(c->quiet), geom, report);
}

static void print_fractions(const char *label, const double part[3])
{
    cli_row(label, "x %.5f   y %.5f   z %.5f", part[0], part[1], part[2]);
}

static void print_end(const choices *c, double took)
{
    char used[32];
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    rill_units_format_bytes(1024. * (double)usage.ru_maxrss, used, sizeof used);
    cli_row("time and memory", "%.1f s, %s at most", took, used);
    cli_row("geometry", "%s", c->output);
}

static void print_image(const choices *c, const rill_geom *geom, const rill_voxelize_report *report)
{
    const rill_components *found = &report->components;
    const double voxels = (double)rill_geom_sample(geom);
    char length[32] = "unknown (--voxel-size sets it)";
    if (geom->spacing > 0) rill_units_format_length(geom->spacing, length, sizeof length);
    cli_image_rows(report);
    cli_row("voxels", "%u x %u x %u", geom->n[0], geom->n[1], geom->n[2]);
    cli_row("voxel size", "%s", length);
    cli_row("boundaries x, y, z", "%s, %s, %s", rill_side_name(geom->sides[0]),
            rill_side_name(geom->sides[1]), rill_side_name(geom->sides[2]));
    if (report->outside)
        cli_row("sample", "%.0f voxels, %.5f of the box: porosities are of these", voxels,
                voxels / (double)rill_geom_voxels(geom));
    cli_row("porosity", "%.5f", found->porosity.total);
    cli_row("  connected to a face", "%.5f", found->porosity.connected);
    print_fractions("  percolating", found->porosity.percolating);
    print_fractions("  reaching both faces", found->spanning);
    cli_row("  joined through", "%s", rill_contacts_name(found->porosity.contacts));
    cli_row("components", "%llu, joined through faces, edges%s; %llu kept (%s%s%s)",
            (unsigned long long)found->components, c->keep == RILL_KEEP_ALL ? "" : " or corners",
            (unsigned long long)found->kept, keeps[c->keep],
            c->keep == RILL_KEEP_PERCOLATING ? " along " : "",
            c->keep == RILL_KEEP_PERCOLATING ? axes[c->axis] : "");
    cli_row("pore voxels dropped", "%llu (%.3f %% of the pores)", (unsigned long long)found->dropped,
            found->porosity.total > 0 ? 100 * (double)found->dropped / (found->porosity.total * voxels) : 0);
    cli_row("fluid nodes", "%llu (%.5f)", (unsigned long long)report->fluid, (double)report->fluid / voxels);
}

static json_t *json_fractions(const double part[3])
{
    return json_pack("{s:o, s:o, s:o}", "x", rill_json_real(part[0]), "y", rill_json_real(part[1]), "z",
                     rill_json_real(part[2]));
}

static json_t *json_greys(const rill_voxelize_report *report)
{
    json_t *list = json_array();
    for (uint64_t i = 0; i < report->greys && i < RILL_GREYS_SHOWN; i++)
        json_array_append_new(list, json_pack("{s:f, s:f, s:b, s:b}", "value", report->grey[i].value,
                                              "fraction", report->grey[i].fraction, "pore",
                                              report->grey[i].pore, "outside", report->grey[i].outside));
    return list;
}

static json_t *image_json(const choices *c, const rill_geom *geom, const rill_voxelize_report *r)
{
    const rill_components *found = &r->components;
    const char *to[3];
    for (int f = 0; f < 3; f++) to[f] = axes[r->axes[f] + 1];
    return json_pack(
        "{s:{s:s, s:s, s:s, s:s, s:[i,i,i], s:[s,s,s], s:o}, s:[i,i,i], s:o, s:[s,s,s], s:{s:f, s:s, s:f, s:o, s:o}, s:I, s:I, s:I, s:I, s:I}",
        "image", "path", c->input, "xxh3", geom->source_hash, "format", r->kind, "type",
        rill_grey_name(r->type), "size", (int)r->file_n[0], (int)r->file_n[1], (int)r->file_n[2], "axes",
        to[0], to[1], to[2], "grey_values", json_greys(r), "voxels", (int)geom->n[0], (int)geom->n[1],
        (int)geom->n[2], "voxel_size_m", geom->spacing > 0 ? rill_json_real(geom->spacing) : json_null(),
        "sides", rill_side_name(geom->sides[0]), rill_side_name(geom->sides[1]),
        rill_side_name(geom->sides[2]), "porosity", "total", found->porosity.total, "joined_through",
        rill_contacts_name(found->porosity.contacts), "connected", found->porosity.connected, "percolating",
        json_fractions(found->porosity.percolating), "spanning", json_fractions(found->spanning),
        "components", (json_int_t)found->components, "components_kept", (json_int_t)found->kept, "dropped",
        (json_int_t)found->dropped, "fluid_nodes", (json_int_t)r->fluid, "outside_voxels",
        (json_int_t)r->outside);
}

/* Write the summary of a geometry: `json`, which it takes, and what every summary ends with. */
static rill_status write_json(const choices *c, const rill_geom *geom, json_t *json, double took)
{
    rill_status status = RILL_OK;
    json_t *end =
        json_pack("{s:o, s:s, s:{s:f}, s:s, s:s}", "notes", rill_json_notes(geom->notes, NULL), "geometry",
                  c->output, "performance", "seconds", took, "command", c->line, "software", rill_version());
    if (!json || !end || json_object_update(json, end) != 0)
        RILL_TRY(rill_fail(RILL_SYSTEM, "%s: invalid UTF-8 in the summary, or out of memory", c->json));
    RILL_TRY(cli_json_write(json, c->json));
done:
    json_decref(end);
    json_decref(json);
    return status;
}

/* Settle the axis along which pores percolate. */
static rill_status axis_settle(choices *c)
{
    rill_status status = RILL_OK;
    cli_axes given;
    unsigned letters;
    if (strcmp(c->along, "any") == 0) return RILL_OK;
    RILL_TRY(cli_axes_parse(c->along, strlen(c->along), &given));
    RILL_TRY(cli_axes_of_files(&given, &c->image, &c->input, 1, &letters));
    c->axis = cli_axes_single(letters) + 1;
    if (c->axis == 0) status = rill_fail(RILL_USAGE, "%s is more than one axis: give one, or any", c->along);
done:
    if (status != RILL_OK) rill_fail_prefix("--axis");
    return status;
}

/* Make a geometry of an image or a surface, and say what came of it. */
static rill_status work(const choices *c)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    rill_surface_report surface;
    rill_voxelize_report image;
    const double start = rill_now();
    RILL_TRY(cli_input_prepare(c->input));
    RILL_TRY(is_surface(c) ? from_surface(c, &geom, &surface) : from_image(c, &geom, &image));
    RILL_TRY(rill_geom_write(geom, c->output,
                             &(rill_geom_write_options){.index_pull = c->index == 1, .lattice = c->lattice}));
    if (c->json)
        RILL_TRY(write_json(c, geom,
                            is_surface(c) ? cli_surface_json(geom, &surface) : image_json(c, geom, &image),
                            rill_now() - start));
    cli_progress_end();
    if (c->quiet) {
        cli_notes(&cli_voxelize, geom->notes, true);
        goto done;
    }
    cli_row("source", "%s", c->input);
    if (is_surface(c))
        cli_surface_rows(geom, &surface);
    else
        print_image(c, geom, &image);
    cli_notes(&cli_voxelize, geom->notes, false);
    print_end(c, rill_now() - start);
done:
    rill_geom_destroy(geom);
    return status;
}

/* Whether --dx is the only option of a surface that is given. */
static bool only_spacing(const choices *c)
{
    const cli_surface *s = &c->surface;
    cli_surface none;
    cli_surface_defaults(&none);
    return !s->units_given && !c->image.axes && !s->extend && !s->shell && s->min_cells == none.min_cells &&
           s->weld == none.weld && s->caps == none.caps && s->cells == 0 && s->names.count == 0 &&
           s->planes.count == 0 && s->patches.count == 0 && !s->close_holes && !s->remove_most;
}

static rill_status check(const choices *c, int count)
{
    if (count == 0)
        return rill_fail(RILL_USAGE,
                         "no image or surface is given: rill voxelize IMAGE|SURFACE -o FILE.geom.h5");
    if (count > 1)
        return rill_fail(
            RILL_USAGE,
            "more than one image is given: put a pattern of slices in quotes (\"slice*.tif\"), or name their directory");
    if (!c->output) return rill_fail(RILL_USAGE, "no output is given: add -o FILE.geom.h5");
    if (is_surface(c) && (c->image.given || c->image.voxel_size_given || c->image.allow_voxel_size ||
                          c->image.sides_given || c->cleaning))
        return rill_fail(
            RILL_USAGE,
            "%s is a surface: options of images and of cleaning do not apply, but for --axes, and --dx gives the size of voxels",
            c->input);
    if (is_geometry(c) && !only_spacing(c))
        return rill_fail(
            RILL_USAGE,
            "%s is a geometry, whose surface is voxelized again as the command in the file says: give --dx alone, or voxelize the surface",
            c->input);
    if (!is_surface(c) && c->surface.given)
        return rill_fail(
            RILL_USAGE,
            "%s is an image: options of surfaces do not apply, and --voxel-size gives the size of voxels; a surface of another name needs --units",
            c->input);
    return cli_outputs_check(c->input, (cli_output[]){{"-o", c->output}, {"--json", c->json}}, 2);
}

static int run(int argc, char **argv);

const cli_command cli_voxelize = {
    .name = "voxelize",
    .usage = "IMAGE|SURFACE|GEOMETRY [options] -o FILE.geom.h5",
    .summary = "convert a segmented image or a surface to a geometry",
    .details =
        "IMAGE is a raw file (also .raw.gz), a TIFF with pages, a directory or a quoted pattern of TIFF or PNG slices (\"s*.tif\",\n"
        "s%04d.tif), an npy, npz, NRRD, MHD, MHA, NIfTI, VTI, legacy VTK, HDF5 or NetCDF file, or a text of numbers; FILE:/NAME is one of several\n"
        "arrays (scan.h5:/group/data), and - is standard input. Pores are connected where voxels share a\n"
        "face or an edge, as the links of D3Q19 do; pores that share a corner alone are not dropped, because D3Q15 and\n"
        "D3Q27 have links through corners. A run drops what its own lattice does not connect. \"connected\" pores reach an outer face. "
        "Along an axis with periodic boundaries a pore percolates when it\n"
        "meets its own periodic image, along one with mirrored or solid boundaries when it reaches both faces.\n"
        "Steps are done in this order: pore, axes, crop, resample, mirror, keep.\n\n"
        "SURFACE is an STL (binary, ASCII), OBJ, PLY or VTP file, or a folder of them (one for each patch), open or closed, in the units of --units. "
        "Flat open\n"
        "ends and, where there are none, flat caps become openings, named by area; other holes are closed. Voxels with their centre inside are fluid;\n"
        "each link to a wall gets its distance to the surface and the number of the triangle.\n\n"
        "A geometry (FILE.geom.h5) with --dx alone is made again with other voxels: "
        "its surface, which must be beside it or with --allow-outside where its command names it, is voxelized with the options of that command.",
    .examples = "rill voxelize rock.tif --pore 0 --voxel-size 5.7um --sides mirror -o rock.geom.h5\n"
                "rill voxelize vessel.stl --units mm --dx 0.25mm --caps auto -o vessel.geom.h5\n",
    .run = run,
};

static int run(int argc, char **argv)
{
    choices c = {.keep = RILL_KEEP_PERCOLATING, .along = "any"};
    const char *memory = NULL, *inputs[2];
    int count = 2;
    bool help = false;
    cli_image_defaults(&c.image);
    cli_surface_defaults(&c.surface);
    const cli_option own[] = {
        {.help = "Cleaning"},
        {"keep", 0, CLI_CHOICE, &c.keep, .help = "which pores stay", .choices = keeps, .given = &c.cleaning},
        {"axis", 0, CLI_TEXT, &c.along, "any|x|y|z",
         "axis along which kept pores percolate; 0, 1, 2: in the order of the file", .given = &c.cleaning},
        {.help = "Output"},
        {"output", 'o', CLI_TEXT, &c.output, "FILE", "write the geometry", .fallback = "",
         .apply = cli_output_apply},
        {"index", 0, CLI_CHOICE, &c.index, .help = "store the pull index list too", .choices = indices},
        {"lattice", 0, CLI_CHOICE, &c.lattice, .help = "velocity set of that list",
         .choices = rill_lattice_names},
        {"json", 0, CLI_TEXT, &c.json, "FILE", "write the summary as JSON; - is standard output",
         .fallback = "", .apply = cli_stream_apply},
        CLI_OVERWRITE,
        {"memory", 0, CLI_TEXT, &memory, "SIZE", "host memory that may be used, such as 8GiB",
         .fallback = "what the system reports as available", .apply = cli_memory_apply},
        {"quiet", 'q', CLI_FLAG, &c.quiet, .help = "no progress, no summary table"},
        {0},
    };
    const cli_option *const tables[] = {cli_image_options(&c.image), cli_surface_shape_options(&c.surface),
                                        cli_surface_voxel_options(&c.surface), own, NULL};
    rill_status status = cli_parse(&cli_voxelize, tables, argc, argv, inputs, &count, &help);
    if (help) return RILL_OK;
    if (status == RILL_OK) {
        c.input = count ? inputs[0] : NULL;
        status = check(&c, count);
    }
    if (status == RILL_OK) status = axis_settle(&c);
    if (status == RILL_OK) {
        c.line = cli_command_line(argc, argv);
        cli_signals_catch(true);
        status = c.line ? work(&c) : rill_fail(RILL_SYSTEM, "out of memory for the command line");
    }
    free(c.line);
    return cli_report(&cli_voxelize, status);
}
