/* SPDX-License-Identifier: Apache-2.0 */
/* What comes from memory and goes back to it: surfaces, cases, fields, wall shear. examples/arrays.c has the
 * physics of it; here are equality with files, and refusals. */
#include "surfaces.h"
#include "vessel_case.h"

#include <criterion/criterion.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(arrays, .init = files_start, .fini = files_end);

static rill_mesh *pipe_mesh(void)
{
    rill_mesh *mesh = NULL;
    rill_bend_options o = rill_bend_options_default();
    o.angle = 0;
    o.inlet = o.outlet = 3e-3;
    cr_assert_eq(rill_generate_bend(&o, &mesh), RILL_OK, "%s", rill_error_message());
    return mesh;
}

/* The triangles of an STL file as they are in it: vertices in millimetres and single precision. */
typedef struct soup {
    double (*vertices)[3];
    uint32_t (*triangles)[3];
    rill_triangles view;
} soup;

static soup soup_of(const rill_mesh *mesh)
{
    soup s = {malloc(3 * mesh->triangle_count * sizeof *s.vertices),
              malloc(mesh->triangle_count * sizeof *s.triangles),
              {0}};
    for (uint32_t k = 0; k < 3 * mesh->triangle_count; k++) {
        const uint32_t v = mesh->triangles[k / 3].v[k % 3];
        for (int a = 0; a < 3; a++) s.vertices[k][a] = (double)(float)(1e3 * mesh->vertices[v][a]);
        s.triangles[k / 3][k % 3] = k;
    }
    s.view = (rill_triangles){.vertices = (const double(*)[3])s.vertices,
                              .vertex_count = 3 * mesh->triangle_count,
                              .triangles = (const uint32_t(*)[3])s.triangles,
                              .triangle_count = mesh->triangle_count};
    return s;
}

static void soup_free(soup *s)
{
    free(s->vertices);
    free(s->triangles);
}

Test(arrays, triangles_give_what_their_file_gives)
{
    rill_mesh *mesh = pipe_mesh();
    soup s = soup_of(mesh);
    rill_geom *file = NULL, *array = NULL;
    const rill_surface_options o = per_millimetre(0.5);
    cr_assert_eq(rill_mesh_write_stl(mesh, "a.stl", NULL), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_surface_file_voxelize("a.stl", &o, (rill_progress){0}, &file), RILL_OK, "%s",
                 rill_error_message());
    cr_assert_eq(rill_triangles_voxelize(&s.view, &o, (rill_progress){0}, &array), RILL_OK, "%s",
                 rill_error_message());
    cr_assert_arr_eq(array->n, file->n, sizeof array->n);
    cr_assert_arr_eq(array->voxels, file->voxels, rill_geom_voxels(file));
    cr_assert_eq(array->surface->opening_count, 2);
    cr_assert_eq(array->surface->wall_count, file->surface->wall_count);
    for (uint64_t c = 0; c < file->surface->wall_count; c++)
        cr_assert(array->surface->walls[c].q == file->surface->walls[c].q &&
                  array->surface->walls[c].triangle == file->surface->walls[c].triangle);
    rill_geom_destroy(file);
    rill_geom_destroy(array);
    soup_free(&s);
    rill_mesh_destroy(mesh);
}

Test(arrays, a_copy_shares_nothing_with_its_geometry)
{
    rill_mesh *mesh = pipe_mesh();
    soup triangles = soup_of(mesh);
    rill_geom *geom = NULL, *copy = NULL;
    const rill_surface_options o = per_millimetre(0.5);
    cr_assert_eq(rill_triangles_voxelize(&triangles.view, &o, (rill_progress){0}, &geom), RILL_OK, "%s",
                 rill_error_message());
    const rill_surface *s = geom->surface;
    cr_assert_eq(rill_geom_copy(geom, &copy), RILL_OK, "%s", rill_error_message());
    const rill_surface *c = copy->surface;
    cr_assert_arr_eq(copy->voxels, geom->voxels, rill_geom_voxels(geom));
    cr_assert_eq(memcmp(c->vertices, s->vertices, s->vertex_count * sizeof *s->vertices), 0);
    cr_assert_eq(memcmp(c->triangles, s->triangles, s->triangle_count * sizeof *s->triangles), 0);
    cr_assert_eq(memcmp(c->walls, s->walls, s->wall_count * sizeof *s->walls), 0);
    cr_assert_eq(c->opening_count, 2);
    for (int k = 0; k < 2; k++) {
        const rill_opening *a = &s->openings[k], *b = &c->openings[k];
        cr_assert_str_eq(b->name, a->name);
        cr_assert_eq(b->area, a->area);
        cr_assert_neq(b->cuts, a->cuts);
        cr_assert_eq(memcmp(b->cuts, a->cuts, a->cut_count * sizeof *a->cuts), 0);
        cr_assert_eq(memcmp(b->outline, a->outline, a->outline_count * sizeof *a->outline), 0);
    }
    rill_geom_destroy(geom);
    soup_free(&triangles);
    rill_mesh_destroy(mesh);
    copy->voxels[0] = RILL_FLUID; /* of its own */
    rill_geom_destroy(copy);
}

static void refuse_triangles(const rill_triangles *s, const rill_surface_options *o, const char *word)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_triangles_voxelize(s, o, (rill_progress){0}, &geom), RILL_USAGE);
    cr_assert_null(geom);
    cr_assert(strstr(rill_error_message(), word), "\"%s\" lacks \"%s\"", rill_error_message(), word);
}

Test(arrays, refuses_wrong_triangles)
{
    rill_mesh *mesh = pipe_mesh();
    soup s = soup_of(mesh);
    rill_surface_options o = per_millimetre(0.5), bad = o;
    rill_triangles t = s.view;
    t.triangle_count = 0;
    refuse_triangles(&t, &o, "no triangles");
    t = s.view, t.vertices = NULL;
    refuse_triangles(&t, &o, "no triangles");
    t = s.view, t.vertex_count--;
    refuse_triangles(&t, &o, "names vertex");
    uint16_t *groups = calloc(s.view.triangle_count, sizeof *groups);
    groups[3] = 1;
    t = s.view, t.groups = groups, t.group_names = (const char *const[]){"wall"}, t.group_count = 1;
    refuse_triangles(&t, &o, "group 1");
    free(groups);
    bad.unit = 0;
    refuse_triangles(&s.view, &bad, "unit");
    bad = o, bad.spacing = NAN;
    refuse_triangles(&s.view, &bad, "nan");
    bad = o, bad.spacing = 0;
    refuse_triangles(&s.view, &bad, "edge of a voxel");
    s.vertices[7][1] = INFINITY;
    refuse_triangles(&s.view, &o, "vertex 7");
    soup_free(&s);
    rill_mesh_destroy(mesh);
}

#define CASE                                                                                                 \
    "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\n"                                \
    "openings:\n  in: {kind: inlet, flow: 0.3 mL/s, profile: flat}\n"                                        \
    "  out: {kind: pressure, pressure: 10 mmHg}\nrun: {mach: 0.1, tolerance: 0.02}\n"

Test(arrays, cases_from_text)
{
    rill_case *given = NULL;
    cr_assert_eq(rill_case_read_text(CASE, "some/where.yaml", &given), RILL_OK, "%s", rill_error_message());
    cr_assert_str_eq(rill_case_geometry(given), "some/v.geom.h5");
    rill_case_destroy(given);
    given = NULL;
    cr_assert_eq(rill_case_read_text(CASE "colour: red\n", "mine", &given), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "mine:7: "), "%s", rill_error_message());
    cr_assert_eq(rill_case_read_text("", "mine", &given), RILL_USAGE);
    char *large = malloc((1 << 20) + 2);
    memset(large, '#', (1 << 20) + 1);
    large[(1 << 20) + 1] = '\0';
    cr_assert_eq(rill_case_read_text(large, "mine", &given), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "1 MiB"), "%s", rill_error_message());
    cr_assert_null(given);
    free(large);
}

/* A run with a directory and one without come to the same fields and shear, which are those of the
 * simulation. */
Test(arrays, runs_without_files)
{
    rill_run_result result[2];
    float *all[2] = {NULL, NULL}, *shear[2] = {NULL, NULL};
    size_t voxels = 0, triangles = 0;
    vessel_pipe(0.5e-3, 0);
    vessel_write("v.yaml", CASE);
    cr_assert_eq(mkdir("out", 0777), 0);
    for (int k = 0; k < 2; k++) {
        vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
        rill_run_options how = {.directory = k ? "out" : NULL, .resume = k == 0};
        voxels = rill_geom_voxels(r.geom);
        triangles = r.geom->surface->triangle_count;
        all[k] = malloc(4 * voxels * sizeof(float));
        shear[k] = malloc(2 * triangles * sizeof(float));
        cr_assert_eq(rill_vessel_wall_shear(r.vessel, shear[k], NULL), RILL_USAGE);
        if (k == 0) cr_assert_eq(rill_case_run(r.vessel, &how, &result[k]), RILL_USAGE);
        how.resume = false;
        cr_assert_eq(rill_case_run(r.vessel, &how, &result[k]), RILL_OK, "%s", rill_error_message());
        cr_assert_eq(rill_vessel_fields(r.vessel, all[k], all[k] + voxels), RILL_OK);
        cr_assert_eq(rill_vessel_wall_shear(r.vessel, shear[k], shear[k] + triangles), RILL_OK);
        double rho, u[3];
        const uint32_t *n = r.geom->n;
        cr_assert_eq(rill_sim_moments(r.vessel->sim, 0, 1, &rho, u), RILL_OK);
        size_t first = 0;
        while (r.geom->voxels[first] == RILL_SOLID) cr_assert_eq(all[k][first++], 0);
        cr_assert_eq(all[k][first],
                     (float)(r.plan.scales.base + r.plan.scales.pressure * (double)(float)(rho / 3)));
        for (size_t a = 0; a < 3; a++)
            cr_assert_eq(all[k][(1 + a) * voxels + first],
                         (float)(r.plan.scales.velocity * (double)(float)u[a]));
        cr_assert_lt(first, (size_t)n[0] * n[1] * n[2]);
        vessel_free(&r);
        cr_assert_eq(access("out/run.h5", F_OK) == 0, k == 1);
    }
    cr_assert_eq(result[0].steps, result[1].steps);
    cr_assert(result[0].shear.mean > 0 && result[0].shear.mean == result[1].shear.mean);
    cr_assert_arr_eq(all[0], all[1], 4 * voxels * sizeof(float));
    cr_assert_arr_eq(shear[0], shear[1], 2 * triangles * sizeof(float));
    for (int k = 0; k < 2; k++) free(all[k]), free(shear[k]);
}

Test(arrays, nodes_go_to_their_voxels)
{
    rill_geom *geom = NULL;
    const float values[3] = {1, 2, 3};
    float image[8];
    cr_assert_eq(rill_geom_create((const uint32_t[3]){2, 2, 2}, &geom), RILL_OK);
    geom->voxels[1] = geom->voxels[4] = RILL_FLUID;
    geom->voxels[6] = RILL_LABEL;
    cr_assert_eq(rill_geom_image(geom, values, 3, -1, image), RILL_OK);
    cr_assert_arr_eq(image, ((const float[]){-1, 1, -1, -1, 2, -1, 3, -1}), sizeof image);
    cr_assert_eq(rill_geom_image(geom, values, 2, -1, image), RILL_USAGE);
    rill_geom_destroy(geom);
}
