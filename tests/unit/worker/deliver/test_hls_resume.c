/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process of the stream ends at every packet, in every manner: the playlist
 * keeps its parts. */
#include "tests/unit/worker/output/ring_hls_rig.h"

#include "worker/deliver/hls_playlist.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SEGMENT_MS = 400,
	PART_MS = 200,
	PICTURE_MS = 40,
	PACKETS = 3, /* of a picture */
	FIRST_MS = 1000, /* two segments are complete */
	LAST_MS = FIRST_MS + SEGMENT_MS,
	AFTER_MS = 1600,
	READS_MIN = 1000,
};

enum manner {
	CRASH,   /* the last packets are not published */
	END,     /* they are */
	GOES_ON, /* the next writer is of the same process */
	MANNERS,
};

static void open_writer(struct rig *r)
{
	int err = 0;

	r->out = ring_out_new(r->fd, r->psi, &err);
	cr_assert_not_null(r->out);
	ring_out_set_hls(r->out, &(struct ring_out_hls){ SEGMENT_MS, 4,
							 PART_MS });
}

/* The packets [from, to) of the picture. */
static void feed(struct rig *r, uint64_t ms, size_t from, size_t to)
{
	struct ts_run run;

	r->in->n = 0;
	add_picture(r, ms);
	run = build_run(r->in);
	run.data += from * TS_PACKET;
	run.n = to - from;
	ring_out_feed(r->out, &run, 1, START + ms * MS);
}

/* The first writer, up to this packet of this picture; it is a process. */
static void write_first(struct rig *r, uint64_t to_ms, size_t packets,
			enum manner manner)
{
	pid_t child = fork();
	int status;

	cr_assert_geq(child, 0);
	if (child == 0) {
		ring_out_free(&r->out);
		open_writer(r);
		live(r, 0, to_ms);
		feed(r, to_ms, 0, packets);
		if (manner == END)
			ring_out_free(&r->out);
		if (manner == GOES_ON)
			ring_out_goes_on(r->out);
		_exit(0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
}

/* Segments that are complete consist of their parts. */
static void expect_whole(const struct ring_segment *s,
			 const struct ring_parts *parts, const char *at)
{
	uint64_t pos = s->pos;
	uint32_t index = 0;

	for (size_t i = 0; i < parts->n; i++) {
		const struct ring_part *p = &parts->list[i];

		if (p->number != s->number)
			continue;
		cr_assert_eq(p->index, index++, "%s: %ju.%u", at,
			     (uintmax_t)p->number, p->index);
		cr_assert_eq(p->pos, pos, "%s: %ju.%u", at,
			     (uintmax_t)p->number, p->index);
		cr_assert_leq(p->duration_ms, (unsigned)PART_MS,
			      "%s: %ju.%u has %u ms", at, (uintmax_t)p->number,
			      p->index, p->duration_ms);
		pos = p->end;
	}
	cr_assert_eq(pos, s->end, "%s: segment %ju", at,
		     (uintmax_t)s->number);
}

static void expect_live(struct rig *r, const char *at)
{
	struct ring_segments all;
	struct ring_parts parts;

	ring_reader_lists(r->reader, 16 * RING_UNIT, &all, &parts);
	cr_assert_geq(all.n, 2, "%s", at);
	cr_assert(hls_parts_are_live(&parts, &all), "%s", at);
	for (size_t i = 0; i < all.n; i++)
		expect_whole(&all.list[i], &parts, at);
}

/* The next writer begins with this packet of this picture. */
static void write_next(struct rig *r, uint64_t from_ms, size_t packet,
		       const char *at)
{
	char text[128];

	open_writer(r);
	expect_live(r, at);
	for (uint64_t ms = from_ms; ms < from_ms + AFTER_MS; ms += PICTURE_MS) {
		(void)snprintf(text, sizeof text, "%s, then %ju ms", at,
			       (uintmax_t)ms);
		for (; packet < PACKETS; packet++) {
			feed(r, ms, packet, packet + 1);
			ring_out_publish(r->out);
			expect_live(r, text);
		}
		packet = 0;
	}
}

static void play(uint64_t ms, size_t packets, enum manner manner,
		 uint64_t lost_ms)
{
	struct rig r;
	char at[96];

	(void)snprintf(at, sizeof at, "%ju ms, packet %zu, manner %u, lost %ju",
		       (uintmax_t)ms, packets, (unsigned)manner,
		       (uintmax_t)lost_ms);
	rig_init(&r);
	r.gop_ms = SEGMENT_MS;
	write_first(&r, ms, packets, manner);
	ring_out_free(&r.out);
	if (lost_ms == 0)
		write_next(&r, ms, packets, at);
	else
		write_next(&r, ms + lost_ms, 0, at);
	rig_done(&r);
}

Test(hls_resume, parts_are_live_wherever_a_process_ends)
{
	for (uint64_t ms = FIRST_MS; ms < LAST_MS; ms += PICTURE_MS)
		for (size_t packets = 0; packets <= PACKETS; packets++)
			for (enum manner m = CRASH; m < MANNERS; m++) {
				play(ms, packets, m, 0);
				play(ms, packets, m, 400);
			}
}

/* --- a reader beside the writer --- */

struct beside {
	struct ring_reader *reader;
	atomic_bool ends;
	atomic_uint reads;
	unsigned dead;
};

static void *read_beside(void *arg)
{
	struct ring_segments all;
	struct ring_parts parts;
	struct beside *b = arg;

	while (!atomic_load(&b->ends)) {
		ring_reader_lists(b->reader, RING_UNIT, &all, &parts);
		if (all.n == 0 || all.changes)
			continue;
		atomic_fetch_add(&b->reads, 1);
		b->dead += !hls_parts_are_live(&parts, &all);
	}
	return NULL;
}

Test(hls_resume, segments_and_parts_are_of_one_moment)
{
	struct beside b = { 0 };
	struct rig r;
	pthread_t thread;
	int err = 0;

	rig_init(&r);
	r.gop_ms = SEGMENT_MS;
	ring_out_free(&r.out);
	open_writer(&r);
	live(&r, 0, FIRST_MS);
	b.reader = ring_reader_new(r.fd, &err);
	cr_assert_not_null(b.reader);
	cr_assert_eq(pthread_create(&thread, NULL, read_beside, &b), 0);
	for (uint64_t ms = FIRST_MS;
	     ms < 2000000 || atomic_load(&b.reads) < READS_MIN;
	     ms += SEGMENT_MS)
		live(&r, ms, ms + SEGMENT_MS);
	atomic_store(&b.ends, true);
	(void)pthread_join(thread, NULL);
	cr_expect_eq(b.dead, 0u, "%u of %u", b.dead, b.reads);
	ring_reader_free(&b.reader);
	rig_done(&r);
}
