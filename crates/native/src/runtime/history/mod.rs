//! What reductions ask of the present execution: how each step found the objects that it touched.

pub(in crate::runtime) mod counterfactual;
