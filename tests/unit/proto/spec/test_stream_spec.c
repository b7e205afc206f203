/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/alarm.h"
#include "proto/spec/field_idle.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/stream_spec.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static json_t *load(const char *text)
{
	json_error_t error;
	json_t *o = json_loads(text, 0, &error);

	cr_assert_not_null(o, "%s: %s", text, error.text);
	return o;
}

static struct stream_spec parse(const char *text)
{
	json_t *o = load(text);
	struct stream_spec s;
	struct errmsg error = { 0 };

	cr_assert_eq(stream_spec_parse(o, &s, &error), 0, "%s: %s", text,
		     error.text);
	json_decref(o);
	return s;
}

static void refuse(const char *text, const char *expected)
{
	json_t *o = load(text);
	struct stream_spec s;
	struct errmsg error = { 0 };

	cr_assert_eq(stream_spec_parse(o, &s, &error), -EINVAL, "%s", text);
	cr_expect_str_eq(error.text, expected);
	json_decref(o);
}

Test(stream_spec, asks_for_nothing_when_nothing_is_given)
{
	struct stream_spec s = parse(
		"{\"id\":\"a\",\"set_pnr\":\"\",\"map\":null,"
		"\"filter\":[],\"service_name\":\"\",\"backup_type\":\"\"}");

	cr_assert_not(remux_options_given(&s.remux));
	cr_assert_eq(s.backup, BACKUP_ACTIVE);
	cr_assert_eq(s.backup_start_delay_s, BACKUP_DELAY_DEFAULT);
	cr_assert_eq(s.backup_return_delay_s, BACKUP_DELAY_DEFAULT);
	cr_assert_eq(s.filler, FILLER_NONE);
	cr_assert_eq(s.cc_limit, CC_LIMIT_NONE);
	cr_assert_eq(stream_spec_parse(NULL, &s, NULL), 0);
}

Test(stream_spec, reads_every_key)
{
	struct stream_spec s = parse(
		"{\"map\":\"pmt=100, video=101\",\"filter\":\"7\","
		"\"filter~\":[101,\"102\"],\"set_pnr\":\"5\",\"set_tsid\":6,"
		"\"service_name\":\"N\xc3\xa4me\",\"service_provider\":\"P\","
		"\"service_type\":\"2\",\"textcode\":21,"
		"\"hbbtv_url\":\"http://example.org/app/?x=1\","
		"\"backup_type\":\"passive\",\"backup_start_delay\":\"7\","
		"\"backup_return_delay\":0,\"backup_force_return\":true,"
		"\"backup_on\":\"pcr_frozen, no_audio\","
		"\"filler\":\"file:///srv/pause.ts\","
		"\"cc_limit\":\"12\",\"pat_version\":1,"
		"\"pmt_version\":2,\"cat_version\":3,\"sdt_version\":36,"
		"\"nit_version\":\"5\"}");
	const struct remux_options *o = &s.remux;

	cr_assert_eq(o->n_maps, 2);
	cr_assert_eq(o->maps[1].what, MAP_VIDEO);
	cr_assert_eq(o->maps[1].pid, 101);
	cr_assert(pid_set_has(&o->drop, 7));
	cr_assert(pid_set_has(&o->keep, 101) && pid_set_has(&o->keep, 102));
	cr_assert_eq(o->set_pnr, 5);
	cr_assert_eq(o->set_tsid, 6);
	cr_assert_str_eq(o->service_name, "N\xc3\xa4me");
	cr_assert_str_eq(o->service_provider, "P");
	cr_assert_eq(o->service_type, 2);
	cr_assert_eq(o->textcode, 21);
	cr_assert_str_eq(o->hbbtv_url, "http://example.org/app/?x=1");
	cr_assert_eq(s.backup, BACKUP_PASSIVE);
	cr_assert_eq(s.backup_start_delay_s, 7);
	cr_assert_eq(s.backup_return_delay_s, 0);
	cr_assert(s.backup_force_return);
	cr_assert_eq(s.backup_on,
		     ALARM_BIT(ALARM_PCR_FROZEN) | ALARM_BIT(ALARM_NO_AUDIO));
	cr_assert_eq(s.filler, FILLER_FILE);
	cr_assert_str_eq(s.filler_path, "/srv/pause.ts");
	cr_assert_eq(s.cc_limit, 12);
	cr_assert_eq(s.pat_version, 1);
	cr_assert_eq(s.pmt_version, 2);
	cr_assert_eq(s.cat_version, 3);
	cr_assert_eq(s.sdt_version, 4);
	cr_assert_eq(s.nit_version, 5);
}

Test(stream_spec, reads_the_words_of_backup_and_filler)
{
	cr_expect_eq(parse("{\"backup_type\":\"active\"}").backup,
		     BACKUP_ACTIVE);
	cr_expect_eq(parse("{\"backup_type\":\"stop\"}").backup, BACKUP_STOP);
	cr_expect_eq(parse("{\"backup_type\":\"disable\"}").backup,
		     BACKUP_DISABLE);
	cr_expect_eq(parse("{\"filler\":true}").filler, FILLER_STILL);
	cr_expect_eq(parse("{\"filler\":\"still\"}").filler, FILLER_STILL);
	cr_expect_eq(parse("{\"filler\":false}").filler, FILLER_NONE);
	cr_expect_eq(parse("{\"filler\":\"/a.ts\"}").filler, FILLER_FILE);
}

Test(stream_spec, an_error_names_the_key_and_the_value)
{
	refuse("{\"set_pnr\":0}", "set_pnr: 0 is not between 1 and 65535");
	refuse("{\"set_tsid\":1.5}",
	       "set_tsid: is not text or a number, or is too long");
	refuse("{\"map\":\"video\"}", "map: \"video\" is not source=PID");
	refuse("{\"timezone\":\"/etc/passwd\"}", "timezone: \"/etc/passwd\" "
	       "is not a time zone such as Europe/Berlin");
	refuse("{\"timezone\":\"A/../B\"}", "timezone: \"A/../B\" is not a "
	       "time zone such as Europe/Berlin");
	refuse("{\"bitrate\":50}", "bitrate: 50 is not between 100 and "
	       "1000000 kbit/s");
	refuse("{\"pid_mode\":\"own\"}", "pid_mode: \"own\" is not map or "
	       "keep");
	refuse("{\"country\":\"de\"}", "country: \"de\" is not a country of "
	       "three capital letters such as DEU");
	refuse("{\"offset\":-721}", "offset: -721 is not between -720 and 780 "
	       "min");
	refuse("{\"map\":\"video=1\",\"set_pnr\":0}",
	       "map: 1 is not between 32 and 8190");
	refuse("{\"filter\":{}}",
	       "filter: is not text or a number, or is too long");
	refuse("{\"service_name\":\"a\\nb\"}",
	       "service_name: has a control byte at 1");
	refuse("{\"backup_on\":\"pat, smoke\"}",
	       "backup_on: \"smoke\" is not an alarm of an input");
	cr_assert_eq(parse("{\"backup_on\":[\"pcr_frozen\",\"no_audio\"]}")
			     .backup_on,
		     ALARM_BIT(ALARM_PCR_FROZEN) | ALARM_BIT(ALARM_NO_AUDIO));
	refuse("{\"backup_on\":[\"pat\",\"smoke\"]}",
	       "backup_on: \"smoke\" is not an alarm of an input");
	refuse("{\"backup_on\":\"output_fault\"}",
	       "backup_on: \"output_fault\" is not an alarm of an input");
	refuse("{\"textcode\":12}", "textcode: 12 is not a code page: 0 is "
	       "ISO 6937, 1 to 11 and 13 to 15 are ISO 8859, 21 is UTF-8");
	refuse("{\"textcode\":16}", "textcode: 16 is not a code page: 0 is "
	       "ISO 6937, 1 to 11 and 13 to 15 are ISO 8859, 21 is UTF-8");
	refuse("{\"hbbtv_url\":\"ftp://a\"}",
	       "hbbtv_url: \"ftp://a\" is not http:// or https://");
	refuse("{\"backup_type\":\"maybe\"}", "backup_type: \"maybe\" is not "
	       "active, stop, passive or disable");
	refuse("{\"backup_start_delay\":-1}",
	       "backup_start_delay: -1 is not between 0 and 86400 s");
	refuse("{\"filler\":\"x\"}",
	       "filler: \"x\" is not \"still\" or the path of a file");
}

Test(stream_spec, reads_on_behind_a_value_without_a_meaning)
{
	json_t *o = load("{\"map\":\"x\",\"set_pnr\":9}");
	struct stream_spec s;

	cr_assert_eq(stream_spec_parse(o, &s, NULL), -EINVAL);
	cr_assert_eq(s.remux.set_pnr, 9);
	json_decref(o);
}

Test(stream_spec, picks_its_keys_and_nothing_else)
{
	json_t *o = load("{\"id\":\"a\",\"map\":\"pmt=99\",\"name\":1,"
			 "\"set_pnr\":5,\"cas_list\":[],\"filter\":null}");
	json_t *picked = stream_spec_pick(o);

	cr_assert_eq(json_object_size(picked), 2);
	cr_assert_not_null(json_object_get(picked, "map"));
	cr_assert_not_null(json_object_get(picked, "set_pnr"));
	json_decref(picked);
	json_decref(o);
}

Test(stream_spec, a_default_without_effect_is_no_difference)
{
	json_t *none = load("{\"set_pnr\":5}");
	json_t *back = load("{\"set_pnr\":5,\"backup_return_delay\":0}");
	json_t *start = load("{\"set_pnr\":5,\"backup_start_delay\":9}");
	json_t *fill = load("{\"set_pnr\":5,\"filler\":\"still\"}");
	json_t *both = load("{\"set_pnr\":5,\"filler\":\"still\","
			    "\"backup_start_delay\":9}");

	cr_expect(stream_spec_is_same(none, back, WHERE_SINGLE));
	cr_expect(stream_spec_is_same(start, none, WHERE_SINGLE));
	cr_expect(stream_spec_is_same(none, back, WHERE_MUX));
	cr_expect_not(stream_spec_is_same(none, back, 0));
	cr_expect_not(stream_spec_is_same(none, start, 0));
	cr_expect_not(stream_spec_is_same(fill, both, WHERE_SINGLE));
	cr_expect_not(stream_spec_is_same(none, fill, WHERE_SINGLE));
	json_decref(none);
	json_decref(back);
	json_decref(start);
	json_decref(fill);
	json_decref(both);
}

Test(stream_spec, a_version_alone_asks_for_nothing_else)
{
	json_t *a = load("{\"set_pnr\":5,\"pmt_version\":1}");
	json_t *b = load("{\"set_pnr\":5,\"pmt_version\":2}");
	json_t *c = load("{\"set_pnr\":6,\"pmt_version\":2}");
	json_t *d = load("{\"backup_type\":\"stop\"}");

	cr_expect(stream_spec_is_same(a, b, 0));
	cr_expect_not(stream_spec_is_same(a, c, 0));
	cr_expect_not(stream_spec_is_same(a, d, 0));
	cr_expect_not(stream_spec_is_same(d, a, 0));
	json_decref(a);
	json_decref(b);
	json_decref(c);
	json_decref(d);
}

Test(stream_spec, its_table_initialises_members_of_hooks)
{
	json_t *o = load("{\"map\":\"video=101\",\"filter\":\"7\"}");
	static struct stream_spec s;

	memset(&s, 0xff, sizeof s);
	cr_assert_eq(field_check(&stream_option_fields, o, &s, NULL, NULL), 0);
	cr_assert_eq(s.remux.n_maps, 1);
	cr_assert_eq(s.remux.maps[0].pid, 101);
	cr_assert(pid_set_has(&s.remux.drop, 7));
	cr_assert_not(pid_set_has(&s.remux.drop, 8));
	cr_assert_not(s.remux.keep.given);
	cr_assert_str_empty(s.remux.service_name);
	cr_assert_eq(s.backup_on, 0);
	cr_assert_eq(s.filler, FILLER_NONE);
	cr_assert_str_empty(s.filler_path);
	json_decref(o);
}

/* Every member that a hook changes belongs to its row. */
Test(stream_spec, its_hooks_change_the_members_of_their_rows)
{
	static const char *const texts[][2] = {
		{ "map", "video=101" }, { "filter", "1" }, { "filter~", "1" },
		{ "service_name", "x" }, { "service_provider", "x" },
		{ "textcode", "5" }, { "hbbtv_url", "http://x" },
		{ "backup_on", "pat" }, { "filler", "/x" },
		{ "cas_components", "video, other" },
		{ "network_name", "x" }, { "bouquet_name", "x" },
		{ "timezone", "Europe/Berlin" }, { "country", "DEU" },
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		static struct stream_spec s, zero;
		const struct field *f = field_find(&stream_option_fields,
						   texts[i][0]);
		struct errmsg error;

		cr_assert_eq(f->type, FIELD_CUSTOM, "%s", f->key);
		s = zero;
		cr_assert_eq(field_read_text(f, f->key, texts[i][1], &s,
					     &error), 0, "%s", f->key);
		cr_expect_neq(memcmp(&s, &zero, sizeof s), 0, "%s", f->key);
		memset((char *)&s + f->offset, 0, f->size);
		cr_expect_eq(memcmp(&s, &zero, sizeof s), 0, "%s", f->key);
	}
	for (size_t i = 0, n = 0; i < stream_option_fields.n; i++) {
		n += stream_option_fields.rows[i].type == FIELD_CUSTOM;
		cr_assert(i + 1 < stream_option_fields.n ||
			  n == ARRAY_LEN(texts));
	}
}

Test(stream_spec, knows_the_services_with_an_own_eit)
{
	struct stream_spec s = parse(
		"{\"eit\":\"own\",\"sdt\":[{\"pnr\":1,\"eit\":\"pass\"},"
		"{\"pnr\":1,\"eit\":\"own\"},{\"pnr\":2,\"eit\":\"off\"},"
		"{\"pnr\":3},{\"pnr\":4,\"eit\":\"own\"}]}");
	struct own_services own = tables_spec_own_eits(&s.tables);

	for (uint16_t pnr = 0; pnr < 6; pnr++)
		cr_expect_eq(own_services_has(&own, pnr),
			     tables_spec_eit(&s.tables, pnr) == ORIGIN_OWN,
			     "%u", pnr);
	cr_expect(own.all);
	cr_expect_eq(own.n_except, 2);
	s = parse("{\"sdt\":[{\"pnr\":7},{\"pnr\":8,\"eit\":\"own\"}]}");
	own = tables_spec_own_eits(&s.tables);
	cr_expect_not(own_services_has(&own, 7));
	cr_expect(own_services_has(&own, 8));
}
