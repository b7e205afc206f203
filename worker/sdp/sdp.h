/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses a session description (SDP: RFC 8866, before it RFC 4566): media,
 * destinations, senders and groups.
 *
 * The text comes from the network: every size is bounded, and an error of the
 * grammar is rejected with a sentence that names line and field.  Fields and
 * attributes that do not concern the path of packets are ignored.
 *
 * Pure.  The result does not point into the text.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SDP_SIZE_MAX = 64 * 1024,
	SDP_LINES_MAX = 1024,
	SDP_LINE_MAX = 2048,
	SDP_NAME_MAX = 256,
	SDP_ORIGIN_MAX = 255,
	SDP_TOKEN_MAX = 63,
	SDP_MEDIA_MAX = 32,
	SDP_FORMATS_MAX = 8,
	SDP_FILTERS_MAX = 8,
	SDP_SOURCES_MAX = 4,
	SDP_GROUPS_MAX = 32,
	SDP_MEMBERS_MAX = 4,
};

/* c= */
struct sdp_connection {
	/* number of c= lines; only the first one is kept */
	unsigned n;
	struct sockaddr_any address; /* with port 0 */
	unsigned ttl;                /* IPv4 only; 0: not given */
	/* number of consecutive addresses, from `address' on */
	unsigned addresses;
};

/* a=source-filter, RFC 4570 */
struct sdp_filter {
	bool excludes;
	struct sockaddr_any destination; /* len 0: for all destinations */
	/* number of sources; further ones are dropped */
	unsigned n_sources;
	struct sockaddr_any sources[SDP_SOURCES_MAX];
};

struct sdp_filters {
	unsigned n;
	struct sdp_filter list[SDP_FILTERS_MAX];
};

/* A format of m=, and its encoding from a=rtpmap. */
struct sdp_format {
	char name[SDP_TOKEN_MAX + 1];     /* "33" */
	char encoding[SDP_TOKEN_MAX + 1]; /* "MP2T"; "": not given */
};

/* an m= line and the lines that belong to it */
struct sdp_media {
	/* number of its line in the text, from 1 */
	unsigned line;
	char type[SDP_TOKEN_MAX + 1]; /* "video" */
	char proto[SDP_TOKEN_MAX + 1];
	uint16_t port;                /* 0: the media is not sent */
	unsigned n_formats;
	struct sdp_format formats[SDP_FORMATS_MAX];
	/* n 0: the one of the session is valid */
	struct sdp_connection connection;
	struct sdp_filters filters;
	char mid[SDP_TOKEN_MAX + 1];  /* a=mid; "": none */
	bool inactive;
	bool dup;                     /* a=ssrc-group:DUP, RFC 7104 */
};

/* a=group, RFC 5888 */
struct sdp_group {
	char semantics[SDP_TOKEN_MAX + 1]; /* "DUP", "FEC-FR" */
	unsigned n_members;
	char members[SDP_MEMBERS_MAX][SDP_TOKEN_MAX + 1]; /* mids */
};

struct session_description {
	/* o= without its version number; identifies the session */
	char origin[SDP_ORIGIN_MAX + 1];
	/* s= in UTF-8 without control characters; "": no name */
	char name[SDP_NAME_MAX + 1];
	/* n 0: none; each media has its own */
	struct sdp_connection connection;
	struct sdp_filters filters;
	unsigned n_groups;
	struct sdp_group groups[SDP_GROUPS_MAX];
	unsigned n_media;
	struct sdp_media media[SDP_MEDIA_MAX];
};

/* Parses a description.  0, or -EINVAL or -EFBIG with error; *ret is then
 * undefined. */
int sdp_parse(const char *text, size_t len, struct session_description *ret,
	      struct errmsg *error) MUST_CHECK;

/* Copies a name so that it is safe in s= and on a web page: valid UTF-8 in one
 * line without control characters; "" for "-", which stands for an empty
 * name. */
void sdp_name(const char *text, char ret[SDP_NAME_MAX + 1]);

/* Reads o= from the text of a deletion, which may have this line only.  0, or
 * -EINVAL or -EFBIG with error. */
int sdp_parse_origin(const char *text, size_t len,
		     char ret[SDP_ORIGIN_MAX + 1],
		     struct errmsg *error) MUST_CHECK;
