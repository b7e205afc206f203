/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Assembles sections from the packets of one PID, and packs them again.
 *
 *	section_push(&assembler, packet);
 *	while ((section = section_pull(&assembler, &len)))
 *		...
 *
 * The caller provides memory for one section: SECTION_PSI_MAX bytes for PAT,
 * CAT and PMT, SECTION_MAX bytes for all others.  A section is dropped and
 * counted as an error when it is longer than its table may be, does not
 * continue in the next packet, or has a wrong CRC_32.  A section of another
 * table that exceeds the memory, such as a private one on the PID of a PMT, is
 * skipped and not counted.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	/* most bytes of a section of PAT, CAT or PMT (ISO/IEC 13818-1 2.4.4),
	 * and of any other section */
	SECTION_PSI_MAX = 1024,
	SECTION_MAX = 4096,
	/* section_packets() of the longest section */
	SECTION_PSI_PACKETS = (SECTION_PSI_MAX + 1 + TS_PACKET - 5) /
			      (TS_PACKET - 4),
	SECTION_PACKETS = (SECTION_MAX + 1 + TS_PACKET - 5) /
			  (TS_PACKET - 4),
};

/* Embedded.  Borrows its buffer. */
struct section_assembler {
	uint8_t *buffer;
	uint16_t size;
	const uint8_t *packet; /* the pushed packet; NULL: it is used up */
	uint16_t have;       /* bytes of the incomplete section in buffer */
	uint8_t pos;         /* offset of the next byte to read in packet */
	uint8_t start;       /* offset of the first section that begins in
			      * packet; 188: no section begins */
	uint8_t cc;          /* counter of the last packet; 0xff: none yet */
	bool collecting;     /* the next payload byte continues the section */
	bool skipping;       /* the section exceeds the buffer: only its bytes
			      * are counted */

	/* sections since init that were dropped for a wrong CRC_32 */
	uint32_t crc_errors;
	/* sections since init that were cut or too long, and packets whose
	 * pointer_field was out of range */
	uint32_t broken;
};

/* size is the longest section that is returned, at most SECTION_MAX. */
void section_init(struct section_assembler *, uint8_t *buffer, size_t size);

/* Drops an incomplete section, keeps the counters. */
void section_reset(struct section_assembler *);

/*
 * Takes a packet of the PID.  A packet that has transport errors, is scrambled
 * or has no payload is ignored.  The packet is borrowed until section_pull()
 * returns NULL.
 */
void section_push(struct section_assembler *, const uint8_t *packet);

/*
 * Returns the next whole section and its length; NULL: the packet completes no
 * further section.  CRC_32 was checked when section_syntax_indicator is set.
 * The section is valid until the next call on this object.
 */
const uint8_t *section_pull(struct section_assembler *, size_t *ret_len);

/* Finds the first section that begins in a packet of tables.  Returns how many
 * of its bytes the packet has; 0: no section begins. */
static inline size_t section_first(const uint8_t *packet, const uint8_t **ret)
{
	size_t at = ts_payload_offset(packet);

	if (!ts_pusi(packet) || at >= TS_PACKET)
		return 0;
	at += 1U + packet[at];
	if (at >= TS_PACKET)
		return 0;
	*ret = packet + at;
	return TS_PACKET - at;
}

/* The number of packets for a section of len bytes. */
static inline size_t section_packets(size_t len)
{
	return (len + 1 + TS_PACKET - 5) / (TS_PACKET - 4);
}

/*
 * Writes section_packets(len) packets of pid to ret: pointer_field 0,
 * stuffing behind the section.  *cc: continuity_counter of the first packet;
 * set to that of the packet after the last one.  Returns the number of packets.
 */
size_t section_pack(const uint8_t *section, size_t len, uint16_t pid,
		    uint8_t *cc, uint8_t *ret);

/* These functions read fields of a section that section_pull() returned. */
static inline uint8_t section_table_id(const uint8_t *s)
{
	return s[0];
}

/* The version_number of a section with the long header. */
static inline uint8_t section_version(const uint8_t *s)
{
	return s[5] >> 1 & 0x1f;
}

static inline bool section_has_syntax(const uint8_t *s)
{
	return s[1] & 0x80;
}

/* Reads a length from the last 12 bits of two bytes. */
static inline size_t section_get12(const uint8_t *p)
{
	return (size_t)(p[0] & 0x0f) << 8 | p[1];
}

/* The total length according to the header, 3 to 4098. */
static inline size_t section_length(const uint8_t *s)
{
	return 3 + section_get12(s + 1);
}
