! SPDX-License-Identifier: BSD-3-Clause
! Langevin dynamics of bead-spring chains with a text trajectory.
module polymer_data
  implicit none
  integer, parameter :: nchain = 40, nbead = 50, n = nchain * nbead
  real(8) :: x(3, n), v(3, n), f(3, n)
  real(8) :: box
  integer, allocatable :: head(:, :, :), next(:)
  integer :: ncell
  integer(8) :: state = 88172645463325252_8
contains
  real(8) function noise()
    state = ieor(state, ishft(state, 13))
    state = ieor(state, ishft(state, -7))
    state = ieor(state, ishft(state, 17))
    noise = dble(iand(ishft(state, -12), 4503599627370495_8)) / 4503599627370496d0 - 0.5d0
  end function noise

  subroutine build
    integer :: c, b, k
    box = 24d0
    ncell = int(box / 1.2d0)
    allocate (head(ncell, ncell, ncell), next(n))
    do c = 1, nchain
      do b = 1, nbead
        k = (c - 1) * nbead + b
        x(1, k) = modulo(1.1d0 * b, box)
        x(2, k) = modulo(3.1d0 * c + 0.4d0 * (b / 22), box)
        x(3, k) = modulo(3.1d0 * (3.1d0 * c / box) + 1.2d0 * (b / 22), box)
        v(:, k) = [noise(), noise(), noise()]
      end do
    end do
  end subroutine build
end module polymer_data

module forces
  use polymer_data
  implicit none
contains
  subroutine sort_cells
    integer :: k, c(3)
    head = 0
    do k = 1, n
      c = min(ncell, 1 + int(x(:, k) / box * ncell))
      next(k) = head(c(1), c(2), c(3))
      head(c(1), c(2), c(3)) = k
    end do
  end subroutine sort_cells

  subroutine repel(k, l)
    integer, intent(in) :: k, l
    real(8) :: d(3), r2, s6
    d = x(:, k) - x(:, l)
    d = d - box * nint(d / box)
    r2 = max(0.8d0, sum(d * d))
    if (r2 > 1.2599d0) return
    s6 = 1d0 / r2**3
    f(:, k) = f(:, k) + 24d0 * (2d0 * s6 * s6 - s6) / r2 * d
  end subroutine repel

  subroutine pairs
    integer :: k, l, c(3), a, b, e
    do k = 1, n
      c = min(ncell, 1 + int(x(:, k) / box * ncell))
      do e = -1, 1
        do b = -1, 1
          do a = -1, 1
            l = head(1 + modulo(c(1) + a - 1, ncell), 1 + modulo(c(2) + b - 1, ncell), 1 + modulo(c(3) + e - 1, ncell))
            do while (l /= 0)
              if (l /= k) call repel(k, l)
              l = next(l)
            end do
          end do
        end do
      end do
    end do
  end subroutine pairs

  subroutine bonds
    integer :: k
    real(8) :: d(3), r
    do k = 1, n - 1
      if (mod(k, nbead) == 0) cycle
      d = x(:, k + 1) - x(:, k)
      d = d - box * nint(d / box)
      r = max(0.1d0, sqrt(sum(d * d)))
      d = 60d0 * (r - 1d0) / r * d
      f(:, k) = f(:, k) + d
      f(:, k + 1) = f(:, k + 1) - d
    end do
  end subroutine bonds
end module forces

module trajectory
  use polymer_data
  implicit none
  integer :: unit_traj
contains
  subroutine open_traj
    open (newunit=unit_traj, file='polymer.xyz', status='replace', action='write')
  end subroutine open_traj

  subroutine put_bead(k)
    integer, intent(in) :: k
    write (unit_traj, '(a,i3.3,6(1x,f12.6))') 'C', 1 + (k - 1) / nbead, x(:, k), v(:, k)
    flush (unit_traj)
  end subroutine put_bead

  subroutine put_frame(step)
    integer, intent(in) :: step
    integer :: k
    write (unit_traj, '(i0)') n
    write (unit_traj, '(a,i0,a,f8.3)') 'step ', step, ' box ', box
    do k = 1, n
      call put_bead(k)
    end do
  end subroutine put_frame

  subroutine close_traj
    close (unit_traj, status='delete')
  end subroutine close_traj
end module trajectory

program polymer
  use forces
  use trajectory
  implicit none
  integer :: step, steps, k
  real(8), parameter :: dt = 0.004d0
  character(len=16) :: arg
  steps = 800
  if (command_argument_count() > 0) then
    call get_command_argument(1, arg)
    read (arg, *) steps
  end if
  call build
  call open_traj
  do step = 1, steps
    f = 0d0
    call sort_cells
    call pairs
    call bonds
    do k = 1, n
      v(:, k) = 0.995d0 * v(:, k) + dt * f(:, k) + 0.12d0 * [noise(), noise(), noise()]
      v(:, k) = max(-8d0, min(8d0, v(:, k)))
      x(:, k) = modulo(x(:, k) + dt * v(:, k), box)
    end do
    if (mod(step, 2) == 0) call put_frame(step)
  end do
  call close_traj
  print '(a,f14.8)', 'kinetic temperature ', sum(v * v) / (3d0 * n)
end program polymer
