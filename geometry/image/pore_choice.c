/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses images that do not say which of their values are pore, and writes what to choose from. */
#include "geometry/image/pore_choice.h"
#include "core/status.h"
#include "geometry/image/scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 240, CHOICES = 480 /* bytes, so that a message has room for both and a name */ };

bool rill_pore_unknown(const rill_image *image, const rill_voxelize_options *options)
{
    return options->pore_count == 0 && !options->threshold_given && isnan(image->pore);
}

void rill_greys_list(const rill_voxelize_report *report, char *text, size_t size)
{
    if (!report->greys) {
        snprintf(text, size, "more than 1000 values from %g to %g", report->grey_min, report->grey_max);
        return;
    }
    size_t used = 0;
    const uint64_t shown = report->greys < RILL_GREYS_SHOWN ? report->greys : RILL_GREYS_SHOWN;
    for (uint64_t i = 0; i < shown && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%g (%.4g %%)", i ? ", " : "",
                                 report->grey[i].value, 100 * report->grey[i].fraction);
    if (report->greys > shown && used < size)
        snprintf(text + used, size - used, " and %llu others", (unsigned long long)(report->greys - shown));
}

/* Write a value in as few digits as give it back as a number of the image. */
static size_t put_value(char *text, size_t size, rill_grey type, double value)
{
    int length = 0;
    for (int digits = 6; digits <= 17; digits++) {
        length = snprintf(text, size, "%.*g", digits, value);
        const double back = strtod(text, NULL);
        if (back == value || (type == RILL_GREY_F32 && (double)(float)back == value)) break;
    }
    return (size_t)length;
}

void rill_pore_choices(const rill_voxelize_report *report, char *first, char *second)
{
    const bool few = report->greys > 0 && report->greys <= RILL_GREYS_SHOWN;
    first[0] = second[0] = '\0';
    if (!few) { /* of a threshold, which the user knows */
        size_t used = put_value(first, RILL_PORE_TEXT, report->type, report->grey_min);
        snprintf(first + used, RILL_PORE_TEXT - used, ":T");
        used = (size_t)snprintf(second, RILL_PORE_TEXT, "T:");
        put_value(second + used, RILL_PORE_TEXT - used, report->type, report->grey_max);
        return;
    }
    put_value(first, RILL_PORE_TEXT, report->type, report->grey[0].value);
    size_t used = 0;
    for (uint64_t i = 1; i < report->greys; i++) {
        if (i > 1) second[used++] = ',';
        used += put_value(second + used, RILL_PORE_TEXT - used, report->type, report->grey[i].value);
    }
}

/* Write the choices as commands, or as options where no command is known or the commands are too long. */
static void put_choices(const rill_voxelize_report *report, const char *command, char *text, size_t size)
{
    char first[RILL_PORE_TEXT], second[RILL_PORE_TEXT];
    rill_pore_choices(report, first, second);
    const bool threshold = !report->greys || report->greys > RILL_GREYS_SHOWN;
    const char *with = threshold ? ", with a threshold T" : "";
    const char *before = command ? command : "", *blank = command ? " " : "";
    if (strstr(before, " -- ") || 2 * strlen(before) + strlen(first) + strlen(second) + 64 > size)
        before = blank = "";
    const int used = snprintf(text, size, "%s%s--pore %s", before, blank, first);
    if (*second)
        snprintf(text + used, size - (size_t)used, " or %s%s--pore %s%s", before, blank, second, with);
}

rill_status rill_pore_refuse(rill_image *image, const rill_voxelize_options *options, rill_progress progress,
                             rill_voxelize_report *report)
{
    rill_status status = RILL_OK;
    rill_pore_map *map = NULL;
    uint64_t pores = 0;
    char greys[LISTED], choices[CHOICES];
    RILL_TRY(rill_pore_map_create(image, options, &map));
    RILL_TRY(rill_image_count(image, map, progress, &pores));
    rill_pore_map_report(map, report);
    report->pore_unknown = true;
    rill_greys_list(report, greys, sizeof greys);
    put_choices(report, options->command, choices, sizeof choices);
    status = rill_fail(
        RILL_USAGE,
        "the image does not say which of its values (%s) are pore: %s. Give %s. Former versions took 0 as pore: --pore 0 gives their result",
        rill_grey_name(image->type), greys, choices);
done:
    rill_pore_map_destroy(map);
    return status;
}
