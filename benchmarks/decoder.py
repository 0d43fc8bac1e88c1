"""A small Llama-style decoder: what the cost of watching a compile is measured on."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

VOCABULARY = 1000
WIDTH = 128
HEADS = 4
LAYERS = 6


class RMSNorm(nn.Module):
    """Root mean square normalisation over the last dimension."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise (batch, length, width)."""
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


class Attention(nn.Module):
    """Causal self-attention with rotary positions."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (
            nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4)
        )

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Attend within (batch, length, width)."""
        batch, length, _ = x.shape
        query, key, value = (
            projection(x).view(batch, length, HEADS, -1).transpose(1, 2)
            for projection in (self.query, self.key, self.value)
        )
        attended = F.scaled_dot_product_attention(
            _rotated(query, cos, sin), _rotated(key, cos, sin), value, is_causal=True
        )
        return self.out(attended.transpose(1, 2).reshape(batch, length, WIDTH))


class Layer(nn.Module):
    """Attention and a gated feed-forward net, each normalised first and added."""

    def __init__(self) -> None:
        super().__init__()
        self.attention_norm, self.feed_norm = RMSNorm(WIDTH), RMSNorm(WIDTH)
        self.attention = Attention()
        self.gate, self.up = (nn.Linear(WIDTH, 3 * WIDTH, bias=False) for _ in range(2))
        self.down = nn.Linear(3 * WIDTH, WIDTH, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Pass (batch, length, width) through the layer."""
        x = x + self.attention(self.attention_norm(x), cos, sin)
        normed = self.feed_norm(x)
        return x + self.down(F.silu(self.gate(normed)) * self.up(normed))


class Decoder(nn.Module):
    """Token ids (batch, length) to logits (batch, length, VOCABULARY)."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = RMSNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        half = WIDTH // HEADS // 2
        self.register_buffer("rates", 10000.0 ** (-torch.arange(half) / half))

    def forward(self, ids: Tensor) -> Tensor:
        """Logits of a prompt."""
        angles = torch.arange(ids.shape[1])[:, None] * self.rates
        angles = torch.cat((angles, angles), dim=-1)
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x, angles.cos(), angles.sin())
        return self.head(self.norm(x))


def _rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin
