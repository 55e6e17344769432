#!/usr/bin/env bash
# Does the task as a perfect agent would; only --validate runs it.
set -euo pipefail

LC_ALL=C sort -u names.txt > sorted.txt
