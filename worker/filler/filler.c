/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/filler/filler.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "worker/filler/picture.h"
#include "worker/filler/play.h"
#include "worker/filler/si_keeper.h"
#include "worker/filler/silent.h"
#include "worker/ts/audio.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/pes_head.h"
#include "worker/ts/rap.h"

#include <stdlib.h>
#include <string.h>

/* The parameters of an audio PID. */
struct audio_pid {
	uint16_t pid;
	uint8_t stream_id;
	size_t len;                    /* bytes of sample */
	uint8_t sample[SILENT_SAMPLE]; /* the start of a frame */
	bool has_pts;
	uint64_t pts;                  /* 90 kHz: the last PTS */
};

/* The last picture on a video PID. */
struct video_pid {
	uint16_t pid;
	uint16_t number; /* program_number of its program */
	uint8_t coding;  /* psi_coding() of the picture */
	struct rap rap;
	struct picture_keeper picture;
	bool has_pts;
	uint64_t pts; /* 90 kHz: the highest PTS; see PTS_BACK */
};

/* 90 kHz: a PTS that is further behind the highest one shows that the clock has
 * jumped, and replaces it. */
enum { PTS_BACK = 5 * 90000 };

struct filler {
	const struct psi *psi;
	const uint64_t *pids; /* PIDs whose pictures are kept; NULL: all */
	uint32_t changes;   /* psi_changes() when the PIDs were looked up */
	size_t n_videos;
	struct video_pid videos[FILLER_PROGRAMS_MAX];
	/* The last video that the tables no longer list.  Its picture is kept,
	 * because a new PAT may arrive before its PMTs. */
	struct video_pid gone;
	size_t n_audio;
	struct audio_pid audio[FILLER_TRACKS_MAX];
	struct pes_reader reader; /* reads the PTS of audio and videos */
	struct si_keeper si;
	struct play *play;  /* generates packets; NULL: stopped */
};

struct filler *filler_new(const struct psi *psi)
{
	struct filler *f = xcalloc(1, sizeof *f);

	f->psi = psi;
	return f;
}

void filler_limit(struct filler *f, const uint64_t pids[TS_PIDS / 64])
{
	f->pids = pids;
}

void filler_free(struct filler **ptr)
{
	struct filler *f = *ptr;

	*ptr = NULL;
	if (f == NULL)
		return;
	for (size_t i = 0; i < f->n_videos; i++)
		picture_keeper_done(&f->videos[i].picture);
	picture_keeper_done(&f->gone.picture);
	si_keeper_done(&f->si);
	play_free(&f->play);
	free(f);
}

/* --- the output --- */

static struct video_pid *find_video(struct filler *f, uint16_t pid)
{
	for (size_t i = 0; i < f->n_videos; i++)
		if (f->videos[i].pid == pid)
			return &f->videos[i];
	return NULL;
}

static bool has(const uint64_t *set, uint16_t pid)
{
	return set[pid / 64] >> pid % 64 & 1;
}

/* Gives a new video the last picture of a former video of the same coding in
 * its program: the PID of the video has changed.  single: the new video is in
 * the only program, which may have another number than the former one. */
static void inherit(struct video_pid *v, struct video_pid *old, size_t n_old,
		    bool single)
{
	for (size_t i = 0; i < n_old; i++) {
		struct picture_keeper *k = &old[i].picture;

		if (k->data == NULL || old[i].coding != v->coding ||
		    (!single && old[i].number != v->number))
			continue;
		v->picture = (struct picture_keeper){
			.data = k->data, .len = k->len, .size = k->size,
			.stream_id = k->stream_id };
		k->data = NULL;
		return;
	}
}

/* Moves the video with this PID from the former list to the present one, and
 * drops its picture if its coding has changed.  Returns the video; NULL: the
 * PID is new. */
static struct video_pid *keep_video(struct filler *f, struct video_pid *old,
				    size_t n_old, uint16_t pid)
{
	struct video_pid *v;

	for (size_t i = 0; i < n_old; i++) {
		if (old[i].pid != pid)
			continue;
		v = &f->videos[f->n_videos++];
		*v = old[i];
		old[i] = (struct video_pid){ .pid = TS_PID_NULL };
		if (v->coding != psi_coding(f->psi, pid))
			picture_keeper_done(&v->picture);
		return v;
	}
	return NULL;
}

/* Updates the list of videos after a change of the tables: it has the first
 * video of each program. */
static void look_up_videos(struct filler *f)
{
	struct video_pid old[FILLER_PROGRAMS_MAX], *v;
	const struct psi_program *programs;
	size_t n = psi_programs(f->psi, &programs), n_old = f->n_videos;

	f->changes = psi_changes(f->psi);
	memcpy(old, f->videos, n_old * sizeof *old);
	f->n_videos = 0;
	for (size_t i = 0; i < n; i++) {
		v = programs[i].video_pid != TS_PID_NULL
			    ? keep_video(f, old, n_old, programs[i].video_pid)
			    : NULL;
		if (v == NULL)
			continue;
		v->number = programs[i].number;
		v->coding = psi_coding(f->psi, v->pid);
	}
	for (size_t i = 0; i < n && f->n_videos < FILLER_PROGRAMS_MAX; i++) {
		uint16_t pid = programs[i].video_pid;

		if (pid == TS_PID_NULL || find_video(f, pid) != NULL ||
		    (f->pids != NULL && !has(f->pids, pid)))
			continue;
		v = &f->videos[f->n_videos++];
		*v = (struct video_pid){ .pid = pid,
					 .number = programs[i].number,
					 .coding = psi_coding(f->psi, pid) };
		inherit(v, old, n_old, n == 1);
		if (v->picture.data == NULL)
			inherit(v, &f->gone, 1, n == 1);
	}
	for (size_t i = 0; i < n_old; i++) {
		if (old[i].picture.data == NULL) {
			picture_keeper_done(&old[i].picture);
			continue;
		}
		picture_keeper_done(&f->gone.picture);
		f->gone = old[i];
	}
}

/* Returns the record of an audio PID, a new one if needed.  NULL: all records
 * are those of audio PIDs in the tables. */
static struct audio_pid *find_audio(struct filler *f, uint16_t pid)
{
	struct audio_pid *h = f->audio, *end = f->audio + f->n_audio;

	while (h < end && h->pid != pid)
		h++;
	if (h < end)
		return h;
	if (f->n_audio < FILLER_TRACKS_MAX) {
		f->n_audio++;
	} else {
		h = f->audio;
		while (h < end && psi_class(f->psi, h->pid) == PID_AUDIO)
			h++;
		if (h == end)
			return NULL;
	}
	*h = (struct audio_pid){ .pid = pid };
	return h;
}

/* Keeps the start of the first frame in the packet, in which a PES begins.
 * unit: stream_id of the PES and the offset of its data; pts: NULL if it has
 * none. */
static void keep_sample(struct filler *f, const uint8_t *packet,
			const struct pes_stamps *unit, const uint64_t *pts)
{
	const uint8_t *end = packet + TS_PACKET;
	const uint8_t *p = packet + MIN(unit->data, (size_t)TS_PACKET);

	for (; end - p >= AUDIO_HEAD; p++) {
		struct audio_frame frame;
		struct audio_pid *h;

		/* a frame with all parameters of its coding; LATM may have
		 * them in another frame (useSameStreamMux) */
		if (!audio_frame_parse(p, &frame) || frame.samples == 0 ||
		    (frame.codec == AUDIO_LATM && p[3] & 0x80))
			continue;
		h = find_audio(f, ts_pid(packet));
		if (h == NULL)
			return;
		h->stream_id = unit->stream_id;
		if (pts != NULL) {
			h->has_pts = true;
			h->pts = *pts;
		}
		h->len = MIN((size_t)(end - p), sizeof h->sample);
		memcpy(h->sample, p, h->len);
		return;
	}
}

static void take_audio(struct filler *f, const uint8_t *packet)
{
	struct pes_stamps unit;
	const uint8_t *pes;
	size_t len;

	switch (pes_reader_take(&f->reader, packet, &unit)) {
	case PES_READ:
		keep_sample(f, packet, &unit, &unit.pts);
		return;
	case PES_WAITS:
		return;
	case PES_NONE:
		break;
	}
	pes = pes_find(packet, &len);
	if (pes == NULL)
		return;
	unit = (struct pes_stamps){
		.data = TS_PACKET - len + PES_HEADER + pes[8],
		.stream_id = pes[3],
	};
	keep_sample(f, packet, &unit, NULL);
}

/* Notes the highest PTS of the video, because pictures are not sent in the
 * order of their PTS. */
static void keep_pts(struct filler *f, struct video_pid *v,
		     const uint8_t *packet)
{
	struct pes_stamps unit;
	uint64_t pts;

	if (pes_reader_take(&f->reader, packet, &unit) != PES_READ)
		return;
	pts = unit.pts;
	if (!v->has_pts || wrap_diff(pts, v->pts, PES_TIME_WRAP) > 0 ||
	    wrap_diff(pts, v->pts, PES_TIME_WRAP) < -PTS_BACK)
		v->pts = pts;
	v->has_pts = true;
}

void filler_feed(struct filler *f, const struct ts_run *runs, size_t n_runs)
{
	if (psi_changes(f->psi) != f->changes)
		look_up_videos(f);
	for (size_t i = 0; i < n_runs; i++) {
		const uint8_t *p = runs[i].data;
		const uint8_t *end = p + runs[i].n * TS_PACKET;

		for (; p < end; p += TS_PACKET) {
			uint16_t pid = ts_pid(p);
			enum pid_class class = psi_class(f->psi, pid);
			struct video_pid *s;

			si_keeper_feed(&f->si, p);
			if (class == PID_AUDIO &&
			    (ts_pusi(p) || f->reader.n > 0))
				take_audio(f, p);
			s = class == PID_VIDEO ? find_video(f, pid) : NULL;
			if (s == NULL)
				continue;
			if (ts_pusi(p) || f->reader.n > 0)
				keep_pts(f, s, p);
			rap_follow(&s->rap, pid,
				   psi_coding(f->psi, pid), PID_VIDEO);
			picture_keeper_feed(&s->picture, p,
					    rap_feed(&s->rap, p));
		}
	}
}

static const struct audio_pid *find_sample(const struct filler *f,
					   uint16_t pid)
{
	for (size_t i = 0; i < f->n_audio; i++)
		if (f->audio[i].pid == pid)
			return &f->audio[i];
	return NULL;
}

bool filler_is_ready(const struct filler *f)
{
	const struct psi_program *main = psi_main_program(f->psi);
	struct silent silent;
	struct pmt pmt;

	if (main == NULL)
		return false;
	for (size_t i = 0; i < f->n_videos; i++)
		if (f->videos[i].pid == main->video_pid)
			return f->videos[i].picture.data != NULL;
	if (main->pmt.data == NULL ||
	    pmt_decode(main->pmt.data, main->pmt.len, &pmt) < 0)
		return false;
	for (size_t i = 0; i < f->n_audio; i++) {
		const struct audio_pid *h = &f->audio[i];
		size_t k = 0;

		while (k < pmt.n_streams && pmt.streams[k].pid != h->pid)
			k++;
		if (k < pmt.n_streams &&
		    silent_make(h->sample, h->len, &silent))
			return true;
	}
	return false;
}

void filler_start(struct filler *f, uint64_t now_ns)
{
	play_free(&f->play);
	f->play = play_new(f->psi, &f->si, now_ns);
	for (size_t i = 0; i < f->n_videos; i++)
		if (f->videos[i].picture.data != NULL)
			play_add_picture(f->play, &f->videos[i].picture,
					 f->videos[i].pid,
					 psi_coding(f->psi, f->videos[i].pid));
	for (size_t i = 0; i < f->n_audio; i++) {
		const struct audio_pid *h = &f->audio[i];
		struct silent silent;

		if (psi_class(f->psi, h->pid) == PID_AUDIO &&
		    silent_make(h->sample, h->len, &silent))
			play_add_audio(f->play, h->pid, h->stream_id, &silent);
	}
}

void filler_stop(struct filler *f)
{
	play_free(&f->play);
}

void filler_run(struct filler *f, uint64_t now_ns, ts_out_fn *out, void *arg)
{
	if (f->play != NULL)
		play_run(f->play, now_ns, out, arg);
}

uint64_t filler_next_ns(const struct filler *f)
{
	return f->play != NULL ? play_next_ns(f->play) : UINT64_MAX;
}

/* --- a program of a multiplex --- */

bool filler_pts(const struct filler *f, uint16_t pid, uint64_t *ret)
{
	const struct audio_pid *a = find_sample(f, pid);

	for (size_t i = 0; i < f->n_videos; i++)
		if (f->videos[i].pid == pid && f->videos[i].has_pts) {
			*ret = f->videos[i].pts;
			return true;
		}
	if (a == NULL || !a->has_pts)
		return false;
	*ret = a->pts;
	return true;
}

/* The first video of a program; NULL: there is none, or it has no picture
 * yet. */
static const struct video_pid *program_video(const struct filler *f,
					     const struct psi_program *p)
{
	for (size_t i = 0; i < f->n_videos; i++)
		if (f->videos[i].pid == p->video_pid &&
		    f->videos[i].picture.data != NULL)
			return &f->videos[i];
	return NULL;
}

static bool program_pmt(const struct filler *f, uint16_t number,
			const struct psi_program **ret, struct pmt *ret_pmt)
{
	*ret = psi_program_find(f->psi, number);
	return *ret != NULL && (*ret)->pmt.data != NULL &&
	       pmt_decode((*ret)->pmt.data, (*ret)->pmt.len, ret_pmt) == 0;
}

bool filler_has_program(const struct filler *f, uint16_t number)
{
	const struct psi_program *program;
	struct silent silent;
	struct pmt pmt;

	if (!program_pmt(f, number, &program, &pmt))
		return false;
	if (program->video_pid != TS_PID_NULL)
		return program_video(f, program) != NULL;
	for (size_t i = 0; i < pmt.n_streams; i++) {
		const struct audio_pid *a = find_sample(f, pmt.streams[i].pid);

		if (a != NULL && silent_make(a->sample, a->len, &silent))
			return true;
	}
	return false;
}

static void add_audio(const struct filler *f, const struct pmt *pmt,
		      const uint64_t *pids, struct play *play)
{
	struct silent silent;

	for (size_t i = 0; i < pmt->n_streams; i++) {
		uint16_t pid = pmt->streams[i].pid;
		const struct audio_pid *a = find_sample(f, pid);

		if (a == NULL || !has(pids, pid) ||
		    psi_class(f->psi, pid) != PID_AUDIO ||
		    !silent_make(a->sample, a->len, &silent))
			continue;
		play_add_audio(play, pid, a->stream_id, &silent);
		if (a->has_pts)
			play_follow_pts(play, pid, a->pts);
	}
}

struct play *filler_play(const struct filler *f, uint16_t number,
			 const uint64_t pids[TS_PIDS / 64], uint64_t base,
			 uint64_t now_ns)
{
	const struct psi_program *program;
	const struct video_pid *v;
	struct play *play;
	struct pmt pmt;

	if (!filler_has_program(f, number) ||
	    !program_pmt(f, number, &program, &pmt))
		return NULL;
	play = play_new_part(base, now_ns);
	if (has(pids, program->pcr_pid))
		play_add_clock(play, program->pcr_pid);
	v = program_video(f, program);
	if (v != NULL && has(pids, v->pid)) {
		play_add_picture(play, &v->picture, v->pid,
				 psi_coding(f->psi, v->pid));
		if (v->has_pts)
			play_follow_pts(play, v->pid, v->pts);
	}
	add_audio(f, &pmt, pids, play);
	return play;
}
