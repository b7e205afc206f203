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
	cr_expect_eq(receivers_count(&r), 2);
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
	cr_expect_eq(receivers_count(&r), 0);
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
