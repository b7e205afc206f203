/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/cbr_memory.h"

#include "common/base/units.h"

#include <assert.h>
#include <string.h>

enum {
	VERSION = 2,
	HEAD = 128 * 1024, /* bytes in front of the packets; whole pages */
	/* A stored time that is further in the future is invalid. */
	AHEAD_MS = 1000,
	/* So many workers in a row may continue a queue and die within
	 * SOUND_MS; then the queue is dropped, because it may be the cause.  If
	 * the cause is a packet that was being sent, that packet has left the
	 * queue already. */
	RESUMED_MAX = 3,
	SOUND_MS = 100,
};

struct kept {
	uint64_t ends; /* head and tail of the queue, 32 bits each */
	uint64_t bps, tick, part;
	uint64_t run_ns, awake_ns, content_ns, content_awake_ns;
	uint64_t held_tick, pause_tick;
	uint32_t leaving; /* packets that are being sent */
	uint16_t n_clocks;
	uint8_t running, held;
	struct cbr_clock clocks[CBR_CLOCKS];
};

struct cbr_memory {
	uint32_t version;
	uint32_t size;    /* of this struct */
	uint64_t address; /* a hash of the address of the output */
	uint32_t valid;   /* kept[valid - 1] is the valid state; 0: none */
	uint32_t resumed; /* see RESUMED_MAX */
	struct kept kept[2];
};

_Static_assert(sizeof(struct cbr_memory) <= HEAD, "packets begin behind it");
_Static_assert(_Alignof(struct cbr_memory) < 8 ||
		       sizeof(struct cbr_clock) == 520,
	       "a layout that is changed has another VERSION");

/* --- this worker --- */

/* Keeps the order of stores in the memory.  A fence for the compiler suffices:
 * when a process ends, all its stores before that are done. */
static void in_order(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static uint64_t ends_of(const struct fifo *f)
{
	return (uint64_t)f->head << 32 | f->tail;
}

/* The state that was written last; inside the memory for any value of `valid',
 * which may be damaged. */
static struct kept *kept_of(struct cbr_memory *m)
{
	return &m->kept[(m->valid + 1) % 2];
}

void cbr_memory_write(struct cbr *c, size_t leaving)
{
	struct cbr_memory *m = c->memory;
	struct kept *k;

	if (m == NULL)
		return;
	if (m->resumed > 0 && c->run_ns > c->kept_ns &&
	    c->run_ns - c->kept_ns > SOUND_MS * MS)
		m->resumed = 0;
	k = &m->kept[m->valid % 2];
	k->ends = ends_of(&c->fifo);
	k->bps = c->bps;
	k->tick = c->tick;
	k->part = c->part;
	k->run_ns = c->run_ns;
	k->awake_ns = c->awake_ns;
	k->content_ns = c->content_ns;
	k->content_awake_ns = c->content_awake_ns;
	k->held_tick = c->held_tick;
	k->pause_tick = c->pause_tick;
	k->leaving = (uint32_t)leaving;
	k->n_clocks = (uint16_t)c->n_clocks;
	k->running = c->running;
	k->held = c->held;
	memcpy(k->clocks, c->clocks, c->n_clocks * sizeof *k->clocks);
	in_order();
	m->valid = m->valid % 2 + 1;
	in_order();
}

void cbr_memory_sent(struct cbr *c)
{
	if (c->memory != NULL)
		kept_of(c->memory)->leaving = 0;
}

void cbr_memory_make_room(struct cbr *c, size_t n)
{
	struct kept *k;

	if (c->memory == NULL || !fifo_moves(&c->fifo, n))
		return;
	cbr_memory_write(c, 0);
	k = kept_of(c->memory);
	/* while the queue moves onto itself no part of it is intact */
	if (c->fifo.head < fifo_len(&c->fifo))
		k->ends = 0;
	in_order();
	fifo_move(&c->fifo);
	in_order();
	k->ends = ends_of(&c->fifo);
}

/* --- the next worker --- */

static bool is_within(int64_t value, int64_t most)
{
	return value <= most && value >= -most;
}

static bool is_bool(const bool *b)
{
	uint8_t byte;

	memcpy(&byte, b, 1);
	return byte <= 1;
}

static bool has_bools(const struct cbr_clock *k)
{
	return is_bool(&k->left) && is_bool(&k->mux) && is_bool(&k->begun) &&
	       is_bool(&k->parted) && is_bool(&k->running) &&
	       is_bool(&k->has_fresh) && is_bool(&k->stray) &&
	       is_bool(&k->doubts) && is_bool(&k->sent);
}

/* True if all numbers of a kept clock are in ranges in which no product of them
 * overflows.  until: the latest tick that is possible. */
static bool is_sound_clock(const struct cbr_clock *k, uint64_t until)
{
	const int64_t wrap = (int64_t)PCR_WRAP;
	const int64_t parts = CBR_LEAD_MAX_MS * (int64_t)CBR_TICKS_MS * 1000000;
	bool sound = has_bools(k) && !k->mux && k->pid < TS_PIDS &&
		     k->base_tick <= until && k->in_tick <= until &&
		     k->ramp_tick <= until && k->lead_tick <= until &&
		     k->patient_tick <= until && k->window_tick <= until &&
		     k->measured_tick <= until && k->doubt_tick <= until &&
		     k->sent_tick <= until && k->in_awake <= until &&
		     k->base_pcr < PCR_WRAP && k->in_pcr < PCR_WRAP &&
		     is_within(k->fraction, INT64_C(1000000000000)) &&
		     is_within(k->slew_ppt, CBR_SLEW_MAX_PPT) &&
		     is_within(k->wanted_ppt, CBR_SLEW_MAX_PPT) &&
		     is_within(k->fresh_ppt, CBR_SLEW_MAX_PPT) &&
		     is_within(k->loop.rate_ppt, CBR_RATE_MAX_PPT) &&
		     is_within(k->loop.error, parts) &&
		     k->loop.n <= CBR_LOOP_SMOOTH && is_within(k->off, wrap) &&
		     is_within(k->stray_off, wrap) &&
		     is_within(k->doubt_off, wrap) &&
		     is_within(k->lead, wrap) && k->n_jumps <= CBR_JUMPS &&
		     is_within(k->shift, wrap * CBR_JUMPS) &&
		     (k->early == INT64_MIN || is_within(k->early, wrap)) &&
		     (k->late == INT64_MAX || is_within(k->late, wrap));

	for (size_t i = 0; sound && i < k->n_jumps; i++)
		sound = is_within(k->jumps[i], wrap);
	return sound;
}

static bool is_sound(const struct cbr *c, const struct kept *k,
		     const uint8_t *packets, uint64_t now_ns)
{
	uint64_t until = cbr_tick(now_ns) + AHEAD_MS * CBR_TICKS_MS;
	size_t head = k->ends >> 32, tail = (uint32_t)k->ends;
	uint8_t seen[TS_PIDS / 8] = { 0 };

	if (k->bps != c->bps || k->part >= c->bps || k->tick > until ||
	    k->run_ns > now_ns || k->awake_ns > now_ns ||
	    k->content_ns > now_ns || k->content_awake_ns > k->awake_ns ||
	    k->held_tick > until || k->pause_tick > until ||
	    k->n_clocks > c->clocks_max || k->running > 1 || k->held > 1 ||
	    head > tail || tail > fifo_max(&c->fifo))
		return false;
	for (size_t i = head; i < tail; i++)
		if (!ts_sync_ok(packets + i * TS_PACKET))
			return false;
	for (size_t i = 0; i < k->n_clocks; i++) {
		uint16_t pid = k->clocks[i].pid;

		if (!is_sound_clock(&k->clocks[i], until) ||
		    seen[pid / 8] & 1U << pid % 8)
			return false;
		seen[pid / 8] |= (uint8_t)(1U << pid % 8);
	}
	return true;
}

static void restore(struct cbr *c, const struct kept *k, uint64_t now_ns)
{
	c->tick = k->tick;
	c->part = k->part;
	c->run_ns = k->run_ns;
	c->now_tick = cbr_tick(k->run_ns);
	c->awake_ns = k->awake_ns;
	c->content_ns = k->content_ns;
	c->content_awake_ns = k->content_awake_ns;
	c->held_tick = k->held_tick;
	c->pause_tick = k->pause_tick;
	c->running = k->running;
	c->held = k->held;
	c->n_clocks = k->n_clocks;
	memcpy(c->clocks, k->clocks, c->n_clocks * sizeof *c->clocks);
	for (size_t i = 0; i < c->n_clocks; i++) {
		c->clock_of[c->clocks[i].pid] = (uint8_t)(i + 1);
		c->n_begun += c->clocks[i].begun;
	}
	c->pcr_due = cbr_next_pcr(c);
	/* after so long the first cbr_run() skips positions */
	if (now_ns - k->run_ns > (CBR_LATE_MS + CBR_FAR_MS) * MS)
		cbr_announce(c);
}

size_t cbr_memory_size(const struct cbr *c)
{
	return HEAD + fifo_max(&c->fifo) * TS_PACKET;
}

size_t cbr_keep(struct cbr *c, void *memory, uint64_t address, uint64_t now_ns)
{
	struct cbr_memory *m = memory;
	uint8_t *packets = (uint8_t *)memory + HEAD;
	const struct kept *k = NULL;
	size_t leaving = 0;

	assert(c->clocks_max <= CBR_CLOCKS && c->n_clocks == 0);
	if (m->version == VERSION && m->size == sizeof *m &&
	    m->address == address && (m->valid == 1 || m->valid == 2) &&
	    m->resumed < RESUMED_MAX)
		k = kept_of(m);
	/* packets at which a worker crashes are not sent again */
	m->valid = 0;
	if (k != NULL && is_sound(c, k, packets, now_ns)) {
		leaving = k->leaving;
		fifo_use(&c->fifo, packets, k->ends >> 32, (uint32_t)k->ends);
		restore(c, k, now_ns);
	} else {
		fifo_use(&c->fifo, packets, 0, 0);
	}
	m->resumed = k != NULL ? m->resumed + 1 : 0;
	m->version = VERSION;
	m->size = sizeof *m;
	m->address = address;
	c->memory = m;
	c->kept_ns = now_ns;
	return leaving;
}
