/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The discontinuity and media sequence numbers of HLS that rings have used.  A
 * player ignores a playlist whose number is less than one before (RFC 8216
 * 6.2.2), so a new ring begins with greater numbers than any before.  A file
 * keeps them beyond the end of the service: media sequence numbers, which the
 * clock has as well, at its orderly end and while they are ahead of the clock.
 *
 * Borrows the loop.
 */
#pragma once

#include <stdint.h>

struct ev_loop;
struct hls_bases;

/* path: of the file; NULL: the numbers end with the service. */
struct hls_bases *hls_bases_new(struct ev_loop *, const char *path);
/* NULL-safe; sets *b to NULL.  Waits for a write. */
void hls_bases_free(struct hls_bases **b);

/* A ring has this base, and a segment of this number (0: none); a worker wrote
 * them.  b: NULL: none are kept. */
void hls_bases_note(struct hls_bases *b, uint64_t base, uint64_t number);

/* The least base and number of a new ring; b: NULL: any. */
uint64_t hls_bases_next(const struct hls_bases *b);
uint64_t hls_bases_next_number(const struct hls_bases *b);
