/* SPDX-License-Identifier: Apache-2.0 */
/* rill again: the k of a result once more, from HDF5 and JSON, and what is not taken over from its command.
 */
#include "cli_test.h"

#include <jansson.h>

TestSuite(again, .init = cli_test_start, .fini = cli_test_end);

static double k_of(const char *json)
{
    json_t *found = json_load_file(json, 0, NULL);
    cr_assert_not_null(found, "%s", json);
    const double k =
        json_real_value(json_object_get(json_object_get(json_object_get(found, "permeability"), "lu"), "xx"));
    json_decref(found);
    return k;
}

static void first_run(void)
{
    cr_assert_eq(cli_test_run("generate", "spheres", "--cells", "16", "-o", "a b.geom.h5").code, 0);
    const cli_result r =
        cli_test_run("permeability", "a b.geom.h5", "--axis", "x", "--voxel-size", "2um", "--tolerance",
                     "0.01", "--backend", "cpu", "-q", "-o", "k.h5", "--json=k.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
}

Test(again, has_the_same_k_from_either_file)
{
    first_run();
    const double k = k_of("k.json");
    cr_assert_eq(remove("k.json"), 0);
    cli_result r = cli_test_run("again", "k.h5", "--json", "again.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_eq(k_of("again.json"), k);
    cr_assert_not_null(
        strstr(r.err, "rill again: rill permeability 'a b.geom.h5' --axis x --voxel-size 2um"));
    cr_assert(!cli_test_exists("k.json"));
    cr_assert(!strstr(r.err, " -q") && strstr(r.out, "darcy"), "silent again: %s%s", r.err, r.out);
    cr_assert_eq(remove("k.h5"), 0);
    r = cli_test_run("again", "again.json", "-o", "third.h5", "--tolerance", "1e-4", "--json", "third.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert(cli_test_exists("third.h5") && !cli_test_exists("k.h5"));
    cr_assert(k_of("third.json") != k);
}

/* A result of another command of porous media, made of a case file. */
Test(again, computes_a_diffusivity_too)
{
    cr_assert_eq(cli_test_run("generate", "spheres", "--cells", "12", "-o", "a.geom.h5").code, 0);
    FILE *file = fopen("d.yaml", "w");
    fputs("input: a.geom.h5\naxis: y\nbackend: cpu\nquiet: yes\noutput: d.h5\njson: d.json\n", file);
    fclose(file);
    cli_result r = cli_test_run("diffusivity", "--case", "d.yaml");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_eq(remove("d.yaml"), 0);
    r = cli_test_run("again", "d.h5", "--json", "again.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert(!strstr(r.err, "--quiet") && strstr(r.out, "D_eff"), "silent again: %s%s", r.err, r.out);
    json_t *first = json_load_file("d.json", 0, NULL), *again = json_load_file("again.json", 0, NULL);
    cr_assert(first && again);
    cr_assert(json_equal(json_object_get(first, "diffusivity"), json_object_get(again, "diffusivity")));
    cr_assert_not_null(strstr(json_string_value(json_object_get(again, "command")), "diffusivity a.geom.h5"));
    json_decref(first);
    json_decref(again);
    r = cli_test_run("dispersion", "a.geom.h5", "--axis", "x", "--peclet", "1", "--backend", "cpu", "-q",
                     "--json", "p.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("again", "p.json", "-q", "--json", "p2.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert(cli_test_exists("p2.json"));
}

/* Fields are files that the command wrote, too. */
Test(again, leaves_the_fields_of_the_command_out)
{
    cr_assert_eq(cli_test_run("generate", "spheres", "--cells", "12", "-o", "a.geom.h5").code, 0);
    cli_result r = cli_test_run("diffusivity", "a.geom.h5", "--backend", "cpu", "-q", "--fields", "sparse",
                                "-o", "f.h5", "--json", "f.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_eq(remove("f.vtkhdf"), 0);
    r = cli_test_run("again", "f.json", "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert(!cli_test_exists("f.vtkhdf"));
    r = cli_test_run("again", "f.json", "-q", "-o", "g.h5", "--fields", "image");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert(cli_test_exists("g.vtkhdf"));
}

Test(again, refuses_what_is_no_result_of_a_permeability)
{
    cli_test_fails(1, "no result is given", "again");
    cli_test_fails(1, "unknown option --frob", "again", "--frob");
    cli_test_fails(1, "none.h5", "again", "none.h5");
    cli_test_fails(1, "again: unable to open none.json", "again", "none.json");
    FILE *file = fopen("other.json", "w");
    fputs("{\"command\": \"rill run vessel.yaml -o results\"}", file);
    fclose(file);
    cli_test_fails(1, "only rill permeability, diffusivity and dispersion are run again", "again",
                   "other.json");
    file = fopen("other.json", "w");
    fputs("{\"k\": 1}", file);
    fclose(file);
    cli_test_fails(1, "does not say by which command", "again", "other.json");
    cr_assert_not_null(strstr(cli_test_run("again", "--help").out, "Usage: rill again RESULT.h5"));
}

/* A file from anyone names no file to write, and gives no permission. */
Test(again, leaves_files_and_permissions_of_the_command_out)
{
    first_run();
    FILE *file = fopen("hostile.json", "w");
    fputs(
        "{\"command\": \"rill permeability 'a b.geom.h5' --axis x --backend cpu --tolerance 0.01 -o stolen.h5 --json stolen.json --output=stolen.h5 --checkpoint stolen.h5 --csv stolen.csv --allow-outside -ostolen.h5 --case stolen.yaml\"}",
        file);
    fclose(file);
    const cli_result r = cli_test_run("again", "hostile.json", "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_null(strstr(r.err, "stolen"));
    cr_assert_null(strstr(r.err, "allow-outside"));
    cr_assert(!cli_test_exists("stolen.h5") && !cli_test_exists("stolen.json") &&
              !cli_test_exists("stolen.csv"));
}
