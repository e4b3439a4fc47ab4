arch_cppflags = -I$(srcdir)/src/arch/x86-64
EXTRA_DIST += src/arch/x86-64/dwarf-inline.h src/arch/x86-64/page-inline.h \
	src/arch/x86-64/registers-inline.h src/arch/x86-64/restart-inline.h \
	src/arch/x86-64/sys-call-inline.h src/arch/x86-64/timestamp-inline.h
arch_collect = src/arch/x86-64/raw-syscall.c
