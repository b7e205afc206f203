/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Remembers the discontinuity and media sequence numbers of HLS that rings have
 * used.  A player ignores a playlist whose number is less than that of an
 * earlier playlist (RFC 8216 6.2.2), so a new ring begins with greater numbers
 * than any earlier ring.  A file keeps the numbers across restarts.  Media
 * sequence numbers are written only at the orderly end of the service, and
 * while they are ahead of the clock in seconds: a new ring also begins no lower
 * than that clock.
 *
 * Borrows the loop.
 */
#pragma once

#include <stdint.h>

struct ev_loop;
struct hls_bases;

/* path: the file; NULL: the numbers are lost with the end of the service. */
struct hls_bases *hls_bases_new(struct ev_loop *, const char *path);
/* NULL-safe; sets *b to NULL.  Writes the file and waits for it. */
void hls_bases_free(struct hls_bases **b);

/* A ring has this discontinuity number (base), and a segment of this media
 * sequence number (0: none).  A worker wrote both, so implausible numbers are
 * ignored.  b NULL: does nothing. */
void hls_bases_note(struct hls_bases *b, uint64_t base, uint64_t number);

/* Returns the least discontinuity number of a new ring; 0: any (b is NULL). */
uint64_t hls_bases_next(const struct hls_bases *b);
/* Returns the least media sequence number of a new ring; 0: any. */
uint64_t hls_bases_next_number(const struct hls_bases *b);
