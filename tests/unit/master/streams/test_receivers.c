/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/receivers.h"

#include <criterion/criterion.h>

static const struct msg_stream_receivers two = {
	.output = 2, .n = 2, .list = {
		{ MSG_RECEIVER_BIT + 1, "192.0.2.1", 5, "anna", 1316 },
		{ MSG_RECEIVER_BIT + 2, "192.0.2.2", 0, NULL, 0 },
	} };

Test(receivers, a_session_has_its_login_and_protocol)
{
	struct receivers r = { 0 };
	json_t *list = json_array(), *one;

	receivers_update(&r, "a001", &two, 1000);
	cr_expect_eq(receivers_count(&r, 4000), 2);
	receivers_list(&r, 4000, list);
	one = json_array_get(list, 0);
	cr_expect_str_eq(json_string_value(json_object_get(one, "login")),
			 "anna");
	cr_expect_str_eq(json_string_value(json_object_get(one, "protocol")),
			 "srt");
	cr_expect_eq(json_integer_value(json_object_get(one, "bytes")), 1316);
	cr_expect_eq(json_integer_value(json_object_get(one, "uptime")), 8);
	cr_expect_null(json_object_get(json_array_get(list, 1), "login"));
	json_decref(list);
	receivers_clear(&r);
	cr_expect_eq(receivers_count(&r, 4000), 0);
}

Test(receivers, a_new_list_shows_who_left)
{
	const struct msg_stream_receivers one = {
		.output = 2, .n = 1, .list = { two.list[1] } };
	const struct msg_stream_receivers none = { .output = 2 };
	const struct msg_stream_receivers other = { .output = 1 };
	uint64_t left[MSG_RECEIVERS_MAX];
	struct receivers r = { 0 };

	cr_expect_eq(receivers_left(&r, &two, left), 0);
	receivers_update(&r, "a001", &two, 0);
	cr_expect(receivers_has(&r, MSG_RECEIVER_BIT + 1));
	cr_expect_eq(receivers_left(&r, &two, left), 0);
	cr_expect_eq(receivers_left(&r, &other, left), 0);
	cr_expect_eq(receivers_left(&r, &none, left), 2);
	cr_expect_eq(receivers_left(&r, &one, left), 1);
	cr_expect_eq(left[0], MSG_RECEIVER_BIT + 1);
	receivers_update(&r, "a001", &one, 0);
	cr_expect_not(receivers_has(&r, MSG_RECEIVER_BIT + 1));
	receivers_clear(&r);
}

Test(receivers, the_next_master_has_them_until_the_worker_reports)
{
	struct receivers old = { 0 }, new = { 0 };
	uint64_t left[MSG_RECEIVERS_MAX];
	json_t *all, *list = json_array();

	receivers_update(&old, "a001", &two, 1000);
	all = receivers_write(&old);
	receivers_clear(&old);
	receivers_take(&new, "b002", all, 3000);
	cr_expect_eq(receivers_count(&new, 3000), 2);
	cr_expect(receivers_has(&new, MSG_RECEIVER_BIT + 1));
	receivers_list(&new, 4000, list);
	cr_expect_eq(json_array_size(list), 2u);
	cr_expect_str_eq(json_string_value(json_object_get(
				 json_array_get(list, 1), "channel_id")),
			 "b002");
	cr_expect_eq(json_integer_value(json_object_get(
			     json_array_get(list, 0), "uptime")), 8);
	/* the clients of this master have heard of none */
	cr_expect_not(receivers_is_reported(&new, MSG_RECEIVER_BIT + 1));
	cr_expect_eq(receivers_left(&new, &(struct msg_stream_receivers){
			.output = 2 }, left), 0);
	/* without a report they are over */
	cr_expect_eq(receivers_count(&new, 1000 + RECEIVERS_KEPT_MS), 2);
	cr_expect_eq(receivers_count(&new, 1001 + RECEIVERS_KEPT_MS), 0);
	receivers_update(&new, "b002", &two, 4000);
	cr_expect(receivers_is_reported(&new, MSG_RECEIVER_BIT + 1));
	cr_expect_eq(receivers_count(&new, 60000), 2);
	json_decref(all);
	json_decref(list);
	receivers_clear(&new);
}

Test(receivers, a_damaged_record_is_not_taken)
{
	static const char *const records[] = {
		"{}", "[1, {}]",
		"[{\"output\": 0, \"updated_ms\": 1, \"list\": [{}]}]",
		"[{\"output\": 1000, \"updated_ms\": 1, \"list\": [{}]}]",
		"[{\"output\": 1, \"updated_ms\": 9, \"list\": [{}]}]",
		"[{\"output\": 1, \"updated_ms\": 1, \"list\": {}}]",
		"[{\"output\": 1, \"updated_ms\": 1, \"list\": [4, {}, "
		"{\"client_id\": 5, \"addr\": 1, \"uptime\": 1}]}]",
	};

	for (size_t i = 0; i < ARRAY_LEN(records); i++) {
		json_t *all = json_loads(records[i], 0, NULL);
		struct receivers r = { 0 };

		cr_assert_not_null(all, "%zu", i);
		receivers_take(&r, "a001", all, 2);
		cr_expect_eq(receivers_count(&r, 2), 0, "%zu", i);
		json_decref(all);
		receivers_clear(&r);
	}
}
