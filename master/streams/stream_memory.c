/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/stream_memory.h"

#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/shared.h"
#include "common/supervise/handover.h"
#include "proto/ipc/contract.h"

#include <string.h>

void stream_memory_keep(struct stream_memory *m, bool keep, const char *name)
{
	int fd = m->fd;

	if (!keep) {
		fd_close(&m->fd);
		m->number = 0;
	} else if (fd < 0) {
		fd = shared_create("stream", STREAM_MEMORY_SIZE);
		if (fd >= 0)
			m->fd = fd;
		else
			log_warning(name,
				    "cannot create the memory that keeps "
				    "counters and clocks for the next worker: "
				    "%s: they restart with that worker",
				    strerror(-fd));
	}
}

void stream_memory_trim(struct stream_memory *m)
{
	/* on failure the memory stays as large as that of a running stream */
	if (m->fd >= 0)
		(void)!shared_release(m->fd, STREAM_MEMORY_LASTING,
				      STREAM_MEMORY_SIZE -
					      STREAM_MEMORY_LASTING);
}

void stream_memory_take(struct stream_memory *m, const json_t *name,
			struct handover *h)
{
	m->fd = handover_take(h, name, 'm', &m->number);
	if (m->fd >= 0 && shared_size(m->fd) != STREAM_MEMORY_SIZE) {
		fd_close(&m->fd);
		m->number = 0;
	}
}
