//! What each exported function is made of: its C name, and what it needs before it does anything.

/// Functions with a level of `driver::call`.
macro_rules! functions {
    ($($level:ident $name:ident($($arg:ident: $ty:ty),* $(,)?) |$g:ident $(, $c:ident)?| $body:expr;)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`, as the documentation of the CUDA driver API says.")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> u32 {
                crate::driver::call::$level(stringify!($name), |$g $(, $c)?| {
                    // SAFETY: the caller passes pointers that are as the function's documentation asks, or null.
                    #[allow(unused_unsafe)]
                    unsafe { $body }
                })
            }
        )*
        /// Names and addresses of this file's functions.
        pub(super) fn symbols() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}
