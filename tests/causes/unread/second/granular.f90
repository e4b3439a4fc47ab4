! SPDX-License-Identifier: BSD-3-Clause
! Discrete elements in a rotating drum: contacts are rebuilt each step.
module particles
  implicit none
  integer, parameter :: n = 3000
  real(8), parameter :: box = 50d0, rad = 0.62d0
  real(8) :: pos(2, n), vel(2, n), acc(2, n), spin(n)
  integer, parameter :: nc = 40
  integer :: head(nc, nc), link(n)
contains
  subroutine scatter
    integer :: k
    integer(8) :: s
    s = 12345_8
    do k = 1, n
      s = mod(s * 16807_8, 2147483647_8)
      pos(1, k) = box * dble(s) / 2147483647d0
      s = mod(s * 16807_8, 2147483647_8)
      pos(2, k) = box * dble(s) / 2147483647d0
      vel(:, k) = [0.1d0 * sin(dble(k)), 0.1d0 * cos(dble(k))]
    end do
    spin = 0d0
  end subroutine scatter

  subroutine bin
    integer :: k, a, b
    head = 0
    do k = 1, n
      a = min(nc, 1 + int(pos(1, k) / box * nc))
      b = min(nc, 1 + int(pos(2, k) / box * nc))
      link(k) = head(a, b)
      head(a, b) = k
    end do
  end subroutine bin
end module particles

module contact_list
  implicit none
  type pair
    integer :: a, b
    real(8) :: gap, nx, ny
  end type pair
  type list
    type(pair), allocatable :: item(:)
  end type list
contains
  subroutine clear(l)
    type(list), intent(inout) :: l
    if (allocated(l%item)) deallocate (l%item)
    allocate (l%item(0))
  end subroutine clear

  subroutine insert(l, p)
    type(list), intent(inout) :: l
    type(pair), intent(in) :: p
    l%item = [l%item, p]
  end subroutine insert

  subroutine touch(l, a, b, d, dist, reach)
    type(list), intent(inout) :: l
    integer, intent(in) :: a, b
    real(8), intent(in) :: d(2), dist, reach
    type(pair) :: p
    p%a = a
    p%b = b
    p%gap = reach - dist
    p%nx = d(1) / dist
    p%ny = d(2) / dist
    call insert(l, p)
  end subroutine touch
end module contact_list

module drum
  use particles
  use contact_list
  implicit none
contains
  subroutine find_contacts(l)
    type(list), intent(inout) :: l
    integer :: k, m, a, b, i, j
    real(8) :: d(2), r2, reach
    call clear(l)
    reach = 2d0 * rad
    do k = 1, n
      a = min(nc, 1 + int(pos(1, k) / box * nc))
      b = min(nc, 1 + int(pos(2, k) / box * nc))
      do j = max(1, b - 1), min(nc, b + 1)
        do i = max(1, a - 1), min(nc, a + 1)
          m = head(i, j)
          do while (m /= 0)
            if (m < k) then
              d = pos(:, k) - pos(:, m)
              r2 = d(1) * d(1) + d(2) * d(2)
              if (r2 < reach * reach .and. r2 > 1d-12) call touch(l, k, m, d, sqrt(r2), reach)
            end if
            m = link(m)
          end do
        end do
      end do
    end do
  end subroutine find_contacts

  subroutine resolve(l)
    type(list), intent(in) :: l
    integer :: c, it
    real(8) :: fn, vn, ft
    do it = 1, 120
      acc = 0d0
      do c = 1, size(l%item)
        associate (p => l%item(c))
          vn = (vel(1, p%a) - vel(1, p%b)) * p%nx + (vel(2, p%a) - vel(2, p%b)) * p%ny
          fn = 20d0 * p%gap * sqrt(abs(p%gap)) - 0.5d0 * vn
          ft = -0.05d0 * fn * tanh(spin(p%a) + spin(p%b))
          acc(1, p%a) = acc(1, p%a) + fn * p%nx - ft * p%ny
          acc(2, p%a) = acc(2, p%a) + fn * p%ny + ft * p%nx
          acc(1, p%b) = acc(1, p%b) - fn * p%nx + ft * p%ny
          acc(2, p%b) = acc(2, p%b) - fn * p%ny - ft * p%nx
          spin(p%a) = 0.999d0 * spin(p%a) + 1d-4 * ft
          spin(p%b) = 0.999d0 * spin(p%b) + 1d-4 * ft
        end associate
      end do
      vel = vel + 0.0005d0 * acc
    end do
  end subroutine resolve

  subroutine move(t)
    real(8), intent(in) :: t
    integer :: k
    do k = 1, n
      vel(1, k) = vel(1, k) + 0.002d0 * sin(0.05d0 * t)
      vel(2, k) = vel(2, k) - 0.002d0 * cos(0.05d0 * t)
      pos(:, k) = pos(:, k) + 0.01d0 * vel(:, k)
      if (pos(1, k) < 0d0 .or. pos(1, k) > box) vel(1, k) = -0.5d0 * vel(1, k)
      if (pos(2, k) < 0d0 .or. pos(2, k) > box) vel(2, k) = -0.5d0 * vel(2, k)
      pos(:, k) = max(0d0, min(box, pos(:, k)))
      spin(k) = spin(k) + 1d-3
    end do
  end subroutine move
end module drum

program granular
  use drum
  implicit none
  type(list) :: contacts
  integer :: step, steps
  integer(8) :: total
  character(len=16) :: arg
  steps = 35
  if (command_argument_count() > 0) then
    call get_command_argument(1, arg)
    read (arg, *) steps
  end if
  total = 0
  call scatter
  do step = 1, steps
    call bin
    call find_contacts(contacts)
    call resolve(contacts)
    call move(dble(step))
    total = total + size(contacts%item)
  end do
  print '(a,i0,a,es16.8)', 'contacts ', total, ' energy ', sum(vel * vel)
end program granular
