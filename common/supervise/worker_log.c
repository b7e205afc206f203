/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/worker_log.h"

#include "common/base/log.h"
#include "common/base/mono.h"
#include "proto/ipc/channel.h"

#include <string.h>

enum { LOG_BURST = 20 };

void worker_log(struct ratelimit *limit, const char *name, const char *role,
		const struct msg_worker_log *line)
{
	static void (*const log[])(const char *, const char *, ...) = {
		[LOG_LEVEL_ERROR] = log_error,
		[LOG_LEVEL_WARNING] = log_warning,
		[LOG_LEVEL_INFO] = log_info,
		[LOG_LEVEL_DEBUG] = log_debug,
	};
	unsigned suppressed;

	limit->burst = LOG_BURST;
	if (!ratelimit_pass(limit, mono_ms(), &suppressed))
		return;
	if (suppressed > 0)
		log_warning(name, "%u log lines dropped: too many in 10 s",
			    suppressed);
	if (strcmp(line->component, role) == 0)
		log[line->level](name, "%s", line->text);
	else
		log[line->level](name, "%s: %s", line->component, line->text);
}

void worker_log_follow(enum log_level *last, struct channel *channel)
{
	enum log_level level = log_level();

	if (*last != level) {
		const struct msg m = {
			.type = MSG_WORKER_DEBUG,
			.worker_debug = { level == LOG_LEVEL_DEBUG },
		};

		(void)channel_send(channel, &m, NULL, 0);
	}
	*last = level;
}
