/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tls/tls_feed.h"

#include "common/base/alloc.h"
#include "proto/ipc/channel.h"

#include <stdlib.h>

static void on_message(struct channel *channel, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	struct tls_feed *f = arg;

	(void)channel, (void)n_fds;
	if (m->type != MSG_TLS_SERVE) {
		f->cfg.on_end(f, f->cfg.arg);
		return;
	}
	f->cfg.on_client(fds[0], fds[1], f->cfg.arg);
	fds[0] = fds[1] = -1;
}

static void on_close(struct channel *channel, int err, const char *error,
		     void *arg)
{
	struct tls_feed *f = arg;

	(void)channel, (void)err, (void)error;
	f->cfg.on_end(f, f->cfg.arg);
}

static const struct channel_events events = {
	.on_message = on_message,
	.on_close = on_close,
};

struct tls_feed *tls_feed_new(const struct tls_feed_config *cfg)
{
	struct tls_feed *f = xcalloc(1, sizeof *f);

	f->cfg = *cfg;
	f->channel = channel_new(&(struct channel_config){
		.loop = cfg->loop,
		.fd = cfg->fd,
		.receives = MSG_TO_WORKER,
		.events = &events,
		.arg = f,
	});
	return f;
}

void tls_feed_free(struct tls_feed **f)
{
	if (*f == NULL)
		return;
	channel_free(&(*f)->channel);
	free(*f);
	*f = NULL;
}
