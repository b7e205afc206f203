/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The findings of a receiver in a transport stream (judge.h), as one JSON
 * object; times are milliseconds.
 *
 *	ts-judge FILE             packets of 188 bytes
 *	ts-judge FILE SOCKET      what udp-record wrote, of that socket
 */
#include "tests/helpers/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 188 };

static double ms(int64_t ticks)
{
	return (double)ticks / 27000.;
}

static void read_packets(struct judge *j, FILE *file)
{
	uint8_t data[SIZE];

	while (fread(data, SIZE, 1, file) == 1)
		judge_take(j, data, SIZE, -1);
}

static void read_record(struct judge *j, FILE *file, unsigned socket)
{
	static uint8_t data[65536];
	uint64_t ns, first = 0;
	uint16_t head[2];

	while (fread(&ns, sizeof ns, 1, file) == 1 &&
	       fread(head, sizeof head, 1, file) == 1 &&
	       fread(data, 1, head[1], file) == head[1]) {
		if (head[0] != socket)
			continue;
		if (first == 0)
			first = ns;
		judge_take(j, data, head[1],
			   (int64_t)((ns - first) / 1000 * 27));
	}
}

static void print(const struct judge *j)
{
	(void)printf("{\"packets\": %" PRIu64 ", \"sync\": %" PRIu64
		     ", \"tei\": %" PRIu64 ", \"cc\": %" PRIu64
		     ", \"discontinuities\": %" PRIu64 ",\n",
		     j->packets, j->sync, j->tei, j->cc, j->discontinuities);
	(void)printf(" \"pcrs\": %" PRIu64 ", \"pcrBack\": %" PRIu64
		     ", \"pcrJump\": %" PRIu64 ", \"pcrGap\": %.3f"
		     ", \"pcrSpan\": %.3f, \"pcrStray\": %.3f"
		     ", \"pcrWander\": %.3f,\n",
		     j->pcrs, j->pcr_back, j->pcr_jump, ms(j->pcr_gap),
		     ms(j->pcr_span), ms(j->stray_max - j->stray_min),
		     ms(judge_wander(j)));
	(void)printf(" \"units\": %" PRIu64 ", \"dtsBack\": %" PRIu64
		     ", \"dtsLate\": %" PRIu64 ", \"dtsGap\": %.3f"
		     ", \"leadMin\": %.3f, \"leadMax\": %.3f"
		     ", \"cutShort\": %" PRIu64 ",\n",
		     j->units, j->dts_back, j->dts_late, ms(j->dts_gap),
		     ms(j->lead_min), ms(j->lead_max), j->cut_short);
	(void)printf(" \"crc\": %" PRIu64 ", \"pmts\": %" PRIu64
		     ", \"idleVersions\": %" PRIu64
		     ", \"silentChanges\": %" PRIu64 ",\n \"events\": [",
		     j->crc, j->pmts, j->idle_versions, j->silent_changes);
	for (size_t i = 0; i < j->n_events; i++)
		(void)printf("%s\n  \"%s\"", i > 0 ? "," : "", j->events[i]);
	(void)printf("]}\n");
}

int main(int argc, char **argv)
{
	FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
	struct judge j;

	if (file == NULL) {
		(void)fprintf(stderr, "usage: ts-judge FILE [SOCKET]\n");
		return 2;
	}
	judge_init(&j);
	if (argc > 2)
		read_record(&j, file, (unsigned)atoi(argv[2]));
	else
		read_packets(&j, file);
	(void)fclose(file);
	print(&j);
	judge_done(&j);
	return 0;
}
