/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/input_edit.h"

#include "common/base/alloc.h"
#include "master/config/adapter_conf.h"

#include <stdlib.h>
#include <string.h>

static const char cam[] = "cam=";

enum { CAM_LEN = sizeof cam - 1 };

/* Reads the next option behind the '#'; false: there are no more. */
static bool next_option(const char **at, const char **ret, size_t *ret_len)
{
	if (*at == NULL)
		return false;
	*ret = *at;
	*ret_len = strcspn(*at, "&");
	*at = (*ret)[*ret_len] == '&' ? *ret + *ret_len + 1 : NULL;
	return true;
}

static const char *options_of(const char *address)
{
	const char *hash = strchr(address, '#');

	return hash != NULL ? hash + 1 : NULL;
}

/* Finds an id in a list of softcams such as "c1,c2", of len bytes; NULL: the
 * list does not have it. */
static const char *find_id(const char *list, size_t len, const char *id)
{
	size_t n = strlen(id);

	for (size_t at = 0; at < len;) {
		size_t item = strcspn(list + at, ",&");

		if (item == n && strncmp(list + at, id, n) == 0)
			return list + at;
		at += item + 1;
	}
	return NULL;
}

/* Finds the id of a softcam in an option; NULL: the option is not cam=, or does
 * not name this softcam. */
static const char *find_cam(const char *option, size_t len, const char *id)
{
	if (len <= CAM_LEN || strncmp(option, cam, CAM_LEN) != 0)
		return NULL;
	return find_id(option + CAM_LEN, len - CAM_LEN, id);
}

bool input_edit_has_cam(const char *address, const char *id)
{
	const char *at = options_of(address);
	const char *option;
	size_t len;

	while (next_option(&at, &option, &len))
		if (find_cam(option, len, id) != NULL)
			return true;
	return false;
}

char *input_edit_cam(const char *address, const char *from, const char *to)
{
	size_t target = strcspn(address, "#");
	char *text = xstrndup(address, target);
	const char *at = options_of(address);
	const char *option;
	char joint = '#';
	size_t len;

	while (next_option(&at, &option, &len)) {
		const char *id = find_cam(option, len, from);
		size_t before = id != NULL ? (size_t)(id - option) : len;
		size_t after = id != NULL ? before + strlen(from) : len;
		const char *name = id != NULL && to != NULL ? to : "";
		char *more;

		/* without its only softcam, the option is removed */
		if (id != NULL && to == NULL && before == CAM_LEN &&
		    after == len)
			continue;
		/* an id is removed with one comma */
		if (id != NULL && to == NULL && after < len)
			after++;
		else if (id != NULL && to == NULL)
			before--;
		more = xasprintf("%s%c%.*s%s%.*s", text, joint, (int)before,
				 option, name, (int)(len - after),
				 option + after);
		free(text);
		text = more;
		joint = '&';
	}
	return text;
}

bool input_edit_is_adapter(const char *address, const char *id)
{
	char own[IO_ID_MAX + 1];

	adapter_link_read(address, own);
	return own[0] != '\0' && strcmp(own, id) == 0;
}

char *input_edit_adapter(const char *address, const char *to)
{
	return xasprintf(IO_ADAPTER "%s%s", to,
			 address + strcspn(address, "#"));
}
