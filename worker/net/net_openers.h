/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The types that sluice-worker-net opens in addition to those of
 * sluice-worker. */
#pragma once

#include "worker/input/input_type.h"
#include "worker/output/output_type.h"

input_open_fn http_input_open;
input_open_fn rist_input_open;
input_open_fn srt_input_open;
output_open_fn np_output_open;
output_open_fn rist_output_open;
output_open_fn srt_output_open;
