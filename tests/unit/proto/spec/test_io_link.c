/* SPDX-License-Identifier: GPL-3.0-or-later */
/* srt and rist addresses: the same in both directions. */
#include "proto/spec/io_spec.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct output_spec read_output(const char *text)
{
	struct output_spec spec;
	struct errmsg error = { 0 };

	cr_assert_eq(output_spec_parse(text, &spec, NULL, NULL, &error), 0,
		     "%s: %s", text, error.text);
	return spec;
}

static const struct {
	const char *text, *error;
} bad[] = {
	{ "rist://1.2.3.4", "port: is missing" },
	{ "rist://:5", "host: is missing" },
	{ "rist://a:5,:6", "host: is missing" },
	{ "rist://@[::1]:5#profile=0",
	  "port: 5 is odd, which the simple profile does not have" },
	{ "rist://a:1?secret=%zz", "secret: has a broken % escape" },
	{ "rist://a:1?profile=best",
	  "profile: \"best\" is not main or simple" },
	{ "rist://@:4,@h:4,@:4", "host: @:4 is there twice" },
	{ "srt://h", "port: is missing" },
	{ "srt://@h:5", "interface: nothing precedes '@'; write srt://:PORT to "
	  "wait for a caller" },
	{ "srt://::1@:9000", "interface: \"::1\" is not a name" },
	{ "srt://e/0@h:5", "interface: \"e/0\" is not a name" },
	{ "srt://..@:5", "interface: \"..\" is not a name" },
	{ "srt://0123456789abcdef@:5",
	  "interface: \"0123456789abcdef\" is longer than 15 bytes" },
	{ "srt://:9#mode=caller", "host: is missing" },
	{ "srt://h:9#mode=both", "mode: \"both\" is not caller, listener or "
	  "rendezvous" },
	{ "srt://h:9?mode=both", "mode: \"both\" is not caller, listener or "
	  "rendezvous" },
	{ "srt://h:9?latency", "latency: \"\" is not a number between 0 "
	  "and 60000 ms" },
	{ "srt://h:9#pbkeylen=17", "pbkeylen: 17 is not 16, 24 or 32" },
	{ "srt://h:9#packetfilter=foo,bar",
	  "packetfilter: \"foo\" is not known: the only one is fec" },
	{ "srt://h:9#packetfilter=fec,bar",
	  "packetfilter: bar: is not cols, rows, layout or arq" },
	{ "srt://h:9#packetfilter=fec,cols:1",
	  "packetfilter: cols: 1 is not between 2 and 256" },
	{ "srt://h:9#packetfilter=fec,cols:-4",
	  "packetfilter: cols: -4 is not between 2 and 256" },
	{ "srt://h:9#packetfilter=fec,cols:10,rows:0",
	  "packetfilter: rows: 0 is not between 1 and 256" },
	{ "srt://h:9#packetfilter=fec,cols:10,rows:-1",
	  "packetfilter: rows: 1 is not between 2 and 256" },
	{ "srt://h:9#packetfilter=fec,layout:odd",
	  "packetfilter: layout: is not even or staircase" },
	{ "srt://h:9?packetfilter=fec,arq:maybe",
	  "packetfilter: arq: is not never, onreq or always" },
	{ "srt://h:9#packetfilter=fec,",
	  "packetfilter: : is not cols, rows, layout or arq" },
};

Test(io_link, refuses_both_directions_with_the_field)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct input_spec in;
		struct output_spec out;
		struct errmsg error = { 0 }, same = { 0 };

		cr_assert_eq(input_spec_parse(bad[i].text, &in, NULL, NULL,
					      &error), -EINVAL, "%s",
			     bad[i].text);
		cr_assert_str_eq(error.text, bad[i].error);
		cr_assert_eq(output_spec_parse(bad[i].text, &out, NULL, NULL,
					       &same), -EINVAL);
		cr_assert_str_eq(same.text, error.text);
	}
}

Test(io_link, inputs_of_the_simple_profile_of_rist_wait)
{
	struct input_spec in;
	struct errmsg error = { 0 };

	cr_assert_eq(input_spec_parse("rist://@:6,b:8#profile=simple", &in,
				      NULL, NULL, &error), -EINVAL);
	cr_assert_str_eq(error.text, "host: b is called, which an input of the "
			 "simple profile cannot: it is waited for, behind an "
			 "@");
	cr_assert_eq(input_spec_parse("rist://@:6,@b:8#profile=simple", &in,
				      NULL, NULL, &error), 0, "%s", error.text);
	cr_assert_eq(input_spec_parse("rist://b:8", &in, NULL, NULL, &error),
		     0);
	cr_assert(!read_output("rist://b:8#profile=simple").rist.peers
			   ->listens);
}

Test(io_link, packet_filters_of_the_library_pass)
{
	static const char *const filters[] = {
		"fec", "fec,cols:10", "fec,cols:10,rows:5",
		"fec,cols:2,rows:-2,layout:even,arq:never",
		"fec,rows:1,layout:staircase,arq:onreq,cols:256",
	};
	char text[200];

	for (size_t i = 0; i < ARRAY_LEN(filters); i++) {
		(void)snprintf(text, sizeof text, "srt://:9#packetfilter=%s",
			       filters[i]);
		cr_assert_str_eq(read_output(text).srt.packetfilter,
				 filters[i]);
	}
}

Test(io_link, the_options_of_an_srt_address)
{
	struct srt_spec s = read_output(
		"srt://eth0@[::1]:9000?mode=rendezvous&latency=8000"
		"&streamid=%23!::r=a#latency=70&oheadbw=30&timeout=9"
		"&pbkeylen=24&passphrase=0123456789&sndbuf=1&rcvbuf=2").srt;

	cr_assert_str_eq(s.iface, "eth0");
	cr_assert_str_eq(s.host, "::1");
	cr_assert_eq(s.port, 9000);
	cr_assert_eq(s.mode, SRT_RENDEZVOUS);
	cr_assert_eq(s.latency_ms, 70, "what stands behind # counts");
	cr_assert_eq(s.overhead_percent, 30);
	cr_assert_eq(s.timeout_s, 9);
	cr_assert_eq(s.key_bytes, 24);
	cr_assert_eq(s.send_buffer, 1);
	cr_assert_eq(s.receive_buffer, 2);
	cr_assert_not(s.no_timed_delivery);
	cr_assert_str_eq(s.streamid, "#!::r=a");
	cr_assert(read_output("srt://:9#no_tsbpdmode").srt.no_timed_delivery);
	cr_assert(read_output("srt://:9#tsbpdmode=0").srt.no_timed_delivery);
	cr_assert_not(read_output("srt://:9#tsbpdmode").srt.no_timed_delivery);
	cr_assert_eq(read_output("srt://:9").srt.mode, SRT_LISTENER);
	cr_assert_eq(read_output("srt://h:9").srt.mode, SRT_CALLER);
}

Test(io_link, the_peers_of_a_rist_address)
{
	struct rist_spec s = read_output(
		"rist://a.example:5000,@[::1]:5002,@:6"
		"?secret=a%20b&profile=1&buffer=70#aes-type=256").rist;

	cr_assert_eq(s.n_peers, 3);
	cr_assert_str_eq(s.peers[0].host, "a.example");
	cr_assert_eq(s.peers[0].port, 5000);
	cr_assert_not(s.peers[0].listens);
	cr_assert_str_eq(s.peers[1].host, "::1");
	cr_assert(s.peers[1].listens);
	cr_assert_str_eq(s.peers[2].host, "");
	cr_assert(s.peers[2].listens);
	cr_assert_str_eq(s.secret, "a b");
	cr_assert_eq(s.buffer_ms, 70);
	cr_assert_eq(s.key_bits, 256);
	cr_assert_eq(s.profile, RIST_MAIN);
	cr_assert_eq(read_output("rist://@1.2.3.4:2#profile=0").rist.profile,
		     RIST_SIMPLE);
}

static void collect(const char *text, void *arg)
{
	char *all = arg;

	(void)strcat(all, text);
	(void)strcat(all, ";");
}

Test(io_link, unknown_parameters_are_named_like_unknown_options)
{
	static const char *const texts[] = {
		"srt://h:9?foo=bar&statsout&latency=9#foo2=1",
		"rist://h:9?foo=bar&statsout&buffer=9#foo2=1",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct input_spec in;
		char text[256] = "";

		cr_assert_eq(input_spec_parse(texts[i], &in, collect, text,
					      NULL), 0);
		cr_assert_str_eq(text, "option \"foo\" is not known;"
				 "option \"statsout\" is not known;"
				 "option \"foo2\" is not known;");
	}
}
