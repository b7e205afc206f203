/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the metrics of all streams: one metric after the other, each with the
 * values of all streams. */
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/supervise/procfs.h"
#include "master/status/status_state.h"
#include "proto/wire/metrics_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PACKET = 188 /* bytes */ };

enum stream_value {
	ENABLED, WAITING, ONAIR, ACTIVE_INPUT, BITRATE, SWITCHES, SESSIONS,
	SLOW_VIEWERS, RESTARTS, CPU_S, RESIDENT, STREAM_VALUES
};

/* A stream and the state of its process. */
struct item {
	const struct status_stream *s;
	struct stream_proc_info info;
	bool runs; /* a process of the stream runs */
	double values[STREAM_VALUES];
};

struct sheet {
	struct buf *to;
	const struct item *items;
	size_t n;
};

/* --- streams --- */

static void read_stream(struct item *i, const struct procfs_pid *process)
{
	const struct minute_sum sum = status_stream_sum(i->s, 1);
	double *v = i->values;

	v[ENABLED] = i->s->enabled;
	v[WAITING] = i->s->waiting;
	v[ONAIR] = sum.onair;
	v[ACTIVE_INPUT] = sum.onair ? i->s->position : 0;
	v[BITRATE] = (double)sum.bitrate_kbps * 1e3;
	v[SWITCHES] = (double)i->s->switches;
	v[SESSIONS] = i->info.viewers;
	v[SLOW_VIEWERS] = (double)i->info.viewers_cut;
	v[RESTARTS] = i->info.restarts;
	v[CPU_S] = (double)process->ticks / (double)sysconf(_SC_CLK_TCK);
	v[RESIDENT] = (double)process->pages * (double)sysconf(_SC_PAGESIZE);
}

static const struct stream_metric {
	const char *name;
	enum metric_kind kind;
	const char *help;
	enum stream_value value;
	bool runs; /* only for streams with a process */
} stream_metrics[] = {
	{ "sluice_stream_enabled", METRIC_GAUGE,
	  "1 if the stream is enabled.", ENABLED, false },
	{ "sluice_stream_waiting", METRIC_GAUGE,
	  "1 while the stream is on demand and waits for a viewer.",
	  WAITING, false },
	{ "sluice_stream_onair", METRIC_GAUGE,
	  "1 if the stream was on air in the last second.", ONAIR, false },
	{ "sluice_stream_active_input", METRIC_GAUGE,
	  "Position of the input that is sent, from 1; 0: none is on air.",
	  ACTIVE_INPUT, false },
	{ "sluice_stream_bitrate_bits_per_second", METRIC_GAUGE,
	  "Rate of the stream in the last second.", BITRATE, false },
	{ "sluice_stream_input_switches_total", METRIC_COUNTER,
	  "Switches between inputs.", SWITCHES, false },
	{ "sluice_stream_sessions", METRIC_GAUGE,
	  "Viewers of the stream.", SESSIONS, false },
	{ "sluice_stream_slow_viewers_total", METRIC_COUNTER,
	  "Viewers that were disconnected because they were too slow.",
	  SLOW_VIEWERS, false },
	{ "sluice_stream_worker_restarts_total", METRIC_COUNTER,
	  "Failures of the process of the stream.", RESTARTS, false },
	{ "sluice_stream_worker_cpu_seconds_total", METRIC_COUNTER,
	  "Processor time of the process of the stream.", CPU_S, true },
	{ "sluice_stream_worker_resident_bytes", METRIC_GAUGE,
	  "Resident memory of the process of the stream, ring buffers and "
	  "files too.", RESIDENT,
	  true },
};

static void put_streams(struct sheet *t, const struct stream_metric *m)
{
	metrics_head(t->to, m->name, m->kind, m->help);
	for (size_t i = 0; i < t->n; i++) {
		const struct metric_label labels[] = {
			{ "stream", t->items[i].s->id }, { 0 } };

		if (!m->runs || t->items[i].runs)
			metrics_sample(t->to, m->name, labels,
				       t->items[i].values[m->value]);
	}
}

static void put_info(struct sheet *t)
{
	static const char name[] = "sluice_stream_info";

	metrics_head(t->to, name, METRIC_GAUGE,
		     "Always 1; the labels are the name and the type of the "
		     "stream.");
	for (size_t i = 0; i < t->n; i++) {
		const struct status_stream *s = t->items[i].s;

		metrics_sample(t->to, name, (struct metric_label[]){
			{ "stream", s->id },
			{ "name", s->name != NULL ? s->name : "" },
			{ "type", s->mpts ? "mpts" : "spts" }, { 0 } }, 1);
	}
}

static void put_alarms(struct sheet *t)
{
	static const char name[] = "sluice_stream_alarm";

	metrics_head(t->to, name, METRIC_GAUGE,
		     "1 for each alarm that is raised for the stream.");
	for (size_t i = 0; i < t->n; i++) {
		alarm_set raised = status_stream_alarms(t->items[i].s);

		for (enum alarm_id a = 0; a < ALARM_COUNT; a++)
			if (raised >> a & 1)
				metrics_sample(t->to, name,
					       (struct metric_label[]){
					{ "stream", t->items[i].s->id },
					{ "alarm", alarm_name(a) }, { 0 } },
					       1);
	}
}

/* --- inputs and outputs --- */

static const struct input_metric {
	const char *name, *help;
	size_t offset; /* offset of a uint64_t in struct status_totals */
	unsigned unit;
} input_metrics[] = {
#define AT(member) offsetof(struct status_totals, member)
	{ "sluice_input_bytes_total", "Bytes of TS packets received.",
	  AT(packets), PACKET },
	{ "sluice_input_packets_total", "TS packets received.", AT(packets),
	  1 },
	{ "sluice_input_cc_errors_total", "Continuity counter errors of TS "
					  "packets.",
	  AT(cc_error), 1 },
	{ "sluice_input_pes_errors_total", "Errors of PES headers.",
	  AT(pes_error), 1 },
	{ "sluice_input_scrambled_packets_total", "Scrambled TS packets.",
	  AT(sc_error), 1 },
	{ "sluice_input_lost_datagrams_total",
	  "Datagrams that are missing by their sequence numbers.",
	  AT(lost), 1 },
	{ "sluice_input_socket_drops_total",
	  "Datagrams that the kernel dropped because the buffer was full.",
	  AT(socket_drops), 1 },
	{ "sluice_input_sync_losses_total", "Losses of TS packet "
					    "synchronization.",
	  AT(sync_losses), 1 },
#undef AT
};

static void put_place(struct sheet *t, const char *name, const char *id,
		      const char *kind, size_t position, double value)
{
	char number[24];

	(void)snprintf(number, sizeof number, "%zu", position);
	metrics_sample(t->to, name, (struct metric_label[]){
		{ "stream", id }, { kind, number }, { 0 } }, value);
}

static void put_inputs(struct sheet *t, const struct input_metric *m)
{
	metrics_head(t->to, m->name, METRIC_COUNTER, m->help);
	for (size_t i = 0; i < t->n; i++) {
		const struct status_stream *s = t->items[i].s;

		for (size_t k = 0; k < s->n_inputs; k++) {
			const char *totals = (const char *)&s->totals[k];
			uint64_t count;

			memcpy(&count, totals + m->offset, sizeof count);
			put_place(t, m->name, s->id, "input", k + 1,
				  (double)count * m->unit);
		}
	}
}

static void put_inputs_onair(struct sheet *t)
{
	static const char name[] = "sluice_input_onair";

	metrics_head(t->to, name, METRIC_GAUGE,
		     "1 if the input was on air in the last second; absent if "
		     "it is not watched.");
	for (size_t i = 0; i < t->n; i++) {
		const struct status_stream *s = t->items[i].s;

		for (size_t k = 1; k <= s->n_inputs; k++) {
			const struct msg_input_status *in =
				status_stream_input(s, k);

			if (in != NULL && (in->active || in->open))
				put_place(t, name, s->id, "input", k,
					  in->onair);
		}
	}
}

enum output_part { OUTPUT_BYTES, OUTPUT_DROPPED, OUTPUT_FAULT };

static void put_outputs(struct sheet *t, enum output_part part,
			const char *name, enum metric_kind kind,
			const char *help)
{
	metrics_head(t->to, name, kind, help);
	for (size_t i = 0; i < t->n; i++) {
		const struct status_stream *s = t->items[i].s;

		/* the worker counts these, so only while it runs */
		for (size_t k = 0;
		     t->items[i].runs && k < s->last.n_outputs; k++) {
			const struct msg_output_status *o =
				&s->last.outputs[k];
			bool fault;

			if (o->position > s->n_outputs)
				continue;
			fault = s->outputs[o->position - 1].fault.raised;
			put_place(t, name, s->id, "output", o->position,
				  part == OUTPUT_BYTES
					  ? (double)o->packets * PACKET
				  : part == OUTPUT_DROPPED
					  ? (double)o->dropped
					  : fault);
		}
	}
}

/* --- all --- */

static struct procfs_pid look_at(int pid, struct buf *text)
{
	struct procfs_pid ret = { 0 };
	char path[64];

	(void)snprintf(path, sizeof path, "/proc/%d/stat", pid);
	if (pid <= 0 || procfs_read(path, text) < 0 ||
	    procfs_pid_stat_parse((const char *)buf_head(text), &ret) < 0)
		ret = (struct procfs_pid){ 0 };
	return ret;
}

void status_metrics(struct status *s, struct buf *to)
{
	struct item *items = xcalloc(MAX(s->n, (size_t)1), sizeof *items);
	struct sheet t = { to, items, s->n };
	struct buf text = { 0 };

	for (size_t i = 0; i < s->n; i++) {
		struct procfs_pid process;

		items[i].s = s->streams[i];
		items[i].info = status_ask_worker(s, s->streams[i]);
		process = look_at(items[i].info.pid, &text);
		items[i].runs = process.threads > 0;
		read_stream(&items[i], &process);
	}
	put_info(&t);
	for (size_t i = 0; i < ARRAY_LEN(stream_metrics); i++)
		put_streams(&t, &stream_metrics[i]);
	put_alarms(&t);
	put_inputs_onair(&t);
	for (size_t i = 0; i < ARRAY_LEN(input_metrics); i++)
		put_inputs(&t, &input_metrics[i]);
	put_outputs(&t, OUTPUT_BYTES, "sluice_output_bytes_total",
		    METRIC_COUNTER, "Bytes of TS packets sent.");
	put_outputs(&t, OUTPUT_DROPPED, "sluice_output_dropped_packets_total",
		    METRIC_COUNTER, "TS packets that could not be sent.");
	put_outputs(&t, OUTPUT_FAULT, "sluice_output_fault", METRIC_GAUGE,
		    "1 while the alarm output_fault is raised.");
	buf_done(&text);
	free(items);
}

size_t status_untried(struct status *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct status_stream *stream = s->streams[i];
		struct stream_proc_info info = status_ask_worker(s, stream);
		bool tried = stream->fault != NULL || info.waiting ||
			     info.restarts > 0 || info.alarm != NULL ||
			     stream->last.n_inputs > 0 || stream->taken;

		n += stream->enabled && !tried;
	}
	return n;
}
