/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/librist/rist_filter.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	TAKE = UINT16_MAX,
	UDP_HEADER = 8,
	FROM_PORT = 0,
	TO_PORT = 2,
	FROM_IPV4 = SKF_NET_OFF + 12,
	FROM_IPV6 = SKF_NET_OFF + 8,

	/* VSF TR-06-2, 5: the GRE header has two bytes of flags, two bytes of
	 * protocol, and 4 bytes for each flag that is set.  Its payload is two
	 * ports, and RTP or RTCP. */
	GRE_PROTOCOL = UDP_HEADER + 2,
	REDUCED = 0x88b6,
	FULL = 0x0800,
	EAPOL = 0x888e,
	HAS_CHECKSUM = 0x80,
	HAS_KEY = 0x20,
	HAS_SEQUENCE = 0x10,
	GRE_MIN = 4,
	KEY_AND_SEQUENCE = 8,
	PORTS = 4,

	/* RFC 3550, 5 and 6 */
	HAS_PADDING = 0x20,
	HAS_EXTENSION = 0x10,
	SOURCES = 0x0f, /* number of contributing sources */
	RTP_HEADER = 12,
	EXTENSION_MIN = 4,
	RTCP_MIN = 20, /* shortest RTCP: an empty receiver report and an SDES
			* item */
	RTCP_FIRST = 200,
	RTCP_HEADER = 8,
	SDES = 202,
	APP = 204,
	RTPFB = 205,
	XR = 207,
	NACK_MIN = 12,
	NAME_MAX = 127, /* longest SDES item: librist has room for 128 bytes */
	PARTS_MAX = 8,  /* most RTCP packets in one datagram */
	BLOCKS_MAX = 2, /* most blocks in one XR packet */
};

/* RIST's RTP header extension (TR-06-2, 8.3): a flag for null packet deletion,
 * and a bit for each deleted packet. */
#define RIST_EXTENSION 0x52490001
#define NULLS_DELETED 0x8000
#define DELETED_BITS 0x7f

/* Scratch memory of the BPF program: offsets in bytes from the UDP header. */
enum cell { END, END_OF_PART, END_OF_BLOCK, PLACE, DATA };

static void put(struct rist_filter *f, unsigned code, unsigned k)
{
	assert(f->n < RIST_FILTER_MAX);
	f->code[f->n++] = (struct sock_filter)BPF_STMT((uint16_t)code, k);
}

/* Emits a test, and returns its index for end().  The code that is emitted
 * before end() runs only if the test is true. */
static size_t when(struct rist_filter *f, unsigned test, unsigned k)
{
	put(f, BPF_JMP | test | BPF_K, k);
	return f->n - 1;
}

static uint8_t way_from(const struct rist_filter *f, size_t test)
{
	size_t n = f->n - test - 1;

	assert(n <= UINT8_MAX);
	return (uint8_t)n;
}

static void end(struct rist_filter *f, size_t test)
{
	f->code[test].jf = way_from(f, test);
}

/* Ends a test of when(): the code that was emitted since then runs only if the
 * test is false. */
static void end_unless(struct rist_filter *f, size_t test)
{
	f->code[test].jt = way_from(f, test);
}

static void take(struct rist_filter *f)
{
	put(f, BPF_RET | BPF_K, TAKE);
}

static void drop(struct rist_filter *f)
{
	put(f, BPF_RET | BPF_K, 0);
}

static void drop_unless(struct rist_filter *f, unsigned test, unsigned k)
{
	size_t fits = when(f, test, k);

	drop(f);
	end_unless(f, fits);
}

static void take_unless(struct rist_filter *f, unsigned test, unsigned k)
{
	size_t fits = when(f, test, k);

	take(f);
	end_unless(f, fits);
}

/* Loads a byte at X + at.  The kernel drops the datagram if it is too short. */
static void load8(struct rist_filter *f, unsigned at)
{
	put(f, BPF_LD | BPF_B | BPF_IND, at);
}

static void load(struct rist_filter *f, enum cell from)
{
	put(f, BPF_LD | BPF_MEM, from);
}

static void go_to(struct rist_filter *f, enum cell place)
{
	put(f, BPF_LDX | BPF_MEM, place);
}

static void op(struct rist_filter *f, unsigned what, unsigned k)
{
	put(f, BPF_ALU | BPF_K | what, k);
}

/* Stores the end of an RTCP packet, or of an XR block, in the cell `ret'; X is
 * its start.  Drops the datagram if the end is behind the end in `of_all'.  The
 * length field of both is at offset 2: the number of 32-bit words after the
 * first. */
static void find_end(struct rist_filter *f, enum cell ret, enum cell of_all)
{
	put(f, BPF_STX, PLACE);
	put(f, BPF_LD | BPF_H | BPF_IND, 2);
	op(f, BPF_ADD, 1);
	op(f, BPF_LSH, 2);
	put(f, BPF_ALU | BPF_ADD | BPF_X, 0);
	put(f, BPF_ST, ret);
	go_to(f, ret);
	load(f, of_all);
	drop_unless(f, BPF_JGE | BPF_X, 0);
	go_to(f, PLACE);
}

/* Drops the datagram if the blocks of its XR packet at X do not fill that
 * packet exactly, because librist counts the remaining bytes in 16 bits.  More
 * than BLOCKS_MAX blocks are not accepted. */
static void judge_blocks(struct rist_filter *f)
{
	size_t last[BLOCKS_MAX];

	put(f, BPF_MISC | BPF_TXA, 0);
	op(f, BPF_ADD, RTCP_HEADER);
	put(f, BPF_MISC | BPF_TAX, 0);
	for (size_t i = 0; i < BLOCKS_MAX; i++) {
		load(f, END_OF_PART);
		last[i] = when(f, BPF_JEQ | BPF_X, 0);
		find_end(f, END_OF_BLOCK, END_OF_PART);
		go_to(f, END_OF_BLOCK);
	}
	load(f, END_OF_PART);
	drop_unless(f, BPF_JEQ | BPF_X, 0);
	for (size_t i = 0; i < BLOCKS_MAX; i++)
		end_unless(f, last[i]);
}

static void judge_part(struct rist_filter *f)
{
	size_t is, too_long, neither;

	load8(f, 1);
	is = when(f, BPF_JEQ, SDES);
	load8(f, RTCP_HEADER + 1);
	too_long = when(f, BPF_JGT, NAME_MAX);
	drop(f);
	end(f, too_long);
	end(f, is);

	/* a NACK has as many requests as words, less two */
	load8(f, 1);
	op(f, BPF_SUB, APP);
	neither = when(f, BPF_JGT, RTPFB - APP);
	load(f, END_OF_PART);
	put(f, BPF_ALU | BPF_SUB | BPF_X, 0);
	drop_unless(f, BPF_JGE, NACK_MIN);
	end_unless(f, neither);

	load8(f, 1);
	is = when(f, BPF_JEQ, XR);
	judge_blocks(f);
	end(f, is);
}

static void judge_rtcp(struct rist_filter *f)
{
	put(f, BPF_LD | BPF_W | BPF_LEN, 0);
	put(f, BPF_ST, END);
	for (size_t i = 0; i < PARTS_MAX; i++) {
		size_t done;

		find_end(f, END_OF_PART, END);
		judge_part(f);
		go_to(f, END_OF_PART);
		load(f, END);
		done = when(f, BPF_JEQ | BPF_X, 0);
		take(f);
		end(f, done);
	}
	drop(f);
}

/* Takes RTP without payload if its header extension says that all its transport
 * packets were deleted null packets. */
static void take_if_all_deleted(struct rist_filter *f)
{
	size_t plain, ours, deletes, any;

	load8(f, 0);
	op(f, BPF_AND, HAS_PADDING | HAS_EXTENSION | SOURCES);
	plain = when(f, BPF_JEQ, HAS_EXTENSION);
	put(f, BPF_LD | BPF_W | BPF_IND, RTP_HEADER);
	ours = when(f, BPF_JEQ, RIST_EXTENSION);
	put(f, BPF_LD | BPF_H | BPF_IND, RTP_HEADER + EXTENSION_MIN);
	deletes = when(f, BPF_JSET, NULLS_DELETED);
	any = when(f, BPF_JSET, DELETED_BITS);
	load8(f, RTP_HEADER + EXTENSION_MIN + 3);
	take(f);
	end(f, any);
	end(f, deletes);
	end(f, ours);
	end(f, plain);
}

/* Advances X by A 32-bit words. */
static void skip_words(struct rist_filter *f)
{
	op(f, BPF_LSH, 2);
	put(f, BPF_ALU | BPF_ADD | BPF_X, 0);
	put(f, BPF_MISC | BPF_TAX, 0);
}

static void load_flags(struct rist_filter *f)
{
	put(f, BPF_STX, DATA);
	go_to(f, PLACE);
	load8(f, 0);
	go_to(f, DATA);
}

/* Drops RTP without payload, for which librist would deliver a block with a
 * NULL pointer.  librist does not skip contributing sources and padding, and
 * knows only the extension of RIST.  So the payload must have at least one byte
 * after all of these. */
static void judge_data(struct rist_filter *f)
{
	size_t extended, padded;

	take_if_all_deleted(f);
	put(f, BPF_STX, PLACE);
	load8(f, 0);
	op(f, BPF_AND, SOURCES);
	skip_words(f);
	load_flags(f);
	extended = when(f, BPF_JSET, HAS_EXTENSION);
	put(f, BPF_LD | BPF_H | BPF_IND, RTP_HEADER + 2);
	op(f, BPF_ADD, EXTENSION_MIN / 4);
	skip_words(f);
	end(f, extended);
	load_flags(f);
	padded = when(f, BPF_JSET, HAS_PADDING);
	put(f, BPF_LD | BPF_W | BPF_LEN, 0);
	op(f, BPF_SUB, 1);
	put(f, BPF_MISC | BPF_TAX, 0);
	load8(f, 0);
	go_to(f, DATA);
	put(f, BPF_ALU | BPF_ADD | BPF_X, 0);
	put(f, BPF_MISC | BPF_TAX, 0);
	end(f, padded);
	load8(f, RTP_HEADER);
	take(f);
}

/* Drops datagrams at the wrong port of a pair: RTP must arrive at the even
 * port, RTCP at the odd one.  librist would look for the peer of the other
 * port, which does not exist. */
static void judge_port(struct rist_filter *f)
{
	size_t even, odd, rtcp;

	put(f, BPF_LD | BPF_H | BPF_ABS, TO_PORT);
	op(f, BPF_AND, 1);
	even = when(f, BPF_JEQ, 0);
	load8(f, 1);
	rtcp = when(f, BPF_JGE, RTCP_FIRST);
	drop(f);
	end(f, rtcp);
	end(f, even);
	put(f, BPF_LD | BPF_H | BPF_ABS, TO_PORT);
	odd = when(f, BPF_JSET, 1);
	load8(f, 1);
	drop_unless(f, BPF_JGE, RTCP_FIRST);
	end(f, odd);
}

/* Checks RTP and RTCP.  Takes all other packets, because librist only logs
 * them. */
static void judge_rtp(struct rist_filter *f, bool pair)
{
	size_t rtcp;

	load8(f, 0);
	op(f, BPF_AND, 0xc0);
	take_unless(f, BPF_JEQ, 0x80);
	load8(f, RTP_HEADER - 1);
	if (pair)
		judge_port(f);
	load8(f, 1);
	rtcp = when(f, BPF_JGE, RTCP_FIRST);
	/* a conditional jump reaches 255 instructions only, so this jump skips
	 * judge_data() */
	put(f, BPF_JMP | BPF_JA, 0);
	end(f, rtcp);
	judge_data(f);
	f->code[rtcp + 1].k = (uint32_t)(f->n - rtcp - 2);
	judge_rtcp(f);
}

/* Adds 4 bytes to X if the flag is set in the GRE header. */
static void add_field(struct rist_filter *f, unsigned flag)
{
	put(f, BPF_LD | BPF_B | BPF_ABS, UDP_HEADER);
	op(f, BPF_AND, flag);
	op(f, BPF_DIV, flag / 4);
	put(f, BPF_ALU | BPF_ADD | BPF_X, 0);
	put(f, BPF_MISC | BPF_TAX, 0);
}

static void drop_if(struct rist_filter *f, unsigned k)
{
	size_t is = when(f, BPF_JEQ, k);

	drop(f);
	end(f, is);
}

/* Drops tunnels (IPv4) and authentication (EAPOL), because Sluice uses neither,
 * and librist trusts their lengths.  Takes other unknown protocols, because
 * librist ignores or logs them.  Drops a key without a sequence number, because
 * librist misreads it. */
static void judge_gre(struct rist_filter *f, bool secret)
{
	size_t is;

	put(f, BPF_LD | BPF_H | BPF_ABS, GRE_PROTOCOL);
	drop_if(f, FULL);
	drop_if(f, EAPOL);
	take_unless(f, BPF_JEQ, REDUCED);
	put(f, BPF_LD | BPF_B | BPF_ABS, UDP_HEADER);
	op(f, BPF_AND, HAS_KEY | HAS_SEQUENCE);
	is = when(f, BPF_JEQ, HAS_KEY | HAS_SEQUENCE);
	if (secret) {
		/* librist decrypts what follows the GRE header without checking
		 * its length, and accepts key 0 as clear text.  No valid
		 * datagram is shorter than the shortest RTCP. */
		put(f, BPF_LDX | BPF_IMM, UDP_HEADER + GRE_MIN);
		add_field(f, HAS_CHECKSUM);
		put(f, BPF_LD | BPF_W | BPF_IND, 0);
		drop_if(f, 0);
		load8(f, KEY_AND_SEQUENCE + PORTS + RTCP_MIN - 1);
		take(f);
		end(f, is);
		drop(f);
		return;
	}
	take(f);
	end(f, is);
	is = when(f, BPF_JSET, HAS_KEY);
	drop(f);
	end(f, is);
	put(f, BPF_LDX | BPF_IMM, UDP_HEADER + GRE_MIN + PORTS);
	add_field(f, HAS_CHECKSUM);
	add_field(f, HAS_SEQUENCE);
	judge_rtp(f, false);
}

void rist_filter_make(struct rist_filter *f, unsigned flags)
{
	f->n = 0;
	if ((flags & RIST_FILTER_SIMPLE) == 0) {
		judge_gre(f, (flags & RIST_FILTER_SECRET) != 0);
		return;
	}
	put(f, BPF_LDX | BPF_IMM, UDP_HEADER);
	judge_rtp(f, (flags & RIST_FILTER_PAIR) != 0);
}

void rist_filter_refuse(struct rist_filter *f, const struct sockaddr_any *at)
{
	struct rist_filter first = { .n = 0 };
	size_t n = 4, is[5];
	unsigned from = (unsigned)FROM_IPV6;
	/* words of the address in network order; an IPv4 address, also one
	 * mapped to IPv6, is in the last word */
	uint32_t words[4] = { 0 };

	if (at->sa.sa_family == AF_INET)
		words[3] = at->in.sin_addr.s_addr;
	else
		memcpy(words, &at->in6.sin6_addr, sizeof words);
	if (at->sa.sa_family == AF_INET ||
	    IN6_IS_ADDR_V4MAPPED(&at->in6.sin6_addr)) {
		n = 1;
		from = (unsigned)FROM_IPV4;
	}
	put(&first, BPF_LD | BPF_H | BPF_ABS, FROM_PORT);
	is[0] = when(&first, BPF_JEQ, sockaddr_port(at));
	for (size_t i = 0; i < n; i++) {
		put(&first, BPF_LD | BPF_W | BPF_ABS, from + 4 * (unsigned)i);
		is[i + 1] = when(&first, BPF_JEQ, ntohl(words[4 - n + i]));
	}
	drop(&first);
	for (size_t i = 0; i <= n; i++)
		end(&first, is[i]);
	/* jumps are relative, so the program can be moved in the array */
	assert(first.n + f->n <= RIST_FILTER_MAX);
	memmove(f->code + first.n, f->code, f->n * sizeof *f->code);
	memcpy(f->code, first.code, first.n * sizeof *f->code);
	f->n += first.n;
}
