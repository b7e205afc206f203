/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/adapter_minute.h"

#include <criterion/criterion.h>

static struct adapter_minute minute;
static struct msg_adapter_status status;

static void add(bool lock, int32_t snr_db, uint32_t ber, uint32_t unc)
{
	status = (struct msg_adapter_status){
		.lock = lock, .signal = lock ? 80 : 99, .snr = 60,
		.bitrate_kbps = lock ? 1000 : 0,
		.tuner = { .signal_db = -4500, .snr_db = snr_db, .ber = ber,
			   .unc = unc },
	};
	adapter_minute_add(&minute, &status);
}

Test(adapter_minute, has_means_and_the_errors_of_the_minute)
{
	add(true, 1000, 500, 7);
	add(false, 0, 600, 7);
	add(true, 1300, 100, 9); /* the driver counts anew */
	adapter_minute_sum(&minute, &status);
	cr_assert_eq(status.signal, 80u, "a level without lock is no level");
	cr_assert_eq(status.bitrate_kbps, 667u);
	cr_assert_eq(status.tuner.signal_db, -4500);
	cr_assert_eq(status.tuner.snr_db, 1150);
	cr_assert_eq(status.tuner.ber, 100u);
	cr_assert_eq(status.tuner.unc, 2u);
	cr_assert(status.lock);
}

static void add_counters(bool lock, uint64_t ber, uint64_t unc, bool rate)
{
	status = (struct msg_adapter_status){ .lock = lock, .tuner = {
		.ber = ber, .unc = unc, .ber_is_rate = rate } };
	adapter_minute_add(&minute, &status);
}

/* The driver has no statistics, neither then nor until the next are read. */
Test(adapter_minute, a_loss_of_lock_is_no_new_counter)
{
	add_counters(true, 100000, 7000, false);
	add_counters(false, 0, 0, true);
	adapter_minute_sum(&minute, &status);
	cr_expect_eq(status.tuner.ber, 0u);
	cr_expect_eq(status.tuner.unc, 0u);
	add_counters(true, 0, 0, true);
	add_counters(true, 100005, 7002, false);
	adapter_minute_sum(&minute, &status);
	cr_expect_eq(status.tuner.ber, 5u);
	cr_expect_eq(status.tuner.unc, 2u);
	add_counters(false, 0, 0, true);
	adapter_minute_sum(&minute, &status);
	cr_expect_eq(status.tuner.ber, 5u);
	cr_expect_eq(status.tuner.unc, 2u);
}

/* A day of errors. */
Test(adapter_minute, counters_exceed_32_bits)
{
	for (unsigned i = 0; i < 3; i++)
		add_counters(true, UINT32_MAX - UINT64_C(1) + i,
			     UINT64_C(5000000000) + 2 * i, false);
	adapter_minute_sum(&minute, &status);
	cr_expect_eq(status.tuner.ber, 2u);
	cr_expect_eq(status.tuner.unc, 4u);
}

Test(adapter_minute, forgets_what_is_older)
{
	add(true, 2000, 0, 0);
	add(true, 2000, 1000, 1000);
	for (unsigned i = 0; i < ADAPTER_SECONDS; i++)
		add(true, 1000, 1000 + i, 1000);
	adapter_minute_sum(&minute, &status);
	cr_assert_eq(status.tuner.snr_db, 1000);
	cr_assert_eq(status.tuner.ber, ADAPTER_SECONDS - 1u);
	cr_assert_eq(status.tuner.unc, 0u);
}

Test(adapter_minute, a_rate_of_errors_is_a_mean)
{
	for (uint32_t i = 0; i < 3; i++) {
		status = (struct msg_adapter_status){ .lock = true, .tuner = {
			.ber = 10 * i, .ber_is_rate = true } };
		adapter_minute_add(&minute, &status);
	}
	adapter_minute_sum(&minute, &status);
	cr_assert_eq(status.tuner.ber, 10u);
}

Test(adapter_minute, of_nothing_changes_nothing)
{
	status.signal = 5;
	adapter_minute_sum(&minute, &status);
	cr_assert_eq(status.signal, 5u);
}
