/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/input_keeper.h"

#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void init(struct input_keeper *k, const char *label)
{
	*k = (struct input_keeper){ .spec.ring = -1 };
	if (label != NULL)
		(void)snprintf(k->label, sizeof k->label, "%s", label);
}

void input_keeper_init(struct input_keeper *k, const char *label,
		       const char *address)
{
	init(k, label);
	/* the master has reported unknown options */
	k->valid =
		input_spec_parse(address, &k->spec, NULL, NULL, &k->error) == 0;
	k->linked = k->valid && !input_kind_is_link(k->spec.kind);
	if (!k->valid && k->label[0] != '\0')
		log_error("stream", "%s: %s", k->label, k->error.text);
}

void input_keeper_init_spec(struct input_keeper *k, const char *label,
			    const struct input_spec *spec)
{
	init(k, label);
	k->spec = *spec;
	k->valid = true;
	k->linked = !input_kind_is_link(spec->kind);
}

static void add(struct input_counters *to, const struct input_counters *now,
		const struct input_counters *before)
{
	to->lost += now->lost - before->lost;
	to->recovered += now->recovered - before->recovered;
	to->socket_drops += now->socket_drops - before->socket_drops;
	to->sync_losses += now->sync_losses - before->sync_losses;
	to->bad_sync += now->bad_sync - before->bad_sync;
	to->junk_bytes += now->junk_bytes - before->junk_bytes;
	to->source_changes += now->source_changes - before->source_changes;
	to->unprotected += now->unprotected - before->unprotected;
	to->unplayable += now->unplayable - before->unplayable;
}

/* Adds to *to what the open input counted since *before, and updates
 * *before. */
static void add_counted(const struct input *in, struct input_counters *to,
			struct input_counters *before)
{
	struct input_counters now;
	uint64_t ours;

	input_counters(in, &now);
	/* the lost datagrams include the drops of our own socket, unless they
	 * were recovered */
	ours = now.socket_drops - MIN(now.socket_drops, now.recovered);
	now.lost = MAX(before->lost, now.lost - MIN(now.lost, ours));
	add(to, &now, before);
	*before = now;
}

static void shut(struct input_keeper *k, uint64_t now_ns)
{
	struct link_stats last;

	if (k->input == NULL)
		return;
	add_counted(k->input, &k->all, &k->before);
	last = input_stats(k->input);
	link_record_close(&k->link, &last);
	if (input_hangs(k->input, now_ns)) {
		input_free(&k->stuck);
		k->stuck = k->input;
		k->input = NULL;
	}
	input_free(&k->input);
	k->before = (struct input_counters){ 0 };
}

void input_keeper_done(struct input_keeper *k)
{
	input_free(&k->input);
	fd_close(&k->spec.ring);
	input_free(&k->stuck);
	link_record_done(&k->link);
}

static void fail(struct input_keeper *k, int err, const struct errmsg *error,
		 uint64_t now_ns)
{
	const struct input_spec *spec = &k->spec;
	/* a socket is cheap to open, and may fail only until its interface or
	 * address exists */
	bool is_socket = spec->kind == INPUT_UDP || spec->kind == INPUT_RTP ||
			 (spec->kind == INPUT_SRT &&
			  srt_is_on_interface(&spec->srt));

	k->failed = true;
	k->ended = err == -ENODATA;
	if (k->input == NULL || k->ended || !input_reopens(k->input)) {
		shut(k, now_ns);
		if (is_socket)
			retry_soon(&k->retry, now_ns);
		else
			retry_failed(&k->retry, now_ns);
	}
	if (strcmp(k->error.text, error->text) == 0)
		return;
	k->error = *error;
	if (k->label[0] == '\0')
		return;
	if (k->ended)
		log_info("stream", "%s: %s", k->label, error->text);
	else
		log_warning("stream", "%s: %s", k->label, error->text);
}

static void clear_error(struct input_keeper *k)
{
	if (k->error.text[0] != '\0' && k->label[0] != '\0')
		log_info("stream", "%s: open again", k->label);
	k->error.text[0] = '\0';
}

void input_keeper_close(struct input_keeper *k, uint64_t now_ns)
{
	shut(k, now_ns);
	k->reported = k->all;
	k->patience_s = 0;
	retry_worked(&k->retry);
}

bool input_keeper_link(struct input_keeper *k, const char *stream, int fd)
{
	if (!k->valid || !input_kind_is_link(k->spec.kind) ||
	    strcmp(k->spec.stream, stream) != 0)
		return false;
	shut(k, 0); /* a ring never hangs */
	fd_close(&k->spec.ring);
	k->spec.ring = fd;
	k->linked = true;
	retry_worked(&k->retry);
	return true;
}

void input_keeper_rename(struct input_keeper *k, const char *from,
			 const char *to)
{
	size_t len = strlen(to);

	if (k->valid && input_kind_is_link(k->spec.kind) &&
	    strcmp(k->spec.stream, from) == 0 && len < sizeof k->spec.stream)
		memcpy(k->spec.stream, to, len + 1);
}

void input_keeper_open(struct input_keeper *k, uint64_t now_ns)
{
	struct errmsg error = { 0 };
	int err = 0;

	/* !linked: the master has not yet said whether the stream has a ring */
	if (!k->valid || k->ended || k->input != NULL || !k->linked ||
	    !retry_is_due(&k->retry, now_ns))
		return;
	if (k->stuck != NULL && input_hangs(k->stuck, now_ns)) {
		errmsg_set(&error, "%s: the disk does not answer",
			   k->spec.path);
	} else {
		input_free(&k->stuck);
		k->input = input_open(&k->spec, now_ns, &err, &error);
	}
	if (k->input == NULL) {
		fail(k, err, &error, now_ns);
		return;
	}
	k->opens++;
	input_choose(k->input, &k->choice);
	/* later openings start behind the newest packet */
	k->spec.ring_from = 0;
	k->failed = false;
	k->received_ns = now_ns;
	/* a file or a server is ready when it has answered */
	if (input_is_ready(k->input))
		clear_error(k);
}

void input_keeper_choose(struct input_keeper *k,
			 const struct program_choice *choice)
{
	k->choice = *choice;
	if (k->input != NULL)
		input_choose(k->input, choice);
}

const struct ts_skips *input_keeper_skips(const struct input_keeper *k)
{
	return k->input != NULL ? input_skips(k->input) : NULL;
}

int input_keeper_read(struct input_keeper *k, struct batch *batch,
		      uint64_t now_ns)
{
	struct errmsg error = { 0 };
	int r = input_read(k->input, batch, now_ns, &error);

	k->failed = false;
	if (r < 0) {
		fail(k, r, &error, now_ns);
	} else if (r > 0) {
		clear_error(k);
		retry_worked(&k->retry);
		if (!k->owner_notes)
			input_keeper_note_packets(k, now_ns);
	}
	return r;
}

void input_keeper_note_packets(struct input_keeper *k, uint64_t now_ns)
{
	k->received_ns = now_ns;
	k->received = true;
	k->patience_s = 0;
}

/* The watchdog: opens the input again when it was silent for too long. */
static void watch(struct input_keeper *k, uint64_t now_ns)
{
	unsigned patience_s = k->patience_s;
	struct errmsg error;

	if (k->spec.watchdog_s == 0 || k->spec.no_reload)
		return;
	if (!input_can_be_silent(k->input)) {
		k->received_ns = now_ns;
		return;
	}
	if (patience_s == 0)
		patience_s = k->spec.watchdog_s;
	if (now_ns - k->received_ns < patience_s * SECOND_NS)
		return;
	if (k->patience_s == 0 && k->label[0] != '\0')
		log_warning("stream", "%s: no packets for %u s: opening it "
			    "again", k->label, patience_s);
	if (input_reopens(k->input) && !k->owner_notes) {
		/* each path has a watchdog, which opens it again */
		k->received_ns = now_ns;
	} else if (input_renew(k->input, now_ns, &error) == 0) {
		k->opens++;
		k->received_ns = now_ns;
	} else {
		shut(k, now_ns);
		input_keeper_open(k, now_ns);
	}
	k->patience_s =
		MIN(2 * patience_s,
		    MAX(k->spec.watchdog_s, (unsigned)INPUT_WATCHDOG_MAX_S));
}

void input_keeper_every_second(struct input_keeper *k, uint64_t now_ns,
			       struct input_counters *ret)
{
	struct errmsg error = { 0 };
	int r;

	if (k->input != NULL)
		add_counted(k->input, &k->all, &k->before);
	*ret = (struct input_counters){ 0 };
	add(ret, &k->all, &k->reported);
	k->reported = k->all;
	if (k->input == NULL)
		return;
	r = input_every_second(k->input, now_ns, &error);
	if (r < 0) {
		fail(k, r, &error, now_ns);
		return;
	}
	/* an input that first read its description or resolved a name is ready
	 * only now */
	if (input_is_ready(k->input))
		clear_error(k);
	watch(k, now_ns);
}

void input_keeper_counters(const struct input_keeper *k,
			   struct input_counters *ret)
{
	struct input_counters before = k->before;

	*ret = k->all;
	if (k->input != NULL)
		add_counted(k->input, ret, &before);
}

bool input_keeper_is_open(const struct input_keeper *k)
{
	return k->input != NULL && k->error.text[0] == '\0';
}

uint64_t input_keeper_next_ns(const struct input_keeper *k)
{
	if (!k->valid || k->ended || k->input != NULL || !k->linked)
		return UINT64_MAX;
	return k->retry.at_ns;
}

const char *input_keeper_error(const struct input_keeper *k)
{
	const char *last = k->error.text[0] != '\0' ? k->error.text : NULL;
	const char *now = k->input != NULL ? input_error(k->input) : NULL;

	if (now == NULL && last == NULL && k->input != NULL)
		return input_senders(k->input);
	if (now == NULL || (last != NULL && input_is_calling(k->input)))
		return last;
	return now;
}

const json_t *input_keeper_stats(struct input_keeper *k,
				 const struct link_stats *more)
{
	struct link_stats now = { 0 };

	if (k->input != NULL)
		now = input_stats(k->input);
	link_stats_take(&now, more);
	return link_record_report(&k->link, now);
}
