/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that change or fail while they are played, in a time of its own. */
#include "common/base/units.h"
#include "tests/helpers/judge.h"
#include "tests/unit/worker/splice/source.h"
#include "worker/input/input.h"

#include "common/base/fd.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	STEP_MS = 10,
	SECONDS = 3, /* of a file */
	SIZE = SECONDS * SOURCE_RATE * TS_PACKET,
	IDLE_MAX = 20000,
};

ssize_t __real_pread(int fd, void *to, size_t len, off_t offset);
ssize_t __wrap_pread(int fd, void *to, size_t len, off_t offset);

/* The size of a file whose disk fails, and the place of the failure. */
static atomic_long bad_size, bad_at;

ssize_t __wrap_pread(int fd, void *to, size_t len, off_t offset)
{
	struct stat st;

	if (atomic_load(&bad_size) > 0 && offset >= atomic_load(&bad_at) &&
	    fstat(fd, &st) == 0 && st.st_size == atomic_load(&bad_size)) {
		errno = EIO;
		return -1;
	}
	return __real_pread(fd, to, len, offset);
}

struct play {
	char folder[32];
	struct input_spec spec;
	struct input *input;
	struct batch batch;
	struct judge judge;
	uint64_t now_ns;
	uint64_t packets;
};

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct play *p = arg;

	for (size_t i = 0; i < n_runs; i++) {
		p->packets += runs[i].n;
		judge_take(&p->judge, runs[i].data, runs[i].n * TS_PACKET, -1);
	}
}

static void path_of(const struct play *p, const char *name, char ret[64])
{
	(void)snprintf(ret, 64, "%s/%s", p->folder, name);
}

static void put(const struct play *p, const char *name, const void *data,
		size_t len)
{
	char path[64];
	int fd;

	path_of(p, name, path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, data, len), (ssize_t)len);
	fd_close(&fd);
}

/* SECONDS of a source whose clock begins there, and more bytes. */
static void put_clip(const struct play *p, const char *name, uint64_t start,
		     size_t more)
{
	struct source *s = source_new(start);
	struct ts_run run = source_make(s, SECONDS * SOURCE_RATE);
	uint8_t *data = malloc(SIZE + more);

	cr_assert_not_null(data);
	memcpy(data, run.data, SIZE);
	memset(data + SIZE, 0, more);
	put(p, name, data, SIZE + more);
	free(data);
	free(s);
}

static void play_init(struct play *p)
{
	*p = (struct play){ .folder = "/tmp/files-XXXXXX",
			    .now_ns = 5000 * MS };
	cr_assert_not_null(mkdtemp(p->folder));
	judge_init(&p->judge);
	batch_init(&p->batch, on_packets, p);
}

static void play_open(struct play *p, const char *name, const char *options)
{
	char address[128];
	struct errmsg why;
	int err;

	(void)snprintf(address, sizeof address, "file://%s/%s#%s", p->folder,
		       name, options);
	cr_assert_eq(input_spec_parse(address, &p->spec, NULL, NULL, &why), 0,
		     "%s", why.text);
	p->input = input_open(&p->spec, p->now_ns, &err, &why);
	cr_assert_not_null(p->input);
}

/* Until so many packets came, or it ends: how. */
static int play_on(struct play *p, uint64_t packets)
{
	struct errmsg why = { "" };
	int r = 0;

	for (int idle = 0; r >= 0 && p->packets < packets;) {
		uint64_t before = p->packets;

		r = input_read(p->input, &p->batch, p->now_ns, &why);
		p->now_ns += STEP_MS * MS;
		if (r >= 0 && p->now_ns / MS % 1000 == 0)
			r = input_every_second(p->input, p->now_ns, &why);
		idle = p->packets > before ? 0 : idle + 1;
		cr_assert_lt(idle, IDLE_MAX, "nothing comes");
		if (idle > 0) /* the thread has to read it */
			(void)usleep(500);
	}
	return r < 0 ? r : 0;
}

static void play_done(struct play *p, const char *const *names)
{
	char path[64];

	input_free(&p->input);
	judge_done(&p->judge);
	for (; *names != NULL; names++) {
		path_of(p, *names, path);
		(void)unlink(path);
	}
	cr_assert_eq(rmdir(p->folder), 0);
}

static void assert_one_stream(const struct judge *j)
{
	cr_assert_eq(j->sync + j->tei + j->cc + j->crc, 0);
	cr_assert_eq(j->pcr_back + j->pcr_jump, 0, "%s",
		     j->n_events > 0 ? j->events[0] : "");
	cr_assert_eq(j->dts_back, 0);
}

static const char *const two_names[] = { "list", "a.ts", "b.ts", NULL };

/* The next file follows, even with packets missing between them. */
Test(file_input, stops_where_a_read_fails)
{
	struct play p;

	play_init(&p);
	put_clip(&p, "a.ts", 90000, 1);
	put_clip(&p, "b.ts", 9000000, 0);
	put(&p, "list", "a.ts\nb.ts\n", 10);
	atomic_store(&bad_at, SIZE / 2);
	atomic_store(&bad_size, SIZE + 1);
	play_open(&p, "list", "list&loop");
	cr_assert_eq(play_on(&p, 4 * SECONDS * SOURCE_RATE), 0);
	assert_one_stream(&p.judge);
	cr_assert_not_null(strstr(input_error(p.input),
				  "a.ts: Input/output error"));
	/* the disk works again */
	atomic_store(&bad_size, 0);
	cr_assert_eq(play_on(&p, p.packets + 4 * SECONDS * SOURCE_RATE), 0);
	cr_assert_null(input_error(p.input));
	assert_one_stream(&p.judge);
	play_done(&p, two_names);
}

/* The start of a clip, as a tool that copies bytes makes it. */
static void put_start(const struct play *p, const char *name, size_t packets)
{
	struct source *s = source_new(90000);

	put(p, name, source_make(s, packets).data, packets * TS_PACKET);
	free(s);
}

/* The audio unit that the end of the file cuts goes out in no lap. */
Test(file_input, has_no_cut_unit_between_two_laps)
{
	static const char *const options[] = { "loop", "list&loop" };
	static const char *const names[] = { "list", "a.ts", NULL };

	for (size_t packets = 960; packets < 1040; packets += 7)
		for (size_t i = 0; i < 2; i++) {
			struct play p;

			play_init(&p);
			put_start(&p, "a.ts", packets);
			put(&p, "list", "a.ts\n", 5);
			play_open(&p, i == 0 ? "a.ts" : "list", options[i]);
			cr_assert_eq(play_on(&p, 3 * packets + 500), 0);
			assert_one_stream(&p.judge);
			cr_assert_eq(p.judge.cut_short, 0, "%zu, %s: %lu",
				     packets, options[i],
				     (unsigned long)p.judge.cut_short);
			play_done(&p, names);
		}
}

Test(file_input, stops_at_the_end_of_a_truncated_file)
{
	struct play p;
	char path[64];

	play_init(&p);
	put_clip(&p, "a.ts", 90000, 0);
	put_clip(&p, "b.ts", 9000000, 0);
	put(&p, "list", "a.ts\nb.ts\n", 10);
	play_open(&p, "list", "list&loop");
	path_of(&p, "a.ts", path);
	for (int i = 0; i < 6; i++) {
		uint64_t part = p.packets + SOURCE_RATE;

		cr_assert_eq(play_on(&p, part), 0);
		cr_assert_eq(truncate(path, SIZE / 2 + 77 * i), 0);
		cr_assert_eq(play_on(&p, part + SOURCE_RATE), 0);
		put_clip(&p, "a.ts", 90000, (size_t)i);
	}
	assert_one_stream(&p.judge);
	play_done(&p, two_names);
}

/* Packets appended to the file are played, too. */
Test(file_input, plays_a_growing_file_to_its_new_end)
{
	static const char *const names[] = { "a.ts", NULL };
	struct source *s = source_new(90000);
	struct play p;
	char path[64];
	int fd;

	play_init(&p);
	put(&p, "a.ts", source_make(s, SOURCE_MAX).data,
	    (size_t)SOURCE_MAX * TS_PACKET);
	path_of(&p, "a.ts", path);
	fd = open(path, O_WRONLY | O_APPEND);
	cr_assert_geq(fd, 0);
	play_open(&p, "a.ts", "");
	cr_assert_eq(play_on(&p, 100), 0);
	/* half of a packet, then the other half: the packet is whole */
	cr_assert_eq(write(fd, source_make(s, 1).data, 100), 100);
	cr_assert_eq(write(fd, s->data + 100, TS_PACKET - 100),
		     TS_PACKET - 100);
	cr_assert_eq(write(fd, source_make(s, 500).data, 500 * TS_PACKET),
		     500 * TS_PACKET);
	fd_close(&fd);
	cr_assert_eq(play_on(&p, UINT64_MAX), -ENODATA);
	cr_assert_eq(p.packets, (uint64_t)SOURCE_MAX + 501);
	assert_one_stream(&p.judge);
	free(s);
	play_done(&p, names);
}

/* 95443.7 s: the clock of 33 bits wraps. */
Test(file_input, loops_over_the_wrap_of_the_clock)
{
	static const char *const names[] = { "a.ts", NULL };
	struct play p;

	play_init(&p);
	/* the wrap is in the third lap */
	put_clip(&p, "a.ts", (UINT64_C(1) << 33) - 90000 * 7, 0);
	play_open(&p, "a.ts", "loop");
	cr_assert_eq(play_on(&p, 5 * SECONDS * SOURCE_RATE), 0);
	assert_one_stream(&p.judge);
	play_done(&p, names);
}
