/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/filler/play.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/filler/filler.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/psi_lead.h"
#include "worker/ts/section.h"

#include <stdlib.h>
#include <string.h>

enum {
	HZ = 90000,
	BASE = 10 * HZ, /* value of the clock at the start of a stream */
	/* The least lead of a PTS over the clock when its audio is sent, or
	 * when the interval of its picture ends. */
	LEAD_MS = 300,
	/* The approximate duration of a PES of audio. */
	AUDIO_MS = 90,
	/* The highest bit rate of a repeated picture: a larger picture repeats
	 * less often, but at least every PICTURE_LONGEST_MS. */
	PICTURE_BPS = 4000000,
	PICTURE_LONGEST_MS = 1000,
	/* The highest bit rate and longest interval of a repeated picture in a
	 * program of a multiplex; the interval is below the 700 ms between PTS
	 * of TR 101 290 2.5. */
	PART_BPS = 500000,
	PART_LONGEST_MS = 650,
	/* If a call is later, everything continues from now. */
	LATE_MS = 1000,
	/* A PTS that is further ahead of the clock is wrong, and ignored. */
	LEAD_LONGEST = 5 * HZ,
	PES_HEAD = 14,  /* bytes of a PES header with a PTS */
	CHUNK = 128,    /* packets that are passed to out() at a time */
};

struct audio {
	uint16_t pid;
	uint8_t stream_id;
	uint64_t frames;   /* frames sent since origin_ns */
	uint64_t origin_ns; /* time of the first frame that frames counts */
	uint64_t lead; /* 90 kHz: lead of the PTS over the clock */
	unsigned per_pes; /* frames in a PES */
	struct silent silent;
};

struct video {
	uint16_t pid;
	uint8_t stream_id;
	uint8_t *picture;
	size_t len;
	size_t sent;       /* bytes sent of the current repetition */
	uint64_t began_ns; /* start of the current repetition */
	uint64_t every_ns; /* interval between repetitions */
	uint64_t lead;     /* 90 kHz: lead of the PTS over the clock */
	struct clock *clock; /* PCRs on the same PID; NULL: none */
};

/* A PID with PCRs. */
struct clock {
	uint16_t pid;
	uint64_t due_ns; /* time of the next PCR */
};

/* The packets of one section. */
struct packed {
	size_t n;
	uint8_t *data;
};

struct play {
	uint64_t start_ns, base; /* base: the clock at start_ns, 90 kHz */
	bool part;  /* one program of a multiplex, without tables */
	bool holds; /* no further picture begins */
	uint64_t tables_ns; /* time of the next repetition of the tables */
	size_t n_tables;    /* packets in tables */
	uint8_t *tables;    /* packets of PAT and PMTs */
	/* time of the next section of SI; the sections of NIT, SDT and EIT are
	 * sent in turn, all of them within FILLER_SI_MS */
	uint64_t si_ns;
	size_t n_si, next_si; /* sections in si; index of the next to send */
	struct packed si[SI_KEEPER_SECTIONS];

	size_t n_clocks;
	struct clock clocks[FILLER_PROGRAMS_MAX];
	size_t n_videos;
	struct video videos[FILLER_PROGRAMS_MAX];
	size_t n_audio;
	struct audio *audio[FILLER_AUDIO_MAX];

	ts_out_fn *out;             /* valid during play_run() */
	void *arg;
	size_t n_chunk;             /* packets in chunk */
	uint8_t cc[TS_PIDS];        /* last continuity counter of each PID */
	uint8_t chunk[CHUNK * TS_PACKET];
};

/* --- packets --- */

static void flush(struct play *p)
{
	struct ts_run run = { .data = p->chunk, .n = p->n_chunk };

	p->n_chunk = 0;
	if (run.n > 0)
		p->out(&run, 1, p->arg);
}

static uint8_t *append(struct play *p)
{
	if (p->n_chunk == CHUNK)
		flush(p);
	return p->chunk + p->n_chunk++ * TS_PACKET;
}

/* The value of the clock at a time, 90 kHz. */
static uint64_t clock_at(const struct play *p, uint64_t ns)
{
	return (p->base + (ns - p->start_ns) / 1000 * 9 / 100) % PES_TIME_WRAP;
}

/*
 * Appends a packet: its adaptation field has at least `field` bytes behind
 * adaptation_field_length, its payload is as much of data as fits.  Stuffing
 * fills the packet.  Returns the number of bytes of data in the packet.
 */
static size_t put_packet(struct play *p, uint16_t pid, size_t field,
			 const uint8_t *data, size_t len, uint8_t **ret)
{
	uint8_t *to = append(p);
	size_t room = TS_PACKET - 4 - (field > 0 ? 1 + field : 0);
	size_t n = MIN(len, room), head = TS_PACKET - n;

	memset(to, 0xff, TS_PACKET);
	to[0] = TS_SYNC_BYTE;
	to[1] = 0;
	ts_set_pid(to, pid);
	to[3] = (uint8_t)((n > 0 ? 0x10 : 0) | (head > 4 ? 0x20 : 0));
	if (head > 4)
		to[4] = (uint8_t)(head - 5);
	if (head > 5)
		to[5] = 0;
	if (n > 0) {
		memcpy(to + head, data, n);
		p->cc[pid]++;
	}
	ts_set_cc(to, p->cc[pid]);
	*ret = to;
	return n;
}

static void put_pcr(struct play *p, uint8_t *packet, uint64_t ns)
{
	packet[5] |= 0x10;
	packet[10] = 0x7e;
	ts_set_pcr(packet, clock_at(p, ns) * PCR_PER_TICK);
}

static void put_pes_head(uint8_t *head, uint8_t stream_id, size_t payload,
			 uint64_t pts)
{
	size_t len = payload > 0 ? payload + PES_HEAD - 6 : 0;

	memcpy(head, (const uint8_t[]){ 0, 0, 1, stream_id,
					(uint8_t)(len >> 8), (uint8_t)len,
					0x84, 0x80, PES_HEAD - PES_HEADER,
					0x21, 0, 0x01, 0, 0x01 }, PES_HEAD);
	pes_set_time(head + PES_HEADER, pts % PES_TIME_WRAP);
}

/* --- pictures, audio --- */

/* The time of the next packet of the picture: its packets are spread evenly
 * over nine tenths of the interval. */
static uint64_t picture_due_ns(const struct video *v)
{
	return v->began_ns + v->every_ns / 10 * 9 * v->sent / v->len;
}

static void send_picture(struct play *p, struct video *v)
{
	uint64_t pts = clock_at(p, v->began_ns + v->every_ns) + v->lead;
	uint8_t head[PES_HEAD + TS_PACKET], *packet;
	size_t n = MIN(v->len, (size_t)TS_PACKET);

	if (v->sent > 0) {
		v->sent += put_packet(p, v->pid, 0, v->picture + v->sent,
				      v->len - v->sent, &packet);
	} else {
		put_pes_head(head, v->stream_id, 0, pts);
		memcpy(head + PES_HEAD, v->picture, n);
		/* 7 bytes of adaptation field: flags and a PCR */
		n = put_packet(p, v->pid, 7, head, PES_HEAD + n, &packet);
		packet[1] |= 0x40;
		packet[5] |= 0x40; /* random_access_indicator */
		if (v->clock != NULL) {
			put_pcr(p, packet, v->began_ns);
			v->clock->due_ns = v->began_ns + FILLER_PCR_MS * MS;
		}
		v->sent = n - PES_HEAD;
	}
	if (v->sent < v->len)
		return;
	v->sent = 0;
	v->began_ns += v->every_ns;
}

static uint64_t audio_due_ns(const struct audio *a)
{
	uint64_t samples = a->frames * a->silent.samples;
	uint32_t rate = a->silent.rate;

	return a->origin_ns + samples / rate * SECOND_NS +
	       samples % rate * SECOND_NS / rate;
}

static void send_audio(struct play *p, struct audio *a)
{
	size_t frames = a->per_pes, len = PES_HEAD + frames * a->silent.len;
	uint8_t *data = xcalloc(1, len), *packet;
	uint64_t pts = clock_at(p, audio_due_ns(a)) + a->lead;

	put_pes_head(data, a->stream_id, len - PES_HEAD, pts);
	for (size_t i = 0; i < frames; i++)
		memcpy(data + PES_HEAD + i * a->silent.len, a->silent.frame,
		       a->silent.len);
	for (size_t at = 0; at < len;) {
		bool first = at == 0;

		at += put_packet(p, a->pid, 0, data + at, len - at, &packet);
		if (first)
			packet[1] |= 0x40;
	}
	a->frames += frames;
	free(data);
}

/* --- schedule --- */

/* The next task at the time ns.  The pointer that is set shows the task: a
 * section of SI, a packet of a picture, a PCR or a PES of audio; all NULL: the
 * tables.  Of several tasks at the same time, the tables come first, then SI,
 * pictures, PCRs and audio. */
struct due {
	uint64_t ns;
	const struct packed *si;
	struct video *video;
	struct clock *clock;
	struct audio *audio;
};

static struct due find_due(struct play *p)
{
	struct due due = { .ns = p->tables_ns };

	if (p->n_si > 0 && p->si_ns < due.ns)
		due = (struct due){ .ns = p->si_ns,
				    .si = &p->si[p->next_si] };
	/* pictures come before PCRs: the first packet of a picture has the PCR
	 * of its PID */
	for (size_t i = 0; i < p->n_videos; i++)
		if ((!p->holds || p->videos[i].sent > 0) &&
		    picture_due_ns(&p->videos[i]) < due.ns)
			due = (struct due){
				.ns = picture_due_ns(&p->videos[i]),
				.video = &p->videos[i],
			};
	for (size_t i = 0; i < p->n_clocks; i++)
		if (p->clocks[i].due_ns < due.ns)
			due = (struct due){ .ns = p->clocks[i].due_ns,
					    .clock = &p->clocks[i] };
	for (size_t i = 0; i < p->n_audio; i++)
		if (audio_due_ns(p->audio[i]) < due.ns)
			due = (struct due){ .ns = audio_due_ns(p->audio[i]),
					    .audio = p->audio[i] };
	return due;
}

uint64_t play_next_ns(struct play *p)
{
	return find_due(p).ns;
}

/* Skips the missed time after a late call: everything continues from now. */
static void skip(struct play *p, uint64_t now_ns)
{
	if (!p->part)
		p->tables_ns = p->si_ns = now_ns;
	for (size_t i = 0; i < p->n_clocks; i++)
		p->clocks[i].due_ns = now_ns;
	for (size_t i = 0; i < p->n_videos; i++) {
		p->videos[i].began_ns = now_ns;
		p->videos[i].sent = 0;
	}
	for (size_t i = 0; i < p->n_audio; i++) {
		p->audio[i]->origin_ns = now_ns;
		p->audio[i]->frames = 0;
	}
}

static void put_packets(struct play *p, const uint8_t *packets, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t *packet = append(p);

		memcpy(packet, packets + i * TS_PACKET, TS_PACKET);
		ts_set_cc(packet, ++p->cc[ts_pid(packet)]);
	}
}

void play_run(struct play *p, uint64_t now_ns, ts_out_fn *out, void *arg)
{
	struct due due = find_due(p);
	uint8_t *packet;

	p->out = out;
	p->arg = arg;
	if (now_ns > due.ns && now_ns - due.ns > LATE_MS * MS)
		skip(p, now_ns);
	while (due = find_due(p), due.ns <= now_ns) {
		if (due.video != NULL) {
			send_picture(p, due.video);
			continue;
		}
		if (due.clock != NULL) {
			(void)put_packet(p, due.clock->pid, TS_PACKET - 5,
					 NULL, 0, &packet);
			put_pcr(p, packet, due.clock->due_ns);
			due.clock->due_ns += FILLER_PCR_MS * MS;
			continue;
		}
		if (due.audio != NULL) {
			send_audio(p, due.audio);
			continue;
		}
		if (due.si != NULL) {
			put_packets(p, due.si->data, due.si->n);
			p->next_si = (p->next_si + 1) % p->n_si;
			p->si_ns += FILLER_SI_MS * MS / p->n_si;
			continue;
		}
		put_packets(p, p->tables, p->n_tables);
		p->tables_ns += FILLER_TABLES_MS * MS;
	}
	flush(p);
}

/* --- new and free --- */

static void add_section(const struct psi_section *s, uint16_t pid, void *arg)
{
	struct play *p = arg;
	uint8_t cc = 0;

	p->tables = xrealloc(p->tables, (p->n_tables + SECTION_PSI_PACKETS) *
					TS_PACKET);
	p->n_tables += section_pack(s->data, s->len, pid, &cc,
				    p->tables + p->n_tables * TS_PACKET);
}

static struct clock *find_clock(struct play *p, uint16_t pid)
{
	for (size_t i = 0; i < p->n_clocks; i++)
		if (p->clocks[i].pid == pid)
			return &p->clocks[i];
	return NULL;
}

struct play *play_new(const struct psi *psi, const struct si_keeper *si,
		      uint64_t now_ns)
{
	struct play *p = xcalloc(1, sizeof *p);
	const struct psi_program *programs;
	size_t n_programs = psi_programs(psi, &programs);

	p->start_ns = p->tables_ns = p->si_ns = now_ns;
	p->base = BASE;
	psi_lead(psi, add_section, p);
	for (size_t i = 0; i < si->n; i++) {
		const struct si_kept *kept = &si->kept[i];
		struct packed *to = &p->si[p->n_si++];
		uint8_t cc = 0;

		to->data = xcalloc(section_packets(kept->len), TS_PACKET);
		to->n = section_pack(kept->data, kept->len, kept->pid, &cc,
				     to->data);
	}
	for (size_t i = 0; i < n_programs; i++)
		play_add_clock(p, programs[i].pcr_pid);
	return p;
}

struct play *play_new_part(uint64_t base, uint64_t now_ns)
{
	struct play *p = xcalloc(1, sizeof *p);

	p->start_ns = now_ns;
	p->base = base;
	p->part = true;
	p->tables_ns = UINT64_MAX;
	return p;
}

void play_add_clock(struct play *p, uint16_t pid)
{
	if (pid != TS_PID_NULL && p->n_clocks < FILLER_PROGRAMS_MAX &&
	    find_clock(p, pid) == NULL)
		p->clocks[p->n_clocks++] = (struct clock){ pid, p->start_ns };
}

void play_free(struct play **ptr)
{
	struct play *p = *ptr;

	*ptr = NULL;
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->n_audio; i++)
		free(p->audio[i]);
	for (size_t i = 0; i < p->n_videos; i++)
		free(p->videos[i].picture);
	for (size_t i = 0; i < p->n_si; i++)
		free(p->si[i].data);
	free(p->tables);
	free(p);
}

void play_add_picture(struct play *p, const struct picture_keeper *k,
		      uint16_t pid, uint8_t stream_type)
{
	enum { HEVC = 0x24, CRA = 21, BLA_N_LP = 18 };
	struct video *v;
	uint8_t *nal;
	uint64_t ms;

	if (p->n_videos == FILLER_PROGRAMS_MAX)
		return;
	v = &p->videos[p->n_videos++];
	v->picture = xcalloc(1, k->len);
	memcpy(v->picture, k->data, k->len);
	v->len = k->len;
	/* A repeated CRA picture of HEVC would continue the sequence before it,
	 * in which its picture order count was already used.  As a BLA picture
	 * it starts a new sequence. */
	for (size_t i = 3; stream_type == HEVC && i + 1 < v->len; i++) {
		nal = v->picture + i;
		if (nal[-3] == 0 && nal[-2] == 0 && nal[-1] == 1 &&
		    (nal[0] >> 1 & 0x3f) == CRA)
			nal[0] = (uint8_t)((nal[0] & 0x81) | BLA_N_LP << 1);
	}
	v->pid = pid;
	v->stream_id = k->stream_id;
	v->began_ns = p->start_ns;
	v->clock = find_clock(p, pid);
	v->lead = LEAD_MS * (HZ / 1000);
	ms = (uint64_t)v->len * 8 * 1000 / (p->part ? PART_BPS : PICTURE_BPS);
	ms = MAX(ms, 1000 / FILLER_PICTURES_PER_S);
	ms = MIN(ms, (uint64_t)(p->part ? PART_LONGEST_MS
					: PICTURE_LONGEST_MS));
	v->every_ns = ms * MS;
}

void play_add_audio(struct play *p, uint16_t pid, uint8_t stream_id,
		    const struct silent *silent)
{
	struct audio *a;

	if (p->n_audio == FILLER_AUDIO_MAX)
		return;
	a = xcalloc(1, sizeof *a);
	a->pid = pid;
	a->stream_id = stream_id;
	a->origin_ns = p->start_ns;
	a->silent = *silent;
	a->lead = LEAD_MS * (HZ / 1000);
	a->per_pes = MAX(1, silent->rate * AUDIO_MS / 1000 / silent->samples);
	p->audio[p->n_audio++] = a;
}

/* The lead over the clock (90 kHz) that makes the next PTS greater than this
 * one.  now: the value of the clock; 0: the PTS is behind the clock, or
 * wrong. */
static uint64_t lead_behind(uint64_t pts, uint64_t now)
{
	uint64_t lead = (pts + PES_TIME_WRAP - now) % PES_TIME_WRAP;

	return lead > LEAD_LONGEST ? 0 : lead + 1;
}

void play_follow_pts(struct play *p, uint16_t pid, uint64_t pts)
{
	for (size_t i = 0; i < p->n_videos; i++)
		if (p->videos[i].pid == pid)
			p->videos[i].lead = MAX(p->videos[i].lead, lead_behind(
				pts, clock_at(p, p->start_ns)));
	for (size_t i = 0; i < p->n_audio; i++)
		if (p->audio[i]->pid == pid)
			p->audio[i]->lead = MAX(p->audio[i]->lead, lead_behind(
				pts + HZ / 20, clock_at(p, p->start_ns)));
}

/* The number of packets of a PES with a payload of len bytes. */
static uint64_t packets_for(size_t len)
{
	enum { ROOM = TS_PACKET - 4 };

	return (PES_HEAD + len + ROOM - 1) / ROOM;
}

static uint64_t picture_rate(const struct play *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->n_videos; i++) {
		const struct video *v = &p->videos[i];

		sum += packets_for(v->len) * SECOND_NS / v->every_ns;
	}
	return sum;
}

uint64_t play_rate(const struct play *p)
{
	uint64_t sum = p->n_clocks * (1000 / FILLER_PCR_MS) + picture_rate(p);

	for (size_t i = 0; i < p->n_audio; i++) {
		const struct audio *a = p->audio[i];

		sum += packets_for(a->per_pes * a->silent.len) *
		       a->silent.rate / (a->per_pes * a->silent.samples);
	}
	return sum;
}

bool play_limit(struct play *p, uint64_t rate)
{
	uint64_t pictures = picture_rate(p), all = play_rate(p);
	uint64_t room = rate - MIN(rate, all - pictures);

	if (all <= rate || p->n_videos == 0)
		return true;
	for (size_t i = 0; i < p->n_videos; i++) {
		struct video *v = &p->videos[i];
		uint64_t ms = PLAY_LONGEST_MS;

		if (room > 0)
			ms = MIN(ms, v->every_ns / MS * pictures / room + 1);
		v->every_ns = ms * MS;
	}
	return play_rate(p) <= rate;
}

void play_hold_pictures(struct play *p, bool hold, uint64_t now_ns)
{
	for (size_t i = 0; i < p->n_videos && p->holds && !hold; i++)
		if (p->videos[i].sent == 0)
			p->videos[i].began_ns = MAX(p->videos[i].began_ns,
						    now_ns);
	p->holds = hold;
}

bool play_is_whole(const struct play *p)
{
	size_t i = 0;

	while (i < p->n_videos && p->videos[i].sent == 0)
		i++;
	return i == p->n_videos;
}
