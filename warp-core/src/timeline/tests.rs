//! What is kept, for whom, and what is written. One test at a time: sessions are the process's.

use super::*;
use crate::device::Device;

static ONE: Mutex<()> = Mutex::new(());

fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("warp-timeline-{}-{name}.json", std::process::id()))
}

fn note(name: &'static str) {
    let begun = begin();
    end(begun, || (Name::Fixed(name), What::Conversion));
}

/// The text that a session writes.
fn written(session: Session, name: &str) -> (String, Summary) {
    let path = file(name);
    let summary = session.finish(&path).unwrap().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    fs::remove_file(path).unwrap();
    (text, summary)
}

#[test]
fn nothing_is_kept_while_nobody_records() {
    let _one = lock(&ONE);
    assert_eq!(begin(), 0);
    note("before");
    let session = Session::begin();
    note("within");
    let (text, summary) = written(session, "kept");
    note("behind");
    assert_eq!((summary.written, summary.dropped), (1, 0));
    assert!(text.contains("\"within\"") && !text.contains("before") && !is_on());
}

#[test]
fn each_session_has_its_own_time() {
    let _one = lock(&ONE);
    let outer = Session::begin();
    note("first");
    let inner = Session::begin();
    let thread = std::thread::Builder::new().name("second \"thread\"".into());
    thread.spawn(|| note("second")).unwrap().join().unwrap();
    let (within, _) = written(inner, "inner");
    note("third");
    let (_, summary) = written(outer, "outer");
    assert_eq!(summary.written, 3);
    assert!(!within.contains("first") && within.contains("second \\\"thread\\\""));
}

#[test]
fn a_failed_file_is_an_error_and_ends_the_session() {
    let _one = lock(&ONE);
    let session = Session::begin();
    let path = file("none").join("below");
    assert!(session.finish(&path).is_err() && !is_on());
}

#[test]
fn no_more_is_kept_than_there_is_room_for() {
    let _one = lock(&ONE);
    let session = Session::begin();
    shared().kept.store(LIMIT - 1, Relaxed);
    for _ in 0..3 {
        note("many");
    }
    let (text, summary) = written(session, "many");
    assert_eq!((summary.written, summary.dropped), (1, 2));
    assert!(text.contains("\"dropped\":2") && text.contains("2 events were dropped"));
}

#[test]
fn a_child_of_a_fork_begins_anew() {
    let _one = lock(&ONE);
    let session = Session::begin();
    note("parent");
    let path = file("child");
    // SAFETY: the child ends without running what the parent has on its stack.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            let nothing = !is_on() && session.finish(&path).is_ok_and(|w| w.is_none());
            let own = Session::begin();
            note("child");
            let summary = own.finish(&path).ok().flatten().unwrap_or_default();
            libc::_exit(i32::from(!(nothing && summary.written == 1)));
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
        assert_eq!(status, 0);
    }
    let (text, summary) = written(session, "parent");
    assert!(summary.written == 1 && text.contains("parent") && !text.contains("child"));
    fs::remove_file(path).unwrap();
}

#[test]
fn times_and_arguments() {
    let what = What::Launch {
        dims: [4, 1, 3, 1],
        device: Device::Cpu,
    };
    let event = |begun, ended, name: &str| Event {
        begun,
        ended,
        name: Name::Of(name.into()),
        what,
    };
    let thread = json::Thread {
        id: 7,
        name: "main".into(),
        events: vec![event(2000, 2500, "in\n"), event(2000, 3001, "out")],
    };
    let mut text = Vec::new();
    json::write(&mut text, vec![thread], Summary::default()).unwrap();
    let text = String::from_utf8(text).unwrap();
    let (first, second) = (
        text.find("\"out\"").unwrap(),
        text.find("\"in\\u000a\"").unwrap(),
    );
    assert!(first < second && text.contains("\"ts\":2.000,\"dur\":1.001,"));
    assert!(text.contains("\"args\":{\"dim\":[4, 1, 3],\"device\":\"cpu\"}"));
}
