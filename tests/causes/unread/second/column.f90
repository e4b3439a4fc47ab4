! SPDX-License-Identifier: BSD-3-Clause
! Radiation and convection in atmospheric columns, latitude bands over processes.
module settings
  implicit none
  type options
    integer :: steps = 2400
    integer :: workers = 8
    real(8) :: dt = 60d0
  end type options
contains
  subroutine read_options(o)
    type(options), intent(inout) :: o
    character(len=64) :: word
    if (command_argument_count() > 0) then
      call get_command_argument(1, word)
      read (word, *) o%steps
    end if
  end subroutine read_options
end module settings

module runtime
  use omp_lib
  use settings
  implicit none
contains
  subroutine apply_options(o)
    type(options), intent(in) :: o
    call omp_set_dynamic(.false.)
    call omp_set_num_threads(o%workers)
  end subroutine apply_options
end module runtime

module atmosphere
  use mpi
  implicit none
  integer, parameter :: nlev = 32, nlon = 96, nlat = 8
  real(8) :: t(nlev, nlon, 0:nlat+1), q(nlev, nlon, nlat), p(nlev)
  real(8) :: cloud(nlon, nlat)
  integer :: rank, nproc
contains
  subroutine start
    integer :: i, j, k
    do k = 1, nlev
      p(k) = 1000d0 * (k - 0.5d0) / nlev
    end do
    do j = 0, nlat + 1
      do i = 1, nlon
        do k = 1, nlev
          t(k, i, j) = 210d0 + 80d0 * p(k) / 1000d0 + sin(0.1d0 * i + 0.3d0 * (j + rank * nlat))
        end do
      end do
    end do
    do j = 1, nlat
      do i = 1, nlon
        q(:, i, j) = 0.01d0 * (p / 1000d0)**3
      end do
    end do
  end subroutine start

  subroutine bands
    integer :: ierr, up, down
    up = merge(rank + 1, MPI_PROC_NULL, rank + 1 < nproc)
    down = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    call MPI_Sendrecv(t(:, :, nlat), nlev * nlon, MPI_DOUBLE_PRECISION, up, 1, t(:, :, 0), nlev * nlon, &
         MPI_DOUBLE_PRECISION, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(t(:, :, 1), nlev * nlon, MPI_DOUBLE_PRECISION, down, 2, t(:, :, nlat + 1), nlev * nlon, &
         MPI_DOUBLE_PRECISION, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine bands
end module atmosphere

module physics
  use atmosphere
  implicit none
contains
  subroutine radiate(tc, qc, heat)
    real(8), intent(in) :: tc(nlev), qc(nlev)
    real(8), intent(out) :: heat(nlev)
    real(8) :: tau(nlev), up, down
    integer :: k
    tau = 0.05d0 + 40d0 * qc / nlev * 4d0
    up = tc(nlev)**4 * 5.67d-8
    down = 0d0
    heat = 0d0
    do k = nlev, 1, -1
      heat(k) = heat(k) + tau(k) * (up - 5.67d-8 * tc(k)**4)
      up = up * exp(-tau(k)) + 5.67d-8 * tc(k)**4 * (1d0 - exp(-tau(k)))
    end do
    do k = 1, nlev
      heat(k) = heat(k) + tau(k) * (down - 5.67d-8 * tc(k)**4)
      down = down * exp(-tau(k)) + 5.67d-8 * tc(k)**4 * (1d0 - exp(-tau(k)))
    end do
  end subroutine radiate

  subroutine convect(tc, qc)
    real(8), intent(inout) :: tc(nlev), qc(nlev)
    real(8) :: gamma, excess
    integer :: k
    do k = nlev, 2, -1
      gamma = 2.6d0 * (1d0 + 4d0 * qc(k))
      excess = tc(k) - tc(k - 1) - gamma
      if (excess > 0d0) then
        tc(k) = tc(k) - 0.25d0 * excess
        tc(k - 1) = tc(k - 1) + 0.25d0 * excess
        qc(k - 1) = qc(k - 1) + 0.1d0 * qc(k)
        qc(k) = 0.9d0 * qc(k)
      end if
    end do
  end subroutine convect

  subroutine row(j, dt)
    integer, intent(in) :: j
    real(8), intent(in) :: dt
    integer :: i
    real(8) :: heat(nlev)
    !$omp parallel do private(heat)
    do i = 1, nlon
      call radiate(t(:, i, j), q(:, i, j), heat)
      t(:, i, j) = t(:, i, j) + 1d-5 * dt * heat
      call convect(t(:, i, j), q(:, i, j))
      cloud(i, j) = sum(q(:, i, j))
    end do
    !$omp end parallel do
  end subroutine row

  subroutine mix(j, dt)
    integer, intent(in) :: j
    real(8), intent(in) :: dt
    integer :: i
    !$omp parallel do
    do i = 1, nlon
      t(:, i, j) = t(:, i, j) + 1d-4 * dt * (t(:, i, j - 1) + t(:, i, j + 1) - 2d0 * t(:, i, j))
    end do
    !$omp end parallel do
  end subroutine mix
end module physics

program column
  use settings
  use runtime
  use physics
  implicit none
  type(options) :: o
  integer :: ierr, level, n, j
  real(8) :: loc, tot
  call MPI_Init_thread(MPI_THREAD_FUNNELED, level, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc, ierr)
  call read_options(o)
  call apply_options(o)
  call start
  do n = 1, o%steps
    call bands
    do j = 1, nlat
      call row(j, o%dt)
      call mix(j, o%dt)
    end do
  end do
  loc = sum(t(:, :, 1:nlat)) / (nlev * nlon * nlat)
  call MPI_Reduce(loc, tot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,f14.8,a,f12.8)', 'mean temperature ', tot / nproc, ' cloud ', maxval(cloud)
  call MPI_Finalize(ierr)
end program column
