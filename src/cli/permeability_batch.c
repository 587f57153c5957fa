/* SPDX-License-Identifier: Apache-2.0 */
/* rill permeability or diffusivity of several inputs, or of the blocks of one image: what is computed, and
 * which files it makes. The mechanism is batch/'s, what is printed batch_output.c's. */
#include "cli/permeability.h"

#include "batch/input.h"
#include "cli/batch_output.h"
#include "cli/team.h"
#include "geometry/image/image.h"
#include "io/ours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

rill_status cli_csv_apply(const char *text)
{
    if (strcmp(text, "-") != 0) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "\"-\" would be standard output, where the table cannot be replaced while it grows: give a name, or take the rows of --json -");
}

cli_batch cli_batch_of(cli_property *p)
{
    return (cli_batch){.command = p->command,
                       .compute = &p->compute,
                       .devices = &p->devices,
                       .image = &p->image,
                       .inputs = p->inputs,
                       .count = p->input_count,
                       .csv = p->csv,
                       .blocks = p->blocks,
                       .at_once = p->at_once,
                       .resume = p->resume,
                       .dry_run = p->dry_run,
                       .line = p->line,
                       .progress = p->progress};
}

/* ---- sizes of blocks ---- */

/* Read "50" or "100um". */
static rill_status edge_read(const char *text, const rill_geom *geom, uint32_t *edge)
{
    double length = 0, voxels;
    if (text[0] != '\0' && text[strspn(text, "0123456789")] == '\0') {
        voxels = strtod(text, NULL);
    } else {
        const rill_status status = rill_units_parse(text, "m", &length);
        if (status != RILL_OK) {
            rill_fail_prefix("--blocks");
            return status;
        }
        if (!(geom->spacing > 0))
            return rill_fail(
                RILL_USAGE,
                "--blocks %s: the voxel size is unknown: give --voxel-size, or the size in voxels", text);
        voxels = round(length / geom->spacing);
    }
    if (!(voxels >= 1 && voxels <= UINT32_MAX))
        return rill_fail(RILL_USAGE, "--blocks %s is %.3g voxels: give sizes from 4 to the edge of the image",
                         text, voxels);
    *edge = (uint32_t)voxels;
    return RILL_OK;
}

static rill_status edges_read(const char *list, const rill_geom *geom, uint32_t *edges, int *count)
{
    rill_status status = RILL_OK;
    *count = 0;
    for (const char *at = list;; at++) {
        char text[64];
        const size_t length = strcspn(at, ",");
        if (*count == CLI_BLOCK_SIZES)
            return rill_fail(RILL_USAGE, "--blocks lists more than %d sizes: list fewer", CLI_BLOCK_SIZES);
        snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), at);
        RILL_TRY(edge_read(text, geom, &edges[(*count)++]));
        at += length;
        if (*at == '\0') break;
    }
done:
    return status;
}

/* ---- names of files ---- */

/* "k.csv" becomes "k.rev.csv"; with several block sizes a map is "k.map-50.vti". */
static rill_status name_make(const char *csv, const char *ending, char *name)
{
    size_t length = strlen(csv);
    if (length > 4 && strcmp(csv + length - 4, ".csv") == 0) length -= 4;
    const int written = snprintf(name, CLI_BATCH_NAME, "%.*s%s", (int)length, csv, ending);
    if (written > 0 && written < CLI_BATCH_NAME) return RILL_OK;
    return rill_fail(RILL_USAGE, "--csv %.40s…: the name is too long", csv);
}

static rill_status names_make(cli_batch_files *f, const cli_batch *b, const rill_block_grid *grids, int count)
{
    rill_status status = RILL_OK;
    char ending[40] = ".map.vti";
    if (!b->csv) return RILL_OK;
    RILL_TRY(name_make(b->csv, ".rev.csv", f->rev));
    RILL_TRY(name_make(b->csv, ".rev.svg", f->picture));
    for (int g = 0; g < count; g++) {
        if (count > 1) snprintf(ending, sizeof ending, ".map-%u.vti", grids[g].edge);
        RILL_TRY(name_make(b->csv, ending, f->maps[g]));
        RILL_TRY(cli_outputs_check(b->inputs[0], (cli_output[]){{"--csv", f->maps[g]}}, 1));
    }
    RILL_TRY(cli_outputs_check(
        b->inputs[0], (cli_output[]){{"--json", b->compute->json}, {"--csv", f->rev}, {"--csv", f->picture}},
        3));
done:
    return status;
}

/* ---- checks ---- */

static bool is_slice(const char *path, const rill_voxelize_options *o)
{
    rill_image *image = NULL;
    if (rill_file_is_ours(path) || rill_image_open(path, &o->image, &image) != RILL_OK) return false;
    const bool flat = image->n[2] == 1;
    rill_image_close(image);
    return flat;
}

/* What the shell makes of a pattern of slices that is not in quotes. */
static rill_status slices_check(const cli_batch *b, const rill_voxelize_options *o)
{
    if (b->count < 2 || b->options.variant.lattice == RILL_D2Q9 || b->options.axis != RILL_AXIS_AUTO)
        return RILL_OK;
    if (!is_slice(b->inputs[0], o) || !is_slice(b->inputs[1], o)) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "%s and %s are single slices: put a pattern of the slices of one image in quotes (\"slice*.tif\"), or name their directory; "
        "for slices that are images of their own name an axis of their plane (--axis x)",
        b->inputs[0], b->inputs[1]);
}

static rill_status outputs_check(const cli_batch *b)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < b->count; k++)
        RILL_TRY(cli_outputs_check(b->inputs[k],
                                   (cli_output[]){{"--csv", b->csv}, {"--json", b->compute->json}}, 2));
    if (b->resume && !b->csv) return rill_fail(RILL_USAGE, "--resume continues a table: name it with --csv");
    if (b->blocks && b->count > 1)
        return rill_fail(RILL_USAGE, "--blocks cuts one image, and %d are given: name one", b->count);
    if (cli_team())
        return rill_fail(
            RILL_USAGE,
            "%d processes were started, and several inputs, --csv and --blocks use one: start one process, --devices names its devices",
            cli_team()->size);
    if (b->devices->ranks > 1)
        return rill_fail(
            RILL_USAGE,
            "--ranks cuts one sample for one device: leave it out with several inputs, --csv or --blocks");
done:
    return status;
}

/* ---- the batch ---- */

/* Everything that is made on the way. */
typedef struct work {
    const cli_batch *b;
    rill_batch_options options;
    rill_geom *geom; /* that blocks are cut from */
    rill_batch_item *items;
    size_t count;
    rill_block_grid grids[CLI_BLOCK_SIZES];
    int grid_count;
    cli_batch_files *files;
    int ordinals[CLI_DEVICES_MAX];
    rill_batch batch;
    bool show_rows;
} work;

static rill_status ended(void *context, size_t item, const rill_batch_row *row)
{
    const work *w = context;
    if (w->show_rows) cli_batch_row(w->items[item].name, row);
    return RILL_OK;
}

static bool watch(void *context, const rill_progress_moment *moment)
{
    const work *w = context;
    char detail[512], left[48] = "";
    if (moment->seconds_left >= 0) snprintf(left, sizeof left, ", about %.0f s left", moment->seconds_left);
    snprintf(detail, sizeof detail, "%s%s", moment->detail, left);
    rill_progress_moment shown = *moment;
    shown.detail = detail;
    return w->b->progress.fn(w->b->progress.context, &shown);
}

static rill_status options_make(work *w)
{
    rill_status status = RILL_OK;
    const cli_batch *b = w->b;
    rill_batch_options *o = &w->options;
    *o = rill_batch_options_default();
    RILL_TRY(cli_image_resolve(b->image, &o->image));
    o->image.command = b->line;
    o->permeability = b->options;
    o->diffusivity = b->diffusivity;
    o->phases = b->phases;
    o->fluid = b->flow->of;
    o->pressure_drop = b->flow->pressure;
    o->sides_given = b->image->sides_given;
    o->stream_given = b->compute->stream_given;
    o->addressing_given = b->compute->addressing_given;
    o->at_once = b->at_once;
    o->error_bar = b->error_bar;
    o->sample_edge = b->sample;
    o->table = b->csv;
    o->resume = b->resume;
    o->progress = (rill_progress){watch, w};
    o->ended = ended;
    o->context = w;
    RILL_TRY(cli_devices_list(b->devices, b->options.on.backend, w->ordinals));
    o->ordinals = b->devices->count ? w->ordinals : NULL;
    o->ordinal_count = b->devices->count;
done:
    return status;
}

/* Opposite faces of a block do not fit together: its boundaries are mirrored unless --sides says otherwise.
 */
static rill_status blocks_make(work *w)
{
    rill_status status = RILL_OK;
    const cli_batch *b = w->b;
    uint32_t edges[CLI_BLOCK_SIZES];
    const rill_batch_item whole = {.name = b->inputs[0]};
    rill_batch_options all = w->options;
    all.permeability.keep_all = true; /* a block may conduct where the image does not */
    RILL_TRY(rill_batch_input_read(&whole, &all, b->progress, &w->geom, NULL));
    cli_progress_end();
    for (int a = 0; a < 3 && !w->options.sides_given; a++) w->geom->sides[a] = RILL_MIRROR;
    RILL_TRY(edges_read(b->blocks, w->geom, edges, &w->grid_count));
    RILL_TRY(rill_blocks_create(w->geom, b->inputs[0], edges, w->grid_count, w->grids, &w->items, &w->count));
    RILL_TRY(names_make(w->files, b, w->grids, w->grid_count));
done:
    return status;
}

static rill_status inputs_make(work *w)
{
    w->items = calloc((size_t)w->b->count, sizeof *w->items);
    if (!w->items) return rill_fail(RILL_SYSTEM, "out of memory for %d inputs", w->b->count);
    for (int k = 0; k < w->b->count; k++) w->items[k].name = w->b->inputs[k];
    w->count = (size_t)w->b->count;
    w->options.image.command = NULL; /* messages stand in rows of a table */
    return RILL_OK;
}

/* Curve, picture and maps of blocks. */
static rill_status blocks_write(const work *w)
{
    rill_status status = RILL_OK;
    const double spacing = w->geom->spacing;
    if (!w->b->csv) return RILL_OK;
    RILL_TRY(rill_rev_write(w->grids, w->grid_count, w->batch.rows, spacing,
                            (double)rill_geom_sample(w->geom), w->files->rev));
    RILL_TRY(rill_rev_draw(w->grids, w->grid_count, w->batch.rows, spacing, w->files->picture));
    for (int g = 0; g < w->grid_count; g++)
        RILL_TRY(rill_block_map_write(&w->grids[g], w->batch.rows, w->geom, w->files->maps[g]));
done:
    return status;
}

/* Say in one sentence that items have no result, and why the first one has none. */
static rill_status judge(const work *w)
{
    const rill_status worst = rill_batch_status(&w->batch);
    size_t failed = 0, first = w->count;
    for (size_t i = 0; i < w->count; i++) {
        if (w->batch.rows[i].status == RILL_OK) continue;
        failed++;
        if (w->batch.rows[i].status == worst && first == w->count) first = i;
    }
    if (worst == RILL_OK) return RILL_OK;
    const char *message = w->batch.rows[first].message, *name = w->items[first].name;
    const bool named = strncmp(message, name, strlen(name)) == 0; /* reading puts the name first */
    if (w->count == 1) return rill_fail(worst, "%s", message);
    return rill_fail(worst, "%zu of %zu %s have no result%s; for example %s%s%s", failed, w->count,
                     w->geom ? "blocks" : "inputs", w->b->csv ? ", see the table" : "", named ? "" : name,
                     named ? "" : ": ", message);
}

static rill_status finish(work *w)
{
    rill_status status = RILL_OK;
    const cli_batch *b = w->b;
    const cli_batch_result r = {.batch = &w->batch,
                                .items = w->items,
                                .geom = w->geom,
                                .grids = w->grids,
                                .grid_count = w->grid_count,
                                .shown_for = b->command,
                                .options = &w->options,
                                .files = w->files,
                                .csv = b->csv,
                                .json = b->compute->json,
                                .command = b->line};
    if (w->geom) RILL_TRY(blocks_write(w));
    if (r.json) RILL_TRY(cli_batch_write_json(&r));
    if (!b->compute->quiet)
        cli_batch_print(&r);
    else
        cli_batch_notes(&r, true);
    RILL_TRY(judge(w));
done:
    return status;
}

rill_status cli_batch_run(const cli_batch *b)
{
    rill_status status = RILL_OK;
    work w = {.b = b};
    w.show_rows = !b->blocks && !(b->compute->quiet && (b->csv || b->compute->json));
    w.files = calloc(1, sizeof *w.files);
    if (!w.files) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for file names"));
    RILL_TRY(outputs_check(b));
    RILL_TRY(options_make(&w));
    for (int k = 0; k < b->count; k++) RILL_TRY(cli_input_prepare(b->inputs[k])); /* before threads start */
    RILL_TRY(slices_check(b, &w.options.image));
    RILL_TRY(b->blocks ? blocks_make(&w) : inputs_make(&w));
    if (!b->compute->quiet || b->dry_run)
        cli_batch_print_plan(&w.options, w.count, w.geom, w.grids, w.grid_count);
    if (b->dry_run) goto done;
    fflush(stdout);
    status = rill_batch_compute(w.items, w.count, &w.options, &w.batch);
    cli_progress_end();
    if (status == RILL_CANCELLED && b->csv)
        (void)rill_fail(status, "%s: the same command with --resume computes the others",
                        rill_error_message());
    RILL_TRY(status);
    RILL_TRY(finish(&w));
done:
    rill_batch_free(&w.batch);
    if (b->blocks)
        rill_blocks_free(w.items);
    else
        free(w.items);
    rill_geom_destroy(w.geom);
    free(w.files);
    return status;
}
