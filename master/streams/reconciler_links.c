/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The links between rings and their readers: streams, feeds and adapters read
 * rings of streams, feeds and adapters. */
#include "master/streams/adapter_procs.h"
#include "master/streams/feeds.h"
#include "master/streams/reconciler_state.h"
#include "master/streams/stream_plan.h"

#include <string.h>

/* Returns the stream or the feed that a link names; NULL: none. */
static struct stream_proc *find_source(const struct reconciler *r,
				       const char *link)
{
	struct stream_proc *p = stream_index_find(&r->index, link);

	return p != NULL ? p : feeds_find(r->feeds, link);
}

struct stream_proc *reconciler_proc(const struct reconciler *r, size_t i)
{
	return i < r->n ? r->streams[i] : feeds_at(r->feeds, i - r->n);
}

void reconciler_relink(struct reconciler *r, const char *link)
{
	struct stream_proc *p;

	for (size_t i = 0; (p = reconciler_proc(r, i)) != NULL; i++)
		if (stream_proc_reads(p, link))
			stream_proc_relink(p, link);
	adapter_procs_relink(r->adapters, link);
}

/* Gives the ring of a stream for a picture; does not start a stream on
 * demand. */
int reconciler_picture_ring(const char *stream, const char **error,
			    bool *absent, void *arg)
{
	const struct reconciler *r = arg;
	const struct stream_proc *p =
		r->stopping ? NULL : stream_index_find(&r->index, stream);
	int ring = -1;

	if (p != NULL && stream_proc_is_removed(p))
		p = NULL;
	if (p != NULL)
		ring = stream_proc_ring(p);
	*absent = p == NULL;
	if (p == NULL)
		*error = "there is no such stream";
	else if (!stream_proc_is_running(p))
		*error = "the stream does not run, and a picture does not "
			 "start it";
	else if (ring < 0)
		*error = "the stream has no ring buffer yet: try again";
	return ring;
}

int reconciler_link_ring(const char *link, void *arg)
{
	const struct reconciler *r = arg;
	size_t len = sizeof IO_ADAPTER - 1;
	const struct stream_proc *p;

	if (strncmp(link, IO_ADAPTER, len) == 0)
		return adapter_procs_ring(r->adapters, link + len);
	p = find_source(r, link);
	return p != NULL ? stream_proc_ring(p) : -1;
}

/* Returns the id of a stream or an adapter that reads this stream; NULL: none.
 * runs: only streams whose worker is wanted, and adapters. */
static const char *find_reader(const struct reconciler *r, const char *id,
			       bool runs)
{
	const struct stream_proc *p;

	for (size_t i = 0; (p = reconciler_proc(r, i)) != NULL; i++)
		if (stream_proc_reads(p, id) &&
		    (!runs || stream_proc_is_wanted(p)))
			return stream_proc_id(p);
	return adapter_procs_reader(r->adapters, id);
}

void reconciler_follow_adapter(const char *stream, void *arg)
{
	struct reconciler *r = arg;
	struct stream_proc *p = r->stopping ? NULL : find_source(r, stream);

	if (p == NULL || stream_proc_is_removed(p))
		return;
	stream_proc_set_read(p, find_reader(r, stream, false) != NULL);
	stream_proc_set_demanded(p, find_reader(r, stream, true));
}

/* Starts or stops the streams on demand in links: each runs as long as it has
 * viewers, or a stream that runs or an adapter reads it. */
static void demand_sources(struct reconciler *r,
			   const struct stream_links *links)
{
	for (size_t i = 0; i < links->n; i++) {
		struct stream_proc *p = find_source(r, links->ids[i]);

		if (p != NULL)
			stream_proc_set_demanded(
				p, find_reader(r, links->ids[i], true));
	}
}

/* The readers of the streams in links have changed: makes the ring of a stream
 * that has readers, and starts or stops the streams on demand. */
static void update_read(struct reconciler *r, const struct stream_links *links)
{
	for (size_t i = 0; i < links->n; i++) {
		struct stream_proc *p = find_source(r, links->ids[i]);

		if (p != NULL && !stream_proc_is_removed(p))
			stream_proc_set_read(p, find_reader(r, links->ids[i],
							    false) != NULL);
		reconciler_renew_cam(r, links->ids[i]);
	}
	demand_sources(r, links);
}

void reconciler_follow_demand(struct stream_proc *p, void *arg)
{
	struct stream_links links = stream_proc_links(p);

	demand_sources(arg, &links);
}

void reconciler_set_proc(struct reconciler *r, struct stream_proc *p,
			 const struct stream_conf *conf)
{
	const char *id = stream_proc_id(p);
	struct stream_links before = stream_proc_links(p), after;

	stream_proc_set(p, conf, find_reader(r, id, false) != NULL);
	after = stream_proc_links(p);
	update_read(r, &before);
	update_read(r, &after);
	stream_proc_set_demanded(p, find_reader(r, id, true));
}

void reconciler_remove_proc(struct reconciler *r, struct stream_proc *p)
{
	struct stream_links links = stream_proc_links(p);

	stream_proc_remove(p);
	update_read(r, &links);
}

void reconciler_rename_links(struct reconciler *r, const char *from,
			     const char *to)
{
	struct stream_proc *p;

	for (size_t i = 0; (p = reconciler_proc(r, i)) != NULL; i++)
		stream_proc_rename_link(p, from, to);
	adapter_procs_rename_link(r->adapters, from, to);
}
