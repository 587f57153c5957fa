/* SPDX-License-Identifier: Apache-2.0 */
/* rill permeability --case FILE.yaml: a study in one file. */
#include "run_pipe.h"

#include <sys/stat.h>

static void start(void)
{
    cli_test_start();
    setenv("OMP_NUM_THREADS", "1", 1);
    cr_assert_eq(mkdir("d", 0777), 0);
    cr_assert_eq(cli_test_run("generate", "spheres", "--cells", "12", "-q", "--raw", "d/s_12x12x12.raw").code,
                 0);
}

TestSuite(case_file, .init = start, .fini = cli_test_end);

static double k_of(const char *path, const char *entry)
{
    json_t *json = json_of(path);
    const double k = number(json_object_get(json_object_get(json, "permeability"), "m2"), entry);
    json_decref(json);
    return k;
}

/* The same result as by options, and a command that needs the file no more. */
Test(case_file, is_what_its_options_are)
{
    write_file("d/s.yaml", "# a study\n"
                           "input: s_12x12x12.raw\npore: [0]\nvoxel-size: 5 um\naxis: xy\nbackend: cpu\n"
                           "tolerance: 0.1 %\nquiet: yes\ndry-run: no\njson: k.json\noutput: k.h5\n");
    cli_result r = cli_test_run("permeability", "--case", "d/s.yaml");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("permeability", "d/s_12x12x12.raw", "--pore", "0", "--voxel-size", "5um", "--axis", "xy",
                     "--backend", "cpu", "--tolerance", "0.001", "-q", "--json", "plain.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_eq(k_of("d/k.json", "yy"), k_of("plain.json", "yy"));
    json_t *json = json_of("d/k.json");
    const char *line = json_string_value(json_object_get(json, "command"));
    cr_assert(line && strstr(line, "d/s_12x12x12.raw --pore=0 ") && !strstr(line, "--case"), "%s", line);
    json_decref(json);
    cr_assert_eq(remove("d/s.yaml"), 0);
    r = cli_test_run("again", "d/k.h5", "--axis", "y", "--json", "again.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_float_eq(k_of("again.json", "yy") / k_of("plain.json", "yy"), 1, 1e-3);
}

/* An option whose value may be left out: yes, no, or its form. */
Test(case_file, gives_forms_of_options)
{
    static const char *const answers[] = {"yes", "fine", "no"}, *const runs[] = {"1 run more", "6 runs more",
                                                                                 NULL};
    for (int i = 0; i < 3; i++) {
        char text[160];
        snprintf(text, sizeof text,
                 "input: s_12x12x12.raw\npore: [0]\naxis: x\nbackend: cpu\ndry-run: yes\nerror-bar: %s\n",
                 answers[i]);
        write_file("d/e.yaml", text);
        const cli_result r = cli_test_run("permeability", "--case", "d/e.yaml");
        cr_assert_eq(r.code, 0, "%s", r.err);
        cr_assert(runs[i] ? strstr(r.out, runs[i]) != NULL : strstr(r.out, "more, about") == NULL, "%s: %s",
                  answers[i], r.out);
    }
    write_file("d/e.yaml", "input: s_12x12x12.raw\npore: [0]\nerror-bar: coarse\n");
    cli_test_fails(1, "error-bar", "permeability", "--case", "d/e.yaml");
}

/* What stands behind --case, and inputs of the command line, count more than the file. */
Test(case_file, is_changed_by_options)
{
    write_file(
        "s.yaml",
        "input: [none.raw, nowhere.raw]\npore: 0\nvoxel-size: 5 um\naxis: xyz\nbackend: cpu\nquiet: yes\n");
    cli_result r = cli_test_run("permeability", "--backend", "cpu", "--case=s.yaml", "--axis", "y",
                                "--voxel-size", "10um", "--json", "y.json", "d/s_12x12x12.raw");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = json_of("y.json"), *m2 = json_object_get(json_object_get(json, "permeability"), "m2");
    cr_assert(json_is_null(json_object_get(m2, "zz")));
    cr_assert_float_eq(number(m2, "yy") / 1e-10,
                       number(json_object_get(json_object_get(json, "permeability"), "lu"), "yy"), 1e-9);
    json_decref(json);
    cli_test_fails(1, "none.raw", "permeability", "--case", "s.yaml", "--json", "n.json");
}

/* The line of what is wrong, and the remedy. */
Test(case_file, mistakes_have_their_line)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"pore: 0\nvoxelsize: 5um\n", "s.yaml:2: unknown key \"voxelsize\": did you mean voxel-size"},
        {"inputs: d/s_12x12x12.raw\n", "s.yaml:1: unknown key \"inputs\": did you mean input"},
        {"pore: 0\n",
         "no image or geometry is given: rill permeability IMAGE --voxel-size 5.7um, or the key input in the file of --case"},
        {"input: d/s_12x12x12.raw\n\ntolerance: small\n", "s.yaml:3: --tolerance \"small\" is not a number"},
        {"backend: gpu\n", "s.yaml:1: --backend does not know \"gpu\""},
        {"voxel-size: 5\n", "s.yaml:1: --voxel-size"},
        {"error-bar: maybe\n", "s.yaml:1: "},
        {"pore: {a: 0}\n", "s.yaml:1: pore has no value"},
        {"pore: 0\npore: 1\n", "s.yaml:2: "},
        {"- pore\n", "s.yaml is not a case: write lines such as"},
        {"overwrite: yes\n", "s.yaml:1: a case cannot give overwrite: give --overwrite behind --case"},
        {"allow-outside: yes\n", "s.yaml:1: a case cannot give allow-outside"},
        {"resume: yes\n", "s.yaml:1: a case cannot give resume"},
        {"case: s.yaml\n", "s.yaml:1: a case cannot give case"},
        {"input: /etc/hostname\n",
         "s.yaml:1: it names the file /etc/hostname, which is outside its directory"},
        {"json: ../k.json\n", "s.yaml:1: it names the file ../k.json, which is outside its directory"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        write_file("s.yaml", wrong[k].text);
        cli_test_fails(1, wrong[k].message, "permeability", "--case", "s.yaml");
    }
    cli_test_fails(1, "none.yaml", "permeability", "--case", "none.yaml");
    cli_test_fails(1, "--case needs a value", "permeability", "--case");
}
