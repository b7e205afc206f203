/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Output of an SRT address that listens: it sends to all its callers.
 *
 * Each receiver has an id. The number of receivers of one address is limited. A
 * receiver that is too slow loses packets; the others do not.
 */
#pragma once

#include "worker/output/output_type.h"

/* As output_open(); the mode is SRT_LISTENER. */
output_open_fn srt_receivers_open;
