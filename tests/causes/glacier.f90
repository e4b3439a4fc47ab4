! SPDX-License-Identifier: BSD-3-Clause
! Ice that flows down a valley: bands of it on each rank, and a snow line that
! rank 1 knows, or rank 0 when it is alone with one other.
program glacier
  use mpi
  implicit none
  integer, parameter :: band = 3000
  logical :: mended
  real(8) :: scale, start, outcome, line, own, whole
  real(8) :: ice(band), melt(band), core
  integer :: rank, ranks, ierr, year, home

  call MPI_Init(ierr)
  call options_read(mended, scale, rank, ranks, start)
  home = merge(1, 0, ranks > 2)
  call ice_make()
  core = 0
  outcome = 0
  line = 100
  do year = 1, max(1, nint(700 * scale))
    if (rank == home) then
      call station_year(year)
    else
      call MPI_Recv(line, 1, MPI_DOUBLE_PRECISION, home, 2, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierr)
      call ice_flow()
    end if
    own = sum(ice) / band
    call MPI_Allreduce(own, whole, 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
                       MPI_COMM_WORLD, ierr)
    outcome = outcome + whole / ranks
  end do
  call options_report(rank, start, outcome + core)
  call MPI_Finalize(ierr)

contains

  include 'options.f90'

  subroutine ice_make()
    integer :: i
    do i = 1, band
      ice(i) = 100 + 10 * sin(0.01d0 * i + rank)
      melt(i) = 0
    end do
  end subroutine ice_make

  ! The line of next year follows from this year's; the core does not matter.
  subroutine station_year(year)
    integer, intent(in) :: year
    line = 100 + 5 * sin(0.1d0 * year) + 0.01d0 * line
    if (mended) then
      call line_tell()
      call core_date(year)
    else
      call core_date(year)
      call line_tell()
    end if
  end subroutine station_year

  subroutine line_tell()
    integer :: to
    do to = 0, ranks - 1
      if (to /= home) call MPI_Send(line, 1, MPI_DOUBLE_PRECISION, to, 2, &
                                    MPI_COMM_WORLD, ierr)
    end do
  end subroutine line_tell

  ! Layers of a core against the ages that they may have.
  subroutine core_date(year)
    integer, intent(in) :: year
    integer :: layer, age
    real(8) :: depth
    do layer = 1, 1400
      depth = 0.01d0 * layer
      do age = 1, 250
        core = core + 1d-6 * exp(-abs(depth - 1d-4 * age * mod(year, 30)))
      end do
    end do
  end subroutine core_date

  subroutine ice_flow()
    integer :: i, month
    do month = 1, 12
      do i = 2, band
        melt(i) = 0.01d0 * max(0d0, ice(i) - line)
        ice(i) = ice(i) + 1d-3 * (ice(i - 1) - ice(i)) * sqrt(ice(i)) &
                 - 0.01d0 * melt(i)**1.3d0
      end do
    end do
  end subroutine ice_flow
end program glacier
