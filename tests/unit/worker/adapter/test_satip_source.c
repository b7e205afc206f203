/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source against a server on loopback, which answers each request and sends
 * packets. */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/base/sockaddr.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/adapter/satip_source.h"
#include "worker/net/curl/resolver.h"
#include "worker/rtp/rtp_packet.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PID = 0x100,
	FOREIGN_PID = 0x200,
	DATAGRAM = RTP_HEADER + TS_PACKET,
	WANTED = 20,  /* packets */
	LIMIT_MS = 4000,
};

struct rig {
	int listener, connection, udp;
	struct sockaddr_any at;      /* of the listener */
	struct sockaddr_any client;  /* where RTP goes; port 0: nowhere */
	bool tcp, playing, busy, torn_down;
	bool lists;  /* the PIDs are listed */
	const struct build *tables; /* sent in turn; NULL: none */
	const char *name; /* of the server; NULL: its address is given */
	const char *from; /* where RTP comes from; NULL: the server */
	unsigned setups, accepted;
	char request[2048];
	size_t len;
	uint16_t seq;
	struct source *source;
	struct batch batch;
	unsigned packets, foreign;
};

static void on_packets(const struct ts_run *runs, size_t n, void *arg)
{
	struct rig *rig = arg;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < runs[i].n; k++) {
			if (ts_pid(runs[i].data + k * TS_PACKET) == PID)
				rig->packets++;
			else
				rig->foreign++;
		}
	}
}

/* Resolves names in place of c-ares: the first query fails, the others have an
 * answer at the second look. */
struct resolver {
	uint16_t port;
	unsigned polls, nexts;
};

static unsigned queries;
static const char *first_address = "127.0.0.1";

struct resolver *resolver_new(const char *host, uint16_t port)
{
	struct resolver *r = xcalloc(1, sizeof *r);

	cr_assert_str_eq(host, "tuner.example");
	r->port = port;
	queries++;
	return r;
}

int resolver_poll(struct resolver *r, struct sockaddr_any *ret,
		  struct errmsg *error)
{
	if (queries == 1)
		return errmsg_fail(error, -ENOENT, "host: no such name");
	return r->polls++ == 0 ? 0
	       : sockaddr_parse(first_address, r->port, ret) == 0 ? 1 : -EINVAL;
}

bool resolver_next(struct resolver *r, struct sockaddr_any *ret)
{
	return r->nexts++ == 0 &&
	       sockaddr_parse("127.0.0.1", r->port, ret) == 0;
}

void resolver_free(struct resolver **r)
{
	free(*r);
	*r = NULL;
}

static void begin(struct rig *rig, const char *transport)
{
	char at[SOCKADDR_TEXT_MAX];
	json_t *adapter;

	cr_assert_eq(sockaddr_parse("127.0.0.1", 0, &rig->at), 0);
	rig->client = rig->at;
	rig->connection = -1;
	rig->udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	rig->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC |
			       SOCK_NONBLOCK, 0);
	cr_assert_eq(bind(rig->listener, &rig->at.sa, rig->at.len), 0);
	cr_assert_eq(listen(rig->listener, 4), 0);
	cr_assert_eq(getsockname(rig->listener, &rig->at.sa, &rig->at.len), 0);
	sockaddr_format(&rig->at, at);
	if (rig->name != NULL)
		snprintf(at, sizeof at, "%s:%u", rig->name,
			 sockaddr_port(&rig->at));
	adapter = json_pack("{s:s,s:s,s:i,s:s,s:i,s:s,s:b}", "server", at,
			    "type", "S", "frequency", 11362, "polarization",
			    "H", "symbolrate", 22000, "transport", transport,
			    "budget", !rig->lists);
	batch_init(&rig->batch, on_packets, rig);
	rig->source = satip_source_open(adapter, NULL, mono_ns());
	json_decref(adapter);
}

static void answer(struct rig *rig, const char *status, const char *fields)
{
	const char *cseq = strstr(rig->request, "CSeq: ");
	char text[512];
	int n = snprintf(text, sizeof text, "RTSP/1.0 %s\r\nCSeq: %lu\r\n%s"
			 "\r\n", status, strtoul(cseq + 6, NULL, 10), fields);

	cr_assert_eq(send(rig->connection, text, (size_t)n, MSG_NOSIGNAL), n);
}

static void set_up(struct rig *rig)
{
	const char *port = strstr(rig->request, "client_port=");
	char fields[256];

	rig->setups++;
	if (port != NULL)
		sockaddr_set_port(&rig->client,
				  (uint16_t)strtoul(port + 12, NULL, 10));
	if (rig->busy) {
		rig->busy = false;
		answer(rig, "503 Service Unavailable", "");
		return;
	}
	snprintf(fields, sizeof fields, "Session: 1;timeout=30\r\n"
		 "com.ses.streamID: 3\r\nTransport: %s%s%s\r\n",
		 rig->tcp ? "RTP/AVP/TCP;unicast;interleaved=0-1"
			  : "RTP/AVP;unicast",
		 rig->from != NULL ? ";source=" : "",
		 rig->from != NULL ? rig->from : "");
	answer(rig, "200 OK", fields);
}

static void serve_request(struct rig *rig)
{
	if (strncmp(rig->request, "SETUP ", 6) == 0) {
		set_up(rig);
	} else if (strncmp(rig->request, "PLAY ", 5) == 0) {
		cr_assert_not_null(strstr(rig->request, rig->lists
					  ? "/stream=3" : "/stream=3 "));
		answer(rig, "200 OK", "");
		rig->playing = true;
	} else if (strncmp(rig->request, "TEARDOWN ", 9) == 0) {
		rig->torn_down = true;
		rig->playing = false;
		answer(rig, "200 OK", "");
	} else {
		answer(rig, "200 OK", "");
	}
}

static void make_rtp(uint8_t rtp[DATAGRAM], uint16_t seq, unsigned pid)
{
	uint8_t *ts = rtp + RTP_HEADER;

	rtp[0] = 0x80;
	rtp[1] = RTP_PAYLOAD_MP2T;
	rtp_put16(rtp + 2, seq);
	ts[0] = TS_SYNC_BYTE;
	rtp_put16(ts + 1, (uint16_t)pid);
	ts[3] = 0x10;
}

static void send_packet(struct rig *rig)
{
	uint8_t frame[4 + DATAGRAM] = { '$', 0, 0, DATAGRAM };
	uint8_t *rtp = frame + 4;

	make_rtp(rtp, rig->seq++, PID);
	if (rig->tables != NULL)
		memcpy(rtp + RTP_HEADER, rig->tables->data +
		       rig->seq % rig->tables->n * TS_PACKET, TS_PACKET);
	if (rig->tcp)
		(void)!send(rig->connection, frame, sizeof frame,
			    MSG_NOSIGNAL | MSG_DONTWAIT);
	else
		(void)!sendto(rig->udp, rtp, DATAGRAM, 0, &rig->client.sa,
			      rig->client.len);
}

static void serve(struct rig *rig)
{
	ssize_t n;

	if (rig->connection < 0) {
		rig->connection = accept(rig->listener, NULL, NULL);
		rig->accepted += rig->connection >= 0;
		rig->len = 0;
	}
	if (rig->connection < 0)
		return;
	n = recv(rig->connection, rig->request + rig->len,
		 sizeof rig->request - 1 - rig->len, MSG_DONTWAIT);
	if (n == 0) {
		fd_close(&rig->connection);
		rig->playing = false;
		return;
	}
	rig->len += n > 0 ? (size_t)n : 0;
	rig->request[rig->len] = '\0';
	if (rig->len > 0 && strstr(rig->request, "\r\n\r\n") != NULL) {
		serve_request(rig);
		rig->len = 0;
	}
	if (rig->playing)
		send_packet(rig);
}

/* Serves and reads until the counter is so high. */
static void run_until(struct rig *rig, const unsigned *counter, unsigned n)
{
	for (int ms = 0; ms < LIMIT_MS && *counter < n; ms++) {
		serve(rig);
		while (rig->source->ops->read(rig->source, &rig->batch,
					      mono_ns()) > 0)
			;
		(void)poll(NULL, 0, 1);
	}
	cr_assert_geq(*counter, n);
	cr_assert(rig->tables != NULL || rig->foreign == 0);
}

static void run(struct rig *rig, unsigned packets)
{
	run_until(rig, &rig->packets, packets);
}

/* A socket at an address of this host. */
static int open_at(const char *host, uint16_t port)
{
	struct sockaddr_any at;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	cr_assert_eq(sockaddr_parse(host, port, &at), 0);
	if (bind(fd, &at.sa, at.len) < 0)
		fd_close(&fd);
	return fd;
}

/* BYE, and RTP with another PID. */
static void send_forged(const struct rig *rig, int fd)
{
	static const uint8_t bye[] = { 0x81, 203, 0, 1, 0, 0, 0, 1 };
	struct sockaddr_any to = rig->client;
	uint8_t rtp[DATAGRAM] = { 0 };

	make_rtp(rtp, rig->seq, FOREIGN_PID);
	cr_assert_eq(sendto(fd, rtp, sizeof rtp, 0, &to.sa, to.len),
		     (ssize_t)sizeof rtp);
	sockaddr_move_port(&to, 1);
	cr_assert_eq(sendto(fd, bye, sizeof bye, 0, &to.sa, to.len),
		     (ssize_t)sizeof bye);
}

static void finish(struct rig *rig)
{
	fd_close(&rig->connection);
	fd_close(&rig->listener);
	fd_close(&rig->udp);
	if (rig->source != NULL)
		rig->source->ops->free(rig->source);
}

static struct source_report report(struct rig *rig)
{
	struct source_report r = { 0 };

	rig->source->ops->every_second(rig->source, mono_ns(), &r);
	return r;
}

Test(satip_source, receives_by_udp_and_frees_the_tuner)
{
	struct rig rig = { 0 };

	begin(&rig, "udp");
	run(&rig, WANTED);
	cr_assert(report(&rig).lock);
	cr_assert_null(report(&rig).error);
	rig.source->ops->free(rig.source);
	rig.source = NULL;
	for (int ms = 0; ms < LIMIT_MS && !rig.torn_down; ms++) {
		serve(&rig);
		(void)poll(NULL, 0, 1);
	}
	cr_assert(rig.torn_down);
	finish(&rig);
}

static void want_teardown(struct rig *rig)
{
	int err = 0;
	socklen_t len = sizeof err;

	/* a reset may come before what the server has not read */
	cr_assert_eq(getsockopt(rig->connection, SOL_SOCKET, SO_ERROR, &err,
				&len), 0);
	cr_assert_eq(err, 0, "%s", strerror(err));
	for (int ms = 0; ms < LIMIT_MS && !rig->torn_down; ms++) {
		serve(rig);
		(void)poll(NULL, 0, 1);
	}
	cr_assert(rig->torn_down);
}

Test(satip_source, frees_the_tuner_though_packets_wait)
{
	struct rig rig = { .tcp = true };

	begin(&rig, "tcp");
	run(&rig, WANTED);
	for (int i = 0; i < 100; i++)
		send_packet(&rig);
	rig.source->ops->free(rig.source);
	rig.source = NULL;
	want_teardown(&rig);
	finish(&rig);
}

Test(satip_source, leaves_a_server_that_goes_on_sending)
{
	static const uint8_t bye[] = { '$', 1, 0, 8, 0x81, 203, 0, 1, 0, 0, 0,
				       1 };
	struct rig rig = { .tcp = true };

	begin(&rig, "tcp");
	run(&rig, WANTED);
	cr_assert_eq(send(rig.connection, bye, sizeof bye, 0),
		     (ssize_t)sizeof bye);
	for (int i = 0; i < 20; i++) {
		send_packet(&rig);
		(void)rig.source->ops->read(rig.source, &rig.batch, mono_ns());
	}
	want_teardown(&rig);
	finish(&rig);
}

Test(satip_source, frees_the_tuner_without_a_connection)
{
	struct rig rig = { 0 };

	begin(&rig, "udp");
	run(&rig, WANTED);
	fd_close(&rig.connection);
	/* the end of the connection is read, the next one is not made yet */
	(void)rig.source->ops->read(rig.source, &rig.batch, mono_ns());
	rig.source->ops->free(rig.source);
	rig.source = NULL;
	rig.connection = accept(rig.listener, NULL, NULL);
	cr_assert_geq(rig.connection, 0);
	want_teardown(&rig);
	finish(&rig);
}

Test(satip_source, receives_by_tcp)
{
	struct rig rig = { .tcp = true };

	begin(&rig, "tcp");
	run(&rig, WANTED);
	cr_assert(report(&rig).lock);
	finish(&rig);
}

Test(satip_source, tries_again_when_no_tuner_is_free)
{
	struct rig rig = { .busy = true };

	begin(&rig, "udp");
	run(&rig, WANTED);
	cr_assert_eq(rig.setups, 2);
	finish(&rig);
}

Test(satip_source, has_no_ports_while_it_waits_for_a_tuner)
{
	struct rig rig = { .busy = true };
	int fd = -1;

	begin(&rig, "udp");
	for (int ms = 0; ms < LIMIT_MS && fd < 0 && rig.setups < 2; ms++) {
		serve(&rig);
		(void)rig.source->ops->read(rig.source, &rig.batch, mono_ns());
		if (rig.setups == 1)
			fd = open_at("0.0.0.0", sockaddr_port(&rig.client));
		(void)poll(NULL, 0, 1);
	}
	cr_assert_eq(rig.setups, 1);
	cr_assert_geq(fd, 0);
	fd_close(&fd);
	finish(&rig);
}

Test(satip_source, ignores_what_others_send_to_its_ports)
{
	struct rig rig = { 0 };
	int fd = open_at("127.0.0.2", 0);

	begin(&rig, "udp");
	run(&rig, WANTED);
	for (unsigned i = 2; i < 8; i++) {
		send_forged(&rig, fd);
		run(&rig, i * WANTED);
	}
	cr_assert_eq(rig.setups, 1);
	cr_assert(report(&rig).lock);
	cr_assert_eq(report(&rig).lost, 0);
	fd_close(&fd);
	finish(&rig);
}

static void send_bye(struct rig *rig)
{
	static const uint8_t bye[] = { 0x81, 203, 0, 1, 0, 0, 0, 1 };
	struct sockaddr_any to = rig->client;

	sockaddr_move_port(&to, 1);
	cr_assert_eq(sendto(rig->udp, bye, sizeof bye, 0, &to.sa, to.len),
		     (ssize_t)sizeof bye);
}

Test(satip_source, obeys_a_bye_of_the_server)
{
	struct rig rig = { 0 };

	begin(&rig, "udp");
	run(&rig, WANTED);
	send_bye(&rig);
	run_until(&rig, &rig.setups, 2);
	finish(&rig);
}

Test(satip_source, receives_from_the_source_that_the_server_names)
{
	struct rig rig = { .from = "127.0.0.3" };

	begin(&rig, "udp");
	fd_close(&rig.udp);
	rig.udp = open_at(rig.from, 0);
	run(&rig, WANTED);
	finish(&rig);
}

Test(satip_source, replaces_a_connection_that_it_cannot_read)
{
	static const char no_rtsp[] = "RTSP/1.0 200 OK\r\n"
				      "Content-Length: 70000\r\n\r\n";
	struct rig rig = { 0 };

	begin(&rig, "udp");
	run(&rig, WANTED);
	cr_assert_eq(send(rig.connection, no_rtsp, strlen(no_rtsp), 0),
		     (ssize_t)strlen(no_rtsp));
	run_until(&rig, &rig.accepted, 2);
	rig.playing = true;
	run(&rig, 2 * WANTED);
	cr_assert_eq(rig.setups, 1);
	cr_assert_null(report(&rig).error);
	finish(&rig);
}

Test(satip_source, goes_on_without_its_connection)
{
	struct rig rig = { 0 };

	begin(&rig, "udp");
	run(&rig, WANTED);
	fd_close(&rig.connection);
	run(&rig, 2 * WANTED);
	cr_assert_eq(rig.setups, 1);
	finish(&rig);
}

Test(satip_source, makes_a_new_session_after_the_end_of_a_tcp_connection)
{
	struct rig rig = { .tcp = true };

	begin(&rig, "tcp");
	run(&rig, WANTED);
	fd_close(&rig.connection);
	rig.playing = false;
	/* packets of the first connection may still wait to be read */
	run_until(&rig, &rig.setups, 2);
	run(&rig, rig.packets + WANTED);
	cr_assert_eq(rig.setups, 2);
	finish(&rig);
}

Test(satip_source, resolves_the_name_of_a_server_for_each_session)
{
	struct rig rig = { .name = "tuner.example" };

	begin(&rig, "udp");
	for (int ms = 0; ms < LIMIT_MS && queries < 1; ms++)
		(void)rig.source->ops->read(rig.source, &rig.batch, mono_ns());
	cr_assert_str_eq(report(&rig).error, "host: no such name");
	run(&rig, WANTED);
	cr_assert_null(report(&rig).error);
	cr_assert_eq(queries, 2);
	/* a connection that is made again leads to the same server */
	fd_close(&rig.connection);
	run_until(&rig, &rig.accepted, 2);
	cr_assert_eq(queries, 2);
	send_bye(&rig);
	run_until(&rig, &rig.setups, 2);
	cr_assert_eq(queries, 3);
	finish(&rig);
}

Test(satip_source, calls_the_next_address_of_a_name)
{
	struct rig rig = { .name = "tuner.example" };

	first_address = "::1";
	begin(&rig, "udp");
	run(&rig, WANTED);
	cr_assert_eq(rig.accepted, 1);
	finish(&rig);
}

/* The list has 128 places, and six tables take the first. */
Test(satip_source, names_how_many_pids_a_list_lacks)
{
	enum { PROGRAMS = 150 };
	struct rig rig = { .lists = true };
	struct build_entry programs[PROGRAMS];
	uint8_t section[SECTION_PSI_MAX];
	struct build *b = build_new();

	for (uint16_t i = 0; i < PROGRAMS; i++)
		programs[i] = (struct build_entry){ (uint16_t)(1 + i),
						    (uint16_t)(100 + i) };
	build_section(b, 0, section,
		      build_pat(section, 0, programs, PROGRAMS));
	rig.tables = b;
	begin(&rig, "udp");
	run_until(&rig, &rig.foreign, 3 * (unsigned)b->n);
	cr_assert_str_eq(report(&rig).error, "too many PIDs for a list: 28 "
			 "PIDs of programs are not received");
	cr_assert(report(&rig).lock);
	finish(&rig);
	build_free(b);
}

Test(satip_source, names_a_wrong_key)
{
	static const struct {
		const char *adapter, *error;
	} cases[] = {
		{ "{\"server\":\"a b\"}", "server: is neither an IP address "
		  "nor a host name" },
		{ "{\"server\":\"192.0.2.1\",\"transport\":\"x\"}",
		  "transport: x is not udp, tcp or multicast" },
		{ "{\"server\":\"192.0.2.1\"}", "type: is missing" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *adapter = json_loads(cases[i].adapter, 0, NULL);
		struct source *s = satip_source_open(adapter, NULL, 0);
		struct source_report r = { 0 };
		struct batch batch;

		batch_init(&batch, on_packets, NULL);
		cr_assert_eq(s->ops->read(s, &batch, SECOND_NS), 0);
		s->ops->every_second(s, SECOND_NS, &r);
		cr_assert_str_eq(r.error, cases[i].error);
		s->ops->free(s);
		json_decref(adapter);
	}
}
