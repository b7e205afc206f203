/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The filler of a service; for mux_fill.c and mux_file.c. */
#pragma once

#include "worker/filler/play.h"
#include "worker/mux/mux_state.h"
#include "worker/mux/starts.h"
#include "worker/splice/pes_split.h"

enum { FILL_PARTS_MAX = 16 };

/* The PCR PID and the streams of a PMT.  Two of them are compared with
 * memcmp(), so unused entries are zero. */
struct fill_streams {
	uint32_t pcr_pid, n; /* PCR PID; length of `list' */
	uint32_t list[PMT_STREAMS_MAX]; /* PID << 16, enum pid_class << 8,
					 * coding */
};

static inline uint16_t fill_pid(uint32_t stream)
{
	return (uint16_t)(stream >> 16);
}

static inline enum pid_class fill_class(uint32_t stream)
{
	return (enum pid_class)(stream >> 8 & 0xff);
}

/* The coding of a stream as pmt_coding() has it; for private PES with audio,
 * the tag of its descriptor. */
static inline uint8_t fill_coding(const struct pmt_stream *s)
{
	struct desc_loop loop = s->descriptors;
	struct desc d;

	while (s->type == 0x06 && s->class == PID_AUDIO && desc_next(&loop, &d))
		if (d.tag == DESC_AC3 || d.tag == DESC_EAC3 ||
		    d.tag == DESC_DTS || d.tag == DESC_AAC)
			return d.tag;
	return pmt_coding(s);
}

static inline uint32_t fill_stream(const struct pmt_stream *s)
{
	return (uint32_t)s->pid << 16 | (uint32_t)s->class << 8 |
	       fill_coding(s);
}

/* A stream of the file that is sent on a PID of the service. */
struct fill_part {
	/* PID of the stream in the file; PID on which it is sent */
	uint16_t from, pid;
	bool video, begun; /* it is video; packets of it are sent already */
	uint8_t cc; /* continuity counter of the last packet that was sent on
		     * `pid' */
	bool split; /* the next packets have the rest of the PES header
		     * `header' */
	struct pes_split header;
};

struct mux_fill {
	struct play *play; /* generates the packets of the filler */
	struct fill_streams streams; /* of the PMT with which the filler
				      * started */
	uint64_t pids[TS_PIDS / 64]; /* PIDs on which the filler sends */
	uint64_t rate;   /* packets per second of the filler */
	uint32_t source; /* number of the filler for mux_counters_feed() */
	uint64_t base, start_ns; /* the clock of the filler had the value base
				  * (90 kHz) at start_ns */
	uint64_t at_ns; /* time at which the last packet of the filler leaves */
	uint16_t main;   /* PID of the main stream: the service returns at one
			  * of its packets */
	bool video;      /* the main stream is video */
	uint64_t wants_ns; /* since this time the service is neither silent nor
			    * blocked, so that it could return; 0: it is silent
			    * or blocked */
	/* positions in the line, as line.pushed, at which the service can
	 * return */
	struct starts starts;
	/* The service has a new PMT with other streams, which waits for the
	 * picture at which the service returns. */
	bool moved;
	bool led; /* that new PMT was sent, in front of the picture */
	size_t held_len; /* bytes of the new PMT in `held'; 0: no PMT waits */
	uint8_t held[SECTION_PSI_MAX];
	/* While streams of the file are sent, `play' generates PCRs and the
	 * other streams. */
	size_t n_parts; /* 0: the last picture is sent */
	struct fill_part parts[FILL_PARTS_MAX];
	uint64_t shift; /* added to the times of the file, 90 kHz, with wrap */
	bool refused;   /* it was decided that the file is not sent */
};

/* --- mux_fill.c --- */

/* The clock of the filler at this time, 90 kHz. */
static inline uint64_t fill_clock(const struct mux_fill *f, uint64_t at_ns)
{
	return f->base + (at_ns - f->start_ns) / 1000 * 9 / 100;
}

/* The packets per second that the filler of the nth service may have. */
uint64_t fill_room(const struct mux *, const struct mux_source *, size_t nth);
/* Limits a filler of the nth service to fill_room().  PCRs, silence and one
 * picture in PLAY_LONGEST_MS may need more than fill_room().  False: they need
 * more than the other fillers and the max_kbps of the input leave. */
bool fill_fits(const struct mux *, const struct mux_source *, size_t nth,
	       struct play *);
/* Ends the filler of the nth service.  Another one may start later. */
void fill_stop(struct mux *, struct mux_source *, size_t nth);
/* True if the service could return, and its line has a picture at which it
 * does. */
static inline bool fill_ends_soon(const struct mux_fill *f)
{
	return f->wants_ns != 0 && f->starts.n > 0;
}
/* Sends a packet of the filler, which leaves at at_ns or later. */
void fill_send(struct mux *, struct mux_service *, uint8_t *packet,
	       uint64_t at_ns);
/* Sends the packets that the filler generates up to at_ns. */
void fill_run(struct mux *, struct mux_service *, uint64_t at_ns);

/* --- mux_file.c --- */

/* Sends the packets of the file of an input that are due by now_ns. */
void file_run(struct mux *, struct mux_source *);
/* Sets the continuity counter of a packet without payload on a PID on which
 * packets of the file are sent. */
void file_number(const struct mux_fill *, uint8_t *packet);
