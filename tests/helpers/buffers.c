/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/helpers/buffers.h"
#include "tests/helpers/buffer_sizes.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SIZE = 188,
	PIDS = 8192,
	TB = 512,
	BSYS = 1536,
	SECTION = 4096,
	UNITS = 128,
	KEYS = 65536,
};

#define HZ 27e6
#define WRAP (300. * 8589934592.)

enum kind { OTHER, TABLE, VIDEO, AUDIO };

struct unit {
	double size, dts; /* dts in ticks of the multiplex */
};

struct pid {
	unsigned number;
	enum kind kind;
	bool named;   /* by a table, or fixed */
	uint8_t type; /* stream_type */
	unsigned clock;
	double first; /* time of the first packet; 0: none */
	/* bytes, at this time; the rate in bytes per tick */
	double tb, tb_at, tb_rate;
	double all_size; /* of the buffers behind it; 0: not judged */
	double filled;
	/* clock */
	bool has_pcr;
	double pcr, pcr_at;
	size_t n_units;
	struct unit units[UNITS];
	double removed_to; /* audio: up to this time */
	/* sections */
	bool open;
	size_t have;
	uint8_t section[SECTION + SIZE];
	double sys, sys_at; /* of a PMT: the system buffer of its program */
};

/* The end of the last section of a table, or of one of its sections. */
struct key {
	uint64_t name; /* 0: none */
	double end;
};

struct buffers {
	double ticks, now;
	struct pid *pids[PIDS];
	struct key keys[KEYS];
	double seen[256]; /* by table_id */
	bool has_pmt;
	struct buffers_found found;
};

static void tell(struct buffers *b, const char *what, unsigned pid, double n)
{
	struct buffers_found *f = &b->found;

	if (f->n_events < BUFFERS_EVENTS)
		(void)snprintf(f->events[f->n_events++], sizeof f->events[0],
			       "%.3f s pid %u: %s %.1f", b->now / HZ, pid,
			       what, n);
}

static struct pid *pid_of(struct buffers *b, unsigned pid)
{
	struct pid *p = b->pids[pid];

	if (p != NULL)
		return p;
	p = calloc(1, sizeof *p);
	if (p == NULL)
		abort();
	p->number = pid;
	p->clock = PIDS - 1;
	if (pid < 0x20) {
		p->kind = TABLE;
		p->named = true;
		p->tb_rate = 1e6 / 8 / HZ;
	}
	b->pids[pid] = p;
	return p;
}

/* --- sizes --- */

/* A parameter set in a packet of video. */
static void find_level(struct buffers *b, struct pid *p, const uint8_t *data,
		       size_t n)
{
	struct buffer_sizes sizes;

	if (!buffer_sizes_video(p->type, data, n, &sizes))
		return;
	p->tb_rate = sizes.tb_bps / 8 / HZ;
	p->all_size = sizes.bytes;
	b->found.judged++;
}

static void size_audio(struct pid *p)
{
	struct buffer_sizes sizes = buffer_sizes_audio(p->type);

	p->tb_rate = sizes.tb_bps / 8 / HZ;
	p->all_size = sizes.bytes;
}

/* The first frame of a unit of AAC. */
static void find_channels(struct pid *p, const uint8_t *d, size_t n)
{
	size_t header = 9 + (size_t)d[8];
	struct buffer_sizes sizes;

	if (p->type != 0x0f || header > n ||
	    !buffer_sizes_adts(d + header, n - header, &sizes))
		return;
	p->tb_rate = sizes.tb_bps / 8 / HZ;
	p->all_size = sizes.bytes;
}

/* --- tables --- */

static void name(struct buffers *b, unsigned pid, enum kind kind)
{
	struct pid *p = pid_of(b, pid);

	p->named = true;
	if (p->kind != OTHER)
		return;
	p->kind = kind;
	if (kind == TABLE)
		p->tb_rate = 1e6 / 8 / HZ;
}

static void name_ca(struct buffers *b, const uint8_t *d, size_t n)
{
	for (size_t i = 0; i + 2 <= n && i + 2 + d[i + 1] <= n;
	     i += 2U + d[i + 1])
		if (d[i] == 9 && d[i + 1] >= 4)
			name(b, (d[i + 4] & 0x1fU) << 8 | d[i + 5], OTHER);
}

/* DVB names AC-3 and E-AC-3 by a descriptor. */
static uint8_t type_of(uint8_t type, const uint8_t *d, size_t n)
{
	for (size_t i = 0; type == 0x06 && i + 2 <= n; i += 2U + d[i + 1])
		if (d[i] == 0x6a || d[i] == 0x7a)
			return d[i] == 0x6a ? 0x81 : 0x87;
	return type;
}

static void take_pmt(struct buffers *b, const uint8_t *s, size_t len)
{
	unsigned clock = (s[8] & 0x1fU) << 8 | s[9];
	size_t info = (s[10] & 0x0fU) << 8 | s[11], at = 12 + info;

	b->has_pmt = true;
	name(b, clock, OTHER);
	if (at + 4 > len)
		return;
	name_ca(b, s + 12, info);
	while (at + 5 <= len - 4) {
		unsigned pid = (s[at + 1] & 0x1fU) << 8 | s[at + 2];
		struct pid *p = pid_of(b, pid);
		uint8_t type = s[at];

		size_t more = (s[at + 3] & 0x0fU) << 8 | s[at + 4];

		if (at + 5 + more > len - 4)
			return;
		type = type_of(type, s + at + 5, more);
		name_ca(b, s + at + 5, more);
		p->clock = clock;
		if (p->kind == OTHER || p->type != type) {
			p->type = type;
			p->all_size = p->tb_rate = 0;
			p->kind = OTHER;
			name(b, pid, type == 0x1b || type == 0x02 ||
				     type == 0x24 ? VIDEO
				     : type == 0x03 || type == 0x04 ||
				       type == 0x0f || type == 0x11 ||
				       type == 0x81 || type == 0x87 ? AUDIO
				     : OTHER);
			if (p->kind == AUDIO)
				size_audio(p);
		}
		at += 5 + more;
	}
}

static struct key *key_of(struct buffers *b, uint64_t wanted)
{
	size_t at = (wanted * 0x9e3779b97f4a7c15ULL) >> 48;

	for (size_t i = 0; i < KEYS; i++, at = (at + 1) % KEYS) {
		if (b->keys[at].name != 0 && b->keys[at].name != wanted)
			continue;
		b->keys[at].name = wanted;
		return &b->keys[at];
	}
	abort();
}

/* The longest time between two sections, and where to count a longer one. */
static double limit_of(struct buffers *b, uint8_t id, uint64_t **ret)
{
	struct buffers_found *f = &b->found;

	switch (id) {
	case 0x40: *ret = &f->nit; return 10;
	case 0x42: *ret = &f->sdt; return 2;
	case 0x4e: *ret = &f->eit; return 2;
	case 0x70:
	case 0x73: *ret = &f->tdt; return 30;
	case 0x41:
	case 0x46:
	case 0x4a: *ret = &f->other; return 10;
	case 0x4f: *ret = &f->other; return 20;
	}
	*ret = &f->schedule;
	return id >= 0x60 ? 300 : 30;
}

static bool belongs(unsigned pid, uint8_t id)
{
	switch (pid) {
	case 0x00: return id == 0x00;
	case 0x01: return id == 0x01;
	case 0x10: return id == 0x40 || id == 0x41 || id == 0x72;
	case 0x11: return id == 0x42 || id == 0x46 || id == 0x4a ||
			  id == 0x72;
	case 0x12: return (id >= 0x4e && id <= 0x6f) || id == 0x72;
	case 0x13: return id == 0x71 || id == 0x72;
	case 0x14: return id == 0x70 || id == 0x72 || id == 0x73;
	}
	return true;
}

static void judge_gap(struct buffers *b, unsigned pid, const uint8_t *s,
		      double start)
{
	bool syntax = s[1] & 0x80;
	uint64_t extension = syntax ? (uint64_t)s[3] << 8 | s[4] : 0;
	uint64_t table = 1ULL << 60 | (uint64_t)pid << 32 |
			 (uint64_t)s[0] << 16 | extension;
	struct key *k = key_of(b, table);
	uint64_t *count;
	double most;

	/* of any section of the sub-table: EN 300 468 5.1.4.1 */
	if (k->end > 0 && start - k->end < .025 * HZ - 2 * b->ticks) {
		b->found.near++;
		tell(b, "ms between sections", pid, (start - k->end) / 27e3);
	}
	k->end = b->now;
	k = key_of(b, table | (uint64_t)(syntax ? s[6] : 0) << 48 | 1ULL << 61);
	most = limit_of(b, s[0], &count);
	if (k->end > 0 && b->now - k->end > (most + .1) * HZ) {
		++*count;
		tell(b, "s without a section", pid, (b->now - k->end) / HZ);
	}
	k->end = b->now;
}

static void judge_pmt(struct buffers *b, unsigned pid, const uint8_t *s)
{
	struct buffers_found *f = &b->found;
	struct key *k = key_of(b, 3ULL << 60 | (uint64_t)pid << 32 |
				  (uint64_t)s[3] << 8 | s[4]);
	double ms = (b->now - k->end) / 27e3;

	if (k->end > 0 && (f->pmt_least == 0 || ms < f->pmt_least))
		f->pmt_least = ms;
	if (k->end > 0 && ms > f->pmt_most)
		f->pmt_most = ms;
	k->end = b->now;
}

static void take_sys(struct buffers *b, struct pid *p, double n)
{
	double rate = 188 * 8 * HZ / b->ticks / 500;

	rate = (rate > 80e3 ? rate : 80e3) / 8 / HZ;
	p->sys -= (b->now - p->sys_at) * rate;
	p->sys = (p->sys > 0 ? p->sys : 0) + n;
	p->sys_at = b->now;
	if (p->sys <= BSYS)
		return;
	b->found.sys++;
	tell(b, "bytes in the system buffer", p->number, p->sys);
	p->sys = BSYS;
}

static void take_section(struct buffers *b, struct pid *p, const uint8_t *s,
			 size_t len, double start)
{
	if (!belongs(p->number, s[0])) {
		b->found.alien++;
		tell(b, "table", p->number, s[0]);
	}
	if (p->number >= 0x10 && p->number <= 0x14 && p->number != 0x13)
		judge_gap(b, p->number, s, start);
	if (p->number == 0 && s[0] == 0 && len >= 12)
		for (size_t i = 8; i + 4 <= len - 4; i += 4)
			name(b, (s[i + 2] & 0x1fU) << 8 | s[i + 3], TABLE);
	if (p->number == 1 && len >= 12)
		name_ca(b, s + 8, len - 12);
	if (p->number >= 0x20 && s[0] == 2 && len >= 16) {
		take_pmt(b, s, len);
		judge_pmt(b, p->number, s);
	}
	if (p->number >= 0x20)
		take_sys(b, p, (double)len);
	/* the tables of all programs */
	for (size_t i = 0x20; p->number < 2 && i < PIDS; i++)
		if (b->pids[i] != NULL && b->pids[i]->sys_at > 0)
			take_sys(b, b->pids[i], (double)len);
}

static void take_table(struct buffers *b, struct pid *p, const uint8_t *d,
		       size_t n, bool start)
{
	double began = b->now - b->ticks * (1 + (double)p->have / 184);

	if (start && n > 0) {
		size_t pointer = d[0];

		if (pointer + 1 > n)
			return;
		if (p->open && p->have + pointer <= sizeof p->section) {
			memcpy(p->section + p->have, d + 1, pointer);
			p->have += pointer;
		}
		d += 1 + pointer;
		n -= 1 + pointer;
	}
	for (;;) {
		size_t len = 3;

		if (start && p->open && p->have > 0)
			goto whole; /* ends in front of the pointer */
		if (start) {
			p->open = true;
			p->have = 0;
			start = false;
		}
		if (!p->open || n == 0 || (p->have == 0 && d[0] == 0xff))
			return;
		if (p->have + n > sizeof p->section)
			n = sizeof p->section - p->have;
		memcpy(p->section + p->have, d, n);
		p->have += n;
		d += n;
		n = 0;
whole:
		if (p->have >= 3)
			len = 3 + ((p->section[1] & 0x0fU) << 8 |
				   p->section[2]);
		if (p->have < 3 || p->have < len) {
			if (!start)
				return;
			p->have = 0; /* cut */
			continue;
		}
		take_section(b, p, p->section, len, began);
		p->have -= len;
		memmove(p->section, p->section + len, p->have);
		if (p->have == 0 || p->section[0] == 0xff) {
			p->have = 0;
			if (!start)
				return;
			continue;
		}
		goto whole;
	}
}

/* --- units --- */

static double time_of(const uint8_t *f)
{
	return (double)((int64_t)(f[0] >> 1 & 7) << 30 | (int64_t)f[1] << 22 |
			(int64_t)(f[2] >> 1) << 15 | (int64_t)f[3] << 7 |
			f[4] >> 1) * 300;
}

/* When a time of this clock comes, in the time of the multiplex; < 0: never. */
static double when(struct buffers *b, const struct pid *p, double time)
{
	const struct pid *clock = pid_of(b, p->clock);
	double ahead = time - clock->pcr;

	if (!clock->has_pcr)
		return -1;
	if (ahead < -WRAP / 2)
		ahead += WRAP;
	if (ahead > WRAP / 2)
		ahead -= WRAP;
	return clock->pcr_at + ahead;
}

/* Of a frame, at 48 kHz. */
static double frame_of(const struct pid *p)
{
	switch (p->type) {
	case 0x0f:
	case 0x11: return 1024 / 48e3 * HZ;
	case 0x81:
	case 0x87: return 1536 / 48e3 * HZ;
	}
	return 1152 / 48e3 * HZ;
}

/* Removes the units that are shown by now. */
static void remove_units(struct buffers *b, struct pid *p)
{
	while (p->n_units > 1 && p->units[0].dts <= b->now) {
		struct unit *u = &p->units[0];
		double part = 1, end = p->units[1].dts;

		/* its first frame at once, and the last one in front of end */
		if (p->kind == AUDIO) {
			double frame = frame_of(p);
			double left = (end - u->dts) / frame + .5;
			int64_t gone = (int64_t)((b->now - u->dts) / frame) + 1;

			part = gone < (int64_t)left
				? (double)gone / (double)(int64_t)left : 1;
			u->dts += (double)gone * frame;
		}
		p->filled -= u->size * part;
		u->size -= u->size * part;
		if (part < 1)
			return;
		p->n_units--;
		memmove(p->units, p->units + 1,
			p->n_units * sizeof *p->units);
	}
}

static void begin_unit(struct buffers *b, struct pid *p, const uint8_t *d,
		       size_t n)
{
	double at = -1;

	if (n >= 19 && (d[7] & 0xc0) == 0xc0)
		at = when(b, p, time_of(d + 14));
	else if (n >= 14 && d[7] & 0x80)
		at = when(b, p, time_of(d + 9));
	if (p->kind == VIDEO && p->n_units > 0 && at >= 0 &&
	    p->units[p->n_units - 1].dts < b->now - b->ticks) {
		b->found.late++;
		tell(b, "ms late", p->number,
		     (b->now - p->units[p->n_units - 1].dts) / 27e3);
	}
	if (p->kind == AUDIO && at >= 0 && at < b->now - b->ticks) {
		b->found.late_audio++;
		tell(b, "ms late", p->number, (b->now - at) / 27e3);
	}
	if (at < 0 && p->n_units > 0)
		return; /* a part of the last one */
	if (p->n_units == UNITS || (p->n_units > 0 &&
				    at < p->units[p->n_units - 1].dts))
		p->n_units = 0, p->filled = 0; /* another time base */
	p->units[p->n_units++] = (struct unit){ 0, at < 0 ? b->now : at };
}

static void take_media(struct buffers *b, struct pid *p, const uint8_t *d,
		       size_t n, bool start)
{
	if (p->kind == VIDEO && p->all_size == 0)
		find_level(b, p, d, n);
	if (p->kind == AUDIO && start && n > 9)
		find_channels(p, d, n);
	if (start && n >= 9)
		begin_unit(b, p, d, n);
	if (p->n_units == 0)
		return;
	p->units[p->n_units - 1].size += (double)n;
	p->filled += (double)n;
	remove_units(b, p);
	if (p->all_size == 0 || p->filled <= p->all_size)
		return;
	*(p->kind == VIDEO ? &b->found.eb : &b->found.main) += 1;
	tell(b, "bytes of units", p->number, p->filled);
	p->n_units = 0;
	p->filled = 0;
}

/* --- packets --- */

static void take_tb(struct buffers *b, struct pid *p)
{
	uint64_t *count = p->kind == VIDEO ? &b->found.tb_video
			: p->kind == AUDIO ? &b->found.tb_audio
					   : &b->found.tb_tables;

	if (p->tb_rate == 0)
		return;
	p->tb -= (b->now - p->tb_at) * p->tb_rate;
	p->tb = (p->tb > 0 ? p->tb : 0) + SIZE;
	p->tb_at = b->now;
	/* the packet drains while it arrives */
	if (p->tb - b->ticks * p->tb_rate <= TB)
		return;
	++*count;
	tell(b, "bytes in the transport buffer", p->number, p->tb);
	p->tb = TB;
}

static void take_pcr(struct buffers *b, struct pid *p, const uint8_t *f)
{
	int64_t base = (int64_t)f[0] << 25 | (int64_t)f[1] << 17 |
		(int64_t)f[2] << 9 | (int64_t)f[3] << 1 | f[4] >> 7;

	p->has_pcr = true;
	p->pcr = (double)(base * 300 + ((f[4] & 1) << 8 | f[5]));
	p->pcr_at = b->now;
}

void buffers_take(struct buffers *b, const uint8_t *d)
{
	unsigned pid = (unsigned)(d[1] & 0x1f) << 8 | d[2];
	size_t at = 4;
	struct pid *p;

	b->now += b->ticks;
	if (d[0] != 0x47 || d[1] & 0x80 || pid == 0x1fff)
		return;
	p = pid_of(b, pid);
	p->first = p->first == 0 ? b->now : p->first;
	if (d[3] & 0x20) {
		at += 1 + (size_t)d[4];
		if (d[4] >= 7 && d[5] & 0x10)
			take_pcr(b, p, d + 6);
	}
	take_tb(b, p);
	if (!(d[3] & 0x10) || at >= SIZE || d[3] & 0xc0)
		return;
	if (p->kind == TABLE)
		take_table(b, p, d + at, SIZE - at, d[1] & 0x40);
	else if (p->kind != OTHER)
		take_media(b, p, d + at, SIZE - at, d[1] & 0x40);
}

struct buffers *buffers_new(double ticks)
{
	struct buffers *b = calloc(1, sizeof *b);

	if (b == NULL)
		abort();
	b->ticks = ticks;
	return b;
}

void buffers_end(struct buffers *b, struct buffers_found *ret)
{
	for (size_t i = 0; i < PIDS; i++) {
		const struct pid *p = b->pids[i];

		if (p != NULL && b->has_pmt && !p->named && p->first > 0 &&
		    b->now - p->first > .5 * HZ) {
			b->found.unreferenced++;
			tell(b, "no table names it", p->number, 0);
		}
		free(b->pids[i]);
	}
	*ret = b->found;
	free(b);
}
