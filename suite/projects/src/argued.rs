//! Why Raddle's verdict is another one than Concuerror's, by scenario.

/// The test's process ends before its test is done.
const ENDS_EARLY: &str = "The test's process ends by an exit before its test is done: for EUnit and Raddle a failure, \
                          whatever the reason.";
/// It asks for the contents of a table of the system, or for a system process's state.
const SYSTEM: &str =
    "It reads the state of the node's own processes or tables, which Raddle refuses by name.";
const STACKTRACE: &str =
    "`erlang:get_stacktrace/0` is not there since OTP 24: the call raises `undef`, as on a node.";

/// The scenarios, and the reason.
const ARGUED: &[(&str, &str)] = &[
    ("basic_tests/ac_tab_insert test", SYSTEM),
    ("basic_tests/curious_builtins test3", STACKTRACE),
    (
        "basic_tests/ets_delete ets_delete_bad",
        "A public table can be deleted by any process: OTP 25 does so, the reference report expects an error.",
    ),
    ("basic_tests/ets_global_global new_exit", ENDS_EARLY),
    ("basic_tests/ets_global_global rename_exit", ENDS_EARLY),
    ("basic_tests/ets_info info_system", SYSTEM),
    ("basic_tests/ets_whereis whereis_system", SYSTEM),
    (
        "basic_tests/group_leader test1",
        "A process that has ended can be made a group leader: OTP 25 returns `true`, the reference report expects an error.",
    ),
    (
        "basic_tests/ignore_error_3 test",
        "Concuerror stops at depth 10 there and ignores that it did. Raddle goes on, and the process crashes.",
    ),
    ("basic_tests/init_race_condition test", SYSTEM),
    ("basic_tests/inspect_system test", SYSTEM),
    (
        "basic_tests/monitor_info test1",
        "Since OTP 21 a monitor is removed in its own process: `demonitor` with `info` says `true` while the message is \
         under way, and the deadlock of the reference report cannot happen.",
    ),
    ("basic_tests/normal_exit normal_exit", ENDS_EARLY),
    ("basic_tests/send_self test", "The test has no such function any more."),
    ("basic_tests/stacktrace_vs_exit test", STACKTRACE),
    ("basic_tests/system_info test", SYSTEM),
    (
        "basic_tests/transparent_instrumentation test",
        "It calls a module of Concuerror itself, which is not there.",
    ),
];

/// The reason for a scenario, if the difference was argued.
pub fn why(name: &str) -> Option<&'static str> {
    ARGUED.iter().find(|(scenario, _)| name == *scenario).map(|(_, why)| *why)
}
