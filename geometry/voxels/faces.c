/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares how many pore voxels of one face meet pore voxels of the opposite face with how many do between
 * neighbouring planes inside the image, and with chance. In a periodic medium the pair of faces is a pair of
 * planes as any other. The share counts from the face with fewer pores, so that a wall with a hole in it
 * matches the chamber in front of it. Noise without correlation always matches: it has nothing that could be
 * cut.
 */
#include "geometry/voxels/faces.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/planes.h"

#include <math.h>
#include <string.h>

enum {
    PAIRS = 16,  /* of neighbouring planes inside, at most, along each axis */
    PLANES = 64, /* of z that are looked at for the pairs of x and y, at most */
    LEAST = 16   /* pore voxels of the face with fewer, from which on it says something */
};

/* By scripts/honesty and its crops: faces of a periodic medium keep 0.53 of what neighbouring planes have
 * more than chance, and more; faces of crops of random media keep less in nine of ten. */
#define KEPT 0.5
/* Neighbouring planes must be so much more alike than chance, and the faces less by so many deviations. */
#define ALIKE 0.1
#define DEVIATIONS 4
/* Pore voxels of the face with fewer, as a part of those of a plane inside. */
#define FEW 0.1

/* Pore voxels of two planes. */
typedef struct pair {
    uint64_t first, second, both;
} pair;

/* The pairs of an axis; the last one is that of the faces. */
typedef struct pairs {
    pair of[PAIRS + 1];
    uint32_t at[PAIRS + 1]; /* first plane; that of the faces: the last one of the box */
    int count;              /* without that of the faces; 0: not measured */
    double area;            /* voxels that were looked at in a plane */
} pairs;

static void pairs_choose(const rill_geom *geom, int axis, pairs *p)
{
    const uint32_t n = geom->n[axis];
    memset(p, 0, sizeof *p);
    if (geom->sides[axis] != RILL_PERIODIC || n < 4) return;
    p->count = n - 1 < PAIRS ? (int)n - 1 : PAIRS;
    for (int k = 0; k < p->count; k++) p->at[k] = (uint32_t)((k + 0.5) * (n - 1) / p->count);
    p->at[p->count] = n - 1;
}

static void pair_add(pair *p, const uint8_t *u, const uint8_t *v, uint64_t count, uint64_t stride)
{
    for (uint64_t i = 0; i < count * stride; i += stride) {
        const bool a = u[i] >= RILL_FLUID, b = v[i] >= RILL_FLUID;
        p->first += a;
        p->second += b;
        p->both += a && b;
    }
}

/* Add the pairs of x and y in plane z. */
static void plane_add(const rill_window *w, uint32_t z, pairs all[3])
{
    const uint32_t *n = w->geom->n;
    const uint8_t *plane = rill_window_row(w, 0, z);
    pairs *x = &all[0], *y = &all[1];
    for (int k = 0; x->count && k <= x->count; k++)
        pair_add(&x->of[k], plane + x->at[k], plane + (x->at[k] + 1) % n[0], n[1], n[0]);
    for (int k = 0; y->count && k <= y->count; k++)
        pair_add(&y->of[k], plane + (uint64_t)y->at[k] * n[0],
                 plane + (uint64_t)((y->at[k] + 1) % n[1]) * n[0], n[0], 1);
    x->area += n[1];
    y->area += n[0];
}

/* The pairs of z, of which one plane is seen after the other. */
static rill_status across_add(rill_window *w, pairs *z)
{
    rill_status status = RILL_OK;
    const uint64_t plane = (uint64_t)w->geom->n[0] * w->geom->n[1];
    uint8_t *first = NULL;
    if (z->count) RILL_TRY(rill_array_create(plane, 1, "a plane of voxels", (void **)&first));
    for (int k = 0; z->count && k <= z->count; k++) {
        RILL_TRY(rill_window_see(w, z->at[k], 1));
        memcpy(first, rill_window_row(w, 0, z->at[k]), plane);
        const uint32_t next = (z->at[k] + 1) % w->geom->n[2];
        RILL_TRY(rill_window_see(w, next, 1));
        pair_add(&z->of[k], first, rill_window_row(w, 0, next), plane, 1);
    }
    z->area = (double)plane;
done:
    rill_array_destroy(first);
    return status;
}

static double fewer(const pair *p) { return (double)(p->first < p->second ? p->first : p->second); }

static double chance_of(const pair *p, double area)
{
    return (double)(p->first < p->second ? p->second : p->first) / area;
}

/* What a share has more than chance, of what it could have. */
static double alike(double share, double chance) { return chance < 1 ? (share - chance) / (1 - chance) : 1; }

static void judge(const pairs *p, double area, rill_faces *out)
{
    const pair *faces = &p->of[p->count];
    double met = 0, few = 0, by_chance = 0, sum = 0, squares = 0;
    int used = 0;
    *out = (rill_faces){NAN, NAN, NAN, false, false};
    for (int k = 0; k < p->count; k++) {
        const pair *in = &p->of[k];
        const double least = fewer(in);
        if (least == 0) continue;
        const double here = alike((double)in->both / least, chance_of(in, area));
        met += (double)in->both, few += least, by_chance += least * chance_of(in, area);
        sum += here, squares += here * here, used++;
    }
    if (!used || fewer(faces) < LEAST || fewer(faces) < FEW * few / used) return;
    out->measured = true;
    out->meeting = (double)faces->both / fewer(faces);
    out->chance = chance_of(faces, area);
    out->inside = met / few;
    const double deviation = sqrt(fmax(squares / used - sum / used * sum / used, 0));
    const double within = alike(out->inside, by_chance / few), across = alike(out->meeting, out->chance);
    out->differ = within > ALIKE && across < KEPT * within && within - across > DEVIATIONS * deviation;
}

rill_status rill_faces_measure(const rill_geom *geom, rill_faces out[3])
{
    rill_status status = RILL_OK;
    rill_window window = {.geom = geom};
    const double sample = (double)rill_geom_sample(geom) / (double)rill_geom_voxels(geom);
    const uint32_t nz = geom->n[2], planes = nz < PLANES ? nz : PLANES;
    pairs all[3];
    for (int a = 0; a < 3; a++) pairs_choose(geom, a, &all[a]);
    for (uint32_t k = 0; (all[0].count || all[1].count) && k < planes; k++) {
        const uint32_t z = (uint32_t)((k + 0.5) * nz / planes);
        RILL_TRY(rill_window_see(&window, z, 1));
        plane_add(&window, z, all);
    }
    RILL_TRY(across_add(&window, &all[2]));
    for (int a = 0; a < 3; a++) judge(&all[a], fmax(all[a].area * sample, 1), &out[a]);
done:
    rill_window_close(&window);
    return status;
}
