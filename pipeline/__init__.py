"""The Mechanical Sympathy Lab: one room per step, from the catalogue to the page.

Each room says what comes in, what goes out and who may call it; `tests/unit/test_rooms.py` holds their order.
"""
