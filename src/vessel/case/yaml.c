/* SPDX-License-Identifier: Apache-2.0 */
/* YAML by a schema. A value is a node of libyaml's document; the document gives lines, libyaml gives no
 * schema. */
#include "vessel/case/yaml.h"

#include "core/nearest.h"
#include "core/reading.h"
#include "core/status.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum {
    BYTES = 1 << 20,
    KEYS = 64,
    DEPTH_MOST = 64,     /* lists and mappings within each other */
    VALUES_MOST = 20000, /* keys and values of a file */
    NAMES_MOST = 4096    /* keys of a mapping; anchors of a file */
};

struct rill_yaml {
    const char *path; /* borrowed */
    char *text;
    yaml_document_t document;
    bool loaded;
};

static const yaml_node_t *node_of(const rill_yaml_value *value)
{
    return (const yaml_node_t *)(const void *)value;
}

static const rill_yaml_value *value_at(const rill_yaml *yaml, int number)
{
    return (const void *)yaml_document_get_node((yaml_document_t *)&yaml->document, number);
}

int rill_yaml_line(const rill_yaml_value *value) { return (int)node_of(value)->start_mark.line + 1; }

rill_status rill_yaml_fail(const rill_yaml *yaml, const rill_yaml_value *value, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return rill_fail(RILL_USAGE, "%s:%d: %s", yaml->path, rill_yaml_line(value), text);
}

/* ---- the file -------------------------------------------------------------------------------- */

static rill_status slurp(rill_yaml *y, size_t *size)
{
    FILE *file = fopen(y->path, "rb");
    if (!file) return rill_fail_reading(errno, y->path, "cannot read %s", y->path);
    y->text = malloc(BYTES + 2);
    *size = y->text ? fread(y->text, 1, BYTES + 1, file) : 0;
    const int error = ferror(file) ? errno : 0;
    fclose(file);
    if (!y->text) return rill_fail(RILL_SYSTEM, "out of memory for %s", y->path);
    if (error) return rill_fail_reading(error, y->path, "cannot read %s", y->path);
    if (*size > BYTES)
        return rill_fail(RILL_USAGE, "%s is larger than 1 MiB: that is not a case file", y->path);
    y->text[*size] = '\0';
    if (memchr(y->text, '\0', *size))
        return rill_fail(
            RILL_USAGE,
            "%s is not a text: name the case, a YAML file that names its geometry (docs/vessels.md)",
            y->path);
    return RILL_OK;
}

static rill_status copy(rill_yaml *y, const char *text, size_t *size)
{
    *size = strnlen(text, BYTES + 1);
    if (*size > BYTES) return rill_fail(RILL_USAGE, "%s is larger than 1 MiB: that is not a case", y->path);
    y->text = strdup(text);
    return y->text ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for %s", y->path);
}

/* Return whether a line, from 1, begins with blanks of which one is a tab. */
static bool is_tabbed(const char *text, int line)
{
    for (; line > 1 && text; line--) text = (text = strchr(text, '\n')) ? text + 1 : NULL;
    return text && memchr(text, '\t', strspn(text, " \t"));
}

static rill_status parse_failed(const rill_yaml *y, const yaml_parser_t *parser)
{
    const int line =
        (int)(parser->problem_mark.line ? parser->problem_mark.line : parser->context_mark.line) + 1;
    if (parser->error == YAML_MEMORY_ERROR || errno == ENOMEM) /* libyaml does not always say which it was */
        return rill_fail(RILL_SYSTEM, "out of memory for %s", y->path);
    if (is_tabbed(y->text, line))
        return rill_fail(
            RILL_USAGE,
            "%s:%d: the line is indented with a tab, which YAML does not allow: indent with spaces", y->path,
            line);
    return rill_fail(RILL_USAGE, "%s:%d: this is not YAML: %s%s%s", y->path, line,
                     parser->problem ? parser->problem : "it cannot be parsed", parser->context ? " " : "",
                     parser->context ? parser->context : "");
}

/* Counts of the events of a file. */
typedef struct counts {
    int depth, values, anchors;
    int keys[DEPTH_MOST + 1]; /* keys and values of the mapping or list at each depth */
    bool map[DEPTH_MOST + 1];
} counts;

static rill_status too_many(const rill_yaml *y, size_t line, const char *what, int most)
{
    return rill_fail(RILL_USAGE, "%s:%zu: it has more than %d %s: that is not a case file", y->path, line + 1,
                     most, what);
}

static rill_status count_event(const rill_yaml *y, const yaml_event_t *event, counts *c)
{
    const yaml_event_type_t type = event->type;
    const size_t line = event->start_mark.line;
    const bool list = type == YAML_SEQUENCE_START_EVENT, map = type == YAML_MAPPING_START_EVENT;
    const bool value = list || map || type == YAML_SCALAR_EVENT || type == YAML_ALIAS_EVENT;
    const bool anchored = (list && event->data.sequence_start.anchor) ||
                          (map && event->data.mapping_start.anchor) ||
                          (type == YAML_SCALAR_EVENT && event->data.scalar.anchor);
    if (type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT) c->depth--;
    if (!value) return RILL_OK;
    if (++c->values > VALUES_MOST) return too_many(y, line, "keys and values", VALUES_MOST);
    if ((c->anchors += anchored) > NAMES_MOST) return too_many(y, line, "anchors", NAMES_MOST);
    if (++c->keys[c->depth] > 2 * NAMES_MOST && c->map[c->depth])
        return too_many(y, line, "keys in one mapping", NAMES_MOST);
    if (!list && !map) return RILL_OK;
    if (++c->depth > DEPTH_MOST) return too_many(y, line, "lists and mappings within each other", DEPTH_MOST);
    c->keys[c->depth] = 0;
    c->map[c->depth] = map;
    return RILL_OK;
}

/* Refuse what a case cannot have before the document is made of it: libyaml's effort grows with the square of
 * depth and of anchors, and the search for doubled keys with that of the keys. What is no YAML passes. */
static rill_status check_counts(const rill_yaml *y, size_t size)
{
    rill_status status = RILL_OK;
    counts c = {0};
    yaml_parser_t parser;
    yaml_event_t event;
    if (!yaml_parser_initialize(&parser)) return rill_fail(RILL_SYSTEM, "out of memory for %s", y->path);
    yaml_parser_set_input_string(&parser, (const unsigned char *)y->text, size);
    for (bool more = true; more && status == RILL_OK && yaml_parser_parse(&parser, &event);) {
        more = event.type != YAML_STREAM_END_EVENT;
        status = count_event(y, &event, &c);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return status;
}

static rill_status parse(rill_yaml *y, size_t size)
{
    rill_status status = RILL_OK;
    yaml_parser_t parser;
    errno = 0;
    if (!yaml_parser_initialize(&parser)) return rill_fail(RILL_SYSTEM, "out of memory for %s", y->path);
    yaml_parser_set_input_string(&parser, (const unsigned char *)y->text, size);
    if (!yaml_parser_load(&parser, &y->document)) {
        status = parse_failed(y, &parser);
        goto done;
    }
    y->loaded = true;
    if (!yaml_document_get_root_node(&y->document)) {
        status = rill_fail(RILL_USAGE, "%s is empty: docs/vessels.md describes the case file", y->path);
        goto done;
    }
    yaml_document_t second;
    if (!yaml_parser_load(&parser, &second)) {
        status = parse_failed(y, &parser);
        goto done;
    }
    if (yaml_document_get_root_node(&second))
        status =
            rill_fail(RILL_USAGE, "%s holds a second document after \"---\": a file is one case", y->path);
    yaml_document_delete(&second);
done:
    yaml_parser_delete(&parser);
    return status;
}

/* Read a text, or the file of this name where it is NULL. */
static rill_status read_one(const char *text, const char *path, rill_yaml **out)
{
    rill_status status = RILL_OK;
    size_t size = 0;
    rill_yaml *y = calloc(1, sizeof *y);
    if (!y) return rill_fail(RILL_SYSTEM, "out of memory for %s", path);
    y->path = path;
    RILL_TRY(text ? copy(y, text, &size) : slurp(y, &size));
    RILL_TRY(check_counts(y, size));
    RILL_TRY(parse(y, size));
    *out = y;
    y = NULL;
done:
    rill_yaml_destroy(y);
    return status;
}

rill_status rill_yaml_read(const char *path, rill_yaml **out) { return read_one(NULL, path, out); }

rill_status rill_yaml_read_text(const char *text, const char *path, rill_yaml **out)
{
    return read_one(text, path, out);
}

void rill_yaml_destroy(rill_yaml *y)
{
    if (!y) return;
    if (y->loaded) yaml_document_delete(&y->document);
    free(y->text);
    free(y);
}

const char *rill_yaml_text(const rill_yaml *yaml) { return yaml->text; }

const rill_yaml_value *rill_yaml_root(const rill_yaml *yaml)
{
    return (const void *)yaml_document_get_root_node((yaml_document_t *)&yaml->document);
}

/* ---- values ---------------------------------------------------------------------------------- */

bool rill_yaml_is_map(const rill_yaml_value *value) { return node_of(value)->type == YAML_MAPPING_NODE; }

bool rill_yaml_is_list(const rill_yaml_value *value) { return node_of(value)->type == YAML_SEQUENCE_NODE; }

const char *rill_yaml_scalar(const rill_yaml_value *value)
{
    const yaml_node_t *n = node_of(value);
    return n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : NULL;
}

int rill_yaml_count(const rill_yaml_value *value)
{
    const yaml_node_t *n = node_of(value);
    if (n->type == YAML_MAPPING_NODE) return (int)(n->data.mapping.pairs.top - n->data.mapping.pairs.start);
    if (n->type == YAML_SEQUENCE_NODE)
        return (int)(n->data.sequence.items.top - n->data.sequence.items.start);
    return 0;
}

const rill_yaml_value *rill_yaml_item(const rill_yaml *yaml, const rill_yaml_value *value, int k,
                                      const rill_yaml_value **key)
{
    const yaml_node_t *n = node_of(value);
    if (n->type == YAML_SEQUENCE_NODE) return value_at(yaml, n->data.sequence.items.start[k]);
    if (key) *key = value_at(yaml, n->data.mapping.pairs.start[k].key);
    return value_at(yaml, n->data.mapping.pairs.start[k].value);
}

const rill_yaml_value *rill_yaml_get(const rill_yaml *yaml, const rill_yaml_value *map, const char *name)
{
    for (int k = 0; rill_yaml_is_map(map) && k < rill_yaml_count(map); k++) {
        const rill_yaml_value *key, *value = rill_yaml_item(yaml, map, k, &key);
        const char *text = rill_yaml_scalar(key);
        if (text && strcmp(text, name) == 0) return value;
    }
    return NULL;
}

rill_status rill_yaml_names(const rill_yaml *yaml, const rill_yaml_value *map, const char *where)
{
    for (int k = 0; k < rill_yaml_count(map); k++) {
        const rill_yaml_value *key, *other;
        rill_yaml_item(yaml, map, k, &key);
        if (!rill_yaml_scalar(key)) return rill_yaml_fail(yaml, key, "a key of %s is not a text", where);
        for (int j = 0; j < k; j++) {
            rill_yaml_item(yaml, map, j, &other);
            if (strcmp(rill_yaml_scalar(key), rill_yaml_scalar(other)) == 0)
                return rill_yaml_fail(yaml, key, "%s: \"%.60s\" stands here twice, first on line %d", where,
                                      rill_yaml_scalar(key), rill_yaml_line(other));
        }
    }
    return RILL_OK;
}

rill_status rill_yaml_quantity(const rill_yaml *yaml, const rill_yaml_value *value, const char *what,
                               const char *unit, double *out)
{
    const char *text = rill_yaml_scalar(value);
    if (!text) return rill_yaml_fail(yaml, value, "%s is not a quantity: give a number and its unit", what);
    const rill_status status = rill_units_parse(text, unit, out);
    if (status != RILL_OK) rill_fail_prefix("%s:%d: %s", yaml->path, rill_yaml_line(value), what);
    return status;
}

/* ---- the schema ------------------------------------------------------------------------------ */

static rill_status unknown(const rill_yaml *yaml, const rill_yaml_value *at, const char *where,
                           const char *text, const rill_key *keys)
{
    rill_nearest match = {0};
    char list[512] = "";
    for (const rill_key *k = keys; k->name; k++) {
        rill_nearest_try(&match, text, k->name);
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "", k->name);
    }
    if (rill_nearest_is_meant(&match, text))
        return rill_yaml_fail(yaml, at, "unknown key \"%.60s\" in %s: did you mean \"%s\"?", text, where,
                              match.name);
    return rill_yaml_fail(yaml, at, "unknown key \"%.60s\" in %s: it may have %s", text, where, list);
}

static rill_status read_count(const rill_yaml *yaml, const rill_yaml_value *value, const char *what,
                              const rill_key *key, int *out)
{
    const char *text = rill_yaml_scalar(value);
    char *end = NULL;
    errno = 0;
    const long number = text ? strtol(text, &end, 10) : 0;
    if (!text || end == text || *end != '\0' || errno || number < key->min ||
        number > fmin(key->max, INT_MAX))
        return rill_yaml_fail(yaml, value, "%s is \"%.60s\", no whole number from %g to %g", what,
                              text ? text : "(not one value)", key->min, key->max);
    *out = (int)number;
    return RILL_OK;
}

static rill_status read_yes(const rill_yaml *yaml, const rill_yaml_value *value, const char *what, bool *out)
{
    static const char *const words[2][4] = {{"no", "false", "off", "n"}, {"yes", "true", "on", "y"}};
    const char *text = rill_yaml_scalar(value);
    for (int yes = 0; text && yes < 2; yes++)
        for (int k = 0; k < 4; k++)
            if (strcasecmp(text, words[yes][k]) == 0) {
                *out = yes;
                return RILL_OK;
            }
    return rill_yaml_fail(yaml, value, "%s is \"%.60s\": say yes or no", what,
                          text ? text : "(not one value)");
}

rill_status rill_yaml_choice(const rill_yaml *yaml, const rill_yaml_value *value, const char *what,
                             const char *const *choices, int *out)
{
    const char *text = rill_yaml_scalar(value);
    rill_nearest match = {0};
    char list[256] = "";
    for (int k = 0; choices[k]; k++) {
        if (text && strcmp(text, choices[k]) == 0) {
            *out = k;
            return RILL_OK;
        }
        if (text) rill_nearest_try(&match, text, choices[k]);
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "", choices[k]);
    }
    if (!text) return rill_yaml_fail(yaml, value, "%s is not one value: it may be %s", what, list);
    if (rill_nearest_is_meant(&match, text))
        return rill_yaml_fail(yaml, value, "%s is \"%.60s\": did you mean \"%s\"?", what, text, match.name);
    return rill_yaml_fail(yaml, value, "%s is \"%.60s\": it may be %s", what, text, list);
}

static rill_status read_number(const rill_yaml *yaml, const rill_yaml_value *value, const char *what,
                               const rill_key *key, double *out)
{
    const rill_status status = rill_yaml_quantity(yaml, value, what, key->unit, out);
    if (status != RILL_OK || !(key->min < key->max)) return status;
    if (*out < key->min || *out > key->max || (key->above && *out <= key->min)) {
        char most[48] = "";
        if (isfinite(key->max)) snprintf(most, sizeof most, " and at most %g", key->max);
        return rill_yaml_fail(yaml, value, "%s is %s, %g %s: it must be %s %g%s", what,
                              rill_yaml_scalar(value), *out,
                              strcmp(key->unit, "1") ? key->unit : "in plain numbers",
                              key->above ? "above" : "at least", key->min, most);
    }
    return RILL_OK;
}

static rill_status read_value(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                              const rill_key *key, void *into)
{
    void *at = (char *)into + key->at;
    char what[160];
    snprintf(what, sizeof what, "%s of %s", key->name, where);
    switch (key->kind) {
    case RILL_KEY_TEXT:
        if (!rill_yaml_scalar(value) || !*rill_yaml_scalar(value))
            return rill_yaml_fail(yaml, value, "%s is not a text", what);
        *(const char **)at = rill_yaml_scalar(value);
        return RILL_OK;
    case RILL_KEY_QUANTITY:
        return read_number(yaml, value, what, key, at);
    case RILL_KEY_COUNT:
        return read_count(yaml, value, what, key, at);
    case RILL_KEY_YES:
        return read_yes(yaml, value, what, at);
    case RILL_KEY_CHOICE:
        return rill_yaml_choice(yaml, value, what, key->choices, at);
    case RILL_KEY_MAP:
        return rill_yaml_map(yaml, value, key->name, key->keys, at, NULL);
    case RILL_KEY_CALL:
        return key->read(yaml, value, what, at);
    }
    return RILL_OK;
}

rill_status rill_yaml_map(const rill_yaml *yaml, const rill_yaml_value *map, const char *where,
                          const rill_key *keys, void *into, bool *given)
{
    rill_status status = RILL_OK;
    bool seen[KEYS] = {false};
    if (!rill_yaml_is_map(map))
        return rill_yaml_fail(yaml, map, "%s is not a mapping: write keys below it, as in docs/vessels.md",
                              where);
    RILL_TRY(rill_yaml_names(yaml, map, where));
    for (int p = 0; p < rill_yaml_count(map); p++) {
        const rill_yaml_value *key, *value = rill_yaml_item(yaml, map, p, &key);
        const char *text = rill_yaml_scalar(key);
        int k = 0;
        while (keys[k].name && strcmp(keys[k].name, text) != 0) k++;
        if (!keys[k].name) return unknown(yaml, key, where, text, keys);
        seen[k] = true;
        RILL_TRY(read_value(yaml, value, where, &keys[k], into));
    }
    for (int k = 0; keys[k].name; k++) {
        if (keys[k].required && !seen[k])
            return rill_yaml_fail(yaml, map, "%s lacks the key \"%s\"", where, keys[k].name);
        if (given) given[k] = seen[k];
    }
done:
    return status;
}
