//! The project in a directory, when neither files nor `-pa` say what to explore: where its compiled modules and its tests
//! are, as rebar3, mix and Erlang.mk leave them. A project that is not built is refused with the command that builds it.

use std::path::{Path, PathBuf};

/// Where the modules of a project are.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// The directories whose tests are explored.
    pub own: Vec<PathBuf>,
    /// All directories with compiled modules.
    pub path: Vec<PathBuf>,
    /// Test sources that are not compiled.
    pub sources: Vec<PathBuf>,
}

/// The project in `root`; none if it is no project.
pub fn find(root: &Path) -> Result<Option<Project>, String> {
    if root.join("rebar.config").is_file() || root.join("_build").is_dir() && !apps(root).is_empty() {
        return built(root, "rebar3", "rebar3 as test compile").map(Some);
    }
    if root.join("mix.exs").is_file() {
        return built(root, "mix", "MIX_ENV=test mix compile").map(Some);
    }
    if root.join("erlang.mk").is_file() {
        return plain(root, "Erlang.mk", "make test-build").map(Some);
    }
    if root.join("ebin").is_dir() && (root.join("test").is_dir() || root.join("src").is_dir()) {
        return plain(root, "Erlang", "erlc -o ebin src/*.erl").map(Some);
    }
    Ok(None)
}

/// A project whose build is in `_build/test/lib`.
fn built(root: &Path, kind: &str, build: &str) -> Result<Project, String> {
    let lib = root.join("_build").join("test").join("lib");
    let all = folders(&lib);
    if all.is_empty() {
        return Err(format!(
            "this {kind} project is not built for its tests: there is no {}; run `{build}` first",
            shown(&lib)
        ));
    }
    let own_names = apps(root);
    let is_own = |dir: &&PathBuf| {
        let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        own_names.is_empty() || own_names.contains(&name)
    };
    let mut own: Vec<PathBuf> =
        all.iter().filter(is_own).flat_map(|app| ["ebin", "test"].map(|d| app.join(d))).collect();
    own.push(root.join("_build").join("test").join("extras").join("test"));
    own.retain(|dir| !files(dir, "beam").is_empty());
    let mut path: Vec<PathBuf> = all.iter().map(|app| app.join("ebin")).filter(|dir| dir.is_dir()).collect();
    path.extend(own.iter().filter(|dir| !path.contains(dir)).cloned().collect::<Vec<_>>());
    // `rebar3 as test compile` does not compile tests.
    let compiled = |source: &PathBuf| {
        own.iter()
            .any(|dir| dir.join(source.file_name().unwrap_or_default()).with_extension("beam").is_file())
    };
    let mut sources: Vec<PathBuf> = test_folders(root).iter().flat_map(|dir| tests_in(dir)).collect();
    sources.retain(|source| !compiled(source));
    if own.is_empty() {
        return Err(format!(
            "there are no compiled modules of this {kind} project in {}; run `{build}` first",
            shown(&lib)
        ));
    }
    Ok(Project { own, path, sources })
}

/// A project whose modules are in `ebin`, and its tests in `test`, compiled or not.
fn plain(root: &Path, kind: &str, build: &str) -> Result<Project, String> {
    let mut own = vec![root.join("ebin"), root.join("test")];
    own.retain(|dir| !files(dir, "beam").is_empty());
    if !root.join("ebin").is_dir() || files(&root.join("ebin"), "beam").is_empty() {
        return Err(format!(
            "this {kind} project is not built: there are no modules in {}; run `{build}` first",
            shown(&root.join("ebin"))
        ));
    }
    let deps = folders(&root.join("deps")).into_iter().map(|dep| dep.join("ebin")).filter(|dir| dir.is_dir());
    let path = own.iter().cloned().chain(deps).collect();
    let mut sources = tests_in(&root.join("test"));
    sources.retain(|source| !source.with_extension("beam").is_file());
    Ok(Project { own, path, sources })
}

/// The names of the applications of a project.
fn apps(root: &Path) -> Vec<String> {
    let mut sources = vec![root.join("src")];
    for dir in ["apps", "lib"] {
        sources.extend(folders(&root.join(dir)).into_iter().map(|app| app.join("src")));
    }
    let descriptions = sources.iter().flat_map(|dir| files(dir, "src"));
    let name = |file: PathBuf| file.file_name()?.to_str()?.strip_suffix(".app.src").map(str::to_owned);
    descriptions.filter_map(name).collect()
}

fn test_folders(root: &Path) -> Vec<PathBuf> {
    let mut all = vec![root.join("test")];
    all.extend(folders(&root.join("apps")).into_iter().map(|app| app.join("test")));
    all
}

fn sorted(dir: &Path, fits: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| fits(path)).collect();
    found.sort();
    found
}

fn folders(dir: &Path) -> Vec<PathBuf> {
    sorted(dir, Path::is_dir)
}

/// The sources of tests, without the suites of `common_test`, which EUnit does not run.
fn tests_in(dir: &Path) -> Vec<PathBuf> {
    let is_suite = |file: &PathBuf| file.to_string_lossy().ends_with("_SUITE.erl");
    files(dir, "erl").into_iter().filter(|file| !is_suite(file)).collect()
}

fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    sorted(dir, |path| path.is_file() && path.extension().is_some_and(|e| e == extension))
}

/// A path without the leading `./`.
fn shown(path: &Path) -> String {
    path.strip_prefix(".").unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory with these empty files, removed in the end.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str, paths: &[&str]) -> Tree {
            let root = std::env::temp_dir().join(format!("raddle-project-{name}-{}", std::process::id()));
            for path in paths {
                let file = root.join(path);
                std::fs::create_dir_all(file.parent().expect("it has one")).expect("a directory");
                std::fs::write(file, "").expect("a file");
            }
            Tree(root)
        }
        fn names(&self, paths: &[PathBuf]) -> Vec<String> {
            paths.iter().map(|p| p.strip_prefix(&self.0).expect("inside").display().to_string()).collect()
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn rebar3() {
        let tree = Tree::new(
            "rebar3",
            &[
                "rebar.config",
                "src/bank.app.src",
                "test/new_tests.erl",
                "test/bank_tests.erl",
                "_build/test/lib/bank/ebin/bank.beam",
                "_build/test/lib/bank/test/bank_tests.beam",
                "_build/test/lib/meck/ebin/meck.beam",
            ],
        );
        let project = find(&tree.0).expect("built").expect("a project");
        assert_eq!(tree.names(&project.own), ["_build/test/lib/bank/ebin", "_build/test/lib/bank/test"]);
        assert_eq!(
            tree.names(&project.path),
            ["_build/test/lib/bank/ebin", "_build/test/lib/meck/ebin", "_build/test/lib/bank/test"]
        );
        assert_eq!(tree.names(&project.sources), ["test/new_tests.erl"]);
    }

    #[test]
    fn what_is_not_built_says_how_to_build_it() {
        let tree = Tree::new("fresh", &["rebar.config", "src/bank.app.src"]);
        let said = find(&tree.0).expect_err("not built");
        assert!(said.ends_with("run `rebar3 as test compile` first"), "{said}");
        let tree = Tree::new("fresh-mk", &["erlang.mk", "Makefile", "src/bank.erl"]);
        let said = find(&tree.0).expect_err("not built");
        assert!(said.ends_with("run `make test-build` first"), "{said}");
    }

    #[test]
    fn erlang_mk() {
        let tree = Tree::new(
            "mk",
            &[
                "erlang.mk",
                "ebin/a.beam",
                "test/a_tests.erl",
                "test/b_tests.beam",
                "test/b_tests.erl",
                "deps/d/ebin/d.beam",
            ],
        );
        let project = find(&tree.0).expect("built").expect("a project");
        assert_eq!(tree.names(&project.own), ["ebin", "test"]);
        assert_eq!(tree.names(&project.path), ["ebin", "test", "deps/d/ebin"]);
        assert_eq!(tree.names(&project.sources), ["test/a_tests.erl"]);
    }

    #[test]
    fn no_project() {
        let tree = Tree::new("none", &["notes.txt"]);
        assert_eq!(find(&tree.0), Ok(None));
    }
}
