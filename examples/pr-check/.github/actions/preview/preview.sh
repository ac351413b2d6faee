#!/usr/bin/env bash
# Previews the stack $PULUMI_STACK of the project in the current folder. Prints annotations, adds the report to
# the job summary, and passes the report on to the next step. Fails if the preview was refused or failed.
set -uo pipefail

files=$(mktemp -d "$RUNNER_TEMP/preview.XXXXXX")
# The event log contains secrets.
trap 'rm -f "$files"/events.jsonl "$files"/state.json' EXIT
project=Pulumi.yaml
[ -e "$project" ] || project=Pulumi.yml
name=$(sed -n "s/^name: *[\"']\{0,1\}\([^\"' ]*\).*/\1/p" "$project" | head -n 1)
title="$name/$PULUMI_STACK"
{
  echo "report=$files/report.md"
  echo "title=$title"
} >> "$GITHUB_OUTPUT"

code=0
# PULUMI_DEBUG_COMMANDS makes the option --event-log available.
PULUMI_DEBUG_COMMANDS=true pulumi preview --stack "$PULUMI_STACK" --json --non-interactive \
  --event-log "$files/events.jsonl" > "$files/preview.json" 2> "$files/preview.log" || code=$?

inputs=("$files/events.jsonl" "$files/preview.json")
# A resource that failed has no line in the preview, but in the state.
if [ "$code" -ne 0 ] &&
  pulumi stack export --stack "$PULUMI_STACK" --non-interactive > "$files/state.json" 2> /dev/null; then
  inputs+=("$files/state.json")
fi

report() {
  npx --no-install pulumi-clouddb report "${inputs[@]}" \
    --title "$title" --exit-code "$code" --log "$files/preview.log" "$@"
}

if ! report --exit-zero > "$files/report.md"; then
  printf '### `%s`: failed\n\nThe report could not be created: see the log of the job.\n' \
    "$title" > "$files/report.md"
  exit 1
fi
report --format github
result=$?
# 2: the stack changes.
[ "$result" -eq 0 ] || [ "$result" -eq 2 ]
