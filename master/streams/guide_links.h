/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gives streams with own EIT the events of the guide: asks the guide's process
 * for them, one stream at a time, again after each change, and keeps them for
 * the next worker of the stream.  A question that fails is asked again later,
 * after the others.
 *
 * Owns the memory of the events; borrows the guide's process, which must be
 * freed before.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <jansson.h>

struct epg_proc;
struct ev_loop;
struct guide_links;

struct guide_links_config {
	struct ev_loop *loop;
	struct epg_proc *epg;
	/* Sends events to the worker of a stream; fd is borrowed. */
	void (*send)(const char *stream, const struct msg_stream_guide *,
		     int fd, void *arg);
	void *arg;
};

struct guide_links *guide_links_new(const struct guide_links_config *);
/* NULL-safe; sets *g to NULL. */
void guide_links_free(struct guide_links **);

/* Applies the configuration of a stream (borrowed): asks the guide's process
 * for the events and services that its own EIT and its nit_other need, and
 * frees those that they do not need any more.  For an mpts of several inputs,
 * object is that of mpts_mux(). */
void guide_links_set(struct guide_links *, const char *stream,
		     const json_t *object);
/* The stream was removed: frees the events that were kept for it.  This and the
 * next functions are NULL-safe. */
void guide_links_remove(struct guide_links *, const char *stream);
void guide_links_rename(struct guide_links *, const char *from,
			const char *to);

/* The guide has changed the events of this stream (NULL: of all streams): asks
 * for them again. */
void guide_links_stale(struct guide_links *, const char *source);
/* A new worker of the stream runs: sends it the events that are kept for it. */
void guide_links_up(struct guide_links *, const char *stream);
/* The worker of the stream has received the streams of nit_other: sends it
 * their events, which it would have ignored before. */
void guide_links_network(struct guide_links *, const char *stream);
