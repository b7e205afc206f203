/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random access points: PES packets at which a decoder can begin.
 *
 * A picture is one if it is
 *   - H.264: an IDR picture, or has a recovery point SEI (7.4.1.2.4, D.2.8); if
 *     the stream has shown neither for long, or with the indicator, an I slice
 *     behind an SPS;
 *   - HEVC: IDR, BLA, CRA, or has a recovery point SEI (7.4.2.2); VVC: IDR,
 *     CRA, GDR;
 *   - MPEG-2, MPEG-4: an I picture behind a sequence header (13818-2 6.1.1.6
 *     allows repeated headers in front of other pictures); AVS alike; VC-1: an
 *     entry point.
 * If some of these pictures have parameter sets in front of them, pictures
 * without parameter sets are no random access points: a decoder that begins
 * there waits for the sets.
 *
 * Every PES of audio is a random access point.  random_access_indicator
 * (13818-1 2.4.3.5) decides if the codec is unknown, if the PES is scrambled,
 * or if the first 12 KB of a picture do not decide.  Once a picture that is a
 * random access point had the indicator, later pictures with the indicator
 * count at their first packet.  After the indicator was wrong or missing once,
 * it is not trusted any more.
 *
 * Pure; allocates no memory.
 */
#pragma once

#include "worker/ts/packet.h"
#include "worker/ts/pes_head.h"
#include "worker/ts/pmt.h"

/* What a packet says about its PID. */
enum rap_sign {
	RAP_NONE,
	RAP_HERE, /* a random access point begins in this packet */
	RAP_OPEN, /* a PES begins in this packet, and later packets decide */
	RAP_YES,  /* the PES of the last RAP_OPEN is a random access point */
	RAP_NO,   /* the PES of the last RAP_OPEN is none; RAP_HERE and RAP_OPEN
		   * of a later PES mean that, too */
};

/* A start is a random access point; the indicator is
 * random_access_indicator. */
struct rap {
	uint16_t pid;    /* the PID that is followed; 0 (zeroed): none yet */
	uint8_t stream_type;
	uint8_t class;   /* enum pid_class */
	bool indicated;  /* a packet without payload had the indicator, which
			  * counts for the next PES */
	bool marked;     /* the current PES has the indicator */
	bool follows;    /* whether the current PES is a start is undecided */
	bool open;       /* the decision is returned as RAP_YES or RAP_NO */
	bool proven;     /* the indicator is trusted */
	bool disproved;  /* the indicator was wrong or missing once */
	bool scrambled;  /* the last PES was scrambled */
	bool indicates;  /* a PES had the indicator since scrambled changed */
	uint16_t sure;   /* pictures that remain of SURE_MAX since the last IDR
			  * picture or recovery point; 0: I slices behind an
			  * SPS are starts, too */
	bool headed;     /* starts have parameter sets in front */
	uint8_t bare;    /* starts without parameter sets since the last start
			  * that had them */
	uint8_t n;       /* packets of the current PES that were read */
	uint8_t cc;      /* continuity counter of the last packet */
	/* --- state of the current PES --- */
	bool header;     /* a sequence header or SPS was seen */
	bool recovery;   /* a recovery point SEI was seen */
	bool soft;       /* H.264 without IDR or recovery point: if the
			  * indicator is trusted, it must have the indicator */
	struct pes_skip skip; /* state of the PES header */
	uint32_t last;   /* the last four bytes */
	uint8_t code[3]; /* the bytes behind the last start code */
	uint8_t n_code;  /* number of bytes in code */
	uint8_t code_len; /* number of bytes that code needs */
	uint8_t sei;     /* state of the SEI parser: enum sei_state */
	uint32_t sei_type; /* payload type of the SEI message */
	uint32_t sei_left; /* bytes of the SEI message that follow */
};

/* Follows this PID and codec (psi_coding()).  Changes nothing if the rap
 * already follows both. */
void rap_follow(struct rap *, uint16_t pid, uint8_t stream_type,
		enum pid_class);

/* True if random access points of this video can be found: by its pictures, or
 * if these cannot be read, by random_access_indicator. */
bool rap_is_shown(const struct rap *);

/* To be called directly after the first packet of a PES of video.  True if the
 * packet has random_access_indicator or parameter sets: a decoder that begins
 * there probably shows pictures earlier than at another PES. */
bool rap_is_likely(const struct rap *);

/* True if the current PES has random_access_indicator, and it is undecided
 * whether the PES is a random access point. */
static inline bool rap_is_marked(const struct rap *r)
{
	return r->follows && r->marked;
}

/* The part of rap_feed() for packets that begin a PES or may decide about
 * it. */
enum rap_sign rap_step(struct rap *, const uint8_t *packet);

/* Takes the next packet of the PID. */
static inline enum rap_sign rap_feed(struct rap *r, const uint8_t *packet)
{
	if (!r->follows && !ts_pusi(packet) && ts_has_payload(packet))
		return RAP_NONE;
	return rap_step(r, packet);
}
