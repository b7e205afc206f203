/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The feeds of the multiplexes: a worker with a ring for each input of an mpts
 * (mpts.h) that is no stream:// input.
 *
 * A feed is known by its mpts and the position of the input.  It is in no
 * configuration, and has no outputs, viewers or guide.  It runs as long as its
 * mpts does.  Readers of rings know it by its link (mpts_link()).
 *
 * Owns the feeds and their last reports.
 */
#pragma once

#include "common/base/util.h"
#include "master/streams/stream_proc.h"

#include <jansson.h>
#include <stddef.h>

struct feeds;

struct feeds_config {
	struct stream_proc_config proc; /* of each feed, without its events */
	/* The ring of a link has changed. */
	void (*on_ring)(const char *link, void *arg);
	/* As those of stream_proc_events. */
	void (*on_demand)(struct stream_proc *, void *arg);
	int (*ring_of)(const char *stream, void *arg);
	/* A process has ended and none is wanted. */
	void (*on_gone)(void *arg);
	void *arg;
};

struct feeds *feeds_new(const struct feeds_config *);
/* NULL-safe; sets *f to NULL.  Kills the processes that still run. */
void feeds_free(struct feeds **);

/* The process of a feed, which is made if there is none. */
struct stream_proc *feeds_get(struct feeds *, const char *mpts,
			      unsigned position);
/* A removed feed is found as long as its process runs.  NULL: there is none. */
struct stream_proc *feeds_find(const struct feeds *, const char *link);
/* That of the input of an mpts; NULL: it has none. */
struct stream_proc *feeds_active(const struct feeds *, const char *mpts,
				 unsigned position);
/* Has the mpts a feed? */
bool feeds_has(const struct feeds *, const char *mpts);
/* The i-th process of all feeds; NULL: there are no more. */
struct stream_proc *feeds_at(const struct feeds *, size_t i);

/* The mpts has another id: its feeds get other links, and their workers
 * stay. */
void feeds_rename(struct feeds *, const char *from, const char *to);
void feeds_restart(struct feeds *, const char *mpts);

/* Writes what the feeds of an mpts have reported about their sources to the
 * inputs of its status, each fault once.  The strings are borrowed up to the
 * next report. */
void feeds_report(struct feeds *, const char *mpts,
		  struct msg_stream_status *);
/* Adds the first alarm and fault of a feed of the mpts, borrowed up to the next
 * call for this mpts, if the mpts has none itself. */
void feeds_add_faults(struct feeds *, const char *mpts,
		      struct stream_proc_info *);

/* The records for the next master, a new array. */
json_t *feeds_write(struct feeds *, struct handover *);
void feeds_adopt(struct feeds *, const json_t *records, struct handover *);
