//! Other programs. They are not under control, and every execution would start one again: a test that starts one cannot
//! be explored, and is skipped before it does.

use super::real::instead;
use libc::{pid_t, posix_spawn_file_actions_t, posix_spawnattr_t};
use raddle::observer::outside;
use std::ffi::{c_char, c_int};

type Texts = *const *mut c_char;

instead! {
    /// See `man 2 fork`. With it, programs are started that are prepared in some way.
    fn fork() -> pid_t {
        outside("it starts another program (fork)");
    }
}

instead! {
    /// See `man 3 posix_spawn`.
    fn posix_spawn(
        pid: *mut pid_t,
        path: *const c_char,
        actions: *const posix_spawn_file_actions_t,
        attributes: *const posix_spawnattr_t,
        arguments: Texts,
        environment: Texts
    ) -> c_int {
        outside("it starts another program (posix_spawn)");
    }
}

instead! {
    /// See `man 3 posix_spawn`. This is what std's `Command` uses.
    fn posix_spawnp(
        pid: *mut pid_t,
        file: *const c_char,
        actions: *const posix_spawn_file_actions_t,
        attributes: *const posix_spawnattr_t,
        arguments: Texts,
        environment: Texts
    ) -> c_int {
        outside("it starts another program (posix_spawn)");
    }
}

instead! {
    /// See `man 2 execve`.
    fn execve(path: *const c_char, arguments: Texts, environment: Texts) -> c_int {
        outside("it starts another program (exec)");
    }
}

instead! {
    /// See `man 3 exec`.
    fn execv(path: *const c_char, arguments: Texts) -> c_int {
        outside("it starts another program (exec)");
    }
}

instead! {
    /// See `man 3 exec`. This is what std's `CommandExt::exec` uses.
    fn execvp(file: *const c_char, arguments: Texts) -> c_int {
        outside("it starts another program (exec)");
    }
}

instead! {
    /// See `man 3 system`.
    fn system(command: *const c_char) -> c_int {
        outside("it starts another program (system)");
    }
}

instead! {
    /// See `man 3 popen`.
    fn popen(command: *const c_char, mode: *const c_char) -> *mut libc::FILE {
        outside("it starts another program (popen)");
    }
}
