! SPDX-License-Identifier: BSD-3-Clause
! Rays through a stack of lenses whose shape the first rank changes each turn.
program optics
  use mpi
  implicit none
  integer, parameter :: rays = 300, lenses = 16
  logical :: mended
  real(8) :: scale, start, blur, whole, best
  real(8) :: stack(3, lenses), height(rays), angle(rays)
  integer :: rank, ranks, ierr, turn

  call MPI_Init(ierr)
  call options_read(mended, scale, rank, ranks, start)
  stack = 0
  best = 0
  do turn = 1, max(1, nint(6000 * scale))
    if (rank == 0) call stack_change(turn)
    call stack_share()
    call rays_start(turn)
    call rays_trace()
    blur = rays_blur()
    call MPI_Allreduce(blur, whole, 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
                       MPI_COMM_WORLD, ierr)
    best = best + whole / ranks
  end do
  call options_report(rank, start, best)
  call MPI_Finalize(ierr)

contains

  include 'options.f90'

  subroutine stack_change(turn)
    integer, intent(in) :: turn
    integer :: i
    do i = 1, lenses
      stack(1, i) = 1.4d0 + 0.01d0 * mod(turn + i, 20)
      stack(2, i) = 50 + mod(turn * 3 + i, 17)
      stack(3, i) = 1 + 0.1d0 * mod(turn + 2 * i, 5)
    end do
  end subroutine stack_change

  ! Index, radius and distance of each lens.
  subroutine stack_share()
    integer :: i, k
    if (mended) then
      call MPI_Bcast(stack, 3 * lenses, MPI_DOUBLE_PRECISION, 0, &
                     MPI_COMM_WORLD, ierr)
      return
    end if
    do i = 1, lenses
      do k = 1, 3
        call MPI_Bcast(stack(k, i), 1, MPI_DOUBLE_PRECISION, 0, &
                       MPI_COMM_WORLD, ierr)
      end do
    end do
  end subroutine stack_share

  subroutine rays_start(turn)
    integer, intent(in) :: turn
    integer :: i
    do i = 1, rays
      height(i) = 10d0 * i / rays
      angle(i) = 1d-3 * mod(i + turn + 7 * rank, 13)
    end do
  end subroutine rays_start

  subroutine rays_trace()
    integer :: i, l
    do l = 1, lenses
      do i = 1, rays, 4
        angle(i) = angle(i) - sin(height(i) / stack(2, l)) &
                   * (stack(1, l) - 1) * 0.1d0
        height(i) = height(i) + stack(3, l) * tan(angle(i))
      end do
    end do
  end subroutine rays_trace

  real(8) function rays_blur()
    real(8) :: mean
    mean = sum(height) / rays
    rays_blur = sqrt(sum((height - mean)**2) / rays)
  end function rays_blur
end program optics
