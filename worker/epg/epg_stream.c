/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/epg_stream.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/ring.h"
#include "worker/ts/packet.h"
#include "worker/ts/pat.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 348 * TS_PACKET }; /* bytes of a read, 64 KiB */

struct epg_stream {
	char *id;
	struct guide *guide;
	int fd;
	struct ring_reader *ring;
	/* position in the ring, in bytes; packets that were overwritten */
	uint64_t pos, lost;
	struct section_assembler pat, sdt, eit;
	uint8_t pat_buffer[SECTION_PSI_MAX], sdt_buffer[SECTION_PSI_MAX];
	uint8_t eit_buffer[SECTION_MAX];
	/* numbers of the programs in the sections of the PAT that were read so
	 * far */
	uint16_t numbers[GUIDE_PROGRAMS_MAX];
	size_t n;
	uint8_t next; /* section_number of the section of the PAT that must be
		       * next */
};

struct epg_stream *epg_stream_new(const char *id, int fd, struct guide *guide)
{
	int err;
	bool ok;
	struct ring_reader *ring = ring_reader_new(fd, &err);
	struct epg_stream *s;

	if (ring == NULL) {
		fd_close(&fd);
		return NULL;
	}
	s = xcalloc(1, sizeof *s);
	s->id = xstrdup(id);
	s->guide = guide;
	s->fd = fd;
	s->ring = ring;
	s->pos = ring_reader_pos(ring, &ok) / TS_PACKET * TS_PACKET;
	section_init(&s->pat, s->pat_buffer, sizeof s->pat_buffer);
	section_init(&s->sdt, s->sdt_buffer, sizeof s->sdt_buffer);
	section_init(&s->eit, s->eit_buffer, sizeof s->eit_buffer);
	return s;
}

void epg_stream_free(struct epg_stream **sp)
{
	struct epg_stream *s = *sp;

	*sp = NULL;
	if (s == NULL)
		return;
	ring_reader_free(&s->ring);
	fd_close(&s->fd);
	free(s->id);
	free(s);
}

const char *epg_stream_id(const struct epg_stream *s)
{
	return s->id;
}

uint64_t epg_stream_lost(const struct epg_stream *s)
{
	return s->lost;
}

/* Reads a section of the PAT.  The sections must arrive in the order of their
 * numbers. */
static void read_pat(struct epg_stream *s, const uint8_t *section, size_t len)
{
	struct pat pat;

	if (pat_decode(section, len, &pat) < 0 || !pat.current)
		return;
	if (pat.section_number == 0)
		s->n = s->next = 0;
	if (pat.section_number != s->next)
		return;
	for (size_t i = 0; i < pat.n_programs; i++)
		if (s->n < GUIDE_PROGRAMS_MAX)
			s->numbers[s->n++] = pat.programs[i].number;
	s->next = (uint8_t)(pat.section_number + 1);
	if (pat.section_number == pat.last_section_number)
		guide_set_programs(s->guide, s->id, s->numbers, s->n);
}

static int read_packet(struct epg_stream *s, const uint8_t *packet,
		       int64_t now_s)
{
	uint16_t pid = ts_pid(packet);
	const uint8_t *section;
	size_t len;
	int changes = 0;

	if (pid == TS_PID_PAT) {
		section_push(&s->pat, packet);
		while ((section = section_pull(&s->pat, &len)) != NULL)
			read_pat(s, section, len);
	} else if (pid == SI_PID_SDT) {
		section_push(&s->sdt, packet);
		while ((section = section_pull(&s->sdt, &len)) != NULL)
			changes += guide_take_sdt(s->guide, s->id, section,
						  len);
	} else if (pid == SI_PID_EIT) {
		section_push(&s->eit, packet);
		while ((section = section_pull(&s->eit, &len)) != NULL)
			changes += guide_take_section(s->guide, s->id, section,
						      len, now_s);
	}
	return changes;
}

/* Skips positions that the writer may be about to overwrite, and counts their
 * packets as lost. */
static void skip_lost(struct epg_stream *s, uint64_t end)
{
	uint64_t keep = ring_reader_size(s->ring) / 4 * 3, from = 0;

	if (end > keep)
		from = (end - keep) / TS_PACKET * TS_PACKET;
	if (s->pos >= from)
		return;
	s->lost += (from - s->pos) / TS_PACKET;
	s->pos = from;
	section_reset(&s->pat);
	section_reset(&s->sdt);
	section_reset(&s->eit);
}

int epg_stream_read(struct epg_stream *s, size_t *max, int64_t now_s)
{
	uint8_t block[BLOCK];
	bool ok;
	uint64_t end = ring_reader_pos(s->ring, &ok);
	int changes = 0;
	size_t work;

	if (!ok)
		return -EIO;
	skip_lost(s, end);
	while (s->pos < end && *max > 0) {
		size_t want = (size_t)MIN(end - s->pos, (uint64_t)BLOCK), len;
		off_t at = ring_file_offset(s->ring, s->pos, want, &len);
		ssize_t n = pread(s->fd, block, len, at);

		if (n < TS_PACKET)
			return -EIO;
		n -= n % TS_PACKET;
		for (ssize_t i = 0; i < n && *max > 0; i += TS_PACKET) {
			changes += read_packet(s, block + i, now_s);
			s->pos += TS_PACKET;
			work = TS_PACKET + guide_take_work(s->guide);
			*max -= MIN(*max, work);
		}
	}
	return changes;
}
