/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/hls_mux_pmt.h"

#include "common/base/crc32.h"
#include "common/base/util.h"

#include <ctype.h>
#include <string.h>

enum {
	HEADER = 12,
	ENTRY = 5,
	CRC = 4,
	LANGUAGE = 6, /* bytes of ISO_639_language_descriptor */
	VERSION_BITS = 0x3e, /* mask of version_number in its byte */
	FIRST_PID = 0x20,
	LAST_PID = 0x1ffe,
};

void mux_pmt_init(struct mux_pmt *p)
{
	*p = (struct mux_pmt){ .pid = TS_PID_NULL };
}

void mux_pmt_set_language(struct mux_pmt *p, const char *language)
{
	memset(p->language, 0, sizeof p->language);
	if (strlen(language) != 3)
		return;
	for (size_t i = 0; i < 3; i++)
		p->language[i] = (char)tolower((unsigned char)language[i]);
}

/* True if the audio may use this PID.  The PIDs of the audio of the video are
 * free, because that audio is dropped. */
static bool is_free(const struct psi *psi, const struct psi_program *program,
		    uint16_t pid)
{
	enum pid_class class = psi_class(psi, pid);

	return pid >= FIRST_PID && pid <= LAST_PID &&
	       pid != program->pcr_pid &&
	       (class == PID_UNKNOWN || class == PID_AUDIO);
}

/* Returns the first free PID for the audio: the current one, the wanted one
 * (that of the audio source), or another.  TS_PID_NULL: no PID is free. */
static uint16_t choose_pid(const struct mux_pmt *p, const struct psi *psi,
			   const struct psi_program *program, uint16_t wanted)
{
	uint16_t pid = program->pmt_pid;

	if (is_free(psi, program, p->pid))
		return p->pid;
	if (is_free(psi, program, wanted))
		return wanted;
	for (unsigned i = 0; i <= LAST_PID; i++) {
		pid = pid < LAST_PID ? pid + 1 : FIRST_PID;
		if (is_free(psi, program, pid))
			return pid;
	}
	return TS_PID_NULL;
}

/* Writes the entry of the audio, with its language if no descriptor names one.
 * Returns its length. */
static size_t put_entry(const struct mux_pmt *p,
			const struct audio_track_format *f, uint8_t *ret)
{
	struct desc_loop loop = { f->descriptors, f->len };
	uint8_t *end = ret + ENTRY + f->len;
	struct desc d;
	size_t len;

	memcpy(ret + ENTRY, f->descriptors, f->len);
	if (p->language[0] != '\0' && !desc_find(loop, DESC_LANGUAGE, &d)) {
		memcpy(end,
		       (const uint8_t[LANGUAGE]){ DESC_LANGUAGE, LANGUAGE - 2 },
		       LANGUAGE);
		memcpy(end + 2, p->language, 3);
		end += LANGUAGE;
	}
	len = (size_t)(end - ret) - ENTRY;
	ret[0] = f->type;
	ret[1] = (uint8_t)(0xe0 | p->pid >> 8);
	ret[2] = (uint8_t)p->pid;
	ret[3] = (uint8_t)(0xf0 | len >> 8);
	ret[4] = (uint8_t)len;
	return ENTRY + len;
}

/* Writes a PMT in which this audio replaces that of the video.  version_number
 * and CRC_32 are not set.  Returns its length without CRC_32; 0: the PMT of the
 * video is malformed. */
static size_t build(const struct mux_pmt *p, const struct psi_section *from,
		    const struct audio_track_format *f, uint8_t *ret)
{
	struct pmt pmt;
	size_t len, all, most = SECTION_PSI_MAX - CRC - ENTRY - LANGUAGE -
				f->len;

	if (pmt_decode(from->data, from->len, &pmt) < 0)
		return 0;
	all = HEADER + pmt.descriptors.len;
	for (size_t i = 0; i < pmt.n_streams; i++)
		if (pmt.streams[i].class != PID_AUDIO)
			all += ENTRY + pmt.streams[i].descriptors.len;
	len = HEADER + pmt.descriptors.len;
	memcpy(ret, from->data, len);
	/* drops the descriptors of the program if the streams need the room */
	if (all > most) {
		len = HEADER;
		ret[10] = 0xf0;
		ret[11] = 0;
	}
	for (size_t i = 0; i < pmt.n_streams; i++) {
		struct desc_loop d = pmt.streams[i].descriptors;

		if (pmt.streams[i].class == PID_AUDIO ||
		    len + ENTRY + d.len > most)
			continue;
		memcpy(ret + len, d.data - ENTRY, ENTRY + d.len);
		len += ENTRY + d.len;
	}
	len += put_entry(p, f, ret + len);
	ret[1] = (uint8_t)(0xb0 | (len + CRC - 3) >> 8);
	ret[2] = (uint8_t)(len + CRC - 3);
	return len;
}

size_t mux_pmt_put(struct mux_pmt *p, const struct psi *psi,
		   const struct psi_program *program,
		   const struct audio_track_format *f, uint8_t *ret)
{
	const struct psi_section *from = &program->pmt;
	uint8_t section[SECTION_PSI_MAX];
	size_t len = from->len - CRC;
	uint32_t crc;

	p->pid = f != NULL ? choose_pid(p, psi, program, f->pid) : TS_PID_NULL;
	memcpy(section, from->data, len);
	if (mux_pmt_has_audio(p))
		len = build(p, from, f, section);
	if (len == 0)
		return 0;
	if (p->len == 0)
		p->version = section_version(from->data);
	else if (p->len != len || memcmp(p->section, section, 5) != 0 ||
		 memcmp(p->section + 6, section + 6, len - 6) != 0)
		p->version = (p->version + 1) & 0x1f;
	section[5] = (uint8_t)((section[5] & ~VERSION_BITS) |
			       p->version << 1);
	memcpy(p->section, section, len);
	p->len = len;
	crc = crc32_mpeg(section, len);
	for (int i = 0; i < CRC; i++)
		section[len + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
	return section_pack(section, len + CRC, program->pmt_pid, &p->cc, ret);
}
