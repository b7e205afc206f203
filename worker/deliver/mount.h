/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A path of a listener, the ring of its stream, and its viewers.
 *
 * Owns the descriptor and the reader of the ring and the viewers; borrows the
 * loop.
 */
#pragma once

#include "common/base/ratelimit.h"
#include "common/base/util.h"
#include "proto/ipc/msg.h"
#include "worker/deliver/portion.h"
#include "worker/deliver/ring_body.h"
#include "worker/deliver/viewer.h"

struct mount {
	char *address; /* address of the listener */
	char *path;
	char *stream;
	struct ev_loop *loop;
	int ring_fd;
	struct ring_reader *reader;
	unsigned hls; /* most segments in the playlist; 0: no HLS, the path is
		       * that of the stream */
	struct fragments *fragments; /* the segments as fMP4; NULL: TS */
	bool tls;    /* serves viewers with TLS; false: viewers without TLS; a
		      * play path serves both: mount_accepts() */
	bool demand; /* the stream starts with the first viewer */
	bool renewed; /* the current master has added the mount */
	bool broken; /* the header of the ring is invalid */
	unsigned start_ms;
	unsigned still_ms;
	bool still;  /* paused, or no packet since the mount was made */
	bool paused; /* no packets for still_ms */
	uint64_t seen_pos;  /* end of the stream in the ring at the last pass */
	uint64_t moved_ms;  /* time at which seen_pos last changed */
	uint64_t fresh_pos; /* position in the ring of the first packet since
			     * `paused' was last true */
	bool no_auth; /* viewers need no permission */
	size_t fill;  /* a new viewer begins at least so many bytes behind the
		       * live end, if the ring has them (mount_set_fill()) */
	struct page_pipe *pages, *copies;
	struct ring_copy *copy;
	struct portion portion; /* viewers that are not behind have the bytes
				 * up to portion.pos */
	struct lag_kernel kernel;
	struct lag lag;
	LIST_HEAD(, viewer) viewers;
	uint32_t n_viewers;
	uint32_t n_copied;  /* viewers that get copies, not pages */
	uint32_t n_behind;  /* viewers that lack bytes of portions, or wait for
			     * a picture */
	uint32_t n_waiting; /* requests that wait for a stream on demand */
	LIST_HEAD(, ring_body) bodies; /* answers that send bytes of the ring */
	uint32_t n_bodies;
	LIST_HEAD(, viewer_conn) waiting; /* HLS requests that wait for a
					   * segment, part or playlist */
	uint64_t number; /* as in msg_deliver_mount */
	LIST_HEAD(, hls_session) hls_sessions; /* kept by hls_sessions.c */
	uint32_t n_hls;  /* HLS sessions with a permission */
	uint64_t from_pos; /* segments in front of this position of the ring are
			    * those of an earlier run of the stream */
	uint64_t listed;   /* number of the first segment in the last playlist;
			    * 0: none */
	uint64_t woken_news; /* number of segments and parts when the waiting
			      * requests were last tried */
	uint64_t woken_ms;   /* time when the requests were last tried */
	uint64_t bytes;     /* bytes of the ring sent to viewers and clients */
	uint64_t cut;       /* connections closed because the writer has reused,
			     * or would soon reuse, bytes that they need */
	struct ratelimit viewer_log;
	uint64_t rate;      /* rate of the writer in bytes per second */
	uint64_t rate_pos;  /* end of the stream when rate was last measured */
	uint64_t rate_ms;   /* time of that measurement; 0: none */
	/* values of the last report to the master; UINT64_MAX bytes: a report
	 * is due */
	uint32_t reported_viewers;
	uint64_t reported_bytes;
	uint64_t reported_cut;
};

struct mount_config {
	struct ev_loop *loop;
	const struct msg_deliver_mount *name; /* copied */
	int ring_fd;                          /* taken on success */
	unsigned start_ms; /* longest wait for a random access point */
	unsigned still_ms; /* a stream without packets for this time is
			    * paused */
	unsigned hold_ms;  /* most time that bytes wait for a full portion */
	uint64_t now_ms;
	const struct lag_kernel *kernel;
	/* All mounts share what the following pointers refer to; it outlives
	 * the mount. */
	struct page_pipe *pages;
	struct page_pipe *copies; /* for viewers that get copies */
	struct ring_copy *copy;
	struct fragment_store *fragments;
};

/* Makes a mount.  NULL with *ret_err = -errno if the descriptor is no valid
 * ring. */
struct mount *mount_new(const struct mount_config *, int *ret_err);

/* Frees the mount and closes its viewers. */
void mount_free(struct mount **);

/* Call it when mount m replaces mount old of the same stream: m continues the
 * counters of old.  A report is due, because the viewers of old have left. */
void mount_inherit(struct mount *m, struct mount *old);

/* Sets how far behind the live end a new viewer begins, in KiB: it begins at a
 * picture that decodes and lies so far behind, or farther, or else at the
 * oldest such picture in the ring, and gets these bytes at once. */
void mount_set_fill(struct mount *, unsigned kib);

/* Sets the id of the mount's stream; the viewers stay. */
void mount_rename(struct mount *, const char *stream);

/* True if the mount serves viewers with TLS (secure), or without.  The mount of
 * a play path serves both. */
bool mount_accepts(const struct mount *, bool secure);

/* Is fd the ring of this mount? */
bool mount_uses_ring(const struct mount *, int fd);

/* Makes the socket (taken) a viewer, which gets the first bytes at once, unless
 * it has to wait for packets or a random access point. */
void mount_add_viewer(struct mount *, const struct viewer_socket *,
		      uint64_t now_ms);

/* Checks whether a broken ring is valid again, because its next writer repaired
 * it.  True if the mount can have viewers. */
bool mount_recover(struct mount *);

/* *ret: the position of the end of the stream in the ring.  False: the ring is
 * invalid. */
bool mount_end(struct mount *, uint64_t *ret);

/* Call it when the stream on demand has stopped: new viewers wait for the next
 * packets, and playlists for the next segment. */
void mount_pause(struct mount *, uint64_t now_ms);

enum mount_start {
	MOUNT_HAS_NOTHING, /* no packets arrive */
	MOUNT_HAS_PACKETS,
	MOUNT_HAS_PICTURE, /* a new viewer gets its first bytes at once */
};
enum mount_start mount_can_start(struct mount *, uint64_t now_ms);

/* Makes a pass over the viewers, if there is a portion for them or some are
 * behind: sends what their sockets accept.  Checks the answers that need the
 * ring. */
void mount_feed(struct mount *, uint64_t now_ms);

/* The time in ms until the next portion; UINT_MAX: no viewer waits for it. */
unsigned mount_wait_ms(struct mount *, uint64_t now_ms);

/* Measures the rate of the writer; call about once a second. */
void mount_measure(struct mount *, uint64_t now_ms);

/* True: the counters have changed since the last report, or a report is due;
 * *ret is the new report. */
bool mount_next_report(struct mount *, struct msg_deliver_viewers *ret);
