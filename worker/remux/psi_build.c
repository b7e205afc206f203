/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/psi_build.h"

#include "proto/spec/cas_spec.h"
#include "worker/remux/section_writer.h"
#include "worker/splice/cue.h"
#include "worker/ts/si_table.h"

#include <string.h>

enum {
	CAT_HEADER = 8,
	VERSION_AT = 5,
	PAT_ENTRY = 4,
	ES_HEADER = 5,
	DESC_MAX = 2 + 255,
	TYPE_PRIVATE_SECTIONS = 0x05,
	HBBTV_APPLICATION = 0x0010,
	/* bytes of a PMT without streams and descriptors */
	PMT_FIXED = 12 + SECTION_CRC,
	DESC_PRIVATE = 0x80, /* first tag of private descriptors */
};

void section_set_version(uint8_t *section, size_t len, uint8_t version)
{
	section[VERSION_AT] = (uint8_t)((section[VERSION_AT] & 0xc1) |
					(version & 0x1f) << 1);
	section_seal(section, len);
}

/* --- PAT --- */

static size_t count_entries(const struct pat_content *c)
{
	return c->n_programs + (c->network_pid != 0 ? 1 : 0);
}

size_t pat_build_sections(const struct pat_content *c)
{
	size_t n = count_entries(c);

	return n == 0 ? 1
		      : (n + PAT_PROGRAMS_MAX - 1) / PAT_PROGRAMS_MAX;
}

size_t pat_build(const struct pat_content *c, size_t number,
		 uint8_t ret[SECTION_PSI_MAX])
{
	size_t n = pat_build_sections(c);
	size_t first = number * PAT_PROGRAMS_MAX;
	size_t end = MIN(count_entries(c), first + PAT_PROGRAMS_MAX);
	struct section_writer w;

	if (number >= n)
		return 0;
	section_begin(&w, ret, &(struct section_head){
		.table_id = PAT_TABLE_ID,
		.extension = c->tsid,
		.number = (uint8_t)number,
		.last = (uint8_t)(n - 1),
		.limit = SECTION_PSI_MAX,
	});
	for (size_t i = first; i < end; i++) {
		const struct pat_program *p;

		if (c->network_pid != 0 && i == 0) {
			write_u16(&w, 0);
			write_pid(&w, c->network_pid);
			continue;
		}
		p = &c->programs[i - (c->network_pid != 0)];
		write_u16(&w, p->number);
		write_pid(&w, p->pmt_pid);
	}
	return section_end(&w);
}

/* --- PMT --- */

/* Replaces the PID in the copy of a CA_descriptor.  False: the PID is not sent,
 * so the descriptor must be dropped. */
static bool adapt_ca(const struct pmt_content *c, uint8_t *data,
		     const struct desc *d)
{
	uint16_t pid;

	if (!c->options->pass_ca || !desc_ca_pid(d, &pid) ||
	    !ca_is_kept(c->options, pid) ||
	    c->plan->out[pid] == PID_PLAN_NONE)
		return false;
	pid = c->plan->out[pid];
	data[2] = (uint8_t)((data[2] & 0xe0) | pid >> 8);
	data[3] = (uint8_t)pid;
	return true;
}

/* The parts of a PMT, in the order in which they keep their room. */
enum rank {
	RANK_STREAM,    /* type and PID of a stream */
	RANK_ESSENTIAL, /* descriptors that the use of a stream depends on */
	RANK_STREAM_INFO,
	RANK_PROGRAM_INFO,
	RANK_STREAM_PRIVATE, /* descriptors with private tags */
	RANK_PROGRAM_PRIVATE,
	RANKS,
};

/* A PMT that is being written. */
struct pmt_writer {
	const struct pmt_content *c;
	struct section_writer out;
	size_t size[RANKS]; /* bytes of each rank, whether written or not */
	unsigned cut; /* ranks below this one have room, ranks above it have
		       * none */
	size_t left;  /* bytes that the rank `cut' may still use */
	struct pmt_omitted omitted;
};

static enum rank rank_of(const struct desc *d, bool of_program)
{
	switch (d->tag) {
	case DESC_REGISTRATION:
	case DESC_CA:
		return RANK_ESSENTIAL;
	case DESC_LANGUAGE:
	case DESC_VBI_TELETEXT:
	case DESC_STREAM_IDENTIFIER:
	case DESC_TELETEXT:
	case DESC_SUBTITLING:
	case DESC_AC3:
	case DESC_APPLICATION_SIGNALLING:
	case DESC_EAC3:
	case DESC_DTS:
	case DESC_AAC:
	case DESC_EXTENSION:
		if (!of_program)
			return RANK_ESSENTIAL;
		break;
	default:
		break;
	}
	if (d->tag >= DESC_PRIVATE)
		return of_program ? RANK_PROGRAM_PRIVATE : RANK_STREAM_PRIVATE;
	return of_program ? RANK_PROGRAM_INFO : RANK_STREAM_INFO;
}

static bool has_room(struct pmt_writer *w, enum rank rank, size_t len)
{
	w->size[rank] += len;
	if (rank < w->cut)
		return true;
	if (rank > w->cut || len > w->left)
		return false;
	w->left -= len;
	return true;
}

/* Writes a descriptor, or counts it as omitted if it has no room. */
static void put_desc(struct pmt_writer *w, enum rank rank,
		     const uint8_t *desc)
{
	size_t len = 2 + (size_t)desc[1];

	if (has_room(w, rank, len)) {
		write_bytes(&w->out, desc, len);
		return;
	}
	if (w->omitted.n_descriptors < PMT_OMITTED_TAGS)
		w->omitted.tags[w->omitted.n_descriptors] = desc[0];
	w->omitted.n_descriptors++;
}

/* Copies a loop of the source.  `language' (NULL: none) replaces the first
 * language of each descriptor that has any.  True: a language was replaced. */
static bool write_loop(struct pmt_writer *w, struct desc_loop loop,
		       bool of_program, const char *language)
{
	const struct pmt_content *c = w->c;
	bool has_language = false;
	struct desc d;

	while (desc_next(&loop, &d)) {
		size_t at, step = desc_languages(&d, &at);
		uint8_t copy[DESC_MAX];

		copy[0] = d.tag;
		copy[1] = d.len;
		memcpy(copy + 2, d.data, d.len);
		if (d.tag == DESC_CA && !adapt_ca(c, copy + 2, &d))
			continue;
		if (language != NULL && step > 0 && at + 3 <= d.len) {
			memcpy(copy + 2 + at, language, 3);
			has_language = true;
		}
		ids_rewrite_loop(c->ids, copy, 2 + (size_t)d.len);
		put_desc(w, rank_of(&d, of_program), copy);
	}
	return has_language;
}

static void write_stream(struct pmt_writer *w, const struct selected *s)
{
	uint16_t out = w->c->plan->out[s->stream->pid];
	/* ISO_639_language_descriptor (ISO/IEC 13818-1 2.6.18) */
	uint8_t language[6] = { DESC_LANGUAGE, 4 };
	size_t loop;

	/* a stream on the PID of its own PMT is invalid */
	if (out == PID_PLAN_NONE || s->stream->pid == w->c->pmt_pid) {
		w->omitted.n_streams += w->omitted.n_streams > 0;
		return;
	}
	if (!has_room(w, RANK_STREAM, ES_HEADER)) {
		w->omitted.n_streams++;
		return;
	}
	write_u8(&w->out, s->stream->type);
	write_pid(&w->out, out);
	loop = write_loop_begin(&w->out);
	if (!write_loop(w, s->stream->descriptors, false, s->language) &&
	    s->language != NULL) {
		memcpy(language + 2, s->language, 3);
		put_desc(w, RANK_ESSENTIAL, language);
	}
	write_loop_end(&w->out, loop);
}

/* Writes the AIT as a stream, with its descriptor (TS 102 809 5.3.5.1). */
static void write_ait(struct pmt_writer *w)
{
	const uint8_t desc[] = {
		DESC_APPLICATION_SIGNALLING, 3,
		0x80 | HBBTV_APPLICATION >> 8, HBBTV_APPLICATION & 0xff,
		0xe0 | (w->c->ait_version & 0x1f),
	};
	size_t loop;

	/* receivers find an AIT by its descriptor only */
	if (!has_room(w, RANK_STREAM, ES_HEADER + sizeof desc)) {
		w->omitted.ait = true;
		return;
	}
	write_u8(&w->out, TYPE_PRIVATE_SECTIONS);
	write_pid(&w->out, w->c->plan->ait);
	loop = write_loop_begin(&w->out);
	write_bytes(&w->out, desc, sizeof desc);
	write_loop_end(&w->out, loop);
}

/* Writes a CA_descriptor (ISO/IEC 13818-1 2.6.16); returns its length in
 * bytes. */
static size_t make_ca(const struct cas_entry *e, uint16_t pid,
		      const struct cas_data *data, uint8_t ret[DESC_MAX])
{
	ret[0] = DESC_CA;
	ret[1] = (uint8_t)(4 + data->len);
	ret[2] = (uint8_t)(e->super_cas_id >> 24);
	ret[3] = (uint8_t)(e->super_cas_id >> 16);
	ret[4] = (uint8_t)(0xe0 | pid >> 8);
	ret[5] = (uint8_t)pid;
	memcpy(ret + 6, data->bytes, data->len);
	return 6 + data->len;
}

static bool has_guest(const struct pmt_content *c)
{
	return c->guest != NULL && c->guest->type != 0 &&
	       c->plan->guest != PID_PLAN_NONE;
}

/* Writes the registration descriptor of cue messages into the loop of the
 * program, unless the source has it (ANSI/SCTE 35 8.1). */
static void write_cue_registration(struct pmt_writer *w)
{
	static const uint8_t cuei[] = { DESC_REGISTRATION, 4,
					'C', 'U', 'E', 'I' };
	struct desc_loop loop = w->c->selection->pmt.descriptors;
	struct desc d;

	if (!has_guest(w->c) || w->c->guest->type != CUE_STREAM_TYPE)
		return;
	while (desc_next(&loop, &d))
		if (d.tag == DESC_REGISTRATION && d.len >= cuei[1] &&
		    memcmp(d.data, cuei + 2, cuei[1]) == 0)
			return;
	put_desc(w, RANK_ESSENTIAL, cuei);
}

static void write_guest(struct pmt_writer *w)
{
	const struct remux_guest *g = w->c->guest;
	struct desc_loop of_guest = { g->descriptors, g->len };
	struct desc d;
	size_t loop;

	if (!has_room(w, RANK_STREAM, ES_HEADER)) {
		w->omitted.guest = true;
		return;
	}
	write_u8(&w->out, g->type);
	write_pid(&w->out, w->c->plan->guest);
	loop = write_loop_begin(&w->out);
	while (desc_next(&of_guest, &d))
		put_desc(w, rank_of(&d, false), d.data - 2);
	write_loop_end(&w->out, loop);
}

/* Writes the PMT into memory of limit bytes, and omits parts without room. */
static size_t write_pmt(struct pmt_writer *w, uint8_t *memory, size_t limit)
{
	const struct selection *sel = w->c->selection;
	const struct pid_plan *plan = w->c->plan;
	const struct cas_list *cas = w->c->cas;
	uint16_t pcr = TS_PID_NULL;
	size_t loop;

	if (sel->pcr_pid != TS_PID_NULL &&
	    plan->out[sel->pcr_pid] != PID_PLAN_NONE)
		pcr = plan->out[sel->pcr_pid];
	section_begin(&w->out, memory, &(struct section_head){
		.table_id = PMT_TABLE_ID,
		.extension = w->c->ids->new_pnr,
		.limit = limit,
	});
	write_pid(&w->out, pcr);
	loop = write_loop_begin(&w->out);
	(void)write_loop(w, sel->pmt.descriptors, true, NULL);
	write_cue_registration(w);
	for (size_t i = 0; cas != NULL && i < cas->n; i++) {
		const struct cas_link *link = &cas->list[i].link;
		uint8_t desc[DESC_MAX];

		(void)make_ca(&cas->list[i].entry, link->ecm_pid,
			      &link->ecm_data, desc);
		put_desc(w, RANK_ESSENTIAL, desc);
	}
	write_loop_end(&w->out, loop);
	for (size_t i = 0; i < sel->n; i++)
		write_stream(w, &sel->list[i]);
	if (has_guest(w->c))
		write_guest(w);
	if (plan->ait != PID_PLAN_NONE)
		write_ait(w);
	return section_end(&w->out);
}

size_t pmt_build(const struct pmt_content *c, uint8_t ret[SECTION_PSI_MAX],
		 struct pmt_omitted *ret_omitted)
{
	/* enough for a PMT of 1,024 bytes that the options enlarge */
	uint8_t all[SECTION_MAX];
	struct pmt_writer w = { .c = c, .cut = RANKS };
	size_t room = SECTION_PSI_MAX - PMT_FIXED;
	size_t len = write_pmt(&w, all, sizeof all);

	*ret_omitted = (struct pmt_omitted){ 0 };
	if (len > 0 && len <= SECTION_PSI_MAX) {
		memcpy(ret, all, len);
		return len;
	}
	for (w.cut = 0; w.cut < RANKS && w.size[w.cut] <= room; w.cut++)
		room -= w.size[w.cut];
	w.left = room;
	len = write_pmt(&w, ret, SECTION_PSI_MAX);
	*ret_omitted = w.omitted;
	return len;
}

/* --- CAT --- */

bool cat_loop(const uint8_t *section, size_t len, struct desc_loop *ret)
{
	if (len < CAT_HEADER + SECTION_CRC || len > SECTION_PSI_MAX ||
	    section_table_id(section) != CAT_TABLE_ID ||
	    !section_has_syntax(section) || section_length(section) != len)
		return false;
	*ret = (struct desc_loop){ section + CAT_HEADER,
				   len - CAT_HEADER - SECTION_CRC };
	return desc_loop_ok(*ret);
}

size_t cat_build_own(const struct cas_list *cas, uint8_t ret[SECTION_PSI_MAX])
{
	struct section_writer w;
	uint8_t desc[DESC_MAX];

	section_begin(&w, ret, &(struct section_head){
		.table_id = CAT_TABLE_ID,
		.extension = 0xffff,
		.limit = SECTION_PSI_MAX,
	});
	for (size_t i = 0; i < cas->n; i++) {
		const struct cas_entry *e = &cas->list[i].entry;
		size_t len = make_ca(e, e->emm_pid, &e->emm_data, desc);

		if (write_fits(&w, len))
			write_bytes(&w, desc, len);
	}
	return section_end(&w);
}

size_t cat_build(const struct remux_options *o, const struct pid_plan *plan,
		 const uint8_t *section, size_t len,
		 uint8_t ret[SECTION_PSI_MAX])
{
	struct section_writer w;
	struct desc_loop loop;
	struct desc d;

	if (!cat_loop(section, len, &loop))
		return 0;
	section_begin(&w, ret, &(struct section_head){
		.table_id = CAT_TABLE_ID,
		.extension = 0xffff,
		.number = section[6],
		.last = section[7],
		.limit = SECTION_PSI_MAX,
	});
	while (desc_next(&loop, &d)) {
		uint16_t pid;

		if (!desc_ca_pid(&d, &pid)) {
			write_u8(&w, d.tag);
			write_u8(&w, (unsigned)d.len);
			write_bytes(&w, d.data, d.len);
			continue;
		}
		if (!ca_is_kept(o, pid) || plan->out[pid] == PID_PLAN_NONE)
			continue;
		pid = plan->out[pid];
		write_u8(&w, d.tag);
		write_u8(&w, d.len);
		write_bytes(&w, d.data, 2);
		write_u16(&w, (unsigned)(d.data[2] & 0xe0) << 8 | pid);
		write_bytes(&w, d.data + 4, d.len - 4u);
	}
	return section_end(&w);
}
