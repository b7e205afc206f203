/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/hls_mux.h"

#include "common/base/crc32.h"
#include "worker/ts/cc.h"
#include "worker/ts/pes.h"
#include "worker/ts/pes_head.h"
#include "worker/ts/pmt.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
	PMT_PID = 0x100,
	PICTURES = 0x101,
	SOUND = 0x101,     /* at its source: the same */
	OWN_SOUND = 0x102, /* in the video's segments */
	FRAME = 3600,      /* 90 kHz */
	LEAD = 63000,      /* decoding time after the PCR */
	HZ = 90000,
	/* until the next picture, which updates the clock */
	EARLY_MAX = HLS_MUX_LEAD_MS * 90 + FRAME,
	OUT_MAX = 4096,
	MARK = 0x55, /* last byte of packets of the other playlist's audio */
};

struct rig {
	struct hls_mux *mux;
	unsigned cuts;
	uint8_t cc_pictures, cc_audio;
	size_t n;
	uint8_t out[OUT_MAX * TS_PACKET];
};

static void on_begin(bool cut, void *arg)
{
	struct rig *r = arg;

	r->cuts += cut;
}

static bool on_push(const uint8_t *data, size_t len, void *arg)
{
	struct rig *r = arg;

	cr_assert_leq(r->n * TS_PACKET + len, sizeof r->out);
	memcpy(r->out + r->n * TS_PACKET, data, len);
	r->n += len / TS_PACKET;
	return true;
}

static struct rig *rig_new(void)
{
	static struct rig r;

	r = (struct rig){ 0 };
	r.mux = hls_mux_new(&(struct hls_mux_config){
		.begin = on_begin, .push = on_push, .arg = &r,
	});
	return &r;
}

/* --- input --- */

static void section(uint8_t *s, size_t len, uint16_t pid, uint8_t *packet)
{
	uint8_t cc = 0;
	uint32_t crc;

	s[1] = 0xb0;
	s[2] = (uint8_t)(len + 1);
	crc = crc32_mpeg(s, len);
	for (size_t i = 0; i < 4; i++)
		s[len + i] = (uint8_t)(crc >> (24 - 8 * i));
	cr_assert_eq(section_pack(s, len + 4, pid, &cc, packet), 1);
}

/* PAT and PMT of video with own audio (own), or of audio. */
static void tables(bool is_audio, bool own, uint8_t packets[2 * TS_PACKET])
{
	uint8_t pat[64] = { 0, 0, 0, 0, 1, 0xc1, 0, 0, 0, 1,
			    0xe0 | PMT_PID >> 8, PMT_PID & 0xff };
	uint8_t pmt[64] = { 2, 0, 0, 0, 1, 0xc7, 0, 0, 0xe1, 1, 0xf0, 0,
			    is_audio ? 0x0f : 0x1b, 0xe1, 1, 0xf0, 0,
			    0x03, 0xe1, 2, 0xf0, 0 };

	section(pat, 12, 0, packets);
	section(pmt, own ? 22 : 17, PMT_PID, packets + TS_PACKET);
}

static void pes(uint16_t pid, uint8_t cc, uint64_t time, int64_t pcr,
		uint8_t *p)
{
	size_t at = 4;

	memset(p, 0xff, TS_PACKET);
	memcpy(p, (const uint8_t[]){ TS_SYNC_BYTE, 0x40, 0, 0x10 }, 4);
	ts_set_pid(p, pid);
	ts_set_cc(p, cc);
	if (pcr >= 0) {
		p[3] |= 0x20;
		p[4] = 7;
		p[5] = 0x10;
		ts_set_pcr(p, (uint64_t)pcr * 300);
		at = 12;
	}
	memcpy(p + at, (const uint8_t[]){ 0, 0, 1,
		pid == PICTURES && pcr >= 0 ? 0xe0 : 0xc0, 0, 0, 0x80, 0x80,
		5 }, 9);
	pes_set_time(p + at + 9, time);
}

/* n frames of video from a time on, with audio of their own. */
static void pictures(struct rig *r, bool cut, uint64_t from, int n, bool own)
{
	uint8_t packets[2 * TS_PACKET];

	cr_assert(hls_mux_end(r->mux));
	hls_mux_begin(r->mux, cut);
	tables(false, own, packets);
	cr_assert(hls_mux_push(r->mux, packets, sizeof packets));
	for (int i = 0; i < n; i++) {
		uint64_t at = from + (uint64_t)i * FRAME;

		pes(PICTURES, r->cc_pictures++ & 15, at, (int64_t)at - LEAD,
		    packets);
		pes(OWN_SOUND, (uint8_t)i & 15, at, -1, packets + TS_PACKET);
		cr_assert(hls_mux_push(r->mux, packets,
				       (own ? 2 : 1) * TS_PACKET));
	}
}

/* n frames of audio from a time on, with PCRs as ffmpeg makes them. */
static void sound(struct rig *r, bool cut, uint64_t from, int n)
{
	struct audio_track *s = hls_mux_audio(r->mux);
	uint8_t packets[2 * TS_PACKET];

	audio_track_begin(s, cut);
	tables(true, false, packets);
	cr_assert(audio_track_push(s, packets, sizeof packets));
	for (int i = 0; i < n; i++) {
		uint64_t at = from + (uint64_t)i * FRAME;

		pes(SOUND, r->cc_audio++ & 15, at, (int64_t)at - LEAD,
		    packets);
		packets[TS_PACKET - 1] = MARK;
		cr_assert(audio_track_push(s, packets, TS_PACKET));
	}
	cr_assert(audio_track_end(s));
}

/* --- output --- */

struct seen {
	int pictures, audio, own;
	uint16_t audio_pid;
	uint8_t version;
	int64_t early_min, early_max; /* audio before its time, 90 kHz */
};

static void see_pmt(const uint8_t *packet, struct seen *ret)
{
	uint8_t buffer[SECTION_PSI_MAX];
	struct section_assembler a;
	struct pmt pmt;
	const uint8_t *s;
	size_t len;

	section_init(&a, buffer, sizeof buffer);
	section_push(&a, packet);
	s = section_pull(&a, &len);
	cr_assert_not_null(s);
	cr_assert_eq(pmt_decode(s, len, &pmt), 0);
	ret->version = pmt.version;
	ret->audio_pid = TS_PID_NULL;
	for (size_t i = 0; i < pmt.n_streams; i++)
		if (pmt.streams[i].class == PID_AUDIO)
			ret->audio_pid = pmt.streams[i].pid;
}

static struct seen look(const struct rig *r)
{
	struct seen seen = { .audio_pid = TS_PID_NULL, .early_min = HZ * 99 };
	uint64_t pcr = 0, time;
	int cc = -1;

	for (size_t i = 0; i < r->n; i++) {
		const uint8_t *p = r->out + i * TS_PACKET;
		bool has_pcr = ts_pcr(p, &time);

		if (ts_pid(p) == PMT_PID) {
			see_pmt(p, &seen);
		} else if (ts_pid(p) == PICTURES) {
			seen.pictures++;
			pcr = has_pcr ? time / 300 : pcr;
		} else if (p[TS_PACKET - 1] == MARK) {
			int64_t early;

			cr_assert(seen.audio_pid == TS_PID_NULL ||
				  ts_pid(p) == seen.audio_pid);
			cr_assert(!has_pcr && pes_pts(p, &time));
			cr_assert(cc < 0 || ts_cc(p) == ((cc + 1) & 15));
			cc = ts_cc(p);
			seen.audio++;
			if (pcr == 0)
				continue;
			early = (int64_t)(time - pcr);
			seen.early_min = MIN(seen.early_min, early);
			seen.early_max = MAX(seen.early_max, early);
		} else if (ts_pid(p) == OWN_SOUND) {
			seen.own++;
		}
	}
	return seen;
}

Test(hls_mux, audio_is_sent_shortly_before_its_play_out_time)
{
	struct rig *r = rig_new();
	struct seen seen;

	sound(r, true, 5 * HZ, 100);
	pictures(r, true, 5 * HZ + LEAD, 75, true);
	hls_mux_turn(r->mux, true);
	cr_assert(hls_mux_end(r->mux));
	seen = look(r);
	cr_assert_eq(seen.pictures, 75);
	cr_assert_eq(seen.own, 0, "its own audio is dropped");
	cr_assert(seen.audio_pid != PICTURES && seen.audio_pid != PMT_PID);
	cr_assert_eq(seen.version, 3, "as at the source");
	cr_assert_geq(seen.audio, 75);
	cr_assert_geq(seen.early_min, 0);
	cr_assert_leq(seen.early_max, EARLY_MAX);
	hls_mux_free(&r->mux);
}

Test(hls_mux, video_waits_for_its_audio)
{
	struct rig *r = rig_new();

	pictures(r, true, 5 * HZ + LEAD, 50, false);
	hls_mux_turn(r->mux, true);
	cr_assert_eq(r->n, 1, "the PAT alone");
	sound(r, true, 5 * HZ, 25);
	hls_mux_turn(r->mux, true);
	cr_assert_leq(look(r).pictures, 25);
	sound(r, false, 6 * HZ, 50);
	hls_mux_turn(r->mux, true);
	cr_assert(hls_mux_end(r->mux));
	cr_assert_eq(look(r).pictures, 50);
	hls_mux_free(&r->mux);
}

Test(hls_mux, video_continues_without_audio_and_the_pmt_follows)
{
	struct rig *r = rig_new();
	struct seen seen;

	pictures(r, true, 5 * HZ + LEAD, 25, true);
	hls_mux_turn(r->mux, false);
	cr_assert(hls_mux_misses_audio(r->mux) && hls_mux_end(r->mux));
	seen = look(r);
	cr_assert_eq(seen.own, 25,
	             "its own audio stays while there is no other");
	cr_assert_eq(seen.version, 3);
	sound(r, true, 5 * HZ, 100);
	pictures(r, false, 6 * HZ + LEAD, 25, true);
	r->n = 0;
	hls_mux_turn(r->mux, true);
	seen = look(r);
	cr_assert_eq(seen.version, 4);
	cr_assert_geq(seen.audio, 25);
	cr_assert_geq(seen.early_min, 0, "late audio is dropped");
	hls_mux_free(&r->mux);
}

/* Either of the two jumps first. */
static void jump(bool pictures_first, uint64_t to)
{
	struct rig *r = rig_new();
	struct seen seen;

	sound(r, true, 5 * HZ, 60);
	pictures(r, true, 5 * HZ + LEAD, 50, false);
	hls_mux_turn(r->mux, true);
	r->n = 0;
	if (!pictures_first)
		sound(r, true, to, 60);
	pictures(r, true, to + LEAD, 25, false);
	hls_mux_turn(r->mux, true);
	if (pictures_first)
		sound(r, true, to, 60);
	hls_mux_turn(r->mux, true);
	pictures(r, false, to + LEAD + HZ, 25, false);
	hls_mux_turn(r->mux, true);
	cr_assert(hls_mux_end(r->mux));
	cr_assert_eq(r->cuts, 2);
	seen = look(r);
	cr_assert_geq(seen.audio, 20, "%d", seen.audio);
	cr_assert_geq(seen.early_min, -HLS_MUX_LATE_MS * 90);
	cr_assert_leq(seen.early_max, EARLY_MAX);
	hls_mux_free(&r->mux);
}

Test(hls_mux, video_and_audio_jump_to_other_times)
{
	const uint64_t far = (uint64_t)5000 * HZ, back = 20 * HZ / 10;

	jump(true, far);
	jump(false, far);
	jump(true, back);
	jump(false, back);
}

Test(hls_mux, drops_audio_of_unrelated_times_after_a_while)
{
	struct rig *r = rig_new();

	sound(r, true, (uint64_t)5000 * HZ, 60);
	for (int i = 0; i < 12; i++) {
		pictures(r, i == 0, (uint64_t)(5 + i) * HZ + LEAD, 25, false);
		hls_mux_turn(r->mux, true);
		hls_mux_turn(r->mux, false);
		r->n = 0;
	}
	sound(r, true, 17 * HZ, 60);
	pictures(r, false, 17 * HZ + LEAD, 25, false);
	hls_mux_turn(r->mux, true);
	cr_assert_geq(look(r).audio, 20);
	hls_mux_free(&r->mux);
}

/* One picture, and its audio in three packets, the first with the PCR. */
static void sound_with_the_clock(struct rig *r, int i)
{
	uint64_t at = 5 * HZ + LEAD + (uint64_t)i * FRAME;
	uint8_t packet[TS_PACKET];

	pes(PICTURES, r->cc_pictures++ & 15, at, -1, packet);
	packet[7] = 0xe0;
	cr_assert(hls_mux_push(r->mux, packet, TS_PACKET));
	for (int k = 0; k < 3; k++) {
		pes(OWN_SOUND, (uint8_t)(3 * i + k) & 15, at,
		    k == 0 ? (int64_t)at - LEAD : -1, packet);
		cr_assert(hls_mux_push(r->mux, packet, TS_PACKET));
	}
}

/* PCRs of dropped audio stay and repeat the counter. */
Test(hls_mux, pcrs_of_dropped_audio_do_not_advance_counters)
{
	struct rig *r = rig_new();
	uint8_t packets[2 * TS_PACKET];
	struct cc cc = { 0 };
	int clocks = 0, errors = 0;

	sound(r, true, 5 * HZ, 100);
	hls_mux_begin(r->mux, true);
	tables(false, true, packets);
	cr_assert(hls_mux_push(r->mux, packets, sizeof packets));
	for (int i = 0; i < 75; i++)
		sound_with_the_clock(r, i);
	hls_mux_turn(r->mux, true);
	for (size_t i = 0; i < r->n; i++) {
		const uint8_t *p = r->out + i * TS_PACKET;

		clocks += ts_pid(p) == OWN_SOUND && !ts_has_payload(p);
		errors += cc_feed(&cc, p) == CC_ERROR;
	}
	cr_assert_gt(clocks, 50);
	cr_assert_eq(errors, 0, "%d of %zu", errors, r->n);
	hls_mux_free(&r->mux);
}

/* --- video without PCRs, headers of PES in two packets --- */

/* Moves all but the first bytes of a PES to a packet behind it. */
static void split(uint8_t p[2 * TS_PACKET], size_t first)
{
	uint8_t *next = p + TS_PACKET;
	size_t rest = TS_PACKET - 4 - first;

	cr_assert_eq(ts_payload_offset(p), 4);
	memset(next, 0xff, TS_PACKET);
	memcpy(next, p, 4);
	next[1] &= 0x1f;
	next[3] |= 0x20;
	ts_set_cc(next, ts_cc(p) + 1U);
	next[4] = (uint8_t)(first - 1);
	if (next[4] > 0)
		next[5] = 0;
	memcpy(next + TS_PACKET - rest, p + 4 + first, rest);
	memmove(p + TS_PACKET - first, p + 4, first);
	memset(p + 4, 0xff, TS_PACKET - 4 - first);
	p[3] |= 0x20;
	p[4] = (uint8_t)(TS_PACKET - 5 - first);
	p[5] = 0;
}

/* 100 units of audio and 75 pictures, all without PCRs. */
static void play_split(struct rig *r, size_t of_audio, size_t of_pictures)
{
	struct audio_track *s = hls_mux_audio(r->mux);
	uint8_t packets[2 * TS_PACKET];

	audio_track_begin(s, true);
	tables(true, false, packets);
	cr_assert(audio_track_push(s, packets, sizeof packets));
	for (unsigned i = 0; i < 100; i++) {
		pes(SOUND, 2 * i & 15, 5 * HZ + i * FRAME, -1, packets);
		split(packets, of_audio);
		cr_assert(audio_track_push(s, packets, sizeof packets));
	}
	cr_assert(audio_track_end(s));
	hls_mux_begin(r->mux, true);
	tables(false, false, packets);
	cr_assert(hls_mux_push(r->mux, packets, sizeof packets));
	for (unsigned i = 0; i < 75; i++) {
		pes(PICTURES, 2 * i & 15, 5 * HZ + LEAD + i * FRAME, -1,
		    packets);
		packets[7] = 0xe0;
		split(packets, of_pictures);
		cr_assert(hls_mux_push(r->mux, packets, sizeof packets));
	}
	hls_mux_turn(r->mux, true);
	cr_assert(hls_mux_end(r->mux));
}

/* first: bytes in the first packet; 20 of a whole header */
static void judge_split(size_t of_audio, size_t of_pictures)
{
	struct rig *r = rig_new();
	struct pes_reader reader = { 0 };
	struct pes_stamps unit;
	unsigned pictures = 0, audio = 0;
	int64_t early, most = 0, least = HZ;
	uint64_t dts = 0;

	play_split(r, of_audio, of_pictures);
	for (size_t i = 0; i < r->n; i++) {
		const uint8_t *p = r->out + i * TS_PACKET;

		if (pes_reader_take(&reader, p, &unit) != PES_READ)
			continue;
		if (ts_pid(p) == PICTURES) {
			pictures++;
			dts = unit.dts;
		} else if (pictures > 0) {
			audio++;
			early = (int64_t)(unit.pts - dts) + LEAD;
			most = MAX(most, early);
			least = MIN(least, early);
		}
	}
	cr_assert_eq(pictures, 75u);
	cr_assert_geq(audio, 70u, "%zu, %zu: %u", of_audio, of_pictures,
		      audio);
	cr_assert_geq(least, 0, "%zu, %zu", of_audio, of_pictures);
	cr_assert_leq(most, EARLY_MAX, "%zu, %zu", of_audio, of_pictures);
	hls_mux_free(&r->mux);
}

Test(hls_mux, a_video_without_pcrs_has_its_audio)
{
	judge_split(20, 20);
}

Test(hls_mux, two_packets_may_have_the_header_of_a_unit)
{
	for (size_t first = 1; first < 14; first += 4) {
		judge_split(first, 20);
		judge_split(20, first);
		judge_split(first, first);
	}
}
