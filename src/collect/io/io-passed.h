/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * io-passed.h - what the adapter of files passes on and does not measure, so
 * that reports know what the kernel counted and copse did not see.
 *
 * Threads, signals   Any.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Bytes that went to what is no file, or came from it. */
void io_passed_bytes(bool written, uint64_t bytes);

/* The process reads or writes by io_uring, or asynchronously in another way. */
void io_passed_way(bool uring);
