/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/cue_memory.h"

#include "common/base/units.h"
#include "tests/unit/proto/si/json_eq.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <string.h>

#define NOW (1000 * SECOND_NS)

static struct cue_memory memory;
static uint8_t section[64];
static size_t len;

static void put(size_t place, uint64_t until_ns)
{
	len = from_hex("fc3016 00 01ffffffff ff fff005 05 00000007ff 0000"
		       "00000000", section, sizeof section);
	section[2] = (uint8_t)(len - 3);
	build_mend_crc(section, len);
	cue_memory_put(&memory.pending[place], until_ns, 7, section, len);
}

static bool is_free(size_t place)
{
	return memory.pending[place].until_ns == 0;
}

Test(cue_memory, keeps_the_commands_whose_time_comes)
{
	cr_expect_eq(cue_memory_place(&memory), 0);
	put(0, NOW + SECOND_NS);
	put(1, NOW);
	put(2, NOW + 600 * SECOND_NS);
	cr_expect_eq(cue_memory_place(&memory), 3);
	cue_memory_check(&memory, NOW);
	cr_expect_not(is_free(0));
	cr_expect(is_free(1), "its time has come");
	cr_expect_not(is_free(2));
	cr_expect_eq(cue_memory_place(&memory), 1);
	cr_expect_eq(memory.pending[0].event, 7);
	cr_expect_eq(memory.pending[0].len, len);
	cr_expect_arr_eq(memory.pending[0].section, section, len);
}

Test(cue_memory, drops_what_is_damaged)
{
	put(0, NOW + 601 * SECOND_NS);
	for (size_t i = 1; i < CUES_PENDING_MAX; i++)
		put(i, NOW + SECOND_NS);
	cr_expect_eq(cue_memory_place(&memory), CUES_PENDING_MAX);
	memory.pending[1].section[20] ^= 1;
	memory.pending[2].len = CUE_KEPT_BYTES + 1;
	memory.pending[3].len = 3;
	memory.pending[4].section[0] = 0x42;
	build_mend_crc(memory.pending[4].section, len);
	memory.pending[5].len = UINT32_MAX;
	memory.pending[6].section[2]++;
	cue_memory_check(&memory, NOW);
	for (size_t i = 0; i < 7; i++)
		cr_expect(is_free(i), "%zu", i);
	cr_expect_not(is_free(7));
}

/* It is sent, and its worker alone knows it. */
Test(cue_memory, does_not_keep_a_long_section)
{
	static uint8_t large[CUE_KEPT_BYTES + 1] = { 0xfc };

	cue_memory_put(&memory.pending[0], NOW + SECOND_NS, -1, large,
		       sizeof large);
	cr_expect_not(is_free(0));
	cr_expect_eq(memory.pending[0].len, 0);
	cue_memory_check(&memory, NOW);
	cr_expect(is_free(0));
}
