! SPDX-License-Identifier: BSD-3-Clause
! Waves of many modes in a box: phases advance, and energies are filtered.
program spectral
  use mpi
  implicit none
  integer, parameter :: modes = 1400
  logical :: mended
  real(8) :: scale, start, outcome, own, whole
  real(8), allocatable :: amplitude(:, :), damping(:)
  integer :: rank, ranks, ierr, step

  call MPI_Init(ierr)
  call options_read(mended, scale, rank, ranks, start)
  allocate (amplitude(modes, modes), damping(modes))
  call modes_make()
  outcome = 0
  do step = 1, max(1, nint(280 * scale))
    call damping_make(step)
    if (mended) then
      call filter_by_column()
    else
      call filter_by_row()
    end if
    own = energy()
    call MPI_Allreduce(own, whole, 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
                       MPI_COMM_WORLD, ierr)
    outcome = outcome + whole / ranks
  end do
  call options_report(rank, start, outcome)
  call MPI_Finalize(ierr)

contains

  include 'options.f90'

  subroutine modes_make()
    integer :: i, j
    do j = 1, modes
      do i = 1, modes
        amplitude(i, j) = 1d0 / (1 + mod(i * 3 + j * 5 + rank, 101))
      end do
    end do
  end subroutine modes_make

  subroutine damping_make(step)
    integer, intent(in) :: step
    integer :: i, k
    do i = 1, modes
      damping(i) = 0
      do k = 1, 30
        damping(i) = damping(i) + 1d-3 * exp(-1d-3 * i * k / (1 + mod(step, 4)))
      end do
    end do
  end subroutine damping_make

  subroutine filter_by_row()
    integer :: i, j
    do i = 1, modes
      do j = 1, modes
        amplitude(i, j) = amplitude(i, j) * (1 - damping(i) * damping(j))
      end do
    end do
  end subroutine filter_by_row

  subroutine filter_by_column()
    integer :: i, j
    do j = 1, modes
      do i = 1, modes
        amplitude(i, j) = amplitude(i, j) * (1 - damping(i) * damping(j))
      end do
    end do
  end subroutine filter_by_column

  real(8) function energy()
    integer :: i, j
    energy = 0
    do j = 1, modes, 16
      do i = 1, modes
        energy = energy + sqrt(amplitude(i, j)) * 1d-3
      end do
    end do
  end function energy
end program spectral
