"""The Mechanical Sympathy Lab: one room per step, from the catalogue to the page; `tests/unit/test_rooms.py` holds their order."""
