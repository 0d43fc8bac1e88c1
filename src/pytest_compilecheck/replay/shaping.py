"""The inputs of a contract's steps as a policy wants them: as they are, marked, or padded."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.policies.policy import Bucket, Policy
from pytest_compilecheck.contract.trace.inputs import tensors
from pytest_compilecheck.contract.trace.model import Step
from pytest_compilecheck.contract.trace.spec import TensorSpec
from pytest_compilecheck.observe.recording.tensors import tensors_in
from pytest_compilecheck.observe.running.input_maker import Ask, InputMaker
from pytest_compilecheck.observe.running.inputs import make_inputs
from pytest_compilecheck.observe.torch_adapter import mark_dynamic
from pytest_compilecheck.replay.errors import PolicyError
from pytest_compilecheck.replay.padding import mask_of, padded

DYNAMIC = {"static": False, "dynamic": True, "bucket": False}
"""What torch.compile's `dynamic` is under a kind of policy; its default under the others."""


class Shaping:
    """Makes the inputs of steps under a policy; equal values in the unpadded part under each."""

    def __init__(
        self,
        contract: Contract,
        policy: Policy,
        ask: Ask | None,
        aside: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """Take who else may make inputs, and a context in which nothing is watched."""
        self._seed = contract.seed
        self._ask = ask
        self._aside = aside
        self._marks = policy.kind == "marked"
        self._bucket = policy.bucket
        self._changing = contract.trace.changing_dims()

    def inputs(self, step: Step) -> dict[str, Any]:
        """The inputs that the function is called with.

        Raises:
            PolicyError: they cannot be padded.
        """
        bucket = self._bucket
        if bucket is None and not self._marks:
            return self.unshaped(step)
        if bucket is not None and bucket.rule is not None:
            return self._by_rule(bucket, step)
        made = make_inputs(step, self._seed, InputMaker(partial(self._made, step), self._aside))
        if bucket is not None and bucket.mask is not None:
            made[bucket.mask] = self._mask(step)
        return made

    def unshaped(self, step: Step) -> dict[str, Any]:
        """The inputs as the contract has them."""
        maker = None if self._ask is None else InputMaker(self._ask, self._aside)
        return make_inputs(step, self._seed, maker)

    def rounded(self, step: Step) -> dict[str, tuple[int, int]]:
        """The size of each rounded dim, and what it is rounded to."""
        bucket = self._bucket
        if bucket is None:
            return {}
        names = bucket.dims or self._changing
        return {name: (step.dims[name], bucket.rounded(step.dims[name])) for name in names}

    def elements(self, step: Step, inputs: dict[str, Any]) -> int:
        """How many elements the input tensors have that the function is called with.

        A rule of the user's may make other tensors: what can be seen in its inputs is counted.
        """
        if self._bucket is not None and self._bucket.rule is not None:
            return sum(each.numel() for each in tensors_in(inputs))
        specs = tensors(step.inputs)
        return sum(math.prod(self._sizes(step, label, spec)) for label, spec in specs.items())

    def _made(
        self, step: Step, label: str, spec: TensorSpec, make: Callable[[], torch.Tensor]
    ) -> object:
        made = None if self._ask is None else self._ask(label, spec, make)
        if made is None:
            made = make()
        names = step.named.get(label, ())
        if self._marks:
            for dim, name in enumerate(names):
                if name in self._changing:
                    mark_dynamic(self._tensor(label, spec, made, "marked"), dim)
            return made
        sizes = self._sizes(step, label, spec)
        if sizes == tuple(spec.shape):
            return made
        assert self._bucket is not None
        value = self._bucket.pad.get(label, self._bucket.pad.get(_argument(label), 0))
        return padded(self._tensor(label, spec, made, "padded"), sizes, value)

    @staticmethod
    def _tensor(label: str, spec: TensorSpec, made: object, what: str) -> torch.Tensor:
        if isinstance(made, torch.Tensor) and tuple(made.shape) == tuple(spec.shape):
            return made
        kind = type(made).__name__
        raise PolicyError(
            f"the input {label!r} cannot be {what}: a plugin makes it, as a {kind} of other sizes"
            " than the trace has"
        )

    def _sizes(self, step: Step, label: str, spec: TensorSpec) -> tuple[int, ...]:
        """Sizes of an input, rounded where its dims are."""
        rounded = self.rounded(step)
        names = step.named.get(label, (None,) * len(spec.shape))
        return tuple(
            rounded[name][1] if name in rounded else int(size)
            for name, size in zip(names, spec.shape, strict=True)
        )

    def _mask(self, step: Step) -> torch.Tensor:
        """Over the named dims of the first input that is padded, up to the last rounded one."""
        rounded = self.rounded(step)
        for label, names in step.named.items():
            last = max((at for at, name in enumerate(names) if name in rounded), default=None)
            if last is not None:
                over = [name for name in names[: last + 1] if name is not None]
                real = [step.dims[name] for name in over]
                sizes = [rounded[name][1] if name in rounded else step.dims[name] for name in over]
                return mask_of(real, sizes, tensors(step.inputs)[label].device)
        raise PolicyError(
            "there is nothing to mask, as no input has a dim that is rounded: leave mask out"
        )

    def _by_rule(self, bucket: Bucket, step: Step) -> dict[str, Any]:
        assert bucket.rule is not None
        sizes = {name: size for name, (_, size) in self.rounded(step).items()}
        made: object = bucket.rule(self.unshaped(step), sizes)
        if not isinstance(made, dict):
            kind = type(made).__name__
            raise PolicyError(f"the rule gives a {kind}, and no dict of inputs by name")
        return made


def under_policy(contract: Contract, policy: Policy) -> Contract:
    """The contract with the `dynamic` of a policy."""
    options = dict(contract.torch_options)
    if policy.kind in DYNAMIC:
        options["dynamic"] = DYNAMIC[policy.kind]
    return replace(contract, torch_options=options)


def _argument(label: str) -> str:
    """The argument that a nested input ("pair[0]", "out.hidden") is part of."""
    return label.partition("[")[0].partition(".")[0]
