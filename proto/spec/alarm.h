/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What may be wrong with a transport stream: the checks of ETSI TR 101 290 by
 * their numbers there, and those an operator looks for beside them.
 */
#pragma once

/* Their numbers are bits of a word: at most 32. */
enum alarm_id {
	/* TR 101 290 5.2.1, first priority: the stream cannot be decoded */
	ALARM_SYNC_LOSS,         /* 1.1 TS_sync_loss */
	ALARM_SYNC_BYTE,         /* 1.2 Sync_byte_error */
	ALARM_PAT,               /* 1.3 PAT_error_2 */
	ALARM_CC,                /* 1.4 Continuity_count_error */
	ALARM_PMT,               /* 1.5 PMT_error_2 */
	ALARM_PID,               /* 1.6 PID_error */
	/* 5.2.2, second priority: to be watched all the time */
	ALARM_TRANSPORT,         /* 2.1 Transport_error */
	ALARM_CRC,               /* 2.2 CRC_error */
	ALARM_PCR_REPETITION,    /* 2.3a */
	ALARM_PCR_DISCONTINUITY, /* 2.3b */
	ALARM_PCR_ACCURACY,      /* 2.4, at a constant rate only */
	ALARM_PTS,               /* 2.5 PTS_error */
	ALARM_CAT,               /* 2.6 CAT_error */
	/* 5.2.3, third priority, of tables that were there before */
	ALARM_NIT,               /* 3.1 NIT_error */
	ALARM_UNREFERENCED_PID,  /* 3.4 */
	ALARM_SDT,               /* 3.5 SDT_error */
	ALARM_EIT,               /* 3.6 EIT_error */
	ALARM_TDT,               /* 3.8 TDT_error */
	/* not of TR 101 290 */
	ALARM_NO_VIDEO,          /* the tables promise it */
	ALARM_NO_AUDIO,
	ALARM_PCR_FROZEN,        /* it comes and does not move */
	ALARM_PTS_FROZEN,
	ALARM_SCRAMBLED,         /* video or audio */
	ALARM_NETWORK_LOSS,      /* the network lost it (RTP, SRT) */
	ALARM_SOCKET_LOSS,       /* our socket had no room (SO_RXQ_OVFL) */
	ALARM_TWO_SENDERS,       /* one group, several sources at once */
	ALARM_CBR_OVERFLOW,      /* more than an output's cbr= takes */
	ALARM_OUTPUT_FAULT,      /* an output cannot send */
	ALARM_NO_QUERIER,        /* a silent group where nobody asks for it */
	ALARM_UNPROTECTED,       /* a second path or FEC is not there */
	ALARM_UNPLAYABLE,        /* a file of a list cannot be played */

	ALARM_COUNT
};

/* Bits of those that no reader of packets finds: an output tells them, or the
 * master, which knows all of them. */
#define ALARMS_OF_OUTPUTS (1u << ALARM_CBR_OVERFLOW)
#define ALARMS_OF_MASTER (1u << ALARM_OUTPUT_FAULT | 1u << ALARM_NO_QUERIER)

/* The bits of all. */
#define ALARMS_ALL ((1u << ALARM_COUNT) - 1)

/* Bits of those that are told where packets come in: what is sent has none. */
#define ALARMS_OF_THE_WAY                                       \
	(1u << ALARM_NETWORK_LOSS | 1u << ALARM_SOCKET_LOSS |   \
	 1u << ALARM_TWO_SENDERS | 1u << ALARM_UNPROTECTED |    \
	 1u << ALARM_UNPLAYABLE)

/* "pat" ...: the names that the API shows; NULL ends them. */
extern const char *const alarm_names[ALARM_COUNT + 1];

/* "pat" */
const char *alarm_name(enum alarm_id);
/* ALARM_COUNT for a name of none. */
enum alarm_id alarm_find(const char *name);
/* 1, 2, 3 of TR 101 290; 0 for the others. */
unsigned alarm_priority(enum alarm_id);
