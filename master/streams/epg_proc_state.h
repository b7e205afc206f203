/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of the guide's process: of epg_proc.c and epg_save.c only. */
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

/* A file that is read for the worker. */
struct epg_read {
	bool runs, late; /* late: no worker waits for it */
	ev_timer limit;
};

struct epg_proc {
	struct epg_config cfg;
	struct ev_loop *loop;
	struct msg_epg_start limits; /* days 0: no guide */
	json_t *sources, *exports; /* its addresses; NULL: none */
	json_t *keys; /* of streams, by their ids */
	struct service_proc *service;
	struct epg_asks asks;
	size_t next; /* the next stream that the worker gets */
	bool started;  /* the worker has its limits */
	bool moved;    /* and all moves */
	bool complete; /* and all streams */
	bool usable;   /* and has loaded the saved guide */
	struct epg_file *file; /* NULL: the guide is not saved */
	struct epg_file *dictionary; /* of compressed texts; NULL: none */
	char *dictionary_path;
	int dictionary_fd; /* its content for the next worker; -1: none */
	struct errmsg dictionary_error; /* "": none */
	struct epg_read saved_read, dictionary_read;
	bool loading; /* the worker has the file, and has not loaded it yet */
	/* Workers that crashed while they loaded the file, since the last one
	 * that loaded it: from EPG_CRASHES_MAX on the next one does not get
	 * it. */
	unsigned crashes;
	bool saving, told; /* told: the log says that it fails */
	struct epg_moves moves;
	size_t n_saved; /* moves that the save in progress contains */
	bool stopping, last; /* last: the last save has begun */
	enum { FLUSHED, FLUSH_WAITS, FLUSHING } flush;
	ev_timer last_save, write_limit;
	uint64_t saved_ms, changes; /* at the last save */
	struct msg_epg_status status; /* the last one */
	struct errmsg errors[EPG_ERRORS_MAX]; /* of it */
	bool has_status;
	struct epg_watcher watcher; /* wants NULL: none */
	bool watched; /* the worker sends changes */
};

/* Sends a question with its memory.  channels: the first descriptor; -1: none.
 * Errors as those of epg_proc_ask(). */
int epg_proc_question(struct epg_proc *, struct msg *, int channels,
		      const struct epg_question *) MUST_CHECK;

/* --- saving (epg_save.c) --- */

void epg_save_init(struct epg_proc *);
/* No save is reported any more. */
void epg_save_done(struct epg_proc *);
/* Begins a save if the guide has changed and the last one is old enough. */
void epg_save_later(struct epg_proc *);
/* The largest saved guide, in bytes. */
size_t epg_saved_max(const struct epg_proc *);
