/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/ts/build.h"

#include "common/base/alloc.h"
#include "common/base/crc32.h"
#include "worker/ts/section.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct build *build_new(void)
{
	return build_new_of(BUILD_PACKETS);
}

struct build *build_new_of(size_t max)
{
	struct build *b = xcalloc(1, sizeof *b + max * TS_PACKET);

	b->max = max;
	return b;
}

void build_free(struct build *b)
{
	free(b);
}

struct ts_run build_run(const struct build *b)
{
	return (struct ts_run){ b->data, b->n };
}

uint8_t *build_packet(struct build *b, size_t index)
{
	assert(index < b->n);
	return b->data + index * TS_PACKET;
}

static uint8_t *append(struct build *b, uint16_t pid, unsigned flags)
{
	assert(b->n < b->max);

	uint8_t *p = b->data + b->n++ * TS_PACKET;

	memset(p, 0xff, TS_PACKET);
	p[0] = TS_SYNC_BYTE;
	p[1] = 0;
	ts_set_pid(p, pid);
	p[3] = (uint8_t)flags;
	return p;
}

static void count(struct build *b, uint8_t *p)
{
	uint8_t *cc = &b->cc[ts_pid(p)];

	ts_set_cc(p, *cc);
	*cc = (*cc + 1) & 0x0f;
}

uint8_t *build_payload(struct build *b, uint16_t pid, uint8_t fill)
{
	uint8_t *p = append(b, pid, 0x10);

	count(b, p);
	memset(p + 4, fill, TS_PACKET - 4);
	/* neighbours differ, as coded pictures do */
	p[12] = (uint8_t)b->n;
	p[13] = (uint8_t)(b->n >> 8);
	return p;
}

/* Its PTS is BUILD_PTS. */
uint8_t *build_pes(struct build *b, uint16_t pid, const void *es, size_t len)
{
	static const uint8_t header[] = { 0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5,
					  0x21, 0x48, 0xd1, 0x59, 0xe3 };
	uint8_t *p = append(b, pid, 0x30);
	size_t stuffing = TS_PACKET - 5 - sizeof header - len;

	assert(stuffing >= 1 && stuffing < TS_PACKET);
	count(b, p);
	p[1] |= 0x40;
	p[4] = (uint8_t)stuffing;
	p[5] = 0;
	memcpy(p + 5 + stuffing, header, sizeof header);
	if (len > 0)
		memcpy(p + 5 + stuffing + sizeof header, es, len);
	return p;
}

uint8_t *build_pcr(struct build *b, uint16_t pid, uint64_t pcr)
{
	uint8_t *p = append(b, pid, 0x20);
	uint64_t base = pcr / 300;
	unsigned extension = (unsigned)(pcr % 300);

	ts_set_cc(p, (b->cc[pid] - 1u) & 0x0f);
	p[4] = TS_PACKET - 5;
	p[5] = 0x10;
	p[6] = (uint8_t)(base >> 25);
	p[7] = (uint8_t)(base >> 17);
	p[8] = (uint8_t)(base >> 9);
	p[9] = (uint8_t)(base >> 1);
	p[10] = (uint8_t)((base & 1) << 7 | 0x7e | extension >> 8);
	p[11] = (uint8_t)extension;
	return p;
}

uint8_t *build_null(struct build *b)
{
	return append(b, TS_PID_NULL, 0x10);
}

void build_split(struct build *b, size_t first)
{
	uint8_t *p = build_packet(b, b->n - 1), *next;
	size_t at = ts_payload_offset(p), rest = TS_PACKET - at - first;
	size_t field = ts_has_adaptation(p) ? p[4] : 0;
	uint8_t payload[TS_PACKET];

	assert(at + first < TS_PACKET && first > 0);
	memcpy(payload, p + at, TS_PACKET - at);
	p[3] |= 0x20;
	p[5] = field > 0 ? p[5] : 0;
	field = field > 0 ? field : 1;
	memset(p + 5 + field, 0xff, TS_PACKET - 5 - field - first);
	p[4] = (uint8_t)(TS_PACKET - 5 - first);
	memcpy(p + TS_PACKET - first, payload, first);
	next = append(b, ts_pid(p), 0x30);
	count(b, next);
	/* a whole packet has no adaptation field */
	if (rest == TS_PACKET - 4)
		next[3] = (uint8_t)(next[3] & ~0x20);
	else
		next[4] = (uint8_t)(TS_PACKET - 5 - rest);
	if (rest < TS_PACKET - 5)
		next[5] = 0;
	memcpy(next + TS_PACKET - rest, payload + first, rest);
}

uint8_t *build_section(struct build *b, uint16_t pid, const uint8_t *section,
		       size_t len)
{
	uint8_t *p = b->data + b->n * TS_PACKET;

	assert(b->n + section_packets(len) <= b->max);
	b->n += section_pack(section, len, pid, &b->cc[pid], p);
	return p;
}

void build_mend_crc(uint8_t *section, size_t len)
{
	uint32_t crc = crc32_mpeg(section, len - 4);

	for (size_t i = 0; i < 4; i++)
		section[len - 4 + i] = (uint8_t)(crc >> (24 - 8 * i));
}

size_t build_table(uint8_t *ret, const struct build_table *t)
{
	size_t len = 8 + t->len + 4;

	ret[0] = t->table_id;
	ret[1] = (uint8_t)(0xb0 | (len - 3) >> 8);
	ret[2] = (uint8_t)(len - 3);
	ret[3] = (uint8_t)(t->extension >> 8);
	ret[4] = (uint8_t)t->extension;
	ret[5] = (uint8_t)(0xc1 | t->version << 1);
	ret[6] = t->number;
	ret[7] = t->last;
	if (t->len > 0)
		memcpy(ret + 8, t->body, t->len);
	build_mend_crc(ret, len);
	return len;
}

static uint8_t *put16(uint8_t *p, unsigned value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
	return p + 2;
}

size_t build_pat(uint8_t *ret, uint8_t version,
		 const struct build_entry *entries, size_t n)
{
	uint8_t body[1024];
	uint8_t *p = body;

	for (size_t i = 0; i < n; i++) {
		p = put16(p, entries[i].number);
		p = put16(p, 0xe000u | entries[i].pid);
	}
	return build_table(ret, &(struct build_table){
					.table_id = 0,
					.extension = 7,
					.version = version,
					.body = body,
					.len = (size_t)(p - body),
				});
}

size_t build_pmt(uint8_t *ret, struct build_entry program, uint8_t version,
		 const struct build_es *streams, size_t n)
{
	uint8_t body[1024];
	uint8_t *p = body;

	p = put16(p, 0xe000u | program.pid);
	p = put16(p, 0xf000);
	for (size_t i = 0; i < n; i++) {
		*p++ = streams[i].type;
		p = put16(p, 0xe000u | streams[i].pid);
		p = put16(p, 0xf000u | (unsigned)streams[i].desc_len);
		if (streams[i].desc_len > 0)
			memcpy(p, streams[i].desc, streams[i].desc_len);
		p += streams[i].desc_len;
	}
	return build_table(ret, &(struct build_table){
					.table_id = 2,
					.extension = program.number,
					.version = version,
					.body = body,
					.len = (size_t)(p - body),
				});
}

void build_tables(struct build *b)
{
	static const struct build_entry entry = { 1, 0x100 };
	static const struct build_es streams[] = {
		{ .type = 0x1b, .pid = 0x101 },
		{ .type = 0x03, .pid = 0x102 },
	};
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_pat(section, 0, &entry, 1);

	build_section(b, TS_PID_PAT, section, len);
	len = build_pmt(section, (struct build_entry){ 1, 0x101 }, 0, streams,
			2);
	build_section(b, 0x100, section, len);
}
