/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/satip_source.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "worker/adapter/satip/satip_session.h"
#include "worker/adapter/satip_ports.h"
#include "worker/adapter/wanted_pids.h"
#include "worker/net/curl/resolver.h"
#include "worker/rtp/rtp_window.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PLACES = 1024,          /* datagrams of the window; half may wait */
	REORDER_MS = 100,
	TURN_MS = 100,
	LEAVE_MS = 500,         /* wait for the server to read TEARDOWN */
	TCP_READ = 128 * 1024,  /* bytes in one call */
	TCP_KEPT = 2 * TCP_READ,
};

/* Only one of the worker programs links the resolver (worker/openers.c). */
extern __typeof__(resolver_new) resolver_new __attribute__((weak));
extern __typeof__(resolver_poll) resolver_poll __attribute__((weak));
extern __typeof__(resolver_next) resolver_next __attribute__((weak));
extern __typeof__(resolver_free) resolver_free __attribute__((weak));

struct satip_source {
	struct source base;
	struct errmsg wrong;     /* a wrong key; "": the source works */
	struct satip_spec spec;
	struct resolver *resolver; /* name query; NULL: none runs */
	struct sockaddr_any address;
	unsigned n_failed;       /* consecutive addresses of the name that
				  * failed; the one after them is tried next */
	struct satip_session session;
	int fd;                  /* RTSP connection; -1: none */
	bool connecting;
	int leaving;             /* connection after TEARDOWN; -1: none */
	uint64_t leave_ns;       /* latest time to close `leaving' */
	struct buf in;
	struct satip_ports ports;
	struct rtsp_transport group; /* the joined group; port 0: none */
	struct wanted_pids wanted;
	size_t n_pids;           /* PIDs that programs and tables need */
	struct errmsg lack;      /* text of the error: more PIDs than fit */
	struct rtp_window *window;
	struct ts_sync sync;
	uint64_t turn_ns;        /* time of the next satip_session_turn() */
	struct errmsg logged;    /* the last error; "": none */
	/* valid during a read */
	struct batch *batch;
	uint64_t now_ns;
	int reads;
};

/* --- packets --- */

static void want_pids(struct satip_source *s)
{
	uint16_t pids[SATIP_PIDS_MAX];

	s->n_pids = wanted_pids_list(&s->wanted, pids, ARRAY_LEN(pids));
	satip_session_want(&s->session, pids, s->n_pids);
}

static void choose(struct source *source,
		   const struct msg_adapter_programs *wanted)
{
	struct satip_source *s =
		container_of(source, struct satip_source, base);

	s->wanted.programs = *wanted;
	want_pids(s);
}

static void take_payload(const uint8_t *payload, size_t len, void *arg)
{
	struct satip_source *s = arg;

	/* some servers need the PIDs of all programs as a list */
	for (size_t at = 0; s->session.listed && at + TS_PACKET <= len;
	     at += TS_PACKET)
		if (ts_sync_ok(payload + at) && !ts_tei(payload + at))
			wanted_pids_feed(&s->wanted, payload + at);
	batch_sync(s->batch, &s->sync, payload, len);
}

static void settle(void *arg)
{
	struct satip_source *s = arg;

	batch_flush(s->batch);
}

static bool take_datagram(struct satip_source *s, const uint8_t *data,
			  size_t len)
{
	struct rtp_datagram d;

	if (rtp_parse(data, len, &d) < 0 || !rtp_is_media(&d))
		return false;
	rtp_window_feed(s->window, &d, 0, s->now_ns);
	(d.len >= TS_PACKET ? satip_session_media
			    : satip_session_empty)(&s->session, s->now_ns);
	return true;
}

static void on_frame(const uint8_t *data, size_t len, void *arg)
{
	struct satip_source *s = arg;

	s->reads += take_datagram(s, data, len);
}

/* Is the datagram from the server?  Any host can send to the ports. */
static bool is_own(const struct satip_source *s, const struct received *got)
{
	return sockaddr_is_same_host(got->sender, &s->address) ||
	       (s->ports.source.len > 0 &&
		sockaddr_is_same_host(got->sender, &s->ports.source));
}

static void on_media(const struct received *got, void *arg)
{
	struct satip_source *s = arg;

	if (!is_own(s, got))
		return;
	for (size_t at = 0; at < got->len; at += got->segment)
		(void)take_datagram(s, got->data + at,
				    MIN(got->segment, got->len - at));
}

static void on_report(const struct received *got, void *arg)
{
	struct satip_source *s = arg;

	if (!is_own(s, got))
		return;
	for (size_t at = 0; at < got->len; at += got->segment)
		satip_session_rtcp(&s->session, got->data + at,
				   MIN(got->segment, got->len - at),
				   s->now_ns);
}

/* --- sockets of UDP --- */

static void close_ports(struct satip_source *s)
{
	satip_ports_close(&s->ports);
	s->group.port = 0;
}

/* Joins the group that the server named, unless it is joined already. */
static void join_group(struct satip_source *s, uint64_t now_ns)
{
	const struct rtsp_transport *place = &s->session.place;
	struct sockaddr_any group;
	struct errmsg error;

	if (place->kind != SATIP_MULTICAST || place->port == 0 ||
	    (s->group.port == place->port &&
	     strcmp(s->group.destination, place->destination) == 0))
		return;
	if (sockaddr_parse(place->destination, place->port, &group) < 0 ||
	    !sockaddr_is_multicast(&group))
		errmsg_set(&error, "the server sent no multicast group");
	else if (satip_ports_open(&s->ports, &group, now_ns, &error) == 0)
		error.text[0] = '\0';
	s->group = *place;
	if (error.text[0] != '\0')
		satip_session_closed(&s->session, error.text, now_ns);
}

/* Sends the bytes that wait for the connection. */
static void send_waiting(struct satip_source *s)
{
	struct buf *out = &s->session.out;
	ssize_t n = 0;

	if (s->fd < 0 || s->connecting || buf_len(out) == 0)
		return;
	n = send(s->fd, buf_head(out), buf_len(out),
		 MSG_DONTWAIT | MSG_NOSIGNAL);
	/* the next read reports the error */
	if (n > 0)
		buf_take(out, (size_t)n);
}

static void disconnect(struct satip_source *s)
{
	if (s->resolver != NULL)
		resolver_free(&s->resolver);
	fd_close(&s->fd);
	s->n_failed += s->connecting;
	s->connecting = false;
	buf_reset(&s->in, 0);
}

/* Reads until the server closes its end.  If this host closed a socket with
 * unread data, it would send a reset, and the server could lose the TEARDOWN
 * that it has not read. */
static void drain(struct satip_source *s)
{
	ssize_t n;

	if (s->leaving < 0)
		return;
	n = fd_discard(s->leaving, TCP_READ);
	if (n == 0 || (n < 0 && n != -EAGAIN) || s->now_ns >= s->leave_ns)
		fd_close(&s->leaving);
}

static void end_session(struct satip_source *s)
{
	send_waiting(s); /* TEARDOWN */
	if (s->fd >= 0 && !s->connecting) {
		(void)shutdown(s->fd, SHUT_WR);
		fd_close(&s->leaving);
		s->leaving = s->fd;
		s->leave_ns = s->now_ns + LEAVE_MS * MS;
		s->fd = -1;
	}
	disconnect(s);
	close_ports(s);
}

static void fail(struct satip_source *s, int err)
{
	char reason[128];

	snprintf(reason, sizeof reason, "connection to the server: %s",
		 err == 0 ? "closed by the server" : strerror(err));
	disconnect(s);
	satip_session_closed(&s->session, reason, s->now_ns);
}

/* Finds the address of the server; true: it is known.  A name is resolved for
 * each session, because the server may have got another address. */
static bool find_server(struct satip_source *s)
{
	struct sockaddr_any at;
	struct errmsg error;
	int r;

	if (s->spec.name[0] == '\0' || s->session.state != SATIP_CONNECT)
		return true;
	if (s->resolver == NULL)
		s->resolver = resolver_new(s->spec.name, s->spec.port);
	r = resolver_poll(s->resolver, &at, &error);
	if (r == 0)
		return false;
	if (r < 0) {
		satip_session_closed(&s->session, error.text, s->now_ns);
		resolver_free(&s->resolver);
		return false;
	}
	s->address = at;
	/* skips addresses that failed: a server may listen on one family
	 * only */
	for (unsigned i = 0; i < s->n_failed; i++) {
		if (resolver_next(s->resolver, &s->address))
			continue;
		s->address = at;
		s->n_failed = 0;
	}
	sockaddr_format(&s->address, s->session.cfg.host);
	resolver_free(&s->resolver);
	return true;
}

static void connect_server(struct satip_source *s)
{
	struct errmsg error;

	if (!find_server(s))
		return;
	if (s->session.state == SATIP_CONNECT) {
		close_ports(s);
		if (s->session.transport == SATIP_UDP &&
		    satip_ports_choose(&s->ports, s->address.sa.sa_family,
				       s->now_ns, &s->session.cfg.client_port,
				       &error) < 0) {
			satip_session_closed(&s->session, error.text,
					     s->now_ns);
			return;
		}
	}
	s->fd = socket(s->address.sa.sa_family,
		       SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0) {
		fail(s, errno);
		return;
	}
	(void)fd_set_option(s->fd, IPPROTO_TCP, TCP_NODELAY, 1);
	s->connecting = true;
	if (connect(s->fd, &s->address.sa, s->address.len) < 0 &&
	    errno != EINPROGRESS)
		fail(s, errno);
}

/* Returns 0: connected; -EAGAIN: not yet; another -errno: it failed. */
static int judge_connection(const struct satip_source *s, int wait_ms)
{
	struct pollfd p = { .fd = s->fd, .events = POLLOUT };
	socklen_t len = sizeof(int);
	int err = 0;

	if (poll(&p, 1, wait_ms) <= 0)
		return -EAGAIN;
	if (getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
		err = errno;
	return -err;
}

static void read_connection(struct satip_source *s)
{
	struct sockaddr_any *source = &s->ports.source;
	uint8_t *to = buf_reserve(&s->in, TCP_READ);
	ssize_t n = recv(s->fd, to, TCP_READ, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		fail(s, n < 0 ? errno : 0);
		return;
	}
	buf_added(&s->in, (size_t)n);
	satip_session_feed(&s->session, &s->in, s->now_ns);
	/* the address from which the server says that it sends RTP; it may
	 * differ from the address of the RTSP connection */
	if (sockaddr_parse(s->session.place.source, 0, source) < 0 ||
	    source->sa.sa_family != s->address.sa.sa_family ||
	    sockaddr_is_any(source) || sockaddr_is_multicast(source))
		*source = (struct sockaddr_any){ 0 };
	batch_flush(s->batch); /* the batch points into the buffer */
}

static void serve_connection(struct satip_source *s)
{
	int r;

	drain(s);
	if (s->now_ns >= s->turn_ns) {
		satip_session_turn(&s->session, s->now_ns);
		s->turn_ns = s->now_ns + TURN_MS * MS;
	}
	if (!satip_session_wants(&s->session)) {
		end_session(s);
		return;
	}
	if (s->fd < 0) {
		connect_server(s);
	} else if (s->connecting) {
		r = judge_connection(s, 0);
		if (r == 0) {
			s->connecting = false;
			satip_session_connected(&s->session, s->now_ns);
		} else if (r != -EAGAIN) {
			fail(s, -r);
		}
	} else {
		read_connection(s);
	}
	join_group(s, s->now_ns);
	/* invalid data in satip_session_feed() ended the connection */
	if (s->session.state == SATIP_REJOIN && !s->connecting)
		disconnect(s);
	send_waiting(s);
}

/* --- the source --- */

static void read_flow(struct satip_source *s, struct udp_flow *flow,
		      receiver_fn *on_received)
{
	const struct udp_reader to = { .on_received = on_received,
				       .on_read = settle, .arg = s };
	struct errmsg error;
	int r;

	if (!udp_flow_is_open(flow))
		return;
	r = udp_flow_read(flow, &to, s->now_ns, &error);
	if (r > 0)
		s->reads += r;
}

static int read_packets(struct source *source, struct batch *batch,
			uint64_t now_ns)
{
	struct satip_source *s =
		container_of(source, struct satip_source, base);

	if (s->wrong.text[0] != '\0')
		return 0;
	s->batch = batch;
	s->now_ns = now_ns;
	s->reads = 0;
	read_flow(s, &s->ports.media, on_media);
	read_flow(s, &s->ports.reports, on_report);
	if (wanted_pids_changed(&s->wanted))
		want_pids(s);
	serve_connection(s);
	batch_flush(batch);
	rtp_window_turn(s->window, now_ns);
	batch_flush(batch);
	return s->reads;
}

static const char *server_name(const struct satip_source *s)
{
	return s->spec.name[0] != '\0' ? s->spec.name : s->session.cfg.host;
}

static void watch_flow(struct udp_flow *flow, uint64_t now_ns)
{
	struct errmsg error;

	/* if a socket fails, no packets arrive, and the session ends */
	if (udp_flow_is_open(flow))
		(void)!udp_flow_every_second(flow, now_ns, &error);
}

static void every_second(struct source *source, uint64_t now_ns,
			 struct source_report *ret)
{
	struct satip_source *s =
		container_of(source, struct satip_source, base);
	struct rtp_window_counts c;

	if (s->wrong.text[0] != '\0') {
		ret->error = s->wrong.text;
		return;
	}
	watch_flow(&s->ports.media, now_ns);
	watch_flow(&s->ports.reports, now_ns);
	rtp_window_every_second(s->window, now_ns);
	rtp_window_counts(s->window, &c);
	if (buf_len(&s->in) == 0)
		buf_reset(&s->in, TCP_KEPT);
	ret->lost = c.lost + udp_flow_drops(&s->ports.media);
	ret->lock = satip_session_has_lock(&s->session, now_ns);
	if (satip_session_has_report(&s->session, now_ns)) {
		ret->signal = ses1_signal(&s->session.report);
		ret->snr = ses1_snr(&s->session.report);
	}
	ret->error = satip_session_error(&s->session, now_ns);
	if (ret->error == NULL && s->session.listed &&
	    s->n_pids > SATIP_PIDS_MAX) {
		errmsg_set(&s->lack, "more PIDs than a request can have: %zu "
			   "PIDs of programs are not received",
			   s->n_pids - SATIP_PIDS_MAX);
		ret->error = s->lack.text;
	}
	/* logs each new error once, and when it ends */
	if (ret->error == NULL && s->logged.text[0] != '\0')
		log_info("adapter", "SAT>IP server %s: recovered",
			 server_name(s));
	else if (ret->error != NULL &&
		 !errmsg_is_alike(ret->error, s->logged.text))
		log_warning("adapter", "SAT>IP server %s: %s",
			    server_name(s), ret->error);
	errmsg_set(&s->logged, "%s", ret->error != NULL ? ret->error : "");
}

/* Ends the session, and waits (LEAVE_MS) until the server has read TEARDOWN:
 * otherwise its tuner would stay in use.  The process exits after this. */
static void leave_server(struct satip_source *s)
{
	struct pollfd p = { .events = POLLIN };

	s->now_ns = mono_ns();
	if (satip_session_exists(&s->session) && s->fd < 0)
		connect_server(s);
	if (satip_session_exists(&s->session) && s->connecting) {
		s->connecting = judge_connection(s, LEAVE_MS) < 0;
		buf_reset(&s->session.out, 0);
	}
	satip_session_end(&s->session);
	end_session(s);
	for (;;) {
		s->now_ns = mono_ns();
		drain(s);
		if (s->leaving < 0)
			break;
		p.fd = s->leaving;
		(void)poll(&p, 1, (int)((s->leave_ns - s->now_ns) / MS) + 1);
	}
}

static void source_free(struct source *source)
{
	struct satip_source *s =
		container_of(source, struct satip_source, base);

	leave_server(s);
	rtp_window_free(&s->window);
	wanted_pids_done(&s->wanted);
	satip_session_done(&s->session);
	buf_done(&s->in);
	free(s);
}

static bool retune(struct source *source, const json_t *adapter)
{
	struct satip_source *s =
		container_of(source, struct satip_source, base);
	struct satip_spec spec;

	if (s->wrong.text[0] != '\0' ||
	    satip_spec_parse(adapter, &spec, NULL) < 0)
		return false;
	s->spec = spec;
	wanted_pids_carrier(&s->wanted, adapter);
	wanted_pids_reset(&s->wanted);
	want_pids(s);
	satip_session_tune(&s->session, spec.query);
	return true;
}

static const struct source_ops ops = {
	.free = source_free,
	.read = read_packets,
	.every_second = every_second,
	.retune = retune,
	.choose = choose,
};

struct source *satip_source_open(const json_t *adapter, struct ev_loop *loop,
				 uint64_t now_ns)
{
	struct satip_source *s = xcalloc(1, sizeof *s);
	struct satip_config cfg = { .on_media = on_frame, .arg = s };

	(void)loop, (void)now_ns;
	s->base.ops = &ops;
	wanted_pids_init(&s->wanted);
	wanted_pids_carrier(&s->wanted, adapter);
	s->wanted.programs.all = true;
	s->fd = s->leaving = -1;
	if (satip_spec_parse(adapter, &s->spec, &s->wrong) == 0) {
		memcpy(cfg.query, s->spec.query, sizeof cfg.query);
		cfg.whole = s->spec.whole;
		cfg.transport = s->spec.transport;
		cfg.fixed_transport = s->spec.fixed_transport;
		if (s->spec.name[0] != '\0' && resolver_new == NULL)
			errmsg_set(&s->wrong, "server: this program cannot "
				   "resolve host names: write an IP address");
	}
	satip_session_init(&s->session, &cfg);
	want_pids(s);
	s->address = s->spec.server; /* a name is resolved for each session */
	if (s->wrong.text[0] == '\0' && s->spec.name[0] == '\0')
		sockaddr_format(&s->address, s->session.cfg.host);
	ts_sync_init(&s->sync, TS_SYNC_DATAGRAM);
	s->window = rtp_window_new(&(struct rtp_window_config){
		.places = PLACES, .paths = 1, .reorder_ms = REORDER_MS,
		.out = take_payload, .settle = settle, .arg = s });
	return &s->base;
}
