/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Output of an SRT address that listens: sends to all its callers.
 *
 * Each receiver has an id.  The number of receivers from one address is
 * limited.  If a receiver is too slow, only that receiver loses packets.
 */
#pragma once

#include "worker/output/output_type.h"

/* As output_open(), for a spec with the mode SRT_LISTENER. */
output_open_fn srt_receivers_open;
