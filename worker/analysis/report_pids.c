/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs and PIDs of a monitor's report. */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "proto/si/desc.h"
#include "proto/si/json.h"
#include "worker/analysis/monitor_state.h"
#include "worker/analysis/report.h"

#include <stdlib.h>

enum {
	PROGRAMS_OF_PID = 8, /* most programs of a PID in the report */
};

/* The role of a PID according to the tables. */
struct role {
	const char *kind; /* NULL: no table names the PID */
	uint8_t n_programs;
	uint16_t programs[PROGRAMS_OF_PID];
};

static void set_role(struct role *roles, unsigned pid, const char *kind,
		     uint16_t program)
{
	struct role *r = &roles[pid & 0x1fff];

	if (r->kind == NULL)
		r->kind = kind;
	for (size_t i = 0; i < r->n_programs; i++)
		if (r->programs[i] == program)
			return;
	if (program != 0 && r->n_programs < PROGRAMS_OF_PID)
		r->programs[r->n_programs++] = program;
}

static void set_ca(struct role *roles, struct desc_loop loop, const char *kind,
		   uint16_t program)
{
	struct desc d;
	uint16_t pid;

	while (desc_next(&loop, &d))
		if (desc_ca_pid(&d, &pid))
			set_role(roles, pid, kind, program);
}

static struct role *find_roles(const struct monitor *m)
{
	static const char *const fixed[] = {
		[TS_PID_PAT] = "pat", [SI_PID_CAT] = "cat", [0x02] = "tsdt",
		[SI_PID_NIT] = "nit", [SI_PID_SDT] = "sdt",
		[SI_PID_EIT] = "eit", [0x13] = "rst", [SI_PID_TDT] = "tdt",
	};
	static const char *const names[] = {
		[PID_VIDEO] = "video", [PID_AUDIO] = "audio",
		[PID_SUBTITLE] = "subtitle", [PID_TELETEXT] = "teletext",
		[PID_AIT] = "ait", [PID_DATA] = "data", [PID_OTHER] = "other",
		[PID_PSI] = "pmt",
	};
	struct role *roles = xcalloc(TS_PIDS, sizeof *roles);
	const struct psi_program *programs;
	size_t n = psi_programs(m->psi, &programs);
	struct pmt pmt;

	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		roles[i].kind = fixed[i];
	for (size_t i = 0; i < n; i++) {
		const struct psi_program *p = &programs[i];

		set_role(roles, p->pmt_pid, "pmt",
			 monitor_watches(m, p->number) ? p->number : 0);
		if (!monitor_watches(m, p->number) || p->pmt.data == NULL ||
		    pmt_decode(p->pmt.data, p->pmt.len, &pmt) < 0)
			continue;
		set_ca(roles, pmt.descriptors, "ecm", p->number);
		for (size_t k = 0; k < pmt.n_streams; k++) {
			const struct pmt_stream *s = &pmt.streams[k];

			set_role(roles, s->pid, names[s->class], p->number);
			set_ca(roles, s->descriptors, "ecm", p->number);
		}
		/* last: the PCR PID may be that of the video, whose kind
		 * stays */
		if (pmt.pcr_pid != TS_PID_NULL)
			set_role(roles, pmt.pcr_pid, "pcr", p->number);
	}
	for (size_t i = 0; i < SI_CAT_SECTIONS; i++)
		set_ca(roles, si_watch_cat(&m->si, i), "emm", 0);
	for (unsigned pid = SI_PIDS_END; pid < TS_PID_NULL; pid++)
		if (psip_watch_has(&m->psip, (uint16_t)pid))
			set_role(roles, pid, "psip", 0);
	return roles;
}

static void add_pid(const struct monitor *m, uint16_t pid,
		    const struct role *role, json_t *one)
{
	static const struct pid_stats none;
	uint16_t place = m->pids.index[pid];
	const struct pid_stats *s = place > 0 ? &m->pids.list[place - 1]
					      : &none;
	uint64_t bits = (uint64_t)s->last_packets * TS_PACKET * 8;
	json_t *programs;

	si_put_uint(one, "pid", pid);
	if (role->kind != NULL)
		si_put_string(one, "kind", role->kind);
	if (psi_stream_type(m->psi, pid) != 0)
		si_put_uint(one, "stream_type", psi_stream_type(m->psi, pid));
	programs = si_put_list(one, "programs");
	for (size_t i = 0; i < role->n_programs; i++)
		(void)json_array_append_new(programs,
					    json_integer(role->programs[i]));
	si_put_uint(one, "packets", s->all_packets + s->packets);
	si_put_uint(one, "bitrate",
		    m->rates.ns == 0 ? 0 : bits * MS / m->rates.ns);
	si_put_uint(one, "scrambled", s->all_scrambled + s->scrambled);
	si_put_uint(one, "cc_errors", s->cc_errors);
	si_put_uint(one, "duplicates", s->duplicates);
	si_put_uint(one, "transport_errors", s->transport_errors);
	si_put_uint(one, "pes_errors", s->pes_errors);
	if (s->follows & PID_BUFFER || s->overflows > 0 || s->unit_errors > 0)
		si_put_uint(one, "buffer_overflows",
			    (uint64_t)s->overflows + s->unit_errors);
	if (s->pts_count > 0) {
		si_put_uint(one, "pts", s->pts_count);
		si_put_uint(one, "pts_interval_max_ms",
			    s->last_pts_gap_ns / MS);
	}
}

void report_programs(const struct monitor *m, json_t *object)
{
	json_t *list = si_put_list(object, "programs");
	const struct psi_program *programs;
	size_t n = psi_programs(m->psi, &programs);

	for (size_t i = 0; i < n; i++) {
		json_t *one;

		if (!monitor_watches(m, programs[i].number))
			continue;
		one = si_add_object(list);
		si_put_uint(one, "number", programs[i].number);
		si_put_uint(one, "pmt_pid", programs[i].pmt_pid);
		if (programs[i].pcr_pid != TS_PID_NULL)
			si_put_uint(one, "pcr_pid", programs[i].pcr_pid);
		si_put_bool(one, "pmt", programs[i].pmt.data != NULL);
	}
}

uint16_t report_pids(const struct monitor *m, uint16_t from, json_t *object)
{
	struct role *roles = find_roles(m);
	json_t *list = si_put_list(object, "pids");
	uint16_t pid = from;

	for (; pid < TS_PID_NULL && json_array_size(list) < REPORT_PIDS; pid++)
		if (m->pids.index[pid] != 0 || roles[pid].n_programs > 0)
			add_pid(m, pid, &roles[pid], si_add_object(list));
	free(roles);
	return pid < TS_PID_NULL ? pid : 0;
}
