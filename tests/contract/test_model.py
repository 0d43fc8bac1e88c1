from __future__ import annotations

import dataclasses
import json
import math

from pytest_compilecheck.contract.allow import Allowance
from pytest_compilecheck.contract.bounds import Bound
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.policies.policy import Bucket, Policy
from pytest_compilecheck.contract.trace.model import Trace


def test_plain_form_of_the_defaults() -> None:
    plain = Contract().to_dict()
    assert plain.pop("trace") == [{"index": 0, "inputs": {}, "dims": {}, "weight": 1}]
    assert {name: value for name, value in plain.items() if value is not None} == {
        "passes": 2,
        "torch_options": {},
        "watch_only": False,
        "max_graph_breaks": 0,
        "max_recompiles": 0,
        "dynamic_dims": [],
        "allow_breaks": [],
        "allow_recompiles": [],
        "allow_fallbacks": [],
        "extra": {},
        "check_custom_ops": False,
        "policies": [],
        "policy_margin": 0.1,
        "match_eager": False,
        "backward": False,
        "seed": 0,
        "trace_notes": [],
    }


def test_plain_form_has_every_field_and_is_json() -> None:
    contract = Contract(
        backend=json.dumps,
        torch_options={"options": {"trace": print}, "dynamic": True},
        compiles=("model",),
        max_recompiles=Bound((("<2.14", 1), (">=2.14", 0))),
        min_hit_rate=Bound(0.5),
        allow_breaks=(Allowance(kind="break", file="a.py", because="known"),),
        owners=("own",),
        extra={"max_matmuls": Bound((("<2.14", 1), (">=2.14", 0)))},
        policies=(Policy(kind="auto"), Policy(kind="bucket", bucket=Bucket(pad={"x": -math.inf}))),
    )
    plain = contract.to_dict()
    fields = [field.name for field in dataclasses.fields(Contract)]
    assert list(plain) == [*fields, "trace_notes"]
    assert json.loads(json.dumps(plain)) == plain
    assert plain["backend"] == "json.dumps"
    assert plain["torch_options"] == {"options": {"trace": "builtins.print"}, "dynamic": True}
    assert plain["max_recompiles"] == {"<2.14": 1, ">=2.14": 0}
    assert (plain["min_hit_rate"], plain["compiles"], plain["owners"]) == (0.5, ["model"], ["own"])
    assert plain["extra"] == {"max_matmuls": {"<2.14": 1, ">=2.14": 0}}
    none = dict.fromkeys(("sizes", "dims", "pad", "mask", "rule"))
    assert plain["policies"] == [
        {"name": "auto", "kind": "auto", **none},
        {
            **none,
            "name": "pow2",
            "kind": "bucket",
            "sizes": "pow2",
            "dims": [],
            "pad": {"x": "-inf"},
        },
    ]
    assert plain["allow_breaks"] == [{"file": "a.py", "because": "known"}]


def test_plain_form_has_the_notes_of_the_trace() -> None:
    contract = Contract(trace=Trace(notes=("lengths.csv: 9 rows",)))
    assert contract.to_dict()["trace_notes"] == ["lengths.csv: 9 rows"]
