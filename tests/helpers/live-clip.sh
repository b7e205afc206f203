#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# live-clip.sh PROGRAMS SECONDS FILE: encodes H.264 + AAC programmes of constant
# bitrate into one multiplex, which tests send again and again.
set -eu
programs=$1 seconds=$2 file=$3
set --
i=0
while [ "$i" -lt "$programs" ]; do
	set -- "$@" -f lavfi -i testsrc2=size=320x180:rate=25 \
		-f lavfi -i "sine=frequency=$((400 + 200 * i))"
	i=$((i + 1))
done
i=0
while [ "$i" -lt "$programs" ]; do
	set -- "$@" -map $((2 * i)) -map $((2 * i + 1)) -program \
		"program_num=$((i + 1)):st=$((2 * i)):st=$((2 * i + 1))"
	i=$((i + 1))
done
ffmpeg -nostdin -hide_banner -y -loglevel error "$@" -t "$seconds" \
	-c:v libx264 -preset ultrafast -tune zerolatency -b:v 400k \
	-maxrate 400k -bufsize 200k -g 25 -pix_fmt yuv420p \
	-c:a aac -b:a 64k -ac 1 -muxrate $((700000 * programs)) -f mpegts \
	"$file.tmp"
mv "$file.tmp" "$file"
