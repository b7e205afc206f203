/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input and output types of sluice-worker-net. */
#include "worker/net/net_openers.h"

input_open_fn *const input_openers[INPUT_KINDS] = {
	INPUT_OPENERS_PLAIN,
	[INPUT_SRT] = srt_input_open,
	[INPUT_RIST] = rist_input_open,
	[INPUT_HTTP] = http_input_open,
};

output_open_fn *const output_openers[OUTPUT_KINDS] = {
	OUTPUT_OPENERS_PLAIN,
	[OUTPUT_SRT] = srt_output_open,
	[OUTPUT_NP] = np_output_open,
	[OUTPUT_RIST] = rist_output_open,
};
