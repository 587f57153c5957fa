/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/self/cgroup. Mounts elsewhere than below /sys/fs/cgroup are not looked for. */
#include "core/groups.h"

#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

/* Visit a group and its ancestors. `group` is cut. */
static void climb(const char *mount, char *group, bool unified, rill_groups_visit *visit, void *context)
{
    if (strcmp(group, "/") == 0) group[0] = '\0';
    for (;;) {
        char directory[2 * PATH_SIZE];
        snprintf(directory, sizeof directory, "%s%s", mount, group);
        visit(context, directory, unified);
        char *slash = strrchr(group, '/');
        if (slash == NULL) return;
        *slash = '\0'; /* the parent; "" is the mount itself, which is what a container sees as its group */
    }
}

static bool contains(char *names, const char *wanted)
{
    char *rest = NULL;
    for (char *name = strtok_r(names, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest))
        if (strcmp(name, wanted) == 0) return true;
    return false;
}

void rill_groups_walk(const char *root, const char *controller, rill_groups_visit *visit, void *context)
{
    char path[PATH_SIZE], line[PATH_SIZE], mount[PATH_SIZE];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL) continue;
        *group++ = '\0';
        const bool unified = *++controllers == '\0';
        snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s%s", root, unified ? "" : "/",
                 unified ? "" : controller);
        if (unified || contains(controllers, controller)) climb(mount, group, unified, visit, context);
    }
    fclose(file);
}
