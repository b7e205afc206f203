/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes a section of the program map table (PMT, ISO/IEC 13818-1 2.4.4.8). */
#pragma once

#include "common/base/util.h"
#include "proto/si/desc.h"
#include "proto/si/pid_class.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PMT_TABLE_ID = 0x02,
	PMT_STREAMS_MAX = 202, /* a section of 1,024 bytes has at most 201 */
};

struct pmt_stream {
	uint8_t type; /* stream_type */
	enum pid_class class;
	uint16_t pid;
	struct desc_loop descriptors; /* borrows the section */
};

struct pmt {
	uint16_t program;
	uint8_t version;
	bool current;     /* current_next_indicator */
	uint16_t pcr_pid; /* 0x1fff: none */
	struct desc_loop descriptors;
	size_t n_streams;
	struct pmt_stream streams[PMT_STREAMS_MAX];
};

/* Decodes a whole section whose CRC_32 was checked; *ret borrows it.  0, or
 * -EBADMSG: not a PMT, or a loop that ends inside an entry or a descriptor. */
int pmt_decode(const uint8_t *section, size_t len,
	       struct pmt *ret) MUST_CHECK;

/* Calls take() for each PID that the section names: of the PCR (0x1fff: none),
 * of the streams and of the ECMs.  It may be called more than once for a PID.
 * ca: the CA descriptor that names an ECM PID; NULL for other PIDs. */
void pmt_each_pid(const struct pmt *,
		  void (*take)(uint16_t pid, const struct desc *ca, void *arg),
		  void *arg);

/* The stream_type that names the coding of a stream for parsers.  For private
 * PES (0x06) with video it is the stream_type of the coding that a registration
 * or video descriptor names, such as HEVC; for other streams it is their own
 * stream_type.  class of the stream must be set. */
uint8_t pmt_coding(const struct pmt_stream *);
