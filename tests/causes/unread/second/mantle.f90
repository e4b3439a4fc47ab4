! SPDX-License-Identifier: BSD-3-Clause
! Heat flow in a layered mantle section: implicit-explicit steps, restart files.
program mantle
  use mpi
  implicit none
  integer, parameter :: nx = 400, ny = 400
  real(8), allocatable :: t(:, :), tn(:, :), k(:, :)
  integer :: rank, nproc, ierr, step, steps
  real(8) :: loc, tot
  character(len=16) :: arg
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc, ierr)
  steps = 2000
  if (command_argument_count() > 0) then
    call get_command_argument(1, arg)
    read (arg, *) steps
  end if
  allocate (t(nx, 0:ny+1), tn(nx, 0:ny+1), k(nx, 0:ny+1))
  call initial
  do step = 1, steps
    call exchange
    call diffuse(0.2d0)
    call decay(step)
    if (mod(step, 500) == 0) call restart(step)
  end do
  loc = sum(t(:, 1:ny))
  call MPI_Reduce(loc, tot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,f16.9)', 'mean temperature ', tot / (dble(nx) * ny * nproc)
  call MPI_Finalize(ierr)
contains
  subroutine initial
    integer :: i, j, gy
    do j = 0, ny + 1
      gy = rank * ny + j
      do i = 1, nx
        t(i, j) = 300d0 + 1200d0 * gy / (ny * nproc) + 20d0 * sin(0.05d0 * i)
        k(i, j) = 0.6d0 + 0.3d0 * cos(0.07d0 * gy) * sin(0.02d0 * i)
      end do
    end do
    tn = t
  end subroutine initial

  subroutine exchange
    integer :: up, down, req(4)
    up = rank + 1
    if (up == nproc) up = MPI_PROC_NULL
    down = rank - 1
    if (down < 0) down = MPI_PROC_NULL
    call MPI_Irecv(t(1, 0), nx, MPI_DOUBLE_PRECISION, down, 1, MPI_COMM_WORLD, req(1), ierr)
    call MPI_Irecv(t(1, ny + 1), nx, MPI_DOUBLE_PRECISION, up, 2, MPI_COMM_WORLD, req(2), ierr)
    call MPI_Isend(t(1, ny), nx, MPI_DOUBLE_PRECISION, up, 1, MPI_COMM_WORLD, req(3), ierr)
    call MPI_Isend(t(1, 1), nx, MPI_DOUBLE_PRECISION, down, 2, MPI_COMM_WORLD, req(4), ierr)
    call MPI_Waitall(4, req, MPI_STATUSES_IGNORE, ierr)
  end subroutine exchange

  subroutine diffuse(dt)
    real(8), intent(in) :: dt
    integer :: i, j
    real(8) :: w, e, s, n
    do j = 1, ny
      do i = 2, nx - 1
        w = 0.5d0 * (k(i, j) + k(i - 1, j)) * (t(i - 1, j) - t(i, j))
        e = 0.5d0 * (k(i, j) + k(i + 1, j)) * (t(i + 1, j) - t(i, j))
        s = 0.5d0 * (k(i, j) + k(i, j - 1)) * (t(i, j - 1) - t(i, j))
        n = 0.5d0 * (k(i, j) + k(i, j + 1)) * (t(i, j + 1) - t(i, j))
        tn(i, j) = t(i, j) + dt * (w + e + s + n)
      end do
      tn(1, j) = tn(2, j)
      tn(nx, j) = tn(nx - 1, j)
    end do
  end subroutine diffuse

  subroutine decay(n)
    integer, intent(in) :: n
    integer :: i, j
    real(8) :: heat
    do j = 1, ny
      do i = 1, nx
        heat = 0.02d0 * exp(-1d-4 * n - tn(i, j) / 2000d0)
        t(i, j) = tn(i, j) + heat / (1d0 + 1d-3 * heat)
      end do
    end do
  end subroutine decay

  subroutine restart(n)
    integer, intent(in) :: n
    integer :: u
    character(len=40) :: name
    write (name, '(a,i4.4,a)') 'mantle_', rank, '.rst'
    open (newunit=u, file=name, form='unformatted', access='stream', status='replace')
    write (u) n, t(:, 1:ny)
    if (n + 500 > steps) then
      close (u, status='delete')
    else
      close (u)
    end if
  end subroutine restart
end program mantle
