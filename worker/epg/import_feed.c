/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/import_feed.h"

#include "common/base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

enum {
	GZIP_WINDOW = 15 + 16, /* of zlib: a window of 15 bits; + 16: with a
				* gzip header */
	GZIP_FIRST = 0x1f, GZIP_SECOND = 0x8b,
};

struct import_feed {
	struct xmltv_reader *reader;
	struct guide_import *import;
	enum { UNKNOWN, PLAIN, GZIP } form;
	z_stream zip;
	bool zip_ended; /* a gzip member has ended */
	size_t taken, len; /* bytes of the file so far; bytes of the document,
			    * after gzip */
	size_t max; /* most bytes of the file, and of the document */
	uint8_t *part; /* IMPORT_PART bytes for the output of gzip; NULL without
			* gzip */
};

static bool wants(const char *channel, void *arg)
{
	return guide_import_wants(((struct import_feed *)arg)->import,
				  channel);
}

static void on_programme(const char *channel, const struct xmltv_found *p,
			 void *arg)
{
	guide_import_add(((struct import_feed *)arg)->import, channel, p);
}

static const struct xmltv_reader_events events = { wants, on_programme };

struct import_feed *import_feed_new(struct guide *guide, int64_t now_s,
				    size_t max)
{
	struct import_feed *f = xcalloc(1, sizeof *f);

	f->max = max;
	f->reader = xmltv_reader_new(&events, f);
	f->import = guide_import_new(guide, now_s);
	return f;
}

void import_feed_free(struct import_feed **fp)
{
	struct import_feed *f = *fp;

	*fp = NULL;
	if (f == NULL)
		return;
	if (f->form == GZIP)
		(void)inflateEnd(&f->zip);
	xmltv_reader_free(&f->reader);
	guide_import_free(&f->import);
	free(f->part);
	free(f);
}

static const uint8_t *head_of(const struct buf *b)
{
	return buf_len(b) > 0 ? buf_head(b) : (const uint8_t *)"";
}

/* Finds out from the first two bytes whether the document is in gzip. */
static int find_form(struct import_feed *f, const struct buf *bytes, bool last,
		     struct errmsg *error)
{
	const uint8_t *b = head_of(bytes);

	if (f->form != UNKNOWN || (buf_len(bytes) < 2 && !last))
		return 0;
	f->form = PLAIN;
	if (buf_len(bytes) < 2 || b[0] != GZIP_FIRST || b[1] != GZIP_SECOND)
		return 0;
	if (inflateInit2(&f->zip, GZIP_WINDOW) != Z_OK)
		return errmsg_fail(error, -ENOMEM, "gzip: out of memory");
	f->form = GZIP;
	f->part = xmalloc(IMPORT_PART);
	return 0;
}

static int read_part(struct import_feed *f, const void *bytes, size_t len,
		     bool end, struct errmsg *error)
{
	int r;

	f->len += len;
	if (f->len > f->max)
		return errmsg_fail(error, -EINVAL, "the document is longer "
				   "than %zu bytes", f->max);
	r = xmltv_reader_feed(f->reader, bytes, len, end, error);
	return r < 0 ? r : !end;
}

static int run_plain(struct import_feed *f, struct buf *bytes, bool last,
		     struct errmsg *error)
{
	size_t len = MIN(buf_len(bytes), (size_t)IMPORT_PART);
	bool end = last && len == buf_len(bytes);
	int r = read_part(f, head_of(bytes), len, end, error);

	buf_take(bytes, len);
	return r;
}

/* Reads a part of a file in gzip, which may have several members, one behind
 * the other. */
static int run_gzip(struct import_feed *f, struct buf *bytes, bool last,
		    struct errmsg *error)
{
	size_t had = buf_len(bytes), len;
	int r = Z_OK;
	bool end;

	if (f->zip_ended && had > 0) {
		(void)inflateReset(&f->zip);
		f->zip_ended = false;
	}
	f->zip.next_in = (Bytef *)(uintptr_t)head_of(bytes);
	f->zip.avail_in = (uInt)had;
	f->zip.next_out = f->part;
	f->zip.avail_out = IMPORT_PART;
	if (!f->zip_ended)
		r = inflate(&f->zip, Z_NO_FLUSH);
	buf_take(bytes, had - f->zip.avail_in);
	len = IMPORT_PART - f->zip.avail_out;
	if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
		return errmsg_fail(error, -EINVAL, "gzip: %s",
				   f->zip.msg != NULL ? f->zip.msg
						      : "broken data");
	f->zip_ended |= r == Z_STREAM_END;
	end = f->zip_ended && last && buf_len(bytes) == 0;
	if (!end && len == 0 && last && buf_len(bytes) == 0)
		return errmsg_fail(error, -EINVAL, "gzip: the file ends too "
				   "early");
	return read_part(f, f->part, len, end, error);
}

int import_feed_run(struct import_feed *f, struct buf *bytes, bool last,
		    struct errmsg *error)
{
	int r = find_form(f, bytes, last, error);
	size_t had = buf_len(bytes);

	if (r < 0)
		return r;
	if (f->form == UNKNOWN)
		return 1;
	r = f->form == GZIP ? run_gzip(f, bytes, last, error)
			    : run_plain(f, bytes, last, error);
	f->taken += had - buf_len(bytes);
	/* a gzip file of any length may have no content */
	if (r > 0 && f->taken > f->max)
		return errmsg_fail(error, -EINVAL, "the file is longer than "
				   "%zu bytes", f->max);
	return r;
}

bool import_feed_commit(struct import_feed *f,
			struct guide_import_counts *ret)
{
	return guide_import_commit(f->import, ret);
}

uint64_t import_feed_refused(const struct import_feed *f)
{
	return xmltv_reader_refused(f->reader);
}

const char *import_feed_first_refusal(const struct import_feed *f)
{
	return xmltv_reader_first_refusal(f->reader);
}
