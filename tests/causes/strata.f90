! SPDX-License-Identifier: BSD-3-Clause
! Compaction of sediments under wells; a well's strata know of no other well.
program strata
  use mpi
  implicit none
  integer, parameter :: layers = 400
  logical :: mended
  real(8) :: scale, start, outcome
  real(8) :: pores(layers), stress(layers), age
  integer :: rank, ranks, ierr, well, epoch, epochs

  call MPI_Init(ierr)
  call options_read(mended, scale, rank, ranks, start)
  outcome = 0
  do well = 1, max(1, nint(180 * scale))
    call strata_make(well)
    do epoch = 1, 40
      epochs = deposits(well, epoch)
      call compact(epochs)
      call load_next()
    end do
    call date_layers(well)
    outcome = outcome + sum(pores) + age
  end do
  call options_report(rank, start, outcome)
  call MPI_Finalize(ierr)

contains

  include 'options.f90'

  subroutine strata_make(well)
    integer, intent(in) :: well
    integer :: i
    do i = 1, layers
      pores(i) = 0.4d0 + 0.001d0 * mod(i * 7 + well + rank, 50)
      stress(i) = 0.01d0 * i
    end do
  end subroutine strata_make

  ! Steps of an epoch: most are short, in some a river brings a lot.
  integer function deposits(well, epoch)
    integer, intent(in) :: well, epoch
    integer :: x
    x = mod(well * 7919 + epoch * 104729 + rank * 1299709, 1000003)
    x = mod(x * 1103 + 12345, 1000003)
    x = mod(x * 617 + 77, 1000003)
    deposits = merge(120, 2, mod(x, 6) == 0)
  end function deposits

  subroutine compact(steps)
    integer, intent(in) :: steps
    integer :: step, i
    do step = 1, steps
      do i = 2, layers
        pores(i) = pores(i) - 1d-4 * pores(i) * (1 - exp(-stress(i)))
        stress(i) = stress(i) + 1d-5 * (1 - pores(i - 1))
      end do
    end do
  end subroutine compact

  ! The next load begins when all have this one.
  subroutine load_next()
    integer :: i
    if (.not. mended) call MPI_Barrier(MPI_COMM_WORLD, ierr)
    do i = 1, layers
      stress(i) = stress(i) + 1d-4 * sqrt(1d0 * i)
    end do
  end subroutine load_next

  subroutine date_layers(well)
    integer, intent(in) :: well
    integer :: i, k
    age = 0
    do k = 1, 300
      do i = 1, layers
        age = age + 1d-4 * log(1 + pores(i) * (k + mod(well, 5)))
      end do
    end do
  end subroutine date_layers
end program strata
