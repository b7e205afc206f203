/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/cue_memory.h"

#include "common/base/crc32.h"
#include "common/base/units.h"
#include "proto/si/cue_command.h"
#include "worker/splice/cue.h"
#include "worker/ts/section.h"

#include <string.h>

enum { SECTION_MIN = 17 /* bytes of a splice_null */ };

void cue_memory_check(struct cue_memory *m, uint64_t now_ns)
{
	for (size_t i = 0; i < CUES_PENDING_MAX; i++) {
		struct cue_pending *p = &m->pending[i];
		bool sound = p->until_ns > now_ns &&
			     p->until_ns - now_ns <= CUE_PRE_ROLL_MAX_MS * MS &&
			     p->len >= SECTION_MIN &&
			     p->len <= CUE_KEPT_BYTES &&
			     section_table_id(p->section) == CUE_TABLE_ID &&
			     section_length(p->section) == p->len &&
			     crc32_mpeg(p->section, p->len) == 0;

		if (!sound)
			p->until_ns = 0;
	}
}

size_t cue_memory_place(const struct cue_memory *m)
{
	size_t i = 0;

	while (i < CUES_PENDING_MAX && m->pending[i].until_ns != 0)
		i++;
	return i;
}

void cue_memory_put(struct cue_pending *p, uint64_t until_ns, int64_t event,
		    const uint8_t *section, size_t len)
{
	p->event = event;
	p->len = len <= CUE_KEPT_BYTES ? (uint32_t)len : 0;
	memcpy(p->section, section, p->len);
	/* if the worker ends here, the next one finds a half-written section by
	 * its CRC_32 */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	p->until_ns = until_ns;
}
