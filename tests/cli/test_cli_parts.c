/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_cli_parts.c
 * rill permeability in parts, and two runs on one device.
 */
#include "core/sanitized.h"
#include "pore_files.h"

#include <math.h>

TestSuite(permeability_parts, .init = cli_test_start, .fini = cli_test_end);

/* A simulation in parts gives the same numbers, fields and steps; what cannot be cut is refused. */
Test(permeability_parts, is_the_same_in_parts)
{
    make_array("a.geom.h5", "40");
    static const char *const drives[] = {"force", "pressure"};
    for (int d = 0; d < 2; d++) {
        double k[2], steps[2];
        for (int part = 0; part < 2; part++) {
            const cli_result r =
                cli_test_run("permeability", "a.geom.h5", "--backend", "cpu", "--drive", drives[d], "--ranks",
                             part ? "3" : "1", "--fields", "sparse", "-o", part ? "b.h5" : "a.h5", "--json",
                             part ? "b.json" : "a.json", "-q");
            cr_assert_eq(r.code, 0, "%s", r.err);
            json_t *json = load(part ? "b.json" : "a.json");
            k[part] = real(json, "permeability.lu.zz"), steps[part] = real(json, "steps");
            if (part == 0) cr_assert(json_is_null(json_object_get(json, "parts")));
            if (part == 1) {
                cr_assert_eq(real(json, "parts.count"), 3);
                cr_assert_geq(real(json, "parts.balance"), 1);
                cr_assert_gt(real(json, "parts.bytes_per_step"), 0);
                cr_assert_str_eq(
                    json_string_value(json_object_get(json_object_get(json, "parts"), "transport")),
                    "stores into host memory");
            }
            json_decref(json);
        }
        cr_assert(k[0] == k[1] && steps[0] == steps[1], "%s: %.17g in %g steps, not %.17g in %g", drives[d],
                  k[1], steps[1], k[0], steps[0]);
    }
    cr_assert_eq(cli_test_run("generate", "pack", "--size", "32,80,40", "--radius", "8", "--porosity", "0.6",
                              "-o", "y.geom.h5", "-q")
                     .code,
                 0);
    const cli_result longest =
        cli_test_run("permeability", "y.geom.h5", "--backend", "cpu", "--ranks", "2", "--max-steps", "1");
    cr_assert(strstr(longest.out, "the box is longest along y: rotate it (--axes)"), "%s%s", longest.out,
              longest.err);
    const struct {
        const char *option, *value, *says;
    } wrong[] = {{"--ranks", "65", "64"}, {"--devices", "0,0", "twice"}, {"--devices", "0,x", "list"}};
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        const cli_result r = cli_test_run("permeability", "a.geom.h5", "--backend", "cpu", wrong[w].option,
                                          wrong[w].value, "-q");
        cr_assert_eq(r.code, 1, "%s %s", wrong[w].option, wrong[w].value);
        cr_assert_not_null(strstr(r.err, wrong[w].says), "%s", r.err);
    }
}

/* What makes several runs does it in parts, too. */
Test(permeability_parts, tensor_and_error_bar_are_the_same_in_parts, .disabled = SANITIZED)
{
    static const char *const keys[] = {"permeability.lu.xx", "permeability.lu.xy", "permeability.lu.yy",
                                       "permeability.lu.zx", "permeability.lu.zz", "uncertainty"};
    static const char *const bars[] = {"error_bar.total.z", "error_bar.staircase_limit.lu.z"};
    json_t *tensor[2], *bar[2];
    make_array("a.geom.h5", "24");
    make_array("b.geom.h5", "20");
    for (int part = 0; part < 2; part++) {
        const char *ranks = part ? "3" : "1", *of = part ? "2" : "1";
        cli_result r = cli_test_run("permeability", "a.geom.h5", "--backend", "cpu", "--axis", "xyz",
                                    "--ranks", ranks, "--json", "a.json", "-q");
        cr_assert_eq(r.code, 0, "%s", r.err);
        tensor[part] = load("a.json");
        r = cli_test_run("permeability", "b.geom.h5", "--backend", "cpu", "--error-bar=fine", "--ranks", of,
                         "--json", "b.json", "-q");
        cr_assert_eq(r.code, 0, "%s", r.err);
        bar[part] = load("b.json");
    }
    cr_assert_eq(real(tensor[1], "parts.count"), 3); /* 10,838 nodes are three chunks of 4,096 */
    cr_assert_eq(real(bar[1], "parts.count"), 2);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        cr_assert_eq(real(tensor[0], keys[k]), real(tensor[1], keys[k]), "%s", keys[k]);
    for (size_t k = 0; k < sizeof bars / sizeof *bars; k++)
        cr_assert_eq(real(bar[0], bars[k]), real(bar[1], bars[k]), "%s", bars[k]);
    for (int part = 0; part < 2; part++) {
        json_decref(tensor[part]);
        json_decref(bar[part]);
    }
}

/* A batch is not cut, and says so; a plan refuses what a run refuses, and says how many parts there are. */
Test(permeability_parts, a_batch_and_too_many_parts_are_refused)
{
    make_array("a.geom.h5", "24");
    make_array("b.geom.h5", "20");
    cli_test_fails(1, "--ranks cuts one sample", "permeability", "a.geom.h5", "b.geom.h5", "--ranks", "2",
                   "--csv", "k.csv", "-q");
    cli_test_fails(1, "--ranks cuts one sample", "permeability", "a.geom.h5", "--blocks", "12", "--ranks",
                   "2", "-q");
    cli_test_fails(1, "the ring buffer does not work on several devices, and 2 are given", "permeability",
                   "a.geom.h5", "--ranks", "2", "--stream", "ring", "--dry-run", "--backend", "cpu");
    const cli_result r =
        cli_test_run("permeability", "a.geom.h5", "--ranks", "9", "--dry-run", "--backend", "cpu");
    cr_assert_not_null(strstr(r.out, "3, not 9: a part has 4,096 nodes or more"), "%s", r.out);
}

/* Two runs share a device, and have the results of each alone. */
Test(permeability_parts, two_runs_share_a_device)
{
    char line[2048];
    static const char *const names[] = {"1.json", "2.json", "3.json"};
    make_array("a.geom.h5", "24");
    snprintf(line, sizeof line,
             "RILL_ALONE='%s permeability a.geom.h5 --backend cpu --ranks 2 -q --json'; "
             "$RILL_ALONE 1.json && { $RILL_ALONE 2.json & $RILL_ALONE 3.json && wait $!; }",
             getenv("RILL"));
    cr_assert_eq(system(line), 0);
    double k[3], steps[3];
    for (int r = 0; r < 3; r++) {
        json_t *json = load(names[r]);
        k[r] = real(json, "permeability.lu.zz"), steps[r] = real(json, "steps");
        json_decref(json);
    }
    cr_assert(k[1] == k[0] && k[2] == k[0] && steps[1] == steps[0] && steps[2] == steps[0]);
}
