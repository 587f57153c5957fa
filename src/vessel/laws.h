/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file laws.h
 * Viscosity laws in the case file.
 */
#ifndef RILL_VESSEL_LAWS_H
#define RILL_VESSEL_LAWS_H

#include "vessel/yaml.h"

/** Read a rill_law: a quantity, or a mapping that names its law. See rill_key. */
rill_status rill_law_read(const rill_yaml *yaml, const rill_yaml_value *value, const char *where, void *into);

/** Return the schema of it; the caller owns it. NULL: out of memory. */
struct json_t *rill_law_schema(void);

#endif
