/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_locale.c
 * A host program may have set a locale with a decimal comma: what is read and written stays the same.
 *
 * The commands of the program run in this process, which has set the locale, and once more with the C locale.
 * Their files and tables must be the same, but for times and what depends on the machine.
 */
#include "comma_locale.h"
#include "cli/cli.h"
#include "core/sanitized.h"
#include "core/units.h"
#include "image_files.h"
#include "io/json_file.h"
#include "vessel/case/waveform.h"

#include <criterion/parameterized.h>
#include <dirent.h>
#include <jansson.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

TestSuite(locale, .init = files_start, .fini = files_end);

enum { NAME = 16, WORDS = 24, COMPARED = 1 << 22 };

ParameterizedTestParameters(locale, commands_do_the_same)
{
    static char names[3][NAME] = {"ps_AF", "de_DE", "tr_TR"};
    return cr_make_param_array(char[NAME], names, SANITIZED ? 1 : 3); /* one whose comma has two bytes */
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static void put(const char *path, const char *text) { files_write(path, text, strlen(text)); }

/* A duct of 12³ voxels along z, 0 in the pores. */
static void duct(const char *path, bool header, const char *text)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    if (header) fputs(text, file);
    for (int v = 0; v < 12 * 12 * 12; v++) {
        const int x = v % 12, y = v / 12 % 12;
        fputc(x >= 2 && x < 10 && y >= 3 && y < 9 ? 0 : 1, file);
    }
    cr_assert_eq(fclose(file), 0);
}

/* A box open at two ends, in millimetres, as every text format of surfaces; lengths are no whole numbers. */
static const double corners[8][3] = {{-0.75, -0.5, 0},  {0.75, -0.5, 0},     {0.75, 0.5, 0},
                                     {-0.75, 0.5, 0},   {-0.75, -0.5, 2.25}, {0.75, -0.5, 2.25},
                                     {0.75, 0.5, 2.25}, {-0.75, 0.5, 2.25}};
static const int faces[8][3] = {{0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

static void surfaces(void)
{
    FILE *stl = fopen("s.stl", "w"), *obj = fopen("s.obj", "w"), *ply = fopen("s.ply", "w");
    cr_assert(stl && obj && ply);
    fprintf(stl, "solid s\n");
    fprintf(ply,
            "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
            "element face 8\nproperty list uchar int vertex_indices\nend_header\n");
    for (int v = 0; v < 8; v++) {
        fprintf(obj, "v %.6f %.6f %.6f\n", corners[v][0], corners[v][1], corners[v][2]);
        fprintf(ply, "%.6f %.6f %.6f\n", corners[v][0], corners[v][1], corners[v][2]);
    }
    for (int f = 0; f < 8; f++) {
        fprintf(stl, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; k++) {
            const double *c = corners[faces[f][k]];
            fprintf(stl, "vertex %.6e %.6e %.6e\n", c[0], c[1], c[2]);
        }
        fprintf(stl, "endloop\nendfacet\n");
        fprintf(obj, "f %d %d %d\n", faces[f][0] + 1, faces[f][1] + 1, faces[f][2] + 1);
        fprintf(ply, "3 %d %d %d\n", faces[f][0], faces[f][1], faces[f][2]);
    }
    fprintf(stl, "endsolid s\n");
    cr_assert(fclose(stl) == 0 && fclose(obj) == 0 && fclose(ply) == 0);
}

/* Written with the C locale. */
static void inputs(void)
{
    duct("a-12x12x12-u8-5.7um.raw", false, "");
    duct("a.mha", true,
         "ObjectType = Image\nNDims = 3\nDimSize = 12 12 12\nElementType = MET_UCHAR\n"
         "ElementSpacing = 0.0057 0.0057 0.0057\nElementDataFile = LOCAL\n");
    duct("a.nrrd", true,
         "NRRD0005\nTYPE: unsigned char\ndimension: 3\nsizes: 12 12 12\nspacings: 5.7 5.7 5.7\n"
         "space units: \"um\" \"um\" \"um\"\nENCODING: RAW\n\n");
    FILE *vti = fopen("a.vti", "w");
    cr_assert_not_null(vti);
    fprintf(
        vti,
        "<VTKFile type=\"ImageData\" version=\"0.1\" byte_order=\"LittleEndian\"><ImageData WholeExtent=\"0 4 0 4 0 4\" Origin=\"0.5 0 0\" Spacing=\"1.5 1.5 1.5\"><Piece Extent=\"0 4 0 4 0 4\"><CellData><DataArray type=\"Float32\" Name=\"a\" format=\"ascii\">");
    for (int v = 0; v < 64; v++) fprintf(vti, "%s ", v % 4 == 0 ? "1.5" : "0.25");
    fprintf(vti, "</DataArray></CellData></Piece></ImageData></VTKFile>");
    cr_assert_eq(fclose(vti), 0);
    surfaces();
    put("wave.csv", "time [ms], flow [mL/s]\n0, 0.15\n2.5, 0.2\n5.5, 0.125\n10, 0.15\n");
    put("closed.obj", "v 0.5 0.5 0.5\nv 2.5 0.5 0.5\nv 0.5 2.5 0.5\nv 0.5 0.5 2.5\n"
                      "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    put("case.yaml",
        "geometry: s.geom.h5\nfluid: {density: 1056.5 kg/m3, viscosity: 3.5 mPa.s}\nopenings:\n"
        "  opening-1: {kind: inlet, waveform: wave.csv}\n"
        "  opening-2: {kind: windkessel, proximal: 0.25 mmHg.s/mL, distal: 1.5 mmHg.s/mL, compliance: 0.005 mL/mmHg}\n"
        "run: {cycles: 1, mach: 0.15}\noutput: {snapshots: 1, fields: yes, checkpoint-every: 1.5 min}\n");
}

/* ---- commands -------------------------------------------------------------------------------- */

static const struct {
    const cli_command *command;
    const char *words[WORDS];
} commands[] = {
    {&cli_voxelize, {"a-12x12x12-u8-5.7um.raw", "--pore", "0", "-o", "raw.geom.h5", "--json", "raw.json"}},
    {&cli_info, {"--json", "a-12x12x12-u8-5.7um.raw"}},
    {&cli_info, {"--json", "a.mha"}},
    {&cli_info, {"--json", "closed.obj", "--units", "mm"}},
    {&cli_info, {"--json", "a.nrrd"}},
    {&cli_voxelize,
     {"a.nrrd", "--pore", "0:0.5", "--resample", "2.85 um", "-o", "nrrd.geom.h5", "--json", "nrrd.json"}},
    {&cli_voxelize,
     {"a.vti", "--pore", "0.2:0.3", "--voxel-size", "1.5um", "-o", "vti.geom.h5", "--json", "vti.json"}},
    {&cli_permeability,
     {"raw.geom.h5", "--tolerance", "0.5e-2", "--fields", "image", "-o", "p.h5", "--json", "p.json"}},
    {&cli_info, {"p.h5"}},
    {&cli_permeability,
     {"raw.geom.h5", "--blocks", "34.2um,4", "--tolerance", "0.01", "--csv", "k.csv", "--json", "k.json"}},
    {&cli_permeability,
     {"raw.geom.h5", "--blocks", "34.2um,4", "--tolerance", "0.01", "--csv", "k.csv", "--resume"}},
    {&cli_export, {"p.vtkhdf", "--slice", "z=37.5%", "--scale", "log", "-o", "p.png"}},
    {&cli_generate,
     {"grf", "--size", "16", "--porosity", "0.55", "--correlation", "3.5", "--voxel-size", "2.5um", "-o",
      "g.geom.h5", "--json", "g.json"}},
    {&cli_generate,
     {"bifurcation", "--radius", "1.25mm", "--inlet", "3.5mm", "--outlet", "5.5mm", "--edge", "0.25mm", "-o",
      "b.stl"}},
    {&cli_voxelize,
     {"s.stl", "--units", "mm", "--dx", "0.125mm", "--extend", "0.5D", "-o", "s.geom.h5", "--json",
      "s.json"}},
    {&cli_voxelize,
     {"s.obj", "--units", "mm", "--dx", "0.125mm", "--extend", "0.25mm", "-o", "o.geom.h5", "--json",
      "o.json"}},
    {&cli_voxelize,
     {"s.ply", "--units", "mm", "--dx", "0.125mm", "--plane", "in=0mm,0mm,0.55mm,0,0,1.5", "-o", "y.geom.h5",
      "--json", "y.json"}},
    {&cli_check, {"case.yaml", "--no-measure", "--json", "check.json"}},
    {&cli_run, {"case.yaml", "--backend", "cpu", "-o", "results", "--json", "run.json"}},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* Run a command in a process of its own, standard output into NUMBER.txt. */
static void run(int number, const char *directory, const char *name, const char *root)
{
    int status;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        char *argv[WORDS + 2] = {(char *)(uintptr_t)commands[number].command->name}, out[32];
        int argc = 1;
        for (; commands[number].words[argc - 1]; argc++)
            argv[argc] = (char *)(uintptr_t)commands[number].words[argc - 1];
        snprintf(out, sizeof out, "%d.txt", number);
        if (chdir(directory) != 0 || !freopen(out, "w", stdout) || !freopen("err.txt", "w", stderr))
            _exit(99);
        if (name) {
            char full[32];
            snprintf(full, sizeof full, "%s.UTF-8", name);
            setenv("LOCPATH", root, 1);
            if (!setlocale(LC_ALL, full)) _exit(98);
        }
        const int code = commands[number].command->run(argc, argv);
        fflush(NULL);
        _exit(code);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    char path[DIRECTORY_SIZE + 64], why[1024] = "";
    snprintf(path, sizeof path, "%s/err.txt", directory);
    FILE *file = fopen(path, "r");
    if (file) why[fread(why, 1, sizeof why - 1, file)] = '\0';
    cr_assert_fail("%s: rill %s %s: %d: %s", name ? name : "C", commands[number].command->name,
                   commands[number].words[0], status, why);
}

/* ---- comparison ------------------------------------------------------------------------------ */

static char *slurp(const char *directory, const char *name, size_t *size)
{
    char path[DIRECTORY_SIZE + 320];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s is not there", path);
    char *data = malloc(COMPARED + 1);
    cr_assert_not_null(data);
    *size = fread(data, 1, COMPARED, file);
    data[*size] = '\0';
    fclose(file);
    return data;
}

/* Times, speeds and free memory, and what is computed from them. */
static bool varies(const char *line)
{
    static const char *const words[] = {"time",    "second", "mlups",     "MLUPS",   "memory",
                                        "bytes",   "speed",  "bandwidth", "backend", "run  ",
                                        "steps/s", "_xxh3",  "device"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strstr(line, words[k])) return true;
    return false;
}

/* Compare text line by line; of a table, the cells but the times. */
static void compare_text(const char *name, char *a, char *b)
{
    char *in_a, *in_b;
    int compared = 0;
    for (char *p = strtok_r(a, "\n", &in_a), *q = strtok_r(b, "\n", &in_b); p || q;
         p = strtok_r(NULL, "\n", &in_a), q = strtok_r(NULL, "\n", &in_b), compared++) {
        cr_assert(p && q, "%s: it has fewer lines", name);
        if (!varies(p)) cr_expect_str_eq(q, p, "%s: \"%s\", not \"%s\"", name, q, p);
    }
    cr_expect_gt(compared, 0, "%s", name);
}

/* Take a cell, with its quotes. */
static char *cell_take(char **at)
{
    char *cell = *at, *end = cell;
    if (!cell) return NULL;
    for (bool quoted = false; *end && (quoted || *end != ','); end++) quoted ^= *end == '"';
    *at = *end ? end + 1 : NULL;
    *end = '\0';
    return cell;
}

static void compare_table(const char *name, char *a, char *b)
{
    char *in_a, *in_b;
    bool times[128] = {false};
    int line = 0;
    for (char *p = strtok_r(a, "\n", &in_a), *q = strtok_r(b, "\n", &in_b); p || q;
         p = strtok_r(NULL, "\n", &in_a), q = strtok_r(NULL, "\n", &in_b), line++) {
        cr_assert(p && q, "%s: it has fewer lines", name);
        for (int cell = 0; p || q; cell++) {
            char *const one = cell_take(&p), *const other = cell_take(&q);
            cr_assert(one && other && cell < 128, "%s, row %d: it has other cells", name, line);
            if (line == 0) times[cell] = varies(one);
            if (line == 0 || !times[cell])
                cr_expect_str_eq(other, one, "%s, row %d: \"%s\", not \"%s\"", name, line, other, one);
        }
    }
    cr_expect_gt(line, 1, "%s", name);
}

static bool ends(const char *name, const char *ending)
{
    const size_t n = strlen(name), e = strlen(ending);
    return n > e && strcmp(name + n - e, ending) == 0;
}

static int compare_folders(const char *a, const char *b)
{
    DIR *folder = opendir(a);
    int compared = 0;
    cr_assert_not_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        const char *name = entry->d_name;
        const bool picture = ends(name, ".png") || ends(name, ".stl") || ends(name, ".vti"),
                   table = ends(name, ".csv"),
                   text = ends(name, ".json") || ends(name, ".txt") || ends(name, ".xmf");
        if ((!picture && !table && !text) || strcmp(name, "err.txt") == 0) continue;
        size_t size_a, size_b;
        char *of_a = slurp(a, name, &size_a), *of_b = slurp(b, name, &size_b);
        if (picture)
            cr_expect(size_a == size_b && memcmp(of_a, of_b, size_a) == 0, "%s differs", name);
        else if (table)
            compare_table(name, of_a, of_b);
        else
            compare_text(name, of_a, of_b);
        free(of_a);
        free(of_b);
        compared++;
    }
    closedir(folder);
    return compared;
}

ParameterizedTest(const char (*name)[NAME], locale, commands_do_the_same)
{
    char root[DIRECTORY_SIZE], command[512];
    cr_assert_not_null(getcwd(root, sizeof root));
    snprintf(command, sizeof command, "localedef -i %s -f UTF-8 '%s/%s.UTF-8' >localedef.log 2>&1", *name,
             root, *name);
    (void)!system(command);
    setenv("OMP_NUM_THREADS", "2", 1);
    for (int k = 0; k < 2; k++) {
        cr_assert_eq(mkdir(k ? "comma" : "point", 0700), 0);
        cr_assert_eq(chdir(k ? "comma" : "point"), 0);
        inputs();
        cr_assert_eq(chdir(".."), 0);
        for (int c = 0; c < COMMANDS; c++) run(c, k ? "comma" : "point", k ? *name : NULL, root);
    }
    cr_expect_gt(compare_folders("point", "comma"), COMMANDS + 10);
    cr_expect_gt(compare_folders("point/results", "comma/results"), 2);
}

/* ---- functions of the library ---------------------------------------------------------------- */

static void *in_a_thread(void *of)
{
    double metres = 0;
    *(bool *)of = rill_units_parse("5.7 um", "m", &metres) == RILL_OK && fabs(metres - 5.7e-6) < 1e-18;
    return NULL;
}

Test(locale, functions_keep_the_locale_of_the_host)
{
    char shown[16], text[64];
    double value = 0;
    bool good = false;
    pthread_t thread;
    uint64_t bytes = 0;
    comma_locale_set("de_DE", files_directory);
    cr_expect_eq(rill_units_parse("5.7um", "m", &value), RILL_OK, "%s", rill_error_message());
    cr_expect_float_eq(value, 5.7e-6, 1e-18);
    cr_expect_eq(rill_units_parse("1.5 1.5e-3 m", "m", &value), RILL_USAGE);
    cr_expect_eq(rill_units_parse("0.25 mmHg.s/mL", "Pa.s/m3", &value), RILL_OK, "%s", rill_error_message());
    cr_expect_float_eq(value, 0.25 * 133.322387415e6, 1);
    cr_expect_eq(rill_units_parse_bytes("1.5GiB", &bytes), RILL_OK);
    cr_expect_eq(bytes, 3ull << 29);
    rill_units_format_length(5.7e-6, text, sizeof text);
    cr_expect_str_eq(text, "5.7 um");
    cr_expect_eq(rill_units_parse("5,7um", "m", &value), RILL_USAGE); /* it names the text */
    cr_assert_eq(pthread_create(&thread, NULL, in_a_thread, &good), 0);
    pthread_join(thread, NULL);
    cr_expect(good);
    json_t *json = json_pack("{s:f}", "k", 0.5);
    cr_expect_eq(rill_json_write(json, "a.json"), RILL_OK, "%s", rill_error_message());
    json_decref(json);
    file_bytes b;
    files_read("a.json", &b);
    b.data[b.size] = '\0';
    cr_expect_not_null(strstr((char *)b.data, "\"k\": 0.5"), "%s", (char *)b.data);
    snprintf(shown, sizeof shown, "%.1f", 0.5);
    cr_expect_str_eq(shown, "0,5", "the host's locale has changed");
}
