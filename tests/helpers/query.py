#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks for multicast memberships, once: query.py INTERFACE KIND [SOURCE]

KIND: igmp1, igmp2, igmp3 (from the address SOURCE), mld1, mld2, or noise:
a thousand datagrams of IGMP and MLD without a query."""
import random
import socket
import struct
import sys

interface, kind = sys.argv[1:3]
index = socket.if_nametoindex(interface)


def checksum(data):
    total = sum(struct.unpack(f'!{len(data) // 2}H', data))
    total = (total >> 16) + (total & 0xffff)
    return ~((total >> 16) + total) & 0xffff


def igmp(body, source, to='224.0.0.1'):
    out = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF,
                   struct.pack('4s4si', bytes(4), bytes(4), index))
    # the kernel fills in lengths and the checksum of the header
    head = struct.pack('!BBHHHBBH4s4s4s', 0x46, 0xc0, 0, 0, 0, 1, 2, 0,
                       socket.inet_aton(source), socket.inet_aton(to),
                       bytes([0x94, 4, 0, 0]))
    out.sendto(head + body, (to, 0))


def with_checksum(body):
    return body[:2] + struct.pack('!H', checksum(body)) + body[4:]


def mld(body):
    out = socket.socket(socket.AF_INET6, socket.SOCK_RAW,
                        socket.IPPROTO_ICMPV6)
    out.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 1)
    # router alert, as RFC 3810 wants it
    out.sendmsg([body], [(socket.IPPROTO_IPV6, socket.IPV6_HOPOPTS,
                          bytes([0, 0, 5, 2, 0, 0, 1, 0]))], 0,
                ('ff02::1', 0, 0, index))


V3 = bytes([2, 125, 0, 0])
if kind == 'noise':
    chance = random.Random(1)
    for _ in range(500):
        igmp(bytes([0x11]) + chance.randbytes(chance.randrange(100)),
             sys.argv[3])
        mld(bytes([130, 0]) + chance.randbytes(2 + chance.randrange(100)))
elif kind.startswith('igmp'):
    body = bytes([0x11, 0 if kind == 'igmp1' else 10]) + bytes(6)
    igmp(with_checksum(body + (V3 if kind == 'igmp3' else b'')), sys.argv[3])
else:
    mld(bytes([130]) + bytes(23) + (V3 if kind == 'mld2' else b''))
