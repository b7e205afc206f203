/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/field_idle.h"

#include "proto/spec/io_spec.h"
#include "proto/spec/io_type.h"
#include "proto/spec/remux_options.h"
#include "proto/spec/stream_spec.h"
#include "tests/unit/quoted.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void add(const char *path, const char *text, void *arg)
{
	(void)snprintf((char *)arg + strlen(arg), 512, "%s: %s\n", path, text);
}

static void expect(const struct field_table *t, const char *json,
		   unsigned where, const char *wanted)
{
	json_t *object = json_loads(json, 0, NULL);
	char said[2048] = "";

	cr_assert_not_null(object, "%s", json);
	field_find_idle(t, object, where, add, said);
	cr_expect_str_eq(said, wanted, "%s: %s", json, said);
	json_decref(object);
}

#define STREAM(json, where, wanted) \
	expect(&stream_option_fields, json, where, wanted)

Test(field_idle, a_key_needs_the_value_of_another)
{
	STREAM("{\"timezone\":\"Europe/Berlin\"}", WHERE_SPTS,
	       "timezone: does nothing without tdt \"own\"\n");
	STREAM("{\"timezone\":\"Europe/Berlin\",\"tdt\":\"off\"}", WHERE_SPTS,
	       "timezone: does nothing without tdt \"own\"\n");
	STREAM("{\"timezone\":\"Europe/Berlin\",\"tdt\":\"own\"}", WHERE_SPTS,
	       "");
	STREAM("{\"si_interval\":50,\"nit\":\"own\"}", WHERE_SPTS, "");
	STREAM("{\"si_interval\":50,\"bat\":\"own\"}", WHERE_SPTS, "");
	STREAM("{\"si_interval\":50,\"bat\":\"pass\"}", WHERE_SPTS,
	       "si_interval: does nothing without nit \"own\" or bat "
	       "\"own\"\n");
	STREAM("{\"cas_components\":\"video\",\"cas_list\":[]}", WHERE_SPTS,
	       "cas_components: does nothing without cas_list\n");
	STREAM("{\"cas_components\":\"video\",\"cas_list\":[{}]}", WHERE_SPTS,
	       "");
}

Test(field_idle, values_that_ask_for_nothing_are_not_reported)
{
	STREAM("{\"bitrate\":0,\"mux_delay\":400,\"pid_mode\":\"map\","
	       "\"tsid\":1,\"timezone\":\"\",\"nit_other\":[],"
	       "\"bouquet_name\":null}", WHERE_SPTS, "");
	STREAM("{\"backup_type\":\"active\",\"backup_force_return\":true}",
	       WHERE_MUX, "");
	STREAM("{\"backup_force_return\":false}", WHERE_MUX,
	       "backup_force_return: does nothing in an mpts of several "
	       "inputs\n");
	STREAM("{\"set_tsid\":7}", WHERE_MUX,
	       "set_tsid: does nothing in an mpts of several inputs\n");
	STREAM("{\"mux_delay\":\"400\",\"tsid\":\"2\"}", WHERE_RELAY,
	       "tsid: does nothing in an mpts of one input\n");
}

/* One input has no return and no damping; the delays decide when the filler, or
 * nothing, replaces it. */
Test(field_idle, one_input_has_no_backup)
{
	const unsigned one = WHERE_SPTS | WHERE_SINGLE;

	STREAM("{\"backup_return_delay\":5,\"backup_damping\":9,"
	       "\"backup_force_return\":false,\"backup_on\":\"no_audio\","
	       "\"backup_type\":\"stop\",\"cc_limit\":5}", one,
	       "backup_return_delay: does nothing with one input\n"
	       "backup_force_return: does nothing with one input\n"
	       "backup_damping: does nothing with one input\n");
	STREAM("{\"backup_start_delay\":5,\"backup_initial_delay\":9}", one,
	       "backup_start_delay: does nothing with one input without "
	       "filler or backup_type \"stop\"\n"
	       "backup_initial_delay: does nothing with one input without "
	       "filler or backup_type \"stop\"\n");
	STREAM("{\"backup_start_delay\":5,\"backup_type\":\"stop\"}", one, "");
	STREAM("{\"backup_start_delay\":5,\"filler\":\"still\"}", one, "");
	STREAM("{\"backup_start_delay\":5,\"filler\":\"false\"}", WHERE_SPTS,
	       "");
}

Test(field_idle, a_stream_without_a_return_has_no_keys_of_it)
{
	STREAM("{\"backup_type\":\"disable\",\"backup_return_delay\":5,"
	       "\"backup_force_return\":false,\"backup_damping\":5}",
	       WHERE_SPTS,
	       "backup_return_delay: does nothing beside backup_type "
	       "\"disable\"\n"
	       "backup_force_return: does nothing beside backup_type "
	       "\"disable\"\n"
	       "backup_damping: does nothing beside backup_type "
	       "\"disable\"\n");
	STREAM("{\"backup_type\":\"passive\",\"backup_return_delay\":5,"
	       "\"backup_force_return\":false,\"backup_damping\":5}",
	       WHERE_SPTS,
	       "backup_force_return: does nothing beside backup_type "
	       "\"passive\"\n");
}

/* The NIT of another stream may have what this one does not send. */
Test(field_idle, another_stream_may_use_a_shared_key)
{
	STREAM("{\"onid\":5,\"network_id\":5}", WHERE_SPTS,
	       "network_id: does nothing without nit \"own\"\n"
	       "onid: does nothing without nit \"own\" or bat \"own\" or eit "
	       "\"own\" or sdt[].eit \"own\"\n");
	STREAM("{\"onid\":5,\"network_id\":5}", WHERE_SPTS | WHERE_SHARED,
	       "network_id: does nothing without nit \"own\"\n");
}

/* Each value has an effect with each text of `with`, and none with any of
 * `without`. */
static const struct {
	const char *value, *with[8], *without[6];
} needs[] = {
	{ "'onid':5", { "'nit':'own'", "'bat':'own'", "'eit':'own'",
			"'sdt':[{'pnr':1},{'pnr':2,'eit':'own'}]" },
	  { "'tdt':'own'", "'eit':'off'", "'eit_other':'all','nit_other':['a']",
	    "'nit':'pass','sdt':[{'pnr':1,'eit':'off'}]" } },
	{ "'nit_actual':{'type':'C'}", { "'nit':'own'", "'bat':'own'" },
	  { "'eit':'own'" } },
	{ "'private_data_specifier':40", { "'nit':'own'", "'bat':'own'" },
	  { "'eit':'own'" } },
	{ "'nit_other':['a']", { "'nit':'own'", "'bat':'own'",
				 "'sdt_other':true", "'eit_other':'present'",
				 "'eit_other':'all'" },
	  { "'eit':'own'", "'nit':'off'", "'sdt_other':false",
	    "'eit_other':'pass'" } },
	{ "'sdt':[{'pnr':1,'lcn':5}]", { "'nit':'own'", "'bat':'own'" },
	  { "'eit':'own'", "'tdt':'own'" } },
	{ "'sdt':[{'pnr':1},{'pnr':2,'eit':'off'}]", { "'nit':'pass'" },
	  { NULL } },
	{ "'country':'DEU'", { "'tdt':'own'", "'eit':'own'",
			       "'sdt':[{'pnr':2,'eit':'own'}]",
			       "'eit_other':'all','nit_other':['a']" },
	  { "'nit':'own'", "'bat':'own'", "'tdt':'off'" } },
	{ "'eit_rate':100", { "'eit':'own'", "'sdt':[{'pnr':2,'eit':'own'}]",
			      "'eit_other':'present','nit_other':['a']" },
	  { "'nit':'own'", "'eit':'off'", "'eit':'pass'" } },
	{ "'eit_other':'all'", { "'nit_other':['a']" },
	  { "'nit':'own'", "'eit':'own'", "'nit_other':[]" } },
	{ "'sdt_other':true", { "'nit_other':['a']" },
	  { "'nit':'own'", "'eit':'own'" } },
	{ "'si_profile':'terrestrial'", { "'nit':'own'", "'bat':'own'",
		"'eit':'own'", "'sdt':[{'pnr':2,'eit':'own'}]",
		"'sdt_other':true,'nit_other':['a']",
		"'eit_other':'all','nit_other':['a']", "'tdt':'own'" },
	  { "'nit':'off'", "'eit':'off','bat':'off'" } },
	{ "'si_intervals':{'tdt':1000}", { "'nit':'own'", "'bat':'own'",
		"'eit':'own'", "'tdt':'own'" }, { "'tdt':'off'" } },
};

/* Is the key of value, "'key':...", reported beside the other keys? */
static bool is_reported(const char *value, const char *beside)
{
	char text[256], said[2048] = "\n", begin[64];
	size_t len = strcspn(value + 1, "'");
	json_t *object;

	(void)snprintf(text, sizeof text, "{%s,%s}", value, beside);
	object = quoted(text);
	field_find_idle(&stream_option_fields, object, WHERE_SPTS, add, said);
	json_decref(object);
	(void)snprintf(begin, sizeof begin, "\n%.*s: ", (int)len, value + 1);
	return strstr(said, begin) != NULL;
}

Test(field_idle, each_of_several_keys_gives_a_field_its_effect)
{
	for (size_t i = 0; i < ARRAY_LEN(needs); i++) {
		const char *const *with = needs[i].with;
		const char *const *without = needs[i].without;

		for (; *with != NULL; with++)
			cr_expect_not(is_reported(needs[i].value, *with),
				      "%s with %s", needs[i].value, *with);
		for (; *without != NULL; without++)
			cr_expect(is_reported(needs[i].value, *without),
				  "%s with %s", needs[i].value, *without);
	}
}

/* A multiplex has a TDT without the key. */
Test(field_idle, clock_lost_has_an_effect_in_a_multiplex)
{
	STREAM("{\"clock_lost\":\"stop\"}", WHERE_MUX | WHERE_SHARED, "");
	STREAM("{\"clock_lost\":\"stop\"}", WHERE_SPTS,
	       "clock_lost: does nothing in a stream of type spts without tdt "
	       "\"own\"\n");
}

/* They have an effect, and not the one that was asked for. */
Test(field_idle, tables_of_other_streams_replace_those_of_the_source)
{
	STREAM("{\"sdt_other\":true,\"eit_other\":\"present\"}", WHERE_SPTS,
	       "sdt_other: only drops that of the source without nit_other\n"
	       "eit_other: only drops those of the source without nit_other\n");
}

/* What has an effect in each kind of stream.  A new option has a line here, and
 * where it has none, idle_in of its row. */
static const struct {
	const char *keys;
	unsigned idle_in;
} streams[] = {
	{ "service_name service_type textcode descriptors backup_on "
	  "cas_components filler nit network_id network_name onid nit_actual "
	  "nit_other sdt private_data_specifier si si_interval bat bouquet_id "
	  "bouquet_name tdt timezone country offset clock_lost cc_limit "
	  "si_profile si_intervals sdt_other eit eit_other eit_rate ", 0 },
	{ "map filter filter~ set_pnr set_tsid service_provider hbbtv_url "
	  "cue_pid backup_type backup_start_delay backup_initial_delay ",
	  WHERE_MUX },
	{ "backup_return_delay backup_force_return backup_damping ",
	  WHERE_MUX | WHERE_SINGLE },
	{ "bitrate mux_delay pid_mode tsid ", WHERE_SPTS | WHERE_RELAY },
}, inputs[] = {
	{ "pnr set_pnr set_pcr_pid filter filter~ filter_em order pass_sdt "
	  "pass_eit pass_cat no_sdt no_eit no_cat pass_data cas map. lang. ",
	  0 },
	{ "set_tsid pass_nit no_nit pass_tdt pass_tot no_tdt no_tot ",
	  WHERE_MUX },
	{ "pid_base pid_block priority rate_min rate_max absent ",
	  WHERE_SPTS | WHERE_RELAY },
};

static bool has_word(const char *words, const char *key)
{
	size_t len = strlen(key);

	for (const char *at = words; (at = strstr(at, key)) != NULL; at++)
		if ((at == words || at[-1] == ' ') && at[len] == ' ')
			return true;
	return false;
}

#define EXPECT_LISTED(table, lists) \
	for (size_t i = 0; i < (table)->n; i++) { \
		const struct field *f = &(table)->rows[i]; \
		size_t k = 0; \
\
		while (k < ARRAY_LEN(lists) && \
		       !has_word((lists)[k].keys, f->key)) \
			k++; \
		cr_assert_lt(k, ARRAY_LEN(lists), "%s: say in this test " \
			     "where it has an effect", f->key); \
		cr_expect_eq(f->idle_in, (lists)[k].idle_in, "%s", f->key); \
	}

Test(field_idle, every_option_of_streams_says_where_it_has_an_effect)
{
	EXPECT_LISTED(&stream_option_fields, streams);
	EXPECT_LISTED(&remux_fields, inputs);
}

/* Each of them is reported where it has none. */
Test(field_idle, no_row_with_idle_in_is_silent)
{
	const struct field_table *t = &stream_option_fields;
	unsigned n = 0;

	for (size_t i = 0; i < t->n; i++)
		for (unsigned bit = 1; bit < WHERE_SHARED; bit <<= 1) {
			json_t *object;
			char said[256] = "", wanted[256];

			if (!(t->rows[i].idle_in & bit))
				continue;
			object = json_pack("{s:s}", t->rows[i].key, "x");
			field_find_idle(t, object, bit, add, said);
			(void)snprintf(wanted, sizeof wanted,
				       "%s: does nothing %s\n",
				       t->rows[i].key, where_text(bit));
			cr_expect_str_eq(said, wanted, "%s", said);
			json_decref(object);
			n++;
		}
	cr_expect_gt(n, 20u);
}

static void add_remark(const char *text, void *arg)
{
	(void)snprintf((char *)arg + strlen(arg), 512, "%s\n", text);
}

Test(field_idle, options_of_an_input_depend_on_its_stream)
{
	static const struct {
		const char *address;
		unsigned where;
		const char *wanted;
	} cases[] = {
		{ "udp://239.1.1.1:1#rate_min=5&absent=still", WHERE_SPTS,
		  "rate_min: does nothing in a stream of type spts\n"
		  "absent: does nothing in a stream of type spts\n" },
		{ "udp://239.1.1.1:1#rate_min=5", WHERE_RELAY,
		  "rate_min: does nothing in an mpts of one input\n" },
		{ "udp://239.1.1.1:1#rate_min=5&no_tdt", WHERE_MUX,
		  "no_tdt: does nothing in an mpts of several inputs\n" },
		{ "udp://239.1.1.1:1#rate_min=5&no_tdt", 0, "" },
		{ "udp://239.1.1.1:1#renew=5", 0, "" },
		{ "udp://127.0.0.1:1#renew=5", 0, "renew: does nothing with an "
		  "address that is no multicast group\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct input_spec spec;
		struct errmsg error;
		char said[1024] = "";

		cr_assert_eq(input_spec_judge(cases[i].address, cases[i].where,
					      &spec, add_remark, said, &error),
			     0, "%s", error.text);
		cr_expect_str_eq(said, cases[i].wanted, "%s: %s",
				 cases[i].address, said);
	}
}

Test(field_idle, options_of_playlists_need_one)
{
	struct output_spec spec;
	struct errmsg error;
	char said[1024] = "";

	cr_assert_eq(output_spec_parse("http://*:1/a.m3u8#part=500&quantity=5",
				       &spec, add_remark, said, &error), 0);
	cr_expect_str_empty(said);
	cr_assert_eq(output_spec_parse("http://*:1/a#part=500&buffer_size=9",
				       &spec, add_remark, said, &error), 0);
	cr_expect_str_eq(said, "part: does nothing with a path that is no "
			       "playlist (.m3u8)\n");
}

static void expect_remarks(const char *address, const char *wanted)
{
	struct output_spec spec;
	struct errmsg error;
	char said[1024] = "";

	cr_assert_eq(output_spec_parse(address, &spec, add_remark, said,
				       &error), 0, "%s", error.text);
	cr_expect_str_eq(said, wanted, "%s: %s", address, said);
}

Test(field_idle, a_playlist_has_no_fill_of_a_buffer)
{
	expect_remarks("http://*:1/a#buffer_fill=500", "");
	expect_remarks("http://*:1/a.m3u8#buffer_fill=500", "buffer_fill: does "
		       "nothing with the path of a playlist (.m3u8)\n");
}

Test(field_idle, a_part_is_shorter_than_its_segment)
{
	expect_remarks("http://*:1/a.m3u8#duration=1&part=999", "");
	expect_remarks("http://*:1/a.m3u8#duration=1", "");
	expect_remarks("http://*:1/a.m3u8#duration=1&part=1000",
		       "part: 1000 ms is not shorter than duration (1 s): a "
		       "segment may be one part, without lower latency\n");
}

Test(field_idle, a_segment_has_room_for_its_parts)
{
	expect_remarks("http://*:1/a.m3u8#duration=10&part=200", "");
	expect_remarks("http://*:1/a.m3u8#duration=30&part=600", "");
	expect_remarks("http://*:1/a.m3u8#duration=30&part=200",
		       "part: 200 ms is short for duration (30 s): parts have "
		       "600 ms, because a segment has at most 50 parts\n");
}
