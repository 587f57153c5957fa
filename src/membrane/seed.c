/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/seed.h"

#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "core/threads.h"
#include "geometry/generate/generate_random.h"
#include "membrane/walls.h"

#include <math.h>
#include <string.h>

static const char *const what = "the positions of cells";

/* Positions in the fluid that are tried for a cell, draws for one of them, and cells of the grid along an
 * axis, at most. */
enum { TRIES = 5000, DRAWS = 1 << 22, GRID = 512 };

/* Draws of a place: the centre, and three for the rotation. */
enum { NUMBERS = 6 };

#define NOBODY UINT32_MAX

/* Cells that find no room grow from this size in so many steps, with so many attempts each to come free; how
 * much further than they must they are moved, voxels. */
#define SMALL 0.6
enum { SIZES = 40, TURNS = 300 };
#define SPARE 0.02

/* What stands where a cell is to be placed. */
typedef enum obstacle { NOTHING, WALL, CELL } obstacle;

typedef struct seeder {
    const rill_seed_options *given;
    uint32_t grid[3];
    uint32_t *first, *next; /* vertices in each cell of the grid; [count][vertices], the next one there */
    double (*x)[3];         /* [count][vertices] */
    uint32_t placed;
    uint32_t other; /* the cell that was in the way */
    double scale;   /* of all cells: below 1 while they grow */
    rill_seed_place *places, *moved;
    bool *touched; /* [count], where a cell overlaps something */
} seeder;

static bool is_open(const rill_geom *geom, int axis) { return geom->sides[axis] == RILL_PERIODIC; }

/* Return whether there is no place for cells: in walls, and where the options say so. */
static bool solid_in(const void *context, const int64_t voxel[3])
{
    const rill_seed_options *given = context;
    const rill_geom *geom = given->geom;
    uint64_t at[3];
    for (int a = 0; a < 3; a++) {
        const int64_t n = geom->n[a], wrapped = voxel[a] % n;
        if (!is_open(geom, a) && (voxel[a] < 0 || voxel[a] >= n)) return true;
        at[a] = (uint64_t)(wrapped < 0 ? wrapped + n : wrapped);
    }
    const uint64_t k = (at[2] * geom->n[1] + at[1]) * geom->n[0] + at[0];
    return geom->voxels[k] == RILL_SOLID || (given->closed && given->closed[k]);
}

void rill_seed_turn(const double axis[3], double turn[4])
{
    /* half-way between z and the axis; opposite directions: about x */
    const double half[4] = {1 + axis[2], -axis[1], axis[0], 0};
    const double length = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    for (int k = 0; k < 4; k++) turn[k] = length > 1e-9 ? half[k] / length : k == 1;
}

void rill_seed_vertex(const rill_seed_place *place, const double vertex[3], double x[3])
{
    const double *q = place->turn, *v = vertex;
    double t[3], u[3];
    for (int a = 0; a < 3; a++)
        t[a] = 2 * (q[1 + (a + 1) % 3] * v[(a + 2) % 3] - q[1 + (a + 2) % 3] * v[(a + 1) % 3]);
    for (int a = 0; a < 3; a++)
        u[a] = q[1 + (a + 1) % 3] * t[(a + 2) % 3] - q[1 + (a + 2) % 3] * t[(a + 1) % 3];
    for (int a = 0; a < 3; a++) x[a] = place->centre[a] + v[a] + q[0] * t[a] + u[a];
}

/* A vertex of a cell of the present size. */
static void vertex_of(const seeder *s, const rill_seed_place *place, uint32_t v, double x[3])
{
    double scaled[3];
    for (int a = 0; a < 3; a++) scaled[a] = s->scale * s->given->mesh->vertices[v][a];
    rill_seed_vertex(place, scaled, x);
}

/* The cell of the grid along an axis. */
static uint32_t grid_along(const seeder *s, int axis, double x)
{
    const double n = s->given->geom->n[axis], at = x - n * floor(x / n);
    return (uint32_t)fmin(floor(at / n * s->grid[axis]), s->grid[axis] - 1.0);
}

static uint64_t grid_at(const seeder *s, const uint32_t at[3])
{
    return at[0] + (uint64_t)s->grid[0] * (at[1] + (uint64_t)s->grid[1] * at[2]);
}

/* Return the cell that has a vertex too near to a place, or NOBODY. */
static uint32_t neighbour_of(const seeder *s, const double x[3])
{
    const rill_geom *geom = s->given->geom;
    const uint32_t vertices = s->given->mesh->vertex_count;
    for (int k = 0; k < 27; k++) {
        const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        uint32_t at[3];
        for (int a = 0; a < 3; a++)
            at[a] = (uint32_t)((grid_along(s, a, x[a]) + s->grid[a] + (uint32_t)step[a]) % s->grid[a]);
        for (uint32_t v = s->first[grid_at(s, at)]; v != NOBODY; v = s->next[v]) {
            double square = 0;
            for (int a = 0; a < 3; a++) {
                double between = x[a] - s->x[v][a];
                if (is_open(geom, a)) between -= geom->n[a] * rint(between / geom->n[a]);
                square += between * between;
            }
            if (square < s->given->apart * s->given->apart) return v / vertices;
        }
    }
    return NOBODY;
}

/* Return whether a grain is inside of a cell: shapes are seen whole from their centre, and shells are less
 * than a voxel apart. */
static bool holds_grain(const seeder *s, const rill_seed_place *place, const double (*x)[3])
{
    const rill_membrane_mesh *mesh = s->given->mesh;
    double reach = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        for (int a = 0; a < 3; a++) reach = fmax(reach, fabs(x[v][a] - place->centre[a]));
    const int shells = (int)ceil(reach * sqrt(3) / 0.7);
    for (int k = 0; k < shells; k++)
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            int64_t voxel[3];
            for (int a = 0; a < 3; a++)
                voxel[a] = (int64_t)floor(place->centre[a] + (x[v][a] - place->centre[a]) * k / shells);
            if (solid_in(s->given, voxel)) return true;
        }
    return false;
}

/* Compute the vertices of the next cell, and look at what is there. */
static obstacle obstacle_at(seeder *s, const rill_seed_place *place)
{
    const rill_membrane_mesh *mesh = s->given->mesh;
    double(*x)[3] = s->x + (uint64_t)s->placed * mesh->vertex_count;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        vertex_of(s, place, v, x[v]);
        if (rill_membrane_wall_distance(solid_in, s->given, x[v], NULL) < RILL_MEMBRANE_WALL_RANGE)
            return WALL;
        s->other = neighbour_of(s, x[v]);
        if (s->other != NOBODY) return CELL;
    }
    if (holds_grain(s, place, (const double(*)[3])x)) return WALL;
    return NOTHING;
}

/* Take the vertices that obstacle_at() has computed into the grid. */
static void take(seeder *s)
{
    const uint32_t vertices = s->given->mesh->vertex_count, from = s->placed * vertices;
    for (uint32_t v = from; v < from + vertices; v++) {
        uint32_t at[3];
        for (int a = 0; a < 3; a++) at[a] = grid_along(s, a, s->x[v][a]);
        s->next[v] = s->first[grid_at(s, at)];
        s->first[grid_at(s, at)] = v;
    }
    s->placed++;
}

/* Set a rotation from three draws: uniform over all (Shoemake 1992). */
static void turn_draw(const double u[3], double turn[4])
{
    const double inner = sqrt(1 - u[0]), outer = sqrt(u[0]);
    turn[0] = inner * sin(2 * M_PI * u[1]);
    turn[1] = inner * cos(2 * M_PI * u[1]);
    turn[2] = outer * sin(2 * M_PI * u[2]);
    turn[3] = outer * cos(2 * M_PI * u[2]);
}

/* Find a place at random. @return whether there is one */
static bool place_find(seeder *s, rill_seed_place *place)
{
    const rill_seed_options *o = s->given;
    const uint64_t stream = rill_random_stream(o->seed, s->placed);
    int tries = 0;
    for (uint64_t draw = 0; draw < DRAWS && tries < TRIES; draw++) {
        double u[NUMBERS];
        int64_t voxel[3];
        for (uint64_t k = 0; k < NUMBERS; k++) u[k] = rill_random_unit(stream, NUMBERS * draw + k);
        for (int a = 0; a < 3; a++) {
            place->centre[a] = u[a] * o->geom->n[a];
            voxel[a] = (int64_t)place->centre[a];
        }
        if (solid_in(o, voxel)) continue;
        tries++;
        if (o->axis)
            rill_seed_turn(o->axis, place->turn);
        else
            turn_draw(u + 3, place->turn);
        if (obstacle_at(s, place) == NOTHING) return true;
    }
    return false;
}

/* Add the displacement that frees a vertex of others and of walls. @return whether it is too near to one */
static bool free_vertex(const seeder *s, uint32_t v, double by[3])
{
    const rill_geom *geom = s->given->geom;
    const uint32_t vertices = s->given->mesh->vertex_count;
    const double *x = s->x[v], apart = s->given->apart, *centre = s->places[v / vertices].centre;
    double away[3] = {0};
    const double gap = rill_membrane_wall_distance(solid_in, s->given, x, away);
    bool near = gap < RILL_MEMBRANE_WALL_RANGE;
    if (near && away[0] == 0 && away[1] == 0 && away[2] == 0) { /* in the wall: back towards the centre */
        const double length = hypot(hypot(centre[0] - x[0], centre[1] - x[1]), centre[2] - x[2]);
        for (int a = 0; a < 3; a++) away[a] = (centre[a] - x[a]) / fmax(length, 1e-9);
    }
    for (int a = 0; a < 3 && near; a++) by[a] += (RILL_MEMBRANE_WALL_RANGE + SPARE - gap) * away[a];
    for (int k = 0; k < 27; k++) {
        const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        uint32_t at[3];
        for (int a = 0; a < 3; a++)
            at[a] = (uint32_t)((grid_along(s, a, x[a]) + s->grid[a] + (uint32_t)step[a]) % s->grid[a]);
        for (uint32_t o = s->first[grid_at(s, at)]; o != NOBODY; o = s->next[o]) {
            double between[3], square = 0;
            if (o / vertices == v / vertices) continue;
            for (int a = 0; a < 3; a++) {
                between[a] = x[a] - s->x[o][a];
                if (is_open(geom, a)) between[a] -= geom->n[a] * rint(between[a] / geom->n[a]);
                square += between[a] * between[a];
            }
            const double distance = sqrt(square);
            if (distance >= apart || distance == 0) continue;
            for (int a = 0; a < 3; a++) by[a] += (apart + SPARE - distance) / 2 * between[a] / distance;
            near = true;
        }
    }
    return near;
}

/* Rotate a place by a small vector. */
static void turn_by(const double by[3], double turn[4])
{
    const double *q = turn, r[4] = {1, by[0] / 2, by[1] / 2, by[2] / 2};
    double p[4] = {r[0] * q[0] - r[1] * q[1] - r[2] * q[2] - r[3] * q[3],
                   r[0] * q[1] + r[1] * q[0] + r[2] * q[3] - r[3] * q[2],
                   r[0] * q[2] - r[1] * q[3] + r[2] * q[0] + r[3] * q[1],
                   r[0] * q[3] + r[1] * q[2] - r[2] * q[1] + r[3] * q[0]};
    const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int k = 0; k < 4; k++) turn[k] = p[k] / length;
}

/* Move cells as rigid bodies so that their vertices come free. */
static void free_cells(const void *shared, uint64_t first, uint64_t end)
{
    const seeder *s = shared;
    const uint32_t vertices = s->given->mesh->vertex_count;
    for (uint64_t k = first; k < end; k++) {
        rill_seed_place *place = &s->moved[k];
        double sum[3] = {0}, moment[3] = {0}, arm = 0, count = 0;
        *place = s->places[k];
        for (uint32_t v = (uint32_t)k * vertices; v < (k + 1) * vertices; v++) {
            double by[3] = {0}, from[3];
            if (!free_vertex(s, v, by)) continue;
            for (int a = 0; a < 3; a++) from[a] = s->x[v][a] - place->centre[a];
            for (int a = 0; a < 3; a++) {
                const int b = (a + 1) % 3, c = (a + 2) % 3;
                sum[a] += by[a];
                moment[a] += from[b] * by[c] - from[c] * by[b];
                arm += from[a] * from[a];
            }
            count++;
        }
        s->touched[k] = count > 0;
        if (count == 0) continue;
        for (int a = 0; a < 3; a++) {
            place->centre[a] += sum[a] / count;
            moment[a] /= arm;
        }
        if (!s->given->axis) turn_by(moment, place->turn);
    }
}

/* Put all cells into the grid anew. */
static void sort(seeder *s)
{
    const uint64_t grid = (uint64_t)s->grid[0] * s->grid[1] * s->grid[2];
    memset(s->first, 0xff, grid * sizeof *s->first);
    for (s->placed = 0; s->placed < s->given->count;) {
        const uint32_t from = s->placed * s->given->mesh->vertex_count;
        for (uint32_t v = 0; v < s->given->mesh->vertex_count; v++)
            vertex_of(s, &s->places[s->placed], v, s->x[from + v]);
        take(s);
    }
}

/* Let cells grow from a size at which they have room, and push each other aside. @return whether they came
 * to their size */
static rill_status grow(seeder *s, bool *grown)
{
    rill_status status = RILL_OK;
    const double from = s->scale;
    *grown = true;
    for (int step = 1; step <= SIZES && *grown; step++) {
        s->scale = from + (1 - from) * step / SIZES;
        *grown = false;
        for (int turn = 0; turn < TURNS && !*grown; turn++) {
            RILL_TRY(rill_progress_report(s->given->progress, "making room for cells", (double)step / SIZES));
            sort(s);
            rill_threads_for(s->given->count, 1, free_cells, s);
            *grown = true;
            for (uint32_t k = 0; k < s->given->count; k++) *grown = *grown && !s->touched[k];
            if (!*grown) memcpy(s->places, s->moved, s->given->count * sizeof *s->places);
        }
    }
    for (uint32_t k = 0; k < s->given->count && *grown; k++)
        *grown = !holds_grain(s, &s->places[k],
                              (const double(*)[3])s->x + (uint64_t)k * s->given->mesh->vertex_count);
done:
    return status;
}

static rill_status place_given(seeder *s, rill_seed_place *place)
{
    const rill_seed_options *o = s->given;
    memcpy(place->centre, o->centres[s->placed], sizeof place->centre);
    rill_seed_turn(o->axis ? o->axis : (const double[3]){0, 0, 1}, place->turn);
    const obstacle there = obstacle_at(s, place);
    if (there == CELL)
        return rill_fail(RILL_USAGE,
                         "cells %u and %u are less than %g voxels apart: move one of their positions",
                         s->other + 1, s->placed + 1, o->apart);
    if (there == WALL)
        return rill_fail(RILL_USAGE,
                         "cell %u is less than %g voxels from a wall%s, or in it: move its position",
                         s->placed + 1, RILL_MEMBRANE_WALL_RANGE,
                         o->closed ? ", or from where openings keep cells away" : "");
    return RILL_OK;
}

static void grid_of(const rill_geom *geom, double apart, uint32_t grid[3])
{
    for (int a = 0; a < 3; a++) grid[a] = (uint32_t)fmin(fmax(floor(geom->n[a] / fmax(apart, 1)), 1), GRID);
}

uint64_t rill_seed_bytes(const rill_geom *geom, uint32_t count, uint32_t vertices)
{
    uint32_t grid[3];
    grid_of(geom, 1, grid);
    return (uint64_t)count * (vertices * (3 * sizeof(double) + sizeof(uint32_t)) + sizeof(rill_seed_place)) +
           (uint64_t)grid[0] * grid[1] * grid[2] * sizeof(uint32_t) + count * (sizeof(rill_seed_place) + 1);
}

static rill_status none_left(const rill_seed_options *o)
{
    return rill_fail(
        RILL_USAGE,
        "%u cells do not find room without an overlap of walls or each other, neither at random nor by pushing each other aside: lower the haematocrit%s",
        o->count, o->axis ? ", or leave out the axis" : ", or choose another seed");
}

/* Place cells of the present size at random. @return whether all found room */
static rill_status scatter(seeder *s, bool *all)
{
    rill_status status = RILL_OK;
    const rill_seed_options *o = s->given;
    memset(s->first, 0xff, (uint64_t)s->grid[0] * s->grid[1] * s->grid[2] * sizeof *s->first);
    *all = true;
    for (s->placed = 0; s->placed < o->count && *all;) {
        RILL_TRY(rill_progress_report(o->progress, "placing cells", (double)s->placed / o->count));
        *all = place_find(s, &s->places[s->placed]);
        if (*all) take(s);
    }
done:
    return status;
}

static rill_status seed_random(seeder *s)
{
    rill_status status = RILL_OK;
    bool all, grown = true;
    RILL_TRY(scatter(s, &all));
    if (all) return RILL_OK;
    s->scale = SMALL;
    RILL_TRY(scatter(s, &all));
    if (all) RILL_TRY(grow(s, &grown));
    if (!all || !grown) status = none_left(s->given);
done:
    return status;
}

/* Draw one of the voxels, a place in it, and a rotation. */
static void place_draw(const rill_seed_options *o, uint64_t draw, const uint64_t *voxels, uint64_t count,
                       rill_seed_place *place)
{
    const uint64_t stream = rill_random_stream(o->seed, UINT64_MAX);
    double u[NUMBERS + 1];
    for (uint64_t k = 0; k <= NUMBERS; k++) u[k] = rill_random_unit(stream, (NUMBERS + 1) * draw + k);
    uint64_t left = voxels[(uint64_t)(u[NUMBERS] * (double)count)];
    for (int a = 0; a < 3; a++) {
        place->centre[a] = (double)(left % o->geom->n[a]) + u[a];
        left /= o->geom->n[a];
    }
    if (o->axis)
        rill_seed_turn(o->axis, place->turn);
    else
        turn_draw(u + 3, place->turn);
}

rill_status rill_seed_more(const rill_seed_options *o, double (*x)[3], uint64_t draw, int tries,
                           const uint64_t *voxels, uint64_t voxel_count, bool *found)
{
    rill_status status = RILL_OK;
    seeder s = {.given = o, .scale = 1, .x = x};
    *found = false;
    grid_of(o->geom, o->apart, s.grid);
    const uint64_t grid = (uint64_t)s.grid[0] * s.grid[1] * s.grid[2];
    RILL_TRY(rill_array_create(grid, sizeof *s.first, what, (void **)&s.first));
    RILL_TRY(rill_array_create((o->count + 1) * (uint64_t)o->mesh->vertex_count, sizeof *s.next, what,
                               (void **)&s.next));
    memset(s.first, 0xff, grid * sizeof *s.first);
    while (s.placed < o->count) take(&s);
    for (int k = 0; k < tries && voxel_count > 0 && !*found; k++) {
        rill_seed_place place;
        place_draw(o, draw + (uint64_t)k, voxels, voxel_count, &place);
        *found = obstacle_at(&s, &place) == NOTHING;
    }
done:
    rill_array_destroy(s.first);
    rill_array_destroy(s.next);
    return status;
}

rill_status rill_seed(const rill_seed_options *o, rill_seed_place *places)
{
    rill_status status = RILL_OK;
    const uint64_t vertices = (uint64_t)o->count * o->mesh->vertex_count;
    seeder s = {.given = o, .scale = 1, .places = places};
    if (vertices >= NOBODY)
        RILL_TRY(rill_fail(RILL_USAGE, "%llu vertices of cells are more than %u: place fewer cells",
                           (unsigned long long)vertices, NOBODY - 1));
    grid_of(o->geom, o->apart, s.grid);
    const uint64_t grid = (uint64_t)s.grid[0] * s.grid[1] * s.grid[2];
    RILL_TRY(rill_array_create(grid, sizeof *s.first, what, (void **)&s.first));
    RILL_TRY(rill_array_create(vertices, sizeof *s.next, what, (void **)&s.next));
    RILL_TRY(rill_array_create(vertices, sizeof *s.x, what, (void **)&s.x));
    RILL_TRY(rill_array_create(o->count, sizeof *s.moved, what, (void **)&s.moved));
    RILL_TRY(rill_array_create(o->count, sizeof *s.touched, what, (void **)&s.touched));
    memset(s.first, 0xff, grid * sizeof *s.first);
    if (!o->centres) RILL_TRY(seed_random(&s));
    while (o->centres && s.placed < o->count) {
        RILL_TRY(place_given(&s, &places[s.placed]));
        take(&s);
    }
done:
    rill_array_destroy(s.first);
    rill_array_destroy(s.next);
    rill_array_destroy(s.x);
    rill_array_destroy(s.moved);
    rill_array_destroy(s.touched);
    return status;
}
