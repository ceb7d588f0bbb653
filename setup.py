"""Adds to the wheel of slotproof what `slotproof attach` puts on an engine's path: the package of attach/.

It lies in a folder of its own there, in which nothing else can be imported (checker/command/attachable.py).
"""

from setuptools import find_namespace_packages, setup

FOLDER = "checker.command.attachable_files"
attached = find_namespace_packages("attach", include=["slotproof_attach*"])

setup(
    packages=[
        *find_namespace_packages(include=["spec*", "runtime*", "checker*"]),
        *[f"{FOLDER}.{package}" for package in attached],
    ],
    package_dir={FOLDER: "attach"},
)
