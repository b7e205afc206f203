/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Selects the parts of a program that are sent: its elementary streams in the
 * order of the new PMT, its PCR PID, its ECM PIDs.
 *
 * Streams of private data are sent only if an option names them:
 *
 *	kept        video and audio (also in private PES, such as HEVC, AC-3,
 *	            DTS, AAC, Opus, SMPTE 302M), subtitles, teletext, SCTE 35
 *	            (type 0x86), unknown types below 0x80
 *	private     AIT and other private sections (0x05), private PES (0x06)
 *	            whose descriptors name no such content, DSM-CC and other
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

/* A stream that is sent. */
struct selected {
	const struct pmt_stream *stream;
	const char *language; /* language of the option lang, which replaces
			       * that of the source; NULL: unchanged */
};

struct selection {
	struct pmt pmt; /* the PMT of the source, which borrows the section */
	/* length of `list': the selected streams in the order of the new PMT */
	size_t n;
	struct selected list[PMT_STREAMS_MAX];
	uint16_t pcr_pid; /* source PID of the PCRs; TS_PID_NULL: none */
	bool pcr_alone;   /* pcr_pid belongs to no selected stream, so it is
			   * sent for its PCRs */
	bool pcr_strip;   /* all other content of pcr_pid is dropped */
};

/* Selects the parts of a program that are sent.  section is its PMT, which *ret
 * borrows.  Returns 0, or -EBADMSG if pmt_decode() rejects the PMT. */
int selection_make(struct selection *ret, const struct remux_options *,
		   const uint8_t *section, size_t len) MUST_CHECK;

/* Is the stream private data, which is sent only if an option names it? */
bool stream_is_private(const struct pmt_stream *);
/* Is the stream AC-3 or E-AC-3 (stream_is_ac3()), or AAC of any kind
 * (stream_is_aac())? */
bool stream_is_ac3(const struct pmt_stream *);
bool stream_is_aac(const struct pmt_stream *);
/* Finds the language codes in a descriptor: *ret is the offset of the first one
 * in its data.  Returns the distance in bytes from one to the next; 0: the
 * descriptor has none. */
size_t desc_languages(const struct desc *, size_t *ret);
/* Has a descriptor of the stream this language? */
bool stream_has_language(const struct pmt_stream *, const char *language);

/* May a CA_descriptor with this PID be sent? */
bool ca_is_kept(const struct remux_options *, uint16_t pid);
