//! Memory stays flat in long searches: uninteresting results, and executions that fail as others did, are
//! dropped at once.

use raddle::Checker;
use raddle::sync::Mutex;
use raddle::{sync::mpsc, thread};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Counts the bytes that are allocated and not freed.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all memory is std's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), SeqCst);
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), SeqCst);
        // SAFETY: the caller's.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The resident memory of this process, in bytes.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

/// The memory in use at the start of some executions.
#[derive(Default)]
struct Gauge {
    executions: AtomicUsize,
    early: AtomicUsize,
    late: AtomicUsize,
}

impl Gauge {
    fn look(&self, late: usize) {
        match self.executions.fetch_add(1, SeqCst) {
            500 => self.early.store(resident(), SeqCst),
            n if n == late => self.late.store(resident(), SeqCst),
            _ => {}
        }
    }
    /// The growth from early to late.
    fn growth(&self) -> usize {
        let (early, late) = (self.early.load(SeqCst), self.late.load(SeqCst));
        assert!(early > 0 && late > 0, "too few executions: {}", self.executions.load(SeqCst));
        late.saturating_sub(early)
    }
}

/// 8,000 different results of 2,000 bytes each.
fn many_results(gauge: &Gauge) -> String {
    gauge.look(7_900);
    let numbers = [raddle::choose(20), raddle::choose(20), raddle::choose(20)];
    format!("{:0>2000}", format!("{numbers:?}"))
}

/// Programs that leave tasks behind, which are dropped without destructors.
const LEAVE_TASKS: [(&str, fn()); 8] = [
    ("parked", || _ = thread::spawn(thread::park)),
    ("named", || _ = thread::Builder::new().name("name".to_owned()).spawn(thread::park).unwrap()),
    ("with a handle", || std::mem::forget(thread::spawn(thread::park))),
    ("with a thread", || {
        let main = thread::current();
        let child = thread::spawn(move || {
            thread::park();
            main.unpark();
        });
        let _thread = child.thread().clone();
    }),
    ("asleep", || {
        _ = thread::spawn(|| {
            thread::sleep(std::time::Duration::from_secs(1));
            thread::park();
        })
    }),
    ("with its own child", || _ = thread::spawn(|| thread::spawn(thread::park).join())),
    ("with a channel", || {
        let (sender, receiver) = mpsc::channel::<i32>();
        thread::spawn(move || receiver.recv());
        sender.send(1).unwrap();
        std::mem::forget(sender);
        thread::spawn(thread::park);
    }),
    ("with a receiver", || {
        let (sender, receiver) = mpsc::sync_channel::<i32>(1);
        thread::spawn(move || {
            let _sender = sender;
            receiver.recv()
        });
    }),
];

/// So many bytes more are in use for each execution, after a few.
fn leaks(program: fn(), executions: u64) -> f64 {
    let live = |schedules| {
        Checker::random(schedules).run(program);
        LIVE.load(SeqCst)
    };
    live(200);
    let before = live(200);
    (live(executions) as f64 - before as f64) / executions as f64
}

/// Sequential: there is one process. `RADDLE_FLAT=10000000` looks at so many executions of each program.
#[test]
fn memory_stays_flat() {
    let executions = std::env::var("RADDLE_FLAT").map_or(2_000, |text| text.parse().unwrap());
    for (what, program) in LEAVE_TASKS {
        let bytes = leaks(program, executions);
        assert!(bytes < 1.0, "{what}: {bytes} bytes for each execution");
    }
    let few = 2_000_000;
    let gauge = Gauge::default();
    let kept = Checker::dfs().run(|| many_results(&gauge));
    assert_eq!(kept.outcomes().len(), 8_000);
    assert!(gauge.growth() > 7_000 * 2_000, "results that are kept need room: {}", gauge.growth());
    drop(kept);

    for checker in [Checker::dfs(), Checker::exhaustive(), Checker::exhaustive().preemptions(1)] {
        let gauge = Gauge::default();
        let report =
            checker.run_keeping(|result: &String| result.ends_with("[3, 3, 3]"), || many_results(&gauge));
        assert_eq!((report.executions(), report.outcomes().len()), (8_000, 2));
        assert!(gauge.growth() < few, "{}", gauge.growth());
    }

    // The reduction, with its own state.
    let gauge = Gauge::default();
    let report = Checker::exhaustive().run_keeping(
        |_| false,
        || {
            gauge.look(1_600);
            let count = raddle::sync::Arc::new(Mutex::new(Vec::new()));
            let tasks: Vec<_> = (0..3)
                .map(|task| {
                    let count = count.clone();
                    raddle::thread::spawn(move || (0..3).for_each(|_| count.lock().unwrap().push(task)))
                })
                .collect();
            tasks.into_iter().for_each(|task| task.join().unwrap());
            count.lock().unwrap().clone()
        },
    );
    assert_eq!((report.executions(), report.outcomes()[&None]), (1_680, 1_680));
    assert!(gauge.growth() < few, "{}", gauge.growth());

    // Failures: the first of each kind is kept with its record.
    let gauge = Gauge::default();
    let report = Checker::dfs().keep_going().run(|| {
        gauge.look(1_500);
        let numbers = [raddle::choose(40), raddle::choose(40)];
        assert_eq!(numbers, [40, 40]);
    });
    assert_eq!(report.failures(), 1_600);
    assert!(gauge.growth() < few, "{}", gauge.growth());
}
