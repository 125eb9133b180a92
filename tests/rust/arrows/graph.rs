//! Files, the arrows between them, and the circles that the arrows close.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Files and arrows: from a file to one that defines what it names.
#[derive(Default)]
pub struct Graph {
    /// For each arrow, the names that it takes.
    arrows: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

/// Files that all reach each other, and the arrows between them.
pub struct Circle {
    files: BTreeSet<String>,
    arrows: Vec<(String, String, BTreeSet<String>)>,
}

impl Graph {
    /// Notes that `from` names `name`, which `to` defines. What a file takes from itself is no arrow.
    pub fn add(&mut self, from: &str, to: &str, name: &str) {
        if from != to {
            let targets = self.arrows.entry(from.to_string()).or_default();
            let names = targets.entry(to.to_string()).or_default();
            names.insert(name.to_string());
        }
    }

    /// Every arrow: from, to, and the names that it takes.
    pub fn arrows(&self) -> impl Iterator<Item = (&str, &str, &BTreeSet<String>)> {
        self.arrows.iter().flat_map(|(from, targets)| {
            targets
                .iter()
                .map(move |(to, names)| (from.as_str(), to.as_str(), names))
        })
    }

    /// The circles: the strongly connected components of more than one file.
    pub fn circles(&self) -> Vec<Circle> {
        let reached: BTreeMap<&str, BTreeSet<&str>> = self
            .arrows
            .keys()
            .map(|file| (file.as_str(), self.reached_from(file)))
            .collect();
        let mut circles = Vec::new();
        let mut placed: BTreeSet<&str> = BTreeSet::new();
        for (file, reach) in &reached {
            if placed.contains(file) || !reach.contains(file) {
                continue;
            }
            let back = |other: &&str| reached.get(other).is_some_and(|r| r.contains(file));
            let files: BTreeSet<&str> = reach.iter().copied().filter(back).collect();
            placed.extend(&files);
            circles.push(self.circle(&files));
        }
        circles
    }

    /// The files that arrows lead to from `file`; `file` itself only if they lead back.
    fn reached_from<'a>(&'a self, file: &'a str) -> BTreeSet<&'a str> {
        let (mut reached, mut open) = (BTreeSet::new(), vec![file]);
        while let Some(next) = open.pop() {
            for to in self.arrows.get(next).into_iter().flat_map(BTreeMap::keys) {
                if reached.insert(to.as_str()) {
                    open.push(to);
                }
            }
        }
        reached
    }

    fn circle(&self, files: &BTreeSet<&str>) -> Circle {
        Circle {
            files: files.iter().map(ToString::to_string).collect(),
            arrows: self
                .arrows()
                .filter(|(from, to, _)| files.contains(from) && files.contains(to))
                .map(|(from, to, names)| (from.to_string(), to.to_string(), names.clone()))
                .collect(),
        }
    }
}

impl Circle {
    /// Its files, in alphabetical order.
    pub fn files(&self) -> Vec<&str> {
        self.files.iter().map(String::as_str).collect()
    }
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self.files();
        writeln!(f, "  circle of {} files: {}", files.len(), files.join(", "))?;
        for (from, to, names) in &self.arrows {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            writeln!(f, "    {from} -> {to}: {}", names.join(", "))?;
        }
        Ok(())
    }
}
