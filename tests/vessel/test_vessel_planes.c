/* SPDX-License-Identifier: Apache-2.0 */
/* A vessel whose voxels several processes keep, a few planes of which are seen at a time: what is made of
 * them has the bits that it has of all voxels. */
#include "vessel_case.h"

#include "core/memory.h"
#include "domain/domain.h"
#include "geometry/voxels/exact_walls.h"
#include "io/checkpoint.h"
#include "io/geom_file.h"
#include "kept.h"
#include "sim/boundary.h"
#include "sim/worst.h"
#include "vessel/observe/observe.h"
#include "vessel/observe/passage.h"
#include "vessel/run/sponge.h"

TestSuite(vessel_planes, .init = files_start, .fini = files_end);

#define ASSERT_OK(call) cr_assert_eq(call, RILL_OK, "%s", rill_error_message())
#define ASSERT_SAME(a, b, count) cr_assert_arr_eq(a, b, (count) * sizeof *(a), "%s, window %u", #a, window)

/* A bent pipe with extensions: one opening lies in a plane of z, the other is oblique. */
static void vessel_make(void)
{
    vessel_extension = 0.5;
    vessel_pipe(0.2e-3, 40);
    vessel_write(
        "v.yaml",
        "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
        "  in: {kind: inlet, mean-velocity: 250 mm/s}\n  out: {kind: pressure, pressure: 0 Pa}\n"
        "run: {mach: 0.1, duration: 1 ms}\noutput: {probes: {here: [0 mm, 0 mm, 2 mm]}, planes: {across: {centre: [0 mm, 0 mm, 3 mm], normal: "
        "[0.2, 0.1, 1]}, along: {centre: [0 mm, 0 mm, 3 mm], normal: [0.1, 1, 0]}}}\n");
}

/* A vessel that is set up on the CPU. @param[in] keeper  NULL: all voxels are there */
typedef struct setup {
    rill_case *given;
    rill_geom *geom;
    rill_case_plan plan;
    rill_vessel *vessel;
    rill_observers observers;
    rill_device *device, *devices[3];
} setup;

static void set_up(const rill_keeper *keeper, setup *s)
{
    *s = (setup){.given = NULL};
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &s->device));
    for (int k = 0; k < 3; k++) s->devices[k] = s->device;
    const rill_case_plan_options options = {.on.backend = RILL_BACKEND_CPU,
                                            .on.device = s->device,
                                            .on.list = s->devices,
                                            .on.count = keeper ? 3 : 1};
    ASSERT_OK(rill_case_read("v.yaml", &s->given));
    ASSERT_OK(rill_geom_read_kept("v.geom.h5", keeper, &s->geom));
    ASSERT_OK(rill_case_plan_make(s->given, s->geom, &options, &s->plan));
    ASSERT_OK(rill_case_plan_accept(&s->plan));
    ASSERT_OK(rill_vessel_create(s->given, s->geom, &s->plan, &s->vessel));
    ASSERT_OK(rill_observers_make(s->vessel, 4, &s->observers));
}

static void tear_down(setup *s)
{
    rill_observers_free(&s->observers);
    rill_vessel_destroy(s->vessel);
    rill_case_plan_free(&s->plan);
    rill_geom_destroy(s->geom);
    rill_case_destroy(s->given);
    rill_device_destroy(s->device);
}

static void expect_same_places(const setup *a, const setup *b, uint32_t window)
{
    const rill_points *p[] = {&a->observers.places.points, &a->observers.along.points},
                      *q[] = {&b->observers.places.points, &b->observers.along.points};
    for (int k = 0; k < 2; k++) {
        cr_assert_gt(a->observers.slabs[k].count, 100);
        cr_assert_eq(a->observers.slabs[k].count, b->observers.slabs[k].count);
        ASSERT_SAME(a->observers.slabs[k].places, b->observers.slabs[k].places, a->observers.slabs[k].count);
        cr_assert_gt(p[k]->node_count, 20);
        cr_assert_eq(p[k]->node_count, q[k]->node_count);
        ASSERT_SAME(p[k]->nodes, q[k]->nodes, p[k]->node_count);
        ASSERT_SAME(p[k]->weights, q[k]->weights, p[k]->count);
    }
    const rill_centreline *line = &a->observers.centreline;
    cr_assert_gt(line->count, 10);
    cr_assert_eq(line->count, b->observers.centreline.count);
    ASSERT_SAME(line->places, b->observers.centreline.places, line->count);
}

static void expect_same_walls(const setup *a, const setup *b, uint32_t window)
{
    const rill_wall_shear *m = &a->observers.map, *n = &b->observers.map;
    cr_assert_gt(m->node_count, 1000);
    cr_assert_eq(m->node_count, n->node_count);
    cr_assert_eq(m->missing, n->missing);
    cr_assert_eq(m->flat, n->flat);
    ASSERT_SAME(m->nodes, n->nodes, m->node_count);
    ASSERT_SAME(m->first, n->first, m->triangle_count + 1);
    ASSERT_SAME(m->slots, n->slots, m->first[m->triangle_count]);
    ASSERT_SAME(m->weights, n->weights, m->first[m->triangle_count]);
    ASSERT_SAME(m->inner, n->inner, m->first[m->triangle_count]);
    ASSERT_SAME(m->inward, n->inward, m->triangle_count);
}

static void expect_same_sponge(const setup *a, const setup *b, uint32_t window)
{
    rill_sponge_list p, q;
    ASSERT_OK(rill_sponge_make(a->vessel, &p));
    ASSERT_OK(rill_sponge_make(b->vessel, &q));
    cr_assert_gt(p.count, 100);
    cr_assert_eq(p.count, q.count);
    ASSERT_SAME(p.keep, q.keep, p.count);
    ASSERT_SAME(p.nodes, q.nodes, p.count); /* numbers of kernels: lists have those of nodes */
    rill_sponge_free(&p);
    rill_sponge_free(&q);
}

/* Step, and compare all that is read. */
static void expect_same_flow(setup *a, setup *b, uint32_t window)
{
    const rill_node nodes = rill_domain_nodes(a->vessel->domain);
    const uint64_t triangles = a->observers.map.triangle_count;
    double *m = malloc(8 * (size_t)nodes * sizeof *m), *n = m + 4 * (size_t)nodes;
    rill_worst v, w;
    ASSERT_OK(rill_sim_step(a->vessel->sim, 9));
    ASSERT_OK(rill_sim_step(b->vessel->sim, 9));
    ASSERT_OK(rill_sim_moments(a->vessel->sim, 0, nodes, m, m + nodes));
    ASSERT_OK(rill_sim_moments(b->vessel->sim, 0, nodes, n, n + nodes));
    ASSERT_SAME(m, n, 4 * (size_t)nodes);
    ASSERT_OK(rill_observers_shear(&a->observers));
    ASSERT_OK(rill_observers_shear(&b->observers));
    ASSERT_SAME(a->observers.shear, b->observers.shear, triangles);
    for (int dense = 0; dense < 2; dense++) {
        ASSERT_OK(rill_worst_find(a->vessel->sim, a->geom, nodes, dense, &v));
        ASSERT_OK(rill_worst_find(b->vessel->sim, b->geom, nodes, dense, &w));
        cr_assert_gt(v.size, 0);
        cr_assert_eq(v.size, w.size);
        cr_assert_arr_eq(v.place, w.place, sizeof v.place);
    }
    free(m);
}

Test(vessel_planes, have_the_bits_of_the_whole)
{
    static const uint32_t windows[] = {1, 4, 11};
    setup a;
    vessel_make();
    set_up(NULL, &a);
    for (size_t k = 0; k < sizeof windows / sizeof *windows; k++) {
        const uint32_t window = windows[k];
        const rill_keeper keeper = kept_by(3, window);
        setup b;
        rill_passage p, q;
        char hash[2][17];
        const double flow[] = {1, -1};
        set_up(&keeper, &b);
        cr_assert_null(b.geom->voxels);
        cr_assert_eq(b.plan.resources.parts, 3);
        kept_expect_voxels(a.geom, b.geom);
        ASSERT_OK(rill_checkpoint_geometry(a.geom, hash[0]));
        ASSERT_OK(rill_checkpoint_geometry(b.geom, hash[1]));
        cr_assert_str_eq(hash[0], hash[1]);
        memset(&p, 0, sizeof p), memset(&q, 0, sizeof q);
        ASSERT_OK(rill_passage_find(a.geom, flow, &p));
        ASSERT_OK(rill_passage_find(b.geom, flow, &q));
        cr_assert_gt(p.area, 0);
        cr_assert_arr_eq(&p, &q, sizeof p);
        cr_assert_eq(a.plan.peak.velocity, b.plan.peak.velocity);
        cr_assert_eq(a.plan.compliance.volume, b.plan.compliance.volume);
        expect_same_places(&a, &b, window);
        expect_same_walls(&a, &b, window);
        expect_same_sponge(&a, &b, window);
        if (k == 0) expect_same_flow(&a, &b, window);
        tear_down(&b);
    }
    tear_down(&a);
    cr_assert_eq(kept_pieces, 0);
}

/* Boundaries of all kinds, with all kinds of sides. */
Test(vessel_planes, have_the_boundaries_of_the_whole)
{
    static const rill_side sides[][3] = {{RILL_WALL, RILL_WALL, RILL_WALL},
                                         {RILL_PERIODIC, RILL_MIRROR, RILL_PERIODIC},
                                         {RILL_MIRROR, RILL_PERIODIC, RILL_MIRROR}};
    const double normal[3] = {0, 0, 1};
    rill_geom *geom = NULL;
    vessel_make();
    ASSERT_OK(rill_geom_read("v.geom.h5", &geom));
    for (uint32_t v = 0; v < geom->n[2]; v++) /* fluid at the sides, too */
        geom->voxels[(uint64_t)geom->n[0] * (v % geom->n[1] + (uint64_t)geom->n[1] * v)] = RILL_FLUID;
    for (uint32_t v = 0; v < geom->n[0] * geom->n[1]; v += 3) geom->voxels[v] = RILL_FLUID;
    for (uint32_t window = 1; window < 9; window += 3)
        for (size_t k = 0; k < 3; k++) {
            memcpy(geom->sides, sides[k], sizeof geom->sides);
            rill_geom *made = kept_copy(geom, 2, window);
            rill_domain *whole = NULL, *some = NULL;
            for (int lattice = RILL_D3Q15; lattice <= RILL_D3Q27; lattice++) {
                const rill_domain_options o = {(rill_lattice)lattice, -1};
                ASSERT_OK(rill_domain_create(geom, &o, &whole));
                ASSERT_OK(rill_domain_create(made, &o, &some));
                for (int kind = 0; kind < 3; kind++) {
                    rill_boundary *a = NULL, *b = NULL;
                    if (kind == 1 && sides[k][2] != RILL_WALL) continue;
                    ASSERT_OK(kind == 0   ? rill_boundary_create(whole, NULL, NULL, &a)
                              : kind == 1 ? rill_boundary_create_face(whole, 2, -1, &a)
                                          : rill_boundary_create_label(whole, RILL_LABEL, normal, &a));
                    ASSERT_OK(kind == 0   ? rill_boundary_create(some, NULL, NULL, &b)
                              : kind == 1 ? rill_boundary_create_face(some, 2, -1, &b)
                                          : rill_boundary_create_label(some, RILL_LABEL, normal, &b));
                    cr_assert_gt(a->count, 10);
                    cr_assert_eq(a->count, b->count);
                    cr_assert_eq(a->links, b->links);
                    ASSERT_SAME(a->nodes, b->nodes, a->count);
                    rill_boundary_destroy(a);
                    rill_boundary_destroy(b);
                }
                rill_domain_destroy(whole);
                rill_domain_destroy(some);
            }
            rill_geom_destroy(made);
        }
    rill_geom_destroy(geom);
}

/* Turn every fifth fluid voxel of a geometry solid. */
static void thin(rill_geom *geom)
{
    rill_status status = RILL_OK;
    rill_window w = {.geom = geom};
    uint64_t fluid = 0;
    for (uint32_t end = 0; rill_window_next(&w, &end, &status);) {
        for (uint64_t v = 0; v < (uint64_t)geom->n[0] * geom->n[1] * w.count; v++)
            if (w.voxels[v] >= RILL_FLUID && fluid++ % 5 == 0) w.voxels[v] = RILL_SOLID;
        ASSERT_OK(rill_window_keep(&w, geom));
    }
    ASSERT_OK(status);
    rill_window_close(&w);
}

/* Links keep their nodes where others are dropped. */
Test(vessel_planes, number_links_as_the_whole_does)
{
    vessel_make();
    for (uint32_t window = 1; window < 9; window += 3) {
        rill_geom *geoms[2] = {NULL, NULL};
        rill_voxel *voxels[2];
        const rill_keeper keeper = kept_by(3, window);
        ASSERT_OK(rill_geom_read("v.geom.h5", &geoms[0]));
        ASSERT_OK(rill_geom_read_kept("v.geom.h5", &keeper, &geoms[1]));
        const uint64_t before = geoms[0]->surface->wall_count;
        for (int k = 0; k < 2; k++) {
            rill_surface *s = geoms[k]->surface;
            ASSERT_OK(rill_cuts_voxels(geoms[k], s->walls, s->wall_count, &voxels[k]));
            thin(geoms[k]);
            ASSERT_OK(rill_cuts_renumber(geoms[k], voxels[k], s->walls, &s->wall_count));
        }
        const rill_surface *s = geoms[0]->surface, *t = geoms[1]->surface;
        ASSERT_SAME(voxels[0], voxels[1], before);
        cr_assert(s->wall_count > 0 && s->wall_count < before);
        cr_assert_eq(s->wall_count, t->wall_count);
        for (uint64_t c = 0; c < s->wall_count; c++) {
            cr_assert_eq(s->walls[c].node, t->walls[c].node);
            cr_assert_eq(s->walls[c].direction, t->walls[c].direction);
        }
        for (int k = 0; k < 2; k++) {
            rill_array_destroy(voxels[k]);
            rill_geom_destroy(geoms[k]);
        }
    }
}
