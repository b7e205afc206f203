/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/address_open.h"

#include "proto/spec/io_type.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void expect(char *shown, const char *text, const char *wanted)
{
	cr_expect_str_eq(shown, wanted, "%s: %s", text, shown);
	free(shown);
}

Test(address_open, inputs)
{
	static const char *const cases[][2] = {
		/* what is known to be harmless stays */
		{ "udp://eth0@239.1.1.1:1234#socket_size=65536&pnr=5&id=a",
		  "udp://eth0@239.1.1.1:1234#socket_size=65536&pnr=5&id=a" },
		{ "file:///srv/a b.ts#loop", "file:///srv/a b.ts#loop" },
		{ "sdp:///srv/a.sdp#media=2", "sdp:///srv/a.sdp#media=2" },
		{ "stream://a001", "stream://a001" },
		{ "dvb://a002", "dvb://a002" },
		{ "srt://10.0.0.1@:9000#latency=120&pbkeylen=16",
		  "srt://10.0.0.1@:9000#latency=120&pbkeylen=16" },
		{ "rist://@:5000,[::1]:5002#buffer=70",
		  "rist://@:5000,[::1]:5002#buffer=70" },
		{ "http://h:8000", "http://h:8000" },
		{ "http://h/#follow=any&map.101=301",
		  "http://h/#follow=any&map.101=301" },
		/* logins, paths, queries */
		{ "http://olga:GEHEIM@[::1]:80/x#timeout=3",
		  "http://***@[::1]:80/***#timeout=3" },
		{ "https://GEHEIM@h/", "https://***@h/" },
		{ "http://h/live/olga/GEHEIM/1.ts", "http://h/***" },
		{ "http://h?t=GEHEIM", "http://h***" },
		{ "rist://olga:GEHEIM@h:1", "rist://***" },
		{ "srt://h:1?passphrase=GEHEIM-123&streamid=x",
		  "srt://h:1?***" },
		{ "srt://a/GEHEIM:1", "srt://***" },
		/* options: by the tables, whatever their spelling */
		{ "srt://h:1#passphrase=GEHEIM-123&latency=9",
		  "srt://h:1#passphrase=***&latency=9" },
		{ "srt://h:1#streamid=#!::u=olga,pwd=GEHEIM",
		  "srt://h:1#streamid=***" },
		{ "rist://h:1#secret=GEHEIM", "rist://h:1#secret=***" },
		{ "http://h/p#header.X-GEHEIM=GEHEIM&ua=GEHEIM",
		  "http://h/***#header.***&ua=***" },
		{ "udp://239.1.1.1:1#biss=123456ABCDEF&pasphrase=GEHEIM&ttl;p",
		  "udp://239.1.1.1:1#biss=***&***" },
		{ "srt://h:1#p%61ssphrase=GEHEIM-123&latency=9",
		  "srt://h:1#latency=9&***" },
		{ "srt://h:1#latency=9;passphrase=GEHEIM-123", "srt://***" },
		/* a value that does not count was not judged */
		{ "srt://h:1#latency=GEHEIM&latency=9",
		  "srt://h:1#latency=9&***" },
		/* addresses in options */
		{ "srt://h:1#merge=srt://h:2%23passphrase=GEHEIM-123%26latency"
		  "=5", "srt://h:1#merge=srt://h:2%23passphrase=***%26latency"
		  "=5" },
		/* what cannot be read */
		{ "udp://olga:GEHEIM@h:1", "udp://***" },
		{ "udp://239.1.1.1:1#socket_size=GEHEIM", "udp://***" },
		{ "dvb://GE/HEIM#x", "dvb://***" },
		{ "dvb://a001#pass=GEHEIM", "dvb://a001#***" },
		{ "GEHEIM://h", "***" }, { "GEHEIM", "***" }, { "", "***" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(address_open(cases[i][0], ADDRESS_INPUT), cases[i][0],
		       cases[i][1]);
}

Test(address_open, outputs)
{
	static const char *const cases[][2] = {
		{ "np://olga:GEHEIM@h:80/live/GEHEIM#header.X=GEHEIM",
		  "np://***@h:80/***#header.***" },
		{ "http://0:8100/news", "http://0:8100/news" },
		{ "rtp://239.1.1.1:5000#fec=5x5&path2=eth1@239.1.1.2:5000",
		  "rtp://239.1.1.1:5000#fec=5x5&path2=eth1@239.1.1.2:5000" },
		{ "file:///srv/%F.ts#rotate_time=60&key=GEHEIM",
		  "file:///srv/%F.ts#rotate_time=60&***" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(address_open(cases[i][0], ADDRESS_OUTPUT), cases[i][0],
		       cases[i][1]);
}

/* A row that is marked without thought shows a secret. */
Test(address_open, secrets_are_not_marked)
{
	static const char *const words[] = { "pass", "secret", "key", "header",
					     "streamid", "ua" };
	const struct io_type *const *lists[] = { io_input_types,
						 io_output_types };

	for (size_t l = 0; l < ARRAY_LEN(lists); l++)
		for (const struct io_type *const *t = lists[l]; *t; t++)
			for (size_t i = 0; i < (*t)->options->n; i++) {
				const struct field *f =
					&(*t)->options->rows[i];
				bool open = f->flags & FIELD_OBSERVER;

				cr_expect(!open || !(f->flags & FIELD_SECRET),
					  "%s", f->key);
				for (size_t w = 0; w < ARRAY_LEN(words); w++)
					cr_expect(!open ||
						  strncmp(f->key, words[w],
							  strlen(words[w])),
						  "%s", f->key);
				/* nothing judged the value */
				cr_expect(!open || f->type != FIELD_NONE ||
					  f->flags & FIELD_ADDRESS, "%s",
					  f->key);
			}
}

Test(address_open, hosts)
{
	expect(address_open_host("h"), "h", "h");
	expect(address_open_host("olga:GEHEIM@h"), "login", "***@h");
	expect(address_open_host("h/GEHEIM"), "path", "h/***");
	expect(address_open_host("a b"), "blank", "***");
}

Test(address_open, sentences)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "no packets for 3 s", "no packets for 3 s" },
		{ "bind 127.0.0.1:5004: Address already in use",
		  "bind 127.0.0.1:5004: Address already in use" },
		{ "input http://a:GEHEIM@h/x?key=1: refused, see np://c:d@h2",
		  "input http://***@h/*** refused, see np://***@h2" },
		{ "host: \"olga:GEHEIM\" is not \"GEHEIM\"",
		  "host: \"***\"" },
		{ "host: \"a \"GEHEIM\" is wrong: udp://239.1.1.1:1#x=GEHEIM",
		  "host: \"***\" is wrong: udp://239.1.1.1:1#***" },
		{ "cut in \"GEHEI", "cut in \"***\"" },
		{ "line 1: string or '}' expected near 'GEHEIM'",
		  "line 1: string or \"***\"" },
		{ "near '\"it's GEHEIM\"': x", "near \"***\": x" },
		{ "a stream's and a worker's end", "a stream's and a worker's "
						   "end" },
		{ "udp://239.1.1.1:1#x=\"GEHEIM\" and np://h/GEHEIM",
		  "udp://239.1.1.1:1#***\"***\" and np://h/***" },
		{ "://", "***" }, { "a ://GEHEIM", "a ***" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(address_open_sentence(cases[i][0]), cases[i][0],
		       cases[i][1]);
}
