/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/io_spec.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* All members of an input, as one line. */
static void describe_input(const struct input_spec *s, char *text, size_t size)
{
	static const char *const kinds[] = { "udp", "rtp", "file" };
	char local[SOCKADDR_TEXT_MAX] = "-", source[SOCKADDR_TEXT_MAX] = "-";
	char limit[16];

	(void)snprintf(limit, sizeof limit, "%u", s->cc_limit);
	if (s->kind != INPUT_FILE)
		sockaddr_format(&s->local, local);
	if (s->has_source)
		sockaddr_format_host(&s->source, source);
	(void)snprintf(text, size, "%s id=%s if=%s %s src=%s renew=%u size=%u "
		       "path=%s loop=%d cc=%s rate=%u off=%d",
		       kinds[s->kind], s->id, s->iface, local, source,
		       s->renew_s, s->socket_size, s->path, s->loop,
		       s->cc_limit == CC_LIMIT_DEFAULT ? "-" : limit,
		       s->bitrate_limit_kbps, s->no_analyze);
}

static void describe_output(const struct output_spec *s, char *text,
			    size_t size)
{
	static const char *const kinds[] = { "udp", "rtp", "http" };
	const char *secure = s->tls ? "s" : "";
	char at[SOCKADDR_TEXT_MAX];

	sockaddr_format(s->kind == OUTPUT_HTTP ? &s->listen : &s->remote, at);
	(void)snprintf(text, size,
		       "%s%s if=%s %s ttl=%u size=%u path=%s buf=%u",
		       kinds[s->kind], secure, s->iface, at, s->ttl,
		       s->socket_size,
		       s->path, s->buffer_size_kib);
}

static const struct {
	const char *text, *means;
} inputs[] = {
	{ "udp://239.1.1.1", "udp id= if= 239.1.1.1:1234 src=- renew=0 size=0 "
	  "path= loop=0 cc=- rate=0 off=0" },
	{ "UDP://eth0@239.1.1.1:5000#src=10.0.0.9&renew=60&socket_size=4194304",
	  "udp id= if=eth0 239.1.1.1:5000 src=10.0.0.9 renew=60 size=4194304 "
	  "path= loop=0 cc=- rate=0 off=0" },
	{ "rtp://[ff0e::1]:77#src=2001:db8::1&id=main",
	  "rtp id=main if= [ff0e::1]:77 src=2001:db8::1 renew=0 size=0 "
	  "path= loop=0 cc=- rate=0 off=0" },
	{ "udp://:5000#cc_limit=10&bitrate_limit=128&no_analyze",
	  "udp id= if= 0.0.0.0:5000 src=- renew=0 size=0 "
	  "path= loop=0 cc=10 rate=128 off=1" },
	{ "udp://:5000#cc_limit=0",
	  "udp id= if= 0.0.0.0:5000 src=- renew=0 size=0 "
	  "path= loop=0 cc=0 rate=0 off=0" },
	{ "udp://[::]:5000#ts_size=204&sync&no_sync",
	  "udp id= if= [::]:5000 src=- renew=0 size=0 "
	  "path= loop=0 cc=- rate=0 off=0" },
	{ "udp://127.0.0.1:1#renew=5&renew=6",
	  "udp id= if= 127.0.0.1:1 src=- renew=6 size=0 "
	  "path= loop=0 cc=- rate=0 off=0" },
	{ "file:///srv/a b.ts#loop", "file id= if= - src=- renew=0 size=0 "
	  "path=/srv/a b.ts loop=1 cc=- rate=0 off=0" },
	{ "file:///clip.ts#loop=0&id=7", "file id=7 if= - src=- renew=0 size=0 "
	  "path=/clip.ts loop=0 cc=- rate=0 off=0" },
	{ "file:///a%20b?c", "file id= if= - src=- renew=0 size=0 "
	  "path=/a%20b?c loop=0 cc=- rate=0 off=0" },
};

Test(io_spec, reads_http_inputs)
{
	struct input_spec spec;

	cr_assert_eq(input_spec_parse("https://u:p@h/a?b#ca=/etc/x.pem&"
				      "bandwidth=2000000&header.A=b&timeout=7&"
				      "audio=de",
				      &spec, NULL, NULL, NULL), 0);
	cr_assert_str_eq(spec.http.url, "https://u:p@h/a?b");
	cr_assert_str_eq(spec.http.ca, "/etc/x.pem");
	cr_assert_str_eq(spec.http.headers, "A: b\n");
	cr_assert_eq(spec.http.bandwidth, 2000000);
	cr_assert_str_eq(spec.http.audio, "de");
	cr_assert_eq(spec.http.timeout_s, 7);
}

Test(io_spec, reads_inputs)
{
	for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
		struct input_spec spec;
		struct errmsg error = { 0 };
		char text[2048];

		cr_assert_eq(input_spec_parse(inputs[i].text, &spec, NULL,
					      NULL, &error), 0, "%s: %s",
			     inputs[i].text, error.text);
		describe_input(&spec, text, sizeof text);
		cr_assert_str_eq(text, inputs[i].means);
	}
}

static const struct {
	const char *text, *error;
	int err;
} bad_inputs[] = {
	{ "", "is empty", EINVAL },
	{ "udp://1.2.3.4:70000", "port: 70000 is not a port (1 to 65535)",
	  EINVAL },
	{ "udp://1.2.3.4:0", "port: 0 is not a port (1 to 65535)", EINVAL },
	{ "udp://news.example", "host: \"news.example\" is not an IP address",
	  EINVAL },
	{ "udp://239.1.1.1#src=2001:db8::1",
	  "src: 2001:db8::1 is not of the group's address family", EINVAL },
	{ "udp://[ff0e::1]#src=10.0.0.1",
	  "src: 10.0.0.1 is not of the group's address family", EINVAL },
	{ "sdp://news.sdp", "path: does not begin with '/'", EINVAL },
	{ "sdp:///news.sdp#iface", "iface: has no value", EINVAL },
	{ "sdp:///news.sdp#iface=eth0@x",
	  "iface: \"eth0@x\" has a blank or one of / : \" [ ] @ # & %",
	  EINVAL },
	{ "sdp:///news.sdp#iface=0123456789abcdef",
	  "iface: is longer than 15 bytes", EINVAL },
	{ "sdp:///news.sdp#media=0", "media: 0 is not between 1 and 32",
	  EINVAL },
	{ "udp://239.1.1.1#src=239.1.1.2",
	  "src: \"239.1.1.2\" is not the address of a sender", EINVAL },
	{ "udp://239.1.1.1#src", "src: \"\" is not the address of a sender",
	  EINVAL },
	{ "udp://10.0.0.1#src=10.0.0.2", "src: is for multicast groups only",
	  EINVAL },
	{ "udp://239.1.1.1#renew=often",
	  "renew: \"often\" is not a number between 0 and 86400 s", EINVAL },
	{ "udp://239.1.1.1#renew",
	  "renew: \"\" is not a number between 0 and 86400 s", EINVAL },
	{ "udp://239.1.1.1#renew=86401",
	  "renew: 86401 is not between 0 and 86400 s", EINVAL },
	{ "udp://239.1.1.1#socket_size=1M",
	  "socket_size: \"1M\" is not a number between 0 and 1073741824 bytes",
	  EINVAL },
	{ "udp://239.1.1.1#id", "id: has no value", EINVAL },
	{ "udp://239.1.1.1#cc_limit=-1",
	  "cc_limit: -1 is not between 0 and 1000000 errors/s",
	  EINVAL },
	{ "file:///a#loop=maybe", "loop: \"maybe\" is not true or false",
	  EINVAL },
	{ "https://h/x#ca=pem", "ca: \"pem\" is not an absolute path", EINVAL },
	{ "https://h/x#ca", "ca: has no value", EINVAL },
	{ "http://h/x#bandwidth=0", "bandwidth: 0 is not between 1 and "
	  "4294967295 bit/s", EINVAL },
	{ "file://", "nothing follows file://", EINVAL },
	{ "file:///a#mux=udp://239.1.1.1", "mux: is nothing without mux_pid",
	  EINVAL },
	{ "file:///a#mux_pid=100", "mux_pid: is nothing without mux", EINVAL },
	{ "udp://239.1.1.1#merge=x&mux=x", "mux: is nothing without mux_pid",
	  EINVAL },
	{ "file:///a#mux=file:///b&mux_pid=100",
	  "mux: is not udp:// or rtp://", EINVAL },
	{ "file:///a#mux=udp://1.2.3.4:0&mux_pid=100",
	  "mux: port: 0 is not a port (1 to 65535)", EINVAL },
	{ "file:///a#mux=udp://239.1.1.1%23mux=udp://239.1.1.2%26mux_pid=50"
	  "&mux_pid=100", "mux: cannot have a mux of its own", EINVAL },
	{ "file:///a#mux=udp://239.1.1.1&mux_pid=31",
	  "mux_pid: 31 is not between 32 and 8190", EINVAL },
	{ "file:///a#mux=udp://239.1.1.1&mux_pid=100:8191",
	  "mux_pid: 8191 is not between 32 and 8190", EINVAL },
	{ "file:///a#mux=udp://239.1.1.1&mux_pid=100:",
	  "mux_pid: \"\" is not a number between 32 and 8190", EINVAL },
	{ "dvb://", "nothing follows dvb://", EINVAL },
	{ "dvb://a/b", "dvb: an id has only A-Z a-z 0-9 _ . -", EINVAL },
	{ "dvb://a#pnr=x", "pnr: \"x\" is not a number between 1 and 65535",
	  EINVAL },
	{ "rtsp://h/x", "type \"rtsp\" is not supported by this version; "
	  "convert it: ffmpeg -i ADDRESS -c copy -f mpegts "
	  "udp://127.0.0.1:PORT",
	  ENOTSUP },
	{ "stream://", "nothing follows stream://", EINVAL },
	{ "stream://0123456789012345678901234567890123456789"
	  "0123456789012345678901234", "stream: an id has at most 64 "
	  "characters", EINVAL },
	{ "gopher://x", "type \"gopher\" is not udp, rtp, file, "
	  "sdp, srt, rist, http, stream, dvb or https", EINVAL },
};

Test(io_spec, reads_a_pid_of_another_stream)
{
	struct input_spec spec;
	struct errmsg error;

	cr_assert_eq(input_spec_parse("file:///a#mux=rtp://eth1@239.1.1.1:"
				      "5%23src=10.0.0.1&mux_pid=100:900",
				      &spec, NULL, NULL, &error), 0);
	cr_assert_str_eq(spec.mux, "rtp://eth1@239.1.1.1:5#src=10.0.0.1");
	cr_assert_eq(spec.mux_pid, 100);
	cr_assert_eq(spec.mux_to, 900);
	cr_assert_eq(input_spec_parse("udp://239.1.1.9#mux=udp://239.1.1.1"
				      "&mux_pid=8190", &spec, NULL, NULL,
				      &error), 0);
	cr_assert_eq(spec.mux_pid, 8190);
	cr_assert_eq(spec.mux_to, 0);
}

Test(io_spec, refuses_inputs_with_the_field)
{
	for (size_t i = 0; i < ARRAY_LEN(bad_inputs); i++) {
		struct input_spec spec = { .renew_s = 77 };
		struct errmsg error = { 0 };

		cr_assert_eq(input_spec_parse(bad_inputs[i].text, &spec, NULL,
					      NULL, &error),
			     -bad_inputs[i].err, "%s", bad_inputs[i].text);
		cr_assert_str_eq(error.text, bad_inputs[i].error);
		cr_assert_eq(spec.renew_s, 77u, "written to on failure");
	}
}

static const struct {
	const char *text, *means;
} outputs[] = {
	{ "udp://239.1.1.1", "udp if= 239.1.1.1:1234 ttl=32 size=0 path= "
	  "buf=0" },
	{ "rtp://eth1@[ff0e::2]:99#ttl=5&socket_size=65536&sync",
	  "rtp if=eth1 [ff0e::2]:99 ttl=5 size=65536 path= buf=0" },
	{ "udp://127.0.0.1:5000#no_sync",
	  "udp if= 127.0.0.1:5000 ttl=32 size=0 path= buf=0" },
	{ "http://0.0.0.0:8100/news",
	  "http if= 0.0.0.0:8100 ttl=0 size=0 path=/news buf=0" },
	{ "http://:8100/news",
	  "http if= 0.0.0.0:8100 ttl=0 size=0 path=/news buf=0" },
	{ "http://*:8100/a/b.ts",
	  "http if= 0.0.0.0:8100 ttl=0 size=0 path=/a/b.ts buf=0" },
	{ "https://0:8100/x#buffer_size=1", "https if= 0.0.0.0:8100 ttl=0 "
	  "size=0 path=/x buf=1" },
	{ "http://0:8100/x", "http if= 0.0.0.0:8100 ttl=0 size=0 path=/x "
	  "buf=0" },
	{ "http://localhost:8100/x", "http if= 127.0.0.1:8100 ttl=0 size=0 "
	  "path=/x buf=0" },
	{ "http://10.0.0.1:8100/x", "http if= 10.0.0.1:8100 ttl=0 size=0 "
	  "path=/x buf=0" },
	{ "http://[::]:8100/x#buffer_size=2048",
	  "http if= [::]:8100 ttl=0 size=0 path=/x buf=2048" },
	{ "http://:8100/a%20b%25", "http if= 0.0.0.0:8100 ttl=0 size=0 "
	  "path=/a b% buf=0" },
	{ "http://:8100/mail@home:1", "http if= 0.0.0.0:8100 ttl=0 size=0 "
	  "path=/mail@home:1 buf=0" },
	{ "http://:8100/..a/b..", "http if= 0.0.0.0:8100 ttl=0 size=0 "
	  "path=/..a/b.. buf=0" },
};

Test(io_spec, reads_outputs)
{
	for (size_t i = 0; i < ARRAY_LEN(outputs); i++) {
		struct output_spec spec;
		struct errmsg error = { 0 };
		char text[2048];

		cr_assert_eq(output_spec_parse(outputs[i].text, &spec, NULL,
					       NULL, &error), 0, "%s: %s",
			     outputs[i].text, error.text);
		describe_output(&spec, text, sizeof text);
		cr_assert_str_eq(text, outputs[i].means);
	}
}

/* The options of pacing. */
Test(io_spec, reads_the_shape_of_an_output)
{
	static const char *const texts[] = {
		"udp://239.1.1.1#cbr=8000", "rtp://239.1.1.1#cbr=8000",
		"srt://127.0.0.1:9000#cbr=8000",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct output_spec spec;
		struct errmsg error = { 0 };

		cr_assert_eq(output_spec_parse(texts[i], &spec, NULL, NULL,
					       &error), 0, "%s", error.text);
		cr_assert_eq(spec.cbr_kbps, 8000);
		cr_assert_not(spec.no_sync || spec.join);
	}
}

Test(io_spec, reads_how_datagrams_are_sent)
{
	struct output_spec spec;
	struct errmsg error = { 0 };

	cr_assert_eq(output_spec_parse("rtp://239.1.1.1#dscp=46&join&no_sync",
				       &spec, NULL, NULL, &error), 0);
	cr_assert_eq(spec.dscp, 46);
	cr_assert(spec.join && spec.no_sync);
	cr_assert_eq(spec.ts_size, TS_SIZE_188);
	cr_assert_eq(output_spec_parse("udp://239.1.1.1#ts_size=204", &spec,
				       NULL, NULL, &error), 0);
	cr_assert_eq(spec.ts_size, TS_SIZE_204);
}

static const struct {
	const char *text, *error;
	int err;
} bad_outputs[] = {
	{ "udp://239.1.1.1#burst=11", "burst: 11 is not between 1 and 10 ms",
	  EINVAL },
	{ "udp://239.1.1.1#ts_size=192", "ts_size: \"192\" is not 188 or 204",
	  EINVAL },
	{ "rtp://239.1.1.1#ts_size=204&fec=5x5",
	  "fec: cannot be combined with ts_size=204", EINVAL },
	{ "udp://239.1.1.1#pacing=x",
	  "pacing: \"x\" is not tick, auto or "
	  "kernel",
	  EINVAL },
	{ "rtp://239.1.1.1#pacing=kernel&no_sync",
	  "no_sync: cannot be combined with pacing", EINVAL },
	{ "udp://239.1.1.1#burst=1&no_sync",
	  "no_sync: cannot be combined with burst", EINVAL },
	{ "udp://239.1.1.1#dscp=64", "dscp: 64 is not between 0 and 63",
	  EINVAL },
	{ "udp://10.0.0.1#join", "join: is for multicast groups only", EINVAL },
	{ "udp://10.0.0.1#cbr=200&no_sync",
	  "no_sync: cannot be combined with cbr", EINVAL },
	{ "udp://239.1.1.1#cbr=99",
	  "cbr: 99 is not between 100 and "
	  "1000000 kbit/s",
	  EINVAL },
	{ "udp://:1234", "host: is missing", EINVAL },
	{ "udp://0.0.0.0:1234", "host: 0.0.0.0 is not a destination", EINVAL },
	{ "udp://[::]:1234", "host: :: is not a destination", EINVAL },
	{ "udp://239.1.1.1#ttl=0", "ttl: 0 is not between 1 and 255", EINVAL },
	{ "udp://239.1.1.1#ttl=256", "ttl: 256 is not between 1 and 255",
	  EINVAL },
	{ "udp://239.1.1.1:70000", "port: 70000 is not a port (1 to 65535)",
	  EINVAL },
	{ "http://:8100", "path: is missing", EINVAL },
	{ "http://:8100/", "path: is missing", EINVAL },
	{ "http:///x", "port: is missing", EINVAL },
	{ "http://*/x", "port: is missing", EINVAL },
	{ "http://127.0.0.1/x", "port: is missing", EINVAL },
	{ "http://:0/x", "port: 0 is not a port (1 to 65535)", EINVAL },
	{ "http://:70000/x", "port: 70000 is not a port (1 to 65535)", EINVAL },
	{ "http://host:80/x", "host: \"host\" is not an IP address", EINVAL },
	{ "http://*x:80/x", "host: \"*x\" is not an IP address", EINVAL },
	{ "http://00:80/x", "host: \"00\" is not an IP address", EINVAL },
	{ "http://239.1.1.1:80/x", "host: 239.1.1.1 is a multicast address",
	  EINVAL },
	{ "http://eth0@1.2.3.4:80/x",
	  "interface: an http output has none; write the address of the "
	  "interface", EINVAL },
	{ "http://:80/x?y", "path: an output has no query ('?')", EINVAL },
	{ "http://:80?y", "path: an output has no query ('?')", EINVAL },
	{ "http://:80//", "path: is missing", EINVAL },
	{ "http://:80//x", "path: \"//x\": empty or '.' segment", EINVAL },
	{ "http://:80/a/%2e/x", "path: \"/a/%2e/x\": empty or '.' segment",
	  EINVAL },
	{ "http://:80/a/../x", "path: \"/a/../x\": '..' in the path", EINVAL },
	{ "http://:80/%2e%2e", "path: \"/%2e%2e\": '..' in the path", EINVAL },
	{ "http://:80/a%2fb", "path: \"/a%2fb\": encoded slash in the path",
	  EINVAL },
	{ "http://:80/a%00b", "path: \"/a%00b\": bad byte in the path",
	  EINVAL },
	{ "http://:80/a%2", "path: \"/a%2\": bad percent code in the path",
	  EINVAL },
	{ "http://:80/a%zz", "path: \"/a%zz\": bad percent code in the path",
	  EINVAL },
	{ "http://:80/a%2541", "path: \"/a%2541\": path encoded twice",
	  EINVAL },
	{ "http://:80/%ff", "path: \"/%ff\": path is not UTF-8", EINVAL },
	{ "http://:80/x#buffer_size=9999999",
	  "buffer_size: 9999999 is not between 0 and 1048576 KiB", EINVAL },
	{ "http://:80/x#buffer_fill=65537",
	  "buffer_fill: 65537 is not between 0 and 65536 KiB", EINVAL },
	{ "http://:80/x.m3u8#duration=0",
	  "duration: 0 is not between 1 and 30 s", EINVAL },
	{ "http://:80/x.m3u8#part=199",
	  "part: 199 is neither 0 nor between 200 and 2000", EINVAL },
	{ "https://:80/x.m3u8#part=2001",
	  "part: 2001 is not between 0 and 2000 ms", EINVAL },
	{ "http://:80/x.m3u8#quantity=2",
	  "quantity: 2 is not between 3 and 30", EINVAL },
	{ "udp://239.1.1.1#sap=ff0e::1",
	  "sap: \"ff0e::1\" is not a multicast group of the IP family of the "
	  "output", EINVAL },
	{ "rtp://239.1.1.1#sap&sap_interval=0",
	  "sap_interval: 0 is not between 1 and 3600 s", EINVAL },
	{ "np://:80/x", "host: is missing", EINVAL },
	{ "np://h/x#header.a b=c",
	  "header.a b: \"a b\" is not the name "
	  "of a header",
	  EINVAL },
	{ "np://h/x#timeout=0", "timeout: 0 is not between 1 and 600 s",
	  EINVAL },
	{ "file://x.ts", "path: does not begin with '/'", EINVAL },
	{ "file:///x/", "path: is a folder", EINVAL },
	{ "file:///%Y/x.ts", "path: '%' stands in the name of a folder",
	  EINVAL },
	{ "file:///x%n.ts",
	  "path: '%' has behind it none of Y y m d j H M S s F %", EINVAL },
	{ "file:///x%",
	  "path: '%' has behind it none of Y y m d j H M S s F "
	  "%",
	  EINVAL },
	{ "file:///x#rotate_time=-1",
	  "rotate_time: -1 is not between 1 and 2678400 s", EINVAL },
	{ "mailto://x", "type \"mailto\" is not udp, rtp, http, https, file, "
	  "np, srt or rist", EINVAL },
};

Test(io_spec, refuses_outputs_with_the_field)
{
	for (size_t i = 0; i < ARRAY_LEN(bad_outputs); i++) {
		struct output_spec spec = { .ttl = 77 };
		struct errmsg error = { 0 };

		cr_assert_eq(output_spec_parse(bad_outputs[i].text, &spec,
					       NULL, NULL, &error),
			     -bad_outputs[i].err, "%s", bad_outputs[i].text);
		cr_assert_str_eq(error.text, bad_outputs[i].error);
		cr_assert_eq(spec.ttl, 77u, "written to on failure");
	}
}

static void collect(const char *remark, void *arg)
{
	char *text = arg;

	(void)strcat(text, remark);
	(void)strcat(text, "; ");
}

Test(io_spec, reads_where_a_description_is)
{
	struct input_spec spec;

	cr_assert_eq(input_spec_parse("sdp:///srv/news.sdp#iface=eth0&media=2"
				      "&delay=300&renew=60", &spec, NULL, NULL,
				      NULL), 0);
	cr_assert_eq(spec.kind, INPUT_SDP);
	cr_assert_str_eq(spec.path, "/srv/news.sdp");
	cr_assert_str_eq(spec.iface, "eth0");
	cr_assert_eq(spec.sdp_media, 2);
	cr_assert_eq(spec.rtp.delay_ms, 300);
	cr_assert_eq(spec.rtp.reorder_ms, RTP_REORDER_DEFAULT_MS);
	cr_assert_eq(spec.renew_s, 60);
}

Test(io_spec, remarks_on_each_unknown_option_once)
{
	struct input_spec in;
	struct output_spec out;
	char text[256] = "";

	cr_assert_eq(input_spec_parse("udp://239.1.1.1:1#cam&t2mi.plp=1&"
				      "renew=1&t2mi.plp=2&loop&ddci", &in,
				      collect, text, NULL), 0);
	cr_assert_str_eq(text, "option \"cam\" is not known; "
			       "option \"t2mi.plp\" is not known; "
			       "option \"loop\" is for file, not for udp; "
			       "option \"ddci\" is not known; ");
	text[0] = '\0';
	cr_assert_eq(output_spec_parse("http://:1/x#ttl=1&alone", &out,
				       collect, text, NULL), 0);
	cr_assert_str_eq(text, "option \"ttl\" is for udp, rtp, not for "
			       "http; "
			       "option \"alone\" is not known; ");
}

Test(io_spec, names_the_option_that_was_probably_meant)
{
	struct input_spec in;
	struct output_spec out;
	char text[256] = "";

	cr_assert_eq(input_spec_parse("srt://h:1?latncy=5#wachdog=9&fliter=1",
				      &in, collect, text, NULL), 0);
	cr_assert_str_eq(text,
			 "option \"latncy\" is not known; is it "
			 "\"latency\"?; "
			 "option \"wachdog\" is not known; is it "
			 "\"watchdog\"?; "
			 "option \"fliter\" is not known; is it "
			 "\"filter\"?; ");
	text[0] = '\0';
	cr_assert_eq(output_spec_parse("udp://239.1.1.1:1#paceing=auto", &out,
				       collect, text, NULL), 0);
	cr_assert_str_eq(text, "option \"paceing\" is not known; is it "
			       "\"pacing\"?; ");
}

Test(io_spec, the_last_value_of_a_repeated_option_counts)
{
	static struct input_spec in;
	static struct output_spec out;
	struct errmsg error = { 0 };

	cr_assert_eq(output_spec_parse("rtp://239.1.1.1:2#fec=99x99&pacing=x&"
				       "fec=5x6&pacing=auto", &out, NULL, NULL,
				       &error), 0, "%s", error.text);
	cr_assert_eq(out.rtp.fec_columns, 5);
	cr_assert_eq(out.rtp.fec_rows, 6);
	cr_assert_eq(out.pacing, PACING_AUTO);
	cr_assert_eq(output_spec_parse("rtp://239.1.1.1:2#fec=5x6&fec=99x99",
				       &out, NULL, NULL, &error), -EINVAL);
	cr_assert_eq(input_spec_parse("udp://239.1.1.1:1#src=x&src=10.0.0.1",
				      &in, NULL, NULL, &error), 0, "%s",
		     error.text);
	cr_assert(in.has_source);
	cr_assert_eq(input_spec_parse("srt://h:1?latency=x&latency=y#"
				      "latency=300", &in, NULL, NULL, &error),
		     0, "%s", error.text);
	cr_assert_eq(in.srt.latency_ms, 300);
}

Test(io_spec, every_value_counts_where_an_option_is_a_list)
{
	static struct input_spec in;
	struct errmsg error = { 0 };

	cr_assert_eq(input_spec_parse("http://h/x#filter=7&filter=8&"
				      "map.audio=101&map.audio=102&"
				      "header.A=1&header.A=2", &in, NULL, NULL,
				      &error), 0, "%s", error.text);
	cr_assert(pid_set_has(&in.remux.drop, 7));
	cr_assert(pid_set_has(&in.remux.drop, 8));
	cr_assert_eq(in.remux.n_maps, 2);
	cr_assert_str_eq(in.http.headers, "A: 1\nA: 2\n");
}

Test(io_spec, refuses_a_path_that_does_not_fit)
{
	char text[IO_PATH_MAX + 64];
	struct output_spec spec;
	struct errmsg error;
	int n = sprintf(text, "http://:1/");

	memset(text + n, 'a', ADDRESS_TEXT_MAX - (size_t)n);
	text[ADDRESS_TEXT_MAX] = '\0';
	cr_assert_eq(output_spec_parse(text, &spec, NULL, NULL, &error), 0);
	text[ADDRESS_TEXT_MAX] = 'a';
	text[ADDRESS_TEXT_MAX + 1] = '\0';
	cr_assert_eq(output_spec_parse(text, &spec, NULL, NULL, &error),
		     -EINVAL);
}

Test(io_spec, refuses_an_input_id_that_does_not_fit)
{
	char text[256];
	char id[IO_ID_MAX + 2];
	struct input_spec spec;
	struct errmsg error;

	memset(id, 'i', sizeof id);
	id[IO_ID_MAX + 1] = '\0';
	(void)snprintf(text, sizeof text, "udp://:1#id=%s", id);
	cr_assert_eq(input_spec_parse(text, &spec, NULL, NULL, &error),
		     -EINVAL);
	cr_assert_str_eq(error.text, "id: is longer than 64 bytes");
	id[IO_ID_MAX] = '\0';
	(void)snprintf(text, sizeof text, "udp://:1#id=%s", id);
	cr_assert_eq(input_spec_parse(text, &spec, NULL, NULL, &error), 0);
	cr_assert_str_eq(spec.id, id);
}

Test(io_spec, a_path_that_ends_in_m3u8_is_hls)
{
	static const struct {
		const char *text;
		bool hls;
		unsigned duration_s, quantity;
	} cases[] = {
		{ "http://:8100/news.m3u8", true, 3, 4 },
		{ "https://:8100/a/index.m3u8#duration=6&quantity=10", true, 6,
		  10 },
		{ "http://:8100/news.m3u8.ts", false, 3, 4 },
		{ "http://:8100/m3u8", false, 3, 4 },
		/* its segments would have no folder */
		{ "http://:8100/a/.m3u8", false, 3, 4 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct output_spec spec;

		cr_assert_eq(output_spec_parse(cases[i].text, &spec, NULL, NULL,
					       NULL), 0, "%zu", i);
		cr_assert_eq(spec.hls, cases[i].hls, "%zu", i);
		cr_assert_eq(spec.hls_duration_s, cases[i].duration_s);
		cr_assert_eq(spec.hls_quantity, cases[i].quantity);
	}
}
