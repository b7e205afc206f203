/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/core/link_record.h"

void link_record_done(struct link_record *r)
{
	json_decref(r->reported);
	r->reported = NULL;
}

void link_record_close(struct link_record *r, const struct link_stats *last)
{
	struct link_stats sum = { 0 };

	link_stats_carry(&sum, last);
	link_stats_carry(&sum, &r->closed);
	r->closed = sum;
}

const json_t *link_record_report(struct link_record *r, struct link_stats now)
{
	link_stats_carry(&now, &r->closed);
	link_record_done(r);
	r->reported = link_stats_format(&now);
	return r->reported;
}
