/* SPDX-License-Identifier: Apache-2.0 */
/* Text in the C locale. A thread is put into it for the length of a call: other threads, and the host
 * program's locale, stay as they are. */
#include "core/c_locale.h"

#include <limits.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t plain; /* of the process, once */

static void make(void) { plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); } /* allocates nothing for "C" */

static locale_t c_locale(void)
{
    pthread_once(&once, make);
    return plain;
}

locale_t rill_c_locale_begin(void) { return uselocale(c_locale()); }

void rill_c_locale_end(locale_t before) { uselocale(before); }

/* The body of a function whose call reads or writes text in the C locale. */
#define IN_C_LOCALE(call)                                                                                    \
    const locale_t before = rill_c_locale_begin();                                                           \
    const int result = call;                                                                                 \
    rill_c_locale_end(before);                                                                               \
    return result

/* The body of a function with the values themselves. */
#define WITH_VALUES(call)                                                                                    \
    va_list values;                                                                                          \
    va_start(values, format);                                                                                \
    const int count = call;                                                                                  \
    va_end(values);                                                                                          \
    return count

/* ---- printing -------------------------------------------------------------------------------- */

int rill_c_vfprintf(FILE *file, const char *format, va_list values)
{
    IN_C_LOCALE((vfprintf)(file, format, values));
}

int rill_c_vsnprintf(char *text, size_t size, const char *format, va_list values)
{
    IN_C_LOCALE((vsnprintf)(text, size, format, values));
}

int rill_c_vasprintf(char **text, const char *format, va_list values)
{
    IN_C_LOCALE((vasprintf)(text, format, values));
}

static int print_to(int file, const char *format, va_list values)
{
    IN_C_LOCALE(vdprintf(file, format, values));
}

int rill_c_vprintf(const char *format, va_list values) { return rill_c_vfprintf(stdout, format, values); }

int rill_c_printf(const char *format, ...) { WITH_VALUES(rill_c_vfprintf(stdout, format, values)); }

int rill_c_fprintf(FILE *file, const char *format, ...)
{
    WITH_VALUES(rill_c_vfprintf(file, format, values));
}

int rill_c_sprintf(char *text, const char *format, ...)
{
    WITH_VALUES(rill_c_vsnprintf(text, INT_MAX, format, values));
}

int rill_c_snprintf(char *text, size_t size, const char *format, ...)
{
    WITH_VALUES(rill_c_vsnprintf(text, size, format, values));
}

int rill_c_asprintf(char **text, const char *format, ...)
{
    WITH_VALUES(rill_c_vasprintf(text, format, values));
}

int rill_c_dprintf(int file, const char *format, ...) { WITH_VALUES(print_to(file, format, values)); }

/* ---- reading --------------------------------------------------------------------------------- */

static int scan_text(const char *text, const char *format, va_list values)
{
    IN_C_LOCALE(vsscanf(text, format, values));
}

static int scan_file(FILE *file, const char *format, va_list values)
{
    IN_C_LOCALE(vfscanf(file, format, values));
}

int rill_c_sscanf(const char *text, const char *format, ...) { WITH_VALUES(scan_text(text, format, values)); }

int rill_c_fscanf(FILE *file, const char *format, ...) { WITH_VALUES(scan_file(file, format, values)); }

double rill_c_strtod(const char *text, char **end) { return strtod_l(text, end, c_locale()); }

float rill_c_strtof(const char *text, char **end) { return strtof_l(text, end, c_locale()); }

long rill_c_strtol(const char *text, char **end, int base) { return strtol_l(text, end, base, c_locale()); }

unsigned long rill_c_strtoul(const char *text, char **end, int base)
{
    return strtoul_l(text, end, base, c_locale());
}

long long rill_c_strtoll(const char *text, char **end, int base)
{
    return strtoll_l(text, end, base, c_locale());
}

unsigned long long rill_c_strtoull(const char *text, char **end, int base)
{
    return strtoull_l(text, end, base, c_locale());
}

/* ---- names and messages ---------------------------------------------------------------------- */

int rill_c_strcasecmp(const char *a, const char *b) { return strcasecmp_l(a, b, c_locale()); }

int rill_c_strncasecmp(const char *a, const char *b, size_t count)
{
    return strncasecmp_l(a, b, count, c_locale());
}

char *rill_c_strerror(int error) { return strerror_l(error, c_locale()); }

size_t rill_c_strftime(char *text, size_t size, const char *format, const struct tm *time)
{
    return strftime_l(text, size, format, time, c_locale());
}

int rill_c_fnmatch(const char *pattern, const char *name, int flags)
{
    IN_C_LOCALE((fnmatch)(pattern, name, flags));
}

int rill_c_glob(const char *pattern, int flags, int (*failed)(const char *path, int error), glob_t *found)
{
    IN_C_LOCALE((glob)(pattern, flags, failed, found));
}
