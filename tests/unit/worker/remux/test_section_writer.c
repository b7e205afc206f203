/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/section_writer.h"

#include "common/base/crc32.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct section_head head = {
	.table_id = 0x42, .dvb = true, .extension = 0x1234, .version = 21,
	.number = 1, .last = 2, .limit = 1024,
};

Test(section_writer, writes_header_lengths_and_crc)
{
	static const uint8_t expected[] = {
		0x42, 0xf0, 0x0f, 0x12, 0x34, 0xeb, 1, 2,
		0xe1, 0x00, 0xf0, 0x02, 0xaa, 0xbb,
	};
	uint8_t data[1024];
	struct section_writer w;
	size_t at, len;

	section_begin(&w, data, &head);
	write_pid(&w, 0x100);
	at = write_loop_begin(&w);
	write_u16(&w, 0xaabb);
	write_loop_end(&w, at);
	len = section_end(&w);
	cr_assert_eq(len, sizeof expected + 4);
	cr_assert_arr_eq(data + 3, expected + 3, sizeof expected - 3);
	cr_assert_eq(data[0], 0x42);
	cr_assert_eq(data[1], 0xf0);
	cr_assert_eq(section_length(data), len);
	cr_assert_eq(crc32_mpeg(data, len), 0);
}

Test(section_writer, leaves_the_private_bit_to_dvb)
{
	struct section_head mpeg = head;
	uint8_t data[1024];
	struct section_writer w;

	mpeg.dvb = false;
	section_begin(&w, data, &mpeg);
	cr_assert_eq(section_end(&w), 12);
	cr_assert_eq(data[1], 0xb0);
}

Test(section_writer, fills_a_section_to_its_last_byte_and_no_further)
{
	static const uint8_t fill[1024];
	uint8_t data[1025];
	struct section_writer w;

	data[1024] = 0x5a;
	section_begin(&w, data, &head);
	cr_assert(write_fits(&w, 1024 - 8 - 4));
	cr_assert_not(write_fits(&w, 1024 - 8 - 3));
	write_bytes(&w, fill, 1024 - 8 - 4);
	cr_assert_eq(section_end(&w), 1024);
	cr_assert_eq(crc32_mpeg(data, 1024), 0);

	section_begin(&w, data, &head);
	write_bytes(&w, fill, 1024 - 8 - 3);
	cr_assert_not(write_fits(&w, 1));
	cr_assert_eq(section_end(&w), 0);
	cr_assert_eq(data[1024], 0x5a);
}
