use super::*;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

struct Bytes(Vec<u8>, Option<Arc<AtomicBool>>);

impl Block for Bytes {
    fn address(&self) -> u64 {
        self.0.as_ptr() as u64
    }
    fn bytes(&self) -> Option<&[u8]> {
        Some(&self.0)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        if let Some(freed) = &self.1 {
            freed.store(true, SeqCst);
        }
    }
}

fn block(byte: u8) -> Box<dyn Block> {
    Box::new(Bytes(vec![byte; 8], None))
}

const KIND: ObjectKind = ObjectKind::HashGridSingle;

#[test]
fn an_id_leads_to_its_object_alone() {
    let one = Registered::new(KIND, block(1)).expect("fits");
    let two = Registered::new(ObjectKind::HashGridDouble, block(2)).expect("fits");
    assert_ne!(one.id(), two.id());
    let at = one.with(Block::address);
    assert_eq!(Some(address(one.id(), KIND as u32)), at);
    assert_eq!(address(two.id(), KIND as u32), 0);
    assert_eq!(address(0, KIND as u32), 0);
    assert_eq!(address(u64::MAX, KIND as u32), 0);
    let (id, old) = (one.id(), one.id());
    drop(one);
    assert_eq!(address(id, KIND as u32), 0);
    assert!(
        why_not(old, KIND as u8).contains("deleted"),
        "{}",
        why_not(old, KIND as u8)
    );
    assert!(why_not(two.id(), KIND as u8).contains("is the id of a HashGrid of float64"));
    assert!(why_not(0, KIND as u8).contains("0 is no id"));
}

#[test]
fn memory_stays_while_a_launch_may_read_it() {
    let freed = Arc::new(AtomicBool::new(false));
    let memory = Bytes(vec![0; 8], Some(Arc::clone(&freed)));
    let object = Registered::new(KIND, Box::new(memory)).expect("fits");
    let reading = Reading::begin();
    object.replace(block(3));
    assert!(!freed.load(SeqCst));
    drop(object);
    assert!(!freed.load(SeqCst));
    drop(reading);
    // Another test may be reading: the last one frees.
    while READERS.load(SeqCst) > 0 {
        std::thread::yield_now();
    }
    sweep();
    assert!(freed.load(SeqCst));
}
