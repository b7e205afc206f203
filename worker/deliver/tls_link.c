/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/tls_link.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "proto/ipc/channel.h"

#include <errno.h>
#include <stdlib.h>

enum {
	/* bytes of a socket pair: the data of a viewer between two ticks at
	 * about 60 Mbit/s */
	PAIR_BUFFER = 208 * 1024,
};

struct tls_link {
	struct channel *channel; /* NULL: closed */
	unsigned waiting_max;
};

/* Ends the link: the tls worker sends no messages, so this one is an error. */
static void on_message(struct channel *channel, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	struct tls_link *l = arg;

	(void)channel, (void)m, (void)fds, (void)n_fds;
	channel_free(&l->channel);
}

static void on_close(struct channel *channel, int err, const char *error,
		     void *arg)
{
	struct tls_link *l = arg;

	(void)channel, (void)err, (void)error;
	channel_free(&l->channel);
}

static const struct channel_events events = {
	.on_message = on_message,
	.on_close = on_close,
};

struct tls_link *tls_link_new(struct ev_loop *loop, int fd,
			      unsigned waiting_max)
{
	struct tls_link *l = xcalloc(1, sizeof *l);

	l->waiting_max = waiting_max;
	l->channel = channel_new(&(struct channel_config){
		.loop = loop,
		.fd = fd,
		.receives = MSG_TO_MASTER,
		.events = &events,
		.arg = l,
	});
	return l;
}

void tls_link_free(struct tls_link **l)
{
	if (*l == NULL)
		return;
	channel_free(&(*l)->channel);
	free(*l);
	*l = NULL;
}

bool tls_link_is_up(const struct tls_link *l)
{
	return l != NULL && l->channel != NULL;
}

int tls_link_serve(struct tls_link *l, int fd)
{
	const struct msg m = { .type = MSG_TLS_SERVE };
	int pair[2], fds[2], err;

	if (!tls_link_is_up(l))
		return -ENOTCONN;
	/* limited, because each waiting message holds two descriptors */
	if (channel_waiting(l->channel) >= l->waiting_max)
		return -EBUSY;
	err = fd_stream_pair(pair, PAIR_BUFFER);
	if (err < 0)
		return err;
	fds[0] = fd;
	fds[1] = pair[1];
	err = channel_send(l->channel, &m, fds, ARRAY_LEN(fds));
	fd_close(&pair[1]);
	if (err < 0) {
		fd_close(&pair[0]);
		return err;
	}
	return pair[0];
}
