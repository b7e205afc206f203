/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The alarms of a transport stream: the checks of ETSI TR 101 290, with their
 * numbers there, and others that an operator needs.
 */
#pragma once

#include <stdint.h>

/* The number of an alarm is its bit in an alarm_set.  There are at most 53
 * alarms, because JSON carries the set as an integer. */
enum alarm_id {
	/* TR 101 290 5.2.1, first priority: the stream cannot be decoded */
	ALARM_SYNC_LOSS,         /* 1.1 TS_sync_loss */
	ALARM_SYNC_BYTE,         /* 1.2 Sync_byte_error */
	ALARM_PAT,               /* 1.3 PAT_error_2 */
	ALARM_CC,                /* 1.4 Continuity_count_error */
	ALARM_PMT,               /* 1.5 PMT_error_2 */
	ALARM_PID,               /* 1.6 PID_error */
	/* 5.2.2, second priority: monitored continuously */
	ALARM_TRANSPORT,         /* 2.1 Transport_error */
	ALARM_CRC,               /* 2.2 CRC_error */
	ALARM_PCR_REPETITION,    /* 2.3a PCR_repetition_error */
	ALARM_PCR_DISCONTINUITY, /* 2.3b PCR_discontinuity_indicator_error */
	ALARM_PCR_ACCURACY,      /* 2.4, at a constant rate only */
	ALARM_PTS,               /* 2.5 PTS_error */
	ALARM_CAT,               /* 2.6 CAT_error */
	/* 5.2.3, third priority; those of tables only for tables that the
	 * stream has had */
	ALARM_NIT,               /* 3.1 NIT_error */
	ALARM_SI_REPETITION,     /* 3.2 SI_repetition_error */
	ALARM_BUFFER,            /* 3.3 Buffer_error, at a constant rate only */
	ALARM_UNREFERENCED_PID,  /* 3.4 Unreferenced_PID */
	ALARM_SDT,               /* 3.5 SDT_error */
	ALARM_EIT,               /* 3.6 EIT_error */
	ALARM_RST,               /* 3.7 RST_error */
	ALARM_TDT,               /* 3.8 TDT_error */
	/* alarms outside TR 101 290 */
	ALARM_NO_VIDEO,          /* a PMT lists video, but none arrives */
	ALARM_NO_AUDIO,          /* a PMT lists audio, but none arrives */
	ALARM_PCR_FROZEN,        /* PCRs arrive, but do not advance */
	ALARM_PTS_FROZEN,        /* PTSs arrive, but do not advance */
	ALARM_SCRAMBLED,         /* video or audio is scrambled */
	ALARM_NETWORK_LOSS,      /* the network lost packets (RTP, SRT) */
	ALARM_SOCKET_LOSS,       /* a full socket lost packets (SO_RXQ_OVFL) */
	ALARM_TWO_SENDERS,       /* several sources send to the group at once */
	ALARM_CBR_OVERFLOW,      /* the stream exceeds cbr= of an output */
	ALARM_OUTPUT_FAULT,      /* an output cannot send */
	ALARM_NO_QUERIER,        /* no packets of a multicast group, and no
				  * IGMP or MLD querier on its interface */
	ALARM_UNPROTECTED,       /* the second path or FEC of an input is not
				  * received */
	ALARM_UNPLAYABLE,        /* a file of a list cannot be played */
	ALARM_WORKER,            /* the process of the stream failed */
	/* the inputs exceed the rate of an mpts, or an input its rate_max */
	ALARM_MUX_OVERFLOW,
	ALARM_EIT_SLOW,          /* own EIT would need a higher eit_rate */
	ALARM_EIT_FULL,          /* there are more services than own EIT can
				  * have */
	/* groups of pictures are longer than the segments of HLS */
	ALARM_HLS_GOP,

	ALARM_COUNT
};

/* A set of alarms: ALARM_BIT() of each. */
typedef uint64_t alarm_set;

#define ALARM_BIT(id) (UINT64_C(1) << (id))

/* Two sets of alarms that the analysis of packets does not find.  The worker
 * reports ALARMS_OF_OUTPUTS while it makes and sends the output, never for an
 * input; the master reports ALARMS_OF_MASTER. */
#define ALARMS_OF_OUTPUTS \
	(ALARM_BIT(ALARM_CBR_OVERFLOW) | ALARM_BIT(ALARM_MUX_OVERFLOW) | \
	 ALARM_BIT(ALARM_EIT_SLOW) | ALARM_BIT(ALARM_EIT_FULL) |         \
	 ALARM_BIT(ALARM_HLS_GOP))
#define ALARMS_OF_MASTER                                     \
	(ALARM_BIT(ALARM_OUTPUT_FAULT) | ALARM_BIT(ALARM_NO_QUERIER) | \
	 ALARM_BIT(ALARM_WORKER))

/* The bits of all alarms. */
#define ALARMS_ALL (UINT64_MAX >> (64 - ALARM_COUNT))

/* The alarms about the transport to an input; the output never has them. */
#define ALARMS_OF_TRANSPORT                                   \
	(ALARM_BIT(ALARM_NETWORK_LOSS) | ALARM_BIT(ALARM_SOCKET_LOSS) | \
	 ALARM_BIT(ALARM_TWO_SENDERS) | ALARM_BIT(ALARM_UNPROTECTED) |  \
	 ALARM_BIT(ALARM_UNPLAYABLE))

/* The names that the API shows, such as "pat", by alarm_id; NULL ends them. */
extern const char *const alarm_names[ALARM_COUNT + 1];

/* The name that the API shows, such as "pat". */
const char *alarm_name(enum alarm_id);
/* The alarm with this name; ALARM_COUNT: no alarm has the name. */
enum alarm_id alarm_find(const char *name);
/* The priority of TR 101 290: 1, 2 or 3; 0: not an alarm of TR 101 290. */
unsigned alarm_priority(enum alarm_id);
