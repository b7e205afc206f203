/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of the structs of adapter_procs.h, for adapter_*.c only. */
#pragma once

#include "common/base/errmsg.h"
#include "master/streams/adapter_cams.h"
#include "master/streams/adapter_minute.h"
#include "master/streams/adapter_procs.h"
#include "master/streams/stream_ring.h"
#include "proto/spec/io_spec.h"

struct adapter_proc {
	struct service_item item;
	struct adapter_procs *of;
	/* the keys of the configuration that the worker reads; NULL: the worker
	 * shall not run */
	json_t *entry;
	struct stream_ring ring;
	bool given; /* a worker has received this ring */
	unsigned rings; /* counts each making and each closing of a ring */
	struct msg_adapter_status status;
	struct adapter_minute minute;
	struct errmsg error; /* why the source fails; "": no error */
	unsigned error_s; /* consecutive statuses (seconds) with an error */
	struct msg_adapter_programs programs; /* last sent to the worker */
	bool told; /* this master has sent programs to the worker */
	/* The streams that read the adapter have changed while the worker could
	 * not receive messages: programs must be sent later. */
	bool late;
	/* seconds in which a scan still needs all tables; 0: none */
	unsigned tables_s;
	int taken; /* N of the open /dev/dvb/adapterN; -1: none is open */
	struct adapter_cams cams;
	/* id of the stream that the adapter reads (T2-MI); "": none */
	char link[IO_FEED_MAX + 1];
};

struct adapter_procs {
	struct adapter_procs_config cfg;
	void (*on_status)(const char *id, const struct msg_adapter_status *,
			  void *arg);
	void (*on_taken)(int adapter, bool taken, void *arg);
	void *watcher;
	void (*on_cam)(const char *id, const json_t *slot, void *arg);
	void *cam_watcher;
	struct service_list list;
};

/* --- adapter_procs.c --- */

/* Adds an adapter; NULL: PROCS_MAX exist. */
struct adapter_proc *adapter_procs_add(struct adapter_procs *, const char *id);
/* Chooses the program of the worker (with or without network libraries) by the
 * entry of the adapter. */
void adapter_proc_use_program(struct adapter_proc *);
/* True: the worker has the entry and can receive messages. */
bool adapter_proc_can_send(const struct adapter_proc *);

/* --- adapter_links.c --- */

/* The entry has changed: finds out which stream the adapter reads.  Calls
 * on_link for this stream, and for the former one if it is another. */
void adapter_proc_relink(struct adapter_proc *);
/* Sends the ring of the stream that the adapter reads to its worker, or that
 * the stream has no ring.  Does nothing if the adapter reads no stream. */
void adapter_proc_send_link(struct adapter_proc *);
