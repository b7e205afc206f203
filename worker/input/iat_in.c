/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/iat_in.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/ts/pcr.h"

#include <math.h>
#include <stdlib.h>

enum { RTP_HEADER_MIN = 12 };

/* Datagrams that arrived together. */
struct moment {
	uint32_t ns;    /* since the first */
	uint32_t bytes;
};

struct pcr_moment {
	uint32_t ns;
	uint16_t pid;
	uint64_t pcr;
};

struct arrivals {
	uint64_t begin_ns; /* what came before is not noted */
	uint64_t first_ns; /* 0: nothing came */
	uint32_t datagrams;
	size_t n_moments, n_pcrs;
	struct moment moments[ARRIVALS_MAX];
	struct pcr_moment pcrs[ARRIVALS_PCRS_MAX];
};

struct arrivals *arrivals_new(uint64_t wall_ns)
{
	struct arrivals *a = xcalloc(1, sizeof *a);

	a->begin_ns = wall_ns + ARRIVALS_SETTLE_MS * MS;
	return a;
}

void arrivals_free(struct arrivals **a)
{
	free(*a);
	*a = NULL;
}

static void note_pcrs(struct arrivals *a, const uint8_t *p, size_t len,
		      uint32_t ns)
{
	uint64_t pcr;

	/* most often there is no longer header */
	if (len % TS_PACKET == RTP_HEADER_MIN) {
		p += RTP_HEADER_MIN;
		len -= RTP_HEADER_MIN;
	}
	for (; len >= TS_PACKET; p += TS_PACKET, len -= TS_PACKET) {
		if (!ts_sync_ok(p) || !ts_pcr(p, &pcr) ||
		    a->n_pcrs == ARRIVALS_PCRS_MAX)
			continue;
		a->pcrs[a->n_pcrs++] = (struct pcr_moment){
			.ns = ns, .pid = ts_pid(p), .pcr = pcr };
	}
}

void arrivals_note(struct arrivals *a, const struct arrival *got)
{
	uint64_t n = (got->len + got->segment - 1) / got->segment;
	uint64_t ns;

	if (got->wall_ns < a->begin_ns || a->n_moments == ARRIVALS_MAX)
		return;
	if (a->first_ns == 0)
		a->first_ns = got->wall_ns;
	/* the clock was set */
	if (got->wall_ns < a->first_ns ||
	    got->wall_ns - a->first_ns > UINT32_MAX)
		return;
	ns = got->wall_ns - a->first_ns;
	a->moments[a->n_moments++] = (struct moment){
		.ns = (uint32_t)ns,
		.bytes = (uint32_t)got->len,
	};
	a->datagrams += (uint32_t)n;
	for (size_t at = 0; at < got->len; at += got->segment)
		note_pcrs(a, got->data + at, MIN(got->segment, got->len - at),
			  (uint32_t)ns);
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The gaps between datagrams in order; those that arrived together have none
 * between them. */
static void judge_gaps(const struct arrivals *a, struct arrivals_report *ret)
{
	uint32_t n = ret->gaps, zeros = n - (uint32_t)(a->n_moments - 1);
	uint32_t *gaps = xcalloc(a->n_moments, sizeof *gaps);
	size_t last = a->n_moments - 2; /* index of the longest */
	struct {
		unsigned percent;
		uint32_t *to;
	} wanted[] = { { 0, &ret->min_us }, { 50, &ret->p50_us },
		       { 95, &ret->p95_us }, { 99, &ret->p99_us },
		       { 100, &ret->max_us } };

	for (size_t i = 0; i <= last; i++)
		gaps[i] = a->moments[i + 1].ns - a->moments[i].ns;
	qsort(gaps, last + 1, sizeof *gaps, compare);
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		uint64_t rank = ((uint64_t)n - 1) * wanted[i].percent / 100;

		*wanted[i].to = rank < zeros ? 0 : gaps[rank - zeros] / 1000;
	}
	free(gaps);
}

/* RFC 4445 3: a buffer that is filled by what arrives and emptied at the mean
 * rate; from its lowest to its highest level, in time. */
static void judge_delay(const struct arrivals *a, double rate,
			struct arrivals_report *ret)
{
	double bytes = 0, low = 0, high = 0;

	for (size_t i = 0; i < a->n_moments; i++) {
		double drained = rate * a->moments[i].ns;

		low = fmin(low, bytes - drained);
		bytes += a->moments[i].bytes;
		high = fmax(high, bytes - drained);
	}
	ret->df_us = (uint32_t)((high - low) / rate / 1000);
}

/* How far the arrivals of a PID's PCRs are off the straight line through all
 * of them, from the earliest to the latest. */
static bool judge_pid(const struct arrivals *a, uint16_t pid,
		      uint32_t *ret_us)
{
	double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, low = 0, high = 0;
	double slope, at;
	uint64_t first = 0, last = 0;

	for (size_t i = 0; i < a->n_pcrs; i++) {
		const struct pcr_moment *m = &a->pcrs[i];
		double x, y = m->ns;

		if (m->pid != pid)
			continue;
		/* another time base has another line */
		if (n > 0 && pcr_diff(m->pcr, last) > PCR_HZ)
			return false;
		first = n > 0 ? first : m->pcr;
		last = m->pcr;
		x = (double)pcr_diff(m->pcr, first);
		n++;
		sx += x;
		sy += y;
		sxx += x * x;
		sxy += x * y;
	}
	if (n < 4 || n * sxx - sx * sx <= 0)
		return false;
	slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
	at = (sy - slope * sx) / n;
	for (size_t i = 0; i < a->n_pcrs; i++) {
		double x = (double)pcr_diff(a->pcrs[i].pcr, first);
		double off = a->pcrs[i].ns - at - slope * x;

		if (a->pcrs[i].pid != pid)
			continue;
		low = fmin(low, off);
		high = fmax(high, off);
	}
	*ret_us = (uint32_t)((high - low) / 1000);
	return true;
}

static bool is_judged(const struct arrivals_report *r, uint16_t pid)
{
	for (size_t i = 0; i < r->n_pcrs; i++)
		if (r->pcrs[i].pid == pid)
			return true;
	return false;
}

static void judge_pcrs(const struct arrivals *a, struct arrivals_report *ret)
{
	for (size_t i = 0; i < a->n_pcrs; i++) {
		uint16_t pid = a->pcrs[i].pid;
		uint32_t jitter_us;

		if (ret->n_pcrs == ARRIVALS_PIDS_MAX)
			return;
		if (is_judged(ret, pid) || !judge_pid(a, pid, &jitter_us))
			continue;
		ret->pcrs[ret->n_pcrs].pid = pid;
		ret->pcrs[ret->n_pcrs++].jitter_us = jitter_us;
	}
}

void arrivals_judge(struct arrivals *a, struct arrivals_report *ret)
{
	uint32_t span_ns;
	double rate, bytes = 0;

	*ret = (struct arrivals_report){ .datagrams = a->datagrams };
	if (a->n_moments < 2)
		return;
	span_ns = a->moments[a->n_moments - 1].ns;
	/* what comes last is the beginning of what follows */
	for (size_t i = 0; i + 1 < a->n_moments; i++)
		bytes += a->moments[i].bytes;
	if (span_ns == 0)
		return;
	rate = bytes / span_ns;
	ret->gaps = a->datagrams - 1;
	ret->mean_us = span_ns / ret->gaps / 1000;
	ret->rate_kbps = (uint32_t)(rate * 8 * 1e6);
	judge_gaps(a, ret);
	judge_delay(a, rate, ret);
	judge_pcrs(a, ret);
}
