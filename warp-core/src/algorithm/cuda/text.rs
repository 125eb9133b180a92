//! Writing the PTX of a kernel.

use std::fmt::Write;

/// A kernel's text.
pub struct Text {
    head: String,
    body: String,
}

/// Writes lines of instructions.
macro_rules! ptx {
    ($text:expr, $($line:tt)*) => {
        $text.line(format_args!($($line)*))
    };
}

pub(super) use ptx;

impl Text {
    /// A kernel with so many parameters of 8 bytes each, `p0` and so on.
    pub fn new(name: &str, params: usize) -> Text {
        let params: Vec<String> = (0..params).map(|i| format!(".param .u64 p{i}")).collect();
        let head = format!(
            ".version 6.3\n.target sm_50\n.address_size 64\n.visible .entry {name}({})\n{{\n",
            params.join(", ")
        );
        Text {
            head,
            body: String::new(),
        }
    }

    /// Adds lines.
    pub fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.body, "{line}");
    }

    /// Declares `count` registers of a type: `%name0` and so on.
    pub fn registers(&mut self, ty: &str, name: &str, count: usize) {
        ptx!(self, ".reg .{ty} %{name}<{count}>;");
    }

    /// Reads a parameter that is an address of global memory.
    pub fn pointer(&mut self, to: &str, number: usize) {
        ptx!(
            self,
            "ld.param.u64 {to}, [p{number}]; cvta.to.global.u64 {to}, {to};"
        );
    }

    /// Reads a parameter.
    pub fn wide(&mut self, to: &str, number: usize) {
        ptx!(self, "ld.param.u64 {to}, [p{number}];");
    }

    /// Reads a parameter that fits 32 bits; `%la` is used for it.
    pub fn word(&mut self, to: &str, number: usize) {
        ptx!(
            self,
            "ld.param.u64 %la, [p{number}]; cvt.u32.u64 {to}, %la;"
        );
    }

    /// The number of this thread in the grid.
    pub fn thread(&mut self, to: &str) {
        ptx!(
            self,
            "mov.u32 %lb, %tid.x; mov.u32 %lc, %ctaid.x; shl.b32 %ld, %lc, 8; shr.u32 %lc, %lc, 24;"
        );
        ptx!(self, "or.b32 %lb, %lb, %ld; mov.b64 {to}, {{%lb, %lc}};");
    }

    /// The whole text.
    pub fn finish(&mut self) -> String {
        format!("{}{}}}\n", self.head, self.body)
    }
}
