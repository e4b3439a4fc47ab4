! SPDX-License-Identifier: BSD-3-Clause
! A plume over layers of the atmosphere.  Each layer gives its concentrations
! to the one below; the lowest one, rank 0, also has the chemistry of the soil.
program plume
  use mpi
  implicit none
  integer, parameter :: width = 200
  logical :: mended
  real(8) :: scale, start, outcome
  real(8) :: smoke(width, width), below(width, width), soil(width)
  integer :: rank, ranks, ierr, step

  call MPI_Init(ierr)
  call options_read(mended, scale, rank, ranks, start)
  call layers_make()
  do step = 1, max(1, nint(110 * scale))
    if (rank == ranks - 1) then
      call ground_step()
    else
      call MPI_Send(smoke, width * width, MPI_DOUBLE_PRECISION, ranks - 1, 7, &
                    MPI_COMM_WORLD, ierr)
      call diffuse(110)
    end if
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  outcome = sum(smoke) + sum(soil)
  call options_report(rank, start, outcome)
  call MPI_Finalize(ierr)

contains

  include 'options.f90'

  subroutine layers_make()
    integer :: i, j
    do j = 1, width
      do i = 1, width
        smoke(i, j) = exp(-((i - 60)**2 + (j - 90)**2) / 500d0) / (1 + rank)
      end do
    end do
    soil = 0.1d0
    below = 0
  end subroutine layers_make

  ! Fallout is of what the layers above had before they moved on.
  subroutine ground_step()
    if (mended) then
      call take_fallout()
      call soil_chemistry()
    else
      call soil_chemistry()
      call take_fallout()
    end if
    smoke = 0.999d0 * smoke + 0.001d0 * below
  end subroutine ground_step

  subroutine take_fallout()
    integer :: source
    below = 0
    do source = 0, ranks - 2
      call settle(source)
    end do
  end subroutine take_fallout

  subroutine settle(source)
    integer, intent(in) :: source
    real(8), allocatable, save :: layer(:, :)
    if (.not. allocated(layer)) allocate (layer(width, width))
    call MPI_Recv(layer, width * width, MPI_DOUBLE_PRECISION, source, 7, &
                  MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    below = below + 0.1d0 * layer
  end subroutine settle

  subroutine soil_chemistry()
    integer :: i, reaction
    real(8) :: acid
    do i = 1, width
      acid = soil(i)
      do reaction = 1, 7000
        acid = acid + 1d-5 * (exp(-acid) - 0.3d0 * acid)
      end do
      soil(i) = acid
    end do
  end subroutine soil_chemistry

  subroutine diffuse(sweeps)
    integer, intent(in) :: sweeps
    integer :: sweep, i, j
    do sweep = 1, sweeps
      do j = 2, width - 1
        do i = 2, width - 1
          smoke(i, j) = 0.9d0 * smoke(i, j) + 0.025d0 * (smoke(i - 1, j) + &
            smoke(i + 1, j) + smoke(i, j - 1) + smoke(i, j + 1))
        end do
      end do
    end do
  end subroutine diffuse
end program plume
