/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of deliver_proc.h, for its own files. */
#pragma once

#include "master/streams/deliver_proc.h"
#include "master/viewers/viewers.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct mount {
	TAILQ_ENTRY(mount) link;
	TAILQ_ENTRY(mount) due_link;
	struct deliver_proc *owner;
	struct listener *listener; /* NULL: a play path */
	char *path;
	char *stream;
	bool tls;
	unsigned hls;
	bool demand; /* the stream starts with the first viewer */
	bool stopped; /* ... and does not run now */
	/* of the stream; NULL: none */
	void (*on_viewers)(bool lost, void *arg);
	void *arg;
	bool no_auth;
	int ring_fd;
	bool due; /* a message to the worker is due */
	bool waits; /* for the path, which another mount uses */
	char *waits_for; /* why it waits */

	uint32_t viewers;
	uint64_t cut; /* slow viewers closed by the running worker */
	uint64_t cut_past; /* slow viewers closed by earlier workers */
};

struct deliver_proc {
	struct spawner *spawner;
	struct service_proc *service;
	struct tls_proc *tls;
	struct listeners *listeners;
	struct session_list *sessions;
	struct viewers *viewers; /* NULL: no viewer is admitted */
	struct viewer_way way; /* of its questions */
	struct listener *play; /* of the play paths alone; NULL: no such */
	TAILQ_HEAD(mounts, mount) mounts;
	TAILQ_HEAD(, mount) due; /* mounts with a due message */
	/* The worker was adopted: it gets all mounts again, then drops the
	 * others. */
	bool renewing;
	bool settled; /* all mounts of the configuration exist */
	json_t *settings; /* with the limits; NULL: the defaults */
	bool closed; /* no mount is sent: auth.enable is no boolean */
};

/* The name that the worker uses. */
const char *mount_address(const struct mount *);
/* A message about the mount is due; deliver_proc_send_due() sends it. */
void mount_set_due(struct mount *, bool due);
/* Sends only while the channel is empty, because each mount in it costs a
 * descriptor; the struct deliver_proc. */
void deliver_proc_send_due(void *self);
