/* SPDX-License-Identifier: Apache-2.0 */
/* Suites of cases, and how a case is judged. */
#include "verify/verify.h"
#include "core/clock.h"

#include "core/status.h"
#include "verify/groups.h"

#include <math.h>
#include <stdio.h>

const char *const rill_verify_suite_names[RILL_VERIFY_SUITES + 1] = {"reference", "formats",  "sizes",
                                                                     "vessels",   "capsules", "free-surface"};

static const rill_verify_group *const reference[] = {
    &rill_verify_channels, &rill_verify_pipes,    &rill_verify_cylinders,
    &rill_verify_spheres,  &rill_verify_vortices, &rill_verify_cavities,
    &rill_verify_streets,  &rill_verify_rocks,    NULL,
};
static const rill_verify_group *const formats[] = {&rill_verify_format_pipes,    &rill_verify_format_vortices,
                                                   &rill_verify_format_flows,    &rill_verify_format_pores,
                                                   &rill_verify_format_capsules, NULL};
static const rill_verify_group *const sizes[] = {&rill_verify_sizes, NULL};
static const rill_verify_group *const vessels[] = {&rill_verify_vessel_pipes,
                                                   &rill_verify_vessel_blood,
                                                   &rill_verify_vessel_shear,
                                                   &rill_verify_vessel_walls,
                                                   &rill_verify_vessel_ducts,
                                                   &rill_verify_vessel_tori,
                                                   &rill_verify_vessel_pulses,
                                                   &rill_verify_vessel_accuracies,
                                                   &rill_verify_vessel_bodies,
                                                   &rill_verify_vessel_cases,
                                                   NULL};
static const rill_verify_group *const capsules[] = {&rill_verify_capsules, &rill_verify_tweezers_cases, NULL};
static const rill_verify_group *const free_surface[] = {&rill_verify_free_surface, NULL};
static const rill_verify_group *const *const suites[RILL_VERIFY_SUITES] = {reference, formats,  sizes,
                                                                           vessels,   capsules, free_surface};

int rill_verify_count(rill_verify_suite suite)
{
    int count = 0;
    for (const rill_verify_group *const *g = suites[suite]; *g; g++) count += (*g)->count;
    return count;
}

const rill_verify_case *rill_verify_at(rill_verify_suite suite, int k)
{
    const rill_verify_group *const *g = suites[suite];
    for (; k >= (*g)->count; g++) k -= (*g)->count;
    return &(*g)->cases[k];
}

rill_verify_precision rill_verify_precision_of(rill_variant variant)
{
    if (variant.storage == RILL_FP64) return RILL_VERIFY_64;
    return variant.storage == RILL_FP32 ? RILL_VERIFY_32 : RILL_VERIFY_16;
}

static rill_verify_outcome judge(const rill_verify_check *check, double found, double expected, double limit)
{
    rill_verify_outcome o = {.found = found, .expected = NAN, .deviation = NAN, .limit = limit};
    switch (check->measure) {
    case RILL_VERIFY_RELATIVE:
        o.expected = expected;
        o.deviation = found / expected - 1;
        o.pass = fabs(o.deviation) <= limit;
        break;
    case RILL_VERIFY_ABSOLUTE:
        o.expected = expected;
        o.deviation = found - expected;
        o.pass = fabs(o.deviation) <= limit;
        break;
    case RILL_VERIFY_AT_MOST:
        o.pass = found <= limit;
        break;
    case RILL_VERIFY_AT_LEAST:
        o.pass = found >= limit;
        break;
    }
    if (isinf(limit)) o.pass = isfinite(found);
    return o;
}

rill_status rill_verify_read(const rill_verify_case *of, rill_verify_values *values)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < of->check_count; k++) {
        const rill_verify_check *check = &of->checks[k];
        values->expected[k] = check->expected;
        if (!check->reference.table) continue;
        RILL_TRY(
            rill_verify_reference_read(&check->reference, &values->expected[k], &values->uncertainty[k]));
        if (check->measure == RILL_VERIFY_RELATIVE) values->uncertainty[k] /= fabs(values->expected[k]);
    }
done:
    if (status != RILL_OK) rill_fail_prefix("%s", of->name);
    return status;
}

rill_status rill_verify_run(const rill_verify_case *of, const rill_verify_setup *setup, json_t *series,
                            rill_verify_record *record)
{
    rill_status status = RILL_OK;
    rill_verify_values values = {.series = series};
    *record = (rill_verify_record){.of = of};
    const char *why = of->full && !setup->full ? "of the full set" : NULL;
    if (!why && of->unfit) why = of->unfit(of, setup);
    if (why) {
        record->skipped = true;
        snprintf(record->reason, sizeof record->reason, "%s", why);
        return RILL_OK;
    }
    for (int k = 0; k < of->check_count; k++) values.found[k] = NAN;
    RILL_TRY(rill_verify_read(of, &values));
    const double start = rill_now();
    status = of->run(of, setup, &values);
    record->seconds = rill_now() - start;
    if (status == RILL_NUMERICS) {
        snprintf(record->reason, sizeof record->reason, "%s", rill_error_message());
        status = RILL_OK;
    }
    RILL_TRY(status);
    const rill_verify_precision precision = rill_verify_precision_of(setup->variant);
    record->pass = !record->reason[0];
    for (int k = 0; k < of->check_count; k++) {
        const rill_verify_check *check = &of->checks[k];
        const double limit = check->limit[precision] + values.uncertainty[k] + values.rounding[k];
        record->outcomes[k] = judge(check, values.found[k], values.expected[k], limit);
        record->pass = record->pass && record->outcomes[k].pass;
    }
done:
    if (status != RILL_OK) rill_fail_prefix("%s", of->name);
    return status;
}
