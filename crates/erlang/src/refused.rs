//! What is not supported, as one table for the interpreter and the guide: whole modules of OTP that are refused by name,
//! each with the reason. A call of one of their functions ends the run before it gives an answer, unless a native has
//! that function.

/// Modules that reach outside the program, and what they would need.
pub const MODULES: &[(&str, &str)] = &[
    ("dbg", "tracing"),
    ("ttb", "tracing"),
    ("seq_trace", "tracing"),
    ("et", "tracing"),
    ("dets", "the system's processes for tables and logs on disk"),
    ("disk_log", "the system's processes for tables and logs on disk"),
    ("zip", "compressed data"),
    ("zlib", "compressed data"),
    ("erl_tar", "compressed data"),
    ("erl_prim_loader", "the loader of a node"),
    ("prim_file", "what only OTP asks of files"),
    ("ram_file", "drivers"),
    ("global", "names of several nodes"),
    ("global_group", "names of several nodes"),
    ("mnesia", "files and several nodes"),
    ("peer", "several nodes"),
    ("slave", "several nodes"),
    ("gen_sctp", "sockets"),
    ("gen_tcp", "sockets"),
    ("gen_udp", "sockets"),
    ("httpc", "sockets"),
    ("httpd", "sockets"),
    ("prim_inet", "sockets"),
    ("socket", "sockets"),
    ("ssh", "sockets"),
    ("ssl", "sockets"),
    ("erl_ddll", "drivers"),
    ("heart", "the system of a node"),
    ("release_handler", "loading code while it runs"),
];

/// Single functions, and what they would need. Those of `code` change the loaded code.
pub const FUNCTIONS: &[(&str, &str, &str)] = &[
    ("code", "add_path", "another search path"),
    ("code", "add_patha", "another search path"),
    ("code", "add_pathz", "another search path"),
    ("code", "add_paths", "another search path"),
    ("code", "add_pathsa", "another search path"),
    ("code", "add_pathsz", "another search path"),
    ("code", "del_path", "another search path"),
    ("code", "set_path", "another search path"),
    ("code", "replace_path", "another search path"),
    ("code", "all_loaded", "the modules that a node has loaded"),
    ("code", "atomic_load", "loading code while it runs"),
    ("code", "load_abs", "loading code while it runs"),
    ("code", "stick_dir", "loading code while it runs"),
    ("code", "unstick_dir", "loading code while it runs"),
    ("erlang", "load_module", "loading code while it runs"),
    ("erlang", "load_nif", "NIFs"),
    ("erlang", "open_port", "ports"),
    ("erlang", "trace", "tracing"),
    ("erlang", "trace_pattern", "tracing"),
    ("error_logger", "add_report_handler", "the system's processes for event handlers of logs"),
    ("error_logger", "start", "the system's processes for event handlers of logs"),
    ("net_kernel", "start", "several nodes"),
    ("os", "cmd", "programs outside"),
];

/// What a function would need, if it is refused.
pub fn needs(module: &str, function: &str) -> Option<&'static str> {
    let whole = MODULES.iter().find(|(name, _)| *name == module).map(|(_, why)| *why);
    whole
        .or_else(|| FUNCTIONS.iter().find(|(m, f, _)| *m == module && *f == function).map(|(_, _, why)| *why))
}

/// The lines of the guide: what is needed, and the names that need it.
pub fn listed() -> Vec<String> {
    let mut lines: Vec<(&str, Vec<String>)> = Vec::new();
    let modules = MODULES.iter().map(|(name, why)| (*why, (*name).to_owned()));
    let functions = FUNCTIONS.iter().map(|(module, function, why)| (*why, format!("{module}:{function}")));
    for (why, name) in modules.chain(functions) {
        match lines.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(name),
            None => lines.push((why, vec![name])),
        }
    }
    lines.iter().map(|(why, names)| format!("- {why}: `{}`", names.join("`, `"))).collect()
}
