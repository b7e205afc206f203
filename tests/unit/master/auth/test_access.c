/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/auth/access.h"
#include "common/account/user.h"

#include <criterion/criterion.h>

/* What each role may, as the manual promises it: Y, F = 403, H = 404. */
static const struct {
	const char *name;
	char observer;
} commands[] = {
	{ "logout", 'Y' }, { "whoami", 'Y' }, { "ws-token", 'Y' },
	{ "load", 'Y' }, { "version", 'Y' }, { "get-stream", 'Y' },
	{ "get-adapter", 'Y' }, { "get-user", 'Y' }, { "check-stream", 'Y' },
	{ "sessions", 'Y' }, { "scan-init", 'Y' }, { "scan-check", 'Y' },
	{ "scan-kill", 'Y' }, { "set-user", 'Y' },
	{ "upload", 'H' }, { "set-settings", 'H' }, { "set-config", 'H' },
	{ "set-auth", 'H' }, { "set-log", 'H' }, { "set-server", 'H' },
	{ "set-softcam", 'H' }, { "test-softcam", 'H' }, { "set-cas", 'H' },
	{ "restart", 'F' }, { "set-license", 'F' }, { "set-stream", 'F' },
	{ "toggle-stream", 'F' }, { "restart-stream", 'F' },
	{ "set-stream-input", 'F' }, { "set-stream-image", 'F' },
	{ "set-adapter", 'F' }, { "restart-adapter", 'F' },
	{ "toggle-adapter", 'F' }, { "toggle-user", 'F' },
	{ "close-session", 'F' }, { "set-category", 'F' },
	{ "no-such-command", 'F' }, { "", 'F' },
};

static char letter(enum access a)
{
	return a == ACCESS_YES ? 'Y' : a == ACCESS_FORBIDDEN ? 'F' : 'H';
}

Test(access, control_users_may_everything)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		cr_expect_eq(letter(access_command(USER_CONTROL,
						   commands[i].name)), 'Y');
	cr_expect_eq(access_path(USER_CONTROL, "api/config"), ACCESS_YES);
}

Test(access, observers_may_what_is_written)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		cr_expect_eq(letter(access_command(USER_OBSERVER,
						   commands[i].name)),
			     commands[i].observer, "%s", commands[i].name);
}

Test(access, observers_read_every_path_but_the_configuration)
{
	static const char *const open[] = {
		"api/announcements", "api/system-status", "api/stream-info",
		"api/stream-status",
		"api/stream-inputs", "api/stream-outputs",
		"api/adapter-info", "api/adapter-status",
	};

	for (size_t i = 0; i < ARRAY_LEN(open); i++)
		cr_expect_eq(access_path(USER_OBSERVER, open[i]), ACCESS_YES);
	cr_expect_eq(access_path(USER_OBSERVER, "api/config"), ACCESS_HIDDEN);
	cr_expect_eq(access_path(USER_OBSERVER, "api/output-group"),
		     ACCESS_FORBIDDEN);
}

Test(access, nobody_else_may_anything)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		cr_expect_eq(access_command(USER_REGULAR, commands[i].name),
			     ACCESS_FORBIDDEN);
		cr_expect_eq(access_command(0, commands[i].name),
			     ACCESS_FORBIDDEN);
	}
	cr_expect_eq(access_path(USER_REGULAR, "api/stream-info"),
		     ACCESS_FORBIDDEN);
}
