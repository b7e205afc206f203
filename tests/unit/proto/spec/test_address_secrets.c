/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/address_secrets.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void expect(const char *text, const char *wanted)
{
	char *hidden = address_hide_secrets(text);

	if (wanted == NULL)
		cr_expect_null(hidden, "%s: %s", text, hidden);
	else
		cr_expect_str_eq(hidden, wanted);
	free(hidden);
}

Test(address_secrets, are_hidden)
{
	static const char *const cases[][2] = {
		{ "http://olga:geheim@example.org/a",
		  "http://olga:***@example.org/a" },
		{ "https://token@example.org/a", "https://***@example.org/a" },
		{ "http://a:b:c@d@[::1]:80/x#ua=y",
		  "http://a:***@[::1]:80/x#ua=y" },
		{ "srt://example.org:9000#latency=120&passphrase=very secret&x",
		  "srt://example.org:9000#latency=120&passphrase=***&x" },
		{ "srt://h:1?passphrase=abc%26def&streamid=x",
		  "srt://h:1?passphrase=***&streamid=x" },
		{ "rist://@:5000#secret=abc#y", "rist://@:5000#secret=***#y" },
		{ "http://h/p?a=1&TOKEN=abc&b=2#header.X-Api-Key=abc&ua=z",
		  "http://h/p?a=1&TOKEN=***&b=2#header.X-Api-Key=***&ua=z" },
		{ "http://h/p?auth=olga:geheim", "http://h/p?auth=***" },
		{ "udp://239.1.1.1:1234#biss=1122334455667788",
		  "udp://239.1.1.1:1234#biss=***" },
		/* in sentences, and twice */
		{ "input http://a:b@h/x?key=1: refused (see http://c:d@h2)",
		  "input http://a:***@h/x?key=*** refused (see "
		  "http://c:***@h2)" },
		{ "2 \"srt://h:1#passphrase=x\" is taken",
		  "2 \"srt://h:1#passphrase=***\" is taken" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(cases[i][0], cases[i][1]);
}

Test(address_secrets, other_texts_stay)
{
	static const char *const cases[] = {
		"", "news", "a:b@c", "udp://eth0@239.1.1.1:1234#sync",
		"srt://10.0.0.1@:9000#pbkeylen=16&latency=120",
		"http://h:8000/a:b@c?x=1#pass_sdt=1&pass_data",
		"file:///a/b.ts#loop", "stream://a001", "://", "http://",
		"passphrase=abc",
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(cases[i], NULL);
}
