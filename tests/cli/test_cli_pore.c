/* SPDX-License-Identifier: Apache-2.0 */
/* One mask in several files: bool states what is pore, every other file is refused without --pore. */
#include "cli_test.h"

#include <jansson.h>

TestSuite(pore, .init = cli_test_start, .fini = cli_test_end);

enum { EDGE = 8, VOXELS = EDGE * EDGE * EDGE };

/* A channel of 3 x 3 voxels along z, which is 28.125 % of a slice with the gap beside it. */
static bool is_pore(int x, int y) { return (x >= 1 && x < 4 && y >= 2 && y < 5) || (x == 6 && y < 9); }

static void write_file(const char *path, const void *head, size_t length, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(head, 1, length, file) + fwrite(data, 1, size, file), length + size);
    cr_assert_eq(fclose(file), 0);
}

static void write_npy(const char *path, const char *type, unsigned char pore)
{
    char head[128];
    unsigned char data[VOXELS];
    for (int v = 0; v < VOXELS; v++) data[v] = is_pore(v % EDGE, v / EDGE % EDGE) ? pore : 0;
    snprintf(head, sizeof head,
             "%cNUMPY%c%c%c%c{'descr': '%s', 'fortran_order': False, 'shape': (8, 8, 8)}%60s", 0x93, 1, 0,
             118, 0, type, "");
    head[127] = '\n';
    write_file(path, head, sizeof head, data, sizeof data);
}

/* A page of one bit for each pixel, 1 in the pores, 0 black: as tifffile writes a mask. */
static void write_tiff(const char *path)
{
    static const unsigned short tags[][4] = {/* tag, type, count, value */
                                             {256, 3, 1, EDGE}, {257, 3, 1, EDGE}, {258, 3, 1, 1},
                                             {259, 3, 1, 1},    {262, 3, 1, 1},    {273, 3, 1, 122},
                                             {277, 3, 1, 1},    {278, 3, 1, EDGE}, {279, 3, 1, EDGE}};
    unsigned char head[122] = {'I', 'I', 42, 0, 8, 0, 0, 0, sizeof tags / sizeof *tags}, data[EDGE] = {0};
    for (size_t t = 0; t < sizeof tags / sizeof *tags; t++) {
        unsigned char *entry = head + 10 + 12 * t;
        for (int k = 0; k < 4; k++) {
            const int at = k == 3 ? 8 : 2 * k;
            entry[at] = tags[t][k] & 255;
            entry[at + 1] = (unsigned char)(tags[t][k] >> 8);
        }
    }
    for (int y = 0; y < EDGE; y++)
        for (int x = 0; x < EDGE; x++) data[y] |= (unsigned char)(is_pore(x, y) << (7 - x));
    write_file(path, head, sizeof head, data, sizeof data);
}

/* Refused on one line with values, shares, and both commands. */
static void expect_refusal(const cli_result *r, const char *file, const char *pore)
{
    char both[64];
    cr_expect_eq(r->code, 1, "%s: %d", file, r->code);
    snprintf(both, sizeof both, "0 (73.44 %%), %s (26.56 %%)", pore);
    cr_expect_not_null(strstr(r->err, both), "no \"%s\" in %s", both, r->err);
    cr_expect_not_null(strstr(r->err, file), "%s", r->err);
    cr_expect_not_null(strstr(r->err, "--pore 0 or "), "%s", r->err);
    snprintf(both, sizeof both, "--pore %s. Former versions took 0 as pore: --pore 0", pore);
    cr_expect_not_null(strstr(r->err, both), "no \"%s\" in %s", both, r->err);
    cr_expect_eq(strchr(r->err, '\n'), r->err + strlen(r->err) - 1, "not one line: %s", r->err);
}

Test(pore, files_of_numbers_are_refused_by_every_command)
{
    static const struct {
        const char *file, *pore;
    } masks[] = {{"u8.npy", "1"}, {"u255.npy", "255"}, {"bit.tif", "1"}};
    write_npy("u8.npy", "|u1", 1);
    write_npy("u255.npy", "|u1", 255);
    write_tiff("bit.tif");
    for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
        const char *file = masks[m].file;
        char line[128];
        cli_result r = cli_test_run("voxelize", file, "-q", "-o", "a.geom.h5");
        expect_refusal(&r, file, masks[m].pore);
        snprintf(line, sizeof line, "Give rill voxelize %s -q -o a.geom.h5 --pore 0 or rill voxelize %s -q",
                 file, file);
        cr_expect_not_null(strstr(r.err, line), "no \"%s\" in %s", line, r.err);
        cr_expect_not(cli_test_exists("a.geom.h5"));
        static const char *const more[][3] = {
            {"-q"}, {"--dry-run"}, {"--error-bar"}, {"--blocks", "4"}, {"--csv", "k.csv", "-q"}};
        for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
            r = cli_test_run("permeability", file, more[k][0], more[k][1], more[k][2]);
            expect_refusal(&r, file, masks[m].pore);
        }
        r = cli_test_run("permeability", file, file, "-q", "--backend", "cpu", "--axis", "x", "--json",
                         "b.json");
        cr_expect_eq(r.code, 1);
        cr_expect_not_null(strstr(r.err, "2 of 2 inputs have no result"), "%s", r.err);
        r = cli_test_run("verify", "--rock", file, "-q");
        expect_refusal(&r, file, masks[m].pore);
        r = cli_test_run("bench", "--suite", "rock", "--rock", file, "--backend", "cpu", "-q");
        expect_refusal(&r, file, masks[m].pore);
        r = cli_test_run("info", file);
        cr_expect_eq(r.code, 0, "%s", r.err);
        snprintf(line, sizeof line, "choose --pore 0 or --pore %s", masks[m].pore);
        cr_expect(strstr(r.out, "fraction 0.734375  pore unknown") && strstr(r.out, line), "%s", r.out);
    }
}

static double k_of(const char *file, const char *pore)
{
    const cli_result r = cli_test_run("permeability", file, "--axis", "z", "--backend", "cpu", "-q", "--json",
                                      "k.json", pore ? "--pore" : NULL, pore);
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = json_load_file("k.json", 0, NULL);
    cr_assert_not_null(json);
    double k = 0;
    cr_expect_eq(json_unpack(json, "{s:{s:{s:F}}}", "permeability", "lu", "zz", &k), 0);
    json_decref(json);
    return k;
}

Test(pore, one_mask_has_one_permeability)
{
    write_npy("true.npy", "|b1", 1);
    write_npy("true255.npy", "|b1", 255);
    write_npy("u8.npy", "|u1", 1);
    write_npy("u255.npy", "|u1", 255);
    const double k = k_of("true.npy", NULL);
    cr_expect_gt(k, 0);
    cr_expect_eq(k_of("true255.npy", NULL), k);
    cr_expect_eq(k_of("true.npy", "1"), k);
    cr_expect_eq(k_of("u8.npy", "1"), k);
    cr_expect_eq(k_of("u255.npy", "255"), k);
    cr_expect_neq(k_of("u8.npy", "0"), k);
    cli_test_fails(1, "cannot occur in an image of bool", "permeability", "true.npy", "--pore", "255");
}
