# PMPI wrappers, one library for each MPI: the only code that sees mpi.h.
