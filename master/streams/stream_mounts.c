/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/stream_mounts.h"

#include "master/streams/deliver_proc.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc.h"

/* Takes the mount out of the old ones, or makes it. */
static struct mount *take_or_make(struct stream_mounts *old,
				  struct deliver_proc *deliver,
				  const struct mount_config *cfg)
{
	for (size_t i = 0; i < old->n; i++) {
		struct mount *m = old->of[i].mount;

		if (m != NULL && mount_is_same(m, cfg)) {
			old->of[i].mount = NULL;
			mount_set_ring(m, cfg->ring_fd);
			return m;
		}
	}
	return mount_new(deliver, cfg);
}

/* Makes new mounts before it frees old ones, so that shared listeners stay
 * open. */
void stream_mounts_set(struct stream_mounts *mounts,
		       struct deliver_proc *deliver,
		       const struct stream_mounts_config *cfg)
{
	struct stream_mounts old = *mounts;

	*mounts = (struct stream_mounts){ .n = cfg->n };
	for (size_t i = 0; i < cfg->n; i++) {
		const struct plan_http *http = &cfg->outputs[i];

		mounts->of[i].position = http->position;
		mounts->of[i].mount = take_or_make(&old, deliver,
						   &(struct mount_config){
			.listen = &http->listen,
			.path = http->path,
			.tls = http->tls,
			.stream = cfg->stream,
			.ring_fd = cfg->ring_fd,
		});
	}
	for (size_t i = 0; i < old.n; i++)
		mount_free(&old.of[i].mount);
}

void stream_mounts_ring(struct stream_mounts *mounts, int ring_fd)
{
	for (size_t i = 0; i < mounts->n; i++)
		mount_set_ring(mounts->of[i].mount, ring_fd);
}

void stream_mounts_get(const struct stream_mounts *mounts,
		       struct stream_proc_info *ret)
{
	for (size_t i = 0; i < mounts->n; i++) {
		struct mount_status s = mount_get(mounts->of[i].mount);
		size_t at = mounts->of[i].position - 1;

		ret->output_viewers[at] = s.viewers;
		ret->output_cut[at] = s.cut;
		ret->output_errors[at] = s.error;
		ret->viewers += s.viewers;
		ret->viewers_cut += s.cut;
	}
}
