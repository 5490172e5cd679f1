#!/usr/bin/env bash
# Reference adapter: shows what comes in on standard input as one Orbtile session. Needs bash 3.2 and curl.
#
#     make 2>&1 | ./ref.sh "Build"
#
# A while after the input has ended it takes the session away and ends, too.
# Copy it: `call` survives a new token, a restart and refusals; everything else is the made-up agent. The token
# reaches curl through -K <(...) and session text through its standard input, because others can read command lines.

set -u
export LC_ALL=C # bytes: text is cut by bytes and scrubbed by iconv

if [ "${1:-}" = --help ] || [ "${1:-}" = -h ]; then
  cat <<'HELP'
usage: COMMAND 2>&1 | ref.sh [TITLE]

Shows what comes in on standard input as a session in Orbtile, and ends 5 s after it. Ctrl+C ends it sooner.

  ORBTILE_API_FILE     the discovery file, where it is not in its usual place
  ORBTILE_ADAPTER_ID   the adapter id, reverse DNS that you own (default: org.example.ref-sh)
HELP
  exit 0
fi

id=${ORBTILE_ADAPTER_ID:-org.example.ref-sh}
title=${1:-Reference adapter (shell)}
heartbeat_s=5 # after 15 s of silence Orbtile shows the sessions as offline
kept_bytes=4000
longest_pause_s=5
done_shown_s=5 # the session goes with this program: long enough for people to see that it is done

work=$(mktemp -d "${TMPDIR:-/tmp}/orbtile-ref.XXXXXX") || exit 1
token='' base='' where=()
status=0 retry_after='' verified=''
registered='' message_id=0 message='' activity=starting sent='' stopping=''

say() { printf 'ref.sh: %s\n' "$1" >&2; }

# --- finding Orbtile -----------------------------------------------------------------------------------------

discovery_file() {
  local folder
  if [ -n "${ORBTILE_API_FILE:-}" ]; then printf '%s' "$ORBTILE_API_FILE" && return; fi
  case $(uname -s) in
    Darwin) set -- "$HOME/Library/Application Support" ;;
    *) case ${XDG_DATA_HOME:-} in /*) set -- "$XDG_DATA_HOME" ;; *) set -- "$HOME/.local/share" ;; esac ;;
  esac
  for folder in "$1/Orbtile" "$1/Orbtile Enterprise"; do
    if [ -e "$folder/adapter-api.json" ]; then printf '%s' "$folder/adapter-api.json" && return; fi
  done
  printf '%s' "$1/Orbtile/adapter-api.json"
}

# field NAME: a string or number of the JSON in $json. Enough for the discovery file and flat replies.
field() {
  local value
  value=$(printf '%s' "$json" | tr '\n' ' ' |
    sed -n -e 's/.*"'"$1"'"[[:space:]]*:[[:space:]]*"\(\([^"\\]\|\\.\)*\)".*/\1/p' \
      -e 's/.*"'"$1"'"[[:space:]]*:[[:space:]]*\([0-9][0-9]*\).*/\1/p' | head -n 1)
  case $value in *\\*) printf '%b' "${value//\\\//\/}" ;; *) printf '%s' "$value" ;; esac
}

# No file means off or not running. The listener must prove that it knows the token before it gets anything else.
find_orbtile() {
  local json socket port nonce
  verified=''
  json=$(cat "$(discovery_file)" 2>/dev/null) || return 1
  token=$(field token) base=$(field basePath) socket=$(field socketPath) port=$(field port)
  if [ -n "$socket" ]; then
    where=(--unix-socket "$socket" http://localhost)
  else
    where=("http://127.0.0.1:$port")
  fi
  [ -n "$token" ] && [ -n "$base" ] || return 1
  nonce=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  request GET /info '' "X-Orbtile-Nonce: $nonce"
  json=$(cat "$work/reply" 2>/dev/null)
  if [ "$status" = 200 ] && [ "$(field proof)" = "$(hmac_sha256 "$token" "$nonce")" ]; then
    verified=yes
  elif [ "$status" = 200 ]; then
    say 'the listener did not prove that it is Orbtile'
    return 1
  else
    return 1
  fi
}

sha256() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -c 1-64; }

# hmac_sha256 KEY TEXT, in hex (RFC 2104; the key is shorter than a block). printf is a builtin: no argv.
hmac_sha256() {
  local key=$1 text=$2 inner='' outer='' at code
  for ((at = 0; at < 64; at++)); do
    code=0
    if [ "$at" -lt "${#key}" ]; then printf -v code %d "'${key:at:1}"; fi
    printf -v inner '%s\\x%02x' "$inner" $((code ^ 0x36))
    printf -v outer '%s\\x%02x' "$outer" $((code ^ 0x5c))
  done
  inner=$({ printf "$inner" && printf %s "$text"; } | sha256)
  inner=$(printf %s "$inner" | sed 's/../\\x&/g')
  { printf "$outer" && printf "$inner"; } | sha256
}

# --- one request ---------------------------------------------------------------------------------------------

# request METHOD PATH BODY [HEADER]: sets status (000: no answer) and retry_after, leaves the body in $work/reply.
request() {
  local body=()
  if [ -n "$3" ]; then body=(--data-binary @-); fi
  rm -f "$work/reply" "$work/head"
  status=$(printf %s "$3" | curl --silent --max-time 5 --request "$1" \
    -K <(printf 'header = "Authorization: Bearer %s"\n' "$token") \
    --header 'Host: localhost' --header 'Content-Type: application/json' --header 'Expect:' \
    ${4:+--header "$4"} ${body[@]+"${body[@]}"} --output "$work/reply" --dump-header "$work/head" \
    --write-out '%{http_code}' "${where[@]:0:${#where[@]}-1}" "${where[${#where[@]}-1]}$base$2") || status=000
  retry_after=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9][0-9]*\).*/\1/p' "$work/head" 2>/dev/null | head -n 1)
}

# call METHOD PATH BODY: 0 done, 1 try again later, 2 register first. After a 401 the file is read once more.
call() {
  local json
  if [ -z "$verified" ]; then find_orbtile || return 1; fi
  request "$1" "/adapters/$id$2" "$3"
  if [ "$status" = 401 ]; then
    find_orbtile || return 1
    request "$1" "/adapters/$id$2" "$3"
  fi
  case $status in
    2??) return 0 ;;
    429 | 000 | 401 | 5??)
      [ -n "$retry_after" ] || verified=''
      return 1
      ;;
  esac
  json=$(cat "$work/reply" 2>/dev/null)
  case $(field code) in
    adapter_not_registered) registered='' && return 2 ;;
    limit_exceeded) return 1 ;;
  esac
  say "Orbtile refused it: $status $(field code) $(field field)"
  stopping=1
  return 1
}

# --- the made-up agent ---------------------------------------------------------------------------------------

# json_text TEXT [MAX_BYTES]: the end of it as a JSON string. Control characters are spaces to Orbtile anyway; bytes
# that are no UTF-8, a character that was cut among them, are left out.
json_text() {
  local text=$1
  if [ -n "${2:-}" ] && [ "${#text}" -gt "$2" ]; then text=${text:$((${#text} - $2))}; fi
  text=$(printf %s "$text" | iconv -c -f UTF-8 -t UTF-8 2>/dev/null | tr '\000-\011\013-\037\177' ' ')
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  printf '"%s"' "${text//$'\n'/\\n}"
}

register() {
  local json
  call PUT '' '{"name":"Reference (shell)","palette":{"baseHue":290},"version":"1.0.0"}' || return
  registered=yes sent=''
  json=$(cat "$work/reply")
  case $(field reason) in
    awaiting_user) say 'press Allow in Orbtile, Settings, Agents' ;;
    disabled_by_user) say 'you denied this adapter in Orbtile' ;;
  esac
}

# A session whose every update is whole needs no memory of what Orbtile has.
session() {
  printf '{"title":%s,"activity":"%s","cwd":%s,"message":' \
    "$(json_text "$title" 100)" "$activity" "$(json_text "$PWD" 1000)"
  if [ "$message_id" -gt 0 ]; then
    printf '{"id":"m%s","text":%s}}' "$message_id" "$(json_text "$message" "$kept_bytes")"
  else
    printf 'null}'
  fi
}

# sync: make Orbtile's picture ours, or set the time to try again.
sync() {
  local body result=0
  if [ -z "$registered" ]; then register || result=$?; fi
  if [ "$result" = 0 ] && [ "$sent" != "$message_id $activity ${#message} $message" ]; then
    body=$(session)
    call POST /sessions/ref "$body" && sent="$message_id $activity ${#message} $message" || result=$?
  fi
  if [ "$result" = 0 ] && [ "$SECONDS" -ge "$heartbeat_due" ]; then
    call POST /heartbeat '' && heartbeat_due=$((SECONDS + heartbeat_s)) || result=$?
  fi
  if [ "$result" = 0 ]; then
    pause=1
  elif [ "$result" = 1 ] && [ -n "$retry_after" ]; then
    quiet_until=$((SECONDS + retry_after + 1)) # SECONDS has no fractions
  elif [ "$result" = 1 ]; then
    if [ "$pause" = 1 ]; then say 'Orbtile cannot be reached; trying again now and then'; fi
    quiet_until=$((SECONDS + pause))
    pause=$((pause * 2 < longest_pause_s ? pause * 2 : longest_pause_s))
  fi
}

goodbye() {
  if [ -n "$registered" ] && [ -n "$verified" ]; then request DELETE "/adapters/$id" ''; fi
  rm -rf "$work"
}

trap 'stopping=1' TERM INT
trap goodbye EXIT

heartbeat_due=$heartbeat_s quiet_until=0 pause=1 sync_at=0 line='' part='' lines=0 open=yes
title=${title//[[:cntrl:]]/ }
[ -n "${title// /}" ] || title='Reference adapter'

while [ -z "$stopping" ]; do
  if [ "$SECONDS" -ge "$sync_at" ] && [ "$SECONDS" -ge "$quiet_until" ]; then
    sync
    sync_at=$((SECONDS + 1)) # at most one update a second, however fast the lines come
  fi
  if [ -z "$open" ]; then
    if [ "$SECONDS" -ge "$ends_at" ]; then stopping=1; else sleep 1; fi
  elif IFS= read -r -t 1 line; then
    if [ "$lines" -ge 20 ] || [ "$message_id" = 0 ]; then message_id=$((message_id + 1)) message='' lines=0; fi
    message="$message${message:+$'\n'}$part$line" part='' lines=$((lines + 1)) activity=streaming
    if [ "${#message}" -gt 20000 ]; then message=${message:$((${#message} - kept_bytes))}; fi
  elif [ $? -gt 128 ]; then
    part=$part$line # the time was up in the middle of a line
  else
    if [ -n "$part$line" ]; then
      message="$message${message:+$'\n'}$part$line"
      if [ "$message_id" = 0 ]; then message_id=1; fi
    fi
    open='' activity=done ends_at=$((SECONDS + done_shown_s)) sync_at=0
  fi
done
exit 0
