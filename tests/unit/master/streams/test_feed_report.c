/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of a feed that arrive twice, or not at all, between two of its
 * multiplex. */
#include "master/streams/feed_report.h"

#include <criterion/criterion.h>
#include <string.h>

/* A second with cc and other faults, and a change of an alarm of the source. */
static void add(struct feed_report *r, uint32_t cc, uint64_t count)
{
	char error[] = "2 CC errors in a second";
	struct msg_stream_status m = {
		.n_inputs = 1,
		.inputs = { { .position = 1, .packets = 100, .cc_error = cc,
			      .pes_error = cc, .lost = cc, .socket_drops = cc,
			      .sync_losses = cc, .bitrate_kbps = 5,
			      .error = error, .reason = "" } },
		.filler = cc > 2,
		.n_changes = 2,
		.changes = { { .place = 0, .alarm = ALARM_CC, .count = 9 },
			     { .place = 1, .alarm = ALARM_CC, .raised = cc > 0,
			       .count = count } },
	};

	feed_report_add(r, &m);
	memset(error, '?', sizeof error);
}

static void expect_faults(const struct feed_report *r, uint32_t n)
{
	cr_expect_eq(r->input.cc_error, n, "%u", (unsigned)r->input.cc_error);
	cr_expect_eq(r->input.pes_error, n);
	cr_expect_eq(r->input.lost, n);
	cr_expect_eq(r->input.socket_drops, n);
	cr_expect_eq(r->input.sync_losses, n);
	/* these belong to a second */
	cr_expect_eq(r->input.packets, 100u);
	cr_expect_eq(r->input.bitrate_kbps, 5u);
}

Test(feed_report, two_reports_between_two_of_the_multiplex_are_summed_up)
{
	struct feed_report r = { 0 };

	add(&r, 2, 2);
	add(&r, 3, 5);
	cr_expect(r.heard);
	cr_expect(r.filler, "that of the newest one");
	expect_faults(&r, 5);
	cr_expect_str_eq(r.input.error, "2 CC errors in a second");
	/* the newest, and none of the output */
	cr_assert_eq(r.n_changes, 1u);
	cr_expect_eq(r.changes[0].count, 5u);
	feed_report_clear(&r);
}

Test(feed_report, faults_and_changes_are_reported_once)
{
	struct feed_report r = { 0 };

	add(&r, 2, 2);
	feed_report_taken(&r);
	expect_faults(&r, 0);
	cr_expect_eq(r.n_changes, 0u);
	cr_expect(r.heard);
	add(&r, 3, 5);
	expect_faults(&r, 3);
	cr_expect_eq(r.n_changes, 1u);
	feed_report_clear(&r);
}

Test(feed_report, faults_of_an_hour_are_not_those_of_a_second)
{
	struct feed_report r = { 0 };

	for (unsigned i = 0; i < 3600; i++)
		add(&r, 1, i);
	cr_expect_leq(r.input.cc_error, 3u);
	cr_expect_geq(r.input.cc_error, 1u);
	feed_report_clear(&r);
	cr_expect(!r.heard && r.input.error == NULL);
}

Test(feed_report, a_report_without_an_input_ends_the_former_one)
{
	struct feed_report r = { 0 };

	add(&r, 2, 2);
	feed_report_add(&r, &(struct msg_stream_status){ 0 });
	cr_expect(!r.heard && r.n_changes == 0 && r.input.cc_error == 0);
	feed_report_clear(&r);
}

Test(feed_report, a_service_that_is_not_sent_has_no_filler_of_its_feed)
{
	struct feed_report r = { 0 };
	struct msg_stream_status m = {
		.n_services = 4,
		.services = { { .input = 2, .onair = true },
			      { .input = 2, .filler = SERVICE_FILLER_STILL },
			      { .input = 2 },
			      { .input = 1, .onair = true } },
	};

	add(&r, 2, 2);
	feed_report_filler(&r, 2, SERVICE_FILLER_FILE, &m);
	cr_expect_eq(m.services[0].filler, SERVICE_FILLER_NONE);
	add(&r, 3, 5);
	feed_report_filler(&r, 2, SERVICE_FILLER_FILE, &m);
	cr_expect_eq(m.services[0].filler, SERVICE_FILLER_FILE);
	cr_expect_eq(m.services[1].filler, SERVICE_FILLER_STILL);
	cr_expect_eq(m.services[2].filler, SERVICE_FILLER_NONE);
	cr_expect_eq(m.services[3].filler, SERVICE_FILLER_NONE);
	feed_report_clear(&r);
}
