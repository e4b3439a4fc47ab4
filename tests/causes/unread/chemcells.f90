! SPDX-License-Identifier: BSD-3-Clause
! Chemistry of the air in boxes, north to south and round the globe. By day
! light splits ozone, and the stiff part needs more substeps.
module chemistry
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer, parameter :: boxes = 40000
  real(dp) :: o3(boxes), no2(boxes), no(boxes), light(boxes)
contains

  subroutine set_sun(hour)
    real(dp), intent(in) :: hour
    real(dp), parameter :: pi = acos(-1d0)
    integer :: i
    do i = 1, boxes
      light(i) = max(0d0, cos(2 * pi * (real(i, dp) / boxes - hour / 24)))
    end do
  end subroutine

  subroutine advance_box(i)
    integer, intent(in) :: i
    integer :: n, substeps
    real(dp) :: dt, j, k, r
    substeps = 12
    if (light(i) > 0) substeps = 100
    dt = 60d0 / substeps
    j = 8e-3_dp * light(i)
    do n = 1, substeps
      k = 1.8e-2_dp * sqrt(1 + no(i) * o3(i))
      r = (no2(i) + dt * k * no(i) * o3(i)) / (1 + dt * j)
      no(i) = no(i) + no2(i) - r
      o3(i) = max(1e-6_dp, o3(i) + no2(i) - r)
      no2(i) = r
    end do
  end subroutine

  subroutine advance_all(even)
    logical, intent(in) :: even
    integer :: i
    if (even) then
      !$omp parallel do schedule(dynamic, 200)
      do i = 1, boxes
        call advance_box(i)
      end do
    else
      !$omp parallel do
      do i = 1, boxes
        call advance_box(i)
      end do
    end if
  end subroutine

  subroutine diffuse_all
    real(dp), save :: mixed(boxes)
    integer :: i
    !$omp parallel do
    do i = 1, boxes
      mixed(i) = o3(i) + 0.1_dp * (o3(1 + mod(i, boxes)) - 2 * o3(i) + &
        o3(1 + mod(i + boxes - 2, boxes)))
    end do
    o3 = mixed
  end subroutine
end module

program chemcells
  use chemistry
  implicit none
  character(32) :: arg
  real(dp) :: factor
  integer :: step, steps
  logical :: even

  factor = 1
  even = .false.
  if (command_argument_count() >= 1) then
    call get_command_argument(1, arg)
    read (arg, *) factor
  end if
  if (command_argument_count() >= 2) then
    call get_command_argument(2, arg)
    even = arg == 'fixed'
  end if
  steps = int(120 * factor)
  o3 = 1.2_dp
  no2 = 0.6_dp
  no = 0.4_dp
  do step = 1, steps
    call set_sun(24d0 * step / 60)
    call advance_all(even)
    call diffuse_all
  end do
  print '(a, f12.6)', 'ozone ', sum(o3) / boxes
end program
