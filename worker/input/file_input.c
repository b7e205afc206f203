/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Input from a file, in real time.  A thread reads it (file_reader.h), because
 * its disk may not answer.
 *
 * Packets are read ahead up to the next PCR, so that the time of each is
 * known.  A looped file is one stream without an end: counters and time stamps
 * continue over the seam.  The files of a list are sources in sequence: each is
 * entered as another input would be, where a decoder can begin, with its tables
 * in front.
 */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "worker/input/file_clock.h"
#include "worker/input/file_errors.h"
#include "worker/input/file_reader.h"
#include "worker/input/input_type.h"
#include "worker/input/lap.h"
#include "worker/input/lap_tail.h"
#include "worker/ts/fifo.h"
#include "worker/splice/splice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* A file that does not answer for this time is closed. */
	MUTE_MS = 5000,
	/* The most packets without a PCR that are read ahead. */
	AHEAD_MAX = 4096,
	/* The most packets and blocks of the file in one file_read(). */
	TURN_MAX = 1024,
	TURN_BLOCKS = 8,
	/* After this many bytes without a packet the input fails as not a
	 * transport stream.  A file of a list without a packet adds
	 * NOTHING_FILE bytes, however short it is. */
	NOTHING_MAX = 8 * 1024 * 1024,
	NOTHING_FILE = 64 * 1024,
	/* In a file of a list without PCRs the search for a switch point ends
	 * after this many packets. */
	ENTRY_MAX = 32768,
	/* The longest pause between two files of a list. */
	JOIN_PAUSE_MS = 1000,
};

struct file_input {
	struct input base;
	struct file_reader *reader;
	bool ended;           /* the last block of the reader was read */
	struct lap lap;       /* measures the file from its start */
	/* start of the file, on the media clock of a list */
	uint64_t began_ns;
	uint64_t media_ns;    /* last packet that was read, on that clock */
	/* packets taken from the fifo since the opening */
	uint64_t sent;
	struct ts_sync sync;
	/* joins laps and files; NULL: neither a loop nor a list */
	struct splice *splice;
	/* finds the packet at which a file of a list starts; NULL: no list */
	struct switch_point *entry;
	/* waits for the packet at which the file of a list is entered */
	bool entering;
	char *path;            /* the file of a list that is read, or NULL */
	bool shown;            /* a packet of the file `path' was played */
	bool shown_any;        /* a packet of any file was played */
	struct file_errors errors; /* errors of a list's files */
	struct errmsg error;   /* the files that cannot be played; "": none */
	uint64_t unplayable_s; /* seconds with a file that cannot be played */
	/* media clock at which the video of the previous file ends; 0:
	 * unknown */
	uint64_t units_ns;
	/* the last packets read of a loop or list, which may be the end of the
	 * file */
	struct fifo ahead;
	struct fifo fifo; /* packets that wait for their time */
	struct file_clock clock;
	unsigned blocks;      /* blocks read in this file_read() */
	/* bytes read since the last packet, over all files */
	uint64_t idle_bytes;
};

/* Ends a file of a list: the search begins for a packet of the next file at
 * which a decoder can start.  A file without such a packet ends that search:
 * the next file is played from its first packet. */
static void cut(struct file_input *f)
{
	if (f->entering && f->lap.packets > 0) {
		/* The file had no switch point.  The next file may have none
		 * either, so it is played from its first packet. */
		splice_cut(f->splice, NULL, false, f->media_ns);
		f->entering = false;
		return;
	}
	if (!f->entering) {
		uint16_t pid = psi_main_pid(splice_psi(f->splice));
		uint64_t packets_ns = lap_clock_ns(&f->lap);
		uint64_t units_ns = lap_track_ns(&f->lap, pid);

		if (packets_ns == 0)
			packets_ns = lap_length(&f->lap) * 100000 / 9;
		f->units_ns = units_ns > 0 ? f->began_ns + units_ns : 0;
		f->media_ns = MAX(f->media_ns, f->began_ns + packets_ns);
		f->began_ns = f->media_ns;
	}
	switch_point_reset(f->entry);
	switch_point_want(f->entry, SWITCH_POINT_WAIT_MS, f->media_ns);
	f->entering = true;
}

static int fail_nothing(const char *path, struct errmsg *error)
{
	return errmsg_fail(error, -EINVAL, "%s: the file contains no transport "
			   "stream", path);
}

/* Notes or removes the error of a file of a list, at its end. */
static void judge_file(struct file_input *f)
{
	if (f->lap.packets == 0) {
		file_errors_note(&f->errors, f->path, "the file contains no "
				 "transport stream",
				 false);
		f->idle_bytes += NOTHING_FILE;
	} else if (f->entering) {
		file_errors_note(&f->errors, f->path,
				 "the file has no picture at which decoding "
				 "can start", false);
	} else {
		file_errors_clear(&f->errors, f->path, true);
	}
}

/* Ends a file or lap, and resets the input for the next one. */
static void end_file(struct file_input *f)
{
	if (f->base.spec->list)
		cut(f);
	else if (f->base.spec->loop)
		splice_shift(f->splice, lap_length(&f->lap));
	free(f->path);
	f->path = NULL;
	f->lap = (struct lap){ 0 };
	ts_sync_reset(&f->sync);
}

static void push(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct file_input *f = arg;

	for (size_t i = 0; i < n_runs; i++)
		(void)fifo_push(&f->fifo, runs[i]);
}

/* The time from the arrival of the access unit at which a decoder starts, in
 * `from', to its decoding.  Its PES header may continue in packets that follow
 * `one' in f->ahead. */
static uint64_t find_lead_ns(const struct file_input *f,
			     const struct ts_run *one,
			     const struct ts_run *from, size_t n)
{
	struct ts_run ahead = fifo_run(&f->ahead);
	const uint8_t *next = one->data + TS_PACKET;
	struct ts_run runs[3] = { from[0], from[n - 1] };

	runs[n].data = next;
	runs[n].n = ahead.n - (size_t)(next - ahead.data) / TS_PACKET;
	return lap_lead_ns(&f->lap, runs, n + 1);
}

/*
 * Is the file played from this packet on, or from an earlier packet that
 * waited for it?  Then ret has the packets and *ret_n the number of runs.
 * Packets before the place where a decoder can start are dropped, with their
 * time.
 */
static bool enter(struct file_input *f, const struct ts_run *one,
		  struct ts_run ret[2], size_t *ret_n)
{
	const uint64_t pause_ns = JOIN_PAUSE_MS * MS;
	uint64_t head_ns = lap_pcr_ns(&f->lap), start_ns = f->began_ns, lead_ns;

	ret[0] = *one;
	*ret_n = 1;
	if (switch_point_feed(f->entry, one, 1, f->media_ns, ret, ret_n)) {
		/* The video of this file follows the video of the previous
		 * file, but starts only after the packets of that file. */
		lead_ns = find_lead_ns(f, one, ret, *ret_n);
		if (f->units_ns >= start_ns + lead_ns)
			start_ns = MIN(f->units_ns - lead_ns,
				       start_ns + pause_ns);
		switch_point_shift(f->entry, f->media_ns, start_ns);
		f->began_ns = start_ns - head_ns;
		f->media_ns = start_ns;
		splice_cut(f->splice, f->entry, false, start_ns);
	} else if (f->lap.packets == ENTRY_MAX && !f->lap.has_pcr) {
		splice_cut(f->splice, NULL, false, f->media_ns);
	} else {
		return false;
	}
	f->entering = false;
	return true;
}

/* Plays packets of a list.  The splice gets the time of the media, because
 * packets are read ahead. */
static void join(struct file_input *f, const struct ts_run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		const struct ts_run one = { run->data + i * TS_PACKET, 1 };
		struct ts_run from[2] = { one };
		size_t n = 1;

		lap_feed(&f->lap, one.data);
		f->media_ns = f->began_ns + lap_pcr_ns(&f->lap);
		if (f->entering && !enter(f, &one, from, &n))
			continue;
		if (!f->shown) {
			f->shown = f->shown_any = true;
			file_errors_clear(&f->errors, f->path, false);
		}
		splice_feed(f->splice, from, n, f->media_ns);
	}
}

/* Plays the oldest n packets of f->ahead. */
static void play_ahead(struct file_input *f, size_t n, uint64_t now_ns)
{
	struct ts_run run = { fifo_run(&f->ahead).data, n };

	if (n == 0)
		return;
	if (f->base.spec->list) {
		join(f, &run);
	} else {
		for (size_t i = 0; i < n; i++)
			lap_feed(&f->lap, run.data + i * TS_PACKET);
		splice_feed(f->splice, &run, 1, now_ns);
	}
	fifo_drop(&f->ahead, n);
}

static size_t ahead_of_tail(const struct file_input *f)
{
	size_t n = fifo_len(&f->ahead);

	return n - MIN(n, (size_t)LAP_TAIL_PACKETS);
}

/* Plays the last packets of a file, without the access units that its end
 * cuts. */
static void play_tail(struct file_input *f, uint64_t now_ns)
{
	size_t n = fifo_len(&f->ahead);

	if (n == 0)
		return;
	n = lap_tail_trim(f->ahead.memory + f->ahead.head * TS_PACKET, n);
	play_ahead(f, n, now_ns);
	fifo_drop(&f->ahead, fifo_len(&f->ahead));
}

static void take_block(struct file_input *f, const struct file_block *b,
		       uint64_t now_ns)
{
	struct ts_run run;

	f->blocks++;
	ts_sync_push(&f->sync, b->data, b->len);
	f->idle_bytes += b->len;
	while (ts_sync_pull(&f->sync, &run)) {
		f->idle_bytes = 0;
		if (f->splice != NULL) {
			(void)fifo_push(&f->ahead, run);
			play_ahead(f, ahead_of_tail(f), now_ns);
			continue;
		}
		for (size_t i = 0; i < run.n; i++)
			lap_feed(&f->lap, run.data + i * TS_PACKET);
		push(&run, 1, f);
	}
}

/* Takes the next block; its packets end up in the fifo.  0; -EAGAIN: no block
 * is ready, or TURN_BLOCKS were taken in this call; another -errno with
 * error. */
static int read_on(struct file_input *f, uint64_t now_ns, struct errmsg *error)
{
	const struct file_block *b = file_reader_peek(f->reader);
	const struct input_spec *spec = f->base.spec;
	int r = 0;

	if (b == NULL || f->blocks >= TURN_BLOCKS)
		return -EAGAIN;
	switch (b->kind) {
	case FILE_BLOCK_DATA:
		take_block(f, b, now_ns);
		break;
	case FILE_BLOCK_BEGIN:
		if (b->at == 0)
			file_errors_round(&f->errors);
		f->path = xstrdup((const char *)b->data);
		f->shown = false;
		file_errors_meet(&f->errors, f->path);
		break;
	case FILE_BLOCK_END:
		play_tail(f, now_ns);
		if (spec->list)
			judge_file(f);
		if (f->lap.packets == 0 && !spec->list)
			r = fail_nothing(spec->path, error);
		else
			end_file(f);
		break;
	case FILE_BLOCK_SKIP: /* the file cannot be read to its end */
		play_tail(f, now_ns);
		if (b->at == 0 && f->path == NULL)
			file_errors_round(&f->errors);
		file_errors_note(&f->errors, (const char *)b->data,
				 b->error.text, f->path != NULL && f->shown);
		if (f->path != NULL)
			end_file(f);
		break;
	case FILE_BLOCK_LAST:
		f->ended = true;
		break;
	case FILE_BLOCK_ERROR:
		*error = b->error;
		return b->err;
	}
	file_reader_drop(f->reader);
	if (r == 0 && f->idle_bytes > NOTHING_MAX)
		r = fail_nothing(spec->path, error);
	return r;
}

/* Reads ahead until the times of more packets are known.  0; -EAGAIN: they were
 * not read yet; -ENODATA with error: the end; another -errno with error. */
static int look_ahead(struct file_input *f, uint64_t now_ns,
		      struct errmsg *error)
{
	for (;;) {
		struct ts_run run = fifo_run(&f->fifo);
		size_t seen = (size_t)(f->clock.pcr.packets - f->sent);

		while (seen < run.n && seen < AHEAD_MAX) {
			const uint8_t *packet = run.data + seen * TS_PACKET;

			seen++;
			if (file_clock_feed(&f->clock, packet)) {
				file_clock_advance(&f->clock, now_ns, false);
				return 0;
			}
		}
		if (seen >= AHEAD_MAX || (f->ended && seen > 0)) {
			file_clock_advance(&f->clock, now_ns, true);
			return 0;
		}
		if (f->ended)
			return errmsg_fail(error, -ENODATA, "end of file");

		int r = read_on(f, now_ns, error);

		if (r < 0)
			return r;
	}
}

static int file_read(struct input *in, struct batch *batch, uint64_t now_ns,
		     struct errmsg *error)
{
	struct file_input *f = container_of(in, struct file_input, base);
	size_t turn = 0;

	f->blocks = 0;
	while (turn < TURN_MAX) {
		uint64_t due = file_clock_due(&f->clock, now_ns);
		struct ts_run run = fifo_run(&f->fifo);

		run.n = (size_t)(due - f->sent);
		if (run.n > 0) {
			batch_add(batch, run);
			batch_flush(batch);
			fifo_drop(&f->fifo, run.n);
			f->sent += run.n;
			turn += run.n;
		}
		if (f->sent < f->clock.to)
			break;

		int r = look_ahead(f, now_ns, error);

		if (r == -EAGAIN)
			break;
		if (r < 0)
			return r;
		if (f->clock.from_ns > now_ns)
			break;
	}
	return turn > 0;
}

static int file_every_second(struct input *in, uint64_t now_ns,
			     struct errmsg *error)
{
	struct file_input *f = container_of(in, struct file_input, base);

	fifo_trim(&f->fifo);
	/* a list of which no file was played fails as a whole: single files are
	 * not logged */
	if (f->shown_any)
		file_errors_log(&f->errors);
	f->error.text[0] = '\0';
	f->unplayable_s += file_errors_text(&f->errors, &f->error);
	if (file_reader_waits_ms(f->reader, now_ns) < MUTE_MS)
		return 0;
	return errmsg_fail(error, -ETIMEDOUT, "%s: the disk does not answer",
			   f->base.spec->path);
}

static bool file_hangs(const struct input *in, uint64_t now_ns)
{
	const struct file_input *f =
		container_of(in, const struct file_input, base);

	return file_reader_waits_ms(f->reader, now_ns) > FILE_HANGS_MS;
}

static void file_counters(const struct input *in, struct input_counters *ret)
{
	const struct file_input *f =
		container_of(in, const struct file_input, base);

	*ret = (struct input_counters){
		.sync_losses = f->sync.sync_losses,
		.bad_sync = f->sync.bad_sync,
		.unplayable = f->unplayable_s,
	};
}

static const char *file_error(const struct input *in)
{
	const struct file_input *f =
		container_of(in, const struct file_input, base);

	return f->error.text[0] != '\0' ? f->error.text : NULL;
}

static void file_free(struct input *in)
{
	struct file_input *f = container_of(in, struct file_input, base);

	file_reader_free(&f->reader);
	fifo_done(&f->fifo);
	fifo_done(&f->ahead);
	splice_free(&f->splice);
	switch_point_free(&f->entry);
	file_errors_done(&f->errors);
	free(f->path);
	free(f);
}

static const struct input_ops file_ops = {
	.free = file_free,
	.read = file_read,
	.every_second = file_every_second,
	.counters = file_counters,
	.hangs = file_hangs,
	.never_silent = true,
	.error = file_error,
};

struct input *file_input_open(const struct input_spec *spec, uint64_t now_ns,
			      int *ret_err, struct errmsg *error)
{
	struct file_reader *reader =
		file_reader_new(spec->path, spec->loop, spec->list, ret_err);
	struct file_input *f;

	if (reader == NULL) {
		(void)errmsg_fail(error, *ret_err, "no thread: %s",
				  strerror(-*ret_err));
		return NULL;
	}
	f = xcalloc(1, sizeof *f);
	f->base = (struct input){ .ops = &file_ops, .spec = spec, .fd = -1 };
	f->reader = reader;
	f->began_ns = f->media_ns = now_ns;
	if (spec->loop || spec->list)
		f->splice = splice_new(&(struct splice_config){
			.out = push, .arg = f, .keep_jumps = true,
		});
	if (spec->list)
		f->entry = switch_point_new(NULL);
	ts_sync_init(&f->sync, TS_SYNC_STREAM);
	file_clock_init(&f->clock, now_ns);
	return &f->base;
}
