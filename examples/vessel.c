/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vessel's case, with nothing but the installed library:
 *
 *     cc vessel.c $(pkg-config --cflags --libs rill) -o vessel && ./vessel vessel.yaml results
 *
 * What `rill run` does: the case is read, planned on its geometry, refused where something speaks against it,
 * and run until its cycles repeat or it is steady. Files go to the directory, which must exist; flow and
 * pressure of the last cycle are printed. Control-C writes a checkpoint and ends the run.
 */
#include <rill.h>
#include <stdio.h>

static volatile sig_atomic_t cancelled;

static void on_signal(int number)
{
    (void)number;
    cancelled = 1;
}

static bool watch(void *context, const rill_progress_moment *moment)
{
    (void)context;
    if (moment->run)
        fprintf(stderr, "%.4g s, Mach %.3f, at most %.0f s left\n", moment->run->time, moment->run->mach,
                moment->seconds_left);
    return !cancelled;
}

static void print_plan(const rill_case_plan *plan)
{
    printf("%llu nodes of %g mm, steps of %g us, Mach %.3f, Reynolds %.3g, %.3g MiB\n",
           (unsigned long long)plan->nodes, 1e3 * plan->scales.length, 1e6 * plan->scales.time,
           plan->peak.mach, plan->peak.reynolds, (double)plan->resources.host_bytes / (1 << 20));
    for (int k = 0; k < plan->verdict_count; k++) printf("note: %s\n", plan->verdicts[k].text);
}

static void print_result(const rill_surface *surface, const rill_run_result *result)
{
    static const char *const ends[] = {"it repeats", "its time is up", "it was cancelled", "it diverged"};
    printf("%s after %.4g s; wall shear %.4g Pa in the mean\n", ends[result->end], result->time,
           result->shear.mean);
    for (int k = 0; k < surface->opening_count; k++)
        printf("%s: flow %.6g mL/s, pressure %.6g Pa\n", surface->openings[k].name, 1e6 * result->flow[k],
               result->pressure[k]);
}

int main(int argc, char **argv)
{
    rill_case *given = NULL;
    rill_geom *geom = NULL;
    rill_vessel *vessel = NULL;
    static rill_case_plan plan;
    static rill_run_result result;
    const rill_case_plan_options where = {.on.backend = RILL_BACKEND_AUTO};
    if (argc != 3) {
        fprintf(stderr, "usage: vessel CASE.yaml DIRECTORY\n");
        return RILL_USAGE;
    }
    const rill_run_options how = {
        .directory = argv[2], .fields = RILL_FIELDS_SPARSE, .progress = {watch, NULL}};
    rill_status status = rill_case_read(argv[1], &given);
    if (status == RILL_OK) status = rill_geom_read(rill_case_geometry(given), &geom);
    if (status == RILL_OK) status = rill_case_close(given, geom);
    if (status == RILL_OK) status = rill_case_plan_make(given, geom, &where, &plan);
    if (status == RILL_OK) {
        print_plan(&plan);
        status = rill_case_plan_accept(&plan);
    }
    if (status == RILL_OK) status = rill_vessel_create(given, geom, &plan, &vessel);
    if (status == RILL_OK) {
        signal(SIGINT, on_signal);
        status = rill_case_run(vessel, &how, &result);
    }
    if (status == RILL_OK)
        print_result(geom->surface, &result);
    else
        fprintf(stderr, "vessel: %s\n", rill_error_message());
    rill_vessel_destroy(vessel);
    rill_case_plan_free(&plan);
    rill_geom_destroy(geom);
    rill_case_destroy(given);
    return status;
}
