/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/receiver.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/input/iat_in.h"

#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

enum {
	SLOTS_SIZE = RECEIVER_SLOTS * RECEIVER_SLOT_SIZE,
	/* Bytes of the head of each datagram: seven packets, or more with
	 * RTP. */
	HEAD_MIN = 7 * 188,
	HEAD_MAX = 2048,
	HEADS_SIZE = RECEIVER_SLOTS * HEAD_MAX,
	ARENA_SIZE = SLOTS_SIZE + HEADS_SIZE,
	/* Two control messages of one int each, and a time. */
	CONTROL_SIZE = 2 * CMSG_SPACE(sizeof(int)) +
		       CMSG_SPACE(sizeof(struct timespec)),
	/* Fewer touched bytes are not freed: the system call would cost more
	 * than it saves. */
	TRIM_AT = 192 * 1024,
	PAGE = 4096,
};

/*
 * Datagrams lie side by side, head by head, so that a tick touches few pages
 * and a run of them is one piece of memory.  The bytes that do not fit into a
 * head follow in the slot, behind room for the head.
 */
struct receiver {
	uint8_t *arena; /* slots, then heads */
	size_t head;    /* bytes of each head; grows to the largest datagram */
	/* most bytes in a slot since receiver_trim() */
	uint32_t high[RECEIVER_SLOTS];
	uint64_t drops;
	uint32_t drops_seen; /* the kernel's counter, which wraps */
	struct sockaddr_any source;
	/* senders of all messages but the first; NULL: not wanted */
	struct sockaddr_any *senders;
	/* notes the arrivals; NULL: arrivals are not measured */
	struct iat_in *iat;
	struct mmsghdr msgs[RECEIVER_SLOTS];
	struct iovec iov[RECEIVER_SLOTS][2];
	_Alignas(struct cmsghdr) uint8_t control[RECEIVER_SLOTS][CONTROL_SIZE];
};

static void set_head(struct receiver *r, size_t head)
{
	r->head = head;
	for (size_t i = 0; i < RECEIVER_SLOTS; i++) {
		r->iov[i][0] = (struct iovec){
			.iov_base = r->arena + SLOTS_SIZE + i * head,
			.iov_len = head,
		};
		r->iov[i][1] = (struct iovec){
			.iov_base = r->arena + i * RECEIVER_SLOT_SIZE + head,
			.iov_len = RECEIVER_SLOT_SIZE - head,
		};
	}
}

struct receiver *receiver_new(int *ret_err)
{
	uint8_t *arena = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			      0);

	if (arena == MAP_FAILED) {
		*ret_err = -errno;
		return NULL;
	}
	/* huge pages would allocate the whole arena */
	(void)madvise(arena, ARENA_SIZE, MADV_NOHUGEPAGE);

	struct receiver *r = xcalloc(1, sizeof *r);

	r->arena = arena;
	set_head(r, HEAD_MIN);
	for (size_t i = 0; i < RECEIVER_SLOTS; i++)
		r->msgs[i].msg_hdr = (struct msghdr){
			.msg_iov = r->iov[i],
			.msg_iovlen = ARRAY_LEN(r->iov[i]),
			.msg_control = r->control[i],
			.msg_controllen = CONTROL_SIZE,
		};
	r->msgs[0].msg_hdr.msg_name = &r->source.sa;
	r->msgs[0].msg_hdr.msg_namelen = sizeof r->source.in6;
	return r;
}

void receiver_free(struct receiver **r)
{
	if (*r != NULL) {
		(void)munmap((*r)->arena, ARENA_SIZE);
		free((*r)->senders);
	}
	free(*r);
	*r = NULL;
}

/* Reads the control messages of one message: segment size, drops and arrival
 * time.  Then makes the room for control messages whole again for the next
 * read. */
static void take_control(struct receiver *r, struct msghdr *h,
			 struct received *got, struct timespec *arrived)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(h); c != NULL; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level == SOL_UDP && c->cmsg_type == UDP_GRO) {
			int segment;

			memcpy(&segment, CMSG_DATA(c), sizeof segment);
			if (segment > 0)
				got->segment = (size_t)segment;
		} else if (c->cmsg_level == SOL_SOCKET &&
			   c->cmsg_type == SO_RXQ_OVFL) {
			uint32_t drops;

			memcpy(&drops, CMSG_DATA(c), sizeof drops);
			r->drops += (uint32_t)(drops - r->drops_seen);
			r->drops_seen = drops;
		} else if (c->cmsg_level == SOL_SOCKET &&
			   c->cmsg_type == SCM_TIMESTAMPNS) {
			memcpy(arrived, CMSG_DATA(c), sizeof *arrived);
		}
	}
	h->msg_controllen = CONTROL_SIZE;
}

void receiver_measure(struct receiver *r, struct iat_in *iat)
{
	r->iat = iat;
}

void receiver_name_senders(struct receiver *r)
{
	if (r->senders != NULL)
		return;
	r->senders = xcalloc(RECEIVER_SLOTS, sizeof *r->senders);
	for (size_t i = 1; i < RECEIVER_SLOTS; i++) {
		r->msgs[i].msg_hdr.msg_name = &r->senders[i].sa;
		r->msgs[i].msg_hdr.msg_namelen = sizeof r->senders[i].in6;
	}
}

/* The sender of message i; NULL: senders are not wanted.  The first one is also
 * the source of the batch. */
static const struct sockaddr_any *take_sender(struct receiver *r, int i)
{
	struct msghdr *h = &r->msgs[i].msg_hdr;

	if (r->senders == NULL)
		return NULL;
	if (i == 0)
		return &r->source;
	r->senders[i].len = h->msg_namelen;
	h->msg_namelen = sizeof r->senders[i].in6;
	return &r->senders[i];
}

int receiver_read(struct receiver *r, int fd, receiver_fn *on_received,
		  void *arg)
{
	int n = recvmmsg(fd, r->msgs, RECEIVER_SLOTS, MSG_DONTWAIT, NULL);

	if (n < 0) {
		if (errno == EAGAIN || errno == EINTR)
			return 0;
		return -errno;
	}
	r->source.len = r->msgs[0].msg_hdr.msg_namelen;
	r->msgs[0].msg_hdr.msg_namelen = sizeof r->source.in6;

	size_t largest = r->head;

	for (int i = 0; i < n; i++) {
		uint32_t len = r->msgs[i].msg_len;
		struct received got = {
			.data = r->iov[i][0].iov_base,
			.len = len,
			.segment = len,
			.sender = take_sender(r, i),
		};
		struct timespec arrived = { 0 };

		/* copies the head to the slot, in front of the further bytes */
		if (len > r->head) {
			r->high[i] = MAX(r->high[i], len);
			got.data = memcpy(r->arena + (size_t)i *
						  RECEIVER_SLOT_SIZE,
					  got.data, r->head);
		}
		take_control(r, &r->msgs[i].msg_hdr, &got, &arrived);
		if (r->iat != NULL && arrived.tv_sec > 0 && len > 0)
			iat_in_note(r->iat, &(struct arrival){
				.wall_ns = timespec_ns(&arrived),
				.data = got.data,
				.len = len,
				.segment = got.segment,
			});
		if (got.segment <= HEAD_MAX)
			largest = MAX(largest, got.segment);
		if (got.len > 0)
			on_received(&got, arg);
	}
	/* the heads of the next read hold datagrams of this size */
	if (largest > r->head)
		set_head(r, largest);
	return n;
}

void receiver_warm(const struct receiver *r, size_t datagrams,
		   struct prefetch *w)
{
	datagrams = MIN(datagrams, RECEIVER_SLOTS);
	prefetch_add(w, r, offsetof(struct receiver, msgs));
	prefetch_add(w, r->msgs, datagrams * sizeof r->msgs[0]);
	prefetch_add(w, r->iov, datagrams * sizeof r->iov[0]);
}

void receiver_moved(struct receiver *r)
{
	r->drops_seen = 0;
}

uint64_t receiver_drops(const struct receiver *r)
{
	return r->drops;
}

const struct sockaddr_any *receiver_source(const struct receiver *r)
{
	return &r->source;
}

void receiver_trim(struct receiver *r)
{
	size_t touched = 0;

	for (size_t i = 0; i < RECEIVER_SLOTS; i++)
		touched += (r->high[i] + PAGE - 1) / PAGE * PAGE;
	if (touched < TRIM_AT)
		return;
	(void)madvise(r->arena, ARENA_SIZE, MADV_DONTNEED);
	memset(r->high, 0, sizeof r->high);
}
