noinst_LIBRARIES += liblive.a
liblive_a_SOURCES = \
	src/live/arena.c src/live/arena.h \
	src/live/chunk.c src/live/chunk.h \
	src/live/layout.c src/live/layout.h src/live/metrics.def \
	src/live/locks.def src/live/losses.def src/live/copies.def src/live/memories.def \
	src/live/file.def src/live/io-kinds.def \
	src/live/footprint.c src/live/footprint.def src/live/footprint.h \
	src/live/device.def src/live/gpu-counters.def \
	src/live/gpu-uses.def src/live/gpu-uses.h src/live/limits.def src/live/power.def \
	src/live/moments.c src/live/moments.h src/live/node-kinds.def \
	src/live/peer.def src/live/range.def src/live/spans.c \
	src/live/spans.h src/live/shape.def src/live/unified.def \
	src/live/power.h src/live/process.def src/live/stalls.def \
	src/live/tally.h src/live/thread.def src/live/tree.c src/live/tree.h \
	src/live/untimed.h
