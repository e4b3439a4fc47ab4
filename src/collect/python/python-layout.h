/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * python-layout.h - where CPython keeps the functions of Python that a thread
 * is in: offsets, by its version.
 *
 * Sources   Include/internal/pycore_frame.h, pycore_runtime.h, pycore_interp.h
 *           and cpython/code.h of each version; from 3.13 on the interpreter
 *           says most of it itself (struct _Py_DebugOffsets).
 * An interpreter is looked for when the process starts and, if there was none,
 * when the program looks something up in a library after another was loaded.
 *
 * Threads   One at a time looks; what was found is read by any.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hidden.h"

struct python_layout {
	uintptr_t runtime;         /* _PyRuntime, which has the state of … */
	uintptr_t runtime_end;     /* … the first interpreter and thread */
	uintptr_t code_type;       /* PyCode_Type */
	uintptr_t loop, loop_size; /* _PyEval_EvalFrameDefault */
	const void *map;  /* link map of the module that has both, which
			     stays where it is, … */
	bool alone;       /* … and nothing of the program's */
	bool full;        /* frames of the interpreter are kept */
	uint16_t version; /* 0x30b: 3.11; 0: one that says its offsets */

	struct {
		uint16_t heads;         /* of the list of interpreters */
		uint16_t next, threads; /* of an interpreter */
	} interpreter;
	struct {
		uint16_t at;      /* of an interpreter: its address, or … */
		bool of_runtime;  /* … where it is itself, the only one */
		uint16_t current; /* up to 3.10: who holds it, a thread */
		uint16_t before;  /* its begin: is it in use?  0: always */
	} gil;
	struct {
		uint16_t next, id, frame, chunk;
	} thread;
	struct { /* 3.11, 3.12: a frame of C's that runs frames of Python's */
		uint16_t current, previous;
		bool there;
		/* 3.10: it runs one.  Of a thread: the last, the first. */
		uint16_t last, first;
	} cframe;
	struct {
		uint16_t code, previous, instr, owner, size;
		uint16_t is_entry; /* 0: an entry is a frame of its own */
		uint16_t running;  /* of a generator: so far before its frame is
				      its state … */
		int8_t runs,
			suspended[2]; /* … and what that is when it runs,
					 or from … to when it has yielded */
		uint8_t tags;         /* bits of `code`, not of its address */
		uint16_t copy;        /* which of its code's bytecodes it runs;
					 0: there is one */
		uint8_t unit; /* up to 3.10: an object, whose `instr` counts so
				 many bytes; 0: that is an address */
	} frame;
	struct {
		uint16_t file, name, lines, first, bytes;
		bool apart;       /* its bytecode is an object of its own */
		uint16_t flags;   /* from 3.11 on */
		uint16_t version; /* from 3.12 on; 0: it has none */
		uint16_t copies;  /* an array, of bytecodes of threads' own */
	} code;
	struct {
		uint16_t type, size; /* the latter of one that varies */
		uint16_t local;      /* of builds without GIL: references of
					its thread's, … */
		uint16_t shared;     /* … of others'; 0: one number, at 0 */
	} object;
	struct {
		uint16_t state, ascii, wide; /* where text begins */
	} text;
	uint16_t bytes; /* where those of bytes begin */
};

/* What is read of a frame, of a code object before its bytecode, and of a
   text before its characters. */
enum {
	PYTHON_FRAME_MOST = 112,
	PYTHON_CODE_MOST = 256,
	PYTHON_TEXT_MOST = 56
};

/* Mutable: set once.  NULL: no interpreter that is known, or not wanted. */
extern HIDDEN const struct python_layout *python_layout;

/* By what the runtime's state says of itself, or else its version; false: it
   is not known. */
bool python_layout_choose(struct python_layout *to, const uint64_t *runtime,
			  uint16_t version);

/*
 * By what the runtime's state says, what Py_Version has (0: it is not there),
 * or the name of the file: "libpython3.10.so.1.0" is 0x30a.  0: nothing does.
 */
uint16_t python_layout_version(const uint64_t *runtime, unsigned long version,
			       const char *name);

/* python3, python3.11, libpython3.11.so.1.0: not a program that contains it. */
bool python_layout_is_alone(const char *name);

enum {
	PYTHON_THREAD_NAME = 16 /* as long as the kernel's, ended by 0 */
};

/* The name of the thread that is to begin in `code`; empty: it has none. */
void python_thread_name(const void *code, char to[PYTHON_THREAD_NAME]);
