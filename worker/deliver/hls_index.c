/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/hls_index.h"

#include "common/base/buf.h"
#include "common/base/segment_rate.h"
#include "common/base/session_number.h"
#include "proto/wire/http_target.h"
#include "worker/deliver/hls.h"
#include "worker/deliver/hls_playlist.h"
#include "worker/deliver/mount.h"
#include "worker/deliver/viewer_conn.h"

#include <stdlib.h>
#include <string.h>

static const char folder[] = "/play/", suffix[] = ".m3u8",
		  index_name[] = "index.m3u8";

_Static_assert(sizeof index_name <= SESSION_NUMBER_DIGITS + sizeof suffix,
	       "a path does not get longer");

bool hls_session_path(char *path, uint64_t *ret)
{
	char *name = strrchr(path, '/');

	if (name == NULL || strncmp(path, folder, strlen(folder)) != 0)
		return false;
	name++;
	if (strspn(name, "0123456789abcdef") != SESSION_NUMBER_DIGITS ||
	    strcmp(name + SESSION_NUMBER_DIGITS, suffix) != 0)
		return false;
	*ret = strtoull(name, NULL, 16);
	memcpy(name, index_name, sizeof index_name);
	return *ret != 0;
}

bool hls_index_answer(struct viewer_conn *c, const struct http_request *r,
		      struct mount *m)
{
	char query[HLS_QUERY_MAX + 1], session[SESSION_NUMBER_TEXT];
	struct ring_segments all;
	struct buf text = { 0 };
	uint64_t end;

	if (strlen(http_request_query(r)) > HLS_QUERY_MAX) {
		viewer_conn_reject(c, 414);
		return true;
	}
	if (!mount_end(m, &end)) {
		viewer_conn_reject(c, 503);
		return true;
	}
	hls_read_live(m, &all);
	if (all.n == 0)
		return false;
	http_query_strip_hls(http_request_query(r), query);
	session_number_format(c->hls.session, session);
	buf_printf(&text, "#EXTM3U\n#EXT-X-VERSION:3\n"
		   "#EXT-X-STREAM-INF:BANDWIDTH=%ju\n%s%s%s%s\n",
		   (uintmax_t)segment_rate_of(&all).peak_bps, session, suffix,
		   query[0] != '\0' ? "?" : "", query);
	viewer_conn_answer(c, &(struct viewer_answer){
		.status = 200,
		.headers = "Content-Type: application/vnd.apple.mpegurl\r\n"
			   "Cache-Control: no-store\r\n",
		.body = buf_head(&text),
		.len = buf_len(&text),
	});
	buf_done(&text);
	return true;
}
