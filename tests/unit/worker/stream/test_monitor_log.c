/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/stream/monitor_log.h"

#include "tests/unit/log_lines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct monitor_counts calm, loss = { .network_lost = 1 },
			bare = { .unprotected = 1 },
			two = { .senders = 2 };

/* Nothing comes here: sync_loss is raised by the first second. */
Test(watch, an_alarm_of_the_input_is_not_logged_for_the_output)
{
	const alarm_set sync = ALARM_BIT(ALARM_SYNC_LOSS);
	const alarm_set lost = ALARM_BIT(ALARM_NETWORK_LOSS);
	struct log_lines told = { 0 };
	struct monitor_log w = { 0 };
	uint64_t now_ns = SECOND_NS;

	log_open(log_lines_take, &told, LOG_LEVEL_INFO);
	monitor_log_begin(&w, NULL, "output", now_ns);
	monitor_log_second(&w, &calm, sync, NULL, now_ns += SECOND_NS);
	cr_assert_eq(w.raised, sync);
	/* nor when it ends there first */
	monitor_log_second(&w, &calm, 0, NULL, now_ns += SECOND_NS);
	cr_assert_eq(told.n, 0, "%s", told.last);

	monitor_log_second(&w, &loss, 0, NULL, now_ns += SECOND_NS);
	cr_assert_eq(w.raised, sync | lost);
	cr_assert_str_eq(told.last, "output: alarms: network_loss");
	monitor_log_second(&w, &loss, lost, NULL, now_ns + SECOND_NS);
	cr_assert_eq(told.n, 1);
	monitor_log_done(&w);
}

Test(watch, an_input_logs_every_alarm_of_its_own)
{
	struct log_lines told = { 0 };
	struct monitor_log w = { 0 };

	log_open(log_lines_take, &told, LOG_LEVEL_INFO);
	monitor_log_begin(&w, NULL, "input 2", SECOND_NS);
	monitor_log_second(&w, &loss, 0, NULL, 2 * SECOND_NS);
	cr_assert_str_eq(told.last,
			 "input 2: alarms: sync_loss, network_loss");
	monitor_log_done(&w);
}

Test(watch, the_unprotected_path_is_named)
{
	static const struct {
		const char *why, *told;
	} cases[] = {
		{ "path 2: no packets", "input 1: alarms: sync_loss, "
		  "unprotected (path 2: no packets)" },
		{ NULL, "input 1: alarms: sync_loss, unprotected" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct log_lines told = { 0 };
		struct monitor_log w = { 0 };

		log_open(log_lines_take, &told, LOG_LEVEL_INFO);
		monitor_log_begin(&w, NULL, "input 1", SECOND_NS);
		monitor_log_second(&w, &bare, 0, cases[i].why, 2 * SECOND_NS);
		cr_assert_str_eq(told.last, cases[i].told);
		monitor_log_done(&w);
	}
}

Test(watch, another_failed_path_is_another_line)
{
	const char *first = "path 1: is down", *second = "path 2: is down";
	uint64_t now_ns = SECOND_NS;
	struct log_lines told = { 0 };
	struct monitor_log w = { 0 };

	log_open(log_lines_take, &told, LOG_LEVEL_INFO);
	monitor_log_begin(&w, NULL, "input 1", now_ns);
	monitor_log_second(&w, &bare, 0, first, now_ns += SECOND_NS);
	monitor_log_second(&w, &bare, 0, first, now_ns += SECOND_NS);
	cr_assert_eq(told.n, 1);
	monitor_log_second(&w, &bare, 0, second, now_ns += SECOND_NS);
	cr_assert_str_eq(told.last, "input 1: alarms: sync_loss, "
			 "unprotected (path 2: is down)");
	/* it is being cleared */
	monitor_log_second(&w, &calm, 0, NULL, now_ns += SECOND_NS);
	monitor_log_second(&w, &bare, 0, second, now_ns + SECOND_NS);
	cr_assert_eq(told.n, 2, "%s", told.last);
	monitor_log_done(&w);
}

Test(watch, two_senders_are_named)
{
	struct log_lines told = { 0 };
	struct monitor_log w = { 0 };

	log_open(log_lines_take, &told, LOG_LEVEL_INFO);
	monitor_log_begin(&w, NULL, "input 1", SECOND_NS);
	monitor_log_second(&w, &two, 0, "two senders: a and b",
			   2 * SECOND_NS);
	cr_assert_str_eq(told.last, "input 1: alarms: sync_loss, two_senders "
			 "(two senders: a and b)");
	monitor_log_done(&w);
}

Test(watch, a_change_without_room_is_in_the_next_status)
{
	struct msg_stream_status first = {
		.n_changes = MSG_CHANGES_MAX - 1,
	}, next = { 0 }, last = { 0 };
	const alarm_set raised = ALARM_BIT(ALARM_SYNC_LOSS) |
				 ALARM_BIT(ALARM_NETWORK_LOSS);
	struct monitor_log w = { 0 };
	const struct msg_alarm_change *c =
		&first.changes[MSG_CHANGES_MAX - 1];

	monitor_log_report(&w, 3, raised, &w.reported, &first);
	cr_assert_eq(first.n_changes, (size_t)MSG_CHANGES_MAX);
	cr_expect(c->alarm == ALARM_SYNC_LOSS && c->raised);
	monitor_log_report(&w, 3, raised, &w.reported, &next);
	cr_assert_eq(next.n_changes, 1u);
	c = next.changes;
	cr_expect(c->place == 3 && c->alarm == ALARM_NETWORK_LOSS && c->raised);
	monitor_log_report(&w, 3, raised, &w.reported, &last);
	cr_expect_eq(last.n_changes, 0u);
}
