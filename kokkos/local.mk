# Names of Kokkos, which loads this library itself. Nothing of Kokkos is linked,
# and none of its headers is needed.
sharedexec_PROGRAMS += libcopse-kokkos.so
libcopse_kokkos_so_SOURCES = kokkos/connector.c
libcopse_kokkos_so_LDFLAGS = $(adapter_ldflags)
libcopse_kokkos_so_LDADD = libcopse.so
