/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The remux stage: any options, any sections (with a right CRC_32, so that the
 * stage accepts them), payload, PCRs and raw packets in any order.  The output
 * is packets with sections that are complete, valid and not too long.
 */
#include "tests/fuzz/fuzz.h"
#include "worker/remux/remux.h"
#include "worker/remux/section_writer.h"
#include "worker/ts/pat.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>

enum { PACKETS_MAX = 4096 };

static void expect(bool holds)
{
	if (!holds)
		abort();
}

struct input {
	const uint8_t *data;
	size_t len;
	uint8_t cc[TS_PIDS]; /* of the sections that are made */
};

static unsigned take8(struct input *in)
{
	if (in->len == 0)
		return 0;
	in->len--;
	return *in->data++;
}

static unsigned take16(struct input *in)
{
	unsigned high = take8(in);

	return high << 8 | take8(in);
}

/* Few enough PIDs that tables and packets meet. */
static uint16_t take_pid(struct input *in)
{
	static const uint16_t fixed[] = {
		0, 1, 0x10, 0x11, 0x12, 0x14, TS_PID_NULL, 0x13, SI_PID_PSIP,
	};
	unsigned n = take8(in);

	if (n < sizeof fixed / sizeof *fixed)
		return fixed[n];
	return n < 128 ? (uint16_t)(0x100 + (n & 15)) : (uint16_t)(n & 63);
}

static void take_text(struct input *in, char *ret, size_t size)
{
	size_t len = take8(in) % size;

	for (size_t i = 0; i < len; i++)
		ret[i] = (char)(0x20 + take8(in) % 0x5f);
	ret[len] = '\0';
}

static void take_maps(struct input *in, struct remux_options *o)
{
	size_t n = take8(in) % 6;

	for (size_t i = 0; i < n; i++) {
		struct pid_map *m = &o->maps[o->n_maps++];

		m->what = (enum map_what)(take8(in) % (MAP_LANGUAGE + 1));
		m->source_pid = take_pid(in);
		if (take8(in) & 1)
			memcpy(m->language, "eng", 4);
		m->pid = (uint16_t)(0x100 + take8(in) % 32);
	}
}

static void take_options(struct input *in, struct remux_options *o)
{
	unsigned flags = take16(in), rules = take16(in);

	o->pnr = flags & 1 ? (uint16_t)(take8(in) & 3) : 0;
	o->set_pnr = flags & 2 ? (uint16_t)take16(in) : 0;
	o->set_tsid = flags & 4 ? (uint16_t)take16(in) : 0;
	o->set_pcr_pid = flags & 8 ? take_pid(in) : 0;
	o->pass_data = flags & 16;
	o->pass_ca = flags & 32;
	o->sdt = (enum table_rule)(rules % 3);
	o->eit = (enum table_rule)(rules / 3 % 3);
	o->nit = (enum table_rule)(rules / 9 % 3);
	o->cat = (enum table_rule)(rules / 27 % 3);
	o->tdt = (enum table_rule)(rules / 81 % 3);
	o->tot = (enum table_rule)(rules / 243 % 3);
	if (flags & 64)
		pid_set_add(&o->drop, take_pid(in));
	if (flags & 128)
		for (int i = 0; i < 4; i++)
			pid_set_add(&o->keep, take_pid(in));
	if (flags & 256)
		pid_set_add(&o->drop_ca, take_pid(in));
	if (flags & 512)
		for (; o->n_order < 3; o->n_order++)
			o->order[o->n_order] = take_pid(in);
	if (flags & 1024) {
		o->languages[0].pid = take_pid(in);
		memcpy(o->languages[0].language, "ger", 4);
		o->n_languages = 1;
	}
	if (flags & 2048)
		take_maps(in, o);
	if (flags & 4096)
		take_text(in, o->service_name, sizeof o->service_name);
	if (flags & 8192)
		take_text(in, o->service_provider,
			  sizeof o->service_provider);
	if (flags & 16384)
		take_text(in, o->hbbtv_url, sizeof o->hbbtv_url);
	if (flags & 32768) {
		o->service_type = (uint8_t)take8(in);
		o->textcode = take8(in) & 1 ? 21 : 5;
	}
}

/* The output is checked: the counters of its PIDs, and every section by its
 * length and CRC_32. */
struct judge {
	bool sdt_ours, eit_ours; /* not as the source has them */
	uint8_t cc[3], seen[3];
	struct section_assembler assembler[3];
	uint8_t buffer[3][SECTION_MAX];
};

static void judge_section(unsigned which, const uint8_t *s, size_t len)
{
	struct pat pat;

	expect(which != 0 || pat_decode(s, len, &pat) == 0);
	expect(len <= (which == 2 ? SECTION_MAX : SECTION_PSI_MAX));
}

static void judge_packet(struct judge *j, unsigned which, const uint8_t *p)
{
	struct section_assembler *a = &j->assembler[which];
	const uint8_t *section;
	size_t len;

	/* they are all ours: no gap in their counter */
	expect(!j->seen[which] || ts_cc(p) == ((j->cc[which] + 1) & 15));
	j->cc[which] = ts_cc(p);
	j->seen[which] = 1;
	section_push(a, p);
	while ((section = section_pull(a, &len)) != NULL)
		judge_section(which, section, len);
	expect(a->crc_errors == 0 && a->broken == 0);
}

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct judge *j = arg;

	expect(n_runs > 0);
	for (size_t i = 0; i < n_runs; i++) {
		expect(runs[i].n > 0);
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (ts_pid(p) == 0)
				judge_packet(j, 0, p);
			else if (ts_pid(p) == 0x11 && j->sdt_ours)
				judge_packet(j, 1, p);
			else if (ts_pid(p) == 0x12 && j->eit_ours)
				judge_packet(j, 2, p);
		}
	}
}

static size_t make_section(struct input *in, uint8_t *packets)
{
	uint8_t section[SECTION_MAX];
	uint16_t pid = take_pid(in);
	size_t len = 12 + take16(in) % (SECTION_MAX - 12 + 1);
	size_t given = len < in->len ? len : in->len;

	memset(section, 0, len);
	memcpy(section, in->data, given);
	in->data += given;
	in->len -= given;
	section[1] = (uint8_t)(0xb0 | (section[1] & 0x40) | (len - 3) >> 8);
	section[2] = (uint8_t)(len - 3);
	section_seal(section, len);
	return section_pack(section, len, pid, &in->cc[pid], packets);
}

static size_t make_packet(struct input *in, unsigned op, uint8_t *packet)
{
	uint16_t pid = take_pid(in);

	memset(packet, 0xff, TS_PACKET);
	packet[0] = TS_SYNC_BYTE;
	packet[1] = 0;
	ts_set_pid(packet, pid);
	if (op == 1) {
		packet[3] = (uint8_t)take8(in);
		packet[4] = (uint8_t)take8(in);
		packet[5] = (uint8_t)take8(in);
	} else {
		packet[3] = 0x20;
		packet[4] = 183;
		packet[5] = (uint8_t)(0x10 | (op == 3 ? 0x80 : 0));
		ts_set_pcr(packet, (uint64_t)take16(in) * 100000);
	}
	return 1;
}

static void play(struct remux *r, struct input *in)
{
	static uint8_t packets[32 * TS_PACKET];
	uint64_t now_ns = 0;
	size_t fed = 0;

	while (in->len > 0 && fed < PACKETS_MAX) {
		unsigned op = take8(in);
		size_t n = 0;

		now_ns += (uint64_t)(op >> 3) * 10000000;
		switch (op & 7) {
		case 0:
		case 4:
		case 5:
			n = make_section(in, packets);
			break;
		case 7:
			remux_reset(r);
			break;
		case 6:
			n = in->len / TS_PACKET < 4 ? in->len / TS_PACKET : 4;
			memcpy(packets, in->data, n * TS_PACKET);
			in->data += n * TS_PACKET;
			in->len -= n * TS_PACKET;
			break;
		default:
			n = make_packet(in, op & 7, packets);
			break;
		}
		remux_feed(r, &(struct ts_run){ packets, n }, 1, now_ns);
		fed += n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct table_versions versions;
	static struct si_versions si;
	struct input in = { .data = data, .len = size };
	struct remux_options o = { 0 };
	struct judge j = { 0 };
	struct remux *r;

	take_options(&in, &o);
	for (size_t i = 0; i < 3; i++)
		section_init(&j.assembler[i], j.buffer[i], SECTION_MAX);
	j.sdt_ours = o.sdt == TABLE_DEFAULT && o.pnr != 0;
	j.eit_ours = o.eit == TABLE_DEFAULT && o.pnr != 0;
	memset(&versions, 0, sizeof versions);
	memset(&si, 0, sizeof si);
	si_versions_begin(&si, 1);
	r = remux_new(&(struct remux_config){
		.options = &o, .versions = &versions, .out = on_out,
		.arg = &j,
		/* as one of several sources */
		.si = size & 1 ? &si : NULL, .source = 1 });
	play(r, &in);
	remux_free(&r);
	return 0;
}
