/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file laws.h
 * Viscosity laws: in the case file, and the shear rates that go with stresses.
 */
#ifndef RILL_VESSEL_LAWS_H
#define RILL_VESSEL_LAWS_H

#include "vessel/case/yaml.h"
#include "vessel/case/case.h"

/** Read a rill_law: a quantity, or a mapping that names its law. See rill_key. */
rill_status rill_law_read(const rill_yaml *yaml, const rill_yaml_value *value, const char *where, void *into);

/** Return the schema of it; the caller owns it. NULL: out of memory. */
struct json_t *rill_law_schema(void);

/**
 * Return the g = sqrt(2 S:S), 1/s, at which the law's stress eta(g) g is this. Casson: 0 below the yield
 * stress, sqrt(stress) = sqrt(yield) + sqrt(viscosity g) above (Casson 1959).
 * @param[in] stress  sqrt(sigma:sigma / 2), Pa
 */
double rill_shear_rate(const rill_law *law, double stress);

#endif
