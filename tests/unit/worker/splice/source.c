/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/splice/source.h"

#include "common/base/alloc.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/section.h"

#include <assert.h>
#include <string.h>

enum {
	HZ = 90000,
	/* and four times that, where decoding can begin */
	PICTURE_PACKETS = 12,
	AUDIO_FRAME = 384,    /* layer II, 128 kbit/s, 48 kHz: 24 ms */
	AUDIO_STEP = SOURCE_AUDIO_FRAMES * 2160,
};

void source_again(struct source *s, uint64_t start)
{
	memset(s, 0, offsetof(struct source, data));
	s->start = start;
	s->lead_ms = 600;
	s->gop = 12;
	s->program = 1;
	s->tables_every = 100;
}

struct source *source_new(uint64_t start)
{
	struct source *s = xcalloc(1, sizeof *s);

	source_again(s, start);
	return s;
}

uint64_t source_clock(const struct source *s)
{
	return (s->start + s->packets * HZ / SOURCE_RATE) % PES_TIME_WRAP;
}

static void count(struct source *s, uint8_t *p)
{
	uint16_t pid = ts_pid(p);

	if (ts_has_payload(p))
		s->cc[pid]++;
	ts_set_cc(p, s->cc[pid]);
}

static void put_head(uint8_t *p, uint16_t pid, unsigned control)
{
	memset(p, 0xff, TS_PACKET);
	p[0] = TS_SYNC_BYTE;
	p[1] = 0;
	ts_set_pid(p, pid);
	p[3] = (uint8_t)control;
}

/* Cuts bytes into packets; the number of them.  head: the most bytes in the
 * first one. */
static size_t put_unit(uint8_t *to, uint16_t pid, const uint8_t *data,
		       size_t len, size_t head, bool random_access)
{
	size_t n = 0;

	for (size_t at = 0; at < len; n++) {
		uint8_t *p = to + n * TS_PACKET;
		size_t room = n == 0 ? head : 184;
		size_t take = len - at < room ? len - at : room;

		put_head(p, pid, take < 184 ? 0x30 : 0x10);
		if (take < 184)
			p[4] = (uint8_t)(183 - take);
		if (take < 183)
			p[5] = n == 0 && random_access ? 0x40 : 0;
		if (n == 0)
			p[1] |= 0x40;
		memcpy(p + TS_PACKET - take, data + at, take);
		at += take;
	}
	return n;
}

static void put_times(uint8_t *pes, uint64_t pts, uint64_t dts)
{
	pes[7] = 0xc0;
	pes[8] = 10;
	pes[9] = 0x31;
	pes[11] = pes[13] = 1;
	pes[14] = 0x11;
	pes[16] = pes[18] = 1;
	pes_set_time(pes + 9, pts % PES_TIME_WRAP);
	pes_set_time(pes + 14, dts % PES_TIME_WRAP);
}

/* The distance of the PTS of the next picture from its DTS, in pictures. */
static unsigned delay(const struct source *s)
{
	unsigned at = s->pictures % s->gop;

	if (!s->reordered || at == 0)
		return 1;
	return at % 3 == 1 ? 3 : 0;
}

/* A PES extension with PES_private_data (ISO/IEC 13818-1 2.4.3.7).  Returns its
 * length. */
static size_t put_private_data(uint8_t *pes)
{
	memset(pes + 20, 0xff, 16);
	memcpy(pes + 28, "\0\0\1\x65\x88\x84", 6);
	pes[7] |= 1;
	pes[8] += 17;
	pes[19] = 0x80;
	return 17;
}

static void make_picture(struct source *s)
{
	bool rap = s->pictures % s->gop == 0;
	size_t at = 19;
	uint8_t pes[64 * 184] = { 0, 0, 1, 0xe0, 0, 0, 0x80 };
	size_t len = (rap ? 4 : 1) * PICTURE_PACKETS * 180;
	uint64_t dts = s->start + (uint64_t)s->pictures * SOURCE_FRAME +
		       s->lead_ms * (HZ / 1000);

	put_times(pes, dts + (uint64_t)delay(s) * SOURCE_FRAME, dts);
	if (s->false_start && !rap)
		at += put_private_data(pes);
	for (size_t i = at; i < len; i++)
		pes[i] = (uint8_t)(i * 7 + s->pictures);
	memcpy(pes + at, "\0\0\1\x09\x10\0\0\1", 8);
	pes[at + 8] = !rap ? 0x41 : s->header_alone ? 0x65 : 0x67;
	if (s->header_alone) {
		pes[at + 9] = 0x9a;
		rap = false;
	}
	s->n_video = put_unit(s->video, SOURCE_VIDEO, pes, len,
			      s->head > 0	? s->head
			      : s->header_alone ? 19
			      : rap		? 182
						: 184, rap);
	s->i_video = 0;
	s->pictures++;
}

static void make_sound(struct source *s)
{
	uint8_t pes[19 + SOURCE_AUDIO_FRAMES * AUDIO_FRAME] = {
		0, 0, 1, 0xc0, 0, 0, 0x80,
	};
	uint64_t dts = s->start + (uint64_t)s->sounds * AUDIO_STEP +
		       s->lead_ms / 2 * (HZ / 1000);
	size_t len = sizeof pes - 6;

	pes[4] = (uint8_t)(len >> 8);
	pes[5] = (uint8_t)len;
	put_times(pes, dts, dts);
	for (unsigned i = 0; i < SOURCE_AUDIO_FRAMES; i++) {
		uint8_t *frame = pes + 19 + i * AUDIO_FRAME;

		memcpy(frame, "\xff\xfd\x84\x04", 4);
		memset(frame + 4, (int)(s->sounds & 0x7f), AUDIO_FRAME - 4);
	}
	s->n_audio = put_unit(s->audio, SOURCE_AUDIO, pes, sizeof pes,
			      s->head > 0 ? s->head : 184, false);
	s->i_audio = 0;
	s->sounds++;
}

static uint16_t audio_pid(const struct source *s)
{
	return (uint16_t)(SOURCE_AUDIO + (s->same_audio ? 0 : s->shift));
}

/* A PAT and a PMT, in two packets. */
static void put_tables(struct source *s, uint8_t *to)
{
	const uint16_t pmt_pid = SOURCE_PMT + s->pmt_shift;
	const struct build_entry pat = { s->program, pmt_pid };
	const uint16_t video = SOURCE_VIDEO + s->shift;
	const uint16_t audio = audio_pid(s);
	const struct build_entry pmt = { s->program, video };
	const struct build_es es[] = {
		{ .type = 0x1b, .pid = video, .desc = "" },
		{ .type = 0x03, .pid = audio, .desc = "" },
	};
	uint8_t section[SECTION_PSI_MAX], cc = 0;
	size_t len = build_pat(section, 0, &pat, 1);

	(void)section_pack(section, len, 0, &cc, to);
	len = build_pmt(section, pmt, 0, es, s->no_audio ? 1 : 2);
	(void)section_pack(section, len, pmt_pid, &cc, to + TS_PACKET);
}

static void put_pcr(const struct source *s, uint8_t *p)
{
	put_head(p, SOURCE_VIDEO, 0x20);
	p[4] = 183;
	p[5] = 0x10;
	p[10] = 0x7e;
	ts_set_pcr(p, source_clock(s) * 300);
}

static void put_null(uint8_t *p)
{
	put_head(p, TS_PID_NULL, 0x10);
}

static void put_packet(struct source *s, uint8_t *p)
{
	uint8_t tables[2 * TS_PACKET];

	if (s->packets % s->tables_every < 2) {
		put_tables(s, tables);
		memcpy(p, tables + s->packets % s->tables_every * TS_PACKET,
		       TS_PACKET);
	} else if (s->packets % 30 == 5 && !s->no_pcr) {
		put_pcr(s, p);
	} else if (s->i_video < s->n_video) {
		memcpy(p, s->video + s->i_video++ * TS_PACKET, TS_PACKET);
	} else if (s->i_audio < s->n_audio) {
		memcpy(p, s->audio + s->i_audio++ * TS_PACKET, TS_PACKET);
	} else {
		put_null(p);
	}
	if (ts_pid(p) == SOURCE_VIDEO)
		ts_set_pid(p, SOURCE_VIDEO + s->shift);
	else if (ts_pid(p) == SOURCE_AUDIO)
		ts_set_pid(p, audio_pid(s));
	count(s, p);
}

static void begin(struct source *s)
{
	s->begun = true;
	memset(s->cc, s->first_cc, sizeof s->cc);
}

struct ts_run source_make(struct source *s, size_t n)
{
	assert(n <= SOURCE_MAX);
	if (!s->begun)
		begin(s);
	for (size_t i = 0; i < n; i++) {
		uint64_t now = s->packets * HZ / SOURCE_RATE;

		if (s->i_video == s->n_video &&
		    now >= (uint64_t)s->pictures * SOURCE_FRAME)
			make_picture(s);
		if (!s->no_audio && s->i_audio == s->n_audio &&
		    now >= (uint64_t)s->sounds * AUDIO_STEP)
			make_sound(s);
		put_packet(s, s->data + i * TS_PACKET);
		s->packets++;
	}
	return (struct ts_run){ .data = s->data, .n = n };
}

void source_skip(struct source *s, size_t n)
{
	while (n > 0) {
		size_t now = n < SOURCE_MAX ? n : SOURCE_MAX;

		(void)source_make(s, now);
		n -= now;
	}
}
