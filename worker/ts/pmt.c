/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/pmt.h"

#include "worker/ts/section.h"

#include <errno.h>

enum {
	HEADER = 12,
	CRC = 4,
	ENTRY = 5,
};

static void each_ca(struct desc_loop loop,
		    void (*take)(uint16_t, const struct desc *, void *),
		    void *arg)
{
	struct desc d;
	uint16_t pid;

	while (desc_next(&loop, &d))
		if (desc_ca_pid(&d, &pid))
			take(pid, &d, arg);
}

void pmt_each_pid(const struct pmt *pmt,
		  void (*take)(uint16_t pid, const struct desc *ca, void *arg),
		  void *arg)
{
	take(pmt->pcr_pid, NULL, arg);
	each_ca(pmt->descriptors, take, arg);
	for (size_t i = 0; i < pmt->n_streams; i++) {
		take(pmt->streams[i].pid, NULL, arg);
		each_ca(pmt->streams[i].descriptors, take, arg);
	}
}

uint8_t pmt_coding(const struct pmt_stream *s)
{
	struct desc d;

	if (s->type != 0x06 || s->class != PID_VIDEO)
		return s->type;
	switch (desc_registration(s->descriptors)) {
	case FORMAT('H', 'E', 'V', 'C'):
		return 0x24;
	case FORMAT('V', 'C', '-', '1'):
		return 0xea;
	}
	if (desc_find(s->descriptors, DESC_HEVC_VIDEO, &d))
		return 0x24;
	return desc_find(s->descriptors, DESC_AVC_VIDEO, &d) ? 0x1b : s->type;
}

static struct desc_loop take_loop(const uint8_t *p, const uint8_t *end)
{
	size_t len = section_get12(p);

	if (len > (size_t)(end - p) - 2)
		return (struct desc_loop){ NULL, 0 };
	return (struct desc_loop){ p + 2, len };
}

int pmt_decode(const uint8_t *section, size_t len, struct pmt *ret)
{
	if (len < HEADER + CRC || len > SECTION_PSI_MAX ||
	    section_table_id(section) != PMT_TABLE_ID ||
	    !section_has_syntax(section) || section_length(section) != len ||
	    section[6] != 0)
		return -EBADMSG;

	const uint8_t *end = section + len - CRC;

	ret->program = (uint16_t)(section[3] << 8 | section[4]);
	ret->version = section_version(section);
	ret->current = section[5] & 1;
	ret->pcr_pid = (uint16_t)((section[8] & 0x1f) << 8 | section[9]);
	ret->descriptors = take_loop(section + 10, end);
	ret->n_streams = 0;
	if (!ret->descriptors.data || !desc_loop_ok(ret->descriptors))
		return -EBADMSG;
	for (const uint8_t *p = ret->descriptors.data + ret->descriptors.len;
	     p < end; ret->n_streams++) {
		struct pmt_stream *s = &ret->streams[ret->n_streams];

		if (end - p < ENTRY)
			return -EBADMSG;
		s->type = p[0];
		s->pid = (uint16_t)((p[1] & 0x1f) << 8 | p[2]);
		s->descriptors = take_loop(p + 3, end);
		if (!s->descriptors.data || !desc_loop_ok(s->descriptors))
			return -EBADMSG;
		s->class = pmt_classify(s->type, ret->descriptors,
					s->descriptors);
		p = s->descriptors.data + s->descriptors.len;
	}
	return 0;
}
