/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/psi_build.h"

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

static void write_desc(struct section_writer *w, uint8_t tag,
		       const uint8_t *data, size_t len)
{
	write_u8(w, tag);
	write_u8(w, (unsigned)len);
	write_bytes(w, data, len);
}

/* Replaces the PID of a CA descriptor; false: it does not go out. */
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

/* Copies a loop of the source.  The language, if any, replaces the first one of
 * each descriptor that has languages; false: no descriptor has. */
static bool write_loop(struct section_writer *w, const struct pmt_content *c,
		       struct desc_loop loop, const char *language)
{
	bool has_language = false;
	struct desc d;

	while (desc_next(&loop, &d)) {
		size_t at, step = desc_languages(&d, &at);
		uint8_t copy[DESC_MAX];

		if (!write_fits(w, 2 + (size_t)d.len))
			continue;
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
		write_bytes(w, copy, 2 + (size_t)d.len);
	}
	return has_language;
}

static void write_stream(struct section_writer *w,
			 const struct pmt_content *c,
			 const struct selected *s)
{
	uint16_t out = c->plan->out[s->stream->pid];
	uint8_t language[4] = { 0 }; /* ISO/IEC 13818-1 2.6.18 */
	size_t loop;

	/* a stream on the PID of its own PMT is invalid */
	if (out == PID_PLAN_NONE || s->stream->pid == c->pmt_pid ||
	    !write_fits(w, ES_HEADER))
		return;
	write_u8(w, s->stream->type);
	write_pid(w, out);
	loop = write_loop_begin(w);
	if (!write_loop(w, c, s->stream->descriptors, s->language) &&
	    s->language != NULL && write_fits(w, 2 + sizeof language)) {
		memcpy(language, s->language, 3);
		write_desc(w, DESC_LANGUAGE, language, sizeof language);
	}
	write_loop_end(w, loop);
}

/* TS 102 809 5.3.5.1 */
static void write_ait(struct section_writer *w, const struct pmt_content *c)
{
	const uint8_t data[] = {
		0x80 | HBBTV_APPLICATION >> 8, HBBTV_APPLICATION & 0xff,
		0xe0 | (c->ait_version & 0x1f),
	};
	size_t loop;

	if (!write_fits(w, ES_HEADER + 2 + sizeof data))
		return;
	write_u8(w, TYPE_PRIVATE_SECTIONS);
	write_pid(w, c->plan->ait);
	loop = write_loop_begin(w);
	write_desc(w, DESC_APPLICATION_SIGNALLING, data, sizeof data);
	write_loop_end(w, loop);
}

static bool has_guest(const struct pmt_content *c)
{
	return c->guest != NULL && c->guest->type != 0 &&
	       c->plan->guest != PID_PLAN_NONE;
}

/* Cue messages are announced by the program, too (ANSI/SCTE 35 8.1). */
static void write_cue_registration(struct section_writer *w,
				   const struct pmt_content *c)
{
	static const uint8_t cuei[] = { 'C', 'U', 'E', 'I' };
	struct desc_loop loop = c->selection->pmt.descriptors;
	struct desc d;

	if (!has_guest(c) || c->guest->type != CUE_STREAM_TYPE)
		return;
	while (desc_next(&loop, &d))
		if (d.tag == DESC_REGISTRATION && d.len >= sizeof cuei &&
		    memcmp(d.data, cuei, sizeof cuei) == 0)
			return;
	if (write_fits(w, 2 + sizeof cuei))
		write_desc(w, DESC_REGISTRATION, cuei, sizeof cuei);
}

static void write_guest(struct section_writer *w, const struct pmt_content *c)
{
	const struct remux_guest *g = c->guest;
	size_t loop;

	if (!write_fits(w, ES_HEADER + (size_t)g->len))
		return;
	write_u8(w, g->type);
	write_pid(w, c->plan->guest);
	loop = write_loop_begin(w);
	write_bytes(w, g->descriptors, g->len);
	write_loop_end(w, loop);
}

size_t pmt_build(const struct pmt_content *c, uint8_t ret[SECTION_PSI_MAX])
{
	const struct selection *sel = c->selection;
	uint16_t pcr = TS_PID_NULL;
	struct section_writer w;
	size_t loop;

	if (sel->pcr_pid != TS_PID_NULL &&
	    c->plan->out[sel->pcr_pid] != PID_PLAN_NONE)
		pcr = c->plan->out[sel->pcr_pid];
	section_begin(&w, ret, &(struct section_head){
		.table_id = PMT_TABLE_ID,
		.extension = c->ids->new_pnr,
		.limit = SECTION_PSI_MAX,
	});
	write_pid(&w, pcr);
	loop = write_loop_begin(&w);
	(void)write_loop(&w, c, sel->pmt.descriptors, NULL);
	write_cue_registration(&w, c);
	write_loop_end(&w, loop);
	for (size_t i = 0; i < sel->n; i++)
		write_stream(&w, c, &sel->list[i]);
	if (has_guest(c))
		write_guest(&w, c);
	if (c->plan->ait != PID_PLAN_NONE)
		write_ait(&w, c);
	return section_end(&w);
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
			write_desc(&w, d.tag, d.data, d.len);
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
