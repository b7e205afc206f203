/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes small transport streams for tests: valid ones, to be damaged later. */
#pragma once

#include "worker/ts/packet.h"

#include <stddef.h>
#include <stdint.h>

enum {
	BUILD_PACKETS = 4096,
	BUILD_PTS = 0x12342cf1, /* of every build_pes() */
};

/* Packets in order; counters continue automatically. */
struct build {
	size_t n, max;
	uint8_t cc[TS_PIDS];
	uint8_t data[];
};

/* For BUILD_PACKETS, or for max, which costs less where each step has one. */
struct build *build_new(void);
struct build *build_new_of(size_t max);
void build_free(struct build *);
struct ts_run build_run(const struct build *);
uint8_t *build_packet(struct build *, size_t index);

/* Each appends one packet (sections: as many as it takes) and returns it. */
uint8_t *build_payload(struct build *, uint16_t pid, uint8_t fill);
uint8_t *build_pes(struct build *, uint16_t pid, const void *es, size_t len);
uint8_t *build_pcr(struct build *, uint16_t pid, uint64_t pcr);
uint8_t *build_null(struct build *);
/* The first bytes of the payload of the last packet stay there, behind a long
 * adaptation field; the others are in a packet behind it. */
void build_split(struct build *, size_t first);
uint8_t *build_section(struct build *, uint16_t pid, const uint8_t *section,
		       size_t len);

/* The content of a section; its CRC_32 is right. */
struct build_table {
	uint8_t table_id;
	uint16_t extension; /* transport_stream_id, program_number */
	uint8_t version;
	uint8_t number, last;
	const void *body;
	size_t len;
};
size_t build_table(uint8_t *ret, const struct build_table *);

struct build_entry {
	uint16_t number, pid;
};
size_t build_pat(uint8_t *ret, uint8_t version,
		 const struct build_entry *entries, size_t n);

struct build_es {
	uint8_t type;
	uint16_t pid;
	const char *desc; /* bytes of the descriptor loop */
	size_t desc_len;
};
size_t build_pmt(uint8_t *ret, struct build_entry program, uint8_t version,
		 const struct build_es *streams, size_t n);

/* A PAT and a PMT with H.264 on 0x101 and MPEG audio on 0x102 as program 1,
 * PMT PID 0x100, PCR in the video. */
void build_tables(struct build *);

/* Puts the right CRC_32 at the end of a section that was changed. */
void build_mend_crc(uint8_t *section, size_t len);
