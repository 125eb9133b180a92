//! The codes of errors: what kind of mistake each stands for, and the Python exception that it is raised as.
//!
//! `docs/errors.md` has an entry with an example for each code; a test compares the two lists.

/// Declares the enumerations and the table of both from one list.
macro_rules! codes {
    ($($code:ident $exception:ident $meaning:literal)+) => {
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
        }
    };
}

/// Declares the exceptions with their names.
macro_rules! exceptions {
    ($($exception:ident)+) => {
        /// A built-in exception of Python's.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Exception {
            $(#[doc = concat!("`", stringify!($exception), "`")] $exception,)+
        }

        impl Exception {
            /// The exception's name in Python.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Exception::$exception => stringify!($exception),)+
                }
            }
        }
    };
}

codes! {
    Syntax    SyntaxError       "The text is not Python, or it uses a statement or an expression that kernels do not have."
    Name      NameError         "A name that is not defined, or that has no meaning inside kernels."
    Type      TypeError         "Types that do not go together, or an object of a type that is not expected."
    Value     ValueError        "A value of the right type that is not allowed here."
    Attribute AttributeError    "An attribute or a component that does not exist."
    Argument  TypeError         "A call inside a kernel with the wrong number or the wrong names of arguments."
    Launch    TypeError         "A launch whose arguments, gradients or `dim` do not fit the kernel's parameters."
    Gradient  RuntimeError      "A kernel whose gradient cannot be formed."
    Runtime   RuntimeError      "A call that cannot be carried out in the present state, or a kernel that reached a limit while it ran."
    Index     IndexError        "An index that an array or a list of arguments does not have."
    Key       KeyError          "A field that a struct does not have, asked for by name outside of kernels."
    Division  ZeroDivisionError "An integer division by zero in a kernel in debug mode. Otherwise it gives 0."
    Assertion AssertionError    "An `assert` of a kernel that does not hold, in debug mode. Otherwise it is ignored."
    Overflow  OverflowError     "A number that is too large for what it is used for."
    Memory    MemoryError       "An array for which there is no memory."
    Buffer    BufferError       "Memory that two libraries cannot share."
    Import    ImportError       "A package that the call needs and that cannot be imported."
    System    OSError           "The environment does not serve: the disk cache, the file system, an installed library."
    Bug       SystemError       "A broken invariant of this library, never the caller's fault; please report it."
}

exceptions! {
    AssertionError
    AttributeError
    BufferError
    ImportError
    IndexError
    KeyError
    MemoryError
    NameError
    OSError
    OverflowError
    RuntimeError
    SyntaxError
    SystemError
    TypeError
    ValueError
    ZeroDivisionError
}
