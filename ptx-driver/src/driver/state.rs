//! The one lock, and all that lies behind it.
use super::capture::Capture;
use super::context::Context;
use super::device::Device;
use super::event::Event;
use super::exec::Exec;
use super::function::Function;
use super::graph::{Graph, NodePlace};
use super::handle::{Kind, Table};
use super::memory::Allocations;
use super::module::Loaded;
use super::pool::Pool;
use super::random::Random;
use super::settings::Settings;
use super::stream::Stream;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// What `ptx_driver_counts` tells, as far as it is counted.
#[derive(Default, Clone, Copy)]
pub struct Counts {
    pub kernels: u64,
    pub instructions: u64,
}

pub struct State {
    pub initialized: bool,
    pub settings: Settings,
    pub devices: Vec<Device>,
    pub contexts: Table<Context>,
    pub streams: Table<Stream>,
    pub events: Table<Event>,
    pub modules: Table<Arc<Loaded>>,
    pub functions: Table<Arc<Function>>,
    pub graphs: Table<Graph>,
    pub nodes: Table<NodePlace>,
    pub execs: Table<Exec>,
    pub pools: Table<Pool>,
    pub captures: Table<Capture>,
    pub memory: Allocations,
    pub random: Random,
    pub counts: Counts,
    /// Nanoseconds of an invented clock: executed work moves it.
    pub clock: u64,
    /// Numbers what is enqueued and freed, in the order of the calls.
    pub ticket: u64,
    /// Counts faults, so that a call notices one that it brought about.
    pub faults: u64,
    pub last_fault: String,
    /// Numbers contexts and streams for `cuCtxGetId` and `cuStreamGetId`.
    pub ids: u64,
    /// Threads that wait for another one's work.
    waiting: u32,
}

impl State {
    fn new(memory: Allocations) -> State {
        State {
            initialized: false,
            settings: Settings::default(),
            devices: Vec::new(),
            contexts: Table::new(Kind::Context),
            streams: Table::new(Kind::Stream),
            events: Table::new(Kind::Event),
            modules: Table::new(Kind::Module),
            functions: Table::new(Kind::Function),
            graphs: Table::new(Kind::Graph),
            nodes: Table::new(Kind::Node),
            execs: Table::new(Kind::Exec),
            pools: Table::new(Kind::Pool),
            captures: Table::new(Kind::Capture),
            memory,
            random: Random::new(1),
            counts: Counts::default(),
            clock: 0,
            ticket: 0,
            faults: 0,
            last_fault: String::new(),
            ids: 0,
            waiting: 0,
        }
    }

    pub fn next_ticket(&mut self) -> u64 {
        self.ticket += 1;
        self.ticket
    }

    pub fn next_id(&mut self) -> u64 {
        self.ids += 1;
        self.ids
    }
}

static STATE: Mutex<Option<Box<State>>> = Mutex::new(None);
static CHANGED: Condvar = Condvar::new();

/// Held by whoever executes device work: kernels and copies run one after the other.
pub static EXECUTION: Mutex<()> = Mutex::new(());

/// The lock, held. `unlocked` lets go of it for a while.
pub struct Guard(Option<MutexGuard<'static, Option<Box<State>>>>);

impl Guard {
    pub fn lock() -> Guard {
        let mut inner = STATE.lock().unwrap_or_else(|e| e.into_inner());
        inner.get_or_insert_with(|| Box::new(State::new(Allocations::default())));
        Guard(Some(inner))
    }

    /// Runs something without the lock. What was looked up before may be gone after.
    pub fn unlocked<T>(&mut self, f: impl FnOnce() -> T) -> T {
        self.0 = None;
        let value = f();
        *self = Guard::lock();
        value
    }

    /// Sleeps until another thread's work is done.
    pub fn wait(&mut self) {
        self.waiting += 1;
        if let Some(inner) = self.0.take() {
            self.0 = Some(CHANGED.wait(inner).unwrap_or_else(|e| e.into_inner()));
        }
        self.waiting = self.waiting.saturating_sub(1);
    }

    /// Wakes those who `wait`.
    pub fn notify(&self) {
        if self.waiting > 0 {
            CHANGED.notify_all();
        }
    }

    /// Forgets all: the driver is as in a new process. Addresses and handles are not used again.
    pub fn reset(&mut self) {
        let former = std::mem::replace(&mut **self, State::new(Allocations::default()));
        self.waiting = former.waiting;
        self.memory = Allocations::renewed(former.memory);
        CHANGED.notify_all();
    }
}

impl Deref for Guard {
    type Target = State;
    fn deref(&self) -> &State {
        match self.0.as_ref().and_then(|inner| inner.as_deref()) {
            Some(state) => state,
            None => {
                unreachable!("the guard holds the lock, and the state was made when it was taken")
            }
        }
    }
}

impl DerefMut for Guard {
    fn deref_mut(&mut self) -> &mut State {
        match self.0.as_mut().and_then(|inner| inner.as_deref_mut()) {
            Some(state) => state,
            None => {
                unreachable!("the guard holds the lock, and the state was made when it was taken")
            }
        }
    }
}
