/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the names of segments and parts in the paths of requests. */
#include "worker/deliver/hls.h"

#include "worker/deliver/hls_playlist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 16 }; /* digits of a segment's number */

static const char *const suffixes[] = {
	[HLS_TS] = ".ts",
	[HLS_FMP4] = ".m4s",
	[HLS_INIT] = ".mp4",
};

/* Reads a decimal number at *text, and moves *text behind it.  False: there is
 * none, or it is too long or has leading zeros. */
static bool read_number(const char **text, uint64_t *ret)
{
	size_t n = strspn(*text, "0123456789");

	if (n == 0 || n > NUMBER_MAX || (n > 1 && **text == '0'))
		return false;
	*ret = strtoull(*text, NULL, 10);
	*text += n;
	return true;
}

/* Reads the letter and a hash of 16 digits at *text, and moves *text behind
 * them.  False: *text begins in another way. */
static bool read_hash(const char **text, const char *letter, uint64_t *ret)
{
	size_t n = strlen(letter);

	if (strncmp(*text, letter, n) != 0 ||
	    strspn(*text + n, "0123456789abcdef") != HLS_HASH_DIGITS)
		return false;
	*ret = strtoull(*text + n, NULL, 16);
	*text += n + HLS_HASH_DIGITS;
	return true;
}

/* Reads the name of a segment, "1798765432.ts", of a part, "1798765432.0.ts",
 * the same with a hash instead of the number, or with .m4s, or the name of an
 * initialization segment.  False: it is no such name. */
static bool read_name(const char *name, struct hls_wanted *ret)
{
	bool hashed = false, is_part = false;
	uint64_t number, index = 0;

	ret->kind = HLS_TS;
	if (read_hash(&name, HLS_HASH_LETTER, &number))
		hashed = true;
	else if (read_hash(&name, HLS_INIT_LETTER, &number))
		ret->kind = HLS_INIT;
	else if (!read_number(&name, &number))
		return false;
	if (number == 0)
		return false;
	if (name[0] == '.' && name[1] >= '0' && name[1] <= '9') {
		name++;
		is_part = true;
		if (!read_number(&name, &index) || index >= UINT32_MAX)
			return false;
	}
	if (ret->kind == HLS_TS && strcmp(name, suffixes[HLS_FMP4]) == 0)
		ret->kind = HLS_FMP4;
	if (strcmp(name, suffixes[ret->kind]) != 0 ||
	    (is_part && ret->kind == HLS_INIT))
		return false;
	ret->number = number;
	ret->hashed = hashed;
	ret->is_part = is_part;
	ret->index = (uint32_t)index;
	return true;
}

bool hls_segment_path(const char *path, char ret_playlist[IO_PATH_MAX],
		      struct hls_wanted *ret)
{
	const char *name = strrchr(path, '/');
	size_t len = name != NULL ? (size_t)(name - path) : 0;

	if (len == 0 || len + sizeof HLS_PLAYLIST_SUFFIX > IO_PATH_MAX ||
	    !read_name(name + 1, ret))
		return false;
	(void)snprintf(ret_playlist, IO_PATH_MAX, "%.*s%s", (int)len, path,
		       HLS_PLAYLIST_SUFFIX);
	return true;
}
