/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thunks.h - exported functions that jump on with all arguments as they came:
 * in assembler, at file scope.
 *
 * THUNK_GATES             before all gates of a file
 * THUNK_GATE(symbol, to)  the gate `symbol`: it jumps to gate_targets[i], where
 *                         i counts gates; while that is NULL, to what
 *                         trampoline_open(i) returns.  gate_wrappers[i] gets
 *                         the distance from itself to copse_wrap_TO.
 *
 * THUNK_GATE_CLOSED       what calls trampoline_open(); once
 *
 * THUNK_DLSYM             dlsym(handle, name): for RTLD_DEFAULT and RTLD_NEXT,
 *                         which depend on the caller, it calls
 *                         dlsym_prepare(handle, name) and jumps to
 *                         *look_up_next with the handle that it returns; else
 *                         to dlsym_in_handle(handle, name, caller)
 *
 * gate_targets[] and look_up_next are read with acquire.  A gate takes no stack
 * and no register that carries an argument: whoever walks the stack meets the
 * program's call, and a wrapper's caller is the program.
 */
#pragma once

#include "thunks-inline.h"
