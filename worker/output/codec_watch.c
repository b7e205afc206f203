/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/codec_watch.h"

#include "common/base/units.h"

#include <errno.h>

enum {
	AGAIN_MS = 10000, /* time between two readings: a source may change its
			   * coding without a new table */
	RETRY_MS = 2000,  /* time after a failure: to read a large group takes
			   * a millisecond */
	/* A shorter group may lack parameter sets, or an audio frame, which may
	 * arrive half a second after the picture. */
	GROUP_MIN = 64 << 10,
	GROUP_MAX = 512 << 10,
};

void codec_watch_second(struct codec_watch *w, const struct ring_out *ring,
			const struct psi *psi, uint64_t now_ns)
{
	bool changed = psi_changes(psi) != w->changes;
	struct fmp4_codecs found;
	const uint8_t *group;
	size_t len;
	int err;

	if (now_ns < w->next_ns && !changed)
		return;
	group = ring_out_group(ring, GROUP_MAX, &len);
	if (group == NULL)
		return;
	err = fmp4_describe(group, len, &found);
	w->next_ns = now_ns + RETRY_MS * MS;
	w->changes = psi_changes(psi);
	/* the missing bytes of the group may follow */
	if (err == -EAGAIN || ((err < 0 || found.silent) && len < GROUP_MIN))
		return;
	w->codecs = found;
	w->next_ns = now_ns + AGAIN_MS * MS;
}
