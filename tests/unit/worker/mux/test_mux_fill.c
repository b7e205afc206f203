/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last picture of a service that is silent or has no room. */
#include "worker/mux/mux.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/cc.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
	SERVICES = 2, TICK_MS = 10, GROUP = 50, /* ticks */
	/* in the source */
	PMT = 0x100, VIDEO = 0x110, AUDIO = 0x120, CLOCK = 0x140,
	VIDEO_OUT = 172, AUDIO_OUT = 188, CLOCK_OUT = 120,
	KBPS = 4000, /* 26 packets in a tick */
	LEAD_MS = 333, /* of PTS over the clock */
};

struct side {
	struct mux *mux;
	size_t i;
};

/* What was sent on a PID. */
struct sent {
	uint64_t n, intra; /* packets, I pictures */
	bool has_pts, has_pcr;
	uint64_t pts, pcr;
	uint64_t pts_gap, pcr_gap; /* the longest ones */
	unsigned back; /* PTS or PCRs that do not grow */
	bool begun, began_intra; /* since `begun' was cleared */
};

struct rig {
	struct splice_continuity continuity;
	struct table_versions versions;
	struct mux *mux;
	struct side sides[2];
	struct remux *remux[2];
	struct build *ts[2];
	unsigned per_tick[SERVICES], other; /* packets of the videos */
	unsigned off; /* so many of the last services have tables alone */
	bool radio; /* it has no video */
	bool apart; /* PCRs have a PID of their own */
	unsigned lead_ms; /* of PTS over the clock */
	bool loud, joins; /* joins: all have the sound of the last service */
	uint8_t version; /* of the PMTs */
	bool long_units; /* audio has three packets, each in its tick */
	uint64_t now_ns, pcr;
	unsigned ticks;

	struct cc cc;
	unsigned cc_errors;
	struct sent sent[TS_PIDS];
	struct section_assembler sdt;
	uint8_t sdt_buffer[SECTION_MAX];
	unsigned stopped; /* services of the SDT that are not running */
};

static const uint8_t i_picture[] = { 0, 0, 1, 0xb3, 0x2d, 2, 0x40, 0x33, 0xff,
				     0xff, 0xe0, 0x18, 0, 0, 1, 0, 0, 8, 0, 0 };
static const uint8_t p_picture[] = { 0, 0, 1, 0, 0, 0x10, 0, 0 };
/* layer II, 48 kHz; 192 kbit/s, and 384 */
static const uint8_t audio[] = { 0xff, 0xfd, 0xa4, 0, 0, 0, 0, 0 };
static const uint8_t loud[] = { 0xff, 0xfd, 0xe4, 0, 0, 0, 0, 0 };

static void take_sdt(struct rig *r, const uint8_t *p)
{
	size_t len;

	section_push(&r->sdt, p);
	while (section_pull(&r->sdt, &len) != NULL) {
		r->stopped = 0;
		for (size_t at = 11; at + 4 < len - 4;) {
			r->stopped += r->sdt_buffer[at + 3] >> 5 == 1;
			at += 5 + section_get12(r->sdt_buffer + at + 3);
		}
	}
}

static void on_packet(struct rig *r, const uint8_t *p)
{
	struct sent *s = &r->sent[ts_pid(p)];
	bool intra = memmem(p, TS_PACKET, "\0\0\1\xb3", 4) != NULL;
	uint64_t pts, pcr;

	s->n++;
	s->intra += intra;
	r->cc_errors += cc_feed(&r->cc, p) != CC_OK;
	if (ts_pid(p) == SI_PID_SDT)
		take_sdt(r, p);
	if (ts_pcr(p, &pcr)) {
		if (s->has_pcr) {
			s->back += pcr <= s->pcr;
			s->pcr_gap = MAX(s->pcr_gap, pcr - s->pcr);
		}
		s->has_pcr = true;
		s->pcr = pcr;
	}
	if (!pes_pts(p, &pts))
		return;
	if (s->has_pts) {
		s->back += pts <= s->pts;
		s->pts_gap = MAX(s->pts_gap, pts - s->pts);
	}
	s->has_pts = true;
	s->pts = pts;
	if (!s->begun) {
		s->begun = true;
		s->began_intra = intra;
	}
}

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++)
			on_packet(arg, runs[i].data + k * TS_PACKET);
}

static void on_remuxed(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct side *s = arg;

	mux_feed(s->mux, s->i, runs, n_runs);
}

static struct rig *rig_new(bool still, unsigned kbps)
{
	static const struct remux_options options = { .set_tsid = 5 };
	struct rig *r = xcalloc(1, sizeof *r);

	r->now_ns = 1000 * SECOND_NS;
	r->pcr = 500 * PCR_HZ;
	section_init(&r->sdt, r->sdt_buffer, sizeof r->sdt_buffer);
	r->mux = mux_new(&(struct mux_config){
		.n_inputs = 2, .kbps = kbps, .tsid = 5, .onid = 6,
		.delay_ms = MUX_DELAY_DEFAULT_MS,
		.versions = &r->versions, .continuity = &r->continuity,
		.out = on_out, .arg = r });
	for (size_t i = 0; i < 2; i++)
		mux_setup(r->mux, i, &(struct mux_source_config){
			.base = (uint16_t)(100 * (i + 1)), .count = 100,
			.still = i == 0 && still,
			.priority = 100 + (unsigned)i });
	for (size_t i = 0; i < 2; i++) {
		r->sides[i] = (struct side){ r->mux, i };
		r->ts[i] = build_new();
		r->remux[i] = remux_new(&(struct remux_config){
			.options = &options, .versions = &r->versions,
			.place = mux_place(r->mux, i),
			.out = on_remuxed, .arg = &r->sides[i] });
		mux_set_remux(r->mux, i, r->remux[i]);
	}
	for (size_t k = 0; k < SERVICES; k++)
		r->per_tick[k] = 4;
	r->other = 4;
	r->lead_ms = LEAD_MS;
	return r;
}

/* No counter, PCR or PTS of the output was wrong, whatever happened. */
static void rig_free(struct rig *r)
{
	struct cbr_counters c;

	mux_cbr_counters(r->mux, &c);
	cr_expect_eq(c.overflow, 0u, "%u", (unsigned)c.overflow);
	cr_expect_eq(r->cc_errors, 0u, "%u", r->cc_errors);
	for (size_t pid = 0; pid < TS_PIDS; pid++) {
		cr_expect_eq(r->sent[pid].back, 0u, "%zu", pid);
		cr_expect_leq(r->sent[pid].pcr_gap, 45 * (PCR_HZ / 1000),
			      "%zu: %u", pid, (unsigned)r->sent[pid].pcr_gap);
	}
	for (size_t i = 0; i < 2; i++) {
		remux_free(&r->remux[i]);
		build_free(r->ts[i]);
	}
	mux_free(&r->mux);
	free(r);
}

static void put_sdt(struct build *ts)
{
	static const uint8_t sdt[] = { 0, 1, 0xff, 0, 1, 0xfc, 0x80, 0,
				       0, 2, 0xfc, 0x80, 0 };
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_table(section, &(struct build_table){
		.table_id = SDT_TABLE_ID, .extension = 1,
		.body = sdt, .len = sizeof sdt });

	(void)build_section(ts, SI_PID_SDT, section, len);
}

static uint16_t pcr_pid(const struct rig *r, size_t i, uint16_t k)
{
	bool radio = r->radio && i == 0 && k == 1;

	return (uint16_t)((r->apart ? CLOCK : radio ? AUDIO : VIDEO) + k);
}

static void put_tables(struct rig *r, size_t i, uint16_t n)
{
	struct build_entry list[SERVICES];
	uint8_t section[SECTION_PSI_MAX];
	struct build *ts = r->ts[i];
	size_t len;

	for (uint16_t k = 0; k < n; k++)
		list[k] = (struct build_entry){ (uint16_t)(k + 1),
						(uint16_t)(PMT + k) };
	len = build_pat(section, 0, list, n);
	(void)build_section(ts, TS_PID_PAT, section, len);
	for (uint16_t k = 0; k < n; k++) {
		bool radio = r->radio && i == 0 && k == 1;
		uint16_t pcr = pcr_pid(r, i, k);
		const struct build_es es[] = {
			{ 0x03, AUDIO + (r->joins ? 1 : k), NULL, 0 },
			{ 0x02, VIDEO + k, NULL, 0 } };

		len = build_pmt(section, list[k], r->version, es,
				radio ? 1 : 2);
		section[8] = (uint8_t)(0xe0 | pcr >> 8);
		section[9] = (uint8_t)pcr;
		build_mend_crc(section, len);
		(void)build_section(ts, list[k].pid, section, len);
	}
	put_sdt(ts);
}

static void put_unit(struct rig *r, size_t i, uint16_t pid, const void *es,
		     size_t len)
{
	uint8_t *p = build_pes(r->ts[i], pid, es, len);
	struct pes_times at;

	cr_assert(pes_times(p, &at));
	pes_set_time(p + at.pts, r->pcr / 300 + 90 * r->lead_ms);
}

static void put_service(struct rig *r, size_t i, uint16_t k, unsigned n)
{
	bool intra = r->ticks % GROUP == 0;

	(void)build_pcr(r->ts[i], pcr_pid(r, i, k), r->pcr);
	if (!r->radio || i != 0 || k != 1) {
		put_unit(r, i, VIDEO + k, intra ? i_picture : p_picture,
			 intra ? sizeof i_picture : sizeof p_picture);
		while (n-- > 2)
			(void)build_payload(r->ts[i], VIDEO + k, 0x55);
	}
	if (r->ticks % 3 == 0)
		put_unit(r, i, AUDIO + k, r->loud ? loud : audio, sizeof audio);
	else if (r->long_units)
		(void)build_payload(r->ts[i], AUDIO + k, 0x55);
}

static void play(struct rig *r, unsigned ticks)
{
	for (; ticks > 0; ticks--) {
		r->ts[0]->n = r->ts[1]->n = 0;
		if (r->ticks % 10 == 0) {
			put_tables(r, 0, SERVICES);
			put_tables(r, 1, 1);
		}
		for (uint16_t k = 0; k < SERVICES; k++)
			if (k < SERVICES - r->off)
				put_service(r, 0, k, r->per_tick[k]);
		put_service(r, 1, 0, r->other);
		for (size_t i = 0; i < 2; i++) {
			struct ts_run run = build_run(r->ts[i]);

			mux_heard(r->mux, i, r->now_ns);
			remux_feed(r->remux[i], &run, 1, r->now_ns);
		}
		r->now_ns += TICK_MS * MS;
		r->pcr += TICK_MS * (PCR_HZ / 1000);
		mux_turn(r->mux, r->now_ns, r->now_ns / MS);
		if (++r->ticks % 100 == 0)
			mux_every_second(r->mux);
	}
}

static struct mux_service_state state(const struct rig *r, size_t nth)
{
	struct mux_service_state ret;

	mux_service_get(r->mux, 0, nth, &ret);
	return ret;
}

/* Sent on the PIDs of the second service from now on. */
static struct sent *watch(struct rig *r, uint16_t pid)
{
	r->sent[pid].n = r->sent[pid].intra = 0;
	r->sent[pid].begun = false;
	return &r->sent[pid];
}

Test(mux_fill, a_silent_service_of_several_shows_its_last_picture)
{
	struct rig *r = rig_new(true, KBPS);
	struct sent *video, *sound, *other;

	play(r, 300);
	cr_expect(!state(r, 1).filled);
	r->off = 1;
	play(r, 100);
	cr_assert(state(r, 1).filled);
	cr_expect(!state(r, 0).filled);
	video = watch(r, VIDEO_OUT + 1);
	sound = watch(r, AUDIO_OUT + 1);
	other = watch(r, VIDEO_OUT);
	play(r, 200);
	/* five pictures in a second, 24 ms in a frame of 576 bytes */
	cr_expect(video->intra >= 9 && video->intra <= 11);
	cr_expect_geq(sound->n, 200u);
	cr_expect_geq(other->n, 780u);
	cr_expect_eq(r->stopped, 0u);
	/* the next I picture is 300 ms away */
	r->ticks = 20;
	r->off = 0;
	play(r, 20);
	cr_expect(state(r, 1).filled);
	play(r, 150);
	cr_expect(!state(r, 1).filled && !state(r, 1).silent);
	cr_expect_eq(state(r, 1).dropped, 0u);
	watch(r, VIDEO_OUT + 1);
	watch(r, AUDIO_OUT + 1);
	play(r, 100);
	cr_expect_geq(video->n, 390u);
	cr_expect_geq(sound->n, 30u);
	cr_expect_leq(video->pts_gap, 90 * 1200u);
	/* a service on air gets the sound */
	r->off = 1;
	play(r, 100);
	r->joins = true;
	r->version++;
	play(r, 50);
	watch(r, AUDIO_OUT + 1);
	play(r, 100);
	cr_expect_eq(sound->n, 0u);
	cr_expect(state(r, 1).filled);
	rig_free(r);
}

/* A restarted encoder may have another version of the same PMT. */
Test(mux_fill, new_tables_keep_the_last_picture)
{
	for (unsigned at = 0; at < 30; at += 5) {
		struct rig *r = rig_new(true, KBPS);
		struct sent *video;

		play(r, 300);
		r->off = 1;
		play(r, 150);
		/* the next I picture is 400 ms away */
		r->ticks = 10;
		r->off = 0;
		play(r, at);
		cr_assert(state(r, 1).filled);
		r->version++;
		play(r, GROUP - 10 - at);
		video = watch(r, VIDEO_OUT + 1);
		while (state(r, 1).filled && r->ticks < 600) {
			video = watch(r, VIDEO_OUT + 1);
			play(r, 1);
		}
		cr_expect_geq(r->ticks, 85u, "%u: %u", at, r->ticks);
		cr_expect_lt(r->ticks, 200u, "%u: %u", at, r->ticks);
		play(r, 20);
		cr_expect(video->begun && video->began_intra, "%u", at);
		rig_free(r);
	}
}

Test(mux_fill, the_picture_that_ends_a_silence_is_the_one_of_the_return)
{
	/* services are looked at in each fourth tick */
	for (unsigned phase = 0; phase < 4; phase++) {
		struct rig *r = rig_new(true, KBPS);

		play(r, 300);
		r->off = 1;
		play(r, 150 + phase);
		cr_assert(state(r, 1).filled);
		r->ticks = 0;
		r->off = 0;
		play(r, MUX_DELAY_DEFAULT_MS / TICK_MS + 10);
		cr_expect(!state(r, 1).filled, "%u", phase);
		rig_free(r);
	}
}

/* What gives way to the filler had room. */
Test(mux_fill, a_silent_service_returns_without_a_loss)
{
	for (unsigned lead_ms = 100; lead_ms < 400; lead_ms += 50) {
		struct rig *r = rig_new(true, KBPS);
		struct mux_source_state in;

		r->lead_ms = lead_ms;
		r->long_units = true;
		play(r, 300);
		r->off = 1;
		play(r, 151);
		cr_assert(state(r, 1).filled);
		r->off = 0;
		play(r, 200);
		cr_expect(!state(r, 1).filled);
		cr_expect_eq(state(r, 1).dropped, 0u, "%u ms: %u", lead_ms,
			     (unsigned)state(r, 1).dropped);
		mux_source_get(r->mux, 0, &in);
		cr_expect_eq(in.dropped, 0u, "%u ms", lead_ms);
		rig_free(r);
	}
}

Test(mux_fill, a_service_returns_with_an_intra_picture)
{
	for (unsigned first = 0; first < GROUP; first += 7) {
		struct rig *r = rig_new(true, KBPS);
		struct sent *video;

		play(r, 300);
		r->off = 1;
		play(r, 150 + first % 3);
		cr_assert(state(r, 1).filled, "%u", first);
		r->ticks = first;
		r->off = 0;
		video = watch(r, VIDEO_OUT + 1);
		while (state(r, 1).filled && r->ticks < 600) {
			play(r, 1);
			if (state(r, 1).filled)
				video = watch(r, VIDEO_OUT + 1);
		}
		cr_expect_lt(r->ticks, 200u, "%u: %u", first, r->ticks);
		play(r, 20);
		cr_expect(video->begun && video->began_intra, "%u", first);
		rig_free(r);
	}
}

Test(mux_fill, a_blocked_service_shows_its_last_picture)
{
	struct rig *r = rig_new(true, KBPS);
	struct sent *video, *sound;

	play(r, 300);
	r->per_tick[1] = 22;
	play(r, 600);
	cr_expect(state(r, 1).blocked && state(r, 1).filled);
	cr_expect(!state(r, 0).blocked);
	video = watch(r, VIDEO_OUT + 1);
	sound = watch(r, AUDIO_OUT + 1);
	play(r, 100);
	cr_expect(video->intra >= 4 && video->intra <= 6);
	cr_expect_geq(sound->n, 100u);
	cr_expect_leq(video->n, 200u, "%u", (unsigned)video->n);
	cr_expect_geq(state(r, 1).excess, 2000u);
	cr_expect_eq(r->stopped, 0u);
	r->per_tick[1] = 4;
	play(r, 800);
	cr_expect(!state(r, 1).blocked && !state(r, 1).filled);
	watch(r, VIDEO_OUT + 1);
	play(r, 100);
	cr_expect_geq(video->n, 390u);
	rig_free(r);
}

/* Its filler has 2 packets of the 26 in a tick. */
Test(mux_fill, a_blocked_service_returns_into_the_room_of_its_filler)
{
	struct rig *r = rig_new(true, KBPS);

	r->other = 16;
	play(r, 300);
	cr_expect(!state(r, 1).blocked);
	r->per_tick[1] = 20;
	play(r, 600);
	cr_assert(state(r, 1).blocked && state(r, 1).filled);
	r->per_tick[1] = 4;
	play(r, 800);
	cr_expect(!state(r, 1).blocked && !state(r, 1).filled);
	play(r, 1000);
	cr_expect(!state(r, 1).blocked);
	rig_free(r);
}

Test(mux_fill, a_silent_radio_program_has_silence)
{
	struct rig *r = rig_new(true, KBPS);
	struct sent *sound;

	r->radio = true;
	play(r, 300);
	r->off = 1;
	play(r, 100);
	cr_assert(state(r, 1).filled);
	sound = watch(r, AUDIO_OUT + 1);
	play(r, 100);
	cr_expect_geq(sound->n, 100u);
	r->off = 0;
	play(r, 200);
	cr_expect(!state(r, 1).filled);
	watch(r, AUDIO_OUT + 1);
	play(r, 99);
	/* a packet with a PCR in each tick, and every third one a unit */
	cr_expect(sound->n >= 130 && sound->n <= 134);
	rig_free(r);
}

/* It is not silent itself. */
Test(mux_fill, an_input_with_tables_alone_shows_the_pictures_of_its_services)
{
	struct rig *r = rig_new(true, KBPS);

	play(r, 300);
	r->off = SERVICES;
	/* half a second, and the last packets leave */
	play(r, 50);
	cr_expect(!state(r, 0).filled && !state(r, 1).filled);
	play(r, 20);
	for (size_t k = 0; k < SERVICES; k++)
		cr_expect(state(r, k).filled, "%zu", k);
	for (uint16_t k = 0; k < SERVICES; k++)
		watch(r, VIDEO_OUT + k);
	play(r, 100);
	for (size_t k = 0; k < SERVICES; k++)
		cr_expect_geq(r->sent[VIDEO_OUT + k].intra, 4u, "%zu", k);
	cr_expect_eq(r->stopped, 0u);
	r->off = 0;
	play(r, 200);
	for (size_t k = 0; k < SERVICES; k++)
		cr_expect(!state(r, k).filled, "%zu", k);
	rig_free(r);
}

Test(mux_fill, a_pid_with_pcrs_alone_returns)
{
	struct rig *r = rig_new(true, KBPS);
	struct sent *clock;

	r->apart = true;
	play(r, 300);
	r->off = 1;
	play(r, 150);
	cr_assert(state(r, 1).filled);
	clock = watch(r, CLOCK_OUT + 1);
	play(r, 100);
	cr_expect_geq(clock->n, 24u, "%u", (unsigned)clock->n);
	r->off = 0;
	play(r, 200);
	cr_assert(!state(r, 1).filled);
	watch(r, CLOCK_OUT + 1);
	play(r, 100);
	cr_expect_geq(clock->n, 99u, "%u", (unsigned)clock->n);
	cr_expect_eq(state(r, 1).dropped, 0u);
	cr_expect_eq(state(r, 1).excess, 0u);
	rig_free(r);
}

/* Each one would have 350 packets in a second, half of the rate are 531. */
Test(mux_fill, all_together_have_half_of_the_rate)
{
	struct rig *r = rig_new(true, 1600);

	r->loud = true;
	r->per_tick[0] = r->per_tick[1] = r->other = 2;
	play(r, 300);
	r->off = SERVICES;
	play(r, 200);
	cr_expect(state(r, 0).filled && !state(r, 1).filled);
	rig_free(r);
}

Test(mux_fill, without_the_option_nothing_is_sent)
{
	struct rig *r = rig_new(false, KBPS);
	struct sent *video;

	play(r, 300);
	r->off = 1;
	play(r, 150);
	video = watch(r, VIDEO_OUT + 1);
	play(r, 100);
	cr_expect(!state(r, 1).filled);
	cr_expect_eq(video->intra, 0u);
	cr_expect_eq(r->stopped, 1u);
	rig_free(r);
}
