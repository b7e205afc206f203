/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tables/table_stage.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/remux/runs_out.h"
#include "worker/remux/section_queue.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* One packet of a PID in 1.504 ms: 1 Mbit/s. */
	SPACING_US = 1504,
	SPACING_DEFAULT = 8,   /* SPACING_US in packets, while the rate is
				* unknown */
	/* the other times in packets, while the rate is unknown */
	PATIENCE_DEFAULT = 64,
	/* Without a constant rate: time for which packets of a table, and of a
	 * clock, wait for a null packet before they are inserted. */
	PATIENCE_US = 20000,
	PATIENCE_CLOCK_US = 5000,
	/* At a constant rate: a table that waits longer than this lacks null
	 * packets.  The least distances explain only shorter waits. */
	LACK_US = 40000,
	EIT_HEAD = 14, /* bytes of an EIT section in front of its events */
	/* While more packets than this are queued, no section of an EIT
	 * schedule is queued, so that other tables have room. */
	GUIDE_QUEUED = 2,
	/* At a constant rate no section of an EIT schedule is queued after this
	 * time without a place, which is several calls of mux_turn(). */
	GUIDE_LACK_US = 100000,
	/* Entries of `left': more sections than are sent in SCHEDULE_GAP_MS. */
	LEFT_MAX = 128,
	GAP_US = SCHEDULE_GAP_MS * 1000,
	INSPECTED = 4, /* PIDs whose sections can be inspected: of NIT, of SDT
			* and BAT, of EIT, of TDT and TOT */
};

/* A PID of which some sections are dropped. */
struct inspected {
	struct section_assembler assembler;
	uint8_t buffer[SECTION_MAX];
};

/* The section that a queued packet belongs to. */
struct slot {
	uint32_t table; /* own section: from table_of(); 0: a section of the
			 * source, or a clock */
	bool guide;     /* own section of an EIT schedule */
};

/* When the last packet of an own sub-table was sent. */
struct left {
	uint16_t pid;
	uint32_t table; /* from table_of(); 0: the entry is free */
	uint32_t at; /* table_stage.packets at that time */
};

struct table_stage {
	struct schedule *schedule;
	uint8_t *cc; /* as in table_stage_config */
	bool constant; /* the rate is constant */
	struct table_stage_counters counted;

	/* set of the table_ids whose sections of the source are dropped */
	uint64_t dropped_tables[256 / 64];
	/* set of the PIDs of the source that are dropped */
	uint64_t dropped_pids[TS_PIDS / 64];
	struct inspected *inspected[INSPECTED]; /* by place_of_pid(); NULL: all
						 * packets of the PID pass */
	bool shared[INSPECTED]; /* the PID also has own sections, so it is
				 * always inspected */
	eit_filter_fn *drops_eit; /* filter for sections of EIT; NULL: none */
	void *eit_arg;

	struct section_queue queue;
	struct slot slots[SECTION_QUEUE_MAX]; /* for each slot of the queue: the
					       * section of its packet */
	size_t others; /* packets in the queue that do not belong to an EIT
			* schedule */
	struct left left[LEFT_MAX]; /* a ring, with the latest entry at
				     * last_left */
	size_t last_left;
	uint32_t sent_at[TS_PIDS]; /* for each PID: `packets' when its last
				    * queued packet was sent */
	uint32_t packets;   /* packets of the source, modulo 2^32 */
	uint32_t waits_from; /* `packets' when the queue last sent a packet, or
			      * received its first one or a clock */
	uint32_t place_at; /* `packets' at the last place of a null or dropped
			    * packet while no table waited too long */
	bool clock;          /* the first packets of the queue are a clock */
	/* the second in which `rate' is measured: its begin, and `packets'
	 * then */
	uint64_t second_ns;
	uint32_t second_packets;
	uint32_t rate;  /* packets per second; 0: unknown */
	/* the stream has null packets; this second has had one */
	bool has_nulls, saw_null;
	struct runs_out out;
};

static const uint8_t null_packet[TS_PACKET] = { TS_SYNC_BYTE, 0x1f, 0xff,
						0x10 };

static bool has(const uint64_t *set, size_t i)
{
	return set[i / 64] >> i % 64 & 1;
}

static void put(uint64_t *set, size_t i, bool on)
{
	set[i / 64] &= ~(UINT64_C(1) << i % 64);
	set[i / 64] |= (uint64_t)on << i % 64;
}

/* The index in `inspected' of the PID of this table; INSPECTED: the table is on
 * another PID. */
static size_t place_of_table(uint8_t table_id)
{
	if (table_id == NIT_TABLE_ID || table_id == NIT_OTHER_TABLE_ID)
		return 0;
	if (table_id == SDT_TABLE_ID || table_id == SDT_OTHER_TABLE_ID ||
	    table_id == BAT_TABLE_ID)
		return 1;
	if (table_id >= EIT_TABLE_ID && table_id <= EIT_LAST_TABLE_ID)
		return 2;
	return table_id >= TDT_TABLE_ID && table_id <= TOT_TABLE_ID
		       ? 3
		       : INSPECTED;
}

static size_t place_of_pid(uint16_t pid)
{
	switch (pid) {
	case SI_PID_NIT:
		return 0;
	case SI_PID_SDT:
		return 1;
	case SI_PID_EIT:
		return 2;
	case SI_PID_TDT:
		return 3;
	default:
		return INSPECTED;
	}
}

struct table_stage *table_stage_new(const struct table_stage_config *config)
{
	struct table_stage *s = xcalloc(1, sizeof *s);

	s->schedule = schedule_new();
	s->cc = config->cc;
	s->constant = s->has_nulls = config->kbps > 0;
	s->rate = (uint32_t)(config->kbps * UINT64_C(1000) / 8 / TS_PACKET);
	s->out.out = config->out;
	s->out.arg = config->arg;
	return s;
}

void table_stage_free(struct table_stage **s)
{
	if (*s == NULL)
		return;
	schedule_free(&(*s)->schedule);
	for (size_t i = 0; i < INSPECTED; i++)
		free((*s)->inspected[i]);
	free(*s);
	*s = NULL;
}

struct schedule *table_stage_schedule(struct table_stage *s)
{
	return s->schedule;
}

void table_stage_counters(const struct table_stage *s,
			  struct table_stage_counters *ret)
{
	*ret = s->counted;
}

static struct inspected *inspected_new(void)
{
	struct inspected *i = xcalloc(1, sizeof *i);

	section_init(&i->assembler, i->buffer, sizeof i->buffer);
	return i;
}

void table_stage_drop(struct table_stage *s, uint8_t table_id, bool drop)
{
	size_t place = place_of_table(table_id);
	bool any;

	if (place == INSPECTED)
		return;
	put(s->dropped_tables, table_id, drop);
	any = s->shared[place];
	for (unsigned id = NIT_TABLE_ID; id <= TOT_TABLE_ID; id++)
		any |= place_of_table((uint8_t)id) == place &&
		       has(s->dropped_tables, id);
	if (!any) {
		free(s->inspected[place]);
		s->inspected[place] = NULL;
	} else if (s->inspected[place] == NULL) {
		s->inspected[place] = inspected_new();
	}
}

void table_stage_own_pid(struct table_stage *s, uint16_t pid)
{
	size_t place = place_of_pid(pid);

	if (place == INSPECTED) {
		table_stage_drop_pid(s, pid, true);
		return;
	}
	s->shared[place] = true;
	if (s->inspected[place] == NULL)
		s->inspected[place] = inspected_new();
}

void table_stage_filter_eit(struct table_stage *s, eit_filter_fn *drops,
			    void *arg)
{
	s->drops_eit = drops;
	s->eit_arg = arg;
}

void table_stage_drop_pid(struct table_stage *s, uint16_t pid, bool drop)
{
	put(s->dropped_pids, pid & (TS_PIDS - 1), drop);
}

/* --- the queue --- */

/* The number of packets of the stream in this time, at least 1. */
static uint32_t packets_in(const struct table_stage *s, unsigned us)
{
	if (s->rate > 0)
		return (uint32_t)((uint64_t)s->rate * us / 1000000) + 1;
	return us > SPACING_US ? PATIENCE_DEFAULT : SPACING_DEFAULT;
}

/* True if the queue has no room for another own section.  Beside it, room for
 * one section of the source stays free. */
static bool is_full(const struct table_stage *s)
{
	return s->queue.n + 2 * SECTION_PACKETS > SECTION_QUEUE_MAX;
}

/* Stores the section that n packets of the queue belong to.  first: position of
 * the first of them in the queue. */
static void mark(struct table_stage *s, size_t first, size_t n,
		 struct slot slot)
{
	for (size_t i = first; i < first + n; i++)
		s->slots[s->queue.order[i]] = slot;
	s->others += slot.guide ? 0 : n;
}

static bool push(struct table_stage *s, uint16_t pid, const uint8_t *section,
		 size_t len, struct slot slot)
{
	size_t before = s->queue.n;

	if (!section_queue_push(&s->queue, pid, section, len))
		return false;
	if (before == 0)
		s->waits_from = s->packets;
	mark(s, before, s->queue.n - before, slot);
	return true;
}

static bool has_pid(const struct section_queue *q, uint16_t pid)
{
	for (size_t i = 0; i < q->n; i++)
		if (ts_pid(section_queue_at(q, i)) == pid)
			return true;
	return false;
}

static void push_clock(struct table_stage *s, const struct schedule_due *due)
{
	size_t before;

	/* Another section of the PID waits, and this one would be too late
	 * behind it. */
	if (has_pid(&s->queue, due->pid) && !s->clock)
		return;
	s->waits_from = s->packets;
	if (has_pid(&s->queue, due->pid)) {
		(void)push(s, due->pid, due->data, due->len,
			   (struct slot){ 0 });
		return;
	}
	before = s->queue.n;
	s->clock = section_queue_push_first(&s->queue, due->pid, due->data,
					    due->len);
	mark(s, 0, s->queue.n - before, (struct slot){ 0 });
}

/* The table of a section: table_id, and the extension of a long header. */
static uint32_t table_of(const uint8_t *section)
{
	uint32_t extension = section_has_syntax(section)
		? (uint32_t)(section[3] << 8 | section[4]) : 0;

	return UINT32_C(1) << 31 |
	       (uint32_t)section_table_id(section) << 16 | extension;
}

bool table_stage_lacks_places(const struct table_stage *s)
{
	return s->constant && (s->others > 0 || is_full(s)) &&
	       s->packets - s->waits_from >= packets_in(s, LACK_US);
}

/* Call it for each place that a packet of the queue can take. */
static void note_place(struct table_stage *s)
{
	if (!table_stage_lacks_places(s))
		s->place_at = s->packets;
}

/* Must EIT schedules wait?  A section of a schedule that has begun delays other
 * tables of its PID. */
static bool defers_guide(const struct table_stage *s)
{
	return s->queue.n > GUIDE_QUEUED ||
	       (s->constant &&
		s->packets - s->place_at >= packets_in(s, GUIDE_LACK_US));
}

/* The entry of a sub-table in `left'; NULL: it has none, because no packet of
 * it was sent for long. */
static struct left *find_left(struct table_stage *s, uint16_t pid,
			      uint32_t table)
{
	for (size_t i = 0; i < LEFT_MAX; i++) {
		struct left *l = &s->left[(s->last_left + LEFT_MAX - i) %
					  LEFT_MAX];

		if (l->table == 0)
			return NULL;
		if (l->pid == pid && l->table == table)
			return l;
	}
	return NULL;
}

/* May packet i of the queue be sent now?  It must be the first one of its PID,
 * far enough behind the last packet that was sent on the PID.  The distance to
 * the last section of its sub-table must be long enough, too (EN 300 468
 * 5.1.4).  The schedule cannot ensure that, because sections wait in the
 * queue. */
static bool may_leave(struct table_stage *s, size_t i)
{
	const uint8_t *p = section_queue_at(&s->queue, i);
	const struct slot *slot = &s->slots[s->queue.order[i]];
	const struct left *l;
	uint16_t pid = ts_pid(p);

	for (size_t k = 0; k < i; k++)
		if (ts_pid(section_queue_at(&s->queue, k)) == pid)
			return false;
	if (s->packets - s->sent_at[pid] < packets_in(s, SPACING_US) &&
	    !(s->clock && i == 0))
		return false;
	if (slot->table == 0 || !ts_pusi(p) || s->rate == 0)
		return true;
	l = find_left(s, pid, slot->table);
	return l == NULL || s->packets - l->at >= packets_in(s, GAP_US);
}

/* Does packet i belong to an EIT schedule, with no packet of another table of
 * its PID behind it? */
static bool is_guide(const struct table_stage *s, size_t i)
{
	uint16_t pid = ts_pid(section_queue_at(&s->queue, i));

	for (size_t k = i; k < s->queue.n; k++)
		if (ts_pid(section_queue_at(&s->queue, k)) == pid &&
		    !s->slots[s->queue.order[k]].guide)
			return false;
	return true;
}

/* The position in the queue of the packet that is sent now; queue.n: no packet
 * may be sent.  EIT schedules are sent last, so that they take no place from
 * other tables. */
static size_t choose(struct table_stage *s)
{
	size_t guide = s->queue.n;

	for (size_t i = 0; i < s->queue.n; i++) {
		if (!may_leave(s, i))
			continue;
		if (!is_guide(s, i))
			return i;
		guide = MIN(guide, i);
	}
	return guide;
}

/* Sends a packet of the queue; false: no packet may be sent now. */
static bool send(struct table_stage *s)
{
	size_t i = choose(s);
	const struct slot *slot;
	uint16_t pid;
	uint8_t *p;

	if (i == s->queue.n)
		return false;
	slot = &s->slots[s->queue.order[i]];
	pid = ts_pid(section_queue_at(&s->queue, i));
	s->others -= !slot->guide;
	if (slot->table != 0) {
		struct left *l = &s->left[s->last_left];

		if (l->pid != pid || l->table != slot->table) {
			s->last_left = (s->last_left + 1) % LEFT_MAX;
			l = &s->left[s->last_left];
		}
		*l = (struct left){ pid, slot->table, s->packets };
	}
	p = memcpy(runs_out_new(&s->out), section_queue_take(&s->queue, i),
		   TS_PACKET);
	ts_set_cc(p, s->cc[pid]);
	s->cc[pid] = (s->cc[pid] + 1) & 0x0f;
	s->sent_at[pid] = s->packets;
	s->waits_from = s->packets;
	s->clock = s->clock && s->queue.n > 0 &&
		   ts_pid(section_queue_at(&s->queue, 0)) == pid;
	return true;
}

/* --- the packets of the source --- */

/* Fills the place of a dropped packet. */
static void fill(struct table_stage *s)
{
	note_place(s);
	if (!send(s) && s->has_nulls)
		runs_out_pass(&s->out, null_packet);
}

static void inspect(struct table_stage *s, struct inspected *i,
		    const uint8_t *packet)
{
	const uint8_t *section;
	size_t len;

	section_push(&i->assembler, packet);
	while ((section = section_pull(&i->assembler, &len)) != NULL) {
		uint8_t id = section_table_id(section);

		if (has(s->dropped_tables, id))
			continue;
		if (place_of_table(id) == place_of_table(EIT_TABLE_ID) &&
		    s->drops_eit != NULL && len >= EIT_HEAD &&
		    s->drops_eit(section, s->eit_arg))
			continue;
		if (!push(s, ts_pid(packet), section, len, (struct slot){ 0 }))
			s->counted.lost++;
	}
	fill(s);
}

static void take(struct table_stage *s, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	size_t place = place_of_pid(pid);
	uint32_t us = s->clock ? PATIENCE_CLOCK_US : PATIENCE_US;

	s->packets++;
	if (pid == TS_PID_NULL) {
		s->saw_null = s->has_nulls = true;
		note_place(s);
		if (s->queue.n == 0 || !send(s))
			runs_out_pass(&s->out, packet);
		return;
	}
	if (has(s->dropped_pids, pid)) {
		fill(s);
		return;
	}
	if (place < INSPECTED && s->inspected[place] != NULL) {
		inspect(s, s->inspected[place], packet);
		return;
	}
	/* a packet that has waited too long for a null packet is inserted */
	if (s->queue.n > 0 && !s->constant &&
	    (!s->has_nulls || s->packets - s->waits_from >= packets_in(s, us)))
		(void)send(s);
	runs_out_pass(&s->out, packet);
}

static void measure(struct table_stage *s, uint64_t now_ns)
{
	uint64_t ns = now_ns - s->second_ns;

	if (s->second_ns != 0 && ns < SECOND_NS)
		return;
	if (s->second_ns != 0 && ns < 2 * SECOND_NS) {
		if (!s->constant)
			s->rate = (uint32_t)((s->packets - s->second_packets) *
					     SECOND_NS / ns);
		s->has_nulls = s->saw_null || s->constant;
	}
	s->saw_null = false;
	s->second_ns = now_ns;
	s->second_packets = s->packets;
}

void table_stage_feed(struct table_stage *s, const struct ts_run *runs,
		      size_t n_runs, uint64_t now_ns, uint64_t unix_ms)
{
	struct schedule_due due;

	measure(s, now_ns);
	/* own sections that are due are queued while the queue has room */
	while (!is_full(s) && schedule_next(s->schedule, now_ns, unix_ms,
					    defers_guide(s), &due)) {
		s->counted.sections++;
		if (due.clock)
			push_clock(s, &due);
		else
			(void)push(s, due.pid, due.data, due.len,
				   (struct slot){
					.table = table_of(due.data),
					.guide = due.class == SCHEDULE_GUIDE });
	}
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++)
			take(s, runs[i].data + k * TS_PACKET);
	runs_out_flush(&s->out);
}
