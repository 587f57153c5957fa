# SPDX-License-Identifier: Apache-2.0
# rill: `make help` lists the targets. Everything that is built lands in build/ (BUILD=).

CC        ?= gcc
ASAN      ?= 0
TSAN      ?= 0
BUILD     ?= build$(if $(filter 1,$(ASAN)),/asan)$(if $(filter 1,$(TSAN)),/tsan)
PREFIX    ?= /usr/local
MPICC     ?= $(shell echo '\#include <mpi.h>' | mpicc -E - >/dev/null 2>&1 && command -v mpicc)
LIBDIR    ?= lib
NVCC      ?= $(or $(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc))
CUDA      ?= $(if $(NVCC),1,0)
CUDA_ARCH ?= 80 90
PKG_CONFIG ?= pkg-config
CLANG_FORMAT ?= clang-format
OPT       ?= -O3
TEST_OPT  ?= -O1
# Where it differs from OPT: of the folders of the node update.
NODE_OPT  ?=
# Line numbers are what a report of a sanitizer needs; variables take a quarter of its time of compilation.
DEBUG     := -g$(if $(filter 1,$(ASAN) $(TSAN)),1)
HARDENED  ?= 1
WERROR    ?=
# Objects of the node update are built for each of these x86-64 levels; the processor chooses at run time.
CPU_LEVELS ?= v2 v3 v4

# A text as one word of the shell, whatever it holds; as a string of C; as the replacement of a sed that is divided by |.
quote    = '$(subst ','\'',$(1))'
c_string = "$(subst ",\",$(subst \,\\,$(1)))"
sed_text = $(subst |,\|,$(subst &,\&,$(subst \,\\,$(1))))
# Paths are what they are: neither make nor the shell expands them. Those of the build are relative to the sources, so that
# no name of a target has the path of the sources.
prefix  := $(value PREFIX)
destdir := $(value DESTDIR)
libdir  := $(value LIBDIR)
override BUILD := $(subst $(CURDIR)/,,$(BUILD))
hash    := \#
open    := (
close   := )
# What make or the shell gives a meaning to, and blanks: not in names of targets. What pkg-config cannot read in its file.
special  = $(word 2,$(1))$(foreach c,' " \ ` $(hash) $$ % : ; & | < > $(open) $(close) { } * ? ! ~ =,$(findstring $(c),$(1)))
ifneq ($(and $(BUILD),$(libdir)),)
wrong   := $(call special,$(BUILD)) $(call special,$(libdir))
else
wrong   := nothing
endif
ifneq ($(strip $(wrong)),)
$(error BUILD="$(BUILD)" or LIBDIR="$(libdir)" is empty or has a blank or special character: name another directory; PREFIX, DESTDIR and the path of the sources may have them)
endif
wrong   := $(foreach c," \ ` $${,$(findstring $(c),$(prefix)))
ifneq ($(strip $(wrong)),)
$(error PREFIX=$(prefix) has $(strip $(wrong)), which pkg-config does not read: name another directory)
endif

ifeq ($(origin CC),default)
CC := gcc
endif
ifneq ($(V),1)
Q := @
say = @printf '  %-6s %s\n' $(1) $(2);
endif

# rill.h states the version; its first number is that of the library's interface.
PUBLIC_HEADERS := $(wildcard include/rill.h include/rill/*.h)
VERSION  := $(shell awk '$$2 ~ /^RILL_VERSION_[A-Z]*$$/ { v = v d $$3; d = "." } END { print v }' $(PUBLIC_HEADERS))
SONAME   := librill.so.$(firstword $(subst ., ,$(VERSION)))
# Names for pkg-config and for the linker: not every distribution has a pkg-config file of each.
LIBRARIES := hdf5:hdf5 libtiff-4:tiff libpng:png udunits:udunits2 libxxhash:xxhash jansson:jansson yaml-0.1:yaml zlib:z libzip:zip expat:expat
LIBS     := $(shell for l in $(LIBRARIES); do $(PKG_CONFIG) --exists $${l%:*} && echo $${l%:*}; done)
UNLISTED := $(foreach l,$(LIBRARIES),$(if $(filter $(firstword $(subst :, ,$(l))),$(LIBS)),,-l$(lastword $(subst :, ,$(l)))))
# In a release tarball git archive has written the revision into .revision; see .gitattributes.
REVISION := $(or $(shell sed -n 's/^\([0-9a-f]\{12\}\).*/\1/p' .revision),\
  $(shell git rev-parse --short=12 HEAD 2>/dev/null && { git diff --quiet HEAD || echo modified; }))
CPPFLAGS += $(CPU_LEVELS:%=-DRILL_LEVEL_%) -Iinclude -Isrc -I. $(shell $(PKG_CONFIG) --cflags $(LIBS)) -D_GNU_SOURCE
# In front of every source of the library and the program: text is read and written in the C locale.
C_LOCALE := -include src/core/c_locale.h
# Node numbers are ranks in a bitmap, which need a population count; x86-64-v2, the lowest level of the kernels, has that instruction.
CFLAGS   += -std=c11 $(OPT) -mpopcnt $(DEBUG) -fPIC -fopenmp -ffp-contract=off -fno-math-errno -Wall -Wextra -Wshadow \
            -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wno-psabi -Wno-missing-field-initializers $(WERROR)
LDFLAGS  += -fopenmp
# Memory that a hostile file overwrites ends the program: canaries, copies whose size is checked, read-only tables of functions.
# Sanitizers find more, and bring checked copies of their own. HARDENED=0 builds without.
ifeq ($(HARDENED)$(ASAN)$(TSAN),100)
FORTIFIED  := $(if $(filter -O0,$(OPT))$(findstring _FORTIFY_SOURCE,$(CFLAGS) $(CPPFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
HARDENING  := -fstack-protector-strong $(FORTIFIED)
HARDENED_LINK := -Wl,-z,relro,-z,now
endif
# hdf5_hl, of the same package as hdf5, has no pkg-config file; it makes dimension scales.
LDLIBS   := -lhdf5_hl $(shell $(PKG_CONFIG) --libs $(LIBS)) $(UNLISTED) -lm
, := ,
ifneq ($(ASAN)$(TSAN),00)
# Threads need the OpenMP of LLVM (CC=clang), which tells ThreadSanitizer what loops wait for: scripts/campaign/clean.
SANITIZE := $(if $(filter 1,$(TSAN)),-fsanitize=thread,-fsanitize=address$(,)undefined -fno-sanitize-recover=undefined)
CFLAGS   += $(SANITIZE) -fno-omit-frame-pointer
LDFLAGS  += $(SANITIZE)
# Parts of one source: instrumented, they take minutes to compile and then ten times as long. One of each kind shows
# what there is to see: collide-D2Q9-DOUBLE how rows are read and written, operators-double-16 every lattice and collision.
PLAIN    := src/cpu/collide-D3% src/cpu/collide-D2Q9-SINGLE% tests/operators-float% tests/operators-double-32%
$(PLAIN:%=$(BUILD)/obj/%): SANITIZE :=
# Of its minute and more to compile half is optimisation; its tests collide few nodes.
$(BUILD)/obj/tests/operators-double-16.o: CFLAGS += -O0
ifneq ($(RELEASE),)
define plain_rule
$(BUILD)/obj/$(1).o: $(RELEASE)/obj/$(1).o
	@mkdir -p $$(@D)
	$$(call say,CP,$$<)cp $$< $$@
endef
$(foreach p,$(PLAIN),$(eval $(call plain_rule,$(p))))
endif
endif

# What every processor level needs: a step is put together from these, see src/cpu/rows.h. The longest first.
LEVEL_PARTS := src/cpu/step src/cpu/build src/cpu/segments src/device/diffusion_rows
CPU_PARTS := $(foreach l,D3Q27 D3Q19 D3Q15 D2Q9 D3Q7,$(foreach a,DOUBLE SINGLE,src/cpu/collide-$(l)-$(a))) $(LEVEL_PARTS) src/cpu/format-DOUBLE src/cpu/format-SINGLE

LIB_SRC  := $(sort $(filter-out $(LEVEL_PARTS:%=%.c),$(wildcard $(patsubst %,src/%/*.c,core kernel kernel/* device domain network sim io permeability diffusion batch vessel/* free_surface membrane) \
                                geometry/*/*.c cuda/*.c)))
# Measurements of rill itself, which the command makes and the library does not hold.
STUDY_SRC := $(sort $(wildcard src/bench/*.c src/verify/*.c))
CLI_SRC  := $(sort $(wildcard src/cli/*.c))
# The longest first. Whole flows take sanitizers a quarter of an hour, and run no code that other tests do not run.
FLOW_SRC := $(if $(filter 1,$(ASAN)),,$(wildcard tests/physics/*.c))
# Open MPI leaks memory that sanitizers report.
LEAKING  := $(if $(filter 1,$(ASAN)),tests/cli/test_cli_processes.c)
TEST_SRC := tests/kernel/test_nvrtc.c $(FLOW_SRC) $(filter-out tests/kernel/test_nvrtc.c $(LEAKING),$(sort $(wildcard tests/test_*.c tests/*/test_*.c)))
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/cuda/sources.o \
            $(foreach v,$(CPU_LEVELS),$(CPU_PARTS:%=$(BUILD)/obj/%-$(v).o))
STUDY_OBJ := $(STUDY_SRC:%.c=$(BUILD)/obj/%.o)
CLI_OBJ  := $(CLI_SRC:%.c=$(BUILD)/obj/%.o)
INSPECT_OBJ := $(BUILD)/obj/src/inspect/main.o $(BUILD)/obj/src/inspect/absent.o
TESTS    := $(foreach t,$(TEST_SRC),$(BUILD)/tests/$(notdir $(t:.c=)))

ifeq ($(CUDA),1)
CUDA_HOME := $(abspath $(dir $(NVCC))/..)
# Machine code for each capability named, and PTX of the last, which newer devices translate.
CUDA_PTX  := $(lastword $(CUDA_ARCH))
CUDA_GEN  := $(foreach a,$(CUDA_ARCH),-gencode arch=compute_$(a),code=sm_$(a)) \
             -gencode arch=compute_$(CUDA_PTX),code=compute_$(CUDA_PTX)
# Half the size of program and library, where the toolkit can (12.8 and later).
CUDA_SMALL := $(shell $(NVCC) --help | grep -q -e --compress-mode && echo --compress-mode=size)
NVFLAGS   := -std=c++17 -O3 $(CUDA_GEN) -Iinclude -Isrc -I. -Xcompiler -fPIC,-fopenmp,-Wall \
             $(if $(filter 1,$(PROFILE)),-lineinfo) -Xptxas -v --expt-relaxed-constexpr $(CUDA_SMALL)
# Parts of the kernels, which build in parallel: arithmetic, number, count; see cuda/kernels.cu.
CUDA_PARTS := $(foreach n,0 1 2 3 4 5 6 7,SINGLE-$(n)-8) $(foreach n,0 1 2 3,DOUBLE-$(n)-4)
LIB_OBJ   += $(patsubst %.cu,$(BUILD)/obj/%.o,$(filter-out cuda/kernels.cu,$(wildcard cuda/*.cu))) $(CUDA_PARTS:%=$(BUILD)/obj/cuda/kernels-%.o)
CPPFLAGS  += -DRILL_HAVE_CUDA=1
CUDA_LIBS := $(firstword $(wildcard $(CUDA_HOME)/lib64/libcudart_static.a $(CUDA_HOME)/lib/libcudart_static.a)) \
             -lstdc++ -ldl -lrt -lpthread
endif

.PHONY: all test bench format format-check schemas install wheel portable-wheel deb dist docs site clean help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

all: $(BUILD)/rill $(BUILD)/rill-inspect $(BUILD)/librill.so mpi ## build librill.so and rill

# Man pages and completions, of what --help prints.
$(BUILD)/pages/man1/rill.1: $(BUILD)/rill scripts/pages
	$(call say,GEN,$(@D))scripts/pages $(BUILD)/rill $(BUILD)/pages

# Where the data are if the program is not installed.
DATA_SOURCES ?= $(CURDIR)/data

# Rebuilds what depends on flags, and on the place of the tree, when they change.
FLAGS := $(CC) $(CFLAGS) $(HARDENING) $(CPPFLAGS) $(C_LOCALE) $(LDFLAGS) $(HARDENED_LINK) $(CUDA) $(NVFLAGS)
keep = $(shell mkdir -p $(BUILD); printf '%s' $(call quote,$(2)) | cmp -s - $(BUILD)/$(1) || printf '%s' $(call quote,$(2)) >$(BUILD)/$(1))
$(call keep,flags,$(FLAGS)$(NODE_OPT:%= %))
$(call keep,test_flags,$(TEST_OPT))
$(call keep,revision,$(REVISION))
$(call keep,data_sources,$(DATA_SOURCES))

# The program holds what it uses of the library: most of that is not public.
$(BUILD)/rill: $(CLI_OBJ) $(STUDY_OBJ) $(LIB_OBJ)
	$(call say,LD,$@)$(CC) -pie $(LDFLAGS) $(HARDENED_LINK) -o $@ $^ $(LDLIBS) $(CUDA_LIBS)

shared = $(call say,LD,$@)$(CC) -shared $(LDFLAGS) $(HARDENED_LINK) -Wl,-z,nodelete -Wl,-soname,$(1) -o $@ $(filter %.o,$^) $(LDLIBS) $(CUDA_LIBS)

# What both start to read HDF5 files first has only what reads them: the archive gives the objects that are called, and absent.c stands for readers of
# other formats, whose libraries take long to load, and for what needs a backend.
$(BUILD)/obj/librill.a: $(LIB_OBJ)
	@rm -f $@
	$(call say,AR,$@)ar rcD $@ $^
$(BUILD)/rill-inspect: $(INSPECT_OBJ) $(BUILD)/obj/librill.a
	$(call say,LD,$@)$(CC) -pie $(LDFLAGS) $(HARDENED_LINK) -Wl,--as-needed -o $@ $^ $(LDLIBS) $(CUDA_LIBS)

$(BUILD)/rill $(BUILD)/librill.so $(TESTS): | $(BUILD)/rill-inspect

# The library that is installed exports what the public headers declare.
$(BUILD)/librill.so: $(BUILD)/librill.so.$(VERSION)
	$(Q)ln -sf librill.so.$(VERSION) $(BUILD)/$(SONAME)
	$(Q)ln -sf $(SONAME) $@
$(BUILD)/librill.so.$(VERSION): $(LIB_OBJ) $(BUILD)/librill.map
	$(call shared,$(SONAME)) -Wl,--version-script=$(BUILD)/librill.map
$(BUILD)/librill.map: scripts/exports $(PUBLIC_HEADERS)
	$(call say,GEN,$@)scripts/exports $(PUBLIC_HEADERS) >$@

# Messages between processes: loaded at run time, where a launcher has started several.
.PHONY: mpi
mpi: $(if $(MPICC),$(BUILD)/librill-mpi.so)
	$(Q)$(if $(MPICC),:,echo 'No Open MPI: built without librill-mpi.so, rill runs in one process')
$(BUILD)/librill-mpi.so: src/mpi/team_mpi.c src/core/team.h Makefile
	@mkdir -p $(@D)
	$(call say,MPICC,$<)OMPI_CC="$(CC)" $(MPICC) -std=c11 -O2 $(HARDENING) $(HARDENED_LINK) -g -Wall -Wextra $(WERROR) -fPIC -shared -Iinclude -Isrc -o $@ $<

# The same with all its names, for the tests; not installed.
$(BUILD)/librill-internal.so: $(STUDY_OBJ) $(LIB_OBJ)
	$(call shared,$(@F))

# A macro that is a string of C.
text_macro = -D$(1)=$(call quote,$(call c_string,$(2)))
$(BUILD)/obj/src/core/version.o: CPPFLAGS += $(call text_macro,RILL_REVISION,$(REVISION))
$(BUILD)/obj/src/core/version.o: $(BUILD)/revision

# What `rill --version` prints of the build.
$(BUILD)/obj/src/cli/version_json.o: CPPFLAGS += $(call text_macro,RILL_OPTIMISATION,$(OPT)) \
  $(call text_macro,RILL_CPU_LEVELS,$(CPU_LEVELS)) $(call text_macro,RILL_CUDA_ARCHITECTURES,$(if $(filter 1,$(CUDA)),$(CUDA_ARCH))) \
  $(call text_macro,RILL_UDUNITS,$(shell $(PKG_CONFIG) --modversion udunits 2>/dev/null))

$(BUILD)/obj/src/core/data.o: CPPFLAGS += $(call text_macro,RILL_DATA_SOURCES,$(DATA_SOURCES))
$(BUILD)/obj/src/core/data.o: $(BUILD)/data_sources

$(LIB_SRC:%.c=$(BUILD)/obj/%.o) $(STUDY_OBJ) $(CLI_OBJ) $(INSPECT_OBJ): CPPFLAGS += $(C_LOCALE)
# Not the node update of src/cpu, which reads no files.
$(LIB_SRC:%.c=$(BUILD)/obj/%.o) $(STUDY_OBJ) $(CLI_OBJ) $(INSPECT_OBJ): CFLAGS += $(HARDENING)
# Loops that compilers are told to unroll, which clang warns of where it cannot, but does not look at with -O0.
$(filter $(patsubst %,$(BUILD)/obj/src/%/%,cpu device diffusion free_surface kernel sim),$(LIB_OBJ)): CFLAGS += $(NODE_OPT)
$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# What NVRTC compiles kernels from, in the library itself.
KERNEL_SOURCES := $(patsubst %,include/rill/%.h,boundary domain geometry progress rheology status types variant) \
  $(sort $(filter-out $(patsubst %,src/kernel/%.h,build storage/groups refine storage/rounding variant),$(wildcard src/kernel/*.h src/kernel/*/*.h))) src/kernel/variants.def cuda/compiled.h cuda/registers.cuh cuda/boundary.cuh cuda/kernels.cuh
$(BUILD)/obj/cuda/sources.S: scripts/embed $(KERNEL_SOURCES)
	@mkdir -p $(@D)
	$(call say,GEN,$@)scripts/embed rill_kernel_sources $(KERNEL_SOURCES) >$@
$(BUILD)/obj/cuda/sources.o: $(BUILD)/obj/cuda/sources.S
	$(call say,AS,$@)$(CC) -c -o $@ $<

# collide-D3Q19-SINGLE-v3.o, format-SINGLE-v3.o, step-v3.o: the parts of a step, for one processor level.
part = $(subst -, ,$*)
cpu_part = $(call say,CC,"$< $*")$(CC) $(CPPFLAGS) $(CFLAGS) -march=x86-64-$(lastword $(part)) \
  -DRILL_PART_LEVEL=$(lastword $(part)) $(1) -MMD -MP -c -o $@ $<
$(BUILD)/obj/src/cpu/collide-%.o: src/cpu/collide.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call cpu_part,-DRILL_PART_LATTICE=$(word 1,$(part)) -DRILL_PART_ARITHMETIC=$(word 2,$(part)))
$(BUILD)/obj/src/cpu/format-%.o: src/cpu/format.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call cpu_part,-DRILL_PART_ARITHMETIC=$(word 1,$(part)))
define cpu_plain
$(BUILD)/obj/$(1)-%.o: $(1).c $(BUILD)/flags
	@mkdir -p $$(@D)
	$$(call cpu_part,)
endef
$(foreach p,$(LEVEL_PARTS),$(eval $(call cpu_plain,$(p))))

# ptxas reports registers and spills of every kernel into <object>.ptxas.
nvcc = $(NVCC) $(NVFLAGS) $(1) -MD -MP -MF $(@:.o=.d) -c -o $@ $< >$@.ptxas 2>&1 || { cat $@.ptxas >&2; exit 1; }
$(BUILD)/obj/cuda/kernels-%.o: cuda/kernels.cu $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,NVCC,"$< $*")$(call nvcc,-DRILL_PART_ARITHMETIC=$(word 1,$(part)) -DRILL_PART_NUMBER=$(word 2,$(part)) \
	  -DRILL_PART_COUNT=$(word 3,$(part)))

# The same bits as on processors.
$(BUILD)/obj/cuda/flows.o $(BUILD)/obj/cuda/balance.o $(BUILD)/obj/cuda/diffusion.o $(BUILD)/obj/cuda/front.o $(BUILD)/obj/cuda/membranes.o: NVFLAGS += -fmad=false
$(BUILD)/obj/cuda/%.o: cuda/%.cu $(BUILD)/flags Makefile
	@mkdir -p $(@D)
	$(call say,NVCC,$<)$(call nvcc,-D'RILL_CUDA_PARTS(X)=$(foreach p,$(CUDA_PARTS),X($(word 1,$(subst -, ,$(p)))_$(word 2,$(subst -, ,$(p)))))')

# A test of the command line runs the program that the environment variable RILL names.
TEST_LIBS = $(shell $(PKG_CONFIG) --cflags --libs criterion)
define test_rule
$(BUILD)/tests/$(notdir $(1:.c=)): $(BUILD)/obj/$(1:.c=.o) $(BUILD)/librill-internal.so
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)$(CC) $(LDFLAGS) -o $$@ $$(filter %.o,$$^) -L$(BUILD) -lrill-internal -Wl,-rpath,'$$$$ORIGIN/..' $(TEST_LIBS) $(LDLIBS)
endef
$(foreach t,$(TEST_SRC),$(eval $(call test_rule,$(t))))
$(BUILD)/tests/test_cli $(BUILD)/tests/test_locale: $(filter-out %/main.o,$(CLI_OBJ))

# The conversions of stored populations for each arithmetic type and processor level, seen by one test.
STORAGE_OBJ := $(foreach a,float double,$(CPU_LEVELS:%=$(BUILD)/obj/tests/storage-$(a)-%.o))
$(BUILD)/tests/test_storage: $(STORAGE_OBJ)
# Tests include what several folders of them use by its name alone.
$(TEST_SRC:%.c=$(BUILD)/obj/%.o): CPPFLAGS += -Itests
# They spend their time in the library: at -O3 they take twice as long to compile, and run no sooner.
$(TEST_SRC:%.c=$(BUILD)/obj/%.o): CFLAGS += $(TEST_OPT)
$(TEST_SRC:%.c=$(BUILD)/obj/%.o): $(BUILD)/test_flags
$(BUILD)/obj/tests/storage-%.o: tests/storage/instance.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,"$< $*")$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -march=x86-64-$(word 2,$(part)) -DRILL_ARITHMETIC=$(word 1,$(part)) \
	  -DRILL_PART_LEVEL=$(patsubst v%,%,$(word 2,$(part))) -MMD -MP -c -o $@ $<

# The collision operators for each arithmetic type and two vector widths, seen by three tests.
OPERATOR_OBJ := $(foreach a,float double,$(foreach b,16 32,$(BUILD)/obj/tests/operators-$(a)-$(b).o))
$(BUILD)/tests/test_collide $(BUILD)/tests/test_rheology $(BUILD)/tests/collisions: $(OPERATOR_OBJ)
$(BUILD)/obj/tests/operators-%.o: tests/collide/operators.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,"$< $*")$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -DRILL_ARITHMETIC=$(word 1,$(part)) \
	  -DRILL_VECTOR_BYTES=$(word 2,$(part)) -MMD -MP -c -o $@ $<

.PHONY: tests
tests: $(TESTS) all ## build the tests

.PHONY: objects
objects: $(LIB_OBJ) $(STUDY_OBJ) $(CLI_OBJ) $(INSPECT_OBJ) $(TEST_SRC:%.c=$(BUILD)/obj/%.o) ## compile without linking: warnings of a compiler

test: tests ## build and run the tests
	$(Q)$(MAKE) -s install DESTDIR= PREFIX=$(call quote,$(CURDIR)/$(BUILD)/prefix)
	$(Q)RILL=$(call quote,$(CURDIR)/$(BUILD)/rill) RILL_PREFIX=$(call quote,$(CURDIR)/$(BUILD)/prefix) RILL_CC="$(CC) $(SANITIZE)" \
	  RILL_EXAMPLES=$(call quote,$(CURDIR)/examples) scripts/run-tests $(TESTS)

bench: $(BUILD)/rill ## measure speed on this machine
	$(Q)$(BUILD)/rill bench --json $(BUILD)/bench.json

FORMATTED = $(shell git ls-files '*.c' '*.h' '*.cu' '*.cuh' '*.def')
format: ## format the sources in place
	$(Q)$(CLANG_FORMAT) -i $(FORMATTED)
format-check: ## fail when a source is not formatted
	$(Q)$(CLANG_FORMAT) --dry-run -Werror $(FORMATTED)

schemas: $(BUILD)/rill ## write the schemas of case files in data/schemas from the tables by which rill reads them
	$(Q)$(BUILD)/rill check --schema >data/schemas/case.schema.json
	$(Q)$(BUILD)/rill check --schema cells >data/schemas/cells.schema.json

DATA := $(shell cd data && find . -name '*.csv' -o -name '*.yaml' -o -name '*.json' -o -name '*.md' | sort)
# Of a path below a directory that the installation goes to: one word of the shell.
to = $(call quote,$(destdir)$(prefix)/$(1))
filled = $(call quote,s|$(1)|$(call sed_text,$(2))|)
install: all $(BUILD)/pages/man1/rill.1 ## install program, library, headers, data, man pages, completions, pkg-config and CMake files (PREFIX, LIBDIR, DESTDIR)
	@for file in $(DATA); do install -D -m 644 data/$$file $(call to,share/rill)/$$file || exit 1; done
	install -d $(call to,bin) $(call to,$(libdir)/pkgconfig) $(call to,$(libdir)/rill) $(call to,include/rill)
	install -m 755 $(BUILD)/rill $(call to,bin/)
	install -m 755 $(BUILD)/rill-inspect $(call to,$(libdir)/rill/)
	install -m 755 $(BUILD)/librill.so.$(VERSION) $(call to,$(libdir)/)
	if [ -e $(BUILD)/librill-mpi.so ]; then install -m 755 $(BUILD)/librill-mpi.so $(call to,$(libdir)/); fi
	ln -sf librill.so.$(VERSION) $(call to,$(libdir)/$(SONAME))
	ln -sf $(SONAME) $(call to,$(libdir)/librill.so)
	install -m 644 include/rill.h $(call to,include/)
	install -m 644 include/rill/*.h $(call to,include/rill/)
	sed -e $(call filled,@PREFIX@,$(subst $(hash),\$(hash),$(prefix))) -e $(call filled,@LIBDIR@,$(libdir)) -e $(call filled,@VERSION@,$(VERSION)) \
	  src/rill.pc.in >$(call to,$(libdir)/pkgconfig/rill.pc)
	install -d $(call to,$(libdir)/cmake/rill) $(call to,share/man/man1)
	sed -e $(call filled,@LIBDIR@,$(libdir)) src/rill-config.cmake.in >$(call to,$(libdir)/cmake/rill/rill-config.cmake)
	sed -e $(call filled,@VERSION@,$(VERSION)) src/rill-config-version.cmake.in >$(call to,$(libdir)/cmake/rill/rill-config-version.cmake)
	install -m 644 $(BUILD)/pages/man1/*.1 $(call to,share/man/man1/)
	install -D -m 644 $(BUILD)/pages/completions/rill $(call to,share/bash-completion/completions/rill)
	install -D -m 644 $(BUILD)/pages/completions/_rill $(call to,share/zsh/site-functions/_rill)
	install -D -m 644 $(BUILD)/pages/completions/rill.fish $(call to,share/fish/vendor_completions.d/rill.fish)

wheel: all ## make the Python package with library and program in BUILD/wheel
	@scripts/make-wheel $(BUILD) $(VERSION)

# Nothing in a wheel depends on where it was built: its data are beside the program.
$(BUILD)/portable/data.o: CPPFLAGS += $(C_LOCALE) $(call text_macro,RILL_DATA_SOURCES,/usr/share/rill)
$(BUILD)/portable/data.o: CFLAGS += $(HARDENING)
$(BUILD)/portable/data.o: src/core/data.c $(BUILD)/obj/src/core/data.o
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
PORTABLE_OBJ = $(LIB_OBJ:$(BUILD)/obj/src/core/data.o=$(BUILD)/portable/data.o)
portable-wheel: all $(BUILD)/portable/data.o ## make the wheel that runs on glibc 2.28 and later in BUILD/portable/wheel
	@PROGRAM_OBJ=$(call quote,$(CLI_OBJ) $(STUDY_OBJ) $(PORTABLE_OBJ)) LIB_OBJ=$(call quote,$(PORTABLE_OBJ)) INSPECT_OBJ=$(call quote,$(INSPECT_OBJ)) \
	  CUDA_LIBS=$(call quote,$(CUDA_LIBS)) scripts/make-portable-wheel $(BUILD) $(VERSION)

deb: all $(BUILD)/pages/man1/rill.1 ## make Debian packages of what BUILD holds, in BUILD/deb
	@scripts/make-deb $(BUILD) $(VERSION) $(foreach v,CC CUDA CUDA_ARCH CPU_LEVELS OPT WERROR,$(v)=$(call quote,$($(v))))

dist: ## make the release tarball of the last commit, with its Spack and conda recipes, in BUILD/dist (URL)
	@scripts/make-dist $(BUILD)/dist $(VERSION) $(call quote,$(URL))

site: all ## make the site of the documents in BUILD/site/html (MkDocs)
	@scripts/site $(BUILD) $(VERSION)

docs: ## make the reference of the interface in build/docs/api (Doxygen)
	@scripts/docs $(BUILD)/docs/api $(VERSION)

clean: ## remove build/
	rm -rf $(BUILD)

help: ## list targets and variables
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{printf "%-20s%s\n", $$1, $$2}'
	@printf '%s\n' '' '  CUDA=0        build without CUDA even when nvcc is there' \
	  '  CUDA_ARCH=90  compute capabilities to build for (now: $(CUDA_ARCH))' \
	  '  ASAN=1        AddressSanitizer and UndefinedBehaviorSanitizer, in build/asan' '  V=1           show the commands' \
	  '  TSAN=1        ThreadSanitizer, in build/tsan; needs CC=clang' \
	  '  HARDENED=0    without stack protector, _FORTIFY_SOURCE and full RELRO' '  CC=clang BUILD=build/clang PREFIX=/usr/local LIBDIR=lib DESTDIR= WERROR=-Werror'

-include $(LIB_OBJ:.o=.d) $(STUDY_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(INSPECT_OBJ:.o=.d) $(STORAGE_OBJ:.o=.d) $(OPERATOR_OBJ:.o=.d) $(TEST_SRC:%.c=$(BUILD)/obj/%.d)
