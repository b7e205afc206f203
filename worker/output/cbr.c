/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/cbr.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/output/cbr_memory.h"
#include "worker/output/cbr_state.h"
#include "worker/output/pacer.h"

#include <stdlib.h>
#include <string.h>

#define PACKET_BITS CBR_PACKET_BITS

enum {
	QUEUE_PACKETS_MIN = 16 * DATAGRAM_PACKETS,
	QUEUE_PACKETS_MAX = 16 * 1024 * 1024 / TS_PACKET,
	/* A longer sleep does not count as time in which the worker was
	 * awake: the arrival times of its packets are unknown. */
	AWAKE_MS = 100,
	DISCONTINUITY = 0x80, /* discontinuity_indicator */
	/* 1/8 of the queue is for tables only. */
	TABLES_SHARE = 8,
	/* PIDs of tables that may use that part of the queue.  EIT is not one
	 * of them, because it may be large. */
	PID_CAT = 0x0001,
	PID_NIT = 0x0010,
	PID_SDT = 0x0011,
	PID_TDT = 0x0014,
};

static struct cbr *make(unsigned kbps, unsigned burst_ms, size_t clocks)
{
	struct cbr *c = xcalloc(1, sizeof *c);
	uint64_t queue;

	c->clocks = xcalloc(clocks, sizeof *c->clocks);
	c->clocks_max = clocks;
	c->bps = UINT64_C(1000) * kbps;
	c->step = PACKET_BITS * PCR_HZ / c->bps;
	c->step_part = PACKET_BITS * PCR_HZ % c->bps;
	c->burst_ms = burst_ms;
	queue = c->bps * CBR_QUEUE_MS / 1000 / PACKET_BITS;
	c->queue_max = (size_t)MIN(MAX(queue, (uint64_t)QUEUE_PACKETS_MIN),
				   (uint64_t)QUEUE_PACKETS_MAX);
	c->content_max = c->queue_max - c->queue_max / TABLES_SHARE;
	c->psi = psi_new();
	cbr_name_clocks(c);
	/* twice the queue, so that packets seldom move to the start */
	c->fifo.max = 2 * c->queue_max;
	c->pcr_due = UINT64_MAX;
	return c;
}

struct cbr *cbr_new(unsigned kbps, unsigned burst_ms)
{
	return make(kbps, burst_ms, CBR_CLOCKS);
}

struct cbr *cbr_new_mux(unsigned kbps, unsigned burst_ms, size_t clocks)
{
	struct cbr *c = make(kbps, burst_ms, clocks);
	size_t n = 1;

	while (n < c->queue_max)
		n *= 2;
	c->places = xcalloc(n, sizeof *c->places);
	c->places_mask = n - 1;
	return c;
}

void cbr_free(struct cbr **ptr)
{
	struct cbr *c = *ptr;

	*ptr = NULL;
	if (c == NULL)
		return;
	psi_free(&c->psi);
	fifo_done(&c->fifo);
	free(c->places);
	free(c->clocks);
	free(c);
}

/* --- the input --- */

static struct cbr_clock *find_clock(struct cbr *c, uint16_t pid)
{
	uint8_t place = c->clock_of[pid];

	return place > 0 ? &c->clocks[place - 1] : NULL;
}

/* True if a PMT is known and no PMT names this PID as its PCR PID. */
static bool is_left(const struct cbr *c, uint16_t pid)
{
	const struct psi_program *programs;
	size_t n = psi_programs(c->psi, &programs);

	for (size_t i = 0; i < n; i++)
		if (programs[i].pcr_pid == pid)
			return false;
	return psi_has_pmt(c->psi);
}

static void follow_tables(struct cbr *c, const uint8_t *packet)
{
	if (psi_class(c->psi, ts_pid(packet)) != PID_PSI ||
	    !psi_feed(c->psi, packet))
		return;
	for (size_t i = 0; i < c->n_clocks; i++)
		c->clocks[i].left = is_left(c, c->clocks[i].pid);
	cbr_name_clocks(c);
}

/* The index of a clock that a new PID may take over: that of a PID whose PCRs
 * have stopped, or, if a PMT names the new PID (left is false), that of a PID
 * that no PMT names.  n_clocks: there is none. */
static size_t find_place(const struct cbr *c, bool left, uint64_t now_tick)
{
	size_t i = 0;

	while (i < c->n_clocks && !cbr_is_gone(&c->clocks[i], now_tick))
		i++;
	if (i == c->n_clocks && !left)
		for (i = 0; i < c->n_clocks && !c->clocks[i].left;)
			i++;
	return i;
}

/* Gives the PID a free clock, or that of another PID; NULL: no clock can be
 * taken. */
static struct cbr_clock *add_clock(struct cbr *c, uint16_t pid,
				   uint64_t now_tick)
{
	bool left = is_left(c, pid);
	size_t i = c->n_clocks < c->clocks_max ? c->n_clocks
					: find_place(c, left, now_tick);

	if (i == c->clocks_max)
		return NULL;
	if (i == c->n_clocks)
		c->n_clocks++;
	else
		c->clock_of[c->clocks[i].pid] = 0;
	cbr_set_begun(c, &c->clocks[i], false);
	c->clocks[i] = (struct cbr_clock){ .pid = pid, .left = left,
					   .mux = c->places != NULL };
	c->clock_of[pid] = (uint8_t)(i + 1);
	return &c->clocks[i];
}

/* Reads the PCR of a packet and the time of its arrival into ret.  False: the
 * packet has no PCR. */
static bool take_arrival(const struct cbr *c, const uint8_t *packet,
			 uint64_t now_tick, struct cbr_arrival *ret)
{
	uint64_t pcr;

	if (!ts_pcr(packet, &pcr) || ts_tei(packet))
		return false;
	*ret = (struct cbr_arrival){
		.pcr = pcr % PCR_WRAP,
		.announced = ts_discontinuity(packet),
		.tick = now_tick,
		.awake = cbr_tick(c->awake_ns),
		.held = c->held,
	};
	return true;
}

static void read_pcr(struct cbr *c, uint8_t *packet, uint64_t now_tick)
{
	struct cbr_clock *clock = find_clock(c, ts_pid(packet));
	struct cbr_arrival a;
	bool is_known = clock != NULL;

	if (!take_arrival(c, packet, now_tick, &a))
		return;
	if (clock == NULL)
		clock = add_clock(c, ts_pid(packet), now_tick);
	if (clock == NULL)
		return;
	/* for a clock whose PCRs return after a silence, no PCR is inserted
	 * before its first PCR has left, or a packet that announces its new
	 * time base */
	clock->sent &= !cbr_is_gone(clock, now_tick) ||
		       cbr_is_gone(clock, clock->sent_tick);
	/* a new time base is announced by this packet, or by a packet that is
	 * inserted in front of the held packets */
	if (cbr_clock_arrived(clock, &a)) {
		if (c->held && !clock->begun)
			cbr_set_begun(c, clock, true);
		else
			packet[5] |= DISCONTINUITY;
	}
	if (c->held && !clock->doubts && clock->n_jumps == 0)
		cbr_set_begun(c, clock, false);
	/* A PCR on a new PID shows another source.  The old clocks receive no
	 * more PCRs, so the queue does not wait for them. */
	c->held = c->held && is_known && cbr_is_undecided(c);
}

static bool is_table(const struct cbr *c, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);

	return psi_class(c->psi, pid) == PID_PSI || pid == PID_CAT ||
	       pid == PID_NIT || pid == PID_SDT || pid == PID_TDT;
}

/* Appends packets to the queue, which has room for them. */
static void push(struct cbr *c, struct ts_run run, uint64_t now_tick)
{
	size_t last = c->place + fifo_len(&c->fifo);
	uint8_t *copy;

	if (run.n == 0)
		return;
	cbr_memory_make_room(c, run.n);
	copy = fifo_push(&c->fifo, run);
	for (size_t i = 0; i < run.n; i++, copy += TS_PACKET) {
		if (c->places != NULL)
			c->places[(last + i) & c->places_mask] = now_tick;
		/* most packets have no adaptation field, and so no PCR */
		if (ts_adaptation_flags(copy) != 0)
			read_pcr(c, copy, now_tick);
		if (ts_pusi(copy) || c->reader.n > 0)
			cbr_read_unit(c, copy);
	}
}

static void overflow(struct cbr *c, const uint8_t *packet, uint64_t now_tick)
{
	struct cbr_clock *clock = find_clock(c, ts_pid(packet));
	struct cbr_arrival a;

	c->counters.overflow++;
	if (clock != NULL && take_arrival(c, packet, now_tick, &a))
		cbr_clock_missed(clock, &a);
}

/* Queues packets other than null packets, which are due from at_ns on.  Counts
 * packets for which the queue has no room as overflow. */
static void queue_packets(struct cbr *c, struct ts_run run, uint64_t at_ns,
			  uint64_t now_ns)
{
	size_t waiting = fifo_len(&c->fifo);
	size_t limit = cbr_limit(c, cbr_tick(now_ns));
	size_t n = MIN(run.n, limit - MIN(limit, waiting));
	uint64_t now_tick = cbr_tick(at_ns);

	limit += c->queue_max - c->content_max;

	if (c->awake_ns - c->content_awake_ns >= cbr_pause_ns(c)) {
		c->held = c->n_clocks > 0 && waiting == 0;
		c->held_tick = now_tick;
		c->pause_tick = cbr_tick(c->content_ns);
	}
	c->content_awake_ns = c->awake_ns;
	c->content_ns = now_ns;
	for (size_t i = 0; i < run.n; i++)
		follow_tables(c, run.data + i * TS_PACKET);
	push(c, (struct ts_run){ run.data, n }, now_tick);
	/* when the queue is full only the tables enter it: they are a small
	 * part of a stream, and without them it cannot be received */
	for (; n < run.n; n++) {
		struct ts_run one = { run.data + n * TS_PACKET, 1 };

		if (fifo_len(&c->fifo) < limit && is_table(c, one.data))
			push(c, one, now_tick);
		else
			overflow(c, one.data, now_tick);
	}
}

/* Queues the packets of the run other than null packets.  True if there are
 * any. */
static bool take_run(struct cbr *c, struct ts_run run, uint64_t now_ns)
{
	size_t from = 0;
	bool any = false;

	for (size_t i = 0; i <= run.n; i++) {
		if (i < run.n &&
		    ts_pid(run.data + i * TS_PACKET) != TS_PID_NULL)
			continue;
		if (i > from) {
			queue_packets(c, (struct ts_run){
				run.data + from * TS_PACKET, i - from
			}, now_ns, now_ns);
			any = true;
		}
		from = i + 1;
	}
	return any;
}

static void start(struct cbr *c, uint64_t now_ns)
{
	if (c->running)
		return;
	c->running = true;
	c->run_ns = now_ns;
	c->now_tick = c->tick = cbr_tick(now_ns);
}

void cbr_feed(struct cbr *c, const struct ts_run *runs, size_t n_runs,
	      uint64_t now_ns)
{
	bool any = false;

	for (size_t i = 0; i < n_runs; i++)
		any |= take_run(c, runs[i], now_ns);
	if (!any)
		return;
	start(c, now_ns);
	cbr_memory_write(c, 0);
}

void cbr_feed_at(struct cbr *c, const uint8_t *packet, uint64_t at_ns,
		 uint64_t now_ns)
{
	queue_packets(c, (struct ts_run){ packet, 1 }, at_ns, now_ns);
	start(c, now_ns);
}

bool cbr_put(struct cbr *c, const uint8_t *packet)
{
	if (!c->running || c->put)
		return false;
	memcpy(c->first, packet, TS_PACKET);
	c->put = true;
	return true;
}

/* --- the output --- */

/* Moves the output to the next position. */
static void step(struct cbr *c)
{
	c->tick += c->step;
	c->part += c->step_part;
	if (c->part < c->bps)
		return;
	c->part -= c->bps;
	c->tick++;
}

/* The clock whose PCR is most overdue at this position; NULL: none is due.
 * empty: the position would get a null packet, so a PCR is due earlier. */
static struct cbr_clock *find_due_clock(struct cbr *c, bool empty)
{
	uint64_t most = empty ? CBR_PCR_NULL_MS * CBR_TICKS_MS
			      : CBR_PCR_MS * CBR_TICKS_MS;
	struct cbr_clock *found = NULL;

	for (size_t i = 0; i < c->n_clocks; i++) {
		struct cbr_clock *k = &c->clocks[i];

		if (!k->sent || cbr_is_gone(k, c->tick) ||
		    k->sent_tick + most > c->tick + c->step)
			continue;
		if (found == NULL || k->sent_tick < found->sent_tick)
			found = k;
	}
	return found;
}

static void write_pcr(struct cbr *c, struct cbr_clock *clock, uint8_t *p)
{
	ts_set_pcr(p, cbr_clock_leave(clock, c->tick, ts_discontinuity(p)));
	c->pcr_due = cbr_next_pcr(c);
}

static void make_pcr(struct cbr *c, struct cbr_clock *due, uint8_t *p)
{
	bool begun = due->begun && !c->held;

	memset(p, 0xff, TS_PACKET);
	p[0] = TS_SYNC_BYTE;
	p[1] = 0;
	ts_set_pid(p, due->pid);
	/* without payload the counter stays (ISO/IEC 13818-1 2.4.3.3) */
	p[3] = (uint8_t)(0x20 | ts_cc(due->last));
	p[4] = TS_PACKET - 5;
	p[5] = begun ? DISCONTINUITY | 0x10 : 0x10;
	if (begun)
		cbr_set_begun(c, due, false);
	due->parted = true;
	write_pcr(c, due, p);
	c->counters.pcrs++;
}

static void take_content(struct cbr *c, uint8_t *p)
{
	struct cbr_clock *clock;
	uint64_t pcr;

	memcpy(p, fifo_run(&c->fifo).data, TS_PACKET);
	fifo_drop(&c->fifo, 1);
	c->place++;
	clock = find_clock(c, ts_pid(p));
	if (clock == NULL)
		return;
	clock->parted = false;
	if (clock->running && ts_pcr(p, &pcr) && !ts_tei(p))
		write_pcr(c, clock, p);
	/* the counter of a damaged packet may be wrong */
	if (!ts_tei(p) ||
	    ts_cc(p) == (ts_cc(clock->last) + ts_has_payload(p)) % 16)
		memcpy(clock->last, p, TS_PACKET);
}

/* The first queued packet; NULL: none.  Duplicates that arrived after a PCR was
 * inserted behind the original are dropped: they carry nothing new. */
static const uint8_t *next_content(struct cbr *c)
{
	while (fifo_len(&c->fifo) > 0) {
		const uint8_t *p = fifo_run(&c->fifo).data;
		struct cbr_clock *clock = find_clock(c, ts_pid(p));

		if (clock == NULL || !clock->parted ||
		    !cbr_clock_repeats(clock, p))
			return p;
		cbr_drop_first(c);
		c->counters.duplicates++;
	}
	return NULL;
}

/* Fills one position.  content: a queued packet is due.  True if the position
 * got a queued packet; otherwise it got an inserted PCR, the packet of
 * cbr_put() or a null packet. */
static bool put_packet(struct cbr *c, bool content, uint8_t *p)
{
	const uint8_t *next = content ? next_content(c) : NULL;
	/* not while packets are held: perhaps no time base has begun */
	struct cbr_clock *due = c->held ? NULL : cbr_find_begun(c);

	if (due == NULL && c->tick + c->step >= c->pcr_due)
		due = find_due_clock(c, next == NULL);
	if (due != NULL && next == NULL)
		next = next_content(c);
	/* a duplicate must follow its original: it leaves before the inserted
	 * PCR, even if no content is due */
	if (due != NULL && next != NULL && ts_pid(next) == due->pid &&
	    cbr_clock_repeats(due, next)) {
		take_content(c, p);
		return true;
	}
	if (due != NULL) {
		make_pcr(c, due, p);
	} else if (c->put) {
		memcpy(p, c->first, TS_PACKET);
		c->put = false;
		return false;
	} else if (next != NULL) {
		take_content(c, p);
	} else {
		memset(p, 0xff, TS_PACKET);
		p[0] = TS_SYNC_BYTE;
		p[1] = TS_PID_NULL >> 8;
		p[3] = 0x10;
		c->counters.nulls++;
	}
	return due == NULL && next != NULL;
}

/* True if a queued packet is due at this position: by its own time in `places',
 * or, without `places', if the queue is spread evenly and its share of the n
 * positions, added up in `spread', has reached a whole position. */
static bool has_content(struct cbr *c, size_t spread, size_t n)
{
	if (c->places == NULL)
		return spread >= n;
	return !c->held && fifo_len(&c->fifo) > 0 &&
	       c->places[c->place & c->places_mask] <= c->tick;
}

static void send(struct cbr *c, const struct ts_run *run, ts_out_fn *out,
		 void *arg)
{
	cbr_memory_write(c, run->n);
	out(run, 1, arg);
	cbr_memory_sent(c);
}

/* Fills n of the positions that are due, and sends them.  The queued packets
 * are spread over all due positions. */
static void fill(struct cbr *c, size_t n, uint64_t due, ts_out_fn *out,
		 void *arg)
{
	uint64_t share = (fifo_len(&c->fifo) * n + due - 1) / due;
	size_t content = c->held ? 0 : (size_t)MIN(share, (uint64_t)n);
	struct ts_run run = { .data = c->out };
	size_t turn = 0;

	for (size_t i = 0; i < n; i++) {
		turn += content;
		if (put_packet(c, has_content(c, turn, n),
			       c->out + run.n * TS_PACKET))
			turn -= MIN(turn, n);
		step(c);
		if (++run.n == CBR_OUT_PACKETS) {
			send(c, &run, out, arg);
			run.n = 0;
		}
	}
	if (run.n > 0)
		send(c, &run, out, arg);
}

void cbr_run(struct cbr *c, uint64_t now_ns, ts_out_fn *out, void *arg)
{
	uint64_t due, burst;
	bool late;

	if (!c->running)
		return;
	c->awake_ns += MIN(now_ns - c->run_ns, AWAKE_MS * MS);
	c->run_ns = now_ns;
	c->now_tick = cbr_tick(now_ns);
	if (now_ns - c->content_ns > CBR_SILENCE_MS * MS &&
	    fifo_len(&c->fifo) == 0) {
		c->running = c->put = false;
		return;
	}
	c->held &= c->now_tick < c->held_tick + CBR_HELD_MS * CBR_TICKS_MS;
	cbr_skip_late(c);
	due = cbr_positions_until(c, c->now_tick);
	due -= due % DATAGRAM_PACKETS;
	late = c->now_tick - c->tick > CBR_BEHIND_MS * CBR_TICKS_MS;
	burst = c->bps * (late ? PACER_LATE_BURST_MS : c->burst_ms) / 1000 /
		PACKET_BITS;
	burst += DATAGRAM_PACKETS - burst % DATAGRAM_PACKETS;
	if (due > 0)
		fill(c, (size_t)MIN(due, burst), due, out, arg);
}

uint64_t cbr_next_ns(const struct cbr *c)
{
	uint64_t group = DATAGRAM_PACKETS * PACKET_BITS * 1000000000 / c->bps;

	if (!c->running)
		return UINT64_MAX;
	return c->run_ns + MAX(group, c->burst_ms * MS);
}

bool cbr_is_behind(const struct cbr *c)
{
	return c->running &&
	       cbr_positions_until(c, c->now_tick) >= DATAGRAM_PACKETS;
}

size_t cbr_waiting(const struct cbr *c)
{
	return fifo_len(&c->fifo);
}

size_t cbr_room(const struct cbr *c)
{
	return c->content_max - MIN(c->content_max, fifo_len(&c->fifo));
}

size_t cbr_late(const struct cbr *c)
{
	return c->running ? (size_t)cbr_positions_until(c, c->now_tick) : 0;
}

uint64_t cbr_late_ms(const struct cbr *c, uint64_t now_ns)
{
	uint64_t tick = cbr_tick(now_ns);

	return c->running && tick > c->tick ? (tick - c->tick) / CBR_TICKS_MS
					    : 0;
}

void cbr_every_second(struct cbr *c)
{
	fifo_trim(&c->fifo);
}

void cbr_counters(const struct cbr *c, struct cbr_counters *ret)
{
	*ret = c->counters;
}
