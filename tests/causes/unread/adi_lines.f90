! SPDX-License-Identifier: BSD-3-Clause
! Heat in a plate by alternating directions. The plate is cut along y: lines
! along x lie in one rank, lines along y go through all of them.
module plate
  use mpi
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer, parameter :: nx = 1024, ny = 400
  real(dp) :: t(nx, ny), r(nx, ny), c(nx, ny), x(nx, ny)
  real(dp) :: first_c(nx), first_r(nx), last_x(nx), cx(nx), mx(nx)
  real(dp), parameter :: a = -0.4_dp, b = 1.8_dp
  integer :: rank, ranks, chunk
contains

  subroutine factorise
    integer :: i
    mx(1) = 1 / b
    cx(1) = a / b
    do i = 2, nx
      mx(i) = 1 / (b - a * cx(i - 1))
      cx(i) = a * mx(i)
    end do
  end subroutine

  subroutine source_terms(step)
    integer, intent(in) :: step
    integer :: i, j
    do j = 1, ny
      do i = 1, nx
        r(i, j) = t(i, j) + 1e-3_dp * t(i, j) / (1 + t(i, j)**2) &
          * (1 + 0.1_dp * mod(step, 7))
      end do
    end do
  end subroutine

  subroutine solve_along_x
    integer :: i, j
    do j = 1, ny
      r(1, j) = r(1, j) / b
      do i = 2, nx
        r(i, j) = (r(i, j) - a * r(i - 1, j)) * mx(i)
      end do
      do i = nx - 1, 1, -1
        r(i, j) = r(i, j) - cx(i) * r(i + 1, j)
      end do
    end do
  end subroutine

  subroutine eliminate(i0, i1)
    integer, intent(in) :: i0, i1
    integer :: i, j
    real(dp) :: m
    do i = i0, i1
      m = 1 / (b - a * first_c(i))
      c(i, 1) = a * m
      x(i, 1) = (r(i, 1) - a * first_r(i)) * m
    end do
    do j = 2, ny
      do i = i0, i1
        m = 1 / (b - a * c(i, j - 1))
        c(i, j) = a * m
        x(i, j) = (r(i, j) - a * x(i, j - 1)) * m
      end do
    end do
  end subroutine

  subroutine substitute(i0, i1)
    integer, intent(in) :: i0, i1
    integer :: i, j
    do i = i0, i1
      x(i, ny) = x(i, ny) - c(i, ny) * last_x(i)
    end do
    do j = ny - 1, 1, -1
      do i = i0, i1
        x(i, j) = x(i, j) - c(i, j) * x(i, j + 1)
      end do
    end do
  end subroutine

  subroutine solve_along_y
    integer :: i0, n, ierr
    first_c = 0
    first_r = 0
    last_x = 0
    do i0 = 1, nx, chunk
      n = min(chunk, nx - i0 + 1)
      if (rank > 0) then
        call MPI_Recv(first_c(i0), n, MPI_DOUBLE_PRECISION, rank - 1, 1, &
          MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        call MPI_Recv(first_r(i0), n, MPI_DOUBLE_PRECISION, rank - 1, 2, &
          MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      end if
      call eliminate(i0, i0 + n - 1)
      if (rank < ranks - 1) then
        call MPI_Send(c(i0, ny), n, MPI_DOUBLE_PRECISION, rank + 1, 1, &
          MPI_COMM_WORLD, ierr)
        call MPI_Send(x(i0, ny), n, MPI_DOUBLE_PRECISION, rank + 1, 2, &
          MPI_COMM_WORLD, ierr)
      end if
    end do
    do i0 = 1, nx, chunk
      n = min(chunk, nx - i0 + 1)
      if (rank < ranks - 1) then
        call MPI_Recv(last_x(i0), n, MPI_DOUBLE_PRECISION, rank + 1, 3, &
          MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      end if
      call substitute(i0, i0 + n - 1)
      if (rank > 0) then
        call MPI_Send(x(i0, 1), n, MPI_DOUBLE_PRECISION, rank - 1, 3, &
          MPI_COMM_WORLD, ierr)
      end if
    end do
    t = x
  end subroutine
end module

program adi_lines
  use plate
  implicit none
  character(32) :: arg
  integer :: step, steps, ierr, i, j
  real(dp) :: factor, heat, total, began

  factor = 1
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  chunk = nx
  if (command_argument_count() >= 1) then
    call get_command_argument(1, arg)
    read (arg, *) factor
  end if
  if (command_argument_count() >= 2) then
    call get_command_argument(2, arg)
    if (arg == 'fixed') chunk = nx / 4
  end if
  steps = int(350 * factor)
  do j = 1, ny
    do i = 1, nx
      t(i, j) = 0.5_dp + 0.4_dp * sin(0.01_dp * i + 0.02_dp * (j + rank * ny))
    end do
  end do
  call factorise
  began = MPI_Wtime()
  do step = 1, steps
    call source_terms(step)
    call solve_along_x
    call solve_along_y
  end do
  heat = sum(t)
  call MPI_Reduce(heat, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, &
    MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a, es14.7, a, f6.2, a)', 'heat ', total, ', ', &
    MPI_Wtime() - began, ' s'
  call MPI_Finalize(ierr)
end program
