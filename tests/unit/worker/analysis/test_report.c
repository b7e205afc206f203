/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/report.h"

#include "common/base/units.h"
#include "proto/spec/report_shape.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <string.h>

#define START (1000 * MS)

enum { PMT = 0x100, VIDEO = 0x101, AUDIO = 0x102, FREE = 0x300 };

static void feed(struct monitor *m, struct build *b)
{
	struct ts_run run = { build_packet(b, 0), b->n };

	monitor_feed(m, &run, 1, NULL, START);
	b->n = 0;
}

static void end_second(struct monitor *m)
{
	static const struct monitor_counts none;

	(void)monitor_second(m, &none, START + 1000 * MS, 5000);
}

static uint16_t part_of(const struct monitor *m, uint16_t from, bool sent,
			json_t **ret)
{
	static const struct alarm overflow;
	const struct report_part part = {
		.from = from, .sent = sent, .now_ns = START + 1000 * MS,
		.overflow = sent ? &overflow : NULL,
		.mux_overflow = sent ? &overflow : NULL,
		.eit_slow = sent ? &overflow : NULL,
		.eit_full = sent ? &overflow : NULL,
		.hls_gop = sent ? &overflow : NULL,
	};
	struct errmsg error = { 0 };
	uint16_t next;

	*ret = json_object();
	next = monitor_report(m, &part, *ret);
	cr_assert_eq(field_read(&report_fields, *ret, NULL, &error), 0, "%s",
		     error.text);
	return next;
}

static const json_t *of_pid(const json_t *report, int pid)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(report, "pids"), i, one)
		if (json_integer_value(json_object_get(one, "pid")) == pid)
			return one;
	return NULL;
}

static json_int_t number(const json_t *object, const char *key)
{
	cr_assert(json_is_integer(json_object_get(object, key)), "%s", key);
	return json_integer_value(json_object_get(object, key));
}

static const char *kind(const json_t *report, int pid)
{
	return json_string_value(json_object_get(of_pid(report, pid), "kind"));
}

Test(report, shows_counts_and_kind_of_each_pid)
{
	struct monitor *m = monitor_new(NULL, START);
	struct build *b = build_new();
	json_t *report;

	build_tables(b);
	for (int i = 0; i < 10; i++)
		build_payload(b, VIDEO, 1);
	build_payload(b, FREE, 1);
	build_payload(b, FREE, 2);
	build_packet(b, b->n - 1)[3] ^= 8; /* another counter */
	feed(m, b);
	end_second(m);
	cr_assert_eq(part_of(m, 0, false, &report), 0);

	cr_assert_str_eq(kind(report, 0), "pat");
	cr_assert_str_eq(kind(report, PMT), "pmt");
	cr_assert_str_eq(kind(report, VIDEO), "video");
	cr_assert_str_eq(kind(report, AUDIO), "audio");
	cr_assert_null(kind(report, FREE));
	cr_assert_eq(number(of_pid(report, VIDEO), "packets"), 10);
	cr_assert_eq(number(of_pid(report, VIDEO), "bitrate"), 15);
	/* promised, and not there */
	cr_assert_eq(number(of_pid(report, AUDIO), "packets"), 0);
	cr_assert_eq(number(of_pid(report, FREE), "cc_errors"), 1);
	cr_assert_eq(number(of_pid(report, VIDEO), "cc_errors"), 0);
	cr_assert_eq(number(report, "watched_s"), 1);
	json_decref(report);
	build_free(b);
	monitor_free(&m);
}

Test(report, consists_of_parts_with_all_pids)
{
	struct monitor *m = monitor_new(NULL, START);
	struct build *b = build_new();
	json_t *report;
	size_t pids = 0, parts = 0;
	uint16_t from = 0;

	for (uint16_t pid = 0; pid < 250; pid++)
		build_payload(b, (uint16_t)(0x20 + 30 * pid), 1);
	feed(m, b);
	end_second(m);
	do {
		from = part_of(m, from, false, &report);
		pids += json_array_size(json_object_get(report, "pids"));
		cr_assert_eq(json_object_get(report, "indicators") != NULL,
			     parts == 0);
		parts++;
		json_decref(report);
	} while (from > 0);
	cr_assert_eq(pids, 250);
	cr_assert_eq(parts, 3);
	build_free(b);
	monitor_free(&m);
}

Test(report, has_no_old_rate_in_silence)
{
	struct monitor *m = monitor_new(NULL, START);
	struct build *b = build_new();
	json_t *report;

	build_tables(b);
	for (unsigned i = 0; i < 20; i++) {
		build_pcr(b, VIDEO, i * UINT64_C(540000));
		build_payload(b, VIDEO, 1);
	}
	feed(m, b);
	end_second(m);
	(void)part_of(m, 0, false, &report);
	cr_assert_gt(number(report, "bitrate"), 0);
	cr_assert_gt(number(json_array_get(json_object_get(report, "pcr"), 0),
			    "interval_us"), 0);
	json_decref(report);

	monitor_rest(m, 6000);
	(void)part_of(m, 0, false, &report);
	cr_assert_eq(number(report, "bitrate"), 0);
	cr_assert_eq(number(of_pid(report, VIDEO), "bitrate"), 0);
	cr_assert_eq(number(of_pid(report, VIDEO), "packets"), 40);
	cr_assert_eq(number(json_array_get(json_object_get(report, "pcr"), 0),
			    "interval_us"), 0);
	json_decref(report);
	build_free(b);
	monitor_free(&m);
}

static size_t count(alarm_set bits)
{
	return (size_t)__builtin_popcountll(bits);
}

Test(report, omits_network_alarms_for_the_sent_stream)
{
	struct monitor *m = monitor_new(NULL, START);
	json_t *in, *out;

	(void)part_of(m, 0, false, &in);
	(void)part_of(m, 0, true, &out);
	cr_assert_eq(json_array_size(json_object_get(in, "indicators")),
		     count(ALARMS_ALL & ~ALARMS_OF_MASTER &
			   ~ALARMS_OF_OUTPUTS));
	cr_assert_eq(json_array_size(json_object_get(out, "indicators")),
		     count(ALARMS_ALL & ~ALARMS_OF_MASTER &
			   ~ALARMS_OF_TRANSPORT));
	json_decref(in);
	json_decref(out);
	monitor_free(&m);
}
