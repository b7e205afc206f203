/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/slot_source.h"

#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "proto/spec/ci_spec.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/adapter/dvb/dvb_ops.h"
#include "worker/ts/packet.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { FD = 9, LOOP = 4096, PATIENCE_S = 30, MBIT = 1000000 };

/* A slot that gives back what is written. */
static struct {
	pthread_mutex_t lock;
	const char *kind;  /* of its device */
	int open_error, write_error;
	unsigned closes;
	size_t room;       /* packets that it takes */
	bool mute;         /* it returns no packets */
	size_t piece;      /* bytes of a read or write at most; 0: any */
	size_t n;          /* bytes that wait */
	size_t written;    /* bytes, in all */
	uint8_t packets[LOOP * TS_PACKET];
	char paths[256];   /* that were opened */
} card = { .lock = PTHREAD_MUTEX_INITIALIZER, .kind = "sec", .room = LOOP };

static int card_open(void *ctx, const char *path, int flags)
{
	int r = -ENOENT;
	size_t len;

	(void)ctx, (void)flags;
	(void)pthread_mutex_lock(&card.lock);
	len = strlen(card.paths);
	(void)snprintf(card.paths + len, sizeof card.paths - len, "%s ", path);
	if (strncmp(strrchr(path, '/') + 1, card.kind, strlen(card.kind)) == 0)
		r = card.open_error != 0 ? card.open_error : FD;
	(void)pthread_mutex_unlock(&card.lock);
	return r;
}

static int card_close(void *ctx, int fd)
{
	(void)ctx;
	cr_assert_eq(fd, FD);
	(void)pthread_mutex_lock(&card.lock);
	card.closes++;
	(void)pthread_mutex_unlock(&card.lock);
	return 0;
}

static ssize_t card_write(void *ctx, int fd, const void *data, size_t size)
{
	size_t n = MIN(size, card.room * TS_PACKET - card.n);

	(void)ctx, (void)fd;
	n = card.piece > 0 ? MIN(n, card.piece) : n;
	if (card.write_error != 0)
		return card.write_error;
	if (n == 0)
		return -EAGAIN;
	memcpy(card.packets + card.n, data, n);
	card.n += n;
	card.written += n;
	return (ssize_t)n;
}

static ssize_t card_read(void *ctx, int fd, void *ret, size_t size)
{
	size_t n = MIN(size, card.n);

	(void)ctx, (void)fd;
	n = card.piece > 0 ? MIN(n, card.piece) : n;
	if (card.mute)
		card.n = n = 0;
	if (n == 0)
		return -EAGAIN;
	memcpy(ret, card.packets, n);
	card.n -= n;
	memmove(card.packets, card.packets + n, card.n);
	return (ssize_t)n;
}

static const struct dvb_ops card_ops = {
	.open = card_open,
	.close = card_close,
	.read = card_read,
	.write = card_write,
};

/* The source of the packets: numbers. */
static struct source inner;
static size_t sends, sent; /* in the next read, so far */
static size_t received, others;
static struct source *source;
static struct batch batch;
static struct source_report report;
static uint64_t now_ns;

static void inner_free(struct source *s)
{
	cr_assert_eq(s, &inner);
}

static int inner_read(struct source *s, struct batch *b, uint64_t now)
{
	static uint8_t packet[TS_PACKET];

	(void)s, (void)now;
	for (; sends > 0; sends--, sent++) {
		packet[0] = 0x47;
		packet[1] = 1;
		packet[3] = 0x10;
		memcpy(packet + 4, &sent, sizeof sent);
		batch_add(b, (struct ts_run){ .data = packet, .n = 1 });
		batch_flush(b);
	}
	return 0;
}

static void inner_second(struct source *s, uint64_t now,
			 struct source_report *ret)
{
	(void)s, (void)now;
	ret->lock = true;
	ret->lost = 5;
}

static bool inner_roomy(const struct source *s)
{
	(void)s;
	return true;
}

static const struct source_ops inner_ops = {
	.free = inner_free, .read = inner_read, .every_second = inner_second,
	.roomy = inner_roomy,
};

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			size_t number;

			memcpy(&number, runs[i].data + k * TS_PACKET + 4,
			       sizeof number);
			others += number != received;
			received++;
		}
}

static void start(const char *more)
{
	char text[256];
	json_t *adapter;

	(void)snprintf(text, sizeof text, "{\"type\": \"CI\", \"adapter\": 3, "
		       "\"device\": 1, \"address\": "
		       "\"udp://239.1.1.1:1234\"%s}", more);
	adapter = json_loads(text, 0, NULL);
	cr_assert(slot_source_is(adapter));
	inner.ops = &inner_ops;
	batch_init(&batch, take, NULL);
	source = slot_source_new(adapter, &inner, &card_ops, NULL);
	json_decref(adapter);
	now_ns = mono_ns();
}

static void second(void)
{
	report = (struct source_report){ 0 };
	source->ops->every_second(source, now_ns, &report);
}

static void await(bool open)
{
	uint64_t end = mono_ns() + PATIENCE_S * SECOND_NS;

	do {
		cr_assert_lt(mono_ns(), end);
		(void)sched_yield();
		second();
	} while ((report.error == NULL) != open || strstr(card.paths, "/") ==
		 NULL);
}

static int pass(size_t n, unsigned ms)
{
	sends = n;
	now_ns += ms * MS;
	return source->ops->read(source, &batch, now_ns);
}

static void await_open(void)
{
	uint64_t end = mono_ns() + PATIENCE_S * SECOND_NS;

	/* packets pass by until then */
	do {
		cr_assert_lt(mono_ns(), end);
		(void)sched_yield();
		second();
		(void)pass(1, 5);
	} while (card.written == 0);
}

Test(slot_source, packets_pass_through_the_slot_in_order, .timeout = 60)
{
	size_t before;

	start("");
	await_open();
	/* its modules answer at the next read */
	cr_expect_not(source_is_roomy(source));
	before = card.written;
	for (unsigned i = 0; i < 20; i++)
		(void)pass(100, 10);
	while (pass(0, 10) > 0)
		continue;
	cr_assert_eq(card.written - before, 2000u * TS_PACKET);
	cr_assert_eq(received, sent);
	cr_assert_eq(others, 0u);
	second();
	cr_assert_eq(report.lost, 5u);
	cr_assert(report.lock);
	/* the device of vendors comes first */
	cr_assert_eq(strncmp(card.paths, "/dev/dvb/adapter3/ci1 "
			     "/dev/dvb/adapter3/sec1 ", 46), 0, "%s",
		     card.paths);
	source->ops->free(source);
	cr_assert_eq(card.closes, 1u);
}

/* A driver takes and gives any number of bytes. */
Test(slot_source, packets_pass_in_pieces, .timeout = 60)
{
	static const size_t pieces[] = { 100, 187, 189, 1000 };

	start("");
	await_open();
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		size_t before = card.written;

		card.piece = pieces[i];
		(void)pass(50, 10);
		for (unsigned k = 0; k < 200; k++)
			(void)pass(0, 10);
		cr_expect_eq(card.written - before, 50u * TS_PACKET, "%zu",
			     pieces[i]);
		cr_expect_eq(received, sent, "%zu: %zu of %zu", pieces[i],
			     received, sent);
	}
	cr_assert_eq(others, 0u);
	source->ops->free(source);
}

Test(slot_source, bytes_that_are_no_packet_are_dropped, .timeout = 60)
{
	start("");
	await_open();
	(void)pass(0, 10);
	/* before whole packets, with a byte that looks like one */
	memset(card.packets, 0, 100);
	card.packets[50] = 0x47;
	card.n = 100;
	(void)pass(20, 10);
	while (pass(0, 10) > 0)
		continue;
	cr_assert_eq(received, sent);
	cr_assert_eq(others, 0u);
	second();
	cr_assert_eq(report.lost, 6u);
	source->ops->free(source);
}

Test(slot_source, the_rate_is_bounded_and_the_queue_too, .timeout = 60)
{
	size_t before, in_100_ms = MBIT / 8 / 10 / TS_PACKET;

	start(", \"bitrate\": 1");
	await_open();
	while (pass(0, 1000) > 0)
		continue;
	before = received;
	(void)pass(2000, 0);
	for (unsigned i = 0; i < 10; i++)
		(void)pass(0, 10);
	cr_assert_leq(received - before, 2 * in_100_ms);
	cr_assert_geq(received - before, in_100_ms / 2);
	cr_assert_eq(others, 0u);
	(void)pass(8192, 0);
	second();
	cr_assert_gt(report.lost, 5u);
	source->ops->free(source);
}

Test(slot_source, packets_pass_by_a_slot_that_fails, .timeout = 60)
{
	card.open_error = -EBUSY;
	start("");
	await(false);
	cr_assert_str_eq(report.error, "/dev/dvb/adapter3/sec1 is busy: "
			 "another program uses it");
	(void)pass(10, 5);
	cr_assert_eq(received, 10u);
	card.open_error = 0;
	await(true);
	card.room = 4;
	(void)pass(10, 5);
	cr_assert_eq(received, 14u);
	card.write_error = -EIO;
	(void)pass(10, 5);
	/* those that wait, too */
	cr_assert_eq(received, 30u);
	cr_assert_eq(others, 0u);
	second();
	cr_assert_str_eq(report.error, "the CI slot failed: "
			 "Input/output error");
	card.write_error = 0;
	await(true);
	cr_assert_eq(card.closes, 1u);
	source->ops->free(source);
}

static void await_answer(void)
{
	uint64_t end = mono_ns() + PATIENCE_S * SECOND_NS;

	do {
		cr_assert_lt(mono_ns(), end);
		(void)sched_yield();
		(void)pass(1, 5);
		second();
	} while (report.error != NULL);
}

static void expect_silence(void)
{
	size_t before;

	for (unsigned i = 0; report.error == NULL; i++) {
		cr_assert_lt(i, 100u);
		for (unsigned k = 0; k < 100; k++)
			(void)pass(20, 10);
		second();
	}
	cr_assert_str_eq(report.error, "the CI slot returns no packets");
	/* all packets pass the slot by */
	before = received;
	for (unsigned i = 0; i < 20; i++) {
		(void)pass(20, 10);
		second();
	}
	cr_assert_eq(received - before, 400u);
	cr_assert_not_null(report.error);
}

/* The slot has a CAM that hangs. */
Test(slot_source, packets_pass_by_a_slot_that_returns_none, .timeout = 60)
{
	for (unsigned i = 0; i < 2; i++) {
		size_t before;

		card.closes = 0;
		card.written = 0;
		card.room = LOOP;
		start("");
		await_open();
		while (pass(0, 10) > 0)
			continue;
		second();
		card.mute = i == 0;
		card.room = i == 0 ? LOOP : 0; /* it takes none */
		expect_silence();
		card.mute = false;
		card.room = LOOP;
		await_answer();
		cr_assert_geq(card.closes, 1u, "it was opened again");
		while (pass(0, 10) > 0)
			continue;
		second();
		cr_assert_null(report.error, "%u", i);
		/* packets pass through the slot again */
		before = received;
		card.room = 4;
		(void)pass(10, 10);
		cr_assert_eq(received - before, 4u);
		source->ops->free(source);
	}
}

Test(slot_source, is_named_by_the_type_or_by_a_key)
{
	static const struct {
		const char *adapter, *error;
	} cases[] = {
		{ "{\"address\":\"udp://1.2.3.4:1\",\"ddci\":2}", "" },
		{ "{\"server\":\"1.2.3.4\",\"ddci\":2}", "" },
		{ "{\"type\":\"T\",\"ddci\":0,\"ddci_device\":1}", "" },
		{ "{\"type\":\"CI\"}", "address: is missing" },
		{ "{\"type\":\"CI\",\"server\":\"1.2.3.4\"}", "server: " },
		{ "{\"type\":\"CI\",\"address\":\"x\",\"ddci\":1}",
		  "ddci: 1 cannot be combined with type CI" },
		{ "{\"type\":\"CI\",\"address\":\"x\",\"adapter\":256}",
		  "adapter: " },
		{ "{\"ddci\":256}", "ddci: " },
		{ "{\"ddci\":1,\"ddci_device\":-1}", "ddci_device: " },
		{ "{\"ddci\":1,\"bitrate\":0}", "bitrate: " },
		{ "{\"ddci\":1,\"bitrate\":201}", "bitrate: " },
		{ "{\"ddci\":1,\"ca_limit\":65}", "ca_limit: " },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *adapter = json_loads(cases[i].adapter, 0, NULL);
		struct errmsg error = { "" };
		struct ci_spec spec;
		int r = ci_spec_parse(adapter, &spec, &error);

		cr_expect_eq(r < 0, cases[i].error[0] != '\0', "%s",
			     cases[i].adapter);
		cr_expect_eq(strncmp(error.text, cases[i].error,
				     strlen(cases[i].error)), 0, "%s: %s",
			     cases[i].adapter, error.text);
		cr_expect(r < 0 || spec.used);
		json_decref(adapter);
	}
}
