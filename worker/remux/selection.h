/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Selects the parts of a program that go out: its elementary streams in the
 * order of the new PMT, its PCR PID, its ECM PIDs.
 *
 * Streams of private data go out only if an option names them:
 *
 *	kept        video, audio (also in private PES: AC-3, E-AC-3, DTS, AAC,
 *	            AC-4, Opus, SMPTE 302M), subtitles, teletext, SCTE 35
 *	            (type 0x86), unknown types below 0x80
 *	private     AIT and other private sections (0x05), private PES with
 *	            none of the descriptors above (0x06), DSM-CC and other
 *	            synchronised or asynchronous data (0x08, 0x0a to 0x0d,
 *	            0x14), metadata such as ID3 (0x15 to 0x19), unknown types
 *	            from 0x80 on
 *
 * An option names a stream when pass_data is given, when filter~ lists its
 * PID, or when a map has its PID or (AIT) its kind on the left side.
 */
#pragma once

#include "proto/spec/remux_options.h"
#include "worker/ts/packet.h"
#include "worker/ts/pmt.h"

/* A stream that goes out. */
struct selected {
	const struct pmt_stream *stream;
	const char *language; /* set by option lang; NULL: unchanged */
};

struct selection {
	struct pmt pmt; /* borrows the section */
	size_t n;
	struct selected list[PMT_STREAMS_MAX];
	uint16_t pcr_pid; /* PCR PID of the source; TS_PID_NULL: none */
	bool pcr_alone;   /* no stream that goes out is on pcr_pid ... */
	bool pcr_strip;   /* ... and other content of that PID is dropped */
};

/* Selects the parts of a program that go out.  section is a PMT that
 * pmt_decode() has accepted; *ret borrows it.  0, or -EBADMSG. */
int selection_make(struct selection *ret, const struct remux_options *,
		   const uint8_t *section, size_t len) MUST_CHECK;

bool stream_is_private(const struct pmt_stream *);
/* Is the stream AC-3 or E-AC-3?  Is it AAC of any kind? */
bool stream_is_ac3(const struct pmt_stream *);
bool stream_is_aac(const struct pmt_stream *);
/* Finds the languages of a descriptor: *ret is the offset of the first one.
 * Returns the distance from one to the next; 0: the descriptor has none. */
size_t desc_languages(const struct desc *, size_t *ret);
/* Has a descriptor of the stream this language? */
bool stream_has_language(const struct pmt_stream *, const char *language);

/* May a CA descriptor with this PID go out? */
bool ca_is_kept(const struct remux_options *, uint16_t pid);
