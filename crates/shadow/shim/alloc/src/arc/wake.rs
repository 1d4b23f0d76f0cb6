//! `Wake`, whose methods take an `Arc`.

use super::Arc;
use core::mem::ManuallyDrop;
use core::task::{RawWaker, RawWakerVTable, Waker};

/// See [`alloc::task::Wake`](real::task::Wake).
pub trait Wake {
    fn wake(self: Arc<Self>);
    fn wake_by_ref(self: &Arc<Self>) {
        self.clone().wake();
    }
}

impl<W: Wake + Send + Sync + 'static> From<Arc<W>> for Waker {
    fn from(waker: Arc<W>) -> Waker {
        // SAFETY: the functions of the table keep the contract.
        unsafe { Waker::from_raw(raw(waker)) }
    }
}

impl<W: Wake + Send + Sync + 'static> From<Arc<W>> for RawWaker {
    fn from(waker: Arc<W>) -> RawWaker {
        raw(waker)
    }
}

fn raw<W: Wake + Send + Sync + 'static>(waker: Arc<W>) -> RawWaker {
    // SAFETY of all of them: the pointer is that of an `Arc` which the waker owns.
    unsafe fn clone<W: Wake + Send + Sync + 'static>(waker: *const ()) -> RawWaker {
        let waker = ManuallyDrop::new(unsafe { Arc::from_raw(waker.cast::<W>()) });
        raw(Arc::clone(&waker))
    }
    unsafe fn wake<W: Wake + Send + Sync + 'static>(waker: *const ()) {
        <W as Wake>::wake(unsafe { Arc::from_raw(waker.cast::<W>()) });
    }
    unsafe fn wake_by_ref<W: Wake + Send + Sync + 'static>(waker: *const ()) {
        let waker = ManuallyDrop::new(unsafe { Arc::from_raw(waker.cast::<W>()) });
        <W as Wake>::wake_by_ref(&waker);
    }
    unsafe fn drop_waker<W: Wake + Send + Sync + 'static>(waker: *const ()) {
        drop(unsafe { Arc::from_raw(waker.cast::<W>()) });
    }
    RawWaker::new(
        Arc::into_raw(waker).cast(),
        &RawWakerVTable::new(clone::<W>, wake::<W>, wake_by_ref::<W>, drop_waker::<W>),
    )
}
