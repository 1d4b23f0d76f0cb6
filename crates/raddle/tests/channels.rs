use raddle::Checker;
use raddle::sync::mpsc::*;
use raddle::sync::Mutex;
use raddle::thread;

#[test]
fn look() {
    let report = Checker::dfs().run(|| {
        let (tx, rx) = channel();
        let h = thread::spawn(move || { let _ = tx.send(1); });
        let m = Mutex::new(0);
        *m.lock().unwrap() += 1;
        let x = rx.try_recv();
        h.join().unwrap();
        assert!(x.is_ok());
    });
    let f = report.failure().unwrap();
    println!("{} {} {}", report.executions(), f.kind(), f.message());
    for l in &f.trace().lines {
        println!("{} {} {:?} {} {:?} {:?}", l.actor, l.verb, l.object, l.detail, l.place.as_ref().map(|p| p.to_string()), l.reads_from);
    }
}
