/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of adapter_procs.h, for its own files. */
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
	json_t *entry; /* the keys that the worker reads; NULL: not wanted */
	struct stream_ring ring;
	bool given; /* a worker has received the ring */
	unsigned rings; /* that were made and closed, so far */
	struct msg_adapter_status status;
	struct adapter_minute minute;
	struct errmsg error; /* of the source */
	unsigned error_s; /* statuses in sequence with an error */
	struct msg_adapter_programs programs; /* that the worker has ... */
	bool told; /* ... as far as this master knows */
	bool late; /* readers have changed before the worker ran */
	unsigned tables_s; /* a scan reads all tables for so long */
	int taken; /* number of the adapter whose frontend is open; -1 */
	struct adapter_cams cams;
	char link[IO_FEED_MAX + 1]; /* the stream that it reads; "": none */
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

/* NULL: there are too many. */
struct adapter_proc *adapter_procs_add(struct adapter_procs *, const char *id);
/* The program of its worker, by its entry. */
void adapter_proc_use_program(struct adapter_proc *);
/* Has its worker the entry, and receives messages? */
bool adapter_proc_can_send(const struct adapter_proc *);

/* --- adapter_links.c --- */

/* After the entry has changed. */
void adapter_proc_relink(struct adapter_proc *);
/* Sends the ring of the stream that it reads, if it does. */
void adapter_proc_send_link(struct adapter_proc *);
