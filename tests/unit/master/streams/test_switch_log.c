/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/switch_log.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void add(struct switch_log *l, uint64_t s, unsigned from, unsigned to)
{
	switch_log_add(l, &(struct msg_stream_switched){
		.wall_ms = s * 1000, .from = from, .to = to,
		.filler = to == 0, .late = to == 2, .reason = "fault",
		.fault = "scrambled" });
}

static json_int_t int_at(const json_t *list, size_t i, const char *key)
{
	return json_integer_value(
		json_object_get(json_array_get(list, i), key));
}

Test(switch_log, lists_the_newest_first)
{
	struct switch_log l = { 0 };
	json_t *list;

	add(&l, 10, 1, 2);
	add(&l, 11, 2, 0);
	list = switch_log_list(&l);
	cr_assert_eq(json_array_size(list), 2);
	cr_assert_eq(int_at(list, 0, "time"), 11);
	cr_assert_eq(int_at(list, 1, "to"), 2);
	cr_assert(json_is_true(json_object_get(json_array_get(list, 1),
					       "late")));
	cr_assert_null(json_object_get(json_array_get(list, 0), "late"));
	/* to nothing: to the filler */
	cr_assert_null(json_object_get(json_array_get(list, 0), "to"));
	cr_assert(json_is_true(json_object_get(json_array_get(list, 0),
					       "filler")));
	json_decref(list);
}

Test(switch_log, forgets_the_oldest)
{
	struct switch_log l = { 0 };
	json_t *list;

	for (unsigned i = 0; i < SWITCH_LOG_MAX + 5; i++)
		add(&l, i, 1, 2);
	list = switch_log_list(&l);
	cr_assert_eq(json_array_size(list), SWITCH_LOG_MAX);
	cr_assert_eq(int_at(list, 0, "time"), SWITCH_LOG_MAX + 4);
	cr_assert_eq(int_at(list, SWITCH_LOG_MAX - 1, "time"), 5);
	json_decref(list);
}

Test(switch_log, passes_to_the_next_master)
{
	struct switch_log l = { 0 }, again;
	json_t *record;

	add(&l, 10, 1, 2);
	add(&l, 11, 2, 0);
	record = switch_log_write(&l);
	switch_log_read(&again, record);
	cr_assert_eq(memcmp(&l, &again, sizeof l), 0);
	json_decref(record);
}

Test(switch_log, checks_every_value_of_a_worker)
{
	static const char *const records[] = {
		"[]", "{}", "[1,\"x\",null]", "[{\"ms\":-5}]",
		"[{\"from\":1,\"to\":2}]",
	};
	struct switch_log l;
	json_t *record, *list;

	switch_log_read(&l, NULL);
	cr_assert_eq(l.n, 0);
	for (size_t i = 0; i < ARRAY_LEN(records); i++) {
		record = json_loads(records[i], 0, NULL);
		switch_log_read(&l, record);
		cr_assert_eq(l.n, 0, "%s", records[i]);
		json_decref(record);
	}
	/* a long word is cut, an impossible place is none */
	record = json_loads("[{\"ms\":1000,\"from\":33,\"to\":-1,"
			    "\"reason\":\"a word that is far too long\"}]", 0,
			    NULL);
	switch_log_read(&l, record);
	list = switch_log_list(&l);
	cr_assert_null(json_object_get(json_array_get(list, 0), "from"));
	cr_assert_null(json_object_get(json_array_get(list, 0), "to"));
	cr_assert_str_eq(json_string_value(json_object_get(
				 json_array_get(list, 0), "reason")),
			 "a word that is ");
	json_decref(list);
	json_decref(record);
}
