/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vessel_case.h
 * Small vessels with their cases for tests, in a directory of the test's own.
 */
#ifndef RILL_TESTS_VESSEL_CASE_H
#define RILL_TESTS_VESSEL_CASE_H

#include "image_files.h"

#include "vessel/case/case.h"
#include "vessel/plan/plan.h"
#include "geometry/generate/generate_surface.h"
#include "geometry/surface/surface.h"

#include <math.h>
#include <stdarg.h>

/** Write a text file. */
static inline void vessel_write(const char *path, const char *format, ...)
{
    va_list arguments;
    FILE *file = fopen(path, "w");
    cr_assert(file);
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    cr_assert_eq(fclose(file), 0);
}

/** Hydraulic diameters by which the openings of the next vessels are extended. */
static double vessel_extension;

/** Turn a surface into v.geom.h5. @param names  of the openings, "12mm,0mm,0mm=inlet", NULL-terminated */
static inline void vessel_voxelize(rill_mesh *mesh, double dx, const char *const *names)
{
    rill_geom *geom = NULL;
    rill_surface_options o = rill_surface_options_default();
    o.unit = 1e-3;
    o.spacing = dx;
    o.names = names;
    o.min_cells = 1;
    o.extend = vessel_extension;
    o.extend_diameters = true;
    while (names[o.name_count]) o.name_count++;
    cr_assert_eq(rill_mesh_write_stl(mesh, "v.stl", NULL), RILL_OK, "%s", rill_error_message());
    rill_mesh_destroy(mesh);
    cr_assert_eq(rill_surface_voxelize("v.stl", &o, (rill_progress){0}, &geom, NULL), RILL_OK, "%s",
                 rill_error_message());
    cr_assert_eq(rill_geom_write(geom, "v.geom.h5", NULL), RILL_OK, "%s", rill_error_message());
    rill_geom_destroy(geom);
}

/** A pipe of radius 2 mm and 12 mm of length, bent by some degrees, from "in" to "out". */
static inline void vessel_pipe(double dx, double degrees)
{
    rill_mesh *mesh = NULL;
    rill_bend_options o = rill_bend_options_default();
    char out[64];
    o.angle = degrees * M_PI / 180;
    o.inlet = o.outlet = (12e-3 - o.angle * o.bend) / 2;
    cr_assert_eq(rill_generate_bend(&o, &mesh), RILL_OK, "%s", rill_error_message());
    snprintf(out, sizeof out, "%gmm,0mm,%gmm=out",
             1e3 * (o.bend * (1 - cos(o.angle)) + o.outlet * sin(o.angle)),
             1e3 * (o.inlet + o.bend * sin(o.angle) + o.outlet * cos(o.angle)));
    vessel_voxelize(mesh, dx, (const char *const[]){"0mm,0mm,0mm=in", out, NULL});
}

/** A case on its simulation. */
typedef struct vessel_run {
    rill_case *given;
    rill_geom *geom;
    rill_case_plan plan;
    rill_vessel *vessel;
} vessel_run;

/** Directory from whose checkpoint the next case goes on; NULL: from the beginning. */
static const char *vessel_resume;

/** Read v.yaml and set it up. */
static inline vessel_run vessel_set_up(rill_backend_kind backend)
{
    vessel_run r = {0};
    const rill_case_plan_options options = {.on.backend = backend, .resume = vessel_resume};
    cr_assert_eq(rill_case_read("v.yaml", &r.given), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_geom_read(r.given->geometry, &r.geom), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_case_plan_make(r.given, r.geom, &options, &r.plan), RILL_OK, "%s",
                 rill_error_message());
    cr_assert_eq(rill_case_plan_accept(&r.plan), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_vessel_create(r.given, r.geom, &r.plan, &r.vessel), RILL_OK, "%s",
                 rill_error_message());
    return r;
}

static inline void vessel_free(vessel_run *r)
{
    rill_vessel_destroy(r->vessel);
    rill_case_plan_free(&r->plan);
    rill_geom_destroy(r->geom);
    rill_case_destroy(r->given);
}

/** Return the number of an opening. */
static inline int vessel_opening(const vessel_run *r, const char *name)
{
    for (int k = 0; k < r->geom->surface->opening_count; k++)
        if (!strcmp(r->geom->surface->openings[k].name, name)) return k;
    cr_assert_fail("no opening %s", name);
    return -1;
}

/** Return flow into the vessel, m3/s, and mean pressure, Pa, at an opening in the last step; they are
 * recorded. */
static inline void vessel_look(const vessel_run *r, const char *name, double *flow, double *pressure)
{
    const rill_scales *s = &r->plan.scales;
    const int patch = r->vessel->patches[vessel_opening(r, name)];
    cr_assert_eq(
        rill_sim_patch_series(r->vessel->sim, patch, rill_sim_steps(r->vessel->sim) - 1, 1, flow, pressure),
        RILL_OK, "%s", rill_error_message());
    *flow *= s->flow;
    *pressure = s->base + *pressure * s->pressure;
}

/** Return the time of the vessel, s, in the middle of the last step. */
static inline double vessel_time(const vessel_run *r)
{
    return rill_case_plan_time(&r->plan, (double)rill_sim_steps(r->vessel->sim) - 0.5);
}

static inline void vessel_record(const vessel_run *r)
{
    for (int k = 0; k < r->plan.opening_count; k++)
        cr_assert_eq(rill_sim_patch_record(r->vessel->sim, r->vessel->patches[k], 64), RILL_OK, "%s",
                     rill_error_message());
}

#endif
