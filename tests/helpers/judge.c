/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/helpers/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 188, PIDS = 8192, PROGRAMS = 65536, SECTION = 1024,
       HEAD = 19 /* of a unit, up to its DTS */ };

#define HZ INT64_C(27000000)
#define WRAP (INT64_C(300) << 33)

enum kind { OTHER, TABLE, MEDIA };

struct judge_pid {
	enum kind kind;
	bool seen, twice;
	uint8_t cc;
	uint8_t last[SIZE];
	/* sections */
	bool open;
	size_t have;
	uint8_t section[SECTION + SIZE];
	size_t kept_len;
	uint8_t kept[SECTION];
	/* clock */
	uint16_t clock; /* PCR PID of its program */
	bool has_pcr;
	int64_t pcr;
	int64_t stray; /* the first PCR less its arrival */
	/* units */
	bool has_dts;
	int64_t dts;
	int64_t left; /* of a unit of known length; -1: not known */
	bool heads;   /* its header is not complete */
	size_t head_len;
	uint8_t head[HEAD];
};

static void tell(struct judge *j, const char *what, unsigned pid, double value)
{
	if (j->n_events < JUDGE_EVENTS)
		(void)snprintf(j->events[j->n_events++], sizeof j->events[0],
			       "packet %" PRIu64 " pid %u: %s %.3f",
			       j->packets, pid, what, value);
}

/* A PID costs 2.5 kB: the judge keeps only those that it meets. */
static struct judge_pid *pid_of(struct judge *j, unsigned pid)
{
	struct judge_pid *p = j->pids[pid];

	if (p != NULL)
		return p;
	p = calloc(1, sizeof *p);
	if (p == NULL)
		abort();
	p->clock = PIDS - 1;
	p->left = -1;
	p->kind = pid == 0 ? TABLE : OTHER;
	j->pids[pid] = p;
	return p;
}

static double ms(int64_t ticks)
{
	return (double)ticks / 27000.;
}

static int64_t apart(int64_t later, int64_t earlier)
{
	int64_t d = (later - earlier) % WRAP;

	if (d > WRAP / 2)
		d -= WRAP;
	if (d < -WRAP / 2)
		d += WRAP;
	return d;
}

static uint32_t crc_of(const uint8_t *data, size_t n)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < n; i++) {
		crc ^= (uint32_t)data[i] << 24;
		for (int b = 0; b < 8; b++)
			crc = crc & 0x80000000 ? crc << 1 ^ 0x04c11db7
					       : crc << 1;
	}
	return crc;
}

/* --- tables --- */

static void take_pat(struct judge *j, const uint8_t *s, size_t len)
{
	for (size_t i = 8; i + 4 <= len - 4; i += 4)
		if (s[i] != 0 || s[i + 1] != 0)
			pid_of(j, (s[i + 2] & 0x1fU) << 8 | s[i + 3])->kind =
				TABLE;
}

/* The clock of a program continues, though on another PID. */
static void hand_over(struct judge *j, unsigned program, uint16_t clock)
{
	const struct judge_pid *before = pid_of(j, j->clock_of[program]);
	struct judge_pid *p = pid_of(j, clock);

	if (before != p && before->has_pcr) {
		p->has_pcr = true;
		p->pcr = before->pcr;
		p->stray = before->stray;
	}
	j->clock_of[program] = clock;
}

static void take_pmt(struct judge *j, const uint8_t *s, size_t len)
{
	uint16_t clock = (uint16_t)((s[8] & 0x1f) << 8 | s[9]);
	size_t at = 12 + ((size_t)(s[10] & 0x0f) << 8 | s[11]);

	j->pmts++;
	while (at + 5 <= len - 4) {
		unsigned pid = (s[at + 1] & 0x1fU) << 8 | s[at + 2];
		struct judge_pid *p = pid_of(j, pid);

		/* private sections and data carousels are no PES */
		p->kind = s[at] == 0x05 || (s[at] >= 0x0a && s[at] <= 0x0e) ||
			s[at] == 0x86 ? OTHER : MEDIA;
		p->clock = clock;
		at += 5 + ((size_t)(s[at + 3] & 0x0f) << 8 | s[at + 4]);
	}
	pid_of(j, clock)->clock = clock;
	hand_over(j, (unsigned)s[3] << 8 | s[4], clock);
}

static void judge_version(struct judge *j, struct judge_pid *p, unsigned pid,
			  const uint8_t *s, size_t len)
{
	bool same = p->kept_len == len &&
		memcmp(p->kept + 6, s + 6, len - 10) == 0 &&
		memcmp(p->kept, s, 5) == 0;
	bool version = p->kept_len > 0 && (p->kept[5] >> 1 & 31) ==
		(s[5] >> 1 & 31);

	if (p->kept_len > 0 && same && !version) {
		j->idle_versions++;
		tell(j, "a new version of the same", pid, s[5] >> 1 & 31);
	}
	if (p->kept_len > 0 && !same && version) {
		j->silent_changes++;
		tell(j, "other contents of version", pid, s[5] >> 1 & 31);
	}
	memcpy(p->kept, s, len);
	p->kept_len = len;
}

static void take_section(struct judge *j, unsigned pid, const uint8_t *s,
			 size_t len)
{
	struct judge_pid *p = pid_of(j, pid);

	if (len < 12 || crc_of(s, len) != 0) {
		j->crc++;
		tell(j, "broken section", pid, (double)len);
		return;
	}
	/* several programs may share a PID: the number of one identifies
	 * versions */
	if (p->kept_len == 0 || memcmp(p->kept + 3, s + 3, 2) == 0)
		judge_version(j, p, pid, s, len);
	if (pid == 0 && s[0] == 0)
		take_pat(j, s, len);
	else if (pid != 0 && s[0] == 2)
		take_pmt(j, s, len);
}

static void add_bytes(struct judge *j, unsigned pid, const uint8_t *data,
		      size_t n)
{
	struct judge_pid *p = pid_of(j, pid);

	while (p->open && n > 0) {
		size_t len = p->have < 3 ? 3 : 3 + ((size_t)
			(p->section[1] & 0x0f) << 8 | p->section[2]);
		size_t want;

		if (p->have == 0 && data[0] == 0xff) {
			p->open = false;
			return;
		}
		if (len > SECTION) {
			p->open = false;
			j->crc++;
			return;
		}
		want = len - p->have < n ? len - p->have : n;
		memcpy(p->section + p->have, data, want);
		p->have += want;
		data += want;
		n -= want;
		if (p->have > 3 && p->have == len) {
			take_section(j, pid, p->section, len);
			p->have = 0;
		}
	}
}

static void take_table(struct judge *j, unsigned pid, const uint8_t *data,
		       size_t n, bool start)
{
	struct judge_pid *p = pid_of(j, pid);

	if (start && n > 0) {
		size_t pointer = data[0];

		if (pointer + 1 > n)
			return;
		add_bytes(j, pid, data + 1, pointer);
		data += 1 + pointer;
		n -= 1 + pointer;
		p->open = true;
		p->have = 0;
	}
	add_bytes(j, pid, data, n);
}

/* --- clocks --- */

static void note_step(struct judge *j, unsigned pid, int64_t step)
{
	if (j->n_steps == 0)
		j->clock = pid;
	if (pid != j->clock)
		return;
	if (j->n_steps == j->max_steps) {
		j->max_steps = 2 * j->max_steps + 1024;
		j->steps = realloc(j->steps,
				   j->max_steps * sizeof *j->steps);
		if (j->steps == NULL)
			abort();
	}
	j->steps[j->n_steps++] = (struct judge_pcr){ j->packets, step };
}

double judge_ticks(const struct judge *j)
{
	int64_t ticks = 0;
	uint64_t packets = 0;

	for (size_t i = 1; i < j->n_steps; i++) {
		if (j->steps[i].step == 0)
			continue;
		ticks += j->steps[i].step;
		packets += j->steps[i].packets - j->steps[i - 1].packets;
	}
	return packets > 0 ? (double)ticks / (double)packets : 0;
}

int64_t judge_wander(const struct judge *j)
{
	double rate = judge_ticks(j);
	double off = 0, low = 0, high = 0, most = 0;

	for (size_t i = 1; i < j->n_steps; i++) {
		uint64_t packets = j->steps[i].packets -
				   j->steps[i - 1].packets;

		if (j->steps[i].step == 0) {
			off = low = high = 0;
			continue;
		}
		off += (double)j->steps[i].step - rate * (double)packets;
		low = off < low ? off : low;
		high = off > high ? off : high;
		most = high - low > most ? high - low : most;
	}
	return (int64_t)most;
}

static void take_pcr(struct judge *j, unsigned pid, const uint8_t *f,
		     int64_t arrival, bool announced)
{
	struct judge_pid *p = pid_of(j, pid);
	int64_t base = (int64_t)f[0] << 25 | (int64_t)f[1] << 17 |
		(int64_t)f[2] << 9 | (int64_t)f[3] << 1 | f[4] >> 7;
	int64_t pcr = base * 300 + ((f[4] & 1) << 8 | f[5]);
	int64_t step = apart(pcr, p->pcr);
	bool is_pause = !p->has_pcr || announced || step > HZ / 10;

	if (p->clock != pid)
		return;
	j->pcrs++;
	note_step(j, pid, is_pause ? 0 : step);
	if (p->has_pcr && !announced) {

		if (step <= 0) {
			j->pcr_back++;
			tell(j, "PCR back by ms", pid, ms(-step));
		} else if (step > HZ / 10) {
			j->pcr_jump++;
			tell(j, "PCR on by ms", pid, ms(step));
		}
		if (step > j->pcr_gap)
			j->pcr_gap = step;
		j->pcr_span += step;
	}
	if (arrival >= 0) {
		int64_t stray;

		if (!p->has_pcr)
			p->stray = apart(pcr, arrival);
		stray = apart(pcr - arrival, p->stray);
		if (stray < j->stray_min)
			j->stray_min = stray;
		if (stray > j->stray_max)
			j->stray_max = stray;
	}
	p->pcr = pcr;
	p->has_pcr = true;
}

/* --- units --- */

static int64_t time_of(const uint8_t *f)
{
	return ((int64_t)(f[0] >> 1 & 7) << 30 | (int64_t)f[1] << 22 |
		(int64_t)(f[2] >> 1) << 15 | (int64_t)f[3] << 7 |
		f[4] >> 1) * 300;
}

static void judge_dts(struct judge *j, unsigned pid, int64_t dts)
{
	struct judge_pid *p = pid_of(j, pid);
	const struct judge_pid *clock = pid_of(j, p->clock);

	if (p->has_dts) {
		int64_t step = apart(dts, p->dts);

		if (step <= 0) {
			j->dts_back++;
			tell(j, "DTS back by ms", pid, ms(-step));
		}
		if (step > j->dts_gap)
			j->dts_gap = step;
	}
	p->dts = dts;
	p->has_dts = true;
	if (!clock->has_pcr)
		return;

	int64_t lead = apart(dts, clock->pcr);

	if (lead < 0) {
		j->dts_late++;
		tell(j, "DTS behind the PCR by ms", pid, ms(-lead));
	}
	if (lead < j->lead_min)
		j->lead_min = lead;
	if (lead > j->lead_max)
		j->lead_max = lead;
}

/* The bytes of its header that are needed. */
static size_t head_of(const struct judge_pid *p)
{
	if (p->head_len < 9)
		return 9;
	if ((p->head[7] & 0xc0) == 0xc0)
		return 19;
	return p->head[7] & 0x80 ? 14 : 9;
}

/* Several packets may have parts of the header. */
static void take_head(struct judge *j, unsigned pid, const uint8_t *data,
		      size_t n)
{
	static const uint8_t start[] = { 0, 0, 1 };
	struct judge_pid *p = pid_of(j, pid);

	for (; n > 0 && p->head_len < head_of(p); n--)
		p->head[p->head_len++] = *data++;
	if (memcmp(p->head, start, p->head_len < 3 ? p->head_len : 3) != 0) {
		p->heads = false;
		j->cut_short++;
		tell(j, "no unit where one begins", pid, (double)p->head_len);
		return;
	}
	if (p->head_len < head_of(p))
		return;
	p->heads = false;
	j->units++;
	if (p->head[4] != 0 || p->head[5] != 0)
		p->left = 6 + (p->head[4] << 8 | p->head[5]) -
			  (int64_t)(p->head_len + n);
	if (p->head_len == HEAD)
		judge_dts(j, pid, time_of(p->head + 14));
	else if (p->head_len == 14)
		judge_dts(j, pid, time_of(p->head + 9));
}

static void take_media(struct judge *j, unsigned pid, const uint8_t *data,
		       size_t n, bool start)
{
	struct judge_pid *p = pid_of(j, pid);

	if (start) {
		if (p->left > 0 || p->heads) {
			j->cut_short++;
			tell(j, "unit cut short by bytes", pid,
			     (double)p->left);
		}
		p->left = -1;
		p->heads = true;
		p->head_len = 0;
	}
	if (p->heads)
		take_head(j, pid, data, n);
	else if (p->left > 0)
		p->left -= (int64_t)n;
}

/* --- packets --- */

static void judge_cc(struct judge *j, const uint8_t *d, unsigned pid,
		     bool announced)
{
	struct judge_pid *p = pid_of(j, pid);
	bool payload = d[3] & 0x10;
	unsigned cc = d[3] & 15;

	if (p->seen && !announced) {
		bool same = payload && cc == p->cc &&
			memcmp(d + 4, p->last + 4, SIZE - 4) == 0;

		unsigned next = (p->cc + (payload ? 1U : 0U)) & 15;

		if (same ? p->twice : cc != next) {
			j->cc++;
			tell(j, "counter after", pid, p->cc);
			/* the rest of a header may be lost */
			p->heads = false;
		}
		p->twice = same;
	}
	p->seen = true;
	p->cc = (uint8_t)cc;
	memcpy(p->last, d, SIZE);
}

static void take_packet(struct judge *j, const uint8_t *d, int64_t arrival)
{
	unsigned pid = (unsigned)(d[1] & 0x1f) << 8 | d[2];
	size_t at = 4;
	bool announced = false;

	if (d[0] != 0x47)
		j->sync++;
	if (d[1] & 0x80)
		j->tei++;
	if (d[0] != 0x47 || d[1] & 0x80 || pid == 0x1fff)
		return;
	if (d[3] & 0x20) {
		at += 1 + (size_t)d[4];
		announced = d[4] > 0 && d[5] & 0x80;
		j->discontinuities += announced;
	}
	judge_cc(j, d, pid, announced);
	if (d[3] & 0x20 && d[4] >= 7 && d[5] & 0x10)
		take_pcr(j, pid, d + 6, arrival, announced);
	if (!(d[3] & 0x10) || at >= SIZE || d[3] & 0xc0)
		return;
	if (pid_of(j, pid)->kind == TABLE)
		take_table(j, pid, d + at, SIZE - at, d[1] & 0x40);
	else if (pid_of(j, pid)->kind == MEDIA)
		take_media(j, pid, d + at, SIZE - at, d[1] & 0x40);
}

void judge_take(struct judge *j, const uint8_t *data, size_t len,
		int64_t arrival)
{
	for (size_t i = 0; i + SIZE <= len; i += SIZE) {
		take_packet(j, data + i, arrival);
		j->packets++;
	}
}

void judge_init(struct judge *j)
{
	*j = (struct judge){ .lead_min = INT64_MAX, .lead_max = INT64_MIN };
	j->pids = calloc(PIDS, sizeof *j->pids);
	j->clock_of = calloc(PROGRAMS, sizeof *j->clock_of);
	if (j->pids == NULL || j->clock_of == NULL)
		abort();
}

void judge_done(struct judge *j)
{
	free(j->steps);
	free(j->clock_of);
	for (size_t i = 0; i < PIDS; i++)
		free(j->pids[i]);
	free(j->pids);
}
