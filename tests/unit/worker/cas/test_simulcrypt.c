/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/cas/simulcrypt.h"

#include "common/base/hex.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As a generator of another project sent it. */
static const char status_text[] =
	"0200030051" "000e00020001" "0002000100" "0016000200c8"
	"0017000200c8" "0003000200c8" "0004000200c8" "00050002fe0c"
	"000600020000" "000700020064" "000800020000" "00090002000a"
	"000a000101" "000b000102" "000c00020064";
static const char provision_text[] =
	"020201003b" "000e00020001" "000f00020001" "001200020000"
	"001300020014" "000d0003aabbcc"
	"0014000a00003b1689e4fe28ca7d" "0014000a0001a5fbb5b435d600a2";
static const char error_text[] =
	"0200050012" "000e00020000" "700000020002" "700100020000";

struct bytes {
	uint8_t data[256];
	size_t len;
};

static struct bytes bytes_of(const char *text)
{
	struct bytes b = { .len = strlen(text) / 2 };

	cr_assert(hex_read(text, b.data, b.len));
	return b;
}

static uint32_t number(const struct simulcrypt *m, uint16_t tag, size_t size)
{
	uint32_t n = 0;

	cr_assert_eq(simulcrypt_number(m, tag, size, &n), 0, "tag %04x", tag);
	return n;
}

Test(simulcrypt, reads_a_channel_status)
{
	struct bytes b = bytes_of(status_text);
	struct simulcrypt m;

	cr_assert_eq(simulcrypt_len(b.data), b.len);
	cr_assert_eq(simulcrypt_read(b.data, b.len, &m), 0);
	cr_assert_eq(m.version, 2);
	cr_assert_eq(m.type, ECMG_CHANNEL_STATUS);
	cr_assert_eq(number(&m, ECMG_CHANNEL_ID, 2), 1);
	cr_assert_eq(number(&m, ECMG_DELAY_START, 2), 200);
	cr_assert_eq(number(&m, ECMG_ECM_REP_PERIOD, 2), 100);
	cr_assert_eq(number(&m, ECMG_MIN_CP_DURATION, 2), 10);
	cr_assert_eq(number(&m, ECMG_LEAD_CW, 1), 1);
	cr_assert_eq(number(&m, ECMG_CW_PER_MSG, 1), 2);
	cr_assert_eq(number(&m, ECMG_MAX_COMP_TIME, 2), 100);
}

Test(simulcrypt, tells_an_absent_number_from_one_of_another_length)
{
	struct bytes b = bytes_of(status_text);
	struct simulcrypt m;
	uint32_t n = 7;

	cr_assert_eq(simulcrypt_read(b.data, b.len, &m), 0);
	cr_assert_eq(simulcrypt_number(&m, ECMG_CP_NUMBER, 2, &n), -ENOENT);
	cr_assert_eq(simulcrypt_number(&m, ECMG_LEAD_CW, 2, &n), -EBADMSG);
	cr_assert_eq(n, 7);
}

Test(simulcrypt, finds_each_of_several_parameters_with_one_tag)
{
	struct bytes b = bytes_of(provision_text);
	struct simulcrypt_parameter p;
	struct simulcrypt m;
	size_t at = 0, n = 0;

	cr_assert_eq(simulcrypt_read(b.data, b.len, &m), 0);
	while (simulcrypt_next(&m, &at, &p))
		if (p.tag == ECMG_CP_CW_COMBINATION) {
			cr_assert_eq(p.len, 2 + SIMULCRYPT_WORD);
			cr_assert_eq(p.value[1], n++);
		}
	cr_assert_eq(n, 2);
	cr_assert_eq(at, m.len);
}

Test(simulcrypt, names_an_error)
{
	struct bytes b = bytes_of(error_text);
	struct simulcrypt m;

	cr_assert_eq(simulcrypt_read(b.data, b.len, &m), 0);
	cr_assert_eq(simulcrypt_error(&m), 2);
	cr_assert_str_eq(simulcrypt_error_text(2),
			 "protocol version not supported");
	cr_assert_str_eq(simulcrypt_error_text(0x15), "ECM id in use");
	cr_assert_str_eq(simulcrypt_error_text(0x7001), "unrecoverable error");
	cr_assert_str_eq(simulcrypt_error_text(0xffff), "unknown error");
}

/* At each length the memory ends with the message: sanitizers see a read
 * beyond it. */
Test(simulcrypt, rejects_a_message_that_is_cut_or_longer_than_its_parameters)
{
	struct bytes b = bytes_of(provision_text);
	struct simulcrypt m;

	for (size_t len = 0; len < b.len; len++) {
		uint8_t *cut = malloc(len + 1);

		memcpy(cut, b.data, len);
		cr_assert_eq(simulcrypt_read(cut, len, &m), -EBADMSG);
		/* the same with a length that fits */
		if (len >= SIMULCRYPT_HEAD) {
			cut[3] = 0;
			cut[4] = (uint8_t)(len - SIMULCRYPT_HEAD);
			if (simulcrypt_read(cut, len, &m) == 0)
				cr_assert_leq(m.len, len);
		}
		free(cut);
	}
	b.data[8]++; /* a length of a parameter */
	cr_assert_eq(simulcrypt_read(b.data, b.len, &m), -EBADMSG);
}

Test(simulcrypt, writes_what_another_project_sent)
{
	static const uint8_t even[] = { 0, 0, 0x3b, 0x16, 0x89, 0xe4, 0xfe,
					0x28, 0xca, 0x7d };
	static const uint8_t odd[] = { 0, 1, 0xa5, 0xfb, 0xb5, 0xb4, 0x35,
				       0xd6, 0x00, 0xa2 };
	struct bytes b = bytes_of(provision_text);
	struct simulcrypt_writer w;
	uint8_t data[256];

	simulcrypt_begin(&w, data, sizeof data, 2, ECMG_CW_PROVISION);
	simulcrypt_put(&w, ECMG_CHANNEL_ID, 1, 2);
	simulcrypt_put(&w, ECMG_STREAM_ID, 1, 2);
	simulcrypt_put(&w, ECMG_CP_NUMBER, 0, 2);
	simulcrypt_put(&w, ECMG_CP_DURATION, 20, 2);
	simulcrypt_put_bytes(&w, ECMG_ACCESS_CRITERIA, "\xaa\xbb\xcc", 3);
	simulcrypt_put_bytes(&w, ECMG_CP_CW_COMBINATION, even, sizeof even);
	simulcrypt_put_bytes(&w, ECMG_CP_CW_COMBINATION, odd, sizeof odd);
	cr_assert_eq(simulcrypt_end(&w), b.len);
	cr_assert_arr_eq(data, b.data, b.len);
}

Test(simulcrypt, writes_nothing_that_does_not_fit)
{
	struct simulcrypt_writer w;
	uint8_t data[16];

	simulcrypt_begin(&w, data, sizeof data, 3, ECMG_CHANNEL_TEST);
	simulcrypt_put(&w, ECMG_CHANNEL_ID, 1, 2);
	cr_assert_eq(simulcrypt_end(&w), 11);
	simulcrypt_put(&w, ECMG_STREAM_ID, 1, 2);
	cr_assert_eq(simulcrypt_end(&w), 0);
	simulcrypt_begin(&w, data, 4, 3, ECMG_CHANNEL_TEST);
	cr_assert_eq(simulcrypt_end(&w), 0);
}
