/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/tsmaker.h"

#include "common/base/crc32.h"
#include "common/base/util.h"
#include "tests/bench/stamp.h"

#include <stddef.h>
#include <string.h>

enum {
	PACKET_BITS = TSMAKER_PACKET * 8,
	NULL_PID = 0x1fff,
	STREAM_TYPE_H264 = 0x1b,
	FRAMES_PER_RAP = 25,
	NULL_EVERY = 50,
	HEADER_LEN = 4,
	FLAG_START = 0x40,
	FLAG_ADAPTATION = 0x20,
	FLAG_PAYLOAD = 0x10,
	AF_RANDOM_ACCESS = 0x40,
	AF_PCR = 0x10,
	AF_PCR_LEN = 8, /* length, flags and PCR */
	PTS_DELAY = 45000, /* half a second behind the PCR */
};

static const uint64_t ns_per_s = 1000000000;
static const uint64_t psi_interval_ns = 100000000;
static const uint64_t frame_interval_ns = 40000000;
static const uint64_t pcr_interval_ns = 30000000;

static const uint8_t key_units[] = {
	0, 0, 0, 1, 0x09, 0xf0,                               /* delimiter */
	0, 0, 0, 1, 0x67, 0x42, 0x00, 0x0a, 0xf8, 0x41, 0xa2, /* SPS */
	0, 0, 0, 1, 0x68, 0xce, 0x38, 0x80,                   /* PPS */
	0, 0, 0, 1, 0x65,                                     /* IDR slice */
};
static const uint8_t other_units[] = {
	0, 0, 0, 1, 0x09, 0xf0, /* delimiter */
	0, 0, 0, 1, 0x41,       /* slice */
};

static void put_header(uint8_t *p, unsigned pid, unsigned flags, uint8_t cc)
{
	p[0] = 0x47;
	p[1] = (uint8_t)((flags & FLAG_START) | pid >> 8);
	p[2] = (uint8_t)pid;
	p[3] = (uint8_t)((flags & (FLAG_ADAPTATION | FLAG_PAYLOAD)) |
			 (cc & 0x0f));
}

/* A packet of one section: pointer field, the section, its CRC, stuffing. */
static void make_section(uint8_t *p, unsigned pid, const uint8_t *section,
			 size_t len)
{
	uint32_t crc = crc32_mpeg(section, len);
	uint8_t *at = p + HEADER_LEN + 1 + len;

	memset(p, 0xff, TSMAKER_PACKET);
	put_header(p, pid, FLAG_START | FLAG_PAYLOAD, 0);
	p[HEADER_LEN] = 0;
	memcpy(p + HEADER_LEN + 1, section, len);
	for (int shift = 24; shift >= 0; shift -= 8)
		*at++ = (uint8_t)(crc >> shift);
}

static unsigned pid_of(unsigned first, unsigned number)
{
	return first + (number - 1) * TSMAKER_PID_STEP;
}

static void make_pat(struct tsmaker *m, unsigned n)
{
	uint8_t pat[8 + 4 * TSMAKER_PROGRAMS_MAX] = {
		0x00, 0xb0, (uint8_t)(9 + 4 * n), 0, 1, 0xc1, 0, 0,
	};
	uint8_t *at = pat + 8;

	for (unsigned number = 1; number <= n; number++) {
		unsigned pid = pid_of(TSMAKER_PMT_PID, number);

		*at++ = 0;
		*at++ = (uint8_t)number;
		*at++ = (uint8_t)(0xe0 | pid >> 8);
		*at++ = (uint8_t)pid;
	}
	make_section(m->pat, 0, pat, (size_t)(at - pat));
}

static void make_pmt(struct tsmaker *m)
{
	unsigned video = pid_of(TSMAKER_VIDEO_PID, m->number);
	const uint8_t pmt[] = {
		0x02, 0xb0, 18, 0, (uint8_t)m->number, 0xc1, 0, 0,
		(uint8_t)(0xe0 | video >> 8), (uint8_t)video,
		0xf0, 0, STREAM_TYPE_H264,
		(uint8_t)(0xe0 | video >> 8), (uint8_t)video,
		0xf0, 0,
	};

	make_section(m->pmt, pid_of(TSMAKER_PMT_PID, m->number), pmt,
		     sizeof pmt);
}

void tsmaker_init(struct tsmaker *m, uint64_t rate_bps)
{
	tsmaker_init_program(m, rate_bps, 1, 1);
}

void tsmaker_init_program(struct tsmaker *m, uint64_t rate_bps,
			  unsigned number, unsigned n)
{
	memset(m, 0, sizeof *m);
	m->rate_bps = rate_bps;
	m->number = number;
	make_pat(m, n);
	make_pmt(m);
	m->pmt_next = number > 1;
	for (size_t i = 0; i < sizeof m->fill; i++)
		m->fill[i] = (uint8_t)(0x80 | i);
}

static uint8_t *put_pcr(uint8_t *at, uint64_t time_ns, unsigned flags)
{
	uint64_t pcr = time_ns * 27 / 1000;
	uint64_t base = pcr / 300 & 0x1ffffffff;
	unsigned extension = (unsigned)(pcr % 300);

	at[0] = AF_PCR_LEN - 1;
	at[1] = (uint8_t)(AF_PCR | flags);
	at[2] = (uint8_t)(base >> 25);
	at[3] = (uint8_t)(base >> 17);
	at[4] = (uint8_t)(base >> 9);
	at[5] = (uint8_t)(base >> 1);
	at[6] = (uint8_t)((base & 1) << 7 | 0x7e | extension >> 8);
	at[7] = (uint8_t)extension;
	return at + AF_PCR_LEN;
}

/* A PES header with a PTS and without a length (ISO/IEC 13818-1 2.4.3.7). */
static uint8_t *put_pes_header(uint8_t *at, uint64_t time_ns)
{
	uint64_t pts = (time_ns * 9 / 100000 + PTS_DELAY) & 0x1ffffffff;
	const uint8_t header[] = {
		0, 0, 1, 0xe0, 0, 0, 0x84, 0x80, 5,
		(uint8_t)(0x21 | (pts >> 29 & 0x0e)),
		(uint8_t)(pts >> 22),
		(uint8_t)(1 | (pts >> 14 & 0xfe)),
		(uint8_t)(pts >> 7),
		(uint8_t)(1 | (pts << 1 & 0xfe)),
	};

	memcpy(at, header, sizeof header);
	return at + sizeof header;
}

static void put_video(struct tsmaker *m, uint64_t sent_ns, uint8_t *p)
{
	const struct stamp stamp = { .seq = m->seq++, .sent_ns = sent_ns };
	bool start = m->time_ns >= m->next_frame_ns;
	bool pcr = start || m->time_ns >= m->next_pcr_ns;
	bool key = start && m->frame % FRAMES_PER_RAP == 0;
	uint8_t *at = p + HEADER_LEN;

	memcpy(p, m->fill, TSMAKER_PACKET);
	put_header(p, pid_of(TSMAKER_VIDEO_PID, m->number),
		   FLAG_PAYLOAD | (start ? (unsigned)FLAG_START : 0) |
			   (pcr ? (unsigned)FLAG_ADAPTATION : 0),
		   m->video_cc++);
	if (pcr) {
		at = put_pcr(at, m->time_ns, key ? AF_RANDOM_ACCESS : 0);
		m->next_pcr_ns = m->time_ns + pcr_interval_ns;
	}
	if (start) {
		at = put_pes_header(at, m->time_ns);
		memcpy(at, key ? key_units : other_units,
		       key ? sizeof key_units : sizeof other_units);
		m->next_frame_ns += frame_interval_ns;
		m->frame++;
	}
	stamp_put(p, &stamp);
}

static void put_psi(struct tsmaker *m, uint8_t *p)
{
	memcpy(p, m->pmt_next ? m->pmt : m->pat, TSMAKER_PACKET);
	p[3] = (uint8_t)(FLAG_PAYLOAD |
			 ((m->pmt_next ? m->pmt_cc++ : m->pat_cc++) & 0x0f));
	if (m->pmt_next)
		m->next_psi_ns += psi_interval_ns;
	m->pmt_next = !m->pmt_next || m->number > 1;
}

static void advance(struct tsmaker *m)
{
	uint64_t bits_ns = PACKET_BITS * ns_per_s;

	m->index++;
	m->time_ns += bits_ns / m->rate_bps;
	m->time_rest += bits_ns % m->rate_bps;
	if (m->time_rest >= m->rate_bps) {
		m->time_rest -= m->rate_bps;
		m->time_ns++;
	}
}

void tsmaker_next(struct tsmaker *m, uint64_t sent_ns, uint8_t *packet)
{
	if (m->time_ns >= m->next_psi_ns) {
		put_psi(m, packet);
	} else if (m->index % NULL_EVERY == NULL_EVERY - 1) {
		memset(packet, 0xff, TSMAKER_PACKET);
		put_header(packet, NULL_PID, FLAG_PAYLOAD, 0);
	} else {
		put_video(m, sent_ns, packet);
	}
	advance(m);
}
