/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory that one worker leaves to the next may contain any bytes. */
#include "tests/unit/worker/splice/stage.h"

#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define NOW UINT64_C(5000000000)

static struct splice_continuity state;

static void fill(void)
{
	memset(&state, 0, sizeof state);
	state.packets = 1000;
	state.at_ns = NOW - 5;
	state.clocks[3] = (struct splice_clock){
		.program = 7, .pid = 0x100, .used = 1, .anchored = 64,
		.packet_ticks = 1, .offset = PES_TIME_WRAP - 1,
		.lift = 5, .pcr = PCR_WRAP - 1, .at_ns = NOW,
		.at_packets = 1000, .anchor = 3, .ahead = -4,
	};
	state.tracks[9] = (struct splice_track){
		.pid = 0x101, .used = 1, .clock = 3, .span = 3600,
		.slack = 100, .dts = 5, .pts = 6, .at_packets = 900,
	};
	state.cc[17] = SPLICE_CC_SEEN | 15;
}

Test(state, a_valid_memory_stays_unchanged)
{
	struct splice_continuity was;

	fill();
	was = state;
	cr_assert(splice_continuity_check(&state, NOW));
	cr_assert_eq(memcmp(&was, &state, sizeof was), 0);
}

Test(state, an_unused_memory_is_reset)
{
	fill();
	state.packets = 0;
	cr_assert_not(splice_continuity_check(&state, NOW));
	cr_assert_eq(state.clocks[3].used, 0);
	cr_assert_eq(state.cc[17], 0);
}

Test(state, a_memory_from_the_future_is_reset)
{
	fill();
	cr_assert_not(splice_continuity_check(&state, NOW - 6));
	fill();
	state.packets = UINT64_MAX;
	cr_assert_not(splice_continuity_check(&state, NOW));
	cr_assert_eq(state.tracks[9].used, 0);
}

#define SPOIL(field, value) \
	do { \
		fill(); \
		state.field = value; \
		cr_assert(splice_continuity_check(&state, NOW)); \
		cr_assert_eq(state.clocks[3].used + state.tracks[9].used, 1, \
			     #field); \
	} while (0)

Test(state, a_clock_or_a_track_out_of_range_is_dropped_alone)
{
	SPOIL(clocks[3].used, 2);
	SPOIL(clocks[3].pid, TS_PIDS);
	SPOIL(clocks[3].anchored, 255);
	SPOIL(clocks[3].packet_ticks, UINT32_MAX);
	SPOIL(clocks[3].offset, PES_TIME_WRAP);
	SPOIL(clocks[3].lift, UINT64_MAX);
	SPOIL(clocks[3].pcr, PCR_WRAP);
	SPOIL(clocks[3].at_ns, NOW + 1);
	SPOIL(clocks[3].at_packets, 1001);
	SPOIL(clocks[3].anchor, PCR_WRAP);
	SPOIL(clocks[3].ahead, INT64_MIN);
	SPOIL(tracks[9].used, 7);
	SPOIL(tracks[9].pid, TS_PIDS);
	SPOIL(tracks[9].clock, SPLICE_CLOCKS);
	SPOIL(tracks[9].span, UINT32_MAX);
	SPOIL(tracks[9].slack, 3601);
	SPOIL(tracks[9].dts, PES_TIME_WRAP);
	SPOIL(tracks[9].pts, UINT64_MAX);
	SPOIL(tracks[9].at_packets, 1001);
}

/* For any content the stream is sent, and is regular within a second: only its
 * first moments depend on the memory. */
Test(state, a_stream_recovers_from_any_memory)
{
	uint32_t seed = 12345;

	for (int round = 0; round < 50; round++) {
		struct source *a = source_new(123456);
		struct stage s;
		uint8_t *bytes;
		uint64_t faults;

		stage_init(&s);
		bytes = (uint8_t *)s.state;
		for (size_t i = 0; i < sizeof *s.state; i++) {
			seed = seed * 1664525 + 1013904223;
			/* most of them nearly right */
			if (round % 2 == 0 || seed >> 28 == 0)
				bytes[i] = (uint8_t)(seed >> 24);
		}
		s.state->packets = round % 3 == 0 ? 5 : UINT64_MAX / 5;
		s.state->at_ns %= s.now_ns;
		for (size_t i = 0; i < SPLICE_CLOCKS; i++)
			s.state->clocks[i].used = 1;
		splice_free(&s.splice);
		(void)splice_continuity_check(s.state, s.now_ns);
		s.splice = splice_new(&(struct splice_config){
			.out = NULL, .continuity = s.state });
		splice_free(&s.splice);
		stage_restart(&s);
		stage_play(&s, a, 2500);
		faults = s.judge.cc + s.judge.pcr_back + s.judge.pcr_jump +
			 s.judge.dts_back;
		cr_assert_gt(s.packets, 1000);
		stage_play(&s, a, 2000);
		cr_assert_eq(s.judge.cc + s.judge.pcr_back +
			     s.judge.pcr_jump + s.judge.dts_back, faults,
			     "%s", s.judge.events[0]);
		stage_done(&s);
		free(a);
	}
}
