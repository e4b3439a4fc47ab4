# copse attach.  The unwinder is the collector's own, which asks what is here
# for another process's code and memory.
noinst_LIBRARIES += libattach.a
libattach_a_CFLAGS = $(reader_cflags)
libattach_a_SOURCES = \
	src/attach/attach.c src/attach/attach.h \
	src/attach/attach-process.c src/attach/attach-process.h \
	src/attach/attach-python.c src/attach/attach-python.h \
	src/attach/attach-record.c src/attach/attach-record.h \
	src/attach/attach-refused.c \
	src/attach/foreign.c src/attach/foreign.h \
	src/attach/perf-ring.c src/attach/perf-ring.h \
	src/collect/time.c \
	src/collect/python/python-code.c \
	src/collect/python/python-frames.c \
	src/collect/python/python-gil.c \
	src/collect/python/python-layout.c \
	src/collect/unwind/cfi.c \
	src/collect/unwind/unwind.c \
	$(arch_collect)
