/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/alarm.h"

#include <string.h>

const char *const alarm_names[ALARM_COUNT + 1] = {
	[ALARM_SYNC_LOSS] = "sync_loss",
	[ALARM_SYNC_BYTE] = "sync_byte",
	[ALARM_PAT] = "pat",
	[ALARM_CC] = "continuity",
	[ALARM_PMT] = "pmt",
	[ALARM_PID] = "pid",
	[ALARM_TRANSPORT] = "transport",
	[ALARM_CRC] = "crc",
	[ALARM_PCR_REPETITION] = "pcr_repetition",
	[ALARM_PCR_DISCONTINUITY] = "pcr_discontinuity",
	[ALARM_PCR_ACCURACY] = "pcr_accuracy",
	[ALARM_PTS] = "pts",
	[ALARM_CAT] = "cat",
	[ALARM_NIT] = "nit",
	[ALARM_SI_REPETITION] = "si_repetition",
	[ALARM_BUFFER] = "buffer",
	[ALARM_UNREFERENCED_PID] = "unreferenced_pid",
	[ALARM_SDT] = "sdt",
	[ALARM_EIT] = "eit",
	[ALARM_RST] = "rst",
	[ALARM_TDT] = "tdt",
	[ALARM_NO_VIDEO] = "no_video",
	[ALARM_NO_AUDIO] = "no_audio",
	[ALARM_PCR_FROZEN] = "pcr_frozen",
	[ALARM_PTS_FROZEN] = "pts_frozen",
	[ALARM_SCRAMBLED] = "scrambled",
	[ALARM_NETWORK_LOSS] = "network_loss",
	[ALARM_SOCKET_LOSS] = "socket_loss",
	[ALARM_TWO_SENDERS] = "two_senders",
	[ALARM_CBR_OVERFLOW] = "cbr_overflow",
	[ALARM_OUTPUT_FAULT] = "output_fault",
	[ALARM_NO_QUERIER] = "no_querier",
	[ALARM_UNPROTECTED] = "unprotected",
	[ALARM_UNPLAYABLE] = "unplayable",
	[ALARM_WORKER] = "worker",
	[ALARM_MUX_OVERFLOW] = "mux_overflow",
	[ALARM_EIT_SLOW] = "eit_slow",
	[ALARM_EIT_FULL] = "eit_full",
	[ALARM_HLS_GOP] = "hls_gop",
};

static const unsigned char priorities[ALARM_COUNT] = {
	[ALARM_SYNC_LOSS] = 1,
	[ALARM_SYNC_BYTE] = 1,
	[ALARM_PAT] = 1,
	[ALARM_CC] = 1,
	[ALARM_PMT] = 1,
	[ALARM_PID] = 1,
	[ALARM_TRANSPORT] = 2,
	[ALARM_CRC] = 2,
	[ALARM_PCR_REPETITION] = 2,
	[ALARM_PCR_DISCONTINUITY] = 2,
	[ALARM_PCR_ACCURACY] = 2,
	[ALARM_PTS] = 2,
	[ALARM_CAT] = 2,
	[ALARM_NIT] = 3,
	[ALARM_SI_REPETITION] = 3,
	[ALARM_BUFFER] = 3,
	[ALARM_UNREFERENCED_PID] = 3,
	[ALARM_SDT] = 3,
	[ALARM_EIT] = 3,
	[ALARM_RST] = 3,
	[ALARM_TDT] = 3,
};

const char *alarm_name(enum alarm_id id)
{
	return alarm_names[id];
}

enum alarm_id alarm_find(const char *name)
{
	int i = 0;

	while (i < ALARM_COUNT && strcmp(alarm_names[i], name) != 0)
		i++;
	return (enum alarm_id)i;
}

unsigned alarm_priority(enum alarm_id id)
{
	return priorities[id];
}
