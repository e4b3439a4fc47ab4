#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# view.sh - copse view: the page and exact values, for its user alone.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
export PYTHONPATH="$srcdir/tests/lib" PYTHONDONTWRITEBYTECODE=1
here=$PWD
cd "$scratch" || exit 99

may() {
	[ -e "$builddir/libcopse-view.so" ] || skip "no libmicrohttpd here"
	need curl
}

# serve OPTION…: in the background, until done; $address is where.
serve() {
	rm -f said
	"$copse" view "$@" app.copse >said 2>&1 &
	server=$!
	wait_for grep -q 'serves until' said || { cat said; return 1; }
	address=$(sed -n 's|.*\(http://127.0.0.1:[0-9]*/[0-9a-f]*/\).*|\1|p' said)
}

# It ends as it is told to.
served() {
	kill -TERM $server && wait $server
}

# get WORD…: the status, the body into `body`.
get() {
	curl -s -o body -w '%{http_code}' "$@"
}

# At a rate that meets what starts the program, too.
measure() {
	"$copse" run -q --budget 0 -e cpu@5000 -o app.copse "$programs/forker" 0.2 >out 2>&1 ||
		{ cat out; return 1; }
}

page() {
	may
	need python3
	serve || return 1
	[ "$(get "$address")" = 200 ] && mv body live.html &&
		"$copse" report -f html -o file.html app.copse || return 1
	python3 - "$address" "$copse" <<-'EOF' || return 1
	import csv, io, json, re, subprocess, sys, urllib.request
	from page import decode
	live, a = decode("live.html")
	file, b = decode("file.html")
	assert live.pop("live") is True and file.pop("live") is False
	assert live == file and a == b
	policy = [re.search('content="(default-src[^"]*)"', open(f).read())[1]
	          for f in ("live.html", "file.html")]
	assert "connect-src 'self'" in policy[0] and "connect" not in policy[1]
	def ask(question):
	    with urllib.request.urlopen(sys.argv[1] + question) as answer:
	        return json.load(answer)
	table = csv.DictReader(io.StringIO(subprocess.run(
	    [sys.argv[2], "export", "values", "-m", "cpu.time", "app.copse"],
	    check=True, capture_output=True, text=True).stdout))
	own = {}
	for row in table:
	    own[int(row["node"]), int(row["process"])] = round(
	        float(row["value"]) * 1e9)
	ranks, nodes = live["ranks"]["count"], len(a["node.parent"])
	assert ranks > 1
	path, parent = a["node.path"], a["node.parent"]
	def inside(n, top):
	    while path[n] != path[top] and n:
	        n = parent[n]
	    return path[n] == path[top]
	for top in range(nodes):
	    if top and path[top] == path[0]:
	        continue # nothing is known of its path
	    tile = ask(f"tile?metric=cpu.time&nodes=0,{top}&first=1&ranks=1")
	    assert tile["nodes"] == [0, top] and tile["first"] == 1
	    want = sum(v for (n, r), v in own.items()
	               if r == 1 and inside(n, top))
	    assert tile["values"][1] == [want], (top, tile, want)
	    assert tile["values"][0] == [sum(v for (_, r), v in own.items()
	                                     if r == 1)]
	for r in range(ranks):
	    rank = ask(f"rank?metric=cpu.time&row={r}")
	    assert dict(zip(rank["nodes"], rank["values"])) == {
	        n: v for (n, of), v in own.items() if of == r}
	EOF
	for wrong in tile 'tile?metric=no&nodes=1' 'tile?metric=cpu.time&nodes=x' \
		'tile?metric=cpu.time&nodes=1&first=999999' \
		'tile?metric=cpu.time&nodes=1&ranks=999999' \
		'tile?metric=cpu.time&nodes=99999999' \
		'tile?metric=cpu.time&nodes=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1' \
		'rank?metric=cpu.time&row=-1' 'rank?row=0'; do
		[ "$(get "$address$wrong")" = 400 ] || { echo "$wrong"; return 1; }
	done
	[ "$(get "${address}etc/passwd")" = 404 ] &&
		[ "$(get -X POST "$address")" = 405 ] && served
}

# Whoever has another token, or none, gets nothing, not even that it exists.
token() {
	may
	serve || return 1
	port=${address#http://127.0.0.1:}
	port=${port%%/*}
	wrong=$(echo "$address" | tr 0123456789abcdef 1032547698badcfe |
		sed "s|.*/\([0-9a-f]*\)/$|http://127.0.0.1:$port/\1/|")
	[ "$(get "$wrong")" = 403 ] && ! grep -q copse-data body &&
		[ "$(get "http://127.0.0.1:$port/")" = 403 ] &&
		[ "$(get "http://127.0.0.1:$port/tile?metric=cpu.time&nodes=1")" = 403 ] &&
		[ "$(get "${address%?}")" = 403 ] &&
		[ "$(get "$address")" = 200 ] && served
}

# The socket is its owner's; where its mode was opened, others are refused still.
socket() {
	may
	serve --socket "$scratch/view.sock" || return 1
	[ "$(stat -c %a view.sock)" = 600 ] || return 1
	[ "$(get --unix-socket view.sock http://here/)" = 200 ] &&
		grep -q copse-data body || return 1
	# A page of elsewhere whose name leads here, too.
	[ "$(get --unix-socket view.sock http://elsewhere.example:8080/)" = 403 ] &&
		! grep -q copse-data body || return 1
	for name in 127.0.0.1:8080 localhost:8080 '[::1]:8080'; do
		[ "$(get -g --unix-socket view.sock "http://$name/")" = 200 ] || return 1
	done
	served && [ ! -e view.sock ]
}

other_user() {
	may
	need setpriv
	[ "$(id -u)" = 0 ] || skip "only root can be somebody else"
	chmod 711 "$scratch"
	serve --socket "$scratch/view.sock" || return 1
	ask='curl -s -o - -w "%{http_code}" --unix-socket "$0" http://here/'
	as='setpriv --reuid=65534 --regid=65534 --clear-groups'
	$as sh -c "$ask" "$scratch/view.sock" >other
	cat other
	grep -q '000$' other && ! grep -q copse-data other || return 1
	chmod 666 view.sock
	$as sh -c "$ask" "$scratch/view.sock" >other
	cat other
	grep -q '403$' other && ! grep -q copse-data other && served
}

# Connections of strangers, who send a byte now and then: their number keeps the
# owner out as little as their patience, and his own stay.
crowd() {
	may
	need python3
	serve || return 1
	python3 - "$address" <<-'EOF' || return 1
	import http.client, select, socket, sys, threading, time, urllib.parse
	at = urllib.parse.urlparse(sys.argv[1])
	def ask(kept, path):
	    kept.request("GET", path)
	    answer = kept.getresponse()
	    return answer.status, answer.read()
	kept = http.client.HTTPConnection(at.hostname, at.port, timeout=20)
	assert ask(kept, at.path)[0] == 200
	crowd, gone = [], 0
	done = False
	def hold():
	    while not done:
	        for s in crowd[:]:
	            try:
	                s.send(b"G")
	            except OSError:
	                pass
	        time.sleep(0.2)
	threading.Thread(target=hold, daemon=True).start()
	for i in range(100):
	    crowd.append(socket.create_connection((at.hostname, at.port),
	                                          timeout=20))
	for i in range(10):
	    new = http.client.HTTPConnection(at.hostname, at.port, timeout=20)
	    assert ask(new, at.path)[0] == 200
	    new.close()
	    assert ask(kept, at.path + "tile?metric=cpu.time&nodes=0")[0] == 200
	# One that asks for what it may not have stays a stranger.
	wrong = socket.create_connection((at.hostname, at.port), timeout=50)
	wrong.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	posts = socket.create_connection((at.hostname, at.port), timeout=50)
	posts.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n")
	begun = time.monotonic()
	for s in crowd + [wrong, posts]:
	    s.settimeout(50)
	    try:
	        while s.recv(4096):
	            pass
	    except ConnectionError:
	        pass
	print("all gone after", time.monotonic() - begun)
	done = True
	assert ask(kept, at.path)[0] == 200
	EOF
	served
}

# Who listens keeps the socket; who was killed does not.
one_listener() {
	may
	serve --socket view.sock || return 1
	first=$server
	! timeout 20 "$copse" view --socket view.sock app.copse >second 2>&1 ||
		return 1
	cat second
	grep "process $first listens on view.sock already: end it" second &&
		[ "$(get --unix-socket view.sock http://here/)" = 200 ] || return 1
	# Where its name was given to another, that stays.
	mv view.sock moved.sock
	serve --socket view.sock || return 1
	kill -TERM $first && wait $first
	[ -S view.sock ] && [ "$(get --unix-socket view.sock http://here/)" = 200 ] ||
		return 1
	kill -KILL $server
	wait $server
	[ -S view.sock ] && serve --socket view.sock &&
		[ "$(get --unix-socket view.sock http://here/)" = 200 ] && served
}

# Of many that begin at once on a left socket one has it.
many_listeners() {
	may
	serve --socket view.sock || return 1
	kill -KILL $server
	wait $server
	for n in 1 2 3 4 5 6; do
		"$copse" view --socket view.sock app.copse >said.$n 2>&1 &
		echo $!
	done >servers
	wait_for sh -c '[ "$(cat said.? | grep -cE "serves until|already")" = 6 ]'
	cat said.?
	[ "$(cat said.? | grep -c 'serves until')" = 1 ] &&
		[ "$(get --unix-socket view.sock http://here/)" = 200 ]
	status=$?
	xargs kill <servers 2>/dev/null
	wait
	return $status
}

point "a profile" measure
point "the page of a file, and exact values" page
point "without its token there is nothing" token
point "a socket of its owner" socket
point "another user is refused" other_user
point "a crowd of strangers keeps nobody out" crowd
point "a second one does not take a socket over" one_listener
point "of many at once one has the socket" many_listeners
cd "$here" || exit 99
points_done
