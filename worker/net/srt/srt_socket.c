/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/srt/srt_socket.h"

#include "common/base/iface.h"
#include "common/base/mono.h"
#include "common/base/wall.h"
#include "worker/net/srt/srt_streamid.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	BACKLOG = 64,
	/* an input that waits for a caller reports a refused call for so long;
	 * a caller usually retries sooner */
	REFUSAL_MS = 30000,
	/* from libsrt: bytes of its buffer for one datagram; default number of
	 * datagrams in flight */
	DATAGRAM_MIN = 1472,
	FLIGHT_DEFAULT = 25600,
};

/* Drops the log lines of libsrt: Sluice reports each error itself, once. */
static void on_log(void *arg, int level, const char *file, int line,
		   const char *area, const char *text)
{
	(void)arg, (void)level, (void)file, (void)line, (void)area, (void)text;
}

void srt_library_open(void)
{
	srt_setloghandler(NULL, on_log);
	/* libsrt counts the calls of srt_startup(), and only the last
	 * srt_cleanup() ends it, which would wait for its threads */
	if (srt_startup() > 0)
		(void)srt_cleanup();
}

/* Sets options one after another, until one fails. */
struct options {
	SRTSOCKET socket;
	struct errmsg *error;
	int r; /* 0, or -errno of the option that failed */
};

static void set(struct options *o, SRT_SOCKOPT option, const void *value,
		int len)
{
	if (o->r == 0 &&
	    srt_setsockflag(o->socket, option, value, len) == SRT_ERROR)
		o->r = errmsg_fail(o->error, -EINVAL, "srt: option %d: %s",
				   (int)option, srt_getlasterror_str());
}

static void set_int(struct options *o, SRT_SOCKOPT option, unsigned value)
{
	int32_t number = (int32_t)value;

	set(o, option, &number, sizeof number);
}

static void set_flag(struct options *o, SRT_SOCKOPT option, bool value)
{
	set(o, option, &value, sizeof value);
}

/* Sets an option to a text; "": libsrt's default stays. */
static void set_text(struct options *o, SRT_SOCKOPT option, const char *text)
{
	if (text[0] != '\0')
		set(o, option, text, (int)strlen(text));
}

static int set_all(SRTSOCKET s, const struct srt_spec *spec,
		   enum srt_direction direction, struct errmsg *error)
{
	struct options o = { .socket = s, .error = error };
	const struct linger none = { 0 };
	const int64_t rate_of_input = 0;
	unsigned timeout_ms = spec->timeout_s * 1000;
	unsigned flight = spec->receive_buffer / DATAGRAM_MIN;
	char device[IFACE_NAME_MAX];

	set_flag(&o, SRTO_RCVSYN, false);
	set_flag(&o, SRTO_SNDSYN, false);
	set(&o, SRTO_LINGER, &none, sizeof none);
	set_flag(&o, SRTO_SENDER, direction == SRT_SENDS);
	set_flag(&o, SRTO_RENDEZVOUS, spec->mode == SRT_RENDEZVOUS);
	set_int(&o, SRTO_LATENCY, spec->latency_ms);
	set_flag(&o, SRTO_TSBPDMODE, !spec->no_timed_delivery);
	/* in rendezvous mode libsrt multiplies this time-out by ten */
	set_int(&o, SRTO_CONNTIMEO, spec->mode == SRT_RENDEZVOUS
					    ? timeout_ms / 10
					    : timeout_ms);
	set_int(&o, SRTO_PEERIDLETIMEO, timeout_ms);
	set_text(&o, SRTO_PASSPHRASE, spec->passphrase);
	if (spec->key_bytes != 0)
		set_int(&o, SRTO_PBKEYLEN, spec->key_bytes);
	set_text(&o, SRTO_PACKETFILTER, spec->packetfilter);
	if (spec->mode != SRT_LISTENER)
		set_text(&o, SRTO_STREAMID, spec->streamid);
	/* the UDP socket of a listener is bound to the interface in
	 * srt_place.c */
	if (o.r == 0 && !srt_is_on_interface(spec)) {
		o.r = iface_name(spec->iface, device);
		if (o.r < 0)
			return errmsg_fail(error, o.r, "interface %s: %s",
					   spec->iface, iface_why(o.r));
		set_text(&o, SRTO_BINDTODEVICE, device);
	}
	/* SRTO_OHEADBW has an effect only if SRTO_MAXBW is 0 */
	if (spec->overhead_percent != 0) {
		set(&o, SRTO_MAXBW, &rate_of_input, sizeof rate_of_input);
		set_int(&o, SRTO_OHEADBW, spec->overhead_percent);
	}
	/* the flow window limits the number of datagrams in the buffer, so it
	 * must be as large */
	if (flight > FLIGHT_DEFAULT)
		set_int(&o, SRTO_FC, flight);
	if (spec->send_buffer != 0)
		set_int(&o, SRTO_SNDBUF, spec->send_buffer);
	if (spec->receive_buffer != 0)
		set_int(&o, SRTO_RCVBUF, spec->receive_buffer);
	return o.r;
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

/* Decides about a caller.  0: accepted; -1: rejected.  Runs in libsrt's thread,
 * so it reads only members that never change and the atomic `judges'. */
static int check_caller(void *arg, SRTSOCKET s, int version,
			const struct sockaddr *peer, const char *streamid)
{
	const struct srt_listener *l = arg;
	enum srt_request_error error;
	struct srt_request request;
	const char *refused = NULL;
	int reason = SRT_REJX_FORBIDDEN;

	(void)version;
	/* a call that is rejected here occupies no memory of libsrt and no
	 * backlog */

	if (l->spec->streamid[0] != '\0' &&
	    !srt_streamid_names(streamid, l->spec->streamid)) {
		refused = "wrong stream id";
	} else if (atomic_load(&l->judges) &&
		   (error = srt_streamid_read(streamid, &request)) != 0) {
		refused = SRT_BAD_STREAMID;
		reason = error == SRT_REQUEST_MODE ? SRT_REJX_BAD_MODE
						   : SRT_REJX_BAD_REQUEST;
	} else if (!srt_calls_admit(l->calls, peer, mono_ms())) {
		refused = "too many calls at once";
		reason = SRT_REJX_OVERLOAD;
	}
	explicit_bzero(&request, sizeof request);
	srt_calls_add(l->calls, s, peer, refused);
	if (refused == NULL)
		return 0;
	(void)srt_setrejectreason(s, reason);
	return -1;
}

static int listen_on(struct srt_listener *l, struct errmsg *error)
{
	const char *host = l->spec->host[0] != '\0' ? l->spec->host : "0.0.0.0";
	struct sockaddr_any local;
	int r = 0, err = 0;

	if (sockaddr_parse(host, l->spec->port, &local) < 0)
		return errmsg_fail(
			error, -EINVAL,
			"host: \"%.64s\" is not an IP address to listen on",
			host);
	if (srt_is_on_interface(l->spec))
		r = srt_place_open(&l->place, l->socket, l->spec->iface,
				   &local, error);
	if (r < 0)
		return r;
	if ((!l->place.open &&
	     srt_bind(l->socket, &local.sa, (int)local.len) == SRT_ERROR) ||
	    srt_listen_callback(l->socket, check_caller, l) == SRT_ERROR ||
	    srt_listen(l->socket, BACKLOG) == SRT_ERROR) {
		(void)srt_getlasterror(&err);
		return errmsg_fail(error, -EADDRINUSE, "listen on port %u: %s",
				   l->spec->port,
				   err > 0 ? strerror(err)
					   : srt_getlasterror_str());
	}
	return 0;
}

int srt_listener_open(struct srt_listener *l, const struct srt_spec *spec,
		      enum srt_direction direction, struct errmsg *error)
{
	int events = SRT_EPOLL_IN, r = 0;

	l->spec = spec;
	atomic_init(&l->judges, false);
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
	char peer[SOCKADDR_TEXT_MAX], at[WALL_TEXT_MAX];
	struct errmsg line;

	sockaddr_format_host(from, peer);
	wall_format(at);
	errmsg_set(&l->refusal, SRT_WAITING "; call of %s refused at %s: %s",
		   peer, at, error);
	l->refused_ms = mono_ms();
	l->n_refused++;
	errmsg_set(&line, "%s: call refused: %s", peer, error);
	refusal_log_add(&l->refusal_log, "srt", l->spec->port, &line, 1,
			l->refused_ms);
}

void srt_listener_take_refused(struct srt_listener *l)
{
	struct sockaddr_any from;
	const char *error;

	while (srt_calls_take_failed(l->calls, &from, &error))
		srt_listener_refuse(l, &from, error);
}

void srt_listener_every_second(struct srt_listener *l, struct link_stats *link)
{
	srt_place_follow(&l->place);
	srt_listener_take_refused(l);
	refusal_log_every_second(&l->refusal_log, "srt", l->spec->port,
				 mono_ms());
	link_stats_add(link, LINK_REFUSED, l->n_refused);
	l->n_refused = 0;
}

const char *srt_listener_error(const struct srt_listener *l)
{
	return l->place.error.text[0] != '\0' ? l->place.error.text : NULL;
}

const char *srt_listener_refusal(const struct srt_listener *l)
{
	bool recent = l->refused_ms != 0 &&
		    mono_ms() - l->refused_ms < REFUSAL_MS;

	return recent ? l->refusal.text : NULL;
}

int srt_socket_call(SRTSOCKET s, const struct srt_spec *spec,
		    const struct sockaddr_any *remote, struct errmsg *error)
{
	struct sockaddr_any local;

	/* in rendezvous mode both sides use the same port */
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

int srt_socket_poll(SRTSOCKET s, struct errmsg *error)
{
	SRT_SOCKSTATUS state = srt_getsockstate(s);
	bool rendezvous = false;
	int len = sizeof rendezvous, reason;

	/* While a call succeeds, libsrt reports `broken' for a moment between
	 * connecting and connected.  srt_getsockflag() waits until libsrt has
	 * processed the answer. */
	if (state >= SRTS_BROKEN) {
		(void)srt_getsockflag(s, SRTO_RENDEZVOUS, &rendezvous, &len);
		state = srt_getsockstate(s);
	}
	if (state < SRTS_BROKEN)
		return state == SRTS_CONNECTED;
	reason = srt_getrejectreason(s);
	if (reason == SRT_REJ_BADSECRET || reason == SRT_REJ_UNSECURE)
		return errmsg_fail(error, -EACCES,
				   "refused: the passphrases differ");
	/* In rendezvous mode one side requests the key, and disconnects if it
	 * differs.  libsrt then reports only that the handshake failed. */
	if (rendezvous && reason == SRT_REJ_ROGUE)
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
				   "refused by the peer (SRT reject code %d)",
				   reason);
	return errmsg_fail(error, -ECONNREFUSED, "refused: %s",
			   srt_rejectreason_str(reason));
}
