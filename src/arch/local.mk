# Code of one processor, in a folder of its own, behind the headers here.  Each
# ends with what that folder has of it: NAME-inline.h.
arch_headers = src/arch/page.h src/arch/timestamp.h
EXTRA_DIST += $(arch_headers)
if X86_64
include src/arch/x86-64/local.mk
endif
