/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches one input: what came in a second, and is it good enough?
 *
 * Owns the continuity counters and the tables (psi) of the input.  No clock:
 * the owner feeds packets and says when a second is over.  No allocation per
 * packet.
 */
#pragma once

#include "worker/ts/packet.h"
#include "worker/ts/psi.h"

enum {
	ANALYZE_LIMIT_KBPS = 16,        /* without video */
	ANALYZE_LIMIT_VIDEO_KBPS = 128, /* with video */
	ANALYZE_PES_ERRORS = 2,         /* on one PID in a second: still good */
};

struct analyze;

struct analyze_config {
	uint32_t cc_limit;           /* option cc_limit; 0 = none */
	uint32_t bitrate_limit_kbps; /* option bitrate_limit; 0: default */
	bool no_analyze; /* count packets and follow the tables, no more */
};

/* Why an input is not on air: the first of these that fits. */
enum analyze_fault {
	ANALYZE_FINE,
	ANALYZE_SILENT,    /* no packets */
	ANALYZE_NO_PMT,
	ANALYZE_BITRATE,   /* under the limit */
	ANALYZE_SCRAMBLED,
	ANALYZE_PES,       /* more wrong PES starts than are good */
	ANALYZE_CC,        /* cc_limit is reached */
};

/* One second of one input. */
struct analyze_report {
	bool onair;             /* fault is ANALYZE_FINE */
	enum analyze_fault fault;
	bool scrambled;         /* a video or audio PID carried such packets */
	bool has_pat, has_pmt;  /* known, see psi_has_pmt() */
	uint32_t bitrate_kbps;  /* all packets */
	uint32_t payload_kbps;  /* without null packets ... */
	uint32_t limit_kbps;    /* ... and what it has to be at least */
	uint32_t packets;
	uint32_t cc_error;
	uint32_t pes_error;     /* on video and audio PIDs */
	uint32_t sc_error;      /* scrambled packets, of any PID */
	uint32_t tei;           /* transport_error_indicator */
	uint32_t psi_error;     /* sections with bad CRC_32, cut or broken */
	uint32_t video_count;   /* PIDs in the tables */
	uint32_t audio_count;
};

/* What came in a second. */
struct analyze_counts {
	uint32_t packets;
	uint32_t null_packets;
	uint32_t cc_errors;
	uint32_t pes_errors;    /* on video and audio PIDs ... */
	bool pes_bad;           /* ... and more of them than is good on one */
	uint32_t scrambled_packets;
	bool av_scrambled;      /* video or audio among them */
	uint32_t tei;
	uint32_t psi_errors;
};

/* The judgement alone: of packets that somebody else counts, and whose tables
 * he follows.  See analyze_second(). */
void analyze_judge(const struct analyze_config *,
		   const struct analyze_counts *, const struct psi *,
		   unsigned elapsed_ms, struct analyze_report *ret);

struct analyze *analyze_new(const struct analyze_config *);
void analyze_free(struct analyze **);

/* Forgets tables, continuity and the begun second: the source changed. */
void analyze_reset(struct analyze *);

/* Takes packets as they came, each once, in their order.  One without its sync
 * byte is counted and looked at no further. */
void analyze_feed(struct analyze *, struct ts_run);

/*
 * Ends the second: writes the report over the last elapsed_ms (> 0) and
 * begins the next.
 *
 * onair is false when the payload bitrate is under the limit, no PMT is
 * known, a video or audio PID carried scrambled packets or had more than
 * ANALYZE_PES_ERRORS wrong PES starts, or cc_limit is set and reached.  With
 * no_analyze only the bitrate counts, against the limit without video.
 */
void analyze_second(struct analyze *, unsigned elapsed_ms,
		    struct analyze_report *ret);

/* For status and log: "scrambled"; NULL for ANALYZE_FINE. */
const char *analyze_fault_name(enum analyze_fault);

/* The tables; borrowed, valid for the life of the analyzer. */
const struct psi *analyze_psi(const struct analyze *);
