/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/remux.h"

#include "common/base/alloc.h"
#include "worker/remux/remux_state.h"
#include "worker/remux/sdt_build.h"
#include "worker/splice/cue.h"

#include <stdlib.h>
#include <string.h>

enum { STRIPPED_LENGTH = TS_PACKET - 5 };

/* Copies the services that have a type or a name in `sdt', unless pass_sdt
 * leaves the SDT unchanged. */
static void take_services(struct remux *r, const struct remux_config *config)
{
	if (config->n_services == 0 || config->options->sdt == TABLE_PASS)
		return;
	r->services = xcalloc(config->n_services, sizeof *r->services);
	for (size_t i = 0; i < config->n_services; i++)
		if (service_spec_is_named(&config->services[i]))
			r->services[r->n_services++] = config->services[i];
}

static void take_origins(struct remux *r, const struct remux_config *config)
{
	if (config->n_services == 0)
		return;
	r->given = xcalloc(config->n_services, sizeof *r->given);
	r->origins = xcalloc(config->n_services, sizeof *r->origins);
	for (size_t i = 0; i < config->n_services; i++) {
		const struct service_spec *s = &config->services[i];

		if (s->eit > 0)
			r->given[r->n_given++] = (struct eit_origin){
				s->pnr, (enum table_origin)(s->eit - 1) };
	}
}

struct remux *remux_new(const struct remux_config *config)
{
	struct remux *r = xcalloc(1, sizeof *r);
	struct remux_options *o = &r->options;

	*o = *config->options;
	r->place = config->place;
	take_services(r, config);
	take_origins(r, config);
	r->transparent = !remux_options_given(o) && r->place == NULL;
	if (r->transparent) {
		o->pass_data = true;
		o->pass_ca = !config->descrambled && config->cas == NULL;
		o->sdt = o->eit = o->nit = TABLE_PASS;
	}
	r->descrambled = config->descrambled && !o->pass_ca;
	r->nit = config->nit;
	r->eit = config->eit;
	r->onid = config->onid;
	r->new_onid = config->new_onid;
	r->cas = config->cas;
	r->versions = config->versions;
	r->first = config->first;
	r->si = config->si;
	r->source = config->source;
	r->out.out = config->out;
	r->out.arg = config->arg;
	if (o->cue_pid != 0)
		r->guest = (struct remux_guest){ .pid = o->cue_pid,
						 .type = CUE_STREAM_TYPE };
	r->psi = psi_new();
	psi_want(r->psi, o->pnr);
	for (size_t i = 0; i < TABLE_ROLES; i++)
		section_init(&r->in[i].assembler, r->in[i].buffer,
			     SECTION_MAX);
	remux_rebuild(r);
	return r;
}

void remux_free(struct remux **ptr)
{
	struct remux *r = *ptr;

	*ptr = NULL;
	if (r == NULL)
		return;
	psi_free(&r->psi);
	free(r->programs);
	free(r->services);
	free(r->given);
	free(r->origins);
	free(r);
}

void remux_reset(struct remux *r)
{
	psi_reset(r->psi);
	for (size_t i = 0; i < TABLE_ROLES; i++)
		section_reset(&r->in[i].assembler);
	memset(r->cat_source, 0, sizeof r->cat_source);
	r->sdt_source.len = 0;
	r->sdt_awaited = 0;
	memset(r->vcts, 0, sizeof r->vcts);
	for (size_t i = 0; i < SDT_SECTIONS_MAX; i++)
		r->sdt_whole[i].len = 0;
	section_queue_clear(&r->psi_waiting.queue);
	section_queue_clear(&r->si_waiting.queue);
	r->due.pmts_left = 0;
	r->clock.has_pcr = false;
	r->n_programs = 0;
	r->n_pat = 0;
	remux_forget_network(r);
	r->settled = r->round = false;
	/* the counters of the next source are unrelated to those before */
	memset(r->route, 0, sizeof r->route);
	memset(r->absent, 0, sizeof r->absent);
	memset(r->sender, 0, sizeof r->sender);
	remux_rebuild(r);
}

const struct psi *remux_psi(const struct remux *r)
{
	return r->options.pnr == 0 ? r->psi : NULL;
}

enum remux_state remux_state(const struct remux *r)
{
	if (!psi_has_pat(r->psi))
		return REMUX_NO_PAT;
	if (r->n_programs == 0)
		return REMUX_NO_PROGRAM;
	return r->programs[0].pmt.len > 0 ? REMUX_READY : REMUX_NO_PMT;
}

void remux_set_guest(struct remux *r, const struct remux_guest *guest)
{
	r->guest = *guest;
	remux_rebuild(r);
}

uint16_t remux_guest_pid(const struct remux *r)
{
	return r->n_pat > 0 ? r->plan.guest : PID_PLAN_NONE;
}

uint16_t remux_clock_pid(const struct remux *r)
{
	return r->clock_pid;
}

size_t remux_services(const struct remux *r, struct remux_service *ret,
		      size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_programs && n < max; i++)
		if (r->programs[i].pmt.len > 0)
			ret[n++] = (struct remux_service){
				r->programs[i].number,
				r->programs[i].ids.new_pnr,
				r->programs[i].pmt_out,
			};
	return n;
}

const uint8_t *remux_pmt(const struct remux *r, uint16_t new_number,
			 size_t *ret_len)
{
	for (size_t i = 0; i < r->n_programs; i++) {
		const struct program *p = &r->programs[i];

		if (p->ids.new_pnr != new_number || p->pmt.len == 0)
			continue;
		*ret_len = p->pmt.len;
		return p->pmt.data;
	}
	return NULL;
}

size_t remux_unsent(const struct remux *r, struct remux_service *ret,
		    size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_programs && n < max; i++)
		if (r->programs[i].pmt.len == 0)
			ret[n++] = (struct remux_service){
				.number = r->programs[i].number,
				.new_number = r->programs[i].ids.new_pnr,
			};
	return n;
}

size_t remux_unnumbered(const struct remux *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_programs; i++)
		n += r->programs[i].ids.new_pnr == 0;
	return n;
}

size_t remux_unlisted(const struct remux *r, size_t from, uint16_t *ret,
		      size_t max)
{
	const struct remux_options *o = &r->options;
	size_t n = 0;

	for (size_t i = 0; i < r->n_programs; i++)
		if (r->programs[i].source.len == 0)
			return 0;
	for (size_t i = from; i < o->n_maps && r->n_programs > 0; i++) {
		uint16_t pid = o->maps[i].source_pid;

		if (o->maps[i].what == MAP_PID && n < max &&
		    r->plan.out[pid] == PID_PLAN_NONE &&
		    !place_has(r->plan.homeless, pid) &&
		    !pid_set_has(&o->drop, pid) &&
		    (!o->keep.given || pid_set_has(&o->keep, pid)))
			ret[n++] = pid;
	}
	return n;
}

bool remux_is_single(const struct remux *r)
{
	return r->single;
}

void remux_add_pids(const struct remux *r, uint64_t *ret)
{
	for (size_t pid = 0; pid < TS_PIDS; pid++)
		if (r->plan.out[pid] != PID_PLAN_NONE)
			place_take(ret, r->plan.out[pid]);
	if (r->plan.guest != PID_PLAN_NONE)
		place_take(ret, r->plan.guest);
	if (r->plan.ait != PID_PLAN_NONE)
		place_take(ret, r->plan.ait);
}

bool remux_sends_pid(const struct remux *r, uint16_t pid)
{
	for (size_t i = 0; i < TS_PIDS; i++)
		if (r->plan.out[i] == pid)
			return true;
	return pid == r->plan.guest || pid == r->plan.ait;
}

size_t remux_pids(const struct remux *r, uint16_t *at, struct remux_pid *ret,
		  size_t max)
{
	const struct pid_plan *plan = &r->plan;
	uint16_t pid = *at;
	size_t n = 0;

	/* first the output PIDs that have no source */
	if (pid == 0 && r->guest.pid != 0)
		ret[n++] = (struct remux_pid){ r->guest.pid, plan->guest,
					       PID_ADDED };
	if (pid == 0 && remux_has_hbbtv(r))
		ret[n++] = (struct remux_pid){ 0, plan->ait, PID_BY_HBBTV };
	for (; pid < TS_PIDS && n < max; pid++) {
		uint16_t out = plan->out[pid];

		if (out == PID_PLAN_NONE && !place_has(plan->homeless, pid))
			continue;
		ret[n++] = (struct remux_pid){
			pid, out, place_has(plan->mapped, pid) ? PID_BY_MAP
				  : out == pid		       ? PID_KEPT
							       : PID_MOVED,
		};
	}
	*at = pid < TS_PIDS ? pid : 0;
	return n;
}

uint32_t remux_builds(const struct remux *r)
{
	return r->builds;
}

void remux_replan(struct remux *r)
{
	remux_rebuild(r);
}

void remux_counters(const struct remux *r, struct remux_counters *ret)
{
	*ret = r->counted;
	ret->broken += psi_crc_errors(r->psi) + psi_broken(r->psi);
}

const struct pmt_omitted *remux_omitted(const struct remux *r, size_t *at,
					uint16_t *ret_program)
{
	while (*at < r->n_programs) {
		const struct program *p = &r->programs[(*at)++];

		if (p->omitted.n_streams > 0 || p->omitted.n_descriptors > 0 ||
		    p->omitted.guest || p->omitted.ait) {
			*ret_program = p->ids.new_pnr;
			return &p->omitted;
		}
	}
	return NULL;
}

const struct sdt_omitted *remux_omitted_sdt(const struct remux *r)
{
	const struct sdt_omitted *o = &r->sdt_omitted;
	bool lacks = o->n_descriptors > 0 || o->provider || o->name;

	return r->sdt.len > 0 && lacks ? o : NULL;
}

bool remux_is_crowded(const struct remux *r, enum edit_table table)
{
	return r->crowded[table] > 0;
}

static void drop_packet(struct remux *r)
{
	if (remux_has_queued(r))
		(void)remux_take_place(r, PLACE_OTHER);
}

/* Stores the next counter of an output PID from its packet.  The counter of a
 * damaged packet is not used. */
static void note_counter(struct remux *r, const uint8_t *packet, uint16_t to)
{
	if (!ts_tei(packet))
		r->cc[to] = (ts_cc(packet) + 1) & 0x0f;
}

static void pass(struct remux *r, const uint8_t *packet)
{
	if (remux_has_queued(r))
		remux_make_room(r);
	runs_out_pass(&r->out, packet);
}

static void pass_moved(struct remux *r, const uint8_t *packet, uint16_t pid)
{
	uint8_t *copy;

	if (remux_has_queued(r))
		remux_make_room(r);
	copy = runs_out_new(&r->out);
	memcpy(copy, packet, TS_PACKET);
	ts_set_pid(copy, pid);
	note_counter(r, copy, pid);
}

/* Sends the PCR of the packet in a packet without payload, whose counter does
 * not advance.  Without a PCR the packet is dropped. */
static void pass_pcr(struct remux *r, const uint8_t *packet, uint16_t pid,
		     uint8_t cc)
{
	uint8_t copy[TS_PACKET];
	uint64_t pcr;

	if (!ts_pcr(packet, &pcr) || ts_tei(packet)) {
		drop_packet(r);
		return;
	}
	memset(copy, 0xff, sizeof copy);
	copy[0] = TS_SYNC_BYTE;
	copy[1] = 0;
	copy[3] = 0x20 | cc;
	copy[4] = STRIPPED_LENGTH;
	/* discontinuity_indicator of the packet, and PCR_flag */
	copy[5] = (uint8_t)((packet[5] & 0x80) | 0x10);
	copy[10] = 0x7e;
	ts_set_pcr(copy, pcr);
	ts_set_pid(copy, pid);
	note_counter(r, copy, pid);
	memcpy(runs_out_new(&r->out), copy, sizeof copy);
}

/* Sends a packet of a PID that was not sent for a time.  If its unit began
 * before the PID is sent again, sends only its PCR. */
static void pass_absent(struct remux *r, const uint8_t *packet, uint16_t to)
{
	uint8_t cc, *copy;

	if (!remux_absent_pass(r, packet, &cc)) {
		pass_pcr(r, packet, to, cc);
		return;
	}
	if (remux_has_queued(r))
		remux_make_room(r);
	copy = runs_out_new(&r->out);
	memcpy(copy, packet, TS_PACKET);
	ts_set_pid(copy, to);
	ts_set_cc(copy, cc);
	note_counter(r, copy, to);
}

void remux_add_guest(struct remux *r, const uint8_t *packet)
{
	if (remux_guest_pid(r) != PID_PLAN_NONE)
		pass_moved(r, packet, r->plan.guest);
}

/* Sends, replaces or drops a packet by the role of its PID. */
static void inspect(struct remux *r, const uint8_t *packet, uint16_t route)
{
	uint16_t pid = ts_pid(packet);
	enum role role = (enum role)r->role[pid];
	uint16_t to = route & ROUTE_PID;

	if (pid == r->clock_pid)
		remux_take_clock(r, packet);
	switch (role) {
	case ROLE_NONE:
		if (!(route & ROUTE_OUT)) {
			remux_absent_drop(r, packet);
			drop_packet(r);
		} else if (route & ROUTE_ABSENT) {
			pass_absent(r, packet, to);
		} else if (to == pid) {
			note_counter(r, packet, to);
			pass(r, packet);
		} else {
			pass_moved(r, packet, to);
		}
		break;
	case ROLE_STRIP:
		pass_pcr(r, packet, to, remux_absent_strip(r, packet));
		break;
	case ROLE_NULL:
		if (!remux_has_queued(r) ||
		    !remux_take_place(r, PLACE_OTHER))
			runs_out_pass(&r->out, packet);
		break;
	case ROLE_PSI:
		if (psi_feed(r->psi, packet)) {
			r->counted.tables++;
			remux_rebuild(r);
		} else if (!r->settled) {
			remux_note_round(r, packet);
		}
		(void)remux_take_place(r, PLACE_PSI);
		break;
	default:
		remux_take_table(r, packet, role);
		(void)remux_take_place(r, PLACE_SI);
		break;
	}
}

static void feed_run(struct remux *r, struct ts_run run)
{
	const uint8_t *packet = run.data;

	for (size_t k = 0; k < run.n; k++, packet += TS_PACKET) {
		uint16_t pid = ts_pid(packet);
		uint16_t route = r->route[pid];

		r->packets++;
		if (route == (ROUTE_OUT | pid))
			pass(r, packet);
		else if (route == 0)
			drop_packet(r);
		else
			inspect(r, packet, route);
	}
}

void remux_feed_chosen(struct remux *r, const struct ts_run *runs,
		       size_t n_runs, const struct ts_skips *skips,
		       uint64_t now_ns)
{
	r->now_ns = now_ns;
	stream_clock_tick(&r->clock, now_ns);
	remux_schedule(r);
	for (size_t i = 0; i < n_runs; i++) {
		const uint32_t *before =
			skips != NULL ? ts_skips_of(skips, runs[i]) : NULL;

		if (before == NULL)
			feed_run(r, runs[i]);
		for (size_t k = 0; before != NULL && k < runs[i].n; k++) {
			uint32_t skipped = before[k];

			/* The places of packets that the input skipped are
			 * offered to generated packets. */
			for (; skipped > 0 && remux_has_queued(r); skipped--) {
				r->packets++;
				drop_packet(r);
			}
			r->packets += skipped;
			feed_run(r, (struct ts_run){
				runs[i].data + k * TS_PACKET, 1 });
		}
	}
	runs_out_flush(&r->out);
}

void remux_feed(struct remux *r, const struct ts_run *runs, size_t n_runs,
		uint64_t now_ns)
{
	remux_feed_chosen(r, runs, n_runs, NULL, now_ns);
}
