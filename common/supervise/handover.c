/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/handover.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "proto/ipc/msg.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIGITS_MAX = 18 };

struct handover {
	json_t *document;
	json_t *fds;    /* {name: number of the descriptor} */
	/* fds as they were read; NULL: the handover is being written */
	json_t *handed;
	/* the last number used in names (borrowed); NULL: the handover is being
	 * read, and owns its descriptors */
	uint64_t *last;
	uint64_t highest; /* highest number in the names that were read */
	bool trial;
	bool interruption;
};

/* The number in a name such as "c17"; 0: the text is not a name. */
static uint64_t parse_name(const char *name)
{
	size_t digits = strspn(name[0] != '\0' ? name + 1 : name,
			       "0123456789");

	if (name[0] < 'a' || name[0] > 'z' || digits == 0 ||
	    digits > DIGITS_MAX || name[1 + digits] != '\0')
		return 0;
	return strtoull(name + 1, NULL, 10);
}

/* --- to write --- */

struct handover *handover_new(uint64_t *last)
{
	struct handover *h = xcalloc(1, sizeof *h);

	h->document = json_pack("{s:i, s:i}", "handover", HANDOVER_VERSION,
				"proto", MSG_PROTO_VERSION);
	h->fds = json_object();
	h->last = last;
	return h;
}

void handover_free(struct handover **hp)
{
	struct handover *h = *hp;
	const char *name;
	json_t *value;

	*hp = NULL;
	if (h == NULL)
		return;
	if (h->last == NULL) /* reading: h owns the descriptors */
		json_object_foreach(h->fds, name, value)
			(void)close((int)json_integer_value(value));
	json_decref(h->document);
	json_decref(h->fds);
	json_decref(h->handed);
	free(h);
}

json_t *handover_put(struct handover *h, char kind, uint64_t *number, int fd)
{
	char name[HANDOVER_NAME_MAX];

	if (*number == 0)
		*number = ++*h->last;
	(void)snprintf(name, sizeof name, "%c%" PRIu64, kind, *number);
	(void)json_object_set_new(h->fds, name, json_integer(fd));
	return json_string(name);
}

json_t *handover_document(struct handover *h)
{
	return h->document;
}

void handover_allow_interruption(struct handover *h)
{
	(void)json_object_set_new(h->document, "interrupt", json_true());
}

const json_t *handover_fds(const struct handover *h)
{
	return h->fds;
}

char *handover_format(const struct handover *h, bool with_fds, size_t *ret_len)
{
	json_t *whole = json_copy(h->document);
	char *text;

	if (with_fds)
		(void)json_object_set(whole, "fds", h->fds);
	text = json_dumps(whole, JSON_COMPACT);
	json_decref(whole);
	if (text == NULL)
		abort();
	*ret_len = strlen(text);
	return text;
}

/* --- to read --- */

/* Checks an inherited descriptor: it must be open and not yet close-on-exec,
 * which it becomes.  0, or -errno with error. */
static int judge_fd(const char *name, const json_t *value, struct errmsg *error)
{
	json_int_t fd = json_integer_value(value);
	int flags;

	if (parse_name(name) == 0)
		return errmsg_fail(error, -EBADMSG, "fds: %.40s: not a name",
				   name);
	if (!json_is_integer(value) || fd <= STDERR_FILENO || fd > INT32_MAX)
		return errmsg_fail(error, -EBADMSG, "fds.%s: not a descriptor",
				   name);
	flags = fcntl((int)fd, F_GETFD);
	if (flags < 0)
		return errmsg_fail(error, -EBADF, "fds.%s: %d is not open",
				   name, (int)fd);
	if ((flags & FD_CLOEXEC) != 0)
		return errmsg_fail(error, -EBADF,
				   "fds.%s: %d is named twice or not handed "
				   "over",
				   name, (int)fd);
	(void)fcntl((int)fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

static int take_fds(struct handover *h, const json_t *fds, struct errmsg *error)
{
	const char *name;
	const json_t *value;

	if (!json_is_object(fds))
		return errmsg_fail(error, -EBADMSG, "fds: is not an object");
	json_object_foreach((json_t *)(uintptr_t)fds, name, value) {
		int err = judge_fd(name, value, error);

		if (err < 0)
			return err;
		h->highest = MAX(h->highest, parse_name(name));
		(void)json_object_set(h->fds, name,
				      (json_t *)(uintptr_t)value);
	}
	return 0;
}

struct handover *handover_of(json_t *take_document, struct errmsg *error)
{
	struct handover *h = xcalloc(1, sizeof *h);
	const json_t *version;

	h->fds = json_object();
	h->document = take_document;
	version = json_object_get(h->document, "handover");
	if (take_fds(h, json_object_get(h->document, "fds"), error) < 0) {
		handover_free(&h);
		return NULL;
	}
	h->handed = json_copy(h->fds);
	h->interruption = json_is_true(json_object_get(h->document,
						       "interrupt"));
	/* a document of another version is unusable; its descriptors are kept
	 * to end the processes */
	if (json_integer_value(version) != HANDOVER_VERSION)
		(void)json_object_clear(h->document);
	(void)json_object_del(h->document, "fds");
	return h;
}

bool handover_is_name(const char *name)
{
	return parse_name(name) > 0;
}

const json_t *handover_handed(const struct handover *h)
{
	return h->handed;
}

uint64_t handover_last_number(const struct handover *h)
{
	return h->highest;
}

bool handover_is_of_our_protocol(const struct handover *h)
{
	const json_t *proto = json_object_get(h->document, "proto");

	return json_integer_value(proto) == MSG_PROTO_VERSION;
}

bool handover_allows_interruption(const struct handover *h)
{
	return h->interruption;
}

uint64_t handover_number(const json_t *name, char kind)
{
	const char *text = json_string_value(name);

	return text != NULL && text[0] == kind ? parse_name(text) : 0;
}

void handover_set_trial(struct handover *h)
{
	h->trial = true;
}

bool handover_is_trial(const struct handover *h)
{
	return h->trial;
}

int handover_take(struct handover *h, const json_t *name, char kind,
		  uint64_t *ret_number)
{
	const char *key = json_string_value(name);
	const json_t *value;
	bool usable;
	int fd, ends[2];

	if (key == NULL || key[0] != kind)
		return -1;
	value = json_object_get(h->fds, key);
	if (value == NULL)
		return -1;
	fd = (int)json_integer_value(value);
	*ret_number = parse_name(key);
	(void)json_object_del(h->fds, key);
	if (!h->trial || kind != 'c')
		return fd;
	/* An end of a new pair takes its place.  The other end stays open until
	 * the trial exits, so that the pair accepts messages. */
	usable = fd_is_seqpacket(fd);
	fd_close(&fd);
	return usable && fd_seqpacket_pair(ends) == 0 ? ends[0] : -1;
}

int handover_take_any(struct handover *h, char kind, uint64_t *ret_number)
{
	const char *name;
	json_t *value, *key;
	int fd = -1;

	json_object_foreach(h->fds, name, value) {
		if (name[0] != kind)
			continue;
		key = json_string(name);
		fd = handover_take(h, key, kind, ret_number);
		json_decref(key);
		break;
	}
	return fd;
}
