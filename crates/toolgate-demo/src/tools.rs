//! The tools, by subject. All but those of [`joined`] are written with the SDK's macros.

mod files;
mod joined;
mod lessons;
mod tasks;
