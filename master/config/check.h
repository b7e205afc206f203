/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges a configuration, or one stream of it, and reports every fault and
 * warning with its path.  Changes nothing and opens no file; only asks the
 * kernel for the names of interfaces.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct link_graph;
struct stream_confs;

enum check_severity {
	CHECK_WARNING, /* the value is kept, and used as it is */
	/* a reload refuses the document; a start uses it, without streams that
	 * have a fault */
	CHECK_FAULT,
	CHECK_FATAL,   /* the document cannot be used at all */
};

enum {
	CHECK_PATH_MAX = 256,
	CONTROL_PATH_MAX = 200, /* bytes of control_path */
	CONTROL_PORT_DEFAULT = 8000,
	/* RFC 3376, 8.5: a querier without a query for 255 s has gone. */
	QUERIER_TIMEOUT_S = 260,
	QUERIER_TIMEOUT_MAX_S = 3600,
	EPG_SERVICES = 1000, /* default of epg_services */
	EPG_MEMORY_MIB = 64, /* default of epg_memory, in MiB */
};

/* The JSON schema of an id that check_id() accepts. */
#define CHECK_ID_SCHEMA \
	"{\"type\": \"string\", \"pattern\": \"^[A-Za-z0-9_.-]{1,64}$\"}"

/* Gets each finding.  path, such as "make_stream[3].output[0]", and text, such
 * as "port: 70000 is not a port", are borrowed for the call. */
typedef void check_found_fn(enum check_severity, const char *path,
			    const char *text, void *arg);

/* Judges the whole document.  control: address of the control server; NULL:
 * that of the settings.  Returns the number of faults, without warnings. */
unsigned check_document(const json_t *document,
			const struct sockaddr_any *control,
			check_found_fn *found, void *arg);

/* A check_found_fn that keeps the first fault, but not of a kind that
 * check_section() ignores.  arg: a struct errmsg that is "" at first. */
void check_keep_error(enum check_severity, const char *path, const char *text,
		      void *arg);

/* Judges a section before a command stores it under key: returns 0, or -EINVAL
 * with the first fault.  Ignores faults inside of an entry of streams,
 * adapters, softcams or categories: such an entry is stored, but not started if
 * it cannot run. */
int check_section(const char *key, const json_t *value,
		  struct errmsg *error) MUST_CHECK;

struct check_place {
	const char *path;       /* path of the stream: "make_stream[3]" */
	/* document with the other streams; NULL: none */
	const json_t *document;
	/* The streams of the document, parsed (stream_conf.h); NULL: parsed for
	 * this check. */
	const struct stream_confs *neighbours;
	/* The streams and adapters of the document (link_graph.h); NULL: made
	 * for this check. */
	const struct link_graph *links;
	/* id of the stream in document; NULL: it is new */
	const char *self;
	const struct sockaddr_any *control; /* address of the control
					     * server; NULL: unknown */
};

/* Judges a stream object, alone and together with the enabled streams of the
 * document.  Returns the number of faults. */
unsigned check_stream(const json_t *stream, const struct check_place *,
		      check_found_fn *found, void *arg);

/* Judges stream i of the document as check_document() does: together with the
 * streams in front of it, and without a comparison of ids.  place has
 * neighbours and links, but no path and no self. */
unsigned check_stream_at(size_t i, const struct check_place *,
			 check_found_fn *found, void *arg);

struct check_entry {
	const char *section; /* name in config_sections[] (config_fields.h) */
	const char *path;    /* path of the entry, such as "softcam" */
	const json_t *entry;
	/* document with the sections that the entry names */
	const json_t *document;
};

/* Reports what is wrong in a stored entry (faults), and what it contains
 * without effect (warnings), as check_document() does. */
void check_entry(const struct check_entry *, check_found_fn *found, void *arg);

/* True: a stream without faults cannot run nevertheless; ret has the reason
 * ("input: the list is empty").  False: it can. */
bool check_stream_idle(const json_t *stream, struct errmsg *ret);

/* True: the user has keys that have no effect, because the document lets
 * viewers watch without authorization; ret names them.  False: there are
 * none. */
bool check_user_idle(const json_t *user, const json_t *document,
		     struct errmsg *ret);

#define CHECK_OBSERVERS_PATH "settings.observer_redact"
/* True: there are enabled observers, and nothing hides secrets of other hosts
 * from them; ret has the warning for the setting observer_redact. */
bool check_observers(const json_t *document, struct errmsg *ret);

#define CHECK_USERS_PATH "users"
/* True: no user can give the commands of control users; ret has what follows,
 * the warning for the section users.  has_file: the service runs with a
 * configuration file. */
bool check_control_users(const json_t *document, bool has_file,
			 struct errmsg *ret);

/* Reports this warning unless there is no user.  check_document() does not
 * report it, because it depends on how the service runs: with --no-web-auth
 * every request has the rights of a control user. */
void check_lockout(const json_t *document, bool has_file,
		   check_found_fn *found, void *arg);

/* True: http outputs stay closed, because auth.enable is no boolean, or because
 * it is true and the address of the backend is wrong; check_document() reports
 * the fault. */
bool check_closes_viewers(const json_t *document);

/* True: the id has 1 to 64 characters of A-Z a-z 0-9 _ . - */
bool check_id(const char *id);

/* Reads control_port, "8000" or "<address>:<port>" (IPv6 in brackets); returns
 * 0, or -EINVAL with error. */
int check_control_port(const char *text, struct sockaddr_any *ret,
		       struct errmsg *error) MUST_CHECK;

/* As check_control_port(), for the JSON value of control_port.  Some files have
 * a number there: each value that is no string is an error. */
int check_control_port_value(const json_t *value, struct sockaddr_any *ret,
			     struct errmsg *error) MUST_CHECK;
