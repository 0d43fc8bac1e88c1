"""Texts that are nearly contract files: right ones, with a few mistakes made in them."""

from __future__ import annotations

from contract.file.corpus_files import right
from hypothesis import strategies as st

LONG = """\
# yaml-language-server: $schema=contract.schema.json
version: 1
defaults: &all
  requires: {transformers: ">=4.50"}
contracts:
  prefill:
    target: transformers:LlamaForCausalLM
    arguments:
      config: {make: "transformers:LlamaConfig", arguments: {hidden_size: 64}}
    call: forward
    keywords: {use_cache: false}
    dtype: bfloat16
    inputs:
      input_ids: {shape: "B S", dtype: int64, high: 1000}
      x: "B S 64"
      y: ["8 64", '16 64']
      pair: {tuple: ["B S", {shape: "B S", dtype: bool}]}
      n: {value: 3}
    values: {k: [1, 2]}
    dims: {B: 1, S: [128, 129]}
    max_graph_breaks: {"<2.14": 2, ">=2.14": 0}
    allow_breaks:
      - gb_id: GB0059
        because: >-
          it is "known",
          and old
    matrix: {dtype: [float32, bfloat16], dynamic: [null, true], keywords.a: [1, 2]}
    marks: [slow]
    xfail: {reason: "r\\u00e9ason", torch: "<2.9"}
  decode: &decode
    extends: prefill
    max_memory_growth: 20 MB
  _base: {<<: *decode, seed: 1}
  other: {extends: _base, skip: "why", inputs: null, dims: null}
"""
PIECES = [
    *("&a ", "*a", "<<: *a\n", "<<", "!!str ", "!!int ", "!x ", "{", "}", "[", "]", ",", ": ", ":"),
    *("- ", "? ", "|", ">", "|2-\n", "'", '"', "\\", "#", " #", "%YAML 1.1\n", "---\n", "...\n"),
    *(
        "\t",
        "\r",
        "\r\n",
        "\n",
        " ",
        "\x00",
        "\x85",
        "\u2028",
        "\ufeff",
        "\xa0",
        "é",
        "漢",
        "\U0001f600",
    ),
    *("\\ud800", "\\U00110000", "\\x", "null", "~", "yes", "0x1F", "1e999", "9" * 30, "9" * 500),
    *("@", "`", "=", "version: 1\n", "extends: prefill", "a.b", "::", "'''", "[[[[", "{{{{"),
]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A right file after one to four mistakes."""
    text = draw(st.sampled_from([LONG] * 8 + [text for _, text in right()]))
    for _ in range(draw(st.integers(1, 4))):
        text = draw(st.sampled_from(_MISTAKES))(draw, text)
    return text


def _cut(draw: st.DrawFn, text: str) -> str:
    start = draw(st.integers(0, len(text)))
    return text[:start] + text[start + draw(st.integers(1, 20)) :]


def _end(draw: st.DrawFn, text: str) -> str:
    return text[: draw(st.integers(0, len(text)))]


def _insert(draw: st.DrawFn, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(st.sampled_from(PIECES)) + text[at:]


def _replace(draw: st.DrawFn, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(st.sampled_from(PIECES) | st.characters()) + text[at + 1 :]


def _double_line(draw: st.DrawFn, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at = draw(st.integers(0, len(lines) - 1))
    return "".join([*lines[: at + 1], *lines[at:]])


def _swap_lines(draw: st.DrawFn, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    one, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    lines[one], lines[other] = lines[other], lines[one]
    return "".join(lines)


def _indent_line(draw: st.DrawFn, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at = draw(st.integers(0, len(lines) - 1))
    lines[at] = draw(st.sampled_from(["", " ", "   ", "\t", "        "])) + lines[at].lstrip(" ")
    return "".join(lines)


_MISTAKES = [_cut, _end, _insert, _insert, _replace, _double_line, _swap_lines, _indent_line]
