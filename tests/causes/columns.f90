! SPDX-License-Identifier: BSD-3-Clause
! Heat in a plate whose blocks of rows are distributed.
program columns
  use mpi
  implicit none
  integer, parameter :: rows = 64, width = 800
  logical :: mended
  real(8) :: scale, start, outcome
  real(8) :: heat(0:rows + 1, width), next(rows, width), losses(width)
  integer :: rank, ranks, ierr, step, up, down

  call MPI_Init(ierr)
  call options_read(mended, scale, rank, ranks, start)
  up = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  down = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
  call plate_make()
  do step = 1, max(1, nint(600 * scale))
    call edges_exchange()
    call plate_conduct()
    if (mod(step, 5) == 0) call plate_radiate()
  end do
  outcome = sum(heat(1:rows, :)) + sum(losses)
  call options_report(rank, start, outcome)
  call MPI_Finalize(ierr)

contains

  include 'options.f90'

  subroutine plate_make()
    integer :: i, j
    do j = 1, width
      do i = 0, rows + 1
        heat(i, j) = 300 + mod(i * 3 + j * 7 + 11 * rank, 40)
      end do
    end do
    losses = 0
  end subroutine plate_make

  subroutine edges_exchange()
    real(8) :: top(width), bottom(width), above(width), beneath(width)
    integer :: j
    if (mended) then
      top = heat(1, :)
      bottom = heat(rows, :)
      above = heat(0, :)
      beneath = heat(rows + 1, :)
      call edge_pass(top, width, up, beneath, down)
      call edge_pass(bottom, width, down, above, up)
      heat(0, :) = above
      heat(rows + 1, :) = beneath
    else
      do j = 1, width
        call edge_pass(heat(1, j), 1, up, heat(rows + 1, j), down)
        call edge_pass(heat(rows, j), 1, down, heat(0, j), up)
      end do
    end if
  end subroutine edges_exchange

  subroutine edge_pass(out, count, to, in, from)
    integer, intent(in) :: count, to, from
    real(8), intent(in) :: out(count)
    real(8), intent(inout) :: in(count)
    call MPI_Sendrecv(out, count, MPI_DOUBLE_PRECISION, to, 1, in, count, &
                      MPI_DOUBLE_PRECISION, from, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierr)
  end subroutine edge_pass

  subroutine plate_conduct()
    integer :: i, j, sub
    do sub = 1, 12
      do j = 2, width - 1
        do i = 1, rows
          next(i, j) = heat(i, j) + 0.1d0 * (heat(i - 1, j) + heat(i + 1, j) &
            + heat(i, j - 1) + heat(i, j + 1) - 4 * heat(i, j))
        end do
      end do
      heat(1:rows, 2:width - 1) = next(:, 2:width - 1)
    end do
  end subroutine plate_conduct

  subroutine plate_radiate()
    integer :: i, j
    do j = 1, width
      do i = 1, rows, 4
        losses(j) = losses(j) + 1d-12 * (heat(i, j)**4 - 290d0**4) &
                    + 1d-3 * log(heat(i, j))
      end do
    end do
  end subroutine plate_radiate
end program columns
