//! `std::cell`, where unsynchronised access is noticed.
