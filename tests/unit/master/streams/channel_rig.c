/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/master/streams/channel_rig.h"

#include "common/base/fd.h"
#include "common/base/mono.h"

#include <criterion/criterion.h>

enum { PATIENCE_MS = 30000 };

static void on_worker(struct channel *c, const struct msg *m, int *fds,
		      size_t n_fds, void *arg)
{
	struct channel_rig *r = arg;

	(void)c, (void)fds, (void)n_fds;
	r->on_request(m, r->arg);
	r->heard++;
}

static void on_master(struct channel *c, const struct msg *m, int *fds,
		      size_t n_fds, void *arg)
{
	(void)c, (void)m, (void)fds, (void)n_fds, (void)arg;
}

static void on_close(struct channel *c, int err, const char *why, void *arg)
{
	(void)c, (void)err, (void)why, (void)arg;
}

static const struct channel_events worker_events = {
	.on_message = on_worker, .on_close = on_close };
static const struct channel_events master_events = {
	.on_message = on_master, .on_close = on_close };

void channel_rig_init(struct channel_rig *r,
		      void (*on_request)(const struct msg *, void *arg),
		      void *arg)
{
	int fds[2];

	*r = (struct channel_rig){ .loop = ev_loop_new(EVFLAG_AUTO),
				   .on_request = on_request, .arg = arg };
	cr_assert_eq(fd_seqpacket_pair(fds), 0);
	r->master = channel_new(&(struct channel_config){
		.loop = r->loop, .fd = fds[0], .receives = MSG_TO_MASTER,
		.events = &master_events, .arg = r });
	r->worker = channel_new(&(struct channel_config){
		.loop = r->loop, .fd = fds[1], .receives = MSG_TO_WORKER,
		.events = &worker_events, .arg = r });
}

void channel_rig_done(struct channel_rig *r)
{
	channel_free(&r->master);
	channel_free(&r->worker);
	ev_loop_destroy(r->loop);
}

void channel_rig_wait(struct channel_rig *r, const unsigned *counter,
		      unsigned least)
{
	uint64_t end = mono_ms() + PATIENCE_MS;

	while (*counter < least) {
		cr_assert_lt(mono_ms(), end);
		ev_run(r->loop, EVRUN_ONCE);
	}
}
