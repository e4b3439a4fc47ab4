! SPDX-License-Identifier: BSD-3-Clause
! Repulsion integrals over the unique quadruples of a basis, and the field
! that follows from them.
program orbitals
  use mpi
  implicit none
  integer, parameter :: basis = 56
  logical :: mended
  real(8) :: scale, start, energy, charge
  real(8) :: exponents(basis), centres(basis), density(basis, basis)
  real(8) :: fock(basis, basis), whole(basis, basis)
  integer :: rank, ranks, ierr, cycle_no

  call MPI_Init(ierr)
  call options_read(mended, scale, rank, ranks, start)
  call basis_make()
  charge = 0
  do cycle_no = 1, max(1, nint(360 * scale))
    fock = 0
    call repulsion_shares()
    call MPI_Allreduce(fock, whole, basis * basis, MPI_DOUBLE_PRECISION, &
                       MPI_SUM, MPI_COMM_WORLD, ierr)
    call density_mix()
    charge = charge + density_trace()
  end do
  energy = sum(whole * density)
  call options_report(rank, start, (energy + charge) / ranks)
  call MPI_Finalize(ierr)

contains

  include 'options.f90'

  subroutine basis_make()
    integer :: i, j
    do i = 1, basis
      exponents(i) = 0.3d0 + 0.05d0 * mod(i * 7, 31)
      centres(i) = 0.11d0 * mod(i * 5, 53)
    end do
    do j = 1, basis
      do i = 1, basis
        density(i, j) = exp(-abs(i - j) * 0.3d0)
      end do
    end do
  end subroutine basis_make

  ! Which rows are this rank's.
  subroutine repulsion_shares()
    integer :: i, rows
    if (mended) then
      do i = 1 + rank, basis, ranks
        call repulsion_row(basis + 1 - i)
      end do
    else
      rows = basis / ranks
      do i = 1 + rank * rows, merge(basis, (rank + 1) * rows, rank == ranks - 1)
        call repulsion_row(i)
      end do
    end if
  end subroutine repulsion_shares

  subroutine repulsion_row(i)
    integer, intent(in) :: i
    integer :: j, k, l
    real(8) :: p, q, value
    do j = 1, i
      p = exponents(i) + exponents(j)
      do k = 1, i
        do l = 1, k
          q = exponents(k) + exponents(l)
          value = boys(p * q / (p + q) * (centres(i) - centres(l))**2) / (p * q)
          fock(i, j) = fock(i, j) + density(k, l) * value
        end do
      end do
    end do
  end subroutine repulsion_row

  pure real(8) function boys(t)
    real(8), intent(in) :: t
    boys = exp(-t) / (1 + 2 * t) + sqrt(0.25d0 / (t + 0.3d0))
  end function boys

  ! A damped step, the same on every rank.
  subroutine density_mix()
    integer :: sweep, i, j
    do sweep = 1, 60
      do j = 1, basis
        do i = 1, basis
          density(i, j) = 0.995d0 * density(i, j) &
                          + 1d-5 * whole(max(i, j), min(i, j)) / (1 + i + j)
        end do
      end do
    end do
  end subroutine density_mix

  pure real(8) function density_trace()
    integer :: i
    density_trace = 0
    do i = 1, basis
      density_trace = density_trace + density(i, i)
    end do
  end function density_trace
end program orbitals
