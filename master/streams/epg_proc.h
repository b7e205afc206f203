/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the worker that keeps the programme guide: gives it the rings of all
 * streams, asks it for events, and saves its guide.
 *
 * The worker runs if the settings want a guide (epg_days).  Its guide is saved
 * after a change, but not more often than EPG_SAVE_S, or EPG_SAVE_IDS_S if a
 * stream has another id or was removed, and before a stop or a restart of the
 * master.  It is given to each
 * new worker, but not to the successor of one that it ended, or if the disk
 * does not answer.  A worker also gets the new ids of streams that the saved
 * guide does not have yet.
 *
 * Owns the worker and the questions; borrows the loop and the spawner.
 */
#pragma once

#include "common/base/util.h"
#include "common/supervise/service_proc.h"
#include "proto/ipc/msg.h"

#include <jansson.h>

struct epg_proc;

enum {
	EPG_SAVE_S = 300,
	EPG_SAVE_IDS_S = 10,
	/* A worker waits for the saved guide for that long. */
	EPG_READ_S = 10,
	/* A save that takes longer is reported. */
	EPG_WRITE_S = 30,
	EPG_ASKS_MAX = 24, /* at once */
	EPG_ANSWER_S = 3, /* limit of an answer */
	EPG_XMLTV_S = 30, /* ... and of a document */
	EPG_POST_S = 610, /* ... and of a post, which the worker limits */
};

/* 0: the value above. */
struct epg_times {
	unsigned save_ms, read_ms, write_ms;
};

struct epg_config {
	const json_t *settings; /* NULL: the defaults */
	const char *path;       /* copied; NULL: the guide is not saved */
	struct epg_times times;
	/* The id and the ring (borrowed; -1: none) of the stream at this place;
	 * NULL: there are no more. */
	const char *(*stream_at)(size_t i, int *ret_ring, void *arg);
	/* The events of a stream have changed, after epg_proc_write_eit();
	 * NULL: those of all, as the worker has loaded its guide.  May be
	 * NULL. */
	void (*on_stale)(const char *stream, void *arg);
	void *arg;
};

struct epg_proc *epg_proc_new(const struct service_config *,
			      const struct epg_config *);
/* NULL-safe; sets *p to NULL.  Waiting questions end with an error. */
void epg_proc_free(struct epg_proc **);

struct service_proc *epg_proc_service(struct epg_proc *);
/* Saves the guide and stops the worker for good. */
void epg_proc_stop(struct epg_proc *);

/* Begins a save of the present guide, unless it is not loaded yet.  This and
 * the next one are NULL-safe. */
void epg_proc_flush(struct epg_proc *);
/* That save has ended. */
bool epg_proc_is_flushed(const struct epg_proc *);

/* Do the settings want a guide? */
bool epg_proc_is_on(const struct epg_proc *);

/* Its keys xmltv_id and epg_codepage.  ring: as in epg_proc_set_ring(). */
void epg_proc_set_keys(struct epg_proc *, const char *stream,
		       const json_t *object, int ring);
/* The ring of a stream has changed; borrowed; -1: it has none. */
void epg_proc_set_ring(struct epg_proc *, const char *stream, int ring);

/* The stream has another id now. */
void epg_proc_rename_stream(struct epg_proc *, const char *from,
			    const char *to, int ring);
/* The stream is not configured any more: its guide goes. */
void epg_proc_remove_stream(struct epg_proc *, const char *stream);

/* The last status of the worker; NULL: none. */
const struct msg_epg_status *epg_proc_status(const struct epg_proc *);

/* Present and following events. */
struct epg_watcher {
	/* Are changes wanted? */
	bool (*wants)(void *arg);
	/* A service has others than before.  The worker is not trusted. */
	void (*on_present)(const struct msg_epg_present *, void *arg);
	void *arg;
};

/* There is one watcher at most.  This and the next one are NULL-safe. */
void epg_proc_watch(struct epg_proc *, const struct epg_watcher *);
/* Its wish may have changed; it is asked once a second as well. */
void epg_proc_renew_watch(struct epg_proc *);

struct epg_answer {
	int fd; /* of the memory, borrowed */
	size_t len; /* its bytes; 0: see error */
	uint64_t hash; /* of a document */
	const char *error; /* "": there is nothing to save */
};

typedef void epg_done_fn(const struct epg_answer *, void *arg);

/* Asks for the events of a stream: done is called once, from the loop.
 * -ENOENT: there is no guide.  -EBUSY: too many ask, or the worker is being
 * started.  Or another -errno. */
int epg_proc_ask(struct epg_proc *, const struct msg_epg_ask *, epg_done_fn *,
		 void *arg) MUST_CHECK;
/* Asks for a document (form: enum epg_form), with the same errors.  channels
 * (borrowed): a file with their list, as epg.xmltv has it.  Only one at a
 * time. */
int epg_proc_write_xmltv(struct epg_proc *, int channels, unsigned form,
			 epg_done_fn *, void *arg) MUST_CHECK;
/* Posts a document, the memory fd (borrowed), with the same errors. */
int epg_proc_post(struct epg_proc *, const struct msg_epg_post *, int fd,
		  epg_done_fn *, void *arg) MUST_CHECK;
/* Asks for the events of a stream for EIT, with the same errors. */
int epg_proc_write_eit(struct epg_proc *, const struct msg_epg_eit *,
		       epg_done_fn *, void *arg) MUST_CHECK;
