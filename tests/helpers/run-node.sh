#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs one system test, in TAP, inside network and mount namespaces of its
# own: its ports, multicast groups and mounts are nobody else's.  Works as root
# and, where the kernel allows user namespaces, as anybody.
set -u
if [ "$(id -u)" = 0 ]; then
	spaces=-nm
else
	spaces=-rnm
fi
if ! why=$(unshare "$spaces" ip link set lo up 2>&1); then
	echo "1..0 # SKIP no namespaces here: $why"
	exit 0
fi
# shellcheck disable=SC2016  # expanded inside
exec unshare "$spaces" sh -euc '
	ip link set lo up multicast on
	ip route add 239.0.0.0/8 dev lo
	ip route add 232.0.0.0/8 dev lo
	exec "$NODE" --test-reporter=tap "$1"
' run-node "$1"
