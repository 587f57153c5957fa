/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lid-driven cavities against Ghia, Ghia & Shin (1982), doi:10.1016/0021-9991(82)90058-4, whose own values
 * are up to 2 % off, and Botella & Peyret (1998), doi:10.1016/S0045-7930(98)00002-4, whose are exact to all
 * digits.
 */
#include "verify/cavity.h"

#include "core/status.h"
#include "verify/groups.h"

static const char GHIA[] = "Ghia, Ghia & Shin 1982, doi:10.1016/0021-9991(82)90058-4";
static const char BOTELLA[] = "Botella & Peyret 1998, doi:10.1016/S0045-7930(98)00002-4";

static rill_status run(const rill_verify_case *of, const rill_verify_setup *setup, rill_verify_values *values)
{
    const rill_sim_options options = rill_verify_options(setup, 1);
    rill_verify_cavity_flow flow;
    const rill_status status = rill_verify_cavity_run(of->data, &options, &flow);
    values->found[0] = flow.u_min;
    values->found[1] = flow.v_max;
    values->found[2] = flow.v_min;
    rill_verify_cavity_free(&flow);
    return status;
}

#define CAVITY(name_, full_, re_, cells_, turns_, limit_, table_, source_, run_)                             \
    {                                                                                                        \
        .name = "cavities/" name_,                                                                           \
        .what = "lid-driven cavity, Re " #re_ ", " #cells_ " voxels, second-order equilibrium",              \
        .full = full_,                                                                                       \
        RILL_VERIFY_LIST({"least u on x = 1/2",                                                              \
                          "U",                                                                               \
                          RILL_VERIFY_RELATIVE,                                                              \
                          0,                                                                                 \
                          {limit_, limit_, limit_ + 0.02},                                                   \
                          source_,                                                                           \
                          {table_, #re_, "least u"}},                                                        \
                         {"largest v on y = 1/2",                                                            \
                          "U",                                                                               \
                          RILL_VERIFY_RELATIVE,                                                              \
                          0,                                                                                 \
                          {limit_, limit_, limit_ + 0.02},                                                   \
                          source_,                                                                           \
                          {table_, #re_, "largest v"}},                                                      \
                         {"least v on y = 1/2",                                                              \
                          "U",                                                                               \
                          RILL_VERIFY_RELATIVE,                                                              \
                          0,                                                                                 \
                          {limit_, limit_, limit_ + 0.02},                                                   \
                          source_,                                                                           \
                          {table_, #re_, "least v"}}),                                                       \
        .data = &(const rill_verify_cavity){cells_, 0.1, re_, turns_}, .run = run_                           \
    }

/*
 * At the corners of the lid the velocity jumps, so that extremes converge with order 1: extrapolated to no
 * voxels from n/2 and n.
 */
static rill_status limit_run(const rill_verify_case *of, const rill_verify_setup *setup,
                             rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const rill_verify_cavity *fine = of->data;
    rill_verify_cavity coarse = *fine;
    const rill_sim_options options = rill_verify_options(setup, 1);
    rill_verify_cavity_flow flow;
    coarse.cells /= 2;
    RILL_TRY(run(of, setup, values));
    status = rill_verify_cavity_run(&coarse, &options, &flow);
    values->found[0] = 2 * values->found[0] - flow.u_min;
    values->found[1] = 2 * values->found[1] - flow.v_max;
    values->found[2] = 2 * values->found[2] - flow.v_min;
    rill_verify_cavity_free(&flow);
done:
    return status;
}

static const rill_verify_case cases[] = {
    CAVITY("100-64", false, 100, 64, 40, 0.02, "cavity-ghia-1982", GHIA, run),
    CAVITY("100-128", true, 100, 128, 40, 0.02, "cavity-ghia-1982", GHIA, run),
    CAVITY("400-limit", true, 400, 256, 80, 0.02, "cavity-ghia-1982", GHIA, limit_run),
    CAVITY("1000-limit", true, 1000, 256, 120, 0.01, "cavity-botella-1998", BOTELLA, limit_run),
};

const rill_verify_group rill_verify_cavities = {cases, sizeof cases / sizeof *cases};
