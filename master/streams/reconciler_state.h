/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of struct reconciler, for reconciler_*.c and stream_*.c only. */
#pragma once

#include "master/config/play_conf.h"
#include "master/streams/reconciler.h"
#include "master/streams/stream_index.h"
#include "master/streams/stream_proc.h"

#include <ev.h>

struct adapter_procs;
struct cas_procs;
struct epg_proc;
struct guide_links;
struct hls_bases;
struct deliver_proc;
struct feeds;
struct service_config;
struct service_proc;
struct spawner;

struct reconciler {
	struct reconciler_config cfg;
	splice_fn *on_splice; /* NULL: no watcher */
	void *splice_watcher;
	json_t *settings; /* cfg.settings; NULL: none */
	/* see reconciler_set_defaults(); at the start: settings */
	json_t *defaults;
	struct play_conf play;
	struct spawner *spawner;
	struct deliver_proc *deliver;
	struct viewers *viewers; /* NULL: no rules for viewers */
	struct auth_proc *auth;
	struct tls_proc *tls;
	struct querier_proc *querier;
	struct backend_proc *backend;
	struct picture_proc *picture;
	struct epg_proc *epg;
	struct epg_docs *epg_docs;
	struct guide_links *guides;
	struct softcams *softcams;
	struct cas_procs *cas;
	struct adapter_procs *adapters;
	struct hls_bases *bases;
	json_t *cas_list; /* the list `cas' of the configuration */
	/* auth, tls, querier, backend, picture and epg */
	struct service_proc *services[6];
	struct jobs *jobs;
	size_t n, room;
	/* in the order in which they were added */
	struct stream_proc **streams;
	struct stream_index index;
	struct feeds *feeds; /* the feeds of each mpts of several inputs */
	bool stopping;
	ev_timer stop_timer; /* from reconciler_stop() to on_stopped() */
};

/* A process that shall not run again has ended.  If the reconciler stops and
 * this was the last process, on_stopped() follows. */
void reconciler_check_gone(void *reconciler);

/* --- reconciler_links.c --- */

/* Returns the i-th process of all streams, then of all feeds; NULL: there are
 * no more. */
struct stream_proc *reconciler_proc(const struct reconciler *, size_t i);
/* The ring of a stream, a feed or an adapter has changed: sends it to its
 * readers. */
void reconciler_relink(struct reconciler *, const char *link);
/* Returns the ring that a link names, borrowed; -1: there is none. */
int reconciler_link_ring(const char *link, void *reconciler);
/* Implements the member ring_of of struct deliver_pictures. */
int reconciler_picture_ring(const char *stream, const char **error,
			    bool *absent, void *reconciler);
/* An adapter has begun or stopped to read this stream: updates its ring and
 * demand. */
void reconciler_follow_adapter(const char *stream, void *reconciler);
/* The stream has started or stopped: starts or stops the streams on demand that
 * it reads. */
void reconciler_follow_demand(struct stream_proc *, void *reconciler);
void reconciler_tell_splice(const char *id, const json_t *record,
			    void *reconciler);
/* Applies the configuration of a stream or a feed, and updates the streams that
 * it reads. */
void reconciler_set_proc(struct reconciler *, struct stream_proc *,
			 const struct stream_conf *);
/* Removes a stream or a feed, and updates the streams that it reads.  May free
 * the process. */
void reconciler_remove_proc(struct reconciler *, struct stream_proc *);
/* The stream `from` was renamed to `to`: its readers continue under the new
 * id. */
void reconciler_rename_links(struct reconciler *, const char *from,
			     const char *to);

/* --- reconciler_feeds.c --- */

/* Makes r->feeds; the argument has what all feeds share. */
void reconciler_open_feeds(struct reconciler *,
			   const struct stream_proc_config *);
/* Sets the feeds of an mpts from its object; NULL: removes them. */
void reconciler_set_feeds(struct reconciler *, const char *id,
			  const json_t *object);
/* Calls on_stream_status for an mpts, with its inputs as their feeds report
 * them. */
void reconciler_report_mux(struct reconciler *, const char *id,
			   const struct msg_stream_status *);

/* Makes r->cas. */
void reconciler_open_cas(struct reconciler *, const struct service_config *);

/* Makes r->adapters. */
void reconciler_open_adapters(struct reconciler *,
			      const struct service_config *);

/* The programs that the CAM of an adapter shall descramble may have changed:
 * sends them to its worker.  A link that names no adapter is ignored. */
void reconciler_renew_cam(struct reconciler *, const char *link);

/* Returns service worker i (a worker that serves all streams), in the order in
 * which they are stopped; NULL: there are no more. */
struct service_proc *reconciler_service(const struct reconciler *, size_t i);

/* In stream_network.c.  Returns the object of a stream that is enabled,
 * borrowed; NULL: none.  arg: the reconciler. */
const json_t *reconciler_source_of(const char *stream, void *arg);

/* Makes r->guides, which pass events of the guide to streams with own EIT. */
void reconciler_open_guides(struct reconciler *);
/* Implements the member stream_at of struct epg_config. */
const char *reconciler_stream_at(size_t i, int *ret_ring, void *arg);
void reconciler_guide_stale(const char *stream, void *arg);
void reconciler_stream_up(const char *id, void *arg);
void reconciler_stream_network(const char *id, void *arg);
