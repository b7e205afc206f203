/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often a test repeats with other numbers.  The plain build proves the
 * property with all rounds.  Under the sanitizers a round takes eight times as
 * long, and some rounds are sufficient: they run all code with faulty memory
 * in view.
 */
#pragma once

#include "config.h"

enum { ROUNDS_DIVISOR = SANITIZED ? 8 : 1 };
