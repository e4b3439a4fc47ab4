! SPDX-License-Identifier: BSD-3-Clause
!
! mpi-fortran.F90 [dynamic] - MPI calls from Fortran, each with the bytes that
! it moves by construction; for 2 ranks or more.  A file is written and removed;
! when asked to, each rank spawns a process.
!
! Compiled once for each way to MPI: -DWAY_mpif_h, -DWAY_mpi_f90 or
! -DWAY_mpi_f08.  What it prints is as in mpi-calls.c; it ends with status 1
! when an answer is wrong.
#if defined(WAY_mpif_h)
#define USE
#define INCLUDE include 'mpif.h'
#elif defined(WAY_mpi_f90)
#define USE use mpi
#define INCLUDE
#else
#define USE use mpi_f08
#define INCLUDE
#endif
#if defined(WAY_mpi_f08)
#define T_COMM type(MPI_Comm)
#define T_DATATYPE type(MPI_Datatype)
#define T_FILE type(MPI_File)
#define T_INFO type(MPI_Info)
#define T_REQUEST type(MPI_Request)
#define T_WIN type(MPI_Win)
#define STATUS(s) type(MPI_Status) :: s
#define STATUSES(s, n) type(MPI_Status) :: s(n)
#define TAG(s) s%MPI_TAG
#else
#define T_COMM integer
#define T_DATATYPE integer
#define T_FILE integer
#define T_INFO integer
#define T_REQUEST integer
#define T_WIN integer
#define STATUS(s) integer :: s(MPI_STATUS_SIZE)
#define STATUSES(s, n) integer :: s(MPI_STATUS_SIZE, n)
#define TAG(s) s(MPI_TAG)
#endif

module truths
  implicit none
  integer, parameter :: most = 100
  character(len=32) :: names(most)
  integer :: calls(most) = 0, sent(most) = 0, received(most) = 0, count = 0
  integer :: rank, size, left, right
  integer :: copied = 0, deleted = 0, errors = 0
  integer, parameter :: int = 4, dbl = 8
contains
  ! One call of NAME, which read SEND bytes and wrote RECV bytes.
  subroutine did(name, send, recv)
    character(len=*), intent(in) :: name
    integer, intent(in) :: send, recv
    integer :: i

    do i = 1, count
       if (names(i) == name) exit
    end do
    if (i > count) then
       count = i
       names(i) = name
    end if
    calls(i) = calls(i) + 1
    sent(i) = sent(i) + send
    received(i) = received(i) + recv
  end subroutine did

  subroutine check(right_answer, what)
    logical, intent(in) :: right_answer
    character(len=*), intent(in) :: what

    if (right_answer) return
    print '(a,i0,2a)', 'rank ', rank, ': wrong: ', what
    stop 1
  end subroutine check

  subroutine print_truths()
    integer :: i

    do i = 1, count
       print '(a,i0,3a,i0,a,i0,a,i0)', 'truth ', rank, ' ', trim(names(i)), &
            ' ', calls(i), ' ', sent(i), ' ', received(i)
    end do
  end subroutine print_truths
end module truths

! What the library calls: each calls MPI itself.
module callbacks
  implicit none
contains
  subroutine copy_attribute(comm, keyval, extra, from, to, flag, ierror)
    use truths, only : copied
    USE
    implicit none
    INCLUDE
    T_COMM :: comm
    integer :: keyval, ierror, n
    integer(kind=MPI_ADDRESS_KIND) :: extra, from, to
    logical :: flag

    call MPI_Comm_size(comm, n, ierror)
    copied = copied + 1
    to = from + n
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine copy_attribute

  subroutine delete_attribute(comm, keyval, value, extra, ierror)
    use truths, only : deleted
    USE
    implicit none
    INCLUDE
    T_COMM :: comm
    integer :: keyval, ierror, n
    integer(kind=MPI_ADDRESS_KIND) :: value, extra

    call MPI_Comm_rank(MPI_COMM_WORLD, n, ierror)
    deleted = deleted + 1
    ierror = MPI_SUCCESS
  end subroutine delete_attribute
end module callbacks

subroutine begin()
  use truths
  USE
  implicit none
  INCLUDE
  integer :: ierr
  logical :: flag

  flag = .true.
  call MPI_Initialized(flag, ierr)
  call did('MPI_Initialized', 0, 0)
  call check(.not. flag, 'initialised too early')
  call MPI_Init(ierr)
  call did('MPI_Init', 0, 0)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call did('MPI_Comm_rank', 0, 0)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call did('MPI_Comm_size', 0, 0)
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
end subroutine begin

subroutine point_to_point()
  use truths
  USE
  implicit none
  INCLUDE
  integer :: out(10), in(50), ierr, n, i
  double precision :: x(100)
  logical :: flag
  STATUS(st)
  STATUSES(both, 2)
  T_REQUEST :: r(2)

  out = rank
  x = rank
  do i = 1, 3
     call MPI_Sendrecv(out, 10, MPI_INTEGER, right, 1, in, 50, MPI_INTEGER, &
          left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
     call did('MPI_Sendrecv', 10 * int, 10 * int)
     call check(in(10) == left, 'MPI_Sendrecv')
  end do
  call MPI_Irecv(in, 50, MPI_INTEGER, left, 2, MPI_COMM_WORLD, r(1), ierr)
  call did('MPI_Irecv', 0, 10 * int)
  call MPI_Isend(out, 10, MPI_INTEGER, right, 2, MPI_COMM_WORLD, r(2), ierr)
  call did('MPI_Isend', 10 * int, 0)
  call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
  call did('MPI_Waitall', 0, 0)
  call MPI_Waitall(0, r, MPI_STATUSES_IGNORE, ierr)
  call did('MPI_Waitall', 0, 0)
  call MPI_Isend(x, 100, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD, r(1), &
       ierr)
  call did('MPI_Isend', 100 * dbl, 0)
  call MPI_Probe(left, 3, MPI_COMM_WORLD, st, ierr)
  call did('MPI_Probe', 0, 0)
  call MPI_Get_count(st, MPI_DOUBLE_PRECISION, n, ierr)
  call did('MPI_Get_count', 0, 0)
  call check(n == 100, 'MPI_Get_count')
  call MPI_Recv(x, n, MPI_DOUBLE_PRECISION, left, MPI_ANY_TAG, &
       MPI_COMM_WORLD, st, ierr)
  call did('MPI_Recv', 0, 100 * dbl)
  call check(TAG(st) == 3, 'status')
  flag = .false.
  do while (.not. flag)
     call MPI_Test(r(1), flag, MPI_STATUS_IGNORE, ierr)
     call did('MPI_Test', 0, 0)
  end do
  call MPI_Send(out, 10, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, ierr)
  call did('MPI_Send', 0, 0)
  call MPI_Isend(out, 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, r(1), ierr)
  call did('MPI_Isend', int, 0)
  call MPI_Irecv(in, 1, MPI_INTEGER, left, 4, MPI_COMM_WORLD, r(2), ierr)
  call did('MPI_Irecv', 0, int)
  call MPI_Waitall(2, r, both, ierr)
  call did('MPI_Waitall', 0, 0)
  call check(in(1) == left, 'MPI_Irecv')
end subroutine point_to_point

! Of several requests.  Which ones is not checked: mpi_f08 of MPICH 4.0 counts
! them from 0.
subroutine several()
  use truths
  USE
  implicit none
  INCLUDE
  integer :: in(3), which(3), n, i, ierr
  logical :: flag
  STATUS(st)
  STATUSES(all, 3)
  T_REQUEST :: r(3)

  r(1) = MPI_REQUEST_NULL
  call MPI_Irecv(in(2), 1, MPI_INTEGER, rank, 11, MPI_COMM_WORLD, r(2), ierr)
  call did('MPI_Irecv', 0, int)
  call MPI_Isend(rank, 1, MPI_INTEGER, rank, 11, MPI_COMM_WORLD, r(3), ierr)
  call did('MPI_Isend', int, 0)
  do i = 2, 3
     call MPI_Waitany(3, r, n, st, ierr)
     call did('MPI_Waitany', 0, 0)
     call check(n /= MPI_UNDEFINED, 'MPI_Waitany')
  end do
  call MPI_Testall(3, r, flag, MPI_STATUSES_IGNORE, ierr)
  call did('MPI_Testall', 0, 0)
  call check(flag, 'MPI_Testall')
  call MPI_Isend(rank, 1, MPI_INTEGER, MPI_PROC_NULL, 11, MPI_COMM_WORLD, &
       r(2), ierr)
  call did('MPI_Isend', 0, 0)
  call MPI_Waitsome(3, r, n, which, all, ierr)
  call did('MPI_Waitsome', 0, 0)
  call check(n == 1, 'MPI_Waitsome')
end subroutine several

subroutine persistent()
  use truths
  USE
  implicit none
  INCLUDE
  integer, volatile :: out(20), in(20) ! MPI uses them between the calls
  integer :: ierr, i
  T_REQUEST :: r(2)

  call MPI_Send_init(out, 20, MPI_INTEGER, right, 5, MPI_COMM_WORLD, r(1), ierr)
  call did('MPI_Send_init', 0, 0)
  call MPI_Recv_init(in, 20, MPI_INTEGER, left, 5, MPI_COMM_WORLD, r(2), ierr)
  call did('MPI_Recv_init', 0, 0)
  do i = 1, 3
     out = rank + i
     call MPI_Startall(2, r, ierr)
     call did('MPI_Startall', 20 * int, 20 * int)
     call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
     call did('MPI_Waitall', 0, 0)
     call check(in(20) == left + i, 'MPI_Startall')
  end do
  do i = 1, 2
     call MPI_Request_free(r(i), ierr)
     call did('MPI_Request_free', 0, 0)
  end do
end subroutine persistent

! A receive that nobody sends to: it is cancelled.
subroutine cancelled()
  use truths
  USE
  implicit none
  INCLUDE
  integer :: in(5), ierr
  logical :: flag
  STATUS(st)
  T_REQUEST :: r

  call MPI_Irecv(in, 5, MPI_INTEGER, left, 99, MPI_COMM_WORLD, r, ierr)
  call did('MPI_Irecv', 0, 0)
  call MPI_Cancel(r, ierr)
  call did('MPI_Cancel', 0, 0)
  call MPI_Wait(r, st, ierr)
  call did('MPI_Wait', 0, 0)
  call MPI_Test_cancelled(st, flag, ierr)
  call did('MPI_Test_cancelled', 0, 0)
  call check(flag, 'MPI_Test_cancelled')
end subroutine cancelled

subroutine collective()
  use truths
  USE
  implicit none
  INCLUDE
  integer :: ierr, i, n, sum, x(10), y(10)
  integer, allocatable :: all(:), counts(:), starts(:), zeros(:)
  T_REQUEST :: r
  T_DATATYPE, allocatable :: types(:)
  logical :: at_root

  at_root = rank == 0
  allocate(all(10 * size), counts(size), starts(size), zeros(size), types(size))
  x = rank
  sum = size * (size - 1) / 2
  call MPI_Bcast(x, 10, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call did('MPI_Bcast', merge(10 * int, 0, at_root), merge(0, 10 * int, at_root))
  x = rank
  call MPI_Allreduce(MPI_IN_PLACE, x, 10, MPI_INTEGER, MPI_SUM, &
       MPI_COMM_WORLD, ierr)
  call did('MPI_Allreduce', 10 * int, 10 * int)
  call check(all_are(x, sum), 'MPI_Allreduce in place')
  x = rank
  if (at_root) then
     call MPI_Gather(MPI_IN_PLACE, 10, MPI_INTEGER, all, 10, MPI_INTEGER, 0, &
          MPI_COMM_WORLD, ierr)
     call did('MPI_Gather', 0, 10 * int * (size - 1))
  else
     call MPI_Gather(x, 10, MPI_INTEGER, all, 10, MPI_INTEGER, 0, &
          MPI_COMM_WORLD, ierr)
     call did('MPI_Gather', 10 * int, 0)
  end if
  call MPI_Iallreduce(x, y, 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, r, ierr)
  call did('MPI_Iallreduce', 10 * int, 10 * int)
  call MPI_Wait(r, MPI_STATUS_IGNORE, ierr)
  call did('MPI_Wait', 0, 0)
  call check(all_are(y, sum), 'MPI_Iallreduce')
  ! Rank i gives i + 1 numbers.
  counts = [(i, i = 1, size)]
  starts = [(i * (i - 1) / 2, i = 1, size)]
  n = size * (size + 1) / 2
  call MPI_Allgatherv(x, rank + 1, MPI_INTEGER, all, counts, starts, &
       MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call did('MPI_Allgatherv', (rank + 1) * int, n * int)
  call check(all(n) == size - 1, 'MPI_Allgatherv')
  call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, starts, &
       MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call did('MPI_Allgatherv', (rank + 1) * int, (n - rank - 1) * int)
  ! An array of handles: each gives each one number.
  counts = 1
  starts = [(int * i, i = 0, size - 1)]
  zeros = 0
  types = MPI_INTEGER
  call MPI_Alltoallw(x, counts, zeros, types, all, counts, starts, types, &
       MPI_COMM_WORLD, ierr)
  call did('MPI_Alltoallw', size * int, size * int)
  call check(all(size) == size - 1, 'MPI_Alltoallw')
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call did('MPI_Barrier', 0, 0)
contains
  logical function all_are(array, value)
    integer, intent(in) :: array(10), value

    all_are = minval(array) == value .and. maxval(array) == value
  end function all_are
end subroutine collective

! A type of absolute addresses, sent from MPI_BOTTOM.
subroutine bottom()
  use truths
  USE
  implicit none
  INCLUDE
  integer, target :: one(3), two(4), in(7)
  integer :: ierr
  integer(kind=MPI_ADDRESS_KIND) :: at(2)
  T_DATATYPE :: pair
  T_REQUEST :: r

  one = rank
  two = rank + 1
  call MPI_Get_address(one, at(1), ierr)
  call did('MPI_Get_address', 0, 0)
  call MPI_Get_address(two, at(2), ierr)
  call did('MPI_Get_address', 0, 0)
  call MPI_Type_create_hindexed(2, [3, 4], at, MPI_INTEGER, pair, ierr)
  call did('MPI_Type_create_hindexed', 0, 0)
  call MPI_Type_commit(pair, ierr)
  call did('MPI_Type_commit', 0, 0)
  call MPI_Irecv(in, 7, MPI_INTEGER, left, 6, MPI_COMM_WORLD, r, ierr)
  call did('MPI_Irecv', 0, 7 * int)
  call MPI_Send(MPI_BOTTOM, 1, pair, right, 6, MPI_COMM_WORLD, ierr)
  call did('MPI_Send', 7 * int, 0)
  call MPI_Wait(r, MPI_STATUS_IGNORE, ierr)
  call did('MPI_Wait', 0, 0)
  call check(in(3) == left .and. in(7) == left + 1, 'MPI_BOTTOM')
  call MPI_Type_free(pair, ierr)
  call did('MPI_Type_free', 0, 0)
end subroutine bottom

! Strings come with a length and are filled up with blanks.
subroutine strings()
  use truths
  USE
  implicit none
  INCLUDE
  character(len=MPI_MAX_PROCESSOR_NAME) :: host
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=MPI_MAX_ERROR_STRING) :: text
  character(len=12) :: value
  integer :: ierr, n
  logical :: flag
  T_INFO :: info

  host = repeat('#', MPI_MAX_PROCESSOR_NAME)
  call MPI_Get_processor_name(host, n, ierr)
  call did('MPI_Get_processor_name', 0, 0)
  call check(n > 0 .and. len_trim(host) == n, 'MPI_Get_processor_name')
  call MPI_Error_string(MPI_ERR_RANK, text, n, ierr)
  call did('MPI_Error_string', 0, 0)
  call check(len_trim(text) == n, 'MPI_Error_string')
  call MPI_Info_create(info, ierr)
  call did('MPI_Info_create', 0, 0)
  call MPI_Info_set(info, ' a key  ', '  a value  ', ierr)
  call did('MPI_Info_set', 0, 0)
  value = repeat('#', 12)
  call MPI_Info_get(info, 'a key', 12, value, flag, ierr)
  call did('MPI_Info_get', 0, 0)
  call check(flag .and. value == 'a value', 'MPI_Info_get')
  call MPI_Info_get(info, 'b key', 12, value, flag, ierr)
  call did('MPI_Info_get', 0, 0)
  call check(.not. flag, 'MPI_Info_get of nothing')
  call MPI_Info_free(info, ierr)
  call did('MPI_Info_free', 0, 0)
  call MPI_Comm_set_name(MPI_COMM_WORLD, 'the world', ierr)
  call did('MPI_Comm_set_name', 0, 0)
  call MPI_Comm_get_name(MPI_COMM_WORLD, name, n, ierr)
  call did('MPI_Comm_get_name', 0, 0)
  call check(name == 'the world' .and. n == 9, 'MPI_Comm_get_name')
end subroutine strings

! Callbacks that call MPI: these calls are part of the one that caused them.
subroutine attributes()
  use truths
  use callbacks
  USE
  implicit none
  INCLUDE
  integer :: key, ierr
  integer(kind=MPI_ADDRESS_KIND) :: value
  logical :: flag
  T_COMM :: twin

  value = 0
  call MPI_Comm_create_keyval(copy_attribute, delete_attribute, key, value, ierr)
  call did('MPI_Comm_create_keyval', 0, 0)
  value = 40
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, ierr)
  call did('MPI_Comm_set_attr', 0, 0)
  call MPI_Comm_dup(MPI_COMM_WORLD, twin, ierr)
  call did('MPI_Comm_dup', 0, 0)
  call MPI_Comm_get_attr(twin, key, value, flag, ierr)
  call did('MPI_Comm_get_attr', 0, 0)
  call check(flag .and. value == 40 + size, 'MPI_Comm_get_attr')
  call MPI_Comm_free(twin, ierr)
  call did('MPI_Comm_free', 0, 0)
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
  call did('MPI_Comm_delete_attr', 0, 0)
  call check(copied == 1 .and. deleted == 2, 'attribute callbacks')
  call MPI_Comm_free_keyval(key, ierr)
  call did('MPI_Comm_free_keyval', 0, 0)
end subroutine attributes

subroutine error_returns()
  use truths
  USE
  implicit none
  INCLUDE
  integer :: ierr, class, x

  x = 0
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call did('MPI_Comm_set_errhandler', 0, 0)
  call MPI_Send(x, 1, MPI_INTEGER, size, 1, MPI_COMM_WORLD, ierr)
  call did('MPI_Send', 0, 0)
  call check(ierr /= MPI_SUCCESS, 'no error for a rank that is not there')
  call MPI_Error_class(ierr, class, ierr)
  call did('MPI_Error_class', 0, 0)
  call check(class == MPI_ERR_RANK, 'MPI_Error_class')
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierr)
  call did('MPI_Comm_set_errhandler', 0, 0)
#if defined(WAY_mpi_f08)
  ! Without ierror, which is optional here.
  call MPI_Sendrecv(x, 1, MPI_INTEGER, rank, 7, class, 1, MPI_INTEGER, rank, &
       7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call did('MPI_Sendrecv', int, int)
#endif
end subroutine error_returns

! Each rank has 25 numbers of the file.
subroutine file(path)
  use truths
  USE
  implicit none
  INCLUDE
  character(len=*) :: path
  character(len=MPI_MAX_DATAREP_STRING) :: form
  integer :: ierr, x(25), n
  integer(kind=MPI_OFFSET_KIND) :: at
  STATUS(st)
  T_DATATYPE :: etype, filetype
  T_FILE :: f

  x = rank
  at = 100 * rank
  call MPI_File_open(MPI_COMM_WORLD, path, &
       ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, f, ierr)
  call did('MPI_File_open', 0, 0)
  call MPI_File_write_at(f, at, x, 25, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call did('MPI_File_write_at', 25 * int, 0)
  call MPI_File_sync(f, ierr)
  call did('MPI_File_sync', 0, 0)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call did('MPI_Barrier', 0, 0)
  at = 0
  call MPI_File_read_at_all(f, at, x, 25, MPI_INTEGER, st, ierr)
  call did('MPI_File_read_at_all', 0, 25 * int)
  call MPI_Get_count(st, MPI_INTEGER, n, ierr)
  call did('MPI_Get_count', 0, 0)
  call check(n == 25 .and. x(25) == 0, 'MPI_File_read_at_all')
  call MPI_File_set_view(f, at, MPI_INTEGER, MPI_INTEGER, 'native', &
       MPI_INFO_NULL, ierr)
  call did('MPI_File_set_view', 0, 0)
  at = 5
  form = repeat('#', MPI_MAX_DATAREP_STRING)
  call MPI_File_get_view(f, at, etype, filetype, form, ierr)
  call did('MPI_File_get_view', 0, 0)
  call check(at == 0 .and. form == 'native', 'MPI_File_get_view')
  call MPI_File_close(f, ierr)
  call did('MPI_File_close', 0, 0)
  if (rank == 0) then
     call MPI_File_delete(path, MPI_INFO_NULL, ierr)
     call did('MPI_File_delete', 0, 0)
  end if
end subroutine file

subroutine one_sided()
  use truths
  USE
  implicit none
  INCLUDE
  integer, asynchronous :: window(10), x(10)
  integer :: ierr
  integer(kind=MPI_ADDRESS_KIND) :: bytes, at
  T_WIN :: win

  bytes = 10 * int
  at = 0
  x = rank
  call MPI_Win_create(window, bytes, int, MPI_INFO_NULL, MPI_COMM_WORLD, win, &
       ierr)
  call did('MPI_Win_create', 0, 0)
  call MPI_Win_fence(0, win, ierr)
  call did('MPI_Win_fence', 0, 0)
  call MPI_Put(x, 10, MPI_INTEGER, right, at, 10, MPI_INTEGER, win, ierr)
  call did('MPI_Put', 10 * int, 0)
  call MPI_Win_fence(0, win, ierr)
  call did('MPI_Win_fence', 0, 0)
  call check(window(10) == left, 'MPI_Put')
  call MPI_Win_free(win, ierr)
  call did('MPI_Win_free', 0, 0)
end subroutine one_sided

! A ring of all, halves of the world, and what connects them.
subroutine communicators()
  use truths
  USE
  implicit none
  INCLUDE
  integer :: ierr, out(2), in(2), one, root
  T_COMM :: ring, half, inter

  out = rank
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [size], [.true.], .false., ring, ierr)
  call did('MPI_Cart_create', 0, 0)
  call MPI_Neighbor_alltoall(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, ring, &
       ierr)
  call did('MPI_Neighbor_alltoall', 2 * int, 2 * int)
  call check(in(1) == left .and. in(2) == right, 'MPI_Neighbor_alltoall')
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
  call did('MPI_Comm_split', 0, 0)
  call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - mod(rank, 2), 10, &
       inter, ierr)
  call did('MPI_Intercomm_create', 0, 0)
  root = 0
  if (mod(rank, 2) == 0) root = merge(MPI_ROOT, MPI_PROC_NULL, rank == 0)
  one = merge(17, 0, rank == 0)
  call MPI_Bcast(one, 1, MPI_INTEGER, root, inter, ierr)
  call did('MPI_Bcast', merge(int, 0, rank == 0), int * mod(rank, 2))
  call check(mod(rank, 2) == 0 .or. one == 17, 'MPI_Bcast between groups')
  call MPI_Comm_free(inter, ierr)
  call did('MPI_Comm_free', 0, 0)
  call MPI_Comm_free(half, ierr)
  call did('MPI_Comm_free', 0, 0)
  call MPI_Comm_free(ring, ierr)
  call did('MPI_Comm_free', 0, 0)
end subroutine communicators

! Strings in an array, and what comes behind them.
subroutine spawned(command)
  use truths
  USE
  implicit none
  INCLUDE
  character(len=*) :: command
  character(len=10) :: words(3)
  integer :: ierr, answer
  T_COMM :: child

  words = ['child     ', 'of Fortran', '          ']
  answer = 0
  call MPI_Comm_spawn(command, words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &
       child, MPI_ERRCODES_IGNORE, ierr)
  call did('MPI_Comm_spawn', 0, 0)
  call MPI_Recv(answer, 1, MPI_INTEGER, 0, 1, child, MPI_STATUS_IGNORE, ierr)
  call did('MPI_Recv', 0, int)
  call check(answer == 2, 'MPI_Comm_spawn')
  call MPI_Comm_disconnect(child, ierr)
  call did('MPI_Comm_disconnect', 0, 0)
end subroutine spawned

! How many words it was given.
subroutine be_child()
  USE
  implicit none
  INCLUDE
  integer :: ierr
  T_COMM :: parent

  call MPI_Init(ierr)
  call MPI_Comm_get_parent(parent, ierr)
  call MPI_Send(command_argument_count(), 1, MPI_INTEGER, 0, 1, parent, ierr)
  call MPI_Comm_disconnect(parent, ierr)
  call MPI_Finalize(ierr)
end subroutine be_child

program mpi_fortran
  use truths
  USE
  implicit none
  INCLUDE
  character(len=256) :: word, command
  integer :: ierr
  logical :: flag

  word = ''
  call get_command_argument(0, command)
  if (command_argument_count() > 0) call get_command_argument(1, word)
  if (word == 'child') then
     call be_child()
     stop
  end if
  call begin()
  call point_to_point()
  call several()
  call persistent()
  call cancelled()
  call collective()
  call bottom()
  call strings()
  call attributes()
  call error_returns()
  call file('mpi-fortran.tmp')
  call one_sided()
  call communicators()
  if (word == 'dynamic') call spawned(trim(command))
  call MPI_Finalize(ierr)
  call did('MPI_Finalize', 0, 0)
  call MPI_Finalized(flag, ierr)
  call did('MPI_Finalized', 0, 0)
  call check(flag, 'MPI_Finalized')
  call print_truths()
end program mpi_fortran
