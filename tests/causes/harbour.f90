! SPDX-License-Identifier: BSD-3-Clause
! Swell in a harbour: the outer ranks give their edge to the inner one, rank 0,
! which has a quay to look after before it needs the edges.
program harbour
  use mpi
  implicit none
  integer, parameter :: width = 4096
  logical :: mended
  real(8) :: scale, start, outcome
  real(8) :: swell(width), quay(width), level(16)
  real(8), allocatable :: edges(:, :)
  integer, allocatable :: requests(:)
  integer :: rank, ranks, ierr, step

  call MPI_Init(ierr)
  call options_read(mended, scale, rank, ranks, start)
  allocate (edges(width, ranks))
  allocate (requests(ranks - 1))
  call swell_make()
  do step = 1, max(1, nint(200 * scale))
    if (rank == 0) then
      call edges_expect()
      call quay_load()
      call edges_take()
    else
      call edge_give()
      call swell_run(40)
    end if
    call MPI_Allreduce(quay, level, 16, MPI_DOUBLE_PRECISION, MPI_MAX, &
                       MPI_COMM_WORLD, ierr)
    if (rank > 0) quay(1:16) = 0.5d0 * (quay(1:16) + level)
  end do
  outcome = sum(swell) + sum(quay(1:16))
  call options_report(rank, start, outcome)
  call MPI_Finalize(ierr)

contains

  include 'options.f90'

  subroutine swell_make()
    integer :: i
    do i = 1, width
      swell(i) = sin(0.01d0 * i * (rank + 1))
      quay(i) = 0.001d0 * i
    end do
    edges = 0
  end subroutine swell_make

  subroutine edges_expect()
    integer :: from
    do from = 1, ranks - 1
      call MPI_Irecv(edges(1, from), width, MPI_DOUBLE_PRECISION, from, 3, &
                     MPI_COMM_WORLD, requests(from), ierr)
    end do
  end subroutine edges_expect

  subroutine edge_give()
    call MPI_Send(swell, width, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_WORLD, &
                  ierr)
  end subroutine edge_give

  ! A long message waits until its receiver is in MPI; mended, it is there now
  ! and then.
  subroutine quay_load()
    integer :: i, k
    logical :: done
    do i = 1, width
      do k = 1, 160
        quay(i) = quay(i) + 1d-4 * (exp(-quay(i)) - 0.5d0)
      end do
      if (mended .and. mod(i, 64) == 0) &
        call MPI_Testall(ranks - 1, requests, done, MPI_STATUSES_IGNORE, ierr)
    end do
  end subroutine quay_load

  subroutine edges_take()
    integer :: from
    call MPI_Waitall(ranks - 1, requests, MPI_STATUSES_IGNORE, ierr)
    do from = 1, ranks - 1
      quay = quay + 1d-3 * edges(:, from)
    end do
  end subroutine edges_take

  subroutine swell_run(sweeps)
    integer, intent(in) :: sweeps
    integer :: sweep, i
    do sweep = 1, sweeps
      do i = 2, width - 1
        swell(i) = swell(i) + 0.01d0 * sin(swell(i - 1) - swell(i + 1))
      end do
    end do
  end subroutine swell_run
end program harbour
