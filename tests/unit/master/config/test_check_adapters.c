/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "master/config/check.h"
#include "tests/unit/master/config/finding_lines.h"
#include "tests/unit/master/fakes.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* One line per finding; warnings are marked. */
static void note_loop(enum check_severity severity, const char *path,
		      const char *text, void *arg)
{
	char *all = arg;
	size_t len = strlen(all);

	(void)snprintf(all + len, 1024 - len, "%s%s: %s\n",
		       severity == CHECK_WARNING ? "W " : "", path, text);
}

static void expect_as_it_is(json_t *take_list, const char *value,
			    const char *wanted)
{
	json_t *document = json_pack("{s:o}", "dvb_tune", take_list);
	char found[FINDING_LINES] = "";

	(void)check_document(document, NULL, finding_lines_add, found);
	cr_expect_str_eq(found, wanted, "%s: %s", value, found);
	json_decref(document);
}

/* Adapters have the required keys, and are disabled, unless they differ. */
static void expect(const char *value, const char *wanted)
{
	json_t *list = json_loads(value, 0, NULL), *entry;
	size_t i;

	cr_assert_not_null(list, "%s", value);
	json_array_foreach(list, i, entry) {
		json_t *more = json_pack("{s:s, s:b}", "type", "S2", "enable",
					 0);

		(void)json_object_update_missing(entry, more);
		json_decref(more);
	}
	expect_as_it_is(list, value, wanted);
}

Test(check_adapters, an_error_is_what_set_adapter_refuses)
{
	static const char no_id[] = "E dvb_tune[0].id: is not 1 to 64 "
				    "characters of A-Z a-z 0-9 _ . -: the "
				    "adapter does not run\n";
	static const struct {
		const char *list, *found;
	} cases[] = {
		{ "[{\"id\":\"d\",\"enable\":true,"
		  "\"address\":\"udp://239.1.1.1:1234\"}]", "" },
		{ "[{\"id\":\"d\",\"enable\":true,"
		  "\"address\":\"udp://239.1.1.1:x\"}]",
		  "E dvb_tune[0].address: port: x is not a port (1 to "
		  "65535)\n" },
		{ "[{\"id\":\"d\",\"enable\":true,\"address\":5}]",
		  "E dvb_tune[0].address: 5 is not a string\n" },
		{ "[{\"id\":\"d\",\"enable\":true,"
		  "\"address\":\"dvb://e\"}]",
		  "E dvb_tune[0].address: dvb:// is only possible as an input "
		  "of a stream\n" },
		{ "[{\"id\":\"d\",\"enable\":false,"
		  "\"address\":\"stream://s\"}]",
		  "dvb_tune[0]: address: there is no stream \"s\"\n" },
		/* a disabled one may have any */
		{ "[{\"id\":\"d\",\"enable\":false,\"address\":\"x\"}]", "" },
		{ "[{\"id\":\"d\",\"enable\":true}]",
		  "dvb_tune[0]: frequency: is missing\n" },
		{ "[{\"id\":\"d\",\"enable\":true,\"server\":"
		  "\"192.0.2.1\",\"type\":\"C\",\"frequency\":346,"
		  "\"symbolrate\":6900}]", "" },
		{ "[{\"id\":\"d\",\"enable\":true,\"server\":"
		  "\"192.0.2.1\",\"type\":\"C\",\"frequency\":346}]",
		  "E dvb_tune[0].symbolrate: is missing\n" },
		{ "[{\"id\":\"d\",\"enable\":true,\"server\":"
		  "\"192.0.2.1\",\"address\":\"udp://239.1.1.1:1\"}]",
		  "E dvb_tune[0].address: is not possible beside server\n" },
		{ "[{\"id\":\"d\",\"enable\":true,\"type\":\"T\","
		  "\"frequency\":474,\"bandwidth\":9000}]",
		  "E dvb_tune[0].bandwidth: \"9000\" is not AUTO, 1712, 5000, "
		  "6000, 7000, 8000 or 10000\n" },
		{ "[{\"id\":\"d\",\"enable\":true,\"type\":\"T\","
		  "\"frequency\":474}]", "" },
		{ "[{}]", no_id },
		{ "[{\"id\":\"a b\"}]", no_id },
		{ "[{\"id\":\"e\"},{\"id\":\"d\"},{\"id\":\"d\"}]",
		  "E dvb_tune[2].id: \"d\" is already the id of dvb_tune[1]: "
		  "the adapter does not run\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(cases[i].list, cases[i].found);
}

Test(check_adapters, an_input_of_an_adapter_that_does_not_run_is_a_warning)
{
	static const char path[] = "make_stream[0].input[0]: ";
	static const struct {
		const char *input;
		bool enable;
		const char *found;
	} cases[] = {
		{ "dvb://on", true, "" },
		{ "DVB://on#pnr=5", true, "" },
		{ "dvb://off", true, "adapter \"off\" is disabled\n" },
		{ "dvb://off", false, "" },
		{ "dvb://o#pnr=5", true, "there is no adapter \"o\"\n" },
		{ "dvb://o", false, "there is no adapter \"o\"\n" },
		{ "udp://239.1.1.1:1234", true, "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *document = json_pack(
			"{s:[{s:s, s:s, s:b, s:s}, {s:s, s:s, s:b}], s:[{s:s,"
			" s:s, s:b, s:[s], s:[s]}]}", "dvb_tune", "id", "on",
			"type", "S", "enable", 1, "address",
			"udp://239.1.1.2:1", "id", "off", "type", "S",
			"enable", 0, "make_stream", "id", "s", "type", "spts",
			"enable", cases[i].enable, "input", cases[i].input,
			"output", "udp://239.2.2.2:1");
		const struct check_place place = { .path = "stream",
						   .document = document,
						   .self = "s" };
		char found[FINDING_LINES] = "";

		cr_assert_not_null(document);
		cr_expect_eq(check_document(document, NULL, finding_lines_add,
					    found), 0u);
		cr_expect_str_eq(found + (found[0] ? strlen(path) : 0),
				 cases[i].found, "%s: %s", cases[i].input,
				 found);
		found[0] = '\0';
		/* as set-stream judges it */
		cr_expect_eq(check_stream(json_array_get(json_object_get(
						  document, "make_stream"), 0),
					  &place, finding_lines_add,
					  found), 0u);
		cr_expect_str_eq(found + (found[0] ? strlen("stream.input[0]: ")
						   : 0),
				 cases[i].found, "%s: %s", cases[i].input,
				 found);
		json_decref(document);
	}
}

Test(check_adapters, the_required_keys_are_those_of_set_adapter)
{
	static const struct {
		const char *list, *found;
	} cases[] = {
		{ "[{\"id\":\"d\",\"enable\":true,"
		  "\"address\":\"udp://239.1.1.1:1\"}]",
		  "E dvb_tune[0].type: is missing\n" },
		{ "[{\"id\":\"d\",\"type\":\"S\",\"enable\":\"true\","
		  "\"address\":\"udp://239.1.1.1:x\"}]",
		  "E dvb_tune[0].enable: \"true\" is not true or false\n" },
		{ "[{\"id\":\"d\",\"type\":\"X9\",\"enable\":true,"
		  "\"address\":\"udp://239.1.1.1:1\"}]",
		  "E dvb_tune[0].type: \"X9\" is not S, S2, T, T2, C, C/A, "
		  "C/B, C/C, ATSC, ISDB-T or CI\n" },
		{ "[{\"id\":\"d\",\"type\":\"ISDBT\",\"enable\":true,"
		  "\"address\":\"udp://239.1.1.1:1\"}]", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect_as_it_is(json_loads(cases[i].list, 0, NULL),
				cases[i].list, cases[i].found);
}

#define LNB_TUNER(id, device, more) \
	"{\"id\":\"" id "\",\"enable\":true,\"type\":\"S2\"," \
	"\"symbolrate\":22000,\"adapter\":1,\"device\":" device more "}"
#define FEEDER LNB_TUNER("a", "0", ",\"frequency\":11362," \
			 "\"polarization\":\"H\",\"diseqc\":1")
#define TONE_FEEDER LNB_TUNER("a", "0", ",\"frequency\":11362," \
			      "\"polarization\":\"H\",\"tone\":true")
#define SHARER(more) "[" FEEDER "," \
	LNB_TUNER("b", "1", ",\"lnb_sharing\":true" more) "]"

/* One tuner alone selects the band and the polarization. */
Test(check_adapters, a_tuner_that_shares_an_lnb_fits_the_other)
{
	static const struct {
		const char *list, *found;
	} cases[] = {
		{ SHARER(",\"frequency\":11494,\"polarization\":\"H\""), "" },
		{ SHARER(",\"frequency\":11494,\"polarization\":\"L\","
			 "\"diseqc\":1"), "" },
		{ SHARER(",\"frequency\":11494"), "" },
		{ SHARER(",\"frequency\":12188,\"polarization\":\"H\""),
		  "E dvb_tune[1].frequency: 12188 MHz is in the upper band of "
		  "the LNB, and adapter \"a\", which feeds it, selects the "
		  "other one\n" },
		{ SHARER(",\"frequency\":11494,\"polarization\":\"V\""),
		  "E dvb_tune[1].polarization: adapter \"a\", which feeds the "
		  "LNB, selects the other one\n" },
		{ SHARER(",\"frequency\":11494,\"diseqc\":2"),
		  "E dvb_tune[1].diseqc: \"2\" is not the position \"1\" that "
		  "adapter \"a\" selects\n" },
		{ SHARER(",\"frequency\":12188,\"adapter\":2,"
			 "\"lnb_adapter\":\"a\""),
		  "E dvb_tune[1].frequency: 12188 MHz is in the upper band of "
		  "the LNB, and adapter \"a\", which feeds it, selects the "
		  "other one\n" },
		/* as the tuners read it, not as it is written */
		{ SHARER(",\"frequency\":11494,\"diseqc\":\"0\""), "" },
		{ SHARER(",\"frequency\":11494,\"diseqc\":\"01\""), "" },
		{ SHARER(",\"frequency\":11494,\"diseqc\":1,"
			 "\"diseqc_mode\":\"1.2\""),
		  "E dvb_tune[1].diseqc: \"1\" is not the position \"1\" that "
		  "adapter \"a\" selects\n" },
		{ SHARER(",\"frequency\":11494,\"diseqc\":\"A\","
			 "\"diseqc_mode\":\"toneburst\""),
		  "E dvb_tune[1].diseqc: \"A\" is not the position \"1\" that "
		  "adapter \"a\" selects\n" },
		{ SHARER(",\"frequency\":11494,\"tone\":true"),
		  "E dvb_tune[1].tone: is on, but adapter \"a\", which feeds "
		  "the LNB, sends no tone\n" },
		{ "[" TONE_FEEDER "," LNB_TUNER("b", "1", ",\"frequency\":"
		  "12188,\"lnb_sharing\":true") "]", "" },
		{ "[" TONE_FEEDER "," LNB_TUNER("b", "1", ",\"frequency\":"
		  "11494,\"lnb_sharing\":true") "]", "" },
		/* which one feeds it is not known */
		{ SHARER(",\"frequency\":12188,\"adapter\":2"), "" },
		{ SHARER(",\"frequency\":11494,\"lnb_adapter\":\"x\""),
		  "dvb_tune[1]: lnb_adapter: there is no adapter \"x\"\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(cases[i].list, cases[i].found);
}

#define ADDRESS "\"enable\":true,\"address\":\"udp://239.1.1.1:1\""
#define SERVER "\"enable\":true,\"server\":\"192.0.2.1\",\"type\":\"C\"," \
	"\"frequency\":346,\"symbolrate\":6900"

/* A key alone that nothing reads, of every kind of adapter. */
Test(check_adapters, keys_without_effect_are_named)
{
	static const struct {
		const char *keys, *found;
	} cases[] = {
		{ ADDRESS ",\"t2mi_pid\":500", "t2mi_pid: does nothing without "
						"t2mi\n" },
		{ ADDRESS ",\"t2mi\":true,\"t2mi_pid\":500", "" },
		{ SERVER ",\"plp\":3", "plp: does nothing without t2mi\n" },
		{ ADDRESS ",\"ddci_device\":1", "ddci_device: does nothing "
						 "without ddci\n" },
		{ SERVER ",\"bitrate\":50", "bitrate: does nothing without "
					     "ddci\n" },
		{ ADDRESS ",\"ddci\":0,\"ddci_device\":1,\"bitrate\":50,"
		  "\"ca_limit\":2", "" },
		{ ADDRESS ",\"type\":\"CI\",\"adapter\":3,\"device\":1,"
		  "\"bitrate\":50", "" },
		{ ADDRESS ",\"type\":\"CI\",\"ddci_device\":1",
		  "ddci_device: does nothing with type CI\n" },
		{ ADDRESS ",\"type\":\"S\",\"adapter\":0,\"budget\":true",
		  "" },
		{ ADDRESS ",\"frequency\":11362",
		  "frequency: does nothing with an address\n" },
		{ ADDRESS ",\"ca_limit\":2", "ca_limit: does nothing with an "
					      "address\n" },
		{ SERVER ",\"budget\":false", "" },
		{ SERVER ",\"mac\":\"00:11:22:33:44:55\"", "mac: does nothing "
							  "with a server\n" },
		{ "\"enable\":true,\"type\":\"T\",\"frequency\":474,"
		  "\"plp\":3", "plp: does nothing without t2mi\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char list[256], found[256] = "";

		(void)snprintf(list, sizeof list, "[{\"id\":\"d\",%s}]",
			       cases[i].keys);
		if (cases[i].found[0] != '\0')
			(void)snprintf(found, sizeof found, "dvb_tune[0].%s",
				       cases[i].found);
		expect(list, found);
	}
}

/* A stream that reads an adapter that reads the stream, also through others. */
Test(check_adapters, an_adapter_that_receives_what_it_sends_is_a_loop)
{
	static const struct {
		const char *streams, *adapters, *found;
	} cases[] = {
		{ "[{'id':'s','enable':true,'type':'spts',"
		  "'input':['dvb://d#pnr=1']}]",
		  "[{'id':'d','type':'C','enable':true,"
		  "'address':'stream://s'}]",
		  "dvb_tune[0].address: adapter \"d\" would receive what it "
		  "sends itself\n"
		  "make_stream[0].input[0]: stream \"s\" would receive what it "
		  "sends itself\n" },
		{ "[{'id':'s','enable':true,'type':'spts',"
		  "'input':['udp://239.1.1.1:1','dvb://d']},"
		  "{'id':'t','enable':true,'type':'spts',"
		  "'input':['stream://s#pnr=2']}]",
		  "[{'id':'e','type':'C','enable':true,"
		  "'address':'udp://239.1.1.1:2'},{'id':'d','type':'C',"
		  "'enable':true,'address':'stream://t#x'}]",
		  "dvb_tune[1].address: adapter \"d\" would receive what it "
		  "sends itself\n"
		  "make_stream[0].input[1]: stream \"s\" would receive what it "
		  "sends itself\n"
		  "make_stream[1].input[0]: stream \"t\" would receive what it "
		  "sends itself\n" },
		/* through a second adapter */
		{ "[{'id':'s','enable':true,'type':'spts',"
		  "'input':['dvb://d']},"
		  "{'id':'t','enable':true,'type':'spts',"
		  "'input':['DVB://e']}]",
		  "[{'id':'d','type':'C','enable':true,'address':'stream://t'},"
		  "{'id':'e','type':'C','enable':true,'address':'stream://s'}]",
		  "dvb_tune[0].address: adapter \"d\" would receive what it "
		  "sends itself\n"
		  "dvb_tune[1].address: adapter \"e\" would receive what it "
		  "sends itself\n"
		  "make_stream[0].input[0]: stream \"s\" would receive what it "
		  "sends itself\n"
		  "make_stream[1].input[0]: stream \"t\" would receive what it "
		  "sends itself\n" },
		/* two readers of one stream are no loop */
		{ "[{'id':'s','enable':true,'type':'spts',"
		  "'input':['udp://239.1.1.1:1']},"
		  "{'id':'t','enable':true,'type':'mpts','bitrate':9000,"
		  "'input':['dvb://d#pnr=1','dvb://d#pnr=2',"
		  "'stream://s#pnr=3']}]",
		  "[{'id':'d','type':'C','enable':true,"
		  "'address':'stream://s'}]", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *document = json_pack(
			"{s:o, s:o}", "make_stream",
			fakes_json(cases[i].streams), "dvb_tune",
			fakes_json(cases[i].adapters));
		char found[1024] = "";

		(void)check_document(document, NULL, note_loop, found);
		cr_expect_str_eq(found, cases[i].found, "%zu: %s", i, found);
		json_decref(document);
	}
}

/* As set-stream judges it: others still read the id that it has. */
Test(check_adapters, a_new_id_does_not_hide_a_loop)
{
	json_t *document = fakes_json(
		"{'make_stream':[{'id':'s','enable':true,'type':'spts',"
		"'input':['udp://239.1.1.1:1']}],"
		"'dvb_tune':[{'id':'d','enable':true,"
		"'address':'stream://s'}]}");
	json_t *stream = fakes_json("{'id':'new','enable':true,'type':'spts',"
				    "'input':['dvb://d']}");
	struct check_place place = { .path = "stream", .document = document,
				     .self = "s" };
	char found[1024] = "";

	cr_expect_eq(check_stream(stream, &place, note_loop, found), 1u);
	cr_expect_str_eq(found, "stream.input[0]: stream \"new\" would receive "
				"what it sends itself\n");
	found[0] = '\0';
	place.self = NULL;
	cr_expect_eq(check_stream(stream, &place, note_loop, found), 0u);
	cr_expect_str_eq(found, "");
	json_decref(stream);
	json_decref(document);
}
