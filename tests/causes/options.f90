! SPDX-License-Identifier: BSD-3-Clause
! options.f90 - what the Fortran programs share: PROGRAM [--mended] [SCALE]
subroutine options_read(mended, scale, rank, ranks, start)
  logical, intent(out) :: mended
  real(8), intent(out) :: scale, start
  integer, intent(out) :: rank, ranks
  character(len=32) :: word
  integer :: i, ierr
  mended = .false.
  scale = 1.0d0
  do i = 1, command_argument_count()
    call get_command_argument(i, word)
    if (word == '--mended') then
      mended = .true.
    else
      read (word, *) scale
    end if
  end do
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  start = MPI_Wtime()
end subroutine options_read

subroutine options_report(rank, start, outcome)
  integer, intent(in) :: rank
  real(8), intent(in) :: start, outcome
  real(8) :: own(2), total(2)
  integer :: ierr
  own(1) = outcome
  call cpu_time(own(2))
  call MPI_Reduce(own, total, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 0, &
                  MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,es15.7e2,2(a,f8.3),a)', 'result ', total(1), &
    ' elapsed ', MPI_Wtime() - start, ' s cpu ', total(2), ' s'
end subroutine options_report
