/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/psip_build.h"

#include "proto/si/desc.h"
#include "worker/remux/section_writer.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <errno.h>
#include <string.h>

/* Offsets and lengths of A/65 6.2 and 6.3. */
enum {
	EXTENSION = 3,
	PROTOCOL = 8,
	COUNT = 9, /* number of channels of a VCT, or of tables of an MGT */
	VCT_CHANNELS = 10,
	CHANNEL = 30, /* bytes of a channel in front of descriptors_length */
	CHANNEL_TSID = 22,
	CHANNEL_PNR = 24,
	CHANNEL_FLAGS = 26,
	ETM_LOCATION = 0xc0,
	ACCESS_CONTROLLED = 0x20,
	SERVICE_LOCATION = 0xa1, /* descriptor_tag */
	LOCATION_HEAD = 3,
	LOCATION_ELEMENT = 6,
	MGT_TABLES = 11,
	TABLE = 9, /* bytes of a table in the MGT in front of
		    * table_type_descriptors_length */
	TABLE_PID = 2,
	TABLE_VERSION = 4,
	TABLE_BYTES = 5,
	CURRENT_TVCT = 0,
	CURRENT_CVCT = 2,
	FIRST_RRT = 0x301,
	LAST_RRT = 0x3ff,
	MGT_LIMIT = 4096,
	TEN_BITS = 0x3ff,
	TWELVE_BITS = 0xfff,
	/* the first byte of a length of ten bits behind six that are 1 */
	SIX_ONES = 0xfc,
};

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static void set16(uint8_t *p, unsigned value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static struct section_head head_of(const uint8_t *section, uint16_t extension,
				   size_t limit)
{
	return (struct section_head){
		.table_id = section_table_id(section),
		.dvb = true, /* private_indicator */
		.extension = extension,
		.version = section_version(section),
		.limit = limit,
	};
}

/* --- VCT --- */

static uint16_t out_pid(const struct pid_plan *plan, const uint8_t *p)
{
	return plan->out[get16(p) & 0x1fff];
}

/* Writes a service location descriptor with the components that the output
 * has. */
static void write_location(struct section_writer *w,
			   const struct psip_program *program,
			   const struct desc *d)
{
	uint16_t pcr_pid = out_pid(program->plan, d->data);
	size_t start = w->len, n = d->data[2];
	unsigned kept = 0;

	write_u8(w, d->tag);
	write_u8(w, 0);
	write_pid(w, pcr_pid != PID_PLAN_NONE ? pcr_pid : TS_PID_NULL);
	write_u8(w, 0);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *e = d->data + LOCATION_HEAD +
				   i * LOCATION_ELEMENT;
		uint16_t pid = out_pid(program->plan, e + 1);

		if (pid == PID_PLAN_NONE)
			continue;
		write_u8(w, e[0]);
		write_pid(w, pid);
		write_bytes(w, e + 3, 3); /* language */
		kept++;
	}
	if (w->full)
		return;
	w->data[start + 1] = (uint8_t)(w->len - start - 2);
	w->data[start + 4] = (uint8_t)kept;
}

static void write_ten_bits(struct section_writer *w, size_t at)
{
	write_loop_end(w, at);
	if (!w->full)
		w->data[at] |= SIX_ONES;
}

static void write_channel(struct section_writer *w,
			  const struct psip_program *program,
			  const uint8_t *channel, struct desc_loop loop)
{
	uint8_t copy[CHANNEL];
	struct desc d;
	size_t at;

	memcpy(copy, channel, sizeof copy);
	set16(copy + CHANNEL_TSID, program->ids.new_tsid);
	set16(copy + CHANNEL_PNR, program->ids.new_pnr);
	copy[CHANNEL_FLAGS] &= (uint8_t)~ETM_LOCATION;
	if (program->marks.descrambled)
		copy[CHANNEL_FLAGS] &= (uint8_t)~ACCESS_CONTROLLED;
	if (program->marks.scrambled)
		copy[CHANNEL_FLAGS] |= ACCESS_CONTROLLED;
	write_bytes(w, copy, sizeof copy);
	at = write_loop_begin(w);
	while (desc_next(&loop, &d)) {
		if (d.tag == SERVICE_LOCATION && d.len >= LOCATION_HEAD &&
		    d.len >= LOCATION_HEAD + d.data[2] * LOCATION_ELEMENT)
			write_location(w, program, &d);
		else
			write_bytes(w, d.data - 2, 2 + (size_t)d.len);
	}
	write_ten_bits(w, at);
}

int psip_vct_build(const struct psip_program *program, const uint8_t *section,
		   size_t len, uint8_t ret[PSIP_VCT_SIZE])
{
	struct section_head head = head_of(section, program->ids.new_tsid,
					   PSIP_VCT_SIZE);
	size_t at = VCT_CHANNELS, end = len - SECTION_CRC, loop_at;
	struct section_writer w;
	unsigned kept = 0;

	if (len < VCT_CHANNELS + SECTION_CRC)
		return -EBADMSG;
	section_begin(&w, ret, &head);
	write_u8(&w, section[PROTOCOL]);
	write_u8(&w, 0);
	for (unsigned n = section[COUNT]; n > 0; n--) {
		const uint8_t *channel = section + at;
		struct desc_loop loop = { channel + CHANNEL + 2, 0 };

		if (end - at < CHANNEL + 2)
			return -EBADMSG;
		loop.len = get16(channel + CHANNEL) & TEN_BITS;
		at += CHANNEL + 2;
		if (end - at < loop.len)
			return -EBADMSG;
		at += loop.len;
		if (get16(channel + CHANNEL_TSID) != program->ids.tsid ||
		    get16(channel + CHANNEL_PNR) != program->ids.pnr)
			continue;
		write_channel(&w, program, channel, loop);
		kept++;
	}
	loop_at = write_loop_begin(&w);
	if (end - at >= 2 && end - at - 2 >= (get16(section + at) & TEN_BITS))
		write_bytes(&w, section + at + 2, get16(section + at) &
						  TEN_BITS);
	write_ten_bits(&w, loop_at);
	if (kept == 0 || w.full)
		return w.full ? -EBADMSG : 0;
	ret[COUNT] = (uint8_t)kept;
	return (int)section_end(&w);
}

/* --- MGT --- */

/* The VCT that has this table_type of the MGT; NULL: no VCT has it. */
static const struct psip_vct *vct_of(const struct psip_vct vcts[PSIP_VCTS],
				     unsigned type)
{
	switch (type) {
	case CURRENT_TVCT:
		return &vcts[PSIP_TVCT - PSIP_TVCT];
	case CURRENT_CVCT:
		return &vcts[PSIP_CVCT - PSIP_TVCT];
	default:
		return NULL;
	}
}

int psip_mgt_build(const struct psip_vct vcts[PSIP_VCTS],
		   const uint8_t *section, size_t len, uint8_t *ret,
		   size_t size)
{
	struct section_head head = head_of(section, get16(section + EXTENSION),
					   MIN(size, (size_t)MGT_LIMIT));
	size_t at = MGT_TABLES, end = len - SECTION_CRC, own, table_at;
	unsigned kept = 0, n_vcts = 0;
	struct section_writer w;

	if (len < MGT_TABLES + SECTION_CRC)
		return -EBADMSG;
	section_begin(&w, ret, &head);
	write_u8(&w, section[PROTOCOL]);
	write_u16(&w, 0);
	for (unsigned n = get16(section + COUNT); n > 0; n--) {
		const uint8_t *table = section + at;
		const struct psip_vct *vct;
		unsigned type;

		if (end - at < TABLE + 2)
			return -EBADMSG;
		own = TABLE + 2 + (get16(table + TABLE) & TWELVE_BITS);
		if (end - at < own)
			return -EBADMSG;
		at += own;
		type = get16(table);
		vct = vct_of(vcts, type);
		if ((vct == NULL && (type < FIRST_RRT || type > LAST_RRT)) ||
		    (vct != NULL && vct->len == 0) ||
		    (get16(table + TABLE_PID) & 0x1fff) != SI_PID_PSIP)
			continue;
		if (vct != NULL &&
		    vct->version != (table[TABLE_VERSION] & 0x1f))
			return 0;
		table_at = w.len;
		write_bytes(&w, table, own);
		if (vct != NULL && !w.full) {
			set16(w.data + table_at + TABLE_BYTES, 0);
			set16(w.data + table_at + TABLE_BYTES + 2,
			      (unsigned)vct->len);
		}
		n_vcts += vct != NULL;
		kept++;
	}
	write_bytes(&w, section + at, end - at);
	if (n_vcts == 0 || w.full)
		return w.full ? -EBADMSG : 0;
	set16(ret + COUNT, kept);
	return (int)section_end(&w);
}
