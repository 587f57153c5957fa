/* SPDX-License-Identifier: Apache-2.0 */
/* Keys as JSON Schema. A function returns NULL when memory is out; json_pack() passes that on. */
#include "vessel/case/yaml_schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NUMBER "^\\s*[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?"
#define UNIT "\\s*[^-\\s0-9.+*/@(^][^@]*$" /* as rill_units_parse() */

/* "5.7 um"; without dimension also "30 %" and "0.3". */
static const char with_unit[] = NUMBER UNIT, without_dimension[] = NUMBER "(\\s*|" UNIT ")$";

/* Opening names, as rill_opening_name_check(). */
static const char name_pattern[] = "^[A-Za-z0-9_+-][A-Za-z0-9_.+-]*$";

static bool has_limits(const rill_key *key) { return key->min < key->max; }

/* "Above 0, at most 5 s.", nothing where every finite value is allowed. */
static void limits_format(const rill_key *key, char *text, size_t size)
{
    const char *unit = key->unit && strcmp(key->unit, "1") ? key->unit : "";
    char most[64] = "";
    text[0] = '\0';
    if (!has_limits(key)) return;
    if (isfinite(key->max)) snprintf(most, sizeof most, ", at most %g", key->max);
    snprintf(text, size, " %s %g%s%s%s.", key->above ? "Above" : "At least", key->min, most, *unit ? " " : "",
             unit);
}

static json_t *described(json_t *schema, const rill_key *key)
{
    char text[512], limits[128] = "";
    if (key->kind == RILL_KEY_QUANTITY) limits_format(key, limits, sizeof limits);
    snprintf(text, sizeof text, "%s%s", key->help ? key->help : "", limits);
    if (schema && json_object_set_new(schema, "description", json_string(text)) == 0) return schema;
    json_decref(schema);
    return NULL;
}

static json_t *limited(json_t *schema, const rill_key *key)
{
    int failed = !schema;
    if (has_limits(key) && !failed)
        failed =
            json_object_set_new(schema, key->above ? "exclusiveMinimum" : "minimum", json_real(key->min));
    if (has_limits(key) && isfinite(key->max) && !failed)
        failed = json_object_set_new(schema, "maximum", json_real(key->max));
    if (!failed) return schema;
    json_decref(schema);
    return NULL;
}

json_t *rill_yaml_schema_quantity(const rill_key *key)
{
    if (strcmp(key->unit, "1")) return json_pack("{s:s, s:s}", "type", "string", "pattern", with_unit);
    /* The limits concern numbers alone, the pattern texts alone. */
    return limited(json_pack("{s:[s,s], s:s}", "type", "number", "string", "pattern", without_dimension),
                   key);
}

json_t *rill_yaml_schema_place(const char *unit)
{
    const rill_key key = {.unit = unit};
    return json_pack("{s:s, s:o, s:i, s:i}", "type", "array", "items", rill_yaml_schema_quantity(&key),
                     "minItems", 3, "maxItems", 3);
}

json_t *rill_yaml_schema_names(json_t *item, int least, int most)
{
    json_t *schema =
        json_pack("{s:s, s:{s:s, s:i}, s:o}", "type", "object", "propertyNames", "pattern", name_pattern,
                  "maxLength", RILL_OPENING_NAME - 1, "additionalProperties", item);
    if (schema && least > 0) json_object_set_new(schema, "minProperties", json_integer(least));
    if (schema && most > 0) json_object_set_new(schema, "maxProperties", json_integer(most));
    return schema;
}

static json_t *names_json(const char *const *names)
{
    json_t *list = json_array();
    for (int k = 0; names[k]; k++) json_array_append_new(list, json_string(names[k]));
    return list;
}

/* The words of YAML for a truth value: a reader of YAML 1.1 makes truth values of them, one of 1.2 texts. */
static json_t *yes_json(void)
{
    return json_pack("{s:[b,b,s,s,s,s,s,s]}", "enum", 1, 0, "yes", "no", "on", "off", "y", "n");
}

static json_t *value_json(const rill_key *key)
{
    switch (key->kind) {
    case RILL_KEY_TEXT:
        return json_pack("{s:s, s:i}", "type", "string", "minLength", 1);
    case RILL_KEY_QUANTITY:
        return rill_yaml_schema_quantity(key);
    case RILL_KEY_COUNT:
        return limited(json_pack("{s:s}", "type", "integer"), key);
    case RILL_KEY_YES:
        return yes_json();
    case RILL_KEY_CHOICE:
        return json_pack("{s:o}", "enum", names_json(key->choices));
    case RILL_KEY_MAP:
        return rill_yaml_schema_map(key->keys);
    case RILL_KEY_CALL:
        return key->schema();
    }
    return NULL;
}

json_t *rill_yaml_schema_map(const rill_key *keys)
{
    json_t *properties = json_object(), *required = json_array();
    for (const rill_key *key = keys; key->name; key++) {
        json_t *value = described(value_json(key), key);
        if (!value || json_object_set_new(properties, key->name, value)) {
            json_decref(properties);
            json_decref(required);
            return NULL;
        }
        if (key->required) json_array_append_new(required, json_string(key->name));
    }
    return json_pack("{s:s, s:o, s:b, s:o}", "type", "object", "properties", properties,
                     "additionalProperties", 0, "required", required);
}

json_t *rill_yaml_schema_file(const char *name, const char *title, const char *description,
                              const rill_key *keys)
{
    json_t *head =
        json_pack("{s:s, s:s+, s:s, s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema", "$id",
                  "urn:rill:schema:", name, "title", title, "description", description);
    json_t *schema = rill_yaml_schema_map(keys);
    const int failed = !head || !schema || json_object_update(head, schema);
    json_decref(schema);
    if (!failed) return head;
    json_decref(head);
    return NULL;
}

json_t *rill_yaml_schema_kinds(const char *const *names, const rill_key *const *tables)
{
    const rill_key *selector = tables[0];
    json_t *branches = json_array();
    for (int k = 0; names[k]; k++) {
        json_t *then = rill_yaml_schema_map(tables[k]);
        json_t *branch = json_pack("{s:{s:{s:{s:s}}, s:[s]}, s:o}", "if", "properties", selector->name,
                                   "const", names[k], "required", selector->name, "then", then);
        if (!branch || json_array_append_new(branches, branch)) {
            json_decref(branches);
            return NULL;
        }
    }
    return json_pack("{s:s, s:{s:o}, s:[s], s:o}", "type", "object", "properties", selector->name,
                     described(json_pack("{s:o}", "enum", names_json(names)), selector), "required",
                     selector->name, "allOf", branches);
}
