//! Adapter: numpy.
