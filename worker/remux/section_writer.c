/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/section_writer.h"

#include "common/base/crc32.h"

#include <string.h>

enum { LENGTH_AT = 1, LENGTH_END = 3 };

void section_begin(struct section_writer *w, uint8_t *memory,
		   const struct section_head *h)
{
	*w = (struct section_writer){
		.data = memory, .limit = h->limit - SECTION_CRC,
	};
	write_u8(w, h->table_id);
	write_u16(w, h->dvb ? 0xf000 : 0xb000);
	write_u16(w, h->extension);
	write_u8(w, 0xc1u | (h->version & 0x1fu) << 1);
	write_u8(w, h->number);
	write_u8(w, h->last);
}

void section_seal(uint8_t *section, size_t len)
{
	uint32_t crc = crc32_mpeg(section, len - SECTION_CRC);

	for (size_t i = 0; i < SECTION_CRC; i++)
		section[len - SECTION_CRC + i] =
			(uint8_t)(crc >> (24 - 8 * i));
}

size_t section_end(struct section_writer *w)
{
	size_t len = w->len + SECTION_CRC;
	size_t behind = len - LENGTH_END;

	if (w->full)
		return 0;
	w->data[LENGTH_AT] |= (uint8_t)(behind >> 8 & 0x0f);
	w->data[LENGTH_AT + 1] = (uint8_t)behind;
	section_seal(w->data, len);
	return len;
}

void write_bytes(struct section_writer *w, const void *data, size_t len)
{
	if (!write_fits(w, len)) {
		w->full = true;
		return;
	}
	if (len > 0)
		memcpy(w->data + w->len, data, len);
	w->len += len;
}

void write_u8(struct section_writer *w, unsigned value)
{
	uint8_t byte = (uint8_t)value;

	write_bytes(w, &byte, 1);
}

void write_u16(struct section_writer *w, unsigned value)
{
	uint8_t bytes[] = { (uint8_t)(value >> 8), (uint8_t)value };

	write_bytes(w, bytes, sizeof bytes);
}

void write_pid(struct section_writer *w, uint16_t pid)
{
	write_u16(w, 0xe000u | (pid & 0x1fffu));
}

size_t write_loop_begin(struct section_writer *w)
{
	size_t at = w->len;

	write_u16(w, 0xf000);
	return at;
}

void write_loop_end(struct section_writer *w, size_t at)
{
	size_t len = w->len - at - 2;

	if (w->full)
		return;
	w->data[at] |= (uint8_t)(len >> 8 & 0x0f);
	w->data[at + 1] = (uint8_t)len;
}
