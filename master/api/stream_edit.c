/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/stream_edit.h"

#include <string.h>

enum { VERSIONS = 32 };

static void bump(json_t *stream, const char *key, json_int_t first)
{
	const json_t *old = json_object_get(stream, key);
	json_int_t version = first;

	if (json_is_integer(old))
		version = (json_integer_value(old) % VERSIONS + 1) % VERSIONS;
	(void)json_object_set_new(stream, key, json_integer(version));
}

void stream_edit_versions(json_t *stream)
{
	static const char *const spts[] = { "pmt_version", "sdt_version" };
	static const char *const mpts[] = { "pat_version", "cat_version",
					    "sdt_version", "nit_version" };
	const char *type = json_string_value(json_object_get(stream, "type"));

	if (type != NULL && strcmp(type, "mpts") == 0) {
		for (size_t i = 0; i < ARRAY_LEN(mpts); i++)
			bump(stream, mpts[i], 0);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(spts); i++)
		bump(stream, spts[i], 1);
}

void gid_format(json_int_t gid, char text[GID_TEXT_MAX])
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	char reversed[GID_TEXT_MAX];
	size_t n = 0;

	do {
		reversed[n++] = digits[gid % 36];
		gid /= 36;
	} while (gid > 0);
	for (size_t i = 0; i < n; i++)
		text[i] = reversed[n - 1 - i];
	text[n] = '\0';
}
