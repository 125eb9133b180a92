//! The disk cache of compiled kernels: content-addressed, one file per kernel.
//!
//! What must hold: what is returned under a key is what was made under that key, whatever happened
//! to the file in between; a key is made once across threads and processes; a process that dies at
//! any point leaves nothing that hurts or stays; and trouble with the disk costs time, never a
//! launch. The digest guards against accidents, owner and mode of the directory against people (`access.rs`).
//!
//! ```text
//! DIR/ab/cdef….wk     an entry: magic, version, key, length, digest, payload
//! DIR/tmp/…           being written; locked by the writer, so an unlocked one has lost its writer
//! DIR/lock/….lock     held while a key is being made; says by which process
//! ```

mod access;

use access::{MAX_FILE, Trust, is_at, open_regular, read_file};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::abi::ABI_VERSION;
use crate::error::{Code, Error, Result};

const MAGIC: &[u8; 8] = b"WARPKRNL";
/// The layout of an entry.
const FORMAT: u32 = 1;
const HEADER: usize = 8 + 4 + 4 + 32 + 8 + 32;
/// No compilation takes this long: a lock that is older belongs to a process that hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a kernel's code depends on, as a digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of `parts`, in order: IR, options, CPU features, compiler. The versions of the ABI
    /// and of the entry format are always part of it.
    pub fn of(parts: &[&[u8]]) -> Key {
        let mut h = blake3::Hasher::new();
        h.update(&ABI_VERSION.to_le_bytes())
            .update(&FORMAT.to_le_bytes());
        for part in parts {
            h.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Key(*h.finalize().as_bytes())
    }

    /// 64 hexadecimal digits.
    pub fn hex(&self) -> String {
        blake3::Hash::from(self.0).to_hex().to_string()
    }
}

/// Where what [`Cache::get_or_make`] returned came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Read from the disk.
    Disk,
    /// Made by this call.
    Made,
}

/// A cache directory, or none.
#[derive(Clone, Debug)]
pub struct Cache {
    dir: Option<PathBuf>,
    trust: Trust,
    refused: Option<String>,
}

impl Cache {
    /// The cache in `WARP_CACHE_PATH` if that is set, else in the user's cache directory; none if
    /// the user has no home, or if others could change the directory ([`Cache::refused`]).
    ///
    /// # Errors
    /// [`Code::System`] if the one that is set cannot be made.
    pub fn open() -> Result<Cache> {
        if let Some(path) = std::env::var_os("WARP_CACHE_PATH").filter(|p| !p.is_empty()) {
            return Cache::named(path);
        }
        let absolute = |name| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|p| p.is_absolute())
        };
        let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
        match base {
            Some(base) => Cache::at(base.join("warp-rs"), Trust::Own),
            None => Ok(Cache::none()),
        }
    }

    /// The cache in a directory that the user named, whatever its owner; none if every user may write it ([`Cache::refused`]).
    ///
    /// # Errors
    /// [`Code::System`] if the directory cannot be made.
    pub fn named(dir: impl Into<PathBuf>) -> Result<Cache> {
        Cache::at(dir.into(), Trust::Named)
    }

    /// No cache: everything is made anew.
    pub fn none() -> Cache {
        Cache {
            dir: None,
            trust: Trust::Own,
            refused: None,
        }
    }

    /// Where the cache is.
    pub fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }

    /// Why there is none, in words for the user, if the directory was refused because others could change it.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    fn at(dir: PathBuf, trust: Trust) -> Result<Cache> {
        let meta = match make_dir(&dir).and_then(|()| fs::metadata(&dir)) {
            Ok(meta) => meta,
            Err(e) if trust == Trust::Named => {
                return Err(Error::new(
                    Code::System,
                    format!("the kernel cache {} cannot be made: {e}", dir.display()),
                )
                .hint("WARP_CACHE_PATH must name a directory that can be written"));
            }
            // A home that cannot be written (a container, a service) is no reason to refuse work.
            Err(_) => return Ok(Cache::none()),
        };
        let Some(why) = trust.refusal(&meta) else {
            return Ok(Cache {
                dir: Some(dir),
                trust,
                refused: None,
            });
        };
        let refused = format!(
            "the kernel cache {} is not used, because {why}: code that others put there would run in this process. Kernels are \
             compiled anew; change its owner or mode, or name another directory in WARP_CACHE_PATH",
            dir.display()
        );
        Ok(Cache {
            refused: Some(refused),
            ..Cache::none()
        })
    }

    /// Removes all entries. What other processes write meanwhile may stay.
    ///
    /// # Errors
    /// [`Code::System`] if an entry cannot be removed.
    pub fn clear(&self) -> Result<()> {
        let Some(dir) = &self.dir else { return Ok(()) };
        let failed = |e: io::Error| {
            Error::new(
                Code::System,
                format!("the kernel cache {} cannot be cleared: {e}", dir.display()),
            )
        };
        for folder in fs::read_dir(dir).map_err(failed)?.flatten() {
            // Folders of entries have names of two digits; nothing else in the directory is touched.
            let name = folder.file_name();
            let name = name.to_string_lossy();
            let digits = name.len() == 2 && name.bytes().all(|b| b.is_ascii_hexdigit());
            if !digits || !folder.file_type().is_ok_and(|t| t.is_dir()) {
                continue;
            }
            for entry in fs::read_dir(folder.path()).map_err(failed)?.flatten() {
                if entry.path().extension().is_some_and(|e| e == "wk") {
                    match fs::remove_file(entry.path()) {
                        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(failed(e)),
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads the entry of `key`, or makes and keeps it. Of several callers, threads or processes,
    /// one makes it and the others wait, until `interrupted` says that they need not.
    ///
    /// # Errors
    /// Those of `make`: a cache that does not work is a cache that has nothing.
    pub fn get_or_make<E>(
        &self,
        key: &Key,
        interrupted: &dyn Fn() -> bool,
        make: impl FnOnce() -> std::result::Result<Vec<u8>, E>,
    ) -> std::result::Result<(Vec<u8>, Source), E> {
        if let Some(found) = self.get(key) {
            return Ok((found, Source::Disk));
        }
        let Some(dir) = &self.dir else {
            return make().map(|made| (made, Source::Made));
        };
        let _lock = match self.lock(dir, key, interrupted) {
            LockOutcome::Found(found) => return Ok((found, Source::Disk)),
            LockOutcome::Locked(lock) => lock,
        };
        let made = make()?;
        // Without a disk the next process makes it again; nothing else is lost.
        let _ = self.put(dir, key, &made);
        Ok((made, Source::Made))
    }

    /// The entry of `key` if there is one that verifies. One that does not is removed.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let path = entry_path(self.dir.as_ref()?, key);
        // A read error may pass; the entry stays.
        let bytes = read_file(&path, self.trust).ok()?;
        let payload = verify(&bytes, key);
        if payload.is_none() {
            let _ = fs::remove_file(&path);
        }
        payload.map(<[u8]>::to_vec)
    }

    /// Waits until this process may make `key`, or until another one has made it.
    fn lock(&self, dir: &Path, key: &Key, interrupted: &dyn Fn() -> bool) -> LockOutcome {
        let folder = dir.join("lock");
        let path = folder.join(key.hex() + ".lock");
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            let opened = make_dir(&folder).and_then(|()| {
                let mut options = OpenOptions::new();
                (options.read(true).write(true).create(true))
                    .truncate(false)
                    .mode(0o600);
                open_regular(&path, &mut options)
            });
            let Ok(file) = opened else {
                return LockOutcome::Locked(None);
            };
            match flock(&file, libc::LOCK_EX | libc::LOCK_NB) {
                Ok(()) if is_at(&file, &path) => {
                    let lock = Lock::new(file, path);
                    return match self.get(key) {
                        Some(found) => LockOutcome::Found(found),
                        None => LockOutcome::Locked(Some(lock)),
                    };
                }
                // The holder removed it between our open and our lock: look again.
                Ok(()) => continue,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                // A file system without locks.
                Err(_) => return LockOutcome::Locked(None),
            }
            if start.elapsed() > PATIENCE || Lock::is_parents(&file) || interrupted() {
                return LockOutcome::Locked(None);
            }
            drop(file);
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
            if let Some(found) = self.get(key) {
                return LockOutcome::Found(found);
            }
        }
    }

    /// Writes an entry: to a file of our own, then renamed into place.
    fn put(&self, dir: &Path, key: &Key, payload: &[u8]) -> io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        if (HEADER + payload.len()) as u64 > MAX_FILE {
            return Ok(());
        }
        let folder = dir.join("tmp");
        make_dir(&folder)?;
        sweep(&folder);
        sweep(&dir.join("lock"));
        let (mut file, temp) = loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}-{}-{number}", key.hex(), std::process::id());
            let temp = Temp(folder.join(name));
            let file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&temp.0)?;
            // Sweeping leaves locked files alone; before this one was locked another process may have swept it away.
            let locked = flock(&file, libc::LOCK_EX);
            if locked.is_err() || is_at(&file, &temp.0) {
                break (file, temp);
            }
        };
        file.write_all(&header(key, payload))?;
        file.write_all(payload)?;
        let path = entry_path(dir, key);
        if let Some(parent) = path.parent() {
            make_dir(parent)?;
        }
        fs::rename(&temp.0, &path)
    }
}

/// What waiting for a lock ends with.
enum LockOutcome {
    /// Another process made it.
    Found(Vec<u8>),
    /// This caller makes it; without a lock where there can be none.
    Locked(Option<Lock>),
}

/// A held lock file. Dropping it removes the file while it is still locked, so that a waiting process
/// finds another file, or none, under the name and retries.
struct Lock {
    file: File,
    path: PathBuf,
    process: u32,
}

impl Lock {
    /// Takes over a file that this process has locked.
    fn new(file: File, path: PathBuf) -> Lock {
        let process = std::process::id();
        // Without it a child waits for its parent, for a while.
        let _ = file.write_all_at(&process.to_le_bytes(), 0);
        Lock {
            file,
            path,
            process,
        }
    }

    /// Whether the process that holds a lock file is the parent of this one. It may wait for this one, and not give it back: it
    /// forked in a signal's handler, say.
    fn is_parents(file: &File) -> bool {
        let mut holder = [0; 4];
        // SAFETY: the call has no conditions.
        let parent = unsafe { libc::getppid() };
        file.read_exact_at(&mut holder, 0).is_ok() && i32::from_le_bytes(holder) == parent
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A child that was forked while this was held has a copy. The lock is its parent's.
        if self.process != std::process::id() {
            return;
        }
        let _ = fs::remove_file(&self.path);
        // Closing would not do: a forked child may share the descriptor.
        let _ = flock(&self.file, libc::LOCK_UN);
    }
}

/// A temporary file, removed unless it was renamed.
struct Temp(PathBuf);

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Removes temporary files and lock files whose owners are gone: an owner that lives holds its
/// file locked.
fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        // One that was just created and is not locked yet may go too: its owner looks again.
        if let Ok(file) = open_regular(&path, OpenOptions::new().read(true))
            && flock(&file, libc::LOCK_EX | libc::LOCK_NB).is_ok()
            // Only who holds the lock of the file under a name may remove the name.
            && is_at(&file, &path)
        {
            let _ = fs::remove_file(&path);
        }
    }
}

fn entry_path(dir: &Path, key: &Key) -> PathBuf {
    let hex = key.hex();
    dir.join(&hex[..2]).join(format!("{}.wk", &hex[2..]))
}

fn header(key: &Key, payload: &[u8]) -> [u8; HEADER] {
    let mut h = [0; HEADER];
    h[..8].copy_from_slice(MAGIC);
    h[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    h[16..48].copy_from_slice(&key.0);
    h[48..56].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    let digest = digest(&h[..56], payload);
    h[56..].copy_from_slice(&digest);
    h
}

fn digest(header: &[u8], payload: &[u8]) -> [u8; 32] {
    *blake3::Hasher::new()
        .update(header)
        .update(payload)
        .finalize()
        .as_bytes()
}

/// The payload of an entry, if the whole of it is as it was written for `key`.
fn verify<'a>(bytes: &'a [u8], key: &Key) -> Option<&'a [u8]> {
    let (head, payload) = bytes.split_at_checked(HEADER)?;
    (head == header(key, payload)).then_some(payload)
}

/// Makes a directory for this user alone; one that is there stays as it is.
fn make_dir(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

fn flock(file: &File, operation: i32) -> io::Result<()> {
    // SAFETY: the descriptor is open as long as `file` lives.
    match unsafe { libc::flock(file.as_raw_fd(), operation) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests;
