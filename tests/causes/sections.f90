! SPDX-License-Identifier: BSD-3-Clause
! Pressure over a wing: a state of several quantities, of which a section is
! passed to routines that know plain arrays only.
program sections
  use mpi
  implicit none
  integer, parameter :: quantities = 5, points = 6000, stations = 12
  logical :: mended
  real(8) :: scale, start, lift, total
  real(8) :: state(quantities, points, stations)
  real(8) :: turned(points, stations, quantities)
  integer :: rank, ranks, ierr, step

  call MPI_Init(ierr)
  call options_read(mended, scale, rank, ranks, start)
  call wing_make()
  lift = 0
  do step = 1, max(1, nint(480 * scale))
    call wing_advance()
    call MPI_Allreduce(wing_lift(), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
                       MPI_COMM_WORLD, ierr)
    lift = lift + total / ranks
  end do
  call options_report(rank, start, lift)
  call MPI_Finalize(ierr)

contains

  include 'options.f90'

  subroutine wing_make()
    integer :: i, q, s
    do s = 1, stations
      do i = 1, points
        do q = 1, quantities
          state(q, i, s) = 1 + 0.01d0 * mod(q * 3 + i * 7 + s + rank, 29)
          turned(i, s, q) = state(q, i, s)
        end do
      end do
    end do
  end subroutine wing_make

  ! Mended, a quantity's points are beside each other and nothing is copied.
  subroutine wing_advance()
    integer :: q, s, stage
    do stage = 1, 4
      do s = 1, stations
        do q = 1, quantities
          if (mended) then
            call section_limit(turned(:, s, q), points)
            call section_drift(turned(:, s, q), points)
          else
            call section_limit(state(q, :, s), points)
            call section_drift(state(q, :, s), points)
          end if
        end do
      end do
    end do
  end subroutine wing_advance

  subroutine section_limit(values, count)
    integer, intent(in) :: count
    real(8), intent(inout) :: values(count)
    integer :: i
    do i = 1, count, 3
      values(i) = min(values(i), 1.5d0)
    end do
  end subroutine section_limit

  subroutine section_drift(values, count)
    integer, intent(in) :: count
    real(8), intent(inout) :: values(count)
    integer :: i
    do i = 2, count, 3
      values(i) = values(i) + 0.01d0 * (values(i - 1) - values(i))
    end do
  end subroutine section_drift

  real(8) function wing_lift()
    integer :: i, s
    real(8) :: sum
    sum = 0
    do s = 1, stations
      do i = 1, points, 2
        if (mended) then
          sum = sum + sqrt(turned(i, s, 1)) * log(turned(i, s, 2))
        else
          sum = sum + sqrt(state(1, i, s)) * log(state(2, i, s))
        end if
      end do
    end do
    wing_lift = sum / points
  end function wing_lift
end program sections
