! SPDX-License-Identifier: BSD-3-Clause
! Sand that the wind moves over strips of a desert.
program dunes
  use mpi
  implicit none
  integer, parameter :: length = 500, width = 400
  logical :: mended
  real(8) :: scale, start, outcome
  real(8) :: sand(length, 0:width + 1), wind(length)
  integer :: rank, ranks, ierr, step, left, right

  call MPI_Init(ierr)
  call options_read(mended, scale, rank, ranks, start)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  call desert_make()
  do step = 1, max(1, nint(280 * scale))
    call strips_exchange()
    call wind_blow(step)
    call sand_slide()
    call sand_drift()
  end do
  outcome = sum(sand(:, 1:width))
  call options_report(rank, start, outcome)
  call MPI_Finalize(ierr)

contains

  include 'options.f90'

  subroutine desert_make()
    integer :: i, j
    do j = 0, width + 1
      do i = 1, length
        sand(i, j) = 1 + 0.01d0 * mod(i * 7 + j * 11 + rank, 41)
      end do
    end do
  end subroutine desert_make

  subroutine strips_exchange()
    call MPI_Sendrecv(sand(1, 1), length, MPI_DOUBLE_PRECISION, left, 1, &
                      sand(1, width + 1), length, MPI_DOUBLE_PRECISION, &
                      right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(sand(1, width), length, MPI_DOUBLE_PRECISION, right, 2, &
                      sand(1, 0), length, MPI_DOUBLE_PRECISION, &
                      left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine strips_exchange

  subroutine wind_blow(step)
    integer, intent(in) :: step
    integer :: i, k
    do i = 1, length
      wind(i) = 0
      do k = 1, 20
        wind(i) = wind(i) + 1d-3 * (1 + sin(0.01d0 * i * k + 0.1d0 * step))
      end do
    end do
  end subroutine wind_blow

  subroutine sand_slide()
    integer :: i, j
    real(8) :: slope
    do j = 1, width
      do i = 2, length - 1
        slope = sand(i - 1, j) + sand(i + 1, j) + sand(i, j - 1) &
                + sand(i, j + 1) - 4 * sand(i, j)
        sand(i, j) = sand(i, j) + 0.05d0 * slope / (1 + abs(slope))
      end do
    end do
  end subroutine sand_slide

  subroutine sand_drift()
    integer :: i, j
    do j = 1, width
      do i = 2, length
        sand(i, j) = sand(i, j) + wind(i) * 0.1d0 * (sand(i - 1, j) &
                                                     - sand(i, j))
      end do
    end do
  end subroutine sand_drift
end program dunes
