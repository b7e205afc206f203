/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/ring.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/ring_header.h"
#include "common/base/shared.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RING_MAGIC UINT64_C(0x31474e49526c53) /* "SlRING1" */
#define RING_SIZE_MAX ((size_t)1 << 30)

enum {
	RING_VERSION = 3,
};

_Static_assert(sizeof(struct ring_header) <= RING_DATA,
	       "the header fits in front of the data");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2,
	       "atomics in shared memory are free of locks");
_Static_assert(RING_UNIT % RING_PACKET == 0 && RING_UNIT % 4096 == 0,
	       "packets and pages end together");

static size_t round_up(size_t size)
{
	size = (size + RING_UNIT - 1) / RING_UNIT * RING_UNIT;
	return size > RING_SIZE_MAX ? size - RING_UNIT : size;
}

int ring_create(size_t size, size_t max)
{
	struct ring_header *header;
	int fd, err;

	if (size == 0 || size > RING_SIZE_MAX || max > RING_SIZE_MAX)
		return -EINVAL;
	size = round_up(size);
	max = MAX(size, round_up(max));

	fd = shared_create("ring", RING_DATA + max);
	if (fd < 0)
		return fd;
	header = shared_map(fd, RING_DATA, &err);
	if (header == NULL) {
		fd_close(&fd);
		return err;
	}
	header->magic = RING_MAGIC;
	header->version = RING_VERSION;
	header->index_len = RING_INDEX;
	header->size = max;
	atomic_init(&header->layout, size / RING_UNIT);
	shared_unmap(header, RING_DATA);
	return fd;
}

/* The size of the data, from the sealed length of the file; -EBADF if it is no
 * size of a ring, or another -errno. */
static ssize_t sealed_size(int fd)
{
	ssize_t size = shared_size(fd);

	if (size < 0)
		return size;
	size -= RING_DATA;
	return size > 0 && (size_t)size <= RING_SIZE_MAX &&
			       size % RING_UNIT == 0
		       ? size : -EBADF;
}

static bool is_sound_header(const struct ring_header *header, size_t size)
{
	return header->magic == RING_MAGIC &&
	       header->version == RING_VERSION &&
	       header->index_len == RING_INDEX && header->size == size &&
	       ring_is_sound_pos(atomic_load(&header->pos));
}

/* Reads the window from the header.  False: it does not fit the file or the
 * position. */
static bool read_layout(const struct ring_header *header, uint64_t pos,
			size_t size, struct layout *ret)
{
	uint64_t packed = atomic_load_explicit(&header->layout,
					       memory_order_relaxed);
	uint64_t base = packed >> 16, window = packed & 0xffff;

	*ret = (struct layout){ .base = base * RING_UNIT,
				.window = (size_t)window * RING_UNIT };
	return window > 0 && window <= size / RING_UNIT &&
	       base <= pos / RING_UNIT;
}

/*
 * Removes entries of a writer that died between ring_mark() and ring_publish():
 * their bytes were never published, and the next writer puts other packets
 * there.
 */
static void forget_unpublished_marks(struct ring_header *header)
{
	uint64_t n = atomic_load(&header->n_marks);
	uint64_t pos = atomic_load(&header->pos);

	for (unsigned i = 0; i < RING_INDEX && n > 0; i++) {
		struct ring_entry *entry = &header->index[(n - 1) % RING_INDEX];

		if (atomic_load(&entry->pos) < pos)
			break;
		/* an odd seq: readers ignore the entry until it is rewritten */
		atomic_store(&entry->seq, atomic_load(&entry->seq) | 1);
		n--;
	}
	atomic_store(&header->n_marks, n);
}

struct ring_writer *ring_writer_new(int fd, int *ret_err)
{
	struct ring_writer *w;
	ssize_t size = sealed_size(fd);
	struct ring_header *header;
	struct layout layout;
	uint8_t *map;

	if (size < 0) {
		*ret_err = (int)size;
		return NULL;
	}
	map = shared_map(fd, RING_DATA + (size_t)size, ret_err);
	if (map == NULL)
		return NULL;
	header = (struct ring_header *)(void *)map;
	if (!is_sound_header(header, (size_t)size) ||
	    !read_layout(header, atomic_load(&header->pos), (size_t)size,
			 &layout)) {
		shared_unmap(map, RING_DATA + (size_t)size);
		*ret_err = -EBADMSG;
		return NULL;
	}
	w = xcalloc(1, sizeof *w);
	w->header = header;
	w->data = map + RING_DATA;
	w->size = (size_t)size;
	w->layout = layout;
	w->pos = atomic_load(&header->pos);
	forget_unpublished_marks(w->header);
	return w;
}

void ring_writer_free(struct ring_writer **w)
{
	if (*w == NULL)
		return;
	shared_unmap((*w)->header, RING_DATA + (*w)->size);
	free(*w);
	*w = NULL;
}

void ring_grow(struct ring_writer *w, size_t size)
{
	if (size > w->layout.window && w->layout.window < w->size)
		w->wanted = MAX(MIN(round_up(MIN(size, RING_SIZE_MAX)),
				    w->size), w->wanted);
}

size_t ring_writer_window(const struct ring_writer *w)
{
	return w->layout.window;
}

size_t ring_writer_max(const struct ring_writer *w)
{
	return w->size;
}

static size_t place(struct layout l, uint64_t pos)
{
	return (size_t)((pos - l.base) % l.window);
}

uint8_t *ring_room(struct ring_writer *w, size_t *n)
{
	/* the oldest byte is at the start of the window, so the window can grow
	 * behind its end */
	if (w->wanted > 0 && w->pos >= w->layout.base + w->layout.window &&
	    place(w->layout, w->pos) == 0) {
		w->layout.base = w->pos - w->layout.window;
		w->layout.window = w->wanted;
		w->wanted = 0;
		atomic_store_explicit(&w->header->layout,
				      w->layout.base / RING_UNIT << 16 |
					      w->layout.window / RING_UNIT,
				      memory_order_relaxed);
	}

	size_t at = place(w->layout, w->pos);

	*n = (w->layout.window - at) / RING_PACKET;
	return w->data + at;
}

void ring_commit(struct ring_writer *w, size_t n)
{
	assert(n <= (w->layout.window - place(w->layout, w->pos)) /
			    RING_PACKET);
	w->pos += n * RING_PACKET;
}

void ring_write(struct ring_writer *w, const uint8_t *packets, size_t n)
{
	while (n > 0) {
		size_t room;
		uint8_t *to = ring_room(w, &room);
		size_t now = MIN(room, n);

		memcpy(to, packets, now * RING_PACKET);
		ring_commit(w, now);
		packets += now * RING_PACKET;
		n -= now;
	}
}

uint64_t ring_writer_pos(const struct ring_writer *w)
{
	return w->pos;
}

const uint8_t *ring_before(const struct ring_writer *w, uint64_t back,
			   size_t *n)
{
	uint64_t have = MIN(w->pos - w->layout.base, w->layout.window);
	size_t at;

	*n = 0;
	if (back >= have)
		return w->data;
	at = place(w->layout, w->pos - back);
	/* the packets before the start of the window are at its end */
	if (at == 0)
		at = w->layout.window;
	*n = (size_t)MIN(at, have - back) / RING_PACKET;
	return w->data + at - *n * RING_PACKET;
}

void ring_mark(struct ring_writer *w, const struct ring_rap *rap)
{
	uint64_t n = atomic_load_explicit(&w->header->n_marks,
					  memory_order_relaxed);
	struct ring_entry *entry = &w->header->index[n % RING_INDEX];
	uint64_t inside = atomic_load_explicit(&entry->seq,
					       memory_order_relaxed) | 1;

	atomic_store_explicit(&entry->seq, inside, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&entry->pos, rap->pos, memory_order_relaxed);
	atomic_store_explicit(&entry->pcr, rap->pcr, memory_order_relaxed);
	atomic_store_explicit(&entry->pts, rap->pts, memory_order_relaxed);
	atomic_store_explicit(&entry->wall_ms, rap->wall_ms,
			      memory_order_relaxed);
	atomic_store_explicit(&entry->guess, rap->guess,
			      memory_order_relaxed);
	atomic_store_explicit(&entry->seq, inside + 1, memory_order_release);
	atomic_store_explicit(&w->header->n_marks, n + 1,
			      memory_order_release);
}

void ring_publish(struct ring_writer *w)
{
	const memory_order order = memory_order_release;
	struct ring_unit_entry *units = w->header->units;
	uint64_t pos = atomic_load_explicit(&units[0].pos,
					    memory_order_relaxed);

	/* publishes where the newest access unit begins; the order of the
	 * stores leaves at least one valid entry if the process dies between
	 * two of them */
	if (w->unit_pos != 0 && w->unit_pos != pos) {
		atomic_store_explicit(&units[1].pos, 0, order);
		atomic_store_explicit(&units[1].ms, units[0].ms, order);
		atomic_store_explicit(&units[1].pos, pos, order);
		atomic_store_explicit(&units[0].pos, 0, order);
		atomic_store_explicit(&units[0].ms, w->unit_ms, order);
		atomic_store_explicit(&units[0].pos, w->unit_pos, order);
	}
	atomic_store_explicit(&w->header->pos, w->pos, order);
}

struct ring_reader *ring_reader_new(int fd, int *ret_err)
{
	const struct ring_header *header;
	struct ring_reader *r;
	ssize_t size = sealed_size(fd);
	bool ok;

	if (size < 0) {
		*ret_err = (int)size;
		return NULL;
	}
	header = mmap(NULL, RING_DATA, PROT_READ, MAP_SHARED, fd, 0);
	if (header == MAP_FAILED) {
		*ret_err = -errno;
		return NULL;
	}
	if (!is_sound_header(header, (size_t)size)) {
		(void)munmap((void *)header, RING_DATA);
		*ret_err = -EBADMSG;
		return NULL;
	}
	r = xcalloc(1, sizeof *r);
	r->header = header;
	r->size = (size_t)size;
	(void)ring_reader_pos(r, &ok);
	if (!ok) {
		ring_reader_free(&r);
		*ret_err = -EBADMSG;
	}
	return r;
}

void ring_reader_free(struct ring_reader **r)
{
	if (*r == NULL)
		return;
	(void)munmap((void *)(*r)->header, RING_DATA);
	if ((*r)->data != NULL)
		(void)munmap((void *)(uintptr_t)(*r)->data, (*r)->size);
	free(*r);
	*r = NULL;
}

size_t ring_reader_size(const struct ring_reader *r)
{
	struct layout l = r->layout;

	return l.base > 0 ? (size_t)MIN(l.window, r->pos - l.base) : l.window;
}

uint64_t ring_reader_pos(struct ring_reader *r, bool *ret_ok)
{
	uint64_t pos = atomic_load_explicit(&r->header->pos,
					    memory_order_acquire);
	struct layout now;

	if (pos < r->pos || !ring_is_sound_pos(pos)) {
		r->broken = true;
	} else if (!read_layout(r->header, pos, r->size, &now) ||
		   now.window < r->layout.window || now.base < r->layout.base) {
		/* a writer only lets the window grow and the base advance */
		r->broken = true;
	} else if (!r->broken) {
		r->layout = now;
		r->pos = pos;
	}
	*ret_ok = !r->broken;
	return r->pos;
}

bool ring_reader_is_sound(struct ring_reader *r)
{
	bool ok;

	(void)ring_reader_pos(r, &ok);
	return ok && is_sound_header(r->header, r->size);
}

/* Reads an entry of the index; false if the writer has changed it meanwhile. */
static bool read_entry(const struct ring_entry *entry, struct ring_rap *ret)
{
	uint64_t before = atomic_load_explicit(&entry->seq,
					       memory_order_acquire);
	uint64_t after;

	ret->pos = atomic_load_explicit(&entry->pos, memory_order_relaxed);
	ret->pcr = atomic_load_explicit(&entry->pcr, memory_order_relaxed);
	ret->pts = atomic_load_explicit(&entry->pts, memory_order_relaxed);
	ret->wall_ms = atomic_load_explicit(&entry->wall_ms,
					    memory_order_relaxed);
	ret->guess = atomic_load_explicit(&entry->guess,
					  memory_order_relaxed) != 0;
	atomic_thread_fence(memory_order_acquire);
	after = atomic_load_explicit(&entry->seq, memory_order_relaxed);
	return before == after && before != 0 && before % 2 == 0;
}

bool ring_reader_last_rap(struct ring_reader *r, size_t margin, uint64_t from,
			  struct ring_rap *ret)
{
	return ring_reader_rap_behind(r, margin, from, 0, ret);
}

bool ring_reader_rap_behind(struct ring_reader *r, size_t margin, uint64_t from,
			    size_t behind, struct ring_rap *ret)
{
	bool ok, found = false;
	uint64_t pos = ring_reader_pos(r, &ok);
	uint64_t n = atomic_load_explicit(&r->header->n_marks,
					  memory_order_acquire);
	size_t size = ring_reader_size(r);
	struct ring_rap rap;

	if (!ok || margin >= size)
		return false;
	for (unsigned i = 0; i < RING_INDEX && n > 0; i++) {
		n--;
		if (!read_entry(&r->header->index[n % RING_INDEX], &rap) ||
		    rap.pos >= pos || !ring_is_sound_pos(rap.pos))
			continue;
		if (rap.pos < from || pos - rap.pos > size - margin)
			break;
		if (found && rap.guess)
			continue;
		*ret = rap;
		found = true;
		if (!rap.guess && pos - rap.pos >= behind)
			break;
	}
	return found;
}

bool ring_reader_has_marks(const struct ring_reader *r)
{
	return atomic_load_explicit(&r->header->n_marks,
				    memory_order_relaxed) > 0;
}

int ring_reader_map(struct ring_reader *r, int fd)
{
	void *map;

	if (r->data != NULL)
		return 0;
	map = mmap(NULL, r->size, PROT_READ, MAP_SHARED, fd, RING_DATA);
	if (map == MAP_FAILED)
		return -errno;
	r->data = map;
	return 0;
}

const uint8_t *ring_reader_at(const struct ring_reader *r, uint64_t pos,
			      size_t len, size_t *ret_contiguous)
{
	size_t at = place(r->layout, pos);

	*ret_contiguous = MIN(len, r->layout.window - at);
	return r->data + at;
}

bool ring_reader_has(struct ring_reader *r, uint64_t pos)
{
	bool ok;
	uint64_t end;

	/* the bytes were copied before the position is read */
	atomic_thread_fence(memory_order_acquire);
	end = ring_reader_pos(r, &ok);
	return ok && end - pos <= ring_reader_size(r) / 8 * 7;
}

off_t ring_file_offset(const struct ring_reader *r, uint64_t pos, size_t len,
		       size_t *ret_contiguous)
{
	size_t at = place(r->layout, pos);

	*ret_contiguous = MIN(len, r->layout.window - at);
	return (off_t)(RING_DATA + at);
}
