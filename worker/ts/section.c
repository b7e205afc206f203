/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/section.h"

#include "common/base/crc32.h"
#include "common/base/util.h"

#include <assert.h>
#include <string.h>

enum {
	HEADER = 3,      /* bytes up to section_length */
	SYNTAX_MIN = 12, /* bytes of the long header and CRC_32 */
	STUFFING = 0xff,
	NO_CC = 0xff,    /* value of cc: no packet yet */
	/* the last table_id of PAT, CAT, PMT and TSDT */
	TABLE_PSI_LAST = 0x03,
};

void section_init(struct section_assembler *s, uint8_t *buffer, size_t size)
{
	assert(size >= SYNTAX_MIN && size <= SECTION_MAX);
	*s = (struct section_assembler){
		.buffer = buffer,
		.size = (uint16_t)size,
		.cc = NO_CC,
	};
}

/* Drops an incomplete section. */
static void drop(struct section_assembler *s, bool is_broken)
{
	s->broken += is_broken;
	s->have = 0;
	s->collecting = false;
	s->skipping = false;
}

void section_reset(struct section_assembler *s)
{
	drop(s, false);
	s->packet = NULL;
	s->cc = NO_CC;
}

void section_push(struct section_assembler *s, const uint8_t *packet)
{
	size_t pos = ts_payload_offset(packet);
	size_t start = TS_PACKET;
	uint8_t last = s->cc;

	s->packet = NULL;
	if (ts_tei(packet) || ts_scrambling(packet) || pos >= TS_PACKET)
		return;
	s->cc = ts_cc(packet);
	if (s->cc == last && !ts_discontinuity(packet))
		return; /* a duplicate of the last packet */
	if (s->collecting && s->cc != ((last + 1) & 0x0f))
		drop(s, true);
	if (ts_pusi(packet)) {
		start = pos + 1 + packet[pos];
		pos++;
		if (start >= TS_PACKET) {
			drop(s, true);
			return;
		}
		if (s->collecting && start == pos)
			drop(s, true);
	} else if (!s->collecting) {
		return;
	}
	s->packet = packet;
	s->pos = (uint8_t)(s->collecting ? pos : start);
	s->start = (uint8_t)start;
}

enum collected { WHOLE, PART, TOO_LONG };

/* Copies payload up to `end' into the section.  WHOLE: the section is complete;
 * PART: it continues; TOO_LONG: it exceeds the limit of its table. */
static enum collected collect(struct section_assembler *s, size_t end)
{
	for (;;) {
		/* the longest legal section (ISO/IEC 13818-1 2.4.4) */
		size_t total = HEADER,
		       longest = section_table_id(s->buffer) <= TABLE_PSI_LAST
					 ? SECTION_PSI_MAX
					 : SECTION_MAX;

		if (s->have >= HEADER)
			total = section_length(s->buffer);
		if (total > s->size) {
			if (total > longest)
				return TOO_LONG;
			s->skipping = true;
		}
		if (s->have >= HEADER && s->have >= total)
			return WHOLE;

		size_t n = MIN(total - s->have, end - s->pos);

		if (n == 0)
			return PART;
		if (!s->skipping)
			memcpy(s->buffer + s->have, s->packet + s->pos, n);
		s->have = (uint16_t)(s->have + n);
		s->pos = (uint8_t)(s->pos + n);
	}
}

/* Checks and ends a section that arrived whole; true: it is valid and fits the
 * buffer, so it can be returned. */
static bool finish(struct section_assembler *s)
{
	bool has_syntax = section_has_syntax(s->buffer);
	bool is_short = has_syntax && s->have < SYNTAX_MIN;
	bool is_bad = has_syntax && !s->skipping && !is_short &&
		      crc32_mpeg(s->buffer, s->have) != 0;
	bool good = !s->skipping && !is_short && !is_bad;

	s->crc_errors += is_bad;
	drop(s, is_short);
	return good;
}

const uint8_t *section_pull(struct section_assembler *s, size_t *ret_len)
{
	while (s->packet) {
		if (!s->collecting) {
			/* the next place where a section may begin */
			s->pos = MAX(s->pos, s->start);
			if (s->pos >= TS_PACKET ||
			    s->packet[s->pos] == STUFFING)
				break;
			s->collecting = true;
		}

		/* a section of an earlier packet must end where the first
		 * section of this packet begins */
		size_t end = s->pos < s->start ? s->start : TS_PACKET;
		bool old_end = end == s->start && end < TS_PACKET;
		enum collected collected = collect(s, end);

		if (collected == WHOLE) {
			*ret_len = s->have;
			if (finish(s))
				return s->buffer;
			continue;
		}
		if (collected == TOO_LONG || old_end)
			drop(s, true);
		if (!old_end)
			s->packet = NULL;
	}
	s->packet = NULL;
	return NULL;
}

size_t section_pack(const uint8_t *section, size_t len, uint16_t pid,
		    uint8_t *cc, uint8_t *ret)
{
	size_t n = section_packets(len);
	size_t left = len;

	for (size_t i = 0; i < n; i++) {
		uint8_t *p = ret + i * TS_PACKET;
		size_t room = TS_PACKET - 4;

		p[0] = TS_SYNC_BYTE;
		p[1] = i == 0 ? 0x40 : 0;
		ts_set_pid(p, pid);
		p[3] = 0x10;
		ts_set_cc(p, *cc);
		*cc = (*cc + 1) & 0x0f;
		p += 4;
		if (i == 0) {
			*p++ = 0; /* pointer_field */
			room--;
		}

		size_t take = MIN(left, room);

		memcpy(p, section + (len - left), take);
		memset(p + take, STUFFING, room - take);
		left -= take;
	}
	return n;
}
