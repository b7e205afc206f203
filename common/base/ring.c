/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/ring.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/shared.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RING_MAGIC UINT64_C(0x31474e49526c53) /* "SlRING1" */
#define RING_SIZE_MAX ((size_t)1 << 30)

enum {
	RING_VERSION = 1,
};

/*
 * An entry of the index.  seq is odd while the writer changes the entry and
 * grows with every change.  A reader that reads the same even seq before and
 * after the entry has a consistent entry.  seq 0: not yet written.
 */
struct ring_entry {
	_Atomic uint64_t seq;
	_Atomic uint64_t pos;
	_Atomic uint64_t pcr;
	_Atomic uint64_t pts;
	_Atomic int64_t wall_ms;
};

/* The first RING_DATA bytes of the file. */
struct ring_header {
	uint64_t magic;
	uint32_t version;
	uint32_t index_len;
	uint64_t size;
	/* the fields that change have cache lines of their own */
	_Alignas(64) _Atomic uint64_t pos; /* published */
	_Atomic uint64_t n_marks;          /* entries ever completed */
	_Alignas(64) struct ring_entry index[RING_INDEX];
};

_Static_assert(sizeof(struct ring_header) <= RING_DATA,
	       "the header fits in front of the data");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2,
	       "atomics in shared memory are free of locks");
_Static_assert(RING_UNIT % RING_PACKET == 0 && RING_UNIT % 4096 == 0,
	       "packets and pages end together");

struct ring_writer {
	struct ring_header *header;
	uint8_t *data;
	size_t size;
	uint64_t pos; /* committed */
};

struct ring_reader {
	const struct ring_header *header;
	size_t size; /* checked once; the header's size is never read again */
	uint64_t pos;
	bool broken;
};

static bool is_sound_size(uint64_t size)
{
	return size > 0 && size <= RING_SIZE_MAX && size % RING_UNIT == 0;
}

static bool is_sound_pos(uint64_t pos)
{
	return pos <= INT64_MAX && pos % RING_PACKET == 0;
}

int ring_create(size_t size)
{
	struct ring_header *header;
	int fd, err;

	if (size == 0 || size > RING_SIZE_MAX)
		return -EINVAL;
	size = (size + RING_UNIT - 1) / RING_UNIT * RING_UNIT;
	if (size > RING_SIZE_MAX)
		size -= RING_UNIT;

	fd = shared_create("ring", RING_DATA + size);
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
	header->size = size;
	shared_unmap(header, RING_DATA);
	return fd;
}

/* The size of the data by the sealed length of the file, or -errno. */
static ssize_t sealed_size(int fd)
{
	ssize_t size = shared_size(fd);

	if (size < 0)
		return size;
	if (size <= RING_DATA || !is_sound_size((uint64_t)size - RING_DATA))
		return -EBADF;
	return size - RING_DATA;
}

static bool is_sound_header(const struct ring_header *header, size_t size)
{
	return header->magic == RING_MAGIC &&
	       header->version == RING_VERSION &&
	       header->index_len == RING_INDEX && header->size == size &&
	       is_sound_pos(atomic_load(&header->pos));
}

/*
 * A writer that died between mark and publish left entries for bytes that were
 * never published; the next writer puts other packets there.
 */
static void forget_unpublished_marks(struct ring_header *header)
{
	uint64_t n = atomic_load(&header->n_marks);
	uint64_t pos = atomic_load(&header->pos);

	for (unsigned i = 0; i < RING_INDEX && n > 0; i++) {
		struct ring_entry *entry = &header->index[(n - 1) % RING_INDEX];

		if (atomic_load(&entry->pos) < pos)
			break;
		/* stays odd: readers ignore the entry until it is rewritten */
		atomic_store(&entry->seq, atomic_load(&entry->seq) | 1);
		n--;
	}
	atomic_store(&header->n_marks, n);
}

struct ring_writer *ring_writer_new(int fd, int *ret_err)
{
	struct ring_writer *w;
	ssize_t size = sealed_size(fd);
	uint8_t *map;

	if (size < 0) {
		*ret_err = (int)size;
		return NULL;
	}
	map = shared_map(fd, RING_DATA + (size_t)size, ret_err);
	if (map == NULL)
		return NULL;
	if (!is_sound_header((struct ring_header *)(void *)map,
			     (size_t)size)) {
		shared_unmap(map, RING_DATA + (size_t)size);
		*ret_err = -EBADMSG;
		return NULL;
	}
	w = xcalloc(1, sizeof *w);
	w->header = (struct ring_header *)(void *)map;
	w->data = map + RING_DATA;
	w->size = (size_t)size;
	w->pos = atomic_load(&w->header->pos);
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

uint8_t *ring_room(struct ring_writer *w, size_t *n)
{
	size_t at = (size_t)(w->pos % w->size);

	*n = (w->size - at) / RING_PACKET;
	return w->data + at;
}

void ring_commit(struct ring_writer *w, size_t n)
{
	assert(n <= (w->size - w->pos % w->size) / RING_PACKET);
	w->pos += n * RING_PACKET;
}

uint64_t ring_writer_pos(const struct ring_writer *w)
{
	return w->pos;
}

const uint8_t *ring_before(const struct ring_writer *w, uint64_t back,
			   size_t *n)
{
	uint64_t have = MIN(w->pos, w->size);
	size_t at;

	*n = 0;
	if (back >= have)
		return w->data;
	at = (size_t)((w->pos - back) % w->size);
	/* the start of the data is also its end */
	if (at == 0)
		at = w->size;
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
	atomic_store_explicit(&entry->seq, inside + 1, memory_order_release);
	atomic_store_explicit(&w->header->n_marks, n + 1,
			      memory_order_release);
}

void ring_publish(struct ring_writer *w)
{
	atomic_store_explicit(&w->header->pos, w->pos, memory_order_release);
}

struct ring_reader *ring_reader_new(int fd, int *ret_err)
{
	const struct ring_header *header;
	struct ring_reader *r;
	ssize_t size = sealed_size(fd);

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
	return r;
}

void ring_reader_free(struct ring_reader **r)
{
	if (*r == NULL)
		return;
	(void)munmap((void *)(*r)->header, RING_DATA);
	free(*r);
	*r = NULL;
}

size_t ring_reader_size(const struct ring_reader *r)
{
	return r->size;
}

uint64_t ring_reader_pos(struct ring_reader *r, bool *ret_ok)
{
	uint64_t pos = atomic_load_explicit(&r->header->pos,
					    memory_order_acquire);

	if (pos < r->pos || !is_sound_pos(pos))
		r->broken = true;
	else if (!r->broken)
		r->pos = pos;
	*ret_ok = !r->broken;
	return r->pos;
}

bool ring_reader_is_sound(struct ring_reader *r)
{
	bool ok;

	(void)ring_reader_pos(r, &ok);
	return ok && is_sound_header(r->header, r->size);
}

/* False if the writer has changed the entry meanwhile. */
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
	atomic_thread_fence(memory_order_acquire);
	after = atomic_load_explicit(&entry->seq, memory_order_relaxed);
	return before == after && before != 0 && before % 2 == 0;
}

bool ring_reader_last_rap(struct ring_reader *r, size_t margin,
			  struct ring_rap *ret)
{
	bool ok;
	uint64_t pos = ring_reader_pos(r, &ok);
	uint64_t n = atomic_load_explicit(&r->header->n_marks,
					  memory_order_acquire);
	struct ring_rap rap;

	if (!ok || margin >= r->size)
		return false;
	for (unsigned i = 0; i < RING_INDEX && n > 0; i++) {
		n--;
		if (!read_entry(&r->header->index[n % RING_INDEX], &rap) ||
		    rap.pos >= pos || !is_sound_pos(rap.pos))
			continue;
		if (pos - rap.pos > r->size - margin)
			return false;
		*ret = rap;
		return true;
	}
	return false;
}

off_t ring_file_offset(const struct ring_reader *r, uint64_t pos, size_t len,
		       size_t *ret_contiguous)
{
	size_t at = (size_t)(pos % r->size);

	*ret_contiguous = MIN(len, r->size - at);
	return (off_t)(RING_DATA + at);
}
