"""Kinds of figure. Every kind is a pure function of tidy tables (docs/formats.md) that returns a `Figure`."""
