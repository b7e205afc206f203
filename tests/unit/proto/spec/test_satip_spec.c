/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/satip_spec.h"

#include <criterion/criterion.h>
#include <errno.h>

#define NO_SERVER(text) "server: \"" text "\" is neither an IP address nor a " \
			"host name: write HOST or HOST:PORT"

static int parse(const char *adapter, struct satip_spec *ret,
		 struct errmsg *error)
{
	json_t *o = json_loads(adapter, 0, NULL);
	int r;

	if (json_object_get(o, "server") == NULL)
		(void)json_object_set_new(o, "server",
					  json_string("192.0.2.1"));
	r = satip_spec_parse(o, ret, error);

	json_decref(o);
	return r;
}

Test(satip_spec, has_every_parameter_of_each_system)
{
	static const struct {
		const char *adapter, *query;
	} cases[] = {
		{ "{\"type\":\"S2\",\"frequency\":11362.75,"
		  "\"polarization\":\"H\",\"symbolrate\":22000,"
		  "\"fec\":\"3/4\",\"rolloff\":\"35\",\"pilot\":\"ON\","
		  "\"diseqc\":2,\"device\":3}",
		  "freq=11362.75&msys=dvbs2&src=2&fe=3&pol=h&mtype=8psk"
		  "&sr=22000&fec=34&ro=0.35&plts=on" },
		{ "{\"type\":\"s\",\"frequency\":\"11362\","
		  "\"polarization\":\"l\",\"symbolrate\":\"27500\","
		  "\"fec\":\"AUTO\",\"device\":\"\"}",
		  "freq=11362&msys=dvbs&src=1&pol=l&mtype=qpsk&sr=27500" },
		{ "{\"type\":\"S2\",\"frequency\":11362750,"
		  "\"polarization\":\"V\",\"symbolrate\":22000,"
		  "\"stream_id\":67108869}",
		  "freq=11362.75&msys=dvbs2&src=1&pol=v&mtype=8psk&sr=22000"
		  "&isi=5&plsm=gold&plsc=0" },
		{ "{\"type\":\"T\",\"frequency\":474,\"bandwidth\":7000,"
		  "\"guardinterval\":\"1/32\",\"transmitmode\":\"8K\","
		  "\"modulation\":\"QAM64\",\"fec\":\"2/3\"}",
		  "freq=474&msys=dvbt&mtype=64qam&fec=23&bw=7&gi=132"
		  "&tmode=8k" },
		{ "{\"type\":\"T2\",\"frequency\":474000000,"
		  "\"bandwidth\":\"1712\",\"guardinterval\":\"19/256\","
		  "\"transmitmode\":\"32K\",\"stream_id\":1}",
		  "freq=474&msys=dvbt2&bw=1.712&gi=19256&tmode=32k&plp=1" },
		{ "{\"type\":\"C/A\",\"frequency\":306000,"
		  "\"symbolrate\":6900,\"modulation\":\"QAM256\"}",
		  "freq=306&msys=dvbc&mtype=256qam&sr=6900" },
		{ "{\"type\":\"C/B\",\"frequency\":306,"
		  "\"modulation\":\"QAM64\"}",
		  "freq=306&msys=dvbcb&mtype=64qam" },
		{ "{\"type\":\"ATSC\",\"frequency\":473,"
		  "\"modulation\":\"VSB8\"}",
		  "freq=473&msys=atsc&mtype=8vsb" },
		{ "{\"type\":\"ISDBT\",\"frequency\":474143,"
		  "\"bandwidth\":6000}", "freq=474.143&msys=isdbt&bw=6" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct satip_spec spec;
		struct errmsg error = { 0 };

		cr_assert_eq(parse(cases[i].adapter, &spec, &error), 0, "%s",
			     error.text);
		cr_assert_str_eq(spec.query, cases[i].query);
	}
}

Test(satip_spec, names_the_key_of_a_wrong_value)
{
#define S2_WITH(more) "{\"type\":\"S2\",\"frequency\":11362," \
	"\"polarization\":\"H\",\"symbolrate\":22000," more "}"
	static const struct {
		const char *adapter, *error;
	} cases[] = {
		{ "{}", "type: is missing" },
		{ "{\"server\":\"a b\"}", NO_SERVER("a b") },
		{ "{\"server\":\"192.0.2.300\"}", NO_SERVER("192.0.2.300") },
		{ "{\"server\":\".a\"}", NO_SERVER(".a") },
		{ "{\"server\":\"a.\"}", NO_SERVER("a.") },
		{ "{\"server\":\"\"}", NO_SERVER("") },
		{ "{\"server\":7}", NO_SERVER("") },
		{ "{\"server\":\"rtsp://192.0.2.1:554\"}",
		  NO_SERVER("rtsp://192.0.2.1:554") },
		{ "{\"server\":\"rtsp://a\"}", NO_SERVER("rtsp://a") },
		{ "{\"server\":\"a:0\"}",
		  "server: port: 0 is not a number from 1 to 65535" },
		{ "{\"server\":\"a:\"}",
		  "server: port:  is not a number from 1 to 65535" },
		{ "{\"transport\":\"x\"}",
		  "transport: x is not udp, tcp or multicast" },
		{ "{\"type\":\"C/C\"}", "type: SAT>IP has no system C/C" },
		{ "{\"type\":\"T\"}", "frequency: is missing" },
		{ "{\"type\":\"T\",\"frequency\":\"x\"}",
		  "frequency: x is not a number" },
		{ "{\"type\":\"T\",\"frequency\":\"nan\"}",
		  "frequency: nan is not a number" },
		{ "{\"type\":\"T\",\"frequency\":2000000000}",
		  "frequency: 2000000000 is too high" },
		{ "{\"type\":\"S\",\"frequency\":11362}",
		  "polarization: is missing" },
		{ S2_WITH("\"fec\":\"1/9\""),
		  "fec: 1/9 is not a value of SAT>IP" },
		{ S2_WITH("\"modulation\":\"a&pids=all\""),
		  "modulation: a&pids=all is not a value of SAT>IP" },
		{ S2_WITH("\"device\":0"),
		  "device: 0 is not a number from 1 to 65535" },
		{ S2_WITH("\"stream_id\":134217728"),
		  "stream_id: the scrambling mode must be root or gold" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct satip_spec spec;
		struct errmsg error = { 0 };

		cr_assert_eq(parse(cases[i].adapter, &spec, &error), -EINVAL);
		cr_assert_str_eq(error.text, cases[i].error);
	}
}

Test(satip_spec, copies_the_keys_that_it_reads)
{
	json_t *adapter = json_loads(
		"{\"id\":\"a\",\"name\":\"b\",\"enable\":true,"
		"\"note\":\"c\",\"fec\":{\"d\":1},\"server\":\"192.0.2.1\","
		"\"transport\":\"tcp\",\"type\":\"S2\",\"frequency\":11362,"
		"\"polarization\":\"H\",\"symbolrate\":22000,"
		"\"budget\":false,\"stream_id\":5}", 0, NULL);
	json_t *want = json_pack("{s:s,s:s,s:s,s:i,s:s,s:i,s:i,s:b}",
				 "server", "192.0.2.1", "transport", "tcp",
				 "type", "S2", "frequency", 11362,
				 "polarization", "H", "symbolrate", 22000,
				 "stream_id", 5, "budget", 0);
	json_t *keys = satip_spec_keys(adapter);

	cr_assert(json_equal(keys, want));
	json_decref(keys);
	json_decref(want);
	json_decref(adapter);
}

Test(satip_spec, a_server_has_an_address_or_a_name)
{
	static const struct {
		const char *server, *name;
		unsigned port;
	} cases[] = {
		{ "192.0.2.1", "", 554 },
		{ "192.0.2.1:8554", "", 8554 },
		{ "[2001:db8::1]:8554", "", 8554 },
		{ "a", "a", 554 },
		{ "tuner-1.example:8554", "tuner-1.example", 8554 },
		{ "1.example", "1.example", 554 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *o = json_pack("{s:s,s:s,s:i}", "server",
				      cases[i].server, "type", "T",
				      "frequency", 474);
		struct satip_spec spec;

		cr_assert_eq(satip_spec_parse(o, &spec, NULL), 0, "%zu", i);
		cr_assert_str_eq(spec.name, cases[i].name);
		cr_assert_eq(satip_spec_has_name(o), spec.name[0] != '\0');
		cr_assert_eq(spec.name[0] != '\0'
				     ? spec.port
				     : sockaddr_port(&spec.server),
			     cases[i].port, "%zu", i);
		json_decref(o);
	}
}

Test(satip_spec, another_multiplex_is_of_the_same_server)
{
	static const struct {
		const char *a, *b;
		bool same;
	} cases[] = {
		{ "{\"server\":\"a\",\"frequency\":1}",
		  "{\"server\":\"a\",\"frequency\":2}", true },
		{ "{\"server\":\"a\"}", "{\"server\":\"b\"}", false },
		{ "{\"server\":\"a\"}", "{\"server\":\"a\","
		  "\"transport\":\"tcp\"}", false },
		{ "{\"server\":\"a\",\"budget\":true}",
		  "{\"server\":\"a\",\"budget\":false}", false },
		{ "{\"address\":\"a\"}", "{\"address\":\"a\"}", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *a = json_loads(cases[i].a, 0, NULL);
		json_t *b = json_loads(cases[i].b, 0, NULL);

		cr_expect_eq(satip_spec_is_same(a, b), cases[i].same, "%zu", i);
		json_decref(a);
		json_decref(b);
	}
}
