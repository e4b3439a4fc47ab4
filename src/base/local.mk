noinst_LTLIBRARIES += libbase.la
libbase_la_SOURCES = \
	src/base/batch.c src/base/batch.h src/base/batch.def \
	src/base/blob.c src/base/blob.h \
	src/base/choice.c src/base/choice.h src/base/cores.h \
	src/base/err.c src/base/err.h \
	src/base/fit.c src/base/fit.h \
	src/base/golang.c src/base/golang.h \
	src/base/event.c src/base/event.h \
	src/base/event-group.c src/base/event-group.h \
	src/base/launcher.c src/base/launcher.h \
	src/base/map.c src/base/map.h src/base/order.h \
	src/base/place.c src/base/place.h \
	src/base/proc.c src/base/proc.h \
	src/base/settings.c src/base/settings.h src/base/settings.def \
	src/base/str.c src/base/str.h src/base/whole.h \
	src/base/timebase.c src/base/timebase.h src/base/tiny-stack.h \
	src/base/hidden.h src/base/metric.h src/base/sigsafe.h src/base/sys.h
