//! `std::time` on the virtual clock.
