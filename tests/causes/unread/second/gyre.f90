! SPDX-License-Identifier: BSD-3-Clause
! Wind-driven shallow-water gyre on a beta plane, decomposed in longitude.
module grid
  use mpi
  implicit none
  integer, parameter :: nx = 640, ny = 256
  real(8), parameter :: g = 9.81d0, depth = 500d0, dx = 1.0d4
  integer :: rank, nproc, west, east
  real(8) :: h(0:nx+1, ny), u(0:nx+1, ny), v(0:nx+1, ny)
  real(8) :: hn(nx), un(nx), vn(nx)
  real(8) :: fcor(ny), tau(ny)
contains
  subroutine setup
    integer :: i, j
    real(8) :: x, y
    do j = 1, ny
      y = (j - 0.5d0 * ny) / ny
      fcor(j) = 1.0d-4 + 2.0d-11 * y * ny * dx
      tau(j) = 1.0d-6 * cos(3.14159265d0 * y)
      do i = 0, nx + 1
        x = (rank * nx + i) / dble(nx * nproc)
        h(i, j) = depth + 2d0 * exp(-40d0 * ((x - 0.4d0)**2 + y * y))
        u(i, j) = 0.1d0 * sin(6.2831853d0 * x) * cos(3d0 * y)
        v(i, j) = 0.05d0 * cos(6.2831853d0 * x)
      end do
    end do
  end subroutine setup
end module grid

module limits
  use grid
  implicit none
contains
  real(8) function whole(x)
    real(8), intent(in) :: x
    integer :: ierr
    call MPI_Allreduce(x, whole, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
  end function whole

  real(8) function wave_speed(j)
    integer, intent(in) :: j
    integer :: i
    real(8) :: c
    c = 0d0
    do i = 1, nx
      c = max(c, abs(u(i, j)) + abs(v(i, j)))
    end do
    wave_speed = whole(c) + sqrt(g * depth)
  end function wave_speed

  subroutine row_step(j, dt, nu)
    integer, intent(in) :: j
    real(8), intent(in) :: dt
    real(8), intent(out) :: nu
    real(8) :: cfl
    cfl = wave_speed(j) * dt / dx
    nu = 0.12d0 * min(1d0, 6d0 * cfl)
    if (cfl > 0.8d0) nu = 0.2d0
  end subroutine row_step
end module limits

module dynamics
  use grid
  use limits
  implicit none
contains
  subroutine swap_edges(a)
    real(8), intent(inout) :: a(0:nx+1, ny)
    real(8) :: sbuf(ny), rbuf(ny)
    integer :: ierr
    sbuf = a(nx, :)
    call MPI_Sendrecv(sbuf, ny, MPI_DOUBLE_PRECISION, east, 1, rbuf, ny, &
         MPI_DOUBLE_PRECISION, west, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    a(0, :) = rbuf
    sbuf = a(1, :)
    call MPI_Sendrecv(sbuf, ny, MPI_DOUBLE_PRECISION, west, 2, rbuf, ny, &
         MPI_DOUBLE_PRECISION, east, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    a(nx + 1, :) = rbuf
  end subroutine swap_edges

  subroutine momentum_row(j, dt, nu)
    integer, intent(in) :: j
    real(8), intent(in) :: dt, nu
    integer :: i, jn, js
    real(8) :: dhx, dhy, lap
    jn = min(ny, j + 1)
    js = max(1, j - 1)
    do i = 1, nx
      dhx = (h(i + 1, j) - h(i - 1, j)) / (2d0 * dx)
      dhy = (h(i, jn) - h(i, js)) / (2d0 * dx)
      lap = u(i + 1, j) + u(i - 1, j) + u(i, jn) + u(i, js) - 4d0 * u(i, j)
      un(i) = u(i, j) + dt * (fcor(j) * v(i, j) - g * dhx + tau(j)) + nu * lap
      lap = v(i + 1, j) + v(i - 1, j) + v(i, jn) + v(i, js) - 4d0 * v(i, j)
      vn(i) = v(i, j) + dt * (-fcor(j) * u(i, j) - g * dhy) + nu * lap
      hn(i) = h(i, j) - dt * depth * ((u(i + 1, j) - u(i - 1, j)) + (v(i, jn) - v(i, js))) / (2d0 * dx)
    end do
    u(1:nx, j) = un
    v(1:nx, j) = vn
    h(1:nx, j) = hn + 0.1d0 * nu * (depth - hn)
  end subroutine momentum_row

  subroutine advance(dt)
    real(8), intent(in) :: dt
    integer :: j
    real(8) :: nu
    call swap_edges(h)
    call swap_edges(u)
    call swap_edges(v)
    do j = 1, ny
      call row_step(j, dt, nu)
      call momentum_row(j, dt, nu)
    end do
  end subroutine advance
end module dynamics

program gyre
  use dynamics
  implicit none
  integer :: ierr, n, nsteps
  real(8) :: loc, tot
  character(len=16) :: arg
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc, ierr)
  east = mod(rank + 1, nproc)
  west = mod(rank - 1 + nproc, nproc)
  nsteps = 2500
  if (command_argument_count() > 0) then
    call get_command_argument(1, arg)
    read (arg, *) nsteps
  end if
  call setup
  do n = 1, nsteps
    call advance(20d0)
  end do
  loc = sum((h(1:nx, :) - depth)**2) + sum(u(1:nx, :)**2)
  call MPI_Reduce(loc, tot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,es16.8)', 'gyre energy index ', tot / (dble(nx) * ny * nproc)
  call MPI_Finalize(ierr)
end program gyre
