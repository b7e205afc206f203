/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the worker that keeps the programme guide: gives it the rings of all
 * streams, asks it for events, and saves its guide.
 *
 * The worker runs if the settings want a guide (epg_days).  The guide is saved
 * after a change, but not more often than EPG_SAVE_S (EPG_SAVE_IDS_S if a
 * stream has another id or was removed), and before a stop or a restart of the
 * master.  Each new worker gets the saved guide, except after several crashes
 * while loading it, or if the disk does not answer.  A worker also gets the new
 * ids of streams that the saved guide does not have yet.
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
	/* Time in seconds for which a worker waits for the saved guide. */
	EPG_READ_S = 10,
	/* A write of the guide to the file that takes longer is logged. */
	EPG_WRITE_S = 30,
	EPG_ASKS_MAX = 24, /* open questions at a time */
	EPG_ANSWER_S = 3, /* time limit of an answer with events */
	EPG_XMLTV_S = 30, /* time limit of a document, and of events for EIT */
	/* time limit of a post; the limit in the worker is shorter */
	EPG_POST_S = 610,
};

/* Times in ms that tests shorten; 0: EPG_SAVE_S, EPG_READ_S, EPG_WRITE_S. */
struct epg_times {
	unsigned save_ms, read_ms, write_ms;
};

struct epg_config {
	const json_t *settings; /* NULL: the defaults */
	const char *path;       /* copied; NULL: the guide is not saved */
	struct epg_times times;
	/* Returns the id of stream i and its ring (borrowed; -1: none); NULL:
	 * there are no more streams. */
	const char *(*stream_at)(size_t i, int *ret_ring, void *arg);
	/* The events that epg_proc_write_eit() wrote for this stream have
	 * changed; stream NULL: those of all streams, because the worker has
	 * loaded its guide.  The member may be NULL. */
	void (*on_stale)(const char *stream, void *arg);
	void *arg;
};

struct epg_proc *epg_proc_new(const struct service_config *,
			      const struct epg_config *);
/* NULL-safe; sets *p to NULL.  Open questions end with an error. */
void epg_proc_free(struct epg_proc **);

struct service_proc *epg_proc_service(struct epg_proc *);
/* Begins the last save, if the worker has a guide to save, and stops the
 * worker for good after it, or after 2 s.  Returns at once. */
void epg_proc_stop(struct epg_proc *);

/* Begins a save of the guide, at once or after a save that is in progress.
 * Does nothing if the worker is still loading the guide.  This and the next
 * function are NULL-safe. */
void epg_proc_flush(struct epg_proc *);
/* True: the save of epg_proc_flush() has ended, or was not possible. */
bool epg_proc_is_flushed(const struct epg_proc *);

/* True: the settings want a guide. */
bool epg_proc_is_on(const struct epg_proc *);

/* Sets the keys of a stream (epg_keys.h) from its object in the configuration.
 * ring: as in epg_proc_set_ring(). */
void epg_proc_set_keys(struct epg_proc *, const char *stream,
		       const json_t *object, int ring);
/* Sends a running worker the ring of a stream, borrowed; -1: it has none. */
void epg_proc_set_ring(struct epg_proc *, const char *stream, int ring);

/* The stream was renamed; its events and keys stay.  ring: as in
 * epg_proc_set_ring(). */
void epg_proc_rename_stream(struct epg_proc *, const char *from,
			    const char *to, int ring);
/* The stream was removed from the configuration: its events are deleted. */
void epg_proc_remove_stream(struct epg_proc *, const char *stream);

/* Returns the last status of the worker; NULL: it has sent none since it
 * started. */
const struct msg_epg_status *epg_proc_status(const struct epg_proc *);

/* Receives changes of the present and following events. */
struct epg_watcher {
	/* True: the watcher wants changes now. */
	bool (*wants)(void *arg);
	/* The present or following event of a service has changed.  The message
	 * comes from the worker, whose values must be checked. */
	void (*on_present)(const struct msg_epg_present *, void *arg);
	void *arg;
};

/* Sets the only watcher.  This and the next function are NULL-safe. */
void epg_proc_watch(struct epg_proc *, const struct epg_watcher *);
/* Calls wants(), and sends the worker the result if it has changed.  This also
 * happens once a second without this function. */
void epg_proc_renew_watch(struct epg_proc *);

struct epg_answer {
	int fd; /* memory with the answer, borrowed */
	size_t len; /* bytes of the answer; 0: see error */
	/* hash of a document or of events for EIT; 0: another answer */
	uint64_t hash;
	const char *error; /* "": no error; with len 0 the guide has nothing to
			    * save, or the post succeeded */
};

typedef void epg_done_fn(const struct epg_answer *, void *arg);

/* Asks for the events of a stream; done is called once, from the loop.  Returns
 * 0; -ENOENT: there is no guide; -EBUSY: too many questions are open, or the
 * worker is being started; or another -errno.  After an error done is not
 * called. */
int epg_proc_ask(struct epg_proc *, const struct msg_epg_ask *, epg_done_fn *,
		 void *arg) MUST_CHECK;
/* Asks for a document (form: enum epg_form); errors as for epg_proc_ask().
 * channels (borrowed): a file with the list of channels, JSON of epg.xmltv.
 * The caller requests only one document at a time. */
int epg_proc_write_xmltv(struct epg_proc *, int channels, unsigned form,
			 epg_done_fn *, void *arg) MUST_CHECK;
/* Has the worker post a document, in the memory fd (borrowed), to a server;
 * errors as for epg_proc_ask(). */
int epg_proc_post(struct epg_proc *, const struct msg_epg_post *, int fd,
		  epg_done_fn *, void *arg) MUST_CHECK;
/* Asks for the events of a stream for EIT; errors as for epg_proc_ask(), with
 * -EBUSY also while the worker loads the guide. */
int epg_proc_write_eit(struct epg_proc *, const struct msg_epg_eit *,
		       epg_done_fn *, void *arg) MUST_CHECK;
