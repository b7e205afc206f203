/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The filler of a stream whose PES headers lie in several packets. */
#include "worker/filler/filler.h"

#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/unit/worker/splice/source.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { PACKETS = 400 };

struct seen {
	bool ready;
	uint64_t video, audio; /* the last PTS */
	unsigned pictures, sounds;
	uint8_t picture[9]; /* its first bytes */
};

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct seen *seen = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (!ts_pusi(p))
				continue;
			seen->sounds += ts_pid(p) == SOURCE_AUDIO;
			if (ts_pid(p) != SOURCE_VIDEO)
				continue;
			seen->pictures++;
			memcpy(seen->picture, p + ts_payload_offset(p) +
			       PES_HEADER + 5, sizeof seen->picture);
		}
}

/* Feeds a filler by a source with so many bytes of each PES in its first
 * packet; returns what the filler has then and sends in a second. */
static struct seen play(size_t head)
{
	struct source *source = source_new(90000);
	struct psi *psi = psi_new();
	struct filler *f = filler_new(psi);
	uint64_t now = 1000 * SECOND_NS;
	struct seen seen = { 0 };
	struct ts_run run;

	source->head = head;
	run = source_make(source, PACKETS);
	for (size_t i = 0; i < run.n; i++) {
		struct ts_run one = { run.data + i * TS_PACKET, 1 };

		(void)psi_feed(psi, one.data);
		filler_feed(f, &one, 1);
	}
	seen.ready = filler_is_ready(f);
	cr_assert(filler_pts(f, SOURCE_VIDEO, &seen.video), "%zu", head);
	cr_assert(filler_pts(f, SOURCE_AUDIO, &seen.audio), "%zu", head);
	filler_start(f, now);
	for (uint64_t end = now + SECOND_NS; now < end; now += 10 * MS)
		filler_run(f, now, on_out, &seen);
	filler_free(&f);
	psi_free(&psi);
	free(source);
	return seen;
}

Test(filler_split, has_pictures_and_sound_whose_headers_have_two_packets)
{
	static const size_t heads[] = { 2, 8, 10, 16 };
	const struct seen whole = play(0);

	cr_assert(whole.ready && whole.pictures > 3 && whole.sounds > 8);
	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		const struct seen seen = play(heads[i]);

		cr_expect(seen.ready, "%zu", heads[i]);
		cr_expect_eq(seen.pictures, whole.pictures);
		cr_expect_eq(seen.sounds, whole.sounds);
		cr_expect_arr_eq(seen.picture, whole.picture,
				 sizeof whole.picture);
		/* the same packets have fewer units */
		cr_expect_lt(wrap_diff(whole.video, seen.video,
				       PES_TIME_WRAP), 5 * SOURCE_FRAME);
		cr_expect_neq(seen.audio, 0);
	}
}

/* Feeds n packets whose PES of audio have no PTS, or have it. */
static void feed_audio(struct filler *f, struct psi *psi, struct source *source,
		       size_t n, bool timed)
{
	struct ts_run run = source_make(source, n);

	for (size_t i = 0; i < run.n; i++) {
		uint8_t *p = source->data + i * TS_PACKET;
		struct ts_run one = { p, 1 };

		if (!timed && ts_pid(p) == SOURCE_AUDIO && ts_pusi(p))
			p[ts_payload_offset(p) + 7] = 0;
		(void)psi_feed(psi, p);
		filler_feed(f, &one, 1);
	}
}

Test(filler_split, sound_without_a_pts_has_none)
{
	struct source *source = source_new(90000);
	struct psi *psi = psi_new();
	struct filler *f = filler_new(psi);
	uint64_t pts;

	feed_audio(f, psi, source, PACKETS, false);
	cr_expect(filler_is_ready(f));
	cr_expect_not(filler_pts(f, SOURCE_AUDIO, &pts));
	feed_audio(f, psi, source, PACKETS, true);
	cr_assert(filler_pts(f, SOURCE_AUDIO, &pts));
	cr_expect_gt(pts, 90000u);
	filler_free(&f);
	psi_free(&psi);
	free(source);
}
