x86_64_collect = src/arch/x86-64/instructions.c src/arch/x86-64/raw-syscall.c
EXTRA_DIST += $(x86_64_collect) src/arch/x86-64/conditions.map \
	src/arch/x86-64/dwarf-inline.h src/arch/x86-64/elf-names-inline.h \
	src/arch/x86-64/flow-inline.h src/arch/x86-64/frame-inline.h \
	src/arch/x86-64/instructions-inline.h src/arch/x86-64/page-size-inline.h \
	src/arch/x86-64/perf-registers-inline.h src/arch/x86-64/registers-inline.h \
	src/arch/x86-64/restart-inline.h src/arch/x86-64/signal-frame-inline.h \
	src/arch/x86-64/sys-call-inline.h src/arch/x86-64/thunks-inline.h \
	src/arch/x86-64/timestamp-inline.h
