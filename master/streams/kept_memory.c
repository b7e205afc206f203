/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/kept_memory.h"

#include "common/base/fd.h"
#include "common/base/shared.h"
#include "common/supervise/handover.h"
#include "proto/ipc/contract.h"

void kept_memory_init(struct kept_memory *m)
{
	*m = (struct kept_memory){ .fd = -1 };
}

void kept_memory_close(struct kept_memory *m)
{
	fd_close(&m->fd);
	m->number = 0;
}

int kept_memory_make(struct kept_memory *m)
{
	int fd;

	if (m->fd >= 0)
		return 0;
	fd = shared_create("stream", STREAM_MEMORY_SIZE);
	if (fd < 0)
		return fd;
	m->fd = fd;
	return 0;
}

json_t *kept_memory_write(struct kept_memory *m, struct handover *h)
{
	return m->fd >= 0 ? handover_put(h, 'm', &m->number, m->fd) : NULL;
}

void kept_memory_take(struct kept_memory *m, const json_t *name,
		      struct handover *h)
{
	m->fd = handover_take(h, name, 'm', &m->number);
	if (m->fd >= 0 && shared_size(m->fd) != STREAM_MEMORY_SIZE)
		kept_memory_close(m);
}
