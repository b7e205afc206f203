/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The viewers' side of the house: the deliver worker, the sockets it accepts
 * on and the paths it serves.
 *
 * The worker runs while there is a mount.  A new one gets all listeners and
 * mounts again, so its crash costs its viewers a reconnect and nobody a
 * refused connect.
 *
 * Owns worker, listeners and mounts; borrows the loop and the spawner.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "common/supervise/service_proc.h"
#include "master/streams/session_list.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct deliver_proc;
struct mount;
struct tls_proc;

/* tls: the worker that speaks TLS with viewers; borrowed, or NULL. */
struct deliver_proc *deliver_proc_new(const struct service_config *,
				      struct tls_proc *tls);
/* NULL-safe; sets *d to NULL.  All mounts must be freed before. */
void deliver_proc_free(struct deliver_proc **);

/* What a next master has to know of it, as a new JSON object. */
json_t *deliver_proc_write(struct deliver_proc *, struct handover *);
/* Takes up what a master before us wrote (judged; may be NULL): before the
 * first mount. */
void deliver_proc_adopt(struct deliver_proc *, const json_t *record,
			struct handover *);
/* After that all mounts were made: the worker forgets the others. */
void deliver_proc_settle(struct deliver_proc *);

/* The worker, borrowed.  When it is stopped the mounts stay, but nobody serves
 * them. */
struct service_proc *deliver_proc_service(struct deliver_proc *);
/* Of all mounts together. */
unsigned deliver_proc_viewers(const struct deliver_proc *);

/* The worker is to hand clients of TLS on to this end of a SEQPACKET pair. */
void deliver_proc_link(struct deliver_proc *, int fd);

/* Tells who watches, as session_list.h says. */
void deliver_proc_list(struct deliver_proc *, session_list_fn *, void *arg);
/* Closes this viewer, if it is still there. */
void deliver_proc_kick(struct deliver_proc *, uint64_t client);

struct mount_config {
	const struct sockaddr_any *listen;
	const char *path;   /* copied */
	bool tls;           /* https:// alone */
	const char *stream; /* id; copied */
	int ring_fd;        /* read-only; borrowed, outlives the mount */
};

/* Never fails: a path that another stream has waits until it is free. */
struct mount *mount_new(struct deliver_proc *, const struct mount_config *);
/* NULL-safe; sets *m to NULL.  Its viewers are closed. */
void mount_free(struct mount **);

/* Same listener, path, stream and scheme, whatever the ring. */
bool mount_is_same(const struct mount *, const struct mount_config *);
/* Serves it from another ring (borrowed, open beside the old one when it was
 * made): its viewers are closed, the path stays. */
void mount_set_ring(struct mount *, int ring_fd);
uint32_t mount_viewers(const struct mount *);
/* Slow viewers that were cut, since the mount was made. */
uint64_t mount_cut(const struct mount *);
/* Why nobody can watch it, or NULL. */
const char *mount_error(const struct mount *);
