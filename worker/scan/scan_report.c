/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/scan_report.h"

#include "common/base/units.h"
#include "proto/ipc/channel.h"
#include "worker/si/record_feed.h"

enum {
	/* limits of the feed; all tables of a multiplex have fewer records */
	RECORDS_PER_S = 1000,
	BYTES_PER_S = 64 * 1024,
	SERVICES_AT_ONCE = 8,
	/* Time in which the names must arrive: A/65 requires a VCT every 400
	 * ms, EN 300 468 an SDT every 2 s.  A multiplex of ATSC may have
	 * neither. */
	NAMES_MS = 5000,
};

static void on_record(const json_t *record, void *arg)
{
	struct scan_report *f = arg;

	scan_services_add(f->services, record);
	if (f->on_record != NULL)
		f->on_record(record, f->arg);
}

void scan_report_reset(struct scan_report *f)
{
	scan_report_done(f);
	f->services = scan_services_new();
	f->feed = record_feed_new(&(struct record_feed_config){
		.channel = f->channel,
		.records_max = RECORDS_PER_S,
		.bytes_max = BYTES_PER_S,
		.on_record = on_record,
		.arg = f,
		.silent = f->services_only,
	});
}

void scan_report_done(struct scan_report *f)
{
	record_feed_free(&f->feed);
	scan_services_free(&f->services);
}

void scan_report_packets(struct scan_report *f, const struct ts_run *runs,
		      size_t n_runs)
{
	record_feed_packets(f->feed, runs, n_runs);
}

bool scan_report_is_complete(const struct scan_report *f, bool nit,
			     uint64_t since_ns, uint64_t now_ns)
{
	bool atsc = f->atsc && since_ns != 0 &&
		    now_ns - since_ns >= NAMES_MS * MS;

	/* a multiplex of annex B cable may have an SDT, and then a NIT that
	 * arrives later */
	nit = nit && !(atsc && scan_services_lacks_nit(f->services, true));
	return scan_services_is_complete(
		f->services, nit,
		!(atsc && scan_services_lacks_names(f->services)));
}

void scan_report_send(struct scan_report *f, uint32_t number, bool all)
{
	for (size_t i = 0; all || i < SERVICES_AT_ONCE; i++) {
		struct msg m = { .type = MSG_SCAN_SERVICE };
		json_t *service;

		if (!all && !channel_is_idle(f->channel))
			return;
		service = scan_services_next(f->services);
		if (service == NULL)
			return;
		m.scan_service = (struct msg_scan_service){ number, service };
		(void)channel_send(f->channel, &m, NULL, 0);
		json_decref(service);
	}
}
