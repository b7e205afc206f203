/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/json_memory.h"

#include "common/base/buf.h"
#include "common/base/fd.h"
#include "common/base/shared.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

json_t *json_memory_read(int fd, size_t max)
{
	struct buf text = { 0 };
	json_t *value = NULL;

	if (fd_read_all(fd, max, &text) == 0)
		value = json_loadb((const char *)buf_head(&text),
				   buf_len(&text), 0, NULL);
	buf_done(&text);
	return value;
}

size_t json_memory_write(const json_t *value, int fd)
{
	char *text = json_dumps(value, JSON_COMPACT);
	size_t len = strlen(text);
	ssize_t room = shared_size(fd);

	if (room < 0 || len > (size_t)room ||
	    pwrite(fd, text, len, 0) != (ssize_t)len)
		len = 0;
	free(text);
	return len;
}
