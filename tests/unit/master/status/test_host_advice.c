/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/status/host_advice.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A host with these settings; the folder is left to the end of the test. */
struct host {
	char root[32];
	struct host_advice *advice;
};

static void put(const struct host *h, const char *name, long value)
{
	char path[256];
	FILE *file;

	(void)snprintf(path, sizeof path, "%s/%s", h->root, name);
	for (char *at = path + strlen(h->root) + 1;
	     (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		(void)mkdir(path, 0700);
		*at = '/';
	}
	file = fopen(path, "w");
	cr_assert_not_null(file, "%s", path);
	(void)fprintf(file, "%ld\n", value);
	(void)fclose(file);
}

static void open_host(struct host *h)
{
	(void)strcpy(h->root, "/tmp/host-XXXXXX");
	cr_assert_not_null(mkdtemp(h->root));
	h->advice = host_advice_new(h->root);
}

static void close_host(struct host *h)
{
	char command[64];

	host_advice_free(&h->advice);
	(void)snprintf(command, sizeof command, "rm -r %s", h->root);
	cr_assert_eq(system(command), 0);
}

/* The advice about a stream with this input, enabled or not. */
static size_t said(struct host *h, const char *input, bool enable,
		   uint64_t now_ms, const char *wanted)
{
	json_t *streams = json_pack("[{s:b, s:[s]}]", "enable", enable,
				    "input", input);
	const json_t *list = host_advice_look(h->advice, streams, now_ms);
	const char *first = json_string_value(json_object_iter_value(
		json_object_iter((json_t *)(uintptr_t)list)));

	json_decref(streams);
	if (wanted != NULL) {
		cr_assert_not_null(first, "%s", input);
		cr_assert_not_null(strstr(first, wanted), "%s", first);
	}
	return json_object_size(list);
}

Test(host_advice, names_the_buffer_that_is_too_small)
{
	static const struct {
		const char *input;
		const char *wanted;
	} cases[] = {
		{ "udp://127.0.0.1:5000",
		  "of 212992 bytes instead of 2097152, and" },
		{ "rtp://239.1.1.1:5000#socket_size=3000000",
		  "sysctl -w net.core.rmem_max=3000000" },
		{ "sdp:///x.sdp", "of 212992 bytes instead of 2097152, and" },
		{ "udp://239.1.1.1#socket_size=1&merge=udp://239.1.1.2"
		  "%23socket_size=4000000", "rmem_max=4000000" },
		{ "file:///x.ts#mux=udp://239.1.1.2&mux_pid=100",
		  "rmem_max=2097152" },
		{ "udp://239.1.1.1:5000#socket_size=200000", NULL },
		{ "file:///x.ts", NULL },
		{ "nonsense", NULL },
	};
	struct host h;

	open_host(&h);
	put(&h, "core/rmem_max", 212992);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cr_assert_eq(said(&h, cases[i].input, true,
				  (i + 1) * HOST_ADVICE_MS, cases[i].wanted),
			     cases[i].wanted != NULL, "%s", cases[i].input);
	}
	cr_assert_eq(said(&h, cases[0].input, false, 100 * HOST_ADVICE_MS,
			  NULL), 0);
	put(&h, "core/rmem_max", 2097152);
	cr_assert_eq(said(&h, cases[0].input, true, 101 * HOST_ADVICE_MS,
			  NULL), 0);
	close_host(&h);
}

Test(host_advice, names_the_interface_that_filters)
{
	static const struct {
		const char *input;
		long own, all;
		bool told;
	} cases[] = {
		{ "udp://e0@239.1.1.1", 1, 0, true },
		{ "udp://e0@239.1.1.1", 0, 1, true },
		{ "udp://e0@239.1.1.1", 2, 1, false },
		{ "udp://e0@239.1.1.1", 0, 0, false },
		{ "rtp://e1@239.1.1.1#merge=rtp://e0@239.1.1.2", 1, 0, true },
		{ "http://h/x#mux=udp://e0@239.1.1.2&mux_pid=100", 1, 0,
		  true },
		{ "sdp:///x.sdp#iface=e0", 1, 0, true },
		{ "udp://e0@10.0.0.1", 1, 1, false },
		{ "udp://e0@ff0e::1", 1, 1, false },
	};
	struct host h;

	open_host(&h);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		put(&h, "ipv4/conf/e0/rp_filter", cases[i].own);
		put(&h, "ipv4/conf/all/rp_filter", cases[i].all);
		cr_assert_eq(said(&h, cases[i].input, true,
				  (i + 1) * HOST_ADVICE_MS,
				  cases[i].told ? "net.ipv4.conf.e0.rp_filter=2"
						: NULL),
			     cases[i].told, "case %zu", i);
	}
	close_host(&h);
}

Test(host_advice, looks_now_and_then_only)
{
	struct host h;

	open_host(&h);
	cr_assert_eq(said(&h, "udp://:1", true, 1000, NULL), 0);
	put(&h, "core/rmem_max", 1);
	cr_assert_eq(said(&h, "udp://:1", true, 1000 + HOST_ADVICE_MS - 1,
			  NULL), 0);
	cr_assert_eq(said(&h, "udp://:1", true, 1000 + HOST_ADVICE_MS,
			  "rmem_max=2097152"), 1);
	close_host(&h);
}
