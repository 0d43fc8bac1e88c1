"""A diffusion transformer, Flux: the whole of it compiled, or each of its blocks.

With `dynamic=True` no image size should need a rebuild. Two things still do, and neither is a size:
two sides that were equal at first, and two memory layouts of the same shape.
"""

from __future__ import annotations

import pytest
import torch

from pytest_compilecheck import compile_contract

diffusers = pytest.importorskip("diffusers", reason="pip install diffusers")

SIZES = {"height": [16, 32, 48], "width": [16, 32, 32]}


@pytest.fixture
def pipeline(request):
    transformer = diffusers.FluxTransformer2DModel(
        in_channels=4,
        num_layers=1,
        num_single_layers=2,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=32,
        pooled_projection_dim=32,
        axes_dims_rope=(4, 4, 8),
    )
    if request.param == "blocks":
        transformer.compile_repeated_blocks(backend="eager", dynamic=True)
    else:
        transformer = torch.compile(transformer, backend="eager", dynamic=True)
    pipeline = diffusers.FluxPipeline(
        transformer=transformer,
        vae=diffusers.AutoencoderKL(
            block_out_channels=(4,), latent_channels=1, norm_num_groups=1, shift_factor=0.0
        ),
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(),
        text_encoder=None,
        tokenizer=None,
        text_encoder_2=None,
        tokenizer_2=None,
    )
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


def paint(pipeline, height, width):
    """One image, in three denoising steps, for a made-up prompt."""
    images = pipeline(
        prompt_embeds=torch.randn(1, 4, 32),
        pooled_prompt_embeds=torch.randn(1, 32),
        height=height,
        width=width,
        num_inference_steps=3,
        output_type="pt",
    ).images
    assert images.shape == (1, 3, height, width)
    assert images.isfinite().all()


# A square image first makes one symbol of both sides. torch itself: 2 graphs, no break record, 1
# recompile, for 18 calls; with the portrait first, 1 graph and no recompile.
@pytest.mark.parametrize("pipeline", ["whole"], indirect=True)
@compile_contract(
    watch_only=True,
    allow_recompiles=[
        {"source": "*img_ids*.size(1)", "because": "the first image is square, the third is not"}
    ],
    max_graphs=2,
    values=SIZES,
)
def test_portrait_after_square(pipeline, height, width):
    paint(pipeline, height, width)


# Blocks of one class share their graphs, however many there are. Here each block is a call.
# torch itself: 3 graphs, no break record, 1 recompile, within the first image, for 54 calls.
@pytest.mark.parametrize("pipeline", ["blocks"], indirect=True)
@compile_contract(
    watch_only=True,
    allow_recompiles=[
        {
            "source": "*hidden_states.stride(0)",
            "because": "from the second block on, both inputs are slices of one tensor",
        }
    ],
    max_graphs=3,
    values=SIZES,
)
def test_blocks_share_their_graphs(pipeline, height, width):
    paint(pipeline, height, width)
