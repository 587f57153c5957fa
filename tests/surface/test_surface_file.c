/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of surfaces: every format gives the same triangles, every damage one sentence. */
#include "shapes.h"

#include "core/status.h"
#include "geometry/surface/surface_file.h"

#include <stdint.h>

TestSuite(surface_file, .init = files_start, .fini = files_end);

static rill_mesh *read_good(const char *path, rill_surface_file *file)
{
    rill_mesh *mesh = NULL;
    cr_assert_eq(rill_surface_read(path, 1e-3, file, &mesh), RILL_OK, "%s", rill_error_message());
    return mesh;
}

static void refuse_file(const char *path, const char *word)
{
    rill_mesh *mesh = NULL;
    rill_surface_file file;
    const rill_status status = rill_surface_read(path, 1, &file, &mesh);
    cr_assert_eq(status, RILL_USAGE, "status %d: %s", status, rill_error_message());
    cr_assert_null(mesh);
    cr_assert(strstr(rill_error_message(), word), "\"%s\" lacks \"%s\"", rill_error_message(), word);
    cr_assert_null(strchr(rill_error_message(), '\n'));
}

static void refuse_text(const char *path, const char *text, const char *word)
{
    files_write(path, text, strlen(text));
    refuse_file(path, word);
}

Test(surface_file, formats_agree)
{
    static const char *const paths[] = {"a.stl", "b.stl", "a.obj", "b.obj", "a.ply", "b.ply", "c.PLY"};
    static const char *const formats[] = {"STL, binary",        "STL, ASCII",     "OBJ", "OBJ", "PLY, ASCII",
                                          "PLY, little-endian", "PLY, big-endian"};
    shape s = shape_new();
    shape_sphere(&s, 1, 2, 3, 0.7, 5);
    shape_write_stl(&s, paths[0]);
    shape_write_stl_text(&s, paths[1]);
    shape_write_obj(&s, paths[2], false);
    shape_write_obj(&s, paths[3], true);
    for (int f = 0; f < 3; f++) shape_write_ply(&s, paths[4 + f], f);
    for (int k = 0; k < 7; k++) {
        rill_surface_file file;
        rill_mesh *mesh = read_good(paths[k], &file);
        cr_assert_str_eq(file.format, formats[k]);
        cr_assert_eq(strlen(file.hash), 16u);
        cr_assert_eq(mesh->triangle_count, s.nt);
        for (unsigned t = 0; t < s.nt; t++) {
            cr_assert_eq(mesh->triangles[t].source, t);
            for (int c = 0; c < 3; c++)
                for (int a = 0; a < 3; a++)
                    cr_assert_float_eq(mesh->vertices[mesh->triangles[t].v[c]][a],
                                       1e-3 * (double)(float)s.v[s.t[t][c]][a], 1e-11, "%s", paths[k]);
        }
        rill_mesh_destroy(mesh);
    }
    shape_free(&s);
}

/* Polygons become fans, groups get names, what is not needed is passed over. */
Test(surface_file, obj_and_ply_in_their_variety)
{
    static const char obj[] =
        "\r\n# c\r\nv 0 0 0 1.0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\nvt 0 0\r\ng in let\r\n"
        "f 1 2 3 4 # quad\r\nusemtl x\r\ng  wall \r\nf -4/1/2 -3//2 -2/1\r\nl 1 2\r\n";
    static const char ply[] =
        "ply\r\nformat ascii 1.0\r\nobj_info x\r\nelement vertex 4\r\nproperty int z\r\n"
        "property double x\r\nproperty float32 y\r\nelement edge 1\r\nproperty int a\r\n"
        "element face 2\r\nproperty list uint8 float w\r\n"
        "property list uchar uint vertex_index\r\nend_header\r\n0 0 0\r\n0 1 0\r\n"
        "0 1 1\r\n\r\n0 0 1\r\n7\r\n2 5 6 4 0 1 2 3\r\n0 3 0 1 2\r\n";
    rill_surface_file file;
    files_write("a.obj", obj, sizeof obj - 1);
    rill_mesh *mesh = read_good("a.obj", &file);
    cr_assert_eq(mesh->triangle_count, 3u);
    cr_assert_arr_eq(mesh->triangles[1].v, ((uint32_t[]){0, 2, 3}), 12);
    cr_assert_arr_eq(mesh->triangles[2].v, ((uint32_t[]){0, 1, 2}), 12);
    cr_assert_str_eq(mesh->patches[mesh->triangles[1].patch], "in let");
    cr_assert_str_eq(mesh->patches[mesh->triangles[2].patch], "wall");
    rill_mesh_destroy(mesh);
    files_write("a.ply", ply, sizeof ply - 1);
    mesh = read_good("a.ply", &file);
    cr_assert_eq(mesh->triangle_count, 3u);
    cr_assert_arr_eq(mesh->triangles[1].v, ((uint32_t[]){0, 2, 3}), 12);
    cr_assert_eq(mesh->vertices[2][0], 1e-3);
    cr_assert_eq(mesh->vertices[2][1], 1e-3);
    cr_assert_eq(mesh->vertices[1][1], 0);
    rill_mesh_destroy(mesh);
}

/* So many that a search through all names for each of them takes a quarter of a minute. */
Test(surface_file, many_groups)
{
    enum { GROUPS = UINT16_MAX - 1 }; /* the one without a name is there, too */
    char text[16];
    rill_surface_file file;
    FILE *obj = fopen("many.obj", "w"), *stl = fopen("many.stl", "w");
    cr_assert(obj && stl);
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\n", obj);
    for (int g = 0; g < GROUPS; g++) {
        fprintf(obj, "g g%d\nf 1 2 3\n", g);
        fprintf(stl, "solid g%d\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendfacet\nendsolid\n", g);
    }
    fputs("g g7\nf 1 2 3\n", obj);
    cr_assert(fclose(obj) == 0 && fclose(stl) == 0);
    for (int kind = 0; kind < 2; kind++) {
        rill_mesh *mesh = read_good(kind ? "many.stl" : "many.obj", &file);
        cr_assert_eq(mesh->patch_count, GROUPS + !kind);
        for (uint32_t t = 0; t < GROUPS; t++) {
            snprintf(text, sizeof text, "g%u", t);
            cr_assert_str_eq(mesh->patches[mesh->triangles[t].patch], text);
        }
        if (!kind) cr_expect_str_eq(mesh->patches[mesh->triangles[GROUPS].patch], "g7");
        rill_mesh_destroy(mesh);
    }
    obj = fopen("many.obj", "a");
    cr_assert(obj);
    fputs("g other\n", obj);
    cr_assert_eq(fclose(obj), 0);
    refuse_file("many.obj", "more than 65534 named groups");
}

Test(surface_file, refuses_damaged_stl)
{
    shape s = shape_new();
    file_bytes b;
    shape_sphere(&s, 0, 0, 0, 1, 5);
    shape_write_stl(&s, "a.stl");
    files_read("a.stl", &b);
    files_write("cut.stl", b.data, b.size - 1);
    refuse_file("cut.stl", "truncated");
    files_write("short.stl", b.data, 83);
    refuse_file("short.stl", "truncated");
    b.data[0] = 'S';
    b.data[1] = 'T';
    files_write("few.stl", b.data, 83);
    refuse_file("few.stl", "too few");
    files_write("long.stl", b.data, b.size + 1);
    refuse_file("long.stl", "damaged");
    memset(b.data + 80, 0xFF, 4);
    files_write("huge.stl", b.data, b.size);
    refuse_file("huge.stl", "4294967295 triangles");
    memset(b.data + 80, 0, 4);
    files_write("none.stl", b.data, 84);
    refuse_file("none.stl", "no triangles");
    files_write("empty.stl", b.data, 0);
    refuse_file("empty.stl", "empty");
    refuse_file("missing.stl", "No such file");
    s.v[7][1] = NAN;
    shape_write_stl(&s, "nan.stl");
    refuse_file("nan.stl", "not finite");
    s.v[7][1] = INFINITY;
    shape_write_stl(&s, "inf.stl");
    refuse_file("inf.stl", "not finite");
    refuse_text(
        "not.stl",
        "This is a letter, and no surface at all. It is long enough to have a number of triangles where an STL has one.",
        "no STL surface");
    shape_free(&s);
}

/* Formats that are not read are recognised by their content, whatever the file is called. */
Test(surface_file, says_what_other_formats_are)
{
    static const char *const others[][2] = {
        {"# vtk DataFile Version 3.0\nvessel\nASCII\nDATASET POLYDATA\n", "legacy VTK"},
        {"\nOFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "an OFF file"},
        {"COFF\n3 1 0\n", "an OFF file"},
        {"glTF\2 and what follows", "(GLB)"},
        {"{\"asset\": {\"version\": \"2.0\"}}", "a glTF file"},
        {"PK\3\4 and what follows", "3MF"},
        {"\x1f\x8b and what follows", "gunzip"},
        {"<amf unit=\"millimeter\">", "an XML file"},
        {"$MeshFormat\n2.2 0 8\n", "Gmsh"},
    };
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        for (int shorter = 0; shorter < 2; shorter++) {
            FILE *file = fopen("a.stl", "wb");
            rill_surface_file what;
            rill_mesh *mesh = NULL;
            fputs(others[k][0], file);
            for (int n = 0; n < 200 && !shorter; n++) fputc(n, file);
            fclose(file);
            cr_assert_eq(rill_surface_read("a.stl", 1, &what, &mesh), RILL_USAGE);
            cr_assert(strstr(rill_error_message(), others[k][1]) && strstr(rill_error_message(), "STL"), "%s",
                      rill_error_message());
            cr_assert(!strstr(rill_error_message(), "promises"), "%s", rill_error_message());
        }
    shape s = shape_new(); /* what an STL says in its head does not matter */
    rill_surface_file what;
    rill_mesh *mesh = NULL;
    shape_tube(&s, 2, 8, 3, 8);
    shape_write_stl(&s, "a.stl");
    FILE *file = fopen("a.stl", "r+b");
    fputs("glTF", file);
    fclose(file);
    cr_assert_eq(rill_surface_read("a.stl", 1, &what, &mesh), RILL_OK, "%s", rill_error_message());
    rill_mesh_destroy(mesh);
    shape_free(&s);
}

Test(surface_file, refuses_damaged_text)
{
    static const char good[] = "solid x\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                               "vertex 0 1 0\nendloop\nendfacet\n";
    char text[1024];
    refuse_text("a.stl", good, "no endsolid");
    refuse_text("a.stl", "solid x\nendsolid x\n", "no triangles");
    refuse_text("a.stl", "solid x\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\n", "ends within a facet");
    refuse_text("a.stl", "solid\nfacet\nouter loop\nvertex 0 0\n", "line 4: 3 numbers");
    refuse_text("a.stl", "solid\nfacet\nouter loop\nvertex 0 0 nan\n", "\"nan\" is not a finite");
    refuse_text("a.stl", "solid\nfacet\nouter loop\nvertex 0 0 1e999\n", "\"1e999\" is not a finite");
    refuse_text("a.stl", "solid\nfacet\nouter loop\nvertex 0 0 1x\n", "\"1x\" is not a finite number");
    refuse_text("a.stl", "solid\nfacet\nvertex 0 0 0\nendfacet\n", "1 vertices, not 3");
    snprintf(text, sizeof text, "%snonsense\n", good);
    refuse_text("a.stl", text, "\"nonsense\"");
    refuse_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "vertex 4 is named and 3");
    refuse_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "vertex 0 is named");
    refuse_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "vertex -4 is named");
    refuse_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", "2 corners");
    refuse_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3a\n", "\"3a\"");
    refuse_text("a.obj", "v 0 0\n", "3 numbers");
    refuse_text("a.obj", "nothing\n", "not an OBJ surface");
    refuse_text("a.obj", "v 0 0 0\n", "no triangles");
}

Test(surface_file, refuses_damaged_ply)
{
#define HEAD(vertices, faces)                                                                                \
    "ply\nformat ascii 1.0\nelement vertex " vertices                                                        \
    "\nproperty float x\nproperty float y\nproperty float z\n"                                               \
    "element face " faces "\nproperty list uchar int vertex_indices\nend_header\n"
    refuse_text("a.ply", "plz\n", "does not begin");
    refuse_text("a.ply", "ply\nformat ascii 1.0\n", "no end_header");
    refuse_text("a.ply", "ply\nformat octal 1.0\n", "\"octal\" is not a format");
    refuse_text("a.ply", "ply\nformat ascii 1.0\nproperty int x\n", "before any element");
    refuse_text("a.ply", "ply\nelement vertex 3\nproperty quad x\n", "\"quad\" is not a number type");
    refuse_text("a.ply", "ply\nelement vertex 99999999999999\n", "cannot be in a file");
    refuse_text("a.ply", "ply\nelement vertex -3\n", "cannot be in a file");
    refuse_text("a.ply", "ply\nelement vertex 3\nproperty float x\nend_header\n", "does not promise");
    refuse_text("a.ply", HEAD("3", "1") "0 0 0\n1 0 0\n0 1 0\n", "truncated");
    refuse_text("a.ply", HEAD("3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "names vertex 3 and 3");
    refuse_text("a.ply", HEAD("3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "names vertex -1");
    refuse_text("a.ply", HEAD("3", "1") "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "2 corners");
    refuse_text("a.ply", HEAD("3", "1") "0 0 0\n1 0 0\n0 1 0\n1e9 0 1\n", "cannot be in a file");
    refuse_text("a.ply", HEAD("3", "1") "0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n", "finite");
    refuse_text("a.ply", HEAD("3", "0") "0 0 0\n1 0 0\n0 1 0\n", "no triangles");
    shape s = shape_new();
    file_bytes b;
    shape_sphere(&s, 0, 0, 0, 1, 5);
    for (int format = 1; format < 3; format++) {
        s.v[3][0] = 0.5;
        shape_write_ply(&s, "b.ply", format);
        files_read("b.ply", &b);
        files_write("c.ply", b.data, b.size - 1);
        refuse_file("c.ply", "truncated");
        s.v[3][0] = NAN;
        shape_write_ply(&s, "d.ply", format);
        refuse_file("d.ply", "not finite");
    }
    shape_free(&s);
}

/* No byte of a file, whatever it is, may do more harm than a refusal. */
Test(surface_file, survives_any_byte)
{
    static const char *const paths[] = {"a.stl", "b.stl", "a.obj", "a.ply", "b.ply"};
    shape s = shape_new();
    shape_sphere(&s, 0, 0, 0, 1, 3);
    shape_write_stl(&s, paths[0]);
    shape_write_stl_text(&s, paths[1]);
    shape_write_obj(&s, paths[2], false);
    shape_write_ply(&s, paths[3], 0);
    shape_write_ply(&s, paths[4], 1);
    uint32_t random = 12345;
    unsigned refused = 0, read = 0;
    for (int k = 0; k < 5; k++) {
        file_bytes b;
        files_read(paths[k], &b);
        for (int n = 0; n < 400; n++) {
            random = random * 1664525 + 1013904223;
            const size_t at = (random >> 4) % b.size;
            const unsigned char old = b.data[at];
            b.data[at] = (unsigned char)(random >> 24);
            const char *path = k < 2 ? "x.stl" : k == 2 ? "x.obj" : "x.ply";
            files_write(path, b.data, n % 2 ? b.size : at);
            b.data[at] = old;
            rill_mesh *mesh = NULL;
            rill_surface_file file;
            if (rill_surface_read(path, 1, &file, &mesh) == RILL_OK) {
                for (uint32_t t = 0; t < mesh->triangle_count; t++)
                    for (int c = 0; c < 3; c++) cr_assert_lt(mesh->triangles[t].v[c], mesh->vertex_count);
                read++;
            } else {
                refused++;
            }
            rill_mesh_destroy(mesh);
        }
    }
    cr_assert(refused > 500 && read > 100, "%u refused, %u read", refused, read);
    shape_free(&s);
}

/* Vertices within the tolerance become one, those beyond it do not; unused ones go. */
Test(surface_file, welding)
{
    rill_mesh *mesh = NULL;
    uint32_t merged;
    static const double x[7][3] = {{0, 0, 0},       {1, 0, 0}, {0, 1, 0}, {1 + 0.9e-3, 0, 0},
                                   {0, 1, -0.8e-3}, {1, 1, 0}, {9, 9, 9}};
    cr_assert_eq(rill_mesh_create(&mesh), RILL_OK);
    for (int v = 0; v < 7; v++) cr_assert_eq(rill_mesh_add_vertex(mesh, x[v], NULL), RILL_OK);
    cr_assert_eq(rill_mesh_add_triangle(mesh, (rill_triangle){.v = {0, 1, 2}}), RILL_OK);
    cr_assert_eq(rill_mesh_add_triangle(mesh, (rill_triangle){.v = {4, 3, 5}}), RILL_OK);
    cr_assert_eq(rill_mesh_weld(mesh, 1e-3, &merged), RILL_OK);
    cr_assert_eq(merged, 2u);
    cr_assert_eq(mesh->vertex_count, 4u);
    cr_assert_arr_eq(mesh->triangles[1].v, ((uint32_t[]){2, 1, 3}), 12);
    rill_mesh_destroy(mesh);
}
