/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/srt/srt_socket.h"

#include "common/base/iface.h"
#include "common/base/mono.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	BACKLOG = 64,
	/* A refused call is reported as the listener's error for so long; a
	 * caller tries again sooner. */
	REFUSAL_ERROR_MS = 30000,
	/* libsrt's own figures: buffer size of one datagram, and datagrams in
	 * flight. */
	DATAGRAM_MIN = 1472,
	FLIGHT_DEFAULT = 25600,
};

/* Drops libsrt's messages: the caller reports errors once. */
static void on_log(void *arg, int level, const char *file, int line,
		   const char *area, const char *text)
{
	(void)arg, (void)level, (void)file, (void)line, (void)area, (void)text;
}

void srt_library_open(void)
{
	srt_setloghandler(NULL, on_log);
	/* libsrt counts calls; srt_cleanup() would wait for its threads */
	if (srt_startup() > 0)
		(void)srt_cleanup();
}

static int set(SRTSOCKET s, SRT_SOCKOPT option, const void *value, int len,
	       struct errmsg *error)
{
	if (srt_setsockflag(s, option, value, len) != SRT_ERROR)
		return 0;
	return errmsg_fail(error, -EINVAL, "srt: option %d: %s", (int)option,
			   srt_getlasterror_str());
}

static int set_int(SRTSOCKET s, SRT_SOCKOPT option, unsigned value,
		   struct errmsg *error)
{
	int32_t number = (int32_t)value;

	return set(s, option, &number, sizeof number, error);
}

static int set_flag(SRTSOCKET s, SRT_SOCKOPT option, bool value,
		    struct errmsg *error)
{
	return set(s, option, &value, sizeof value, error);
}

/* "" keeps libsrt's default. */
static int set_text(SRTSOCKET s, SRT_SOCKOPT option, const char *text,
		    struct errmsg *error)
{
	if (text[0] == '\0')
		return 0;
	return set(s, option, text, (int)strlen(text), error);
}

/* A listener sets its own socket, see srt_place.h. */
static int set_device(SRTSOCKET s, const struct srt_spec *spec,
		      struct errmsg *error)
{
	char name[IFACE_NAME_MAX];
	int r;

	if (srt_is_on_interface(spec))
		return 0;
	r = iface_name(spec->iface, name);
	if (r < 0)
		return errmsg_fail(error, r, "interface %s: %s", spec->iface,
				   iface_why(r));
	return set_text(s, SRTO_BINDTODEVICE, name, error);
}

static int set_size(SRTSOCKET s, SRT_SOCKOPT option, unsigned size,
		    struct errmsg *error)
{
	return size == 0 ? 0 : set_int(s, option, size, error);
}

static int set_times(SRTSOCKET s, const struct srt_spec *spec,
		     struct errmsg *error)
{
	unsigned timeout_ms = spec->timeout_s * 1000;
	/* in rendezvous mode libsrt waits ten times as long */
	unsigned call_ms = spec->mode == SRT_RENDEZVOUS ? timeout_ms / 10
							: timeout_ms;
	int r = set_int(s, SRTO_LATENCY, spec->latency_ms, error);

	if (r == 0)
		r = set_flag(s, SRTO_TSBPDMODE, !spec->no_timed_delivery,
			     error);
	if (r == 0)
		r = set_int(s, SRTO_CONNTIMEO, call_ms, error);
	if (r == 0)
		r = set_int(s, SRTO_PEERIDLETIMEO, timeout_ms, error);
	return r;
}

/* The overhead has a limit only if the bandwidth has one: the measured rate of
 * the input. */
static int set_rate(SRTSOCKET s, const struct srt_spec *spec,
		    struct errmsg *error)
{
	int64_t by_input = 0;
	int r;

	if (spec->overhead_percent == 0)
		return 0;
	r = set(s, SRTO_MAXBW, &by_input, sizeof by_input, error);
	if (r == 0)
		r = set_int(s, SRTO_OHEADBW, spec->overhead_percent, error);
	return r;
}

/* A buffer may not hold more datagrams than the flow window. */
static int set_buffers(SRTSOCKET s, const struct srt_spec *spec,
		       struct errmsg *error)
{
	unsigned flight = spec->receive_buffer / DATAGRAM_MIN;
	int r = 0;

	if (flight > FLIGHT_DEFAULT)
		r = set_int(s, SRTO_FC, flight, error);
	if (r == 0)
		r = set_size(s, SRTO_SNDBUF, spec->send_buffer, error);
	if (r == 0)
		r = set_size(s, SRTO_RCVBUF, spec->receive_buffer, error);
	return r;
}

static int set_crypto(SRTSOCKET s, const struct srt_spec *spec,
		      struct errmsg *error)
{
	int r = set_text(s, SRTO_PASSPHRASE, spec->passphrase, error);

	if (r == 0 && spec->key_bytes != 0)
		r = set_int(s, SRTO_PBKEYLEN, spec->key_bytes, error);
	return r;
}

static int set_all(SRTSOCKET s, const struct srt_spec *spec,
		   enum srt_direction direction, struct errmsg *error)
{
	struct linger none = { 0 };
	int r = set_flag(s, SRTO_RCVSYN, false, error);

	if (r == 0)
		r = set_flag(s, SRTO_SNDSYN, false, error);
	if (r == 0)
		r = set(s, SRTO_LINGER, &none, sizeof none, error);
	if (r == 0)
		r = set_flag(s, SRTO_SENDER, direction == SRT_SENDS, error);
	if (r == 0)
		r = set_flag(s, SRTO_RENDEZVOUS, spec->mode == SRT_RENDEZVOUS,
			     error);
	if (r == 0)
		r = set_times(s, spec, error);
	if (r == 0)
		r = set_crypto(s, spec, error);
	if (r == 0)
		r = set_text(s, SRTO_PACKETFILTER, spec->packetfilter, error);
	if (r == 0 && spec->mode != SRT_LISTENER)
		r = set_text(s, SRTO_STREAMID, spec->streamid, error);
	if (r == 0)
		r = set_device(s, spec, error);
	if (r == 0)
		r = set_rate(s, spec, error);
	if (r == 0)
		r = set_buffers(s, spec, error);
	return r;
}

SRTSOCKET srt_socket_new(const struct srt_spec *spec,
			 enum srt_direction direction, int *ret_err,
			 struct errmsg *error)
{
	SRTSOCKET s = srt_create_socket();

	if (s == SRT_INVALID_SOCK) {
		*ret_err = errmsg_fail(error, -ENOMEM, "srt: %s",
				       srt_getlasterror_str());
		return s;
	}
	*ret_err = set_all(s, spec, direction, error);
	if (*ret_err < 0)
		srt_socket_close(&s);
	return s;
}

void srt_socket_close(SRTSOCKET *s)
{
	if (*s != SRT_INVALID_SOCK)
		(void)srt_close(*s);
	*s = SRT_INVALID_SOCK;
}

/* In libsrt's thread: reads only what never changes. */
static int check_caller(void *arg, SRTSOCKET s, int version,
			const struct sockaddr *peer, const char *streamid)
{
	const struct srt_listener *l = arg;
	const char *refused = NULL;
	int reason = SRT_REJX_FORBIDDEN;

	(void)version;
	/* a call that is rejected here takes no memory and no place */
	if (l->spec->streamid[0] != '\0' &&
	    strcmp(l->spec->streamid, streamid) != 0) {
		refused = "wrong stream id";
	} else if (!srt_calls_admit(l->calls, peer, mono_ms())) {
		refused = "too many calls at once";
		reason = SRT_REJX_OVERLOAD;
	}
	srt_calls_add(l->calls, peer, refused);
	if (refused == NULL)
		return 0;
	(void)srt_setrejectreason(s, reason);
	return -1;
}

static int local_address(const struct srt_spec *spec,
			 struct sockaddr_any *ret, struct errmsg *error)
{
	const char *host = spec->host[0] != '\0' ? spec->host : "0.0.0.0";

	if (sockaddr_parse(host, spec->port, ret) == 0)
		return 0;
	return errmsg_fail(error, -EINVAL,
			   "host: \"%.64s\" is not an IP address to listen on",
			   host);
}

static int listen_on(struct srt_listener *l, struct errmsg *error)
{
	struct sockaddr_any local;
	int r = local_address(l->spec, &local, error);

	if (r < 0)
		return r;
	if (srt_is_on_interface(l->spec))
		r = srt_place_open(&l->place, l->socket, l->spec->iface,
				   &local, error);
	if (r < 0)
		return r;
	if ((!l->place.open &&
	     srt_bind(l->socket, &local.sa, (int)local.len) == SRT_ERROR) ||
	    srt_listen_callback(l->socket, check_caller, l) == SRT_ERROR ||
	    srt_listen(l->socket, BACKLOG) == SRT_ERROR)
		return errmsg_fail(error, -EADDRINUSE, "listen on port %u: %s",
				   l->spec->port, srt_getlasterror_str());
	return 0;
}

int srt_listener_open(struct srt_listener *l, const struct srt_spec *spec,
		      enum srt_direction direction, struct errmsg *error)
{
	int events = SRT_EPOLL_IN, r = 0;

	l->spec = spec;
	l->place = (struct srt_place){ .open = false };
	l->refusal_log = (struct refusal_log){ .more = 0 };
	l->calls = srt_calls_new();
	l->epoll = srt_epoll_create();
	l->socket = srt_socket_new(spec, direction, &r, error);
	if (r == 0)
		r = listen_on(l, error);
	if (r == 0 &&
	    srt_epoll_add_usock(l->epoll, l->socket, &events) == SRT_ERROR)
		r = errmsg_fail(error, -ENOMEM, "srt: %s",
				srt_getlasterror_str());
	if (r < 0)
		srt_listener_close(l);
	return r;
}

void srt_listener_close(struct srt_listener *l)
{
	if (l->epoll >= 0)
		(void)srt_epoll_release(l->epoll);
	l->epoll = -1;
	srt_place_close(&l->place);
	srt_socket_close(&l->socket);
	srt_calls_free(&l->calls);
}

SRTSOCKET srt_listener_accept(struct srt_listener *l,
			      struct sockaddr_any *ret_peer)
{
	int len = sizeof ret_peer->in6;
	SRT_EPOLL_EVENT event;
	SRTSOCKET s;

	if (srt_epoll_uwait(l->epoll, &event, 1, 0) <= 0)
		return SRT_INVALID_SOCK;
	s = srt_accept(l->socket, &ret_peer->sa, &len);
	if (s == SRT_INVALID_SOCK)
		return s;
	ret_peer->len = (socklen_t)len;
	srt_calls_connected(l->calls, ret_peer);
	return s;
}

void srt_listener_refuse(struct srt_listener *l,
			 const struct sockaddr_any *from, const char *error)
{
	char peer[SOCKADDR_TEXT_MAX];

	sockaddr_format_host(from, peer);
	errmsg_set(&l->refused, "%s: call refused: %s", peer, error);
	l->refused_ms = mono_ms();
	l->n_refused++;
	refusal_log_add(&l->refusal_log, "srt", l->spec->port, &l->refused, 1,
		      l->refused_ms);
}

void srt_listener_every_second(struct srt_listener *l, struct link_stats *link)
{
	struct sockaddr_any from;
	const char *error;

	srt_place_follow(&l->place);
	while (srt_calls_take_failed(l->calls, &from, &error))
		srt_listener_refuse(l, &from, error);
	refusal_log_every_second(&l->refusal_log, "srt", l->spec->port,
				 mono_ms());
	link_stats_add(link, LINK_REFUSED, l->n_refused);
	l->n_refused = 0;
}

const char *srt_listener_error(const struct srt_listener *l)
{
	bool recent = l->refused_ms != 0 &&
		    mono_ms() - l->refused_ms < REFUSAL_ERROR_MS;

	if (l->place.error.text[0] != '\0')
		return l->place.error.text;
	return recent ? l->refused.text : NULL;
}

int srt_socket_call(SRTSOCKET s, const struct srt_spec *spec,
		    const struct sockaddr_any *remote, struct errmsg *error)
{
	struct sockaddr_any local;

	/* rendezvous uses the same port on both sides */
	if (spec->mode == SRT_RENDEZVOUS &&
	    (sockaddr_parse(remote->sa.sa_family == AF_INET6 ? "::"
							     : "0.0.0.0",
			    spec->port, &local) < 0 ||
	     srt_bind(s, &local.sa, (int)local.len) == SRT_ERROR))
		return errmsg_fail(error, -EADDRINUSE, "bind port %u: %s",
				   spec->port, srt_getlasterror_str());
	if (srt_connect(s, &remote->sa, (int)remote->len) == SRT_ERROR)
		return errmsg_fail(error, -ECONNREFUSED, "connect: %s",
				   srt_getlasterror_str());
	return 0;
}

/* In rendezvous mode one side asks for the key and hangs up if it differs.
 * libsrt then only reports that the handshake failed. */
static bool is_rendezvous_rejected(SRTSOCKET s)
{
	bool rendezvous = false;
	int len = sizeof rendezvous;

	(void)srt_getsockflag(s, SRTO_RENDEZVOUS, &rendezvous, &len);
	return rendezvous && srt_getrejectreason(s) == SRT_REJ_ROGUE;
}

static int fail_connection(SRTSOCKET s, struct errmsg *error)
{
	int reason = srt_getrejectreason(s);

	if (reason == SRT_REJ_BADSECRET || reason == SRT_REJ_UNSECURE)
		return errmsg_fail(error, -EACCES,
				   "refused: the passphrases differ");
	if (is_rendezvous_rejected(s))
		return errmsg_fail(
			error, -EACCES,
			"refused: passphrase or "
			"encryption differ, or the peer disconnected at once");
	if (reason == SRT_REJ_UNKNOWN)
		return errmsg_fail(error, -ECONNRESET, "connection lost");
	if (reason == SRT_REJ_TIMEOUT)
		return errmsg_fail(error, -ETIMEDOUT, "no answer");
	if (reason >= SRT_REJC_PREDEFINED)
		return errmsg_fail(error, -EACCES,
				   "refused by the peer (%d)", reason);
	return errmsg_fail(error, -ECONNREFUSED, "refused: %s",
			   srt_rejectreason_str(reason));
}

/* When a call succeeds, libsrt reports `broken' for a moment between connecting
 * and connected. Reading an option waits until the answer is processed. */
static SRT_SOCKSTATUS state_of(SRTSOCKET s)
{
	SRT_SOCKSTATUS state = srt_getsockstate(s);
	bool rendezvous;
	int len = sizeof rendezvous;

	if (state != SRTS_BROKEN)
		return state;
	(void)srt_getsockflag(s, SRTO_RENDEZVOUS, &rendezvous, &len);
	return srt_getsockstate(s);
}

int srt_socket_poll(SRTSOCKET s, struct errmsg *error)
{
	switch (state_of(s)) {
	case SRTS_CONNECTED:
		return 1;
	case SRTS_INIT:
	case SRTS_OPENED:
	case SRTS_LISTENING:
	case SRTS_CONNECTING:
		return 0;
	case SRTS_BROKEN:
	case SRTS_CLOSING:
	case SRTS_CLOSED:
	case SRTS_NONEXIST:
		break;
	}
	return fail_connection(s, error);
}
