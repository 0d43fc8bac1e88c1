"""A vision transformer: one shape, several batch sizes, several resolutions."""

from __future__ import annotations

import pytest
from transformers import ViTConfig, ViTForImageClassification

from pytest_compilecheck import compile_contract

CLASSES = 10


@pytest.fixture
def model():
    config = ViTConfig(
        image_size=32,
        patch_size=8,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_labels=CLASSES,
    )
    return ViTForImageClassification(config).eval().requires_grad_(False)


class TestVisionTransformer:
    # Few graphs are no virtue if little is captured: `min_captured_ops` holds the other end.
    @compile_contract(
        compiles="model",
        max_graph_breaks=0,
        max_recompiles=0,
        max_graphs=1,
        min_captured_ops=50,
        shapes=[(4, 3, 32, 32)],
    )
    def test_one_shape_is_one_graph(self, model, images):
        logits = model(pixel_values=images).logits
        assert logits.shape == (len(images), CLASSES)
        assert logits.isfinite().all()

    @compile_contract(
        compiles="model",
        max_graph_breaks=0,
        max_recompiles=1,
        shapes={"images": "B 3 32 32"},
        dims={"B": [4, 8, 6]},
    )
    def test_batch_sizes_share_a_graph(self, model, images):
        assert model(pixel_values=images).logits.shape == (len(images), CLASSES)

    @compile_contract(
        compiles="model",
        max_graph_breaks=0,
        max_recompiles=1,
        shapes={"images": "B 3 H H"},
        dims={"B": 4, "H": [32, 48, 64]},
    )
    def test_resolutions_share_a_graph(self, model, images):
        logits = model(pixel_values=images, interpolate_pos_encoding=True).logits
        assert logits.shape == (len(images), CLASSES)
        assert logits.isfinite().all()
