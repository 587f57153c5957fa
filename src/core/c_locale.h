/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file c_locale.h
 * Text in the C locale, whatever the host program has set: with a decimal comma, "5.7um" would be read as 5
 * and a CSV row would have more cells than columns.
 *
 * The Makefile includes this header in front of every source of the library and the program, so that
 * printf(), strtod(), isalpha() and the others that depend on the locale are the functions below under their
 * usual names: no source has to remember it. scripts/check-locale looks into the objects for any that is not.
 * Calls of libraries that print or read numbers (UDUNITS-2, jansson) stand between rill_c_locale_begin() and
 * rill_c_locale_end().
 */
#ifndef RILL_CORE_C_LOCALE_H
#define RILL_CORE_C_LOCALE_H

/* The names are declared before they are replaced. */
#include <ctype.h>
#include <fnmatch.h>
#include <glob.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/** Put this thread into the C locale. @return what rill_c_locale_end() takes: the locale before */
locale_t rill_c_locale_begin(void);

/** Give this thread the locale back that it had. */
void rill_c_locale_end(locale_t before);

#define RILL_C_FORMAT(format_at, values_at) __attribute__((format(printf, format_at, values_at)))
int rill_c_printf(const char *format, ...) RILL_C_FORMAT(1, 2);
int rill_c_vprintf(const char *format, va_list values) RILL_C_FORMAT(1, 0);
int rill_c_fprintf(FILE *file, const char *format, ...) RILL_C_FORMAT(2, 3);
int rill_c_vfprintf(FILE *file, const char *format, va_list values) RILL_C_FORMAT(2, 0);
int rill_c_dprintf(int file, const char *format, ...) RILL_C_FORMAT(2, 3);
int rill_c_sprintf(char *text, const char *format, ...) RILL_C_FORMAT(2, 3);
int rill_c_snprintf(char *text, size_t size, const char *format, ...) RILL_C_FORMAT(3, 4);
int rill_c_vsnprintf(char *text, size_t size, const char *format, va_list values) RILL_C_FORMAT(3, 0);
int rill_c_asprintf(char **text, const char *format, ...) RILL_C_FORMAT(2, 3);
int rill_c_vasprintf(char **text, const char *format, va_list values) RILL_C_FORMAT(2, 0);
int rill_c_sscanf(const char *text, const char *format, ...) __attribute__((format(scanf, 2, 3)));
int rill_c_fscanf(FILE *file, const char *format, ...) __attribute__((format(scanf, 2, 3)));
double rill_c_strtod(const char *text, char **end);
float rill_c_strtof(const char *text, char **end);
long rill_c_strtol(const char *text, char **end, int base);
unsigned long rill_c_strtoul(const char *text, char **end, int base);
long long rill_c_strtoll(const char *text, char **end, int base);
unsigned long long rill_c_strtoull(const char *text, char **end, int base);
int rill_c_strcasecmp(const char *a, const char *b);
int rill_c_strncasecmp(const char *a, const char *b, size_t count);
char *rill_c_strerror(int error);
size_t rill_c_strftime(char *text, size_t size, const char *format, const struct tm *time);
int rill_c_fnmatch(const char *pattern, const char *name, int flags);
int rill_c_glob(const char *pattern, int flags, int (*failed)(const char *path, int error), glob_t *found);

/* Characters of ASCII: the bytes of UTF-8 beyond are none of these. */
static inline int rill_c_isdigit(int c) { return c >= '0' && c <= '9'; }
static inline int rill_c_isupper(int c) { return c >= 'A' && c <= 'Z'; }
static inline int rill_c_islower(int c) { return c >= 'a' && c <= 'z'; }
static inline int rill_c_isalpha(int c) { return rill_c_isupper(c) || rill_c_islower(c); }
static inline int rill_c_isalnum(int c) { return rill_c_isalpha(c) || rill_c_isdigit(c); }
static inline int rill_c_isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline int rill_c_isprint(int c) { return c >= ' ' && c <= '~'; }
static inline int rill_c_isgraph(int c) { return c > ' ' && c <= '~'; }
static inline int rill_c_ispunct(int c) { return rill_c_isgraph(c) && !rill_c_isalnum(c); }
static inline int rill_c_iscntrl(int c) { return (c >= 0 && c < ' ') || c == 0x7f; }
static inline int rill_c_isblank(int c) { return c == ' ' || c == '\t'; }
static inline int rill_c_isxdigit(int c)
{
    return rill_c_isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
static inline int rill_c_tolower(int c) { return rill_c_isupper(c) ? c - 'A' + 'a' : c; }
static inline int rill_c_toupper(int c) { return rill_c_islower(c) ? c - 'a' + 'A' : c; }

#undef isdigit
#undef isupper
#undef islower
#undef isalpha
#undef isalnum
#undef isspace
#undef isprint
#undef isgraph
#undef ispunct
#undef iscntrl
#undef isblank
#undef isxdigit
#undef tolower
#undef toupper
#undef printf
#undef vprintf
#undef fprintf
#undef vfprintf
#undef dprintf
#undef sprintf
#undef snprintf
#undef vsnprintf
#undef asprintf
#undef vasprintf
#define printf(...) rill_c_printf(__VA_ARGS__)
#define vprintf(format, values) rill_c_vprintf(format, values)
#define fprintf(...) rill_c_fprintf(__VA_ARGS__)
#define vfprintf(file, format, values) rill_c_vfprintf(file, format, values)
#define dprintf(...) rill_c_dprintf(__VA_ARGS__)
#define sprintf(...) rill_c_sprintf(__VA_ARGS__)
#define snprintf(...) rill_c_snprintf(__VA_ARGS__)
#define vsnprintf(text, size, format, values) rill_c_vsnprintf(text, size, format, values)
#define asprintf(...) rill_c_asprintf(__VA_ARGS__)
#define vasprintf(text, format, values) rill_c_vasprintf(text, format, values)
#define sscanf(...) rill_c_sscanf(__VA_ARGS__)
#define fscanf(...) rill_c_fscanf(__VA_ARGS__)
#define strtod(text, end) rill_c_strtod(text, end)
#define strtof(text, end) rill_c_strtof(text, end)
#define strtol(text, end, base) rill_c_strtol(text, end, base)
#define strtoul(text, end, base) rill_c_strtoul(text, end, base)
#define strtoll(text, end, base) rill_c_strtoll(text, end, base)
#define strtoull(text, end, base) rill_c_strtoull(text, end, base)
#define strcasecmp rill_c_strcasecmp
#define strncasecmp rill_c_strncasecmp
#define strerror(error) rill_c_strerror(error)
#define strftime(text, size, format, time) rill_c_strftime(text, size, format, time)
#define fnmatch(pattern, name, flags) rill_c_fnmatch(pattern, name, flags)
#define glob(pattern, flags, failed, found) rill_c_glob(pattern, flags, failed, found)
#define isdigit(c) rill_c_isdigit(c)
#define isupper(c) rill_c_isupper(c)
#define islower(c) rill_c_islower(c)
#define isalpha(c) rill_c_isalpha(c)
#define isalnum(c) rill_c_isalnum(c)
#define isspace(c) rill_c_isspace(c)
#define isprint(c) rill_c_isprint(c)
#define isgraph(c) rill_c_isgraph(c)
#define ispunct(c) rill_c_ispunct(c)
#define iscntrl(c) rill_c_iscntrl(c)
#define isblank(c) rill_c_isblank(c)
#define isxdigit(c) rill_c_isxdigit(c)
#define tolower(c) rill_c_tolower(c)
#define toupper(c) rill_c_toupper(c)

#endif
