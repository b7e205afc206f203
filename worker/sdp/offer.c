/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/sdp/offer.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { PATH_TEXT_MAX = 192 };

/* Encodings of SMPTE 2022-1 error correction in a=rtpmap. */
static const char *const fec_encodings[] = {
	"parityfec", "1d-interleaved-parityfec", "vnd.dvb.iptv.alfec-base",
};

static bool is_rtp(const struct sdp_media *m)
{
	return strcasecmp(m->proto, "RTP/AVP") == 0 ||
	       strcasecmp(m->proto, "RTP/AVPF") == 0;
}

/* Is the format an MPEG transport stream?  Payload type 33 is MP2T, unless
 * a=rtpmap names another encoding (RFC 3551). */
static bool is_mp2t(const struct sdp_format *f)
{
	return f->encoding[0] != '\0' ? strcasecmp(f->encoding, "MP2T") == 0
				      : strcmp(f->name, "33") == 0;
}

/* Is the media an MPEG transport stream, and is it sent? */
static bool is_wanted(const struct sdp_media *m)
{
	const char *format = m->formats[0].name;

	if (m->port == 0 || m->inactive)
		return false;
	if (strcasecmp(m->proto, "MP2T/H2221/UDP") == 0)
		return true;
	/* senders write "udp MP2T", "udp 33" or "udp mpeg" for plain UDP */
	if (strcasecmp(m->proto, "udp") == 0)
		return strcasecmp(format, "MP2T") == 0 ||
		       strcasecmp(format, "mpeg") == 0 ||
		       is_mp2t(&m->formats[0]);
	for (unsigned i = 0; is_rtp(m) && i < m->n_formats; i++)
		if (is_mp2t(&m->formats[i]))
			return true;
	return false;
}

static bool is_fec(const struct sdp_media *m)
{
	if (!is_rtp(m))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(fec_encodings); i++)
		if (strcasecmp(m->formats[0].encoding, fec_encodings[i]) == 0)
			return true;
	return false;
}

/* Chooses the media of the number-th m= line, from 1; number 0: the first one
 * for which is_wanted() is true.  NULL with error: there is no such line, or
 * its media is not wanted. */
static const struct sdp_media *choose(const struct session_description *d,
				      unsigned number, struct errmsg *error)
{
	const struct sdp_media *m;

	if (number > d->n_media) {
		errmsg_set(error, "m=: number %u does not exist; the text has "
			   "%u", number, d->n_media);
		return NULL;
	}
	for (unsigned i = 0; i < d->n_media; i++)
		if (is_wanted(&d->media[i]) &&
		    (number == 0 || number == i + 1))
			return &d->media[i];
	m = &d->media[number > 0 ? number - 1 : 0];
	if (m->port == 0 || m->inactive)
		errmsg_set(error, "line %u: m=: is not sent (%s)", m->line,
			   m->port == 0 ? "port 0" : "a=inactive");
	else
		errmsg_set(error, "line %u: m=: %s over %s is not an MPEG "
			   "transport stream", m->line,
			   m->formats[0].encoding[0] != '\0'
				   ? m->formats[0].encoding
				   : m->type, m->proto);
	return NULL;
}

static const struct sdp_connection *
connection_of(const struct session_description *d, const struct sdp_media *m)
{
	return m->connection.n > 0 ? &m->connection : &d->connection;
}

/* The first inclusive source filter for a destination; NULL: there is none.
 * Exclusive filters are ignored.  Filters of the media precede those of the
 * session (RFC 4570 3). */
static const struct sdp_filter *filter_of(const struct session_description *d,
					  const struct sdp_media *m,
					  const struct sockaddr_any *to)
{
	const struct sdp_filters *all[] = { &m->filters, &d->filters };

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		for (unsigned k = 0; k < all[i]->n; k++) {
			const struct sdp_filter *f = &all[i]->list[k];

			if (!f->excludes &&
			    (f->destination.len == 0 ||
			     sockaddr_equal(&f->destination, to)))
				return f;
		}
	return NULL;
}

static bool is_sender(const struct sockaddr_any *a,
		      const struct sockaddr_any *to)
{
	/* VLC writes 0.0.0.0 if it does not know its own address */
	bool unspecified = a->sa.sa_family == AF_INET6
		? IN6_IS_ADDR_UNSPECIFIED(&a->in6.sin6_addr)
		: a->in.sin_addr.s_addr == INADDR_ANY;

	return a->sa.sa_family == to->sa.sa_family && !unspecified &&
	       !sockaddr_is_multicast(a);
}

/* Reads the destination of a media.  If it is a group, also source `number'
 * (from 0) of its source filter; has_source is false if there is none, or if it
 * cannot be used.  0, or -EINVAL with error: the media has no c=. */
static int read_path(const struct session_description *d,
		     const struct sdp_media *m, unsigned number,
		     struct sdp_path *ret, struct errmsg *error)
{
	const struct sdp_connection *c = connection_of(d, m);
	const struct sdp_filter *f;
	struct sdp_path p = { 0 };

	if (c->n == 0)
		return errmsg_fail(error, -EINVAL, "line %u: m=: has no c=",
				   m->line);
	p.local = c->address;
	f = sockaddr_is_multicast(&p.local) ? filter_of(d, m, &p.local) : NULL;
	if (f != NULL && number < f->n_sources &&
	    is_sender(&f->sources[number], &p.local)) {
		p.has_source = true;
		p.source = f->sources[number];
	}
	sockaddr_set_port(&p.local, m->port);
	*ret = p;
	return 0;
}

static bool is_same(const struct sdp_path *a, const struct sdp_path *b)
{
	return sockaddr_equal(&a->local, &b->local) &&
	       a->has_source == b->has_source &&
	       (!a->has_source || sockaddr_equal(&a->source, &b->source));
}

static bool has_member(const struct sdp_group *g, const struct sdp_media *m)
{
	for (unsigned i = 0; m->mid[0] != '\0' && i < g->n_members; i++)
		if (strcmp(g->members[i], m->mid) == 0)
			return true;
	return false;
}

/* Finds the next media behind `after' (NULL: from the first one) that is with m
 * in a group of these semantics; NULL: there is none. */
static const struct sdp_media *mate_of(const struct session_description *d,
				       const char *semantics,
				       const struct sdp_media *m,
				       const struct sdp_media *after)
{
	for (unsigned g = 0; g < d->n_groups; g++) {
		const struct sdp_group *group = &d->groups[g];

		if (strcasecmp(group->semantics, semantics) != 0 ||
		    !has_member(group, m))
			continue;
		for (unsigned i = 0; i < d->n_media; i++)
			if (&d->media[i] != m && has_member(group,
							    &d->media[i]) &&
			    (after == NULL || &d->media[i] > after))
				return &d->media[i];
	}
	return NULL;
}

static bool is_dup(const struct session_description *d,
		   const struct sdp_media *m)
{
	return m->dup || mate_of(d, "DUP", m, NULL) != NULL;
}

/* Adds the second path of a stream that is declared as duplicated: by a group
 * of two media, or by two senders to one media (RFC 7104).  If the second path
 * cannot be used, writes a note instead. */
static void add_second_path(const struct session_description *d,
			    const struct sdp_media *m, struct sdp_offer *o)
{
	const struct sdp_media *mate = mate_of(d, "DUP", m, NULL);
	struct errmsg error;

	if (!is_dup(d, m))
		return;
	if (mate == NULL)
		mate = m;
	if (!o->rtp || !is_wanted(mate) || is_rtp(mate) != o->rtp ||
	    read_path(d, mate, mate == m, &o->paths[1], &error) < 0 ||
	    (mate == m && !o->paths[1].has_source) ||
	    is_same(&o->paths[0], &o->paths[1]))
		errmsg_set(&o->note, "line %u: m=: no second path of the "
				     "duplicate (DUP) is usable: only one is "
				     "received", m->line);
	else
		o->n_paths = 2;
}

/* Is the media `fec' the error correction of m (RFC 5956, RFC 4756)?  An error
 * correction that is in no group belongs to every media. */
static bool is_fec_of(const struct session_description *d,
		      const struct sdp_media *fec, const struct sdp_media *m)
{
	static const char *const semantics[] = { "FEC-FR", "FEC", "FEC-XR" };
	bool grouped = false;

	for (size_t i = 0; i < ARRAY_LEN(semantics); i++) {
		const struct sdp_media *mate = NULL;

		while ((mate = mate_of(d, semantics[i], fec, mate)) != NULL) {
			if (mate == m)
				return true;
			grouped = true;
		}
	}
	return !grouped;
}

static void add_fec(const struct session_description *d,
		    const struct sdp_media *m, struct sdp_offer *o)
{
	for (unsigned i = 0; o->rtp && i < d->n_media; i++) {
		const struct sdp_media *fec = &d->media[i];
		struct sdp_path at;

		if (!is_fec(fec) || fec->port == 0 || !is_fec_of(d, fec, m))
			continue;
		if (read_path(d, fec, 0, &at, NULL) == 0 &&
		    (fec->port == m->port + 2 || fec->port == m->port + 4)) {
			sockaddr_set_port(&at.local, m->port);
			if (is_same(&at, &o->paths[0])) {
				o->fec = true;
				continue;
			}
		}
		errmsg_set(&o->note, "line %u: m=: error correction is "
				     "ignored: its port is not that of the "
				     "media plus 2 or 4",
			   fec->line);
	}
	/* both ports of the error correction must exist on each path */
	for (unsigned i = 0; i < o->n_paths; i++)
		o->fec = o->fec && sockaddr_port(&o->paths[i].local) <=
					   UINT16_MAX - RTP_FEC_PORTS;
}

int sdp_offer_read(const struct session_description *d, unsigned number,
		   struct sdp_offer *ret, struct errmsg *error)
{
	const struct sdp_media *m = choose(d, number, error);
	struct sdp_offer o = { .n_paths = 1 };
	const struct sdp_connection *c;
	const struct sdp_filter *f;
	int r;

	if (m == NULL)
		return number > d->n_media ? -EINVAL : -ENOTSUP;
	o.rtp = is_rtp(m);
	r = read_path(d, m, 0, &o.paths[0], error);
	if (r < 0)
		return r;
	c = connection_of(d, m);
	f = filter_of(d, m, &c->address);
	if (f != NULL && f->n_sources > o.n_paths && !is_dup(d, m) &&
	    o.paths[0].has_source)
		errmsg_set(&o.note, "line %u: m=: only the first of several "
			   "senders is used", m->line);
	if (c->n > 1 || c->addresses > 1)
		errmsg_set(&o.note, "line %u: m=: only the first of several "
			   "addresses is used", m->line);
	add_second_path(d, m, &o);
	add_fec(d, m, &o);
	*ret = o;
	return 0;
}

int sdp_offer_judge(const struct sdp_offer *o, bool announced,
		    struct errmsg *error)
{
	for (unsigned i = 0; i < o->n_paths; i++) {
		const struct sockaddr_any *to = &o->paths[i].local;
		unsigned port = sockaddr_port(to);
		/* as a group: in 224.0.0.0/24, or in IPv6, of interface-local
		 * or link-local scope (RFC 4291) */
		bool of_link = to->sa.sa_family == AF_INET6
			? (to->in6.sin6_addr.s6_addr[1] & 0x0f) <= 2
			: ntohl(to->in.sin_addr.s_addr) >> 8 == 0xe00000;
		char text[SOCKADDR_TEXT_MAX];

		sockaddr_format_host(to, text);
		if (port < IPPORT_RESERVED)
			return errmsg_fail(error, -EACCES, "leads to port %u: "
					   "ports below %u are reserved for "
					   "the system",
					   port, (unsigned)IPPORT_RESERVED);
		if (sockaddr_is_multicast(to) && of_link)
			return errmsg_fail(error, -EACCES, "leads to %s, a "
					   "link-local group, which is for "
					   "network protocols",
					   text);
		if (announced && !sockaddr_is_multicast(to))
			return errmsg_fail(error, -EACCES, "leads to %s, which "
					   "is not a multicast group", text);
	}
	return 0;
}

static void format_path(const struct sdp_offer *o, unsigned number,
			const char *iface, char ret[PATH_TEXT_MAX])
{
	const struct sdp_path *p = &o->paths[number];
	char local[SOCKADDR_TEXT_MAX], source[SOCKADDR_TEXT_MAX] = "";

	sockaddr_format(&p->local, local);
	if (p->has_source)
		sockaddr_format_host(&p->source, source);
	(void)snprintf(ret, PATH_TEXT_MAX, "%s://%.15s%s%s%s%s",
		       o->rtp ? "rtp" : "udp", iface,
		       iface[0] != '\0' ? "@" : "", local,
		       p->has_source ? "#src=" : "", source);
}

void sdp_offer_address(const struct sdp_offer *o, const char *iface,
		       char ret[ADDRESS_TEXT_MAX + 1])
{
	char path[PATH_TEXT_MAX], merge[3 * PATH_TEXT_MAX] = "", *to = merge;
	bool src = o->paths[0].has_source, two = o->n_paths > 1;

	_Static_assert(4 * PATH_TEXT_MAX + 16 <= ADDRESS_TEXT_MAX, "room");
	if (two) {
		format_path(o, 1, iface, path);
		/* inside an option, '#' and '&' are escaped */
		for (const char *c = path; *c != '\0'; c++)
			to += sprintf(to, strchr("#&%", *c) ? "%%%02x" : "%c",
				      (unsigned char)*c);
	}
	format_path(o, 0, iface, path);
	(void)snprintf(ret, ADDRESS_TEXT_MAX + 1, "%s%s%s%s", path,
		       !o->fec ? "" : src ? "&fec" : "#fec",
		       !two ? "" : src || o->fec ? "&merge=" : "#merge=",
		       merge);
}
