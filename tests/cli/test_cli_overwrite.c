/* SPDX-License-Identifier: Apache-2.0 */
/* Files that exist: every command that writes refuses to replace one, and --overwrite permits it. */
#include "run_pipe.h"

static void start(void)
{
    cli_test_start();
    unsetenv("RILL_OVERWRITE");
}

TestSuite(overwrite, .init = start, .fini = cli_test_end);

/* A file that somebody wants to keep. */
static void keep(const char *path)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert(fputs("mine", file) >= 0 && fclose(file) == 0);
}

static bool is_kept(const char *path)
{
    char text[8] = "";
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s is gone", path);
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    return length == 4 && strcmp(text, "mine") == 0;
}

/* Refused while the file is there, with its name and the remedy; --overwrite replaces it. */
static void refuses(const char *path, const char *const *command)
{
    const char *words[64];
    char said[256];
    int n = 0;
    for (; command[n]; n++) words[n] = command[n];
    words[n] = NULL;
    snprintf(said, sizeof said, "%s exists: give another name, or replace it with --overwrite", path);
    keep(path);
    const cli_result refused = cli_test_run_list(words);
    cli_test_expect_failure(&refused, 1, said);
    cr_assert(is_kept(path), "rill %s replaced %s", command[0], path);
    words[n] = "--overwrite";
    words[n + 1] = NULL;
    const cli_result replaced = cli_test_run_list(words);
    cr_assert_eq(replaced.code, 0, "rill %s: %s", command[0], replaced.err);
    cr_assert(!is_kept(path), "rill %s --overwrite left %s", command[0], path);
}
#define REFUSES(path, ...) refuses(path, (const char *const[]){__VA_ARGS__, NULL})

Test(overwrite, generate)
{
    REFUSES("a.geom.h5", "generate", "box", "--size", "4", "-q", "-o", "a.geom.h5");
    REFUSES("a.raw", "generate", "box", "--size", "4", "-q", "--raw", "a.raw");
    REFUSES("a.json", "generate", "box", "--size", "4", "-q", "-o", "b.geom.h5", "--json", "a.json");
}

Test(overwrite, images)
{
    cr_assert_eq(cli_test_run("generate", "spheres", "--cells", "8", "-q", "--raw", "p_8x8x8.raw").code, 0);
    REFUSES("p.geom.h5", "voxelize", "p_8x8x8.raw", "--pore", "0", "-q", "-o", "p.geom.h5");
    REFUSES("v.json", "voxelize", "p_8x8x8.raw", "--pore", "0", "-q", "-o", "v.geom.h5", "--json", "v.json");
    REFUSES("p.png", "export", "p.geom.h5", "-o", "p.png");
    REFUSES("p.png", "export", "p.geom.h5", "--png");
}

Test(overwrite, permeability)
{
#define FLOW "permeability", "p.geom.h5", "--axis", "x", "--backend", "cpu", "-q"
    cr_assert_eq(cli_test_run("generate", "spheres", "--cells", "8", "-q", "-o", "p.geom.h5").code, 0);
    REFUSES("k.h5", FLOW, "-o", "k.h5");
    REFUSES("k.json", FLOW, "--json", "k.json");
    REFUSES("f.vtkhdf", FLOW, "--fields", "sparse", "-o", "f.h5");
    REFUSES("g.xmf", FLOW, "--fields", "sparse", "-o", "g.h5");
    REFUSES("k.csv", FLOW, "--csv", "k.csv");
    REFUSES("b.rev.csv", FLOW, "--blocks", "4", "--csv", "b.csv");
    const cli_result r = cli_test_run(FLOW, "--csv", "k.csv", "--resume");
    cr_assert_eq(r.code, 0, "--resume continues a table: %s", r.err);
}

Test(overwrite, diffusion)
{
#define DIFFUSION "p.geom.h5", "--axis", "x", "-q"
    cr_assert_eq(cli_test_run("generate", "spheres", "--cells", "8", "-q", "-o", "p.geom.h5").code, 0);
    REFUSES("d.h5", "diffusivity", DIFFUSION, "-o", "d.h5");
    REFUSES("d.json", "diffusivity", DIFFUSION, "--json", "d.json");
    REFUSES("e.vtkhdf", "diffusivity", DIFFUSION, "--fields", "image", "-o", "e.h5");
    REFUSES("f.xmf", "diffusivity", DIFFUSION, "--fields", "image", "-o", "f.h5");
    REFUSES("d.csv", "diffusivity", DIFFUSION, "--csv", "d.csv");
    REFUSES("s.h5", "dispersion", DIFFUSION, "--peclet", "1", "-o", "s.h5");
    REFUSES("s.json", "dispersion", DIFFUSION, "--peclet", "1", "--json", "s.json");
}

Test(overwrite, free_surface)
{
#define POOL                                                                                                 \
    "free-surface", "pool", "--depth", "3", "--nx", "8", "--ny", "1", "--nz", "8", "--steps", "20", "-q"
    REFUSES("a.h5", POOL, "-o", "a.h5");
    REFUSES("b.10.vtkhdf", POOL, "--every", "10", "-o", "b.h5");
    REFUSES("c.10.xmf", POOL, "--every", "10", "-o", "c.h5");
}

/* The command of a result is no permission to replace files again. */
Test(overwrite, is_not_repeated)
{
    cr_assert_eq(cli_test_run("generate", "spheres", "--cells", "8", "-q", "-o", "p.geom.h5").code, 0);
    cr_assert_eq(cli_test_run(FLOW, "-o", "k.h5", "--overwrite").code, 0);
    keep("again.h5");
    const cli_result r = cli_test_run("again", "k.h5", "-o", "again.h5");
    cr_assert(r.code == 1 && strstr(r.err, "again.h5 exists: "), "%d: %s", r.code, r.err);
    cr_assert(is_kept("again.h5"));
}

Test(overwrite, vessels)
{
#define DRAFT "case", "p.stl", "--units", "mm", "--dx", "0.22mm", "-q", "-o", "c.yaml"
    setenv("OMP_NUM_THREADS", "1", 1);
    REFUSES("p.stl", "generate", "bend", "--radius", "1mm", "--angle", "0", "--inlet", "2mm", "--outlet",
            "2mm", "--edge", "0.15mm", "-q", "-o", "p.stl");
    REFUSES("c.yaml", DRAFT);
    cr_assert_eq(remove("c.yaml"), 0); /* which somebody may have edited */
    REFUSES("c.geom.h5", DRAFT);
    REFUSES("v.json", "voxelize", "p.stl", "--units", "mm", "--dx", "0.22mm", "--name", "0mm,0mm,0mm=in",
            "--name", "0mm,0mm,4mm=out", "-q", "-o", "p.geom.h5", "--json", "v.json");
    write_file("s.yaml", STEADY);
    REFUSES("check.json", "check", "s.yaml", "--no-measure", "-q", "--json", "check.json");
}

/* Results of a run are in a directory. */
Test(overwrite, results)
{
    begin();
    unsetenv("RILL_OVERWRITE");
    write_file("s.yaml", STEADY);
    cli_result r = cli_test_run("run", "s.yaml", "--no-measure", "-q", "-o", "out");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cli_test_fails(1, "--overwrite", "run", "s.yaml", "--no-measure", "-q", "-o", "out");
    if (cli_test_exists("out/checkpoint.h5")) cr_assert_eq(remove("out/checkpoint.h5"), 0);
    if (cli_test_exists("out/checkpoint.h5.previous")) cr_assert_eq(remove("out/checkpoint.h5.previous"), 0);
    cli_test_fails(1, "out holds the results of an earlier run: replace them with --overwrite", "run",
                   "s.yaml", "--no-measure", "-q", "-o", "out");
    r = cli_test_run("run", "s.yaml", "--no-measure", "-q", "-o", "out", "--overwrite");
    cr_assert_eq(r.code, 0, "%s", r.err);
}

Test(overwrite, measurements)
{
    REFUSES("v.json", "verify", "--case", "channels/plates-8", "--backend", "cpu", "-q", "--json", "v.json");
    REFUSES("b.json", "bench", "--suite", "box", "--cells", "8", "--backend", "cpu", "--max-nodes", "1000",
            "--seconds", "0.01", "-q", "--json", "b.json");
}

/* For scripts that make their files again. */
Test(overwrite, environment)
{
    keep("a.geom.h5");
    setenv("RILL_OVERWRITE", "0", 1);
    cli_test_fails(1, "exists", "generate", "box", "--size", "4", "-q", "-o", "a.geom.h5");
    setenv("RILL_OVERWRITE", "1", 1);
    cr_assert_eq(cli_test_run("generate", "box", "--size", "4", "-q", "-o", "a.geom.h5").code, 0);
    cr_assert(!is_kept("a.geom.h5"));
}
