/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages of the epg worker, which keeps the programme guide; a part of
 * msg.h. */
#pragma once

#include "proto/spec/epg_export.h"
#include "proto/spec/own_services.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	EPG_SERVICES_MAX = 10000,
	EPG_DAYS_MAX = 14,
	EPG_ERRORS_MAX = EPG_SOURCES_MAX + 1,
	EPG_MEMORY_MAX_MIB = 256,
	/* Bytes of a reply in JSON. */
	EPG_REPLY_MAX = 1 << 20,
	/* bytes of the file of the saved guide */
	EPG_SAVED_MAX = 2 * EPG_MEMORY_MAX_MIB << 20,
	/* bytes of the events of a stream for EIT */
	EPG_EIT_MAX = 16 << 20,
	/* bytes of the list of channels for XMLTV */
	EPG_CHANNELS_MAX = 8 << 20,
};

struct msg_epg_start {
	/* the guide has at most so many services, days from now and MiB */
	unsigned services, days, memory_mib;
	bool saved;              /* a descriptor of the saved guide is sent */
	/* bytes of the file epg_dictionary (proto/si/text_dictionary.h), whose
	 * descriptor is sent behind that of the saved guide; 0: no file */
	uint32_t dictionary;
	/* addresses of XMLTV (proto/spec/epg_source.h) */
	size_t n_sources;
	const char *sources[EPG_SOURCES_MAX];
	/* addresses of exports (proto/spec/epg_export.h) */
	size_t n_exports;
	const char *exports[EPG_EXPORTS_MAX];
};

struct msg_epg_stream {
	const char *stream;      /* id; "": all streams have been sent */
	const char *was;         /* its former id; "": the id is unchanged */
	const char *channel;     /* id of its channel in XMLTV; "": the id of
				  * the stream */
	unsigned codepage;       /* enum text_table: character table of texts
				  * that do not select one */
	bool ring;               /* false: the stream has no ring any more */
	bool removed;            /* the stream is not configured any more */
	struct own_services own; /* services of the stream whose EIT is made
				  * from this guide: the guide does not read
				  * this EIT */
	unsigned own_other;      /* enum eit_other: which EIT other the stream
				  * makes from this guide */
};

struct msg_epg_ask {
	const char *stream;      /* "": all events of all streams */
	uint64_t from_s, to_s;   /* Unix times, at most UINT32_MAX */
	uint32_t pnr;            /* events of this service; 0: of all */
	uint32_t max;            /* at most so many events of each service */
};

/* Asks for the events of a stream, coded for an own EIT. */
struct msg_epg_eit {
	const char *stream;
	unsigned textcode;       /* enum text_table: coding of the texts */
	const char *country;     /* country_code of the parental rating: three
				  * letters; "": none */
	bool events;             /* false: only the services, without events */
};

struct msg_epg_stale {
	const char *stream;
};

/* Bits of the form of a document; 0: XMLTV, not compressed. */
enum epg_form { EPG_FORM_GZIP = 1, EPG_FORM_JSON = 2, EPG_FORMS = 4 };

/* Two descriptors: the channels in JSON, and the memory for the document. */
struct msg_epg_xmltv {
	uint32_t form;           /* enum epg_form */
};

/* One descriptor: memory with a document. */
struct msg_epg_post {
	uint32_t export;         /* index of the export in epg.start */
	uint32_t form;           /* enum epg_form */
	uint32_t len;            /* bytes of the document */
};

struct msg_epg_result {
	uint32_t len;            /* bytes in the memory; 0: none */
	uint64_t hash;           /* hash of the document of epg.xmltv; else 0 */
	const char *error;       /* why the request failed; "": no error */
};

struct msg_epg_watch {
	bool wanted;             /* send epg.present from now on; false: stop */
};

struct msg_epg_present {
	const char *stream;
	uint32_t pnr;            /* program number of the service */
	/* an object with "now" and "next", which are events as in the reply to
	 * epg.ask, without details; an absent key: no such event */
	const json_t *events;
};

struct msg_epg_status {
	uint32_t streams;        /* streams whose tables are read */
	uint32_t services, events;
	uint64_t bytes;
	bool loaded;             /* the guide has its limits, and the saved
				  * events are read */
	/* The counts below are those since the start of the worker. */
	uint64_t changes;        /* sections that changed events */
	uint64_t replaced;       /* events that overlapped a newer one, which
				  * replaced them */
	uint64_t undefined;      /* events without start or duration */
	uint64_t dropped;        /* events beyond a limit */
	uint64_t broken;         /* malformed sections and descriptors, and
				  * texts that were cut */
	uint64_t compressed;     /* compressed texts that the dictionary cannot
				  * decode */
	uint64_t lost;           /* packets lost, because the worker read the
				  * ring too late */
	uint64_t imports;        /* documents read from the sources */
	/* programmes of those documents */
	uint64_t refused,        /* with impossible dates */
		 overlaps,       /* that end after the next one begins */
		 endless,        /* without an end */
		 gaps;           /* with a gap before the next one */
	/* errors of settings: each begins with its setting, as in
	 * "epg_sources[1]: " */
	size_t n_errors;
	const char *errors[EPG_ERRORS_MAX];
};
