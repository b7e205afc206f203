/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/memory.h"

#include "common/base/shared.h"
#include "common/base/prefetch.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "proto/ipc/contract.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MAGIC UINT64_C(0x314d454d724c53) /* "SLrMEM1" */

enum { VERSION = 20, PAGE = 4096 };

_Static_assert(sizeof(struct stream_memory) <= STREAM_MEMORY_STATE,
	       "it fits in what the master keeps");
_Static_assert(STREAM_MEMORY_SIZE == STREAM_MEMORY_QUEUES_AT +
				MSG_OUTPUTS_MAX * STREAM_MEMORY_QUEUE,
	       "a queue for each output");
_Static_assert(offsetof(struct stream_memory, waiting) <=
				STREAM_MEMORY_LASTING &&
			offsetof(struct stream_memory, waiting) + PAGE >
				STREAM_MEMORY_LASTING,
	       "a stopped stream keeps all but the packets that wait");
_Static_assert(offsetof(struct stream_memory, crypto) >= STREAM_MEMORY_LASTING,
	       "a stopped stream keeps no control words");
_Static_assert(offsetof(struct stream_memory, splice) +
			       offsetof(struct splice_continuity, cc) <=
				PREFETCH_LINE,
	       "what each turn writes is in the line that is warmed");
/* Checked only on machines that align 64 bits to 8 bytes.  If a member moves,
 * the next worker would misread it. */
_Static_assert(_Alignof(struct stream_memory) < 8 ||
		       (offsetof(struct stream_memory, splice) == 24 &&
			sizeof(struct splice_clock) == 72 &&
			sizeof(struct splice_track) == 40 &&
			sizeof(struct splice_continuity) == 20504 &&
			sizeof(struct table_versions) == 12296 &&
			sizeof(struct si_versions) == 12296 &&
			sizeof(struct passed_list) == 16392 &&
			sizeof(struct rtp_state) == 32),
	       "a layout that is changed has another VERSION");

struct stream_memory *stream_memory_open(int fd, uint64_t now_ns,
					 int *ret_err)
{
	struct stream_memory *m = NULL;
	bool valid, fresh = fd < 0 || shared_is_untouched(fd);

	*ret_err = 0;
	if (fd >= 0)
		m = shared_map(fd, sizeof *m, ret_err);
	if (m == NULL) {
		fresh = true;
		m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (m == MAP_FAILED)
			abort();
	}
	/* unused memory is not checked: the check would allocate its pages */
	valid = !fresh && m->magic == MAGIC && m->version == VERSION &&
		m->size == sizeof *m;
	if (!fresh && !valid)
		memset(m, 0, sizeof *m);
	else if (!fresh)
		(void)splice_continuity_check(&m->splice, now_ns);
	m->magic = MAGIC;
	m->version = VERSION;
	m->size = sizeof *m;
	return m;
}

void *stream_memory_queue(int fd, const struct rtp_state *output, size_t size,
			  int *ret_err)
{
	*ret_err = fd >= 0 && size > STREAM_MEMORY_QUEUE ? -EFBIG : 0;
	if (fd < 0 || output->queue == 0 || *ret_err < 0)
		return NULL;
	return shared_map_at(fd, STREAM_MEMORY_QUEUES_AT +
			     (output->queue - 1U) * (size_t)STREAM_MEMORY_QUEUE,
			     size, ret_err);
}

/* Frees the pages of the queues that no output keeps: packets of an output that
 * was removed take no memory, and are not sent if it returns. */
static void free_queues(int fd, const bool kept[MSG_OUTPUTS_MAX])
{
	int err;

	for (unsigned i = 0; i < MSG_OUTPUTS_MAX; i++) {
		const struct rtp_state place = { .queue = (uint16_t)(i + 1) };
		void *queue;

		if (kept[i])
			continue;
		queue = stream_memory_queue(fd, &place, STREAM_MEMORY_QUEUE,
					    &err);
		/* madvise(), because the sandbox forbids fallocate().  Errors
		 * are ignored here: if the queue is used later, its mapping
		 * fails and is reported. */
		if (queue != NULL)
			(void)madvise(queue, STREAM_MEMORY_QUEUE, MADV_REMOVE);
		shared_unmap(queue, STREAM_MEMORY_QUEUE);
	}
}

/* Gives each output a queue of its own.  An output that has a queue keeps
 * it. */
static void arrange_queues(int fd, struct rtp_state *outputs, size_t n)
{
	bool taken[MSG_OUTPUTS_MAX] = { false };

	for (size_t i = 0; i < n; i++) {
		uint16_t *queue = &outputs[i].queue;

		if (*queue > MSG_OUTPUTS_MAX ||
		    (*queue > 0 && taken[*queue - 1]))
			*queue = 0;
		if (*queue > 0)
			taken[*queue - 1] = true;
	}
	/* a removed output that returns later gets another queue */
	for (size_t i = n; i < MSG_OUTPUTS_MAX; i++)
		outputs[i].queue = 0;
	if (fd >= 0 && !shared_is_untouched(fd))
		free_queues(fd, taken);
	for (size_t i = 0, next = 0; i < n; i++) {
		if (outputs[i].queue > 0)
			continue;
		while (taken[next])
			next++;
		taken[next] = true;
		outputs[i].queue = (uint16_t)(next + 1);
	}
}

void stream_memory_arrange(struct stream_memory *m, int fd,
			   const uint64_t *addresses, size_t n)
{
	struct rtp_state before[MSG_OUTPUTS_MAX];

	memcpy(before, m->outputs, sizeof before);
	/* Two outputs may have the same address: an output that stays in its
	 * place keeps its state. */
	for (size_t i = 0; i < n; i++)
		if (before[i].address == addresses[i])
			before[i].address = 0;
	for (size_t i = 0; i < n; i++) {
		size_t at = 0;

		if (m->outputs[i].address == addresses[i])
			continue;
		while (at < MSG_OUTPUTS_MAX &&
		       before[at].address != addresses[i])
			at++;
		m->outputs[i] = at < MSG_OUTPUTS_MAX ? before[at]
						     : (struct rtp_state){ 0 };
		m->outputs[i].address = addresses[i];
		if (at < MSG_OUTPUTS_MAX)
			before[at].address = 0;
	}
	arrange_queues(fd, m->outputs, n);
}

struct ts_run stream_memory_waiting(const struct stream_memory *m,
				    uint64_t now_ns, uint32_t *ret_late_ms)
{
	struct ts_run run = { .data = m->waiting, .n = m->n_waiting };

	*ret_late_ms = m->waiting_ms == 0
			       ? 0 : (uint32_t)(now_ns / MS) - m->waiting_ms;
	if (run.n > STREAM_WAITING_MAX)
		run.n = 0;
	for (size_t i = 0; i < run.n; i++)
		if (!ts_sync_ok(run.data + i * TS_PACKET))
			run.n = 0;
	run.data += MIN(run.n, m->n_left) * TS_PACKET;
	run.n -= MIN(run.n, m->n_left);
	return run;
}

void stream_memory_set_waiting(struct stream_memory *m, struct ts_run run,
			       uint64_t now_ns)
{
	/* no reader sees half-written packets */
	m->n_waiting = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	m->n_left = 0;
	m->waiting_ms = (uint32_t)(now_ns / MS);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (run.n == 0)
		return;
	run.n = MIN(run.n, (size_t)STREAM_WAITING_MAX);
	memcpy(m->waiting, run.data, run.n * TS_PACKET);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	m->n_waiting = (uint16_t)run.n;
}

void stream_memory_close(struct stream_memory **m)
{
	shared_unmap(*m, sizeof **m);
	*m = NULL;
}
