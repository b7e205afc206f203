/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses that do not have the likely intended effect: each with the field
 * that is wrong, as -t, set-stream and set-config name it. */
#include "common/base/util.h"
#include "master/config/check.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define WARNING "warning "
#define TWICE(key) WARNING key ": is given several times, and only the " \
	"last value counts"

struct wrong {
	const char *address;
	const char *said;
};

/* One line per finding. */
static void note(enum check_severity severity, const char *path,
		 const char *text, void *arg)
{
	char *all = arg;
	size_t len = strlen(all);

	cr_expect(strncmp(path, "stream.", 7) == 0);
	(void)snprintf(all + len, 512 - len, "%s%s",
		       severity == CHECK_WARNING ? WARNING : "", text);
}

static void judge(const char *key, const char *address, char said[512])
{
	json_t *stream = json_pack("{s:s, s:b, s:s, s:[s]}", "id", "x",
				   "enable", 1, "type", "spts", key, address);
	const struct check_place place = { .path = "stream" };

	said[0] = '\0';
	cr_assert_not_null(stream);
	(void)check_stream(stream, &place, note, said);
	json_decref(stream);
}

static const struct wrong inputs[] = {
	{ "http://127.0.0.1:8080/x", "" },
	{ "http://127.0.0.1:99999/x",
	  "port: 99999 is not a port (1 to 65535)" },
	{ "http://127.0.0.1:0/x", "port: 0 is not a port (1 to 65535)" },
	{ "http://127.0.0.1:abc/x", "port: abc is not a port (1 to 65535)" },
	{ "http://127.0.0.1:-1/x", "port: -1 is not a port (1 to 65535)" },
	{ "http://127.0.0.1:/x", "port: nothing follows ':'" },
	{ "https://[::1]:99999/x", "port: 99999 is not a port (1 to 65535)" },
	{ "https://[::1/x", "host: ']' is missing" },
	{ "https://u:1@h:65535/x:9?a=:b", "" },
	{ "http://u:p@/x", "host: is missing" },
	{ "udp://239.1.1.1:1#merge=udp://239.1.1.2:1#delay=100",
	  "merge: a '#' in it is written %23, and a '&' %26" },
	{ "udp://239.1.1.1:1#merge=udp://239.1.1.2:1%23renew=5&delay=100",
	  "" },
	{ "udp://239.1.1.1:1#mux=udp://239.1.1.2:1#renew=5&mux_pid=100",
	  "mux: a '#' in it is written %23, and a '&' %26" },
	{ "udp://239.1.1.1:1#delay=100",
	  WARNING "delay: does nothing without merge" },
	{ "rtp://239.1.1.1:1#skew=100",
	  WARNING "skew: does nothing without merge" },
	{ "rtp://239.1.1.1:1#skew=100&skew=90",
	  WARNING "skew: does nothing without merge" TWICE("skew") },
	{ "rtp://239.1.1.1:1#delay=100", "" },
	{ "srt://h:1#delay=100", WARNING "delay: does nothing without merge" },
	{ "udp://239.1.1.1:1#sync", WARNING "sync: does nothing here" },
	{ "rtp://239.1.1.1:1#sync&sync",
	  WARNING "sync: does nothing here" TWICE("sync") },
	{ "udp://239.1.1.1:1#no_sync&ts_size=204", "" },
	{ "http://h/x#sync", "" },
	{ "http://h/x#sync=x", "sync: \"x\" is not true or false" },
	{ "http://h/x#debug", WARNING "debug: does nothing here" },
	{ "http://h/x#watchdog=9", "" },
	{ "file:///x.ts#watchdog=9", WARNING "watchdog: does nothing here" },
	{ "rist://@127.0.0.1:5000?secret=abcdef#aes-type=256", "" },
	{ "rist://@127.0.0.1:5000?secret=abcdef&aes-type=256", "" },
	{ "rist://@127.0.0.1:5000?aes-type=256",
	  WARNING "aes-type: does nothing without secret" },
	{ "srt://:9000?passphrase=0123456789#pbkeylen=32", "" },
	{ "srt://:9000?pbkeylen=32",
	  WARNING "pbkeylen: does nothing without passphrase" },
	{ "stream://x#no_reload", WARNING "no_reload: does nothing here"
	  "stream \"x\" would receive what it sends itself" },
	{ "stream://x/1",
	  "stream: \"x/1\" is not an id: it has only A-Z a-z 0-9 _ . -" },
	{ "udp://:1#watchdog=9&no_reload",
	  WARNING "watchdog: does nothing beside no_reload" },
	{ "udp://:1#cc_limit=9&no_analyze",
	  WARNING "cc_limit: does nothing beside no_analyze" },
	{ "srt://h:1#pbkeylen=16",
	  WARNING "pbkeylen: does nothing without passphrase" },
	{ "srt://h:1#oheadbw=25", WARNING "oheadbw: does nothing here" },
	{ "srt://h:1#rcvbuf=9000000", "" },
	{ "rist://h:1#aes-type=256",
	  WARNING "aes-type: does nothing without secret" },
	{ "file://rel.ts", "path: does not begin with '/'" },
	{ "file:///var/", "path: is a folder" },
	{ "http://h/x#ca=x.pem", "ca: \"x.pem\" is not an absolute path" },
	{ "http://h/x#buffer_size=10",
	  "buffer_size: 10 is not between 1024 and 262144 KiB" },
	{ "udp://239.1.1.1#bitrate_limit=-1",
	  "bitrate_limit: -1 is not between 0 and 10000000 kbit/s" },
	{ "udp://239.1.1.1#watchdog=-5",
	  "watchdog: -5 is not between 0 and 86400 s" },
	{ "udp://239.1.1.1#watchdog=-",
	  "watchdog: \"-\" is not a number between 0 and 86400 s" },
	{ "udp://239.1.1.1#watchdog=--5",
	  "watchdog: \"--5\" is not a number between 0 and 86400 s" },
	{ "udp://239.1.1.1#pnr=-3", "pnr: -3 is not between 1 and 65535" },
	{ "rist://h:5000#buffer=-3",
	  "buffer: -3 is not between 1 and 30000 ms" },
	{ "rist://h:5000#secret=a&aes-type=64",
	  "aes-type: 64 is not 128 or 256" },
	{ "rist://h:5000#secret=a&aes-type=200",
	  "aes-type: 200 is not 128 or 256" },
	{ "rist://h:5000#secret=a&aes-type=x",
	  "aes-type: x is not 128 or 256" },
	{ "rist://h:5000#secret=a&aes-type=5000000000",
	  "aes-type: 5000000000 is not 128 or 256" },
};

static const struct wrong outputs[] = {
	{ "np://127.0.0.1:99999/x", "port: 99999 is not a port (1 to 65535)" },
	{ "np://u:p@127.0.0.1:18091/push", "" },
	{ "http://127.0.0.1:70000/x",
	  "port: 70000 is not a port (1 to 65535)" },
	{ "https://127.0.0.1:8443/x",
	  WARNING "https needs the certificate of settings.crt_chain: no "
		  "viewer is served" },
	{ "http://127.0.0.1:81/x#buffer_size=10",
	  WARNING "buffer_size: 10 KiB is too small: 16384 KiB are used" },
	{ "http://127.0.0.1:81/x#buffer_size=16384", "" },
	{ "udp://127.0.0.1:1#sap", "sap: is for multicast groups only" },
	{ "udp://239.1.1.1:1#sap=127.0.0.1",
	  "sap: \"127.0.0.1\" is not a multicast group of the IP family of the "
	  "output" },
	{ "udp://239.1.1.1:1#sap_interval=5",
	  WARNING "sap_interval: does nothing without sap" },
	{ "udp://239.1.1.1:1#sap&sap_interval=5", "" },
	{ "udp://239.1.1.1:1#sync", "" },
	{ "udp://239.1.1.1:1#sync=0&cbr=1000",
	  "no_sync: cannot be combined with cbr" },
	{ "udp://239.1.1.1:1#sync=x", "sync: \"x\" is not true or false" },
	{ "srt://h:1#pbkeylen=16",
	  WARNING "pbkeylen: does nothing without passphrase" },
	{ "srt://h:1#rcvbuf=9000000", WARNING "rcvbuf: does nothing here" },
	{ "srt://h:1#oheadbw=25", "" },
	{ "rist://h:1#aes-type=256",
	  WARNING "aes-type: does nothing without secret" },
	{ "rtp://239.1.1.1:1#path2=rtp://127.0.0.1:18105",
	  "path2: \"rtp://127.0.0.1:18105\" is not [iface@]host[:port]: "
	  "write no type and no options, because the second path has those of "
	  "the first" },
	{ "rtp://239.1.1.1:1#path2=239.1.1.2:1#ttl=4",
	  "path2: \"239.1.1.2:1#ttl=4\" is not [iface@]host[:port]: write "
	  "no type and no options, because the second path has those of the "
	  "first" },
	{ "file:///rec/x.ts#rotate_time=0",
	  "rotate_time: 0 is not between 1 and 2678400 s" },
	{ "file:///rec/x.ts#rotate_size=0",
	  "rotate_size: 0 is not between 1 and 1048576 MiB" },
	{ "file:///rec/x.ts#min_free=0", "" },
	{ "udp://239.1.1.1:1#ttl=-1", "ttl: -1 is not between 1 and 255" },
};

static void judge_all(const char *key, const struct wrong *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char said[512];

		judge(key, list[i].address, said);
		cr_expect_str_eq(said, list[i].said, "%s: %s",
				 list[i].address, said);
	}
}

Test(check_addresses, name_the_field_of_an_input_that_is_wrong)
{
	judge_all("input", inputs, ARRAY_LEN(inputs));
}

Test(check_addresses, name_the_field_of_an_output_that_is_wrong)
{
	judge_all("output", outputs, ARRAY_LEN(outputs));
}

Test(check_addresses, https_is_valid_with_a_certificate)
{
	json_t *document = json_pack(
		"{s:{s:s, s:s}, s:[{s:s, s:b, s:s, s:[s]}]}", "settings",
		"crt_chain", "/a", "crt_key", "/b", "make_stream", "id", "x",
		"enable", 1, "type", "spts", "output", "https://:8443/x");
	char said[512] = "";

	cr_assert_eq(check_document(document, NULL, note, said), 0u);
	cr_assert_str_eq(said, "");
	json_decref(document);
}

Test(check_addresses, a_version_of_a_table_beyond_31_is_odd)
{
	json_t *stream = json_pack("{s:s, s:b, s:s, s:i, s:i}", "id", "x",
				   "enable", 1, "type", "spts", "pmt_version",
				   99, "pat_version", 31);
	const struct check_place place = { .path = "stream" };
	char said[512] = "";

	cr_assert_eq(check_stream(stream, &place, note, said), 0u);
	cr_assert_str_eq(said, WARNING "99 is above 31: it counts as 3");
	json_decref(stream);
}

static void note_text(enum check_severity severity, const char *path,
		      const char *text, void *arg)
{
	cr_assert_eq(severity, CHECK_WARNING);
	(void)snprintf(arg, 512, "%s: %s", path, text);
}

Test(check_addresses, an_output_that_is_always_on_leaves_keep_active_idle)
{
	json_t *stream = json_pack("{s:s, s:b, s:s, s:i, s:[s, s]}", "id", "x",
				   "enable", 1, "type", "spts",
				   "http_keep_active", 0, "output",
				   "http://127.0.0.1:8100/x", "udp://1.2.3.4");
	json_t *document = json_pack("{s:{s:i, s:b}}", "settings",
				     "http_keep_active", 5, "http_play_hls",
				     1);
	const struct check_place place = { .path = "stream" };
	char said[512] = "";

	cr_assert_eq(check_stream(stream, &place, note, said), 0u);
	cr_assert_str_eq(said, WARNING "has no effect: output 2 is always on");
	cr_assert_eq(check_document(document, NULL, note_text, said), 0u);
	cr_assert_not_null(strstr(said, "has no effect while http_play_hls is "
					"true and hls_on_demand is not"), "%s",
			   said);
	json_decref(stream);
	json_decref(document);
}

static bool takes_control_path(const char *path)
{
	json_t *settings = json_pack("{s:s}", "control_path", path);
	struct errmsg error;
	int r = check_section("settings", settings, &error);

	cr_expect(r == 0 || strncmp(error.text, "settings.control_path: ",
				    23) == 0, "%s", error.text);
	json_decref(settings);
	return r == 0;
}

Test(check_addresses, rejects_a_control_path_that_no_request_reaches)
{
	static const char *const bad[] = {
		"a/../b", "/..", "a//b", "a/./b", "a%2fb", "a%41", "a?b",
		"a?", "a#b", "a\\b", "a\nb", "a/../",
	};
	static const char *const good[] = {
		"", "/", "tv", "/tv/", "//tv//", "north/side",
		"a.b/..c/-_~", "a b", "\xc3\xbc",
	};
	char text[CONTROL_PATH_MAX + 2] = "";

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		cr_expect(!takes_control_path(bad[i]), "%s", bad[i]);
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		cr_expect(takes_control_path(good[i]), "%s", good[i]);
	memset(text, 'a', CONTROL_PATH_MAX);
	cr_assert(takes_control_path(text));
	text[CONTROL_PATH_MAX] = 'a';
	cr_assert_not(takes_control_path(text));
}
