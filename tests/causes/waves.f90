! SPDX-License-Identifier: BSD-3-Clause
! Waves on a string: what comes from the neighbours is needed at the ends only.
program waves
  use mpi
  implicit none
  integer, parameter :: points = 12000
  logical :: mended
  real(8) :: scale, start, outcome
  real(8) :: height(0:points + 1), speed(points), spectrum(64)
  integer :: rank, ranks, ierr, step, left, right, requests(4)

  call MPI_Init(ierr)
  call options_read(mended, scale, rank, ranks, start)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  call string_make()
  do step = 1, max(1, nint(2000 * scale))
    call ends_begin()
    call string_inside()
    call ends_finish()
    if (mod(step, 10) == 0) call string_modes()
  end do
  outcome = sum(abs(height(1:points))) + sum(spectrum)
  call options_report(rank, start, outcome)
  call MPI_Finalize(ierr)

contains

  include 'options.f90'

  subroutine string_make()
    integer :: i
    do i = 0, points + 1
      height(i) = sin(0.002d0 * i * (rank + 1))
    end do
    speed = 0
    spectrum = 0
  end subroutine string_make

  subroutine ends_begin()
    call MPI_Irecv(height(0), 1, MPI_DOUBLE_PRECISION, left, 1, &
                   MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Irecv(height(points + 1), 1, MPI_DOUBLE_PRECISION, right, 2, &
                   MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Isend(height(points), 1, MPI_DOUBLE_PRECISION, right, 1, &
                   MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Isend(height(1), 1, MPI_DOUBLE_PRECISION, left, 2, &
                   MPI_COMM_WORLD, requests(4), ierr)
  end subroutine ends_begin

  ! Looks at the messages while it goes, so that they may move.
  subroutine string_inside()
    integer :: i
    logical :: done
    do i = 2, points - 1
      speed(i) = speed(i) + 0.1d0 * (height(i - 1) + height(i + 1) &
                                     - 2 * height(i))
      if (.not. mended .and. mod(i, 4) == 0) &
        call MPI_Testall(4, requests, done, MPI_STATUSES_IGNORE, ierr)
    end do
    height(2:points - 1) = height(2:points - 1) + speed(2:points - 1)
  end subroutine string_inside

  subroutine ends_finish()
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    speed(1) = speed(1) + 0.1d0 * (height(0) + height(2) - 2 * height(1))
    speed(points) = speed(points) + 0.1d0 * (height(points - 1) + &
                    height(points + 1) - 2 * height(points))
    height(1) = height(1) + speed(1)
    height(points) = height(points) + speed(points)
  end subroutine ends_finish

  subroutine string_modes()
    integer :: i, k
    do k = 1, 16
      do i = 1, points, 8
        spectrum(k) = spectrum(k) + 1d-3 * height(i) * cos(5d-4 * k * i)
      end do
    end do
  end subroutine string_modes
end program waves
