# Code of one processor, in a folder of its own, behind the headers here.  Each
# ends with what that folder has of it: NAME-inline.h.  What is no header is in
# arch_collect, a part of the collector.
EXTRA_DIST += src/arch/dwarf.h src/arch/elf-names.h src/arch/flow.h \
	src/arch/frame.h src/arch/instructions.h src/arch/page-size.h src/arch/perf-registers.h \
	src/arch/registers.h src/arch/restart.h src/arch/signal-frame.h \
	src/arch/sys-call.h src/arch/thunks.h src/arch/timestamp.h
# Every folder is distributed, whatever this processor is.
include src/arch/x86-64/local.mk
include src/arch/aarch64/local.mk
if X86_64
arch_cppflags = -I$(srcdir)/src/arch/x86-64
arch_collect = $(x86_64_collect)
arch_conditions = src/arch/x86-64/conditions.map
endif
if AARCH64
arch_cppflags = -I$(srcdir)/src/arch/aarch64
arch_collect = $(aarch64_collect)
arch_conditions = src/arch/aarch64/conditions.map
endif
