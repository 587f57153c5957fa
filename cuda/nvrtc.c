/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling kernels at run time: libnvrtc by dlopen, its interface declared here (nvrtc.h of CUDA 11.8 and
 * later). */
#include "cuda/nvrtc.h"

#include "core/log.h"
#include "core/status.h"
#include "cuda/embedded.h"
#include "cuda/image_cache.h"
#include "kernel/variant.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef void *program;

/* The functions of libnvrtc, each returning 0 when all is well. */
#define NVRTC_FUNCTIONS(X)                                                                                   \
    X(Version, int *, int *)                                                                                 \
    X(GetNumSupportedArchs, int *)                                                                           \
    X(GetSupportedArchs, int *)                                                                              \
    X(CreateProgram, program *, const char *, const char *, int, const char *const *, const char *const *)   \
    X(DestroyProgram, program *)                                                                             \
    X(CompileProgram, program, int, const char *const *)                                                     \
    X(GetCUBINSize, program, size_t *)                                                                       \
    X(GetCUBIN, program, char *)                                                                             \
    X(GetProgramLogSize, program, size_t *)                                                                  \
    X(GetProgramLog, program, char *)                                                                        \
    X(AddNameExpression, program, const char *)                                                              \
    X(GetLoweredName, program, const char *, const char **)

typedef struct functions {
#define DECLARE(name, ...) int (*name)(__VA_ARGS__);
    NVRTC_FUNCTIONS(DECLARE) const char *(*GetErrorString)(int);
} functions;

static struct {
    pthread_once_t once;
    bool found;
    functions calls;
    int major, minor;
    char why[256]; /* not found */
} library = {.once = PTHREAD_ONCE_INIT};

/* Looks where the loader looks, then where CUDA puts itself. RILL_NVRTC names the file itself. */
static void *library_open(void)
{
    static const char *const files[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    const char *wanted = getenv("RILL_NVRTC"), *home = getenv("CUDA_HOME");
    char path[1024];
    void *handle = NULL;
    if (wanted && *wanted) {
        handle = dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
        if (!handle) snprintf(library.why, sizeof library.why, "%s", dlerror());
        return handle;
    }
    for (size_t k = 0; k < sizeof files / sizeof *files && !handle; k++) {
        handle = dlopen(files[k], RTLD_NOW | RTLD_LOCAL);
        if (!handle && k == 0) snprintf(library.why, sizeof library.why, "%s", dlerror());
        snprintf(path, sizeof path, "%s/lib64/%s", home && *home ? home : "/usr/local/cuda", files[k]);
        if (!handle) handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return handle;
}

static void library_find(void)
{
    void *handle = library_open(); /* stays open: the compiler cannot be unloaded safely */
    if (!handle) return;
    library.found = true;
#define FIND(name, ...)                                                                                      \
    *(void **)&library.calls.name = dlsym(handle, "nvrtc" #name);                                            \
    if (!library.calls.name) {                                                                               \
        snprintf(library.why, sizeof library.why, "it has no nvrtc" #name "()");                             \
        library.found = false;                                                                               \
    }
    NVRTC_FUNCTIONS(FIND)
    FIND(GetErrorString, int)
    if (library.found && library.calls.Version(&library.major, &library.minor) != 0) library.found = false;
}

rill_status rill_nvrtc_version(int *major, int *minor)
{
    pthread_once(&library.once, library_find);
    if (!library.found)
        return rill_fail(
            RILL_SYSTEM,
            "NVIDIA's run-time compiler libnvrtc is not here (%s): "
            "install it (package cuda-nvrtc-13-0 of NVIDIA's repositories, or pip's nvidia-cuda-nvrtc) and put its directory into LD_LIBRARY_PATH, "
            "or choose a variant that `rill variants` lists",
            library.why);
    *major = library.major;
    *minor = library.minor;
    return RILL_OK;
}

void rill_cubin_free(rill_cubin *cubin)
{
    free(cubin->memory);
    memset(cubin, 0, sizeof *cubin);
}

/* Code starts at a multiple of this behind the names. */
enum { CODE_ALIGNMENT = 64 };

/* The kernels of a part, first to end - 1. */
static int part_first(rill_cuda_part part) { return part == RILL_CUDA_PART_STEPS ? 0 : RILL_CUDA_STEP_COUNT; }
static int part_end(rill_cuda_part part)
{
    return part == RILL_CUDA_PART_STEPS ? RILL_CUDA_STEP_COUNT : RILL_CUDA_KERNEL_COUNT;
}

/* Finds what is in the memory of machine code: the kernels' names, each with its 0, then the code. */
static bool cubin_open(rill_cuda_part part, void *memory, size_t size, rill_cubin *cubin)
{
    const char *next = memory, *end = next + size;
    *cubin = (rill_cubin){.memory = memory, .size = size, .first = part_first(part), .end = part_end(part)};
    for (int k = cubin->first; k < cubin->end; k++) {
        const char *zero = memchr(next, 0, (size_t)(end - next));
        if (!zero) return false;
        cubin->names[k] = next;
        next = zero + 1;
    }
    const size_t used = (size_t)(next - (const char *)memory);
    const size_t start = (used + CODE_ALIGNMENT - 1) / CODE_ALIGNMENT * CODE_ALIGNMENT;
    if (start >= size) return false;
    cubin->code = (const char *)memory + start;
    cubin->code_size = size - start;
    return true;
}

/* NVRTC has no headers of the C library; these hold what the kernel headers need of them. */
static const rill_embedded c_headers[] = {
    {"stddef.h", "typedef decltype(sizeof 0) size_t;\n"},
    {"stdbool.h", ""},
    {"stdint.h",
     "typedef signed char int8_t; typedef short int16_t; typedef int int32_t;typedef long long int64_t; typedef unsigned char uint8_t; "
     "typedef unsigned short uint16_t;typedef unsigned int uint32_t; typedef unsigned long long uint64_t;\n"},
    {"string.h", ""}, /* memcpy() and the mathematics are built in */
    {"math.h", ""},
};
enum { C_HEADERS = sizeof c_headers / sizeof *c_headers, MAX_SOURCES = 64, MAX_OPTIONS = 8 };

/* What is compiled, and how. */
typedef struct job {
    rill_cuda_part part;
    char name[96]; /* of the variant, or of its layout */
    char source[512];
    char arch[32];
    const char *options[MAX_OPTIONS];
    int option_count;
    const char *header_names[MAX_SOURCES], *header_texts[MAX_SOURCES];
    int header_count;
} job;

static const char *const expressions[] = {
#define TEXT(name, ...) #__VA_ARGS__,
    RILL_CUDA_STEPS(TEXT, here) RILL_CUDA_OTHERS(TEXT, here)};

static rill_status job_make(rill_variant variant, rill_cuda_part part, int arch, job *j)
{
    rill_status status = RILL_OK;
    int major, minor;
    RILL_TRY(rill_nvrtc_version(&major, &minor));
    const rill_variant v = rill_variant_normal(variant);
    memset(j, 0, sizeof *j);
    j->part = part;
    const int used =
        snprintf(j->source, sizeof j->source, "#define RILL_ARITHMETIC %s\n#include \"cuda/kernels.cuh\"\n",
                 v.arithmetic == RILL_DOUBLE ? "double" : "float");
    char *rest = j->source + used;
    const size_t size = sizeof j->source - (size_t)used;
    if (part == RILL_CUDA_PART_STEPS) {
        rill_variant_name(v, j->name, sizeof j->name);
        snprintf(rest, size, "RILL_CUDA_VARIANT(here, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d)\n", v.lattice,
                 v.collision, v.equilibrium, v.stream, v.addressing, v.storage, v.arithmetic, v.rheology,
                 v.bounce, v.shift);
    } else {
        rill_variant_layout_name(v, j->name, sizeof j->name);
        snprintf(rest, size, "RILL_CUDA_LAYOUT(here, %d, %d, %d, %d, %d, %d, %d)\n", v.lattice, v.stream,
                 v.addressing, v.storage, v.arithmetic, v.bounce, v.shift);
    }
    snprintf(j->arch, sizeof j->arch, "--gpu-architecture=sm_%d", arch);
    j->options[j->option_count++] = j->arch;
    j->options[j->option_count++] = "--std=c++17";
    j->options[j->option_count++] = "--device-as-default-execution-space";
    j->options[j->option_count++] = "--ptxas-options=-v";      /* registers and spills go to the log */
    j->options[j->option_count++] = "--diag-suppress=177,550"; /* unused functions and variables */
    for (int k = 0; k < C_HEADERS + MAX_SOURCES; k++) {
        const rill_embedded *e = k < C_HEADERS ? &c_headers[k] : &rill_kernel_sources[k - C_HEADERS];
        if (!e->name) break;
        if (k == MAX_SOURCES) return rill_fail(RILL_SYSTEM, "more than %d sources for kernels", MAX_SOURCES);
        j->header_names[j->header_count] = e->name;
        j->header_texts[j->header_count++] = e->text;
    }
done:
    return status;
}

/* Hashes everything that the result depends on. */
static uint64_t job_key(const job *j)
{
    XXH3_state_t *state = XXH3_createState();
    if (!state) return 0;
    XXH3_64bits_reset(state);
#define ADD(text) XXH3_64bits_update(state, text, strlen(text) + 1)
    ADD(j->source);
    for (int k = 0; k < j->option_count; k++) ADD(j->options[k]);
    for (int k = 0; k < j->header_count; k++) {
        ADD(j->header_names[k]);
        ADD(j->header_texts[k]);
    }
    for (int k = part_first(j->part); k < part_end(j->part); k++) ADD(expressions[k]);
    const int version[] = {library.major, library.minor};
    XXH3_64bits_update(state, version, sizeof version);
    const uint64_t key = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return key;
}

static rill_status arch_check(int arch)
{
    const functions *nvrtc = &library.calls;
    int count = 0, known[128], newest = 0;
    if (nvrtc->GetNumSupportedArchs(&count) != 0 || count < 1 || count > 128 ||
        nvrtc->GetSupportedArchs(known) != 0)
        return rill_fail(RILL_SYSTEM, "libnvrtc does not say what architectures it compiles for");
    for (int k = 0; k < count; k++) {
        if (known[k] == arch) return RILL_OK;
        newest = known[k] > newest ? known[k] : newest;
    }
    return rill_fail(
        RILL_SYSTEM,
        "libnvrtc %d.%d does not compile for compute capability %d.%d (the newest that it knows is %d.%d): "
        "install that of another CUDA version, or choose a variant that `rill variants` lists",
        library.major, library.minor, arch / 10, arch % 10, newest / 10, newest % 10);
}

/* Puts names and code of a compiled program into one piece of memory. */
static rill_status cubin_make(program p, rill_cuda_part part, rill_cubin *cubin)
{
    const functions *nvrtc = &library.calls;
    size_t names = 0, code = 0, at = 0;
    const char *lowered[RILL_CUDA_KERNEL_COUNT];
    for (int k = part_first(part); k < part_end(part); k++) {
        if (nvrtc->GetLoweredName(p, expressions[k], &lowered[k]) != 0)
            return rill_fail(RILL_SYSTEM, "libnvrtc compiled no kernel %s", expressions[k]);
        names += strlen(lowered[k]) + 1;
    }
    names = (names + CODE_ALIGNMENT - 1) / CODE_ALIGNMENT * CODE_ALIGNMENT;
    if (nvrtc->GetCUBINSize(p, &code) != 0 || code == 0)
        return rill_fail(RILL_SYSTEM, "libnvrtc returned no machine code");
    char *memory = calloc(names + code, 1);
    if (!memory) return rill_fail(RILL_SYSTEM, "out of memory for compiled kernels");
    for (int k = part_first(part); k < part_end(part); k++) {
        strcpy(memory + at, lowered[k]);
        at += strlen(lowered[k]) + 1;
    }
    if (nvrtc->GetCUBIN(p, memory + names) != 0 || !cubin_open(part, memory, names + code, cubin)) {
        free(memory);
        return rill_fail(RILL_SYSTEM, "libnvrtc returned no machine code");
    }
    return RILL_OK;
}

/* Takes the compiler's words, to be freed; NULL when there are none. */
static char *log_take(program p)
{
    size_t size = 0;
    if (library.calls.GetProgramLogSize(p, &size) != 0 || size == 0) return NULL;
    char *log = calloc(size + 1, 1);
    if (log && library.calls.GetProgramLog(p, log) != 0) log[0] = 0;
    return log;
}

/* Compiles once. @param fewer  see RILL_CUDA_FEWER of kernels.cuh */
static rill_status job_try(const job *j, int fewer, rill_cubin *cubin, char **log)
{
    rill_status status = RILL_OK;
    const functions *nvrtc = &library.calls;
    program p = NULL;
    char more[32];
    const char *options[MAX_OPTIONS + 1];
    memcpy(options, j->options, sizeof j->options);
    snprintf(more, sizeof more, "-DRILL_CUDA_FEWER=%d", fewer);
    options[j->option_count] = more;
    int error =
        nvrtc->CreateProgram(&p, j->source, "variant.cu", j->header_count, j->header_texts, j->header_names);
    for (int k = part_first(j->part); k < part_end(j->part) && error == 0; k++)
        error = nvrtc->AddNameExpression(p, expressions[k]);
    if (error == 0) {
        error = nvrtc->CompileProgram(p, j->option_count + 1, options);
        *log = log_take(p);
    }
    if (error != 0) {
        const char *line = *log ? strstr(*log, "error") : NULL;
        RILL_TRY(rill_fail(RILL_SYSTEM, "libnvrtc %d.%d did not compile %s: %s%s%.*s", library.major,
                           library.minor, j->name, nvrtc->GetErrorString(error), line ? ": " : "",
                           line ? (int)strcspn(line, "\n") : 0, line ? line : ""));
    }
    RILL_TRY(cubin_make(p, j->part, cubin));
done:
    for (const char *line = *log; line && *line; line += strspn(line, "\n")) {
        const int length = (int)strcspn(line, "\n");
        rill_log(RILL_LOG_DEBUG, "libnvrtc on %s: %.*s", j->name, length, line);
        line += length;
    }
    if (p) nvrtc->DestroyProgram(&p);
    return status;
}

/* Returns whether a kernel of ptxas' report spills: "0 bytes stack frame, 0 bytes spill stores, …". */
static bool log_spills(const char *log)
{
    static const char words[] = " bytes spill ";
    for (const char *found = strstr(log, words); found; found = strstr(found + 1, words))
        if (found - log < 2 || found[-1] != '0' || found[-2] != ' ') return true;
    return false;
}

/* Compiles, again with more registers while there are spills: what is right for each of so many variants is
 * known of those only that somebody has looked at. */
static rill_status job_run(const job *j, rill_cubin *cubin, char **log)
{
    rill_status status = RILL_OK;
    *log = NULL;
    for (int fewer = 0; fewer < 4; fewer++) {
        RILL_TRY(job_try(j, fewer, cubin, log));
        if (!*log || !log_spills(*log) || fewer == 3) break;
        rill_log(RILL_LOG_DEBUG, "%s spills registers: compiling it for fewer blocks", j->name);
        rill_cubin_free(cubin);
        free(*log);
        *log = NULL;
    }
done:
    return status;
}

rill_status rill_nvrtc_compile(rill_variant variant, rill_cuda_part part, int arch, rill_cubin *cubin,
                               char **log)
{
    rill_status status = RILL_OK;
    job j;
    *log = NULL;
    memset(cubin, 0, sizeof *cubin);
    RILL_TRY(rill_variant_check(variant));
    RILL_TRY(job_make(variant, part, arch, &j));
    RILL_TRY(arch_check(arch));
    RILL_TRY(job_run(&j, cubin, log));
done:
    return status;
}

rill_status rill_nvrtc_get(rill_variant variant, rill_cuda_part part, int arch, rill_cubin *cubin)
{
    rill_status status = RILL_OK;
    job j;
    char file[160], directory[3072], *log = NULL;
    void *memory = NULL;
    size_t size = 0;
    memset(cubin, 0, sizeof *cubin);
    RILL_TRY(rill_variant_check(variant));
    RILL_TRY(job_make(variant, part, arch, &j));
    const uint64_t key = job_key(&j);
    snprintf(file, sizeof file, "%s-sm_%d-%016llx", j.name, arch, (unsigned long long)key);
    if (rill_cache_read(file, key, &memory, &size)) {
        if (cubin_open(part, memory, size, cubin)) return RILL_OK;
        rill_cubin_free(cubin);
    }
    const bool kept = rill_cache_directory(directory, sizeof directory);
    rill_log(RILL_LOG_NOTE, "compiling %s %s for sm_%d (first use; kept in %s)",
             part == RILL_CUDA_PART_STEPS ? "variant" : "layout", j.name, arch, kept ? directory : "memory");
    RILL_TRY(arch_check(arch));
    RILL_TRY(job_run(&j, cubin, &log));
    rill_cache_write(file, key, cubin->memory, cubin->size);
done:
    free(log);
    return status;
}
