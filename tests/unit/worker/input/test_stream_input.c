/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One program out of the ring of a multiplex. */
#include "common/base/fd.h"
#include "common/base/ring.h"
#include "common/base/ring_header.h"
#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/input/input_type.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	PMT = 0x100,
	VIDEO = 0x101,
	AUDIO = 0x102,
	OTHER = 0x201,
	ROUNDS = 900,
	RING_PACKETS = RING_UNIT / TS_PACKET,
	BLOCK_PACKETS = 256, /* of one read */
	BLOCK_BYTES = BLOCK_PACKETS * TS_PACKET,
};

static const struct build_entry two[] = { { 1, PMT }, { 2, 0x200 } };

struct bench {
	int fd;
	struct ring_writer *writer;
	struct input_spec spec;
	struct input *input;
	struct batch batch;
	struct build *build;
	size_t written;     /* packets of build */
	size_t n[TS_PIDS];  /* received ones */
	uint64_t skipped;   /* in front of them */
};

/* Called for each packet with tables, before the next one is read. */
static void (*between)(struct bench *);
static struct bench *between_of;

void __real_program_filter_feed(struct program_filter *, const uint8_t *);
void __wrap_program_filter_feed(struct program_filter *f, const uint8_t *p);
void __wrap_program_filter_feed(struct program_filter *f, const uint8_t *p)
{
	__real_program_filter_feed(f, p);
	if (between != NULL)
		between(between_of);
}

/* The same in front of each copy without a program. */
static void (*in_front)(struct bench *);

const uint8_t *__real_ring_reader_at(const struct ring_reader *, uint64_t,
				     size_t, size_t *);
const uint8_t *__wrap_ring_reader_at(const struct ring_reader *, uint64_t,
				     size_t, size_t *);
const uint8_t *__wrap_ring_reader_at(const struct ring_reader *r, uint64_t pos,
				     size_t len, size_t *ret_contiguous)
{
	const uint8_t *at = __real_ring_reader_at(r, pos, len, ret_contiguous);

	if (in_front != NULL)
		in_front(between_of);
	return at;
}

/* As with a limited address space. */
static bool cannot_map;
static unsigned maps;

int __real_ring_reader_map(struct ring_reader *, int fd);
int __wrap_ring_reader_map(struct ring_reader *, int fd);
int __wrap_ring_reader_map(struct ring_reader *r, int fd)
{
	maps++;
	return cannot_map ? -ENOMEM : __real_ring_reader_map(r, fd);
}

static void collect(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct bench *b = arg;
	const struct ts_skips *skips = input_skips(b->input);

	for (size_t i = 0; i < n_runs; i++) {
		const uint32_t *before =
			skips != NULL ? ts_skips_of(skips, runs[i]) : NULL;

		cr_assert(skips == NULL || before != NULL);
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			cr_assert(ts_sync_ok(p));
			b->n[ts_pid(p)]++;
			b->skipped += before != NULL ? before[k] : 0;
		}
	}
}

/* number 0: all programs */
static void open_as(struct bench *b, size_t size, uint16_t number,
		    enum input_kind kind, const char *name)
{
	struct program_choice choice = { .number = number };
	struct errmsg error;
	int err;

	*b = (struct bench){ .fd = ring_create(size, 0),
			     .build = build_new() };
	cr_assert_geq(b->fd, 0);
	b->writer = ring_writer_new(b->fd, &err);
	cr_assert_not_null(b->writer);
	b->spec = (struct input_spec){ .kind = kind, .ring = b->fd };
	(void)strcpy(b->spec.stream, name);
	b->input = input_open(&b->spec, 1, &err, &error);
	cr_assert_not_null(b->input, "%s", error.text);
	input_choose(b->input, &choice);
	batch_init(&b->batch, collect, b);
}

static void open_input(struct bench *b, size_t size, uint16_t number)
{
	open_as(b, size, number, INPUT_DVB, "m");
}

static void close_input(struct bench *b)
{
	input_free(&b->input);
	ring_writer_free(&b->writer);
	build_free(b->build);
	fd_close(&b->fd);
}

static void write_built(struct bench *b)
{
	struct ts_run all = build_run(b->build);

	ring_write(b->writer, all.data + b->written * TS_PACKET,
		   all.n - b->written);
	b->written = all.n;
	ring_publish(b->writer);
}

static void read_all(struct bench *b)
{
	struct errmsg error;
	int reads;

	do {
		reads = input_read(b->input, &b->batch, 1, &error);
		cr_assert_geq(reads, 0, "%s", error.text);
		batch_flush(&b->batch);
	} while (reads > 0);
}

static void tables(struct bench *b, uint8_t version,
		   const struct build_es *streams, size_t n)
{
	uint8_t section[SECTION_PSI_MAX];

	build_section(b->build, TS_PID_PAT, section,
		      build_pat(section, 0, two, 2));
	build_section(b->build, PMT, section,
		      build_pmt(section, two[0], version, streams, n));
}

static const struct build_es both[] = {
	{ 0x1b, VIDEO, NULL, 0 }, { 0x04, AUDIO, NULL, 0 },
};

static void write_rounds(struct bench *b)
{
	for (size_t i = 0; i < ROUNDS; i++) {
		build_payload(b->build, OTHER, 1);
		build_payload(b->build, VIDEO, 2);
		build_null(b->build);
		if (i % 4 == 0)
			build_payload(b->build, AUDIO, 3);
	}
	write_built(b);
}

Test(stream_input, reads_the_packets_of_its_program_alone)
{
	struct bench b;

	open_input(&b, RING_SIZE_DEFAULT, 1);
	tables(&b, 0, both, 2);
	write_rounds(&b);
	read_all(&b);
	cr_assert_eq(b.n[TS_PID_PAT], 1);
	cr_assert_eq(b.n[PMT], 1);
	cr_assert_eq(b.n[VIDEO], ROUNDS);
	cr_assert_eq(b.n[AUDIO], ROUNDS / 4);
	cr_assert_eq(b.n[OTHER] + b.n[TS_PID_NULL], 0);
	/* no packet of the others follows the last audio and video */
	cr_assert_eq(b.skipped, 2 * ROUNDS - 1);
	close_input(&b);
}

/* Also where the ring begins again. */
Test(stream_input, reads_all_packets_of_a_feed_mapped_or_not)
{
	for (int i = 0; i < 2; i++) {
		struct input_counters counted;
		struct bench b;

		cannot_map = i == 1;
		maps = 0;
		open_as(&b, RING_UNIT, 0, INPUT_STREAM, "m/1");
		cr_expect_eq(maps, 1u);
		for (size_t k = 0; k < 20; k++) {
			for (size_t n = 0; n < RING_PACKETS / 10; n++)
				build_payload(b.build, VIDEO, (uint8_t)n);
			write_built(&b);
			b.build->n = b.written = 0;
			read_all(&b);
		}
		cr_expect_eq(b.n[VIDEO], 20u * (RING_PACKETS / 10));
		input_counters(b.input, &counted);
		cr_expect_eq(counted.socket_drops, 0u);
		close_input(&b);
	}
	cannot_map = false;
}

Test(stream_input, reads_copies_while_its_ring_cannot_be_mapped)
{
	struct input_counters counted;
	struct bench b;

	open_input(&b, RING_SIZE_DEFAULT, 1);
	tables(&b, 0, both, 2);
	cannot_map = true;
	write_rounds(&b);
	read_all(&b);
	cr_assert_eq(b.n[TS_PID_PAT] + b.n[PMT], 2);
	cr_assert_eq(b.n[VIDEO], ROUNDS);
	cr_assert_eq(b.n[AUDIO], ROUNDS / 4);
	cr_assert_eq(b.n[OTHER] + b.n[TS_PID_NULL], 0);
	cannot_map = false;
	build_payload(b.build, AUDIO, 3);
	write_built(&b);
	read_all(&b);
	cr_assert_eq(b.n[AUDIO], ROUNDS / 4 + 1);
	input_counters(b.input, &counted);
	cr_assert_eq(counted.socket_drops, 0);
	close_input(&b);
}

Test(stream_input, says_why_its_ring_cannot_be_read)
{
	for (uint16_t number = 0; number < 2; number++) {
		struct errmsg error;
		struct bench b;

		open_input(&b, RING_SIZE_DEFAULT, number);
		tables(&b, 0, both, 2);
		write_built(&b);
		cannot_map = true;
		b.spec.ring = -1;
		cr_assert_eq(input_read(b.input, &b.batch, 1, &error), -EIO);
		cr_expect_str_eq(error.text, "m: its ring buffer cannot be "
				 "read: Bad file descriptor");
		cannot_map = false;
		close_input(&b);
	}
}

Test(stream_input, reads_all_without_a_program)
{
	struct bench b;

	open_input(&b, RING_SIZE_DEFAULT, 0);
	tables(&b, 0, both, 2);
	for (size_t i = 0; i < ROUNDS; i++)
		build_payload(b.build, i % 2 ? OTHER : VIDEO, 1);
	write_built(&b);
	read_all(&b);
	cr_assert_eq(b.n[VIDEO] + b.n[OTHER], ROUNDS);
	cr_assert_null(input_skips(b.input));
	close_input(&b);
}

Test(stream_input, a_new_pid_lacks_no_packet_behind_its_pmt)
{
	struct bench b;

	open_input(&b, RING_SIZE_DEFAULT, 1);
	tables(&b, 0, both, 1);
	build_payload(b.build, AUDIO, 1);
	tables(&b, 1, both, 2);
	for (size_t i = 0; i < 3; i++)
		build_payload(b.build, AUDIO, 1);
	write_built(&b);
	read_all(&b);
	cr_assert_eq(b.n[AUDIO], 3);
	close_input(&b);
}

Test(stream_input, counts_what_was_overwritten)
{
	struct input_counters counted;
	struct bench b;

	open_input(&b, RING_UNIT, 1);
	tables(&b, 0, both, 2);
	write_built(&b);
	read_all(&b);
	for (size_t i = 0; i < 2 * RING_PACKETS; i++)
		build_payload(b.build, VIDEO, 1);
	write_built(&b);
	read_all(&b);
	input_counters(b.input, &counted);
	cr_assert_gt(counted.socket_drops, 0);
	cr_assert_eq(counted.socket_drops + b.n[VIDEO], 2 * RING_PACKETS);
	close_input(&b);
}

static void lap(struct bench *b)
{
	between = in_front = NULL;
	for (size_t i = 0; i < RING_PACKETS; i++)
		build_payload(b->build, VIDEO, 1);
	write_built(b);
}

Test(stream_input, drops_what_the_writer_replaced_during_the_copy)
{
	struct input_counters counted;
	struct bench b;
	size_t before;

	open_input(&b, RING_UNIT, 1);
	tables(&b, 0, both, 2);
	write_built(&b);
	read_all(&b);
	memset(b.n, 0, sizeof b.n);
	tables(&b, 1, both, 2);
	for (size_t i = 0; i < 100; i++)
		build_payload(b.build, AUDIO, 1);
	before = b.build->n - b.written;
	write_built(&b);
	between = lap;
	between_of = &b;
	read_all(&b);
	cr_assert_null(between);
	read_all(&b);
	input_counters(b.input, &counted);
	/* all of the block in which it happened, and what was late then */
	cr_assert_eq(b.n[AUDIO] + b.n[PMT], 0);
	cr_assert_eq(counted.socket_drops + b.n[VIDEO],
		     before + RING_PACKETS);
	close_input(&b);
}

Test(stream_input, drops_what_the_writer_of_a_feed_replaced)
{
	struct input_counters counted;
	struct bench b;
	size_t before;

	open_as(&b, RING_UNIT, 0, INPUT_STREAM, "m/1");
	for (size_t i = 0; i < 100; i++)
		build_payload(b.build, AUDIO, 1);
	before = b.build->n;
	write_built(&b);
	in_front = lap;
	between_of = &b;
	read_all(&b);
	cr_assert_null(in_front);
	input_counters(b.input, &counted);
	/* no packet of the lap twice */
	cr_assert_eq(b.n[AUDIO], 0);
	cr_assert_eq(b.n[VIDEO], RING_PACKETS / 4 * 3);
	cr_assert_eq(counted.socket_drops + b.n[VIDEO],
		     before + RING_PACKETS);
	close_input(&b);
}

Test(stream_input, counts_packets_without_a_sync_byte)
{
	struct input_counters counted;
	struct bench b;

	open_input(&b, RING_SIZE_DEFAULT, 1);
	tables(&b, 0, both, 2);
	for (size_t i = 0; i < 8; i++)
		build_payload(b.build, VIDEO, 1)[0] ^=
			i == 2 || i == 4 || i == 5;
	write_built(&b);
	read_all(&b);
	input_counters(b.input, &counted);
	cr_assert_eq(b.n[VIDEO], 5);
	cr_assert_eq(counted.bad_sync, 2);
	cr_assert_eq(counted.sync_losses, 1);
	close_input(&b);
}

/* --- a hostile writer --- */

/* Changes a packet between the look at its header and the copy: the mark of its
 * PID is on a page that cannot be read before. */
static struct {
	uint8_t *marks; /* two pages; NULL: those of the filter */
	uint8_t *packet;
} trap;

enum { PAGE = 4096 };

const uint8_t *__real_program_filter_marks(const struct program_filter *);
const uint8_t *__wrap_program_filter_marks(const struct program_filter *f);
const uint8_t *__wrap_program_filter_marks(const struct program_filter *f)
{
	return trap.marks != NULL ? trap.marks
				  : __real_program_filter_marks(f);
}

static void change_packet(int signal)
{
	(void)signal;
	ts_set_pid(trap.packet, OTHER);
	if (mprotect(trap.marks, PAGE, PROT_READ) < 0)
		abort();
}

/* The bytes of the ring. */
static uint8_t *map_ring(const struct bench *b)
{
	uint8_t *data = mmap(NULL, RING_UNIT, PROT_READ | PROT_WRITE,
			     MAP_SHARED, b->fd, RING_DATA);

	cr_assert_neq(data, MAP_FAILED);
	return data;
}

static void set_trap(const struct bench *b)
{
	const struct sigaction action = { .sa_handler = change_packet };

	trap.packet = map_ring(b) + ring_writer_pos(b->writer);
	trap.marks = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(trap.marks, MAP_FAILED);
	trap.marks[VIDEO] = PROGRAM_PASS;
	cr_assert_eq(sigaction(SIGSEGV, &action, NULL), 0);
	cr_assert_eq(mprotect(trap.marks, PAGE, PROT_NONE), 0);
}

Test(stream_input, drops_a_packet_that_changes_after_the_look_at_its_header)
{
	struct bench b;

	open_input(&b, RING_UNIT, 1);
	tables(&b, 0, both, 2);
	write_built(&b);
	read_all(&b);
	set_trap(&b);
	for (size_t i = 0; i < 3; i++)
		build_payload(b.build, VIDEO, 1);
	write_built(&b);
	read_all(&b);
	cr_assert_eq(ts_pid(trap.packet), OTHER);
	cr_assert_eq(b.n[VIDEO], 2);
	cr_assert_eq(b.n[OTHER], 0);
	close_input(&b);
}

/* So far ahead that the old positions, which are in front of it, end beside a
 * packet at the end of the window. */
static uint64_t bad_base(uint64_t pos, size_t to_read)
{
	uint64_t base = 0, left;

	do {
		base += RING_UNIT;
		left = RING_SIZE_DEFAULT - (pos - base) % RING_SIZE_DEFAULT;
	} while (left > to_read || left % TS_PACKET == 0);
	return base;
}

static void move_base(struct bench *b)
{
	struct ring_header *header = mmap(NULL, sizeof *header,
					  PROT_READ | PROT_WRITE, MAP_SHARED,
					  b->fd, 0);
	uint64_t pos = ring_writer_pos(b->writer);
	uint64_t base = bad_base(BLOCK_BYTES,
				 pos - 2 * (uint64_t)BLOCK_BYTES);

	between = NULL;
	cr_assert_neq(header, MAP_FAILED);
	atomic_store(&header->layout, base / RING_UNIT << 16 |
					      RING_SIZE_DEFAULT / RING_UNIT);
	atomic_store(&header->pos, base + RING_UNIT);
	(void)munmap(header, sizeof *header);
}

Test(stream_input, ends_where_the_writer_moves_its_window, .timeout = 60)
{
	struct input_counters counted;
	struct bench b;

	open_input(&b, RING_SIZE_DEFAULT, 1);
	tables(&b, 0, both, 2);
	for (size_t i = 0; i < 14 * BLOCK_PACKETS; i++)
		build_payload(b.build, VIDEO, 1);
	write_built(&b);
	between = move_base;
	between_of = &b;
	read_all(&b);
	cr_assert_null(between);
	input_counters(b.input, &counted);
	cr_assert_eq(b.n[VIDEO], 0);
	cr_assert_geq(counted.socket_drops, BLOCK_PACKETS);
	close_input(&b);
}
