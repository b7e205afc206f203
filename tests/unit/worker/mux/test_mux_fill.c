/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last picture of a service that is silent or has no room. */
#include "tests/unit/worker/mux/fill_rig.h"

#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/ts/pcr.h"

#include <criterion/criterion.h>

Test(mux_fill, a_silent_service_of_several_shows_its_last_picture)
{
	struct fill_rig *r = fill_rig_new(true, KBPS);
	struct fill_sent *video, *sound, *other;

	fill_play(r, 300);
	cr_expect(!fill_state(r, 1).filled);
	r->off = 1;
	fill_play(r, 100);
	cr_assert(fill_state(r, 1).filled);
	cr_expect(!fill_state(r, 0).filled);
	video = fill_watch(r, VIDEO_OUT + 1);
	sound = fill_watch(r, AUDIO_OUT + 1);
	other = fill_watch(r, VIDEO_OUT);
	fill_play(r, 200);
	/* five pictures in a second, 24 ms in a frame of 576 bytes */
	cr_expect(video->intra >= 9 && video->intra <= 11);
	cr_expect_geq(sound->n, 200u);
	cr_expect_geq(other->n, 780u);
	cr_expect_eq(r->stopped, 0u);
	/* the next I picture is 300 ms away */
	r->ticks = 20;
	r->off = 0;
	fill_play(r, 20);
	cr_expect(fill_state(r, 1).filled);
	fill_play(r, 150);
	cr_expect(!fill_state(r, 1).filled && !fill_state(r, 1).silent);
	cr_expect_eq(fill_state(r, 1).dropped, 0u);
	fill_watch(r, VIDEO_OUT + 1);
	fill_watch(r, AUDIO_OUT + 1);
	fill_play(r, 100);
	cr_expect_geq(video->n, 390u);
	cr_expect_geq(sound->n, 30u);
	cr_expect_leq(video->pts_gap, 90 * 1200u);
	/* a service on air gets the sound */
	r->off = 1;
	fill_play(r, 100);
	r->joins = true;
	r->version++;
	fill_play(r, 50);
	fill_watch(r, AUDIO_OUT + 1);
	fill_play(r, 100);
	cr_expect_eq(sound->n, 0u);
	cr_expect(fill_state(r, 1).filled);
	fill_rig_free(r);
}

/* A restarted encoder may have another version of the same PMT. */
Test(mux_fill, new_tables_keep_the_last_picture)
{
	for (unsigned at = 0; at < 30; at += 5) {
		struct fill_rig *r = fill_rig_new(true, KBPS);
		struct fill_sent *video;

		fill_play(r, 300);
		r->off = 1;
		fill_play(r, 150);
		/* the next I picture is 400 ms away */
		r->ticks = 10;
		r->off = 0;
		fill_play(r, at);
		cr_assert(fill_state(r, 1).filled);
		r->version++;
		fill_play(r, GROUP - 10 - at);
		video = fill_watch(r, VIDEO_OUT + 1);
		while (fill_state(r, 1).filled && r->ticks < 600) {
			video = fill_watch(r, VIDEO_OUT + 1);
			fill_play(r, 1);
		}
		cr_expect_geq(r->ticks, 85u, "%u: %u", at, r->ticks);
		cr_expect_lt(r->ticks, 200u, "%u: %u", at, r->ticks);
		fill_play(r, 20);
		cr_expect(video->begun && video->began_intra, "%u", at);
		fill_rig_free(r);
	}
}

Test(mux_fill, the_picture_that_ends_a_silence_is_the_one_of_the_return)
{
	/* services are looked at in each fourth tick */
	for (unsigned phase = 0; phase < 4; phase++) {
		struct fill_rig *r = fill_rig_new(true, KBPS);

		fill_play(r, 300);
		r->off = 1;
		fill_play(r, 150 + phase);
		cr_assert(fill_state(r, 1).filled);
		r->ticks = 0;
		r->off = 0;
		fill_play(r, MUX_DELAY_DEFAULT_MS / TICK_MS + 10);
		cr_expect(!fill_state(r, 1).filled, "%u", phase);
		fill_rig_free(r);
	}
}

/* What gives way to the filler had room. */
Test(mux_fill, a_silent_service_returns_without_a_loss)
{
	for (unsigned lead_ms = 100; lead_ms < 400; lead_ms += 50) {
		struct fill_rig *r = fill_rig_new(true, KBPS);
		struct mux_source_state in;

		r->lead_ms = lead_ms;
		r->long_units = true;
		fill_play(r, 300);
		r->off = 1;
		fill_play(r, 151);
		cr_assert(fill_state(r, 1).filled);
		r->off = 0;
		fill_play(r, 200);
		cr_expect(!fill_state(r, 1).filled);
		cr_expect_eq(fill_state(r, 1).dropped, 0u, "%u ms: %u", lead_ms,
			     (unsigned)fill_state(r, 1).dropped);
		mux_source_get(r->mux, 0, &in);
		cr_expect_eq(in.dropped, 0u, "%u ms", lead_ms);
		fill_rig_free(r);
	}
}

/* No PTS of picture or sound goes back (fill_rig_free()). */
Test(mux_fill, a_service_returns_whose_pes_headers_have_two_packets)
{
	static const size_t splits[] = { 0, 8, 10 };

	for (size_t i = 0; i < ARRAY_LEN(splits); i++)
		for (unsigned lead_ms = 100; lead_ms < 500; lead_ms += 100) {
			struct fill_rig *r = fill_rig_new(true, KBPS);

			r->split = splits[i];
			r->lead_ms = lead_ms;
			fill_play(r, 300);
			r->off = 1;
			fill_play(r, 151);
			cr_expect(fill_state(r, 1).filled, "%zu", splits[i]);
			r->off = 0;
			fill_play(r, 300);
			cr_expect(!fill_state(r, 1).filled, "%zu", splits[i]);
			fill_rig_free(r);
		}
}

Test(mux_fill, a_service_returns_with_an_intra_picture)
{
	for (unsigned first = 0; first < GROUP; first += 7) {
		struct fill_rig *r = fill_rig_new(true, KBPS);
		struct fill_sent *video;

		fill_play(r, 300);
		r->off = 1;
		fill_play(r, 150 + first % 3);
		cr_assert(fill_state(r, 1).filled, "%u", first);
		r->ticks = first;
		r->off = 0;
		video = fill_watch(r, VIDEO_OUT + 1);
		while (fill_state(r, 1).filled && r->ticks < 600) {
			fill_play(r, 1);
			if (fill_state(r, 1).filled)
				video = fill_watch(r, VIDEO_OUT + 1);
		}
		cr_expect_lt(r->ticks, 200u, "%u: %u", first, r->ticks);
		fill_play(r, 20);
		cr_expect(video->begun && video->began_intra, "%u", first);
		fill_rig_free(r);
	}
}

Test(mux_fill, a_blocked_service_shows_its_last_picture)
{
	struct fill_rig *r = fill_rig_new(true, KBPS);
	struct fill_sent *video, *sound;

	fill_play(r, 300);
	r->per_tick[1] = 22;
	fill_play(r, 600);
	cr_expect(fill_state(r, 1).blocked && fill_state(r, 1).filled);
	cr_expect(!fill_state(r, 0).blocked);
	video = fill_watch(r, VIDEO_OUT + 1);
	sound = fill_watch(r, AUDIO_OUT + 1);
	fill_play(r, 100);
	cr_expect(video->intra >= 4 && video->intra <= 6);
	cr_expect_geq(sound->n, 100u);
	cr_expect_leq(video->n, 200u, "%u", (unsigned)video->n);
	cr_expect_geq(fill_state(r, 1).excess, 2000u);
	cr_expect_eq(r->stopped, 0u);
	r->per_tick[1] = 4;
	fill_play(r, 800);
	cr_expect(!fill_state(r, 1).blocked && !fill_state(r, 1).filled);
	fill_watch(r, VIDEO_OUT + 1);
	fill_play(r, 100);
	cr_expect_geq(video->n, 390u);
	fill_rig_free(r);
}

/* Its filler has 2 packets of the 26 in a tick. */
Test(mux_fill, a_blocked_service_returns_into_the_room_of_its_filler)
{
	struct fill_rig *r = fill_rig_new(true, KBPS);

	r->other = 16;
	fill_play(r, 300);
	cr_expect(!fill_state(r, 1).blocked);
	r->per_tick[1] = 20;
	fill_play(r, 600);
	cr_assert(fill_state(r, 1).blocked && fill_state(r, 1).filled);
	r->per_tick[1] = 4;
	fill_play(r, 800);
	cr_expect(!fill_state(r, 1).blocked && !fill_state(r, 1).filled);
	fill_play(r, 1000);
	cr_expect(!fill_state(r, 1).blocked);
	fill_rig_free(r);
}

Test(mux_fill, a_silent_radio_program_has_silence)
{
	struct fill_rig *r = fill_rig_new(true, KBPS);
	struct fill_sent *sound;

	r->radio = r->long_units = true;
	fill_play(r, 300);
	r->off = 1;
	fill_play(r, 100);
	cr_assert(fill_state(r, 1).filled);
	sound = fill_watch(r, AUDIO_OUT + 1);
	fill_play(r, 100);
	cr_expect_geq(sound->n, 100u);
	r->off = 0;
	fill_play(r, 200);
	cr_expect(!fill_state(r, 1).filled);
	fill_watch(r, AUDIO_OUT + 1);
	fill_play(r, 99);
	/* in each tick a packet with a PCR, and one of sound */
	cr_expect(sound->n >= 196 && sound->n <= 200, "%u",
		  (unsigned)sound->n);
	fill_rig_free(r);
}

/* The filler has 163 packets in a second with its PCRs, the program 143. */
Test(mux_fill, a_radio_program_with_pcrs_in_its_audio_has_silence)
{
	struct fill_rig *r = fill_rig_new(true, KBPS);
	struct fill_sent *sound;

	r->radio = r->dense = true;
	fill_play(r, 300);
	r->off = 1;
	fill_play(r, 100);
	cr_assert(fill_state(r, 1).filled);
	sound = fill_watch(r, AUDIO_OUT + 1);
	fill_play(r, 100);
	cr_expect_geq(sound->n, 100u);
	fill_rig_free(r);
}

/* Its silence alone has 300 packets in a second, the service 234. */
Test(mux_fill, silence_is_sent_with_rare_pictures)
{
	struct fill_rig *r = fill_rig_new(true, KBPS);
	struct fill_sent *video;

	r->loud = true;
	r->per_tick[1] = 2;
	fill_play(r, 300);
	r->off = 1;
	fill_play(r, 200);
	cr_assert(fill_state(r, 1).filled);
	video = fill_watch(r, VIDEO_OUT + 1);
	fill_play(r, 400);
	cr_expect(video->intra >= 1 && video->intra <= 3, "%u",
		  (unsigned)video->intra);
	fill_rig_free(r);
}

/* Its audio is no measure for the picture. */
Test(mux_fill, a_service_whose_video_ends_first_keeps_its_rate)
{
	struct fill_rig *r = fill_rig_new(true, KBPS);
	struct fill_sent *video;

	r->per_tick[1] = 8;
	fill_play(r, 300);
	r->blind = true;
	fill_play(r, 1500);
	r->off = 1;
	fill_play(r, 200);
	cr_assert(fill_state(r, 1).filled);
	video = fill_watch(r, VIDEO_OUT + 1);
	fill_play(r, 200);
	cr_expect_geq(video->intra, 9u, "%u", (unsigned)video->intra);
	fill_rig_free(r);
}

/* Its picture alone would have 460 packets in a second. */
Test(mux_fill, a_filler_has_the_rate_of_its_service_at_most)
{
	struct fill_rig *r = fill_rig_new(true, KBPS);
	struct fill_sent *video, *sound;
	uint64_t most;

	r->per_tick[1] = 2;
	r->picture = 300;
	r->group = 4 * GROUP;
	fill_play(r, 500);
	/* two in a tick, a picture, and sound; PCRs are inserted too */
	most = 200 + 300 + 34 + 26;
	r->off = 1;
	fill_play(r, 200);
	cr_assert(fill_state(r, 1).filled);
	video = fill_watch(r, VIDEO_OUT + 1);
	sound = fill_watch(r, AUDIO_OUT + 1);
	fill_play(r, 400);
	cr_expect_geq(video->intra, 2u);
	cr_expect_leq(video->n + sound->n, 4 * most, "%u and %u",
		      (unsigned)video->n, (unsigned)sound->n);
	fill_rig_free(r);
}

/* 840 kbit/s are 558 packets in a second; the other service has 333. */
Test(mux_fill, a_filler_has_what_rate_max_leaves)
{
	struct fill_rig *r = fill_rig_of(&(struct fill_options){
		.still = true, .kbps = KBPS, .max_kbps = 840 });
	struct fill_sent *video, *sound;

	r->per_tick[0] = 3;
	r->per_tick[1] = 2;
	r->picture = 30;
	fill_play(r, 300);
	cr_expect(!fill_state(r, 1).blocked);
	r->off = 1;
	fill_play(r, 200);
	cr_assert(fill_state(r, 1).filled);
	video = fill_watch(r, VIDEO_OUT + 1);
	sound = fill_watch(r, AUDIO_OUT + 1);
	fill_play(r, 300);
	cr_expect_geq(video->intra, 3u);
	cr_expect_leq(video->n + sound->n, 3 * (225u + 26), "%u and %u",
		      (unsigned)video->n, (unsigned)sound->n);
	fill_rig_free(r);
}

/* A source that was exchanged has other PIDs.  Their PMT is sent shortly in
 * front of the picture. */
Test(mux_fill, a_pmt_with_other_pids_waits_for_the_picture)
{
	for (unsigned at = 0; at < 40; at += 39) {
		struct fill_rig *r = fill_rig_new(true, KBPS);
		struct fill_sent *video, *old;
		uint64_t ns;

		fill_play(r, 300);
		r->off = 1;
		fill_play(r, 150);
		cr_assert(fill_state(r, 1).filled);
		/* the next I picture is 400 ms away */
		r->ticks = 10;
		r->off = 0;
		fill_play(r, at);
		r->moved = true;
		old = fill_watch(r, VIDEO_OUT + 1);
		video = fill_watch(r, VIDEO_MOVED_OUT);
		fill_play(r, GROUP - 10 - at);
		cr_expect_eq(r->listed, VIDEO_OUT + 1);
		while (fill_state(r, 1).filled && r->ticks < 600) {
			cr_expect_eq(video->n, 0u, "%u", at);
			fill_play(r, 1);
		}
		/* a picture of 50 and the delay of 40 ticks */
		cr_expect(r->ticks >= 89 && r->ticks < 150, "%u: %u", at,
			  r->ticks);
		cr_expect_geq(old->n, 20u, "%u", at);
		ns = r->now_ns;
		fill_play(r, 20);
		cr_expect_eq(r->listed, VIDEO_MOVED_OUT, "%u", at);
		cr_expect(r->listed_ns <= ns && ns - r->listed_ns <= 80 * MS,
			  "%u: %d ms", at,
			  (int)((int64_t)(ns - r->listed_ns) / (int)MS));
		cr_expect(video->begun && video->began_intra, "%u", at);
		fill_play(r, 100);
		cr_expect(!fill_state(r, 1).filled);
		cr_expect_eq(fill_state(r, 1).dropped, 0u);
		fill_rig_free(r);
	}
}

/* Also while nothing of the service arrives. */
Test(mux_fill, new_pids_in_a_silence_keep_the_last_picture)
{
	struct fill_rig *r = fill_rig_new(true, KBPS);
	struct fill_sent *old;

	fill_play(r, 300);
	r->off = 1;
	fill_play(r, 150);
	r->moved = true;
	fill_play(r, 150);
	old = fill_watch(r, VIDEO_OUT + 1);
	fill_play(r, 100);
	cr_expect(fill_state(r, 1).filled);
	cr_expect_eq(r->listed, VIDEO_OUT + 1);
	cr_expect_geq(old->intra, 4u);
	r->off = 0;
	fill_play(r, 200);
	cr_expect(!fill_state(r, 1).filled);
	cr_expect_eq(r->listed, VIDEO_MOVED_OUT);
	fill_rig_free(r);
}

/* It is not silent itself. */
Test(mux_fill, an_input_with_tables_alone_shows_the_pictures_of_its_services)
{
	struct fill_rig *r = fill_rig_new(true, KBPS);

	fill_play(r, 300);
	r->off = SERVICES;
	/* half a second, and the last packets leave */
	fill_play(r, 50);
	cr_expect(!fill_state(r, 0).filled && !fill_state(r, 1).filled);
	fill_play(r, 20);
	for (size_t k = 0; k < SERVICES; k++)
		cr_expect(fill_state(r, k).filled, "%zu", k);
	for (uint16_t k = 0; k < SERVICES; k++)
		fill_watch(r, VIDEO_OUT + k);
	fill_play(r, 100);
	for (size_t k = 0; k < SERVICES; k++)
		cr_expect_geq(r->sent[VIDEO_OUT + k].intra, 4u, "%zu", k);
	cr_expect_eq(r->stopped, 0u);
	r->off = 0;
	fill_play(r, 200);
	for (size_t k = 0; k < SERVICES; k++)
		cr_expect(!fill_state(r, k).filled, "%zu", k);
	fill_rig_free(r);
}

Test(mux_fill, a_pid_with_pcrs_alone_returns)
{
	struct fill_rig *r = fill_rig_new(true, KBPS);
	struct fill_sent *clock;

	r->apart = true;
	fill_play(r, 300);
	r->off = 1;
	fill_play(r, 150);
	cr_assert(fill_state(r, 1).filled);
	clock = fill_watch(r, CLOCK_OUT + 1);
	fill_play(r, 100);
	cr_expect_geq(clock->n, 24u, "%u", (unsigned)clock->n);
	r->off = 0;
	fill_play(r, 200);
	cr_assert(!fill_state(r, 1).filled);
	fill_watch(r, CLOCK_OUT + 1);
	fill_play(r, 100);
	cr_expect_geq(clock->n, 99u, "%u", (unsigned)clock->n);
	cr_expect_eq(fill_state(r, 1).dropped, 0u);
	cr_expect_eq(fill_state(r, 1).excess, 0u);
	fill_rig_free(r);
}

/* Each one would have 300 packets in a second, half of the rate are 565. */
Test(mux_fill, all_together_have_half_of_the_rate)
{
	struct fill_rig *r = fill_rig_new(true, 1700);

	r->loud = true;
	r->per_tick[0] = r->per_tick[1] = 3;
	r->other = 2;
	fill_play(r, 300);
	r->off = SERVICES;
	fill_play(r, 200);
	cr_expect(fill_state(r, 0).filled && !fill_state(r, 1).filled);
	fill_rig_free(r);
}

Test(mux_fill, without_the_option_nothing_is_sent)
{
	struct fill_rig *r = fill_rig_new(false, KBPS);
	struct fill_sent *video;

	fill_play(r, 300);
	r->off = 1;
	fill_play(r, 150);
	video = fill_watch(r, VIDEO_OUT + 1);
	fill_play(r, 100);
	cr_expect(!fill_state(r, 1).filled);
	cr_expect_eq(video->intra, 0u);
	cr_expect_eq(r->stopped, 1u);
	fill_rig_free(r);
}
