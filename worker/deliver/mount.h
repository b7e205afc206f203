/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A path of a listener, the ring behind it and the viewers it has.
 *
 * Owns the ring's descriptor and reader and its viewers; borrows the loop.
 */
#pragma once

#include "common/base/ratelimit.h"
#include "common/base/util.h"
#include "proto/ipc/msg.h"
#include "worker/deliver/viewer.h"

struct mount {
	char *address; /* the listener's */
	char *path;
	char *stream;
	struct ev_loop *loop;
	int ring_fd;
	struct ring_reader *reader;
	bool tls;    /* for those who come by TLS, else for others */
	bool named;  /* since the last renewal began */
	bool broken; /* the ring's header was found out, and not since mended */
	unsigned start_ms;
	unsigned still_ms;
	/* whether anything comes: where its end was seen, since when, and from
	 * where on the packets are not from before a pause */
	bool still;  /* nothing did yet, or it is paused */
	bool paused; /* nothing came for still_ms */
	uint64_t seen_pos;
	uint64_t moved_ms; /* or it is mounted since then */
	uint64_t fresh_pos;
	struct roster *roster;
	struct lag_kernel kernel;
	struct lag lag;
	LIST_HEAD(, viewer) viewers;
	uint32_t n_viewers;
	uint64_t bytes;
	uint64_t cut;
	struct ratelimit lost_log;
	/* the writer's speed, bytes a second */
	uint64_t rate;
	uint64_t rate_pos;
	uint64_t rate_ms;
	/* what the master was told last */
	uint32_t told_viewers;
	uint64_t told_bytes;
	uint64_t told_cut;
};

struct mount_config {
	struct ev_loop *loop;
	const struct msg_deliver_mount *name; /* copied */
	int ring_fd;                          /* taken when it succeeds */
	unsigned start_ms; /* a viewer waits for a picture, at most */
	unsigned still_ms; /* without a packet, what was is old */
	uint64_t now_ms;
	const struct lag_kernel *kernel;
	struct roster *roster; /* borrowed, outlives the mount */
};

/* NULL with *ret_err = -errno when the descriptor is no sound ring. */
struct mount *mount_new(const struct mount_config *, int *ret_err);

/* Closes its viewers too. */
void mount_free(struct mount **);

/* m takes the place of old, the same stream's: what is counted and told goes
 * on. */
void mount_inherit(struct mount *m, struct mount *old);

/* True when fd is the very ring of this mount. */
bool mount_has_ring(const struct mount *, int fd);

/* The socket (taken) becomes a viewer, who gets the first bytes at once. */
void mount_add_viewer(struct mount *, const struct viewer_socket *,
		      uint64_t now_ms);

/* Looks whether a broken ring is sound again (its next writer goes on from
 * where it is).  True when the mount can have viewers. */
bool mount_mend(struct mount *);

/* One pass over the viewers. */
void mount_feed(struct mount *, uint64_t now_ms);

/* Measures the writer; call about once a second. */
void mount_measure(struct mount *, uint64_t now_ms);

/* mount_tell() tells all, changed or not. */
void mount_forget_told(struct mount *);

/* True when its numbers changed since the last call that said so. */
bool mount_tell(struct mount *, struct msg_deliver_viewers *ret);
