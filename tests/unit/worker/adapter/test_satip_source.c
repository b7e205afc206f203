/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source and its server: sessions, connections, ports. */
#include "tests/unit/worker/adapter/satip_rig.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/net/curl/resolver.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

	rig_make_rtp(rtp, rig->seq, FOREIGN_PID);
	cr_assert_eq(sendto(fd, rtp, sizeof rtp, 0, &to.sa, to.len),
		     (ssize_t)sizeof rtp);
	sockaddr_move_port(&to, 1);
	cr_assert_eq(sendto(fd, bye, sizeof bye, 0, &to.sa, to.len),
		     (ssize_t)sizeof bye);
}

Test(satip_source, receives_by_udp_and_frees_the_tuner)
{
	struct rig rig = { 0 };

	rig_begin(&rig, "udp");
	rig_run(&rig, WANTED);
	cr_assert(rig_report(&rig).lock);
	cr_assert_null(rig_report(&rig).error);
	rig.source->ops->free(rig.source);
	rig.source = NULL;
	for (int ms = 0; ms < LIMIT_MS && !rig.torn_down; ms++) {
		rig_serve(&rig);
		(void)poll(NULL, 0, 1);
	}
	cr_assert(rig.torn_down);
	rig_finish(&rig);
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
		rig_serve(rig);
		(void)poll(NULL, 0, 1);
	}
	cr_assert(rig->torn_down);
}

Test(satip_source, frees_the_tuner_though_packets_wait)
{
	struct rig rig = { .tcp = true };

	rig_begin(&rig, "tcp");
	rig_run(&rig, WANTED);
	for (int i = 0; i < 100; i++)
		rig_send_packet(&rig);
	rig.source->ops->free(rig.source);
	rig.source = NULL;
	want_teardown(&rig);
	rig_finish(&rig);
}

Test(satip_source, leaves_a_server_that_goes_on_sending)
{
	static const uint8_t bye[] = { '$', 1, 0, 8, 0x81, 203, 0, 1, 0, 0, 0,
				       1 };
	struct rig rig = { .tcp = true };

	rig_begin(&rig, "tcp");
	rig_run(&rig, WANTED);
	cr_assert_eq(send(rig.connection, bye, sizeof bye, 0),
		     (ssize_t)sizeof bye);
	for (int i = 0; i < 20; i++) {
		rig_send_packet(&rig);
		(void)rig.source->ops->read(rig.source, &rig.batch, mono_ns());
	}
	want_teardown(&rig);
	rig_finish(&rig);
}

Test(satip_source, frees_the_tuner_without_a_connection)
{
	struct rig rig = { 0 };

	rig_begin(&rig, "udp");
	rig_run(&rig, WANTED);
	fd_close(&rig.connection);
	/* the end of the connection is read, the next one is not made yet */
	(void)rig.source->ops->read(rig.source, &rig.batch, mono_ns());
	rig.source->ops->free(rig.source);
	rig.source = NULL;
	rig.connection = accept(rig.listener, NULL, NULL);
	cr_assert_geq(rig.connection, 0);
	want_teardown(&rig);
	rig_finish(&rig);
}

Test(satip_source, receives_by_tcp)
{
	struct rig rig = { .tcp = true };

	rig_begin(&rig, "tcp");
	rig_run(&rig, WANTED);
	cr_assert(rig_report(&rig).lock);
	rig_finish(&rig);
}

Test(satip_source, tries_again_when_no_tuner_is_free)
{
	struct rig rig = { .busy = true };

	rig_begin(&rig, "udp");
	rig_run(&rig, WANTED);
	cr_assert_eq(rig.setups, 2);
	rig_finish(&rig);
}

Test(satip_source, has_no_ports_while_it_waits_for_a_tuner)
{
	struct rig rig = { .busy = true };
	int fd = -1;

	rig_begin(&rig, "udp");
	for (int ms = 0; ms < LIMIT_MS && fd < 0 && rig.setups < 2; ms++) {
		rig_serve(&rig);
		(void)rig.source->ops->read(rig.source, &rig.batch, mono_ns());
		if (rig.setups == 1)
			fd = open_at("0.0.0.0", sockaddr_port(&rig.client));
		(void)poll(NULL, 0, 1);
	}
	cr_assert_eq(rig.setups, 1);
	cr_assert_geq(fd, 0);
	fd_close(&fd);
	rig_finish(&rig);
}

Test(satip_source, ignores_what_others_send_to_its_ports)
{
	struct rig rig = { 0 };
	int fd = open_at("127.0.0.2", 0);

	rig_begin(&rig, "udp");
	rig_run(&rig, WANTED);
	for (unsigned i = 2; i < 8; i++) {
		send_forged(&rig, fd);
		rig_run(&rig, i * WANTED);
	}
	cr_assert_eq(rig.setups, 1);
	cr_assert(rig_report(&rig).lock);
	cr_assert_eq(rig_report(&rig).lost, 0);
	fd_close(&fd);
	rig_finish(&rig);
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

	rig_begin(&rig, "udp");
	rig_run(&rig, WANTED);
	send_bye(&rig);
	rig_run_until(&rig, &rig.setups, 2);
	rig_finish(&rig);
}

Test(satip_source, receives_from_the_source_that_the_server_names)
{
	struct rig rig = { .from = "127.0.0.3" };

	rig_begin(&rig, "udp");
	fd_close(&rig.udp);
	rig.udp = open_at(rig.from, 0);
	rig_run(&rig, WANTED);
	rig_finish(&rig);
}

Test(satip_source, replaces_a_connection_that_it_cannot_read)
{
	static const char no_rtsp[] = "RTSP/1.0 200 OK\r\n"
				      "Content-Length: 70000\r\n\r\n";
	struct rig rig = { 0 };

	rig_begin(&rig, "udp");
	rig_run(&rig, WANTED);
	cr_assert_eq(send(rig.connection, no_rtsp, strlen(no_rtsp), 0),
		     (ssize_t)strlen(no_rtsp));
	rig_run_until(&rig, &rig.accepted, 2);
	rig.playing = true;
	rig_run(&rig, 2 * WANTED);
	cr_assert_eq(rig.setups, 1);
	cr_assert_null(rig_report(&rig).error);
	rig_finish(&rig);
}

Test(satip_source, goes_on_without_its_connection)
{
	struct rig rig = { 0 };

	rig_begin(&rig, "udp");
	rig_run(&rig, WANTED);
	fd_close(&rig.connection);
	rig_run(&rig, 2 * WANTED);
	cr_assert_eq(rig.setups, 1);
	rig_finish(&rig);
}

Test(satip_source, makes_a_new_session_after_the_end_of_a_tcp_connection)
{
	struct rig rig = { .tcp = true };

	rig_begin(&rig, "tcp");
	rig_run(&rig, WANTED);
	fd_close(&rig.connection);
	rig.playing = false;
	/* packets of the first connection may still wait to be read */
	rig_run_until(&rig, &rig.setups, 2);
	rig_run(&rig, rig.packets + WANTED);
	cr_assert_eq(rig.setups, 2);
	rig_finish(&rig);
}

Test(satip_source, resolves_the_name_of_a_server_for_each_session)
{
	struct rig rig = { .name = "tuner.example" };

	rig_begin(&rig, "udp");
	for (int ms = 0; ms < LIMIT_MS && queries < 1; ms++)
		(void)rig.source->ops->read(rig.source, &rig.batch, mono_ns());
	cr_assert_str_eq(rig_report(&rig).error, "host: no such name");
	rig_run(&rig, WANTED);
	cr_assert_null(rig_report(&rig).error);
	cr_assert_eq(queries, 2);
	/* a connection that is made again leads to the same server */
	fd_close(&rig.connection);
	rig_run_until(&rig, &rig.accepted, 2);
	cr_assert_eq(queries, 2);
	send_bye(&rig);
	rig_run_until(&rig, &rig.setups, 2);
	cr_assert_eq(queries, 3);
	rig_finish(&rig);
}

Test(satip_source, calls_the_next_address_of_a_name)
{
	struct rig rig = { .name = "tuner.example" };

	first_address = "::1";
	rig_begin(&rig, "udp");
	rig_run(&rig, WANTED);
	cr_assert_eq(rig.accepted, 1);
	rig_finish(&rig);
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
	rig_begin(&rig, "udp");
	rig_run_until(&rig, &rig.foreign, 3 * (unsigned)b->n);
	cr_assert_str_eq(rig_report(&rig).error, "more PIDs than a request can "
			 "have: 28 PIDs of programs are not received");
	cr_assert(rig_report(&rig).lock);
	rig_finish(&rig);
	build_free(b);
}

Test(satip_source, names_a_wrong_key)
{
	static const struct {
		const char *adapter, *error;
	} cases[] = {
		{ "{\"server\":\"a b\"}", "server: \"a b\" is neither an IP "
		  "address nor a host name: write HOST or HOST:PORT" },
		{ "{\"server\":\"192.0.2.1\",\"transport\":\"x\"}",
		  "transport: x is not udp, tcp or multicast" },
		{ "{\"server\":\"192.0.2.1\"}", "type: is missing" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *adapter = json_loads(cases[i].adapter, 0, NULL);
		struct source *s = satip_source_open(adapter, NULL, 0);
		struct source_report r = { 0 };
		struct batch batch;

		batch_init(&batch, NULL, NULL);
		cr_assert_eq(s->ops->read(s, &batch, SECOND_NS), 0);
		s->ops->every_second(s, SECOND_NS, &r);
		cr_assert_str_eq(r.error, cases[i].error);
		s->ops->free(s);
		json_decref(adapter);
	}
}
