aarch64_collect = src/arch/aarch64/instructions.c src/arch/aarch64/raw-syscall.c \
	src/arch/aarch64/signal-frame.c
EXTRA_DIST += $(aarch64_collect) src/arch/aarch64/conditions.map \
	src/arch/aarch64/dwarf-inline.h src/arch/aarch64/elf-names-inline.h \
	src/arch/aarch64/flow-inline.h src/arch/aarch64/frame-inline.h \
	src/arch/aarch64/instructions-inline.h src/arch/aarch64/page-size-inline.h \
	src/arch/aarch64/perf-registers-inline.h src/arch/aarch64/registers-inline.h \
	src/arch/aarch64/restart-inline.h src/arch/aarch64/signal-frame-inline.h \
	src/arch/aarch64/sys-call-inline.h src/arch/aarch64/thunks-inline.h \
	src/arch/aarch64/timestamp-inline.h
