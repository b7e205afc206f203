/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides about one worker process by a table of states and events.
 *
 * Pure: the caller passes the time and carries out the effects (start the
 * process, send the signal).  A state has at most one deadline, which the
 * caller returns as PROC_DEADLINE or PROC_STARVED.  A worker that is not ready,
 * or without a heartbeat, is measured before it is ended, because a stalled or
 * overloaded machine delays all workers at once, and restarting them would
 * increase the load.
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
	PROC_READY_MS = 30000, /* longest time from the start to worker.ready */
	/* the same for a worker that waits for a processor */
	PROC_READY_MOST_MS = 120000,
	/* time from the last status to the measurement of the CPU time */
	PROC_LOOK_MS = 2000,
	PROC_GRACE_MS = 1000, /* time from the measurement to SIGABRT */
	/* longest time without a status, if the worker waits for a processor */
	PROC_STARVED_MS = 30000,
	/* time from SIGABRT or a closed channel to SIGKILL */
	PROC_DYING_MS = 500,
	PROC_TERM_MS = 2000, /* time from SIGTERM to SIGKILL */
	/* time from SIGKILL until the process is left behind */
	PROC_KILL_MS = 5000,
	/* time between two starts during a lack of resources */
	PROC_SHORT_MS = 1000,
	/* if a timer is later than this, the loop of the master was blocked */
	PROC_LATE_MS = 250,
	/* processes left behind in the kernel; with so many there is no
	 * start */
	PROC_LEFT_MAX = 4,
};

enum proc_state {
	PROC_GONE, /* no process, none wanted */
	PROC_STARTING, /* started, not ready */
	PROC_RUNNING, /* ready, with heartbeats */
	PROC_DYING, /* ends by itself, or SIGABRT was sent */
	PROC_STOPPING, /* SIGTERM was sent */
	PROC_KILLING, /* SIGKILL was sent */
	PROC_BACKOFF, /* waits for the next start */
	PROC_QUARANTINE, /* waits for the next start, after many failures */
	PROC_LOST, /* too many left behind: no start */
	PROC_STATES
};

enum proc_event {
	PROC_WANT,
	PROC_UNWANT,
	PROC_RESTART, /* wanted, with a new process at once */
	PROC_READY,
	PROC_BEAT,
	PROC_CLOSED, /* the worker closed the channel */
	PROC_BAD, /* the worker sent a forbidden message or too many, or the
		   * master ends it for another error */
	PROC_RENEW, /* before PROC_EXIT: it ended to get a successor */
	PROC_EXIT, /* the process ended, or could not be started */
	PROC_SHORT, /* could not be started: too few descriptors,
			 * memory or processes */
	PROC_DEADLINE,
	/* a deadline, but the worker has waited for a processor, or its
	 * statuses wait for the master */
	PROC_STARVED,
	PROC_ADOPT, /* the previous master started the process */
	PROC_LEFT_EXIT, /* a process that was left behind ended */
	PROC_EVENTS
};

struct proc_effects {
	bool start;
	bool leave; /* forget the process: it is stuck in the kernel */
	bool look; /* start the measurement of its CPU time */
	int signal; /* signal to send; 0: none */
};

/* Embedded; zeroed memory is PROC_GONE. */
struct proc {
	enum proc_state state;
	bool once; /* the worker is not restarted */
	bool wanted;
	bool ordered; /* the master stopped this process, or granted its end */
	/* the master granted its end, to give the worker a successor */
	bool granted;
	bool looked; /* measured since the last heartbeat */
	unsigned unwanted_ends; /* ends that were failures */
	unsigned left; /* processes that were left behind and have not ended */
	uint64_t deadline_ms; /* monotonic; 0: none */
	uint64_t beat_ms; /* time of the last heartbeat, or of worker.ready */
	struct backoff backoff;
};

struct proc_effects proc_handle(struct proc *, enum proc_event,
				uint64_t now_ms) MUST_CHECK;

/* True if a deadline has come at which the CPU time of the process is measured.
 * Only then the caller may report it as PROC_STARVED. */
static inline bool proc_is_measured(const struct proc *p, uint64_t now_ms)
{
	return now_ms >= p->deadline_ms &&
	       (p->state == PROC_STARTING ||
		(p->state == PROC_RUNNING && p->looked));
}

/* The time before which the process may not ask for a successor. */
static inline uint64_t proc_renew_ms(const struct proc *p)
{
	return backoff_renew_ms(&p->backoff);
}

/* The name of a state in the API: "running". */
const char *proc_state_format(enum proc_state);
