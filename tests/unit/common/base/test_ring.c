/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/ring.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Offsets in the header that a hostile writer would change
 * (common/base/ring.c). */
enum {
	AT_MAGIC = 0,
	AT_VERSION = 8,
	AT_INDEX_LEN = 12,
	AT_SIZE = 16,
	AT_POS = 64,
	AT_N_MARKS = 72,
	AT_LAYOUT = 80,
	AT_INDEX = 128,
	ENTRY_LEN = 48,
};

struct rig {
	int fd;
	struct ring_writer *writer;
	struct ring_reader *reader;
};

static struct rig rig_new(size_t size)
{
	struct rig rig = { .fd = ring_create(size, 0) };
	int err = 0;

	cr_assert_geq(rig.fd, 0);
	rig.writer = ring_writer_new(rig.fd, &err);
	cr_assert_not_null(rig.writer, "writer: %d", err);
	rig.reader = ring_reader_new(rig.fd, &err);
	cr_assert_not_null(rig.reader, "reader: %d", err);
	return rig;
}

static void rig_free(struct rig *rig)
{
	ring_writer_free(&rig->writer);
	ring_reader_free(&rig->reader);
	fd_close(&rig->fd);
}

/* Every packet holds its own position in its first bytes. */
static void write_packets(struct ring_writer *w, size_t n)
{
	uint8_t *packets = xcalloc(n, RING_PACKET);
	uint64_t pos = ring_writer_pos(w);

	for (size_t i = 0; i < n; i++, pos += RING_PACKET) {
		memset(packets + i * RING_PACKET, (int)(pos & 0xff),
		       RING_PACKET);
		memcpy(packets + i * RING_PACKET, &pos, sizeof pos);
	}
	ring_write(w, packets, n);
	free(packets);
}

static uint64_t published(struct rig *rig)
{
	bool ok = false;
	uint64_t pos = ring_reader_pos(rig->reader, &ok);

	cr_assert(ok);
	return pos;
}

static uint64_t stamp_at(struct rig *rig, uint64_t pos)
{
	uint64_t stamp = 0;
	size_t len;
	off_t at = ring_file_offset(rig->reader, pos, RING_PACKET, &len);

	cr_assert_eq(len, RING_PACKET);
	cr_assert_eq(pread(rig->fd, &stamp, sizeof stamp, at),
		     (ssize_t)sizeof stamp);
	return stamp;
}

/* By a mapping of the data. */
static uint64_t mapped_at(struct rig *rig, uint64_t pos)
{
	uint64_t stamp = 0;
	size_t len;

	cr_assert_eq(ring_reader_map(rig->reader, rig->fd), 0);
	memcpy(&stamp, ring_reader_at(rig->reader, pos, RING_PACKET, &len),
	       sizeof stamp);
	cr_assert_eq(len, RING_PACKET);
	return stamp;
}

static void poke(int fd, off_t at, const void *data, size_t len)
{
	cr_assert_eq(pwrite(fd, data, len, at), (ssize_t)len);
}

static void poke64(int fd, off_t at, uint64_t value)
{
	poke(fd, at, &value, sizeof value);
}

static void mark(struct ring_writer *w, uint64_t pos)
{
	ring_mark(w, &(struct ring_rap){ .pos = pos,
					 .pcr = pos * 3,
					 .pts = pos * 5,
					 .wall_ms = (int64_t)pos * 7 });
}

Test(ring, rounds_its_size_up_and_seals_it)
{
	struct rig rig = rig_new(1);
	struct stat st;

	cr_assert_eq(ring_reader_size(rig.reader), RING_UNIT);
	cr_assert_eq(fstat(rig.fd, &st), 0);
	cr_assert_eq(st.st_size, RING_DATA + RING_UNIT);
	cr_assert_lt(ftruncate(rig.fd, RING_DATA), 0);
	cr_assert_eq(errno, EPERM);
	cr_assert_lt(ftruncate(rig.fd, 1 << 30), 0);
	cr_assert_eq(errno, EPERM);
	rig_free(&rig);
}

Test(ring, rejects_a_size_of_zero_or_above_one_gib)
{
	cr_assert_eq(ring_create(0, 0), -EINVAL);
	cr_assert_eq(ring_create(((size_t)1 << 30) + 1, 0), -EINVAL);
}

Test(ring, is_closed_on_exec)
{
	int fd = ring_create(1, 0);

	cr_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	fd_close(&fd);
}

Test(ring, shows_nothing_before_it_is_published)
{
	struct rig rig = rig_new(1);

	write_packets(rig.writer, 7);
	cr_assert_eq(published(&rig), 0);
	ring_publish(rig.writer);
	cr_assert_eq(published(&rig), 7 * RING_PACKET);
	rig_free(&rig);
}

Test(ring, wraps_between_packets)
{
	struct rig rig = rig_new(1);
	size_t room;
	size_t len;

	write_packets(rig.writer, RING_UNIT / RING_PACKET - 3);
	(void)ring_room(rig.writer, &room);
	cr_assert_eq(room, 3);
	write_packets(rig.writer, 10);
	ring_publish(rig.writer);

	uint64_t end = published(&rig);
	cr_assert_eq(end, RING_UNIT + 7 * RING_PACKET);
	for (uint64_t pos = 7 * RING_PACKET; pos < end; pos += RING_PACKET)
		cr_assert_eq(stamp_at(&rig, pos), pos);

	/* a range over the end is cut there */
	cr_assert_eq(ring_file_offset(rig.reader, RING_UNIT - RING_PACKET,
				      3 * RING_PACKET, &len),
		     RING_DATA + RING_UNIT - RING_PACKET);
	cr_assert_eq(len, RING_PACKET);
	cr_assert_eq(ring_file_offset(rig.reader, RING_UNIT, 99, &len),
		     RING_DATA);
	cr_assert_eq(len, 99);
	rig_free(&rig);
}

Test(ring, a_new_writer_continues_after_the_published_data)
{
	struct rig rig = rig_new(1);
	struct ring_rap rap;
	int err = 0;

	write_packets(rig.writer, 5);
	mark(rig.writer, 2 * RING_PACKET);
	ring_publish(rig.writer);
	/* dies with four packets and a mark that were not published */
	write_packets(rig.writer, 4);
	mark(rig.writer, 6 * RING_PACKET);
	ring_writer_free(&rig.writer);

	rig.writer = ring_writer_new(rig.fd, &err);
	cr_assert_not_null(rig.writer);
	cr_assert_eq(ring_writer_pos(rig.writer), 5 * RING_PACKET);
	write_packets(rig.writer, 20);
	ring_publish(rig.writer);
	cr_assert_eq(published(&rig), 25 * RING_PACKET);
	cr_assert_eq(stamp_at(&rig, 24 * RING_PACKET), 24 * RING_PACKET);

	/* the mark at 6 named other packets: it is removed, the one at 2 stays
	 * */
	cr_assert(ring_reader_last_rap(rig.reader, 0, 0, &rap));
	cr_assert_eq(rap.pos, 2 * RING_PACKET);
	mark(rig.writer, 22 * RING_PACKET);
	cr_assert(ring_reader_last_rap(rig.reader, 0, 0, &rap));
	cr_assert_eq(rap.pos, 22 * RING_PACKET);
	rig_free(&rig);
}

Test(ring, a_writer_reads_the_data_written_before_it)
{
	struct rig rig = rig_new(2 * RING_UNIT);
	size_t per_ring = 2 * RING_UNIT / RING_PACKET, n;
	int err = 0;

	(void)ring_before(rig.writer, 0, &n);
	cr_assert_eq(n, 0);
	/* more than once round */
	for (size_t round = 0; round < 5; round++) {
		uint64_t pos, back = 0;
		size_t found = 0;

		write_packets(rig.writer, per_ring / 3 + round);
		ring_publish(rig.writer);
		ring_writer_free(&rig.writer);
		rig.writer = ring_writer_new(rig.fd, &err);
		pos = ring_writer_pos(rig.writer);
		for (;; back += n * RING_PACKET) {
			const uint8_t *p = ring_before(rig.writer, back, &n);

			if (n == 0)
				break;
			for (size_t i = n; i > 0; i--) {
				uint64_t is;

				found++;
				memcpy(&is, p + (i - 1) * RING_PACKET,
				       sizeof is);
				cr_assert_eq(is, pos - found * RING_PACKET);
			}
		}
		cr_assert_eq(found, pos / RING_PACKET < per_ring
					    ? pos / RING_PACKET : per_ring);
	}
	rig_free(&rig);
}

Test(ring, gives_the_newest_published_mark_that_is_whole)
{
	struct rig rig = rig_new(1);
	const uint64_t total = RING_UNIT / RING_PACKET;
	struct ring_rap rap;

	cr_assert_not(ring_reader_last_rap(rig.reader, 0, 0, &rap));
	mark(rig.writer, 0);
	cr_assert_not(ring_reader_last_rap(rig.reader, 0, 0, &rap),
		      "the mark is not published yet");
	write_packets(rig.writer, 100);
	ring_publish(rig.writer);
	cr_assert(ring_reader_last_rap(rig.reader, 0, 0, &rap));
	cr_assert_eq(rap.pos, 0);

	mark(rig.writer, 50 * RING_PACKET);
	cr_assert(ring_reader_last_rap(rig.reader, 0, 0, &rap));
	cr_assert_eq(rap.pos, 50 * RING_PACKET);
	cr_assert_eq(rap.pcr, rap.pos * 3);
	cr_assert_eq(rap.pts, rap.pos * 5);
	cr_assert_eq(rap.wall_ms, (int64_t)rap.pos * 7);

	/* exactly one ring behind is whole; with margin it is not */
	write_packets(rig.writer, total - 50);
	ring_publish(rig.writer);
	cr_assert(ring_reader_last_rap(rig.reader, 0, 0, &rap));
	cr_assert_not(ring_reader_last_rap(rig.reader, 1, 0, &rap));
	write_packets(rig.writer, 1);
	ring_publish(rig.writer);
	cr_assert_not(ring_reader_last_rap(rig.reader, 0, 0, &rap));
	rig_free(&rig);
}

Test(ring, keeps_only_the_last_marks)
{
	struct rig rig = rig_new(1);
	struct ring_rap rap;

	for (unsigned i = 0; i < 3 * RING_INDEX; i++) {
		mark(rig.writer, ring_writer_pos(rig.writer));
		write_packets(rig.writer, 1);
	}
	ring_publish(rig.writer);
	cr_assert(ring_reader_last_rap(rig.reader, 0, 0, &rap));
	cr_assert_eq(rap.pos, (3 * RING_INDEX - 1) * RING_PACKET);
	rig_free(&rig);
}

Test(ring, refuses_a_file_that_is_no_sound_ring)
{
	int fds[2];
	int err = 0;
	int fd = memfd_create("plain", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	cr_assert_eq(pipe(fds), 0);
	cr_assert_null(ring_reader_new(fds[0], &err));
	cr_assert_lt(err, 0);
	cr_assert_null(ring_writer_new(-1, &err));
	cr_assert_eq(err, -EBADF);

	/* the right length, but it could shrink under a reader */
	cr_assert_eq(ftruncate(fd, RING_DATA + RING_UNIT), 0);
	cr_assert_null(ring_reader_new(fd, &err));
	cr_assert_eq(err, -EBADF);
	/* sealed, but not a ring */
	cr_assert_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	cr_assert_null(ring_reader_new(fd, &err));
	cr_assert_eq(err, -EBADMSG);
	cr_assert_null(ring_writer_new(fd, &err));
	cr_assert_eq(err, -EBADMSG);
}

Test(ring, rejects_a_header_with_one_wrong_number)
{
	static const struct {
		off_t at;
		uint64_t value;
		size_t len;
	} cases[] = {
		{ AT_MAGIC, 1, 8 },
		{ AT_VERSION, 99, 4 },
		{ AT_INDEX_LEN, RING_INDEX * 2, 4 },
		{ AT_SIZE, 2 * RING_UNIT, 8 },
		{ AT_SIZE, 0, 8 },
		{ AT_POS, 1, 8 },
		{ AT_POS, UINT64_MAX - UINT64_MAX % RING_PACKET, 8 },
		{ AT_LAYOUT, 0, 8 },
		{ AT_LAYOUT, 2, 8 }, /* behind the end of the file */
		{ AT_LAYOUT, 1 << 16 | 1, 8 }, /* begins behind pos */
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int err = 0;
		int fd = ring_create(1, 0);

		poke(fd, cases[i].at, &cases[i].value, cases[i].len);
		cr_assert_null(ring_reader_new(fd, &err), "case %zu", i);
		cr_assert_eq(err, -EBADMSG, "case %zu", i);
		cr_assert_null(ring_writer_new(fd, &err), "case %zu", i);
		cr_assert_eq(err, -EBADMSG, "case %zu", i);
		fd_close(&fd);
	}
}

Test(ring, a_reader_keeps_its_head_when_the_header_turns_hostile)
{
	struct rig rig = rig_new(1);
	struct ring_rap rap;
	bool ok = false;

	write_packets(rig.writer, 10);
	ring_publish(rig.writer);
	cr_assert_eq(published(&rig), 10 * RING_PACKET);

	/* the size was judged once */
	poke64(rig.fd, AT_SIZE, 1);
	cr_assert_eq(ring_reader_size(rig.reader), RING_UNIT);

	/* marks at impossible positions, and an impossible count of them */
	poke64(rig.fd, AT_N_MARKS, UINT64_MAX);
	for (unsigned i = 0; i < RING_INDEX; i++) {
		off_t entry = AT_INDEX + (off_t)i * ENTRY_LEN;

		poke64(rig.fd, entry, 2);
		poke64(rig.fd, entry + 8, i % 2 ? UINT64_MAX : 7);
	}
	cr_assert_not(ring_reader_last_rap(rig.reader, 0, 0, &rap));
	/* a mark inside which the writer died is passed over */
	poke64(rig.fd, AT_N_MARKS, 2);
	poke64(rig.fd, AT_INDEX + 8, 3 * RING_PACKET);
	poke64(rig.fd, AT_INDEX + ENTRY_LEN, 3);
	poke64(rig.fd, AT_INDEX + ENTRY_LEN + 8, 4 * RING_PACKET);
	cr_assert(ring_reader_last_rap(rig.reader, 0, 0, &rap));
	cr_assert_eq(rap.pos, 3 * RING_PACKET);

	/* a position that goes back breaks the ring for good */
	poke64(rig.fd, AT_POS, 9 * RING_PACKET);
	cr_assert_eq(ring_reader_pos(rig.reader, &ok), 10 * RING_PACKET);
	cr_assert_not(ok);
	poke64(rig.fd, AT_POS, 12 * RING_PACKET);
	(void)ring_reader_pos(rig.reader, &ok);
	cr_assert_not(ok);
	cr_assert_not(ring_reader_last_rap(rig.reader, 0, 0, &rap));
	rig_free(&rig);
}

Test(ring, a_stray_write_into_the_header_is_noticed)
{
	static const struct {
		off_t at;
		uint64_t value;
	} cases[] = {
		{ 0, 0 },
		{ AT_SIZE, 1 },
		{ AT_POS, 7 },
		{ AT_POS, UINT64_MAX },
		{ AT_POS, 4 * RING_PACKET }, /* back */
		{ AT_LAYOUT, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int fd = ring_create(1, 0), err = 0;
		struct ring_reader *r = ring_reader_new(fd, &err);

		poke64(fd, AT_POS, 5 * RING_PACKET);
		cr_assert(ring_reader_is_sound(r));
		poke64(fd, AT_POS, 6 * RING_PACKET);
		cr_assert(ring_reader_is_sound(r));
		poke64(fd, cases[i].at, cases[i].value);
		cr_assert_not(ring_reader_is_sound(r), "case %zu", i);
		ring_reader_free(&r);
		(void)close(fd);
	}
}

Test(ring, a_reader_needs_no_right_to_write)
{
	int fd = ring_create(1, 0);
	int ro = fd_reopen_readonly(fd);
	int err = 0;

	cr_assert_geq(ro, 0);
	cr_assert_eq(mmap(NULL, RING_DATA, PROT_WRITE, MAP_SHARED, ro, 0),
		     MAP_FAILED);
	cr_assert_null(ring_writer_new(ro, &err));

	struct ring_reader *r = ring_reader_new(ro, &err);
	cr_assert_not_null(r);
	ring_reader_free(&r);
	cr_assert_null(r);
	fd_close(&ro);
	fd_close(&fd);
}

enum { STRESS_BATCHES = 20000, STRESS_BATCH = 7 };

static void stress_writer(int fd)
{
	int err = 0;
	struct ring_writer *w = ring_writer_new(fd, &err);

	if (w == NULL)
		_exit(1);
	for (unsigned i = 0; i < STRESS_BATCHES; i++) {
		uint64_t pos = ring_writer_pos(w);

		write_packets(w, STRESS_BATCH);
		mark(w, pos);
		ring_publish(w);
	}
	_exit(0);
}

/*
 * A reader beside a writer at full speed: positions only grow, a mark is
 * never torn, and bytes that are still whole after they were read are right.
 */
Test(ring, reader_and_writer_agree_at_full_speed, .timeout = 90)
{
	struct rig rig = rig_new(4 * RING_UNIT);
	const uint64_t end = (uint64_t)STRESS_BATCHES * STRESS_BATCH *
			     RING_PACKET;
	uint64_t seen = 0, judged = 0;
	pid_t child;
	int status;

	ring_writer_free(&rig.writer);
	child = fork();
	if (child == 0)
		stress_writer(rig.fd);
	cr_assert_gt(child, 0);

	while (seen < end) {
		uint64_t pos = published(&rig);
		struct ring_rap rap;

		cr_assert_geq(pos, seen);
		seen = pos;
		if (!ring_reader_last_rap(rig.reader, RING_UNIT, 0, &rap))
			continue;
		cr_assert_eq(rap.pcr, rap.pos * 3);
		cr_assert_eq(rap.pts, rap.pos * 5);
		cr_assert_eq(rap.wall_ms, (int64_t)rap.pos * 7);

		uint64_t stamp = stamp_at(&rig, rap.pos);
		if (published(&rig) - rap.pos > 3 * RING_UNIT)
			continue; /* overwritten while it was read */
		cr_assert_eq(stamp, rap.pos);
		judged++;
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	cr_assert_gt(judged, 0);
	rig_free(&rig);
}

Test(ring, grows_where_it_wraps_and_keeps_every_byte)
{
	struct rig rig = { .fd = ring_create(RING_UNIT, 8 * RING_UNIT) };
	const size_t per_unit = RING_UNIT / RING_PACKET;
	struct ring_reader *late;
	struct ring_rap rap;
	struct stat st;
	int err = 0;

	rig.writer = ring_writer_new(rig.fd, &err);
	rig.reader = ring_reader_new(rig.fd, &err);
	cr_assert_eq(ring_reader_size(rig.reader), RING_UNIT);
	write_packets(rig.writer, 3 * per_unit + 5);
	mark(rig.writer, 3 * RING_UNIT + 5 * RING_PACKET);
	ring_grow(rig.writer, 2 * RING_UNIT + 1);
	write_packets(rig.writer, per_unit - 6);
	ring_publish(rig.writer);
	(void)published(&rig);
	cr_assert_eq(ring_reader_size(rig.reader), RING_UNIT, "not full yet");
	write_packets(rig.writer, 1);
	ring_publish(rig.writer);
	(void)published(&rig);
	cr_assert_eq(ring_reader_size(rig.reader), RING_UNIT,
		     "it has the bytes of the old window only");

	/* the window has room for two units more; nothing is overwritten */
	for (size_t n = 0; n < 2 * per_unit; n++) {
		write_packets(rig.writer, 1);
		ring_publish(rig.writer);
		for (uint64_t pos = 3 * RING_UNIT;
		     pos < ring_writer_pos(rig.writer);
		     pos += 97 * RING_PACKET) {
			(void)published(&rig);
			cr_assert_eq(stamp_at(&rig, pos), pos);
			cr_assert_eq(mapped_at(&rig, pos), pos);
		}
		cr_assert(ring_reader_last_rap(rig.reader, 0, 0, &rap));
		cr_assert_eq(rap.pos, 3 * RING_UNIT + 5 * RING_PACKET);
	}
	cr_assert_eq(ring_reader_size(rig.reader), 3 * RING_UNIT);
	cr_assert_eq(fstat(rig.fd, &st), 0);
	cr_assert_leq(st.st_blocks * 512, RING_DATA + 3 * RING_UNIT,
		      "it uses no memory behind the window");

	/* the next writer and a new reader find the same bytes */
	ring_writer_free(&rig.writer);
	rig.writer = ring_writer_new(rig.fd, &err);
	cr_assert_eq(ring_writer_window(rig.writer), 3 * RING_UNIT);
	late = ring_reader_new(rig.fd, &err);
	cr_assert_eq(ring_reader_size(late), 3 * RING_UNIT);
	ring_reader_free(&late);
	ring_grow(rig.writer, SIZE_MAX);
	write_packets(rig.writer, 9 * per_unit);
	ring_publish(rig.writer);
	for (uint64_t pos = published(&rig) - 8 * RING_UNIT;
	     pos < ring_writer_pos(rig.writer); pos += RING_PACKET)
		cr_assert_eq(stamp_at(&rig, pos), pos);
	cr_assert_eq(ring_reader_size(rig.reader), 8 * RING_UNIT);
	rig_free(&rig);
}

Test(ring, prefers_a_random_access_point_to_a_later_guess)
{
	struct rig rig = rig_new(1);
	struct ring_rap rap;

	ring_mark(rig.writer, &(struct ring_rap){ .pos = 0 });
	write_packets(rig.writer, 10);
	ring_mark(rig.writer, &(struct ring_rap){ .pos = 5 * RING_PACKET,
						  .guess = true });
	ring_mark(rig.writer, &(struct ring_rap){ .pos = 7 * RING_PACKET,
						  .guess = true });
	ring_publish(rig.writer);
	cr_assert(ring_reader_last_rap(rig.reader, 0, 0, &rap));
	cr_assert_eq(rap.pos, 0);
	cr_assert_not(rap.guess);
	/* where it is too old, the newest guess */
	cr_assert(ring_reader_last_rap(rig.reader, 0, RING_PACKET, &rap));
	cr_assert_eq(rap.pos, 7 * RING_PACKET);
	cr_assert(rap.guess);
	rig_free(&rig);
}
