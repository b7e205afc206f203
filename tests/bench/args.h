/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers on the command lines of the bench programs. */
#pragma once

#include <stdint.h>

/* text as a decimal number from min to max; ends the program with status 2
 * and a sentence that names the option otherwise. */
uint64_t arg_number(const char *option, const char *text, uint64_t min,
		    uint64_t max);

/* Mbit/s with an optional fraction ("8", "2.5") as bits per second. */
uint64_t arg_rate_bps(const char *option, const char *text);
