/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The vectors were recorded with OSCam as the server. */
#include "worker/softcam/card.h"
#include "worker/softcam/newcamd.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static const uint8_t usual[NEWCAMD_KEY] = { 1, 2, 3, 4, 5, 6, 7, 8, 9,
					    0x10, 0x11, 0x12, 0x13, 0x14 };

Test(newcamd, the_key_of_the_session_depends_on_the_password)
{
	static const uint8_t expected[] = {
		0x2c, 0x86, 0x07, 0x02, 0x37, 0x49, 0x91, 0xae,
		0x5e, 0x9d, 0x80, 0xe5, 0x80, 0x01, 0x45, 0x97,
	};
	char hash[NEWCAMD_HASH + 1];
	uint8_t key[NEWCAMD_DES_KEY];

	cr_assert_eq(newcamd_hash("testpass", hash), 0);
	cr_assert_str_eq(hash, "$1$abcdefgh$6gJwl2Gq42UpQ648BHSDI0");
	newcamd_session_key(usual, hash, key);
	cr_assert_arr_eq(key, expected, sizeof expected);
}

Test(newcamd, the_key_of_the_login_depends_on_the_greeting)
{
	static const uint8_t greeting[] = {
		0x07, 0x1b, 0x97, 0xba, 0x85, 0x04, 0xad,
		0x71, 0x07, 0xe5, 0x05, 0x2f, 0xe6, 0x1c,
	};
	static const uint8_t expected[] = {
		0x07, 0x0d, 0x64, 0x97, 0xe9, 0x01, 0x0b, 0x54,
		0x79, 0x86, 0xbc, 0xa2, 0x43, 0xef, 0xd5, 0x10,
	};
	uint8_t key[NEWCAMD_DES_KEY];

	newcamd_login_key(usual, greeting, key);
	cr_assert_arr_eq(key, expected, sizeof expected);
}

Test(newcamd, another_text_than_a_key_is_the_usual_key)
{
	static const char *const texts[] = {
		NULL, "", "0102", "010203040506070809101112131g",
		"01020304050607080910111213141", "0102030405060708091011121314",
	};
	uint8_t key[NEWCAMD_KEY];

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		newcamd_key_read(texts[i], key);
		cr_assert_arr_eq(key, usual, sizeof usual, "%zu", i);
	}
	newcamd_key_read("FFeeddccbbaa99887766554433ff", key);
	cr_assert_eq(key[0], 0xff);
	cr_assert_eq(key[13], 0xff);
}

Test(newcamd, messages_of_every_length_come_back)
{
	static const uint8_t key[NEWCAMD_DES_KEY] = { 3, 1, 4, 1, 5, 9 };
	uint8_t body[NEWCAMD_BODY_MAX + 1], frame[NEWCAMD_FRAME_MAX];
	struct newcamd_msg m;

	for (size_t i = 0; i < sizeof body; i++)
		body[i] = (uint8_t)(i * 7);
	for (size_t len = 0; len <= NEWCAMD_BODY_MAX; len++) {
		struct newcamd_msg sent = {
			.id = (uint16_t)len, .sid = 0x1234, .caid = 0x0b00,
			.provider = 0x56789a, .type = len % 2 ? 0x80 : 0xe4,
			.len = len, .body = body,
		};
		ssize_t n = newcamd_write(key, &sent, frame);

		cr_assert_gt(n, 0);
		cr_assert_eq(newcamd_frame_len(frame), n);
		cr_assert_eq(newcamd_read(key, frame, (size_t)n, &m), 0);
		cr_assert_eq(m.id, sent.id);
		cr_assert_eq(m.sid, sent.sid);
		cr_assert_eq(m.caid, sent.caid);
		cr_assert_eq(m.provider, sent.provider);
		cr_assert_eq(m.type, sent.type);
		cr_assert_eq(m.len, len);
		cr_assert_arr_eq(m.body, body, len);
	}
	m = (struct newcamd_msg){ .len = sizeof body, .body = body };
	cr_assert_eq(newcamd_write(key, &m, frame), -EMSGSIZE);
}

Test(newcamd, a_changed_frame_is_no_message)
{
	static const uint8_t key[NEWCAMD_DES_KEY] = { 3, 1, 4, 1, 5, 9 };
	uint8_t frame[NEWCAMD_FRAME_MAX], copy[NEWCAMD_FRAME_MAX];
	struct newcamd_msg m = { .type = 0xe4, .body = key, .len = 16 };
	ssize_t n = newcamd_write(key, &m, frame);
	unsigned refused = 0;

	cr_assert_gt(n, 0);
	for (size_t i = 0; i < (size_t)n; i++) {
		memcpy(copy, frame, sizeof copy);
		copy[i] ^= 0x11;
		refused += newcamd_read(key, copy, (size_t)n, &m) < 0;
	}
	/* a checksum of one byte may be right by chance */
	cr_assert_geq(refused, (unsigned)n - 2);
	for (size_t len = 0; len < (size_t)n; len++) {
		memcpy(copy, frame, sizeof copy);
		cr_assert_lt(newcamd_read(key, copy, len, &m), 0);
	}
}

Test(newcamd, lengths_that_no_frame_has_are_refused)
{
	for (unsigned len = 0; len < 0x10000; len++) {
		const uint8_t head[] = { (uint8_t)(len >> 8), (uint8_t)len };
		bool good = len % 8 == 0 && len >= 16 &&
			    len <= NEWCAMD_FRAME_MAX - 2;

		cr_assert_eq(newcamd_frame_len(head),
			     good ? (ssize_t)len + 2 : -EBADMSG, "%u", len);
	}
}

static const uint8_t card_body[] = {
	0x01, 0x0b, 0x00, 0x00, 0x00, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6, 0x02,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xde, 0xad, 0xbe, 0xef,
	0x00, 0x00, 0x12, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04,
};

Test(newcamd, a_card_has_its_providers)
{
	static const uint8_t ua[] = { 0, 0, 0xa1, 0xb2,
				      0xc3, 0xd4, 0xe5, 0xf6 };
	static const uint8_t sa[] = { 0, 0, 0, 0, 1, 2, 3, 4 };
	static const uint8_t id[] = { 0, 0, 0x12 };
	struct card card;

	cr_assert_eq(card_read(card_body, sizeof card_body, &card), 0);
	cr_assert_eq(card.caid, 0x0b00);
	cr_assert(card.au);
	cr_assert_arr_eq(card.ua, ua, sizeof ua);
	cr_assert_eq(card.n, 2);
	cr_assert_arr_eq(card.providers[1].id, id, sizeof id);
	cr_assert_arr_eq(card.providers[1].sa, sa, sizeof sa);
}

Test(newcamd, a_card_that_is_shorter_than_its_list_is_refused)
{
	uint8_t body[12 + 11 * 255] = { 0 };
	struct card card;

	for (size_t len = 0; len < sizeof card_body; len++)
		cr_assert_eq(card_read(card_body, len, &card), -EBADMSG);
	body[11] = CARD_PROVIDERS_MAX;
	cr_assert_eq(card_read(body, sizeof body, &card), 0);
	cr_assert_not(card.au);
	body[11] = CARD_PROVIDERS_MAX + 1;
	cr_assert_eq(card_read(body, sizeof body, &card), -EBADMSG);
}
