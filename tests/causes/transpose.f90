! SPDX-License-Identifier: BSD-3-Clause
! A transform in two directions: all ranks exchange their blocks in between.
program transpose
  use mpi
  implicit none
  integer, parameter :: side = 480
  logical :: mended
  real(8) :: scale, start, outcome
  real(8), allocatable :: part(:, :), out(:, :, :), in(:, :, :)
  integer :: rank, ranks, ierr, step, own

  call MPI_Init(ierr)
  call options_read(mended, scale, rank, ranks, start)
  own = side / ranks
  allocate (part(side, own), out(own, own, ranks), in(own, own, ranks))
  call field_make()
  outcome = 0
  do step = 1, max(1, nint(140 * scale))
    call lines_smooth()
    call field_turn()
    call lines_smooth()
    call field_turn()
    outcome = outcome + field_norm() / side
  end do
  call options_report(rank, start, outcome)
  call MPI_Finalize(ierr)

contains

  include 'options.f90'

  subroutine field_make()
    integer :: i, j
    do j = 1, own
      do i = 1, side
        part(i, j) = sin(0.01d0 * i) + cos(0.02d0 * (j + own * rank))
      end do
    end do
  end subroutine field_make

  ! An implicit step along each line.
  subroutine lines_smooth()
    integer :: j, stage
    do stage = 1, 4
      do j = 1, own
        call line_solve(part(:, j))
      end do
    end do
  end subroutine lines_smooth

  subroutine line_solve(line)
    real(8), intent(inout) :: line(side)
    real(8) :: gamma(side), beta
    integer :: i
    beta = 1.2d0
    line(1) = line(1) / beta
    do i = 2, side
      gamma(i) = -0.1d0 / beta
      beta = 1.2d0 + 0.1d0 * gamma(i)
      line(i) = (line(i) + 0.1d0 * line(i - 1)) / beta
    end do
    do i = side - 1, 1, -1
      line(i) = line(i) - gamma(i + 1) * line(i + 1)
    end do
  end subroutine line_solve

  subroutine field_turn()
    integer :: r, i, j
    do r = 1, ranks
      do j = 1, own
        do i = 1, own
          out(j, i, r) = part(i + (r - 1) * own, j)
        end do
      end do
    end do
    call MPI_Alltoall(out, own * own, MPI_DOUBLE_PRECISION, in, own * own, &
                      MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
    do r = 1, ranks
      part((r - 1) * own + 1:r * own, :) = in(:, :, r)
    end do
  end subroutine field_turn

  real(8) function field_norm()
    field_norm = sqrt(sum(part**2) / size(part))
    part = part / (field_norm + 0.1d0) * exp(0.1d0 * cos(part))
  end function field_norm
end program transpose
