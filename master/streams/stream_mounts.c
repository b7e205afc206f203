/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mounts of one stream. */
#include "common/base/alloc.h"
#include "common/supervise/tls_proc.h"
#include "master/config/play_conf.h"
#include "master/streams/deliver_state.h"
#include "master/streams/listeners.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc.h"

#include <stdlib.h>
#include <string.h>

/* True: the mount can stay with the new settings, because listener, path,
 * stream, scheme, format and authorization are the same.  Ring, demand and
 * fill_kib may differ. */
static bool is_same(const struct mount *m, const struct mount_config *cfg)
{
	char address[SOCKADDR_TEXT_MAX] = MSG_PLAY_ADDRESS;

	if (cfg->listen != NULL)
		sockaddr_format(cfg->listen, address);
	return m->tls == cfg->tls && m->hls == cfg->hls &&
	       m->fmp4 == cfg->fmp4 &&
	       m->no_auth == cfg->no_auth &&
	       strcmp(m->path, cfg->path) == 0 &&
	       strcmp(m->stream, cfg->stream) == 0 &&
	       strcmp(mount_address(m), address) == 0;
}

/* Serves a mount from another ring, which must have been made while the old one
 * was open (so that both have different descriptors). */
static void set_ring(struct mount *m, int ring_fd)
{
	if (m->ring_fd == ring_fd)
		return;
	m->ring_fd = ring_fd;
	if (!m->waits)
		mount_set_due(m, true);
	deliver_proc_send_due(m->owner);
}

/* Adds a mount: takes one that is_same() out of old, or makes a new one.
 * position: position of the output; 0: a play path. */
static void keep_mount(struct stream_mounts *mounts, struct stream_mounts *old,
		       struct deliver_proc *d, const struct mount_config *cfg,
		       unsigned position)
{
	struct stream_mount *new = &mounts->of[mounts->n++];
	size_t k = 0;

	while (k < old->n && (old->of[k].mount == NULL ||
			      !is_same(old->of[k].mount, cfg)))
		k++;
	new->position = position;
	if (k == old->n) {
		new->mount = mount_new(d, cfg);
		return;
	}
	new->mount = old->of[k].mount;
	old->of[k].mount = NULL;
	if ((new->mount->demand != cfg->demand ||
	     new->mount->fill_kib != cfg->fill_kib) && !new->mount->waits)
		mount_set_due(new->mount, true);
	new->mount->demand = cfg->demand;
	new->mount->fill_kib = cfg->fill_kib;
	new->mount->stopped = cfg->stopped;
	set_ring(new->mount, cfg->ring_fd);
}

/* Makes new mounts before it frees old ones, so that shared listeners stay
 * open. */
void stream_mounts_set(struct stream_mounts *mounts, struct deliver_proc *d,
		       const struct stream_mounts_config *cfg)
{
	struct mount_config wanted = {
		.stream = cfg->stream,
		.ring_fd = cfg->ring_fd,
		.demand = cfg->demand,
		.stopped = cfg->stopped,
		.on_viewers = cfg->on_viewers,
		.arg = cfg->arg,
	};
	struct stream_mounts old = *mounts;
	char path[PLAY_PATH_MAX], playlist[PLAY_PATH_MAX];

	mounts->n = 0;
	for (size_t i = 0; i < cfg->n; i++) {
		const struct plan_http *http = &cfg->outputs[i];

		wanted.listen = &http->listen;
		wanted.path = http->path;
		wanted.tls = http->tls;
		wanted.hls = http->hls;
		wanted.fmp4 = http->fmp4;
		wanted.no_auth = http->no_auth;
		wanted.fill_kib = http->fill_kib;
		keep_mount(mounts, &old, d, &wanted, http->position);
	}
	wanted.fill_kib = 0;
	if (cfg->play != NULL && cfg->play->ts) {
		play_path(cfg->stream, false, path);
		wanted.listen = NULL;
		wanted.path = path;
		wanted.tls = wanted.no_auth = false;
		wanted.hls = 0;
		wanted.fmp4 = false;
		keep_mount(mounts, &old, d, &wanted, 0);
	}
	if (cfg->play != NULL && cfg->play->hls) {
		play_path(cfg->stream, true, playlist);
		wanted.listen = NULL;
		wanted.path = playlist;
		wanted.tls = wanted.no_auth = false;
		wanted.hls = HLS_QUANTITY;
		wanted.fmp4 = cfg->play->fmp4;
		keep_mount(mounts, &old, d, &wanted, 0);
	}
	for (size_t i = 0; i < old.n; i++) {
		if (old.of[i].mount != NULL)
			mounts->cut_past += mount_cut(old.of[i].mount);
		mount_free(&old.of[i].mount);
	}
	deliver_proc_send_due(d);
}

unsigned stream_mounts_viewers(const struct stream_mounts *mounts)
{
	unsigned n = 0;

	for (size_t i = 0; i < mounts->n; i++)
		n += mount_viewers(mounts->of[i].mount);
	return n;
}

void stream_mounts_ring(struct stream_mounts *mounts, int ring_fd)
{
	for (size_t i = 0; i < mounts->n; i++)
		set_ring(mounts->of[i].mount, ring_fd);
}

void stream_mounts_pause(struct stream_mounts *mounts)
{
	for (size_t i = 0; i < mounts->n; i++) {
		struct mount *m = mounts->of[i].mount;

		m->stopped = m->demand;
		if (m->demand && !m->waits)
			mount_set_due(m, true);
		deliver_proc_send_due(m->owner);
	}
}

void stream_mounts_resume(struct stream_mounts *mounts)
{
	for (size_t i = 0; i < mounts->n; i++)
		mounts->of[i].mount->stopped = false;
}

/* Sets the play path for the new id of the stream, and renames the mount in the
 * workers. */
static void move_play(struct mount *m, const char *stream)
{
	struct msg message = { .type = MSG_DELIVER_MOVE };
	char path[PLAY_PATH_MAX];

	play_path(stream, m->hls > 0, path);
	message.deliver_move = (struct msg_deliver_move){ m->path, path,
								  stream };
	if (!m->waits)
		deliver_proc_send(m->owner, &message, NULL);
	mount_set_path(m, path);
}

void stream_mounts_rename(struct stream_mounts *mounts, const char *stream)
{
	for (size_t i = 0; i < mounts->n; i++) {
		struct mount *m = mounts->of[i].mount;

		free(m->stream);
		m->stream = xstrdup(stream);
		if (m->listener == NULL)
			move_play(m, stream);
		else if (!m->waits)
			mount_set_due(m, true);
		deliver_proc_send_due(m->owner);
	}
}

void stream_mounts_get(const struct stream_mounts *mounts,
		       struct stream_proc_info *ret)
{
	ret->viewers_cut = mounts->cut_past;
	for (size_t i = 0; i < mounts->n; i++) {
		const struct mount *m = mounts->of[i].mount;
		const struct deliver_proc *d = m->owner;
		size_t at = mounts->of[i].position - 1;
		const char *error;

		if (mounts->of[i].position == 0) {
			ret->viewers += mount_viewers(m);
			ret->viewers_cut += mount_cut(m);
			continue;
		}
		if (d->closed)
			error = "closed: the section auth has an error, "
				"see sluice -t";
		else if (m->waits)
			error = m->waits_for;
		else if (listener_error(m->listener) != NULL)
			error = listener_error(m->listener);
		else if (m->tls && tls_proc_absence(d->tls) != NULL)
			error = tls_proc_absence(d->tls);
		else
			error = deliver_proc_alarm(d);
		ret->output_errors[at] = error;
		ret->output_viewers[at] = mount_viewers(m);
		ret->output_cut[at] = mount_cut(m);
		ret->viewers += ret->output_viewers[at];
		ret->viewers_cut += ret->output_cut[at];
	}
}
