/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a worker for each enabled adapter, and makes the ring to which it
 * writes: dvb:// inputs read this ring.  Its successor gets another ring.
 *
 * A tuner that is to receive another multiplex keeps its worker and its ring.
 *
 * Owns the workers and the rings; borrows the loop and the spawner.  The
 * functions that the API calls accept NULL: no adapter runs.
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
	/* adapter_procs_ring() of this id has changed. */
	void (*on_ring)(const char *id, void *arg);
	/* Writes the programs that the CAM of an adapter shall descramble, at
	 * most max, and returns their number.  NULL: none. */
	size_t (*programs_of)(const char *id, uint16_t *ret, size_t max,
			      void *arg);
	/* Adds the programs that streams read from it; NULL: all. */
	void (*add_programs)(const char *id, struct msg_adapter_programs *,
			     void *arg);
	/* The ring of the stream that an adapter reads, borrowed; -1: there is
	 * none.  NULL: there are no streams. */
	int (*ring_of)(const char *stream, void *arg);
	/* adapter_procs_reader() of this stream may have changed; or NULL. */
	void (*on_link)(const char *stream, void *arg);
	void *arg;
};

struct adapter_procs *adapter_procs_new(const struct adapter_procs_config *);
void adapter_procs_free(struct adapter_procs **);

/* Applies the list `dvb_tune' of the configuration.  An adapter whose entry
 * did not change is not disturbed. */
void adapter_procs_set(struct adapter_procs *, const json_t *list);

/* Replaces the worker of an adapter that runs. */
void adapter_procs_restart(struct adapter_procs *, const char *id);

/* The streams that read an adapter have changed, and so have programs_of() and
 * add_programs(). */
void adapter_procs_update(struct adapter_procs *, const char *id);

/* The ring of a stream has changed: the adapters that read it get it. */
void adapter_procs_relink(struct adapter_procs *, const char *stream);

/* The stream `from' has the id `to' now: the adapters that read it continue. */
void adapter_procs_rename_link(struct adapter_procs *, const char *from,
			       const char *to);

/* An adapter that reads the stream; NULL: none. */
const char *adapter_procs_reader(const struct adapter_procs *,
				 const char *stream);

/* A scan reads all tables for the next seconds. */
void adapter_procs_keep_tables(struct adapter_procs *, const char *id);

/* on_status: once a second for every running adapter; NULL: none.
 * on_taken: a frontend of the system's adapter is opened or closed. */
void adapter_procs_watch(struct adapter_procs *,
			 void (*on_status)(const char *id,
					   const struct msg_adapter_status *,
					   void *arg),
			 void (*on_taken)(int adapter, bool taken, void *arg),
			 void *arg);

/* What its slots for CAMs have, a borrowed JSON list; NULL: nothing is known
 * of any. */
const json_t *adapter_procs_cams(const struct adapter_procs *, const char *id);

/* Passes the action of an operator to its worker; false: none runs. */
bool adapter_procs_menu(struct adapter_procs *, const char *id,
			const struct msg_adapter_menu *);

/* A slot of an adapter has changed: an item of adapter_procs_cams(). */
void adapter_procs_watch_cams(struct adapter_procs *,
			      void (*on_cam)(const char *id,
					     const json_t *slot, void *arg),
			      void *arg);

/* The ring of an adapter for readers, borrowed; -1: it has none. */
int adapter_procs_ring(const struct adapter_procs *, const char *id);

struct adapter_info {
	const char *state; /* as that of a stream */
	int pid;           /* 0: no process */
	unsigned restarts; /* failures since it was configured */
	const char *alarm; /* a sentence; NULL: no alarm */
	struct msg_adapter_status status; /* the last one of a running worker */
	const struct adapter_minute *minute; /* borrowed, until it changes */
	unsigned rings;    /* changes with adapter_procs_ring() */
	bool tuner;        /* it has a device */
	const char *error; /* of the source; NULL: none is known */
	uint64_t silent_ms; /* since the last status of a running worker */
	bool satip;        /* the source is a SAT>IP server */
};

/* The error of adapter i that has lasted for seconds; NULL: it has none.
 * *ret_id: NULL: there is no adapter i. */
const char *adapter_procs_alarm(const struct adapter_procs *, size_t i,
				const char **ret_id);

/* True with the reason while nothing comes from the adapter: the end of its
 * process, its silence, or the error that it reported. */
bool adapter_procs_has_error(const struct adapter_procs *, const char *id,
			     struct errmsg *ret);

/* False: no adapter with this id was to run. */
bool adapter_procs_get(const struct adapter_procs *, const char *id,
		       struct adapter_info *ret);

/* The workers, borrowed. */
const struct service_list *adapter_procs_list(const struct adapter_procs *);

/* From master to master: the record, a new JSON list. */
json_t *adapter_procs_write(struct adapter_procs *, struct handover *);
void adapter_procs_adopt(struct adapter_procs *, const json_t *list,
			 struct handover *);
