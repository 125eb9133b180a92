use super::*;
use std::os::unix::fs::PermissionsExt;

/// A directory of its own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("warp-cache-test-{}-{number}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        fs::create_dir_all(&dir).unwrap();
        Scratch(dir)
    }
    fn cache(&self) -> Cache {
        Cache::at(self.0.join("cache"), Trust::Own).unwrap()
    }
    /// Notes one compile, from any process.
    fn count(&self, key: usize) {
        let path = self.0.join("count");
        let mut f = OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .unwrap();
        f.write_all(format!("{key}\n").as_bytes()).unwrap();
    }
    fn counted(&self) -> Vec<usize> {
        let text = fs::read_to_string(self.0.join("count")).unwrap_or_default();
        text.lines().map(|l| l.parse().unwrap()).collect()
    }
    fn files(&self, folder: &str) -> usize {
        fs::read_dir(self.0.join("cache").join(folder)).map_or(0, Iterator::count)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn key(n: usize) -> Key {
    Key::of(&[b"test", &n.to_le_bytes()])
}

fn payload(n: usize) -> Vec<u8> {
    (0..5000 + n * 17).map(|i| (i * 31 + n) as u8).collect()
}

type Never = std::convert::Infallible;

fn ask(scratch: &Scratch, cache: &Cache, n: usize, pause: Duration) -> (Vec<u8>, Source) {
    let make = || {
        scratch.count(n);
        std::thread::sleep(pause);
        Ok::<_, Never>(payload(n))
    };
    match cache.get_or_make(&key(n), &|| false, make) {
        Ok(found) => found,
        Err(e) => match e {},
    }
}

/// How much to do: a moderate number, or what `WARP_SOAK=1` asks for.
fn times(moderate: usize, full: usize) -> usize {
    if std::env::var_os("WARP_SOAK").is_some() {
        full
    } else {
        moderate
    }
}

/// Runs `child` in a process of its own and returns its number.
fn fork(child: impl FnOnce() -> bool) -> i32 {
    // SAFETY: the child runs `child` and leaves without returning into the test harness.
    unsafe {
        let pid = libc::fork();
        if pid == 0 {
            libc::_exit(i32::from(!child()));
        }
        pid
    }
}

fn wait(pid: i32) -> i32 {
    let mut status = -1;
    // SAFETY: our own child.
    unsafe { libc::waitpid(pid, &mut status, 0) };
    status
}

#[test]
fn keys_tell_parts_apart() {
    assert_ne!(Key::of(&[b"ab", b"c"]), Key::of(&[b"a", b"bc"]));
    assert_ne!(Key::of(&[b"a"]), Key::of(&[b"a", b""]));
    assert_eq!(Key::of(&[b"a"]), Key::of(&[b"a"]));
    assert_eq!(key(1).hex().len(), 64);
}

#[test]
fn made_once_then_read() {
    let s = Scratch::new();
    let cache = s.cache();
    assert_eq!(
        ask(&s, &cache, 1, Duration::ZERO),
        (payload(1), Source::Made)
    );
    assert_eq!(
        ask(&s, &cache, 1, Duration::ZERO),
        (payload(1), Source::Disk)
    );
    assert_eq!(
        ask(&s, &s.cache(), 1, Duration::ZERO),
        (payload(1), Source::Disk)
    );
    assert_eq!(s.counted(), [1]);
    assert_eq!((s.files("tmp"), s.files("lock")), (0, 0));
}

#[test]
fn a_failure_is_not_kept() {
    let s = Scratch::new();
    let cache = s.cache();
    assert_eq!(
        cache.get_or_make(&key(1), &|| false, || Err("no")),
        Err("no")
    );
    assert_eq!(ask(&s, &cache, 1, Duration::ZERO).1, Source::Made);
    assert_eq!(s.files("lock"), 0);
}

#[test]
fn eight_threads_and_eight_processes_make_each_key_once() {
    for processes in [false, true] {
        let s = Scratch::new();
        let cache = s.cache();
        let work = |turn: usize| {
            (0..6).all(|k| {
                let k = (k + turn) % 6;
                ask(&s, &cache, k, Duration::from_millis(3)).0 == payload(k)
            })
        };
        if processes {
            let children: Vec<i32> = (0..8).map(|t| fork(|| work(t))).collect();
            assert!(children.into_iter().all(|c| wait(c) == 0));
        } else {
            std::thread::scope(|scope| {
                let all: Vec<_> = (0..8).map(|t| scope.spawn(move || work(t))).collect();
                assert!(all.into_iter().all(|t| t.join().unwrap()));
            });
        }
        let mut counted = s.counted();
        counted.sort_unstable();
        assert_eq!(counted, [0, 1, 2, 3, 4, 5], "processes: {processes}");
        assert_eq!((s.files("tmp"), s.files("lock")), (0, 0));
    }
}

#[test]
fn corrupt_entries_heal() {
    let s = Scratch::new();
    let cache = s.cache();
    let path = entry_path(cache.dir().unwrap(), &key(3));
    ask(&s, &cache, 3, Duration::ZERO);
    let good = fs::read(&path).unwrap();
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    for i in 0..times(200, 1000) {
        let mut bad = good.clone();
        match i % 5 {
            0 => {
                let at = next(bad.len());
                bad[at] ^= 1 << next(8);
            }
            1 => bad.truncate(next(bad.len())),
            2 => bad.extend((0..1 + next(100)).map(|b| b as u8)),
            3 => {
                // Anywhere in the header, where lengths and versions are.
                let at = next(HEADER);
                bad[at] = bad[at].wrapping_add(1 + next(255) as u8);
            }
            _ => {
                let (a, n) = (next(bad.len()), next(400));
                let end = (a + n).min(bad.len());
                bad[a..end].fill(next(256) as u8);
            }
        }
        fs::write(&path, &bad).unwrap();
        let expected = if bad == good {
            Source::Disk
        } else {
            Source::Made
        };
        assert_eq!(
            ask(&s, &cache, 3, Duration::ZERO),
            (payload(3), expected),
            "{i}"
        );
        assert_eq!(fs::read(&path).unwrap(), good);
    }
    // The entry of another key under this name is no match either.
    ask(&s, &cache, 4, Duration::ZERO);
    fs::copy(entry_path(cache.dir().unwrap(), &key(4)), &path).unwrap();
    assert_eq!(
        ask(&s, &cache, 3, Duration::ZERO),
        (payload(3), Source::Made)
    );
}

#[test]
fn a_killed_writer_leaves_the_cache_healthy() {
    let s = Scratch::new();
    let cache = s.cache();
    for round in 0..times(25, 200) {
        let child = fork(|| {
            for k in 0.. {
                ask(&s, &cache, round * 100 + k, Duration::from_micros(200));
            }
            true
        });
        std::thread::sleep(Duration::from_micros(500 + 137 * (round as u64 % 40)));
        // SAFETY: our own child.
        unsafe { libc::kill(child, libc::SIGKILL) };
        wait(child);
        // Whatever the child held or half wrote, the next one is served at once.
        let start = Instant::now();
        for k in 0..3 {
            assert_eq!(
                ask(&s, &cache, round * 100 + k, Duration::ZERO).0,
                payload(round * 100 + k)
            );
        }
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "a dead process' lock was waited for"
        );
    }
    ask(&s, &cache, 999, Duration::ZERO);
    assert_eq!(
        (s.files("tmp"), s.files("lock")),
        (0, 0),
        "a dead process' file stayed"
    );
}

#[test]
fn a_live_writers_file_is_not_swept() {
    let s = Scratch::new();
    let cache = s.cache();
    let tmp = s.0.join("cache/tmp");
    make_dir(&tmp).unwrap();
    let live = File::create(tmp.join("live")).unwrap();
    flock(&live, libc::LOCK_EX).unwrap();
    File::create(tmp.join("dead")).unwrap();
    ask(&s, &cache, 1, Duration::ZERO);
    assert!(tmp.join("live").exists() && !tmp.join("dead").exists());
}

#[test]
fn a_directory_that_others_may_write_is_refused() {
    let s = Scratch::new();
    let dir = s.0.join("open");
    fs::create_dir(&dir).unwrap();
    let set =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let refused = |cache: Cache, says: &str| {
        let why = cache.refused().expect("refused");
        assert!(why.contains("open") && why.contains(says), "{why}");
        assert!(cache.dir().is_none());
        assert_eq!(ask(&s, &cache, 1, Duration::ZERO).1, Source::Made);
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
    };
    for (mode, named) in [
        (0o777, false),
        (0o770, true),
        (0o722, false),
        (0o1777, false),
        (0o775, true),
    ] {
        set(&dir, mode);
        refused(
            Cache::at(dir.clone(), Trust::Own).unwrap(),
            "others than its owner",
        );
        let cache = Cache::named(&dir).unwrap();
        match named {
            true => assert!(cache.dir().is_some() && cache.refused().is_none()),
            false => refused(cache, &format!("every user may write it (mode {mode:03o})")),
        }
    }
    set(&dir, 0o755);
    for trust in [Trust::Own, Trust::Named] {
        let cache = Cache::at(dir.clone(), trust).unwrap();
        ask(&s, &cache, 1, Duration::ZERO);
        // An entry that others may write does not count.
        let path = entry_path(cache.dir().unwrap(), &key(1));
        set(&path, 0o666);
        assert_eq!(ask(&s, &cache, 1, Duration::ZERO).1, Source::Made);
        assert_eq!(ask(&s, &cache, 1, Duration::ZERO).1, Source::Disk);
    }
    // SAFETY: no preconditions.
    if unsafe { libc::geteuid() } == 0 {
        let other = s.0.join("other");
        fs::create_dir(&other).unwrap();
        std::os::unix::fs::chown(&other, Some(12345), None).unwrap();
        let cache = Cache::at(other.clone(), Trust::Own).unwrap();
        assert!(cache.refused().unwrap().contains("belongs to user 12345"));
        assert!(Cache::named(other).unwrap().dir().is_some());
    }
}

/// Puts something under a name that no cache has written.
fn put_strange(kind: &str, path: &Path) {
    let _ = fs::remove_file(path);
    let link = |to: &str| std::os::unix::fs::symlink(to, path).unwrap();
    match kind {
        "pipe" => {
            let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
            // SAFETY: a string that ends.
            assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        }
        "endless" => link("/dev/zero"),
        "terminal" => link("/dev/tty"),
        "large" => File::create(path).unwrap().set_len(1 << 40).unwrap(),
        "folder" => fs::create_dir(path).unwrap(),
        _ => unreachable!(),
    }
}

#[test]
fn what_is_no_regular_file_is_not_waited_for() {
    for kind in ["pipe", "endless", "terminal", "large", "folder"] {
        let s = Scratch::new();
        let cache = s.cache();
        let dir = s.0.join("cache");
        let start = Instant::now();
        let made = |n: usize| {
            let found = ask(&s, &cache, n, Duration::ZERO);
            assert_eq!(found, (payload(n), Source::Made), "{kind}");
        };
        made(1);
        let entry = entry_path(&dir, &key(1));
        let _ = fs::remove_file(&entry);
        put_strange(kind, &entry);
        made(1);
        if kind != "folder" {
            assert_eq!(ask(&s, &cache, 1, Duration::ZERO).1, Source::Disk);
        }
        put_strange(kind, &dir.join("lock").join(key(2).hex() + ".lock"));
        made(2);
        put_strange(kind, &dir.join("tmp/strange"));
        made(3);
        assert!(start.elapsed() < Duration::from_secs(10), "{kind}");
    }
}

#[test]
fn an_entry_is_no_link_and_grows_no_further() {
    let s = Scratch::new();
    let cache = s.cache();
    ask(&s, &cache, 1, Duration::ZERO);
    let entry = entry_path(&s.0.join("cache"), &key(1));
    let elsewhere = s.0.join("elsewhere");
    fs::rename(&entry, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &entry).unwrap();
    assert_eq!(ask(&s, &cache, 1, Duration::ZERO).1, Source::Made);
    assert!(elsewhere.exists());
    // What the kernel of the system makes up has no length, and no end either.
    assert!(
        read_file(Path::new("/proc/self/maps"), Trust::Named)
            .unwrap()
            .len()
            <= 1
    );
}

#[test]
fn without_a_directory_everything_is_made() {
    let s = Scratch::new();
    let cache = Cache::none();
    for _ in 0..2 {
        assert_eq!(ask(&s, &cache, 1, Duration::ZERO).1, Source::Made);
    }
    // A file where the directory should be: an error if it was named, no cache otherwise.
    let file = s.0.join("file");
    fs::write(&file, "").unwrap();
    assert_eq!(Cache::named(file.join("x")).unwrap_err().code, Code::System);
    let unnamed = Cache::at(file.join("x"), Trust::Own).unwrap();
    assert!(unnamed.dir().is_none() && unnamed.refused().is_none());
    // A directory that vanished or filled up under way.
    let cache = s.cache();
    fs::remove_dir_all(s.0.join("cache")).unwrap();
    fs::write(s.0.join("cache"), "").unwrap();
    assert_eq!(
        ask(&s, &cache, 1, Duration::ZERO),
        (payload(1), Source::Made)
    );
}

#[test]
fn a_child_does_not_wait_for_its_parent() {
    let s = Scratch::new();
    let cache = s.cache();
    let start = Instant::now();
    let make = || {
        // As the handler of a signal does that came during the compile: the parent waits for the child.
        let child = fork(|| ask(&s, &cache, 1, Duration::ZERO).1 == Source::Made);
        assert_eq!(wait(child), 0);
        Ok::<_, Never>(payload(1))
    };
    assert_eq!(
        cache.get_or_make(&key(1), &|| false, make).unwrap().1,
        Source::Made
    );
    assert!(start.elapsed() < PATIENCE);
    assert_eq!(ask(&s, &cache, 1, Duration::ZERO).1, Source::Disk);
    assert_eq!(s.files("lock"), 0);
}

#[test]
fn waiting_for_a_key_can_be_interrupted() {
    let s = Scratch::new();
    let cache = s.cache();
    let start = Instant::now();
    std::thread::scope(|threads| {
        let maker = threads.spawn(|| ask(&s, &cache, 1, Duration::from_secs(2)));
        std::thread::sleep(Duration::from_millis(200));
        let made = cache.get_or_make(&key(1), &|| true, || Err("interrupted"));
        assert_eq!(made, Err("interrupted"));
        assert!(start.elapsed() < Duration::from_secs(2));
        // ThreadSanitizer sees the order that a join makes, and not how a scope ends.
        assert_eq!(maker.join().unwrap().1, Source::Made);
    });
}
