/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alarm.h - notices that a job stands still, and has it explained.
 *
 * The parent of rank 0 looks every few seconds whether its processes have
 * completed calls of MPI.  When they have not for 20 times as long as ever
 * before, and for the patience at least, it starts `copse stuck --alarm`, which
 * asks all hosts (inquiry.h) and decides: a rank that moves, or is outside MPI,
 * may need more time.  Then it is asked again when that time has doubled.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How `copse stuck --alarm` ends. */
enum alarm_answer {
	ALARM_RAISED = 0,
	ALARM_END = 4, /* raised, and the job is to be ended */
	ALARM_NOT_YET = 3
};

enum {
	ALARM_STATUS = 124 /* of a job that was ended, as by timeout(1) */
};

struct alarm_watch {
	const char *folder; /* of the live profiles; the caller's, as is … */
	const char *directory; /* … the run's directory */
	const char *action;    /* what the user asked for, or NULL */
	uint64_t patience_ns;  /* 0: no alarm */
	uint64_t next_ns;      /* of the next look */
	uint64_t completed;    /* calls, at the last look */
	uint64_t changed_ns;   /* when that number was another; 0: none yet */
	uint64_t longest_ns;   /* that it ever stayed the same */
	uint64_t again_ns;     /* do not ask before it stood for so long */
	pid_t child;           /* that is asked; 0: none */
	bool ends;             /* the job is to be ended */
};

/* Look, when it is time. */
void alarm_look(struct alarm_watch *w, uint64_t now);
