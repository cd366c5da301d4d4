"""What is measured, as data: YAML files of `catalogue/` come in, checked entries and claims go out.

Every room may call it; it knows neither the host nor a run.
"""
