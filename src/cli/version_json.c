/* SPDX-License-Identifier: Apache-2.0 */
/* `rill --version`, as rows and as JSON. Versions of libraries are those that are loaded; UDUNITS-2 knows
 * only that it was built with. */
#include "cli/cli.h"

#include "core/status.h"
#include "cuda/nvrtc.h"
#include "device/device.h"
#include "io/hdf5.h"
#include "io/json_file.h"

#include <jansson.h>
#include <omp.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>
#include <xxhash.h>
#include <yaml.h>
#include <expat.h>
#include <zip.h>
#include <zlib.h>

#ifdef __clang__
#define COMPILER __VERSION__ /* "Debian Clang 14.0.6" */
#else
#define COMPILER "gcc " __VERSION__
#endif

/* Numbers as "1.10.8". */
static json_t *numbers(unsigned major, unsigned minor, unsigned patch)
{
    return json_sprintf("%u.%u.%u", major, minor, patch);
}

/* Words separated by blanks as a list. */
static json_t *words(const char *text)
{
    json_t *list = json_array();
    while (*(text += strspn(text, " "))) {
        const size_t length = strcspn(text, " ");
        json_array_append_new(list, json_stringn(text, length));
        text += length;
    }
    return list;
}

/* libtiff's version is in the first line of "LIBTIFF, Version 4.5.0\nCopyright …". */
static json_t *tiff(void)
{
    const char *text = TIFFGetVersion(), *digits = text + strcspn(text, "0123456789\n");
    return json_stringn(digits, strspn(digits, "0123456789."));
}

/* The run-time compiler is looked for; null: there is none. */
static json_t *nvrtc(void)
{
    int major, minor;
    return rill_nvrtc_version(&major, &minor) == RILL_OK ? json_sprintf("%d.%d", major, minor) : json_null();
}

static json_t *libraries(void)
{
    const unsigned png = png_access_version_number(), xxhash = XXH_versionNumber();
    const XML_Expat_Version expat = XML_ExpatVersionInfo();
    unsigned h[3];
    rill_h5_version(h);
    return json_pack("{s:o, s:o, s:o, s:s, s:o, s:s, s:s, s:s, s:s, s:o, s:i, s:o}", "hdf5",
                     numbers(h[0], h[1], h[2]), "libtiff", tiff(), "libpng",
                     numbers(png / 10000, png / 100 % 100, png % 100), "udunits", RILL_UDUNITS, "xxhash",
                     numbers(xxhash / 10000, xxhash / 100 % 100, xxhash % 100), "jansson",
                     jansson_version_str(), "libyaml", yaml_get_version_string(), "zlib", zlibVersion(),
                     "libzip", zip_libzip_version(), "expat",
                     numbers((unsigned)expat.major, (unsigned)expat.minor, (unsigned)expat.micro), "openmp",
                     _OPENMP, "nvrtc", nvrtc());
}

static void append_devices(json_t *list, rill_backend_kind kind, const char *backend)
{
    int count = 0;
    if (!rill_backend_available(kind) || rill_device_count(kind, &count) != RILL_OK) return;
    for (int k = 0; k < count; k++) {
        rill_device *device = NULL;
        const bool opened = rill_device_create(kind, k, &device) == RILL_OK;
        json_array_append_new(list, json_pack("{s:s, s:i, s:s?}", "backend", backend, "ordinal", k, "name",
                                              opened ? rill_device_name(device) : NULL));
        rill_device_destroy(device);
    }
}

static json_t *devices(void)
{
    json_t *list = json_array();
    append_devices(list, RILL_BACKEND_CPU, "cpu");
    append_devices(list, RILL_BACKEND_CUDA, "cuda");
    return list;
}

/* What computes here, and why the other does not. */
static json_t *backends(void)
{
    static const struct {
        rill_backend_kind kind;
        const char *name;
    } all[] = {{RILL_BACKEND_CPU, "cpu"}, {RILL_BACKEND_CUDA, "cuda"}};
    json_t *list = json_array();
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        rill_device *device = NULL;
        const bool there = rill_device_create(all[k].kind, 0, &device) == RILL_OK;
        json_array_append_new(list, json_pack("{s:s, s:b, s:s?}", "name", all[k].name, "available", there,
                                              "reason", there ? NULL : rill_error_message()));
        rill_device_destroy(device);
    }
    return list;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "not found";
}

/* Print a list of words, each with a word in front. */
static void print_words(const json_t *list, const char *before)
{
    const json_t *word;
    size_t k;
    json_array_foreach(list, k, word) printf(" %s%s", before, json_string_value(word));
}

static void print_build(const json_t *build)
{
    const json_t *cuda = json_object_get(build, "cuda_architectures");
    printf("build      %s %s,", text_of(build, "compiler"), text_of(build, "optimisation"));
    print_words(json_object_get(build, "cpu_levels"), "x86-64-");
    printf(json_array_size(cuda) ? ", CUDA for" : ", without CUDA");
    print_words(cuda, "sm_");
    putchar('\n');
}

/* A line each: they are read by people, and found by grep in reports. */
static void print_rows(const json_t *json)
{
    const char *key;
    const json_t *one;
    size_t k;
    printf("rill %s\n", text_of(json, "version"));
    print_build(json_object_get(json, "build"));
    json_array_foreach(json_object_get(json, "backends"), k, one)
        printf("backend    %s: %s\n", text_of(one, "name"),
               json_is_true(json_object_get(one, "available")) ? "available" : text_of(one, "reason"));
    json_array_foreach(json_object_get(json, "devices"), k, one)
        printf("device     %s:%d %s\n", text_of(one, "backend"),
               (int)json_integer_value(json_object_get(one, "ordinal")), text_of(one, "name"));
    json_t *libraries = json_object_get(json, "libraries"), *library;
    json_object_foreach(libraries, key, library)
    {
        if (json_is_integer(library))
            printf("library    %s %d\n", key, (int)json_integer_value(library));
        else
            printf("library    %s %s\n", key, text_of(libraries, key));
    }
}

rill_status cli_version_print(bool as_json)
{
    json_t *json =
        json_pack("{s:s, s:i, s:{s:s, s:s, s:o, s:o}, s:o, s:o, s:o}", "version", rill_version(), "interface",
                  RILL_VERSION_MAJOR, "build", "compiler", COMPILER, "optimisation", RILL_OPTIMISATION,
                  "cpu_levels", words(RILL_CPU_LEVELS), "cuda_architectures", words(RILL_CUDA_ARCHITECTURES),
                  "libraries", libraries(), "backends", backends(), "devices", devices());
    char *text = json && as_json ? rill_json_text(json, 17) : NULL;
    if (text)
        puts(text);
    else if (json && !as_json)
        print_rows(json);
    const bool done = json && (text || !as_json);
    json_decref(json);
    free(text);
    if (!done) return rill_fail(RILL_SYSTEM, "out of memory for the description of the program");
    return RILL_OK;
}
