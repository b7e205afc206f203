/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/tuner_spec.h"

#include "proto/spec/tuner_sat.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static struct tuner_spec spec;
static struct errmsg error;

/* text has ' instead of " */
static int parse(const char *text)
{
	char *copy = strdup(text);
	json_t *adapter;
	int r;

	for (char *c = copy; *c != '\0'; c++)
		if (*c == '\'')
			*c = '"';
	adapter = json_loads(copy, 0, NULL);
	cr_assert_not_null(adapter, "%s", copy);
	memset(&spec, 0, sizeof spec);
	error.text[0] = '\0';
	r = tuner_spec_parse(adapter, &spec, &error);
	json_decref(adapter);
	free(copy);
	return r;
}

#define T_ISDB "'type':'ISDBT','frequency':474143"
#define S2 "'type':'S2','frequency':11362,'symbolrate':22000," \
	   "'polarization':'H'"

Test(tuner_spec, universal_lnb_has_two_bands)
{
	cr_assert_eq(parse("{" S2 "}"), 0, "%s", error.text);
	cr_assert_not(spec.high);
	cr_assert_eq(spec.tune, 1612000u);
	cr_assert_eq(spec.polarization, (unsigned)TUNER_H);
	cr_assert_eq(spec.modulation, (unsigned)TUNER_PSK8);
	cr_assert_eq(spec.stream, TUNER_NO_STREAM);
	cr_assert_eq(spec.timeout_s, 120u);
	cr_assert_eq(parse("{'type':'S','frequency':'12188.5','symbolrate':"
			   "'27500','polarization':'v'}"), 0, "%s",
		     error.text);
	cr_assert(spec.high);
	cr_assert_eq(spec.tune, 1588500u);
	cr_assert_eq(spec.modulation, (unsigned)TUNER_QPSK);
}

Test(tuner_spec, other_lnbs)
{
	static const struct {
		const char *keys;
		uint32_t if_khz;
		bool high, inverted;
	} cases[] = {
		{ "'frequency':3800", 1350000, false, true },
		{ "'frequency':4600", 1350000, false, true },
		{ "'frequency':2600", 1050000, false, true },
		{ "'frequency':1200", 1200000, false, false },
		{ "'frequency':11900,'lof1':10750", 1150000, false, false },
		{ "'frequency':11900,'lof1':9750,'lof2':10600", 1300000, true,
		  false },
		{ "'frequency':11700", 1100000, true, false },
		{ "'frequency':11650,'slof':11600", 1050000, true, false },
		{ "'frequency':20000,'lof1':18000,'lof2':19000,'slof':19500",
		  1000000, true, false },
	};
	char text[256];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		(void)snprintf(text, sizeof text, "{'type':'S2',%s,'symbolrate'"
			       ":22000,'polarization':'V'}", cases[i].keys);
		cr_assert_eq(parse(text), 0, "%s: %s", text, error.text);
		cr_assert_eq(spec.if_khz, cases[i].if_khz, "%s: %u", text,
			     spec.if_khz);
		cr_assert_eq(spec.high, cases[i].high, "%s", text);
		cr_assert_eq(spec.inverted, cases[i].inverted, "%s", text);
	}
}

Test(tuner_spec, channels_are_in_hz)
{
	cr_assert_eq(parse("{'type':'T','frequency':474}"), 0, "%s",
		     error.text);
	cr_assert_eq(spec.tune, 474000000u);
	cr_assert_eq(spec.bandwidth_hz, 8000000u);
	cr_assert_eq(parse("{'type':'ISDBT','frequency':474143}"), 0, "%s",
		     error.text);
	cr_assert_eq(spec.tune, 474143000u);
	cr_assert_eq(spec.bandwidth_hz, 6000000u);
	cr_assert_eq(parse("{'type':'T2','frequency':'474000000','bandwidth':"
			   "1712,'stream_id':'3','guardinterval':'19/128'}"),
		     0, "%s", error.text);
	cr_assert_eq(spec.tune, 474000000u);
	cr_assert_eq(spec.bandwidth_hz, 1712000u);
	cr_assert_eq(spec.stream, 3);
	cr_assert_eq(parse("{'type':'C/B','frequency':555.25,'modulation':"
			   "'256QAM'}"), 0, "%s", error.text);
	cr_assert_eq(spec.tune, 555250000u);
	cr_assert_eq(spec.modulation, 5u);
	cr_assert_eq(parse("{'type':'ATSC','frequency':533}"), 0);
	cr_assert_eq(spec.modulation, (unsigned)TUNER_VSB8);
}

Test(tuner_spec, multistream)
{
	cr_assert_eq(parse("{" S2 ",'stream_id':5}"), 0);
	cr_assert_eq(spec.stream, 5);
	cr_assert_eq(spec.pls, 0u);
	/* root 1024 is gold 8 */
	cr_assert_eq(parse("{" S2 ",'stream_id':262151}"), 0);
	cr_assert_eq(spec.stream, 7);
	cr_assert_eq(spec.pls, 8u);
	/* gold 100 */
	cr_assert_eq(parse("{" S2 ",'stream_id':67134465}"), 0);
	cr_assert_eq(spec.stream, 1);
	cr_assert_eq(spec.pls, 100u);
	cr_assert_eq(parse("{" S2 ",'stream_id':134217729}"), -EINVAL);
	cr_assert(strstr(error.text, "combo") != NULL, "%s", error.text);
}

Test(tuner_spec, root_codes)
{
	static const uint32_t vectors[][2] = {
		{ 1, 0 }, { 131072, 1 }, { 1024, 8 }, { 201542, 100 },
		{ 8208, 131071 }, { 2, 262142 },
	};

	for (size_t i = 0; i < ARRAY_LEN(vectors); i++)
		cr_assert_eq(tuner_pls_of_root(vectors[i][0]), vectors[i][1]);
	/* no state of the register */
	cr_assert_eq(tuner_pls_of_root(0), 0u);
}

Test(tuner_spec, switches_and_dishes)
{
	cr_assert_eq(parse("{" S2 ",'diseqc':2}"), 0, "%s", error.text);
	cr_assert_eq(spec.switch_2, 1);
	cr_assert_eq(spec.switch_1, -1);
	cr_assert_eq(parse("{" S2 ",'diseqc':0}"), 0, "%s", error.text);
	cr_assert_eq(spec.switch_2, -1);
	cr_assert_eq(parse("{" S2 ",'diseqc_mode':'1.1','diseqc':'16/4'}"), 0,
		     "%s", error.text);
	cr_assert_eq(spec.switch_1, 15);
	cr_assert_eq(spec.switch_2, 3);
	cr_assert_eq(parse("{" S2 ",'diseqc_mode':'1.2','diseqc':'7'}"), 0);
	cr_assert_eq(spec.motor, 7);
	cr_assert_eq(parse("{" S2 ",'diseqc_mode':'toneburst','diseqc':'B'}"),
		     0);
	cr_assert_eq(spec.switch_2, 1);
	cr_assert_eq(parse("{" S2 ",'diseqc_mode':'cmd','diseqc':"
			   "'E01038F0, e0106E'}"), 0, "%s", error.text);
	cr_assert_eq(spec.n_commands, 2u);
	cr_assert_eq(spec.commands[1].n, 3);
	cr_assert_eq(memcmp(spec.commands[0].bytes, "\xe0\x10\x38\xf0", 4), 0);
	cr_assert_eq(parse("{" S2 ",'diseqc_mode':'usals','diseqc':'30W',"
			   "'latitude':48.1,'longitude':'11.6'}"), 0, "%s",
		     error.text);
	cr_assert_eq(spec.orbit, -30.);
}

Test(tuner_spec, unicable)
{
	cr_assert_eq(parse("{" S2 ",'uni_scr':3,'uni_frequency':1210,"
			   "'uni_pos':'B','uni_pin':77}"), 0, "%s", error.text);
	cr_assert_eq(spec.uni_mode, (unsigned)UNICABLE_50494);
	/* its oscillator is at 706 * 4 = 2824 MHz */
	cr_assert_eq(spec.tune, 2824000u - 1612000u);
	cr_assert_eq(spec.if_khz, 1612000u);
	cr_assert_eq(spec.uni_position, 1u);
	cr_assert_eq(spec.uni_pin, 77);
	cr_assert_eq(parse("{" S2 ",'uni_scr':20,'uni_frequency':1210,"
			   "'uni_pos':64}"), 0, "%s", error.text);
	cr_assert_eq(spec.uni_mode, (unsigned)UNICABLE_50607);
	cr_assert_eq(spec.tune, 1210000u);
	cr_assert_eq(spec.uni_position, 63u);
}

struct wrong_case {
	const char *text;
	const char *key; /* the error begins with it */
	int err;
};

static void expect_wrong(const struct wrong_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(parse(cases[i].text), cases[i].err, "%s: %s",
			     cases[i].text, error.text);
		cr_expect_eq(strncmp(error.text, cases[i].key,
				     strlen(cases[i].key)), 0, "%s: %s",
			     cases[i].text, error.text);
	}
}

Test(tuner_spec, wrong_values_name_their_key)
{
	static const struct wrong_case cases[] = {
		{ "{'type':'S2'}", "frequency: is missing", -ENODATA },
		{ "{'type':'S2','frequency':11362}", "symbolrate: is missing",
		  -ENODATA },
		{ "{'type':'S2','frequency':11362,'symbolrate':22000}",
		  "polarization: is missing", -ENODATA },
		{ "{'type':'X','frequency':1}", "type: \"X\" is not", -EINVAL },
		{ "{" S2 ",'polarization':'x'}", "polarization: \"x\" is not "
		  "V, H, L or R", -EINVAL },
		{ "{" S2 ",'fec':'4/7'}", "fec: \"4/7\" is not", -EINVAL },
		{ "{" S2 ",'modulation':'QAM64'}", "modulation: QAM64 is not "
		  "QPSK, PSK8", -EINVAL },
		{ "{" S2 ",'frequency':'x'}", "frequency: \"x\" is not a "
		  "number", -EINVAL },
		{ "{" S2 ",'frequency':8000}", "frequency: 8000 MHz", -EINVAL },
		{ "{" S2 ",'lof1':5000}", "frequency: 11362 MHz with an "
		  "oscillator of 5000 MHz (lof1)", -EINVAL },
		{ "{" S2 ",'symbolrate':999}", "symbolrate: 999", -EINVAL },
		{ "{" S2 ",'diseqc':5}", "diseqc: \"5\" is not 1 to 4",
		  -EINVAL },
		{ "{" S2 ",'diseqc':'1/2'}", "diseqc: ", -EINVAL },
		{ "{" S2 ",'diseqc_mode':'1.1','diseqc':'17'}", "diseqc: ",
		  -EINVAL },
		{ "{" S2 ",'diseqc_mode':'2.0'}", "diseqc_mode: ", -EINVAL },
		{ "{" S2 ",'diseqc_mode':'cmd','diseqc':'E010'}", "diseqc: ",
		  -EINVAL },
		{ "{" S2 ",'diseqc_mode':'usals','diseqc':'19.2E'}",
		  "latitude: usals", -EINVAL },
		{ "{" S2 ",'diseqc_mode':'usals','diseqc':'200'}", "diseqc: ",
		  -EINVAL },
		{ "{" S2 ",'diseqc_mode':'toneburst','diseqc':'C'}",
		  "diseqc: ", -EINVAL },
		{ "{" S2 ",'uni_scr':1}", "uni_frequency: 0 is not", -EINVAL },
		{ "{" S2 ",'uni_scr':9,'uni_mode':'EN50494',"
		  "'uni_frequency':1210}", "uni_scr: 9 is not 1 to 8",
		  -EINVAL },
		{ "{" S2 ",'uni_scr':1,'uni_frequency':1210,'uni_pos':'C'}",
		  "uni_pos: ", -EINVAL },
		{ "{" S2 ",'stream_id':'-2'}", "stream_id: ", -EINVAL },
		{ "{'type':'T2','frequency':474,'stream_id':256}",
		  "stream_id: 256 is not the number of a PLP", -EINVAL },
		{ "{'type':'T','frequency':474,'bandwidth':9000}",
		  "bandwidth: \"9000\" is not", -EINVAL },
		{ "{'type':'C','frequency':474,'symbolrate':27500}",
		  "symbolrate: 27500 is not from 1000 to 10000", -EINVAL },
		{ "{" S2 ",'mac':'00:11:22:33:44'}", "mac: ", -EINVAL },
		{ "{" S2 ",'mac':'00-11-22-33-44-55'}", "mac: ", -EINVAL },
		{ "{" S2 ",'adapter':-2}", "adapter: ", -EINVAL },
	};

	expect_wrong(cases, ARRAY_LEN(cases));
}

Test(tuner_spec, errors_name_the_layer_of_isdbt)
{
	static const struct wrong_case cases[] = {
		{ "{" T_ISDB ",'isdbt_layers':'D'}", "isdbt_layers: ",
		  -EINVAL },
		{ "{" T_ISDB ",'isdbt_partial':'MAYBE'}", "isdbt_partial: ",
		  -EINVAL },
		{ "{" T_ISDB ",'isdbt_layer_a':'QAM256'}",
		  "isdbt_layer_a: \"QAM256\" is not", -EINVAL },
		{ "{" T_ISDB ",'isdbt_layer_b':'QPSK,4/5'}",
		  "isdbt_layer_b: ", -EINVAL },
		{ "{" T_ISDB ",'isdbt_layer_b':'QPSK,3/4,0'}",
		  "isdbt_layer_b: ", -EINVAL },
		{ "{" T_ISDB ",'isdbt_layer_b':'QPSK,3/4,1,4'}",
		  "isdbt_layer_b: ", -EINVAL },
		{ "{" T_ISDB ",'isdbt_layer_b':'QPSK,3/4,1,1,1'}",
		  "isdbt_layer_b: ", -EINVAL },
		{ "{" T_ISDB ",'isdbt_layer_b':'QPSK,'}",
		  "isdbt_layer_b: ", -EINVAL },
		{ "{" T_ISDB ",'isdbt_layer_b':',3/4'}",
		  "isdbt_layer_b: ", -EINVAL },
		{ "{" T_ISDB ",'isdbt_layer_c':'QPSK,3/4,1,1 and more text'}",
		  "isdbt_layer_c: has more than", -EINVAL },
		{ "{" T_ISDB ",'isdbt_layer_a':'QPSK,2/3,1','isdbt_layer_c':"
		  "'QAM64,3/4,13'}", "isdbt_layer_c: the layers have 14 "
		  "segments", -EINVAL },
	};

	expect_wrong(cases, ARRAY_LEN(cases));
}

Test(tuner_spec, a_hardware_address_needs_no_number)
{
	cr_assert_eq(parse("{" S2 ",'mac':'00:11:22:33:44:5F'}"), 0);
	cr_assert_str_eq(spec.mac, "00:11:22:33:44:5F");
	cr_assert_not(spec.numbered);
	cr_assert_eq(parse("{" S2 ",'mac':'00:11:22:33:44:5F',"
			   "'adapter':0}"), 0);
	cr_assert(spec.numbered);
}

Test(tuner_spec, a_copy_of_its_keys_is_the_same_tuner)
{
	json_t *adapter = json_pack("{s:s, s:s, s:i, s:i, s:s, s:b}", "type",
				    "S2", "name", "x", "frequency", 11362,
				    "symbolrate", 22000, "polarization", "H",
				    "enable", 1);
	json_t *keys = tuner_spec_keys(adapter);

	cr_assert_eq(json_object_size(keys), 4u);
	cr_assert_eq(tuner_spec_parse(keys, &spec, &error), 0);
	cr_assert(tuner_spec_is(adapter));
	json_object_set_new(adapter, "server", json_string("1.2.3.4"));
	cr_assert_not(tuner_spec_is(adapter));
	json_decref(adapter);
	json_decref(keys);
}
