/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses as other programs spell them, and the remedy of each. */
#include "proto/spec/io_spec.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>

#define GROUP "write udp://GROUP:PORT or udp://INTERFACE@GROUP:PORT"
#define TUNER "a program that has the tuner can send udp, rtp or http"
#define CONVERT "convert it: ffmpeg -i ADDRESS -c copy -f mpegts " \
		"udp://127.0.0.1:PORT"
#define PLAYLIST "write http://HOST/NAME.m3u8 or https://HOST/NAME.m3u8"
#define LATER " is not supported by this version; "
#define UNKNOWN " is not known; "
#define INPUTS "udp, rtp, file, sdp, srt, rist, http, stream, dvb or https"

static const struct {
	const char *text, *error;
	int err;
} inputs[] = {
	{ "hls://h/x.m3u8", "type \"hls\"" UNKNOWN PLAYLIST, ENOTSUP },
	{ "m3u8://h/x.m3u8", "type \"m3u8\"" UNKNOWN PLAYLIST, EINVAL },
	{ "hls+https://h/x", "type \"hls+https\"" UNKNOWN PLAYLIST, EINVAL },
	{ "https+hls://h/x", "type \"https+hls\"" UNKNOWN PLAYLIST, EINVAL },
	{ "http+ts://h/x", "type \"http+ts\"" UNKNOWN "write http://",
	  EINVAL },
	{ "https+x://h/x", "type \"https+x\"" UNKNOWN "write https://",
	  EINVAL },
	{ "tshttp://h/x", "type \"tshttp\"" UNKNOWN "write http://HOST/PATH",
	  EINVAL },
	{ "igmp://239.1.1.1:5", "type \"igmp\"" UNKNOWN GROUP, EINVAL },
	{ "rtsp://h/x", "type \"rtsp\"" LATER CONVERT, ENOTSUP },
	{ "rtsps://h/x", "type \"rtsps\"" UNKNOWN CONVERT, EINVAL },
	{ "rtmp://h/x", "type \"rtmp\"" LATER CONVERT, ENOTSUP },
	{ "satip://h/x", "type \"satip\"" UNKNOWN "write http://SERVER/?src=1"
	  "&freq=... if the server streams by HTTP", EINVAL },
	{ "dvb-s://frequency=1", "type \"dvb-s\"" UNKNOWN TUNER, EINVAL },
	{ "asi://a1", "type \"asi\"" LATER TUNER, ENOTSUP },
	{ "srt-listener://:9000", "type \"srt-listener\"" UNKNOWN "write "
	  "srt://HOST:PORT, or srt://:PORT to wait for a caller", EINVAL },
	{ "publish://", "nothing follows publish://", EINVAL },
	{ "publish://x", "type \"publish\"" UNKNOWN "write srt://:PORT: a "
	  "publisher calls it", EINVAL },
	{ "copy://news", "type \"copy\"" UNKNOWN "write stream://ID", EINVAL },
	{ "np://h/x", "type \"np\"" UNKNOWN "it is a type of outputs",
	  EINVAL },
	{ "gopher://x", "type \"gopher\" is not " INPUTS, EINVAL },
	{ "stop://x", "type \"stop\" is not supported by this version",
	  ENOTSUP },
	{ "+://x", "type \"+\" is not " INPUTS, EINVAL },
	/* without a type */
	{ "239.1.1.1:5004/udp", "\"239.1.1.1:5004/udp\" is not type://target; "
	  GROUP, EINVAL },
	{ "@239.1.1.1:5", "\"@239.1.1.1:5\" is not type://target; " GROUP,
	  EINVAL },
	{ "/srv/a.ts", "\"/srv/a.ts\" is not type://target; write "
	  "file:///PATH", EINVAL },
	{ "file:/srv/a.ts", "\"file:/srv/a.ts\" is not type://target; write "
	  "file:///PATH", EINVAL },
	{ "udp:239.1.1.1", "\"udp:239.1.1.1\" is not type://target; write "
	  "udp://", EINVAL },
	{ "news", "\"news\" is not type://target", EINVAL },
	/* targets */
	{ "udp://239.1.1.1:5/eth0", "port: a '/' follows; write an interface "
	  "in front of an @", EINVAL },
	{ "rtp://239.1.1.1:5?localaddr=10.0.0.1", "port: a '?' follows; "
	  "options begin with '#'", EINVAL },
	{ "srt://h:5?streamid=#!::r=live,m=request", "streamid: a '#' in it "
	  "is written %23, and a '&' %26", EINVAL },
};

static const struct {
	const char *text, *error;
} outputs[] = {
	{ "hls://h/x.m3u8", "type \"hls\"" UNKNOWN "write "
	  "http://:PORT/NAME.m3u8" },
	{ "tshttps://h/x", "type \"tshttps\"" UNKNOWN "write "
	  "https://:PORT/PATH" },
	{ "rtmp://h/x", "type \"rtmp\"" LATER "ffmpeg can read an http "
	  "output and publish it" },
	{ "sdp:///x", "type \"sdp\"" UNKNOWN "it is a type of inputs" },
	{ "udp://239.1.1.1:5?ttl=3", "port: a '?' follows; options begin with "
	  "'#'" },
	{ "239.1.1.1:5", "\"239.1.1.1:5\" is not type://target; " GROUP },
};

Test(io_foreign, an_input_of_another_program_has_a_remedy)
{
	static struct input_spec spec;

	for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
		struct errmsg error = { 0 };

		cr_assert_eq(input_spec_parse(inputs[i].text, &spec, NULL,
					      NULL, &error), -inputs[i].err,
			     "%s: %s", inputs[i].text, error.text);
		cr_expect_str_eq(error.text, inputs[i].error);
	}
}

Test(io_foreign, an_output_of_another_program_has_a_remedy)
{
	static struct output_spec spec;

	for (size_t i = 0; i < ARRAY_LEN(outputs); i++) {
		struct errmsg error = { 0 };

		cr_assert_lt(output_spec_parse(outputs[i].text, &spec, NULL,
					       NULL, &error), 0, "%s",
			     outputs[i].text);
		cr_expect_str_eq(error.text, outputs[i].error);
	}
}

Test(io_foreign, the_spellings_of_others_that_pass)
{
	static const char *const texts[] = {
		"udp://@239.1.1.1:5", "udp://@:5", "rtp://@239.1.1.1:5",
		"srt://h:5?mode=client", "srt://:5?mode=server",
		"rist://@:6", "http://h/x.m3u8?a=b",
	};
	static struct input_spec spec;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct errmsg error = { 0 };

		cr_expect_eq(input_spec_parse(texts[i], &spec, NULL, NULL,
					      &error), 0, "%s: %s", texts[i],
			     error.text);
	}
	cr_assert_eq(input_spec_parse("srt://h:5?mode=server", &spec, NULL,
				      NULL, NULL), 0);
	cr_assert_eq(spec.srt.mode, SRT_LISTENER);
}

static void keep(const char *remark, void *arg)
{
	(void)snprintf(arg, 256, "%s", remark);
}

static const struct {
	bool input;
	const char *text, *remark;
} options[] = {
	{ true, "file:///a#buffer=5", "option \"buffer\" is for rist, not for "
	  "file" },
	{ true, "udp://:1#loop", "option \"loop\" is for file, not for udp" },
	{ true, "udp://:1#fec", "option \"fec\" is for rtp, not for udp" },
	{ true, "file:///a#src=10.0.0.1", "option \"src\" is for udp, rtp, "
	  "not for file" },
	{ true, "udp://:1#ttl=5", "option \"ttl\" is for outputs (udp, rtp)" },
	{ true, "udp://:1#backup_type=passive", "option \"backup_type\" is a "
	  "key of the stream" },
	{ false, "http://:1/x#ttl=1", "option \"ttl\" is for udp, rtp, not for "
	  "http" },
	{ false, "http://:1/x#pnr=1", "option \"pnr\" is for inputs" },
	{ false, "udp://239.1.1.1:1#renew=5", "option \"renew\" is for inputs "
	  "(udp, rtp, sdp)" },
	/* without effect in that type */
	{ true, "http://h/x#sndbuf=5", "option \"sndbuf\" is for outputs "
	  "(srt)" },
	/* the words of others */
	{ true, "udp://:1#localaddr=10.0.0.1", "option \"localaddr\" is not "
	  "known; write the interface in front of an @" },
	{ true, "udp://:1#fifo_size=7", "option \"fifo_size\" is not known; "
	  "write socket_size" },
	{ false, "udp://239.1.1.1:1#pkt_size=1316", "option \"pkt_size\" is "
	  "not known; a datagram has up to 7 packets" },
	{ true, "http://h/x#user_agent=x", "option \"user_agent\" is not "
	  "known; write ua" },
	{ true, "file:///a#sid=7", "option \"sid\" is not known; write pnr" },
	{ true, "udp://:1#t2mi.plp=1", "option \"t2mi.plp\" is not known" },
};

Test(io_foreign, an_option_of_another_type_names_the_types_that_have_it)
{
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		static struct input_spec in;
		static struct output_spec out;
		char remark[256] = "";
		int r = options[i].input
			? input_spec_parse(options[i].text, &in, keep, remark,
					   NULL)
			: output_spec_parse(options[i].text, &out, keep,
					    remark, NULL);

		cr_assert_eq(r, 0, "%s", options[i].text);
		cr_expect_str_eq(remark, options[i].remark);
	}
}
