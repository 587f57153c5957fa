/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/case_kinds.h"

#include "vessel/case/yaml.h"

#include <string.h>
#include <sys/stat.h>

static const cli_case_kind *const kinds[] = {&cli_cells_kind, NULL};

const cli_case_kind *cli_case_kind_find(const char *section)
{
    for (int k = 0; kinds[k]; k++)
        if (strcmp(kinds[k]->section, section) == 0) return kinds[k];
    return NULL;
}

const cli_case_kind *cli_case_kind_of(const char *path)
{
    const cli_case_kind *found = NULL;
    rill_yaml *yaml = NULL;
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return NULL; /* a pipe is read once */
    if (rill_yaml_read(path, &yaml) != RILL_OK) return NULL;           /* who reads it as a vessel says why */
    for (int k = 0; kinds[k] && !found; k++)
        if (rill_yaml_get(yaml, rill_yaml_root(yaml), kinds[k]->section)) found = kinds[k];
    rill_yaml_destroy(yaml);
    return found;
}
