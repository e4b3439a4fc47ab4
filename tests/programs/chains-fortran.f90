! SPDX-License-Identifier: BSD-3-Clause
! chains-fortran.f90 - a routine with arrays of a size that its caller decides.
subroutine t_fortran(chain) bind(c, name='t_fortran')
  use iso_c_binding
  implicit none
  type(c_ptr), value :: chain
  interface
    subroutine enter(name) bind(c)
      import
      character(kind=c_char) :: name(*)
    end subroutine
    subroutine leave() bind(c)
    end subroutine
    subroutine work() bind(c)
    end subroutine
    subroutine go(chain) bind(c)
      import
      type(c_ptr), value :: chain
    end subroutine
  end interface
  character(kind=c_char), save, target :: name(10) = &
    [ 't', '_', 'f', 'o', 'r', 't', 'r', 'a', 'n', c_null_char ]

  call enter(name)
  call work()
  call go(chain)
  call work()
  call leave()
end subroutine
