#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# recipes.sh - what share/packages has for package managers is of this version,
# and well formed; the options that it gives to configure are such.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
packages=$srcdir/share/packages
spack=$packages/spack/copse/package.py
easyconfig=$(echo "$packages"/easybuild/copse-*.eb)
version=$(sed -n 's/^PACKAGE_VERSION = //p' "$builddir/Makefile")

one_version() {
	{
		sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' "$packages/debian/changelog"
		sed -n 's/^Version: *//p' "$packages/rpm/copse.spec"
		sed -n 's/^    version("\([^"]*\)".*/\1/p' "$spack"
		sed -n "s/^version = '\(.*\)'/\1/p" "$easyconfig"
		sed -n 's/^  version: "\(.*\)"/\1/p' "$packages/conda/recipe.yaml"
	} >"$scratch/is"
	cat "$scratch/is"
	[ "$(grep -cx "$version" "$scratch/is")" = 5 ]
}

# --with-mpi of a loop is of a variable.
options_are_known() {
	"$srcdir/configure" --help >"$scratch/help" || return
	cat "$spack" "$easyconfig" "$packages/conda/recipe.yaml" \
		"$packages/rpm/copse.spec" "$packages/debian/rules" |
		grep -oE -e '--with(out)?-[a-z0-9]+' |
		sed 's/--with\(out\)*-//' | sort -u >"$scratch/options"
	[ "$(wc -l <"$scratch/options")" -gt 8 ] || return
	while read -r option; do
		grep -q -e "--with-$option=" "$scratch/help" ||
			{ echo "configure has no --with-$option"; return 1; }
	done <"$scratch/options"
}

# Spack's names stand for nothing here; what is asked of them is looked at.
spack_recipe() {
	need python3
	python3 - "$spack" <<-'END'
		import sys, types
		said = []
		def stub(name):
		    return lambda *args, **words: said.append((name, args, words))
		class AutotoolsPackage: pass
		names = "license version variant depends_on requires which".split()
		modules = {"spack_repo": {}, "spack_repo.builtin": {},
		           "spack_repo.builtin.build_systems": {},
		           "spack_repo.builtin.build_systems.autotools": {"AutotoolsPackage": AutotoolsPackage},
		           "spack": {}, "spack.package": {name: stub(name) for name in names}}
		for name, has in modules.items():
		    sys.modules[name] = types.ModuleType(name)
		    vars(sys.modules[name]).update(has)
		scope = {}
		exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), scope)
		made = scope["Copse"]
		assert made.__doc__ and made.homepage and made.url
		variants = {args[0] for name, args, words in said if name == "variant"}
		needs = [args[0].split("@")[0].split("+")[0].split("~")[0]
		         for name, args, words in said if name == "depends_on"]
		assert "cuda" not in variants and {"openmpi", "mpich"} <= variants
		assert {"c", "hdf5", "elfutils", "openmpi", "mpich"} <= set(needs), needs
		for name, args, words in said:
		    for variant in words.get("when", "").split("+")[1:]:
		        assert variant in variants, variant
		class Spec(dict):
		    def __init__(self, on):
		        self.on = on
		        for need in needs:
		            self[need] = types.SimpleNamespace(prefix="/opt/" + need)
		    def satisfies(self, what):
		        return what[1:] in self.on
		for on in (set(), variants):
		    package = made()
		    package.spec = Spec(on)
		    given = package.configure_args()
		    print(given)
		    assert ("--with-mpich=/opt/mpich" in given) == bool(on)
		    assert ("--without-papi" in given) != bool(on)
	END
}

easybuild_recipe() {
	need python3
	python3 - "$easyconfig" <<-'END'
		import os, sys
		scope = {}
		exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), scope)
		for key in ("easyblock name version homepage description toolchain sources "
		            "checksums sanity_check_paths moduleclass").split():
		    assert scope[key], key
		assert os.path.basename(sys.argv[1]) == "%s-%s-%s-%s.eb" % (
		    scope["name"], scope["version"], scope["toolchain"]["name"],
		    scope["toolchain"]["version"])
		assert sorted(scope["sanity_check_paths"]) == ["dirs", "files"]
		assert len(scope["sources"]) == len(scope["checksums"])
	END
}

conda_recipe() {
	need python3
	python3 -c 'import yaml' 2>/dev/null || skip "no yaml for Python here"
	python3 - "$packages/conda/recipe.yaml" <<-'END'
		import sys, yaml
		made = yaml.safe_load(open(sys.argv[1]))
		assert made["schema_version"] == 1
		for key in "context package source build requirements tests about".split():
		    assert made[key], key
		assert sorted(made["source"]) == ["sha256", "url"]
		assert made["about"]["license"] == "BSD-3-Clause"
		assert all(isinstance(line, str) for line in made["build"]["script"])
		assert all(isinstance(line, str) for test in made["tests"]
		           for line in test.get("script", []))
	END
}

rpm_spec() {
	need rpmspec
	rpmspec -P "$packages/rpm/copse.spec" >"$scratch/spec" &&
		grep -x "Version: *$version" "$scratch/spec" &&
		! grep '%{' "$scratch/spec"
}

point "all are of this version" one_version
point "configure knows the options they give" options_are_known
point "Spack's recipe" spack_recipe
point "EasyBuild's easyconfig" easybuild_recipe
point "conda's recipe" conda_recipe
point "the RPM spec" rpm_spec
points_done
