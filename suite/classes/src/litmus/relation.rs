//! Relations between at most 64 events, as rows of bits.

/// A relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relation(Vec<u64>);

impl Relation {
    /// The pairs of so many events for which `holds`.
    pub fn of(events: usize, holds: impl Fn(usize, usize) -> bool) -> Relation {
        assert!(events <= 64, "a row is one word");
        let row = |one| (0..events).filter(|other| holds(one, *other)).fold(0, |row, other| row | 1 << other);
        Relation((0..events).map(row).collect())
    }
    pub fn has(&self, one: usize, other: usize) -> bool {
        self.0[one] >> other & 1 == 1
    }
    pub fn or(&self, other: &Relation) -> Relation {
        Relation(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }
    /// Pairs of both.
    pub fn and(&self, other: &Relation) -> Relation {
        Relation(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }
    /// The composition `self ; other`.
    pub fn then(&self, other: &Relation) -> Relation {
        let row = |row: &u64| {
            (0..other.0.len()).filter(|at| row >> at & 1 == 1).fold(0, |all, at| all | other.0[at])
        };
        Relation(self.0.iter().map(row).collect())
    }
    /// The reflexive closure.
    pub fn or_same(&self) -> Relation {
        Relation(self.0.iter().enumerate().map(|(at, row)| row | 1 << at).collect())
    }
    /// The transitive closure.
    pub fn closed(&self) -> Relation {
        let mut all = self.clone();
        for middle in 0..all.0.len() {
            let through = all.0[middle];
            for row in &mut all.0 {
                if *row >> middle & 1 == 1 {
                    *row |= through;
                }
            }
        }
        all
    }
    pub fn is_irreflexive(&self) -> bool {
        (0..self.0.len()).all(|at| !self.has(at, at))
    }
    pub fn is_acyclic(&self) -> bool {
        self.closed().is_irreflexive()
    }
}
