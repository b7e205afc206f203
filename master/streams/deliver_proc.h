/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the deliver worker: gives it the listening sockets of viewers and the
 * paths that it serves (mounts).
 *
 * The worker runs while there is a mount.  A new worker gets all listeners and
 * mounts again, so after a crash the viewers must reconnect and no connect is
 * refused.
 *
 * Owns the worker, the listeners and the mounts; borrows the loop and the
 * spawner.
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

/* tls: the worker for TLS with viewers; borrowed, or NULL. */
struct deliver_proc *deliver_proc_new(const struct service_config *,
				      struct tls_proc *tls);
/* NULL-safe; sets *d to NULL.  All mounts must be freed before. */
void deliver_proc_free(struct deliver_proc **);

/* The record for the next master, a new JSON object. */
json_t *deliver_proc_write(struct deliver_proc *, struct handover *);
/* Adopts the worker in the record (checked; may be NULL) of the previous
 * master.  Call it before the first mount. */
void deliver_proc_adopt(struct deliver_proc *, const json_t *record,
			struct handover *);
/* All mounts have been made: the worker drops the others. */
void deliver_proc_settle(struct deliver_proc *);

/* The worker, borrowed.  While it is stopped the mounts are not served. */
struct service_proc *deliver_proc_service(struct deliver_proc *);
/* The viewers of all mounts. */
unsigned deliver_proc_viewers(const struct deliver_proc *);

/* Lists the viewers, see session_list.h. */
void deliver_proc_list(struct deliver_proc *, session_list_fn *, void *arg);

struct mount_config {
	const struct sockaddr_any *listen;
	const char *path;   /* copied */
	bool tls; /* https:// only */
	const char *stream; /* id; copied */
	int ring_fd;        /* read-only; borrowed, outlives the mount */
};

/* Never fails: waits for a path that another stream uses. */
struct mount *mount_new(struct deliver_proc *, const struct mount_config *);
/* NULL-safe; sets *m to NULL.  Disconnects its viewers. */
void mount_free(struct mount **);

/* Same listener, path, stream and scheme; the ring may differ. */
bool mount_is_same(const struct mount *, const struct mount_config *);
/* Serves it from another ring (borrowed), which must have been made while the
 * old one was open.  Disconnects its viewers. */
void mount_set_ring(struct mount *, int ring_fd);

struct mount_status {
	uint32_t viewers;
	uint64_t cut; /* slow viewers disconnected since the mount was made */
	const char *error; /* why viewers cannot connect, or NULL */
};

struct mount_status mount_get(const struct mount *);
