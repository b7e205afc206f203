/* SPDX-License-Identifier: GPL-3.0-or-later */
/* http:// and https:// as an output: a path that viewers request. */
#include "common/base/ring.h"
#include "proto/wire/http_target.h"
#include "proto/spec/field_idle.h"
#include "proto/spec/io_type.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	BUFFER_SIZE_MAX_KIB = 1024 * 1024,
	BUFFER_FILL_MAX_KIB = 64 * 1024,
	HLS_DURATION_MAX_S = 30,
	HLS_PART_MIN_MS = 200, /* least value of part other than 0 */
	HLS_PART_MAX_MS = 2000,
	/* a live playlist has at least three segments (RFC 8216 6.2.2) */
	HLS_QUANTITY_MIN = 3,
	/* the ring keeps twice as many segments as a playlist has
	 * (RING_SEGMENTS) */
	HLS_QUANTITY_MAX = 30,
};

static const char *const segments[] = { "ts", "fmp4", NULL };

static const struct field rows[] = {
	{ "buffer_size", IO_OUTPUT(buffer_size_kib),
	  .max = BUFFER_SIZE_MAX_KIB, .unit = "KiB",
	  .flags = FIELD_OBSERVER,
	  .help = "Memory that viewers share; 0: the usual size." },
	{ "buffer_fill", IO_OUTPUT(buffer_fill_kib),
	  .max = BUFFER_FILL_MAX_KIB, .unit = "KiB",
	  .idle_in = WHERE_PLAYLIST,
	  .flags = FIELD_OBSERVER,
	  .help = "Data that a new viewer gets at once, from a random access "
		  "point on; 0: from the last one." },
	{ "duration", IO_OUTPUT(hls_duration_s), .min = 1,
	  .max = HLS_DURATION_MAX_S, .initial = HLS_DURATION_S, .unit = "s",
	  .idle_in = WHERE_NO_PLAYLIST,
	  .flags = FIELD_OBSERVER,
	  .help = "HLS: length of a segment, which ends at the next random "
		  "access point." },
	{ "quantity", IO_OUTPUT(hls_quantity), .min = HLS_QUANTITY_MIN,
	  .max = HLS_QUANTITY_MAX, .initial = HLS_QUANTITY,
	  .idle_in = WHERE_NO_PLAYLIST,
	  .flags = FIELD_OBSERVER,
	  .help = "HLS: segments in a playlist." },
	{ "part", IO_OUTPUT(hls_part_ms), .max = HLS_PART_MAX_MS,
	  .unit = "ms", .idle_in = WHERE_NO_PLAYLIST,
	  .flags = FIELD_OBSERVER,
	  .help = "HLS: longest part of a segment, for low latency; 0: no "
		  "parts." },
	{ "segment", IO_OUTPUT(hls_segment), .choices = segments,
	  .idle_in = WHERE_NO_PLAYLIST,
	  .flags = FIELD_OBSERVER,
	  .help = "HLS: transport stream, or fMP4 (CMAF)." },
	{ "no_auth", IO_OUTPUT(no_auth), .flags = FIELD_OBSERVER,
	  .help = "Viewers need no authorization for this output." },
};
static const struct field_table fields = FIELD_TABLE(struct output_spec,
						     rows);

static unsigned where_is(const void *spec)
{
	return ((const struct output_spec *)spec)->hls ? WHERE_PLAYLIST
							: WHERE_NO_PLAYLIST;
}

static void remark_parts(const void *s, io_remark_fn *remark, void *arg)
{
	const struct output_spec *spec = s;
	unsigned least_ms = spec->hls_duration_s * 1000 / RING_SEGMENT_PARTS;
	struct errmsg text;

	if (!spec->hls || spec->hls_part_ms == 0)
		return;
	if (spec->hls_part_ms < least_ms) {
		errmsg_set(&text, "part: %u ms is short for duration (%u s): "
			   "parts have %u ms, because a segment has at most "
			   "%d parts", spec->hls_part_ms, spec->hls_duration_s,
			   least_ms, RING_SEGMENT_PARTS);
		remark(text.text, arg);
	}
	if (spec->hls_part_ms < spec->hls_duration_s * 1000)
		return;
	errmsg_set(&text, "part: %u ms is not shorter than duration (%u s): a "
		   "segment may be one part, without lower latency",
		   spec->hls_part_ms, spec->hls_duration_s);
	remark(text.text, arg);
}

static size_t count_slashes(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += *text == '/' ? 1 : 0;
	return n;
}

/* Reads the path of an output in the same way as the HTTP server reads the path
 * of a request. */
static int read_http_path(const char *text, char *ret, struct errmsg *error)
{
	char target[ADDRESS_TEXT_MAX + 1];
	const char *path = "/", *query, *fault = NULL;

	if (strchr(text, '?') != NULL)
		return errmsg_fail(error, -EINVAL,
				   "path: an output has no query ('?')");
	(void)snprintf(target, sizeof target, "%s", text);
	if (*text != '\0')
		fault = http_target_read(target, false, &path, &query);
	if (fault != NULL)
		return errmsg_fail(error, -EINVAL, "path: \"%.64s\": %s", text,
				   fault);
	if (strcmp(path, "/") == 0)
		return errmsg_fail(error, -EINVAL, "path: is missing");
	/* http_target_read() has dropped empty and '.' segments: reject them,
	 * so that each path has only one spelling */
	if (count_slashes(text) != count_slashes(path))
		return errmsg_fail(error, -EINVAL,
				   "path: \"%.64s\": empty or '.' segment",
				   text);
	return io_copy_path(path, ret, error);
}

/* Is the path that of a playlist (NAME.m3u8)?  Its segments are in a folder
 * NAME. */
static bool is_playlist(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	size_t len = strlen(name);

	return len > 5 && strcmp(name + len - 5, ".m3u8") == 0;
}

static int read_http_host(const char *host, uint16_t port,
			  struct sockaddr_any *ret, struct errmsg *error)
{
	if (host[0] == '\0' || strcmp(host, "*") == 0 ||
	    strcmp(host, "0") == 0)
		host = "0.0.0.0";
	else if (strcmp(host, "localhost") == 0)
		host = "127.0.0.1";
	if (sockaddr_parse(host, port, ret) < 0)
		return errmsg_fail(error, -EINVAL,
				   "host: \"%.64s\" is not an IP address",
				   host);
	if (sockaddr_is_multicast(ret))
		return errmsg_fail(error, -EINVAL,
				   "host: %.64s is a multicast address", host);
	return 0;
}

static bool is_host_word(const char *host, size_t len)
{
	static const char *const words[] = { "*", "0", "localhost" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i]) == len &&
		    strncmp(host, words[i], len) == 0)
			return true;
	return false;
}

/* Checks the duration of parts.  It has a minimum, because clients send a
 * request for each part. */
static int finish_output(const struct address *a, void *s,
			 struct errmsg *error)
{
	const struct output_spec *spec = s;

	(void)a;
	if (spec->hls_part_ms > 0 && spec->hls_part_ms < HLS_PART_MIN_MS)
		return errmsg_fail(error, -EINVAL, "part: %u is neither 0 nor "
				   "between %d and %d", spec->hls_part_ms,
				   HLS_PART_MIN_MS, HLS_PART_MAX_MS);
	return 0;
}

static int read_output(const struct address *a, void *s, struct errmsg *error)
{
	struct output_spec *spec = s;
	const char *slash = a->target + strcspn(a->target, "/?");
	size_t word = strcspn(a->target, ":/?");
	char authority[ADDRESS_TEXT_MAX + 1];
	struct address_endpoint e;
	int r;

	/* address_endpoint() does not accept the words of is_host_word(): they
	 * are cut off here and put back below */
	if (!is_host_word(a->target, word))
		word = 0;
	(void)snprintf(authority, sizeof authority, "%.*s",
		       (int)(slash - a->target - (ptrdiff_t)word),
		       a->target + word);
	r = address_endpoint(authority, 0, &e, error);
	if (r < 0)
		return r;
	if (e.iface[0] != '\0')
		return errmsg_fail(error, -EINVAL,
				   "interface: an http output has none; write "
				   "the address of the interface");
	if (e.port == 0)
		return errmsg_fail(error, -EINVAL, "port: is missing");
	if (word > 0)
		(void)snprintf(e.host, sizeof e.host, "%.*s", (int)word,
			       a->target);
	r = read_http_host(e.host, e.port, &spec->listen, error);
	if (r == 0)
		r = read_http_path(slash, spec->path, error);
	spec->hls = r == 0 && is_playlist(spec->path);
	return r;
}

const struct io_type output_http_type = {
	.name = "http",
	.target = "[host:]port/path",
	.kind = OUTPUT_HTTP,
	.read = read_output,
	.finish = finish_output,
	.where = where_is,
	.remark = remark_parts,
	.options = &fields,
};

static int read_secure(const struct address *a, void *spec,
		       struct errmsg *error)
{
	((struct output_spec *)spec)->tls = true;
	return read_output(a, spec, error);
}

const struct io_type output_https_type = {
	.name = "https",
	.target = "[host:]port/path",
	.kind = OUTPUT_HTTP,
	.read = read_secure,
	.finish = finish_output,
	.where = where_is,
	.remark = remark_parts,
	.options = &fields,
};
