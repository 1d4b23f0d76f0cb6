//! What becomes of tests that have to do with the world outside of the program: explored where that is under control or
//! needs no waiting, and else skipped with the reason.

use crate::common::{explored, fixture};

#[test]
fn tests_that_need_other_processes_are_skipped_before_they_start_one() {
    let folder = fixture("verdicts");
    let (tests, code) = explored(&folder, &["outside::processes::"]);
    assert_eq!((tests.len(), code), (7, 2), "{tests:#?}");
    for (name, test) in &tests {
        assert_eq!(test["verdict"], "skipped", "{name}: {test:#}");
        let because = test["because"].as_str().unwrap();
        assert!(
            because.starts_with("needs the real world: it starts another program ("),
            "{name}: {because}"
        );
    }
}

#[test]
fn tests_that_wait_for_the_world_are_skipped() {
    let folder = fixture("verdicts");
    let (tests, code) = explored(&folder, &["--patience", "2s", "outside::"]);
    assert_eq!(code, 0, "{tests:#?}");
    let expected = [
        ("sockets::udp", "it waits for data on a socket (recv)"),
        ("sockets::udp_for_a_while", "it waits on a socket for a limited time (SO_RCVTIMEO)"),
        ("sockets::unix", "it waits for data on a socket (recv)"),
        ("sockets::tcp", "it waits for "),
        ("sockets::poll_for_a_while", "it has waited for events in vain (poll)"),
        ("sockets::epoll_for_a_while", "it has waited for events in vain (epoll)"),
        ("pipes::waiting", "it waits to read from a file, pipe or socket (read)"),
        ("signals::waiting", "it waits for a signal (pause)"),
        ("raw::poll_for_a_while", "it has waited for events in vain"),
        ("raw::sleeping", "it sleeps in the real world (nanosleep)"),
    ];
    for (name, words) in expected {
        let test = &tests[&format!("outside::{name}")];
        assert_eq!(test["verdict"], "skipped", "{name}: {test:#}");
        let because = test["because"].as_str().unwrap();
        assert!(
            because.starts_with("needs the real world: ") && because.contains(words),
            "{name}: {because}"
        );
    }
    let passed = [
        ("sockets::without_waiting", 2),
        ("pipes::standard_input", 2),
        ("time::system_time", 1),
        ("time::system_time_decides", 2),
        ("time::busy_on_system_time", 2),
        ("time::busy_on_system_time_in_turn_with_others", 1),
        ("time::busy_on_clocks", 2),
        ("time::sleeping_in_the_c_library", 1),
        ("signals::handled", 2),
        ("raw::without_waiting", 2),
    ];
    for (name, executions) in passed {
        let test = &tests[&format!("outside::{name}")];
        assert_eq!(test["verdict"], "passed", "{name}: {test:#}");
        assert_eq!(test["coverage"]["extent"], "exhaustive", "{name}: {test:#}");
        assert_eq!(test["executions"], executions, "{name}");
    }
    assert_eq!(tests.len(), expected.len() + passed.len() + 7);
}
