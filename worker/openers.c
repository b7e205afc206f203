/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sluice-worker can open. */
#include "worker/input/input_type.h"
#include "worker/output/output_type.h"

input_open_fn *const input_openers[INPUT_KINDS] = {
	INPUT_OPENERS_PLAIN,
};

output_open_fn *const output_openers[OUTPUT_KINDS] = {
	OUTPUT_OPENERS_PLAIN,
};
