/* SPDX-License-Identifier: Apache-2.0 */
/* Reads items, and hashes what they are. */
#include "batch/input.h"

#include "core/output.h"
#include "core/reading.h"
#include "core/status.h"
#include "geometry/image/voxelize.h"
#include "geometry/image/image.h"
#include "geometry/voxels/components.h"
#include "geometry/voxels/derive.h"
#include "geometry/voxels/greys.h"
#include "io/ours.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Bytes for each voxel while a geometry is prepared: itself, a copy, its runs, its numbers; its grey value,
 * or a copy with all pores, where they are kept. */
enum { PREPARING = 4, KEEPING = 1 };

static bool is_block(const rill_batch_item *item) { return item->n[0] || item->n[1] || item->n[2]; }

bool rill_batch_keeps(const rill_batch_options *o) { return o->error_bar || o->sample_edge > 0; }

static rill_status geometry_voxels(const char *path, uint64_t *voxels)
{
    rill_status status = RILL_OK;
    rill_file *file = NULL;
    rill_dataset set;
    *voxels = 1;
    RILL_TRY(rill_file_open(path, &file));
    RILL_TRY(rill_file_dataset(file, "/voxels", &set));
    for (int a = 0; a < set.rank; a++)
        if (__builtin_mul_overflow(*voxels, set.n[a], voxels)) *voxels = UINT64_MAX;
done:
    rill_file_close(file);
    return status;
}

/* As the header says; a crop makes it smaller, which does no harm. */
static rill_status image_voxels(const char *path, const rill_voxelize_options *o, uint64_t *voxels)
{
    rill_status status = RILL_OK;
    rill_image *image = NULL;
    RILL_TRY(rill_image_open(path, &o->image, &image));
    double n = (double)image->n[0] * image->n[1] * image->n[2];
    for (int a = 0; a < 3; a++) n *= o->mirror[a] ? 2 : 1;
    if (o->resample > 0 && (o->voxel_size > 0 || image->metric))
        for (int a = 0; a < 3; a++)
            n *= (o->voxel_size > 0 ? o->voxel_size : image->spacing[a]) / o->resample;
    *voxels = n < 1e18 ? (uint64_t)n : (uint64_t)1e18;
done:
    rill_image_close(image);
    return status;
}

rill_status rill_batch_input_bytes(const rill_batch_item *item, const rill_batch_options *o, uint64_t *bytes)
{
    rill_status status = RILL_OK;
    uint64_t voxels = 0;
    if (item->geom)
        voxels =
            is_block(item) ? (uint64_t)item->n[0] * item->n[1] * item->n[2] : rill_geom_voxels(item->geom);
    else if (rill_file_is_ours(item->name))
        RILL_TRY(geometry_voxels(item->name, &voxels));
    else
        RILL_TRY(image_voxels(item->name, &o->image, &voxels));
    const bool greys = item->geom ? item->geom->greys != NULL : o->image.threshold_width > 0;
    const uint64_t each = PREPARING + (greys ? KEEPING : 0) + (rill_batch_keeps(o) ? KEEPING : 0);
    *bytes = voxels < UINT64_MAX / each ? each * voxels : UINT64_MAX;
done:
    return status;
}

/* Put the voxel size and the domain boundaries that were given in the place of those of the file. */
static void geometry_change(rill_geom *geom, const rill_batch_options *o)
{
    if (o->image.voxel_size > 0) geom->spacing = o->image.voxel_size;
    for (int a = 0; a < 3 && o->sides_given; a++) {
        if (geom->sides[a] == o->image.sides[a]) continue;
        geom->sides[a] = o->image.sides[a];
        for (int b = 0; b < 3; b++) geom->porosity.percolating[b] = -1; /* to be found anew */
    }
}

static rill_status geometry_read(const char *path, const rill_batch_options *o, rill_geom **out)
{
    rill_status status = rill_voxel_size_check(o->image.voxel_size, o->image.allow_voxel_size);
    if (status == RILL_OK) status = rill_geom_read(path, out);
    if (status == RILL_OK) geometry_change(*out, o);
    return status;
}

/* As a single run reads it: what cannot conduct is dropped on the way, and need not be looked for again.
 * Where that leaves nothing, or every voxel is pore, the geometry is made with all its pores. */
static rill_status image_read(const char *path, const rill_batch_options *o, rill_progress progress,
                              rill_geom **out, bool *cleaned)
{
    rill_voxelize_options options = o->image;
    const int axis = o->permeability.axis;
    options.keep = RILL_KEEP_ALL;
    options.axis = axis;
    options.contacts = rill_contacts_of(RILL_D3Q19);
    if (o->diffusivity && o->phases)
        return rill_image_voxelize_phases(path, &options, o->phases, o->diffusivity->phase_count, progress,
                                          out, NULL);
    if (o->diffusivity) return rill_image_voxelize(path, &options, progress, out, NULL);
    const bool walled = o->permeability.drive == RILL_DRIVE_PRESSURE;
    if (walled && axis >= 0) options.sides[axis] = RILL_WALL;
    options.keep = RILL_KEEP_PERCOLATING;
    options.contacts = rill_contacts_of(o->permeability.variant.lattice);
    *cleaned = !o->permeability.keep_all && !rill_batch_keeps(o) && !(walled && axis == RILL_AXIS_AUTO);
    rill_status status = RILL_NUMERICS;
    if (*cleaned) status = rill_image_voxelize(path, &options, progress, out, NULL);
    if (status != RILL_NUMERICS && status != RILL_USAGE) return status;
    *cleaned = false;
    options.keep = RILL_KEEP_ALL;
    return rill_image_voxelize(path, &options, progress, out, NULL);
}

/* A geometry in memory, or a block of it, with its grey values. */
static rill_status part_copy(const rill_batch_item *item, rill_geom **out)
{
    static const uint32_t none[3] = {0, 0, 0};
    rill_status status = RILL_OK;
    rill_geom *part = NULL;
    RILL_TRY(is_block(item) ? rill_geom_crop(item->geom, item->first, item->n, &part)
                            : rill_geom_copy(item->geom, &part));
    RILL_TRY(rill_greys_part(item->geom, is_block(item) ? item->first : none, part));
    *out = part;
    part = NULL;
done:
    rill_geom_destroy(part);
    return status;
}

rill_status rill_batch_input_read(const rill_batch_item *item, const rill_batch_options *o,
                                  rill_progress progress, rill_geom **out, bool *cleaned)
{
    bool ignored;
    if (!cleaned) cleaned = &ignored;
    *cleaned = false;
    if (item->geom) return part_copy(item, out);
    if (rill_file_is_ours(item->name)) return geometry_read(item->name, o, out);
    return image_read(item->name, o, progress, out, cleaned);
}

static void put_hash(XXH64_hash_t hash, char text[RILL_BATCH_HASH])
{
    snprintf(text, RILL_BATCH_HASH, "%016llx", (unsigned long long)hash);
}

static void greys_update(XXH3_state_t *state, const rill_geom *geom, const uint32_t first[3],
                         const uint32_t n[3])
{
    const rill_greys *greys = geom->greys;
    XXH3_64bits_update(state, &greys->threshold, 2 * sizeof greys->threshold + sizeof greys->distance);
    for (uint64_t z = first[2]; z < (uint64_t)first[2] + n[2]; z++)
        for (uint64_t y = first[1]; y < (uint64_t)first[1] + n[1]; y++)
            XXH3_64bits_update(state, greys->code + (z * geom->n[1] + y) * geom->n[0] + first[0], n[0]);
}

static rill_status hash_rows(const rill_geom *geom, const uint32_t first[3], const uint32_t n[3],
                             char text[RILL_BATCH_HASH])
{
    XXH3_state_t *state = XXH3_createState();
    if (!state) return rill_fail(RILL_SYSTEM, "out of memory for hashing voxels");
    XXH3_64bits_reset(state);
    for (uint64_t z = first[2]; z < (uint64_t)first[2] + n[2]; z++)
        for (uint64_t y = first[1]; y < (uint64_t)first[1] + n[1]; y++)
            XXH3_64bits_update(state, geom->voxels + (z * geom->n[1] + y) * geom->n[0] + first[0], n[0]);
    const uint64_t outside = geom->outside ? rill_geom_voxels(geom) - rill_geom_sample(geom) : 0;
    if (outside) XXH3_64bits_update(state, &outside, sizeof outside);
    if (geom->greys) greys_update(state, geom, first, n);
    put_hash(XXH3_64bits_digest(state), text);
    XXH3_freeState(state);
    return RILL_OK;
}

static rill_status hash_geometry_file(const char *path, char text[RILL_BATCH_HASH])
{
    enum { CHUNK = 1 << 20 };
    rill_status status = RILL_OK;
    char *buffer = malloc(CHUNK);
    XXH3_state_t *state = XXH3_createState();
    FILE *file = fopen(path, "rb");
    if (!buffer || !state) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for hashing %s", path));
    if (!file) RILL_TRY(rill_fail_reading(errno, path, "%s: cannot open it", path));
    XXH3_64bits_reset(state);
    for (size_t got; (got = fread(buffer, 1, CHUNK, file)) > 0;) XXH3_64bits_update(state, buffer, got);
    if (ferror(file)) RILL_TRY(rill_fail(RILL_SYSTEM, "%s: cannot read it: %s", path, strerror(errno)));
    put_hash(XXH3_64bits_digest(state), text);
done:
    if (file) fclose(file);
    XXH3_freeState(state);
    free(buffer);
    return status;
}

rill_status rill_batch_input_hash(const rill_batch_item *item, const rill_batch_options *o,
                                  char text[RILL_BATCH_HASH])
{
    rill_status status = RILL_OK;
    rill_image *image = NULL;
    if (item->geom) return hash_rows(item->geom, item->first, is_block(item) ? item->n : item->geom->n, text);
    if (rill_file_is_ours(item->name)) return hash_geometry_file(item->name, text);
    RILL_TRY(rill_image_open(item->name, &o->image.image, &image));
    RILL_TRY(rill_image_hash(image, text));
done:
    rill_image_close(image);
    return status;
}

static void print_permeability(FILE *out, const rill_batch_options *o)
{
    const rill_permeability_options *p = &o->permeability;
    rill_variant v = p->variant;
    char name[96];
    if (!o->stream_given) v.stream = RILL_AA; /* the device chooses: no option */
    if (!o->addressing_given) v.addressing = RILL_LIST;
    rill_variant_name(v, name, sizeof name);
    fprintf(
        out,
        "%s axis %d tau %a magic %a drive %d reservoir %u force %a every %llu tolerance %a steps %llu keep %d acceleration %d storage %d bar %d sample %u\n",
        name, p->axis, p->tau, p->magic, (int)p->drive, p->drive ? p->reservoir : 0, p->force,
        (unsigned long long)p->every, p->tolerance, (unsigned long long)p->max_steps, p->keep_all,
        (int)p->acceleration, p->keep_storage, o->error_bar, o->sample_edge);
}

static void print_diffusivity(FILE *out, const rill_batch_options *o)
{
    const rill_diffusivity_options *d = o->diffusivity;
    fprintf(out, "diffusion axis %d drive %d tolerance %a iterations %llu keep %d\n", d->axis, (int)d->drive,
            d->tolerance, (unsigned long long)d->max_iterations, d->keep_all);
    for (int i = 0; i < d->phase_count; i++)
        fprintf(out, "phase %a %a %a\n", d->ratio[i], o->phases ? o->phases[i].grey[0] : 0,
                o->phases ? o->phases[i].grey[1] : 0);
}

/* Print the hash of the mask, where it can be opened. */
static void mask_hash(const rill_voxelize_options *o, FILE *out)
{
    rill_image *mask = NULL;
    char text[RILL_BATCH_HASH] = "";
    const rill_image_options options = rill_image_options_default();
    if (rill_image_open(o->mask, &options, &mask) == RILL_OK) (void)rill_image_hash(mask, text);
    rill_image_close(mask);
    fprintf(out, "%s ", text);
}

/* A voxel size of 0 and domain boundaries that were not given are the file's. */
static void print_image(FILE *out, const rill_batch_options *o)
{
    const rill_voxelize_options *i = &o->image;
    fprintf(out,
            "format %d n %u %u %u type %d order %d skip %llu resample %a voxel %a boundaries %d given %d\n",
            (int)i->image.format, i->image.n[0], i->image.n[1], i->image.n[2], i->image.type,
            i->image.big_endian, (unsigned long long)i->image.skip, i->resample, i->voxel_size,
            i->sides[0] + 3 * i->sides[1] + 9 * i->sides[2], o->sides_given);
    for (int k = 0; k < i->pore_count; k++) fprintf(out, "pore %a %a\n", i->pore[k][0], i->pore[k][1]);
    if (i->threshold_given)
        fprintf(out, "threshold %d %a %a\n", i->threshold_above, i->threshold, i->threshold_width);
    for (int k = 0; k < i->outside_count; k++)
        fprintf(out, "outside %a %a\n", i->outside[k][0], i->outside[k][1]);
    if (i->core.given)
        fprintf(out, "core %d %a %a %a %a\n", i->core.axis, i->core.centre[0], i->core.centre[1],
                i->core.centre[2], i->core.diameter);
    if (i->mask) mask_hash(i, out);
    if (i->mask)
        fprintf(out, "mask %s %d %a %a\n", i->mask, i->mask_inside_given, i->mask_inside[0],
                i->mask_inside[1]);
    for (int a = 0; a < 3; a++)
        fprintf(out, "axis %d crop %u %u mirror %d\n", i->axes[a], i->crop[a][0], i->crop[a][1],
                i->mirror[a]);
}

static void print_geometry(FILE *out, const rill_batch_item *item)
{
    const rill_geom *g = item->geom;
    fprintf(out, "spacing %a boundaries %d block %u %u %u of %u %u %u\n", g->spacing,
            g->sides[0] + 3 * g->sides[1] + 9 * g->sides[2], item->first[0], item->first[1], item->first[2],
            item->n[0], item->n[1], item->n[2]);
}

rill_status rill_batch_options_hash(const rill_batch_item *item, const rill_batch_options *o,
                                    char text[RILL_BATCH_HASH])
{
    char *all = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&all, &size);
    if (!out) return rill_fail(RILL_SYSTEM, "out of memory for hashing options");
    if (o->diffusivity)
        print_diffusivity(out, o);
    else
        print_permeability(out, o);
    if (item->geom)
        print_geometry(out, item);
    else
        print_image(out, o);
    const bool whole = rill_output_text_end(out, &all);
    if (whole) put_hash(XXH3_64bits(all, size), text);
    free(all);
    return whole ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for hashing options");
}
