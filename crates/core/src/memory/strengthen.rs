//! The weakest orderings that make all of some executions inconsistent. Consistency is antitone in orderings: what one set
//! of them makes inconsistent, a stronger one does, too. So the sets are tried by their cost, and a branch ends where even the
//! strongest orderings of what is left do not do it.

use super::Order;
use super::explanation::StrongerOrdering;
use super::placed::{PlacedGraph, Site};

/// The largest cost that is tried: that of four operations that become `SeqCst`.
const MOST: u32 = 16;
/// How many sets are looked at.
const LOOKS: usize = 20_000;

/// Finds orderings of the operations of some executions.
#[derive(Debug, Default)]
pub struct Strengthener {
    failing: Vec<PlacedGraph>,
    sites: Vec<Site>,
    /// The cost below which there is no set.
    cost: u32,
}

impl Strengthener {
    /// This execution is to be inconsistent, too.
    pub fn add(&mut self, failing: PlacedGraph) {
        for site in failing.sites() {
            match self.sites.iter_mut().find(|known| known.place == site.place) {
                Some(known) => {
                    let more: Vec<Order> =
                        site.stronger.into_iter().filter(|order| !known.stronger.contains(order)).collect();
                    known.stronger.extend(more);
                }
                None => self.sites.push(site),
            }
        }
        self.failing.push(failing);
    }
    /// All sets of the least cost, or none if there is none, or if there are too many to look at.
    pub fn cheapest(&mut self) -> Vec<Vec<StrongerOrdering>> {
        let strongest: Vec<StrongerOrdering> = self.sites.iter().map(strongest).collect();
        if !self.kills(&strongest) {
            return Vec::new();
        }
        let mut looks = LOOKS;
        while self.cost <= MOST {
            let mut found = Vec::new();
            self.extend(0, self.cost, &mut Vec::new(), &mut looks, &mut found);
            if looks == 0 {
                return Vec::new();
            }
            if !found.is_empty() {
                return found;
            }
            self.cost += 1;
        }
        Vec::new()
    }

    fn kills(&self, orderings: &[StrongerOrdering]) -> bool {
        self.failing.iter().all(|graph| !graph.is_consistent_with(orderings))
    }

    /// Extends `chosen` by orderings of the sites from number `from` on that cost exactly so much.
    fn extend(
        &self,
        from: usize,
        cost: u32,
        chosen: &mut Vec<StrongerOrdering>,
        looks: &mut usize,
        found: &mut Vec<Vec<StrongerOrdering>>,
    ) {
        if *looks == 0 {
            return;
        }
        *looks -= 1;
        let reach = self.sites[from..].iter().map(strongest);
        let most: Vec<StrongerOrdering> = match cost {
            0 => chosen.clone(),
            _ => chosen.iter().cloned().chain(reach).collect(),
        };
        if !self.kills(&most) {
            return;
        }
        if cost == 0 {
            found.push(chosen.clone());
            return;
        }
        let Some(Site { place, stronger }) = self.sites.get(from) else { return };
        for order in stronger.iter().copied().filter(|order| order.cost() <= cost) {
            chosen.push(StrongerOrdering { place: place.clone(), order });
            self.extend(from + 1, cost - order.cost(), chosen, looks, found);
            chosen.pop();
        }
        self.extend(from + 1, cost, chosen, looks, found);
    }
}

fn strongest(site: &Site) -> StrongerOrdering {
    StrongerOrdering { place: site.place.clone(), order: Order::SeqCst }
}
