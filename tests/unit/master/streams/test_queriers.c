/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/check.h"
#include "master/streams/queriers.h"

#include <criterion/criterion.h>
#include <string.h>

enum { START_MS = 1000000, TIMEOUT_MS = QUERIER_TIMEOUT_S * 1000 };

static const struct querier_net v4 = { 2, false }, v6 = { 2, true },
				other = { 3, false };
static struct queriers *queriers;

static void open_all(void)
{
	queriers = queriers_new(QUERIER_TIMEOUT_S);
}

static void close_all(void)
{
	queriers_free(&queriers);
}

/* A worker that has listened since START_MS, and received a query of IPv4 at
 * at_ms; 0: none. */
static void hear(uint64_t at_ms, uint64_t now_ms)
{
	struct msg_querier_status s = { .listening_ms = now_ms - START_MS };

	if (at_ms != 0)
		s.list[s.n++] = (struct msg_querier){
			.interface = 2, .version = 3, .address = "192.0.2.1",
			.interval_s = 125, .age_ms = now_ms - at_ms,
		};
	queriers_update(queriers, &s, now_ms);
}

/* As two inputs do, once a second. */
static void use_both(uint64_t from_ms, uint64_t to_ms)
{
	for (uint64_t ms = from_ms; ms <= to_ms; ms += 1000) {
		queriers_use(queriers, v4, ms);
		queriers_use(queriers, v6, ms);
	}
}

static enum querier_state state(struct querier_net way, uint64_t now_ms)
{
	return queriers_state(queriers, way, now_ms);
}

TestSuite(queriers, .init = open_all, .fini = close_all);

Test(queriers, missing_after_a_timeout_of_listening_and_of_use)
{
	uint64_t late = START_MS + 50000;

	hear(0, START_MS);
	queriers_use(queriers, v4, START_MS);
	queriers_use(queriers, other, late);
	cr_assert_eq(state(v4, START_MS + TIMEOUT_MS - 1), QUERIER_UNKNOWN);
	cr_assert_eq(state(v4, START_MS + TIMEOUT_MS), QUERIER_MISSING);
	cr_assert_eq(state(other, START_MS + TIMEOUT_MS), QUERIER_UNKNOWN);
	cr_assert_eq(state(other, late + TIMEOUT_MS), QUERIER_MISSING);
	/* not used at all */
	cr_assert_eq(state(v6, late + TIMEOUT_MS), QUERIER_UNKNOWN);
}

Test(queriers, an_interface_used_before_a_restart_counts_as_used_since_then)
{
	uint64_t half = START_MS + TIMEOUT_MS / 2;
	json_t *left, *wrong = json_pack("[n, {s:i, s:b, s:i}, {s:i, s:b}]",
					 "interface", 0, "mld", 0, "since", 1,
					 "interface", 4, "mld", 0);

	queriers_use(queriers, other, START_MS);
	use_both(START_MS, half);
	left = queriers_write(queriers, half);
	cr_assert_eq(json_array_size(left), 2, "one is used no more");
	queriers_free(&queriers);

	queriers = queriers_new(QUERIER_TIMEOUT_S);
	queriers_take(queriers, left, half + 500);
	queriers_take(queriers, wrong, half + 500);
	queriers_take(queriers, NULL, half + 500);
	use_both(half + 1000, START_MS + TIMEOUT_MS + 500);
	hear(0, START_MS + TIMEOUT_MS + 500);
	cr_assert_eq(state(v4, START_MS + TIMEOUT_MS + 400), QUERIER_UNKNOWN);
	cr_assert_eq(state(v4, START_MS + TIMEOUT_MS + 500), QUERIER_MISSING);
	cr_assert_eq(state(v6, START_MS + TIMEOUT_MS + 500), QUERIER_MISSING);
	json_decref(left);
	json_decref(wrong);
}

Test(queriers, present_for_a_timeout_after_each_query)
{
	uint64_t at = START_MS + 400000;

	queriers_use(queriers, v4, START_MS);
	queriers_use(queriers, v6, START_MS);
	hear(at, at + 10);
	cr_assert_eq(state(v4, at + TIMEOUT_MS - 1), QUERIER_PRESENT);
	cr_assert_eq(state(v4, at + TIMEOUT_MS), QUERIER_MISSING);
	/* a querier of IPv4 groups sends no queries for IPv6 */
	cr_assert_eq(state(v6, at + 10), QUERIER_MISSING);
}

Test(queriers, unknown_without_ears)
{
	uint64_t late = START_MS + 2 * TIMEOUT_MS;
	struct msg_querier_status s = { .igmp_error = "CAP_NET_RAW is missing",
					.listening_ms = 2 * TIMEOUT_MS };

	queriers_use(queriers, v4, START_MS);
	queriers_use(queriers, v6, START_MS);
	cr_assert_eq(state(v4, late), QUERIER_UNKNOWN);
	queriers_update(queriers, &s, late);
	cr_assert_eq(state(v4, late), QUERIER_UNKNOWN);
	cr_assert_eq(state(v6, late), QUERIER_MISSING);
	queriers_reset(queriers);
	cr_assert_eq(state(v6, late), QUERIER_UNKNOWN);
}

Test(queriers, a_timeout_of_0_judges_nothing)
{
	close_all();
	queriers = queriers_new(0);
	queriers_use(queriers, v4, START_MS);
	hear(0, START_MS + 10 * TIMEOUT_MS);
	cr_assert_eq(state(v4, START_MS + 10 * TIMEOUT_MS), QUERIER_UNKNOWN);
}

Test(queriers, an_unused_interface_is_forgotten)
{
	uint64_t end = START_MS + QUERIERS_KEPT_MS;

	cr_assert_not(queriers_in_use(queriers, START_MS));
	queriers_use(queriers, v4, START_MS);
	cr_assert(queriers_in_use(queriers, end));
	cr_assert_not(queriers_in_use(queriers, end + 1));
	/* used again it is new: its silence begins now */
	hear(0, end + TIMEOUT_MS);
	queriers_use(queriers, v4, end + TIMEOUT_MS);
	cr_assert_eq(state(v4, end + TIMEOUT_MS), QUERIER_UNKNOWN);
}

Test(queriers, no_more_interfaces_than_there_is_room_for)
{
	for (unsigned i = 1; i <= 2 * QUERIERS_NETS_MAX; i++)
		queriers_use(queriers, (struct querier_net){ i, false },
			     START_MS);
	hear(0, START_MS + TIMEOUT_MS);
	cr_assert_eq(state((struct querier_net){ QUERIERS_NETS_MAX, false },
			   START_MS + TIMEOUT_MS),
		     QUERIER_MISSING);
	cr_assert_eq(state((struct querier_net){ QUERIERS_NETS_MAX + 1, false },
			   START_MS + TIMEOUT_MS),
		     QUERIER_UNKNOWN);
	/* places of those that are over are used again */
	queriers_use(queriers, (struct querier_net){ 9999, false },
		     START_MS + QUERIERS_KEPT_MS + 1);
	cr_assert(queriers_in_use(queriers, START_MS + QUERIERS_KEPT_MS + 1));
}

Test(queriers, the_report_has_the_queriers_and_the_advice)
{
	uint64_t now = START_MS + TIMEOUT_MS;
	json_t *report, *first, *second;

	use_both(START_MS, now);
	hear(now - 7500, now);
	queriers_count_none(queriers);
	queriers_count(queriers, v4, false);
	queriers_count(queriers, v4, true);
	report = queriers_report(queriers, now);
	first = json_array_get(json_object_get(report, "interfaces"), 0);
	second = json_array_get(json_object_get(report, "interfaces"), 1);
	cr_assert_str_eq(json_string_value(json_object_get(first, "state")),
			 "heard");
	cr_assert_eq(json_integer_value(json_object_get(first, "inputs")), 2);
	cr_assert_eq(json_integer_value(json_object_get(first, "silent")), 1);
	cr_assert_eq(json_integer_value(json_object_get(
			     json_object_get(first, "querier"), "age")), 7);
	cr_assert_null(json_object_get(first, "advice"));
	cr_assert_str_eq(json_string_value(json_object_get(second, "state")),
			 "missing");
	cr_assert_not_null(
		strstr(json_string_value(json_object_get(second, "advice")),
		       "no MLD querier for 260 s"));
	json_decref(report);
}

static const char *first_text(json_t *report, const char *key)
{
	const char *text = json_string_value(json_object_get(
		json_array_get(json_object_get(report, "interfaces"), 0),
		key));

	return text != NULL ? text : "";
}

Test(queriers, a_removed_interface_keeps_its_name_and_gets_no_other_advice)
{
	json_t *left = json_pack("[{s:i, s:b, s:i, s:s}]", "interface",
				 INT32_MAX, "mld", 0, "since", 1000, "name",
				 "eth7"), *report, *again;
	uint64_t now = START_MS + TIMEOUT_MS;

	queriers_take(queriers, left, START_MS);
	for (uint64_t ms = START_MS; ms <= now; ms += 1000)
		queriers_use(queriers, (struct querier_net){ INT32_MAX, false },
			     ms);
	hear(0, now);
	report = queriers_report(queriers, now);
	cr_assert_str_eq(first_text(report, "interface"), "eth7");
	cr_assert_str_eq(first_text(report, "state"), "unknown");
	cr_assert_str_eq(first_text(report, "advice"),
			 "interface eth7 was removed: its inputs wait for it");
	again = queriers_write(queriers, now);
	cr_assert_str_eq(json_string_value(json_object_get(
				 json_array_get(again, 0), "name")), "eth7");
	json_decref(again);
	json_decref(report);
	json_decref(left);
}

Test(queriers, the_advice_tells_whether_groups_arrive)
{
	uint64_t now = START_MS + TIMEOUT_MS;
	json_t *report;

	for (uint64_t ms = START_MS; ms <= now; ms += 1000)
		queriers_use(queriers, v4, ms);
	hear(0, now);
	cr_assert_eq(queriers_arrival_ms(queriers, v4), 0);
	queriers_arrived(queriers, v4, now);
	queriers_arrived(queriers, other, now);
	cr_assert_eq(queriers_arrival_ms(queriers, v4), now);
	cr_assert_eq(queriers_arrival_ms(queriers, other), 0);
	queriers_count(queriers, v4, true);
	report = queriers_report(queriers, now);
	cr_assert_not_null(strstr(first_text(report, "advice"),
				  "will stop the groups"));
	json_decref(report);
	queriers_count(queriers, v4, false);
	report = queriers_report(queriers, now);
	cr_assert_not_null(strstr(first_text(report, "advice"),
				  "groups arrive; a switch"));
	json_decref(report);
}
