/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of the structs of deliver_proc.h, for its own files only. */
#pragma once

#include "master/streams/deliver_proc.h"
#include "master/viewers/viewers.h"

#include <ev.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

/* The state of a mount in one of the workers. */
struct mount_seat {
	TAILQ_ENTRY(mount_seat) due_link; /* in the list `due' of the worker */
	struct mount *mount;
	bool due; /* deliver.mount must be sent to the worker */
	uint32_t viewers;
	/* viewers is the number that the previous master knew; the worker has
	 * not reported to this master */
	bool kept;
	/* number of slow viewers that the running worker disconnected */
	uint64_t cut;
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
	bool stopped; /* the stream on demand does not run now */
	/* as in struct mount_config */
	void (*on_viewers)(bool lost, void *arg);
	void *arg;
	bool no_auth;
	unsigned fill_kib; /* KiB of past packets for a new viewer */
	int ring_fd;
	/* another mount uses the path, so this mount is not served yet */
	bool waits;
	/* if waits: which mount has the path, as the error of the output */
	char *waits_for;
	uint64_t number; /* number in deliver.mount; 0: the mount waits */

	/* number of slow viewers disconnected by workers that have ended */
	uint64_t cut_past;
	struct mount_seat *seats; /* [i]: the mount in worker i of the owner */
};

struct deliver_worker {
	struct deliver_proc *owner;
	unsigned number; /* from 0, as in msg_deliver_of() */
	struct service_proc *service;
	TAILQ_HEAD(, mount_seat) due; /* mounts to send to the worker */
	/* The worker was adopted: it gets all mounts again, then drops the
	 * mounts that it did not get. */
	bool renewing;
	/* Time limit after renewing: a mount whose viewers the worker has not
	 * reported when it ends has no viewers in this worker. */
	ev_timer kept;
	/* The worker is above the configured number (http_workers): it keeps
	 * its viewers, gets no new ones, and ends with the last of them. */
	bool retiring;
	bool linked; /* the deliver worker has a channel to the tls worker */
	struct viewer_way way; /* for questions of the worker about viewers */
	LIST_HEAD(, look) looks; /* open requests of the worker for pictures */
};

enum { DELIVER_PLACES = 1024 };

struct deliver_proc {
	struct service_config cfg;
	struct tls_proc *tls;
	struct listeners *listeners;
	struct session_list *sessions;
	struct viewers *viewers; /* NULL: no viewer is admitted */
	struct listener *play; /* the play port; NULL: none */
	TAILQ_HEAD(mounts, mount) mounts;
	/* Hash table of the mounts by address and path, which every report of a
	 * worker names. */
	LIST_HEAD(places, mount) places[DELIVER_PLACES];
	unsigned n; /* number of workers, with those that retire */
	unsigned n_wanted; /* http_workers of the configuration */
	struct deliver_worker *workers[MSG_DELIVER_MAX];
	/* counter by which deliver_proc_give_viewer() gives each viewer with
	 * place 0 the next worker */
	unsigned turn;
	/* seed of the session numbers of HLS (deliver.policy); secret */
	uint64_t seed;
	/* record of the previous master until deliver_proc_settle(); NULL:
	 * none */
	json_t *last;
	bool settled; /* all mounts of the configuration exist */
	/* settings of the service (http_workers ...); NULL: the defaults */
	json_t *settings;
	/* no mount is sent to the workers: see deliver_proc_close_viewers() */
	bool closed;
	struct deliver_pictures pictures;
};

/* Returns the address of the mount as messages name it. */
const char *mount_address(const struct mount *);
/* Sets another path of the mount; the caller must send it to the workers. */
void mount_set_path(struct mount *, const char *path);
/* Makes the message deliver.mount or deliver.unmount; it borrows from the
 * mount. */
struct msg mount_message(const struct mount *, enum msg_type);
uint32_t mount_viewers(const struct mount *);
/* Returns the number of slow viewers of the mount that all workers together
 * have disconnected so far. */
uint64_t mount_cut(const struct mount *);
/* due: deliver.mount must be sent to all workers, by deliver_proc_send_due();
 * false: it must not be sent any more. */
void mount_set_due(struct mount *, bool due);
/* Returns the mount with this address and path that does not wait; NULL:
 * none. */
struct mount *deliver_proc_find(struct deliver_proc *, const char *address,
				const char *path);
/* Sends the due messages.  A worker gets the next one only when its channel is
 * empty, because each queued mount costs a descriptor. */
void deliver_proc_send_due(struct deliver_proc *);
/* Sends a message to every worker that runs; fds as in service_proc_send(). */
void deliver_proc_send(struct deliver_proc *, const struct msg *,
		       const int *fds);
/* Returns why no worker serves viewers; NULL: a worker does, or starts. */
const char *deliver_proc_alarm(const struct deliver_proc *);
/* Gives a mount the number and the viewers that it had with the last master,
 * until the workers report viewers.  A mount that the last master did not list
 * gets the number of its path; if another mount has that number, the next free
 * one. */
void mount_continue(struct mount *);
/* Sets the viewers of the mount in this adopted worker to 0 if the worker has
 * not reported them: a worker that had to make the mount anew has no viewers
 * there, and sends no report about it. */
void mount_drop_kept(struct mount *, unsigned worker);
/* Records the mount numbers that do not follow from the paths, for the next
 * master: a new reference. */
json_t *mount_numbers_write(const struct deliver_proc *);
/* Records for each mount with viewers how many it has in each worker: a new
 * reference. */
json_t *mount_viewers_write(const struct deliver_proc *);
/* Returns viewers_per_address of the settings, or its default. */
unsigned deliver_proc_per_address(const struct deliver_proc *);

/* --- one worker --- */

struct deliver_worker *deliver_worker_new(struct deliver_proc *,
					  unsigned number);
/* NULL-safe; sets *w to NULL. */
void deliver_worker_free(struct deliver_worker **);

/* Adopts the process in the record, which may be NULL or invalid: then it
 * adopts none. */
void deliver_worker_adopt(struct deliver_worker *, const json_t *record,
			  struct handover *);
/* True: the worker gets new viewers. */
bool deliver_worker_serves(const struct deliver_worker *);
void deliver_worker_send_due(struct deliver_worker *);
void deliver_worker_seat_due(struct deliver_worker *, struct mount_seat *,
			     bool due);

/* --- deliver_pictures.c --- */

/* Takes the request deliver.look (seq) for the picture of a stream; sends the
 * answer at once or later. */
void deliver_pictures_ask(struct deliver_worker *, const char *stream,
			  uint32_t seq);
/* The worker has ended: cancels its requests for pictures. */
void deliver_pictures_cancel(struct deliver_worker *);
