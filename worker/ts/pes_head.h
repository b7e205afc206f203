/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the header of a PES up to its last time stamp (ISO/IEC 13818-1
 * 2.4.3.6).  The header may span several packets, because an adaptation field
 * may leave room for only a few bytes in the first packet.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "worker/ts/packet.h"
#include "worker/ts/pes.h"

enum {
	/* The most bytes of a PES up to the end of PTS, DTS and ESCR. */
	PES_STAMPS_MAX = 25,
	/* The most incomplete headers in a struct pes_reader. */
	PES_READER_MAX = 16,
};

/* The offsets at which the time stamps of a PES packet end; 0: it has no such
 * stamp. */
struct pes_ends {
	size_t pts, dts, escr;
};

/* Finds the ends of the time stamps.  pes: at least the first PES_HEADER bytes
 * of a PES packet. */
struct pes_ends pes_ends(const uint8_t *pes);

/* Returns the number of bytes of a PES up to the end of its last time stamp.
 * len: number of bytes that have arrived.  More than len: at least that many
 * bytes are needed.  0: the PES has no time stamps, or no PES begins here. */
size_t pes_head_len(const uint8_t *pes, size_t len);

/* --- one PES --- */

struct pes_head {
	uint16_t pid;
	/* counter, as received, of the last packet that was added; after
	 * HEAD_WHOLE it is first_cc */
	uint8_t cc;
	uint8_t first_cc; /* counter of the packet in which the PES begins */
	uint8_t len;      /* number of bytes */
	uint8_t bytes[PES_STAMPS_MAX];
};

enum pes_head_sign {
	HEAD_NONE,  /* no PES begins, or the packet has all its stamps */
	HEAD_WHOLE, /* the packets up to this one have the whole header */
	HEAD_WAITS, /* the rest of the header has not arrived yet */
	HEAD_LOST,  /* the rest of the header was lost */
};

/* Reads the stamps of the PES that begins in the packet.  HEAD_WAITS: stamps
 * continue in later packets, and *ret has the first part of the header. */
enum pes_head_sign pes_head_read(const uint8_t *packet, struct pes_head *ret);

/* Adds the next packet, of any PID, to the header after HEAD_WAITS. */
enum pes_head_sign pes_head_add(struct pes_head *, const uint8_t *packet);

/* True if a PES begins in the packet, even if its header continues in later
 * packets. */
bool pes_begins(const uint8_t *packet);

/* --- the bytes behind a header --- */

/* The state of skipping a PES header.  Zeroed: a PES begins with the next
 * byte. */
struct pes_skip {
	uint8_t head; /* bytes skipped of the first PES_HEADER bytes */
	uint8_t left; /* bytes of PES_header_data that are still to skip */
	uint8_t stream_id;
};

/* The part of pes_skip() that is called while a header is incomplete. */
const uint8_t *pes_skip_header(struct pes_skip *, const uint8_t *p,
			       const uint8_t *end);

/* Skips the bytes from p on that belong to the header.  Returns the first byte
 * behind the header; end: the header may continue with the next packet of the
 * PID.  NULL: no PES begins there; later calls skip nothing. */
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
	/* offset in this packet of the first byte behind the PES header; it may
	 * be behind the end of the packet */
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

/* Collects the incomplete headers of several PIDs.  Zeroed memory has none. */
struct pes_reader {
	size_t n; /* headers in list */
	struct pes_head list[PES_READER_MAX]; /* the oldest first */
};

enum pes_sign {
	PES_NONE,  /* the packet completes no time stamps */
	PES_WAITS, /* a PES has begun whose time stamps are incomplete */
	PES_READ,  /* the time stamps of a PES, which began in this packet or an
		    * earlier one, are complete */
};

/* Takes the next packet; *ret has the stamps after PES_READ.  The caller may
 * leave out a packet that begins no PES if n is 0, or if no header of its PID
 * is incomplete. */
enum pes_sign pes_reader_take(struct pes_reader *, const uint8_t *packet,
			      struct pes_stamps *ret);
