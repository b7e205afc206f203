/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/file_writer.h"

#include "common/base/alloc.h"
#include "common/loop/thread.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "worker/output/file_store.h"
#include "worker/ts/packet.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
	QUEUE_PACKETS = 65536, /* 12 MiB; 3 s at 32 Mbit/s */
	CHUNK_PACKETS = 1024,
	/* So many packets in the queue wake the thread before its timer. */
	HURRY_PACKETS = QUEUE_PACKETS / 16,
	PAUSE_MS = 200,
	/* Longest time for which the owner waits for a disk that hangs. */
	STOP_MS = 1000,
	MEASURE_S = 1,
};

struct file_writer {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	unsigned users;      /* references: of the owner and of the thread */
	struct output_spec spec;
	struct file_store store; /* used by the thread only */
	uint8_t *queue;      /* a ring; unused pages are never touched */
	size_t unit;
	/* head: index of the next packet to add; used: packets in the queue */
	size_t head, used;
	bool stop;
	struct timespec until; /* end of the wait after a stop */
	struct file_writer_state state;
};

static void unref(struct file_writer *w)
{
	bool last;

	(void)pthread_mutex_lock(&w->lock);
	last = --w->users == 0;
	(void)pthread_mutex_unlock(&w->lock);
	if (!last)
		return;
	(void)munmap(w->queue, QUEUE_PACKETS * w->unit);
	(void)pthread_cond_destroy(&w->wake);
	(void)pthread_mutex_destroy(&w->lock);
	free(w);
}

static struct timespec in_ms(unsigned ms)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += (long)(ms % 1000 * MS);
	if (t.tv_nsec >= (long)SECOND_NS) {
		t.tv_sec++;
		t.tv_nsec -= (long)SECOND_NS;
	}
	return t;
}

/* --- the thread --- */

/* Copies what the store measured of the disk.  The caller has the lock. */
static void copy_space(struct file_writer *w)
{
	w->state.free = w->store.free;
	w->state.full = w->store.full;
}

/* Writes one chunk of the queue, or drops it while the disk is full.  The
 * caller has the lock, which is released during the write.  0 or -errno with
 * error. */
static int write_chunk(struct file_writer *w, uint64_t *measured_ms,
		       struct errmsg *error)
{
	size_t tail = (w->head + QUEUE_PACKETS - w->used) % QUEUE_PACKETS;
	size_t n = MIN(MIN(w->used, QUEUE_PACKETS - tail),
		       (size_t)CHUNK_PACKETS);
	bool full = w->state.full;
	uint64_t now = mono_ms();
	int err = 0;

	(void)pthread_mutex_unlock(&w->lock);
	if (*measured_ms == 0 || now - *measured_ms >= MEASURE_S * 1000) {
		*measured_ms = now;
		err = file_store_check(&w->store, error);
	}
	if (err == 0 && n > 0 && full)
		file_store_pause(&w->store);
	else if (err == 0 && n > 0)
		err = file_store_write(&w->store, w->queue + tail * w->unit,
				       n * w->unit, error);
	(void)pthread_mutex_lock(&w->lock);
	copy_space(w);
	w->state.files = w->store.files;
	w->state.dropped += full || err < 0 ? n : 0;
	w->used -= n;
	return err;
}

static int write_queue(struct file_writer *w, struct errmsg *error)
{
	uint64_t measured_ms = 0;
	int err = 0;

	(void)pthread_mutex_lock(&w->lock);
	copy_space(w);
	while (err == 0 && (!w->stop || w->used > 0)) {
		struct timespec until = in_ms(PAUSE_MS);

		if (!w->stop && w->used < HURRY_PACKETS)
			(void)pthread_cond_timedwait(&w->wake, &w->lock,
						     &until);
		err = write_chunk(w, &measured_ms, error);
	}
	(void)pthread_mutex_unlock(&w->lock);
	return err;
}

/* Counts the packets in the queue as dropped, after the thread has ended.  The
 * caller has the lock. */
static void drop_queue(struct file_writer *w)
{
	w->state.dropped += w->used;
	w->used = 0;
}

static void *run(void *arg)
{
	struct file_writer *w = arg;
	struct errmsg error = { 0 };
	int err = file_store_open(&w->store, &w->spec, &error);

	if (err == 0) {
		err = write_queue(w, &error);
		file_store_close(&w->store);
	}
	(void)pthread_mutex_lock(&w->lock);
	w->state.err = err;
	w->state.error = error;
	drop_queue(w);
	(void)pthread_mutex_unlock(&w->lock);
	unref(w);
	return NULL;
}

/* --- the data path --- */

struct file_writer *file_writer_new(const struct output_spec *spec,
				    int *ret_err, struct errmsg *error)
{
	struct file_writer *w = xcalloc(1, sizeof *w);
	pthread_condattr_t attr;

	w->spec = *spec;
	w->unit = spec->file.m2ts ? TS_PACKET + 4 : TS_PACKET;
	w->users = 2;
	w->queue = mmap(NULL, QUEUE_PACKETS * w->unit, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (w->queue == MAP_FAILED)
		abort(); /* as after any failed allocation */
	(void)pthread_mutex_init(&w->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&w->wake, &attr);
	(void)pthread_condattr_destroy(&attr);
	*ret_err = thread_start(&w->thread, run, w);
	if (*ret_err == 0)
		return w;
	(void)errmsg_fail(error, *ret_err, "thread: %s",
			  strerror(-*ret_err));
	w->users = 1;
	unref(w);
	return NULL;
}

void file_writer_stop(struct file_writer *w)
{
	(void)pthread_mutex_lock(&w->lock);
	if (!w->stop)
		w->until = in_ms(STOP_MS);
	w->stop = true;
	(void)pthread_cond_signal(&w->wake);
	(void)pthread_mutex_unlock(&w->lock);
}

void file_writer_free(struct file_writer **p)
{
	struct file_writer *w = *p;

	*p = NULL;
	if (w == NULL)
		return;
	file_writer_stop(w);
	if (pthread_clockjoin_np(w->thread, NULL, CLOCK_MONOTONIC,
				 &w->until) != 0)
		(void)pthread_detach(w->thread);
	unref(w);
}

size_t file_writer_unit(const struct file_writer *w)
{
	return w->unit;
}

bool file_writer_room(struct file_writer *w, size_t n, struct file_room ret[2])
{
	size_t head, used, first;

	(void)pthread_mutex_lock(&w->lock);
	/* an empty queue restarts in pages that are in use already */
	if (w->used == 0)
		w->head = 0;
	head = w->head;
	used = w->used;
	(void)pthread_mutex_unlock(&w->lock);
	if (QUEUE_PACKETS - used < n)
		return false;
	first = MIN(n, QUEUE_PACKETS - head);
	ret[0] = (struct file_room){ w->queue + head * w->unit, first };
	ret[1] = (struct file_room){ w->queue, n - first };
	return true;
}

void file_writer_put(struct file_writer *w, size_t n)
{
	(void)pthread_mutex_lock(&w->lock);
	w->head = (w->head + n) % QUEUE_PACKETS;
	w->used += n;
	if (w->state.err < 0)
		drop_queue(w);
	else if (w->used >= HURRY_PACKETS)
		(void)pthread_cond_signal(&w->wake);
	(void)pthread_mutex_unlock(&w->lock);
}

void file_writer_state(struct file_writer *w, struct file_writer_state *ret)
{
	(void)pthread_mutex_lock(&w->lock);
	w->state.queued = w->used * w->unit;
	*ret = w->state;
	(void)pthread_mutex_unlock(&w->lock);
}
