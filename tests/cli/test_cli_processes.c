/* SPDX-License-Identifier: Apache-2.0 */
/* Several processes that mpirun starts: the results of one, and an end for all when one ends. Skipped where
 * Open MPI is not installed. */
#include "cli_test.h"

#include <jansson.h>
#include <signal.h>
#include <time.h>

TestSuite(processes, .init = cli_test_start, .fini = cli_test_end, .timeout = 120);

static bool mpi_there(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%.*s/librill-mpi.so", (int)(strrchr(getenv("RILL"), '/') - getenv("RILL")),
             getenv("RILL"));
    if (access(path, R_OK) == 0 && system("mpirun --version >version.txt 2>&1") == 0) return true;
    fprintf(stderr, "no Open MPI: several processes are not tested\n");
    return false;
}

/* Run what follows the program's name in processes. @return the exit code */
static int run(int processes, const char *arguments)
{
    char line[8192];
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    snprintf(line, sizeof line, "mpirun --oversubscribe -n %d %s %s >out.txt 2>err.txt", processes,
             getenv("RILL"), arguments);
    const int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
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
    cr_assert_eq(cli_test_run("permeability", "a.geom.h5", "--backend", "cpu", "--json", "1.json", "-q").code,
                 0);
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

/* One process is killed while all compute. */
Test(processes, end_with_one_that_is_killed)
{
    if (!mpi_there()) return;
    cr_assert_eq(cli_test_run("generate", "spheres", "--cells", "48", "-o", "a.geom.h5", "-q").code, 0);
    const pid_t child = fork();
    if (child == 0) _exit(run(3, "permeability a.geom.h5 --backend cpu --tolerance 1e-9 -o 3.h5 -q"));
    char line[128];
    int last = 0;
    struct timespec start, end;
    for (int k = 0; k < 300 && last == 0; k++) { /* until a process with rank 2 is there */
        nanosleep(&(struct timespec){0, 100000000}, NULL);
        FILE *found =
            popen("exec 2>/dev/null; for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/environ | grep -qx "
                  "\"OMPI_COMM_WORLD_RANK=2\" && [ \"$(readlink $p/cwd)\" = \"$(pwd)\" ] && "
                  "echo ${p#/proc/}; done | head -1",
                  "r");
        if (fgets(line, sizeof line, found)) last = atoi(line);
        pclose(found);
    }
    cr_assert_gt(last, 0);
    nanosleep(&(struct timespec){0, 700000000}, NULL);
    clock_gettime(CLOCK_MONOTONIC, &start);
    cr_assert_eq(kill(last, SIGKILL), 0);
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    clock_gettime(CLOCK_MONOTONIC, &end);
    cr_assert_neq(status, 0);
    cr_assert_lt(end.tv_sec - start.tv_sec, 10);
    cr_assert(!cli_test_exists("3.h5"));
}

/* What a launcher says, but MPI does not. */
Test(processes, are_not_believed_without_mpi)
{
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    const cli_result r = cli_test_run("permeability", "a.geom.h5");
    cr_assert_eq(r.code, 3, "%s", r.err);
    cr_assert_not_null(strstr(r.err, "2 processes were started"), "%s", r.err);
}
