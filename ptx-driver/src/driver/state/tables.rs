//! All objects of the driver by handle, and the few numbers beside them.
use super::memory::Allocations;
use super::{
    Capture, Context, Device, Event, Exec, Function, Graph, Module, NodeRef, Pool, Stream,
};
use crate::driver::base::handle::{Kind, Table};
use crate::driver::base::settings::Settings;
use crate::machine::Random;
use std::sync::Arc;

/// What was executed, for `ptx_driver_counts`.
#[derive(Default, Clone, Copy)]
pub struct Executed {
    pub kernels: u64,
    pub instructions: u64,
}

/// All that lies behind the lock.
pub struct State {
    pub initialized: bool,
    pub settings: Settings,
    pub devices: Vec<Device>,
    pub contexts: Table<Context>,
    pub streams: Table<Stream>,
    pub events: Table<Event>,
    pub modules: Table<Arc<Module>>,
    pub functions: Table<Arc<Function>>,
    pub graphs: Table<Graph>,
    pub nodes: Table<NodeRef>,
    pub execs: Table<Exec>,
    pub pools: Table<Pool>,
    pub captures: Table<Capture>,
    pub memory: Allocations,
    pub random: Random,
    pub executed: Executed,
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
    pub waiting: u32,
}

impl State {
    pub fn new(memory: Allocations) -> State {
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
            executed: Executed::default(),
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
