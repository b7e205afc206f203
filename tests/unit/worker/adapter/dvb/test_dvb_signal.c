/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/dvb_signal.h"

#include <criterion/criterion.h>

enum { BEST_DB = 20 };

static struct dvb_signal s;

static struct dtv_fe_stats db(int64_t milli)
{
	struct dtv_fe_stats st = { .len = 1 };

	st.stat[0].scale = FE_SCALE_DECIBEL;
	st.stat[0].svalue = milli;
	return st;
}

static struct dtv_fe_stats of(unsigned scale, uint64_t value)
{
	struct dtv_fe_stats st = { .len = 1 };

	st.stat[0].scale = (uint8_t)scale;
	st.stat[0].uvalue = value;
	return st;
}

static const struct dvb_old_stats none = { -1, -1, -1, -1 };

Test(dvb_signal, decibels)
{
	dvb_signal_read(&(struct dvb_stats){ .status = 0x1f,
		.strength = db(-45000), .cnr = db(13500), .old = none },
		BEST_DB, &s);
	cr_assert_eq(s.status, 0x1fu);
	cr_assert_eq(s.signal_db, -4500);
	cr_assert_eq(s.snr_db, 1350);
	cr_assert_eq(s.signal, 83u);
	cr_assert_eq(s.snr, 67u);
	cr_assert_eq(s.signal_raw, 0u);
}

Test(dvb_signal, relative_scale)
{
	dvb_signal_read(&(struct dvb_stats){
		.strength = of(FE_SCALE_RELATIVE, 32768),
		.cnr = of(FE_SCALE_RELATIVE, 100000), .old = none },
		BEST_DB, &s);
	cr_assert_eq(s.signal, 50u);
	cr_assert_eq(s.snr, 100u);
	cr_assert_eq(s.signal_db, 0);
	cr_assert_eq(s.signal_raw, 32768u);
	cr_assert_eq(s.snr_raw, 65535u);
}

/* A driver may have both scales. */
Test(dvb_signal, mixture)
{
	struct dtv_fe_stats both = db(-60000);

	both.len = 2;
	both.stat[1].scale = FE_SCALE_RELATIVE;
	both.stat[1].uvalue = 65535;
	dvb_signal_read(&(struct dvb_stats){ .strength = both,
		.old = { 0x8000, 0xc000, 5, 7 } }, BEST_DB, &s);
	cr_assert_eq(s.signal_db, -6000);
	cr_assert_eq(s.signal, 100u);
	cr_assert_eq(s.signal_raw, 0x8000u);
	/* no statistics of the noise: the old call */
	cr_assert_eq(s.snr, 75u);
	cr_assert_eq(s.snr_db, 0);
	cr_assert_eq(s.ber, 5u);
	cr_assert(s.ber_is_rate);
	cr_assert_eq(s.unc, 7u);
}

Test(dvb_signal, counters)
{
	dvb_signal_read(&(struct dvb_stats){
		.bit_errors = of(FE_SCALE_COUNTER, 12),
		.block_errors = of(FE_SCALE_COUNTER, UINT64_MAX),
		.old = { -1, -1, 99, 99 } }, BEST_DB, &s);
	cr_assert_eq(s.ber, 12u);
	cr_assert_not(s.ber_is_rate);
	cr_assert_eq(s.unc, (UINT64_C(1) << 53) - 1, "exact in JSON");
	dvb_signal_read(&(struct dvb_stats){
		.bit_errors = of(FE_SCALE_COUNTER, UINT64_C(5000000000)) },
		BEST_DB, &s);
	cr_assert_eq(s.ber, UINT64_C(5000000000));
}

/* As a driver reported without a signal. */
Test(dvb_signal, absurd_values_are_bounded)
{
	struct dtv_fe_stats odd = db(INT64_MIN);

	odd.len = 255;
	dvb_signal_read(&(struct dvb_stats){ .strength = odd,
		.cnr = db(INT64_MAX), .old = none }, BEST_DB, &s);
	cr_assert_eq(s.signal, 0u);
	cr_assert_eq(s.signal_db, -20000);
	cr_assert_eq(s.snr, 100u);
	cr_assert_eq(s.snr_db, 20000);
}

Test(dvb_signal, status_in_letters)
{
	char text[DVB_STATUS_TEXT];

	dvb_signal_status(0x1f, text);
	cr_assert_str_eq(text, "SCVYL");
	dvb_signal_status(0x23, text);
	cr_assert_str_eq(text, "SC---");
}
