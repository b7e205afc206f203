/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides when the viewers of a mount get new bytes, and how many.
 *
 * A send to a socket costs about the same for one byte and for the 16 pages
 * that the kernel passes to TCP at once.  One byte more needs a second call and
 * costs as much again.  So the viewers get whole portions, and the bytes
 * behind them wait for the next portion.  A stream that needs longer than
 * hold_ms for a portion is sent each hold_ms.
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A portion touches 16 pages at most, wherever it begins.  Portions of a fast
 * stream are whole pages, because a page costs a reference for each viewer:
 * they begin at multiples of the size of a page.  A portion has four TLS
 * records. */
enum { PORTION_PAGE = 4096, PORTION_SIZE = 15 * PORTION_PAGE };

struct portion {
	uint64_t pos;   /* the viewers may have the bytes up to here */
	uint64_t at_ms; /* the time of the decision about pos */
	unsigned hold_ms; /* longest time that bytes wait for a full portion */
};

/* Begins at the end of the stream, as if the viewers had all bytes up to it. */
void portion_reset(struct portion *, uint64_t end, uint64_t now_ms);

/* Moves pos as far as the viewers may be fed now; false: not at all. */
bool portion_advance(struct portion *, uint64_t end, uint64_t now_ms);

/* The time after which portion_advance() is likely to move pos.  rate: bytes
 * per second of the stream; 0: unknown. */
unsigned portion_wait_ms(const struct portion *, uint64_t end, uint64_t rate,
		       uint64_t now_ms);
