/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/address_source.h"

#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/socket/receive_socket.h"
#include "worker/ts/packet.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

enum { PATIENCE_S = 30 };

static size_t received;

static void count(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		received += runs[i].n;
}

static struct source_report second_of(struct source *s)
{
	struct source_report report = { 0 };

	s->ops->every_second(s, mono_ns(), &report);
	return report;
}

static struct source *open_address(const char *address, json_t **ret_entry)
{
	*ret_entry = json_pack("{s:s}", "address", address);
	return address_source_open(*ret_entry, NULL, mono_ns());
}

/* A port that was free a moment ago. */
static struct sockaddr_in free_port(int fd)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof at;
	int probe = socket(AF_INET, SOCK_DGRAM, 0);

	cr_assert_geq(probe, 0);
	cr_assert_geq(fd, 0);
	cr_assert_eq(bind(probe, (struct sockaddr *)&at, len), 0);
	cr_assert_eq(getsockname(probe, (struct sockaddr *)&at, &len), 0);
	(void)close(probe);
	return at;
}

Test(address_source, passes_the_packets_of_its_address)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in at = free_port(fd);
	uint8_t datagram[7 * TS_PACKET] = { 0 };
	uint64_t end = mono_ns() + PATIENCE_S * SECOND_NS;
	struct batch batch;
	struct source *s;
	json_t *entry;
	char address[64];

	for (size_t i = 0; i < 7; i++)
		datagram[i * TS_PACKET] = 0x47;
	(void)snprintf(address, sizeof address, "udp://127.0.0.1:%u",
		       ntohs(at.sin_port));
	s = open_address(address, &entry);
	batch_init(&batch, count, NULL);
	cr_assert_not(second_of(s).lock);
	cr_assert_eq(sendto(fd, datagram, sizeof datagram, 0,
			    (struct sockaddr *)&at, sizeof at),
		     (ssize_t)sizeof datagram);
	while (received < 7) {
		cr_assert_lt(mono_ns(), end, "no packets");
		(void)s->ops->read(s, &batch, mono_ns());
		(void)sched_yield();
	}
	cr_assert(second_of(s).lock);
	/* of the last second alone */
	cr_assert_not(second_of(s).lock);
	cr_assert_null(second_of(s).error);
	s->ops->free(s);
	json_decref(entry);
	(void)close(fd);
}

/* The host may forbid large receive buffers. */
Test(address_source, is_roomy_as_its_input_is)
{
	struct udp_place place = { 0 };
	struct sockaddr_in at = free_port(0);
	struct errmsg error;
	char address[64];
	struct source *s;
	json_t *entry;
	int fd;

	(void)snprintf(address, sizeof address, "udp://127.0.0.1:%u",
		       ntohs(at.sin_port));
	s = open_address(address, &entry);
	place.local.in = at;
	place.local.in.sin_port = 0;
	place.local.len = sizeof at;
	fd = udp_socket_open(&place, 0, &error);
	cr_assert_geq(fd, 0);
	cr_expect_eq(source_is_roomy(s), udp_socket_is_large(fd));
	(void)close(fd);
	s->ops->free(s);
	json_decref(entry);
}

Test(address_source, reports_why_it_receives_nothing)
{
	static const char *const wrong[] = { "nonsense", "udp://1.2.3.4:x",
					     "udp://nope0@239.1.1.1" };

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		json_t *entry;
		struct source *s = open_address(wrong[i], &entry);
		struct source_report report = second_of(s);

		cr_assert_not_null(report.error, "%s", wrong[i]);
		cr_assert_not(report.lock);
		cr_assert_not(source_is_roomy(s));
		s->ops->free(s);
		json_decref(entry);
	}
}

Test(address_source, reports_a_second_without_packets)
{
	struct source_report report = { 0 };
	uint64_t start = mono_ns();
	json_t *entry;
	struct source *s;
	char address[64];
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)snprintf(address, sizeof address, "udp://127.0.0.1:%u",
		       ntohs(free_port(fd).sin_port));
	s = open_address(address, &entry);
	/* the first second may be a short one */
	s->ops->every_second(s, start + SECOND_NS / 2, &report);
	cr_assert_null(report.error);
	s->ops->every_second(s, start + 2 * SECOND_NS, &report);
	cr_assert_str_eq(report.error, "no packets");
	cr_assert_not(report.lock);
	s->ops->free(s);
	json_decref(entry);
	(void)close(fd);
}
