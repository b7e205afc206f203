/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a worker for each enabled adapter, and makes the ring to which the
 * worker writes.  dvb:// inputs read this ring.  Each successor of a worker
 * gets a new ring.
 *
 * An adapter that is tuned to another multiplex keeps its worker and its ring.
 *
 * Owns the workers and the rings; borrows the loop and the spawner.  The
 * functions that the API calls accept NULL for struct adapter_procs: no adapter
 * runs.
 */
#pragma once

#include "common/base/util.h"
#include "common/supervise/service_list.h"
#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>

struct adapter_minute;
struct adapter_procs;
struct errmsg;
struct handover;

struct adapter_procs_config {
	struct service_config service;
	/* The ring of the adapter with this id (adapter_procs_ring()) has
	 * changed. */
	void (*on_ring)(const char *id, void *arg);
	/* Writes the programs that the CAM of an adapter shall descramble, at
	 * most max, and returns their number.  The member may be NULL: no CAM
	 * descrambles. */
	size_t (*programs_of)(const char *id, uint16_t *ret, size_t max,
			      void *arg);
	/* Adds the programs that streams read from an adapter.  The member may
	 * be NULL: streams read all programs. */
	void (*add_programs)(const char *id, struct msg_adapter_programs *,
			     void *arg);
	/* Returns the ring of the stream that an adapter reads, borrowed; -1:
	 * the stream has no ring.  The member may be NULL: there are no
	 * streams. */
	int (*ring_of)(const char *stream, void *arg);
	/* The result of adapter_procs_reader() for this stream may have
	 * changed.  The member may be NULL. */
	void (*on_link)(const char *stream, void *arg);
	void *arg;
};

struct adapter_procs *adapter_procs_new(const struct adapter_procs_config *);
void adapter_procs_free(struct adapter_procs **);

/* Applies the list `dvb_tune' of the configuration.  An adapter whose entry did
 * not change continues without interruption. */
void adapter_procs_set(struct adapter_procs *, const json_t *list);

/* Replaces the worker of an enabled adapter, or starts it at once if it does
 * not run. */
void adapter_procs_restart(struct adapter_procs *, const char *id);

/* The streams that read an adapter have changed: sends its worker the new
 * results of programs_of() and add_programs(), or later if the worker is still
 * starting. */
void adapter_procs_update(struct adapter_procs *, const char *id);

/* The ring of a stream has changed: sends it to the adapters that read it. */
void adapter_procs_relink(struct adapter_procs *, const char *stream);

/* The stream `from' was renamed to `to': the adapters that read it continue. */
void adapter_procs_rename_link(struct adapter_procs *, const char *from,
			       const char *to);

/* Returns the id of an adapter that reads the stream; NULL: none does. */
const char *adapter_procs_reader(const struct adapter_procs *,
				 const char *stream);

/* A scan needs all tables of the adapter: has its worker receive them for the
 * next 12 s. */
void adapter_procs_keep_tables(struct adapter_procs *, const char *id);

/* Sets the watchers; NULL: none.  on_status: called once a second for every
 * running adapter.  on_taken: a worker has opened or closed the frontend of
 * /dev/dvb/adapterN (adapter: N). */
void adapter_procs_watch(struct adapter_procs *,
			 void (*on_status)(const char *id,
					   const struct msg_adapter_status *,
					   void *arg),
			 void (*on_taken)(int adapter, bool taken, void *arg),
			 void *arg);

/* Returns the state of the CAM slots of an adapter, a borrowed JSON list; NULL:
 * its worker has not reported any slot. */
const json_t *adapter_procs_cams(const struct adapter_procs *, const char *id);

/* Sends the action of an operator in the menu of a CAM to the worker of the
 * adapter; false: the adapter has no worker that can receive it. */
bool adapter_procs_menu(struct adapter_procs *, const char *id,
			const struct msg_adapter_menu *);

/* Sets the watcher of the CAM slots: on_cam gets each changed slot, an item of
 * adapter_procs_cams(). */
void adapter_procs_watch_cams(struct adapter_procs *,
			      void (*on_cam)(const char *id,
					     const json_t *slot, void *arg),
			      void *arg);

/* Returns the ring of an adapter for readers, borrowed; -1: it has none. */
int adapter_procs_ring(const struct adapter_procs *, const char *id);

struct adapter_info {
	const char *state; /* "running" ...: as in struct stream_proc_info */
	int pid;           /* 0: no process */
	unsigned restarts; /* number of times that the worker has failed */
	/* the alarm, or why the worker failed, until its successor runs
	 * steadily (service_proc_fault()); NULL: no fault */
	const char *alarm;
	/* last status of the worker; all zero: none since its start */
	struct msg_adapter_status status;
	/* statuses of the last minute; borrowed until the next status */
	const struct adapter_minute *minute;
	/* grows whenever the result of adapter_procs_ring() changes */
	unsigned rings;
	bool tuner;        /* the source is a tuner of this host */
	const char *error; /* why the source fails; NULL: unknown */
	/* ms since the last status of the worker; 0: the worker does not run */
	uint64_t silent_ms;
	bool satip;        /* the source is a SAT>IP server */
};

/* Returns the error of the i-th adapter if it has lasted for ALARM_S seconds;
 * NULL: there is no such error.  *ret_id: the id of the adapter, NULL: there
 * are no more adapters. */
const char *adapter_procs_alarm(const struct adapter_procs *, size_t i,
				const char **ret_id);

/* True: the adapter delivers no packets; ret is the reason: its worker has
 * ended, sends no status, or has reported an error.  False: no error is known,
 * or no enabled adapter has this id. */
bool adapter_procs_has_error(const struct adapter_procs *, const char *id,
			     struct errmsg *ret);

/* Reads the state of an adapter.  False: no enabled adapter has this id. */
bool adapter_procs_get(const struct adapter_procs *, const char *id,
		       struct adapter_info *ret);

/* Returns the workers of all adapters, borrowed. */
const struct service_list *adapter_procs_list(const struct adapter_procs *);

/* Records the adapters, workers and rings for the next master: a new JSON
 * list. */
json_t *adapter_procs_write(struct adapter_procs *, struct handover *);
/* Adopts the adapters in a record of the previous master. */
void adapter_procs_adopt(struct adapter_procs *, const json_t *list,
			 struct handover *);
