/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/satip/ses1.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

enum { PACKET_MAX = 512 };

/* A packet of the type APP with this text, padded to whole words. */
static size_t make_app(uint8_t *data, const char *name, const char *text)
{
	size_t len = strlen(text), size = 16 + (len + 3) / 4 * 4;

	memset(data, 0, size);
	data[0] = 0x80;
	data[1] = 204;
	data[3] = (uint8_t)(size / 4 - 1);
	memcpy(data + 8, name, 4);
	data[14] = (uint8_t)(len >> 8);
	data[15] = (uint8_t)len;
	memcpy(data + 16, text, len);
	return size;
}

static struct ses1 report(const char *text)
{
	uint8_t data[PACKET_MAX] = { 0x80, 200, 0, 1 };
	size_t len = 8 + make_app(data + 8, "SES1", text);
	struct ses1 s;

	cr_assert_eq(ses1_decode(data, len, &s), 0);
	return s;
}

Test(ses1, decodes_the_report_of_each_system)
{
	struct ses1 s = report("ver=1.0;src=1;tuner=2,240,1,7,11362.75,h,"
			       "dvbs2,8psk,on,0.35,27500,34;pids=0,17");

	cr_assert(s.has_tuner);
	cr_assert_eq(s.level, 240);
	cr_assert(s.lock);
	cr_assert_eq(s.quality, 7);
	cr_assert_eq(ses1_signal(&s), 94);
	cr_assert_eq(ses1_snr(&s), 47);
	s = report("ver=1.1;tuner=1,0,0,0,474,8,dvbt2,,,,,,,;pids=");
	cr_assert(s.has_tuner);
	cr_assert(!s.lock);
}

Test(ses1, bounds_what_servers_report)
{
	static const struct {
		const char *text;
		bool has_tuner, lock;
		unsigned level, quality;
	} cases[] = {
		{ "tuner=1,300,7,99,1", true, true, 255, 15 },
		{ "tuner=,10,1,3", true, true, 10, 3 },
		{ " TUNER = 1 , 10 , 0 , 3 ", true, false, 10, 3 },
		{ "tuner=1,-3,1,3", false, false, 0, 0 },
		{ "tuner=1,10,1", false, false, 0, 0 },
		{ "tuner=1,99999999999,1,3", false, false, 0, 0 },
		{ "tuner", false, false, 0, 0 },
		{ "", false, false, 0, 0 },
		{ ";;;=;tuner=1,2,1,4;=", true, true, 2, 4 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ses1 s = report(cases[i].text);

		cr_assert_eq(s.has_tuner, cases[i].has_tuner, "%zu", i);
		cr_assert_eq(s.lock, cases[i].lock, "%zu", i);
		cr_assert_eq(s.level, cases[i].level, "%zu", i);
		cr_assert_eq(s.quality, cases[i].quality, "%zu", i);
	}
}

Test(ses1, reads_no_further_than_the_packet)
{
	uint8_t data[PACKET_MAX];
	size_t len = make_app(data, "SES1", "tuner=1,2,1,4");
	struct ses1 s;

	data[14] = 0xff; /* length of the text */
	cr_assert_eq(ses1_decode(data, len, &s), 0);
	cr_assert(s.has_tuner);
	cr_assert_eq(ses1_decode(data, 15, &s), 0);
	cr_assert(!s.has_tuner);
	len = make_app(data, "XYZ1", "tuner=1,2,1,4");
	cr_assert_eq(ses1_decode(data, len, &s), 0);
	cr_assert(!s.has_tuner);
}

Test(ses1, knows_the_end_of_a_session_and_what_is_no_rtcp)
{
	static const uint8_t bye[] = { 0x80, 200, 0, 0, 0x81, 203, 0, 1,
				       0, 0, 0, 1 };
	static const uint8_t rtp[] = { 0x80, 33, 0, 0 };
	static const uint8_t mixed[] = { 0x80, 200, 0, 0, 0x47, 0, 0, 0 };
	struct ses1 s;

	cr_assert_eq(ses1_decode(bye, sizeof bye, &s), 0);
	cr_assert(s.bye);
	cr_assert_eq(ses1_decode(rtp, sizeof rtp, &s), -EBADMSG);
	cr_assert_eq(ses1_decode(mixed, sizeof mixed, &s), -EBADMSG);
	cr_assert_eq(ses1_decode(bye, 3, &s), -EBADMSG);
}
