! SPDX-License-Identifier: BSD-3-Clause
! Households meet at random and fall ill or not; the counts are added weekly.
program epidemic
  use mpi
  implicit none
  integer, parameter :: people = 40000
  logical :: mended
  real(8) :: scale, start, outcome
  integer :: state(people), counts(4), whole(4)
  integer(8) :: seed
  integer :: rank, ranks, ierr, day

  call MPI_Init(ierr)
  call options_read(mended, scale, rank, ranks, start)
  state = 1
  state(1:200) = 2
  seed = 4711 + 131 * rank
  outcome = 0
  do day = 1, max(1, nint(1100 * scale))
    call meet()
    call recover()
    call travel(day)
    if (mod(day, 7) == 0) call week_close()
  end do
  call options_report(rank, start, outcome)
  call MPI_Finalize(ierr)

contains

  include 'options.f90'

  real(8) function draw()
    seed = mod(seed * 1103515245_8 + 12345_8, 2147483648_8)
    draw = seed / 2147483648d0
  end function draw

  subroutine meet()
    integer :: i, other
    do i = 1, people
      other = 1 + int(draw() * people)
      if (state(other) == 2 .and. state(i) == 1) then
        if (draw() < 0.2d0) state(i) = 2
      end if
    end do
  end subroutine meet

  subroutine recover()
    integer :: i
    do i = 1, people
      if (draw() < exp(-2d0 - 0.1d0 * state(i)) .and. state(i) > 1) then
        state(i) = state(i) + 1
        if (state(i) > 4) state(i) = 1
      end if
    end do
  end subroutine recover

  ! Some come home ill.
  subroutine travel(day)
    integer, intent(in) :: day
    integer :: i
    do i = 1 + mod(day, 97), people, 97
      if (state(i) == 1 .and. draw() < 0.02d0) state(i) = 2
    end do
  end subroutine travel

  subroutine week_close()
    integer :: i
    counts = 0
    do i = 1, people
      counts(state(i)) = counts(state(i)) + 1
    end do
    call MPI_Allreduce(counts, whole, 4, MPI_INTEGER, MPI_SUM, &
                       MPI_COMM_WORLD, ierr)
    outcome = outcome + whole(2) / ranks + 1d-3 * counts(3)
  end subroutine week_close
end program epidemic
