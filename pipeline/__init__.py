"""The Mechanical Sympathy Lab: plan, measure, ingest, analyse, draw, publish."""
