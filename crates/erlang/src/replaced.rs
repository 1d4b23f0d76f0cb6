//! Modules that stand in for OTP's own: what would log, print or talk to the outside. They are written in
//! Erlang (`replaced/*.erl`) and kept compiled, so that they work where no Erlang is installed.

/// The bytes of a module that we replace.
pub fn module(name: &str) -> Option<&'static [u8]> {
    ALL.iter().find(|(n, _)| *n == name).map(|(_, bytes)| *bytes)
}

/// All of them, by name.
pub const ALL: &[(&str, &[u8])] = &[
    ("logger", include_bytes!("replaced/logger.beam")),
    ("error_logger", include_bytes!("replaced/error_logger.beam")),
    ("io", include_bytes!("replaced/io.beam")),
    ("timer", include_bytes!("replaced/timer.beam")),
    ("application", include_bytes!("replaced/application.beam")),
    ("raddle_eunit", include_bytes!("replaced/raddle_eunit.beam")),
];
