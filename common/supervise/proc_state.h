/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The life of one worker process, as a table of states and events.
 *
 * Pure: the caller brings the clock and does what the effects say (start the
 * process, send the signal); each state has at most one deadline, which the
 * caller brings back as PROC_DEADLINE.  A worker that is silent is looked at
 * before it is given up: a machine that stood still, or has more to do than it
 * can, holds up all of them at once, and their ends would make it worse.
 *
 *	gone ──want──▶ starting ──ready──▶ running
 *	  ▲               │ exit             │ exit       unwant, restart
 *	  │               ▼                  ▼            ──▶ stopping
 *	  │            backoff / quarantine ──deadline──▶ starting
 *	  └─exit── stopping ─deadline─▶ killing ─deadline─▶ left behind
 */
#pragma once

#include "common/base/util.h"
#include "common/supervise/backoff.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	PROC_READY_MS = 30000, /* from the start to worker.ready */
	PROC_LOOK_MS = 2000,   /* from a status message to a closer look */
	PROC_GRACE_MS = 1000,  /* from there to SIGABRT */
	PROC_STARVED_MS = 30000, /* without one, whoever is to blame */
	PROC_DYING_MS = 500,   /* from SIGABRT, or the channel's end, to KILL */
	PROC_TERM_MS = 2000,   /* from SIGTERM to SIGKILL */
	PROC_KILL_MS = 5000,   /* from SIGKILL to being left behind */
	PROC_SHORT_MS = 1000,  /* between two tries while we lack something */
	PROC_LATE_MS = 250,    /* our own loop was blocked, not the worker */
	PROC_LEFT_MAX = 4,     /* stuck in the kernel before no more start */
};

enum proc_state {
	PROC_GONE,       /* nothing runs, nothing is wanted */
	PROC_STARTING,   /* started, not ready */
	PROC_RUNNING,    /* ready, and its heart beats */
	PROC_DYING,      /* ends by itself, or was told to leave a core */
	PROC_STOPPING,   /* SIGTERM was sent */
	PROC_KILLING,    /* SIGKILL was sent */
	PROC_BACKOFF,    /* waits for the next start */
	PROC_QUARANTINE, /* waits long */
	PROC_LOST,       /* too many left behind: no more starts */
	PROC_STATES
};

enum proc_event {
	PROC_WANT,
	PROC_UNWANT,
	PROC_RESTART, /* wanted, but a new one, at once */
	PROC_READY,
	PROC_BEAT,
	PROC_CLOSED,    /* the channel ended in good order */
	PROC_BAD,       /* it broke the rules of the channel */
	PROC_EXIT,      /* the process ended, or could not be started */
	PROC_SHORT,     /* it could not be started: we lack descriptors,
			 * memory or processes, and it has done nothing */
	PROC_DEADLINE,
	PROC_STARVED,   /* as a deadline, but it was kept from working */
	PROC_ADOPT,     /* it runs already, started by a master before us */
	PROC_LEFT_EXIT, /* one that was left behind ended at last */
	PROC_EVENTS
};

struct proc_effects {
	bool start;
	bool leave; /* forget the process: it is stuck in the kernel */
	bool look;  /* what it does from now on decides whether it hangs */
	int signal; /* to send; 0 for none */
};

/* Embedded; zeroed memory is a process that is gone. */
struct proc {
	enum proc_state state;
	bool once;    /* whatever its end, there is no next one */
	bool wanted;
	bool ordered; /* we asked this process to end */
	bool looked;  /* at closely, since the last beat */
	unsigned unwanted_ends;
	unsigned left; /* left behind and still there */
	uint64_t deadline_ms; /* monotonic; 0 for none */
	uint64_t beat_ms;     /* the last one, or ready */
	struct backoff backoff;
};

struct proc_effects proc_handle(struct proc *, enum proc_event,
				uint64_t now_ms) MUST_CHECK;

/* "running"; what the API shows. */
const char *proc_state_format(enum proc_state);
