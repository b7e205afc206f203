/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/srt/srt_peer.h"

#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/wall.h"
#include "worker/net/srt/srt_stats.h"

int srt_peer_open(struct srt_peer *p, const struct srt_spec *spec,
		  enum srt_direction direction, struct errmsg *error)
{
	int r = 0;

	srt_library_open();
	*p = (struct srt_peer){
		.spec = spec,
		.direction = direction,
		.listener = { .socket = SRT_INVALID_SOCK, .epoll = -1 },
		.socket = SRT_INVALID_SOCK,
	};
	errmsg_set(&p->waiting, SRT_WAITING);
	if (spec->mode == SRT_LISTENER)
		r = srt_listener_open(&p->listener, spec, direction, error);
	else
		p->resolver = resolver_new(spec->host, spec->port);
	if (r < 0)
		srt_peer_done(p);
	return r;
}

void srt_peer_done(struct srt_peer *p)
{
	resolver_free(&p->resolver);
	srt_socket_close(&p->socket);
	srt_listener_close(&p->listener);
}

static int call(struct srt_peer *p, struct errmsg *error)
{
	int r;

	srt_socket_close(&p->socket);
	p->socket = srt_socket_new(p->spec, p->direction, &r, error);
	if (p->socket == SRT_INVALID_SOCK)
		return r;
	return srt_socket_call(p->socket, p->spec, &p->other, error);
}

/* Continues a call.  If the call to an address of the name fails, the next
 * address is called: a host may listen on one family only.  Returns the same as
 * srt_socket_poll(). */
static int turn_caller(struct srt_peer *p, struct errmsg *error)
{
	int r;

	if (p->resolver == NULL)
		return srt_socket_poll(p->socket, error);
	if (p->socket == SRT_INVALID_SOCK) {
		r = resolver_poll(p->resolver, &p->other, error);
		if (r <= 0)
			return r;
		r = call(p, error);
	} else {
		r = srt_socket_poll(p->socket, error);
	}
	while (r < 0 && resolver_next(p->resolver, &p->other))
		r = call(p, error);
	if (r != 0)
		resolver_free(&p->resolver);
	return r;
}

static int turn_listener(struct srt_peer *p)
{
	struct sockaddr_any from;
	struct errmsg error;
	SRTSOCKET s;

	/* closes a broken connection, so that another caller can connect */
	if (p->socket != SRT_INVALID_SOCK &&
	    srt_socket_poll(p->socket, &error) <= 0)
		srt_socket_close(&p->socket);
	s = srt_listener_accept(&p->listener, &from);
	if (s == SRT_INVALID_SOCK)
		return p->socket != SRT_INVALID_SOCK;
	if (p->socket != SRT_INVALID_SOCK && !p->idle) {
		srt_socket_close(&s);
		srt_listener_refuse(&p->listener, &from,
				    "another caller is connected");
		return 1;
	}
	srt_socket_close(&p->socket);
	p->socket = s;
	p->other = from;
	p->taken_over = p->connected;
	return 1;
}

/* Notes and logs that the peer connected or disconnected.  The number of log
 * lines is limited, because a peer may reconnect again and again. */
static void on_change(struct srt_peer *p, bool connected)
{
	uint32_t ours = srt_getversion(), theirs = 0;
	int len = sizeof theirs;
	char at[WALL_TEXT_MAX];
	unsigned suppressed;
	bool log = ratelimit_pass(&p->log, mono_ms(), &suppressed);

	/* from here on, the listener waits because of this change; older
	 * refusals are logged before it */
	if (p->spec->mode == SRT_LISTENER) {
		wall_format(at);
		if (p->connected)
			errmsg_set(&p->waiting, SRT_WAITING
				   "; %s disconnected at %s", p->peer, at);
		srt_listener_take_refused(&p->listener);
		p->listener.refused_ms = 0;
	}
	if (log && p->connected && !connected)
		log_info("stream", "srt port %u: disconnected from "
			 "%s", p->spec->port, p->peer);
	p->connected = connected;
	p->taken_over = false;
	p->connects += connected;
	p->peer[0] = '\0';
	if (!connected)
		return;
	sockaddr_format(&p->other, p->peer);
	if (!log)
		return;
	/* the versions of libsrt help to explain losses */
	(void)srt_getsockflag(p->socket, SRTO_PEERVERSION, &theirs, &len);
	log_info("stream", "srt port %u: connected with %s, libsrt %u.%u.%u "
		 "here and %u.%u.%u there", p->spec->port, p->peer,
		 ours >> 16 & 255, ours >> 8 & 255, ours & 255,
		 theirs >> 16 & 255, theirs >> 8 & 255, theirs & 255);
}

int srt_peer_turn(struct srt_peer *p, struct errmsg *error)
{
	int r = p->spec->mode == SRT_LISTENER ? turn_listener(p)
					      : turn_caller(p, error);

	if ((r > 0) != p->connected || p->taken_over)
		on_change(p, r > 0);
	return r;
}

void srt_peer_every_second(struct srt_peer *p, struct link_stats *link)
{
	srt_stats_begin(link);
	if (p->connected)
		srt_stats_add(link, p->socket, p->direction);
	link_stats_add(link, LINK_CONNECTS, p->connects - p->reported_connects);
	p->reported_connects = p->connects;
	if (p->spec->mode == SRT_LISTENER)
		srt_listener_every_second(&p->listener, link);
}

const char *srt_peer_name(const struct srt_peer *p)
{
	return p->connected ? p->peer : NULL;
}

const char *srt_peer_error(const struct srt_peer *p)
{
	const char *error;

	if (p->connected)
		return NULL;
	if (p->spec->mode != SRT_LISTENER)
		return "not connected yet";
	error = srt_listener_error(&p->listener);
	if (error == NULL)
		error = srt_listener_refusal(&p->listener);
	return error != NULL ? error : p->waiting.text;
}
