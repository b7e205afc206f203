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

/* Segments of one second; names: one letter each, '!' before one that is a
 * discontinuity, '-' before a gap, '\'' before those that are shorter, '.' at
 * the end of all. */
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

/* What is played of a list: names, '|' before one that is a cut. */
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

Test(window, begins_three_targets_from_the_end)
{
	struct segment_window w = { 0 };

	play(&w, 10, "abcdef", "def");
	play(&w, 11, "bcdefg", "g");
	play(&w, 11, "bcdefg", "");
	play(&w, 13, "defghi", "hi");
}

Test(window, plays_all_of_a_list_that_has_ended)
{
	struct segment_window w = { 0 };

	play(&w, 0, "abcdef.", "abcdef");
	cr_assert_eq(w.skipped, 0);
}

Test(window, begins_as_far_back_as_is_wanted)
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

Test(window, discontinuities_and_gaps_are_cuts)
{
	struct segment_window w = { 0 };

	play(&w, 0, "ab!c-de", "|c|e");
	cr_assert_eq(w.skipped, 1);
	play(&w, 0, "ab!c-def", "f");
}

Test(window, what_could_not_be_had_is_a_cut)
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

Test(window, follows_the_names_of_a_server_that_numbers_anew)
{
	struct segment_window w = { 0 };

	play(&w, 100, "abcd", "bcd");
	play(&w, 0, "cdef", "ef");
	cr_assert_eq(w.renumbered, 1);
	play(&w, 1, "defg", "g");
	/* the number that is due is there by chance */
	play(&w, 4, "efghi", "hi");
	cr_assert_eq(w.renumbered, 2);
	cr_assert_eq(w.restarted, 0);
}

Test(window, the_number_decides_where_names_change_all_the_time)
{
	struct segment_window w = { 0 };

	play(&w, 7, "abc", "abc");
	play(&w, 8, "xyz", "z");
	play(&w, 10, "rst", "st");
	cr_assert_eq(w.renumbered, 0);
}

Test(window, names_may_be_used_again)
{
	struct segment_window w = { 0 };

	play(&w, 0, "abcd", "bcd");
	play(&w, 4, "eabc", "eabc");
	play(&w, 6, "bcde", "de");
	play(&w, 7, "cdea", "a");
	cr_assert_eq(w.renumbered, 0);
}

Test(window, an_old_list_is_waited_for)
{
	struct segment_window w = { 0 };

	play(&w, 10, "abcd", "bcd");
	play(&w, 14, "efgh", "efgh");
	play(&w, 10, "abcd", "");
	play(&w, 15, "fghi", "i");
	cr_assert_eq(w.restarted, 0);
	cr_assert_eq(w.skipped, 0);
}

Test(window, enters_anew_where_segments_are_missing)
{
	struct segment_window w = { 0 };

	play(&w, 10, "abcd", "bcd");
	play(&w, 20, "klmno", "|mno");
	cr_assert_eq(w.skipped, 8);
}

Test(window, enters_anew_when_the_server_began_anew)
{
	struct segment_window w = { 0 };

	play(&w, 1000, "abcd", "bcd");
	play(&w, 0, "vwxyz", "|xyz");
	play(&w, 1, "wxyzk", "k");
	cr_assert_eq(w.restarted, 1);
}

/* As ffmpeg does; the old numbers were few, so all names are remembered. */
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

Test(window, enters_anew_where_names_are_used_again)
{
	struct segment_window w = { 0 };

	play_and_begin_anew(&w);
	play(&w, 0, "abcd", "d");
	play(&w, 2, "cdefg", "efg");
	/* beyond where the old ones ended */
	play(&w, 5, "fghij", "hij");
	play(&w, 7, "hijkl", "kl");
	/* and once more, at another place */
	play(&w, 1, "bcde", "");
	play(&w, 2, "cdef", "");
	play(&w, 3, "defg", "|efg");
	cr_assert_eq(w.restarted, 2);
	cr_assert_eq(w.renumbered, 0);
	cr_assert_eq(w.skipped, 0);
}

Test(window, a_list_of_before_it_began_anew_is_an_old_one)
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
	/* but not for ever: here they come once more */
	play(&w, 7, "hi", "");
	play(&w, 6, "ghij", "|hij");
	cr_assert_eq(w.skipped, 2);
}

/* Another duration tells at once. */
Test(window, one_of_that_name_that_lasts_longer_is_another)
{
	struct segment_window w = { 0 };

	play(&w, 0, "abcdef", "def");
	play(&w, 3, "defghi", "ghi");
	play(&w, 2, "'cdef", "|cdef");
	cr_assert_eq(w.restarted, 1);
}

/* A list of n letters, of which the last ones are played. */
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

Test(window, old_lists_that_do_not_move_on_are_waited_for)
{
	struct segment_window w = { 0 };

	play(&w, 0, "abcdef", "def");
	play(&w, 4, "efghij", "ghij");
	for (unsigned i = 0; i < 100; i++) {
		play(&w, 0, "abcdef", "");
		/* a cache that is older still */
		play(&w, 0, "abcd", "");
		play(&w, 0, "abcd", "");
		cr_assert(segment_window_is_held(&w));
	}
	/* each of them by turns with the new one */
	for (uint64_t i = 0; i < 10; i++) {
		play_part(&w, i, 3, 0);
		play_part(&w, 4 + i, 7, 1);
		cr_assert(!segment_window_is_held(&w));
	}
	cr_assert_eq(w.restarted, 0);
	cr_assert_eq(w.skipped, 0);
}

/* As another edge of the same network may. */
Test(window, a_server_that_lags_is_waited_for)
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

Test(window, one_that_is_listed_twice_is_played_once)
{
	struct segment_window w = { 0 };

	play(&w, 0, "abc", "abc");
	play(&w, 1, "bccd", "d");
	/* but a picture that stands still is all there is */
	play(&w, 5, "eeee", "eee");
	play(&w, 9, "!e!e", "|e|e");
}

Test(window, another_list_is_a_cut)
{
	struct segment_window w = { 0 };

	play(&w, 5, "abc", "abc");
	segment_window_change(&w);
	play(&w, 6, "xyz", "|z");
	segment_window_change(&w);
	play(&w, 50, "pqrstu", "|stu");
}

Test(window, an_empty_list_changes_nothing)
{
	struct segment_window w = { 0 };

	play(&w, 5, "", "");
	cr_assert(!w.begun);
	play(&w, 5, "abc", "abc");
	play(&w, 0, "", "");
	play(&w, 6, "bcd", "d");
}

Test(window, goes_on_though_lists_come_while_one_is_loaded)
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

/* Each list has other names; none is looked at again for each one that is
 * remembered. */
Test(window, looks_at_each_name_of_a_list_once)
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
