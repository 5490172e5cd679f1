#!/bin/bash
# An adapter of a few lines: curl, a shell, and nothing else. The verb comes first; the reply goes to stdout with its
# status on a line of its own.
#   story.sh register NAME | update JSON | heartbeat | info
set -eu
file=$ORBTILE_API_FILE
field() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "$file"; }
call() {
    # The token reaches curl through a pipe: argv shows in the process list.
    curl --silent --show-error --unix-socket "$(field socketPath)" --write-out '\n%{http_code}\n' \
        -K <(printf 'header = "Authorization: Bearer %s"\n' "${TOKEN:-$(field token)}") \
        -H 'Content-Type: application/json' -X "$1" "http://localhost/a/v1$2" ${3:+-d "$3"}
}
case $1 in
    info) call GET /info ;;
    register) call PUT /adapters/org.example.story "{\"name\": \"$2\", \"palette\": {\"baseHue\": 270}}" ;;
    update) call POST /adapters/org.example.story/sessions/run-1 "$2" ;;
    heartbeat) call POST /adapters/org.example.story/heartbeat ;;
esac
