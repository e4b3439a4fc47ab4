/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * python-thread-name.c - what Python calls a thread that it is about to start:
 * threading.Thread.start() is running, which has the thread as its first local.
 * The interpreter is asked, by functions that run none of the program's.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "collect/python/python-layout.h"
#include "collect/unwind/loaded-object.h"

#define WEAK __attribute__((weak, visibility("default")))

/* The interpreter's, where the program is one or is linked with it. */
extern WEAK int PyGILState_Check(void);
extern WEAK uintptr_t PyGILState_GetThisThreadState(void);
extern WEAK void *PyErr_Occurred(void);
extern WEAK void PyErr_Clear(void);
extern WEAK void *PyUnicode_FromString(const char *text);
extern WEAK const char *PyUnicode_AsUTF8(const void *text);
extern WEAK void *PyObject_GenericGetAttr(void *of, void *name);
extern WEAK void *_PyType_Lookup(void *type, void *name);
extern WEAK void Py_DecRef(void *object);

static uintptr_t python_word(uintptr_t at)
{
	return *(const uintptr_t *)at;
}

/*
 * Up to 3.10 frames are objects; from 3.14 on they have references with tags,
 * and the kernel knows the names.
 */
static uintptr_t running_frame(uintptr_t thread)
{
	const struct python_layout *layout = python_layout;
	uintptr_t at = thread ? python_word(thread + layout->thread.frame) : 0;

	if (layout->frame.unit || layout->frame.tags || !at)
		return 0;
	return layout->cframe.there ? python_word(at + layout->cframe.current)
				    : at;
}

static bool starts_thread(uintptr_t frame)
{
	const struct python_layout *layout = python_layout;
	uintptr_t code = python_word(frame + layout->frame.code);
	const char *name = NULL;

	if (code &&
	    python_word(code + layout->object.type) == layout->code_type)
		name = PyUnicode_AsUTF8(
			(const void *)python_word(code + layout->code.name));
	return name && !strcmp(name, "Thread.start");
}

/* No character is cut in two. */
static void cut_name(char *to, const char *text)
{
	size_t length = strnlen(text, PYTHON_THREAD_NAME - 1);

	while (length && (text[length] & 0xc0) == 0x80)
		length--;
	memcpy(to, text, length);
	to[length] = '\0';
}

/* What its class has of that name may be the program's code, a property. */
static bool has_plain_name(const void *thread, void *key)
{
	uintptr_t type =
		python_word((uintptr_t)thread + python_layout->object.type);

	return _PyType_Lookup && !_PyType_Lookup((void *)type, key);
}

static void ask_name(void *thread, char *to)
{
	void *key = PyUnicode_FromString("_name");
	bool known = key && thread && has_plain_name(thread, key);
	void *name = known ? PyObject_GenericGetAttr(thread, key) : NULL;
	const char *text = name ? PyUnicode_AsUTF8(name) : NULL;

	if (text)
		cut_name(to, text);
	Py_DecRef(name);
	Py_DecRef(key);
}

static bool is_of_interpreter(const void *code)
{
	struct loaded_object object;

	return code && loaded_object_find(&object, code) &&
	       object.map == python_layout->map;
}

void python_thread_name(const void *code, char to[PYTHON_THREAD_NAME])
{
	uintptr_t frame;

	*to = '\0';
	if (!python_layout || !is_of_interpreter(code) ||
	    !is_of_interpreter((const void *)PyGILState_Check) ||
	    !PyGILState_Check() || PyErr_Occurred())
		return;
	frame = running_frame(PyGILState_GetThisThreadState());
	if (frame && starts_thread(frame))
		ask_name((void *)python_word(frame + python_layout->frame.size),
			 to);
	PyErr_Clear();
}
