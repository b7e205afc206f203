/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The types of addresses: the name in front of "://", the reader of the target
 * and the table of options.  A type of inputs fills a struct input_spec, a type
 * of outputs a struct output_spec.
 *
 * Functions return 0, or -EINVAL with a sentence that names the field.
 */
#pragma once

#include "proto/spec/field.h"
#include "proto/spec/field_idle.h"
#include "proto/spec/io_spec.h"

struct io_type {
	const char *name; /* word in front of "://", such as "udp" */
	const char *target; /* form of the target in help: "address[:port]" */
	unsigned kind;    /* enum input_kind or output_kind */
	bool net;         /* output: needs a library of sluice-worker-net
			   * (inputs: see INPUT_TYPES) */
	bool query;       /* options may also be parameters behind the '?' of
			   * the target, as other programs write them */
	/* The options of the type; their defaults are set before read(). */
	const struct field_table *options;
	/* Reads the target, before the options are read. */
	int (*read)(const struct address *, void *spec, struct errmsg *error);
	/* Called after the options are read: reads and checks what depends on
	 * several options; may be NULL. */
	int (*finish)(const struct address *, void *spec,
		      struct errmsg *error);
	/* Called after read(): the bits of enum where (field_idle.h) that hold
	 * for the target; NULL: none. */
	unsigned (*where)(const void *spec);
	/* For outputs, after finish(): reports values that are valid, but of no
	 * use together; NULL: there are none. */
	void (*remark)(const void *spec, io_remark_fn *, void *arg);
};

#define DECLARE_TYPE(KIND, name) \
	extern const struct io_type input_##name##_type;
INPUT_TYPES(DECLARE_TYPE, DECLARE_TYPE)
#undef DECLARE_TYPE
extern const struct io_type input_https_type; /* not in INPUT_TYPES */
extern const struct io_type output_udp_type, output_rtp_type,
	output_http_type, output_https_type, output_file_type, output_np_type,
	output_srt_type, output_rist_type;

/* All types of inputs and of outputs, each list ended by NULL. */
extern const struct io_type *const io_input_types[];
extern const struct io_type *const io_output_types[];
/* Returns the type with this name; NULL: the list does not have it. */
const struct io_type *io_type_find(const struct io_type *const *types,
				   const char *name);

/* The options that every input has, in addition to remux_fields. */
extern const struct field_table io_input_fields;

/* --- rows that several types have --- */

#define IO_INPUT(member) FIELD_AT(struct input_spec, member)
#define IO_OUTPUT(member) FIELD_AT(struct output_spec, member)

enum {
	IO_RENEW_MAX_S = 24 * 3600,
	IO_WATCHDOG_MAX_S = 24 * 3600,
	IO_SOCKET_SIZE_MAX = 1024 * 1024 * 1024,
};

#define IO_ROWS_BISS(spec) \
	{ "biss", FIELD_BY(&biss_hook, spec, biss), .flags = FIELD_SECRET, \
	  .help = "Key of BISS mode 1: 12 or 16 hexadecimal digits." }, \
	{ "no_checksum", FIELD_AT(spec, biss.no_checksum), .needs = "biss", \
	  .flags = FIELD_OBSERVER, \
	  .help = "Bytes 4 and 8 of the key are no checksums." }

/* The options of every input against silence.  idle: FIELD_IDLE for a type in
 * which they have no effect, or 0. */
#define IO_ROWS_WATCHDOG(default_s, idle) \
	{ "watchdog", IO_INPUT(watchdog_s), .max = IO_WATCHDOG_MAX_S, \
	  .initial = (default_s), .unit = "s", \
	  .flags = (idle) | FIELD_OBSERVER, \
	  .beside = "no_reload", \
	  .help = "Silence after which the input is opened again; " \
		  "0: never." }, \
	{ "no_reload", IO_INPUT(no_reload), .flags = (idle) | FIELD_OBSERVER, \
	  .help = "Never opens the input again because of silence." }

/* The options of inputs that receive UDP datagrams. */
#define IO_ROWS_SOCKET \
	{ "renew", IO_INPUT(renew_s), .max = IO_RENEW_MAX_S, .unit = "s", \
	  .idle_in = WHERE_UNICAST, \
	  .flags = FIELD_OBSERVER, \
	  .help = "Interval in which the group is joined again; " \
		  "0: never." }, \
	{ "socket_size", IO_INPUT(socket_size), .max = IO_SOCKET_SIZE_MAX, \
	  .unit = "bytes", \
	  .flags = FIELD_OBSERVER, \
	  .help = "Receive buffer of the socket; 0: the usual size." }
/* The options of inputs that receive RTP.  skew_needs: the option without which
 * skew has no effect, or NULL. */
#define IO_ROWS_RTP(skew_needs) \
	{ "reorder", IO_INPUT(rtp.reorder_ms), .max = RTP_REORDER_MAX_MS, \
	  .initial = RTP_REORDER_DEFAULT_MS, .unit = "ms", \
	  .flags = FIELD_OBSERVER, \
	  .help = "How long the input waits for a missing datagram." }, \
	{ "skew", IO_INPUT(rtp.skew_ms), .min = 1, .max = RTP_SKEW_MAX_MS, \
	  .initial = RTP_SKEW_DEFAULT_MS, .unit = "ms", \
	  .needs = (skew_needs), \
	  .flags = FIELD_OBSERVER, \
	  .help = "Largest delay between the two paths." }, \
	{ "delay", IO_INPUT(rtp.delay_ms), .max = RTP_DELAY_MAX_MS, \
	  .unit = "ms", \
	  .flags = FIELD_OBSERVER, \
	  .help = "Fixed delay of every datagram; 0: only as long as needed." }

/* The option merge, which io_merge_read() reads.  IO_ROWS_MERGE also has the
 * option delay of inputs that compare the two paths by their content. */
#define IO_ROW_MERGE \
	{ "merge", .type = FIELD_NONE, .form = "text", \
	  .flags = FIELD_OBSERVER | FIELD_ADDRESS, \
	  .help = "Address of a second path of the same stream." }
#define IO_ROWS_MERGE \
	IO_ROW_MERGE, \
	{ "delay", IO_INPUT(merge_delay_ms), .min = IO_MERGE_DELAY_MIN_MS, \
	  .max = IO_MERGE_DELAY_MAX_MS, .needs = "merge", \
	  .initial = IO_MERGE_DELAY_DEFAULT_MS, .unit = "ms", \
	  .flags = FIELD_OBSERVER, \
	  .help = "How long packets are kept to compare the two paths." }

/* The option of outputs that can send at a constant rate. */
#define IO_ROW_CBR \
	{ "cbr", IO_OUTPUT(cbr_kbps), .min = CBR_MIN_KBPS, \
	  .max = CBR_MAX_KBPS, .unit = "kbit/s", \
	  .flags = FIELD_OBSERVER, \
	  .help = "Constant rate, filled with null packets." }

/* The option of outputs whose callers need a permission if auth is enabled. */
#define IO_ROW_NO_AUTH \
	{ "no_auth", IO_OUTPUT(no_auth), .flags = FIELD_OBSERVER, \
	  .help = "Callers need no authorization for this output." }

/* --- parts of targets (io_place.c) --- */

/* The result of io_host_port_read().  host: a name or an IP address; "": the
 * text has no host. */
struct io_host_port {
	char *host; /* memory of the caller, which gets the host */
	size_t size; /* bytes of this memory */
	uint16_t port;
};
/* Reads host:port, where an IPv6 address has brackets. */
int io_host_port_read(const char *text, size_t len, struct io_host_port *ret,
		      struct errmsg *error) MUST_CHECK;

/* Checks [login@]host[:port][/path] of a server. */
int io_judge_authority(const char *target, struct errmsg *error) MUST_CHECK;

/* Copies a path of the file system or of HTTP into ret of IO_PATH_MAX bytes;
 * -EINVAL if it is too long. */
int io_copy_path(const char *path, char *ret, struct errmsg *error) MUST_CHECK;

/* --- addresses in options, whose '#' and '&' are escaped (io_inner.c) --- */

/* Reads the option merge: the address of a second path, of the same type. */
int io_merge_read(const struct address *, struct input_spec *ret,
		  struct errmsg *error) MUST_CHECK;

/* Reads the options mux and mux_pid of any input. */
int io_mux_read(const struct address *, struct input_spec *ret,
		struct errmsg *error) MUST_CHECK;
