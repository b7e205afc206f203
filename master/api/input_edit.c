/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/input_edit.h"

#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char dvb[] = "dvb://";
static const char cam[] = "cam=";

enum { DVB_LEN = sizeof dvb - 1, CAM_LEN = sizeof cam - 1 };

/* The next option after the '#'; false at the end. */
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

static bool is_cam(const char *option, size_t len, const char *id)
{
	return len == CAM_LEN + strlen(id) &&
	       strncmp(option, cam, CAM_LEN) == 0 &&
	       strncmp(option + CAM_LEN, id, len - CAM_LEN) == 0;
}

bool input_edit_has_cam(const char *address, const char *id)
{
	const char *at = options_of(address);
	const char *option;
	size_t len;

	while (next_option(&at, &option, &len))
		if (is_cam(option, len, id))
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
		bool ours = is_cam(option, len, from);
		char *more;

		if (ours && to == NULL)
			continue;
		more = ours ? xasprintf("%s%c%s%s", text, joint, cam, to)
			    : xasprintf("%s%c%.*s", text, joint, (int)len,
					option);
		free(text);
		text = more;
		joint = '&';
	}
	return text;
}

bool input_edit_is_adapter(const char *address, const char *id)
{
	size_t len = address != NULL ? strcspn(address, "#") : 0;

	return len == DVB_LEN + strlen(id) &&
	       strncasecmp(address, dvb, DVB_LEN) == 0 &&
	       strncmp(address + DVB_LEN, id, len - DVB_LEN) == 0;
}

char *input_edit_adapter(const char *address, const char *to)
{
	return xasprintf("%s%s%s", dvb, to, address + strcspn(address, "#"));
}
