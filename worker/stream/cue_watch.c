/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/cue_watch.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"
#include "common/base/units.h"
#include "proto/ipc/msg.h"
#include "proto/si/record.h"
#include "worker/splice/cue.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>

enum {
	SEEN_MAX = 32,
	COMMAND_AT = 13,  /* offset of splice_command_type in a section */
	SECTION_MIN = 17, /* bytes of a splice_null */
	SPLICE_NULL = 0x00,
	BANDWIDTH_RESERVATION = 0x07,
};

struct watched {
	uint16_t pid;
	struct section_assembler assembler;
	uint8_t buffer[SECTION_MAX];
};

/* A section that was reported. */
struct seen {
	uint64_t hash;
	/* time when the section was received last; 0: the entry is free */
	uint64_t at_ns;
};

struct cue_watch {
	const struct psi *psi;
	int (*send)(const struct msg *, void *);
	void *arg;
	uint32_t changes; /* psi_changes() when the PIDs were read */
	size_t n;
	struct watched *list[CUE_WATCH_PIDS];
	uint64_t second_ns; /* start of this second */
	unsigned reports;   /* sent in this second */
	struct seen seen[SEEN_MAX];
};

struct cue_watch *cue_watch_new(const struct psi *psi,
				int (*send)(const struct msg *, void *),
				void *arg)
{
	struct cue_watch *w = xcalloc(1, sizeof *w);

	w->psi = psi;
	w->send = send;
	w->arg = arg;
	return w;
}

void cue_watch_free(struct cue_watch **pw)
{
	struct cue_watch *w = *pw;

	*pw = NULL;
	for (size_t i = 0; w != NULL && i < w->n; i++)
		free(w->list[i]);
	free(w);
}

/* --- PIDs --- */

static bool is_cue(const struct cue_watch *w, uint16_t pid)
{
	return psi_stream_type(w->psi, pid) == CUE_STREAM_TYPE;
}

static bool is_watched(const struct cue_watch *w, uint16_t pid)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->list[i]->pid == pid)
			return true;
	return false;
}

static void follow_tables(struct cue_watch *w)
{
	w->changes = psi_changes(w->psi);
	for (size_t i = 0; i < w->n;) {
		if (is_cue(w, w->list[i]->pid)) {
			i++;
			continue;
		}
		free(w->list[i]);
		w->list[i] = w->list[--w->n];
	}
	for (uint16_t pid = SI_PIDS_END;
	     pid < TS_PID_NULL && w->n < CUE_WATCH_PIDS; pid++) {
		struct watched *new;

		if (!is_cue(w, pid) || is_watched(w, pid))
			continue;
		new = w->list[w->n++] = xcalloc(1, sizeof *new);
		new->pid = pid;
		section_init(&new->assembler, new->buffer, SECTION_MAX);
	}
}

/* --- reports --- */

/* The entry of the section with this hash.  If there is none, the oldest entry,
 * which the caller overwrites. */
static struct seen *find(struct cue_watch *w, uint64_t hash)
{
	struct seen *oldest = &w->seen[0];

	for (size_t i = 0; i < SEEN_MAX; i++) {
		if (w->seen[i].at_ns != 0 && w->seen[i].hash == hash)
			return &w->seen[i];
		if (w->seen[i].at_ns < oldest->at_ns)
			oldest = &w->seen[i];
	}
	return oldest;
}

static void take(struct cue_watch *w, uint16_t pid, const uint8_t *section,
		 size_t len, uint64_t now_ns)
{
	struct seen *seen;
	json_t *record;
	uint64_t hash;

	if (len < SECTION_MIN || section_table_id(section) != CUE_TABLE_ID ||
	    section[COMMAND_AT] == SPLICE_NULL ||
	    section[COMMAND_AT] == BANDWIDTH_RESERVATION)
		return;
	hash = hash_add(hash_add(HASH_INIT, &pid, sizeof pid), section, len);
	seen = find(w, hash);
	if (seen->at_ns != 0 && seen->hash == hash &&
	    now_ns - seen->at_ns < CUE_WATCH_SAME_S * SECOND_NS) {
		seen->at_ns = now_ns;
		return;
	}
	if (w->reports == CUE_WATCH_PER_S)
		return;
	record = si_record(section, len, pid);
	if (record == NULL)
		return;
	w->reports++;
	*seen = (struct seen){ hash, now_ns };
	/* a report that is too long loses these fields: the fields that stay
	 * name the command and its time */
	if (json_dumpb(record, NULL, 0, JSON_COMPACT) > CUE_WATCH_BYTES) {
		(void)json_object_del(record, "raw");
		(void)json_object_del(record, "descriptors");
		(void)json_object_del(record, "components");
	}
	if (json_dumpb(record, NULL, 0, JSON_COMPACT) <= CUE_WATCH_BYTES) {
		struct msg m = { .type = MSG_STREAM_SPLICE,
				 .stream_splice = { record } };

		(void)w->send(&m, w->arg);
	}
	json_decref(record);
}

static void push(struct cue_watch *w, const uint8_t *packet, uint64_t now_ns)
{
	uint16_t pid = ts_pid(packet);
	const uint8_t *section;
	size_t len;

	for (size_t i = 0; i < w->n; i++) {
		if (w->list[i]->pid != pid)
			continue;
		section_push(&w->list[i]->assembler, packet);
		while ((section = section_pull(&w->list[i]->assembler,
					       &len)) != NULL)
			take(w, pid, section, len, now_ns);
	}
}

void cue_watch_feed(struct cue_watch *w, const struct ts_run *runs,
		    size_t n_runs, uint64_t now_ns)
{
	if (psi_changes(w->psi) != w->changes)
		follow_tables(w);
	if (w->n == 0)
		return;
	if (now_ns - w->second_ns >= SECOND_NS) {
		w->second_ns = now_ns;
		w->reports = 0;
	}
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++)
			push(w, runs[i].data + k * TS_PACKET, now_ns);
}
