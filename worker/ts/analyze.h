/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts the packets of one input and decides each second whether the input is
 * on air.
 *
 * Owns the continuity counters and the tables (psi) of the input.  It has no
 * clock: the owner feeds packets and ends each second.  No allocation per
 * packet.
 */
#pragma once

#include "worker/ts/packet.h"
#include "worker/ts/psi.h"

enum {
	ANALYZE_LIMIT_KBPS = 16,        /* without video */
	ANALYZE_LIMIT_VIDEO_KBPS = 128, /* with video */
	ANALYZE_PES_ERRORS = 2,         /* tolerated on one PID in a second */
	ANALYZE_NO_AV_MS = 2000,        /* tolerated without video and audio */
};

struct analyze;

struct analyze_config {
	uint32_t cc_limit;           /* option cc_limit; 0: no limit */
	uint32_t bitrate_limit_kbps; /* option bitrate_limit; 0: default */
	bool no_analyze; /* only count packets and read the tables */
};

/* Why an input is not on air: the first of these that applies. */
enum analyze_fault {
	ANALYZE_FINE,
	ANALYZE_SILENT,    /* no packets */
	ANALYZE_NO_PMT,
	ANALYZE_NO_AV,     /* PID_error of all video and audio */
	ANALYZE_BITRATE,   /* below the limit */
	ANALYZE_SCRAMBLED,
	ANALYZE_PES,       /* too many wrong PES starts */
	ANALYZE_CC,        /* cc_limit is reached by continuity errors */
	ANALYZE_DAMAGED,   /* ... and by damaged packets */
};

/* The state and the counters of an input in one second. */
struct analyze_report {
	bool onair;             /* fault is ANALYZE_FINE */
	enum analyze_fault fault;
	bool scrambled;         /* a video or audio PID was scrambled */
	bool has_pat, has_pmt;  /* known, see psi_has_pmt() */
	bool no_av;             /* the PMTs list video or audio, none arrived */
	uint32_t bitrate_kbps;  /* bit rate of all packets */
	uint32_t payload_kbps;  /* bit rate without null packets ... */
	uint32_t limit_kbps;    /* ... and its minimum for an input on air */
	uint32_t packets;
	uint32_t cc_error;
	uint32_t pes_error;     /* on video and audio PIDs */
	uint32_t sc_error;      /* scrambled packets, of any PID */
	uint32_t tei;           /* transport_error_indicator */
	uint32_t damaged;       /* the same, without null packets */
	uint32_t psi_error;     /* sections with bad CRC_32, or malformed */
	uint32_t video_count;   /* PIDs in the tables */
	uint32_t audio_count;
};

/* The counters of one second. */
struct analyze_counts {
	uint32_t packets;
	uint32_t null_packets;
	uint32_t cc_errors;
	uint32_t pes_errors;    /* on video and audio PIDs */
	bool pes_bad;           /* a PID had > ANALYZE_PES_ERRORS */
	uint32_t scrambled_packets;
	bool av;                /* a packet of video or audio arrived */
	bool av_scrambled;      /* a video or audio PID was scrambled */
	uint32_t tei;
	uint32_t damaged;       /* tei without null packets */
	uint32_t psi_errors;
};

/* Decides from counters and tables of another owner; see
 * analyze_every_second(). */
void analyze_judge(const struct analyze_config *,
		   const struct analyze_counts *, const struct psi *,
		   unsigned elapsed_ms, struct analyze_report *ret);

/*
 * Sets the fault ANALYZE_NO_AV (TR 101 290 1.6, for all video and audio PIDs at
 * once).  *missing_ms: the time without their packets, from second to second;
 * its owner begins a source with ANALYZE_NO_AV_MS.  A source that had them is
 * off air after that time; with a low bitrate at once.
 */
void analyze_judge_av(struct analyze_report *, unsigned elapsed_ms,
		      unsigned *missing_ms);

struct analyze *analyze_new(const struct analyze_config *);
void analyze_free(struct analyze **);

/* Forgets tables, continuity and the current second: the source changed. */
void analyze_reset(struct analyze *);

/* Takes received packets, each once, in their order.  A packet without its sync
 * byte is only counted. */
void analyze_feed(struct analyze *, struct ts_run);

/*
 * Ends the second: writes the report of the last elapsed_ms (> 0) and begins
 * the next second.
 *
 * onair is false when the payload bitrate is below the limit, no PMT is
 * known, a video or audio PID carried scrambled packets or had more than
 * ANALYZE_PES_ERRORS wrong PES starts, or cc_limit is set and reached by
 * continuity errors and damaged packets together.  With no_analyze only the
 * bitrate counts, against the limit without video.
 */
void analyze_every_second(struct analyze *, unsigned elapsed_ms,
		    struct analyze_report *ret);

/* The rate of packets in elapsed_ms (> 0). */
uint32_t analyze_kbps(uint32_t packets, unsigned elapsed_ms);

/* For status and log: "scrambled"; NULL for ANALYZE_FINE. */
const char *analyze_fault_name(enum analyze_fault);

/* The tables; borrowed, valid for the life of the analyzer. */
const struct psi *analyze_psi(const struct analyze *);
