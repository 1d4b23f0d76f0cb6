//! The benchmark programs behind the known numbers of traces. Joins are part of the programs. A retry loop
//! reloads after a failed compare-exchange; a failed compare-exchange is a read.

use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::sync::{Mutex, RwLock, mpsc};
use raddle::thread;
use std::sync::Arc;

fn atomics(n: usize) -> Arc<Vec<AtomicUsize>> {
    Arc::new((0..n).map(|_| AtomicUsize::new(0)).collect())
}

fn mutexes(n: usize) -> Arc<Vec<Mutex<usize>>> {
    Arc::new((0..n).map(|_| Mutex::new(0)).collect())
}

/// t threads, k increments each, one mutex
pub fn mutex_counter(t: usize, k: usize) {
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

/// racy counter: load+store; k rounds; SeqCst
pub fn racy(t: usize, k: usize, check: bool) {
    let c = Arc::new(AtomicUsize::new(0));
    let hs: Vec<_> = (0..t)
        .map(|_| {
            let c = c.clone();
            thread::spawn(move || {
                for _ in 0..k {
                    let v = c.load(SeqCst);
                    c.store(v + 1, SeqCst);
                }
            })
        })
        .collect();
    for h in hs {
        h.join().unwrap();
    }
    let v = c.load(SeqCst);
    if check {
        assert_eq!(v, t * k, "lost update");
    }
}

/// AB-BA deadlock
pub fn abba() {
    let a = Arc::new(Mutex::new(0usize));
    let b = Arc::new(Mutex::new(0usize));
    let (a2, b2) = (a.clone(), b.clone());
    let h = thread::spawn(move || {
        let _x = a2.lock().unwrap();
        let _y = b2.lock().unwrap();
    });
    let h2 = thread::spawn(move || {
        let _y = b.lock().unwrap();
        let _x = a.lock().unwrap();
    });
    h.join().unwrap();
    h2.join().unwrap();
}

/// dining philosophers; fixed = last one takes the forks in the other order
pub fn phil(n: usize, rounds: usize, fixed: bool) {
    let forks = mutexes(n);
    let hs: Vec<_> = (0..n)
        .map(|i| {
            let f = forks.clone();
            thread::spawn(move || {
                let (mut l, mut r) = (i, (i + 1) % n);
                if fixed && l > r {
                    std::mem::swap(&mut l, &mut r);
                }
                for _ in 0..rounds {
                    let _a = f[l].lock().unwrap();
                    let _b = f[r].lock().unwrap();
                }
            })
        })
        .collect();
    for h in hs {
        h.join().unwrap();
    }
}

/// Treiber stack over indices (no reclamation), each thread: ops alternating push, pop
pub fn treiber(t: usize, ops: usize) {
    struct S {
        head: AtomicUsize,
        next: Vec<AtomicUsize>,
    }
    let s = Arc::new(S {
        head: AtomicUsize::new(0),
        next: (0..t * ops + 1).map(|_| AtomicUsize::new(0)).collect(),
    });
    let hs: Vec<_> = (0..t)
        .map(|i| {
            let s = s.clone();
            thread::spawn(move || {
                let mut popped = 0usize;
                for j in 0..ops {
                    if j % 2 == 0 {
                        let node = 1 + i * ops + j;
                        loop {
                            let h = s.head.load(Relaxed);
                            s.next[node].store(h, Relaxed);
                            if s.head.compare_exchange(h, node, AcqRel, Relaxed).is_ok() {
                                break;
                            }
                        }
                    } else {
                        loop {
                            let h = s.head.load(Acquire);
                            if h == 0 {
                                break;
                            }
                            let nx = s.next[h].load(Relaxed);
                            if s.head.compare_exchange(h, nx, AcqRel, Relaxed).is_ok() {
                                popped += 1;
                                break;
                            }
                        }
                    }
                }
                popped
            })
        })
        .collect();
    let popped: usize = hs.into_iter().map(|h| h.join().unwrap()).sum();
    assert_eq!(popped, t * (ops / 2));
}

/// lastzero(n): reader = main thread, n writers
pub fn lastzero(n: usize) {
    let a = atomics(n + 1);
    let hs: Vec<_> = (1..=n)
        .map(|i| {
            let a = a.clone();
            thread::spawn(move || {
                let v = a[i - 1].load(SeqCst);
                a[i].store(v + 1, SeqCst);
            })
        })
        .collect();
    let mut i = n;
    while a[i].load(SeqCst) != 0 {
        i -= 1;
    }
    for h in hs {
        h.join().unwrap();
    }
}

pub fn indexer(n: usize, size: usize, max: usize) {
    let table = atomics(size);
    let hs: Vec<_> = (0..n)
        .map(|tid| {
            let t = table.clone();
            thread::spawn(move || {
                for m in 1..=max {
                    let w = m * 11 + tid;
                    let mut h = (w * 7) % size;
                    while t[h].compare_exchange(0, w, SeqCst, SeqCst).is_err() {
                        h = (h + 1) % size;
                    }
                }
            })
        })
        .collect();
    for h in hs {
        h.join().unwrap();
    }
}

/// independent threads
pub fn indep(n: usize, k: usize) {
    let a = atomics(n);
    let hs: Vec<_> = (0..n)
        .map(|i| {
            let a = a.clone();
            thread::spawn(move || {
                for j in 0..k {
                    a[i].store(j, SeqCst);
                }
            })
        })
        .collect();
    for h in hs {
        h.join().unwrap();
    }
}

/// one writer and n readers of one location: 2^n traces
pub fn writer_and_readers(n: usize) {
    let a = atomics(1);
    let b = a.clone();
    let mut hs = vec![thread::spawn(move || b[0].store(1, SeqCst))];
    for _ in 0..n {
        let a = a.clone();
        hs.push(thread::spawn(move || {
            a[0].load(SeqCst);
        }));
    }
    for h in hs {
        h.join().unwrap();
    }
}

/// n threads all reading one location: 1 trace
pub fn readers(n: usize, k: usize) {
    let a = atomics(1);
    let hs: Vec<_> = (0..n)
        .map(|_| {
            let a = a.clone();
            thread::spawn(move || {
                for _ in 0..k {
                    a[0].load(SeqCst);
                }
            })
        })
        .collect();
    for h in hs {
        h.join().unwrap();
    }
}

/// writers of one location by fetch_add: traces = multinomial
pub fn faa(n: usize, k: usize) {
    let a = atomics(1);
    let hs: Vec<_> = (0..n)
        .map(|_| {
            let a = a.clone();
            thread::spawn(move || {
                for _ in 0..k {
                    a[0].fetch_add(1, SeqCst);
                }
            })
        })
        .collect();
    for h in hs {
        h.join().unwrap();
    }
}

pub fn rwlock(readers: usize, writers: usize, k: usize) {
    let l = Arc::new(RwLock::new(0usize));
    let mut hs: Vec<_> = Vec::new();
    for _ in 0..writers {
        let l = l.clone();
        hs.push(thread::spawn(move || {
            for _ in 0..k {
                *l.write().unwrap() += 1;
            }
        }));
    }
    for _ in 0..readers {
        let l = l.clone();
        hs.push(thread::spawn(move || {
            for _ in 0..k {
                let _ = *l.read().unwrap();
            }
        }));
    }
    for h in hs {
        h.join().unwrap();
    }
}

/// p producers x n messages, the consumer is main
pub fn mpsc_pc(p: usize, n: usize) {
    let (tx, rx) = mpsc::channel::<usize>();
    let hs: Vec<_> = (0..p)
        .map(|i| {
            let tx = tx.clone();
            thread::spawn(move || {
                for j in 0..n {
                    tx.send(i * 100 + j).unwrap();
                }
            })
        })
        .collect();
    let mut last = vec![None; p];
    for _ in 0..p * n {
        let v = rx.recv().unwrap();
        let (i, j) = (v / 100, v % 100);
        assert!(last[i].is_none_or(|l| l < j));
        last[i] = Some(j);
    }
    for h in hs {
        h.join().unwrap();
    }
}
