/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/codec_watch.h"

#include "common/base/units.h"

#include <errno.h>

enum {
	AGAIN_MS = 10000, /* a source may change its pictures without a table */
	/* Tables, parameter sets, and a frame of each sound, which may arrive
	 * half a second after the picture. */
	GROUP_MIN = 64 << 10,
	GROUP_MAX = 512 << 10,
};

void codec_watch_second(struct codec_watch *w, const struct ring_out *ring,
			const struct psi *psi, uint64_t now_ns)
{
	struct fmp4_codecs found;
	const uint8_t *group;
	size_t len;
	int err;

	if (now_ns < w->next_ns && psi_changes(psi) == w->changes)
		return;
	group = ring_out_group(ring, GROUP_MAX, &len);
	if (group == NULL)
		return;
	err = fmp4_describe(group, len, &found);
	/* of a short group at a low rate the sound may follow */
	if (err == -EAGAIN || (err < 0 && len < GROUP_MIN))
		return;
	w->codecs = found;
	w->changes = psi_changes(psi);
	w->next_ns = now_ns + AGAIN_MS * MS;
}
