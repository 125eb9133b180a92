//! The codes of errors: what kind of mistake each stands for, and the Python exceptions that it is raised as.
//!
//! `docs/errors.md` has an entry with an example for each code; a test compares the two lists.

/// Declares the enumeration and its table from one list.
macro_rules! codes {
    ($($code:ident $exception:ident $in_text:ident $meaning:literal)+) => {
        /// What kind of mistake an error reports.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Code {
            $(#[doc = $meaning] $code,)+
        }

        impl Code {
            /// Every code, in the order of the documentation.
            pub const ALL: &[Code] = &[$(Code::$code),+];

            /// The code's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Code::$code => stringify!($code),)+
                }
            }

            /// What the code means, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Code::$code => $meaning,)+
                }
            }

            /// The Python exception that errors of this code are raised as.
            pub const fn exception(self) -> Exception {
                match self {
                    $(Code::$code => Exception::$exception,)+
                }
            }

            /// The Python exception that they are raised as where a kernel's text is at fault.
            pub const fn exception_in_text(self) -> Exception {
                match self {
                    $(Code::$code => Exception::$in_text,)+
                }
            }
        }
    };
}

/// Declares the exceptions with their names, and what those of this library derive from.
macro_rules! exceptions {
    ($($exception:ident $(: $($base:ident)+ => $doc:literal)?,)+) => {
        /// A Python exception: one of Python's own, or a class of this library.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Exception {
            $(#[doc = concat!("`", stringify!($exception), "`")] $exception,)+
        }

        impl Exception {
            /// Every exception; bases come before what derives from them.
            pub const ALL: &[Exception] = &[$(Exception::$exception),+];

            /// The exception's name in Python.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Exception::$exception => stringify!($exception),)+
                }
            }

            /// What a class of this library derives from; Python's own have nothing here.
            pub const fn bases(self) -> &'static [Exception] {
                match self {
                    $(Exception::$exception => &[$($(Exception::$base),+)?],)+
                }
            }

            /// What a class of this library is for, as Python's `help` shows it.
            pub const fn doc(self) -> &'static str {
                match self {
                    $(Exception::$exception => concat!($($doc)?),)+
                }
            }
        }
    };
}

codes! {
    Syntax     SyntaxError       WarpCodegenSyntaxError    "The text is not Python, or it uses a statement or an expression that kernels do not have."
    Name       NameError         WarpCodegenNameError      "A name that is not defined, or that has no meaning inside kernels."
    Recursion  RecursionError    WarpCodegenRecursionError "A function of kernels that calls itself: calls are inlined, so that it would never end."
    Type       TypeError         WarpCodegenTypeError      "Types that do not go together, or an object of a type that is not expected."
    Value      ValueError        WarpCodegenValueError     "A value of the right type that is not allowed here."
    Attribute  AttributeError    WarpCodegenAttributeError "An attribute or a component that does not exist."
    Argument   ArgumentError     WarpCodegenTypeError      "A builtin with arguments that it does not take, or any call in a kernel with the wrong number or names of them."
    Mismatch   MismatchError     WarpCodegenTypeError      "A value that does not fit its place, such as one with more or fewer components than its type has."
    Launch     LaunchError       LaunchError               "A launch whose arguments, gradients or `dim` do not fit the kernel's parameters."
    Call       CallError         CallError                 "A kernel that is called as a function is."
    ArrayType  ArrayTypeError    WarpCodegenTypeError      "An object that no array can be made of or indexed by, or of another dtype than the array has."
    ArrayValue ArrayValueError   WarpCodegenValueError     "A shape, an index or a dtype that the array or the tensor cannot have."
    Field      FieldError        WarpCodegenAttributeError "A field that a struct does not have."
    Gradient   RuntimeError      WarpCodegenError          "A kernel whose gradient cannot be formed."
    Runtime    RuntimeError      RuntimeError              "A call that cannot be carried out in the present state, or a kernel that reached a limit while it ran."
    Index      IndexError        WarpCodegenIndexError     "An index that an array or a list of arguments does not have."
    Key        KeyError          WarpCodegenKeyError       "A field that a struct does not have, asked for by name outside of kernels."
    Division   ZeroDivisionError ZeroDivisionError         "An integer division by zero in a kernel in debug mode. Otherwise it gives 0."
    Assertion  AssertionError    AssertionError            "An `assert` of a kernel that does not hold, in debug mode. Otherwise it is ignored."
    Overflow   OverflowError     OverflowError             "A number that is too large for what it is used for."
    Memory     MemoryError       MemoryError               "An array for which there is no memory."
    Buffer     BufferError       BufferError               "Memory that two libraries cannot share."
    Import     ImportError       ImportError               "A package that the call needs and that cannot be imported."
    System     OSError           OSError                   "The environment does not serve: the disk cache, the file system, an installed library."
    Bug        SystemError       SystemError               "A broken invariant of this library, never the caller's fault; please report it."
}

exceptions! {
    AssertionError,
    AttributeError,
    BufferError,
    ImportError,
    IndexError,
    KeyError,
    MemoryError,
    NameError,
    NotImplementedError,
    OSError,
    OverflowError,
    RecursionError,
    RuntimeError,
    SyntaxError,
    SystemError,
    TypeError,
    ValueError,
    ZeroDivisionError,
    // What NVIDIA Warp raises, and what a Python user expects: whoever catches one of the two catches these.
    WarpCodegenError: RuntimeError => "A kernel whose text is at fault.",
    WarpCodegenTypeError: WarpCodegenError TypeError => "Types in a kernel that do not go together.",
    WarpCodegenValueError: WarpCodegenError ValueError => "A value that is not allowed in a kernel.",
    WarpCodegenAttributeError: WarpCodegenError AttributeError => "An attribute in a kernel that does not exist.",
    WarpCodegenIndexError: WarpCodegenError IndexError => "A constant index in a kernel that is out of range.",
    WarpCodegenKeyError: WarpCodegenError KeyError => "A name or a key in a kernel that nothing has.",
    WarpCodegenNameError: WarpCodegenKeyError NameError => "A name in a kernel that is not defined.",
    WarpCodegenRecursionError: WarpCodegenNameError RecursionError => "A function of kernels that calls itself.",
    WarpCodegenSyntaxError: SyntaxError WarpCodegenError => "A statement or an expression that kernels do not have.",
    WarpDeterminismError: RuntimeError => "A launch that cannot give bit-equal results where they are asked for. Launches here can.",
    ArgumentError: TypeError RuntimeError => "A builtin with arguments that it does not take.",
    ArrayTypeError: TypeError RuntimeError => "An object that no array can be made of or indexed by.",
    ArrayValueError: ValueError RuntimeError => "A shape, an index or a dtype that an array cannot have.",
    CallError: TypeError NotImplementedError => "A kernel that is called as a function is.",
    FieldError: AttributeError RuntimeError => "A field that a struct does not have.",
    LaunchError: TypeError RuntimeError => "A launch whose arguments do not fit the kernel.",
    MismatchError: TypeError ValueError => "A value that does not fit its place.",
}

impl Exception {
    /// The exception of Python's own that says most about what happened: the last one that this derives from.
    pub const fn pythons(self) -> Exception {
        match self.bases() {
            [] => self,
            // Of the pairs for calls and values the first is what a Python user expects, of those for texts the last.
            [first, last] => match first.bases() {
                [] => *first,
                _ => last.pythons(),
            },
            [first, ..] => first.pythons(),
        }
    }
}

impl Code {
    /// The code for the same mistake where an array is made, indexed or reshaped.
    #[must_use]
    pub const fn of_array(self) -> Code {
        match self {
            Code::Type => Code::ArrayType,
            Code::Value => Code::ArrayValue,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_their_bases() {
        for (at, class) in Exception::ALL.iter().enumerate() {
            assert!(
                class
                    .bases()
                    .iter()
                    .all(|b| Exception::ALL[..at].contains(b)),
                "{}",
                class.name()
            );
        }
    }

    #[test]
    fn each_class_has_one_of_pythons() {
        for code in Code::ALL {
            let (one, other) = (code.exception(), code.exception_in_text());
            assert!(one.pythons().bases().is_empty() && other.pythons().bases().is_empty());
        }
        assert_eq!(
            Exception::WarpCodegenTypeError.pythons(),
            Exception::TypeError
        );
        assert_eq!(
            Exception::WarpCodegenRecursionError.pythons(),
            Exception::RecursionError
        );
        assert_eq!(Exception::LaunchError.pythons(), Exception::TypeError);
    }
}
