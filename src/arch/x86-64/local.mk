arch_cppflags = -I$(srcdir)/src/arch/x86-64
EXTRA_DIST += src/arch/x86-64/page-inline.h \
	src/arch/x86-64/timestamp-inline.h
