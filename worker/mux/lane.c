/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/mux/lane.h"

#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/ts/section.h"

void lane_done(struct lane *l)
{
	fifo_done(&l->fifo);
}

bool lane_push(struct lane *l, const uint8_t *section, size_t len)
{
	uint8_t packets[SECTION_PACKETS * TS_PACKET];
	size_t n = section_packets(len);

	if (len > SECTION_MAX || fifo_len(&l->fifo) + n > fifo_max(&l->fifo)) {
		l->dropped++;
		return false;
	}
	(void)section_pack(section, len, l->pid, &l->cc, packets);
	(void)fifo_push(&l->fifo, (struct ts_run){ packets, n });
	return true;
}

size_t lane_due(struct lane *l, uint64_t now_ns)
{
	const uint64_t spacing = LANE_SPACING_MS * MS;
	size_t n = fifo_len(&l->fifo);
	uint64_t most;

	if (now_ns - l->served_ns > LANE_BURST * spacing)
		l->served_ns = now_ns - LANE_BURST * spacing;
	most = (now_ns - l->served_ns) / spacing;
	n = MIN(n, (size_t)most);
	/* After an idle time one packet may be sent at once, not a burst. */
	l->served_ns = n == fifo_len(&l->fifo) ? now_ns - spacing
					       : l->served_ns + n * spacing;
	return n;
}
