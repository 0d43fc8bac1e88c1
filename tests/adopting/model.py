"""Thirty lines at which torch 2.13 stops capturing, in a project that adopts contracts."""

import logging
import os
import random
import sys
import time

import torch
from torch import nn

log = logging.getLogger(__name__)


class Chatty(nn.Module):
    def forward(self, x):
        print("in")
        x = x.relu()
        print("middle")
        x = x + 1
        log.info("after")
        return x * 2


class Verbose(nn.Module):
    def forward(self, x):
        x = self.first(x)
        print("between")
        return self.second(x)

    def first(self, x):
        print("first")
        return x.relu()

    def second(self, x):
        print("second")
        return x + 1


class Branching(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            x = x + 1
        if x.mean() > 1:
            x = x - 1
        while x.max() > 100:
            x = x / 2
        return x.relu()


class Numbers(nn.Module):
    def forward(self, x):
        scale = x.mean().item()
        x = x * scale
        count = int(x.sum())
        x = x + count
        values = x[0].tolist()
        return x + values[0]


class Clock(nn.Module):
    def forward(self, x):
        started = time.time()
        x = x.relu()
        x = x + time.perf_counter()
        x = x * 2
        self.seconds = time.monotonic() - started
        return x + 1


class System(nn.Module):
    def forward(self, x):
        x = x * len(os.listdir("."))
        x = x + os.getpid()
        x = x.relu()
        sys.stdout.write("")
        return x * 2


class Explicit(nn.Module):
    def forward(self, x):
        torch._dynamo.graph_break()
        x = x.relu()
        torch._dynamo.graph_break()
        x = self.aside(x)
        return x * 2

    @torch.compiler.disable
    def aside(self, x):
        return x + 1


class Stages(nn.Module):
    def forward(self, x):
        return self.last(self.middle(x))

    def middle(self, x):
        torch._dynamo.graph_break()
        x = x + 1
        print("middle")
        return x.relu()

    def last(self, x):
        torch._dynamo.graph_break()
        return x * 2


class Shapes(nn.Module):
    def forward(self, x):
        found = torch.nonzero(x)
        x = x + found.shape[0]
        kept = x[x > 0]
        x = x + kept.sum()
        different = torch.unique(x)
        return x + different.shape[0]


class Random(nn.Module):
    def forward(self, x):
        x = x + random.random()
        x = x.numpy().sum() + x
        x = x + random.choice([1, 2])
        random.shuffle([1, 2])
        return x * id(x)
