/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/dvb_signal.h"

#include <stddef.h>

enum {
	SCALE_MAX = 65535,
	MILLI_TO_HUNDREDTH = 10,
	WEAK_DBM = -95,
	STRONG_DBM = -35,
	/* limits in 1/100 dB: without a signal a driver may report any value */
	DB_MIN = -20000,
	DB_MAX = 20000,
};

static int64_t clamp(int64_t value, int64_t min, int64_t max)
{
	return value < min ? min : value > max ? max : value;
}

/* The first value that is in this scale; NULL: there is none. */
static const struct dtv_stats *find(const struct dtv_fe_stats *s,
				    unsigned scale)
{
	size_t n = MIN((size_t)s->len, (size_t)MAX_DTV_STATS);

	for (size_t i = 0; i < n; i++)
		if (s->stat[i].scale == scale)
			return &s->stat[i];
	return NULL;
}

struct level {
	unsigned percent, raw;
	int db;
};

/* Reads a level.  weak and strong: the values in dB or dBm that count as 0 and
 * 100 percent. */
static struct level read_level(const struct dtv_fe_stats *s, int64_t old,
			       int weak, int strong)
{
	const struct dtv_stats *relative = find(s, FE_SCALE_RELATIVE);
	const struct dtv_stats *db = find(s, FE_SCALE_DECIBEL);
	uint64_t scale = relative != NULL ? relative->uvalue
			 : old >= 0	  ? (uint64_t)old
					  : 0;
	struct level l = {
		.percent = (unsigned)(MIN(scale, (uint64_t)SCALE_MAX) * 100 /
				      SCALE_MAX),
	};

	if (db != NULL)
		l.db = (int)clamp(db->svalue / MILLI_TO_HUNDREDTH, DB_MIN,
				  DB_MAX);
	if (db != NULL && relative == NULL)
		l.percent = (unsigned)(clamp(l.db - weak * 100, 0,
					     (strong - weak) * 100) /
				       (strong - weak));
	l.raw = (unsigned)MIN(old >= 0 ? (uint64_t)old : scale,
			      (uint64_t)SCALE_MAX);
	return l;
}

/* The largest integer that is exact in JSON. */
static const uint64_t COUNTER_MAX = (UINT64_C(1) << 53) - 1;

/* Reads a counter; without one, the value of API 3.  The first counter of a
 * list is the sum of all layers. */
static uint64_t read_counter(const struct dtv_fe_stats *s, int64_t old)
{
	const struct dtv_stats *counter = find(s, FE_SCALE_COUNTER);
	uint64_t n = counter != NULL ? counter->uvalue
		     : old > 0	     ? (uint64_t)old
				     : 0;

	return MIN(n, COUNTER_MAX);
}

void dvb_signal_read(const struct dvb_stats *s, unsigned best_db,
		     struct dvb_signal *ret)
{
	struct level strength = read_level(&s->strength, s->old.strength,
					   WEAK_DBM, STRONG_DBM);
	struct level snr = read_level(&s->cnr, s->old.snr, 0, (int)best_db);

	*ret = (struct dvb_signal){
		.status = s->status,
		.signal = strength.percent, .snr = snr.percent,
		.signal_db = strength.db, .snr_db = snr.db,
		.signal_raw = strength.raw, .snr_raw = snr.raw,
		.ber = read_counter(&s->bit_errors, s->old.ber),
		.unc = read_counter(&s->block_errors, s->old.unc),
		.ber_is_rate = find(&s->bit_errors, FE_SCALE_COUNTER) == NULL,
	};
}

void dvb_signal_status(unsigned status, char ret[DVB_STATUS_TEXT])
{
	static const char letters[] = "SCVYL";

	for (unsigned i = 0; i < DVB_STATUS_TEXT - 1; i++)
		ret[i] = status & 1u << i ? letters[i] : '-';
	ret[DVB_STATUS_TEXT - 1] = '\0';
}
