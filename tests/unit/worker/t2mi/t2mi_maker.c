/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/t2mi/t2mi_maker.h"

#include "common/base/crc32.h"
#include "common/base/util.h"

#include <assert.h>
#include <string.h>

enum { FRAME_MAX = 8000 };

static uint8_t crc8(const uint8_t *data, size_t len)
{
	unsigned crc = 0;

	for (size_t i = 0; i < len * 8; i++) {
		unsigned bit = data[i / 8] >> (7 - i % 8) & 1;
		unsigned top = crc >> 7 & 1;

		crc = (crc << 1 & 0xff) ^ (top != bit ? 0xd5 : 0);
	}
	return (uint8_t)crc;
}

static size_t unit_size(const struct t2mi_maker *m)
{
	return (size_t)(TS_PACKET - !m->normal_mode) + m->issy +
	       m->deletes_nulls;
}

void t2mi_maker_add(struct t2mi_maker *m, const uint8_t (*packets)[TS_PACKET],
		    size_t n)
{
	uint8_t nulls = 0, crc = 0;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = packets[i];
		uint8_t *to = m->units + m->units_len, *begin = to;

		assert(m->units_len + unit_size(m) <= sizeof m->units);
		if (m->deletes_nulls && ts_pid(p) == TS_PID_NULL &&
		    nulls < 255) {
			nulls++;
			continue;
		}
		if (m->normal_mode)
			*to++ = crc;
		memcpy(to, p + 1, TS_PACKET - 1);
		to += TS_PACKET - 1;
		if (m->issy > 0) /* TTO, ISCR_short or ISCR_long */
			*to = m->issy_has_no_time ? 0xc0
			      : m->issy == 2 ? 0x12 : 0x92;
		to += m->issy;
		if (m->deletes_nulls)
			*to = nulls;
		nulls = 0;
		m->units_len += unit_size(m);
		/* UPL - 8 bits: with ISSY and the count of null packets */
		crc = crc8(begin + 1, unit_size(m) - 1);
	}
}

static void add_payload(struct t2mi_maker *m, const uint8_t *data, size_t len,
			bool begins)
{
	uint8_t *p = m->packets[m->n++];

	assert(m->n <= MAKER_PACKETS);
	memset(p, 0xff, TS_PACKET);
	p[0] = TS_SYNC_BYTE;
	p[1] = (uint8_t)(m->pid >> 8 | (begins ? 0x40 : 0));
	p[2] = (uint8_t)m->pid;
	p[3] = (uint8_t)(0x10 | (m->cc++ & 0x0f));
	p += 4;
	if (begins)
		*p++ = 0;
	memcpy(p, data, len);
}

/* A T2-MI packet in packets of its own, the last one filled by an adaptation
 * field. */
static void add_packet(struct t2mi_maker *m, const uint8_t *data, size_t len)
{
	for (size_t at = 0, n; at < len; at += n) {
		size_t room = (size_t)(TS_PACKET - 4 - (at == 0));

		n = MIN(room, len - at);
		add_payload(m, data + at, n, at == 0);
		if (n < room) {
			uint8_t *p = m->packets[m->n - 1];
			size_t stuffing = room - n;

			memmove(p + 4 + stuffing, p + 4,
				TS_PACKET - 4 - stuffing);
			memset(p + 4, 0xff, stuffing);
			p[3] |= 0x20;
			p[4] = (uint8_t)(stuffing - 1);
			if (stuffing > 1)
				p[5] = 0;
		}
	}
}

static void put16(uint8_t *p, size_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static void add_frame(struct t2mi_maker *m, const uint8_t *field, size_t len,
		      size_t start)
{
	static uint8_t packet[FRAME_MAX];
	uint8_t *frame = packet + 6 + 3;
	size_t payload = 3 + 10 + len, size = 6 + payload;
	uint32_t crc;

	assert(size + 4 <= sizeof packet);
	memset(packet, 0, sizeof packet);
	packet[1] = m->count++;
	packet[3] = m->stream;
	put16(packet + 4, payload * 8);
	packet[6] = m->frame++;
	packet[7] = m->plp;
	frame[0] = (uint8_t)(0xf0 | (m->issy > 0 ? 0x08 : 0) |
			     (m->deletes_nulls ? 0x04 : 0));
	put16(frame + 2, (m->upl_is_original ? (size_t)TS_PACKET
					     : unit_size(m)) * 8);
	put16(frame + 4, len * 8);
	frame[6] = TS_SYNC_BYTE;
	put16(frame + 7, start < len || len == 0 ? start * 8 : 0xffff);
	frame[9] = crc8(frame, 9) ^ !m->normal_mode;
	memcpy(frame + 10, field, len);
	crc = crc32_mpeg(packet, size);
	put16(packet + size, crc >> 16);
	put16(packet + size + 2, crc);
	add_packet(m, packet, size + 4);
}

void t2mi_maker_end(struct t2mi_maker *m)
{
	for (size_t at = 0, n; at < m->units_len; at += n) {
		size_t past = at % unit_size(m);

		n = MIN(m->field, m->units_len - at);
		add_frame(m, m->units + at, n,
			  past == 0 ? 0 : unit_size(m) - past);
		if (m->pads)
			add_frame(m, m->units, 0, 0);
	}
	m->units_len = 0;
}
