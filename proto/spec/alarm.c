/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/alarm.h"

#include <string.h>

static const struct {
	const char *name;
	unsigned priority;
} alarms[ALARM_COUNT] = {
	[ALARM_SYNC_LOSS] = { "sync_loss", 1 },
	[ALARM_SYNC_BYTE] = { "sync_byte", 1 },
	[ALARM_PAT] = { "pat", 1 },
	[ALARM_CC] = { "continuity", 1 },
	[ALARM_PMT] = { "pmt", 1 },
	[ALARM_PID] = { "pid", 1 },
	[ALARM_TRANSPORT] = { "transport", 2 },
	[ALARM_CRC] = { "crc", 2 },
	[ALARM_PCR_REPETITION] = { "pcr_repetition", 2 },
	[ALARM_PCR_DISCONTINUITY] = { "pcr_discontinuity", 2 },
	[ALARM_PCR_ACCURACY] = { "pcr_accuracy", 2 },
	[ALARM_PTS] = { "pts", 2 },
	[ALARM_CAT] = { "cat", 2 },
	[ALARM_NIT] = { "nit", 3 },
	[ALARM_UNREFERENCED_PID] = { "unreferenced_pid", 3 },
	[ALARM_SDT] = { "sdt", 3 },
	[ALARM_EIT] = { "eit", 3 },
	[ALARM_TDT] = { "tdt", 3 },
	[ALARM_NO_VIDEO] = { "no_video", 0 },
	[ALARM_NO_AUDIO] = { "no_audio", 0 },
	[ALARM_PCR_FROZEN] = { "pcr_frozen", 0 },
	[ALARM_PTS_FROZEN] = { "pts_frozen", 0 },
	[ALARM_SCRAMBLED] = { "scrambled", 0 },
	[ALARM_NETWORK_LOSS] = { "network_loss", 0 },
	[ALARM_SOCKET_LOSS] = { "socket_loss", 0 },
	[ALARM_TWO_SENDERS] = { "two_senders", 0 },
	[ALARM_CBR_OVERFLOW] = { "cbr_overflow", 0 },
	[ALARM_OUTPUT_FAULT] = { "output_fault", 0 },
	[ALARM_NO_QUERIER] = { "no_querier", 0 },
	[ALARM_UNPROTECTED] = { "unprotected", 0 },
	[ALARM_UNPLAYABLE] = { "unplayable", 0 },
};

const char *alarm_name(enum alarm_id id)
{
	return alarms[id].name;
}

enum alarm_id alarm_find(const char *name)
{
	int i = 0;

	while (i < ALARM_COUNT && strcmp(alarms[i].name, name) != 0)
		i++;
	return (enum alarm_id)i;
}

unsigned alarm_priority(enum alarm_id id)
{
	return alarms[id].priority;
}
