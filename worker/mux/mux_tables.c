/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of the multiplex: PAT, CAT, SDT, EIT, TDT; mux_pmts.c sends the
 * PAT. */
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "worker/mux/mux_state.h"
#include "worker/remux/ids.h"
#include "worker/remux/psi_build.h"
#include "worker/remux/sdt_build.h"
#include "worker/remux/section_writer.h"
#include "worker/remux/service_desc.h"
#include "worker/tables/time_build.h"
#include "worker/ts/si_table.h"

#include <string.h>

enum {
	LONG_HEADER = 8,
	SDT_HEADER = 11,
	SDT_SERVICE = 5,
	EIT_ONID_AT = 10,
	FREE_CA = 0x10, /* free_CA_mode in the byte with running_status */
	EIT_FLAGS = 0x03, /* EIT_schedule_flag and EIT_present_following_flag */
	NOT_RUNNING = 1, /* running_status (EN 300 468 5.2.3) */
	RUNNING = 4,     /* running_status that is written for a service that
			  * its source does not list in the SDT */
	TDT_INTERVAL_S = 10,
	/* A TDT that is sent later than this in its second would be wrong, and
	 * is skipped. */
	TDT_LATE_MS = 100,
	/* Least time between two changes of CAT or SDT because of sections of
	 * the inputs. */
	SECTIONS_MS = 1000,
	/* While many packets wait (crowded), a section of an EIT schedule takes
	 * this multiple of its time in the lane. */
	SCHEDULE_SLOW = 4,
	/* Least distance between two sections of a table (EN 300 468 5.1.4). */
	SECTION_GAP_MS = 25,
	/* A section may leave earlier or later than planned by this time. */
	TURN_MS = 10,
	/* The extension of PAT, CAT and SDT of the mux in table_version().  The
	 * remuxes use other extensions: 0 for PAT and CAT, from 2 on for the
	 * SDT. */
	VERSIONS_EXTENSION = 1,
};

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

/* --- sections of the inputs --- */

/* Stores a section of a table that may have several sections.  True: the table
 * has changed. */
static bool keep(struct mux_section *list, size_t max, const uint8_t *section,
		 size_t len)
{
	uint8_t number = section[6], last = section[7];
	bool changed;

	if (number > last || number >= max || len > SECTION_PSI_MAX)
		return false;
	changed = list[number].len != len ||
		  memcmp(list[number].data, section, len) != 0;
	if (changed) {
		memcpy(list[number].data, section, len);
		list[number].len = len;
	}
	for (size_t i = last + 1u; i < max; i++) {
		changed |= list[i].len > 0;
		list[i].len = 0;
	}
	return changed;
}

uint16_t mux_sdt_number(const struct mux_source *in, size_t nth)
{
	const struct remux_service *s = &in->services[nth];

	return remux_is_single(in->remux) ? s->new_number : s->number;
}

/* The index of the service that has this number in SDT or EIT of an input;
 * n_services: it is not sent, or is absent. */
static size_t find_service(const struct mux_source *in, uint16_t number)
{
	for (size_t i = 0; i < in->n_services; i++)
		if (mux_sdt_number(in, i) == number)
			return in->states[i].absent ? in->n_services : i;
	return in->n_services;
}

static void on_eit(struct mux *m, struct mux_source *in, uint8_t *section,
		   size_t len)
{
	uint8_t id = section_table_id(section);
	struct ids ids = { .tsid = m->cfg.tsid, .new_tsid = m->cfg.tsid,
			   .pnr = get16(section + 3) };
	size_t nth;

	if ((id != EIT_TABLE_ID && (id < EIT_SCHEDULE_TABLE_ID ||
				    id > EIT_SCHEDULE_LAST_TABLE_ID)) ||
	    len < EIT_ONID_AT + 2 + SECTION_CRC)
		return;
	nth = find_service(in, ids.pnr);
	if (nth == in->n_services)
		return;
	ids.new_pnr = in->services[nth].new_number;
	if (ids_rewrite_eit(&ids, section, len) < 0)
		return;
	section[EIT_ONID_AT] = (uint8_t)(m->cfg.onid >> 8);
	section[EIT_ONID_AT + 1] = (uint8_t)m->cfg.onid;
	section_seal(section, len);
	eit_share_push(m->eit, (size_t)(in - m->inputs), section, len);
}

void mux_take_section(struct mux *m, struct mux_source *in, uint16_t pid,
		      uint8_t *section, size_t len)
{
	uint8_t id = section_table_id(section);
	struct desc_loop loop;

	if (!section_has_syntax(section) || len < LONG_HEADER + SECTION_CRC ||
	    !(section[5] & 1) || in->remux == NULL)
		return;
	if (pid == SI_PID_EIT) {
		on_eit(m, in, section, len);
	} else if (pid == SI_PID_SDT && id == SDT_TABLE_ID) {
		m->sdt_changed |= keep(in->sdt_source, MUX_SDT_SOURCE_MAX,
				       section, len);
	} else if (pid == SI_PID_CAT && id == CAT_TABLE_ID) {
		m->cat_changed |= cat_loop(section, len, &loop) &&
				  keep(in->cat_source, MUX_CAT_SOURCE_MAX,
				       section, len);
	}
}

/* --- PAT --- */

/* Sets version_number of the sections: it changes when their content
 * changes. */
static void set_versions(struct mux *m, struct mux_table *t, uint8_t id,
			 uint8_t first)
{
	uint64_t hash = HASH_INIT;
	uint8_t version;

	for (size_t i = 0; i < t->n; i++)
		hash = hash_add(hash, t->sections[i].data, t->sections[i].len);
	version = table_version(m->cfg.versions,
				(struct table_name){ id, VERSIONS_EXTENSION },
				hash, first);
	for (size_t i = 0; i < t->n; i++)
		section_set_version(t->sections[i].data, t->sections[i].len,
				    version);
}

static void build_pat(struct mux *m)
{
	struct pat_program list[MUX_SERVICES_MAX];
	struct pat_content content = {
		.tsid = m->cfg.tsid,
		.network_pid = m->cfg.nit ? SI_PID_NIT : 0,
		.programs = list,
	};
	struct mux_table *t = &m->pat;

	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		const struct mux_source *in = &m->inputs[i];

		for (size_t k = 0; k < in->n_services; k++)
			if (!in->states[k].absent)
				list[content.n_programs++] =
					(struct pat_program){
						in->services[k].new_number,
						in->services[k].pmt_pid };
	}
	t->n = MIN(pat_build_sections(&content), (size_t)MUX_SECTIONS_MAX);
	for (size_t i = 0; i < t->n; i++)
		t->sections[i].len = pat_build(&content, i,
					       t->sections[i].data);
	set_versions(m, t, PAT_TABLE_ID, m->cfg.first.pat);
}

/* --- tables of several sections that are filled in order --- */

struct filler {
	struct mux_table *table;
	struct section_head head;
	struct section_writer w;
	const uint8_t *lead; /* bytes of each section between its header and the
			      * first entry */
	size_t n_lead;
	size_t start; /* length of the current section in front of its first
		       * entry */
	/* of an SDT: listed: set of the numbers of its services; crowded: a
	 * service for whose edits it has no room, 0: none */
	uint64_t listed[PLACE_NUMBERS / 64];
	uint16_t crowded;
};

static void begin_section(struct filler *f)
{
	struct mux_table *t = f->table;

	f->head.number = (uint8_t)t->n;
	section_begin(&f->w, t->sections[t->n].data, &f->head);
	write_bytes(&f->w, f->lead, f->n_lead);
	f->start = f->w.len;
}

static void end_section(struct filler *f)
{
	struct mux_table *t = f->table;

	t->sections[t->n++].len = section_end(&f->w);
}

/* Adds an entry, in a new section if it does not fit into the current one.
 * False: it does not fit into a section, or there are MUX_SECTIONS_MAX
 * sections. */
static bool add_entry(struct filler *f, const uint8_t *entry, size_t len)
{
	if (!write_fits(&f->w, len)) {
		if (f->w.len == f->start ||
		    f->table->n + 1 == MUX_SECTIONS_MAX)
			return false;
		end_section(f);
		begin_section(f);
	}
	if (!write_fits(&f->w, len))
		return false;
	write_bytes(&f->w, entry, len);
	return true;
}

static void set_last(struct mux_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		t->sections[i].data[7] = (uint8_t)(t->n - 1);
}

/* --- CAT --- */

static void build_cat(struct mux *m)
{
	struct filler f = {
		.table = &m->cat,
		.head = { .table_id = CAT_TABLE_ID, .extension = 0xffff,
			  .limit = SECTION_PSI_MAX },
	};

	m->cat.n = 0;
	begin_section(&f);
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		for (size_t k = 0; k < MUX_CAT_SOURCE_MAX; k++) {
			const struct mux_section *s =
				&m->inputs[i].cat_source[k];
			struct desc_loop loop;
			struct desc d;

			if (s->len == 0 || m->inputs[i].absent ||
			    !cat_loop(s->data, s->len, &loop))
				continue;
			while (desc_next(&loop, &d))
				(void)add_entry(&f, d.data - 2,
						2 + (size_t)d.len);
		}
	}
	/* If the CATs of the inputs have no descriptors, no CAT is sent. */
	if (m->cat.n == 0 && f.w.len == f.start)
		return;
	end_section(&f);
	set_last(&m->cat);
	set_versions(m, &m->cat, CAT_TABLE_ID, m->cfg.first.cat);
}

/* --- SDT --- */

/* True if a service is scrambled: by its PMT in the output; if no PMT was sent
 * yet, by the PMT of the remux; if there is no PMT, `input', which is the
 * free_CA_mode in the SDT of its input. */
static bool is_scrambled(const struct mux *m, const struct mux_source *in,
			 size_t nth, bool input)
{
	uint16_t number = in->services[nth].new_number;
	const struct psi_program *p = psi_program_find(m->psi, number);
	struct psi_program next = { 0 };

	if (p != NULL && p->pmt.data != NULL)
		return psi_program_is_scrambled(p);
	next.pmt.data = remux_pmt(in->remux, number, &next.pmt.len);
	return next.pmt.data != NULL ? psi_program_is_scrambled(&next) : input;
}

/* running_status and free_CA_mode of a service.  status: those in the SDT of
 * its input. */
static uint8_t status_of(const struct mux *m, const struct mux_source *in,
			 size_t nth, uint8_t status)
{
	bool scrambled = is_scrambled(m, in, nth, status & FREE_CA);

	status = (uint8_t)((status & ~FREE_CA) | (scrambled ? FREE_CA : 0));
	return in->states[nth].silent && in->states[nth].fill == NULL
		       ? (uint8_t)(NOT_RUNNING << 5 | (status & FREE_CA))
		       : status;
}

/* EIT_schedule_flag and EIT_present_following_flag of a service.  flags: those
 * in the SDT of its input. */
static uint8_t flags_of(const struct mux *m, uint16_t number, uint8_t flags)
{
	switch (tables_spec_eit(&m->tables, number)) {
	case ORIGIN_OWN:
		return flags | EIT_FLAGS;
	case ORIGIN_OFF:
		return (uint8_t)(flags & ~EIT_FLAGS);
	case ORIGIN_PASS:
		break;
	}
	return flags;
}

/* Adds the nth service of an input to the SDT. p, len: its entry.  The edits of
 * the configuration are applied if they have room.  False: the entry has no
 * room even without edits. */
static bool add_service(const struct mux *m, const struct mux_source *in,
			const uint8_t *p, size_t len, size_t nth,
			struct filler *f)
{
	uint8_t entry[SECTION_PSI_MAX], section[SECTION_PSI_MAX];
	uint8_t edited[SECTION_PSI_MAX];
	struct section_writer w;
	uint16_t number = in->services[nth].new_number;
	size_t n;

	memcpy(entry, p, len);
	entry[0] = (uint8_t)(number >> 8);
	entry[1] = (uint8_t)number;
	entry[2] = flags_of(m, number, p[2]);
	entry[3] = status_of(m, in, nth, p[3] & 0xf0) | (p[3] & 0x0f);
	if (m->cfg.edits.n == 0)
		return add_entry(f, entry, len);
	/* a section with this entry alone; n is 0 if the edited one would be
	 * too long */
	section_begin(&w, section, &f->head);
	write_bytes(&w, f->lead, f->n_lead);
	write_bytes(&w, entry, len);
	n = (size_t)MAX(0, desc_apply_sdt(m->cfg.edits, section,
					  section_end(&w), edited));
	if (n > 0 && add_entry(f, edited + SDT_HEADER,
			       n - SDT_HEADER - SECTION_CRC))
		return true;
	if (!add_entry(f, entry, len))
		return false;
	f->crowded = number;
	return true;
}

/* Adds the services of a section of the SDT of an input. */
static void add_services(const struct mux *m, const struct mux_source *in,
			 const struct mux_section *s, struct filler *f)
{
	const uint8_t *p = s->data + SDT_HEADER;
	const uint8_t *end = s->data + s->len - SECTION_CRC;

	while (end - p >= SDT_SERVICE) {
		size_t len = SDT_SERVICE + section_get12(p + 3);
		size_t nth = find_service(in, get16(p));

		if ((size_t)(end - p) < len)
			return;
		/* if a service has several entries, only the first one is
		 * used */
		if (nth < in->n_services &&
		    !place_has(f->listed, in->services[nth].new_number) &&
		    add_service(m, in, p, len, nth, f))
			place_take(f->listed, in->services[nth].new_number);
		p += len;
	}
}

/* The entry of a service in the option `sdt'; NULL: it has none. */
static const struct service_spec *find_spec(const struct mux *m,
					    uint16_t number)
{
	const struct tables_spec *t = &m->tables;

	for (size_t i = 0; i < t->n_services; i++)
		if (t->services[i].pnr == number)
			return &t->services[i];
	return NULL;
}

/* Adds an entry for a service that its source does not list in the SDT. */
static void add_unnamed(const struct mux *m, const struct mux_source *in,
			size_t nth, struct filler *f)
{
	static const struct remux_options none;
	uint16_t number = in->services[nth].new_number;
	struct service_given given =
		service_given_of(&none, find_spec(m, number));
	uint8_t entry[SDT_SERVICE + SERVICE_DESC_MAX] = {
		[2] = 0xfc, [3] = RUNNING << 5 };
	struct service_cut cut; /* not read: the texts of `sdt' are short
				 * enough */
	struct pmt_stream main;
	bool radio = mux_main_stream(in, nth, &main) &&
		     main.class == PID_AUDIO;
	size_t n = service_desc_build(&given, NULL,
				      radio ? SERVICE_TYPE_RADIO
					    : SERVICE_TYPE_TV,
				      entry + SDT_SERVICE, &cut);

	entry[3] |= (uint8_t)(n >> 8);
	entry[4] = (uint8_t)n;
	if (add_service(m, in, entry, SDT_SERVICE + n, nth, f))
		place_take(f->listed, number);
}

/* Adds the services that the source does not list in its SDT, unless their
 * entries may still arrive. */
static void add_unlisted(struct mux *m, const struct mux_source *in,
			 struct filler *f)
{
	for (size_t k = 0; k < in->n_services; k++) {
		struct mux_service *s = &in->states[k];
		uint64_t due_ns = s->listed_ns == 0
			? 0 : s->listed_ns + SDT_AWAIT_MS * MS;

		if (s->absent)
			continue;
		s->unlisted = false;
		if (place_has(f->listed, in->services[k].new_number))
			continue;
		s->unlisted = m->now_ns >= due_ns;
		if (s->unlisted)
			add_unnamed(m, in, k, f);
		else if (m->sdt_due_ns == 0 || due_ns < m->sdt_due_ns)
			m->sdt_due_ns = due_ns;
	}
}

void mux_build_sdt(struct mux *m)
{
	const uint8_t onid[] = { (uint8_t)(m->cfg.onid >> 8),
				 (uint8_t)m->cfg.onid, 0xff };
	struct filler f = {
		.table = &m->sdt,
		.head = { .table_id = SDT_TABLE_ID, .dvb = true,
			  .extension = m->cfg.tsid,
			  .limit = SECTION_PSI_MAX },
		.lead = onid,
		.n_lead = sizeof onid,
	};

	m->psi_seen = psi_changes(m->psi);
	m->sdt_due_ns = 0;
	m->sdt.n = 0;
	begin_section(&f);
	for (size_t i = 0; i < m->cfg.n_inputs; i++)
		for (size_t k = 0; k < MUX_SDT_SOURCE_MAX; k++)
			if (m->inputs[i].sdt_source[k].len > SDT_HEADER +
							     SECTION_CRC)
				add_services(m, &m->inputs[i],
					     &m->inputs[i].sdt_source[k], &f);
	for (size_t i = 0; i < m->cfg.n_inputs; i++)
		add_unlisted(m, &m->inputs[i], &f);
	end_section(&f);
	set_last(&m->sdt);
	if (f.crowded != 0 && !m->edits_crowded)
		log_error("stream", "descriptors: not applied to service %u: "
			  "the SDT has no room for them",
			  f.crowded);
	m->edits_crowded = f.crowded != 0;
	set_versions(m, &m->sdt, SDT_TABLE_ID, m->cfg.first.sdt);
}

void mux_follow_sections(struct mux *m)
{
	m->sdt_changed |= psi_changes(m->psi) != m->psi_seen ||
			  (m->sdt_due_ns != 0 && m->now_ns >= m->sdt_due_ns);
	if ((!m->cat_changed && !m->sdt_changed) ||
	    m->now_ns - m->sections_ns < SECTIONS_MS * MS)
		return;
	m->sections_ns = m->now_ns;
	if (m->cat_changed) {
		build_cat(m);
		m->cat.due_ns = 0;
	}
	if (m->sdt_changed)
		mux_build_sdt(m);
	m->cat_changed = m->sdt_changed = false;
}

void mux_build(struct mux *m)
{
	build_pat(m);
	build_cat(m);
	mux_build_sdt(m);
	/* a change of the CAT is sent at once */
	m->cat.due_ns = 0;
	mux_list_pmts(m);
}

/* --- TDT --- */

/* Sends the TDT of the second that begins now.  False: it cannot be sent
 * yet. */
static bool queue_tdt(struct mux *m, uint64_t unix_s)
{
	uint8_t section[TDT_LEN], packet[TS_PACKET];
	uint8_t *counter = &m->counters.sent[SI_PID_TDT], before = *counter;

	tdt_build((int64_t)unix_s, section);
	(void)section_pack(section, sizeof section, SI_PID_TDT, &m->tdt_cc,
			   packet);
	/* the time in a TDT must be right, so it is sent in front of the
	 * queue */
	if (mux_counters_feed(&m->counters, MUX_TABLES_SOURCE, packet) &&
	    cbr_put(m->cbr, packet)) {
		m->sent[SI_PID_TDT]++;
		return true;
	}
	*counter = before; /* no packet with the new counter was sent */
	return false;
}

/* --- what is due --- */

static void queue_due(struct mux *m, struct mux_table *t, enum mux_lane lane)
{
	uint64_t step;

	/* free_ns also holds after a change, which sets due_ns to 0 */
	if (t->n == 0 || m->now_ns < MAX(t->due_ns, t->free_ns) ||
	    fifo_len(&m->lanes[lane].fifo) > 0)
		return;
	t->next = t->next < t->n ? t->next : 0;
	t->free_ns = m->now_ns +
		     (SECTION_GAP_MS + TURN_MS + LANE_SPACING_MS *
		      section_packets(t->sections[t->next].len)) * MS;
	(void)lane_push(&m->lanes[lane], t->sections[t->next].data,
			t->sections[t->next].len);
	t->next = (t->next + 1) % t->n;
	step = MAX(t->interval_ms / t->n, (size_t)SECTION_GAP_MS) * MS;
	t->due_ns = MAX(t->due_ns + step, m->now_ns + step / 2);
}

/* Queues EIT sections that are due, only a few packets at a time, so that a
 * present/following section does not wait behind many others.  While many
 * packets wait (crowded), the schedule gets a quarter of the lane. */
static void queue_eit(struct mux *m)
{
	struct lane *l = &m->lanes[LANE_EIT];
	const uint8_t *section;
	size_t len;

	while (fifo_len(&l->fifo) < LANE_BURST) {
		bool slow = m->crowded && m->now_ns < m->schedule_ns;

		section = eit_share_next(m->eit, m->now_ns + fifo_len(&l->fifo)
						 * LANE_SPACING_MS * MS,
					 slow, &len);
		if (section == NULL)
			return;
		(void)lane_push(l, section, len);
		if (section_table_id(section) != EIT_TABLE_ID)
			m->schedule_ns = m->now_ns + section_packets(len) *
					 SCHEDULE_SLOW * LANE_SPACING_MS * MS;
	}
}

void mux_schedule(struct mux *m, uint64_t unix_ms)
{
	uint64_t unix_s = unix_ms / 1000;

	queue_due(m, &m->cat, LANE_CAT);
	queue_due(m, &m->sdt, LANE_SDT);
	queue_eit(m);
	if (unix_ms == 0 || unix_s == m->tdt_s || unix_s % TDT_INTERVAL_S != 0)
		return;
	if (unix_ms % 1000 >= TDT_LATE_MS || queue_tdt(m, unix_s))
		m->tdt_s = unix_s;
}
