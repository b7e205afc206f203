/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The findings of a receiver in a transport stream (judge.h), as one JSON
 * object; times are milliseconds.
 *
 *	ts-judge FILE             packets of 188 bytes
 *	ts-judge FILE SOCKET      what udp-record wrote, of that socket
 *
 * `buffers' and `pmtMs' are those of buffers.h, if the stream has PCRs; they
 * are right for a constant rate only.
 */
#include "tests/helpers/buffers.h"
#include "tests/helpers/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 188 };

static double ms(int64_t ticks)
{
	return (double)ticks / 27000.;
}

/* Either of them. */
struct judges {
	struct judge *j;
	struct buffers *b;
};

static void take(const struct judges *to, const uint8_t *data, size_t len,
		 int64_t arrival)
{
	if (to->j != NULL)
		judge_take(to->j, data, len, arrival);
	for (size_t i = 0; to->b != NULL && i + SIZE <= len; i += SIZE)
		buffers_take(to->b, data + i);
}

static void read_packets(const struct judges *to, FILE *file)
{
	uint8_t data[SIZE];

	while (fread(data, SIZE, 1, file) == 1)
		take(to, data, SIZE, -1);
}

static void read_record(const struct judges *to, FILE *file, unsigned socket)
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
		take(to, data, head[1],
		     (int64_t)((ns - first) / 1000 * 27));
	}
}

static void read_all(const struct judges *to, FILE *file, const char *socket)
{
	rewind(file);
	if (socket != NULL)
		read_record(to, file, (unsigned)atoi(socket));
	else
		read_packets(to, file);
}

static void print_events(const char (*list)[96], size_t n)
{
	(void)printf("\"events\": [");
	for (size_t i = 0; i < n; i++)
		(void)printf("%s\n  \"%s\"", i > 0 ? "," : "", list[i]);
	(void)printf("]");
}

/* The second reading: the rate is known. */
static void print_buffers(FILE *file, const char *socket, double ticks)
{
	struct judges to = { .b = buffers_new(ticks) };
	struct buffers_found f;

	read_all(&to, file, socket);
	buffers_end(to.b, &f);
	(void)printf(" \"buffers\": {\"tbVideo\": %" PRIu64
		     ", \"tbAudio\": %" PRIu64 ", \"tbTables\": %" PRIu64
		     ", \"eb\": %" PRIu64 ", \"main\": %" PRIu64
		     ", \"sys\": %" PRIu64 ", \"late\": %" PRIu64
		     ", \"lateAudio\": %" PRIu64 ", \"judged\": %" PRIu64 ",\n",
		     f.tb_video, f.tb_audio, f.tb_tables, f.eb, f.main, f.sys,
		     f.late, f.late_audio, f.judged);
	(void)printf("  \"near\": %" PRIu64 ", \"nit\": %" PRIu64
		     ", \"sdt\": %" PRIu64 ", \"eit\": %" PRIu64
		     ", \"tdt\": %" PRIu64 ", \"schedule\": %" PRIu64
		     ", \"other\": %" PRIu64 ", \"unreferenced\": %" PRIu64
		     ", \"alien\": %" PRIu64 ",\n  ",
		     f.near, f.nit, f.sdt, f.eit, f.tdt, f.schedule, f.other,
		     f.unreferenced, f.alien);
	print_events(f.events, f.n_events);
	(void)printf("},\n \"pmtMs\": [%.1f, %.1f],\n", f.pmt_least,
		     f.pmt_most);
}

static void print(const struct judge *j)
{
	(void)printf(" \"packets\": %" PRIu64 ", \"sync\": %" PRIu64
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
		     ", \"silentChanges\": %" PRIu64 ",\n ",
		     j->crc, j->pmts, j->idle_versions, j->silent_changes);
	print_events(j->events, j->n_events);
	(void)printf("}\n");
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
	read_all(&(struct judges){ .j = &j }, file, argc > 2 ? argv[2] : NULL);
	(void)printf("{");
	if (judge_ticks(&j) > 0)
		print_buffers(file, argc > 2 ? argv[2] : NULL,
			      judge_ticks(&j));
	print(&j);
	(void)fclose(file);
	judge_done(&j);
	return 0;
}
