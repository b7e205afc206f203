/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The openers of all types of inputs and outputs.
 *
 * Types that need a large library are in sluice-worker-net alone.  Their
 * openers are weak here: the linker makes them NULL in the other programs.
 */
#include "worker/input/input_type.h"
#include "worker/output/output_type.h"

#define WEAK __attribute__((weak))

#define PLAIN(KIND, name)
#define NET(KIND, name) extern input_open_fn name##_input_open WEAK;
INPUT_TYPES(PLAIN, NET)

#define ROW(KIND, name) [INPUT_##KIND] = name##_input_open,
input_open_fn *const input_openers[INPUT_KINDS] = {
	INPUT_TYPES(ROW, ROW)
};

extern output_open_fn srt_output_open WEAK;
extern output_open_fn np_output_open WEAK;
extern output_open_fn rist_output_open WEAK;

/* OUTPUT_HTTP has no opener: the deliver worker serves viewers from the
 * ring. */
output_open_fn *const output_openers[OUTPUT_KINDS] = {
	[OUTPUT_UDP] = udp_output_open,
	[OUTPUT_RTP] = udp_output_open,
	[OUTPUT_FILE] = file_output_open,
	[OUTPUT_SRT] = srt_output_open,
	[OUTPUT_NP] = np_output_open,
	[OUTPUT_RIST] = rist_output_open,
};
