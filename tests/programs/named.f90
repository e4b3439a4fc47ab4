! SPDX-License-Identifier: BSD-3-Clause
! named.f90 - a module procedure, one contained in it, two parallel regions, and
! a plain subroutine.
module mesh
  implicit none
contains
  subroutine smooth(x)
    real, intent(inout) :: x
    call inside
    !$omp parallel
    x = x * 0.5
    !$omp end parallel
    !$omp parallel
    x = x + 0.5
    !$omp end parallel
  contains
    subroutine inside
      x = x * 0.5
    end subroutine
  end subroutine
end module

subroutine Bare(x)
  real, intent(inout) :: x
  x = x + 1
end subroutine

program named
  use mesh
  real :: x
  x = command_argument_count()
  call smooth(x)
  call bare(x)
  if (x < 0) stop 1
end program
