/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/remux_options.h"

#include "proto/spec/io_spec.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The options of an input in the order of their text. */
static struct remux_options read_all(const char *text)
{
	char address[1024];
	struct input_spec spec;
	struct errmsg error = { 0 };

	(void)snprintf(address, sizeof address, "udp://:1#%s", text);
	cr_assert_eq(input_spec_parse(address, &spec, NULL, NULL, &error), 0,
		     "%s: %s", text, error.text);
	return spec.remux;
}

static void refuse(const char *text, const char *expected)
{
	char address[2048];
	struct input_spec spec;
	struct errmsg error = { 0 };

	(void)snprintf(address, sizeof address, "udp://:1#%s", text);
	cr_assert_eq(input_spec_parse(address, &spec, NULL, NULL, &error),
		     -EINVAL, "%s", text);
	cr_expect_str_eq(error.text, expected);
}

Test(remux_options, asks_for_nothing_when_nothing_is_given)
{
	struct remux_options o = read_all("cc_limit=1&id=a&watchdog=7");

	cr_assert_not(remux_options_given(&o));
}

Test(remux_options, reads_what_is_sent_of_an_absent_input)
{
	struct remux_options o = read_all("absent=still");

	cr_expect(o.absent == ABSENT_STILL && !remux_options_given(&o));
	o = read_all("absent=file:///srv/a.ts");
	cr_expect_eq(o.absent, ABSENT_FILE);
	cr_expect_str_eq(o.absent_path, "/srv/a.ts");
	o = read_all("absent=86400");
	cr_expect(o.absent == ABSENT_REMOVE && o.absent_s == 86400);
	refuse("absent=0", "absent: 0 is not between 1 and 86400");
	refuse("absent=86401", "absent: 86401 is not between 1 and 86400");
	refuse("absent=file://a", "absent: \"file://a\" is not \"still\", the "
				  "path of a file, or seconds");
	refuse("absent=", "absent: \"\" is not \"still\", the path of a file, "
			  "or seconds");
}

Test(remux_options, reads_every_option_of_an_input)
{
	struct remux_options o = read_all(
		"pnr=7&set_pnr=8&set_tsid=9&set_pcr_pid=10&filter=1,2&"
		"filter~=3&filter_em=4,5&order=6,7,8&lang.100=eng&pass_sdt&"
		"no_eit&pass_nit&no_cat&pass_tdt&no_tot&pass_data&cas");

	cr_assert(remux_options_given(&o));
	cr_assert_eq(o.pnr, 7);
	cr_assert_eq(o.set_pnr, 8);
	cr_assert_eq(o.set_tsid, 9);
	cr_assert_eq(o.set_pcr_pid, 10);
	cr_assert(o.drop.given && pid_set_has(&o.drop, 1) &&
		  pid_set_has(&o.drop, 2) && !pid_set_has(&o.drop, 3));
	cr_assert(o.keep.given && pid_set_has(&o.keep, 3) &&
		  !pid_set_has(&o.keep, 4));
	cr_assert(pid_set_has(&o.drop_ca, 4) && pid_set_has(&o.drop_ca, 5));
	cr_assert_eq(o.n_order, 3);
	cr_assert_eq(o.order[2], 8);
	cr_assert_eq(o.n_languages, 1);
	cr_assert_eq(o.languages[0].pid, 100);
	cr_assert_str_eq(o.languages[0].language, "eng");
	cr_assert_eq(o.sdt, TABLE_PASS);
	cr_assert_eq(o.eit, TABLE_DROP);
	cr_assert_eq(o.nit, TABLE_PASS);
	cr_assert_eq(o.cat, TABLE_DROP);
	cr_assert_eq(o.tdt, TABLE_PASS);
	cr_assert_eq(o.tot, TABLE_DROP);
	cr_assert(o.pass_data && o.pass_ca);
}

Test(remux_options, each_option_alone_is_effective)
{
	static const char *const texts[] = {
		"pnr=1", "set_pnr=1", "set_tsid=1", "set_pcr_pid=1",
		"filter=1", "filter~=1", "filter_em=1", "order=1",
		"lang.1=eng", "map.pmt=32", "pass_sdt", "no_sdt", "pass_eit",
		"no_eit", "pass_nit", "no_nit", "pass_cat", "no_cat",
		"pass_tdt", "no_tdt", "pass_tot", "no_tot", "pass_data",
		"cas",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct remux_options o = read_all(texts[i]);

		cr_expect(remux_options_given(&o), "%s", texts[i]);
	}
}

Test(remux_options, reads_every_form_of_a_map)
{
	static const struct {
		const char *source;
		struct pid_map map;
	} cases[] = {
		{ "101", { MAP_PID, 101, "", 32 } },
		{ "pmt", { MAP_PMT, 0, "", 32 } },
		{ "pcr", { MAP_PCR, 0, "", 32 } },
		{ "video", { MAP_VIDEO, 0, "", 32 } },
		{ "audio", { MAP_AUDIO, 0, "", 32 } },
		{ "audio.eng", { MAP_AUDIO, 0, "eng", 32 } },
		{ "ac3", { MAP_AC3, 0, "", 32 } },
		{ "aac.ger", { MAP_AAC, 0, "ger", 32 } },
		{ "sub", { MAP_SUBTITLE, 0, "", 32 } },
		{ "ttx", { MAP_TELETEXT, 0, "", 32 } },
		{ "ait", { MAP_AIT, 0, "", 32 } },
		{ "rus", { MAP_LANGUAGE, 0, "rus", 32 } },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[64];
		struct remux_options o;
		const struct pid_map *m = &cases[i].map;

		(void)snprintf(text, sizeof text, "map.%s=32",
			       cases[i].source);
		o = read_all(text);
		cr_assert_eq(o.n_maps, 1, "%s", text);
		cr_expect_eq(o.maps[0].what, m->what, "%s", text);
		cr_expect_eq(o.maps[0].source_pid, m->source_pid);
		cr_expect_str_eq(o.maps[0].language, m->language);
		cr_expect_eq(o.maps[0].pid, 32);
	}
}

Test(remux_options, maps_repeat_in_their_order)
{
	struct remux_options o = read_all("map.audio=102&map.audio=103");

	cr_assert_eq(o.n_maps, 2);
	cr_assert_eq(o.maps[0].pid, 102);
	cr_assert_eq(o.maps[1].pid, 103);
}

Test(remux_options, an_error_names_the_option_and_the_value)
{
	refuse("pnr", "pnr: \"\" is not a number between 1 and 65535");
	refuse("pnr=0", "pnr: 0 is not between 1 and 65535");
	refuse("set_tsid=65536", "set_tsid: 65536 is not between 1 and 65535");
	refuse("filter=1,,2", "filter: \"\" is not a number between "
	       "1 and 8190");
	refuse("filter=8191", "filter: 8191 is not between 1 and 8190");
	refuse("filter~=a", "filter~: \"a\" is not a number between "
	       "1 and 8190");
	refuse("map.video=31", "map.video: 31 is not between 32 and 8190");
	refuse("map.video.eng=32", "map.video.eng: \"video.eng\" is not a "
	       "PID, a kind of stream or a language");
	refuse("map.=32", "map.: \"\" is not a PID, a kind of stream or a "
	       "language");
	refuse("map.0=32", "map.0: 0 is not between 1 and 8190");
	refuse("map.pmt=99&map.pcr=99",
	       "map.pcr: 99 is the PID of another map");
	refuse("lang.101=english", "lang.101: \"english\" is not a language "
	       "of three letters");
	refuse("lang.x=eng", "lang.x: \"x\" is not a number between "
	       "1 and 8190");
	refuse("cas=maybe", "cas: \"maybe\" is not true or false");
	refuse("pass_sdt&no_sdt", "no_sdt: contradicts the option before it: "
	       "pass or drop the table");
}

Test(remux_options, the_stream_overrides_its_input)
{
	struct remux_options in = read_all(
		"set_pnr=1&set_tsid=2&filter=100&filter~=200&map.video=300&"
		"pnr=5");
	struct remux_options stream = {
		.set_pnr = 11, .service_type = 2, .service_name = "N",
	};
	struct errmsg error;

	cr_assert_eq(pid_set_read(&stream.drop, "101", &error), 0);
	cr_assert_eq(pid_set_read(&stream.keep, "201, 202", &error), 0);
	cr_assert_eq(remux_maps_read(&stream, "video=301, pmt = 400", &error),
		     0, "%s", error.text);
	remux_options_overlay(&in, &stream);
	cr_expect_eq(in.pnr, 5);
	cr_expect_eq(in.set_pnr, 11);
	cr_expect_eq(in.set_tsid, 2);
	cr_expect(pid_set_has(&in.drop, 100) && pid_set_has(&in.drop, 101));
	cr_expect(pid_set_has(&in.keep, 202) && !pid_set_has(&in.keep, 200));
	cr_assert_eq(in.n_maps, 3);
	cr_expect_eq(in.maps[0].pid, 301);
	cr_expect_eq(in.maps[1].pid, 400);
	cr_expect_eq(in.maps[2].pid, 300);
	cr_expect_eq(in.service_type, 2);
	cr_expect_str_eq(in.service_name, "N");
}
