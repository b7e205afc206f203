/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The types of addresses, a file each: what stands before "://", what the
 * target and the options mean, and which program can open it.
 */
#pragma once

#include "proto/spec/io_option.h"

/* What the addresses of a type mean in both directions: the target fills one
 * part of the spec, and parameters behind its '?' are options, too. */
struct io_link {
	int (*read)(const char *target, size_t len, void *part,
		    struct errmsg *why);
	int (*judge)(const void *part, struct errmsg *why);
	const char *const *words; /* of its options, see io_reader */
};

struct input_type {
	const char *name;  /* "udp" */
	enum input_kind kind;
	bool net;          /* needs a library of sluice-worker-net */
	const struct io_link *link; /* NULL: of the inputs alone */
	size_t part;       /* of the spec, that the link fills */
	/* The target, unless there is a link, and what needs more than a
	 * table; spec has its defaults. */
	int (*read)(const struct address *, struct input_spec *,
		    struct errmsg *why);
	const struct io_option *options;
	const struct io_need *needs; /* NULL: none */
	/* Options that others know, or all inputs, and that do nothing for
	 * this one; a NULL ends them, NULL: none. */
	const char *const *idle;
	unsigned watchdog_s; /* by default; see input_spec */
	/* What the options make together; NULL: nothing to judge. */
	int (*judge)(const struct input_spec *, struct errmsg *why);
};

struct output_type {
	const char *name;
	enum output_kind kind;
	bool net;
	const struct io_link *link;
	size_t part;
	int (*read)(const struct address *, struct output_spec *,
		    struct errmsg *why);
	const struct io_option *options;
	const struct io_need *needs; /* NULL: none */
	const char *const *idle;
	int (*judge)(const struct output_spec *, struct errmsg *why);
};

#define IO_INPUT(member) offsetof(struct input_spec, member)
#define IO_OUTPUT(member) offsetof(struct output_spec, member)

/* Of every output that sends packets at a pace. */
#define IO_OPTION_CBR { "cbr", IO_NUMBER, IO_OUTPUT(cbr_kbps), CBR_MIN_KBPS, \
			CBR_MAX_KBPS }

/* Of inputs that receive datagrams. */
enum {
	IO_RENEW_MAX_S = 24 * 3600,
	IO_SOCKET_SIZE_MAX = 1024 * 1024 * 1024,
};
#define IO_OPTIONS_SOCKET \
	{ "renew", IO_NUMBER, IO_INPUT(renew_s), 0, IO_RENEW_MAX_S }, \
	{ "socket_size", IO_NUMBER, IO_INPUT(socket_size), 0, \
	  IO_SOCKET_SIZE_MAX }
#define IO_OPTIONS_RTP \
	{ "reorder", IO_NUMBER, IO_INPUT(rtp.reorder_ms), 0, \
	  RTP_REORDER_MAX_MS }, \
	{ "skew", IO_NUMBER, IO_INPUT(rtp.skew_ms), 1, RTP_SKEW_MAX_MS }, \
	{ "delay", IO_NUMBER, IO_INPUT(rtp.delay_ms), 0, RTP_DELAY_MAX_MS }

extern const struct input_type input_udp_type;
extern const struct input_type input_rtp_type;
extern const struct input_type input_file_type;
extern const struct input_type input_sdp_type;
extern const struct input_type input_srt_type;
extern const struct input_type input_rist_type;
extern const struct input_type input_http_type;
extern const struct input_type input_https_type;
extern const struct input_type input_stream_type;

extern const struct output_type output_udp_type;
extern const struct output_type output_rtp_type;
extern const struct output_type output_http_type;
extern const struct output_type output_https_type;
extern const struct output_type output_file_type;
extern const struct output_type output_np_type;
extern const struct output_type output_srt_type;
extern const struct output_type output_rist_type;

/* host is a name or an IP literal, "" when there is none. */
struct io_host_port {
	char *host; /* the place for it, ... */
	size_t size; /* ... so large */
	uint16_t port;
};
int io_host_port_read(const char *text, size_t len, struct io_host_port *ret,
		      struct errmsg *why) MUST_CHECK;

/* The options of a merge by content. */
#define IO_OPTIONS_MERGE \
	{ "merge", IO_IGNORED, 0, 0, 0 }, \
	{ "delay", IO_NUMBER, IO_INPUT(merge_delay_ms), \
	  IO_MERGE_DELAY_MIN_MS, IO_MERGE_DELAY_MAX_MS }

#define IO_NEEDS_MERGE { "delay", "merge", false }

/* Reads the option merge: another address of the same kind, whose own '#' and
 * '&' are escaped.  0, or -EINVAL with why. */
int io_merge_read(const struct address *, struct input_spec *ret,
		  struct errmsg *why) MUST_CHECK;

/* The options mux and mux_pid of any input; 0, or -EINVAL with why. */
int io_mux_read(const struct address *, struct input_spec *ret,
		struct errmsg *why) MUST_CHECK;

/* An address that is the value of an option, whose own '#' and '&' are
 * escaped; ret_text is it without.  0, or -EINVAL with why, which lacks the
 * name of the option. */
int io_inner_read(const char *value, char ret_text[IO_INNER_MAX + 1],
		  struct input_spec *ret, struct errmsg *why) MUST_CHECK;

/* The options header.NAME=VALUE; 0, or -EINVAL with why. */
int io_read_headers(const struct address *, struct http_spec *,
		    struct errmsg *why) MUST_CHECK;

/* Is [login@]host[:port][/path] what can be called?  0, or -EINVAL with why. */
int io_judge_authority(const char *target, struct errmsg *why) MUST_CHECK;

/* Copies a path of the file system or of HTTP into ret of IO_PATH_MAX bytes;
 * 0, or -EINVAL with why. */
int io_copy_path(const char *path, char *ret, struct errmsg *why) MUST_CHECK;
