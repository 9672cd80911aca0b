#!/bin/sh
# Writes numbered lines to stdout and stderr in turn, every third one by opening /dev/stderr or /dev/stdout anew.
n=0
while [ $n -lt 200 ]; do
  echo "$n out"
  echo "$((n + 1)) err" >&2
  echo "$((n + 2)) reopened err" > /dev/stderr
  echo "$((n + 3)) reopened out" > /dev/stdout
  n=$((n + 4))
done
