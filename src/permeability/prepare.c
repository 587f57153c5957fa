/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a sample of a geometry: its boundaries let the flow through, and pores that conduct nowhere are
 * solid. Refuses what has no permeability.
 */
#include "core/notes.h"
#include "core/status.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/components.h"
#include "permeability/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Porosities that the geometry came with stay: they were counted before anything was dropped. */
static void porosity_fill(rill_porosity *known, const rill_porosity *found)
{
    if (known->total < 0) known->total = found->total;
    if (known->connected < 0) known->connected = found->connected;
    for (int a = 0; a < 3; a++)
        if (known->percolating[a] < 0) known->percolating[a] = found->percolating[a];
}

/*
 * Note pores that were dropped before, and that might conduct now: along links through edges and corners,
 * which older versions did not follow, or with other domain boundaries.
 */
static rill_status dropped_note(rill_geom *geom)
{
    const rill_porosity *known = &geom->porosity;
    bool found = true;
    for (int a = 0; a < 3; a++) found = found && known->percolating[a] >= 0;
    if (known->total < 0 || (known->contacts && found)) return RILL_OK;
    const double pores = round(known->total * (double)rill_geom_sample(geom));
    const double left = (double)rill_geom_fluid(geom);
    if (left >= pores) return RILL_OK;
    return rill_note(
        &geom->notes,
        "%.0f pore voxels of the geometry were dropped when it was made, %s, and are not looked at again: make it anew with rill voxelize, or with --keep all",
        pores - left,
        known->contacts ? "with other domain boundaries"
                        : "by an older version that followed no links through edges and corners");
}

/*
 * Label and drop, unless all is to stay and what percolates along the links of this lattice is known already.
 * What was counted along other links is counted anew, of what is there still.
 */
static rill_status clean(rill_geom *geom, const rill_permeability_options *o, rill_components *found)
{
    rill_porosity *known = &geom->porosity;
    const unsigned contacts = rill_contacts_of(o->variant.lattice);
    const rill_status noted = dropped_note(geom);
    if (noted != RILL_OK) return noted;
    for (int a = 0; a < 3 && known->contacts != contacts; a++) known->percolating[a] = -1;
    known->contacts = contacts;
    *found = (rill_components){.porosity = *known};
    if (o->keep_all && known->total >= 0 && known->percolating[0] >= 0 && known->percolating[1] >= 0 &&
        known->percolating[2] >= 0)
        return RILL_OK;
    const rill_status status = rill_components_clean(
        geom, o->keep_all ? RILL_KEEP_ALL : RILL_KEEP_PERCOLATING, o->axis, contacts, o->progress, found);
    if (status == RILL_OK) porosity_fill(&geom->porosity, &found->porosity);
    return status;
}

/* "x, y or z" */
static const char *axes_text(int axes, char text[16])
{
    const int count = rill_axes_count(axes);
    text[0] = '\0';
    for (int a = 0, named = 0; a < 3; a++) {
        if (!rill_axes_has(axes, a)) continue;
        const char *between = named == 0 ? "" : named == count - 1 ? " or " : ", ";
        snprintf(text + strlen(text), 16 - strlen(text), "%s%c", between, rill_axis(a));
        named++;
    }
    return text;
}

/* Report that nothing conducts along any of the requested axes. */
static rill_status conducts_nowhere(const rill_geom *geom, int axes, const rill_components *found)
{
    char text[16];
    bool spans = false;
    const rill_side side = geom->sides[rill_axes_first(axes)];
    if (found->porosity.total == 0)
        return rill_fail(RILL_USAGE, "the geometry has no pore voxel: check which grey values are pore");
    for (int a = 0; a < 3; a++)
        spans =
            spans || (rill_axes_has(axes, a) && geom->sides[a] == RILL_PERIODIC && found->spanning[a] > 0);
    return rill_fail(
        RILL_NUMERICS,
        "nothing percolates along %s (%s boundaries): of a porosity of %.5g, 0 conducts, so the permeability is 0; choose another axis%s",
        axes_text(axes, text), side == RILL_PERIODIC ? "periodic" : "mirrored or walled",
        found->porosity.total, spans ? ", or mirror the image (--sides mirror): pores do span the box" : "");
}

rill_status rill_plan_check_conducting(const rill_geom *geom, const rill_permeability_options *o,
                                       const rill_components *found)
{
    bool any = false;
    for (int a = 0; a < 3; a++) {
        const double conducting = found->porosity.percolating[a];
        if (!rill_axes_has(o->axis, a)) continue;
        if (conducting < 0 || (o->drive == RILL_DRIVE_PRESSURE && geom->sides[a] != RILL_WALL))
            return rill_fail(
                RILL_USAGE,
                "which pores conduct along %c is not known: prepare the geometry (rill_permeability_prepare()) before the runs are planned",
                rill_axis(a));
        any = any || conducting > 0;
    }
    return any ? RILL_OK : conducts_nowhere(geom, o->axis, found);
}

/* Refuse what no boundaries and no axis could make a sample: a layer of solid voxels is all around a vessel.
 * Walls that are known exactly are interpolated, where that can be done. */
static rill_status surface_check(const rill_geom *geom, const rill_permeability_options *o)
{
    if (!geom->surface) return RILL_OK;
    if (geom->surface->opening_count)
        return rill_fail(
            RILL_USAGE,
            "the geometry comes from a surface with %d opening%s and is not a porous sample: its flow goes through openings, and has no permeability",
            geom->surface->opening_count, geom->surface->opening_count == 1 ? "" : "s");
    const char *lacks = o->drive == RILL_DRIVE_PRESSURE      ? "a body force (--drive force)"
                        : o->variant.bounce == RILL_FULL_WAY ? "half-way bounce-back"
                                                             : NULL;
    if (!lacks) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "the geometry says where its walls are on every link, and such walls need %s: choose that, or a geometry of voxels alone",
        lacks);
}

/* Refuse domain boundaries that a body force cannot drive through. */
static rill_status sides_check(const rill_geom *geom, const rill_permeability_options *o)
{
    if (o->variant.equilibrium != RILL_STOKES)
        for (int a = 0; a < 3; a++)
            if (geom->sides[a] == RILL_MIRROR && rill_axes_has(o->axis, a))
                return rill_fail(
                    RILL_USAGE,
                    "mirrored boundaries along the flow (%c) need the stokes equilibrium, because behind the mirror the flow runs backwards: choose it, or mirror the image",
                    rill_axis(a));
    for (int a = 0; a < 3; a++)
        if (geom->sides[a] == RILL_WALL && rill_axes_has(o->axis, a))
            return rill_fail(
                RILL_USAGE,
                "solid boundaries normal to %c let no flow along it through: use --sides periodic or mirror there, or drive along another axis",
                rill_axis(a));
    return RILL_OK;
}

/* A plane of voxels for a lattice of two dimensions. */
static rill_status plane_check(const rill_geom *geom, const rill_permeability_options *o)
{
    const int normal = rill_axes_normal(geom->n);
    if (normal >= 0 && o->axis == RILL_AXES_XYZ && o->variant.lattice != RILL_D2Q9)
        return rill_fail(
            RILL_USAGE,
            "the image is one slice, of 1 voxel along %c: a flow along %c goes through the slice, not within it: "
            "take the tensor of the plane (--axis %s), or one axis",
            rill_axis(normal), rill_axis(normal), rill_axes_name(rill_axes_resolve(RILL_AXES_AUTO, geom->n)));
    if (o->variant.lattice != RILL_D2Q9 || (geom->n[2] == 1 && !rill_axes_has(o->axis, 2))) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "lattice d2q9 is for planes: the geometry has %u voxels along z and must have 1, the axis is %s and must be x, y or xy: "
        "choose a lattice of three dimensions, or crop to a plane",
        geom->n[2], rill_axes_name(o->axis));
}

rill_status rill_plan_check_sample(const rill_geom *geom, const rill_permeability_options *o)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_plan_check(o));
    RILL_TRY(surface_check(geom, o));
    RILL_TRY(plane_check(geom, o));
    if (o->drive != RILL_DRIVE_PRESSURE) RILL_TRY(sides_check(geom, o));
done:
    return status;
}

/* The faces of the sample are open to reservoirs: which pores conduct follows from them alone. */
static void pressure_prepare(rill_geom *geom, const rill_permeability_options *o)
{
    if (geom->sides[o->axis] == RILL_WALL) return;
    geom->sides[o->axis] = RILL_WALL;
    for (int a = 0; a < 3; a++) geom->porosity.percolating[a] = -1; /* to be found anew */
}

rill_status rill_permeability_prepare(rill_geom *geom, const rill_permeability_options *options)
{
    rill_status status = RILL_OK;
    const rill_permeability_options resolved = rill_plan_resolve(geom, options), *const o = &resolved;
    rill_components found;
    RILL_TRY(rill_plan_check_sample(geom, o));
    if (o->drive == RILL_DRIVE_PRESSURE) pressure_prepare(geom, o);
    RILL_TRY(clean(geom, o, &found));
    RILL_TRY(rill_plan_check_conducting(geom, o, &found));
done:
    return status;
}
