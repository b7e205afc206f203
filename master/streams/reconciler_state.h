/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of reconciler.h, for its own files. */
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
	splice_fn *on_splice; /* NULL: it is not watched */
	void *splice_watcher;
	json_t *settings; /* cfg.settings; NULL: none */
	json_t *defaults; /* streams read theirs here: settings, or the next */
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
	json_t *cas_list; /* of the configuration */
	struct service_proc *services[6]; /* those of the six above */
	struct jobs *jobs;
	size_t n, room;
	struct stream_proc **streams; /* in the order of their making */
	struct stream_index index;
	struct feeds *feeds; /* of the streams that merge several inputs */
	bool stopping;
	ev_timer stop_timer; /* from reconciler_stop() to on_stopped() */
};

/* A process has ended and none is wanted: perhaps it was the last one. */
void reconciler_check_gone(void *reconciler);

/* --- reconciler_links.c --- */

/* The i-th process of all streams, then of all feeds; NULL: none. */
struct stream_proc *reconciler_proc(const struct reconciler *, size_t i);
/* The ring of a stream, a feed or an adapter has changed: its readers get
 * it. */
void reconciler_relink(struct reconciler *, const char *link);
/* That ring, borrowed; -1: there is none. */
int reconciler_link_ring(const char *link, void *reconciler);
/* As ring_of of deliver_pictures. */
int reconciler_picture_ring(const char *stream, const char **error,
			    bool *absent, void *reconciler);
/* An adapter reads this stream, or no longer. */
void reconciler_follow_adapter(const char *stream, void *reconciler);
/* What it reads runs as long as it does. */
void reconciler_follow_demand(struct stream_proc *, void *reconciler);
void reconciler_tell_splice(const char *id, const json_t *record,
			    void *reconciler);
/* The configuration of a stream, or of a feed. */
void reconciler_set_proc(struct reconciler *, struct stream_proc *,
			 const struct stream_conf *);
/* May free the process. */
void reconciler_remove_proc(struct reconciler *, struct stream_proc *);
/* The readers of `from` read `to` now. */
void reconciler_rename_links(struct reconciler *, const char *from,
			     const char *to);

/* --- reconciler_feeds.c --- */

/* Makes r->feeds; the template has what all streams share. */
void reconciler_open_feeds(struct reconciler *,
			   const struct stream_proc_config *);
/* The feeds of an mpts; object: that of the mpts, NULL: it has none. */
void reconciler_set_feeds(struct reconciler *, const char *id,
			  const json_t *object);
/* The status of an mpts with feeds, which know the faults of its inputs. */
void reconciler_report_mux(struct reconciler *, const char *id,
			   const struct msg_stream_status *);

/* Makes r->cas. */
void reconciler_open_cas(struct reconciler *, const struct service_config *);

/* Makes r->adapters. */
void reconciler_open_adapters(struct reconciler *,
			      const struct service_config *);

/* The programs that the CAM of an adapter shall descramble may have changed;
 * another link than that of an adapter is ignored. */
void reconciler_renew_cam(struct reconciler *, const char *link);

/* The workers that serve all streams, in the order in which they are stopped;
 * NULL: there are no more. */
struct service_proc *reconciler_service(const struct reconciler *, size_t i);

/* stream_network.c: the object of a stream that is enabled, or NULL; arg: the
 * reconciler. */
const json_t *reconciler_source_of(const char *stream, void *arg);

/* The events of the guide for own EIT (guide_links.h); arg: the
 * reconciler. */
void reconciler_open_guides(struct reconciler *);
/* As in epg_config. */
const char *reconciler_stream_at(size_t i, int *ret_ring, void *arg);
void reconciler_guide_stale(const char *stream, void *arg);
void reconciler_stream_up(const char *id, void *arg);
void reconciler_stream_network(const char *id, void *arg);
