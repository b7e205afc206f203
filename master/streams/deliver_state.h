/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of deliver_proc.h, for its own files. */
#pragma once

#include "master/streams/deliver_proc.h"
#include "master/viewers/viewers.h"

#include <ev.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

/* A mount in one worker. */
struct mount_seat {
	TAILQ_ENTRY(mount_seat) due_link; /* of the worker */
	struct mount *mount;
	bool due; /* a message to the worker is due */
	uint32_t viewers;
	bool kept; /* they are those of the last master */
	uint64_t cut; /* slow viewers closed by the running worker */
};

struct mount {
	TAILQ_ENTRY(mount) link;
	LIST_ENTRY(mount) in_place;
	struct deliver_proc *owner;
	struct listener *listener; /* NULL: a play path */
	char *path;
	char *stream;
	bool tls;
	unsigned hls;
	bool fmp4;
	bool demand; /* the stream starts with the first viewer */
	bool stopped; /* ... and does not run now */
	/* as in struct mount_config */
	void (*on_viewers)(bool lost, void *arg);
	void *arg;
	bool no_auth;
	unsigned fill_kib; /* a new viewer gets so much at once */
	int ring_fd;
	bool waits; /* for the path, which another mount uses */
	char *waits_for; /* why it waits */
	uint64_t number; /* of the message; 0: it waits */

	uint64_t cut_past; /* slow viewers closed by earlier workers */
	struct mount_seat *seats; /* one for each worker of the owner */
};

struct deliver_worker {
	struct deliver_proc *owner;
	unsigned number; /* from 0, as in msg_deliver_of() */
	struct service_proc *service;
	TAILQ_HEAD(, mount_seat) due; /* mounts with a due message */
	/* It was adopted: it gets all mounts again, then drops the others. */
	bool renewing;
	ev_timer kept; /* then: the time in which it reports their viewers */
	/* It is above the configured number: it keeps its viewers, gets no new
	 * ones, and ends with the last of them. */
	bool retiring;
	bool linked; /* to the tls worker */
	struct viewer_way way; /* of its questions */
	LIST_HEAD(, look) looks; /* open questions for pictures */
};

enum { DELIVER_PLACES = 1024 };

struct deliver_proc {
	struct service_config cfg;
	struct tls_proc *tls;
	struct listeners *listeners;
	struct session_list *sessions;
	struct viewers *viewers; /* NULL: no viewer is admitted */
	struct listener *play; /* of the play paths alone; NULL: no such */
	TAILQ_HEAD(mounts, mount) mounts;
	/* the same, by address and path: each report of a worker names these */
	LIST_HEAD(places, mount) places[DELIVER_PLACES];
	unsigned n; /* workers, with those that retire */
	unsigned n_wanted; /* by the configuration */
	struct deliver_worker *workers[MSG_DELIVER_MAX];
	unsigned turn; /* the worker that gets the next viewer */
	uint64_t seed; /* see deliver.policy; secret */
	json_t *last; /* the record of the last master; NULL: none */
	bool settled; /* all mounts of the configuration exist */
	json_t *settings; /* with the limits; NULL: the defaults */
	bool closed; /* no mount is sent: auth.enable is no boolean */
	struct deliver_pictures pictures;
};

/* The name that the workers use. */
const char *mount_address(const struct mount *);
/* The caller reports the new path to the workers. */
void mount_set_path(struct mount *, const char *path);
/* deliver.mount or deliver.unmount; borrows from the mount. */
struct msg mount_message(const struct mount *, enum msg_type);
uint32_t mount_viewers(const struct mount *);
/* The slow viewers that were closed. */
uint64_t mount_cut(const struct mount *);
/* Messages about the mount are due, or no longer; deliver_proc_send_due() sends
 * them. */
void mount_set_due(struct mount *, bool due);
/* The mount with this path that does not wait; NULL: none. */
struct mount *deliver_proc_find(struct deliver_proc *, const char *address,
				const char *path);
/* Sends only while a channel is empty, because each mount in it costs a
 * descriptor. */
void deliver_proc_send_due(struct deliver_proc *);
/* To every worker that runs; fds as in service_proc_send(). */
void deliver_proc_send(struct deliver_proc *, const struct msg *,
		       const int *fds);
/* Why no worker serves viewers; NULL: one does, or starts. */
const char *deliver_proc_alarm(const struct deliver_proc *);
/* Gives a mount the number that it had with the last master, or that of its
 * path, unless another one, which was moved from there, has that; and the
 * viewers of its stream, until the workers report them. */
void mount_continue(struct mount *);
/* Drops the viewers that the worker has not reported: it reports no mount that
 * it made anew and that has none. */
void mount_drop_kept(struct mount *, unsigned worker);
/* For the next master: the numbers that are not those of the paths. */
json_t *mount_numbers_write(const struct deliver_proc *);
/* Likewise: the viewers of each worker, of mounts that have viewers. */
json_t *mount_viewers_write(const struct deliver_proc *);
/* viewers_per_address, or its default. */
unsigned deliver_proc_per_address(const struct deliver_proc *);

/* --- one worker --- */

struct deliver_worker *deliver_worker_new(struct deliver_proc *,
					  unsigned number);
/* NULL-safe; sets *w to NULL. */
void deliver_worker_free(struct deliver_worker **);

/* Adopts the process in the record (checked; may be NULL). */
void deliver_worker_adopt(struct deliver_worker *, const json_t *record,
			  struct handover *);
/* Does it get new viewers? */
bool deliver_worker_serves(const struct deliver_worker *);
void deliver_worker_send_due(struct deliver_worker *);
void deliver_worker_seat_due(struct deliver_worker *, struct mount_seat *,
			     bool due);

/* --- deliver_pictures.c --- */

/* deliver.look: the answer is sent inside or later. */
void deliver_pictures_ask(struct deliver_worker *, const char *stream,
			  uint32_t seq);
/* The worker has ended. */
void deliver_pictures_cancel(struct deliver_worker *);
