/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/si/record_feed.h"

#include "proto/ipc/channel.h"
#include "tests/unit/proto/si/json_eq.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BYTES_MAX = 1000, EIT_BYTES = 200 };

static struct {
	struct ev_loop *loop;
	unsigned n_eits, n_sdts;
} g;

static void on_record(const json_t *record, void *arg)
{
	const char *psi = json_string_value(json_object_get(record, "psi"));

	(void)arg;
	if (strcmp(psi, "eit") == 0)
		g.n_eits++;
	else
		g.n_sdts += strcmp(psi, "sdt") == 0;
}

static void on_message(struct channel *channel, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	(void)channel, (void)m, (void)fds, (void)n_fds, (void)arg;
}

static void on_close(struct channel *channel, int err, const char *error,
		     void *arg)
{
	(void)channel, (void)arg;
	cr_assert_fail("%d %s", err, error);
}

/* Twenty EIT of 200 bytes in front of an SDT: in each second they exceed the
 * limit of the bytes. */
static void feed_second(struct record_feed *f)
{
	struct build *b = build_new();
	/* one event with a descriptor of the length that remains */
	uint8_t section[512], body[EIT_BYTES - 12] = {
		0, 1, 0, 1, 0, 0x4e, 0, 1, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x80,
		EIT_BYTES - 12 - 18, 0x80, EIT_BYTES - 12 - 20,
	};
	static const uint8_t sdt[] = { 0, 1, 0xff };
	struct ts_run run;
	size_t len;

	for (uint16_t i = 0; i < 20; i++) {
		len = build_table(section, &(struct build_table){
			.table_id = 0x4e, .extension = i, .body = body,
			.len = sizeof body });
		(void)build_section(b, 0x12, section, len);
	}
	len = build_table(section, &(struct build_table){
		.table_id = 0x42, .extension = 1, .body = sdt,
		.len = sizeof sdt });
	(void)build_section(b, 0x11, section, len);
	run = build_run(b);
	record_feed_packets(f, &run, 1);
	build_free(b);
	record_feed_second(f);
}

static void run_feed(bool silent, unsigned seconds)
{
	static const struct channel_events events = {
		.on_message = on_message, .on_close = on_close,
	};
	struct channel *channel;
	struct record_feed *f;
	int fds[2];

	g.loop = ev_loop_new(EVFLAG_AUTO);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0,
				fds), 0);
	channel = channel_new(&(struct channel_config){
		.loop = g.loop, .fd = fds[0], .receives = MSG_TO_WORKER,
		.events = &events });
	f = record_feed_new(&(struct record_feed_config){
		.channel = channel, .records_max = 100,
		.bytes_max = BYTES_MAX, .on_record = on_record,
		.silent = silent,
	});
	for (unsigned i = 0; i < seconds; i++)
		feed_second(f);
	record_feed_free(&f);
	channel_free(&channel);
	(void)close(fds[1]);
	ev_loop_destroy(g.loop);
}

Test(record_feed, has_room_for_tables_behind_many_events)
{
	run_feed(false, 1);
	cr_expect_eq(g.n_sdts, 1);
	cr_expect_eq(g.n_eits, BYTES_MAX / 2 / EIT_BYTES);
}

Test(record_feed, sends_the_other_events_later)
{
	run_feed(false, 10);
	cr_expect_eq(g.n_sdts, 1);
	cr_expect_eq(g.n_eits, 20);
}

Test(record_feed, reads_no_events_where_nothing_is_sent)
{
	run_feed(true, 1);
	cr_expect_eq(g.n_sdts, 1);
	cr_expect_eq(g.n_eits, 0);
}
