/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file shapes.h
 * Triangle surfaces of known volume for tests, and how they are written to files.
 */
#ifndef RILL_TESTS_SHAPES_H
#define RILL_TESTS_SHAPES_H

#include "image_files.h"

#include <math.h>

/** A surface in the making; lengths in any unit. */
typedef struct shape {
    double (*v)[3];
    unsigned (*t)[3];
    unsigned nv, nt;
} shape;

static inline shape shape_new(void)
{
    enum { MOST = 1 << 18 };
    shape s = {malloc(MOST * sizeof *s.v), malloc(MOST * sizeof *s.t), 0, 0};
    cr_assert(s.v && s.t);
    return s;
}

static inline void shape_free(shape *s)
{
    free(s->v);
    free(s->t);
}

static inline unsigned shape_vertex(shape *s, double x, double y, double z)
{
    s->v[s->nv][0] = x;
    s->v[s->nv][1] = y;
    s->v[s->nv][2] = z;
    return s->nv++;
}

static inline void shape_triangle(shape *s, unsigned a, unsigned b, unsigned c)
{
    s->t[s->nt][0] = a;
    s->t[s->nt][1] = b;
    s->t[s->nt++][2] = c;
}

/** A sphere in rings, normals outward. */
static inline void shape_sphere(shape *s, double x, double y, double z, double r, unsigned n)
{
    const unsigned first = s->nv, around = 2 * n;
    shape_vertex(s, x, y, z - r);
    for (unsigned k = 1; k < n; k++)
        for (unsigned j = 0; j < around; j++) {
            const double p = M_PI * k / n, a = 2 * M_PI * j / around;
            shape_vertex(s, x + r * sin(p) * cos(a), y + r * sin(p) * sin(a), z - r * cos(p));
        }
    const unsigned last = shape_vertex(s, x, y, z + r);
    for (unsigned j = 0; j < around; j++) {
        const unsigned i = (j + 1) % around, top = first + 1 + (n - 2) * around;
        shape_triangle(s, first, first + 1 + i, first + 1 + j);
        shape_triangle(s, last, top + j, top + i);
        for (unsigned k = 0; k + 2 < n; k++) {
            const unsigned low = first + 1 + k * around, high = low + around;
            shape_triangle(s, low + j, low + i, high + i);
            shape_triangle(s, low + j, high + i, high + j);
        }
    }
}

/** Join rings of `around` vertices that lie one behind the other. @param wrap  the last joins the first */
static inline void shape_rings(shape *s, unsigned first, unsigned rings, unsigned around, bool wrap)
{
    for (unsigned k = 0; k + !wrap < rings; k++)
        for (unsigned j = 0; j < around; j++) {
            const unsigned low = first + k * around, high = first + (k + 1) % rings * around;
            const unsigned i = (j + 1) % around;
            shape_triangle(s, low + j, low + i, high + i);
            shape_triangle(s, low + j, high + i, high + j);
        }
}

/** A bend of a tube: an arc of `angle` with radius `bend` around the y axis; 2 pi closes a torus, less leaves
 * two open ends in planes through the axis. Normals outward. */
static inline void shape_bend(shape *s, double bend, double r, double angle, unsigned rings, unsigned around)
{
    const unsigned first = s->nv;
    const bool wrap = angle >= 2 * M_PI;
    for (unsigned k = 0; k < rings; k++)
        for (unsigned j = 0; j < around; j++) {
            const double p = angle * k / (wrap ? rings : rings - 1), a = 2 * M_PI * j / around;
            const double from_axis = bend + r * cos(a);
            shape_vertex(s, from_axis * cos(p), r * sin(a), from_axis * sin(p));
        }
    shape_rings(s, first, rings, around, wrap);
}

/** A straight tube along z without ends. */
static inline void shape_tube(shape *s, double r, double length, unsigned rings, unsigned around)
{
    const unsigned first = s->nv;
    for (unsigned k = 0; k < rings; k++)
        for (unsigned j = 0; j < around; j++)
            shape_vertex(s, r * cos(2 * M_PI * j / around), r * sin(2 * M_PI * j / around),
                         length * k / (rings - 1));
    shape_rings(s, first, rings, around, false);
}

/** How shape_cap() divides a cap into triangles. */
typedef enum shape_cap_kind {
    SHAPE_FAN,
    SHAPE_EARS,
    SHAPE_STRIP,
    SHAPE_RINGS,
    SHAPE_CAP_KINDS
} shape_cap_kind;

/** Close a ring of `around` vertices by a flat cap: a fan from its middle, ears from its first vertex, a
 * strip across, or rings of small triangles. @param last  the ring ends the shape, else it begins it */
static inline void shape_cap(shape *s, unsigned first, unsigned around, bool last, shape_cap_kind kind)
{
    enum { RINGS = 5 };
    const unsigned before = s->nt;
    unsigned outer = first, tip;
    double middle[3] = {0};
    for (unsigned j = 0; j < around; j++)
        for (int a = 0; a < 3; a++) middle[a] += s->v[first + j][a] / around;
    if (kind == SHAPE_EARS)
        for (unsigned j = 2; j < around; j++) shape_triangle(s, first, first + j - 1, first + j);
    for (unsigned low = 0, high = around - 1; kind == SHAPE_STRIP && high - low > 1; low++, high--) {
        shape_triangle(s, first + low, first + low + 1, first + high);
        if (high - low > 2) shape_triangle(s, first + low + 1, first + high - 1, first + high);
    }
    for (unsigned k = 1; kind == SHAPE_RINGS && k < RINGS; k++) {
        const unsigned inner = s->nv;
        for (unsigned j = 0; j < around; j++) {
            double x[3];
            for (int a = 0; a < 3; a++)
                x[a] = middle[a] + (s->v[first + j][a] - middle[a]) * (1 - (double)k / RINGS);
            shape_vertex(s, x[0], x[1], x[2]);
        }
        for (unsigned j = 0; j < around; j++) {
            const unsigned i = (j + 1) % around;
            shape_triangle(s, outer + j, outer + i, inner + i);
            shape_triangle(s, outer + j, inner + i, inner + j);
        }
        outer = inner;
    }
    if (kind == SHAPE_FAN || kind == SHAPE_RINGS) {
        tip = shape_vertex(s, middle[0], middle[1], middle[2]);
        for (unsigned j = 0; j < around; j++) shape_triangle(s, tip, outer + j, outer + (j + 1) % around);
    }
    for (unsigned t = before; t < s->nt && !last; t++) {
        const unsigned v = s->t[t][1];
        s->t[t][1] = s->t[t][2];
        s->t[t][2] = v;
    }
}

/** Turn everything around an oblique axis. */
static inline void shape_turn(shape *s, double angle)
{
    const double u[3] = {2. / 7, 3. / 7, 6. / 7}, c = cos(angle), n = sin(angle);
    for (unsigned v = 0; v < s->nv; v++) {
        double *x = s->v[v], old[3] = {x[0], x[1], x[2]};
        const double along = u[0] * x[0] + u[1] * x[1] + u[2] * x[2];
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, d = (a + 2) % 3;
            x[a] = c * old[a] + n * (u[b] * old[d] - u[d] * old[b]) + (1 - c) * along * u[a];
        }
    }
}

/** Write a binary STL. */
static inline void shape_write_stl(const shape *s, const char *path)
{
    FILE *file = fopen(path, "wb");
    const char head[80] = "solid that is binary all the same";
    const float zero[3] = {0};
    cr_assert(file);
    fwrite(head, 1, 80, file);
    fwrite(&s->nt, 4, 1, file);
    for (unsigned t = 0; t < s->nt; t++) {
        fwrite(zero, 4, 3, file);
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++) {
                const float x = (float)s->v[s->t[t][k]][a];
                fwrite(&x, 4, 1, file);
            }
        fwrite("\0", 1, 2, file);
    }
    cr_assert_eq(fclose(file), 0);
}

/** Write an ASCII STL. */
static inline void shape_write_stl_text(const shape *s, const char *path)
{
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fprintf(file, "solid a vessel\n");
    for (unsigned t = 0; t < s->nt; t++) {
        fprintf(file, "  facet normal 0 0 0\n    outer loop\n");
        for (int k = 0; k < 3; k++) {
            const double *x = s->v[s->t[t][k]];
            fprintf(file, "      vertex %.9g %.9g %.9g\n", (double)(float)x[0], (double)(float)x[1],
                    (double)(float)x[2]);
        }
        fprintf(file, "    endloop\n  endfacet\n");
    }
    fprintf(file, "endsolid a vessel\n");
    cr_assert_eq(fclose(file), 0);
}

/** Write an OBJ, indices counted back from the last vertex when `backwards`. */
static inline void shape_write_obj(const shape *s, const char *path, bool backwards)
{
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fprintf(file, "# a comment\nmtllib none.mtl\no vessel\n");
    for (unsigned v = 0; v < s->nv; v++)
        fprintf(file, "v %.9g %.9g %.9g\n", (double)(float)s->v[v][0], (double)(float)s->v[v][1],
                (double)(float)s->v[v][2]);
    fprintf(file, "vn 0 0 1\n");
    for (unsigned t = 0; t < s->nt; t++) {
        const int shift = backwards ? -(int)s->nv : 1;
        fprintf(file, "f %d//1 %d %d/1/1\n", (int)s->t[t][0] + shift, (int)s->t[t][1] + shift,
                (int)s->t[t][2] + shift);
    }
    cr_assert_eq(fclose(file), 0);
}

static inline void shape_put(FILE *file, const void *value, size_t size, bool big)
{
    const unsigned char *b = value;
    for (size_t k = 0; k < size; k++) fputc(b[big ? size - 1 - k : k], file);
}

/** Write a PLY: format 0 ASCII, 1 little-endian, 2 big-endian, with a property that is passed over. */
static inline void shape_write_ply(const shape *s, const char *path, int format)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    FILE *file = fopen(path, "wb");
    cr_assert(file);
    fprintf(
        file,
        "ply\nformat %s 1.0\ncomment nothing\nelement vertex %u\nproperty float x\nproperty float y\n"
        "property float z\nproperty uchar quality\nelement face %u\nproperty list uchar int vertex_indices\nend_header\n",
        names[format], s->nv, s->nt);
    for (unsigned v = 0; v < s->nv; v++) {
        const float x[3] = {(float)s->v[v][0], (float)s->v[v][1], (float)s->v[v][2]};
        if (format == 0) fprintf(file, "%.9g %.9g %.9g 7\n", (double)x[0], (double)x[1], (double)x[2]);
        for (int a = 0; a < 3 && format; a++) shape_put(file, &x[a], 4, format == 2);
        if (format) fputc(7, file);
    }
    for (unsigned t = 0; t < s->nt; t++) {
        if (format == 0) fprintf(file, "3 %u %u %u\n", s->t[t][0], s->t[t][1], s->t[t][2]);
        if (format) fputc(3, file);
        for (int k = 0; k < 3 && format; k++) shape_put(file, &s->t[t][k], 4, format == 2);
    }
    cr_assert_eq(fclose(file), 0);
}

#endif
