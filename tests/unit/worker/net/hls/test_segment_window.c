/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/segment_window.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 4096 };

struct list {
	char text[LIST_MAX];
	struct m3u8 m;
};

/* Segments of one second; URIs: one letter each, '!' before a discontinuity,
 * '-' before a gap, '\'' before a shorter one, '.' at the end of a complete
 * playlist. */
static void read_list(struct list *l, uint64_t sequence, const char *names)
{
	double lasts = 1;
	size_t n = (size_t)snprintf(l->text, LIST_MAX,
				    "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
				    "#EXT-X-MEDIA-SEQUENCE:%llu\n",
				    (unsigned long long)sequence);

	for (; *names != '\0'; names++) {
		const char *line = l->text + n;
		size_t room = LIST_MAX - n;

		if (*names == '!')
			n += (size_t)snprintf(l->text + n, room,
					      "#EXT-X-DISCONTINUITY\n");
		else if (*names == '-')
			n += (size_t)snprintf(l->text + n, room,
					      "#EXT-X-GAP\n");
		else if (*names == '\'')
			lasts = 0.9;
		else if (*names == '.')
			n += (size_t)snprintf(l->text + n, room,
					      "#EXT-X-ENDLIST\n");
		else
			n += (size_t)snprintf(l->text + n, room,
					      "#EXTINF:%.1f,\n%c.ts\n",
					      lasts, *names);
		cr_assert(n < LIST_MAX, "%s", line);
	}
	cr_assert_eq(m3u8_parse(l->text, n, &l->m, NULL), 0);
}

/* The played segments of a playlist: URIs, '|' before a cut. */
static void play(struct segment_window *w, uint64_t sequence, const char *names,
		 const char *expected)
{
	static struct list l;
	struct segment_step step;
	char got[256] = "";
	size_t n = 0;

	read_list(&l, sequence, names);
	segment_window_update(w, &l.m, 0);
	while (segment_window_next(w, &l.m, &step)) {
		if (step.cut)
			got[n++] = '|';
		got[n++] = step.segment->uri.data[0];
		segment_window_done(w, &step, true);
	}
	got[n] = '\0';
	cr_assert_str_eq(got, expected, "%s at %llu", names,
			 (unsigned long long)sequence);
	m3u8_done(&l.m);
}

Test(segment_window, starts_three_target_durations_before_the_end)
{
	struct segment_window w = { 0 };

	play(&w, 10, "abcdef", "def");
	play(&w, 11, "bcdefg", "g");
	play(&w, 11, "bcdefg", "");
	play(&w, 13, "defghi", "hi");
}

Test(segment_window, plays_a_complete_playlist_from_the_start)
{
	struct segment_window w = { 0 };

	play(&w, 0, "abcdef.", "abcdef");
	cr_assert_eq(w.skipped, 0);
}

Test(segment_window, starts_early_enough_for_the_wanted_buffer)
{
	struct segment_window w = { 0 };
	struct list l;
	struct segment_step step;

	read_list(&l, 5, "abcdef");
	segment_window_update(&w, &l.m, 4500);
	cr_assert(segment_window_next(&w, &l.m, &step));
	cr_assert_eq(step.sequence, 6);
	cr_assert_eq(segment_window_ahead_ms(&w, &l.m), 5000);
	m3u8_done(&l.m);
}

Test(segment_window, discontinuities_and_gaps_are_cuts)
{
	struct segment_window w = { 0 };

	play(&w, 0, "ab!c-de", "|c|e");
	cr_assert_eq(w.skipped, 1);
	play(&w, 0, "ab!c-def", "f");
}

Test(segment_window, a_lost_segment_causes_a_cut)
{
	struct segment_window w = { 0 };
	struct list l;
	struct segment_step step;

	read_list(&l, 0, "abc");
	segment_window_update(&w, &l.m, 0);
	cr_assert(segment_window_next(&w, &l.m, &step));
	segment_window_done(&w, &step, false);
	cr_assert(segment_window_next(&w, &l.m, &step));
	cr_assert(step.cut && step.sequence == 1);
	cr_assert_eq(w.skipped, 1);
	m3u8_done(&l.m);
}

Test(segment_window, follows_uris_after_renumbering)
{
	struct segment_window w = { 0 };

	play(&w, 100, "abcd", "bcd");
	play(&w, 0, "cdef", "ef");
	cr_assert_eq(w.renumbered, 1);
	play(&w, 1, "defg", "g");
	/* the expected number is there by chance */
	play(&w, 4, "efghi", "hi");
	cr_assert_eq(w.renumbered, 2);
	cr_assert_eq(w.restarted, 0);
}

Test(segment_window, numbers_decide_if_uris_always_change)
{
	struct segment_window w = { 0 };

	play(&w, 7, "abc", "abc");
	play(&w, 8, "xyz", "z");
	play(&w, 10, "rst", "st");
	cr_assert_eq(w.renumbered, 0);
}

Test(segment_window, uris_may_be_reused)
{
	struct segment_window w = { 0 };

	play(&w, 0, "abcd", "bcd");
	play(&w, 4, "eabc", "eabc");
	play(&w, 6, "bcde", "de");
	play(&w, 7, "cdea", "a");
	cr_assert_eq(w.renumbered, 0);
}

Test(segment_window, ignores_a_stale_playlist)
{
	struct segment_window w = { 0 };

	play(&w, 10, "abcd", "bcd");
	play(&w, 14, "efgh", "efgh");
	play(&w, 10, "abcd", "");
	play(&w, 15, "fghi", "i");
	cr_assert_eq(w.restarted, 0);
	cr_assert_eq(w.skipped, 0);
}

Test(segment_window, enters_again_after_missing_segments)
{
	struct segment_window w = { 0 };

	play(&w, 10, "abcd", "bcd");
	play(&w, 20, "klmno", "|mno");
	cr_assert_eq(w.skipped, 8);
}

Test(segment_window, enters_again_after_a_restart_of_the_server)
{
	struct segment_window w = { 0 };

	play(&w, 1000, "abcd", "bcd");
	play(&w, 0, "vwxyz", "|xyz");
	play(&w, 1, "wxyzk", "k");
	cr_assert_eq(w.restarted, 1);
}

/* As ffmpeg does; there were few segments, so all URIs are remembered. */
static void play_and_begin_anew(struct segment_window *w)
{
	play(w, 0, "a", "a");
	play(w, 0, "abc", "bc");
	play(w, 1, "bcdef", "def");
	play(w, 4, "efghi", "ghi");
	play(w, 0, "a", "");
	play(w, 0, "a", "");
	play(w, 0, "ab", "");
	cr_assert(segment_window_is_held(w));
	play(w, 0, "abc", "|abc");
	cr_assert(!segment_window_is_held(w));
	cr_assert_eq(w->restarted, 1);
}

Test(segment_window, enters_again_if_uris_are_reused)
{
	struct segment_window w = { 0 };

	play_and_begin_anew(&w);
	play(&w, 0, "abcd", "d");
	play(&w, 2, "cdefg", "efg");
	/* after the end of the old ones */
	play(&w, 5, "fghij", "hij");
	play(&w, 7, "hijkl", "kl");
	/* again, at another position */
	play(&w, 1, "bcde", "");
	play(&w, 2, "cdef", "");
	play(&w, 3, "defg", "|efg");
	cr_assert_eq(w.restarted, 2);
	cr_assert_eq(w.renumbered, 0);
	cr_assert_eq(w.skipped, 0);
}

Test(segment_window, a_playlist_from_before_the_restart_is_stale)
{
	struct segment_window w = { 0 };

	play_and_begin_anew(&w);
	play(&w, 4, "efghi", "");
	play(&w, 0, "abcd", "d");
	play(&w, 5, "fghi", "");
	play(&w, 5, "fghi", "");
	play(&w, 1, "bcde", "e");
	cr_assert_eq(w.restarted, 1);
	cr_assert_eq(w.skipped, 0);
	/* but not for ever: now they repeat */
	play(&w, 7, "hi", "");
	play(&w, 6, "ghij", "|hij");
	cr_assert_eq(w.skipped, 2);
}

/* A different duration identifies a new segment at once. */
Test(segment_window, a_reused_uri_with_another_duration_is_a_new_segment)
{
	struct segment_window w = { 0 };

	play(&w, 0, "abcdef", "def");
	play(&w, 3, "defghi", "ghi");
	play(&w, 2, "'cdef", "|cdef");
	cr_assert_eq(w.restarted, 1);
}

/* A playlist of n letters, of which the last ones are played. */
static void play_part(struct segment_window *w, uint64_t from, int n,
		      int played)
{
	const char *letters = "abcdefghijklmnopqrstuvwxyz" + from;
	char names[27], expected[27];

	snprintf(names, sizeof names, "%.*s", n, letters);
	snprintf(expected, sizeof expected, "%.*s", played,
		 letters + n - played);
	play(w, from, names, expected);
}

Test(segment_window, ignores_stale_playlists_that_do_not_move)
{
	struct segment_window w = { 0 };

	play(&w, 0, "abcdef", "def");
	play(&w, 4, "efghij", "ghij");
	for (unsigned i = 0; i < 100; i++) {
		play(&w, 0, "abcdef", "");
		/* from an older cache */
		play(&w, 0, "abcd", "");
		play(&w, 0, "abcd", "");
		cr_assert(segment_window_is_held(&w));
	}
	/* each of them alternates with the new one */
	for (uint64_t i = 0; i < 10; i++) {
		play_part(&w, i, 3, 0);
		play_part(&w, 4 + i, 7, 1);
		cr_assert(!segment_window_is_held(&w));
	}
	cr_assert_eq(w.restarted, 0);
	cr_assert_eq(w.skipped, 0);
}

/* As another edge server of a CDN may. */
Test(segment_window, waits_for_a_server_that_lags)
{
	struct segment_window w = { 0 };

	play(&w, 0, "abcdef", "def");
	play(&w, 4, "efghij", "ghij");
	play(&w, 2, "cdefg", "");
	play(&w, 3, "defgh", "");
	play(&w, 4, "efghi", "");
	play(&w, 5, "fghij", "");
	play(&w, 6, "ghijk", "k");
	cr_assert_eq(w.restarted, 0);
}

Test(segment_window, plays_a_repeated_segment_once)
{
	struct segment_window w = { 0 };

	play(&w, 0, "abc", "abc");
	play(&w, 1, "bccd", "d");
	/* but a slate that repeats is all that the server has */
	play(&w, 5, "eeee", "eee");
	play(&w, 9, "!e!e", "|e|e");
}

Test(segment_window, a_change_of_the_playlist_is_a_cut)
{
	struct segment_window w = { 0 };

	play(&w, 5, "abc", "abc");
	segment_window_change(&w);
	play(&w, 6, "xyz", "|z");
	segment_window_change(&w);
	play(&w, 50, "pqrstu", "|stu");
}

Test(segment_window, an_empty_list_changes_nothing)
{
	struct segment_window w = { 0 };

	play(&w, 5, "", "");
	cr_assert(!w.begun);
	play(&w, 5, "abc", "abc");
	play(&w, 0, "", "");
	play(&w, 6, "bcd", "d");
}

Test(segment_window, continues_after_updates_during_a_load)
{
	struct segment_window w = { 0 };
	struct list l;
	struct segment_step step;

	read_list(&l, 10, "abc");
	segment_window_update(&w, &l.m, 0);
	cr_assert(segment_window_next(&w, &l.m, &step));
	m3u8_done(&l.m);
	read_list(&l, 20, "klmno");
	segment_window_update(&w, &l.m, 0);
	cr_assert_null(segment_window_listed(&w, &l.m, &step));
	segment_window_done(&w, &step, true);
	cr_assert(segment_window_next(&w, &l.m, &step));
	cr_assert_eq(step.sequence, 22);
	cr_assert(step.cut);
	m3u8_done(&l.m);
}

/* Each playlist has new URIs; each is compared once, not once per remembered
 * one. */
Test(segment_window, compares_each_uri_of_a_playlist_once)
{
	struct segment_window w = { 0 };
	char names[] = "abcdefgh";
	struct list l;
	struct segment_step step;

	for (uint64_t round = 0; round < 2 * HLS_HISTORY; round++) {
		uint64_t before = w.named;

		for (size_t i = 0; names[i] != '\0'; i++)
			names[i] = (char)('0' + (round * 8 + i) % 70);
		read_list(&l, round * 1000, names);
		segment_window_update(&w, &l.m, 0);
		cr_assert_leq(w.named - before, l.m.n_segments + 1);
		cr_assert(segment_window_next(&w, &l.m, &step));
		segment_window_done(&w, &step, true);
		m3u8_done(&l.m);
	}
}
