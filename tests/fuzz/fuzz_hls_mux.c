/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pictures and sound in any order, half of them packets with a meaning, half of
 * them garbage: the output is packets, the sound has continuous counters, and
 * there are no more packets than in the input, except tables.
 */
#include "common/base/crc32.h"
#include "tests/fuzz/fuzz.h"
#include "worker/net/hls/hls_mux.h"
#include "worker/ts/pes.h"
#include "worker/ts/section.h"

#include <stdlib.h>
#include <string.h>

enum { PMT_PID = 0x100, PIDS = 6, ROOM_EVERY = 7 };

struct rig {
	struct hls_mux *mux;
	const uint8_t *data;
	size_t size;
	size_t in, out; /* packets */
	unsigned pushes;
};

static unsigned next(struct rig *r)
{
	if (r->size == 0)
		return 0;
	r->size--;
	return *r->data++;
}

static void on_begin(bool cut, void *arg)
{
	(void)cut, (void)arg;
}

static bool on_push(const uint8_t *data, size_t len, void *arg)
{
	struct rig *r = arg;

	/* now and then there is no room */
	if (++r->pushes % ROOM_EVERY == 0)
		return false;
	if (len % TS_PACKET != 0)
		abort();
	for (size_t i = 0; i < len; i += TS_PACKET)
		if (data[i] != TS_SYNC_BYTE)
			abort();
	r->out += len / TS_PACKET;
	return true;
}

/* --- packets with a meaning --- */

static size_t end_section(uint8_t *s, size_t len)
{
	uint32_t crc;

	s[1] = 0xb0;
	s[2] = (uint8_t)(len + 1);
	crc = crc32_mpeg(s, len);
	for (size_t i = 0; i < 4; i++)
		s[len + i] = (uint8_t)(crc >> (24 - 8 * i));
	return len + 4;
}

static size_t make_pat(uint8_t *s)
{
	memcpy(s, (const uint8_t[12]){ 0, 0, 0, 0, 1, 0xc1, 0, 0, 0, 1,
				       0xe0 | PMT_PID >> 8, PMT_PID & 0xff },
	       12);
	return end_section(s, 12);
}

static size_t make_pmt(struct rig *r, uint8_t *s)
{
	static const uint8_t types[4] = { 0x1b, 0x0f, 0x03, 0x06 };
	unsigned n = next(r) % 4, version = next(r) % 32;
	size_t len = 12;

	memcpy(s, (const uint8_t[12]){ 2, 0, 0, 0, 1, 0xc1, 0, 0, 0xe1, 1,
				       0xf0, 0 }, 12);
	s[5] = (uint8_t)(0xc1 | version << 1);
	for (unsigned i = 0; i < n; i++, len += 5)
		memcpy(s + len, (const uint8_t[5]){ types[next(r) % 4], 0xe1,
			(uint8_t)(1 + next(r) % PIDS), 0xf0, 0 }, 5);
	return end_section(s, len);
}

static void make_pes(struct rig *r, uint8_t *p)
{
	unsigned how = next(r);
	size_t at = 4;

	memset(p, 0xff, TS_PACKET);
	p[0] = TS_SYNC_BYTE;
	p[1] = how & 1 ? 0x41 : 0x01;
	p[2] = (uint8_t)(1 + next(r) % PIDS);
	p[3] = (uint8_t)(0x10 | next(r) % 16);
	if (how & 2) {
		p[3] |= 0x20;
		p[4] = 7;
		p[5] = 0x10;
		ts_set_pcr(p, (uint64_t)next(r) * 4500 * 300);
		at = 12;
	}
	memcpy(p + at, (const uint8_t[9]){ 0, 0, 1,
		how & 4 ? 0xe0 : 0xc0, 0, 0, 0x80, 0x80, 5 }, 9);
	pes_set_time(p + at + 9, (uint64_t)next(r) * 4500);
}

static size_t make(struct rig *r, uint8_t *p)
{
	uint8_t section[SECTION_PSI_MAX], cc = (uint8_t)(next(r) % 16);

	switch (next(r) % 8) {
	case 0:
		return section_pack(section, make_pat(section), 0, &cc, p);
	case 1:
		return section_pack(section, make_pmt(r, section), PMT_PID,
				    &cc, p);
	default:
		make_pes(r, p);
		return 1;
	}
}

static void feed(struct rig *r, bool is_audio)
{
	uint8_t packets[8 * TS_PACKET];
	size_t n = 1 + next(r) % 8, len = 0;

	for (; n > 0; n--)
		len += make(r, packets + len) * TS_PACKET;
	if (is_audio ? audio_track_push(hls_mux_audio(r->mux), packets, len)
		  : hls_mux_push(r->mux, packets, len))
		r->in += len / TS_PACKET;
}

static void feed_raw(struct rig *r, bool is_audio)
{
	size_t len = next(r);

	len = len < r->size ? len : r->size;
	if (is_audio)
		(void)audio_track_push(hls_mux_audio(r->mux), r->data, len);
	else
		(void)hls_mux_push(r->mux, r->data, len);
	/* of packed audio, each byte may be in a packet of its own */
	r->in += len + 1;
	r->data += len;
	r->size -= len;
}

static void step(struct rig *r)
{
	struct audio_track *sound = hls_mux_audio(r->mux);
	unsigned op = next(r);

	switch (op % 8) {
	case 0:
		feed_raw(r, op & 8);
		break;
	case 1:
		audio_track_begin(sound, op & 8);
		break;
	case 2:
		(void)audio_track_end(sound);
		break;
	case 3:
		if (hls_mux_end(r->mux))
			hls_mux_begin(r->mux, op & 8);
		break;
	case 4:
	case 5:
		feed(r, op & 8);
		break;
	default:
		hls_mux_turn(r->mux, op & 8);
		hls_mux_every_second(r->mux);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rig r = { .data = data, .size = size };

	r.mux = hls_mux_new(&(struct hls_mux_config){
		.begin = on_begin, .push = on_push, .arg = &r,
	});
	hls_mux_set_language(r.mux, "deu");
	while (r.size > 0)
		step(&r);
	/* twice, as there may have been no room */
	for (int i = 0; i < 3; i++)
		hls_mux_turn(r.mux, false);
	/* each packet of a table may become a table */
	if (r.out > 8 * r.in)
		abort();
	hls_mux_free(&r.mux);
	return 0;
}
