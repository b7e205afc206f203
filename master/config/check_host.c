/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/check_host.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/file_list.h"
#include "common/base/iface.h"
#include "common/supervise/pem_source.h"
#include "master/config/certificate_time.h"
#include "master/config/judge.h"
#include "master/config/play_conf.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/stream_spec.h"
#include "proto/spec/tuner_spec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FRONTEND "/dev/dvb/adapter%d/frontend%d"
/* Folder of the files of time zones. */
#define ZONES "/usr/share/zoneinfo/"

enum {
	ENTRIES_MAX = 5, /* most missing files of a list that are reported */
	PASSWD_MAX = 4096,
};

struct host {
	struct judge j;
	unsigned wanted;  /* bits of enum host_part */
	/* number of named files, whether they were checked or not */
	unsigned n_files;
};

/* Warns about a file that this user may not access with mode (access(2)).
 * what: name of the option, such as "path".  The warning names the user of this
 * process. */
static void judge_file(struct host *h, const char *what, const char *path,
		       int mode)
{
	struct passwd entry, *user = NULL;
	char names[PASSWD_MAX];
	struct stat st;
	int err;

	err = eaccess(path, mode) < 0 ? errno : 0;
	/* a folder can be opened, but not read */
	if (err == 0 && mode == R_OK && stat(path, &st) == 0 &&
	    S_ISDIR(st.st_mode))
		err = EISDIR;
	if (err == 0)
		return;
	(void)getpwuid_r(geteuid(), &entry, names, sizeof names, &user);
	judge_add(&h->j, CHECK_WARNING, "%s%s%.128s: %s for user %s", what,
		  what[0] != '\0' ? ": " : "", path, strerror(err),
		  user != NULL ? user->pw_name : "unknown");
}

static void look_for_file(struct host *h, const char *what, const char *path,
			  int mode)
{
	if (path[0] == '\0')
		return;
	h->n_files++;
	if (h->wanted & HOST_FILES)
		judge_file(h, what, path, mode);
}

/* Returns the content of the file, to be freed; NULL: it cannot be opened, or
 * is no regular file. */
static char *read_list(const char *path, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = NULL;
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		text = xcalloc(1, FILE_LIST_BYTES_MAX + 1);
		n = read(fd, text, FILE_LIST_BYTES_MAX + 1);
	}
	*ret_len = n > 0 ? (size_t)n : 0;
	fd_close(&fd);
	return text;
}

/* Warns of the first missing files of a list, and of the number of the
 * others. */
static void look_into_list(struct host *h, const char *path)
{
	char what[IO_PATH_MAX + 32];
	struct file_list list;
	struct errmsg error;
	size_t len = 0, missing = 0;
	char *text = h->wanted & HOST_FILES ? read_list(path, &len) : NULL;

	if (text == NULL)
		return;
	if (file_list_read(path, text, len, &list, &error) < 0) {
		judge_add(&h->j, CHECK_WARNING, "path: %s", error.text);
		free(text);
		return;
	}
	for (size_t i = 0; i < list.n; i++) {
		if (eaccess(list.paths[i], R_OK) == 0 ||
		    missing++ >= ENTRIES_MAX)
			continue;
		(void)snprintf(what, sizeof what, "path: %.128s: line %u",
			       path, list.lines[i]);
		look_for_file(h, what, list.paths[i], R_OK);
	}
	if (missing > ENTRIES_MAX)
		judge_add(&h->j, CHECK_WARNING, "path: %.128s: %zu more files "
						"of the list cannot be read",
			  path, missing - ENTRIES_MAX);
	file_list_done(&list);
	free(text);
}

/* Warns about an interface that does not exist.  group: the name is in front of
 * a multicast address, where other programs expect the address of the sender;
 * the warning explains src=. */
static void look_for_interface(struct host *h, const char *name, bool group)
{
	char found[IFACE_NAME_MAX];
	struct sockaddr_any any;
	bool sender = group && sockaddr_parse(name, 0, &any) == 0;

	if (h->wanted & HOST_NETWORK && name[0] != '\0' &&
	    (iface_name(name, found) < 0 || if_nametoindex(found) == 0))
		judge_add(&h->j, CHECK_WARNING,
			  "interface: there is no \"%s\"%s%s", name,
			  sender ? "; for a sender write src=" : "",
			  sender ? name : "");
}

/* Warns about an address that no interface has.  Tries it with any port,
 * because the running service may use the port.  type: type of the socket. */
static void look_for_address(struct host *h, const struct sockaddr_any *at,
			     int type, const char *what)
{
	struct sockaddr_any any_port = *at;
	char name[SOCKADDR_TEXT_MAX];
	int fd;

	if (!(h->wanted & HOST_NETWORK) || sockaddr_is_any(at) ||
	    sockaddr_is_multicast(at))
		return;
	sockaddr_set_port(&any_port, 0);
	fd = socket(at->sa.sa_family, type | SOCK_CLOEXEC, 0);
	/* for UDP, other errors do not count: a link-local address fails here,
	 * because its interface is set later */
	if (fd >= 0 && bind(fd, &any_port.sa, any_port.len) < 0 &&
	    (type == SOCK_STREAM || errno == EADDRNOTAVAIL)) {
		sockaddr_format(at, name);
		judge_add(&h->j, CHECK_WARNING, "%s%s%s: %s", what,
			  what[0] != '\0' ? ": " : "", name,
			  strerror(errno));
	}
	fd_close(&fd);
}

/* As look_for_address(), for an address as text; a host name is not
 * resolved. */
static void look_for_host(struct host *h, const char *text, uint16_t port)
{
	struct sockaddr_any at;

	if (sockaddr_parse(text, port, &at) == 0)
		look_for_address(h, &at, SOCK_DGRAM, "host");
}

/* Warns about missing addresses at which SRT and RIST wait for the peer. */
static void look_for_listeners(struct host *h, const struct srt_spec *srt,
			       const struct rist_spec *rist)
{
	if (srt != NULL && srt->mode == SRT_LISTENER)
		look_for_host(h, srt->host, srt->port);
	for (size_t i = 0; rist != NULL && i < rist->n_peers; i++)
		if (rist->peers[i].listens)
			look_for_host(h, rist->peers[i].host,
				      rist->peers[i].port);
}

static void look_at_input(struct host *h, const char *text)
{
	struct input_spec spec;

	if (input_spec_parse(text, &spec, NULL, NULL, NULL) < 0)
		return;
	if (spec.kind == INPUT_FILE || spec.kind == INPUT_SDP)
		look_for_file(h, "path", spec.path, R_OK);
	if (spec.kind == INPUT_FILE && spec.list)
		look_into_list(h, spec.path);
	if (spec.remux.absent == ABSENT_FILE)
		look_for_file(h, "absent", spec.remux.absent_path, R_OK);
	if (spec.kind == INPUT_HTTP)
		look_for_file(h, "ca", spec.http.ca, R_OK);
	if (spec.kind == INPUT_SRT)
		look_for_interface(h, spec.srt.iface, false);
	if (spec.kind == INPUT_UDP || spec.kind == INPUT_RTP)
		look_for_address(h, &spec.local, SOCK_DGRAM, "host");
	look_for_listeners(h, spec.kind == INPUT_SRT ? &spec.srt : NULL,
			   spec.kind == INPUT_RIST ? &spec.rist : NULL);
	look_for_interface(h, spec.iface, spec.kind != INPUT_SDP &&
					  sockaddr_is_multicast(&spec.local));
	/* recursion ends, because inner addresses get shorter */
	if (spec.merge[0] != '\0')
		look_at_input(h, spec.merge);
	if (spec.mux[0] != '\0')
		look_at_input(h, spec.mux);
}

static void look_at_output(struct host *h, const char *text)
{
	struct output_spec spec;
	char *slash;

	if (output_spec_parse(text, &spec, NULL, NULL, NULL) < 0)
		return;
	if (spec.kind == OUTPUT_FILE) {
		slash = strrchr(spec.path, '/');
		slash[slash == spec.path ? 1 : 0] = '\0';
		look_for_file(h, "path", spec.path, W_OK | X_OK);
	}
	if (spec.kind == OUTPUT_HTTP)
		look_for_address(h, &spec.listen, SOCK_STREAM, "");
	look_for_listeners(h, spec.kind == OUTPUT_SRT ? &spec.srt : NULL,
			   spec.kind == OUTPUT_RIST ? &spec.rist : NULL);
	if (spec.kind == OUTPUT_SRT)
		look_for_interface(h, spec.srt.iface, false);
	look_for_interface(h, spec.iface, false);
	look_for_interface(h, spec.rtp.path2_iface, false);
}

static void look_at_list(struct host *h, const json_t *stream,
			 const char *key,
			 void (*look)(struct host *, const char *))
{
	size_t mark = judge_down(&h->j, key), i;
	const json_t *value;

	json_array_foreach(json_object_get(stream, key), i, value) {
		size_t inner = judge_down_index(&h->j, i);

		if (json_is_string(value))
			look(h, json_string_value(value));
		judge_up(&h->j, inner);
	}
	judge_up(&h->j, mark);
}

/* Warns about a log file that cannot be written; if it does not exist yet,
 * about its folder. */
static void look_at_log(struct host *h, const json_t *document)
{
	const char *name = json_string_value(json_object_get(
		json_object_get(document, "log"), "filename"));
	size_t mark = judge_down(&h->j, "log");
	char folder[PATH_MAX], *slash;

	if (name != NULL && name[0] != '\0' && strlen(name) < sizeof folder) {
		(void)snprintf(folder, sizeof folder, "%s", name);
		slash = strrchr(folder, '/');
		if (slash != NULL)
			slash[slash == folder ? 1 : 0] = '\0';
		if (access(name, F_OK) == 0)
			look_for_file(h, "filename", name, W_OK);
		else
			look_for_file(h, "filename",
				      slash != NULL ? folder : ".",
				      W_OK | X_OK);
	}
	judge_up(&h->j, mark);
}

static void look_at_stream(struct host *h, const json_t *stream)
{
	struct stream_spec spec;
	char zone[sizeof ZONES + TIMEZONE_MAX];
	struct errmsg error;
	size_t mark;

	if (!json_is_true(json_object_get(stream, "enable")))
		return;
	look_at_list(h, stream, "input", look_at_input);
	look_at_list(h, stream, "output", look_at_output);
	if (stream_spec_parse(stream, &spec, &error) < 0)
		return;
	mark = judge_down(&h->j, "filler");
	if (spec.filler == FILLER_FILE)
		look_for_file(h, "", spec.filler_path, R_OK);
	judge_up(&h->j, mark);
	(void)judge_down(&h->j, "timezone");
	if (stream_spec_has_clock(stream) && spec.tables.timezone[0] != '\0') {
		(void)snprintf(zone, sizeof zone, ZONES "%s",
			       spec.tables.timezone);
		look_for_file(h, "", zone, R_OK);
	}
	judge_up(&h->j, mark);
}

/* Warns about a missing frontend of a tuner.  A tuner that is found by its
 * hardware is not checked, because it may have any number. */
static void look_at_adapter(struct host *h, const json_t *adapter)
{
	size_t mark = judge_down(&h->j, "adapter");
	struct tuner_spec spec;
	char path[sizeof FRONTEND + 32];

	if (json_is_true(json_object_get(adapter, "enable")) &&
	    tuner_spec_is(adapter) &&
	    tuner_spec_parse(adapter, &spec, NULL) == 0 &&
	    spec.mac[0] == '\0' && spec.path[0] == '\0') {
		(void)snprintf(path, sizeof path, FRONTEND, spec.adapter,
			       spec.device);
		judge_file(h, "", path, R_OK | W_OK);
	}
	judge_up(&h->j, mark);
}

static void look_at_all(struct host *h, const json_t *document,
			const char *section,
			void (*look)(struct host *, const json_t *))
{
	size_t mark = judge_down(&h->j, section), i;
	const json_t *entry;

	json_array_foreach(json_object_get(document, section), i, entry) {
		size_t inner = judge_down_index(&h->j, i);

		look(h, entry);
		judge_up(&h->j, inner);
	}
	judge_up(&h->j, mark);
}

void check_host(const json_t *document, unsigned parts, check_found_fn *found,
		void *arg)
{
	struct host h = { { .found = found, .arg = arg }, parts, 0 };
	struct play_conf play;
	size_t mark;

	look_at_all(&h, document, "make_stream", look_at_stream);
	look_at_all(&h, document, "dvb_tune", look_at_adapter);
	look_at_log(&h, document);
	mark = judge_down(&h.j, "settings.http_play_port");
	play_conf_read(&play, json_object_get(document, "settings"), NULL);
	if (play.has_port)
		look_for_address(&h, &play.port, SOCK_STREAM, "");
	judge_up(&h.j, mark);
}

unsigned check_host_stream(const json_t *stream, unsigned parts,
			   check_found_fn *found, void *arg)
{
	struct host h = { { .found = found, .arg = arg }, parts, 0 };

	(void)judge_down(&h.j, "stream");
	look_at_stream(&h, stream);
	return h.n_files;
}

void check_host_adapter(const json_t *adapter, check_found_fn *found, void *arg)
{
	struct host h = { { .found = found, .arg = arg }, 0, 0 };

	(void)judge_down(&h.j, "adapter");
	look_at_adapter(&h, adapter);
}

void check_host_certificate(const json_t *document, bool with_time,
			    check_found_fn *found, void *arg)
{
	static const char *const keys[] = { "crt_chain", "crt_key" };
	const json_t *settings = json_object_get(document, "settings");

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const json_t *value = json_object_get(settings, keys[i]);
		bool is_timed = with_time && i == 0;
		struct errmsg error;
		char path[32];
		int fd;

		if (json_string_length(value) == 0 ||
		    pem_source_is_stdin(json_string_value(value)))
			continue;
		fd = pem_source_open(json_string_value(value), &error);
		(void)snprintf(path, sizeof path, "settings.%s", keys[i]);
		if (fd < 0 || (is_timed && certificate_time_alarm_of(
						   fd, time(NULL), &error)))
			found(CHECK_WARNING, path, error.text, arg);
		fd_close(&fd);
	}
}
