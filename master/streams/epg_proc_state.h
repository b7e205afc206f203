/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of struct epg_proc, for epg_proc.c and epg_save.c only. */
#pragma once

#include "common/base/errmsg.h"
#include "master/streams/epg_asks.h"
#include "master/streams/epg_moves.h"
#include "master/streams/epg_proc.h"

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct epg_file;

enum { EPG_CRASHES_MAX = 3 };

/* A read of a file whose content the worker needs. */
struct epg_read {
	/* runs: the read is in progress.  late: its time limit has passed, so
	 * the worker does not wait for it any more. */
	bool runs, late;
	ev_timer limit;
};

struct epg_proc {
	struct epg_config cfg;
	struct ev_loop *loop;
	struct msg_epg_start limits; /* days 0: no guide */
	/* The lists epg_sources and epg_export of the settings, which own the
	 * addresses in limits; NULL: none. */
	json_t *sources, *exports;
	json_t *keys; /* keys of each stream (epg_keys.h), by stream id */
	struct service_proc *service;
	struct epg_asks asks;
	size_t next; /* index of the next stream that the worker gets */
	bool started;  /* the worker has received epg.start */
	/* the worker has received all moves: new ids and removals of streams
	 * that the saved guide does not contain */
	bool moved;
	bool complete; /* the worker has received all moves and streams */
	bool usable;   /* complete, and the worker has loaded the saved guide */
	struct epg_file *file; /* NULL: the guide is not saved */
	/* epg_dictionary, for compressed texts of the guide; NULL: none */
	struct epg_file *dictionary;
	char *dictionary_path;
	/* content of the dictionary for the next worker; -1: none */
	int dictionary_fd;
	struct errmsg dictionary_error; /* "": none */
	struct epg_read saved_read, dictionary_read;
	bool loading; /* the worker is loading the saved guide */
	/* Consecutive workers that crashed while they loaded the saved guide.
	 * From EPG_CRASHES_MAX on, the next worker starts without it. */
	unsigned crashes;
	/* saving: a save is in progress.  told: the failure of saves was
	 * logged. */
	bool saving, told;
	struct epg_moves moves;
	size_t n_saved; /* number of moves that the save in progress contains */
	/* stopping: epg_proc_stop() was called.  last: the last save has begun,
	 * or is not possible. */
	bool stopping, last;
	enum { FLUSHED, FLUSH_WAITS, FLUSHING } flush;
	ev_timer last_save, write_limit;
	/* saved_ms: monotonic time when the last save ended; 0: none.  changes:
	 * change counter of the guide in that save; 0 after a failure. */
	uint64_t saved_ms, changes;
	struct msg_epg_status status; /* last status of the worker */
	struct errmsg errors[EPG_ERRORS_MAX]; /* texts of status.errors */
	bool has_status;
	struct epg_watcher watcher; /* wants NULL: no watcher */
	/* the worker was asked to send changes of present and following
	 * events */
	bool watched;
};

/* Sends a question with its memory to the worker.  channels: the first
 * descriptor; -1: none.  Returns what epg_proc_ask() returns. */
int epg_proc_question(struct epg_proc *, struct msg *, int channels,
		      const struct epg_question *) MUST_CHECK;

/* --- saving (epg_save.c) --- */

void epg_save_init(struct epg_proc *);
/* Ends all steps of a save before the guide is freed: a save that ends now is
 * not reported. */
void epg_save_done(struct epg_proc *);
/* Begins a save if the guide has changed since the last save, and the pause
 * after that save is over. */
void epg_save_later(struct epg_proc *);
/* Returns the limit of the saved guide in bytes. */
size_t epg_saved_max(const struct epg_proc *);
