/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CLOCK_MONOTONIC, for every delay and rate: it never jumps. */
#pragma once

#include <stdint.h>

uint64_t mono_ns(void);
uint64_t mono_ms(void);

/* Processor time of this thread, to measure what a task cost. */
uint64_t mono_cost_ns(void);
