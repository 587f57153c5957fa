/* SPDX-License-Identifier: Apache-2.0 */
/* From surface to geometry: volumes, cut links, openings. Defects are test_repair.c's. */
#include "core/sanitized.h"
#include "surfaces.h"

#include "kernel/lattice.h"

TestSuite(surface, .init = files_start, .fini = files_end);

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
                if (label != RILL_FLUID) cr_assert_geq(voxel(g, x, y, z), RILL_LABEL);
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
        cr_assert_geq(link->label, RILL_LABEL);
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
        cr_assert_eq(p->label, RILL_LABEL + k);
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

/* Four ends of equal area keep their numbers whatever rounding does to them; clearly different areas decide
 * alone. */
Test(surface, numbers_of_equal_openings_do_not_depend_on_rounding)
{
    static const double places[4][3] = {{0, 0, 0}, {10, 0, 0}, {0, 0, 8}, {10, 0, 8}};
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.5);
    uint32_t random = 1;
    o.shell = RILL_SHELL_ALL;
    for (int trial = 0; trial < 12; trial++) {
        s.nv = s.nt = 0;
        shape_tube(&s, 2, 8, 9, 24);
        const unsigned half = s.nv;
        shape_tube(&s, 2, 8, 9, 24);
        for (unsigned v = 0; v < s.nv; v++) {
            if (v >= half) s.v[v][0] += 10;
            for (int a = 0; a < 3; a++) {
                random = random * 1664525 + 1013904223;
                s.v[v][a] += 2e-5 * ((random >> 8) / (double)(1 << 24) - 0.5); /* four digits of ten */
            }
            for (int a = 0; a < 2 && trial % 3 == 2;
                 a++) /* the last opening is wider than the others, by 1 % */
                if (v >= s.nv - 24) s.v[v][a] = (a ? 0 : 10) + 1.005 * (s.v[v][a] - (a ? 0 : 10));
        }
        rill_geom *geom = make(&s, &o, &report);
        cr_assert_eq(geom->surface->opening_count, 4);
        for (int k = 0; k < 4; k++)
            for (int a = 0; a < 3; a++)
                cr_assert_float_eq(1e3 * geom->surface->openings[k].centre[a],
                                   places[trial % 3 == 2 ? (k + 3) % 4 : k][a], 1e-3, "trial %d, opening %d",
                                   trial, k);
        rill_geom_destroy(geom);
    }
    shape_free(&s);
}

/* Four millimetres are ten voxels, in whatever unit they were rounded to single precision. */
Test(surface, voxels_do_not_depend_on_the_unit)
{
    static const double units[] = {1, 0.1, 0.001, 1000, 1 / 25.4};
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.4);
    rill_geom *first = NULL;
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        s.nv = s.nt = 0;
        shape_tube(&s, 2, 8, 9, 96);
        for (unsigned v = 0; v < s.nv; v++)
            for (int a = 0; a < 3; a++) s.v[v][a] *= units[k];
        o.unit = 1e-3 / units[k];
        rill_geom *geom = make(&s, &o, &report);
        for (int a = 0; a < 3; a++)
            cr_assert_eq(geom->n[a], a < 2 ? 12u : 22u, "unit %g mm: %u", 1 / units[k], geom->n[a]);
        for (uint64_t v = 0; first && v < rill_geom_voxels(geom); v++)
            cr_assert_eq(geom->voxels[v], first->voxels[v], "unit %g mm: voxel %llu", 1 / units[k],
                         (unsigned long long)v);
        if (first)
            rill_geom_destroy(geom);
        else
            first = geom;
    }
    rill_geom_destroy(first);
    shape_free(&s);
}

/* A plane's point says which vessel is meant, and its normal which side stays. */
Test(surface, planes_that_miss_their_vessel_are_refused)
{
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.25);
    rill_plane plane = {"in", {40e-3, 0, 3e-3}, {0, 0, 1}};
    o.planes = &plane;
    o.plane_count = 1;
    shape_tube(&s, 2, 20, 41, 40);
    refuse(&s, &o, "--plane number 1: its point is 38 mm outside of the nearest section");
    const char *middle = strstr(rill_error_message(), "section is ") + 11;
    cr_assert_float_eq(strtod(middle, NULL), 0, 1e-3, "%s", middle);
    plane.point[0] = 2.1e-3; /* near the wall will do */
    rill_geom_destroy(make(&s, &o, &report));
    plane.point[0] = 1e-3;
    rill_geom_destroy(make(&s, &o, &report));
    cr_assert_float_eq(1e9 * report.planes[0].before, 20 * M_PI * 4, 2);
    cr_assert_float_eq(report.planes[0].volume / report.planes[0].before, 3. / 20, 1e-3);
    plane.normal[2] = -1;
    refuse(&s, &o, "reverse its normal");
    cr_assert(strstr(rill_error_message(), "(85 %)"), "%s", rill_error_message());
    o.remove_most = true;
    rill_geom_destroy(make(&s, &o, &report));
    cr_assert_float_eq(report.planes[0].volume / report.planes[0].before, 17. / 20, 1e-3);
    shape_free(&s);
}

/* A plane on a cap opens it, also where rounding has put the plane a little off it; on a flat side, too. */
Test(surface, planes_on_flat_parts_open_them)
{
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.25);
    rill_plane plane = {"in", {0, 0, 0}, {0, 0, 1}};
    o.planes = &plane;
    o.plane_count = 1;
    o.caps = RILL_CAPS_NONE;
    for (int off = -1; off <= 1; off++)
        for (int turned = 0; turned < 2; turned++) {
            s.nv = s.nt = 0;
            shape_tube(&s, 2, 20, 41, 40);
            shape_cap(&s, 0, 40, false, SHAPE_FAN);
            shape_cap(&s, 1600, 40, true, SHAPE_FAN);
            shape_vertex(&s, 0.3, 0.2, 1e-3 * off);
            shape_vertex(&s, 0.3, 0.2, 1);
            if (turned) shape_turn(&s, 0.4);
            for (int a = 0; a < 3; a++) {
                plane.point[a] = 1e-3 * s.v[s.nv - 2][a];
                plane.normal[a] = s.v[s.nv - 1][a] - s.v[s.nv - 2][a];
            }
            rill_geom *geom = make(&s, &o, &report);
            cr_assert_eq(geom->surface->opening_count, 1);
            cr_assert_str_eq(geom->surface->openings[0].name, "in");
            cr_assert_float_eq(1e6 * geom->surface->openings[0].area, 80 * sin(M_PI / 20) * 1, 1e-2);
            cr_assert(report.planes[0].cap);
            rill_geom_destroy(geom);
        }
    shape_free(&s);
}

/* A surface that is rotated by whole axes makes the geometry of one whose file is. */
Test(surface, axes_turn_it)
{
    shape s = shape_new();
    shape_tube(&s, 2, 8, 10, 24);
    shape_turn(&s, 0.4);
    for (int by = 1; by < 3; by++) {
        rill_surface_options o = per_millimetre(0.3);
        shape turned = s;
        turned.v = malloc(s.nv * sizeof *s.v);
        cr_assert(turned.v);
        for (unsigned v = 0; v < s.nv; v++)
            for (int a = 0; a < 3; a++) turned.v[v][(a + by) % 3] = s.v[v][a];
        rill_surface_report report;
        rill_geom *wanted = make(&turned, &o, &report), *as_is = make(&s, &o, &report);
        o.rotation = by;
        rill_geom *found = make(&s, &o, &report);
        for (int a = 0; a < 3; a++) {
            cr_assert_eq(found->n[a], wanted->n[a]);
            cr_assert_eq(found->n[(a + by) % 3], as_is->n[a]);
            cr_assert_eq(found->origin[a], wanted->origin[a]);
        }
        cr_assert_arr_eq(found->voxels, wanted->voxels, rill_geom_voxels(wanted));
        cr_assert_eq(found->surface->wall_count, wanted->surface->wall_count);
        cr_assert_arr_eq(found->surface->vertices, wanted->surface->vertices,
                         wanted->surface->vertex_count * sizeof *wanted->surface->vertices);
        rill_geom_destroy(found), rill_geom_destroy(wanted), rill_geom_destroy(as_is);
        free(turned.v);
    }
    shape_free(&s);
    rill_surface_options o = per_millimetre(1);
    rill_geom *geom = NULL;
    o.rotation = 3;
    cr_assert_eq(rill_surface_voxelize("a.stl", &o, (rill_progress){0}, &geom, NULL), RILL_USAGE);
    cr_assert(strstr(rill_error_message(), "rotation 3"), "%s", rill_error_message());
}

/* Groups of a closed surface are openings: here the ends of a tube, with lids that bulge. */
Test(surface, patches_are_openings)
{
    rill_geom *geom = NULL;
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.25);
    rill_group_name patches[2] = {{"inlet", "lid 0"}, {NULL, "lid 1"}};
    o.groups = patches;
    o.group_count = 2;
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

static bool is_filling(void *context, const rill_progress_moment *moment)
{
    *(bool *)context |= strcmp(moment->what, "filling voxels") == 0;
    return true;
}

/* Voxels fit into the memory, their wall links do not: refused before voxels are filled. With more of it
 * they fit: much more, as it is not known what else this process holds. What sanitizers hold is beyond the
 * smaller of the two sizes. */
Test(surface, links_that_do_not_fit_are_refused_before_work, .disabled = SANITIZED)
{
    const rill_surface_options o = per_millimetre(0.03);
    static const char *const sizes[] = {"20MB", "400MB"};
    shape s = shape_new();
    shape_sphere(&s, 1, -2, 0.3, 3, 60);
    shape_write_stl(&s, "a.stl");
    for (int k = 0; k < 2; k++) {
        bool filled = false;
        rill_geom *geom = NULL;
        setenv("RILL_MEMORY", sizes[k], 1);
        const rill_status status =
            rill_surface_voxelize("a.stl", &o, (rill_progress){is_filling, &filled}, &geom, NULL);
        cr_expect_eq(status, k ? RILL_OK : RILL_SYSTEM, "%s: %d: %s", sizes[k], status, rill_error_message());
        cr_expect_eq(filled, k == 1, "%s", sizes[k]);
        if (k == 0) cr_expect(strstr(rill_error_message(), "wall links"), "%s", rill_error_message());
        rill_geom_destroy(geom);
    }
    unsetenv("RILL_MEMORY");
    shape_free(&s);
}
