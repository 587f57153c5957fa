/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file yaml_schema.h
 * JSON Schema (draft 2020-12) of the tables by which YAML is read (yaml.h). Editors complete and check a case
 * file with it. What a table cannot express, such as the dimension of a unit, is not in the schema.
 */
#ifndef RILL_VESSEL_YAML_SCHEMA_H
#define RILL_VESSEL_YAML_SCHEMA_H

#include "vessel/case/yaml.h"

#include <jansson.h>

/** Return the schema of a mapping with the keys of a table. NULL: out of memory, as for all functions here.
 */
json_t *rill_yaml_schema_map(const rill_key *keys);

/** Return the schema of a file with the keys of a table. @param name  of the schema, behind urn:rill:schema:
 */
json_t *rill_yaml_schema_file(const char *name, const char *title, const char *description,
                              const rill_key *keys);

/**
 * Return the schema of a mapping whose first key selects the table of the others.
 * @param names   NULL-terminated values of the first key
 * @param tables  [values of the first key]; all begin with that key
 */
json_t *rill_yaml_schema_kinds(const char *const *names, const rill_key *const *tables);

/** Return the schema of a quantity. @param key  unit and limits are used */
json_t *rill_yaml_schema_quantity(const rill_key *key);

/** Return the schema of a list of three quantities, x, y, z. */
json_t *rill_yaml_schema_place(const char *unit);

/**
 * Return the schema of a mapping from names of the user to values.
 * @param item   schema of a value; taken
 * @param least, most  values; most = 0: no limit
 */
json_t *rill_yaml_schema_names(json_t *item, int least, int most);

#endif
