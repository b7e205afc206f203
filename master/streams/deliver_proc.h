/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the deliver workers (settings.http_workers): gives each of them sockets
 * of every listener, and all paths that they serve (mounts).
 *
 * The workers run while there is a mount or a play port.  A new worker gets
 * its listeners and all mounts again, so after a crash its viewers must
 * reconnect, those of the other workers stay, and no connect is refused.
 * After a restart with a lower number the workers above it keep their viewers
 * and end with the last of them.
 *
 * Owns the workers, the listeners and the mounts; borrows the loop and the
 * spawner.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "common/supervise/service_proc.h"
#include "master/streams/session_list.h"
#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct deliver_proc;
struct mount;
struct picture_proc;
struct plan_http;
struct play_conf;
struct stream_proc_info;
struct tls_proc;
struct viewers;

/* tls: the worker for TLS with viewers; borrowed, or NULL.  settings: copied;
 * NULL: the defaults.  seed: for the session numbers of HLS; the seed of the
 * previous master replaces it. */
struct deliver_proc *deliver_proc_new(const struct service_config *,
				      struct tls_proc *tls,
				      const json_t *settings, uint64_t seed);
/* NULL-safe; sets *d to NULL.  All mounts must be freed before. */
void deliver_proc_free(struct deliver_proc **);

/* Records workers, sockets and viewers for the next master: a new JSON
 * object. */
json_t *deliver_proc_write(struct deliver_proc *, struct handover *);
/* Adopts the workers in the record of the previous master; the record may be
 * NULL, and invalid parts of it are ignored.  Call it before the first
 * mount. */
void deliver_proc_adopt(struct deliver_proc *, const json_t *record,
			struct handover *);
/* Returns the seed of deliver.policy; it is secret. */
uint64_t deliver_proc_seed(const struct deliver_proc *);
/* closed: no worker serves viewers, and every http output has an error.  Call
 * it with true only before the first mount exists. */
void deliver_proc_close_viewers(struct deliver_proc *, bool closed);
bool deliver_proc_is_closed(const struct deliver_proc *);
/* Opens the port of the play paths, if the configuration has one.  Call it
 * before the first mount. */
void deliver_proc_set_play(struct deliver_proc *, const struct play_conf *);
/* Returns why no viewer can connect to the play port; NULL: no error, or there
 * is no play port. */
const char *deliver_proc_play_error(const struct deliver_proc *);
/* What deliver_proc needs to answer requests for pictures of streams. */
struct deliver_pictures {
	struct picture_proc *proc; /* borrowed; NULL: requests are rejected */
	/* Returns the ring of a stream; or -1 and *error, constant text.
	 * *absent: there is no such stream. */
	int (*ring_of)(const char *stream, const char **error, bool *absent,
		       void *arg);
	void *arg;
};
void deliver_proc_set_pictures(struct deliver_proc *,
			       const struct deliver_pictures *);
/* Sets the judge of viewers (borrowed); NULL: no viewer is admitted. */
void deliver_proc_set_viewers(struct deliver_proc *, struct viewers *);
/* True: a worker runs whose channel is not full, so that it can take another
 * viewer. */
bool deliver_proc_takes_viewers(struct deliver_proc *);
/* Passes the socket fd (taken) of a viewer who requests a play path to a
 * worker.  place: a hash of the address of a client of HLS, so that all its
 * connections get the same worker while it takes viewers; 0: any worker.
 * Closes fd if no worker takes viewers. */
void deliver_proc_give_viewer(struct deliver_proc *,
			      const struct msg_deliver_viewer *, int fd,
			      uint64_t place);
/* All mounts of the configuration exist now: adopted workers drop all other
 * mounts, and listening sockets without a user are closed. */
void deliver_proc_settle(struct deliver_proc *);

/* Returns worker i, from 0, borrowed; NULL: there are no more. */
struct service_proc *deliver_proc_service(struct deliver_proc *, unsigned i);
/* Starts at once each worker that waits for its next start, except those that
 * retire. */
void deliver_proc_hurry(struct deliver_proc *);
/* Gives each running worker a channel to the tls worker.  anew: also a worker
 * that has a channel, because the tls worker was replaced.  Does nothing while
 * the tls worker does not run. */
void deliver_proc_link_tls(struct deliver_proc *, bool anew);
/* Returns the number of viewers of all mounts. */
unsigned deliver_proc_viewers(const struct deliver_proc *);

/* Requests the list of viewers, see session_list.h. */
struct session_wait *deliver_proc_list(struct deliver_proc *,
				       session_list_fn *, void *arg);
/* Ends a session of the list of viewers, if it exists. */
void deliver_proc_close_session(struct deliver_proc *, uint64_t session);

struct mount_config {
	const struct sockaddr_any *listen; /* NULL: a play path */
	const char *path;   /* copied */
	bool tls; /* viewers connect by https://; false: by http:// */
	unsigned hls; /* segments of the playlist; 0: path is a TS, not HLS */
	bool fmp4; /* the segments are fMP4 */
	bool demand; /* the stream starts with the first viewer */
	bool stopped; /* the stream on demand does not run now */
	/* The number of viewers may have changed; lost: connections were lost,
	 * and these viewers may return.  The member may be NULL. */
	void (*on_viewers)(bool lost, void *arg);
	void *arg;
	bool no_auth; /* viewers need no authorization */
	/* KiB of past packets that a new viewer gets at once */
	unsigned fill_kib;
	const char *stream; /* id of the stream; copied */
	int ring_fd;        /* read-only; borrowed, outlives the mount */
};

/* Makes a mount, never NULL.  While another mount uses the path, the new mount
 * is not served: it waits until the other is freed. */
struct mount *mount_new(struct deliver_proc *, const struct mount_config *);
/* NULL-safe; sets *m to NULL.  Disconnects its viewers. */
void mount_free(struct mount **);

enum { STREAM_MOUNTS_MAX = MSG_OUTPUTS_MAX + 2 };

/* The mounts of one stream: one for each of its http outputs and for each play
 * path.  Embedded; zeroed memory has none. */
struct stream_mounts {
	size_t n;
	struct stream_mount {
		/* position of the output, from 1; 0: a play path */
		unsigned position;
		struct mount *mount;
	} of[STREAM_MOUNTS_MAX];
	/* number of slow viewers that were disconnected from mounts of the
	 * stream that no longer exist */
	uint64_t cut_past;
};

struct stream_mounts_config {
	const char *stream; /* stream id; borrowed, outlives the mounts */
	int ring_fd;        /* read-only; borrowed, outlives the mounts */
	const struct plan_http *outputs; /* borrowed for the call only */
	size_t n;           /* at most MSG_OUTPUTS_MAX */
	const struct play_conf *play; /* NULL: no play paths */
	/* demand, stopped, on_viewers and arg: as in struct mount_config */
	bool demand;
	bool stopped;
	void (*on_viewers)(bool lost, void *arg);
	void *arg;
};

/* Replaces all mounts.  A mount that stays keeps its viewers, and a listener
 * that an old and a new mount use stays open. */
void stream_mounts_set(struct stream_mounts *, struct deliver_proc *,
		       const struct stream_mounts_config *);

/* Serves all mounts from another ring, and disconnects their viewers.  The ring
 * must have been made while the old one was open, so that the descriptors
 * differ. */
void stream_mounts_ring(struct stream_mounts *, int ring_fd);

/* The stream on demand has stopped: its next viewer waits until the stream
 * sends packets. */
void stream_mounts_pause(struct stream_mounts *);
/* The stream on demand runs again. */
void stream_mounts_resume(struct stream_mounts *);
/* The stream was renamed to this id; its viewers stay connected. */
void stream_mounts_rename(struct stream_mounts *, const char *stream);
/* Returns the number of viewers of all mounts of the stream, including viewers
 * that wait for the first packets. */
unsigned stream_mounts_viewers(const struct stream_mounts *);
/* Writes the viewers, the disconnected slow viewers and the error of each
 * output to ret. */
void stream_mounts_get(const struct stream_mounts *,
		       struct stream_proc_info *ret);
