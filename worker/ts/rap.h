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
 * If some of these pictures have parameter sets in front of them, those without
 * are none: a decoder that begins there waits for the sets.
 *
 * Every PES of audio is one.  Without a known codec, in a scrambled PES, and
 * with the first undecided 12 KB of a picture, random_access_indicator decides
 * (13818-1 2.4.3.5).  Once a picture has proved the indicator of its PID, its
 * next pictures with the indicator need no look.  An indicator that was wrong
 * or missing once proves nothing any more.
 *
 * Pure, without memory of its own.
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
	RAP_NO,   /* it is none; RAP_HERE and RAP_OPEN say so, too */
};

struct rap {
	uint16_t pid; /* zeroed memory follows no PID that has pictures */
	uint8_t stream_type;
	uint8_t class;   /* enum pid_class */
	bool indicated;  /* a packet without payload had the indicator */
	bool marked;     /* the current PES has the indicator */
	bool follows;    /* the current PES is not decided */
	bool open;       /* the caller waits for the decision */
	bool proven;     /* the indicator is trusted */
	bool disproved;  /* the indicator was wrong or missing */
	bool scrambled;  /* the last PES was scrambled */
	bool indicates;  /* since that changed, a PES had the indicator */
	uint16_t sure;   /* an IDR picture or a recovery point was one of the
			  * last SURE_MAX pictures: counts them down */
	bool headed;     /* the starts have parameter sets in front ... */
	uint8_t bare;    /* ... except so many since the last of them */
	uint8_t n;       /* packets of the current PES */
	uint8_t cc;
	/* the current PES */
	bool header;     /* a sequence header or SPS was seen */
	bool recovery;   /* a recovery point SEI was seen */
	bool soft;       /* it is a start only if no indicator contradicts */
	struct pes_skip skip; /* its header */
	uint32_t last;   /* the last bytes */
	uint8_t code[3]; /* the bytes behind the last start code ... */
	uint8_t n_code;  /* ... their number ... */
	uint8_t code_len; /* ... and the number that is needed */
	uint8_t sei;     /* state of the SEI parser */
	uint32_t sei_type;
	uint32_t sei_left;
};

/* Follows this PID and codec (psi_coding()).  Changes nothing if the rap
 * already follows both. */
void rap_follow(struct rap *, uint16_t pid, uint8_t stream_type,
		enum pid_class);

/* Can the random access points of this video be found: by its pictures or, if
 * they cannot be read, by indicators? */
bool rap_is_shown(const struct rap *);

/* To be called directly after the first packet of a PES of video.  True if it
 * has the indicator or parameter sets: a decoder that begins there shows
 * pictures earlier than at another place. */
bool rap_is_likely(const struct rap *);

/* Has the current PES the indicator, while it is not decided whether it is a
 * start? */
static inline bool rap_is_marked(const struct rap *r)
{
	return r->follows && r->marked;
}

/* As rap_feed(), for packets that may begin or decide a PES. */
enum rap_sign rap_step(struct rap *, const uint8_t *packet);

/* Takes the next packet of the PID. */
static inline enum rap_sign rap_feed(struct rap *r, const uint8_t *packet)
{
	if (!r->follows && !ts_pusi(packet) && ts_has_payload(packet))
		return RAP_NONE;
	return rap_step(r, packet);
}
