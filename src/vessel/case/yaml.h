/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file yaml.h
 * YAML read by a schema: tables of keys say what may stand where, and everything else is refused with the
 * line and the nearest known key. libyaml parses; nothing here knows what a case is.
 */
#ifndef RILL_VESSEL_YAML_H
#define RILL_VESSEL_YAML_H

#include "rill.h"

/** What a key's value is, and the type that its place has. */
typedef enum rill_key_kind {
    RILL_KEY_TEXT,     /**< char *, owned by the reader of the file */
    RILL_KEY_QUANTITY, /**< double, with a unit that converts to `unit` */
    RILL_KEY_COUNT,    /**< int */
    RILL_KEY_YES,      /**< bool: yes or no */
    RILL_KEY_CHOICE,   /**< int, index into `choices` */
    RILL_KEY_MAP,      /**< a mapping with the keys of `keys`; `at` counts from the same base */
    RILL_KEY_CALL      /**< whatever `read` makes of it */
} rill_key_kind;

typedef struct rill_yaml rill_yaml;
typedef struct rill_yaml_value rill_yaml_value;

/** A key; a table ends with {0}. */
typedef struct rill_key {
    const char *name;
    rill_key_kind kind;
    size_t at; /**< offset of its place in the struct that is filled in */
    bool required;
    const char *unit;            /**< quantities */
    double min, max;             /**< quantities, counts: limits when min < max, in `unit` */
    bool above;                  /**< min itself is not allowed */
    const char *const *choices;  /**< NULL-terminated */
    const struct rill_key *keys; /**< mappings */
    rill_status (*read)(const rill_yaml *yaml, const rill_yaml_value *value, const char *where, void *into);
    struct json_t *(*schema)(void); /**< what `read` accepts, as JSON Schema */
    const char *help;               /**< one sentence, with the default, for the JSON Schema */
} rill_key;

/** Read a file of at most 1 MiB. @param[out] out  owns the text and all that is in it */
rill_status rill_yaml_read(const char *path, rill_yaml **out);

/** Read a text instead. @param[in] path  its name in messages, borrowed */
rill_status rill_yaml_read_text(const char *text, const char *path, rill_yaml **out);

/** Destroy it; NULL is allowed. */
void rill_yaml_destroy(rill_yaml *yaml);

/** Return the file's text, NUL-terminated. */
const char *rill_yaml_text(const rill_yaml *yaml);

/** Return the value that the whole file is. */
const rill_yaml_value *rill_yaml_root(const rill_yaml *yaml);

/** Return the line of a value, from 1. */
int rill_yaml_line(const rill_yaml_value *value);

/** Fail with "file:line: " before the message. */
rill_status rill_yaml_fail(const rill_yaml *yaml, const rill_yaml_value *value, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/**
 * Fill in a struct from a mapping.
 * @param where  what the mapping is, for messages: "fluid", "openings: inlet"
 * @param given  set true for each key of the table that is there; may be NULL
 */
rill_status rill_yaml_map(const rill_yaml *yaml, const rill_yaml_value *map, const char *where,
                          const rill_key *keys, void *into, bool *given);

/** Return whether a value is a mapping, a list, a text. */
bool rill_yaml_is_map(const rill_yaml_value *value);
bool rill_yaml_is_list(const rill_yaml_value *value);

/** Return the text of a scalar; NULL for others. */
const char *rill_yaml_scalar(const rill_yaml_value *value);

/** Return the value of a key of a mapping; NULL when it is not there. */
const rill_yaml_value *rill_yaml_get(const rill_yaml *yaml, const rill_yaml_value *map, const char *key);

/** Return the number of items of a list or of pairs of a mapping. */
int rill_yaml_count(const rill_yaml_value *value);

/** Return item k of a list, or the value of pair k of a mapping; with its key, which may be NULL. */
const rill_yaml_value *rill_yaml_item(const rill_yaml *yaml, const rill_yaml_value *value, int k,
                                      const rill_yaml_value **key);

/** Refuse a key that stands twice in a mapping whose keys are names of the user's. */
rill_status rill_yaml_names(const rill_yaml *yaml, const rill_yaml_value *map, const char *where);

/** Read one of several words. @param choices NULL-terminated */
rill_status rill_yaml_choice(const rill_yaml *yaml, const rill_yaml_value *value, const char *what,
                             const char *const *choices, int *out);

/** Read a quantity. @param what  for messages: "flow of openings: inlet" */
rill_status rill_yaml_quantity(const rill_yaml *yaml, const rill_yaml_value *value, const char *what,
                               const char *unit, double *out);

#endif
