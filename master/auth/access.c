/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/auth/access.h"

#include "common/account/user.h"

#include <string.h>

struct rule {
	const char *name;
	enum access observer;
};

static const struct rule commands[] = {
	/* authentication */
	{ "login", ACCESS_YES }, /* of an observer once more */
	{ "logout", ACCESS_YES },
	{ "whoami", ACCESS_YES },
	{ "ws-token", ACCESS_YES },
	/* reading */
	{ "check-stream", ACCESS_YES },
	{ "get-adapter", ACCESS_YES },
	{ "get-stream", ACCESS_YES },
	{ "get-user", ACCESS_YES },
	{ "load", ACCESS_YES }, /* reduced */
	{ "scan-check", ACCESS_YES },
	{ "scan-init", ACCESS_YES },
	{ "scan-kill", ACCESS_YES },
	{ "sessions", ACCESS_YES },
	{ "version", ACCESS_YES },
	/* the own password: the command itself looks at the rest */
	{ "set-user", ACCESS_YES },
	/* settings, softcams and CAS: not even there */
	{ "set-auth", ACCESS_HIDDEN },
	{ "set-cas", ACCESS_HIDDEN },
	{ "set-config", ACCESS_HIDDEN },
	{ "set-log", ACCESS_HIDDEN },
	{ "set-server", ACCESS_HIDDEN },
	{ "set-settings", ACCESS_HIDDEN },
	{ "set-softcam", ACCESS_HIDDEN },
	{ "test-softcam", ACCESS_HIDDEN },
	{ "upload", ACCESS_HIDDEN },
};

static const struct rule paths[] = {
	{ "api/adapter-info", ACCESS_YES },
	{ "api/adapter-status", ACCESS_YES },
	{ "api/announcements", ACCESS_YES },
	{ "api/config", ACCESS_HIDDEN },
	{ "api/network-status", ACCESS_YES },
	{ "api/stream-analysis", ACCESS_YES },
	{ "api/stream-info", ACCESS_YES },
	{ "api/stream-inputs", ACCESS_YES },
	{ "api/stream-outputs", ACCESS_YES },
	{ "api/stream-status", ACCESS_YES },
	{ "api/system-status", ACCESS_YES },
};

static enum access look_up(const struct rule *rules, size_t n, int type,
			   const char *name)
{
	if (type == USER_CONTROL)
		return ACCESS_YES;
	if (type != USER_OBSERVER)
		return ACCESS_FORBIDDEN;
	for (size_t i = 0; i < n; i++)
		if (strcmp(rules[i].name, name) == 0)
			return rules[i].observer;
	return ACCESS_FORBIDDEN;
}

enum access access_command(int type, const char *command)
{
	return look_up(commands, ARRAY_LEN(commands), type, command);
}

enum access access_path(int type, const char *path)
{
	return look_up(paths, ARRAY_LEN(paths), type, path);
}
