/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The feeds of the multiplexes: a worker with a ring for each input of an mpts
 * that the multiplex does not read itself (mpts.h).
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
	/* the configuration of each feed, except feed, events and arg */
	struct stream_proc_config proc;
	/* The ring of the feed with this link has changed. */
	void (*on_ring)(const char *link, void *arg);
	/* on_demand and ring_of: as in struct stream_proc_events */
	void (*on_demand)(struct stream_proc *, void *arg);
	int (*ring_of)(const char *stream, void *arg);
	/* The process of a removed or stopped feed has ended. */
	void (*on_gone)(void *arg);
	void *arg;
};

struct feeds *feeds_new(const struct feeds_config *);
/* NULL-safe; sets *f to NULL.  Kills the processes that still run. */
void feeds_free(struct feeds **);

/* Returns the process of a feed; makes the feed if there is none. */
struct stream_proc *feeds_get(struct feeds *, const char *mpts,
			      unsigned position);
/* Returns the process of a feed by its link, also of a removed feed as long as
 * the process runs; NULL: none. */
struct stream_proc *feeds_find(const struct feeds *, const char *link);
/* Returns the process of the feed for this input of an mpts; NULL: the input
 * has none, or it was removed. */
struct stream_proc *feeds_active(const struct feeds *, const char *mpts,
				 unsigned position);
/* True: the mpts has a feed that was not removed. */
bool feeds_has(const struct feeds *, const char *mpts);
/* The i-th process of all feeds; NULL: there are no more. */
struct stream_proc *feeds_at(const struct feeds *, size_t i);

/* The mpts was renamed from `from' to `to': its feeds get other links, and
 * their workers stay. */
void feeds_rename(struct feeds *, const char *from, const char *to);
void feeds_restart(struct feeds *, const char *mpts);

/* Replaces the inputs in the status of an mpts by what their feeds have
 * reported about the sources, each fault once.  The strings are borrowed until
 * the next report. */
void feeds_report(struct feeds *, const char *mpts,
		  struct msg_stream_status *);
/* If the mpts itself has no alarm, takes the alarm of its first feed that has
 * one; the same for the fault.  The texts are borrowed until the next call for
 * this mpts.  Adds the restarts of the feeds. */
void feeds_add_faults(struct feeds *, const char *mpts,
		      struct stream_proc_info *);

/* Records the feeds for the next master, a new array. */
json_t *feeds_write(struct feeds *, struct handover *);
/* Adopts the feeds in a record of the previous master. */
void feeds_adopt(struct feeds *, const json_t *records, struct handover *);
