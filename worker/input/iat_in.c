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
	uint32_t ns;    /* time since the first arrival */
	uint32_t bytes;
};

struct pcr_moment {
	uint32_t ns; /* time since the first arrival */
	uint16_t pid;
	uint64_t pcr;
};

struct iat_in {
	uint64_t begin_ns; /* earlier arrivals are not noted */
	uint64_t first_ns; /* time of the first noted arrival; 0: none yet */
	uint32_t datagrams;
	size_t n_moments, n_pcrs;
	struct moment moments[IAT_IN_MAX];
	struct pcr_moment pcrs[IAT_IN_PCRS_MAX];
};

struct iat_in *iat_in_new(uint64_t wall_ns)
{
	struct iat_in *a = xcalloc(1, sizeof *a);

	a->begin_ns = wall_ns + IAT_IN_SETTLE_MS * MS;
	return a;
}

void iat_in_free(struct iat_in **a)
{
	free(*a);
	*a = NULL;
}

static void note_pcrs(struct iat_in *a, const uint8_t *p, size_t len,
		      uint32_t ns)
{
	uint64_t pcr;

	/* 12 bytes more than whole packets: an RTP header without extensions */
	if (len % TS_PACKET == RTP_HEADER_MIN) {
		p += RTP_HEADER_MIN;
		len -= RTP_HEADER_MIN;
	}
	for (; len >= TS_PACKET; p += TS_PACKET, len -= TS_PACKET) {
		if (!ts_sync_ok(p) || !ts_pcr(p, &pcr) ||
		    a->n_pcrs == IAT_IN_PCRS_MAX)
			continue;
		a->pcrs[a->n_pcrs++] = (struct pcr_moment){
			.ns = ns, .pid = ts_pid(p), .pcr = pcr };
	}
}

void iat_in_note(struct iat_in *a, const struct arrival *got)
{
	uint64_t n = (got->len + got->segment - 1) / got->segment;
	uint64_t ns;

	if (got->wall_ns < a->begin_ns || a->n_moments == IAT_IN_MAX)
		return;
	if (a->first_ns == 0)
		a->first_ns = got->wall_ns;
	/* the system clock was changed */
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

/* Percentiles of the gaps; datagrams that arrived together have a gap of 0. */
static void judge_gaps(const struct iat_in *a, struct iat_in_report *ret)
{
	uint32_t n = ret->gaps, zeros = n - (uint32_t)(a->n_moments - 1);
	uint32_t *gaps = xcalloc(a->n_moments, sizeof *gaps);
	size_t last = a->n_moments - 2; /* index of the longest gap */
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

/* Measures the jitter of a PID's PCRs: the range of the distances between their
 * arrivals and the straight line through all arrivals.  False: too few PCRs, or
 * their time base changed. */
static bool judge_pid(const struct iat_in *a, uint16_t pid,
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
		/* a new time base needs another line */
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

static void judge_pcrs(const struct iat_in *a, struct iat_in_report *ret)
{
	for (size_t i = 0; i < a->n_pcrs; i++) {
		uint16_t pid = a->pcrs[i].pid;
		uint32_t jitter_us;
		size_t known = 0;

		if (ret->n_pcrs == IAT_IN_PIDS_MAX)
			return;
		while (known < ret->n_pcrs && ret->pcrs[known].pid != pid)
			known++;
		if (known < ret->n_pcrs || !judge_pid(a, pid, &jitter_us))
			continue;
		ret->pcrs[ret->n_pcrs].pid = pid;
		ret->pcrs[ret->n_pcrs++].jitter_us = jitter_us;
	}
}

void iat_in_judge(struct iat_in *a, struct iat_in_report *ret)
{
	uint32_t span_ns;
	double rate, bytes = 0, low = 0, high = 0;

	*ret = (struct iat_in_report){ .datagrams = a->datagrams };
	if (a->n_moments < 2)
		return;
	span_ns = a->moments[a->n_moments - 1].ns;
	/* the last arrival belongs to the next interval */
	for (size_t i = 0; i + 1 < a->n_moments; i++)
		bytes += a->moments[i].bytes;
	if (span_ns == 0)
		return;
	rate = bytes / span_ns;
	ret->gaps = a->datagrams - 1;
	ret->mean_us = span_ns / ret->gaps / 1000;
	ret->rate_kbps = (uint32_t)(rate * 8 * 1e6);
	judge_gaps(a, ret);
	/* RFC 4445 3: a buffer is filled by arrivals and emptied at the mean
	 * rate; the delay factor is the range of its level, as time */
	bytes = 0;
	for (size_t i = 0; i < a->n_moments; i++) {
		double drained = rate * a->moments[i].ns;

		low = fmin(low, bytes - drained);
		bytes += a->moments[i].bytes;
		high = fmax(high, bytes - drained);
	}
	ret->df_us = (uint32_t)((high - low) / rate / 1000);
	judge_pcrs(a, ret);
}
