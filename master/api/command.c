/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/command.h"

#include "common/base/typo.h"
#include "common/base/util.h"

#include <string.h>

/* The commands of each file. */
extern const struct api_command
	adapters_commands[],
	cams_commands[],
	categories_commands[],
	config_commands[],
	cue_commands[],
	input_commands[],
	login_commands[],
	reload_commands[],
	scans_commands[],
	sections_commands[],
	sessions_commands[],
	settings_commands[],
	softcams_commands[],
	status_commands[],
	streams_commands[],
	test_softcam_commands[],
	users_commands[],
	web_lists_commands[];

static const struct api_command *const commands[] = {
	adapters_commands,
	cams_commands,
	categories_commands,
	config_commands,
	cue_commands,
	input_commands,
	login_commands,
	reload_commands,
	scans_commands,
	sections_commands,
	sessions_commands,
	settings_commands,
	softcams_commands,
	status_commands,
	streams_commands,
	test_softcam_commands,
	users_commands,
	web_lists_commands,
};

const struct api_command *api_command_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		for (const struct api_command *c = commands[i];
		     c->name != NULL; c++)
			if (strcmp(c->name, name) == 0)
				return c;
	return NULL;
}

const char *api_command_nearest(const char *name)
{
	struct typo typo = { .word = name };

	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		for (const struct api_command *c = commands[i];
		     c->name != NULL; c++)
			typo_compare(&typo, c->name);
	return typo.nearest;
}
