/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The role `picture`: makes a JPEG of the last key frame of a stream, one
 * picture at a time. */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/ring.h"
#include "worker/core/worker.h"
#include "worker/picture/picture_frame.h"
#include "worker/ts/packet.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

enum {
	READ_MAX = 48 * RING_UNIT, /* 9 MB: two seconds of 36 Mbit/s */
	/* distance from the oldest packet of the ring, because the writer may
	 * be about to overwrite packets nearer to it */
	MARGIN = 2 * RING_UNIT,
	/* Time between two attempts: packets of the picture may still
	 * arrive. */
	RETRY_MS = 40,
	RETRIES_MAX = 12,
	/* Most CPU time of a picture; after it SIGPROF ends the process. */
	CPU_S = 2,
};

struct role {
	struct worker *worker;
	/* ring of the stream, memory for the picture; -1: no job */
	int ring, out;
	uint32_t seq;
	unsigned width, retries;
	ev_timer retry;
	uint64_t pictures;
	uint8_t *jpeg;
};

static void limit_time(long seconds)
{
	const struct itimerval limit = { .it_value = { .tv_sec = seconds } };

	(void)setitimer(ITIMER_PROF, &limit, NULL);
}

/* Sends the result and ends the job.  len: bytes of the picture in the memory
 * of the job; 0: there is none, and error has the reason. */
static void finish(struct role *r, size_t len, int err,
		   const struct errmsg *error)
{
	struct msg m = { .type = MSG_PICTURE_RESULT, .seq = r->seq };

	limit_time(0);
	m.picture_result = (struct msg_picture_result){
		.len = (uint32_t)len,
		.absent = len == 0 && err == -ENOENT,
		.error = len > 0 ? "" : error->text,
	};
	r->pictures += len > 0;
	fd_close(&r->ring);
	fd_close(&r->out);
	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

/* Copies the packets from the last random access point on; 0 or -errno. */
static int read_ring(const struct role *r, uint8_t **ret, size_t *ret_n,
		     struct errmsg *error)
{
	int err;
	struct ring_reader *ring = ring_reader_new(r->ring, &err);
	struct ring_rap rap = { 0 };
	uint64_t end, from;
	size_t len = 0, want, part;
	bool ok;

	if (ring == NULL)
		return errmsg_fail(error, -EAGAIN, "the ring buffer of the "
				   "stream is damaged");
	end = ring_reader_pos(ring, &ok);
	if (!ok || !ring_reader_last_rap(ring, MARGIN, 0, &rap)) {
		ring_reader_free(&ring);
		return errmsg_fail(error, -EAGAIN,
				   "no picture has arrived yet");
	}
	from = rap.pos;
	want = end > from ? (size_t)MIN(end - from, (uint64_t)READ_MAX) : 0;
	*ret = xmalloc(want + 1);
	while (len < want) {
		off_t at = ring_file_offset(ring, from + len, want - len,
					    &part);
		ssize_t n = pread(r->ring, *ret + len, part, at);

		if (n <= 0)
			break;
		len += (size_t)n;
	}
	/* were the packets overwritten during the copy? */
	end = ring_reader_pos(ring, &ok);
	ok = ok && end - from <= ring_reader_size(ring);
	ring_reader_free(&ring);
	*ret_n = len / TS_PACKET;
	if (ok)
		return 0;
	free(*ret);
	return errmsg_fail(error, -EAGAIN, "the ring buffer of the stream is "
			   "damaged");
}

static void attempt(struct role *r)
{
	struct picture_units units = { .n = 0 };
	struct errmsg error = { 0 };
	struct AVFrame *frame = NULL;
	uint8_t *packets = NULL;
	size_t n = 0;
	ssize_t len;
	int err = read_ring(r, &packets, &n, &error);

	if (err == 0) {
		err = picture_units_read(&units, packets, n, &error);
		free(packets);
	}
	if ((err == -EAGAIN || (err == 0 && !units.complete)) &&
	    r->retries++ < RETRIES_MAX) {
		picture_units_done(&units);
		ev_timer_again(r->worker->loop, &r->retry);
		return;
	}
	ev_timer_stop(r->worker->loop, &r->retry);
	if (err == 0)
		frame = picture_decode(&units, &err, &error);
	len = err;
	if (frame != NULL)
		len = picture_encode(frame, r->width, r->jpeg,
				     PICTURE_SIZE_MAX, &error);
	picture_frame_free(&frame);
	picture_units_done(&units);
	if (len > 0 && pwrite(r->out, r->jpeg, (size_t)len, 0) != len)
		len = errmsg_fail(&error, -EIO, "the picture cannot be written "
				  "to its memory");
	finish(r, len > 0 ? (size_t)len : 0, len < 0 ? (int)len : 0, &error);
}

static void on_retry(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	attempt(container_of(t, struct role, retry));
}

static void on_make(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	static const struct errmsg broken = { "the master sent no usable "
					      "memory for the picture" };
	struct role *r = role;

	/* the master orders one picture at a time: an unfinished job is
	 * dropped */
	fd_close(&r->ring);
	fd_close(&r->out);
	ev_timer_stop(r->worker->loop, &r->retry);
	r->seq = m->seq;
	r->width = m->picture_make.width;
	r->retries = 0;
	if (n_fds != 2) {
		finish(r, 0, -EAGAIN, &broken);
		return;
	}
	r->ring = fds[0];
	r->out = fds[1];
	fds[0] = fds[1] = -1;
	limit_time(CPU_S);
	attempt(r);
}

static void *role_new(struct worker *worker)
{
	struct role *r = xcalloc(1, sizeof *r);

	r->worker = worker;
	r->ring = r->out = -1;
	r->jpeg = xmalloc(PICTURE_SIZE_MAX);
	ev_init(&r->retry, on_retry);
	r->retry.repeat = RETRY_MS / 1000.;
	picture_library_open();
	return r;
}

static void role_free(void *role)
{
	struct role *r = role;

	ev_timer_stop(r->worker->loop, &r->retry);
	fd_close(&r->ring);
	fd_close(&r->out);
	free(r->jpeg);
	free(r);
}

static void every_second(void *role)
{
	const struct role *r = role;
	struct msg m = { .type = MSG_PICTURE_STATUS,
			 .picture_status = { .pictures = r->pictures } };

	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

const struct worker_role picture_role = {
	.name = "picture",
	.needs = NEED_CLOCK,
	.new = role_new,
	.free = role_free,
	.every_second = every_second,
	.messages = { [MSG_PICTURE_MAKE] = on_make },
};
