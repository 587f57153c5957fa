/* SPDX-License-Identifier: Apache-2.0 */
/* From surface to geometry: volumes, cut links, openings, defects. */
#include "shapes.h"

#include "core/status.h"
#include "geometry/surface.h"
#include "kernel/lattice.h"

#include <omp.h>

TestSuite(surface, .init = files_start, .fini = files_end);

static rill_surface_options per_millimetre(double dx)
{
    rill_surface_options o = rill_surface_options_default();
    o.unit = 1e-3;
    o.spacing = 1e-3 * dx;
    o.min_cells = 0;
    return o;
}

/* Write a shape in millimetres and make a geometry of it. */
static rill_geom *make(const shape *s, const rill_surface_options *o, rill_surface_report *report)
{
    rill_geom *geom = NULL;
    shape_write_stl(s, "a.stl");
    cr_assert_eq(rill_surface_voxelize("a.stl", o, (rill_progress){0}, &geom, report), RILL_OK, "%s",
                 rill_error_message());
    return geom;
}

static void refuse(const shape *s, const rill_surface_options *o, const char *word)
{
    rill_geom *geom = NULL;
    shape_write_stl(s, "a.stl");
    const rill_status status = rill_surface_voxelize("a.stl", o, (rill_progress){0}, &geom, NULL);
    cr_assert_eq(status, RILL_USAGE, "status %d: %s", status, rill_error_message());
    cr_assert_null(geom);
    cr_assert(strstr(rill_error_message(), word), "\"%s\" lacks \"%s\"", rill_error_message(), word);
}

static uint8_t voxel(const rill_geom *g, int64_t x, int64_t y, int64_t z)
{
    return g->voxels[x + g->n[0] * (y + (int64_t)g->n[1] * z)];
}

/* Mean of |fluid volume / volume of the surface - 1| at about 1/h voxels per millimetre. */
static double volume_error(const shape *s, double h)
{
    enum { SIZES = 8 };
    double sum = 0;
    for (int k = 0; k < SIZES; k++) {
        const rill_surface_options o = per_millimetre(h * (1 + 0.037 * k));
        rill_surface_report report;
        rill_geom *geom = make(s, &o, &report);
        sum += fabs(report.fluid_volume / report.volume - 1) / SIZES;
        for (rill_defect_kind d = 0; d < RILL_DEFECT_KINDS; d++)
            cr_assert_eq(report.defects[d].count, 0u, "%s", rill_defect_name(d, 2));
        rill_geom_destroy(geom);
    }
    return sum;
}

/* Counting centres is better than of first order where no face lies along the lattice: errors of neighbouring
 * rows cancel. */
static void expect_convergence(const shape *s, double exact, double tolerance)
{
    const rill_surface_options o = per_millimetre(1);
    rill_surface_report report;
    rill_geom_destroy(make(s, &o, &report));
    cr_assert_float_eq(1e9 * report.volume, exact, tolerance * exact, "%g is not %g", 1e9 * report.volume,
                       exact);
    const double coarse = volume_error(s, 0.5), fine = volume_error(s, 0.125);
    cr_assert_lt(fine, 0.002, "%g", fine);
    cr_assert_gt(log(coarse / fine) / log(4), 1.4, "order %g from %g to %g", log(coarse / fine) / log(4),
                 coarse, fine);
}

Test(surface, volume_of_a_sphere_converges)
{
    shape s = shape_new();
    shape_sphere(&s, 1, -2, 0.3, 3, 60);
    expect_convergence(&s, 4 * M_PI / 3 * 27, 2e-3);
    shape_free(&s);
}

Test(surface, volume_of_a_torus_converges)
{
    shape s = shape_new();
    shape_bend(&s, 4, 1.5, 2 * M_PI, 120, 60);
    shape_turn(&s, 1);
    expect_convergence(&s, 2 * M_PI * 4 * M_PI * 1.5 * 1.5, 3e-3);
    shape_free(&s);
}

Test(surface, volume_of_an_open_bent_tube_converges)
{
    shape s = shape_new();
    shape_bend(&s, 5, 1.5, 2, 80, 60);
    shape_turn(&s, 1);
    expect_convergence(&s, 2 * 5 * M_PI * 1.5 * 1.5, 3e-3);
    shape_free(&s);
}

/* However a vessel lies, its volume is the same to the order of the method: a flat end along the lattice, as
 * the unturned one has, is off by up to half a voxel. */
Test(surface, rotation_keeps_the_volume)
{
    for (int k = 0; k < 6; k++) {
        shape s = shape_new();
        rill_surface_report report;
        const rill_surface_options o = per_millimetre(0.15);
        shape_bend(&s, 5, 1.5, 2, 80, 60);
        shape_turn(&s, k);
        rill_geom *geom = make(&s, &o, &report);
        cr_assert_float_eq(1e9 * report.volume, 2 * 5 * M_PI * 1.5 * 1.5, 0.2);
        cr_assert_float_eq(report.fluid_volume / report.volume, 1, k == 0 ? 0.01 : 0.003, "%g",
                           report.fluid_volume / report.volume);
        cr_assert_eq(geom->surface->opening_count, 2);
        for (int i = 0; i < 2; i++)
            cr_assert_float_eq(1e6 * geom->surface->openings[i].area, M_PI * 1.5 * 1.5, 0.02);
        rill_geom_destroy(geom);
        shape_free(&s);
    }
}

/* ---- cut links ------------------------------------------------------------------------------- */

/* Distance of a point from a triangle's plane, and whether it lies within the triangle, in its plane. */
static double from_plane(const rill_surface *s, uint32_t triangle, const double p[3], bool *within)
{
    const double *v[3];
    double e[2][3], n[3], d[3], length;
    for (int k = 0; k < 3; k++) v[k] = s->vertices[s->triangles[triangle][k]];
    for (int a = 0; a < 3; a++) {
        e[0][a] = v[1][a] - v[0][a];
        e[1][a] = v[2][a] - v[0][a];
        d[a] = p[a] - v[0][a];
    }
    for (int a = 0; a < 3; a++)
        n[a] = e[0][(a + 1) % 3] * e[1][(a + 2) % 3] - e[0][(a + 2) % 3] * e[1][(a + 1) % 3];
    length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    *within = true;
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            sum += n[a] * ((v[(k + 1) % 3][b] - v[k][b]) * (p[c] - v[k][c]) -
                           (v[(k + 1) % 3][c] - v[k][c]) * (p[b] - v[k][b]));
        }
        *within = *within && sum > -1e-3 * length * length;
    }
    return (n[0] * d[0] + n[1] * d[1] + n[2] * d[2]) / length;
}

/* Every link from a fluid to a solid voxel must be in one list, in order, and end on the triangle named. */
static void check_links(const rill_geom *g, const rill_surface_report *report)
{
    const rill_surface *s = g->surface;
    uint64_t wall = 0, at[8] = {0};
    rill_node node = 0;
    cr_assert_eq(report->defects[RILL_DEFECT_NO_WALL].count, 0u);
    for (int64_t z = 0; z < g->n[2]; z++)
        for (int64_t y = 0; y < g->n[1]; y++)
            for (int64_t x = 0; x < g->n[0]; x++) {
                if (voxel(g, x, y, z) < RILL_FLUID) continue;
                int label = RILL_FLUID;
                for (int i = 1; i < 27; i++) {
                    const int c[3] = {rill_c(RILL_D3Q27, i, 0), rill_c(RILL_D3Q27, i, 1),
                                      rill_c(RILL_D3Q27, i, 2)};
                    if (voxel(g, x - c[0], y - c[1], z - c[2]) >= RILL_FLUID) continue;
                    const rill_cut *cut = wall < s->wall_count ? &s->walls[wall] : NULL;
                    bool within = true;
                    if (cut && cut->node == node && cut->direction == i) {
                        wall++;
                        const int64_t v[3] = {x, y, z};
                        double p[3];
                        for (int a = 0; a < 3; a++)
                            p[a] = g->origin[a] + g->spacing * ((double)v[a] + 0.5 - (double)cut->q * c[a]);
                        cr_assert_lt(cut->triangle, s->triangle_count);
                        const double off = from_plane(s, cut->triangle, p, &within);
                        cr_assert_lt(fabs(off), 1e-4 * g->spacing, "q is off by %g voxels", off / g->spacing);
                        cr_assert(within);
                        continue;
                    }
                    int k = 0;
                    for (; k < s->opening_count; k++) {
                        cut = &s->openings[k].cuts[at[k]];
                        if (at[k] < s->openings[k].cut_count && cut->node == node && cut->direction == i)
                            break;
                    }
                    cr_assert_lt(k, s->opening_count, "a link is in no list");
                    const rill_opening *o = &s->openings[k];
                    double off = 0;
                    const int64_t v[3] = {x, y, z};
                    for (int a = 0; a < 3; a++)
                        off += o->normal[a] *
                               (g->origin[a] + g->spacing * ((double)v[a] + 0.5 - (double)cut->q * c[a]) -
                                o->centre[a]);
                    cr_assert_lt(fabs(off), 1e-3 * g->spacing, "off the opening by %g voxels",
                                 off / g->spacing);
                    at[k]++;
                    label = o->label;
                }
                if (label != RILL_FLUID) cr_assert_geq(voxel(g, x, y, z), RILL_PATCH);
                if (label == RILL_FLUID) cr_assert_eq(voxel(g, x, y, z), RILL_FLUID);
                node++;
            }
    cr_assert_eq(wall, s->wall_count);
    for (int k = 0; k < s->opening_count; k++) {
        cr_assert_eq(at[k], s->openings[k].cut_count);
        cr_assert_gt(at[k], 0u);
    }
}

Test(surface, every_link_ends_on_its_triangle)
{
    for (int k = 0; k < 3; k++) {
        shape s = shape_new();
        rill_surface_report report;
        const rill_surface_options o = per_millimetre(0.2);
        if (k == 0) shape_sphere(&s, 0, 0, 0, 2, 12);
        if (k == 1) shape_bend(&s, 4, 1.5, 2, 20, 16);
        if (k == 2) shape_bend(&s, 4, 1.5, 2 * M_PI, 30, 16);
        shape_turn(&s, 0.7 * k);
        rill_geom *geom = make(&s, &o, &report);
        check_links(geom, &report);
        rill_geom_destroy(geom);
        shape_free(&s);
    }
}

/* Wall links as a simulation lists them, against the cuts. */
typedef struct listing {
    const rill_surface *surface;
    uint64_t wall, at[2], links;
    int q; /* of the velocity set */
} listing;

static const rill_cut *next_cut(const rill_cut *cuts, uint64_t count, uint64_t *at, int q)
{
    while (*at < count && cuts[*at].direction >= q) ++*at;
    return *at < count ? &cuts[*at] : NULL;
}

static bool on_link(void *context, const rill_wall_link *link)
{
    listing *l = context;
    const rill_cut *cut = next_cut(l->surface->walls, l->surface->wall_count, &l->wall, l->q);
    l->links++;
    if (cut && cut->node == link->node && cut->direction == link->direction) {
        l->wall++;
        return true;
    }
    for (int k = 0; k < 2; k++) {
        const rill_opening *o = &l->surface->openings[k];
        cut = next_cut(o->cuts, o->cut_count, &l->at[k], l->q);
        if (!cut || cut->node != link->node || cut->direction != link->direction) continue;
        l->at[k]++;
        cr_assert_geq(link->label, RILL_PATCH);
        return true;
    }
    cr_assert(false, "node %u, direction %u is in no list of cuts", link->node, link->direction);
    return false;
}

/* Nodes and directions are numbered as the solver numbers them, D3Q19 being the first part of D3Q27. */
Test(surface, cuts_are_the_wall_links_of_a_domain)
{
    shape s = shape_new();
    const rill_surface_options o = per_millimetre(0.3);
    shape_bend(&s, 5, 1.5, 2, 30, 24);
    shape_turn(&s, 2);
    rill_geom *geom = make(&s, &o, NULL);
    for (rill_lattice lattice = RILL_D3Q19; lattice <= RILL_D3Q27; lattice++) {
        rill_domain *domain = NULL;
        rill_boundary *boundary = NULL;
        listing l = {.surface = geom->surface, .q = rill_lattice_q(lattice)};
        const rill_domain_options options = {.lattice = lattice, .flow_axis = -1};
        cr_assert_eq(rill_domain_create(geom, &options, &domain), RILL_OK, "%s", rill_error_message());
        cr_assert_eq(rill_boundary_create(domain, on_link, &l, &boundary), RILL_OK, "%s",
                     rill_error_message());
        cr_assert_gt(l.links, 1000u);
        cr_assert_null(next_cut(geom->surface->walls, geom->surface->wall_count, &l.wall, l.q));
        for (int k = 0; k < 2; k++) {
            const rill_opening *p = &geom->surface->openings[k];
            cr_assert_null(next_cut(p->cuts, p->cut_count, &l.at[k], l.q));
        }
        rill_boundary_destroy(boundary);
        rill_domain_destroy(domain);
    }
    rill_geom_destroy(geom);
    shape_free(&s);
}

/* A box on the lattice's own planes: voxels whole, walls half-way, every link where it must be. */
Test(surface, box_on_the_lattice_is_half_way)
{
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.5);
    for (int k = 0; k < 8; k++) shape_vertex(&s, k & 1 ? 4 : 0, k & 2 ? 3 : 0, k & 4 ? 2 : 0);
    static const unsigned faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int f = 0; f < 6; f++) {
        shape_triangle(&s, faces[f][0], faces[f][1], faces[f][2]);
        shape_triangle(&s, faces[f][0], faces[f][2], faces[f][3]);
    }
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_eq(rill_geom_fluid(geom), 8u * 6 * 4);
    cr_assert_eq(geom->n[0], 10u);
    cr_assert_float_eq(report.fluid_volume, report.volume, 1e-6 * report.volume);
    cr_assert_float_eq(report.narrowest, 2e-3, 1e-8);
    for (uint64_t c = 0; c < geom->surface->wall_count; c++)
        cr_assert_float_eq((double)geom->surface->walls[c].q, 0.5, 1e-4);
    check_links(geom, &report);
    rill_geom_destroy(geom);
    shape_free(&s);
}

/* ---- openings -------------------------------------------------------------------------------- */

Test(surface, openings_are_measured_named_and_labelled)
{
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.2);
    const char *names[] = {"opening-2=root", "0mm,0mm,9mm=top"};
    o.names = names;
    o.name_count = 2;
    shape_tube(&s, 2, 10, 20, 40);
    for (unsigned v = 0; v < s.nv; v++) /* a cone, so that the end at z = 10 is the larger one */
        for (int a = 0; a < 2; a++) s.v[v][a] *= 0.75 + 0.025 * s.v[v][2];
    rill_geom *geom = make(&s, &o, &report);
    const rill_surface *surface = geom->surface;
    cr_assert_eq(surface->opening_count, 2);
    cr_assert_str_eq(surface->openings[0].name, "top");
    cr_assert_str_eq(surface->openings[1].name, "root");
    for (int k = 0; k < 2; k++) {
        const rill_opening *p = &surface->openings[k];
        const double r = k == 0 ? 2e-3 : 1.5e-3; /* of the corners of a 40-gon */
        cr_assert_float_eq(p->area, 20 * r * r * sin(M_PI / 20), 1e-11);
        cr_assert_float_eq(p->perimeter, 80 * r * sin(M_PI / 40), 1e-8);
        cr_assert_float_eq(p->hydraulic_diameter, 4 * p->area / p->perimeter, 1e-12);
        cr_assert_float_eq(p->centre[2], k == 0 ? 10e-3 : 0, 1e-8);
        cr_assert_float_eq(p->normal[2], k == 0 ? -1 : 1, 1e-6);
        cr_assert_eq(p->label, RILL_PATCH + k);
        uint64_t labelled = 0;
        for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) labelled += geom->voxels[v] == p->label;
        cr_assert_float_eq((double)labelled * 0.04e-6, p->area, 0.05 * p->area);
    }
    cr_assert_float_eq(report.narrowest, 3e-3, 2e-4, "%g", report.narrowest);
    check_links(geom, &report);
    rill_geom_destroy(geom);

    names[1] = "0mm,0mm,60mm=top";
    refuse(&s, &o, "the nearest, opening-1 at (");
    names[1] = "5mm=x";
    refuse(&s, &o, "none of the 2 openings");
    names[1] = "opening-1=root";
    refuse(&s, &o, "two openings");
    names[1] = "opening-1=a/b";
    refuse(&s, &o, "cannot name");
    names[1] = "opening-1";
    refuse(&s, &o, "does not rename");
    shape_free(&s);
}

Test(surface, extensions_are_straight_and_no_wall_of_the_file)
{
    shape s = shape_new();
    rill_surface_report report, longer;
    rill_surface_options o = per_millimetre(0.2);
    shape_tube(&s, 2, 8, 20, 40);
    shape_turn(&s, 1);
    rill_geom_destroy(make(&s, &o, &report));
    o.extend = 1.5;
    o.extend_diameters = true;
    rill_geom *geom = make(&s, &o, &longer);
    const rill_opening *p = geom->surface->openings;
    cr_assert_float_eq(longer.volume, report.volume + 2 * 1.5 * p->hydraulic_diameter * p->area,
                       1e-4 * report.volume);
    cr_assert_float_eq(longer.fluid_volume, longer.volume, 0.01 * longer.volume);
    double apart = 0;
    for (int a = 0; a < 3; a++) apart += pow(p[0].centre[a] - p[1].centre[a], 2);
    cr_assert_float_eq(sqrt(apart), 8e-3 + 3 * p->hydraulic_diameter, 1e-6);
    uint64_t without = 0;
    for (uint64_t c = 0; c < geom->surface->wall_count; c++)
        without += geom->surface->walls[c].triangle == RILL_NO_TRIANGLE;
    const double part = (double)without / (double)geom->surface->wall_count;
    cr_assert_float_eq(part, 3 * p->hydraulic_diameter / sqrt(apart), 0.02, "%g", part);
    rill_geom_destroy(geom);

    /* A position is one of the file: a long extension of the other end may come nearer to it. */
    shape u = shape_new();
    shape_bend(&u, 8, 1, M_PI, 24, 24);
    const char *name = "8mm,0mm,0mm=here";
    for (int extended = 0; extended < 2; extended++) {
        rill_surface_options named = per_millimetre(0.25);
        named.names = &name;
        named.name_count = 1;
        named.extend = extended ? 10e-3 : 0;
        geom = make(&u, &named, NULL);
        for (int k = 0; k < 2; k++) {
            p = &geom->surface->openings[k];
            cr_assert_eq(p->centre[0] > 0, strcmp(p->name, "here") == 0, "%s at %g", p->name, p->centre[0]);
        }
        rill_geom_destroy(geom);
    }
    shape_free(&u);

    o.extend = 4e-3;
    o.extend_diameters = false;
    rill_geom_destroy(make(&s, &o, &longer));
    cr_assert_float_eq(longer.volume, 2 * report.volume, 1e-4 * report.volume);
    s.nv = s.nt = 0;
    shape_sphere(&s, 0, 0, 0, 2, 12);
    refuse(&s, &o, "no opening that --extend");
    shape_free(&s);
}

/* A closed surface is opened by planes; what hangs behind them goes. */
Test(surface, planes_cut_closed_and_ragged_vessels)
{
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.2);
    rill_plane planes[2] = {{"in", {0, 0, -1e-3}, {0, 0, 5}}, {NULL, {0.5e-3, 0, 1.2e-3}, {0, 0, -1}}};
    o.planes = planes;
    o.plane_count = 2;
    shape_sphere(&s, 0, 0, 0, 3, 40);
    rill_geom *geom = make(&s, &o, &report);
    const double slab = M_PI * (9 * 2.2 - (1.2 * 1.2 * 1.2 + 1) / 3);
    cr_assert_float_eq(1e9 * report.volume, slab, 0.01 * slab, "%g", 1e9 * report.volume);
    cr_assert_float_eq(report.fluid_volume, report.volume, 0.03 * report.volume);
    cr_assert_eq(geom->surface->opening_count, 2);
    const rill_opening *in = &geom->surface->openings[0], *out = &geom->surface->openings[1];
    cr_assert_str_eq(in->name, "in");
    cr_assert_str_eq(out->name, "opening-2");
    cr_assert_float_eq(in->centre[2], -1e-3, 1e-9);
    cr_assert_float_eq(in->normal[2], 1, 1e-6);
    cr_assert_float_eq(1e6 * out->area, M_PI * (9 - 1.44), 0.2);
    cr_assert_eq(geom->surface->triangle_count, s.nt, "the surface is kept whole");
    check_links(geom, &report);
    rill_geom_destroy(geom);

    s.nv = s.nt = 0;
    shape_tube(&s, 2, 8, 20, 24);
    for (unsigned v = 0; v < s.nv; v++)
        if (s.v[v][2] == 0 || s.v[v][2] == 8) s.v[v][2] += 0.3 * s.v[v][0] * s.v[v][1];
    planes[0].point[2] = 2.1e-3;
    planes[1] = (rill_plane){"out", {0, 0, 6e-3}, {0.3, 0, -1}};
    geom = make(&s, &o, &report);
    cr_assert_float_eq(1e9 * report.volume, 12 * 4 * sin(M_PI / 12) * 3.9, 0.01);
    cr_assert_eq(report.defects[RILL_DEFECT_HOLE].count, 0u);
    rill_geom_destroy(geom);

    planes[1].point[2] = 60e-3;
    refuse(&s, &o, "does not meet");
    planes[1].point[2] = 7.7e-3;
    refuse(&s, &o, "--plane number 2: the section runs into an open");
    memset(planes[1].normal, 0, sizeof planes[1].normal);
    refuse(&s, &o, "no normal");
    s.nv = s.nt = 0;
    shape_bend(&s, 4, 1.5, 2 * M_PI, 30, 16);
    planes[0] = (rill_plane){"in", {4e-3, 0, 0.1e-3}, {0, 0, 1}};
    o.plane_count = 1;
    refuse(&s, &o, "leads round");
    shape_free(&s);
}

/* Groups of a closed surface are openings: here the ends of a tube, with lids that bulge. */
Test(surface, patches_are_openings)
{
    rill_geom *geom = NULL;
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.25);
    rill_patch_name patches[2] = {{"inlet", "lid 0"}, {NULL, "lid 1"}};
    o.patches = patches;
    o.patch_count = 2;
    shape s = shape_new();
    shape_tube(&s, 2, 8, 10, 24);
    FILE *file = fopen("a.obj", "w");
    for (unsigned v = 0; v < s.nv; v++) fprintf(file, "v %g %g %g\n", s.v[v][0], s.v[v][1], s.v[v][2]);
    fprintf(file, "v 0 0 -0.5\nv 0 0 8.5\ng wall\n");
    for (unsigned t = 0; t < s.nt; t++)
        fprintf(file, "f %u %u %u\n", s.t[t][0] + 1, s.t[t][1] + 1, s.t[t][2] + 1);
    for (unsigned lid = 0; lid < 2; lid++) {
        fprintf(file, "g lid %u\n", lid);
        for (unsigned j = 0; j < 24; j++)
            fprintf(file, "f %u %u %u\n", lid * 216 + j + 1, lid * 216 + (j + 1) % 24 + 1, 241 + lid);
    }
    fclose(file);
    cr_assert_eq(rill_surface_voxelize("a.obj", &o, (rill_progress){0}, &geom, &report), RILL_OK, "%s",
                 rill_error_message());
    cr_assert_eq(geom->surface->opening_count, 2);
    const double area = 12e-6 * 4 * sin(M_PI / 12);
    for (int k = 0; k < 2; k++) {
        const rill_opening *p = &geom->surface->openings[k];
        const bool inlet = strcmp(p->name, "inlet") == 0;
        cr_assert(inlet || strncmp(p->name, "opening-", 8) == 0, "%s", p->name);
        cr_assert_float_eq(p->area, area, 1e-9);
        cr_assert_float_eq(p->normal[2], inlet ? 1 : -1, 1e-9);
    }
    cr_assert_float_eq(report.volume, 8e-3 * area, 1e-11);
    cr_assert_eq(report.defects[RILL_DEFECT_HOLE].count, 0u);
    rill_geom_destroy(geom);
    geom = NULL;
    patches[1].group = "lid 2";
    cr_assert_eq(rill_surface_voxelize("a.obj", &o, (rill_progress){0}, &geom, &report), RILL_USAGE);
    cr_assert(strstr(rill_error_message(), "the file has wall, lid 0, lid 1"), "%s", rill_error_message());
    patches[1].group = "lid 0";
    cr_assert_eq(rill_surface_voxelize("a.obj", &o, (rill_progress){0}, &geom, &report), RILL_USAGE);
    cr_assert(strstr(rill_error_message(), "\"lid 0\" is gone already"), "%s", rill_error_message());
    shape_free(&s);
}

/* ---- defects --------------------------------------------------------------------------------- */

/* A closed tube that is mended must give the voxels of the whole one. */
static void expect_mended(shape *s, const rill_geom *whole, rill_defect_kind kind, uint64_t count,
                          uint64_t voxels_apart)
{
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.25);
    rill_geom *geom = make(s, &o, &report);
    uint64_t apart = 0;
    cr_assert_eq(report.defects[kind].count, count, "%llu %s, not %llu",
                 (unsigned long long)report.defects[kind].count, rill_defect_name(kind, 2),
                 (unsigned long long)count);
    cr_assert_arr_eq(geom->n, whole->n, sizeof geom->n);
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++)
        apart += (geom->voxels[v] > 0) != (whole->voxels[v] > 0);
    cr_assert_leq(apart, voxels_apart, "%llu voxels differ after mending %s", (unsigned long long)apart,
                  rill_defect_name(kind, 2));
    rill_geom_destroy(geom);
}

static void turn_triangle(shape *s, unsigned t)
{
    const unsigned v = s->t[t][0];
    s->t[t][0] = s->t[t][1];
    s->t[t][1] = v;
}

Test(surface, defects_are_counted_and_mended)
{
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.25);
    shape_bend(&s, 5, 2, 2, 30, 24);
    rill_geom *whole = make(&s, &o, &report);
    const unsigned nt = s.nt, nv = s.nv;
    for (unsigned t = 0; t < nt; t++) turn_triangle(&s, t);
    expect_mended(&s, whole, RILL_DEFECT_INSIDE_OUT, 1, 0);
    expect_mended(&s, whole, RILL_DEFECT_TURNED, 0, 0);
    for (unsigned t = 0; t < nt; t++) turn_triangle(&s, t);
    for (unsigned t = 7; t < 700; t += 99) turn_triangle(&s, t);
    expect_mended(&s, whole, RILL_DEFECT_TURNED, 7, 0);
    for (unsigned t = 7; t < 700; t += 99) turn_triangle(&s, t);

    shape_triangle(&s, s.t[5][1], s.t[5][2], s.t[5][0]);
    shape_triangle(&s, s.t[6][1], s.t[6][0], s.t[6][2]);
    expect_mended(&s, whole, RILL_DEFECT_DOUBLE, 2, 0);
    s.nt = nt;
    shape_triangle(&s, 3, 3, 9);
    shape_triangle(&s, 4, 4, 4);
    expect_mended(&s, whole, RILL_DEFECT_DEGENERATE, 2, 0);
    s.nt = nt;

    const unsigned lost = 700;
    unsigned kept[3];
    memcpy(kept, s.t[lost], sizeof kept);
    memcpy(s.t[lost], s.t[0], sizeof kept); /* a missing triangle, and a doubled one */
    expect_mended(&s, whole, RILL_DEFECT_HOLE, 1, 0);
    memcpy(s.t[lost], kept, sizeof kept);

    const unsigned tip = shape_vertex(&s, s.v[300][0] * 0.9, s.v[300][1] * 0.9, s.v[300][2] * 0.9);
    shape_triangle(&s, s.t[600][0], s.t[600][1], tip); /* a fin on an edge */
    expect_mended(&s, whole, RILL_DEFECT_NON_MANIFOLD, 1, 0);
    s.nt = nt;
    s.nv = nv;
    rill_geom_destroy(whole);
    shape_free(&s);
}

/* Corners that do not meet: one sentence says what to do, and doing it helps. */
Test(surface, cracks_can_be_welded)
{
    shape whole = shape_new(), s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.25);
    shape_tube(&whole, 2, 8, 10, 24);
    for (unsigned t = 0; t < whole.nt; t++)
        for (int k = 0; k < 3; k++) {
            const double *x = whole.v[whole.t[t][k]], off = 1e-3 * ((t + 2 * (unsigned)k) % 7);
            shape_vertex(&s, x[0] + off, x[1] - off, x[2] + off);
            if (k == 2) shape_triangle(&s, 3 * t, 3 * t + 1, 3 * t + 2);
        }
    refuse(&s, &o, "--weld 0.01mm");
    o.weld = 0.02e-3;
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_eq(report.vertices, whole.nv);
    cr_assert_eq(geom->surface->opening_count, 2);
    cr_assert_eq(report.defects[RILL_DEFECT_HOLE].count, 0u);
    rill_geom_destroy(geom);
    o.weld = 2e-3;
    refuse(&s, &o, "cannot be welded");
    o.weld = 1e-12;
    refuse(&s, &o, "cannot be welded");
    shape_free(&s);
    shape_free(&whole);
}

/* A triangle that is missing at the rim makes a tooth: the end is an opening all the same. */
Test(surface, a_tooth_leaves_the_opening)
{
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.25);
    shape_tube(&s, 2, 8, 20, 40);
    unsigned t = 0;
    while (s.v[s.t[t][0]][2] + s.v[s.t[t][1]][2] + s.v[s.t[t][2]][2] > 0.5) t++;
    memcpy(s.t[t], s.t[s.nt - 1], sizeof *s.t);
    s.nt--;
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_eq(geom->surface->opening_count, 2);
    cr_assert_eq(report.defects[RILL_DEFECT_HOLE].count, 0u);
    rill_geom_destroy(geom);
    shape_free(&s);
}

/* Beside a vessel, flat loops of less than a thousandth of its end's area are cracks. */
Test(surface, cracks_are_no_openings)
{
    for (int k = 0; k < 2; k++) {
        shape s = shape_new();
        rill_surface_report report;
        rill_surface_options o = per_millimetre(0.05);
        o.shell = RILL_SHELL_ALL;
        shape_tube(&s, 2, 8, 20, 40);
        const unsigned nv = s.nv;
        shape_tube(&s, k ? 0.06 : 0.08, 8, 20, 40);
        for (unsigned v = nv; v < s.nv; v++) s.v[v][0] += 2.5;
        rill_geom *geom = make(&s, &o, &report);
        cr_assert_eq(geom->surface->opening_count, k ? 2 : 4);
        cr_assert_eq(report.defects[RILL_DEFECT_HOLE].count, k ? 2u : 0u);
        rill_geom_destroy(geom);
        shape_free(&s);
    }
}

/* A large ragged hole is closed, and the voxels that it leaves open are told. */
Test(surface, holes_leave_uncertain_voxels)
{
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.25);
    shape_sphere(&s, 0, 0, 0, 4, 24);
    unsigned kept = 0;
    for (unsigned t = 0; t < s.nt; t++) {
        const double *x = s.v[s.t[t][0]];
        if (x[0] > 3.7) continue;
        memcpy(s.t[kept++], s.t[t], sizeof *s.t);
    }
    s.nt = kept;
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_eq(report.defects[RILL_DEFECT_HOLE].count, 1u);
    cr_assert_float_eq(report.largest_hole.centre[0], 3.7e-3, 2e-4);
    const uint64_t uncertain = report.defects[RILL_DEFECT_UNCERTAIN].count;
    cr_assert(uncertain > 50 && uncertain < 1500, "%llu", (unsigned long long)uncertain);
    cr_assert_float_eq(1e9 * report.fluid_volume, 4 * M_PI / 3 * 64, 8);
    uint64_t without = 0;
    for (uint64_t c = 0; c < geom->surface->wall_count; c++)
        without += geom->surface->walls[c].triangle == RILL_NO_TRIANGLE;
    cr_assert_gt(without, 50u);
    rill_geom_destroy(geom);
    shape_free(&s);
}

/* Shells that overlap are joined, shells within another are obstacles, those apart stay without openings. */
Test(surface, shells_are_joined_or_cut_out)
{
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.25);
    shape_sphere(&s, 0, 0, 0, 3, 24);
    const unsigned first = s.nt;
    shape_sphere(&s, 3, 0.1, 0.2, 3, 24);
    rill_geom_destroy(make(&s, &o, &report));
    const double lens = M_PI / 12 * (12 + 3.00832) * pow(6 - 3.00832, 2); /* d = sqrt(9.05) */
    cr_assert_float_eq(1e9 * report.fluid_volume, 72 * M_PI - lens, 2, "%g", 1e9 * report.fluid_volume);
    cr_assert_gt(report.defects[RILL_DEFECT_INTERSECTION].count, 20u);
    cr_assert_float_eq((double)report.defects[RILL_DEFECT_OVERLAP].count * 0.25 * 0.25 * 0.25, lens, 1);
    cr_assert_eq(report.defects[RILL_DEFECT_SHELL].count, 1u);

    for (unsigned v = 0; v < s.nv / 2; v++) /* the second one into the middle of the first */
        for (int a = 0; a < 3; a++) s.v[s.nv / 2 + v][a] = 0.5 * s.v[v][a];
    for (int turned = 0; turned < 2; turned++) {
        rill_geom_destroy(make(&s, &o, &report));
        cr_assert_float_eq(1e9 * report.fluid_volume, 4 * M_PI / 3 * (27 - 3.375), 2);
        cr_assert_eq(report.defects[RILL_DEFECT_NESTED].count, 1u);
        cr_assert_eq(report.defects[RILL_DEFECT_OVERLAP].count, 0u);
        for (unsigned t = first; t < s.nt; t++) turn_triangle(&s, t);
    }
    shape_free(&s);
}

/* A tube squeezed through itself is inside out in its middle: that part is no fluid, and told. */
Test(surface, what_is_inside_out_is_solid)
{
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.2);
    shape_tube(&s, 3, 9, 12, 36);
    for (unsigned v = 0; v < s.nv; v++) s.v[v][1] *= 1 - 1.5 * (1 - fabs(s.v[v][2] - 4.5) / 4.5);
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_float_eq(1e9 * report.fluid_volume, 27 * M_PI, 3, "%g", 1e9 * report.fluid_volume);
    cr_assert_float_eq((double)report.defects[RILL_DEFECT_OVERLAP].count * 0.008, 6.75 * M_PI, 3);
    cr_assert_eq(geom->surface->opening_count, 2);
    rill_geom_destroy(geom);
    shape_free(&s);
}

/* Walls of overlapping shells are on the outside of all of them, also along their seam. */
Test(surface, walls_of_overlapping_shells_are_outside)
{
    static const double middle[3][3] = {{0, 0, 0}, {3, 0.1, 0.2}, {0.2, 0.3, 2.5}};
    shape s = shape_new();
    const rill_surface_options o = per_millimetre(0.2);
    for (int k = 0; k < 3; k++) shape_sphere(&s, middle[k][0], middle[k][1], middle[k][2], 3, 36);
    rill_geom *g = make(&s, &o, NULL);
    uint64_t at = 0, shells[4] = {0};
    rill_node node = 0;
    for (int64_t v = 0; v < (int64_t)rill_geom_voxels(g); v++) {
        if (g->voxels[v] < RILL_FLUID) continue;
        const int64_t x[3] = {v % g->n[0], v / g->n[0] % g->n[1], v / g->n[0] / g->n[1]};
        for (; at < g->surface->wall_count && g->surface->walls[at].node == node; at++) {
            const rill_cut *cut = &g->surface->walls[at];
            int on = 0;
            for (int k = 0; k < 3; k++) {
                double square = 0;
                for (int a = 0; a < 3; a++) {
                    const double c = rill_c(RILL_D3Q27, cut->direction, a);
                    square +=
                        pow(1e3 * (g->origin[a] + g->spacing * ((double)x[a] + 0.5 - (double)cut->q * c)) -
                                middle[k][a],
                            2);
                }
                cr_assert_gt(sqrt(square), 2.98, "a wall lies within sphere %d", k);
                on += sqrt(square) < 3.0001;
            }
            shells[on]++;
        }
        node++;
    }
    cr_assert_eq(at, g->surface->wall_count);
    cr_assert_eq(shells[0], 0u);
    cr_assert_gt(shells[1], 10000u);
    rill_geom_destroy(g);
    shape_free(&s);
}

/* Any triangles at all: the boundary of each set falls into loops, and closed with these it has an inside. */
Test(surface, any_triangles_have_an_inside)
{
    uint32_t random = 7;
    unsigned made = 0;
    for (int trial = 0; trial < 300; trial++) {
        shape s = shape_new();
        rill_geom *geom = NULL;
        rill_surface_options o = per_millimetre(1.1);
        o.shell = RILL_SHELL_ALL;
        const unsigned points = 4 + (unsigned)trial % 20, triangles = 2 + (unsigned)trial % 90;
        for (unsigned v = 0; v < points; v++) {
            double x[3];
            for (int a = 0; a < 3; a++) {
                random = random * 1664525 + 1013904223;
                x[a] =
                    trial % 2 ? random >> 28 : 10. * (random >> 8) / (1 << 24); /* on the lattice, or not */
            }
            shape_vertex(&s, x[0], x[1], x[2]);
        }
        for (unsigned t = 0; t < triangles; t++) {
            unsigned v[3];
            for (int k = 0; k < 3; k++) {
                random = random * 1664525 + 1013904223;
                v[k] = (random >> 8) % points;
            }
            shape_triangle(&s, v[0], v[1], v[2]);
        }
        shape_write_stl(&s, "a.stl");
        const rill_status status = rill_surface_voxelize("a.stl", &o, (rill_progress){0}, &geom, NULL);
        made += status == RILL_OK;
        cr_assert_leq(status, RILL_USAGE, "%s", rill_error_message());
        cr_assert(status == RILL_OK || !strstr(rill_error_message(), "not closed"), "%s",
                  rill_error_message());
        rill_geom_destroy(geom);
        shape_free(&s);
    }
    cr_assert_gt(made, 50u, "%u", made);
}

/* Two vessels side by side, closer than a voxel; a bend alone, whose wall bulges inward, has no such wall. */
Test(surface, thin_walls_are_told)
{
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.46); /* an even number of voxels: the gap lies between two */
    o.shell = RILL_SHELL_ALL;
    shape_tube(&s, 2, 8, 10, 48);
    const unsigned nv = s.nv;
    shape_tube(&s, 2, 8, 10, 48);
    for (unsigned v = nv; v < s.nv; v++) s.v[v][0] += 4.1;
    rill_geom_destroy(make(&s, &o, &report));
    cr_assert_gt(report.defects[RILL_DEFECT_THIN].count, 5u);
    cr_assert_float_eq(report.defects[RILL_DEFECT_THIN].place[0][0], 2.05e-3, 0.3e-3);
    for (unsigned v = nv; v < s.nv; v++) s.v[v][0] += 1.5;
    rill_geom_destroy(make(&s, &o, &report));
    cr_assert_eq(report.defects[RILL_DEFECT_THIN].count, 0u);
    shape_free(&s);
}

Test(surface, a_million_degenerate_triangles)
{
    enum { MANY = 1000000 };
    rill_geom *geom = NULL;
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.5);
    shape s = shape_new();
    shape_sphere(&s, 0, 0, 0, 3, 12);
    shape_write_stl(&s, "a.stl");
    FILE *file = fopen("a.stl", "r+b");
    const uint32_t count = s.nt + MANY;
    static char facet[50];
    const float x[3] = {1, 2, 0.5};
    for (int k = 0; k < 2; k++) memcpy(facet + 12 + 12 * k, x, sizeof x);
    cr_assert(file);
    fseek(file, 80, SEEK_SET);
    fwrite(&count, 4, 1, file);
    fseek(file, 0, SEEK_END);
    for (int k = 0; k < MANY; k++) fwrite(facet, sizeof facet, 1, file);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(rill_surface_voxelize("a.stl", &o, (rill_progress){0}, &geom, &report), RILL_OK, "%s",
                 rill_error_message());
    cr_assert_eq(report.defects[RILL_DEFECT_DEGENERATE].count, (uint64_t)MANY);
    cr_assert_float_eq(1e9 * report.volume, 4 * M_PI / 3 * 27, 6);
    rill_geom_destroy(geom);
    shape_free(&s);
}

Test(surface, several_vessels_must_be_chosen_from)
{
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.25);
    shape_tube(&s, 2, 8, 10, 24);
    const unsigned nv = s.nv;
    shape_tube(&s, 1, 8, 10, 24);
    for (unsigned v = nv; v < s.nv; v++) s.v[v][0] += 10;
    refuse(&s, &o, "2 separate vessels");
    o.shell = 2;
    rill_geom_destroy(make(&s, &o, &report));
    cr_assert_float_eq(1e9 * report.volume, M_PI * 8, 0.5);
    o.shell = RILL_SHELL_ALL;
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_float_eq(1e9 * report.volume, 5 * M_PI * 8, 2);
    cr_assert_eq(geom->surface->opening_count, 4);
    rill_geom_destroy(geom);
    o.shell = 3;
    refuse(&s, &o, "--shell 3");
    s.nt = s.nt / 2; /* a vessel and a closed shell beside it, which no opening leads to */
    shape_sphere(&s, 10, 0, 0, 1, 12);
    o.shell = RILL_SHELL_ONE;
    rill_geom_destroy(make(&s, &o, &report));
    cr_assert_float_eq((double)report.defects[RILL_DEFECT_DROPPED].count / 64, 4 * M_PI / 3, 0.5);
    cr_assert_float_eq(1e9 * report.fluid_volume, 4 * M_PI * 8, 4, "%g", 1e9 * report.fluid_volume);
    shape_free(&s);
}

Test(surface, refuses_what_cannot_be_right)
{
    shape s = shape_new();
    rill_surface_options o = per_millimetre(0.25);
    shape_tube(&s, 2, 8, 20, 24);
    for (unsigned v = 0; v < s.nv; v++) /* both ends bent out of any plane */
        if (s.v[v][2] == 0 || s.v[v][2] == 8) s.v[v][2] += 0.3 * s.v[v][0] * s.v[v][1];
    refuse(&s, &o, "leaves its plane by 0.4");
    s.nv = s.nt = 0;
    shape_bend(&s, 4, 1.5, 2 * M_PI, 48, 32); /* a large flat hole, on whose plane no wall stands */
    for (unsigned v = 0; v < s.nv; v++) s.v[v][1] = fmin(s.v[v][1], 1.2);
    unsigned kept = 0;
    for (unsigned t = 0; t < s.nt; t++) {
        const unsigned *v = s.t[t];
        if (s.v[v[0]][1] < 1.2 || s.v[v[1]][1] < 1.2 || s.v[v[2]][1] < 1.2)
            memcpy(s.t[kept++], v, sizeof *s.t);
    }
    s.nt = kept;
    refuse(&s, &o, "the wall does not stand on its plane");
    s.nv = s.nt = 0;
    shape_tube(&s, 2, 8, 20, 24);
    o.min_cells = 4;
    o.spacing = 2e-3;
    refuse(&s, &o, "choose --dx 0.9");
    o.spacing = 0.99e-3;
    rill_geom_destroy(make(&s, &o, NULL));
    for (int k = 0; k < 40; k++) { /* what is told to suffice does */
        o.min_cells = 3.1 + 0.137 * k;
        o.spacing = 2e-3;
        refuse(&s, &o, "choose --dx ");
        o.spacing = 1e-3 * strtod(strstr(rill_error_message(), "--dx ") + 5, NULL);
        rill_geom_destroy(make(&s, &o, NULL));
        o.spacing *= 1.012; /* and hardly more does */
        refuse(&s, &o, "choose --dx ");
        const double cells = strtod(strstr(rill_error_message(), "only ") + 5, NULL);
        cr_assert_lt(cells, o.min_cells);
        o.min_cells = strtod(strstr(rill_error_message(), "--min-cells ") + 12, NULL);
        rill_geom_destroy(make(&s, &o, NULL));
    }
    o.min_cells = 4;
    o.spacing = 0.25e-3;
    o.unit = 1e-6;
    refuse(&s, &o, "0.008 mm long: --units may be wrong");
    o.unit = 1;
    o.spacing = 0.04e-3;
    refuse(&s, &o, "more than 1e15: choose a larger --dx; the surface is 8000 mm long: --units may be wrong");
    o.unit = 1e-3;
    o.spacing = 1e-9;
    refuse(&s, &o, "choose a larger --dx");
    for (unsigned v = 0; v < s.nv; v++) /* a funnel whose end is one voxel wide */
        for (int a = 0; a < 2; a++) s.v[v][a] *= 0.15 + 0.85 * s.v[v][2] / 8;
    o.spacing = 0.6e-3;
    refuse(&s, &o, "only 0.991 cells lie across opening-2");
    o.min_cells = 0;
    rill_geom_destroy(make(&s, &o, NULL));
    o.min_cells = 4;
    s.nv = s.nt = 0;
    shape_bend(&s, 4, 1.5, 2 * M_PI, 30, 16); /* the centre of a torus is outside */
    o = per_millimetre(40);
    refuse(&s, &o, "smaller --dx");
    s.nt = 0;
    shape_triangle(&s, 1, 1, 2);
    refuse(&s, &o, "degenerate");
    shape_free(&s);
}

Test(surface, suspicious_units_are_told)
{
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(1);
    shape_sphere(&s, 0, 0, 0, 30, 12);
    o.cells = 32;
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_eq(report.defects[RILL_DEFECT_UNITS].count, 0u);
    cr_assert_eq(geom->n[2], 34u);
    rill_geom_destroy(geom);
    o.unit = 1;
    rill_geom_destroy(make(&s, &o, &report));
    cr_assert_eq(report.defects[RILL_DEFECT_UNITS].count, 1u);
    shape_free(&s);
}

/* However many threads work, the result is the same. */
Test(surface, threads_do_not_matter)
{
    shape s = shape_new();
    rill_geom *geom[2];
    rill_surface_report report[2];
    const rill_surface_options o = per_millimetre(0.25);
    shape_bend(&s, 5, 2, 2, 30, 24);
    shape_sphere(&s, 6, 0, 3, 2, 12);
    for (int k = 0; k < 2; k++) {
        omp_set_num_threads(k == 0 ? 1 : 3);
        geom[k] = make(&s, &o, &report[k]);
    }
    cr_assert_arr_eq(geom[0]->voxels, geom[1]->voxels, rill_geom_voxels(geom[0]));
    cr_assert_eq(memcmp(&report[0].defects, &report[1].defects, sizeof report[0].defects), 0);
    cr_assert_gt(report[0].defects[RILL_DEFECT_OVERLAP].count, 20u);
    cr_assert_eq(geom[0]->surface->wall_count, geom[1]->surface->wall_count);
    for (uint64_t c = 0; c < geom[0]->surface->wall_count; c++)
        cr_assert(geom[0]->surface->walls[c].q == geom[1]->surface->walls[c].q &&
                  geom[0]->surface->walls[c].triangle == geom[1]->surface->walls[c].triangle);
    for (int k = 0; k < 2; k++) rill_geom_destroy(geom[k]);
    shape_free(&s);
}
