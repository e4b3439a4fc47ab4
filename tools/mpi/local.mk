# What copse merge becomes in an MPI job: one for each MPI, as mpi/ has wrappers.
# All else is the command's own.
merge_sources = tools/mpi/merge-mpi.c tools/cmd-merge.c tools/command.h \
	tools/merge-job.c tools/merge-job.h tools/out.c tools/out.h \
	tools/help.c tools/help.h tools/wrap.c \
	tools/parse.c tools/pick.c tools/pick.h \
	tools/progress.c tools/progress.h \
	src/format/utf8.c src/format/utf8.h
merge_libs = libmerge.la liblaunch.la libprofile.la liblive.la libbase.la
if OPENMPI
pkglibexec_PROGRAMS += copse-merge-openmpi
copse_merge_openmpi_SOURCES = $(merge_sources)
copse_merge_openmpi_CPPFLAGS = $(AM_CPPFLAGS) $(OPENMPI_CFLAGS)
copse_merge_openmpi_CFLAGS = $(reader_cflags)
copse_merge_openmpi_LDFLAGS = $(HARDEN_LDFLAGS)
copse_merge_openmpi_LDADD = $(merge_libs) $(OPENMPI_LIBS)
endif
if MPICH
pkglibexec_PROGRAMS += copse-merge-mpich
copse_merge_mpich_SOURCES = $(merge_sources)
copse_merge_mpich_CPPFLAGS = $(AM_CPPFLAGS) $(MPICH_CFLAGS)
copse_merge_mpich_CFLAGS = $(reader_cflags)
copse_merge_mpich_LDFLAGS = $(HARDEN_LDFLAGS)
copse_merge_mpich_LDADD = $(merge_libs) $(MPICH_LIBS)
endif
