/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a remux is made of; for the files of this folder only. */
#pragma once

#include "worker/remux/ids.h"
#include "worker/remux/pid_plan.h"
#include "worker/remux/remux.h"
#include "worker/remux/runs_out.h"
#include "worker/remux/section_queue.h"
#include "worker/remux/stream_clock.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"

enum {
	FIXED_PIDS = 0x20, /* below: tables of the transport stream */
	PID_CAT = 0x01,
	PID_NIT = 0x10,
	PID_SDT = 0x11,
	PID_EIT = 0x12,
	PID_TIME = 0x14,
	CAT_SECTIONS_MAX = 4,
};

/* A PID's way through: the PID it has outside, and ... */
enum {
	ROUTE_PID = 0x1fff,
	ROUTE_OUT = 0x2000,  /* it goes out */
	ROUTE_LOOK = 0x4000, /* somebody looks into it first: see role */
};

enum role {
	ROLE_NONE,  /* or only its PCR is looked at */
	ROLE_NULL,
	ROLE_PSI,
	ROLE_CAT,
	ROLE_NIT,
	ROLE_SDT,
	ROLE_EIT,
	ROLE_TIME,
	ROLE_STRIP, /* nothing but the PCR goes out */
};

/* A section as it goes out; len 0: it does not. */
struct table {
	size_t len;
	uint8_t data[SECTION_PSI_MAX];
};

struct program {
	uint16_t number;     /* of the source */
	uint16_t pmt_pid;    /* of the source */
	struct table source; /* its PMT as it came last */
	struct table pmt;    /* as it goes out ... */
	uint16_t pmt_out;    /* ... and where */
	struct ids ids;
	bool has_video;
	bool changed;        /* pmt is another one than before, or elsewhere */
};

/* Sections of one PID that is not the PSI's. */
struct collector {
	struct section_assembler assembler;
	uint8_t buffer[SECTION_MAX];
};

/* When each table is due, in ticks of the clock. */
struct schedule {
	uint64_t psi, cat, sdt, ait;
	size_t next_pmt; /* programs from here on are still to be sent */
};

struct remux {
	struct remux_options options;
	bool transparent; /* no option is given */
	struct table_versions *versions;
	struct remux_versions first;
	struct si_versions *si; /* or NULL */
	uint32_t source;
	struct remux_counters counted;

	struct remux_guest guest;

	/* the source */
	struct psi *psi;
	struct collector cat_in, nit_in, sdt_in, eit_in, time_in;
	struct table cat_source[CAT_SECTIONS_MAX];
	struct table sdt_source; /* the section that has our service ... */
	uint16_t sdt_number;     /* ... which has this number */

	/* what follows from it */
	bool single;     /* one program goes out */
	bool keep_nulls;
	uint16_t tsid, new_tsid;
	bool settled;    /* what there is goes out */
	uint64_t pat_at, pat_ticks; /* packets and time since a PAT is known */
	uint16_t network_source; /* the PID of the NIT ... */
	uint16_t network_pid; /* ... as the PAT will name it; 0: not */
	size_t n_programs;    /* of those that are to go out */
	struct program *programs;
	struct pid_plan plan;
	uint16_t route[TS_PIDS];
	uint8_t role[TS_PIDS]; /* enum role */

	/* what goes out */
	struct table pat[PSI_PAT_SECTIONS_MAX];
	size_t n_pat;
	struct table cat[CAT_SECTIONS_MAX];
	struct table sdt, ait;
	uint8_t cc[TS_PIDS]; /* of the PIDs that we make */
	struct stream_clock clock;
	uint16_t clock_pid;
	struct schedule due;
	struct section_queue psi_queue, si_queue;
	uint64_t packets; /* of the source, since new: up to ... */
	uint64_t pcr_at;  /* ... the clock's last PCR */
	uint64_t sent_at; /* ... the last one of ours ... */
	uint64_t queued_at; /* ... the first of those that wait ... */
	unsigned spacing; /* ... and how far apart ours should be */
	uint64_t now_ns;
	struct runs_out out;
};

/* remux_plan.c: after the tables of the source changed.  A multiplex settles
 * first: nothing goes out before the PMTs of all its programs came, or there
 * was time enough for them. */
void remux_rebuild(struct remux *);
bool remux_has_settled(const struct remux *);

/* remux_route.c: from the plan of PIDs */
void remux_route(struct remux *);

/* remux_build.c */
void remux_build_pmt(struct remux *, struct program *);
/* True when it is another one than before. */
bool remux_build_pat(struct remux *);
void remux_build_cat(struct remux *);
/* The service in it may have come, changed or gone. */
void remux_build_sdt(struct remux *);
void remux_build_ait(struct remux *);

/* remux_tables.c: a packet of a PID that carries tables. */
void remux_take_table(struct remux *, const uint8_t *packet, enum role);

/* remux_emit.c */
/* Queues the tables that are due. */
void remux_schedule(struct remux *);
/* A section goes out when there is a place; counted when there is no room. */
void remux_queue(struct remux *, struct section_queue *, uint16_t pid,
		 const uint8_t *section, size_t len);
/* Sends the PMTs that changed here and now, and the PAT. */
void remux_announce(struct remux *);
/* A packet of the source may be left out: true when one of ours took its
 * place.  A table's own place is for tables, whatever the spacing. */
bool remux_take_place(struct remux *, bool of_table);
/* Before a packet that goes out: ours go between when none was left out for
 * a while. */
void remux_make_room(struct remux *);
/* A PCR of the clock's PID set it on. */
void remux_set_spacing(struct remux *, uint64_t ticks);

static inline bool remux_passes_cat(const struct remux *r)
{
	return r->options.cat != TABLE_DROP &&
	       (r->options.pass_ca || r->options.cat == TABLE_PASS);
}

static inline bool remux_passes_nit(const struct remux *r)
{
	return r->options.nit == TABLE_PASS ||
	       (r->options.nit == TABLE_DEFAULT && !r->single);
}

static inline bool remux_has_hbbtv(const struct remux *r)
{
	return r->single && r->options.hbbtv_url[0] != '\0';
}

static inline bool remux_has_queued(const struct remux *r)
{
	return r->psi_queue.n + r->si_queue.n > 0;
}
