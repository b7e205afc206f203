/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/ws/hub.h"

#include "common/base/alloc.h"
#include "config.h"
#include "tests/unit/common/ws/hub_site.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

enum { PAYLOAD = 1000 };

/* A frame of n bytes, most of it noise. */
static void broadcast_large(struct site *s, unsigned n)
{
	char noise[PAYLOAD + 1] = "";
	json_t *message;

	memset(noise, 'x', PAYLOAD);
	message = json_pack("{s:I, s:s}", "n", (json_int_t)n, "x", noise);
	hub_broadcast(s->hub, message, HUB_AT_ONCE);
	json_decref(message);
}

/* --- handshake --- */

Test(ws_hub, shakes_hands_with_a_key)
{
	struct site *s = site_open();
	struct client c = visit(s);

	/* the example of RFC 6455 1.3 */
	cr_assert(client_say(&c, "GET / HTTP/1.1\r\nHost: a\r\n" UPGRADE
				 "Sec-WebSocket-Version: 13\r\n"
				 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
				 "\r\n\r\n"));
	cr_assert(client_expect(&c, "\r\n\r\n"));
	cr_assert(client_has(&c, "HTTP/1.1 101 Switching Protocols\r\n"));
	cr_assert(client_has(&c, "\r\nUpgrade: websocket\r\n"));
	cr_assert(client_has(&c, "\r\nConnection: Upgrade\r\n"));
	cr_assert(client_has(&c, "\r\nSec-WebSocket-Accept: "
			  "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
	cr_assert_eq(hub_clients(s->hub), 1);
	client_close(&c);
	site_close(s);
}

Test(ws_hub, asks_for_nothing_but_upgrade)
{
	static const char *const enough[] = {
		"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: WebSocket\r\n"
		"Sec-WebSocket-Version: 7\r\n"
		"Sec-WebSocket-Protocol: tea\r\n\r\n",
	};
	struct site *s = site_open();

	for (size_t i = 0; i < ARRAY_LEN(enough); i++) {
		struct client c = visit(s);

		cr_assert(client_say(&c, enough[i]));
		cr_assert(client_expect(&c, "\r\n\r\n"));
		cr_assert(client_has(&c, "HTTP/1.1 101 "));
		cr_assert_not(client_has(&c, "Sec-WebSocket-Accept"));
		cr_assert_not(client_has(&c, "Sec-WebSocket-Protocol"));
		client_close(&c);
	}
	site_close(s);
}

Test(ws_hub, answers_400_without_upgrade)
{
	static const char *const wrong[] = {
		"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nUpgrade:\r\n\r\n",
	};
	struct site *s = site_open();

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct client c = visit(s);

		cr_assert(client_say(&c, wrong[i]));
		cr_assert(client_expect(&c, "\r\n\r\n"));
		cr_assert(client_has(&c, "HTTP/1.1 400 "));
		client_close(&c);
	}
	cr_assert_eq(hub_clients(s->hub), 0);
	site_close(s);
}

/* --- messages of a client --- */

Test(ws_hub, answers_ping_that_came_with_the_handshake)
{
	struct site *s = site_open();
	struct client c = visit(s);

	cr_assert(client_send(&c, ASK("/") PING PING,
			      sizeof(ASK("/") PING PING) - 1));
	cr_assert(client_expect(&c, "\x81\x04pong\x81\x04pong"));
	client_close(&c);
	site_close(s);
}

static const struct said {
	const char *what;
	const char *bytes;
	size_t len;
	const char *answer;
	size_t answer_len;
	bool ends;
} said[] = {
#define S(what, bytes, answer, ends) \
	{ what, bytes, sizeof(bytes) - 1, answer, sizeof(answer) - 1, ends }
	S("ping", PING, "\x81\x04pong", false),
	S("ping, fragmented", "\x01\x82\0\0\0\0pi\x80\x82\0\0\0\0ng",
	  "\x81\x04pong", false),
	S("control ping", "\x89\x83\0\0\0\0abc", "\x8a\x03" "abc", false),
	S("control pong", "\x8a\x83\0\0\0\0abc", "", false),
	S("other text", "\x81\x84\0\0\0\0pong", "\x88\x02\x03\xf0", true),
	S("empty text", "\x81\x80\0\0\0\0", "\x88\x02\x03\xf0", true),
	S("ping with a tail", "\x81\x85\0\0\0\0ping!", "\x88\x02\x03\xf0",
	  true),
	S("ping, then more", PING "\x81\x81\0\0\0\0x" PING,
	  "\x81\x04pong\x88\x02\x03\xf0", true),
	S("binary", "\x82\x84\0\0\0\0ping", "", true),
	S("too large", "\x81\xff\0\0\0\0\0\x04\0\x01\0\0\0\0x", "", true),
	S("not masked", "\x81\x04ping", "\x88\x02\x03\xea", true),
	S("RSV1", "\xc1\x84\0\0\0\0ping", "\x88\x02\x03\xea", true),
	S("bad UTF-8", "\x81\x81\0\0\0\0\xff", "\x88\x02\x03\xea", true),
	S("close", "\x88\x82\0\0\0\0\x03\xe8", "", true),
	S("close without a code", "\x88\x80\0\0\0\0", "", true),
};

Test(ws_hub, answers_by_the_table)
{
	struct site *s = site_open();

	for (size_t i = 0; i < ARRAY_LEN(said); i++) {
		const struct said *v = &said[i];
		struct client c = join(s, ASK("/live"));

		cr_assert(client_send(&c, v->bytes, v->len));
		if (v->ends)
			cr_assert(client_expect_end(&c), "%s: reset", v->what);
		else if (v->answer_len > 0)
			cr_assert(client_want(&c, v->answer_len));
		else
			drive_for(s->loop, 10);
		cr_assert_eq(buf_len(&c.in), v->answer_len, "%s: %zu bytes",
			     v->what, buf_len(&c.in));
		if (v->answer_len > 0)
			cr_assert_eq(memcmp(buf_head(&c.in), v->answer,
					    v->answer_len), 0, "%s", v->what);
		client_close(&c);
	}
	site_close(s);
}

static bool no_clients(void *arg)
{
	return hub_clients(((struct site *)arg)->hub) == 0;
}

Test(ws_hub, removes_a_client_that_leaves_or_breaks_the_protocol)
{
	struct site *s = site_open();
	struct client a = join(s, ASK("/")), b = join(s, ASK("/"));

	cr_assert_eq(hub_clients(s->hub), 2);
	client_close(&a);
	client_reset(&b);
	drive(s->loop, no_clients, s);
	cr_assert_not(hub_has_listeners(s->hub));
	site_close(s);
}

Test(ws_hub, drops_a_client_that_stays_after_the_close_frame)
{
	struct site *s = site_open();
	struct client c = join(s, ASK("/"));

	cr_assert(client_say(&c, "unmasked"));
	cr_assert(client_expect_end(&c));
	cr_assert_not(hub_has_listeners(s->hub));
	drive(s->loop, no_clients, s);
	client_close(&c);
	site_close(s);
}

/* A client that only asks holds a few KiB, not its whole backlog. */
Test(ws_hub, stops_reading_from_a_client_that_does_not_read)
{
	struct site *s = site_open();
	struct client c = join(s, ASK("/live"));
	struct buf pings = { 0 };
	unsigned sent = 0;
	bool full = false;

	for (unsigned i = 0; i < 1000; i++)
		buf_append(&pings, PING, sizeof PING - 1);
	for (unsigned i = 0; i < 10000 && !full; i++) {
		ssize_t n = send(c.fd, buf_head(&pings), buf_len(&pings),
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		full = n < (ssize_t)buf_len(&pings);
		if (n > 0)
			sent += (unsigned)n;
		drive_for(s->loop, 1);
	}
	cr_assert(full, "%u bytes were taken", sent);
	cr_assert_eq(hub_clients(s->hub), 1);
	/* and continues when it reads: each ping was answered */
	cr_assert(client_want(&c, sent / (sizeof PING - 1) * 6));
	buf_done(&pings);
	client_close(&c);
	site_close(s);
}

/* --- broadcasts --- */

Test(ws_hub, sends_events_to_listeners_only)
{
	struct site *s = site_open();
	struct client live = join(s, ASK("/live")), c;

	cr_assert_not(hub_has_listeners(s->hub));
	broadcast(s, 0, HUB_SOON);
	c = join(s, ASK("/"));
	cr_assert(hub_has_listeners(s->hub));
	broadcast(s, 1, HUB_AT_ONCE);
	cr_assert(client_expect(&c, "{\"scope\":\"test\",\"n\":1}"));
	cr_assert_eq(buf_head(&c.in)[0], 0x81);
	cr_assert_eq(buf_head(&c.in)[1], buf_len(&c.in) - 2);
	cr_assert(client_say(&live, "x"));
	cr_assert(client_send(&live, PING, sizeof PING - 1));
	(void)client_expect_end(&live);
	cr_assert_not(client_has(&live, "scope"));
	client_close(&live);
	client_close(&c);
	site_close(s);
}

Test(ws_hub, sends_no_earlier_event_to_a_new_client)
{
	struct site *s = site_open();
	struct client a = join(s, ASK("/")), b;

	broadcast(s, 1, HUB_SOON);
	b = join(s, ASK("/"));
	broadcast(s, 2, HUB_AT_ONCE);
	cr_assert(client_expect(&a, "\"n\":2"));
	cr_assert(client_has(&a, "\"n\":1"));
	cr_assert(client_expect(&b, "\"n\":2"));
	cr_assert_not(client_has(&b, "\"n\":1"));
	client_close(&a);
	client_close(&b);
	site_close(s);
}

Test(ws_hub, lets_no_client_write_because_another_comes)
{
	struct site *s = site_open();
	struct client a = join(s, ASK("/")), b;
	ev_tstamp start = ev_now(s->loop); /* the start of the delay */
	char byte;

	broadcast(s, 1, HUB_SOON);
	b = join(s, ASK("/"));
	/* else the machine took so long that the flush is due */
	if (ev_now(s->loop) < start + HUB_FLUSH_MS / 1e3)
		cr_expect_lt(recv(a.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT), 0,
			     "it was written for the handshake");
	broadcast(s, 2, HUB_SOON);
	cr_assert(client_expect(&a, "\"n\":2"));
	cr_assert(client_has(&a, "\"n\":1"));
	client_close(&a);
	client_close(&b);
	site_close(s);
}

Test(ws_hub, keeps_the_order_of_urgent_and_patient_messages)
{
	struct site *s = site_open();
	struct client c = join(s, ASK("/"));
	const char *at;

	for (unsigned i = 0; i < 1000; i++) {
		broadcast(s, i, i % 7 ? HUB_SOON : HUB_AT_ONCE);
		if (i % 50 == 0)
			drive_for(s->loop, 1);
	}
	cr_assert(client_expect(&c, "\"n\":999}"));
	at = client_text(&c);
	for (unsigned i = 0; i < 1000; i++) {
		char text[32];

		snprintf(text, sizeof text, "\"n\":%u}", i);
		at = strstr(at, text);
		cr_assert_not_null(at, "%s is missing", text);
	}
	client_close(&c);
	site_close(s);
}

Test(ws_hub, writes_patient_messages_together)
{
	struct site *s = site_open();
	struct client c = join(s, ASK("/"));
	ev_tstamp start = ev_now(s->loop); /* the start of the delay */

	for (unsigned i = 0; i < 200; i++)
		broadcast(s, i, HUB_SOON);
	cr_assert(client_expect(&c, "\"n\":0}"));
	/* the first comes with the last, and not before the flush */
	cr_assert(client_has(&c, "\"n\":199}"));
	cr_assert_geq(ev_now(s->loop) - start, HUB_FLUSH_MS / 1e3 - 0.001);
	client_close(&c);
	site_close(s);
}

Test(ws_hub, answers_ping_while_messages_wait)
{
	struct site *s = site_open();
	struct client c = join(s, ASK("/"));
	ev_tstamp start;

	do { /* again, when held up for as long as a message waits */
		buf_reset(&c.in, 0);
		start = ev_now(s->loop);
		broadcast(s, 1, HUB_SOON);
		cr_assert(client_send(&c, PING, sizeof PING - 1));
		cr_assert(client_expect(&c, "pong"));
	} while (client_has(&c, "\"n\":1") &&
		 ev_now(s->loop) - start >= HUB_FLUSH_MS / 1e3);
	cr_assert_not(client_has(&c, "\"n\":1"));
	cr_assert(client_expect(&c, "\"n\":1"));
	client_close(&c);
	site_close(s);
}

/* --- slow clients --- */

/* Whole frames from the start of c.in; the opcode and code of the last. */
static unsigned count_frames(struct client *c, unsigned *ret_code)
{
	unsigned n = 0;

	*ret_code = 0;
	while (buf_len(&c->in) >= 2) {
		const uint8_t *p = buf_head(&c->in);
		size_t len = p[1], head = 2;

		if (len == 126) {
			head = 4;
			len = (size_t)p[2] << 8 | p[3];
		}
		if (buf_len(&c->in) < head + len)
			break;
		if (p[0] == 0x88)
			*ret_code = (unsigned)p[2] << 8 | p[3];
		else
			cr_assert_eq(p[0], 0x81, "frame %u", n);
		n++;
		buf_take(&c->in, head + len);
	}
	return n;
}

static void shrink(struct client *c)
{
	int size = 4096;

	cr_assert_eq(setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &size,
				sizeof size), 0);
}

Test(ws_hub, cuts_a_slow_client_and_no_other)
{
	struct site *s = site_open();
	struct client slow = join(s, ASK("/")), good = join(s, ASK("/"));
	unsigned n = 0, read = 0, code;

	while (s->lines == 0 && n < 20000) {
		broadcast_large(s, n++);
		ev_run(s->loop, EVRUN_NOWAIT);
		cr_assert(client_want(&good, 1));
		read += count_frames(&good, &code);
	}
	cr_assert_eq(s->lines, 1, "never cut");
	cr_assert_str_eq(s->line, "WebSocket client buffer full, slow client, "
				  "disconnecting");
	while (read < n) {
		cr_assert(client_want(&good, buf_len(&good.in) + 1));
		read += count_frames(&good, &code);
	}
	cr_assert_eq(read, n);
	cr_assert_gt(n * PAYLOAD, HUB_BACKLOG_MAX);
	/* it wakes up: whole frames, then the close */
	(void)client_expect_end(&slow);
	(void)count_frames(&slow, &code);
	cr_assert_eq(code, 1001);
	cr_assert_eq(buf_len(&slow.in), 0, "a frame was cut");
	client_close(&slow);
	client_close(&good);
	site_close(s);
}

static long resident_kib(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long all, resident;

	cr_assert_not_null(f);
	cr_assert_eq(fscanf(f, "%ld %ld", &all, &resident), 2);
	fclose(f);
	return resident * 4;
}

Test(ws_hub, holds_one_copy_for_all_slow_clients)
{
	enum { CLIENTS = 80 };
	struct site *s = site_open();
	struct client slow[CLIENTS];
	long before;

	for (size_t i = 0; i < CLIENTS; i++) {
		slow[i] = join(s, ASK("/"));
		shrink(&slow[i]);
	}
	before = resident_kib();
	for (unsigned n = 0; s->lines == 0 && n < 20000; n++) {
		broadcast_large(s, n);
		ev_run(s->loop, EVRUN_NOWAIT);
	}
	/* a copy for each would be 80 MiB; a sanitizer keeps freed memory */
	cr_assert(SANITIZED || resident_kib() - before < 24 * 1024);
	for (size_t i = 0; i < CLIENTS; i++)
		client_close(&slow[i]);
	drive(s->loop, no_clients, s);
	site_close(s);
}

/* --- limits and the end --- */

Test(ws_hub, makes_room_for_a_listener)
{
	struct site *s = site_open();
	struct client *all = xcalloc(HUB_CLIENTS_MAX, sizeof *all);
	struct rlimit limit;
	struct client c;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (size_t i = 0; i < HUB_CLIENTS_MAX; i++)
		all[i] = join(s, i == 5 ? ASK("/live") : ASK("/"));
	c = visit(s);
	cr_assert(client_say(&c, ASK("/live")));
	cr_assert(client_expect(&c, "HTTP/1.1 503 "));
	client_close(&c);
	c = join(s, ASK("/"));
	(void)client_expect_end(&all[5]);
	client_close(&c);
	for (size_t i = 0; i < HUB_CLIENTS_MAX; i++)
		client_close(&all[i]);
	free(all);
	site_close(s);
}

Test(ws_hub, sends_1001_to_every_client_at_its_end)
{
	struct site *s = site_open();
	struct client a = join(s, ASK("/")), b = join(s, ASK("/live"));

	broadcast(s, 1, HUB_SOON);
	hub_free(&s->hub);
	cr_assert(client_expect_end(&a));
	cr_assert(client_has(&a, "\"n\":1"));
	cr_assert_eq(memcmp(buf_head(&a.in) + buf_len(&a.in) - 4,
			    "\x88\x02\x03\xe9", 4), 0);
	cr_assert(client_expect_end(&b));
	cr_assert_eq(buf_len(&b.in), 4);
	client_close(&a);
	client_close(&b);
	site_close(s);
}

enum { CROWD = 80, PIECE = 250000, FIT = HUB_RECEIVED_MAX / PIECE };

static unsigned count_ended(struct client *all)
{
	unsigned ended = 0;

	for (size_t i = 0; i < CROWD; i++)
		ended += client_has_ended(&all[i]);
	return ended;
}

static bool is_thinned(void *all)
{
	return count_ended(all) >= CROWD - FIT - 1;
}

Test(ws_hub, bounds_unfinished_messages_of_all)
{
	static const char head[] = "\x01\xff\0\0\0\0\0\x03\xd0\x90\0\0\0\0";
	struct site *s = site_open();
	struct client all[CROWD];
	char *piece = xcalloc(1, PIECE);

	/* a text that does not end, of 250,000 bytes */
	for (size_t i = 0; i < CROWD; i++) {
		all[i] = join(s, ASK("/live"));
		(void)(client_send(&all[i], head, sizeof head - 1) &&
		       client_send(&all[i], piece, PIECE));
	}
	drive(s->loop, is_thinned, all);
	drive_for(s->loop, 50);
	cr_assert_leq(count_ended(all), CROWD - FIT + 1);
	for (size_t i = 0; i < CROWD; i++)
		client_close(&all[i]);
	free(piece);
	site_close(s);
}
