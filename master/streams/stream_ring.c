/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/stream_ring.h"

#include "common/base/fd.h"
#include "common/base/ring_segment.h"
#include "common/supervise/handover.h"
#include "master/streams/hls_bases.h"

static void note_base(const struct stream_ring *r)
{
	if (r->judge != NULL)
		hls_bases_note(r->bases, ring_reader_base(r->judge),
			       ring_reader_number(r->judge));
}

void stream_ring_close(struct stream_ring *r)
{
	note_base(r);
	fd_close(&r->fd);
	fd_close(&r->ro_fd);
	ring_reader_free(&r->judge);
	r->size = 0;
	r->number = 0;
}

/* Replaces the ring by the ring with the descriptor fd (taken); 0 or -errno.
 * After an error the present ring stays, and fd is closed. */
static int use(struct stream_ring *r, int fd, size_t size)
{
	struct ring_reader *judge = NULL;
	int ro = fd_reopen_readonly(fd);
	int err = 0;

	if (ro < 0)
		err = ro;
	else
		judge = ring_reader_new(ro, &err);
	if (judge == NULL) {
		fd_close(&ro);
		fd_close(&fd);
		return err;
	}
	stream_ring_close(r);
	*r = (struct stream_ring){ .fd = fd, .ro_fd = ro, .size = size,
				   .judge = judge, .bases = r->bases };
	return 0;
}

static int make(struct stream_ring *r, size_t size, size_t max)
{
	int fd, err;

	if (size == 0) {
		stream_ring_close(r);
		return 0;
	}
	note_base(r);
	fd = ring_create(size, max);
	if (fd < 0)
		return fd;
	err = ring_set_least(fd, hls_bases_next(r->bases),
			     hls_bases_next_number(r->bases));
	if (err < 0) {
		fd_close(&fd);
		return err;
	}
	return use(r, fd, size);
}

int stream_ring_make(struct stream_ring *r, size_t size)
{
	return make(r, size, RING_GROWN);
}

int stream_ring_make_fixed(struct stream_ring *r, size_t size)
{
	return make(r, size, size);
}

bool stream_ring_is_damaged(const struct stream_ring *r)
{
	note_base(r);
	return r->judge != NULL && !ring_reader_is_sound(r->judge);
}

bool stream_ring_take(struct stream_ring *r, const json_t *name,
		      struct handover *h, size_t size)
{
	uint64_t number = 0;
	int fd = handover_take(h, name, 'r', &number);
	size_t has;

	if (fd < 0 || use(r, fd, size) < 0)
		return false;
	r->number = number;
	/* the writer may have enlarged the ring */
	has = ring_reader_size(r->judge);
	if (has >= size && (has - size < RING_UNIT || has <= RING_GROWN))
		return true;
	stream_ring_close(r);
	return false;
}
