! SPDX-License-Identifier: BSD-3-Clause
! Water around a molecule: a map of the density is made for each frame, and its
! shells are looked at.
program solvent
  use mpi
  implicit none
  integer, parameter :: cells = 5242880, molecules = 3000
  logical :: mended
  real(8) :: scale, start, outcome, own, whole
  real(8) :: place(molecules), charge(molecules)
  real(8), allocatable :: density(:)
  integer :: rank, ranks, ierr, frame

  call MPI_Init(ierr)
  call options_read(mended, scale, rank, ranks, start)
  call molecules_make()
  outcome = 0
  do frame = 1, max(1, nint(500 * scale))
    call molecules_move(frame)
    call map_frame()
    own = shells()
    if (mod(frame, 10) == 0) then
      call MPI_Allreduce(own, whole, 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
                         MPI_COMM_WORLD, ierr)
      outcome = outcome + whole / ranks
    end if
    outcome = outcome + own
  end do
  call options_report(rank, start, outcome)
  call MPI_Finalize(ierr)

contains

  include 'options.f90'

  subroutine molecules_make()
    integer :: i
    do i = 1, molecules
      place(i) = mod(i * 0.61803d0 + 0.01d0 * rank, 1d0)
      charge(i) = 1 - 2 * mod(i, 2)
    end do
  end subroutine molecules_make

  subroutine molecules_move(frame)
    integer, intent(in) :: frame
    integer :: i, sub
    do sub = 1, 20
      do i = 2, molecules
        place(i) = modulo(place(i) + 1d-4 * sin(place(i - 1) * frame), 1d0)
      end do
    end do
  end subroutine molecules_move

  ! The map is 40 MB; mended, it is kept from frame to frame.
  subroutine map_frame()
    if (.not. allocated(density)) allocate (density(cells))
    call map_fill()
    if (.not. mended) deallocate (density)
  end subroutine map_frame

  subroutine map_fill()
    integer :: i, at
    do i = 1, molecules, 4
      at = 1 + int(place(i) * (cells - 2))
      density(at) = exp(-place(i))
      charge(i) = 0.99d0 * charge(i) + 0.01d0 * density(at)
    end do
  end subroutine map_fill

  real(8) function shells()
    integer :: i, shell
    shells = 0
    do shell = 1, 20
      do i = 1, molecules
        shells = shells + 1d-4 * charge(i) * exp(-shell * abs(place(i) - 0.5d0))
      end do
    end do
  end function shells
end program solvent
