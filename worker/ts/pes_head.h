/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The header of a PES up to its last time stamp (ISO/IEC 13818-1 2.4.3.6),
 * which may lie in several packets: an adaptation field may leave a few bytes
 * of the first one.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "worker/ts/packet.h"
#include "worker/ts/pes.h"

enum {
	/* The most bytes up to the end of PTS, DTS and ESCR. */
	PES_STAMPS_MAX = 25,
	/* Headers that are not complete at a time. */
	PES_READER_MAX = 16,
};

/* The offsets at which the time stamps of a PES packet end; 0: it has no such
 * stamp. */
struct pes_ends {
	size_t pts, dts, escr;
};

/* Finds the ends in a PES packet, of which the first PES_HEADER bytes are
 * there. */
struct pes_ends pes_ends(const uint8_t *pes);

/* The bytes up to the end of the last stamp of the PES that begins here, of
 * which len are there; more than len: as many are needed at least; 0: it has no
 * stamps, or no PES begins. */
size_t pes_head_len(const uint8_t *pes, size_t len);

/* --- one PES --- */

struct pes_head {
	uint16_t pid;
	uint8_t cc;       /* of the last packet with a part, as received */
	uint8_t first_cc; /* of the first one */
	uint8_t len;
	uint8_t bytes[PES_STAMPS_MAX];
};

enum pes_head_sign {
	HEAD_NONE,  /* all stamps of the PES, if one begins, are there */
	HEAD_WHOLE, /* the packets up to this one have all of the header */
	HEAD_WAITS, /* the rest has not arrived */
	HEAD_LOST,  /* ... and will not */
};

/* Reads the stamps of the PES that begins in the packet.  HEAD_WAITS: stamps
 * continue in later packets, and *ret has the first part of the header. */
enum pes_head_sign pes_head_read(const uint8_t *packet, struct pes_head *ret);

/* Adds the next packet, of any PID, to the header after HEAD_WAITS. */
enum pes_head_sign pes_head_add(struct pes_head *, const uint8_t *packet);

/* Does a PES begin in the packet?  Its header may continue in later packets. */
bool pes_begins(const uint8_t *packet);

/* --- the bytes behind a header --- */

/* Zeroed: a PES begins with the next byte. */
struct pes_skip {
	uint8_t head; /* bytes of its header up to PES_HEADER ... */
	uint8_t left; /* ... and those that follow them */
	uint8_t stream_id;
};

/* As pes_skip(). */
const uint8_t *pes_skip_header(struct pes_skip *, const uint8_t *p,
			       const uint8_t *end);

/* Returns the first byte from p on that belongs to no header; end: the header
 * may continue with the next packet of the PID.  NULL: no PES begins there, so
 * that nothing more is skipped. */
static inline const uint8_t *pes_skip(struct pes_skip *s, const uint8_t *p,
				      const uint8_t *end)
{
	return s->head == PES_HEADER && s->left == 0
		? p : pes_skip_header(s, p, end);
}

/* --- the times of all PES --- */

struct pes_stamps {
	uint64_t pts, dts; /* 90 kHz; without a DTS both are the PTS */
	size_t before;     /* bytes of the PES in earlier packets */
	/* The offset of its data in this packet; it may be behind its end. */
	size_t data;
	uint8_t stream_id;
};

/* Reads the stamps of the PES that begins in the packet; false: the packet does
 * not have all of them. */
bool pes_stamps_find(const uint8_t *packet, struct pes_stamps *ret);
/* Reads the stamps of a complete header (HEAD_WHOLE) that ends in the packet.
 * before: bytes of the PES in earlier packets.  False: the PES has no
 * stamps. */
bool pes_head_stamps(const struct pes_head *, const uint8_t *packet,
		     size_t before, struct pes_stamps *ret);

/* The headers of several PIDs that are not complete.  Zeroed memory has none.
 */
struct pes_reader {
	size_t n;
	struct pes_head list[PES_READER_MAX]; /* the oldest first */
};

enum pes_sign {
	PES_NONE,
	PES_WAITS, /* a PES has begun whose times are in later packets */
	PES_READ,  /* the times of a PES that began here, or in earlier ones */
};

/* Takes the next packet; *ret has the stamps after PES_READ.  The caller may
 * leave out a packet that begins no PES if n is 0, or if no header of its PID
 * is incomplete. */
enum pes_sign pes_reader_take(struct pes_reader *, const uint8_t *packet,
			      struct pes_stamps *ret);
