#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# completion.sh - what the real shells make of copse's completion.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
PATH=$builddir:$PATH
mkdir -p app.copse

# offers SHELL LINE WORD…: the completions of the line have each of the words.
offers() {
	shell=$1
	line=$2
	shift 2
	need "$shell"
	"ask_$shell" "$line" >said
	for word in "$@"; do
		grep -qw -e "$word" said && continue
		echo "no '$word' for '$line':"
		cat -v said
		return 1
	done
}

offers_nothing() {
	need "$1"
	"ask_$1" "$2" | grep . && return 1
	return 0
}

# As readline does, which cuts words at '=', too.
ask_bash() {
	bash -c '. <(copse completion bash)
		read -ra COMP_WORDS <<<"${1//=/ = }"
		[[ $1 == *" " ]] && COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_copse
		printf "%s\n" "${COMPREPLY[@]}"' bash "$1"
}

ask_fish() {
	HOME=$scratch typed=$1 fish -c 'copse completion fish | source
		complete "-C$typed"' | cut -f 1
}

# Typed on a terminal, with a key that completes and shows what the line became.
ask_zsh() {
	cat >typed.zsh <<-'EOT'
		zmodload zsh/zpty
		zpty shell zsh -f -i
		zpty -w shell 'PS1=; autoload -Uz compinit; compinit -u -d ./dump
			show() { zle complete-word; print -r "LINE $BUFFER END" }
			zle -N show; bindkey "^T" show
			. <(copse completion zsh); print REA''DY'
		zpty -r shell said '*READY*'
		zpty -w -n shell $1$'\C-t'
		zpty -r shell said '*LINE*END*'
		print -r -- ${said#*LINE}
	EOT
	timeout 60 zsh -f typed.zsh "$1"
}

# Installed, zsh finds it by itself, under a name with '_'.
autoloads_in_zsh() {
	need zsh
	mkdir -p functions
	copse completion zsh >functions/_copse
	cat >loaded.zsh <<-'EOT'
		fpath=($PWD/functions $fpath)
		autoload -Uz compinit
		compinit -u -d ./dump
		print $_comps[copse]
	EOT
	[ "$(zsh -f loaded.zsh)" = _copse ]
}

for shell in bash zsh fish; do
	point "$shell: commands" offers $shell "copse rep" report
	point "$shell: values of options" offers $shell "copse report -f fol" \
		folded
	point "$shell: values behind =" offers $shell \
		"copse run --gather=au" auto
	point "$shell: metrics" offers $shell "copse report -m mpi.time.mi" \
		mpi.time.min
	point "$shell: options" offers $shell "copse run --bud" -budget
done
for shell in bash fish; do
	point "$shell: analyses and profiles, before a letter is typed" \
		offers $shell "copse report " hotspots waits app.copse
	point "$shell: nothing of ours behind a program" \
		offers_nothing $shell "copse run ./program --bud"
done
point "zsh: analyses" offers zsh "copse report hots" hotspots
point "zsh loads it when it is wanted" autoloads_in_zsh
points_done
