//! Modules that replace OTP's own, which would log, print or do I/O. They are written in Erlang
//! (`replaced/*.erl`) and stored compiled, so that no installed Erlang is needed.

/// The bytes of a replaced module.
pub fn module(name: &str) -> Option<&'static [u8]> {
    ALL.iter().find(|(n, _)| *n == name).map(|(_, bytes)| *bytes)
}

/// All replaced modules, by name.
pub const ALL: &[(&str, &[u8])] = &[
    ("logger_config", include_bytes!("replaced/logger_config.beam")),
    ("logger_std_h", include_bytes!("replaced/logger_std_h.beam")),
    ("raddle_logger", include_bytes!("replaced/raddle_logger.beam")),
    ("io", include_bytes!("replaced/io.beam")),
    ("prim_buffer", include_bytes!("replaced/prim_buffer.beam")),
    ("raddle_file", include_bytes!("replaced/raddle_file.beam")),
    ("timer", include_bytes!("replaced/timer.beam")),
    ("application", include_bytes!("replaced/application.beam")),
    ("cover", include_bytes!("replaced/cover.beam")),
    ("raddle_eunit", include_bytes!("replaced/raddle_eunit.beam")),
];
