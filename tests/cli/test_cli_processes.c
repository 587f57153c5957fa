/* SPDX-License-Identifier: Apache-2.0 */
/* Several processes that mpirun starts: the results of one, and an end for all when one ends. Skipped where
 * Open MPI is not installed. */
#include "cli_test.h"

#include <jansson.h>
#include <signal.h>
#include <time.h>

TestSuite(processes, .init = cli_test_start, .fini = cli_test_end);

static bool mpi_there(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%.*s/librill-mpi.so", (int)(strrchr(getenv("RILL"), '/') - getenv("RILL")),
             getenv("RILL"));
    if (access(path, R_OK) == 0 && system("mpirun --version >version.txt 2>&1") == 0) return true;
    fprintf(stderr, "no Open MPI: several processes are not tested\n");
    return false;
}

/* Run what follows the option of mpirun that says how many processes, after $RILL. @return the exit code */
static int launch(const char *arguments)
{
    char line[8192];
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    snprintf(line, sizeof line, "exec mpirun --oversubscribe -n %s >out.txt 2>err.txt", arguments);
    const int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Run what follows the program's name in processes. @return the exit code */
static int run(int processes, const char *arguments)
{
    char line[4096];
    snprintf(line, sizeof line, "%d %s %s", processes, getenv("RILL"), arguments);
    return launch(line);
}

static bool says(const char *file, const char *words)
{
    char text[8192];
    FILE *f = fopen(file, "r");
    cr_assert_not_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return strstr(text, words);
}

static double number(const char *file, const char *key, const char *of)
{
    json_t *json = json_load_file(file, 0, NULL), *at = json_object_get(json, key);
    cr_assert_not_null(at, "%s", file);
    const double value = json_number_value(of ? json_object_get(json_object_get(at, "lu"), of) : at);
    json_decref(json);
    return value;
}

Test(processes, compute_the_bits_of_one)
{
    if (!mpi_there()) return;
    cr_assert_eq(cli_test_run("generate", "spheres", "--cells", "24", "-o", "a.geom.h5", "-q").code, 0);
    cr_assert_eq(cli_test_run("permeability", "a.geom.h5", "--backend", "cpu", "--json", "1.json", "--fields",
                              "sparse", "-o", "1.h5", "-q")
                     .code,
                 0); /* runs that write fields go on until momentum has settled, too */
    cr_assert_eq(run(2, "permeability a.geom.h5 --backend cpu --json 2.json --fields sparse -o 2.h5 -q"), 0);
    cr_assert_eq(number("1.json", "permeability", "zz"), number("2.json", "permeability", "zz"));
    cr_assert_eq(number("1.json", "uncertainty", NULL), number("2.json", "uncertainty", NULL));
    cr_assert_eq(number("1.json", "steps", NULL), number("2.json", "steps", NULL));
    cr_assert(cli_test_exists("2.h5") && cli_test_exists("2.vtkhdf"));
    cr_assert_eq(run(2, "verify --case channels/plates-8 --backend cpu"), 0);
    cr_assert(says("out.txt", "1 of 1 checks passed"));
    cr_assert_eq(run(2, "permeability missing.geom.h5 -q"), 1);
    cr_assert(says("err.txt", "missing.geom.h5"));
    cr_assert_eq(run(2, "info a.geom.h5"), 1);
    cr_assert(says("err.txt", "info uses one process"));
    cr_assert_eq(run(2, "permeability a.geom.h5 --ranks 2"), 1);
    cr_assert(says("err.txt", "leave out --devices and --ranks"));
    cr_assert_eq(run(2, "permeability a.geom.h5 --csv k.csv"), 1);
    cr_assert(says("err.txt", "--csv and --blocks use one"));
}

/* Installed, and found on PATH: the loader then knows the program by a name without a directory. */
Test(processes, start_where_rill_is_installed_on_the_path)
{
    char line[4096];
    if (!mpi_there()) return;
    cr_assert_eq(cli_test_run("generate", "spheres", "--cells", "16", "-o", "a.geom.h5", "-q").code, 0);
    snprintf(
        line, sizeof line,
        "mkdir -p 'a prefix/bin' 'a prefix/lib/rill' links && cp '%s' 'a prefix/bin/' && cp \"$(dirname '%s')/librill-mpi.so\" 'a prefix/lib/' && cp \"$(dirname '%s')/rill-inspect\" 'a prefix/lib/rill/' && ln -s '../a prefix/bin/rill' links/rill",
        getenv("RILL"), getenv("RILL"), getenv("RILL"));
    cr_assert_eq(system(line), 0);
    const char *const folders[] = {"a prefix/bin", "links"}; /* also as a link to it */
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        snprintf(line, sizeof line,
                 "2 env PATH=\"$PWD/%s:$PATH\" rill permeability a.geom.h5 --backend cpu -q --json k.json",
                 folders[k]);
        cr_assert_eq(launch(line), 0, "%s", folders[k]);
        cr_assert_gt(number("k.json", "permeability", "zz"), 0);
    }
    /* Without the library the message says where it belongs. */
    cr_assert_eq(system("rm 'a prefix/lib/librill-mpi.so'"), 0);
    cr_assert_eq(launch("2 env PATH=\"$PWD/a prefix/bin:$PATH\" rill permeability a.geom.h5 -q"), 3);
    cr_assert(says("err.txt", "installed in the lib beside the program"));
}

/* An image, of which each process keeps a part. */
Test(processes, share_an_image)
{
    static const char *const options[] = {"", "--mirror z --sides mirror,periodic,wall --axis y",
                                          "--axes zyx --stream esopull", "--drive pressure",
                                          "--drive pressure --axis x"};
    if (!mpi_there()) return;
    cr_assert_eq(cli_test_run("generate", "pack", "--size", "40,36,44", "--radius", "6", "--porosity", "0.5",
                              "--raw", "a_40x36x44.raw", "-q")
                     .code,
                 0);
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        char line[512];
        for (int processes = 1; processes < 4; processes += 2) {
            snprintf(
                line, sizeof line,
                "permeability a_40x36x44.raw --pore 0 --backend cpu --tolerance 0.01 %s --json k.json --fields sparse -o k.h5 -q",
                options[k]);
            cr_assert_eq(run(processes, line), 0, "%s", options[k]);
            snprintf(line, sizeof line,
                     "mv k.json %d.json && mv k.cells.vtkhdf %d.cells.vtkhdf && mv k.vtkhdf %d.vtkhdf",
                     processes, processes, processes);
            cr_assert_eq(system(line), 0);
        }
        const char *const key = k == 1 ? "yy" : k == 4 ? "xx" : "zz";
        cr_assert_gt(number("1.json", "permeability", key), 0);
        cr_assert_eq(number("1.json", "permeability", key), number("3.json", "permeability", key));
        cr_assert_eq(number("1.json", "uncertainty", NULL), number("3.json", "uncertainty", NULL));
        cr_assert_eq(number("1.json", "tortuosity", NULL), number("3.json", "tortuosity", NULL));
        cr_assert_eq(system("cmp 1.cells.vtkhdf 3.cells.vtkhdf && cmp 1.vtkhdf 3.vtkhdf"), 0);
    }
}

/* Return the bound of an error bar, or k of the limit of ever smaller voxels. */
static double bar_number(const char *file, bool limit)
{
    json_t *json = json_load_file(file, 0, NULL), *bar = json_object_get(json, "error_bar");
    const json_t *of = limit ? json_object_get(json_object_get(bar, "staircase_limit"), "lu")
                             : json_object_get(bar, "total");
    cr_assert_not_null(of, "%s", file);
    const double value = json_number_value(json_object_get(of, "z"));
    json_decref(json);
    return value;
}

/* What a run makes of an image is divided like it: other sides and smaller voxels, and a coarser sample. */
Test(processes, share_what_is_made_of_an_image)
{
    if (!mpi_there()) return;
    cr_assert_eq(cli_test_run("generate", "pack", "--size", "20,22,24", "--radius", "5", "--porosity", "0.6",
                              "--overlap", "--raw", "a_20x22x24.raw", "-q")
                     .code,
                 0);
    cr_assert_eq(cli_test_run("generate", "pack", "--size", "48,52,64", "--radius", "20", "--porosity", "0.7",
                              "--overlap", "--raw", "b_48x52x64.raw", "-q")
                     .code,
                 0);
    for (int processes = 1; processes < 4; processes++) {
        char line[512];
        snprintf(
            line, sizeof line,
            "permeability a_20x22x24.raw --pore 0 --backend cpu --tolerance 0.01 --error-bar=fine --json a%d.json -q",
            processes);
        cr_assert_eq(run(processes, line), 0);
        snprintf(line, sizeof line,
                 "permeability b_48x52x64.raw --pore 0 --backend cpu --tolerance 0.01 --json b%d.json -q",
                 processes);
        cr_assert_eq(run(processes, line), 0);
        snprintf(line, sizeof line, "a%d.json", processes);
        cr_assert_gt(bar_number(line, false), 0);
        if (processes > 1) /* one process runs on a surface, too */
            cr_assert_eq(bar_number(line, false), bar_number("a2.json", false));
        cr_assert_gt(bar_number(line, true), 0);
        cr_assert_eq(bar_number(line, true), bar_number("a1.json", true));
        cr_assert_eq(number(line, "permeability", "zz"), number("a1.json", "permeability", "zz"));
        snprintf(line, sizeof line, "b%d.json", processes);
        cr_assert_eq(number(line, "permeability", "zz"), number("b1.json", "permeability", "zz"));
        cr_assert_eq(number(line, "uncertainty", NULL), number("b1.json", "uncertainty", NULL));
    }
}

/* A vessel, of which each process keeps a part: all files but the summary, which names devices, have the same
 * bytes for any number of processes. */
Test(processes, share_a_vessel)
{
    if (!mpi_there()) return;
    cr_assert_eq(cli_test_run("generate", "bifurcation", "--inlet", "6mm", "--outlet", "12.5mm", "--edge",
                              "0.6mm", "-o", "b.stl", "-q")
                     .code,
                 0);
    cr_assert_eq(cli_test_run("voxelize", "b.stl", "--units", "mm", "--dx", "0.35mm", "--extend", "1D",
                              "--name", "opening-1=in", "--name", "opening-2=left", "--name",
                              "opening-3=right", "-o", "b.geom.h5", "-q")
                     .code,
                 0);
    FILE *file = fopen("c.yaml", "w");
    fputs(
        "geometry: b.geom.h5\nfluid: {density: 1060 kg/m3, viscosity: 3.5 mPa.s}\nopenings:\n"
        "  in: {kind: inlet, flow: 1 mL/s}\n  right: {kind: pressure, pressure: 10 mmHg}\n"
        "  left: {kind: windkessel, proximal: 6 mmHg.s/mL, distal: 60 mmHg.s/mL, compliance: 1e-4 mL/mmHg}\n"
        "run: {duration: 4 ms, tolerance: 1e-9, soft-start: 1 ms, mach: 0.1}\n"
        "output: {fields: yes, probes: {mid: [0 mm, 0 mm, 3 mm]}, planes: {oblique: {centre: [0 mm, 0 mm, 3 mm], normal: [0.3, 0.2, 1]}}}\n",
        file);
    cr_assert_eq(fclose(file), 0);
    for (int processes = 1; processes < 6; processes += processes < 3 ? 1 : 2) {
        char line[512];
        cr_assert_eq(run(processes, "run c.yaml --no-measure --backend cpu -o out -q"), 2);
        cr_assert(says("err.txt", "not converged"));
        cr_assert(cli_test_exists("out/wall.vtkhdf") && cli_test_exists("out/fields-0001.vtkhdf") &&
                  cli_test_exists("out/speed-x.png") && cli_test_exists("out/checkpoint.h5") &&
                  cli_test_exists("out/summary.json"));
        cr_assert_eq(remove("out/summary.json"), 0);
        if (processes > 1) cr_assert_eq(system("diff -r out one"), 0, "%d processes", processes);
        snprintf(line, sizeof line, "%s out %s", processes > 1 ? "rm -r" : "mv", processes > 1 ? "" : "one");
        cr_assert_eq(system(line), 0);
    }
    cr_assert_eq(run(3, "check c.yaml --no-measure --backend cpu --json 3.json -q"), 0);
    cr_assert_eq(run(1, "check c.yaml --no-measure --backend cpu --json 1.json -q"), 0);
    cr_assert_gt(number("1.json", "fluid_nodes", NULL), 4 * 4096);
    cr_assert_eq(number("1.json", "fluid_nodes", NULL), number("3.json", "fluid_nodes", NULL));
}

/* So many openings that a call of them is a large message. The first process does its own calls later than
 * those of others, and the second one waits for what they send. */
Test(processes, run_a_tree_of_arteries)
{
    enum { OUTLETS = 40 };
    if (!mpi_there()) return;
    cr_assert_eq(cli_test_run("generate", "arteries", "--outlets", "40", "--radius", "10", "--length", "4",
                              "-o", "t.geom.h5", "-q")
                     .code,
                 0);
    FILE *file = fopen("t.yaml", "w");
    fputs("geometry: t.geom.h5\nfluid: {density: 1060 kg/m3, viscosity: 3.5 mPa.s}\n"
          "run: {duration: 0.3 ms, soft-start: 0.1 ms, mach: 0.1, tolerance: 1}\n"
          "output: {surface: no, slices: no, centre-line: no}\n"
          "openings:\n  inlet: {kind: inlet, flow: 0.2 mL/s}\n",
          file);
    for (int k = 1; k <= OUTLETS; k++) fprintf(file, "  outlet-%d: {kind: pressure, pressure: 10 mmHg}\n", k);
    cr_assert_eq(fclose(file), 0);
    const int code = run(1, "run t.yaml --no-measure --backend cpu -o one -q");
    cr_assert(code == 0 || code == 2, "%d", code); /* 2: so short a run is not steady yet */
    cr_assert_eq(run(2, "run t.yaml --no-measure --backend cpu -o two -q"), code);
    cr_assert_eq(system("cmp one/openings.csv two/openings.csv"), 0);
}

/* One process is killed while all compute. */
Test(processes, end_with_one_that_is_killed)
{
    if (!mpi_there()) return;
    cr_assert_eq(cli_test_run("generate", "spheres", "--cells", "48", "-o", "a.geom.h5", "-q").code, 0);
    const pid_t child = fork();
    if (child == 0) /* without an end */
        _exit(run(
            3,
            "permeability a.geom.h5 --backend cpu --acceleration none --tolerance 1e-15 --max-steps 1e12 -o 3.h5 -q"));
    char line[128];
    int last = 0;
    for (int k = 0; k < 1200 && last == 0; k++) { /* until a process with rank 2 is there */
        nanosleep(&(struct timespec){0, 100000000}, NULL);
        FILE *found = popen(
            "exec 2>/dev/null; for p in /proc/[0-9]*; do tr '\\0' '\\n"
            "' <$p/environ | grep -qx \"OMPI_COMM_WORLD_RANK=2\" && [ \"$(readlink $p/cwd)\" = \"$(pwd)\" ] && echo ${p#/proc/}; done | head -1",
            "r");
        if (fgets(line, sizeof line, found)) last = atoi(line);
        pclose(found);
    }
    cr_assert_gt(last, 0);
    nanosleep(&(struct timespec){0, 700000000}, NULL);
    cr_assert_eq(kill(last, SIGKILL), 0);
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child); /* else the test ends by its limit */
    cr_assert_neq(status, 0);
    cr_assert(!cli_test_exists("3.h5"));
}

/* The second process has no memory, the first a full disk: all end with one sentence and the code of that. */
Test(processes, end_with_the_code_of_a_failure)
{
    if (!mpi_there()) return;
    char line[2048];
    const char *rill = getenv("RILL"),
               *what = "permeability a.geom.h5 --backend cpu --fields image -o k.h5 -q";
    cr_assert_eq(cli_test_run("generate", "spheres", "--cells", "40", "-o", "a.geom.h5", "-q").code, 0);
    snprintf(line, sizeof line, "1 %s %s : -n 1 env RILL_MEMORY=1MiB %s %s", rill, what, rill, what);
    cr_assert_eq(launch(line), 3);
    cr_assert(says("err.txt", "rill permeability: process 1: no room for voxels"));
    cr_assert_not(cli_test_exists("k.h5") || cli_test_exists("k.vtkhdf"));
    snprintf(line, sizeof line, "1 sh -c 'trap \"\" XFSZ; ulimit -f 400; exec %s %s' : -n 1 %s %s", rill,
             what, rill, what);
    cr_assert_eq(launch(line), 3);
    cr_assert(says("err.txt", "cannot write k.vtkhdf"));
    cr_assert_not(cli_test_exists("k.vtkhdf"));
}

/* Start a run of a pipe, and send a signal to the launcher once there is a checkpoint. @return exit code */
static int run_signalled(int number)
{
    char line[2048];
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        snprintf(
            line, sizeof line,
            "exec mpirun --oversubscribe -n 2 %s run c.yaml --no-measure --backend cpu -q -o out --overwrite --checkpoint-every 0.2s >out.txt 2>err.txt",
            getenv("RILL"));
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    for (int k = 0; k < 1200 && !cli_test_exists("out/checkpoint.h5"); k++)
        nanosleep(&(struct timespec){0, 100000000}, NULL);
    cr_assert(cli_test_exists("out/checkpoint.h5"));
    cr_assert_eq(kill(child, number), 0);
    if (number == SIGUSR1) { /* it goes on */
        nanosleep(&(struct timespec){1, 0}, NULL);
        cr_assert_eq(waitpid(child, &status, WNOHANG), 0, "a process ended by SIGUSR1");
        cr_assert_eq(kill(child, SIGUSR2), 0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Signals to the launcher reach the first process alone: SIGUSR1 leaves a checkpoint, SIGUSR2 stops, and
 * SIGTERM, too, of which mpirun makes an exit code of its own. */
Test(processes, leave_a_checkpoint_on_signals_to_the_launcher)
{
    char line[2048];
    if (!mpi_there()) return;
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    cr_assert_eq(cli_test_run("generate", "bend", "--radius", "1mm", "--angle", "0", "--inlet", "2mm",
                              "--outlet", "2mm", "--edge", "0.15mm", "-q", "-o", "p.stl")
                     .code,
                 0);
    cr_assert_eq(cli_test_run("voxelize", "p.stl", "--units", "mm", "--dx", "0.13mm", "--name",
                              "0mm,0mm,0mm=in", "--name", "0mm,0mm,4mm=out", "-o", "p.geom.h5", "-q")
                     .code,
                 0);
    FILE *file = fopen("c.yaml", "w");
    fputs("geometry: p.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
          "  in: {kind: inlet, flow: 0.1 mL/s, profile: parabolic}\n  out: {kind: pressure, pressure: 0 Pa}\n"
          "run: {mach: 0.02, duration: 5 s, tolerance: 1e-9}\n",
          file);
    cr_assert_eq(fclose(file), 0);
    static const int numbers[] = {SIGUSR1, SIGUSR2, SIGTERM};
    for (size_t k = 0; k < 3; k++) {
        const int code = run_signalled(numbers[k]);
        cr_assert(numbers[k] == SIGTERM ? code != 0 : code == 4, "%d after signal %d", code, numbers[k]);
        snprintf(
            line, sizeof line,
            "rm -f out/checkpoint.h5.previous; %s run c.yaml --resume --no-measure -q --backend cpu -o out --checkpoint-every 0.01s 2>err.txt & for k in $(seq 1000); do sleep 0.1; [ ! -e out/checkpoint.h5.previous ] || break; done; kill $!; wait $!",
            getenv("RILL"));
        const int resumed = system(line);
        cr_assert(WIFEXITED(resumed) && WEXITSTATUS(resumed) == 4, "%d", resumed);
        cr_assert_eq(system("rm -r out"), 0);
    }
}

/* What a launcher says, but MPI does not. */
Test(processes, are_not_believed_without_mpi)
{
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    const cli_result r = cli_test_run("permeability", "a.geom.h5");
    cr_assert_eq(r.code, 3, "%s", r.err);
    cr_assert_not_null(strstr(r.err, "2 processes were started"), "%s", r.err);
}
