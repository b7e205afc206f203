/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of an input is sent instead of a service. */
#include "tests/unit/worker/mux/fill_rig.h"

#include "common/base/units.h"
#include "tests/unit/log_lines.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* The lines about a file that is not sent. */
#define REFUSED ((struct log_lines){ .part = "last picture is sent" })

static struct fill_rig *make(void)
{
	struct fill_rig *r = fill_rig_of(&(struct fill_options){
		.still = true, .file = true, .kbps = KBPS });

	r->has_file = true;
	return r;
}

/* Half a second and the delay until the picture, a second until the rate of the
 * file is known, and one more until its next picture has left. */
enum { BEGIN = 350 };

Test(mux_file, a_silent_service_of_several_shows_the_file)
{
	struct fill_rig *r = make();
	struct fill_sent *video, *sound, *other;

	fill_play(r, 300);
	cr_expect(!r->reads_file);
	r->off = 1;
	fill_play(r, 120);
	/* at first the picture */
	cr_expect(fill_state(r, 1).filled &&
		  !fill_state(r, 1).file);
	fill_play(r, BEGIN - 120);
	cr_assert(fill_state(r, 1).file);
	cr_expect(!fill_state(r, 0).filled);
	video = fill_watch(r, VIDEO_OUT + 1);
	sound = fill_watch(r, AUDIO_OUT + 1);
	other = fill_watch(r, VIDEO_OUT);
	fill_play(r, 200);
	cr_expect_geq(video->of_file, 390u, "%u", (unsigned)video->of_file);
	cr_expect_geq(sound->n, 65u, "%u", (unsigned)sound->n);
	cr_expect_eq(video->intra, 4u, "%u", (unsigned)video->intra);
	cr_expect_eq(other->of_file, 0u);
	cr_expect_eq(r->stopped, 0u);
	/* the next I picture is 300 ms away */
	r->ticks = 20;
	r->off = 0;
	fill_play(r, 20);
	cr_expect(fill_state(r, 1).file);
	fill_play(r, 150);
	cr_expect(!fill_state(r, 1).filled);
	cr_expect(!r->reads_file);
	cr_expect_eq(fill_state(r, 1).dropped, 0u);
	fill_watch(r, VIDEO_OUT + 1);
	fill_play(r, 100);
	cr_expect_geq(video->n, 390u);
	cr_expect_eq(video->of_file, 0u);
	fill_rig_free(r);
}

/* split: as file_split */
static void follow_picture(size_t split)
{
	for (unsigned lead_ms = 20; lead_ms < 700; lead_ms += 220) {
		struct fill_rig *r = make();
		struct fill_sent *video;

		r->file_split = split;
		r->file_lead_ms = lead_ms;
		fill_play(r, 300 + lead_ms % 7);
		r->off = 1;
		fill_play(r, BEGIN);
		cr_expect(fill_state(r, 1).file, "%u ms", lead_ms);
		video = fill_watch(r, VIDEO_OUT + 1);
		fill_play(r, 100);
		cr_expect_geq(video->of_file, 190u, "%u ms: %u", lead_ms,
			      (unsigned)video->of_file);
		r->off = 0;
		fill_play(r, 300);
		cr_expect(!fill_state(r, 1).filled, "%u ms", lead_ms);
		fill_rig_free(r);
	}
}

Test(mux_file, its_times_follow_those_of_the_picture)
{
	follow_picture(0);
}

Test(mux_file, its_times_follow_where_a_header_is_split)
{
	follow_picture(5);
	follow_picture(PES_HEADER + 3);
}

Test(mux_file, its_times_are_moved_wherever_a_header_is_split)
{
	for (size_t first = 1; first < 14; first++) {
		struct fill_rig *r = make();
		struct fill_sent *sound;
		uint64_t pts;

		r->file_split = first;
		fill_play(r, 300);
		r->off = 1;
		fill_play(r, BEGIN);
		cr_assert(fill_state(r, 1).file);
		sound = fill_watch(r, AUDIO_OUT + 1);
		sound->pts_gap = 0;
		pts = sound->pts;
		fill_play(r, 99);
		/* a unit each 30 ms, in two packets */
		cr_expect_geq(sound->n, 60u, "%zu: %u", first,
			      (unsigned)sound->n);
		cr_expect_eq(sound->back, 0u, "%zu", first);
		cr_expect_leq(sound->pts_gap, 90u * 40, "%zu: %u", first,
			      (unsigned)sound->pts_gap);
		cr_expect_leq(sound->pts - pts, 90u * 1050, "%zu: %u", first,
			      (unsigned)(sound->pts - pts));
		fill_rig_free(r);
	}
}

/* It takes most of the time to its repetition. */
Test(mux_file, the_picture_in_front_of_it_is_whole)
{
	for (unsigned at = 0; at < 50; at += 11) {
		struct fill_rig *r = make();
		struct fill_sent *video = &r->sent[VIDEO_OUT + 1];

		r->picture = 60;
		fill_play(r, 300 + at);
		r->off = 1;
		for (unsigned i = 0; i < 500 && video->of_file == 0; i++)
			fill_play(r, 1);
		cr_expect_gt(video->of_file, 0u, "%u", at);
		cr_expect_geq(video->last_unit, 60u, "%u: %u", at,
			      (unsigned)video->last_unit);
		fill_rig_free(r);
	}
}

Test(mux_file, a_blocked_service_shows_the_file)
{
	struct fill_rig *r = make();
	struct fill_sent *video;

	fill_play(r, 300);
	r->per_tick[1] = 22;
	fill_play(r, 800);
	cr_expect(fill_state(r, 1).blocked);
	cr_assert(fill_state(r, 1).file);
	video = fill_watch(r, VIDEO_OUT + 1);
	fill_play(r, 100);
	cr_expect_geq(video->of_file, 190u, "%u", (unsigned)video->of_file);
	r->per_tick[1] = 4;
	fill_play(r, 900);
	cr_expect(!fill_state(r, 1).filled);
	fill_rig_free(r);
}

Test(mux_file, without_packets_the_picture_is_sent)
{
	struct fill_rig *r = make();
	struct fill_sent *video;

	fill_play(r, 300);
	r->off = 1;
	fill_play(r, BEGIN);
	cr_assert(fill_state(r, 1).file);
	r->has_file = false;
	fill_play(r, 60);
	cr_expect(fill_state(r, 1).filled &&
		  !fill_state(r, 1).file);
	video = fill_watch(r, VIDEO_OUT + 1);
	fill_play(r, 100);
	cr_expect(video->intra >= 4 && video->intra <= 6);
	r->has_file = true;
	fill_play(r, BEGIN);
	cr_expect(fill_state(r, 1).file);
	fill_rig_free(r);
}

/* The other service has taken it, up to 1,197 packets in a second. */
Test(mux_file, without_room_for_the_picture_another_filler_starts_later)
{
	struct fill_rig *r = fill_rig_of(&(struct fill_options){
		.still = true, .file = true, .kbps = KBPS, .max_kbps = 1800 });

	r->has_file = true;
	fill_play(r, 300);
	r->off = 1;
	fill_play(r, BEGIN);
	cr_assert(fill_state(r, 1).file);
	r->per_tick[0] = 10;
	fill_play(r, 110);
	r->has_file = false;
	fill_play(r, 60);
	cr_expect(!fill_state(r, 1).file);
	r->per_tick[0] = 4;
	fill_play(r, 1000);
	cr_expect(fill_state(r, 1).filled);
	fill_watch(r, VIDEO_OUT + 1);
	fill_play(r, 100);
	cr_expect_geq(r->sent[VIDEO_OUT + 1].intra, 4u);
	fill_rig_free(r);
}

/* The PMT would have to change. */
Test(mux_file, one_of_another_coding_is_not_sent)
{
	struct fill_rig *r = make();

	r->file_coding = 0x1b;
	fill_play(r, 300);
	r->off = 1;
	fill_play(r, 2 * BEGIN);
	cr_expect(fill_state(r, 1).filled &&
		  !fill_state(r, 1).file);
	fill_rig_free(r);
}

/* AC-3, and E-AC-3. */
Test(mux_file, private_audio_of_another_coding_is_not_sent)
{
	static const uint8_t tags[] = { 0x6a, 0x7a };

	for (size_t i = 0; i < 2; i++) {
		struct fill_rig *r = make();
		struct fill_sent *sound;

		r->audio_tag = 0x6a;
		r->file_audio_tag = tags[i];
		fill_play(r, 300);
		r->off = 1;
		fill_play(r, BEGIN);
		cr_expect(fill_state(r, 1).file);
		sound = fill_watch(r, AUDIO_OUT + 1);
		fill_play(r, 100);
		/* silence has four times as many packets */
		cr_expect_eq(sound->n > 0 && sound->n < 70, i == 0, "%u",
			     (unsigned)sound->n);
		fill_rig_free(r);
	}
}

Test(mux_file, one_with_a_higher_rate_than_the_service_is_not_sent)
{
	struct fill_rig *r = make();

	r->file_packets = 6;
	fill_play(r, 300);
	r->off = 1;
	fill_play(r, 2 * BEGIN);
	cr_expect(fill_state(r, 1).filled &&
		  !fill_state(r, 1).file);
	fill_rig_free(r);
}

Test(mux_file, tracks_that_are_not_sent_do_not_count)
{
	struct fill_rig *r = make();

	r->file_others = 4;
	fill_play(r, 300);
	r->off = 1;
	fill_play(r, BEGIN);
	cr_expect(fill_state(r, 1).file);
	fill_rig_free(r);
}

Test(mux_file, the_log_names_file_service_and_what_is_missing)
{
	static const char *const reasons[] = {
		"the file has no program with video or audio",
		"the file has no PCR",
		"the file has no picture at which decoding can start" };

	for (size_t i = 0; i < 3; i++) {
		struct fill_rig *r = make();
		struct log_lines lines = REFUSED;
		char expected[256];

		log_open(log_lines_take, &lines, LOG_LEVEL_WARNING);
		r->file_lacks.program = i == 0;
		r->file_lacks.pcr = i == 1;
		r->file_lacks.start = i == 2;
		fill_play(r, 300);
		r->off = 1;
		fill_play(r, 800);
		cr_expect(fill_state(r, 1).filled && !fill_state(r, 1).file);
		(void)snprintf(expected, sizeof expected,
			       "input 1: service 102: absent: the file "
			       "/a/fill.ts is not used, the last picture is "
			       "sent: %s",
			       reasons[i]);
		cr_expect_eq(lines.n, 1u, "%zu: %u", i, lines.n);
		cr_expect_str_eq(lines.last, expected);
		log_open(NULL, NULL, LOG_LEVEL_INFO);
		fill_rig_free(r);
	}
}

Test(mux_file, a_reason_is_logged_again_only_behind_a_change)
{
	struct fill_rig *r = make();
	struct log_lines lines = REFUSED;

	log_open(log_lines_take, &lines, LOG_LEVEL_WARNING);
	r->file_packets = 6;
	fill_play(r, 300);
	for (unsigned i = 0; i < 3; i++) {
		r->off = 1;
		fill_play(r, 2 * BEGIN);
		r->off = 0;
		fill_play(r, 300);
		cr_expect(!fill_state(r, 1).filled);
	}
	cr_expect_eq(lines.n, 1u, "%u", lines.n);
	r->file_coding = 0x1b;
	r->off = 1;
	fill_play(r, 2 * BEGIN);
	cr_expect_eq(lines.n, 2u, "%u", lines.n);
	cr_expect_not_null(strstr(lines.last, "codings differ"));
	log_open(NULL, NULL, LOG_LEVEL_INFO);
	fill_rig_free(r);
}

Test(mux_file, one_whose_rate_becomes_too_high_ends)
{
	struct fill_rig *r = make();

	fill_play(r, 300);
	r->off = 1;
	fill_play(r, BEGIN);
	cr_assert(fill_state(r, 1).file);
	r->file_packets = 6;
	fill_play(r, 300);
	cr_expect(fill_state(r, 1).filled && !fill_state(r, 1).file);
	fill_rig_free(r);
}

/* The whole input is filled in front of the multiplex. */
Test(mux_file, an_input_without_any_pictures_needs_no_file)
{
	struct fill_rig *r = make();

	fill_play(r, 300);
	r->off = SERVICES;
	fill_play(r, BEGIN);
	cr_expect(fill_state(r, 0).filled &&
		  fill_state(r, 1).filled);
	cr_expect(!r->reads_file);
	fill_rig_free(r);
}
