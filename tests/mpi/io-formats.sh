#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# io-formats.sh - HDF5, PnetCDF and NetCDF in parallel: the bytes of each rank, below
# the function that the program calls, and what a report says of many small ones.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

# Each rank has a row of 1 MiB, and writes it with all others, then by itself in
# pieces, of as many as it is told.
cat >common.h <<'C'
#include <stdlib.h>
#define ROW 131072
static double row[ROW];
static int rank, size, pieces;
static void begin(int argc, char **argv)
{
	pieces = argc > 1 ? atoi(argv[1]) : 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
}
static void must(int good)
{
	if (!good)
		MPI_Abort(MPI_COMM_WORLD, 1);
}
C
cat >hdf5.c <<'C'
#include <hdf5.h>
#include "common.h"
static void put(hid_t set, H5FD_mpio_xfer_t how, hsize_t from, hsize_t columns)
{
	hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
	hid_t space = H5Dget_space(set);
	hsize_t start[2] = { rank, from }, count[2] = { 1, columns };
	hid_t memory = H5Screate_simple(2, count, NULL);

	H5Pset_dxpl_mpio(transfer, how);
	H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
	must(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, transfer, row) >= 0);
	H5Sclose(memory);
	H5Sclose(space);
	H5Pclose(transfer);
}
static void save_all(hid_t set)
{
	put(set, H5FD_MPIO_COLLECTIVE, 0, ROW);
}
static void save_each(hid_t set)
{
	for (int i = 0; i < pieces; i++)
		put(set, H5FD_MPIO_INDEPENDENT, ROW / pieces * i, ROW / pieces);
}
int main(int argc, char **argv)
{
	hid_t access, file, space, set;

	begin(argc, argv);
	access = H5Pcreate(H5P_FILE_ACCESS);
	H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
	file = H5Fcreate("out", H5F_ACC_TRUNC, H5P_DEFAULT, access);
	space = H5Screate_simple(2, (hsize_t[]){ size, ROW }, NULL);
	set = H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
			 H5P_DEFAULT, H5P_DEFAULT);
	must(file >= 0 && set >= 0);
	save_all(set);
	save_each(set);
	H5Dclose(set);
	must(H5Fclose(file) >= 0);
	MPI_Finalize();
	return 0;
}
C
cat >pnetcdf.c <<'C'
#include <pnetcdf.h>
#include "common.h"
static int nc, x;
static void save_all(void)
{
	MPI_Offset start[2] = { rank, 0 }, count[2] = { 1, ROW };

	must(!ncmpi_put_vara_double_all(nc, x, start, count, row));
}
static void save_each(void)
{
	for (int i = 0; i < pieces; i++) {
		MPI_Offset start[2] = { rank, ROW / pieces * i };
		MPI_Offset count[2] = { 1, ROW / pieces };

		must(!ncmpi_put_vara_double(nc, x, start, count, row));
	}
}
int main(int argc, char **argv)
{
	int dims[2];

	begin(argc, argv);
	must(!ncmpi_create(MPI_COMM_WORLD, "out", NC_CLOBBER | NC_64BIT_DATA,
			   MPI_INFO_NULL, &nc));
	ncmpi_def_dim(nc, "rows", size, &dims[0]);
	ncmpi_def_dim(nc, "columns", ROW, &dims[1]);
	ncmpi_def_var(nc, "x", NC_DOUBLE, 2, dims, &x);
	must(!ncmpi_enddef(nc));
	save_all();
	must(!ncmpi_begin_indep_data(nc));
	save_each();
	ncmpi_end_indep_data(nc);
	must(!ncmpi_close(nc));
	MPI_Finalize();
	return 0;
}
C
cat >netcdf.c <<'C'
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include "common.h"
static int nc, x;
static void put(int how, size_t from, size_t columns)
{
	size_t start[2] = { (size_t)rank, from }, count[2] = { 1, columns };

	must(!nc_var_par_access(nc, x, how));
	must(!nc_put_vara_double(nc, x, start, count, row));
}
static void save_all(void)
{
	put(NC_COLLECTIVE, 0, ROW);
}
static void save_each(void)
{
	for (int i = 0; i < pieces; i++)
		put(NC_INDEPENDENT, (size_t)(ROW / pieces * i),
		    (size_t)(ROW / pieces));
}
int main(int argc, char **argv)
{
	int dims[2];

	begin(argc, argv);
	must(!nc_create_par("out", NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD,
			    MPI_INFO_NULL, &nc));
	nc_def_dim(nc, "rows", (size_t)size, &dims[0]);
	nc_def_dim(nc, "columns", ROW, &dims[1]);
	nc_def_var(nc, "x", NC_DOUBLE, 2, dims, &x);
	nc_def_var_fill(nc, x, NC_NOFILL, NULL);
	must(!nc_enddef(nc));
	save_all();
	save_each();
	must(!nc_close(nc));
	MPI_Finalize();
	return 0;
}
C

built() {
	case $1 in
	hdf5)	# shellcheck disable=SC2046 # words
		mpicc -g -O1 hdf5.c -o hdf5 $(pkg-config --cflags --libs hdf5-openmpi) ;;
	pnetcdf) mpicc -g -O1 pnetcdf.c -o pnetcdf -lpnetcdf ;;
	netcdf)	folder=$(pkg-config --variable=libdir netcdf-mpi)
		mpicc -g -O1 netcdf.c -o netcdf -I"$folder/netcdf/mpi/include" \
			-lnetcdf_mpi ;;
	esac 2>cc.err
}

run_format() {
	rm -rf out io.copse
	mpirun -n 4 "$copse" run -q --no-report --io=on -o io.copse "./$1" $2
}

# The function that the program calls: what it calls stands at its place.
bytes_are_told() {
	need mpirun mpicc pkg-config
	built "$1" || skip "no $1 for Open MPI: $(head -n 1 cc.err)"
	run_format "$1" || return
	"$copse" report io -n 0 --width 200 io.copse >found
	cat found
	grep -q "^  MPI_File_write_at_all ← $2 ← .*save_all ← main  *4 .* 4.00 MiB" found &&
		grep -q "^  MPI_File_write_at ← $3 ← .*save_each ← main  *4 .* 4.00 MiB" found ||
		return
	# The data twice, with what the library has beside it; by all ranks.
	"$copse" report io -n 0 -f csv --table files io.copse |
		awk -v columns='file processes written extent' \
			-f "$srcdir/tests/lib/csv.awk" |
		awk -F '\t' -v file="$PWD/out" -v size="$(wc -c <out)" '
			$1 == file { print; good = $2 == 4 && $4 == size &&
				$3 >= 8388608 && $3 < 8388608 + 65536 }
			END { exit !good }'
}

small_ones_are_found() {
	[ -x "./$1" ] || skip "it was not built"
	run_format "$1" 4096 || return
	"$copse" report diagnose --width 400 io.copse >found
	cat found
	grep -q "^  independent-io " found &&
		grep -q "16384 calls of MPI_File_write_at ← $2 ← .*, of 25[67] B each" found
}

point "HDF5" bytes_are_told hdf5 H5Dwrite H5Dwrite
point "HDF5: small requests" small_ones_are_found hdf5 H5Dwrite
point "PnetCDF" bytes_are_told pnetcdf ncmpi_put_vara_double_all \
	ncmpi_put_vara_double
point "PnetCDF: small requests" small_ones_are_found pnetcdf ncmpi_put_vara_double
point "NetCDF" bytes_are_told netcdf nc_put_vara_double nc_put_vara_double
points_done
