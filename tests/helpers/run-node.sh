#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs one system test, in TAP, inside network and mount namespaces of its
# own: its ports, multicast groups and mounts are its own.  Works as root
# and, where the kernel allows user namespaces, as anybody.
set -u

# In a chroot the root is no mount point, and its propagation stays as it is.
spaces=
for try in -nm '-nm --propagation=unchanged' -rnm; do
	# shellcheck disable=SC2086  # words of our own
	if why=$(unshare $try ip link set lo up 2>&1); then
		spaces=$try
		break
	fi
done
if [ -z "$spaces" ]; then
	echo "1..0 # SKIP no namespaces here: $why"
	exit 0
fi
# Where Debian keeps the packages of Node.js, whoever made the Node.js that runs
NODE_PATH=${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs
# the documents that describe the control interface
REFERENCE=${srcdir:-.}/doc
export NODE_PATH REFERENCE
# shellcheck disable=SC2016,SC2086  # expanded inside; words of our own
exec unshare $spaces sh -euc '
	ip link set lo up multicast on
	ip route add 239.0.0.0/8 dev lo
	ip route add 232.0.0.0/8 dev lo
	exec "$NODE" --test-reporter=tap "$1"
' run-node "$1"
