"""Who does the runs, one file each; `contract.py` says what each must answer."""
