# From addresses to functions, lines and loops.
noinst_LIBRARIES += libsymbol.a
libsymbol_a_CFLAGS = $(reader_cflags)
libsymbol_a_SOURCES = \
	src/symbol/cubin-lines.c src/symbol/cubin-lines.h \
	src/symbol/loop-code.h \
	src/symbol/loop-nest.c \
	src/symbol/ranges.c src/symbol/ranges.h \
	src/symbol/remote-stack.c src/symbol/remote-stack.h \
	src/symbol/symbol.c src/symbol/symbol.h \
	src/symbol/symbol-cache.c src/symbol/symbol-cache.h \
	src/symbol/symbol-dwarf.c \
	src/symbol/symbol-elf.c \
	src/symbol/symbol-file.h \
	src/symbol/symbol-loops.c \
	src/symbol/symbol-module.c \
	src/symbol/symbol-open.c \
	src/symbol/symbol-readable.c \
	src/symbol/symbol-remote.c src/symbol/symbol-variants.c
if CAPSTONE
libsymbol_a_SOURCES += src/symbol/loop-code.c
else
libsymbol_a_SOURCES += src/symbol/loop-code-none.c
endif
if ZSTD
libsymbol_a_SOURCES += src/symbol/symbol-zstd.c
else
libsymbol_a_SOURCES += src/symbol/symbol-no-zstd.c
endif
libsymbol_a_CPPFLAGS = $(AM_CPPFLAGS) $(DW_CFLAGS) $(ZSTD_CFLAGS) $(CAPSTONE_CFLAGS)
symbol_libs = $(DW_LIBS) $(ZSTD_LIBS) $(CAPSTONE_LIBS) $(IBERTY_LIBS)
