use raddle::{
    Checker,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::*},
    },
    thread,
};
fn mutex_counter(t: usize, k: usize) {
    let m = Arc::new(Mutex::new(0usize));
    let hs: Vec<_> = (0..t)
        .map(|_| {
            let m = m.clone();
            thread::spawn(move || {
                for _ in 0..k {
                    *m.lock().unwrap() += 1;
                }
            })
        })
        .collect();
    for h in hs {
        h.join().unwrap();
    }
    assert_eq!(*m.lock().unwrap(), t * k);
}
fn faa(n: usize, k: usize) {
    let a = Arc::new(AtomicUsize::new(0));
    let hs: Vec<_> = (0..n)
        .map(|_| {
            let a = a.clone();
            thread::spawn(move || {
                for _ in 0..k {
                    a.fetch_add(1, SeqCst);
                }
            })
        })
        .collect();
    for h in hs {
        h.join().unwrap();
    }
}
fn racy() {
    let c = Arc::new(AtomicUsize::new(0));
    let hs: Vec<_> = (0..2)
        .map(|_| {
            let c = c.clone();
            thread::spawn(move || {
                let v = c.load(SeqCst);
                c.store(v + 1, SeqCst);
            })
        })
        .collect();
    for h in hs {
        h.join().unwrap();
    }
    assert_eq!(c.load(SeqCst), 2, "lost update");
}
fn time(name: &str, n: u64, f: impl Fn() + Send + Sync) {
    let t = std::time::Instant::now();
    let r = Checker::random(n).seed(7).run(&f);
    let d = t.elapsed();
    println!(
        "{name}: {} executions, {:.0}/s, {:.1} ns/step, {:.1} steps {:?}",
        r.executions(),
        r.executions() as f64 / d.as_secs_f64(),
        d.as_nanos() as f64 / r.steps() as f64,
        r.steps() as f64 / r.executions() as f64,
        r.failure().map(|f| f.message().to_owned())
    );
}
fn main() {
    if let Some(a) = std::env::args().nth(1) {
        let n: u64 = a.parse().unwrap();
        let k = std::env::args().nth(2).unwrap();
        if k == "e" {
            time("empty", n, || {});
        } else if k == "s" {
            time("spawn3", n, || {
                let hs: Vec<_> = (0..3).map(|_| thread::spawn(|| {})).collect();
                for h in hs {
                    h.join().unwrap();
                }
            });
        } else if k == "m" {
            time("mutex 3x3", n, || mutex_counter(3, 3));
        } else {
            time("faa 3x3", n, || faa(3, 3));
        }
        return;
    }
    time("mutex 2x2", 200_000, || mutex_counter(2, 2));
    time("mutex 3x3", 200_000, || mutex_counter(3, 3));
    time("mutex 10x3", 50_000, || mutex_counter(10, 3));
    time("faa 3x3", 200_000, || faa(3, 3));
    time("faa 2x500000", 1, || faa(2, 20000));
    for k in 1..3 {
        let t = std::time::Instant::now();
        let r = Checker::dfs().workers(k).run(|| mutex_counter(2, 2));
        println!(
            "dfs {} {:?} {} {:?}",
            r.executions(),
            t.elapsed(),
            r.coverage(),
            r.failure().map(|f| f.message().to_owned())
        );
    }
    let r = Checker::dfs().run(racy);
    println!("{:#?}", r.failure());
}
