/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/sender.h"

#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/splice/stamps.h"

#include <assert.h>
#include <string.h>

enum {
	RUNS_MAX = 64,
	MEMORY_VERSION = 0x53454e01, /* no other layout of memory has this
				      * number */
	MEMORY_HEAD = 64 * 1024,     /* whole pages in front of the packets */
};

struct sender_memory {
	uint32_t version;
	uint32_t late_ms; /* age of the queue that sender_keep() found */
	uint64_t address;
	uint64_t ends;    /* head and tail of the queue, 32 bits each */
	uint64_t at_ns;   /* time of the last change */
};

void sender_init(struct sender *s, struct output **outputs, size_t n,
		 const struct sender_note *note)
{
	*s = (struct sender){ .outputs = outputs, .n_outputs = n };
	if (note != NULL)
		s->note = *note;
	s->fifo.max = SENDER_PACKETS_MAX;
	pacer_init(&s->pacer);
	pcr_clock_init(&s->pcr, TS_PID_NULL);
}

void sender_done(struct sender *s)
{
	fifo_done(&s->fifo);
}

/* Stores the queue without its first n packets in the memory for the next
 * process. */
static void keep(struct sender *s, size_t n, uint64_t now_ns)
{
	if (s->memory == NULL)
		return;
	s->memory->ends = (uint64_t)(s->fifo.head + n) << 32 | s->fifo.tail;
	s->memory->at_ns = now_ns;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Stores and reports the queue without its first n packets, which are sent
 * next.  If this process ends at any moment, the next one sends the others. */
static void note(struct sender *s, size_t n, uint64_t now_ns)
{
	struct ts_run run = fifo_run(&s->fifo);

	keep(s, n, now_ns);
	if (s->note.fn == NULL)
		return;
	run.data += n * TS_PACKET;
	run.n -= n;
	s->note.fn(run, now_ns, s->note.arg);
}

/* Prepares the memory for n more packets, which may move the queue.  While a
 * queue moves onto itself no part of it is intact, so the next process gets
 * none. */
static void make_way(struct sender *s, size_t n, uint64_t now_ns)
{
	struct fifo *f = &s->fifo;

	keep(s, 0, now_ns);
	if (s->memory == NULL || !fifo_moves(f, n))
		return;
	if (f->head < fifo_len(f))
		s->memory->ends = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	fifo_move(f);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	keep(s, 0, now_ns);
}

/* Sends the first `queued' packets of the queue, and then n packets of the
 * runs. */
static void send_first(struct sender *s, size_t queued,
		       const struct ts_run *runs, size_t n, uint64_t now_ns)
{
	struct ts_run out[RUNS_MAX + 1];
	size_t n_out = 0;

	s->sent += queued + n;
	if (queued > 0) {
		out[0] = fifo_run(&s->fifo);
		out[0].n = queued;
		n_out = 1;
	}
	while (n > 0) {
		out[n_out] = *runs++;
		out[n_out].n = MIN(out[n_out].n, n);
		n -= out[n_out++].n;
	}
	note(s, queued, now_ns);
	for (size_t i = 0; i < s->n_outputs && n_out > 0; i++)
		if (s->outputs[i] != NULL)
			output_send(s->outputs[i], out, n_out, now_ns);
	fifo_drop(&s->fifo, queued);
}

static size_t queue_max(const struct sender *s)
{
	return MIN(pacer_queue_max(&s->pacer), (size_t)SENDER_PACKETS_MAX);
}

/* Makes room for `more' packets: drops the oldest ones in whole datagrams, so
 * that the other datagrams stay the same.  Returns how many of the new packets
 * must be dropped as well. */
static size_t make_room(struct sender *s, size_t more)
{
	size_t max = queue_max(s);
	size_t waiting = fifo_len(&s->fifo);

	if (waiting + more <= max)
		return 0;

	size_t over = (waiting + more - max + DATAGRAM_PACKETS - 1) /
		      DATAGRAM_PACKETS * DATAGRAM_PACKETS;
	size_t old = MIN(over, waiting), new = MIN(over - old, more);

	fifo_drop(&s->fifo, old);
	s->dropped += old + new;
	return new;
}

static void measure_pcr(struct sender *s, const struct ts_run *runs,
		      size_t n_runs)
{
	if (pacer_is_settled(&s->pacer))
		return;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++)
			(void)pcr_clock_feed(&s->pcr,
					     runs[i].data + k * TS_PACKET);
	pacer_hint(&s->pacer, pcr_clock_bps(&s->pcr));
}

/* Queues the packets of the runs without the first `skip'; n: the number of
 * packets that are queued. */
static void queue(struct sender *s, const struct ts_run *runs, size_t n_runs,
		  size_t skip, size_t n, uint64_t now_ns)
{
	make_way(s, n, now_ns);
	for (size_t i = 0; i < n_runs; i++) {
		struct ts_run run = runs[i];
		size_t pass = MIN(skip, run.n);

		run.data += pass * TS_PACKET;
		run.n -= pass;
		skip -= pass;
		if (run.n > 0)
			fifo_push(&s->fifo, run);
	}
}

void sender_feed(struct sender *s, const struct ts_run *runs, size_t n_runs,
		 uint64_t now_ns)
{
	assert(n_runs <= RUNS_MAX);

	size_t arrived = 0, waited = fifo_len(&s->fifo), queued, skip;

	for (size_t i = 0; i < n_runs; i++)
		arrived += runs[i].n;
	measure_pcr(s, runs, n_runs);
	pacer_arrived(&s->pacer, now_ns, arrived);

	size_t leave = pacer_release(&s->pacer, now_ns, waited + arrived);

	if (s->immediate)
		leave = waited + arrived;
	queued = MIN(leave, waited);
	skip = leave - queued;
	/* packets that stay are queued before the outputs get the others, if no
	 * packet must be dropped: then the next process can send them */
	if (waited + arrived - skip <= queue_max(s)) {
		if (skip < arrived)
			queue(s, runs, n_runs, skip, arrived - skip, now_ns);
		send_first(s, queued, runs, skip, now_ns);
		return;
	}
	send_first(s, queued, runs, skip, now_ns);
	skip += make_room(s, arrived - skip);
	if (skip < arrived)
		queue(s, runs, n_runs, skip, arrived - skip, now_ns);
	note(s, 0, now_ns);
}

void sender_shorten(struct sender *s, size_t most, uint64_t now_ns)
{
	size_t waiting = fifo_len(&s->fifo), n = 0;

	if (waiting > most)
		n = (waiting - most + DATAGRAM_PACKETS - 1) /
		    DATAGRAM_PACKETS * DATAGRAM_PACKETS;
	n = MIN(n, waiting);
	if (n > 0)
		send_first(s, n, NULL, 0, now_ns);
}

struct ts_run sender_waiting(const struct sender *s)
{
	if (fifo_len(&s->fifo) == 0)
		return (struct ts_run){ 0 };
	return fifo_run(&s->fifo);
}

static void drop_pcrs(uint8_t *packets, size_t n)
{
	uint64_t pcr;

	for (size_t i = 0; i < n; i++, packets += TS_PACKET)
		if (ts_pcr(packets, &pcr))
			stamps_drop_pcr(packets);
}

void sender_take_over(struct sender *s, struct ts_run waiting, uint32_t late_ms,
		      uint64_t now_ns)
{
	uint8_t *p;

	if (waiting.n == 0)
		return;
	p = fifo_push(&s->fifo, waiting);
	if (late_ms >= SENDER_LATE_MS)
		drop_pcrs(p, waiting.n);
	sender_shorten(s, 0, now_ns);
}

size_t sender_memory_size(void)
{
	return MEMORY_HEAD + (size_t)SENDER_PACKETS_MAX * TS_PACKET;
}

void sender_keep(struct sender *s, void *memory, uint64_t address,
		 uint64_t now_ns)
{
	struct sender_memory *m = memory;
	uint8_t *packets = (uint8_t *)memory + MEMORY_HEAD;
	size_t head = m->ends >> 32, tail = (uint32_t)m->ends;
	bool found = m->version == MEMORY_VERSION && m->address == address &&
		     head <= tail && tail <= SENDER_PACKETS_MAX &&
		     m->at_ns <= now_ns;

	for (size_t i = head; found && i < tail; i++)
		found = ts_sync_ok(packets + i * TS_PACKET);
	if (!found)
		head = tail = 0;
	m->late_ms = (uint32_t)MIN((now_ns - m->at_ns) / MS,
				   (uint64_t)UINT32_MAX);
	m->version = MEMORY_VERSION;
	m->address = address;
	/* packets at which a worker crashes are not sent again */
	m->ends = 0;
	s->memory = m;
	fifo_use(&s->fifo, packets, head, tail);
}

void sender_resume(struct sender *s, uint64_t now_ns)
{
	struct ts_run run = sender_waiting(s);

	if (run.n == 0)
		return;
	if (s->memory->late_ms >= SENDER_LATE_MS)
		drop_pcrs(s->fifo.memory + s->fifo.head * TS_PACKET, run.n);
	sender_shorten(s, 0, now_ns);
}

uint64_t sender_next_ns(const struct sender *s)
{
	return pacer_next_ns(&s->pacer, fifo_len(&s->fifo));
}

bool sender_is_behind(const struct sender *s)
{
	return pacer_is_behind(&s->pacer, fifo_len(&s->fifo));
}

void sender_every_second(struct sender *s)
{
	fifo_trim(&s->fifo);
}
