! SPDX-License-Identifier: BSD-3-Clause
! Neutrons through a slab along the ordinates: what enters a cell is what left
! the one upwind of it.
program upwind
  use mpi
  implicit none
  integer, parameter :: cells = 200, angles = 128
  logical :: mended
  real(8) :: scale, start, leak, total, heat
  real(8) :: flux(cells), source(cells), absorb(cells), inflow(angles)
  integer :: rank, ranks, ierr, iteration, first, block

  call MPI_Init(ierr)
  call options_read(mended, scale, rank, ranks, start)
  call materials_make()
  block = merge(8, angles, mended)
  heat = 0
  do iteration = 1, max(1, nint(3300 * scale))
    flux = 0
    do first = 1, angles, block
      call receive_upwind(first, block)
      call ordinates(first, block)
      call send_downwind(first, block)
    end do
    call update_source()
    leak = merge(sum(inflow), 0d0, rank == ranks - 1)
    call MPI_Allreduce(leak, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
                       MPI_COMM_WORLD, ierr)
    heat = heat + deposit() + total / ranks
  end do
  call options_report(rank, start, heat)
  call MPI_Finalize(ierr)

contains

  include 'options.f90'

  subroutine materials_make()
    integer :: i
    do i = 1, cells
      absorb(i) = 0.2d0 + 0.01d0 * mod(i + 13 * rank, 17)
      source(i) = 1 + 0.1d0 * mod(i, 5)
    end do
  end subroutine materials_make

  subroutine receive_upwind(first, count)
    integer, intent(in) :: first, count
    if (rank == 0) then
      inflow(first:first + count - 1) = 1
    else
      call MPI_Recv(inflow(first), count, MPI_DOUBLE_PRECISION, rank - 1, 1, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end if
  end subroutine receive_upwind

  subroutine send_downwind(first, count)
    integer, intent(in) :: first, count
    if (rank < ranks - 1) &
      call MPI_Send(inflow(first), count, MPI_DOUBLE_PRECISION, rank + 1, 1, &
                    MPI_COMM_WORLD, ierr)
  end subroutine send_downwind

  subroutine ordinates(first, count)
    integer, intent(in) :: first, count
    integer :: m
    do m = first, first + count - 1
      call characteristic(m)
    end do
  end subroutine ordinates

  subroutine characteristic(m)
    integer, intent(in) :: m
    real(8) :: mu, psi, through
    integer :: i
    mu = (m - 0.5d0) / angles
    psi = inflow(m)
    do i = 1, cells
      through = exp(-0.1d0 * absorb(i) / mu)
      psi = psi * through + source(i) / absorb(i) * (1 - through)
      flux(i) = flux(i) + psi / angles
    end do
    inflow(m) = psi
  end subroutine characteristic

  subroutine update_source()
    integer :: i, group
    do group = 1, 40
      do i = 1, cells
        source(i) = 0.99d0 * source(i) + 0.001d0 * sqrt(flux(i) + group)
      end do
    end do
  end subroutine update_source

  real(8) function deposit()
    integer :: i
    deposit = 0
    do i = 1, cells
      deposit = deposit + absorb(i) * flux(i) / cells
    end do
  end function deposit
end program upwind
