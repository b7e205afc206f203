/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/adapter_minute.h"

#include "common/base/util.h"

void adapter_minute_add(struct adapter_minute *m,
			const struct msg_adapter_status *s)
{
	m->seconds[m->next] = (struct adapter_second){
		.lock = s->lock,
		.ber_is_rate = s->tuner.ber_is_rate,
		.signal = s->signal,
		.snr = s->snr,
		.bitrate_kbps = s->bitrate_kbps,
		.ber = s->tuner.ber,
		.unc = s->tuner.unc,
		.signal_db = s->tuner.signal_db,
		.snr_db = s->tuner.snr_db,
	};
	m->next = (m->next + 1) % ADAPTER_SECONDS;
	m->n = MIN(m->n + 1, (size_t)ADAPTER_SECONDS);
}

/* Returns second i of the minute; 0 is the oldest one. */
static const struct adapter_second *at(const struct adapter_minute *m, size_t i)
{
	return &m->seconds[(m->next + ADAPTER_SECONDS - m->n + i) %
			   ADAPTER_SECONDS];
}

struct mean {
	int64_t sum;
	int64_t n;
};

/* Adds a value to a mean.  Ignores the value 0, which means unknown. */
static void take(struct mean *mean, int64_t value)
{
	mean->sum += value;
	mean->n += value != 0;
}

static int64_t result(const struct mean *mean)
{
	int64_t half = mean->sum < 0 ? -mean->n / 2 : mean->n / 2;

	return mean->n > 0 ? (mean->sum + half) / mean->n : 0;
}

/* The errors that a driver has counted in the minute. */
struct growth {
	uint64_t sum;
	uint64_t last;
	bool known; /* last has a value */
};

/* Adds the growth of an error counter since the last second.  A driver without
 * statistics reports 0, which is ignored.  A counter that is lower than before
 * has restarted from 0 (another tuning or driver). */
static void grow(struct growth *g, uint64_t now)
{
	if (g->known && now == 0)
		return;
	if (g->known)
		g->sum += now >= g->last ? now - g->last : now;
	g->last = now;
	g->known = true;
}

void adapter_minute_sum(const struct adapter_minute *m,
			struct msg_adapter_status *ret)
{
	struct mean signal = { 0 }, snr = { 0 }, signal_db = { 0 },
		    snr_db = { 0 }, rate = { 0 };
	struct growth bits = { 0 }, blocks = { 0 };
	uint64_t bitrate = 0;

	if (m->n == 0)
		return;
	for (size_t i = 0; i < m->n; i++) {
		const struct adapter_second *s = at(m, i);

		bitrate += s->bitrate_kbps;
		/* without lock a driver may report anything */
		if (!s->lock)
			continue;
		take(&signal, s->signal);
		take(&snr, s->snr);
		take(&signal_db, s->signal_db);
		take(&snr_db, s->snr_db);
		grow(&blocks, s->unc);
		if (!s->ber_is_rate)
			grow(&bits, s->ber);
		rate.sum += (int64_t)s->ber;
		rate.n++;
	}
	if (!bits.known && rate.n > 0)
		bits.sum = (uint64_t)(rate.sum / rate.n);
	ret->signal = (uint32_t)result(&signal);
	ret->snr = (uint32_t)result(&snr);
	ret->bitrate_kbps = (uint32_t)((bitrate + m->n / 2) / m->n);
	ret->tuner.signal_db = (int32_t)result(&signal_db);
	ret->tuner.snr_db = (int32_t)result(&snr_db);
	ret->tuner.ber = bits.sum;
	ret->tuner.unc = blocks.sum;
}
