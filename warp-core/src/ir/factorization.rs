//! Decompositions and inverses of small matrices. Each is one statement; the module `factor` says how it is computed and what its
//! derivative is.

/// A decomposition of a square matrix or its inverse, row-major like the results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Factorization {
    /// 2 x 2, `A = U diag(s) Vᵀ`: U, s, V. V is a rotation, `s[0] >= s[1] >= 0`.
    Svd2,
    /// 3 x 3, `A = U diag(s) Vᵀ`: U, s, V. U and V are rotations, `s[0] >= s[1] >= |s[2]|`.
    Svd3,
    /// 3 x 3, `A = Q R`: Q, R. Q is a rotation, R an upper triangle whose first two diagonal components are not negative.
    Qr3,
    /// 3 x 3, `(A + Aᵀ) / 2 = Q diag(d) Qᵀ`: Q, d. Q is a rotation.
    Eig3,
    /// 2 x 2, the inverse; all 0 where the determinant is 0.
    Inverse2,
    /// As `Inverse2`, 3 x 3.
    Inverse3,
    /// As `Inverse2`, 4 x 4.
    Inverse4,
}

impl Factorization {
    /// All of them.
    pub const ALL: [Factorization; 7] = [
        Factorization::Svd2,
        Factorization::Svd3,
        Factorization::Qr3,
        Factorization::Eig3,
        Factorization::Inverse2,
        Factorization::Inverse3,
        Factorization::Inverse4,
    ];

    /// The name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Factorization::Svd2 => "svd2",
            Factorization::Svd3 => "svd3",
            Factorization::Qr3 => "qr3",
            Factorization::Eig3 => "eig3",
            Factorization::Inverse2 => "inverse2",
            Factorization::Inverse3 => "inverse3",
            Factorization::Inverse4 => "inverse4",
        }
    }

    /// The one of a name.
    pub fn from_name(name: &str) -> Option<Factorization> {
        Factorization::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Rows of the matrix.
    pub const fn size(self) -> usize {
        match self {
            Factorization::Svd2 | Factorization::Inverse2 => 2,
            Factorization::Inverse4 => 4,
            _ => 3,
        }
    }

    /// Whether it is computed in loops: the others are straight text.
    pub const fn is_iterated(self) -> bool {
        matches!(
            self,
            Factorization::Svd2 | Factorization::Svd3 | Factorization::Eig3
        )
    }

    /// Components of the results, one after the other.
    pub const fn results(self) -> usize {
        match self {
            Factorization::Svd2 => 4 + 2 + 4,
            Factorization::Svd3 => 9 + 3 + 9,
            Factorization::Qr3 => 9 + 9,
            Factorization::Eig3 => 9 + 3,
            Factorization::Inverse2 => 4,
            Factorization::Inverse3 => 9,
            Factorization::Inverse4 => 16,
        }
    }
}
