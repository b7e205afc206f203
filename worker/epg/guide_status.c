/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The status of services, which comes from SDTs, in the saved guide: so after a
 * restart the generated tables do not wait for the next SDT. */
#include "worker/epg/guide_state.h"

bool guide_save_status(struct guide *g, struct guide_status *ret)
{
	struct guide_place *at = &g->saving;

	while (at->stream != NULL) {
		const struct guide_stream *s = at->stream;
		const struct service *service =
			s->has_network ? guide_service_from(s, at->number)
				       : NULL;

		if (service == NULL) {
			*at = (struct guide_place){ LIST_NEXT(s, link), 0,
						    INT64_MIN };
			continue;
		}
		at->number = service->number + 1U;
		*ret = (struct guide_status){ s->id, s->tsid, s->onid,
					      service->number,
					      service->status };
		return true;
	}
	return false;
}

void guide_load_status(struct guide *g, const struct guide_status *saved)
{
	struct guide_stream *s = guide_find_stream(g, saved->stream);
	struct service *service;

	if (s == NULL && g->counts.services >= g->limits.services)
		return;
	s = guide_add_stream(g, saved->stream);
	service = guide_add_service(g, s, saved->number);
	/* an SDT that was read meanwhile is newer */
	if (!s->has_network)
		(void)guide_set_network(g, s, saved->tsid, saved->onid);
	if (service == NULL || service->status != 0)
		return;
	service->status = saved->status;
	service->edited = ++g->edits;
}
