/* SPDX-License-Identifier: Apache-2.0 */
/* What a case file says of viscosity, and shear rates from stresses. */
#include "vessel/case/laws.h"

#include "vessel/case/case.h"
#include "vessel/case/yaml_schema.h"

#include <math.h>
#include <stddef.h>

#define OF_LAW(member) offsetof(rill_law, member)

static const char *const laws[] = {"newtonian", "carreau-yasuda", "casson", NULL};

#define LAW                                                                                                  \
    {                                                                                                        \
        "law", RILL_KEY_CHOICE, OF_LAW(kind), true, .choices = laws, .help = "Dependence on the shear rate." \
    }
#define OF(name, member, ...)                                                                                \
    {                                                                                                        \
        name, RILL_KEY_QUANTITY, OF_LAW(member), true, __VA_ARGS__                                           \
    }

/* clang-format off */
static const rill_key newtonian_keys[] = {LAW,
    OF("viscosity", viscosity, "Pa.s", 0, INFINITY, true, .help = "Dynamic viscosity."),
    {0}};
static const rill_key carreau_keys[] = {LAW,
    OF("at-rest", at_rest, "Pa.s", 0, INFINITY, true, .help = "Dynamic viscosity at rest."),
    OF("at-infinite-shear", viscosity, "Pa.s", 0, INFINITY, true, .help = "Dynamic viscosity at infinite shear rate."),
    OF("time", time, "s", 0, INFINITY, true, .help = "Relaxation time lambda."),
    OF("index", index, "1", 0, 2, true, .help = "Power index n."),
    OF("sharpness", sharpness, "1", 0, 10, true, .help = "Exponent a of the transition."),
    {0}};
static const rill_key casson_keys[] = {LAW,
    OF("plastic-viscosity", viscosity, "Pa.s", 0, INFINITY, true, .help = "Dynamic viscosity at infinite shear rate."),
    OF("yield-stress", yield_stress, "Pa", 0, INFINITY, true, .help = "Yield stress."),
    {0}};
/* clang-format on */

static const rill_key *const law_tables[] = {newtonian_keys, carreau_keys, casson_keys};

rill_status rill_law_read(const rill_yaml *yaml, const rill_yaml_value *value, const char *where, void *into)
{
    rill_law *law = into;
    if (!rill_yaml_is_map(value)) {
        const rill_status status = rill_yaml_quantity(yaml, value, where, "Pa.s", &law->viscosity);
        if (status != RILL_OK || law->viscosity > 0) return status;
        return rill_yaml_fail(yaml, value, "%s is %s: it must be above 0", where, rill_yaml_scalar(value));
    }
    const rill_yaml_value *kind = rill_yaml_get(yaml, value, "law");
    int k = 0;
    if (!kind)
        return rill_yaml_fail(yaml, value, "%s lacks the key \"law\": newtonian, carreau-yasuda or casson",
                              where);
    const rill_status status = rill_yaml_choice(yaml, kind, "law of viscosity", laws, &k);
    return status == RILL_OK ? rill_yaml_map(yaml, value, "viscosity", law_tables[k], law, NULL) : status;
}

json_t *rill_law_schema(void)
{
    return json_pack("{s:[o, o]}", "anyOf", rill_yaml_schema_quantity(&newtonian_keys[1]),
                     rill_yaml_schema_kinds(laws, law_tables));
}

/* ---- shear rates ---- */

/* Newton's method on log(eta g) = log(stress), whose slope in log g lies between the index and 1. */
static double carreau_yasuda(const rill_law *law, double stress)
{
    double x = log(stress / law->at_rest);
    for (int k = 0; k < 8; k++) {
        const double power = pow(law->time * exp(x), law->sharpness), m = (law->index - 1) / law->sharpness;
        const double thinned = (law->at_rest - law->viscosity) * pow(1 + power, m);
        const double eta = law->viscosity + thinned;
        const double slope = 1 + m * law->sharpness * thinned * power / ((1 + power) * eta);
        x -= (x + log(eta) - log(stress)) / slope;
    }
    return exp(x);
}

double rill_shear_rate(const rill_law *law, double stress)
{
    if (!(stress > 0)) return 0;
    if (law->kind == RILL_LAW_CARREAU_YASUDA) return carreau_yasuda(law, stress);
    if (law->kind == RILL_LAW_CASSON) {
        const double above = sqrt(stress) - sqrt(law->yield_stress);
        return above > 0 ? above * above / law->viscosity : 0;
    }
    return stress / law->viscosity;
}
