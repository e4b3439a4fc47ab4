! SPDX-License-Identifier: BSD-3-Clause
! lock-units.f90 - threads write to one file, and count in a critical section.
program units
  use omp_lib
  implicit none
  integer :: i, total
  character(len=32) :: text
  total = 0
  open (unit=11, file='units.out', status='replace')
  !$omp parallel do private(text) num_threads(4)
  do i = 1, 4000
     write (text, '(i8)') i
     write (11, '(a)') trim(text)
     !$omp critical
     total = total + len_trim(text)
     !$omp end critical
  end do
  close (11)
  print *, total
end program
