/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of streams at the play port, which the master writes. */
#include "worker/deliver/stream_lists.h"

#include "common/base/mono.h"
#include "common/base/shared.h"
#include "tests/unit/worker/deliver/rig.h"
#include "worker/deliver/deliver_inner.h"
#include "worker/deliver/visit.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET(path) "GET " path " HTTP/1.1\r\nHost: tv:81\r\n\r\n"

/* The question that the master got last. */
struct scene {
	struct rig rig;
	unsigned n;
	uint32_t seq;
	char path[64], peer[64], host[64], query[64];
};

static int on_send(const struct msg *m, void *arg)
{
	const struct msg_deliver_playlist *q = &m->deliver_playlist;
	struct scene *s = arg;

	if (m->type != MSG_DELIVER_PLAYLIST)
		return 0;
	s->n++;
	s->seq = m->seq;
	(void)snprintf(s->path, sizeof s->path, "%s", q->path);
	(void)snprintf(s->peer, sizeof s->peer, "%s", q->peer);
	(void)snprintf(s->host, sizeof s->host, "%s", q->host);
	(void)snprintf(s->query, sizeof s->query, "%s", q->query);
	return 0;
}

static void init(struct scene *s)
{
	*s = (struct scene){ 0 };
	rig_init_with(&s->rig, RING_UNIT, &(struct deliver_config){
		.send = on_send, .arg = s,
	});
}

static bool is_asked(void *arg)
{
	const struct scene *s = arg;

	return s->seq != 0;
}

static void await_question(struct scene *s)
{
	rig_until(&s->rig, is_asked, s);
}

static void answer(struct scene *s, uint32_t seq, unsigned status,
		   const char *text)
{
	int fd = memfd_create("list", MFD_CLOEXEC);

	cr_assert_eq(pwrite(fd, text, strlen(text), 0), (ssize_t)strlen(text));
	deliver_page(s->rig.deliver, &(struct msg_deliver_page){
		.status = status, .type = "text/x-list", .etag = "" },
		     seq, fd);
	(void)close(fd);
	s->seq = 0;
}

/* The status; *ret_body (may be NULL) gets the body. */
static unsigned receive(struct scene *s, int fd, char ret_head[1024],
			char ret_body[256])
{
	const char *len_text;
	unsigned status = 0;
	size_t len;
	char body[256];

	rig_read_head(&s->rig, fd, ret_head, 1024);
	cr_assert_eq(sscanf(ret_head, "HTTP/1.1 %u ", &status), 1);
	len_text = strstr(ret_head, "\r\nContent-Length: ");
	cr_assert_not_null(len_text, "%s", ret_head);
	len = strtoul(len_text + strlen("\r\nContent-Length: "), NULL, 10);
	cr_assert_lt(len, sizeof body);
	rig_read(&s->rig, fd, body, len);
	body[len] = '\0';
	if (ret_body != NULL)
		memcpy(ret_body, body, len + 1);
	return status;
}

static void expect_status(struct scene *s, int fd, unsigned status)
{
	char head[1024];

	cr_assert_eq(receive(s, fd, head, NULL), status, "%s", head);
}

static void say(int fd, const char *text)
{
	cr_assert_eq(send(fd, text, strlen(text), 0), (ssize_t)strlen(text));
}

Test(stream_lists, the_master_writes_what_the_client_gets)
{
	char head[1024], body[256];
	struct scene s;
	int fd;

	init(&s);
	fd = rig_request(&s.rig, GET("/playlist.m3u8?token=a%26b"));
	await_question(&s);
	cr_assert_str_eq(s.peer, "127.0.0.1");
	cr_assert_str_eq(s.host, "tv:81");
	cr_assert_str_eq(s.query, "token=a%26b");
	cr_assert_str_eq(s.path, "/playlist.m3u8");
	/* to another question */
	answer(&s, s.seq + 1, 200, "other");
	answer(&s, 1, 200, "#EXTM3U\n");
	cr_assert_eq(receive(&s, fd, head, body), 200);
	cr_assert_str_eq(body, "#EXTM3U\n");
	cr_assert_not_null(strstr(head, "Content-Type: text/x-list\r\n"));
	/* the next one of the same connection */
	say(fd, GET("/playlist.xspf"));
	await_question(&s);
	cr_assert_str_eq(s.path, "/playlist.xspf");
	answer(&s, s.seq, 200, "<playlist/>");
	cr_assert_eq(receive(&s, fd, head, body), 200);
	cr_assert_str_eq(body, "<playlist/>");
	say(fd, "HEAD /playlist.m3u8 HTTP/1.1\r\nHost: x\r\n\r\n");
	await_question(&s);
	answer(&s, s.seq, 200, "#EXTM3U\n");
	rig_read_head(&s.rig, fd, head, sizeof head);
	cr_assert_not_null(strstr(head, "Content-Length: 8\r\n"), "%s", head);
	say(fd, GET("/playlist.m3u8"));
	await_question(&s);
	answer(&s, s.seq, 403, "");
	expect_status(&s, fd, 403);
	(void)close(fd);
	rig_done(&s.rig);
}

Test(stream_lists, no_answer_and_other_paths_are_errors)
{
	struct scene s;
	int fd, left;

	init(&s);
	left = rig_request(&s.rig, GET("/playlist.m3u8"));
	await_question(&s);
	(void)close(left);
	rig_turn(&s.rig, 20);
	answer(&s, 1, 200, "late");
	fd = rig_request(&s.rig, GET("/playlist.m3u"));
	expect_status(&s, fd, 404);
	(void)close(fd);
	fd = rig_request(&s.rig, "POST /playlist.m3u8 HTTP/1.1\r\n"
			 "Host: x\r\nContent-Length: 0\r\n\r\n");
	expect_status(&s, fd, 405);
	(void)close(fd);
	cr_assert_eq(s.n, 1);
	rig_done(&s.rig);
}

/* The port has moved to another address. */
Test(stream_lists, a_connection_keeps_the_play_paths_of_a_closed_port)
{
	struct scene s;
	int fd;

	init(&s);
	fd = rig_request(&s.rig, GET("/playlist.m3u8"));
	await_question(&s);
	answer(&s, s.seq, 200, "#EXTM3U\n");
	expect_status(&s, fd, 200);
	rig_unlisten(&s.rig);
	say(fd, GET("/playlist.m3u8"));
	await_question(&s);
	answer(&s, s.seq, 200, "#EXTM3U\n");
	expect_status(&s, fd, 200);
	/* an output has the address */
	deliver_listen(s.rig.deliver, &(struct msg_deliver_listen){
		RIG_ADDRESS, 0, false }, rig_listener(&s.rig.port));
	say(fd, GET("/playlist.m3u8"));
	await_question(&s);
	answer(&s, s.seq, 200, "#EXTM3U\n");
	expect_status(&s, fd, 200);
	(void)close(fd);
	rig_done(&s.rig);
}

Test(stream_lists, a_port_of_outputs_has_no_list)
{
	struct scene s;
	int fd;

	init(&s);
	deliver_listen(s.rig.deliver, &(struct msg_deliver_listen){
		RIG_ADDRESS, 0, false }, rig_listener(&s.rig.port));
	fd = rig_request(&s.rig, GET("/playlist.m3u8"));
	expect_status(&s, fd, 404);
	(void)close(fd);
	cr_assert_eq(s.n, 0);
	rig_done(&s.rig);
}

enum { MANY = 4 * PLAYLISTS_PER_CLIENT_MAX };

/* The requests of MANY that were rejected; in at most two seconds. */
static unsigned ask_often(struct scene *s, const char *request)
{
	unsigned rejected = 0;
	int fds[MANY];

	for (unsigned i = 0; i < MANY; i++)
		fds[i] = rig_request(&s->rig, request);
	await_question(s);
	rig_turn(&s->rig, 20);
	for (unsigned i = 0; i < MANY; i++) {
		char byte;

		rejected += recv(fds[i], &byte, 1, MSG_PEEK) == 1;
		(void)close(fds[i]);
	}
	return rejected;
}

Test(stream_lists, a_client_gets_so_many_a_second)
{
	struct scene s;

	init(&s);
	cr_assert_eq(ask_often(&s, GET("/playlist.m3u8")), MANY - s.n);
	cr_assert_leq(s.n, 2U * PLAYLISTS_PER_CLIENT_MAX);
	rig_done(&s.rig);
}

/* Many players may share an address. */
Test(stream_lists, a_client_gets_more_master_playlists)
{
	struct scene s;

	init(&s);
	cr_assert_eq(ask_often(&s, GET("/play/news/master.m3u8")), 0);
	cr_assert_eq(s.n, (unsigned)MANY);
	rig_done(&s.rig);
}

Test(stream_lists, a_question_without_an_answer_ends)
{
	struct scene s;
	int fd;

	init(&s);
	fd = rig_request(&s.rig, GET("/playlist.m3u8"));
	await_question(&s);
	stream_lists_expire(&s.rig.deliver->lists,
			    mono_ms() + LISTS_WAIT_MS);
	expect_status(&s, fd, 503);
	(void)close(fd);
	cr_assert_eq(s.rig.deliver->lists.n, 0);
	rig_done(&s.rig);
}

Test(stream_lists, lists_on_their_way_have_a_limit)
{
	struct scene s;
	int fd;

	init(&s);
	fd = rig_request(&s.rig, GET("/playlist.m3u8"));
	await_question(&s);
	s.rig.deliver->lists.bytes = LISTS_BYTES_MAX - 2;
	answer(&s, s.seq, 200, "long");
	expect_status(&s, fd, 503);
	(void)close(fd);
	/* that of the connection is counted until the next request */
	s.rig.deliver->lists.bytes = 0;
	fd = rig_request(&s.rig, GET("/playlist.m3u8"));
	await_question(&s);
	answer(&s, s.seq, 200, "long");
	cr_assert_eq(s.rig.deliver->lists.bytes, 4);
	expect_status(&s, fd, 200);
	rig_turn(&s.rig, 20);
	cr_assert_eq(s.rig.deliver->lists.bytes, 0);
	(void)close(fd);
	rig_done(&s.rig);
}

/* --- the programme guide --- */

static int memory_of(const char *text)
{
	int fd = shared_create("guide", 4096);

	cr_assert_eq(pwrite(fd, text, strlen(text), 0), (ssize_t)strlen(text));
	return fd;
}

static void answer_guide(struct scene *s, int memory, uint32_t len)
{
	deliver_page(s->rig.deliver, &(struct msg_deliver_page){
		.status = 200, .type = "application/xml", .len = len,
		.etag = "\"1f\"" }, s->seq, memory);
	s->seq = 0;
}

static int ask_guide(struct scene *s, const char *request)
{
	int fd = rig_request(&s->rig, request);

	await_question(s);
	return fd;
}

Test(stream_lists, clients_share_the_memory_of_a_guide)
{
	int memory = memory_of("<tv/>\n"), fd, other;
	char head[1024], body[256];
	struct scene s;

	init(&s);
	fd = ask_guide(&s, GET("/epg.xml?token=a"));
	cr_assert_str_eq(s.path, "/epg.xml");
	cr_assert_str_eq(s.query, "token=a");
	answer_guide(&s, memory, 6);
	other = ask_guide(&s, GET("/epg.xml.gz"));
	answer_guide(&s, memory, 6);
	cr_assert_eq(s.rig.deliver->lists.guide_bytes, 6);
	cr_assert_eq(receive(&s, fd, head, body), 200);
	cr_assert_str_eq(body, "<tv/>\n");
	cr_assert_not_null(strstr(head, "ETag: \"1f\"\r\n"), "%s", head);
	cr_assert_eq(receive(&s, other, head, body), 200);
	cr_assert_str_eq(body, "<tv/>\n");
	rig_turn(&s.rig, 20);
	stream_lists_expire(&s.rig.deliver->lists, mono_ms());
	cr_assert_eq(s.rig.deliver->lists.guide_bytes, 0);
	(void)close(fd);
	(void)close(other);
	(void)close(memory);
	rig_done(&s.rig);
}

Test(stream_lists, a_client_that_has_the_guide_gets_304)
{
	int memory = memory_of("<tv/>\n"), fd;
	struct scene s;
	char head[1024];

	init(&s);
	fd = ask_guide(&s, "GET /epg.xml HTTP/1.1\r\nHost: x\r\n"
		       "If-None-Match: \"0\", \"1f\"\r\n\r\n");
	answer_guide(&s, memory, 6);
	rig_read_head(&s.rig, fd, head, sizeof head);
	cr_assert_not_null(strstr(head, "HTTP/1.1 304 "), "%s", head);
	cr_assert_eq(s.rig.deliver->lists.guide_bytes, 0);
	(void)close(fd);
	fd = ask_guide(&s, "HEAD /epg.xml HTTP/1.1\r\nHost: x\r\n\r\n");
	answer_guide(&s, memory, 6);
	rig_read_head(&s.rig, fd, head, sizeof head);
	cr_assert_not_null(strstr(head, "Content-Length: 6\r\n"), "%s", head);
	(void)close(fd);
	(void)close(memory);
	rig_done(&s.rig);
}

Test(stream_lists, a_guide_without_room_is_rejected)
{
	int memory = memory_of("<tv/>\n"), fd;
	struct scene s;

	init(&s);
	/* longer than its memory */
	fd = ask_guide(&s, GET("/epg.xml"));
	answer_guide(&s, memory, 4097);
	expect_status(&s, fd, 503);
	(void)close(fd);
	s.rig.deliver->lists.guide_bytes = GUIDES_BYTES_MAX - 5;
	fd = ask_guide(&s, GET("/epg.xml"));
	answer_guide(&s, memory, 6);
	expect_status(&s, fd, 503);
	(void)close(fd);
	(void)close(memory);
	rig_done(&s.rig);
}

Test(stream_lists, a_guide_may_take_longer_than_a_list)
{
	struct scene s;
	int list, guide;

	init(&s);
	guide = ask_guide(&s, GET("/epg.xml"));
	s.seq = 0;
	list = ask_guide(&s, GET("/playlist.m3u8"));
	stream_lists_expire(&s.rig.deliver->lists,
			    mono_ms() + LISTS_WAIT_MS);
	expect_status(&s, list, 503);
	cr_assert_eq(s.rig.deliver->lists.n, 0);
	cr_assert_eq(s.rig.deliver->lists.n_guides, 1);
	stream_lists_expire(&s.rig.deliver->lists,
			    mono_ms() + GUIDES_WAIT_MS);
	expect_status(&s, guide, 503);
	cr_assert_eq(s.rig.deliver->lists.n_guides, 0);
	(void)close(list);
	(void)close(guide);
	rig_done(&s.rig);
}

/* A request for the guide by way of a proxy of this host. */
static int ask_guide_as(struct scene *s, const char *address, bool *ret_asked)
{
	unsigned before = s->n;
	char text[128];
	int fd;

	/* of a second */
	s->rig.deliver->lists.limit = (struct playlist_limit){ 0 };
	(void)snprintf(text, sizeof text, "GET /epg.xml HTTP/1.1\r\n"
		       "Host: x\r\nX-Real-IP: %s\r\n\r\n", address);
	fd = rig_request(&s->rig, text);
	rig_turn(&s->rig, 20);
	*ret_asked = s->n > before;
	return fd;
}

Test(stream_lists, an_address_leaves_guides_for_others)
{
	static const char mine[] = "192.0.2.1";
	int fds[GUIDES_PER_ADDRESS], fd, memory = memory_of("<tv/>\n");
	struct scene s;
	bool asked;

	init(&s);
	deliver_set_policy(s.rig.deliver, &(struct msg_deliver_policy){
		.real_ip = true });
	deliver_limit(s.rig.deliver, &(struct msg_deliver_limits){
		.per_address = 512, .n_proxies = 1,
		.proxies = { "127.0.0.1" } });
	for (unsigned i = 0; i < GUIDES_PER_ADDRESS; i++) {
		fds[i] = ask_guide_as(&s, mine, &asked);
		cr_assert(asked, "%u", i);
	}
	fd = ask_guide_as(&s, mine, &asked);
	cr_assert_not(asked);
	expect_status(&s, fd, 503);
	(void)close(fd);
	fd = ask_guide_as(&s, "192.0.2.2", &asked);
	cr_assert(asked);
	(void)close(fd);
	/* a client that got its guide has its place again */
	fd = fds[GUIDES_PER_ADDRESS - 1];
	s.seq = GUIDES_PER_ADDRESS;
	answer_guide(&s, memory, 6);
	expect_status(&s, fd, 200);
	rig_turn(&s.rig, 20);
	fd = ask_guide_as(&s, mine, &asked);
	cr_assert(asked);
	(void)close(fd);
	for (unsigned i = 0; i < GUIDES_PER_ADDRESS; i++)
		(void)close(fds[i]);
	(void)close(memory);
	rig_done(&s.rig);
}

Test(stream_lists, a_new_master_is_asked_again)
{
	struct scene s;
	int fd, guide;
	uint32_t old;

	init(&s);
	guide = ask_guide(&s, GET("/epg.xml"));
	old = s.seq;
	s.seq = 0;
	deliver_renew(s.rig.deliver);
	deliver_listen(s.rig.deliver, &(struct msg_deliver_listen){
		RIG_ADDRESS, 0, true }, rig_listener(&s.rig.port));
	rig_remount(&s.rig);
	deliver_settle(s.rig.deliver, &(struct msg_deliver_settle){
		.retire = false });
	cr_assert_neq(s.seq, 0);
	cr_assert_neq(s.seq, old);
	s.seq = 0;
	/* above the limit of a second there is an answer at once */
	fd = ask_guide(&s, GET("/playlist.m3u8"));
	for (unsigned i = 0; i < 2 * PLAYLISTS_PER_CLIENT_MAX; i++)
		visit_lists_again(s.rig.deliver);
	expect_status(&s, guide, 503);
	expect_status(&s, fd, 503);
	cr_assert_eq(s.rig.deliver->lists.n, 0);
	cr_assert_eq(s.rig.deliver->lists.n_guides, 0);
	(void)close(fd);
	(void)close(guide);
	rig_done(&s.rig);
}

Test(stream_lists, guides_that_wait_take_no_place_of_a_list)
{
	struct scene s;
	int fd;

	init(&s);
	s.rig.deliver->lists.n_guides = GUIDES_WAITING_MAX;
	fd = rig_request(&s.rig, GET("/epg.xml"));
	expect_status(&s, fd, 503);
	cr_assert_eq(s.n, 0);
	(void)close(fd);
	fd = ask_guide(&s, GET("/playlist.m3u8"));
	answer(&s, s.seq, 200, "#EXTM3U\n");
	expect_status(&s, fd, 200);
	(void)close(fd);
	s.rig.deliver->lists.n_guides = 0;
	s.rig.deliver->lists.n = LISTS_MAX;
	fd = ask_guide(&s, GET("/epg.xml"));
	answer(&s, s.seq, 403, "");
	expect_status(&s, fd, 403);
	cr_assert_eq(s.rig.deliver->lists.n, LISTS_MAX);
	cr_assert_eq(s.rig.deliver->lists.n_guides, 0);
	(void)close(fd);
	rig_done(&s.rig);
}
