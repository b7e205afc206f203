/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/merge/merge_rig.h"

#include "common/base/alloc.h"
#include "common/base/util.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;

	for (size_t i = 0; i < n_runs; i++) {
		cr_assert_leq(r->n + runs[i].n, ARRAY_LEN(r->out));
		memcpy(r->out[r->n], runs[i].data, runs[i].n * TS_PACKET);
		r->n += runs[i].n;
	}
}

struct rig *rig_new(void)
{
	struct rig *r = xcalloc(1, sizeof *r);

	batch_init(&r->batch, on_packets, r);
	r->merge = ts_merge_new(RIG_DELAY_MS);
	r->now_ns = UINT64_C(7000000000);
	return r;
}

void rig_free(struct rig *r)
{
	for (size_t i = 0; i < TS_MERGE_PATHS; i++)
		free(r->model[i]);
	ts_merge_free(&r->merge);
	free(r);
}

struct model *rig_make(struct rig *r, unsigned path, uint32_t what)
{
	struct model *m = r->model[path] = xcalloc(1, sizeof *m);
	uint8_t cc[MODEL_PIDS + 1] = { 0 };

	for (uint32_t i = 0; i < MODEL_N; i++) {
		uint8_t *p = m->packets[i];
		unsigned k = i * 7 % MODEL_PIDS, pid = 0x100 + k;

		p[0] = TS_SYNC_BYTE;
		memset(p + 4, 0x11, TS_PACKET - 4);
		if (i % 100 == 3) {
			pid = TS_PID_PAT;
			k = MODEL_PIDS;
		} else if (i % 9 == 5) {
			pid = TS_PID_NULL;
		} else {
			memcpy(p + 4, &i, sizeof i);
			memcpy(p + 8, &what, sizeof what);
		}
		ts_set_pid(p, (uint16_t)pid);
		p[3] = 0x10;
		if (pid != TS_PID_NULL)
			p[3] |= cc[k]++ & 0x0f;
	}
	return m;
}

bool model_is_null(const uint8_t *p)
{
	return ts_pid(p) == TS_PID_NULL;
}

void rig_feed(struct rig *r, const struct model *m, int64_t ms,
	      unsigned path)
{
	for (int64_t i = ms * MODEL_PER_MS; i < (ms + 1) * MODEL_PER_MS; i++) {
		if (i < 0 || i >= MODEL_N || m->gone[i][path])
			continue;

		const struct ts_run run = { .data = m->packets[i], .n = 1 };

		ts_merge_feed(r->merge, &run, 1, path, r->now_ns);
	}
}

void rig_step(struct rig *r, int64_t ms)
{
	r->now_ns += 1000000;
	ts_merge_turn(r->merge, &r->batch, r->now_ns);
	if (ms % 1000 == 999)
		ts_merge_every_second(r->merge, r->now_ns);
}

void rig_play(struct rig *r, const struct model *m, int64_t skew_ms)
{
	int64_t end = MODEL_MS + labs(skew_ms) + RIG_DELAY_MS + 10;

	for (int64_t ms = MIN(0, skew_ms); ms < end; ms++) {
		rig_feed(r, m, ms, 0);
		rig_feed(r, m, ms - skew_ms, 1);
		rig_step(r, ms);
	}
	cr_assert_not(ts_merge_waits(r->merge));
}

void rig_play_both(struct rig *r, const struct model *m,
		   const struct model *other)
{
	for (int64_t ms = 0; ms < MODEL_MS + RIG_DELAY_MS + 10; ms++) {
		rig_feed(r, m, ms, 0);
		rig_feed(r, other, ms, 1);
		rig_step(r, ms);
	}
}

/* The next packet of a PID at or behind i; n when there is none. */
static size_t next_of(const uint8_t (*packets)[TS_PACKET], size_t n, size_t i,
		      uint16_t pid)
{
	while (i < n && ts_pid(packets[i]) != pid)
		i++;
	return i;
}

static void judge_pid(const struct rig *r, const struct model *m, uint16_t pid)
{
	size_t k = next_of(r->out, r->n, 0, pid);

	for (size_t i = 0; i < MODEL_N; i++) {
		if (ts_pid(m->packets[i]) != pid ||
		    (m->gone[i][0] && m->gone[i][1]))
			continue;
		cr_assert_lt(k, r->n, "packet %zu is missing at the end", i);
		cr_assert_arr_eq(r->out[k], m->packets[i], TS_PACKET,
				 "packet %zu", i);
		k = next_of(r->out, r->n, k + 1, pid);
	}
	cr_assert_eq(k, r->n);
}

void rig_judge(const struct rig *r, const struct model *m)
{
	judge_pid(r, m, TS_PID_PAT);
	for (unsigned i = 0; i < MODEL_PIDS; i++)
		judge_pid(r, m, (uint16_t)(0x100 + i));
}

void model_lose(struct model *m, unsigned path, size_t from, size_t n)
{
	for (size_t i = from; i < from + n; i++)
		m->gone[i][path] = true;
}
