/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/epg_status.h"

void epg_status_fill(struct msg_epg_status *s, const struct guide *guide,
		     const struct epg_sources *sources)
{
	struct epg_sources_status counted = { 0 };
	struct guide_counts c = { 0 };

	if (guide != NULL)
		c = guide_count(guide);
	if (sources != NULL)
		counted = epg_sources_status(sources);
	*s = (struct msg_epg_status){
		.services = (uint32_t)c.services,
		.events = (uint32_t)c.events,
		.bytes = c.bytes,
		.changes = counted.changes,
		.replaced = c.replaced,
		.undefined = c.undefined,
		.dropped = c.dropped,
		.broken = c.broken,
		.compressed = c.compressed,
		.imports = counted.imports,
		.refused = counted.refused,
		.overlaps = counted.overlaps,
		.endless = counted.endless,
		.gaps = counted.gaps,
	};
	for (size_t i = 0; i < counted.n_errors; i++)
		if (counted.errors[i][0] != '\0')
			s->errors[s->n_errors++] = counted.errors[i];
}
