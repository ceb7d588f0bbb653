from dataclasses import dataclass


@dataclass
class InsertParams:
    key: tuple
    mamba_value: object = None


@dataclass
class InsertResult:
    mamba_exist: bool = False
