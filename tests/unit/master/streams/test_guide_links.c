/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events for streams with own EIT, with a guide that answers when a test
 * wants. */
#include "master/streams/guide_links.h"

#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/base/shared.h"
#include "master/streams/epg_proc.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>
#include <string.h>

/* The guide, and the question that it has. */
static struct {
	unsigned asked;
	char source[32];
	bool events;
	epg_done_fn *done;
	void *arg;
} fake;

static char sent[400]; /* "stream place other," of each, in order */
static struct ev_loop *loop;
static struct guide_links *links;

int epg_proc_write_eit(struct epg_proc *p, const struct msg_epg_eit *question,
		       epg_done_fn *done, void *arg)
{
	(void)p;
	(void)snprintf(fake.source, sizeof fake.source, "%s",
		       question->stream);
	fake.events = question->events;
	fake.asked++;
	fake.done = done;
	fake.arg = arg;
	return 0;
}

static void on_send(const char *stream, const struct msg_stream_guide *m,
		    int fd, void *arg)
{
	char *to = sent + strlen(sent);

	(void)arg;
	cr_expect_geq(fd, 0);
	(void)snprintf(to, sizeof sent - strlen(sent), "%s %u %s,", stream,
		       m->place, m->stream);
}

static void init(void)
{
	loop = ev_loop_new(0);
	links = guide_links_new(&(struct guide_links_config){
		.loop = loop, .send = on_send });
}

static void done(void)
{
	guide_links_free(&links);
	ev_loop_destroy(loop);
}

static void set(const char *stream, const char *keys)
{
	json_error_t error;
	json_t *object = json_loads(keys, 0, &error);

	cr_assert_not_null(object, "%s", error.text);
	guide_links_set(links, stream, object);
	json_decref(object);
}

/* len 0: an error. */
static void reply(size_t len, uint64_t hash)
{
	int fd = shared_create("test", 10);
	epg_done_fn *answer = fake.done;

	cr_assert_not_null(answer);
	fake.done = NULL;
	answer(&(struct epg_answer){ .fd = fd, .len = len, .hash = hash,
				     .error = len > 0 ? "" : "an error" },
	       fake.arg);
	fd_close(&fd);
}

static void expect_sent(const char *wanted)
{
	cr_expect_str_eq(sent, wanted);
	sent[0] = '\0';
}

/* The next question, after the pause. */
static void await(const char *source)
{
	uint64_t end_ms = mono_ms() + 10000;

	while (fake.done == NULL && mono_ms() < end_ms)
		ev_run(loop, EVRUN_ONCE);
	cr_assert_not_null(fake.done);
	cr_expect_str_eq(fake.source, source);
}

static const char own[] = "{\"enable\": true, \"eit\": \"own\"}";

Test(guide_links, an_answer_that_fails_does_not_keep_the_others_away)
{
	init();
	set("a", own);
	set("b", own);
	set("c", own);
	cr_expect_str_eq(fake.source, "a");
	reply(0, 0);
	await("b");
	reply(0, 0);
	await("c");
	reply(5, 1);
	expect_sent("c 0 ,");
	/* each has a pause of its own, which grows */
	await("a");
	reply(0, 0);
	await("b");
	reply(5, 1);
	expect_sent("b 0 ,");
	/* a change is asked for at once */
	guide_links_stale(links, "a");
	cr_expect_str_eq(fake.source, "a");
	reply(5, 1);
	expect_sent("a 0 ,");
	cr_expect_eq(fake.asked, 6);
	done();
}

Test(guide_links, a_worker_gets_the_events_of_others_with_their_list)
{
	init();
	set("a", "{\"enable\": true, \"eit\": \"own\", \"nit\": \"own\", "
	    "\"nit_other\": [\"b\"], \"eit_other\": \"all\"}");
	reply(5, 1);
	cr_expect_str_eq(fake.source, "b");
	reply(5, 2);
	expect_sent("a 0 ,a 0 b,");
	/* the same again: the worker has them */
	guide_links_stale(links, NULL);
	reply(5, 1);
	reply(5, 2);
	expect_sent("");
	guide_links_up(links, "a");
	expect_sent("a 0 ,a 0 b,");
	guide_links_network(links, "a");
	expect_sent("a 0 b,");
	guide_links_network(links, "b");
	expect_sent("");
	done();
}

Test(guide_links, an_sdt_other_needs_no_events)
{
	init();
	set("a", "{\"enable\": true, \"nit\": \"own\", "
	    "\"nit_other\": [\"b\"], \"sdt_other\": true}");
	cr_expect_str_eq(fake.source, "b");
	cr_expect_not(fake.events);
	reply(5, 1);
	expect_sent("a 0 b,");
	/* they are wanted now */
	set("a", "{\"enable\": true, \"nit\": \"own\", "
	    "\"nit_other\": [\"b\"], \"sdt_other\": true, "
	    "\"eit_other\": \"present\"}");
	cr_expect_eq(fake.asked, 2);
	cr_expect(fake.events);
	reply(9, 2);
	expect_sent("a 0 b,");
	done();
}

Test(guide_links, a_multiplex_gets_the_events_of_the_streams_that_it_reads)
{
	init();
	set("m", "{\"enable\": true, \"eit\": \"own\", \"bitrate\": 20000, "
	    "\"input\": [\"stream://x\", \"udp://127.0.0.1:5000\", "
	    "\"stream://y\"]}");
	reply(5, 1);
	cr_expect_str_eq(fake.source, "x");
	reply(5, 2);
	cr_expect_str_eq(fake.source, "y");
	reply(5, 3);
	expect_sent("m 0 ,m 1 ,m 3 ,");
	/* a new id of a source asks nothing */
	guide_links_rename(links, "x", "z");
	cr_expect_eq(fake.asked, 3);
	guide_links_stale(links, "z");
	cr_expect_str_eq(fake.source, "z");
	reply(5, 4);
	expect_sent("m 1 ,");
	done();
}

Test(guide_links, a_stream_without_own_eit_gets_none)
{
	init();
	set("a", "{\"enable\": true}");
	set("b", "{\"enable\": false, \"eit\": \"own\"}");
	set("c", "{\"enable\": true, \"eit\": \"off\"}");
	cr_expect_eq(fake.asked, 0);
	/* of one service */
	set("a", "{\"enable\": true, \"sdt\": [{\"pnr\": 1, "
	    "\"eit\": \"own\"}]}");
	cr_expect_str_eq(fake.source, "a");
	/* it goes while it is asked about */
	guide_links_remove(links, "a");
	reply(5, 1);
	expect_sent("");
	done();
}
