/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A worker whose object's name selects its behaviour, "good" or a fault, to
 * test the reaction of the master.  Writes its messages as plain text: it
 * shares no code with the tested program except the protocol version.
 */
#include "proto/ipc/contract.h"
#include "proto/ipc/msg.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CHANNEL = 3, PROTO = MSG_PROTO_VERSION, STATUS_MS = 1000 };

#define STREAM_STATUS                                                  \
	"{\"type\":\"stream.status\",\"body\":"                        \
	"{\"packets\":1,\"alarms\":0,\"changes\":[],"                  \
	"\"chosen\":0,\"by_hand\":false,\"filler\":false,"          \
	"\"join\":0,\"gop\":0,"                                        \
	"\"inputs\":[],\"outputs\":[]}}"
#define INPUT(position, received, lost, alarms)                        \
	"{\"position\":" position ",\"state\":\"active\",\"reason\":"  \
	"\"start\",\"since\":1,\"penalty\":0,\"damped_s\":0,"          \
	"\"active\":true,\"open\":true,\"fault_since\":0,"             \
	"\"peer\":\"192.0.2." lost ":1\",\"heard\":true,\"onair\":true," \
	"\"scrambled\":false,\"bitrate\":900,\"received_bitrate\":"    \
	received ",\"packets\":1,\"cc_error\":0,\"pes_error\":0,"      \
	"\"sc_error\":0,\"video_count\":1,\"audio_count\":1,\"lost\":" \
	lost ",\"socket_drops\":0,\"sync_losses\":0,\"alarms\":" alarms \
	"}"
#define STATUS_OF(inputs, changes)                                     \
	"{\"type\":\"stream.status\",\"body\":"                        \
	"{\"packets\":1,\"alarms\":0,\"changes\":[" changes "],"       \
	"\"chosen\":0,\"by_hand\":false,\"filler\":false,"             \
	"\"join\":0,\"gop\":0,\"inputs\":[" inputs "],\"outputs\":[]}}"
#define CHANGE(place, count)                                           \
	"{\"place\":" place ",\"alarm\":\"continuity\",\"raised\":true," \
	"\"count\":" count "}"
/* A multiplex of two rings, and what receives the second one. */
#define MUX_STATUS STATUS_OF(INPUT("1", "0", "1", "0") ","             \
			     INPUT("2", "0", "2", "1"),                \
			     CHANGE("1", "1") "," CHANGE("2", "2"))
#define FEED_STATUS STATUS_OF(INPUT("1", "5000", "7", "8"),            \
			      CHANGE("1", "7"))
/* Of a worker that holds the tuner of adapter 5. */
#define ADAPTER_STATUS                                                 \
	"{\"type\":\"adapter.status\",\"body\":"                       \
	"{\"lock\":true,\"on_air\":true,\"signal\":80,\"snr\":60,"     \
	"\"bitrate\":900,\"lost\":0,\"tuner\":{\"taken\":true,"        \
	"\"adapter\":5,\"silent\":false,\"status\":31,\"signal\":1,"   \
	"\"snr\":1,\"signal_db\":0,\"snr_db\":0,\"ber\":0,\"unc\":0," \
	"\"ber_is_rate\":false}}}"
#define DELIVER_STATUS                                                 \
	"{\"type\":\"deliver.status\",\"body\":"                       \
	"{\"viewers\":0,\"requests\":0,\"bytes\":0,\"cut\":0}}"
#define AUTH_STATUS "{\"type\":\"auth.status\",\"body\":{\"jobs\":0}}"
#define READY "{\"type\":\"worker.ready\",\"body\":{}}"

static const char *role, *how;

static bool is(const char *name)
{
	return strncmp(how, name, strlen(name)) == 0;
}

static void say(const char *text)
{
	if (send(CHANNEL, text, strlen(text), MSG_NOSIGNAL) < 0 &&
	    errno == EPIPE)
		exit(0);
}

static void say_hello(const char *as, unsigned proto)
{
	char text[160];

	(void)snprintf(text, sizeof text,
		       "{\"type\":\"worker.hello\",\"body\":{\"proto\":%u,"
		       "\"build\":\"fake\",\"role\":\"%s\"}}",
		       proto, as);
	say(text);
}

static void say_status(void)
{
	if (strcmp(role, "deliver") == 0)
		say(DELIVER_STATUS);
	else if (strcmp(role, "adapter") == 0)
		say(ADAPTER_STATUS);
	else if (strcmp(role, "auth") == 0)
		say(AUTH_STATUS);
	else if (is("mpts"))
		say(strchr(how, '/') != NULL ? FEED_STATUS : MUX_STATUS);
	else
		say(STREAM_STATUS);
}

static void say_with_descriptor(const char *text)
{
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = strdup(text),
			     .iov_len = strlen(text) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control.space,
			      .msg_controllen = sizeof control.space };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int fd = 0;

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
	/* a kernel that refuses it for the master ends us as well */
	if (sendmsg(CHANNEL, &msg, MSG_NOSIGNAL) < 0)
		exit(7);
	free(iov.iov_base);
}

static void stay(void)
{
	for (;;)
		(void)pause();
}

/* Before the hello. */
static void begin_badly(void)
{
	if (is("dies"))
		exit(3);
	if (is("mpts-dies/"))
		exit(3);
	if (is("crashes"))
		abort();
	if (is("rude")) {
		say_status();
		stay();
	}
	if (is("foreign")) {
		say_hello("adapter", PROTO);
		stay();
	}
	if (is("old")) {
		say_hello(role, 999);
		stay();
	}
	if (is("stubborn")) {
		(void)signal(SIGTERM, SIG_IGN);
		(void)signal(SIGABRT, SIG_IGN);
	}
}

/* It sends a status each second, so that a slow master ends it for the flood,
 * not for its silence. */
static void flood(void)
{
	struct timespec now;
	time_t second = 0;

	for (;;) {
		(void)clock_gettime(CLOCK_MONOTONIC, &now);
		if (second != 0 && now.tv_sec != second)
			say_status();
		second = now.tv_sec;
		say("{\"type\":\"worker.log\",\"body\":{\"level\":\"info\","
		    "\"component\":\"x\",\"text\":\"blah\"}}");
	}
}

/* Instead of a life of work. */
static void go_wrong(void)
{
	static char huge[65537];

	if (is("garbage"))
		for (int i = 0; i < 3; i++)
			say("{\"type\":\"stream.status\",\"body\":7}");
	if (is("mpts-switches") && strchr(how, '/') == NULL)
		say("{\"type\":\"stream.chosen\",\"seq\":1,"
		    "\"body\":{\"position\":1}}");
	if (is("impostor"))
		say(DELIVER_STATUS);
	if (is("twice"))
		say_hello(role, PROTO);
	if (is("huge")) {
		memset(huge, ' ', sizeof huge);
		for (int i = 0; i < 3; i++)
			(void)send(CHANNEL, huge, sizeof huge, MSG_NOSIGNAL);
	}
	if (is("gives"))
		for (int i = 0; i < 3; i++)
			say_with_descriptor(STREAM_STATUS);
	if (is("hurries"))
		for (;;) {
			(void)poll(NULL, 0, 50);
			say(STREAM_STATUS);
		}
	if (is("floods"))
		flood();
	if (is("renews"))
		exit(WORKER_EXIT_RENEW);
	if (is("leaves")) {
		(void)close(CHANNEL);
		stay();
	}
	if (is("hangs") || is("stubborn-hangs"))
		stay();
	if (is("explains")) {
		(void)poll(NULL, 0, 200); /* the master runs into its wait */
		for (int i = 0; i < 10; i++)
			say("{\"type\":\"worker.log\",\"body\":{\"level\":"
			    "\"error\",\"component\":\"x\",\"text\":"
			    "\"why\"}}");
		exit(70);
	}
	if (is("chatters"))
		for (int i = 0; i < 500; i++)
			say("{\"type\":\"worker.log\",\"body\":{\"level\":"
			    "\"info\",\"component\":\"x\",\"text\":"
			    "\"blah \\u001b[2J \\u009b2J\\nline\"}}");
}

/* A page of viewers that another page is to follow, for ever. */
static void list_viewers(const char *question)
{
	static unsigned long long client;
	static char text[32768];
	const char *seq = strstr(question, "\"seq\":");
	size_t n;

	if (seq == NULL)
		exit(8);
	n = (size_t)snprintf(text, sizeof text,
			     "{\"type\":\"deliver.sessions\",\"seq\":%lu,"
			     "\"body\":{\"more\":true,\"list\":[",
			     strtoul(seq + 6, NULL, 10));
	for (int i = 0; i < MSG_SESSIONS_MAX; i++)
		n += (size_t)snprintf(text + n, sizeof text - n,
				      "%s{\"client\":%llu,\"stream\":\"a\","
				      "\"peer\":\"::1\",\"uptime\":0,"
				      "\"login\":\"\",\"bytes\":0,"
				      "\"protocol\":\"http\",\"key\":0,"
				      "\"mount\":0,\"player\":0,"
				      "\"unlimited\":false}",
				      i > 0 ? "," : "",
				      client += MSG_DELIVER_MAX);
	(void)snprintf(text + n, sizeof text - n, "]}}");
	say(text);
}

/* The password is right, but later than a client waits. */
static void answer_late(const char *question)
{
	const char *seq = strstr(question, "\"seq\":");
	char answer[160];

	if (seq == NULL)
		exit(8);
	for (unsigned i = 0; i < 6; i++) {
		(void)poll(NULL, 0, STATUS_MS);
		say_status();
	}
	(void)snprintf(answer, sizeof answer,
		       "{\"type\":\"auth.result\",\"seq\":%lu,"
		       "\"body\":{\"ok\":true,\"hash\":\"\"}}",
		       strtoul(seq + 6, NULL, 10));
	say(answer);
}

/* Deliver with a socket and a path reports a viewer there. */
static void hear(const char *text)
{
	static bool listens;
	static char mount[512];
	char answer[640];
	const char *body = strstr(text, "\"address\"");
	const char *end = strstr(text, ",\"tls\"");

	if (strstr(text, "\"deliver.list\"") != NULL)
		list_viewers(text);
	if (strstr(text, "\"auth.verify\"") != NULL)
		answer_late(text);
	listens = listens || strstr(text, "\"deliver.listen\"") != NULL;
	if (strstr(text, "\"deliver.mount\"") != NULL && body != NULL &&
	    end != NULL)
		(void)snprintf(mount, sizeof mount, "%.*s", (int)(end - body),
			       body);
	if (!listens || mount[0] == '\0')
		return;
	(void)snprintf(answer, sizeof answer,
		       "{\"type\":\"deliver.viewers\",\"body\":{%s,"
		       "\"viewers\":1,\"bytes\":0,\"cut\":1}}",
		       mount);
	say(answer);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void work(void)
{
	uint64_t next_ms = now_ms() + STATUS_MS;

	for (;;) {
		struct pollfd p = { .fd = CHANNEL, .events = POLLIN };
		uint64_t at_ms = now_ms();
		char text[65537];
		ssize_t n;

		if (at_ms >= next_ms) {
			next_ms = at_ms + STATUS_MS;
			say_status();
		}
		if (poll(&p, 1, (int)MIN(next_ms - at_ms,
					 (uint64_t)STATUS_MS)) == 0)
			continue;
		n = recv(CHANNEL, text, sizeof text - 1, MSG_DONTWAIT);
		if (n == 0)
			exit(0);
		if (n > 0) {
			text[n] = '\0';
			hear(text);
		}
	}
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 64;
	role = argv[1];
	how = argv[2];
	begin_badly();
	/* the master's end never blocks; ours may */
	(void)fcntl(CHANNEL, F_SETFL, 0);
	say_hello(role, PROTO);
	say(READY);
	say_status();
	go_wrong();
	work();
}
