/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/si/record_feed.h"

#include "common/base/alloc.h"
#include "proto/ipc/channel.h"
#include "proto/si/record.h"
#include "worker/si/collect.h"
#include "worker/si/plp_list.h"
#include "worker/ts/pmt.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

struct record_feed {
	struct record_feed_config cfg;
	struct collect *collect;
	struct plp_list *plps; /* NULL: cfg.silent, so that no PLPs are sent */
	unsigned records; /* records in this second */
	size_t bytes;     /* bytes of the sections of these records */
	size_t eit_bytes; /* bytes of EIT among `bytes' */
};

static int send_record(const struct record_feed *f, const json_t *record)
{
	struct msg m = { .type = MSG_SCAN_RECORD,
			 .scan_record = { record } };

	if (f->cfg.position > 0)
		m = (struct msg){
			.type = MSG_STREAM_RECORD,
			.stream_record = { f->cfg.position, record },
		};
	return channel_send(f->cfg.channel, &m, NULL, 0);
}

/* Sends a record.  If it is too long for a message, sends only the fields of
 * the section header. */
static void report_record(const struct record_feed *f, const json_t *record)
{
	static const char *const head[] = {
		"psi", "table_id", "pid", "version", "crc32",
		"section_number", "last_section_number",
	};
	json_t *brief;

	if (send_record(f, record) != -EMSGSIZE)
		return;
	brief = json_pack("{ss}", "error", "record too long for a message");
	for (size_t i = 0; i < ARRAY_LEN(head); i++) {
		json_t *value = json_object_get(record, head[i]);

		if (value != NULL)
			(void)json_object_set(brief, head[i], value);
	}
	(void)send_record(f, brief);
	json_decref(brief);
}

/* Do the limits of this second allow an EIT of len bytes?  EIT may use at most
 * half of each limit, because they are the most frequent tables. */
static bool has_room_for_eit(const struct record_feed *f, size_t len)
{
	return !f->cfg.silent && f->records < f->cfg.records_max / 2 &&
	       f->eit_bytes + len <= f->cfg.bytes_max / 2;
}

static bool on_section(const uint8_t *section, size_t len, uint16_t pid,
		       void *arg)
{
	struct record_feed *f = arg;
	bool eit = section_table_id(section) >= EIT_TABLE_ID &&
		   section_table_id(section) <= EIT_LAST_TABLE_ID;
	json_t *record;

	if (eit && !has_room_for_eit(f, len))
		return false;
	if (f->records >= f->cfg.records_max ||
	    f->bytes + len > f->cfg.bytes_max ||
	    !channel_is_idle(f->cfg.channel))
		return false;
	record = si_record(section, len, pid);
	if (record == NULL)
		return true;
	f->records++;
	f->bytes += len;
	f->eit_bytes += eit ? len : 0;
	if (f->cfg.on_record != NULL)
		f->cfg.on_record(record, f->cfg.arg);
	if (f->plps != NULL && section_table_id(section) == PMT_TABLE_ID)
		plp_list_take_pmt(f->plps, section, len);
	if (!f->cfg.silent)
		report_record(f, record);
	json_decref(record);
	return true;
}

static bool on_plps(uint16_t pid, const json_t *plps, void *arg)
{
	struct record_feed *f = arg;
	json_t *record;

	if (f->records >= f->cfg.records_max ||
	    !channel_is_idle(f->cfg.channel))
		return false;
	record = json_pack("{s:s, s:i, s:O}", "psi", "t2mi", "pid", (int)pid,
			   "plps", plps);
	f->records++;
	(void)send_record(f, record);
	json_decref(record);
	return true;
}

struct record_feed *record_feed_new(const struct record_feed_config *cfg)
{
	struct record_feed *f = xcalloc(1, sizeof *f);

	f->cfg = *cfg;
	f->collect = collect_new(on_section, f);
	if (!cfg->silent)
		f->plps = plp_list_new(on_plps, f);
	return f;
}

void record_feed_free(struct record_feed **f)
{
	if (*f != NULL) {
		collect_free(&(*f)->collect);
		plp_list_free(&(*f)->plps);
	}
	free(*f);
	*f = NULL;
}

void record_feed_packets(struct record_feed *f, const struct ts_run *runs,
			 size_t n_runs)
{
	for (size_t i = 0; i < n_runs; i++)
		collect_feed(f->collect, runs[i]);
	if (f->plps != NULL)
		plp_list_feed(f->plps, runs, n_runs);
}

void record_feed_second(struct record_feed *f)
{
	f->records = 0;
	f->bytes = f->eit_bytes = 0;
}
